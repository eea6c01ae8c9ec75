// The equations of a model for a reader: M, Q, A, b, directions of the constraint forces, and the
// acceleration written out in one of the forms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ananke/method.h"
#include "ananke/model.h"
#include "ananke/result.h"

namespace ananke {

enum class Notation : std::uint8_t {
    kText,   ///< the language's own
    kLatex,  ///< a fragment for a document that loads amsmath
    kC,      ///< one C99 file that compiles alone
};

struct DeriveOptions {
    /// One of written_forms(). kAuto: fundamental, or multipliers where M is singular.
    Form form = Form::kAuto;
    Notation notation = Notation::kText;
    bool full = false;  ///< else long lists are cut, with a note
    /// Of the minimal form: names of the independent velocities or speeds (x, x' or u); empty:
    /// chosen at the initial state.
    std::vector<std::string> independent = {};
    /// Of the minimal form: constraints (or rows c[2]) whose forces stay in the equations.
    std::vector<std::string> evidence = {};
};

struct Derived {
    std::string text;
    /// Why there is no acceleration (the equations stand in `text` all the same), or which option
    /// is wrong (then there is no text).
    std::optional<Error> failure;
    /// Constraints and joints whose friction the equations leave out.
    std::vector<std::string> without_friction_on{};
};

/// The forms whose acceleration can be written out; the first is kAuto.
std::vector<Form> written_forms();

Derived derive(const Model& model, const DeriveOptions& options = {});

}  // namespace ananke
