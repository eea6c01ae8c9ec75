#include "dynamics/kkt_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dynamics/actuation.h"
#include "dynamics/feedback_matrix.h"
#include "dynamics/full_matrices.h"
#include "dynamics/row_rank.h"
#include "dynamics/sparse_kkt.h"
#include "solve/actuated.h"

namespace ananke::dynamics {
namespace {

using solve::SolveStatus;
using solve::Wanted;

/// Pivots that fall below this part of their value at the start of the step ask for a new choice.
constexpr double kPivotAlarm = 1e-3;

/// What both solvers by full matrices share. Solver: solve::AccelerationSolver,
/// solve::ActuatedSolver.
template <class Solver>
class FullKkt : public KktSolver {
  public:
    FullKkt(Evaluator& evaluator, Solver& solver, Mismatch mismatch)
        : evaluator_(&evaluator),
          matrices_(evaluator.model()),
          solver_(solver),
          feedback_(evaluator.model().feedback.size()),
          change_(feedback_.entries().empty() ? 0 : evaluator.model().rows.size()) {
        if (mismatch == Mismatch::kIsDrift) {
            solver_.set_tolerance(std::numeric_limits<double>::infinity());
        }
    }

    SolveStatus solve(const compile::SparseValues& at, Motion& motion) override {
        return take(choose(matrices_.of(at, evaluator_->magnitudes())), Wanted::kAll, motion);
    }
    SolveStatus solve_again(const compile::SparseValues& at, Wanted wanted,
                            Motion& motion) override {
        const SolveStatus status = again(matrices_.of(at), wanted);
        if (status != SolveStatus::kOk || solver_.pivot_ratio() < kPivotAlarm) {
            return solve(at, motion);
        }
        return take(status, wanted, motion);
    }
    SolveStatus solve_forces(const compile::SparseValues& at, Motion& motion) override {
        return take(solver_.solve_forces(matrices_.of(at)), Wanted::kAll, motion);
    }
    void response(std::span<const double> F, std::span<double> change) override {
        solver_.response(F.data(), change.data());
    }
    /// Column k: response to the slope by multiplier k.
    void take_slopes() override {
        const std::vector<int>& rows = evaluator_->model().feedback;
        for (std::size_t k = 0; k < rows.size(); ++k) {
            response(evaluator_->feedback_slope(static_cast<int>(k)), change_);
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const double value = change_[static_cast<std::size_t>(rows[i])];
                // A load like |N| has no slope where N = 0: there the plain iteration goes on.
                feedback_.entries()[i * rows.size() + k] = std::isfinite(value) ? value : 0.0;
            }
        }
    }
    bool feedback_step(std::span<double> r) override { return feedback_.solve(r); }
    double feedback_radius() override { return feedback_.radius(); }
    Error explain(double t, const double* q, const double* v) override {
        return explain_failure(*evaluator_, t, q, v);
    }
    int rank() const override { return solver_.rank(); }
    bool rank_warning() const override { return solver_.rank_warning(); }

  protected:
    virtual SolveStatus choose(const solve::System& at) = 0;
    virtual SolveStatus again(const solve::System& at, Wanted wanted) = 0;

    SolveStatus take(SolveStatus status, Wanted wanted, Motion& motion) const {
        const auto copy = [](const auto& from, std::vector<double>& into) {
            std::copy(from.data(), from.data() + from.size(), into.begin());
        };
        copy(solver_.a(), motion.a);
        copy(solver_.Qc(), motion.Qc);
        copy(solver_.Qc_ideal(), motion.Qc_ideal);
        copy(solver_.Qc_nonideal(), motion.Qc_nonideal);
        if (wanted == Wanted::kAll) {
            copy(solver_.lambda(), motion.lambda);
        }
        if constexpr (requires { solver_.u(); }) {
            copy(solver_.u(), motion.u);
        }
        return status;
    }

    Evaluator* evaluator_;
    FullMatrices matrices_;
    Solver& solver_;
    FeedbackMatrix feedback_;
    std::vector<double> change_;  ///< m
};

/// A member that is made before the base that refers to it.
template <class Part>
struct Has {
    Part part;
};

/// Without controls.
class FreeKkt final : private Has<FullRows>, public FullKkt<solve::AccelerationSolver> {
  public:
    FreeKkt(Evaluator& evaluator, Mismatch mismatch)
        : Has{FullRows(evaluator)}, FullKkt(evaluator, part.solver(), mismatch) {}

