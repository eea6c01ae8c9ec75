// Accelerations of a quaternion by angular ones:
//
//   u'' = E^T alpha / 2 + u s,      E u = 0,  E E^T = |u|^2                        US10 (79)-(81)
//
// In the unknowns alpha (3) and s (1) the inertia 4 E^T J E is J |u|^4 and nothing for s, and the
// row 2 u.u'' of the unit norm is 2 |u|^2 s alone: pivots that no motion brings down, and rows
// that hold three unknowns per body instead of four.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace ananke::solve {

template <class S>
struct MatrixEntry {
    int row, column;
    S value;
    bool constant = false;  ///< the same at every state
};

/// The quaternion at coordinates first..first+3.
template <class S>
struct QuaternionGroup {
    int first = 0;
    int norm_row = -1;  ///< the row 2 u, as rows are numbered here; -1: it is not among them
    std::array<S, 4> u;
    /// J in body axes, upper triangle by rows, where the inertia is 4 E^T J E and nothing else.
    std::optional<std::array<double, 6>> inertia = {};
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

template <class S>
class QuaternionBasis {
  public:
    using Entries = std::vector<MatrixEntry<S>>;

    /// n coordinates.
    QuaternionBasis(int n, std::vector<QuaternionGroup<S>> groups)
        : groups_(std::move(groups)), group_of_(static_cast<std::size_t>(n), -1) {
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            square_.push_back(squared_norm(groups_[g].u));
            bases_.push_back(turning_matrix(groups_[g].u));
            for (int i = 0; i < 4; ++i) {
                group_of_[at(groups_[g].first) + at(i)] = static_cast<int>(g);
            }
        }
    }

