#include "dynamics/mode.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "base/check.h"

namespace ananke::dynamics {
namespace {

/// Numbers that no other mode of the process has: copies that are changed differently must differ.
std::uint64_t new_version() {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

Mode::Mode(const compile::CompiledModel& model, std::span<const double> parameters)
    : model_(&model),
      parameters_(parameters.begin(), parameters.end()),
      sides_(model.switches.size(), 0.0),
      slips_(at(model.layout.directions), 0.0),
      follows_(model.switches.size(), 1),
      in_force_(model.rows.size(), 0),
      following_(model.switches.size()),
      version_(new_version()),
      parameters_version_(version_),
      rows_version_(version_) {
    ANANKE_REQUIRE(parameters.size() == at(model.layout.parameters));
    std::fill_n(in_force_.begin(), model.constraint_rows, 1);
}

void Mode::set_parameter(int which, double value) {
    parameters_[at(which)] = value;
    version_ = parameters_version_ = new_version();
}

void Mode::set_side(int which, int side) {
    if (sides_[at(which)] != side) {
        sides_[at(which)] = side;
        version_ = new_version();
    }
}

void Mode::hold(int which, int side) {
    following_ -= at(follows_[at(which)]);
    follows_[at(which)] = 0;
    set_side(which, side);
    version_ = new_version();
}

void Mode::let_follow(int which) {
    following_ += follows_[at(which)] == 0 ? 1 : 0;
    follows_[at(which)] = 1;
    version_ = new_version();
}

void Mode::hold_all() {
    std::fill(follows_.begin(), follows_.end(), 0);
    following_ = 0;
    version_ = new_version();
}

void Mode::let_all_follow() {
    std::fill(follows_.begin(), follows_.end(), 1);
    following_ = follows_.size();
    version_ = new_version();
}

void Mode::set_rows(const compile::CompiledFriction& friction, char in_force) {
    std::fill_n(in_force_.begin() + friction.first_row, friction.components, in_force);
    sticking_ += in_force != 0 ? friction.components : -friction.components;
    rows_version_ = new_version();
}

void Mode::set_stick(int friction) {
    const std::array<double, 2> none{};
    set_slip(friction, std::span(none).first(at(of(friction).components)));
    set_rows(of(friction), 1);
}

void Mode::set_slip(int friction, std::span<const double> direction) {
    if (sticks(friction)) {
        set_rows(of(friction), 0);
    }
    std::copy_n(direction.begin(), of(friction).components,
                slips_.begin() + of(friction).first_direction);
    version_ = new_version();
}

void Mode::set_still(int friction, double slip) {
    slips_[at(of(friction).first_direction + of(friction).components)] = slip * slip;
    version_ = new_version();
}

std::span<const double> Mode::direction(int friction) const {
    return std::span(slips_).subspan(at(of(friction).first_direction),
                                     at(of(friction).components));
}

}  // namespace ananke::dynamics
