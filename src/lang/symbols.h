// What the symbols of the model's expressions mean: on what an expression depends, the time
// derivatives of symbols, and the numbers of parameters.
//
// Owns these three tables, and marks parameters of the model that decide its structure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/value.h"
#include "mech/model.h"
#include "sym/node_map.h"

namespace ananke::lang {

/// Kinds of symbols that an expression depends on, one bit per sym::SymbolKind.
using Dependence = std::uint16_t;
constexpr Dependence bit(sym::SymbolKind kind) {
    return static_cast<Dependence>(1U << static_cast<unsigned>(kind));
}
inline constexpr Dependence kOnTime = bit(sym::SymbolKind::kTime);
inline constexpr Dependence kOnParameters = bit(sym::SymbolKind::kParameter);
inline constexpr Dependence kOnPositions =
    bit(sym::SymbolKind::kCoordinate) | bit(sym::SymbolKind::kPointPosition);
inline constexpr Dependence kOnVelocities =
    bit(sym::SymbolKind::kVelocity) | bit(sym::SymbolKind::kPointVelocity);
inline constexpr Dependence kOnAccelerations =
    bit(sym::SymbolKind::kAcceleration) | bit(sym::SymbolKind::kPointAcceleration);
inline constexpr Dependence kOnReactions = bit(sym::SymbolKind::kReaction);
inline constexpr Dependence kOnConfiguration = kOnTime | kOnPositions;
inline constexpr Dependence kOnState = kOnTime | kOnPositions | kOnVelocities;

class Symbols {
  public:
    explicit Symbols(mech::Model& model) : model_(model) {}

    Dependence dependence(sym::Expr e);
    Dependence dependence(const Value& value);

    void set_rate(sym::Expr symbol, sym::Expr rate) { rate_[symbol] = rate; }
    /// Null for symbols that do not change with time.
    const sym::Expr* rate(sym::Expr symbol) const { return rate_.find(symbol); }

    /// Adds it to the model.
    void add_parameter(const mech::Parameter& parameter, double number);
    /// The number that an expression over parameters has with their present values.
    std::optional<double> number_of(sym::Expr e) const;
    /// The present value of a parameter; 0 of any other symbol.
    double value(sym::Expr symbol) const;
    /// The parameters of `e`, and those that these are made of, decide the structure of the model:
    /// another value asks for another model.
    void mark_structural(sym::Expr e);

  private:
    mech::Model& model_;
    std::vector<Dependence> dependence_;  ///< per node of the graph
    sym::NodeMap<sym::Expr> rate_;
    std::unordered_map<sym::Expr, double> numbers_;  ///< sym::Values<double>
    std::unordered_map<sym::Expr, int> parameters_;  ///< index in the model
};

}  // namespace ananke::lang
