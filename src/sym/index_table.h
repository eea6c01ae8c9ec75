// A set of records known by their positions, found by a hash that the caller computes.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace ananke::sym {

/// Mixes two words into a hash. The finalizer of splitmix64 (Steele, Lea & Flood 2014).
constexpr std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
    std::uint64_t z = seed * 0x9e3779b97f4a7c15U + value + 0x632be59bd9b4e019U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

/// Open addressing with linear probing and stored hashes; at most half full; nothing is ever
/// removed.
class IndexTable {
  public:
    /// The position with this hash for which `is_equal` holds.
    template <class IsEqual>
    std::optional<std::uint32_t> find(std::uint64_t hash, IsEqual&& is_equal) const {
        if (slots_.empty()) {
            return std::nullopt;
        }
        const Slot& slot = slots_[place(slots_, static_cast<std::uint32_t>(hash), is_equal)];
        return slot.position == kEmpty ? std::nullopt : std::optional(slot.position);
    }

    /// The same, or `position` if there is none, which then stands in the table.
    template <class IsEqual>
    std::uint32_t find_or_insert(std::uint64_t hash, std::uint32_t position, IsEqual&& is_equal) {
        if (2 * (count_ + 1) > slots_.size()) {
            grow();
        }
        Slot& slot = slots_[place(slots_, static_cast<std::uint32_t>(hash), is_equal)];
        if (slot.position == kEmpty) {
            slot = {static_cast<std::uint32_t>(hash), position};
            ++count_;
        }
        return slot.position;
    }

  private:
    static constexpr std::uint32_t kEmpty = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::size_t kFirstSize = 64;  // a power of 2, as are all
    struct Slot {
        std::uint32_t hash = 0;
        std::uint32_t position = kEmpty;
    };

    template <class IsEqual>
    static std::size_t place(const std::vector<Slot>& slots, std::uint32_t hash,
                             IsEqual&& is_equal) {
        const std::size_t mask = slots.size() - 1;
        std::size_t i = hash & mask;
        while (slots[i].position != kEmpty &&
               !(slots[i].hash == hash && is_equal(slots[i].position))) {
            i = (i + 1) & mask;
        }
        return i;
    }

    void grow() {
        std::vector<Slot> larger(slots_.empty() ? kFirstSize : 2 * slots_.size());
        for (const Slot& slot : slots_) {
            if (slot.position != kEmpty) {
                larger[place(larger, slot.hash, [](std::uint32_t) { return false; })] = slot;
            }
        }
        slots_ = std::move(larger);
    }

    std::vector<Slot> slots_;
    std::size_t count_ = 0;
};

}  // namespace ananke::sym
