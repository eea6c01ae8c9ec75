// The constrained acceleration in the hot loop. No memory is taken after construction but for the
// share of dependent rows, when their number first rises.
//
// M > 0:        M = L L^T, rows w_k = L^-1 A_k scaled to unit length, y = L^T a. Among all y with
//               w_k . y = beta_k the one nearest to y0 = L^-1 Q:               UK02 (6), (32)
// M singular:   the same for M + A^T A and Q + A^T b in equilibrated units     UW13 (3.18), (3.37)
//               (alpha = 1, G = 1, z = b), whose force of constraint is the physical one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solve/load_share.h"
#include "solve/mass_factor.h"
#include "solve/row_factor.h"
#include "solve/system.h"

namespace ananke::solve {

enum class SolveStatus : std::uint8_t {
    kOk,
    kNotFinite,      ///< an input or the answer holds NaN or infinity
    kNotUnique,      ///< a massless direction is left free
    kInconsistent,   ///< no acceleration satisfies all rows
    kNotControlled,  ///< the actuators do not enforce the servo rows, or not in one way only
    kNoFeedback,     ///< forces that depend on the multipliers have no unique solution with them
};

enum class Wanted : std::uint8_t {
    kMotion,  ///< a and Qc
    kAll,     ///< the multipliers too
};

/// Scaled mismatch of b above which dependent rows contradict each other.
constexpr double kContradiction = 1e-9;
/// Rows whose pivots lie between RankPolicy::drop and keep count as dependent as long as their b
/// agrees to this: some thousand roundings. Else they are independent, however nearly parallel.
constexpr double kNoMismatch = 1e-12;

class AccelerationSolver {
  public:
    AccelerationSolver(int n, int m, RankPolicy policy = {});

    /// Solve with the full rank policy. Requires the sizes given at construction and contiguous M,
    /// A.
    SolveStatus solve(const System& at);

    /// Solve with the rows kept by the last solve(), whatever their pivots now are: inside a step,
    /// where stages leave the constraint surface and redundant rows look independent. Dropped rows
    /// are not checked. pivot_ratio() tells how far the pivots have fallen; below 1e-3 solve()
    /// again.
    SolveStatus solve_again(const System& at, Wanted wanted = Wanted::kAll);

    /// The forces of a motion that is given: Qc = M a - Q, and the multipliers by the rows whose
    /// pivots exceed `weakest`. Near a singular configuration a cannot be found from the
    /// rows, which say too little there, but is known from the motion before and after.
    SolveStatus attribute(const System& at, const double* a, double weakest);

    /// The same M, A and b as in the last solve with other forces Q and C: by its factors.
    SolveStatus solve_forces(const System& at);

    /// Change of the multipliers when the given force changes by F (n): by the factors of the last
    /// solve that found them.
    void response(const double* F, double* change);

    using Vector = Eigen::Map<const Eigen::VectorXd>;
    Vector a() const { return {a_.data(), n_}; }
    Vector Qc() const { return {Qc_.data(), n_}; }
    Vector Qc_ideal() const { return {Qc_ideal_.data(), n_}; }
    Vector Qc_nonideal() const { return {Qc_nonideal_.data(), n_}; }
    Vector lambda() const { return {lambda_.data(), m_}; }

    int rank() const { return factor_.rank(); }
    /// The rows that the last solve() kept, strongest first; k < rank().
    int kept_row(int k) const { return active_[static_cast<std::size_t>(factor_.order(k))]; }
    bool rank_warning() const { return factor_.warning() || keeps_doubtful_; }
    /// True if M was singular and the auxiliary mass matrix stood in.
    bool auxiliary() const { return mass_.auxiliary(); }
    double pivot_ratio() const { return pivot_ratio_; }
    /// Pivot of the last kept row at the last solve(): it passes through zero where rows become
    /// dependent. 1 without rows.
    double weakest_pivot() const { return factor_.smallest_kept(); }
    /// That row, -1 without rows.
    int weakest_row() const {
        return factor_.rank() > 0 ? active_[factor_.order(factor_.rank() - 1)] : -1;
    }
    /// What that row has besides the others, as of the last solve() or solve_again(); n entries.
    /// Requires rank() > 0.
    void weakest_remainder(double* x) const { remainder(factor_.rank() - 1, x); }
    /// What the k-th kept row has besides those kept before it. Requires k < rank().
    void remainder(int k, double* x) const { factor_.remainder(k, x); }
    /// m  true for rows that are tied to others by a dependence, and for those that have vanished,
    /// as of the last solve() or solve_again(). Allocates.
    std::vector<bool> tied() const;
    /// Largest scaled mismatch of a dropped or vanished row, and that row (-1: none).
    double inconsistency() const { return inconsistency_; }
    int inconsistent_row() const { return inconsistent_row_; }

    /// Tolerance on inconsistency(), kContradiction unless set.
    void set_tolerance(double tolerance) { tolerance_ = tolerance; }
    /// Of the next solve().
    void set_policy(RankPolicy policy) { policy_ = policy; }

  private:
    void choose_rows(const System& at);
    std::span<const int> active() const {
        return {active_.data(), static_cast<std::size_t>(active_count_)};
    }
    bool load(const System& at);
    SolveStatus finish(const System& at, bool check);
    void find_multipliers(const System& at);
    void multipliers_of(const double* head, double* lambda);
    void find_inconsistency(const System& at, double size);
    void note_inconsistency(double mismatch, int row);

    int n_;
    int m_;
    RankPolicy policy_;
    double tolerance_ = kContradiction;
    bool keeps_doubtful_ = false;  ///< rows with small pivots, because they ask for something else
    MassFactor mass_;
    RowFactor factor_;
    LoadShare share_;
    std::vector<int> active_;          // m  rows that have not vanished
    std::vector<int> vanished_;        // m
    std::vector<double> beta_;         // m  b in the scale of the unit rows
    std::vector<double> head_;         // n
    std::vector<double> y0_;           // n
    std::vector<double> yC_;           // n
    std::vector<double> delta_;        // n
    std::vector<double> lambda_unit_;  // m
    std::vector<double> a_, Qc_, Qc_ideal_, Qc_nonideal_, lambda_;
    int active_count_ = 0;
    int vanished_count_ = 0;
    double pivot_ratio_ = 1.0;
    double inconsistency_ = 0.0;
    int inconsistent_row_ = -1;
};

}  // namespace ananke::solve
