// Every form of the constrained acceleration, THEORY section 2. Each evaluates its own formula on
// the normalised system and calls no other; agreement between them is the check of all.
#pragma once

#include "base/result.h"
#include "solve/analysis.h"
#include "solve/normalized.h"
#include "solve/system.h"

namespace ananke::solve {

/// Fails with
///   kNotFinite      an input holds NaN or infinity
///   kNotUnique      rank [M; A] < n
///   kInconsistent   no acceleration satisfies A a = b
///   kNotApplicable  the form asks for M > 0 (fundamental, gauss) or C = 0 (gauss)
///   kInvalidInput   M < 0 in some direction, or a gauge with alpha = 0 or G not positive definite
///   kNotConverged   the answer would have fewer than seven digits
/// The rows and coordinates concerned are in analyse(at).failure.
Result<Motion> evaluate(Form form, const System& at, const Gauge& gauge = {});

/// The same with an analysis at hand; requires that it is of this system.
Result<Motion> evaluate(Form form, const System& at, const Gauge& gauge, const Analysis& analysis);

Result<Answer> fundamental(const Normalized& at);  ///< UK02 (6), (32); UW13 (2.8)
Result<Answer> phohomsiri(const Normalized& at);   ///< UW13 (2.9)
Result<Answer> schutte(const Normalized& at);      ///< US10 (49), (71)
Result<Answer> wanichanon(const Normalized& at);   ///< UW13 (3.18), (3.39)
Result<Answer> multipliers(const Normalized& at);  ///< Lagrange's equations with multipliers
Result<Answer> minimal(const Normalized& at);      ///< RH (8)
Result<Answer> gauss(const Normalized& at);        ///< P21 (39)

}  // namespace ananke::solve
