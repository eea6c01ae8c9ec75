// Everything that a recorded program is made from, to the last bit.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solve/elimination.h"

namespace ananke::compile {

class RecordKey {
  public:
    enum class Kind : std::uint8_t {
        kOrder,
        kAcceleration,
        kForces,
        kTangent,
        kPosition,
        kVelocity,
        kRank,
        kRows,
        kResidual,
    };

    explicit RecordKey(Kind kind) {
        constexpr std::size_t kUsual = 60;  // enough for most small models
        words_.reserve(kUsual);
        words_.push_back(static_cast<std::uint64_t>(kind));
    }

    RecordKey& add(std::span<const double> numbers) {
        words_.push_back(numbers.size());
        for (const double number : numbers) {
            words_.push_back(std::bit_cast<std::uint64_t>(number));
        }
        return *this;
    }
    RecordKey& add(std::span<const int> numbers) {
        words_.push_back(numbers.size());
        for (const int number : numbers) {
            words_.push_back(static_cast<std::uint64_t>(number));
        }
        return *this;
    }
    RecordKey& add(std::span<const solve::Pivot> pivots) {
        words_.push_back(pivots.size());
        for (const solve::Pivot& pivot : pivots) {
            words_.push_back(static_cast<std::uint64_t>(pivot.coordinate));
            words_.push_back(static_cast<std::uint64_t>(pivot.row));
        }
        return *this;
    }

    /// An object that what is stored under this key keeps alive.
    RecordKey& add(const void* kept) {
        words_.push_back(reinterpret_cast<std::uintptr_t>(kept));
        return *this;
    }

    Kind kind() const { return static_cast<Kind>(words_.front()); }
    friend bool operator==(const RecordKey&, const RecordKey&) = default;

    struct Hash {
        std::size_t operator()(const RecordKey& key) const {
            std::uint64_t hash = 0;
            for (const std::uint64_t word : key.words_) {
                hash = (std::rotl(hash, 5) ^ word) * 0x9e3779b97f4a7c15U;
            }
            return hash ^ (hash >> 32U);
        }
    };

  private:
    std::vector<std::uint64_t> words_;
};

}  // namespace ananke::compile
