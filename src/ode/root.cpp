#include "ode/root.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/text.h"

namespace ananke::ode {
namespace {

constexpr int kSlack = 1;          // n0: evaluations beyond bisection that may be spent
constexpr double kTruncate = 0.2;  // k1 (b - a), with k2 = 2

struct Bracket {
    double lo, hi;
    double f_lo, f_hi;

    double half_width() const { return 0.5 * std::abs(hi - lo); }
};

/// The next place to look: regula falsi, pushed towards the middle, held within `radius` of it.
double itp_point(const Bracket& at, double width0, double radius, double accuracy) {
    const double middle = at.lo + 0.5 * (at.hi - at.lo);
    const double falsi = at.lo - at.f_lo * ((at.hi - at.lo) / (at.f_hi - at.f_lo));
    if (!std::isfinite(falsi)) {
        return middle;
    }
    const double towards = std::copysign(1.0, middle - falsi);
    const double width = 2.0 * at.half_width();
    // At least `accuracy`: a push below the rounding of t would leave the far end where it is.
    const double push = std::max(kTruncate * width * (width / width0), accuracy);
    const double truncated = push <= std::abs(middle - falsi) ? falsi + towards * push : middle;
    return std::abs(truncated - middle) <= radius ? truncated : middle - towards * radius;
}

/// Doublings that take `from` to at least `to`.
int doublings(double from, double to) {
    return from < to ? std::ilogb(to / from) + 1 : 0;
}

Error not_finite(double t) {
    return {ErrorCode::kNotFinite,
            fmt::format("the function to bring to zero is not a number at t = {}", to_text(t))};
}

}  // namespace

Result<Root> find_root(FunctionRef<double(double)> f, double a, double b, double tolerance) {
    ANANKE_REQUIRE(std::isfinite(a) && std::isfinite(b) && tolerance >= 0.0);
    Bracket at{a, b, f(a), f(b)};
    int evaluations = 2;
    if (std::isnan(at.f_lo) || std::isnan(at.f_hi)) {
        return not_finite(std::isnan(at.f_lo) ? a : b);
    }
    if (at.f_lo == 0.0 || at.f_hi == 0.0) {
        const double t = at.f_lo == 0.0 ? a : b;
        return Root{t, t, t, evaluations};
    }
    if (std::signbit(at.f_lo) == std::signbit(at.f_hi)) {
        return Error{
            ErrorCode::kInvalidInput,
            fmt::format("no change of sign: {} at t = {} and {} at t = {}", to_short_text(at.f_lo),
                        to_text(a), to_short_text(at.f_hi), to_text(b))};
    }

    const double ulp = std::numeric_limits<double>::epsilon() * std::max(std::abs(a), std::abs(b));
    const double accuracy =
        std::max({0.5 * tolerance, 2.0 * ulp, std::numeric_limits<double>::min()});
    const double width0 = std::abs(b - a);
    const int most = doublings(2.0 * accuracy, width0) + kSlack;
    for (int j = 0; j < most && at.half_width() > accuracy; ++j) {
        const double radius = std::max(0.0, std::ldexp(accuracy, most - j) - at.half_width());
        const double t = itp_point(at, width0, radius, accuracy);
        const double f_t = f(t);
        ++evaluations;
        if (std::isnan(f_t)) {
            return not_finite(t);
        }
        if (f_t == 0.0) {
            return Root{t, t, t, evaluations};
        }
        const bool is_before = std::signbit(f_t) == std::signbit(at.f_lo);
        (is_before ? at.lo : at.hi) = t;
        (is_before ? at.f_lo : at.f_hi) = f_t;
    }
    const double t = std::abs(at.f_lo) < std::abs(at.f_hi) ? at.lo : at.hi;
    return Root{t, at.lo, at.hi, evaluations};
}

}  // namespace ananke::ode
