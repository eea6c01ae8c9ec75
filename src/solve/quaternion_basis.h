// Accelerations of a quaternion by angular ones:
//
//   u'' = E^T alpha / 2 + u s,      E u = 0,  E E^T = |u|^2                        US10 (79)-(81)
//
// In the unknowns alpha (3) and s (1) the inertia 4 E^T J E is J |u|^4 and nothing for s, and the
// row 2 u.u'' of the unit norm is 2 |u|^2 s alone: pivots that no motion brings down, and rows
// that hold three unknowns per body instead of four.
//
// QuaternionBasis turns a system of numbers, by which an order of elimination is chosen. Records
// turn theirs part by part (dynamics/recorded_elimination.h).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace ananke::solve {

/// An entry that may differ from zero, and its value at the state.
struct SparseEntry {
    int row, column;
    double value;
    bool constant = false;  ///< the same at every state
};

/// T of u'' = T (alpha, s). Rows: components of the quaternion; columns: alpha, then s.
template <class S>
std::array<std::array<S, 4>, 4> turning_matrix(const std::array<S, 4>& u) {
    const S half(0.5);
    const S x = half * u[0];
    const S y = half * u[1];
    const S z = half * u[2];
    const S w = half * u[3];
    const S zero(0.0);
    return {{{zero - y, zero - z, zero - w, u[0]},
             {x, zero - w, z, u[1]},
             {w, x, zero - y, u[2]},
             {zero - z, y, x, u[3]}}};
}

template <class S>
S squared_norm(const std::array<S, 4>& u) {
    return u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3];
}

/// The quaternion at coordinates first..first+3.
struct QuaternionGroup {
    int first = 0;
    int norm_row = -1;  ///< the row 2 u, as rows are numbered here; -1: it is not among them
    std::array<double, 4> u;
    /// J in body axes, upper triangle by rows, where the inertia is 4 E^T J E and nothing else.
    std::optional<std::array<double, 6>> inertia = {};
};

class QuaternionBasis {
  public:
    using Entries = std::vector<SparseEntry>;

    /// n coordinates.
    QuaternionBasis(int n, std::vector<QuaternionGroup> groups);

    /// Upper triangle of M in, of T^T M T out.
    Entries mass(const Entries& entries) const;
    /// Entries (row, coordinate) of A in, of A T out.
    Entries rows(const Entries& entries) const;

  private:
    using Basis = std::array<std::array<double, 4>, 4>;

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    int group(int coordinate) const { return group_of_[at(coordinate)]; }
    static void append_summed(Entries& to, Entries terms);
    void add_inside(Entries& sums, int g, const SparseEntry& one) const;
    void add_product(Entries& sums, const SparseEntry& one) const;
    std::vector<std::pair<int, double>> parts(int coordinate) const;
    void add_inertia(Entries& turned, std::size_t g) const;

    std::vector<QuaternionGroup> groups_;
    std::vector<int> group_of_;  ///< n, -1: none
    std::vector<Basis> bases_;
    std::vector<double> square_;  ///< |u|^2
};

}  // namespace ananke::solve
