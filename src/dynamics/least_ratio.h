// How supports that share a load may share it best.
//
// Supports i carry forces f_i of one or two components, each up to a limit l_i. Where they are
// redundant the forces are known but for y: f = f0 + Z y. A share within all limits exists if and
// only if
//   min over y of max over i |f_i| / l_i  <=  1.
// This is the static theorem of limit analysis: the supports yield together, not before every
// share exceeds some limit.       Drucker, Prager & Greenberg, Q. Appl. Math. 9 (1952) 381, thm. 1
#pragma once

#include <span>

#include "dense/dense.h"

namespace ananke::dynamics {

struct Support {
    int first;  ///< its place in f
    int components;
    double limit;  ///< > 0
};

/// The ratio that the answer reaches is within this of the least, relative to that for least
/// squares.
constexpr double kRatioAccuracy = 1e-11;

/// The y for which the largest |f_i|/l_i is least; among several the one whose other ratios are
/// farthest from it (the analytic centre). Requires independent columns of Z.
Eigen::VectorXd least_ratio(const Eigen::VectorXd& f0, const Eigen::MatrixXd& Z,
                            std::span<const Support> supports);

}  // namespace ananke::dynamics
