// The controls u of actuators that enforce servo rows, by the sparse factor of the passive rows.
//
//   [ M    A_p^T ] [ a ]   [ F + D u ]
//   [ A_p  0     ] [ y ] = [ b_p     ],    A_s a = b_s                          THEORY section 3
//
// With x_0 the solution for u = 0 and X_k that for the force D_k of the unit control k alone,
// a = a_0 + sum of u_k a_k, and A_s a = b_s is a small square system for u. Its entries are
// measured as cosines, in solve/control_matrix.h. Where M is singular, M + A_s^T W A_s and F +
// A_s^T W b_s stand in as in solve/actuated.h: rows [A_s 0 -W^-1] of the sparse system say it
// without fill.
#pragma once

#include <span>
#include <vector>

#include "dynamics/evaluator.h"
#include "dynamics/sparse_rows.h"
#include "solve/control_matrix.h"
#include "solve/elimination.h"
#include "solve/symmetric_factor.h"

namespace ananke::dynamics {

class SparseControls {
  public:
    explicit SparseControls(Evaluator& evaluator);

    bool is_servo(int row) const { return servo_[static_cast<std::size_t>(row)] != 0; }
    /// The values without the servo rows.
    compile::SparseValues passive(const compile::SparseValues& at);
    /// Chooses the servo rows that neither these passive rows, which have a factor, nor the servo
    /// rows before them contain.
    void choose(const compile::SparseValues& at, SparseRows& passive);

    /// Servo rows that stand in the system because M is singular, and their -1/W.
    const std::vector<int>& borders() const { return borders_; }
    const std::vector<double>& border_values() const { return border_values_; }

    /// How the motion responds to each control, by a factor of [M A_p^T; A_p 0] with the borders,
    /// of this size. False if the controls do not enforce the servo rows in one way only.
    bool factor(const compile::SparseValues& at, solve::SymmetricFactor& factor, std::size_t size);
    /// x = [a; y; ...] for u = 0 becomes that for the controls that give A_s a the values b (m;
    /// empty: zeros). Requires factor().
    void close(std::span<const double> b, std::span<double> x);

    std::span<const double> u() const { return u_; }  ///< of the last close()
    /// Independent servo rows, ascending.
    const std::vector<int>& rows() const { return rows_; }
    /// The entries of A that belong to rows(), with the values of A and D at the last factor().
    const std::vector<std::size_t>& entries() const { return entries_; }
    const std::vector<double>& values() const { return values_; }
    const std::vector<double>& pushes() const { return pushes_; }
    /// Of a row among rows().
    int place_of(int row) const { return place_[static_cast<std::size_t>(row)]; }
    std::vector<solve::Pivot> pivots() const;
    double regularity() const { return S_.regularity(); }
    int orientation() const { return S_.orientation(); }
    /// Whether the last factor() has lost much of the regularity that it had where the rows were
    /// chosen.
    bool has_weakened() const;
    /// Allocates.
    solve::ControlGap gap(double tolerance) const;

  private:
    using Columns = std::vector<std::vector<double>>;

    void find_borders(const compile::SparseValues& at, std::span<const int> passive,
                      std::span<const int> servo);
    void respond(const compile::SparseValues& at, solve::SymmetricFactor& factor, std::size_t size,
                 Columns& responses, std::vector<double>& lengths);
    double length(const compile::SparseValues& at, std::span<const double> a) const;
    double cosine(std::size_t row, std::size_t control) const;
    void multiply(std::span<const double> a, std::span<double> products) const;

    Evaluator* evaluator_;
    std::size_t n_, count_;       ///< coordinates, controls
    std::vector<char> servo_;     ///< m
    std::vector<char> in_force_;  ///< m: passive rows in force
    std::vector<int> rows_;
    std::vector<int> place_;  ///< m
    std::vector<std::size_t> entries_;
    std::vector<double> values_, pushes_;
    std::vector<int> borders_;
    std::vector<double> border_values_;
    Columns by_control_, by_row_;  ///< X of the unit controls, and of the servo rows as forces
    // Lengths in the metric of M^-1 without the components along the passive rows.
    std::vector<double> control_length_, row_length_;
    std::vector<double> push_length_;         ///< of D_k in units of the coordinates
    std::vector<std::vector<double>> reach_;  ///< per control: A_s a_k, per servo row
    solve::ControlMatrix S_;
    double chosen_regularity_ = 0.0;
    std::vector<double> u_, g_;
};

}  // namespace ananke::dynamics
