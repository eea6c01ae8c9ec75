// What a system with many coordinates is at one instant, without matrices.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dynamics/evaluator.h"
#include "solve/analysis.h"

namespace ananke::inspect {

enum class Dependences : std::uint8_t {
    kExpressed,  ///< each row that depends on others as their combination, and the sets of these
    kListed,     ///< the rows alone: for models with many of them
};

/// As solve::analyse, without scales. Nothing where there is no acceleration: why, the dense
/// analysis can tell. Allocates.
std::optional<solve::Analysis> analyse_sparse(dynamics::Evaluator& evaluator, double t,
                                              const double* q, const double* v,
                                              Dependences dependences);

}  // namespace ananke::inspect
