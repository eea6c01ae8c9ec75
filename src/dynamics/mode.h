// What the laws of a run are at the moment: the numbers of the parameters, the sides of switches, which
// frictions stick, and how the others slip. A value: it can be copied, changed and put back.
//
//   switch    follows the state, or is held on a side                    compile/switches.h
//   friction  sticks: its rows slip = 0 are in force; or slips along a direction, which is frozen
//             during a step; or, of two components, is still: slower than it has a direction
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compile/compiled_model.h"

namespace ananke::dynamics {

class Mode {
  public:
    /// All switches follow the state; all frictions slip without a direction. The model must outlive it.
    Mode(const compile::CompiledModel& model, std::span<const double> parameters);

    double parameter(int which) const { return parameters_[at(which)]; }
    void set_parameter(int which, double value);
    std::span<const double> parameters() const { return parameters_; }

    // Switches. One that follows has the side of the state where forces were last evaluated; one of
    // reactions that of the last solution.
    int side(int which) const { return static_cast<int>(sides_[at(which)]); }
    void set_side(int which, int side);
    std::span<const double> sides() const { return sides_; }
    bool follows(int which) const { return follows_[at(which)] != 0; }
    bool any_follows() const { return following_ > 0; }
    bool any_held() const { return following_ < follows_.size(); }
    void hold(int which, int side);
    void let_follow(int which);
    void hold_all();  ///< on the sides that they have
    void let_all_follow();

    // Frictions.
    bool sticks(int friction) const { return in_force_[at(of(friction).first_row)] != 0; }
    void set_stick(int friction);
    void set_slip(int friction, std::span<const double> direction);
    /// A slip of two components that is not larger has no direction of its own.
    void set_still(int friction, double slip);
    std::span<const double> direction(int friction) const;
    /// Directions and squared speeds of stillness, as the kernels read them.
    std::span<const double> slips() const { return slips_; }
    /// Per row of the model, 1 if it is in force: those of constraints, and of frictions that stick.
    std::span<const char> in_force() const { return in_force_; }
    int sticking_rows() const { return sticking_; }

    // Modes of equal version are equal, copies included.
    std::uint64_t version() const { return version_; }
    std::uint64_t parameters_version() const { return parameters_version_; }
    std::uint64_t rows_version() const { return rows_version_; }  ///< of in_force()

  private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    const compile::CompiledFriction& of(int friction) const {
        return model_->frictions[at(friction)];
    }
    void set_rows(const compile::CompiledFriction& friction, char in_force);

    const compile::CompiledModel* model_;
    std::vector<double> parameters_, sides_, slips_;
    std::vector<char> follows_, in_force_;
    std::size_t following_;
    int sticking_ = 0;
    std::uint64_t version_, parameters_version_, rows_version_;
};

}  // namespace ananke::dynamics
