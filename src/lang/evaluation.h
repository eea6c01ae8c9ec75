// The course of evaluating expressions: how many steps, how deep, and where the present expression
// first names a velocity, an acceleration, a point.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "lang/symbols.h"

namespace ananke::lang {

class Evaluation {
  public:
    /// A new expression, or a new equation: no quantity has been named in it.
    void begin() { places_.fill(std::nullopt); }
    void note_place(Dependence kinds, Span span) {
        for (std::size_t i = 0; i < places_.size(); ++i) {
            if ((kinds & (1U << i)) != 0 && !places_[i]) {
                places_[i] = span;
            }
        }
    }
    /// Where the first quantity of these kinds was named.
    std::optional<Span> first_place(Dependence kinds) const {
        for (std::size_t i = 0; i < places_.size(); ++i) {
            if ((kinds & (1U << i)) != 0 && places_[i]) {
                return places_[i];
            }
        }
        return std::nullopt;
    }

    /// Points that expressions name are added to `points`, unless it is null.
    void name_points_into(std::vector<int>* points) { named_points_ = points; }
    std::vector<int>* named_points() const { return named_points_; }

    std::uint64_t steps = 0;  ///< operations of the whole model
    int depth = 0;            ///< of the present operation

  private:
    std::array<std::optional<Span>, 9> places_;  ///< per kind of symbol
    std::vector<int>* named_points_ = nullptr;
};

}  // namespace ananke::lang
