#include "code/register_file.h"

#include <algorithm>

#include "base/check.h"

namespace ananke::code {
namespace {

/// Steps by which a value held by memory counts as read later.
constexpr std::uint32_t kSparedStore = 16;

}  // namespace

RegisterFile::RegisterFile(const Steps& steps, int register_count)
    : values_(steps.value_count),
      usable_(static_cast<RegisterMask>((std::uint64_t{1} << register_count) - 1)) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
        values_[i].next_use = steps.first_use[i];
    }
}

void RegisterFile::update_rank(const ValueState& state) {
    if (state.reg == kNone) {
        return;
    }
    std::uint32_t rank = state.next_use;
    if (state.home.exists() && rank != kNever) {
        rank += kSparedStore;
    }
    registers_[static_cast<std::size_t>(state.reg)].rank = rank;
}

void RegisterFile::set_home(ValueId value, Home home) {
    values_[value].home = home;
    update_rank(values_[value]);
}

void RegisterFile::set_next_use(ValueId value, std::uint32_t step) {
    values_[value].next_use = step;
    update_rank(values_[value]);
}

void RegisterFile::put(ValueId value, int reg) {
    ANANKE_DEBUG_CHECK(is_free(reg) && !in_register(value));
    values_[value].reg = reg;
    registers_[static_cast<std::size_t>(reg)].value = value;
    occupied_ |= bit(reg);
    update_rank(values_[value]);
}

void RegisterFile::free_register(int reg) {
    values_[value_in(reg)].reg = kNone;
    occupied_ &= ~bit(reg);
}

int RegisterFile::choose(RegisterMask pinned) const {
    const RegisterMask free = usable_ & ~occupied_ & ~pinned;
    if (free != 0) {
        return std::countr_zero(free);
    }
    int best = kNone;
    std::uint32_t best_rank = 0;
    for (RegisterMask rest = usable_ & ~pinned; rest != 0; rest &= rest - 1) {
        const int reg = std::countr_zero(rest);
        const std::uint32_t rank = registers_[static_cast<std::size_t>(reg)].rank;
        if (best == kNone || rank > best_rank) {
            best = reg;
            best_rank = rank;
        }
    }
    ANANKE_REQUIRE(best != kNone);
    return best;
}

std::uint32_t RegisterFile::take_place() {
    if (free_places_.empty()) {
        return place_count_++;
    }
    const std::uint32_t place = free_places_.back();
    free_places_.pop_back();
    return place;
}

std::uint32_t RegisterFile::take_places(std::uint32_t count) {
    while (place_count_ % count != 0) {
        give_back_place(place_count_++);
    }
    const std::uint32_t first = place_count_;
    place_count_ += count;
    return first;
}

}  // namespace ananke::code
