// Expressions to straight-line programs, several over the same inputs.
//
// Each node of the graph is turned into a value once, whichever programs need it; a program is the
// one that lower() makes of its outputs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "code/builder.h"
#include "code/program.h"
#include "code/schedule.h"
#include "sym/graph.h"

namespace ananke::code {

class Lowering {
  public:
    /// Requires that `inputs` are distinct symbols. The graph may grow afterwards.
    Lowering(const sym::Graph& graph, std::span<const sym::Expr> inputs);

    /// Requires that the inputs hold every symbol that an output depends on.
    Program program(std::span<const sym::Expr> outputs);

  private:
    struct Visit {
        std::uint32_t id;
        int next_operand;
    };
    bool is_known(std::uint32_t node) const;
    Value value_of(sym::Expr root);
    Value lower_node(sym::Expr e);
    Value power(Value base, sym::Expr exponent);
    Value half_integer_power(Value base, int n);

    const sym::Graph* graph_;
    std::uint32_t input_count_;
    Builder builder_;
    Scheduler schedule_;
    std::vector<Value> values_;  ///< by node
    std::vector<Visit> stack_;
};

}  // namespace ananke::code
