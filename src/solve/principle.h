// UK02's principle in numbers: how far the unconstrained motion is from what the constraints ask.
#pragma once

#include "base/result.h"
#include "solve/analysis.h"
#include "solve/system.h"

namespace ananke::solve {

/// The unconstrained acceleration and what the constraints make of it. M > 0.
struct Principle {
    Eigen::VectorXd a0;         ///< n  M^-1 Q
    Eigen::VectorXd e;          ///< m  b - A a0, how far a0 violates the constraints   UK02 (13)
    Eigen::VectorXd deviation;  ///< n  a - a0                                          UK02 (15)
};

/// kNotApplicable where M is singular: a0 does not exist.
Result<Principle> principle(const System& at, const Analysis& analysis);

/// What of the non-ideal force does anything. C = acting + absorbed; `absorbed` has its part along
/// the rows and changes nothing, `acting` = Qc_nonideal.                                  UK02 (8)
struct NonidealShare {
    Eigen::VectorXd acting;    ///< n
    Eigen::VectorXd absorbed;  ///< n
    double acting_part =
        0.0;  ///< |acting| / |C| in the M^-1 metric (balanced units if M is singular)
    double absorbed_part = 0.0;
};
Result<NonidealShare> nonideal_share(const System& at, const Analysis& analysis);

/// C = M^1/2 z for a non-ideal force given as z = M^-1/2 C, with the symmetric square root of M.
/// z may have a part B^T w along the rows: it is absorbed. Requires z of n entries.      UK02 (31)
/// kNotFinite for a NaN or an infinity, kInvalidInput where M < 0 in some direction.
Result<Eigen::VectorXd> nonideal_from_z(const System& at, const Eigen::VectorXd& z);

/// w^T C, the work of the constraint forces under a virtual displacement w (A w = 0).
/// UK02 (10), (28)-(30)
double virtual_work(const System& at, const Eigen::VectorXd& w);

}  // namespace ananke::solve
