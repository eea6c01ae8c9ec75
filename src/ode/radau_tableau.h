// Radau IIA of s stages (s odd), order 2s - 1: collocation at the Radau points, the last of which
// is the end of the step.
//
//   Z_i = h sum_j a_ij f(t + c_j h, y + Z_j),   y_new = y + Z_s                     [HW] IV.5
//
// T turns A^-1 into one real number and (s - 1)/2 complex pairs, so that a Newton step falls into
// systems of the size of y [HW] IV.8 (8.4). The numbers are computed, not tabulated.
//
// [HW] Hairer & Wanner, Solving Ordinary Differential Equations II, 2nd ed. 1996.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "dense/dense.h"

namespace ananke::ode {

struct RadauTableau {
    /// Requires an odd number of stages from 3 to 9.
    explicit RadauTableau(std::size_t stages);

    std::size_t stages;
    std::vector<double> c;                    ///< ascending, the last is 1
    Eigen::MatrixXd A;                        ///< s x s
    Eigen::MatrixXd T, T_inverse;             ///< T^-1 A^-1 T is made of `real` and `pairs`
    double real;                              ///< eigenvalue of A^-1
    std::vector<std::complex<double>> pairs;  ///< the others, with positive imaginary parts;
                                              ///< columns 1 + 2k and 2 + 2k of T hold real and
                                              ///< imaginary part of the eigenvector
    /// The error of order s is (real/h - J)^-1 (f(t, y) + 1/h sum_i error_i Z_i), [HW] IV.8 (8.19).
    std::vector<double> error;
    /// Weights of Z_1 ... Z_s at place x of the collocation polynomial, 0 <= x <= 1 is the step.
    void weights(double x, double* w) const;
    /// Their derivatives by x.
    void weight_slopes(double x, double* w) const;

    // The polynomial misses a motion by its divided difference of order s + 1 times x prod_i (x -
    // c_i).
    std::vector<double> leading;  ///< weights of Z in the divided difference of order s
    std::vector<double> slope;    ///< and in the slope at x = 0
    double node_product(double x) const;
    double largest_product;        ///< over the step
    double largest_lower_product;  ///< without the last point
};

}  // namespace ananke::ode
