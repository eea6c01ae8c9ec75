// The constrained acceleration where some rows are servo rows that given actuators enforce.
//
//   [ M   -A_p^T  -D ] [ a      ]   [ Q + C ]
//   [ A_p  0       0 ] [ lambda ] = [ b_p   ]      docs/theory.md, section 3
//   [ A_s  0       0 ] [ u      ]   [ b_s   ]
//
// The force of constraint is Qc = C + A_p^T lambda + D u: the servo rows prescribe the motion and
// push nowhere themselves. With M = L L^T, y = L^T a and Z^T L^-1 A_p^T = [R; 0] the passive rows
// fix the head of Z^T y; its tail is y0 + Z^T L^-1 D u, and the servo rows give u from a small
// square system S u = g. Where M is singular, M + A^T A and Q + A^T b of all rows stand in, which
// changes neither lambda nor u because A a = b.
//
// No memory is taken after construction.
#pragma once

#include <vector>

#include "solve/acceleration.h"
#include "solve/control_gap.h"
#include "solve/control_matrix.h"
#include "solve/elimination.h"
#include "solve/load_share.h"
#include "solve/mass_factor.h"
#include "solve/row_factor.h"
#include "solve/system.h"

namespace ananke::solve {

class ActuatedSolver {
  public:
    /// `servo`: the rows that `controls` actuators enforce, ascending; all others are passive.
    ActuatedSolver(int n, int m, std::vector<int> servo, int controls, RankPolicy policy = {});

    /// Row k of `Dt` (controls x n) is the generalised force of the unit control k.
    SolveStatus solve(const System& at, Eigen::Ref<const RowMatrix> Dt);
    /// With the rows chosen by the last solve(), inside a step; see AccelerationSolver.
    SolveStatus solve_again(const System& at, Eigen::Ref<const RowMatrix> Dt,
                            Wanted wanted = Wanted::kAll);

    /// With the factors of the last solve and other Q and C in `at`.
    SolveStatus solve_forces(const System& at);
    /// What a generalised force F (n) adds to the multipliers (m), by the factors of the last
    /// solve.
    void response(const double* F, double* change);

    /// Multipliers with the same force at the state of the last solve() become the share among
    /// dependent rows.
    void share(double* lambda) { share_.share(lambda); }

    using Vector = Eigen::Map<const Eigen::VectorXd>;
    Vector a() const { return {a_.data(), n_}; }
    Vector Qc() const { return {Qc_.data(), n_}; }
    Vector Qc_ideal() const { return {Qc_ideal_.data(), n_}; }
    Vector Qc_nonideal() const { return {Qc_nonideal_.data(), n_}; }
    Vector lambda() const { return {lambda_.data(), m_}; }  ///< 0 for servo rows
    Vector u() const { return {u_.data(), k_}; }

    int rank() const { return passive_.rank() + servo_rank(); }  ///< of all rows
    int servo_rank() const { return static_cast<int>(kept_servo_.size()); }
    bool rank_warning() const { return passive_.warning() || servo_factor_.warning(); }
    double pivot_ratio() const { return pivot_ratio_; }
    double inconsistency() const { return inconsistency_; }
    // See ControlMatrix.
    double regularity() const { return S_.regularity(); }
    int orientation() const { return S_.orientation(); }
    /// Rows that decide the motion, ascending.
    void kept_rows(std::vector<int>& passive, std::vector<int>& servo) const;
    /// The controls and the servo rows by which the last solve() eliminated them, in its order.
    void control_pivots(std::vector<Pivot>& pivots) const;

    /// What the last solve() lacked where it answered kNotControlled. Allocates.
    /// Cosines below `tolerance` count as none.
    ControlGap gap(double tolerance = 10.0 * kIrregular) const;

    void set_tolerance(double tolerance) { tolerance_ = tolerance; }

  private:
    void choose_rows(const System& at);
    bool load(const System& at, const double* Dt);
    void turn_rows();
    void choose_servo_rows();
    bool factor_S();
    double cosine(int row, int control) const;
    SolveStatus finish(const System& at, bool check, Wanted wanted);
    void find_motion(const double* y, double* delta, double* u);
    void find_inconsistency(const System& at);
    void multipliers_of(const double* head, double* lambda);

    int n_, m_, k_;
    RankPolicy policy_;
    double tolerance_ = kContradiction;
    std::vector<int> passive_rows_, servo_rows_;  // all of them
    std::vector<int> active_, active_servo_;      // that have not vanished
    std::vector<int> loaded_;                     // both, passive rows first
    std::vector<int> vanished_;
    std::vector<int> kept_servo_;  // places in active_servo_, ascending
    MassFactor mass_;
    RowFactor passive_, servo_factor_;
    LoadShare share_;
    std::vector<double> servo_;                    // rows Z^T L^-1 A_s of unit length
    std::vector<double> servo_unit_, servo_tail_;  // their scale; lengths of their tails
    std::vector<double> drive_;                    // rows Z^T L^-1 D of unit length
    std::vector<double> drive_unit_, drive_tail_;
    ControlMatrix S_;
    std::vector<double> beta_, beta_servo_, g_, head_, servo_head_, y0_, yC_, sum_;
    std::vector<double> delta_, delta_ideal_, solution_, lambda_unit_;
    std::vector<double> a_, Qc_, Qc_ideal_, Qc_nonideal_, lambda_, u_, u_ideal_;
    double pivot_ratio_ = 1.0, chosen_regularity_ = 0.0;
    double inconsistency_ = 0.0;
};

}  // namespace ananke::solve
