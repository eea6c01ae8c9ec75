// The recorded rows of a run as states at which expressions of its model have values.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "ananke/record.h"
#include "base/result.h"
#include "compile/prepare.h"

namespace ananke::report {

/// Views of a model and of a run of it; both must outlive it.
class States {
  public:
    /// Fails where the run lacks the time, a position or a velocity of the model.
    static Result<States> of(const compile::Prepared& prepared, const io::Trajectory& trajectory);

    const compile::Prepared& prepared() const { return *prepared_; }
    const io::Trajectory& trajectory() const { return *trajectory_; }
    std::size_t count() const { return trajectory_->rows(); }

    struct State {
        double t = 0.0;
        std::vector<double> q, v, parameters;
    };
    State state(std::size_t row) const;

    /// Values of expressions over q, v, t and parameters: `expressions.size()` numbers per state.
    std::vector<double> evaluate(std::span<const sym::Expr> expressions) const;
    /// At the first state alone.
    std::vector<double> evaluate_at_start(std::span<const sym::Expr> expressions) const;
    /// The column of that name at every state; empty if there is none.
    std::vector<double> column(std::string_view name) const;

  private:
    States(const compile::Prepared& prepared, const io::Trajectory& trajectory)
        : prepared_(&prepared), trajectory_(&trajectory) {}
    std::vector<double> evaluate(std::span<const sym::Expr> expressions, std::size_t states) const;
    void read_events();
    const std::vector<double>& parameters_at(std::size_t row) const;

    /// Parameters that hold from a row on, until the next of these.
    struct Era {
        std::size_t row = 0;
        std::vector<double> parameters;
    };

    const compile::Prepared* prepared_;
    const io::Trajectory* trajectory_;
    std::vector<std::size_t> places_;  ///< of t, q and v among the columns
    std::vector<sym::Expr> symbols_;   ///< t, q, v, parameters
    std::vector<Era> eras_;            ///< at least one; events that change parameters begin others
};

}  // namespace ananke::report
