// Which formula gives the acceleration, and what keeps the state on the constraints.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ananke {
namespace solve {

/// The forms of the answer; docs/theory.md, section 2.
enum class Form : std::uint8_t {
    kAuto,
    kFundamental,
    kPhohomsiri,
    kSchutte,
    kWanichanon,
    kMultipliers,
    kMinimal,
    kGauss,
};

/// auto, fundamental, phohomsiri, schutte, wanichanon, multipliers, minimal, gauss.
std::string_view form_name(Form form);
std::optional<Form> parse_form(std::string_view name);
const std::vector<Form>& all_forms();

}  // namespace solve

/// docs/theory.md, section 6.
enum class Drift : std::uint8_t {
    kProject,
    kEnergy,  ///< kProject, and the energy held as well; for models that conserve it
    kBaumgarte,
    kNone
};

using solve::all_forms;
using solve::Form;
using solve::form_name;
using solve::parse_form;

}  // namespace ananke
