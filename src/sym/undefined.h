// Why a value is not a finite number: the operation that made it so.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sym/graph.h"

namespace ananke::sym {

struct Operand {
    Expr e;
    double value;
};

/// An operation on finite numbers whose value is none, or a symbol that stands for none.
struct Undefined {
    Expr e;
    std::vector<Operand> operands;  ///< without numbers; of a division by zero the divisor alone
};

/// The first such operation that the root's value hangs on, if that is not finite. A branch that
/// is not taken has none. Slow: for messages.
std::optional<Undefined> find_undefined(const Graph& graph, Expr root,
                                        const std::function<double(Expr)>& value_of_symbol);

}  // namespace ananke::sym
