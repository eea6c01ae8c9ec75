#include "ode/problem.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "base/text.h"

namespace ananke::ode {
namespace {

Error invalid(std::string_view name, double value, std::string_view expected) {
    return {ErrorCode::kInvalidInput,
            fmt::format("{} is {}, expected {}", name, to_text(value), expected)};
}

bool is_positive(double value) {
    return std::isfinite(value) && value > 0.0;
}

}  // namespace

Result<void> check_options(const Options& options, std::size_t size) {
    if (!std::isfinite(options.rtol) || options.rtol < 0.0) {
        return invalid("the relative tolerance", options.rtol, "a number of at least 0");
    }
    if (options.atol_each.empty() && !is_positive(options.atol)) {
        return invalid("the absolute tolerance", options.atol, "a number above 0");
    }
    if (!options.atol_each.empty() && options.atol_each.size() != size) {
        return Error{ErrorCode::kInvalidInput,
                     fmt::format("{} absolute tolerances are given for {} components",
                                 options.atol_each.size(), size)};
    }
    for (const double atol : options.atol_each) {
        if (!is_positive(atol)) {
            return invalid("an absolute tolerance", atol, "a number above 0");
        }
    }
    if (!std::isfinite(options.initial_step) || options.initial_step < 0.0) {
        return invalid("the initial step", options.initial_step, "a number of at least 0");
    }
    if (!(options.max_step > 0.0)) {
        return invalid("the largest step", options.max_step, "a number above 0");
    }
    if (!std::isfinite(options.min_step) || options.min_step < 0.0 ||
        options.min_step > options.max_step) {
        return invalid("the least step", options.min_step, "a number from 0 to the largest step");
    }
    return {};
}

}  // namespace ananke::ode
