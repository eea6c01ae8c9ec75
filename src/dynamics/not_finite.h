// Why a number of a model is none at a state: place, operation and operands. Slow, for messages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ananke/record.h"
#include "dynamics/evaluator.h"

namespace ananke::dynamics {

/// A number of the model, or several of one row.
struct Quantity {
    enum class Of : std::uint8_t {
        kForce,     ///< on a coordinate
        kNonideal,  ///< likewise
        kMass,      ///< row of a coordinate
        kRow,       ///< of CompiledModel::rows
        kOutput,    ///< of CompiledModel::outputs
        kEnergy,
        kEvent,         ///< what an event sets
        kAcceleration,  ///< whatever it depends on
    };
    Of of;
    int index = 0;
};

struct MotionAt {
    double t;
    const double* q;
    const double* v;
    const double* a = nullptr;  ///< where the quantity may depend on it
};

/// ": door.ank:3:20: log(x - 2) with x - 2 = -1", to be put behind a message; "" where the slow
/// evaluation finds nothing.
std::string why_not_finite(Evaluator& evaluator, const MotionAt& state, Quantity quantity);

/// What a column of the results is.
Quantity quantity_of(const compile::CompiledModel& model, const std::vector<Column>& columns,
                     std::size_t column);

/// "the force on x is not a number: ...", of the first quantity of the equations that is none.
std::string describe_not_finite(Evaluator& evaluator, const MotionAt& state);

/// "the constraint c is not a number...", of the first of those of a level; `at` says where.
std::string describe_constraint_not_finite(Evaluator& evaluator, const MotionAt& state,
                                           bool velocities, const std::string& at);

}  // namespace ananke::dynamics
