// Values attached to some nodes of a graph. The cost grows with the nodes touched, not with the
// graph, so that walking one small constraint of a large model is cheap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "sym/graph.h"

namespace ananke::sym {

/// Open addressing with linear probing; at most half full; nothing is ever removed.
template <class T>
class NodeMap {
  public:
    explicit NodeMap(std::size_t expected = 8) {
        std::size_t capacity = 16;
        while (capacity < 2 * expected) {
            capacity *= 2;
        }
        slots_.resize(capacity);
    }

    /// The value of a node, or nullptr.
    const T* find(Expr e) const {
        const Slot& slot = slots_[position(e)];
        return slot.id == kEmpty ? nullptr : &slot.value;
    }
    T* find(Expr e) { return const_cast<T*>(std::as_const(*this).find(e)); }
    bool contains(Expr e) const { return find(e) != nullptr; }

    /// The value of a node, which must have one.
    const T& at(Expr e) const {
        const T* value = find(e);
        ANANKE_REQUIRE(value != nullptr);
        return *value;
    }

    /// The value of a node, made from T{} if it had none.
    T& operator[](Expr e) {
        if (2 * (count_ + 1) > slots_.size()) {
            grow();
        }
        Slot& slot = slots_[position(e)];
        if (slot.id == kEmpty) {
            slot.id = e.id;
            ++count_;
        }
        return slot.value;
    }

    std::size_t size() const { return count_; }

  private:
    static constexpr std::uint32_t kEmpty = std::numeric_limits<std::uint32_t>::max();
    struct Slot {
        std::uint32_t id = kEmpty;
        T value{};
    };

    std::size_t position(Expr e) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t i = (e.id * std::uint64_t{0x9E3779B97F4A7C15} >> 32) & mask;
        while (slots_[i].id != kEmpty && slots_[i].id != e.id) {
            i = (i + 1) & mask;
        }
        return i;
    }

    void grow() {
        std::vector<Slot> old(2 * slots_.size());
        old.swap(slots_);
        for (Slot& slot : old) {
            if (slot.id != kEmpty) {
                slots_[position(Expr{slot.id})] = std::move(slot);
            }
        }
    }

    std::vector<Slot> slots_;
    std::size_t count_ = 0;
};

}  // namespace ananke::sym
