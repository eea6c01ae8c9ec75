// The events of a model as kernels.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "code/kernel.h"
#include "mech/equations.h"
#include "mech/model.h"

namespace ananke::compile {

struct CompiledEvents {
    struct One {
        std::string name;
        mech::Event::Crossing crossing;
        bool stop, record;
        std::vector<int> coordinates;  ///< whose velocities are reset
        std::vector<int> parameters;   ///< that are changed
        std::size_t first_action = 0;  ///< among the outputs of `actions`: resets, then changes
        bool of_positions = true;      ///< velocities are no part of its value
        int condition = 0;             ///< the first event with the same value
    };
    std::vector<One> list;

    code::Kernel values{code::Program{}};       ///< one per event; its zero is the event
    code::Kernel scales{code::Program{}};       ///< summed magnitudes of the values' terms
    code::Kernel rates{code::Program{}};        ///< time derivatives of the values (use a)
    code::Kernel rate_scales{code::Program{}};  ///< summed magnitudes of their terms
    code::Kernel actions{code::Program{}};      ///< what velocities and parameters are set to
    code::Kernel parameters{code::Program{}};   ///< each parameter's formula, over the parameters

    static CompiledEvents compile(const mech::Model& model, const mech::Equations& equations,
                                  std::span<const sym::Expr> inputs);
};

/// "z = 0 falling { stop }", for lists of the events of a model.
std::string describe(const mech::Model& model, const mech::Event& event);

}  // namespace ananke::compile
