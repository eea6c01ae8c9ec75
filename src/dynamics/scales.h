// What is large and what is small in a model: the one place that decides it.
//
// No unit is special, so nothing is compared with an absolute number. The size of a coordinate is
// the largest value that any coordinate of its kind (compile/coordinate_kinds.h) has had at the
// start or later in the run, or what the model says (`scale x = 1e-6`); velocities likewise. Where
// nothing has moved yet a size is 0: a quantity without a size is compared with itself alone.
//
// From the sizes follow all others:
//   tolerances of steps   a part of the size                     dynamics/state_equation.h
//   residuals             |phi| over the sum of |terms|, at least a tenth of sum |phi_q| size
//   their rates           |phi'| over the sum of |terms|, at least a tenth of sum |A| size, the
//                         sizes being those of accelerations            simulate/row_writer.h
//   corrections           |dq| over the size                     dynamics/surface.h
//   slips                 |s| over sum |s_v| size                simulate/friction_watch.h
//   events                |f| over the sum of |terms|, at least sum |f_q| size         EventWatch
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ananke::dynamics {

/// Of a size: what counts where a value, or a residual, is small against the size of its kind.
inline constexpr double kPartOfSize = 0.1;

/// Sizes that the model gives; 0 where it gives none.
struct GivenScales {
    std::vector<double> q, v;  ///< n each
};

class Scales {
  public:
    /// `kinds`: of each coordinate, numbered from 0. Must outlive the scales.
    explicit Scales(std::span<const int> kinds);

    /// Forgets what was seen.
    void start(const GivenScales& given);
    /// Sizes are at least those of this state.
    void see(const double* q, const double* v);

    /// Accelerations have a size too: where terms vanish at an instant their sum is rounding of it.
    void see_accelerations(const double* a) { a_.see(kinds_, a); }

    std::span<const double> positions() const { return q_.sizes; }   ///< n
    std::span<const double> velocities() const { return v_.sizes; }  ///< n
    /// Sizes if x (n), which need not be seen, counted too; valid until the next call.
    std::span<const double> positions_with(const double* q) { return q_.with(kinds_, q); }
    std::span<const double> velocities_with(const double* v) { return v_.with(kinds_, v); }
    std::span<const double> accelerations_with(const double* a) { return a_.with(kinds_, a); }
    /// What a kind is tied to: sizes that other kinds, or forces, give it through the equations.
    /// Used where a kind has not moved beyond rounding: a body at the origin whose parts turn.
    std::span<const double> tied_positions() const { return q_.tied; }   ///< n
    std::span<const double> tied_velocities() const { return v_.tied; }  ///< n
    /// Per kind, what it is tied to by others, and the acceleration by forces elsewhere, which add
    /// to it in a step of length h. Of each the least that was ever given counts, 0 is none.
    void tie(std::span<const double> positions, std::span<const double> velocities,
             std::span<const double> accelerations, double h);
    /// Accelerations (n) by frictions: velocities are at least what these change in a step, the
    /// largest of a kind counts. Friction holds a body at rest up to rounding; the size of that
    /// rest is none, and what comes after it is as large as what friction took away.
    void pull(std::span<const double> accelerations);
    std::span<const double> pulls() const { return pulls_; }  ///< n, 0 where the model gives a size
    std::span<const int> kinds() const { return kinds_; }
    std::size_t kind_count() const { return q_.largest.size(); }

    /// Changes whenever a size does.
    std::size_t version() const { return version_; }

  private:
    struct Level {
        std::vector<double> largest;  ///< per kind, seen
        std::vector<double> given;    ///< n, 0: none
        std::vector<double> sizes;    ///< n
        std::vector<double> tied;     ///< n
        std::vector<double> trial_largest, trial_sizes;

        bool see(std::span<const int> kinds, const double* x);
        std::span<const double> with(std::span<const int> kinds, const double* x);
        void resize(std::size_t n, std::size_t count);
        void start(std::span<const double> wanted);
    };

    std::span<const int> kinds_;
    Level q_, v_, a_;
    struct Ties {
        std::vector<double> q, v, a;  ///< n each
    };
    Ties ties_;
    std::vector<double> largest_pulls_;  ///< per kind
    std::vector<double> pulls_;          ///< n
    std::size_t version_ = 0;
};

}  // namespace ananke::dynamics
