// The acceleration inside a step as one straight-line program: the equations, and their elimination
// in an order of pivots found at a state on the constraints. THEORY section 2.
//
// The numbers of the parameters are part of the program. Every pivot is watched: one that falls far
// below its value at that state asks for another order, and one that falls at all, or a row that
// does, asks for a closer look at the rank where the state next lies on the constraints.
//
// A second program of the same order gives the multipliers and forces of constraint too, for those
// who ask for them; it is made when they first do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "code/kernel.h"
#include "dynamics/evaluator.h"
#include "dynamics/recorded_motion.h"
#include "dynamics/recording.h"

namespace ananke::dynamics {

/// Ordered from good to bad.
enum class PivotHealth : std::uint8_t {
    kSound,
    kTired,     ///< the answer is right; another order would be better
    kDoubtful,  ///< the answer is right, but rows may be about to become dependent
    kAlarm,     ///< digits are lost: choose another order
};

/// What a motion takes; views of a program's outputs.
struct MotionForces {
    std::span<const double> a;         ///< n
    std::span<const double> lambda;    ///< m, of independent rows; 0 for the others
    std::span<const double> Qc;        ///< n
    std::span<const double> Qc_ideal;  ///< n, or none where there is no other part
    std::span<const double> u;         ///< per control
    int rank = 0;                      ///< of all rows
};

class AccelerationProgram {
  public:
    explicit AccelerationProgram(Evaluator& evaluator);

    /// Takes an order that suits this state, for these rows, which are independent: the present one
    /// if it still does and has as many rows, or one that was recorded before. False if there is
    /// none. Programs once made are kept. `controls`: see RowOrder. Requires that `at` is the last
    /// system of the evaluator. Allocates.
    bool choose(const EntryValues& at, std::span<const int> rows,
                std::span<const solve::Pivot> controls = {});
    /// There is no choice from now on.
    void drop() { active_ = nullptr; }
    /// A choice was made, and no parameter has changed since, and no friction has come to rest or
    /// broken away.
    bool ready() const {
        return active_ != nullptr && parameter_changes_ == evaluator_->parameter_changes() &&
               stick_changes_ == evaluator_->stick_changes();
    }
    /// Instructions of the program. Requires ready().
    std::size_t program_size() const { return active_->kernel.size(); }
    /// Its segments, null if it is one program. Requires ready().
    const code::SegmentedProgram* segments() const {
        const code::SegmentedKernel* segments = active_->kernel.segments();
        return segments != nullptr ? &segments->program() : nullptr;
    }
    /// The program, null if it is in segments. Requires ready().
    const code::StateKernel* program() const { return active_->kernel.program(); }
    /// The choice. Requires ready().
    const RowOrder& order() const { return active_->order; }

    /// Requires ready().
    PivotHealth run(double t, const double* q, const double* v) {
        if (active_->in_place != nullptr && v == q + n_) {  // as in the state of a run
            active_->in_place->run(t, q, outputs_.data());
        } else if (feeds_back_) {
            run_closed(active_->kernel, outputs_, t, q, v);
        } else {
            active_->kernel.run(evaluator_->system_inputs(t, q, v).data(), outputs_.data());
        }
        return health(outputs_);
    }
    // Where forces depend on multipliers, a run finds them from those of another state.
    /// That state: the multipliers (m) at it, or those of the last run().
    void start_from(const double* lambda);
    void start_from_last() { closing_multipliers(outputs_, x_); }
    /// Whether the nearest state is needed: forces that are affine in the multipliers come out the
    /// same from any state with the same signs of loads.
    bool follows() const { return feeds_back_ && !affine_; }

    /// Acceleration and forces, by the second program, without a trace in run(). Nothing where its
    /// pivots are not sound. Requires ready(). Valid until the next call. Allocates where the order
    /// has not been asked for forces before.
    std::optional<MotionForces> forces(double t, const double* q, const double* v);
    /// Whether the last run() has digits enough next to a singular configuration, where pivots are
    /// small whatever the order.
    bool serves_across() const;
    // Of the last run().
    /// v (n), a (n), the power that changes h: that of the forces with no potential and of the
    /// constraints; the multipliers of stick rows.
    std::span<const double> rates() const { return std::span(outputs_).first(watched()); }
    std::span<const double> a() const { return rates().subspan(at(n_), at(n_)); }
    double energy_rate() const { return outputs_[2 * at(n_)]; }
    /// One of them passes through zero where rows become dependent. None in the range-space order,
    /// where they only touch it.
    std::span<const double> pivots() const {
        return std::span(outputs_).subspan(watched(),
                                           active_->parts > 0 ? 0 : active_->pivots.size());
    }

    /// Derivatives of a, then of what follows it among the rates, by (q, v), row by row: rows of 2n
    /// numbers. Requires ready(). Allocates where the order has not been asked for any before.
    void derivatives(double t, const double* q, const double* v, std::span<double> J);

  private:
    /// Directions that one run of a program of derivatives takes.
    static constexpr int kLanes = 8;

    /// Least values of a pivot over what it was at the state of the choice.
    struct Bounds {
        double alarm, good;  ///< of its magnitude
        double sound;
    };
    /// A row's pivot below these parts of what it was where the order was chosen has lost digits,
    /// or soon will. One that has changed its sign may have passed where rows are dependent.
    static constexpr Bounds kRowBounds{0.05, 0.2, 0.0};
    /// The mass that is left of a coordinate: only a motion that is no longer determined brings it
    /// down.
    static constexpr Bounds kMassBounds{1e-7, 1e-7, 1e-7};
    /// A control by its servo row: how much it still does is for the solver to say, and a motion
    /// that loses it approaches that place in ever smaller steps.
    static constexpr Bounds kControlBounds{0.05, 0.2, 0.3};
    /// The squared length of a row in the range-space order.
    static constexpr Bounds kLengthBounds{1e-4, 0.1, 0.1};
    struct PivotWatch {
        Bounds least;
        double fine;  ///< at least this, of the same sign: all is well
        double inverse_size = 0.0;

