// The numbers of a model at one state, where its pattern is not zero.
#pragma once

#include <span>

namespace ananke::compile {

/// The system as lists of the entries that are not zero by structure.
struct SparseValues {
    std::span<const double> M;            ///< at CompiledModel::mass_entries
    std::span<const double> Q, C;         ///< n; C empty without non-ideal terms
    std::span<const double> A;            ///< at CompiledModel::row_entries
    std::span<const double> b;            ///< m
    std::span<const double> compliances;  ///< C_J of all owners, see solve/load_form.h
};

}  // namespace ananke::compile