    SolveStatus attribute(const compile::SparseValues& at, const double* a, double weakest,
                          Motion& motion) override {
        return take(part.attribute(matrices_.of(at, evaluator_->magnitudes()), a, weakest),
                    Wanted::kAll, motion);
    }
    double weakest_pivot() const override { return solver_.weakest_pivot(); }
    int weakest_row(std::span<double> remainder) const override {
        if (solver_.rank() > 0) {
            solver_.weakest_remainder(remainder.data());
        }
        return solver_.weakest_row();
    }
    std::vector<int> kept_rows() const override { return part.kept(); }
    const RowRank* row_rank() const override { return &part; }

  private:
    SolveStatus choose(const solve::System& at) override { return part.solve(at); }
    SolveStatus again(const solve::System& at, Wanted wanted) override {
        return solver_.solve_again(at, wanted);
    }
};

class ActuatedKkt final : private Has<solve::ActuatedSolver>,
                          public FullKkt<solve::ActuatedSolver> {
  public:
    ActuatedKkt(Evaluator& evaluator, Mismatch mismatch)
        : Has{solve::ActuatedSolver(evaluator.model().n(), evaluator.model().m(),
                                    evaluator.model().actuated_rows,
                                    static_cast<int>(evaluator.model().controls.size()))},
          FullKkt(evaluator, part, mismatch) {}

    /// The forces of a given motion are not told apart from controls: by the rows alone.
    SolveStatus attribute(const compile::SparseValues& at, const double* a, double weakest,
                          Motion& motion) override {
        FreeKkt rows(*evaluator_, Mismatch::kIsDrift);
        return rows.attribute(at, a, weakest, motion);
    }
    double weakest_pivot() const override { return 1.0; }
    int weakest_row(std::span<double> /*remainder*/) const override { return -1; }
    std::vector<int> kept_rows() const override {
        std::vector<int> rows;
        std::vector<int> servo;
        solver_.kept_rows(rows, servo);
        return rows;
    }
    std::vector<solve::Pivot> control_pivots() const override {
        std::vector<solve::Pivot> pivots;
        solver_.control_pivots(pivots);
        return pivots;
    }
    double regularity() const override { return solver_.regularity(); }
    int orientation() const override { return solver_.orientation(); }
    solve::ControlGap control_gap(double tolerance) const override {
        return solver_.gap(tolerance);
    }
    void share(std::span<double> lambda) override { solver_.share(lambda.data()); }
    Error explain(double t, const double* q, const double* v) override {
        const compile::SparseValues at = evaluator_->sparse_system(t, q, v);
        return choose(matrices_.of(at, evaluator_->magnitudes())) == SolveStatus::kNotControlled
                   ? explain_controls(*evaluator_, t, q, v)
                   : FullKkt::explain(t, q, v);
    }

  private:
    SolveStatus choose(const solve::System& at) override {
        return solver_.solve(at, matrices_.actuation());
    }
    SolveStatus again(const solve::System& at, Wanted wanted) override {
        return solver_.solve_again(at, matrices_.actuation(), wanted);
    }
};

}  // namespace

Motion::Motion(const compile::CompiledModel& model)
    : a(static_cast<std::size_t>(model.n())),
      Qc(a.size()),
      Qc_ideal(a.size()),
      Qc_nonideal(a.size()),
      lambda(static_cast<std::size_t>(model.m())),
      u(model.controls.size()) {}

solve::ControlGap KktSolver::control_gap(double /*tolerance*/) const {
    return {};
}

std::unique_ptr<KktSolver> make_full_kkt_solver(Evaluator& evaluator, Mismatch mismatch) {
    if (evaluator.model().controls.empty()) {
        return std::make_unique<FreeKkt>(evaluator, mismatch);
    }
    return std::make_unique<ActuatedKkt>(evaluator, mismatch);
}

std::unique_ptr<KktSolver> make_kkt_solver(Evaluator& evaluator, Mismatch mismatch, Wanted wanted) {
    if (has_sparse_rows(evaluator.model())) {
        return std::make_unique<SparseKkt>(evaluator, mismatch, wanted,
                                           evaluator.model().controls.empty()
                                               ? Servos::kAreConstraints
                                               : Servos::kHaveTheirControls);
    }
    return make_full_kkt_solver(evaluator, mismatch);
}

}  // namespace ananke::dynamics
