// Where values are while straight-line code is emitted: in vector registers, in memory, or both.
//
// The register whose value is read again last is given up first (Belady 1966: optimal for loads
// when the whole future is known, as it is here). A value that memory holds already costs no store
// to give up, so it counts as read somewhat later than it is.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "code/steps.h"

namespace ananke::code {

/// A place in memory: which array, and the number of the value in it.
struct Home {
    enum class Base : std::uint8_t { kNone, kInputs, kOutputs, kConstants, kWorkspace };

    Base base = Base::kNone;
    std::uint32_t index = 0;

    bool exists() const { return base != Base::kNone; }
};

using RegisterMask = std::uint32_t;

constexpr RegisterMask bit(int reg) {
    return RegisterMask{1} << reg;
}

class RegisterFile {
  public:
    static constexpr int kNone = -1;

    /// Registers 0 to register_count - 1 are for values.
    RegisterFile(const Steps& steps, int register_count);

    int register_of(ValueId value) const { return values_[value].reg; }
    bool in_register(ValueId value) const { return values_[value].reg != kNone; }
    Home home(ValueId value) const { return values_[value].home; }
    bool is_dead(ValueId value) const { return values_[value].next_use == kNever; }
    ValueId value_in(int reg) const { return registers_[static_cast<std::size_t>(reg)].value; }

    void set_home(ValueId value, Home home);
    /// The value is read next at this step, counted from now.
    void set_next_use(ValueId value, std::uint32_t step);
    /// `reg` holds `value` from now on. Requires that it is free.
    void put(ValueId value, int reg);
    void free_register(int reg);

    /// A register for a new value, outside `pinned`: a free one, or that of the value read last.
    int choose(RegisterMask pinned) const;
    bool is_free(int reg) const { return (occupied_ & bit(reg)) == 0; }
    RegisterMask occupied() const { return occupied_; }
    bool any_free() const { return (occupied_ & usable_) != usable_; }

    /// Numbers of places in the workspace. Those given back are used again.
    std::uint32_t take_place();
    /// Side by side, the first a multiple of their count: a packet that lies across two lines of
    /// the cache is slow to read back.
    std::uint32_t take_places(std::uint32_t count);
    void give_back_place(std::uint32_t place) { free_places_.push_back(place); }
    std::uint32_t place_count() const { return place_count_; }

  private:
    struct ValueState {
        Home home;
        std::uint32_t next_use = kNever;
        int reg = kNone;
    };
    struct RegisterState {
        ValueId value = 0;
        std::uint32_t rank = 0;  ///< given up in the order of falling rank
    };

    void update_rank(const ValueState& state);

    std::vector<ValueState> values_;
    std::array<RegisterState, 32> registers_{};
    RegisterMask usable_;
    RegisterMask occupied_ = 0;
    std::vector<std::uint32_t> free_places_;
    std::uint32_t place_count_ = 0;
};

}  // namespace ananke::code
