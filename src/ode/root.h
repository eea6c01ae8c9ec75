// Where a function of time changes sign, to the last digits, in a bounded number of evaluations.
#pragma once

#include "base/result.h"
#include "ode/function_ref.h"

namespace ananke::ode {

/// A change of sign between `before` and `after`, in the direction from a to b.
struct Root {
    double t;         ///< the end of the bracket where |f| is smaller
    double before;    ///< f has the sign of f(a) here, unless it is 0
    double after;     ///< f has the sign of f(b) here, unless it is 0
    int evaluations;  ///< of f
};

/// A root of f in [a, b], a > b allowed, bracketed to |after - before| <= tolerance or to 4 units
/// in the last place of the times, whichever is larger. At most one evaluation more than bisection
/// needs (besides the two ends), about a third of that where f is smooth: the ITP method of
/// Oliveira & Takahashi, ACM Trans. Math. Softw. 47 (2021) 5.
///
/// Fails with kInvalidInput  f(a) and f(b) have the same sign
///            kNotFinite     f returned NaN
Result<Root> find_root(FunctionRef<double(double)> f, double a, double b, double tolerance);

}  // namespace ananke::ode
