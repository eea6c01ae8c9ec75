#include "solve/quaternion_basis.h"

#include <algorithm>

namespace ananke::solve {

QuaternionBasis::QuaternionBasis(int n, std::vector<QuaternionGroup> groups)
    : groups_(std::move(groups)), group_of_(static_cast<std::size_t>(n), -1) {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        square_.push_back(squared_norm(groups_[g].u));
        bases_.push_back(turning_matrix(groups_[g].u));
        for (int i = 0; i < 4; ++i) {
            group_of_[at(groups_[g].first) + at(i)] = static_cast<int>(g);
        }
    }
}

QuaternionBasis::Entries QuaternionBasis::mass(const Entries& entries) const {
    Entries sums;
    for (const SparseEntry& one : entries) {
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

QuaternionBasis::Entries QuaternionBasis::rows(const Entries& entries) const {
    Entries sums;
    Entries turned;
    for (const SparseEntry& one : entries) {
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
            turned.push_back({groups_[g].norm_row, groups_[g].first + 3, 2.0 * square_[g], true});
        }
    }
    return turned;
}

/// Terms of one place become one entry, summed in their order; places by rows.
void QuaternionBasis::append_summed(Entries& to, Entries terms) {
    const auto before = [](const SparseEntry& x, const SparseEntry& y) {
        return x.row != y.row ? x.row < y.row : x.column < y.column;
    };
    const auto row_before = [](const SparseEntry& x, const SparseEntry& y) {
        return x.row < y.row;
    };
    if (std::is_sorted(terms.begin(), terms.end(), row_before)) {  // as rows of A are
        for (auto row = terms.begin(); row != terms.end();) {
            const auto next = std::find_if(row, terms.end(),
                                           [&](const SparseEntry& x) { return row->row < x.row; });
            std::stable_sort(row, next, before);
            row = next;
        }
    } else {
        std::stable_sort(terms.begin(), terms.end(), before);
    }
    const std::size_t first = to.size();
    for (const SparseEntry& term : terms) {
        if (to.size() > first && !before(to.back(), term)) {
            to.back().value = to.back().value + term.value;
        } else {
            to.push_back(term);
        }
    }
}

/// M_ij of two coordinates of one quaternion: T_ik M_ij T_jl for k <= l, both ways if i != j.
void QuaternionBasis::add_inside(Entries& sums, int g, const SparseEntry& one) const {
    const int first = groups_[at(g)].first;
    const Basis& T = bases_[at(g)];
    const std::size_t i = at(one.row - first);
    const std::size_t j = at(one.column - first);
    for (std::size_t k = 0; k < 4; ++k) {
        for (std::size_t l = k; l < 4; ++l) {
            double weight = T[i][k] * T[j][l];
            if (i != j) {
                weight = weight + T[j][k] * T[i][l];
            }
            sums.push_back(
                {first + static_cast<int>(k), first + static_cast<int>(l), one.value * weight});
        }
    }
}

/// M_ij of coordinates that are not of one quaternion.
void QuaternionBasis::add_product(Entries& sums, const SparseEntry& one) const {
    for (const auto& [i, left] : parts(one.row)) {
        for (const auto& [j, right] : parts(one.column)) {
            sums.push_back({i, j, left * right * one.value});
        }
    }
}

std::vector<std::pair<int, double>> QuaternionBasis::parts(int coordinate) const {
    const int g = group(coordinate);
    if (g < 0) {
        return {{coordinate, 1.0}};
    }
    std::vector<std::pair<int, double>> list;
    list.reserve(4);
    const int first = groups_[at(g)].first;
    for (int k = 0; k < 4; ++k) {
        list.push_back({first + k, bases_[at(g)][at(coordinate - first)][at(k)]});
    }
    return list;
}

void QuaternionBasis::add_inertia(Entries& turned, std::size_t g) const {
    if (!groups_[g].inertia) {
        return;
    }
    const double factor = square_[g] * square_[g];
    std::size_t next = 0;
    for (int k = 0; k < 3; ++k) {
        for (int l = k; l < 3; ++l) {
            const double J = (*groups_[g].inertia)[next++];
            if (J != 0.0) {
                turned.push_back({groups_[g].first + k, groups_[g].first + l, J * factor});
            }
        }
    }
}

}  // namespace ananke::solve
