// The numbers of a model at one state, where its patterns are not zero.
#pragma once

#include <cstddef>
#include <span>

namespace ananke::compile {

/// Views; whoever evaluates the kernels owns the memory.
struct SparseValues {
    std::span<const double> M;            ///< at CompiledModel::mass_entries
    std::span<const double> Q, C;         ///< n; C empty without non-ideal terms
    std::span<const double> A;            ///< at CompiledModel::row_entries
    std::span<const double> b;            ///< m
    std::span<const double> D;            ///< at CompiledModel::control_entries
    std::span<const double> compliances;  ///< C_J of all owners, see solve/load_form.h
    /// Per row, 1 if it is in force; rows beyond are not. Stick rows are in force while their
    /// friction holds.
    std::span<const char> in_force;

    bool counts(int row) const {
        const auto k = static_cast<std::size_t>(row);
        return k < in_force.size() && in_force[k] != 0;
    }
};

}  // namespace ananke::compile