        explicit PivotWatch(const Bounds& bounds)
            : least(bounds), fine(std::max({bounds.alarm, bounds.good, bounds.sound})) {}
    };
    /// Outputs: the rates, pivots, per row of the range-space order its squared length over its
    /// pivot, RecordedMotion::limits() and closing(). Where forces are wanted, of the motion and,
    /// if there is a non-ideal part, of the ideal one: -lambda of the rows of the order, u.
    struct Code {
        code::RecordedKernel kernel;
        std::vector<PivotWatch> pivots;
        std::size_t parts = 0;
        std::size_t limits = 0;
        bool takes_state_alone = false;  ///< t, q and v are all that it reads
    };
    /// One order, and what this run knows of it.
    struct Recording : Code {
        Recording(const Code& code, RowOrder its_order) : Code(code), order(std::move(its_order)) {
            in_place = takes_state_alone ? kernel.program() : nullptr;
        }
        RowOrder order;
        std::optional<code::RecordedKernel> forces = {};         ///< made when it is asked for
        std::optional<code::PacketKernel<kLanes>> tangent = {};  ///< likewise
        /// What is watched is multiplied by them: pivots must reach 1, the others must not exceed
        /// it.
        std::vector<double> bounds = {};
        code::StateKernel* in_place = nullptr;  ///< the program, if it takes the state alone
        /// Of outputs in `parts`: beyond it rows may be about to become dependent.
        double most_inverse_part = 1.0 / solve::kSoundPart;
    };
    /// What is watched of an elimination.
    class Watched final : public MotionObserver {
      public:
        explicit Watched(std::size_t rows) : rows_(rows) {}
        void before(const solve::Elimination<code::Recorded>& elimination,
                    const solve::Pivot& pivot) override;
        void after(const solve::Pivot& pivot, const code::Recorded& value) override;
        void of_control(const code::Recorded& value) override { add_pivot(value, kControlBounds); }

        std::vector<code::Recorded> pivots, parts;
        std::vector<PivotWatch> bounds;  ///< of pivots

      private:
        void add_pivot(const code::Recorded& value, const Bounds& least);

        std::size_t rows_;
        std::vector<code::Recorded> lengths_;  ///< squared, of the rows in the range-space order
    };

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    /// Outputs before those that are watched.
    std::size_t watched() const { return 2 * at(n_) + integrals_; }
    /// Outputs before RecordedMotion::closing().
    std::size_t before_closing() const {
        return watched() + active_->pivots.size() + active_->parts + active_->limits;
    }
    enum class Outputs : std::uint8_t { kMotion, kForces };
    struct Record {
        std::vector<code::Recorded> outputs;
        code::FreeSigns signs;  ///< pivots are watched by their size, see PivotWatch
        std::vector<PivotWatch> bounds;
        std::size_t parts = 0, limits = 0;
    };
    Record record(code::Recorder& recorder, const RowOrder& order, Outputs wanted) const;
    Code compile(const RowOrder& order, Outputs wanted) const;
    code::Program record_tangent(const RowOrder& order) const;
    Recording* make(RowOrder order);
    compile::RecordKey key(compile::RecordKey::Kind kind, const RowOrder& order) const;
    PivotHealth health(const std::vector<double>& outputs) const {
        const double* const output = outputs.data() + watched();
        const std::vector<double>& bounds = active_->bounds;
        bool fine = true;
        std::size_t k = 0;
        for (; k < active_->pivots.size(); ++k) {
            fine &= output[k] * bounds[k] >= 1.0;
        }
        for (; k < bounds.size(); ++k) {
            fine &= output[k] * bounds[k] <= 1.0;
        }
        return fine ? PivotHealth::kSound : examine(outputs);
    }
    PivotHealth examine(const std::vector<double>& outputs) const;
    void run_closed(code::RecordedKernel& kernel, std::vector<double>& outputs, double t,
                    const double* q, const double* v);
    void closing_multipliers(const std::vector<double>& outputs, std::vector<double>& x) const;
    void push(std::span<const double> lambda, std::span<const double> u,
              const compile::SparseValues& values, std::vector<double>& force) const;
    bool suits(Recording& recording);
    Recording* find_suitable(std::span<const int> rows);
    void measure();
    void set_bounds(Recording& recording);

    Evaluator* evaluator_;
    int n_;
    std::size_t integrals_;  ///< the energy, and stick rows
    bool feeds_back_, affine_;
    std::size_t parameter_changes_ = 0;  ///< of the evaluator, as the programs know them
    std::size_t stick_changes_ = 0;      ///< likewise
    std::vector<char> varies_;           ///< see entries_that_vary()
    std::vector<std::unique_ptr<Recording>> recordings_;
    Recording* active_ = nullptr;
    std::vector<double> outputs_;
    std::vector<double> x_;     ///< multipliers of the constraint rows that runs start from
    std::vector<double> next_;  ///< the same in the next iteration
    std::vector<double> forces_outputs_;
    std::vector<double> lambda_, Qc_, ideal_lambda_, Qc_ideal_;  ///< of forces()
    std::vector<double> tangent_inputs_, tangent_outputs_;       ///< kLanes numbers each
};

}  // namespace ananke::dynamics