    /// Upper triangle of M in, of T^T M T out.
    Entries mass(const Entries& entries) const {
        Entries sums;
        for (const MatrixEntry<S>& one : entries) {
            const int row_group = group(one.row);
            if (row_group >= 0 && row_group == group(one.column)) {
                if (groups_[at(row_group)].inertia) {
                    continue;
                }
                add_inside(sums, row_group, one);
            } else {
                add_product(sums, one);
            }
        }
        Entries turned;
        append_summed(turned, std::move(sums));
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            add_inertia(turned, g);
        }
        return turned;
    }

    /// Entries (row, coordinate) of A in, of A T out.
    Entries rows(const Entries& entries) const {
        Entries sums;
        Entries turned;
        for (const MatrixEntry<S>& one : entries) {
            const int g = group(one.column);
            if (g < 0) {
                turned.push_back(one);
            } else if (groups_[at(g)].norm_row != one.row) {
                const std::size_t component = at(one.column - groups_[at(g)].first);
                for (std::size_t k = 0; k < 4; ++k) {
                    sums.push_back({one.row, groups_[at(g)].first + static_cast<int>(k),
                                    one.value * bases_[at(g)][component][k]});
                }
            }
        }
        append_summed(turned, std::move(sums));
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            if (groups_[g].norm_row >= 0) {
                turned.push_back(
                    {groups_[g].norm_row, groups_[g].first + 3, S(2.0) * square_[g], true});
            }
        }
        return turned;
    }

    /// T^T F in place of F (n).
    void turn_force(std::vector<S>& force) const {
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            std::array<S, 4> turned;
            for (std::size_t k = 0; k < 4; ++k) {
                S sum(0.0);
                for (std::size_t i = 0; i < 4; ++i) {
                    sum = sum + bases_[g][i][k] * force[at(groups_[g].first) + i];
                }
                turned[k] = sum;
            }
            for (std::size_t k = 0; k < 4; ++k) {
                force[at(groups_[g].first) + k] = turned[k];
            }
        }
    }

    /// T x in place of x, whose first n numbers belong to the coordinates.
    void turn_back(std::vector<S>& x) const {
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            std::array<S, 4> turned;
            for (std::size_t i = 0; i < 4; ++i) {
                S sum(0.0);
                for (std::size_t k = 0; k < 4; ++k) {
                    sum = sum + bases_[g][i][k] * x[at(groups_[g].first) + k];
                }
                turned[i] = sum;
            }
            for (std::size_t i = 0; i < 4; ++i) {
                x[at(groups_[g].first) + i] = turned[i];
            }
        }
    }

  private:
    using Basis = std::array<std::array<S, 4>, 4>;

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    int group(int coordinate) const { return group_of_[at(coordinate)]; }

    /// Terms of one place become one entry, summed in their order; places by rows.
    static void append_summed(Entries& to, Entries terms) {
        const auto before = [](const MatrixEntry<S>& x, const MatrixEntry<S>& y) {
            return x.row != y.row ? x.row < y.row : x.column < y.column;
        };
        const auto row_before = [](const MatrixEntry<S>& x, const MatrixEntry<S>& y) {
            return x.row < y.row;
        };
        if (std::is_sorted(terms.begin(), terms.end(), row_before)) {  // as rows of A are
            for (auto row = terms.begin(); row != terms.end();) {
                const auto next = std::find_if(
                    row, terms.end(), [&](const MatrixEntry<S>& x) { return row->row < x.row; });
                std::stable_sort(row, next, before);
                row = next;
            }
        } else {
            std::stable_sort(terms.begin(), terms.end(), before);
        }
        const std::size_t first = to.size();
        for (const MatrixEntry<S>& term : terms) {
            if (to.size() > first && !before(to.back(), term)) {
                to.back().value = to.back().value + term.value;
            } else {
                to.push_back(term);
            }
        }
    }

    /// M_ij of two coordinates of one quaternion: T_ik M_ij T_jl for k <= l, both ways if i != j.
    void add_inside(Entries& sums, int g, const MatrixEntry<S>& one) const {
        const int first = groups_[at(g)].first;
        const Basis& T = bases_[at(g)];
        const std::size_t i = at(one.row - first);
        const std::size_t j = at(one.column - first);
        for (std::size_t k = 0; k < 4; ++k) {
            for (std::size_t l = k; l < 4; ++l) {
                S weight = T[i][k] * T[j][l];
                if (i != j) {
                    weight = weight + T[j][k] * T[i][l];
                }
                sums.push_back(
                    {first + static_cast<int>(k), first + static_cast<int>(l), one.value * weight});
            }
        }
    }

    /// M_ij of coordinates that are not of one quaternion.
    void add_product(Entries& sums, const MatrixEntry<S>& one) const {
        for (const auto& [i, left] : parts(one.row)) {
            for (const auto& [j, right] : parts(one.column)) {
                sums.push_back({i, j, left * right * one.value});
            }
        }
    }
    std::vector<std::pair<int, S>> parts(int coordinate) const {
        const int g = group(coordinate);
        if (g < 0) {
            return {{coordinate, S(1.0)}};
        }
        std::vector<std::pair<int, S>> list;
        list.reserve(4);
        const int first = groups_[at(g)].first;
        for (int k = 0; k < 4; ++k) {
            list.push_back({first + k, bases_[at(g)][at(coordinate - first)][at(k)]});
        }
        return list;
    }

    void add_inertia(Entries& turned, std::size_t g) const {
        if (!groups_[g].inertia) {
            return;
        }
        const S factor = square_[g] * square_[g];
        std::size_t next = 0;
        for (int k = 0; k < 3; ++k) {
            for (int l = k; l < 3; ++l) {
                const double J = (*groups_[g].inertia)[next++];
                if (J != 0.0) {
                    turned.push_back({groups_[g].first + k, groups_[g].first + l, S(J) * factor});
                }
            }
        }
    }

    std::vector<QuaternionGroup<S>> groups_;
    std::vector<int> group_of_;  ///< n, -1: none
    std::vector<Basis> bases_;
    std::vector<S> square_;  ///< |u|^2
};

}  // namespace ananke::solve
