// The initial values of the model, at most one per position and velocity.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "mech/model.h"

namespace ananke::lang {

class Starts {
  public:
    enum class Origin : std::uint8_t { kModel, kImported };

    /// Exact beats guess, the importing file beats the imported one. Where both values are exact,
    /// the one given before stays; its place is returned.
    std::optional<Span> add(const mech::InitialValue& value, Origin origin) {
        Start& start = at(value.coordinate, value.velocity ? 1 : 0);
        const bool outranked = start.origin == Origin::kImported && origin == Origin::kModel;
        if (start.value && start.value->exact && !outranked) {
            return value.exact ? std::optional(start.value->span) : std::nullopt;
        }
        start = {value, origin};
        return std::nullopt;
    }
    /// `order` is 0 for the position, 1 for the velocity.
    void remove(int coordinate, int order) { at(coordinate, order) = {}; }

    /// In the order of the coordinates, positions first.
    std::vector<mech::InitialValue> values() const {
        std::vector<mech::InitialValue> values;
        for (const auto& start : starts_) {
            for (const Start& one : start) {
                if (one.value) {
                    values.push_back(*one.value);
                }
            }
        }
        return values;
    }

  private:
    struct Start {
        std::optional<mech::InitialValue> value;
        Origin origin = Origin::kModel;
    };
    Start& at(int coordinate, int order) {
        const auto i = static_cast<std::size_t>(coordinate);
        starts_.resize(std::max(starts_.size(), i + 1));
        return starts_[i][static_cast<std::size_t>(order)];
    }

    std::vector<std::array<Start, 2>> starts_;  ///< per coordinate: position, velocity
};

}  // namespace ananke::lang
