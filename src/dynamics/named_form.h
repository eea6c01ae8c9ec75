// The acceleration by a formula that the user asks for (`--form`): docs/theory.md, section 2.
//
// Which rows count inside a step is decided where the state lies on the constraints, as for the
// solvers. Forms work on full matrices.
#pragma once

#include <optional>
#include <vector>

#include "ananke/method.h"
#include "base/result.h"
#include "dynamics/evaluator.h"
#include "dynamics/full_matrices.h"
#include "dynamics/kkt_solver.h"
#include "solve/forms.h"

namespace ananke::dynamics {

class NamedForm {
  public:
    NamedForm(Evaluator& evaluator, solve::Form form);

    // The multipliers are those of the form where the rows decide the motion alone.
    /// At a state on the constraints, whose rows are analysed.
    solve::SolveStatus solve(const compile::SparseValues& at, Motion& motion);
    /// With the rows of the last solve().
    solve::SolveStatus solve_again(const compile::SparseValues& at, Motion& motion);
    /// Where actuators enforce servos: with the rows that `rows` has chosen, passive ones first.
    solve::SolveStatus solve_actuated(const compile::SparseValues& at, const KktSolver& rows,
                                      Motion& motion);

    // Of the last solve().
    int rank() const { return static_cast<int>(kept_.size()); }
    bool rank_warning() const { return rank_warning_; }
    double weakest_pivot() const { return weakest_pivot_; }

    /// Why the form has no answer, if that is its own reason and not one of the system.
    std::optional<Error> own_failure(double t, const double* q, const double* v) const;

  private:
    solve::Gauge gauge();
    solve::SolveStatus take(const Result<solve::Motion>& found, std::span<const int> rows,
                            Motion& motion);

    Evaluator* evaluator_;
    solve::Form form_;
    FullMatrices matrices_;
    std::vector<int> kept_;
    bool rank_warning_ = false;
    double weakest_pivot_ = 1.0;
    std::optional<Error> error_;
};

}  // namespace ananke::dynamics
