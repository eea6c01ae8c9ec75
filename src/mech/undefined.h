// Where in the text of a model a value is not a number, for messages.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/diagnostic.h"
#include "mech/model.h"

namespace ananke::mech {

/// An expression that may not be a number, and the place it comes from.
struct Suspect {
    Expr value;
    Span span;
    bool derived = false;  ///< from what is written there
};

using SymbolValue = std::function<double(Expr)>;

/// "door.ank:3:20: log(x - 2) with x - 2 = -1": the operation that first yields NaN in the first
/// suspect whose value is not a number. The expression as written is
/// searched before what was derived from it; a derived one is printed as "derived from
/// door.ank:3:11: ...". "" where all are numbers. `sources` may be null: then without places.
std::string describe_undefined(const Model& model, const Sources* sources,
                               std::span<const Suspect> suspects, const SymbolValue& value);

}  // namespace ananke::mech
