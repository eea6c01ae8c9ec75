#include "solve/acceleration.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/check.h"
#include "solve/kernels.h"

namespace ananke::solve {
namespace {

std::size_t size(int n) {
    return static_cast<std::size_t>(n);
}

void require_sizes(const System& at, int n, int m) {
    ANANKE_REQUIRE(at.M.rows() == n && at.M.cols() == n && at.Q.size() == n);
    ANANKE_REQUIRE(at.A.rows() == m && at.b.size() == m && (m == 0 || at.A.cols() == n));
    ANANKE_REQUIRE(at.C.size() == 0 || at.C.size() == n);
    ANANKE_REQUIRE(at.row_magnitude.size() == 0 || at.row_magnitude.size() == m);
    ANANKE_REQUIRE(at.b_magnitude.size() == 0 || at.b_magnitude.size() == m);
    ANANKE_REQUIRE(at.M.outerStride() == n && (m <= 1 || at.A.outerStride() == n));
}

}  // namespace

AccelerationSolver::AccelerationSolver(int n, int m, RankPolicy policy)
    : n_(n),
      m_(m),
      policy_(policy),
      mass_(n, m),
      factor_(n, m),
      active_(size(m)),
      vanished_(size(m)),
      beta_(size(m)),
      head_(size(n)),
      y0_(size(n)),
      yC_(size(n)),
      delta_(size(n)),
      lambda_unit_(size(m)),
      a_(size(n)),
      Qc_(size(n)),
      Qc_ideal_(size(n)),
      Qc_nonideal_(size(n)),
      lambda_(size(m)) {}

SolveStatus AccelerationSolver::solve(const System& at) {
    require_sizes(at, n_, m_);
    pivot_ratio_ = 1.0;
    if (!all_finite(at)) {
        return SolveStatus::kNotFinite;
    }
    choose_rows(at);
    if (!load(at)) {
        return SolveStatus::kNotUnique;
    }
    factor_.factor(policy_);
    SolveStatus status = finish(at, true);
    keeps_doubtful_ = factor_.largest_dropped() > policy_.drop && inconsistency_ > kNoMismatch;
    if (keeps_doubtful_) {
        load(at);
        factor_.factor({policy_.drop, policy_.drop});
        status = finish(at, true);
    }
    find_multipliers();
    return all_finite(m_, lambda_.data()) ? status : SolveStatus::kNotFinite;
}

SolveStatus AccelerationSolver::solve_again(const System& at, Wanted wanted) {
    require_sizes(at, n_, m_);
    if (!all_finite(at)) {
        return SolveStatus::kNotFinite;
    }
    if (!load(at)) {
        return SolveStatus::kNotUnique;
    }
    pivot_ratio_ = factor_.factor_again();
    const SolveStatus status = finish(at, false);
    if (wanted == Wanted::kMotion) {
        return status;
    }
    find_multipliers();
    return all_finite(m_, lambda_.data()) ? status : SolveStatus::kNotFinite;
}

SolveStatus AccelerationSolver::attribute(const System& at, const double* a, double weakest) {
    require_sizes(at, n_, m_);
    if (!all_finite(at) || !all_finite(n_, a)) {
        return SolveStatus::kNotFinite;
    }
    choose_rows(at);
    if (!load(at)) {
        return SolveStatus::kNotUnique;
    }
    factor_.factor({weakest, weakest});
    const int r = factor_.rank();
    const bool nonideal = at.has_nonideal();
    std::copy(a, a + n_, a_.begin());
    for (int i = 0; i < n_; ++i) {
        Qc_[i] = dot(n_, at.M.data() + i * n_, a) - at.Q[i];
        delta_[i] = mass_.d(i) * (Qc_[i] - (nonideal ? at.C[i] : 0.0));
        yC_[i] = nonideal ? mass_.d(i) * at.C[i] : 0.0;
    }
    solve_lower(n_, mass_.L(), delta_.data());
    factor_.apply_Zt(delta_.data());
    std::copy(delta_.begin(), delta_.begin() + r, head_.begin());
    solve_lower(n_, mass_.L(), yC_.data());
    factor_.apply_Zt(yC_.data());
    std::fill(yC_.begin(), yC_.begin() + r, 0.0);
    factor_.apply_Z(yC_.data());
    multiply_lower(n_, mass_.L(), yC_.data(), Qc_nonideal_.data());  //               UK02 (8)
    for (int i = 0; i < n_; ++i) {
        Qc_nonideal_[i] = nonideal ? Qc_nonideal_[i] / mass_.d(i) : 0.0;
        Qc_ideal_[i] = Qc_[i] - Qc_nonideal_[i];
    }
    find_multipliers();
    return all_finite(m_, lambda_.data()) ? SolveStatus::kOk : SolveStatus::kNotFinite;
}

void AccelerationSolver::choose_rows(const System& at) {
    active_count_ = 0;
    vanished_count_ = 0;
    for (int k = 0; k < m_; ++k) {
        const double* row = at.A.data() + k * n_;
        const double length = std::sqrt(dot(n_, row, row));
        const double magnitude = at.row_magnitude.size() > 0 ? at.row_magnitude[k] : 0.0;
        if (length > kVanished * magnitude) {
            active_[active_count_++] = k;
        } else {
            vanished_[vanished_count_++] = k;
        }
    }
}

// w_k = L^-1 A_k, y0 = L^-1 Q, in the scales of the mass factor.
bool AccelerationSolver::load(const System& at) {
    if (!mass_.factor(at, active())) {
        return false;
    }
    mass_.load_force(at, active(), y0_.data());
    solve_lower(n_, mass_.L(), y0_.data());
    factor_.begin(active_count_);
    for (int k = 0; k < active_count_; ++k) {
        mass_.load_row(at, active(), k, factor_.row(k));
    }
    solve_lower(n_, mass_.L(), factor_.row(0), active_count_);
    factor_.normalize();
    for (int k = 0; k < active_count_; ++k) {
        beta_[k] = mass_.rho(k) * at.b[active_[k]] * factor_.unit(k);
    }
    return true;
}

SolveStatus AccelerationSolver::finish(const System& at, bool check) {
    const int r = factor_.rank();
    const bool nonideal = at.has_nonideal();

    // y = y0 + Z [head - (Z^T y0)_head ; (Z^T yC)_tail]
    factor_.solve_kept(beta_.data(), head_.data());
    if (check) {
        find_inconsistency(at, std::sqrt(dot(n_, y0_.data(), y0_.data())));
    }
    std::copy(y0_.begin(), y0_.end(), delta_.begin());
    factor_.apply_Zt(delta_.data());
    for (int i = 0; i < r; ++i) {
        delta_[i] = head_[i] - delta_[i];
    }
    std::fill(delta_.begin() + r, delta_.end(), 0.0);
    std::copy(delta_.begin(), delta_.begin() + r, head_.begin());
    if (nonideal) {
        for (int i = 0; i < n_; ++i) {
            yC_[i] = mass_.d(i) * at.C[i];
        }
        solve_lower(n_, mass_.L(), yC_.data());
        factor_.apply_Zt(yC_.data());
        for (int i = 0; i < r; ++i) {
            head_[i] -= yC_[i];  // what the rows carry: L^-1 (Qc - C) = Z [head; 0]
            yC_[i] = 0.0;
        }
    }

    factor_.apply_Z(delta_.data());
    multiply_lower(n_, mass_.L(), delta_.data(), Qc_ideal_.data());  //               UK02 (7)
    if (nonideal) {
        factor_.apply_Z(yC_.data());
        multiply_lower(n_, mass_.L(), yC_.data(), Qc_nonideal_.data());  //           UK02 (8)
    }
    for (int i = 0; i < n_; ++i) {
        a_[i] = y0_[i] + delta_[i] + (nonideal ? yC_[i] : 0.0);
    }
    solve_lower_transposed(n_, mass_.L(), a_.data());
    for (int i = 0; i < n_; ++i) {
        a_[i] *= mass_.d(i);
        Qc_ideal_[i] /= mass_.d(i);
        Qc_nonideal_[i] = nonideal ? Qc_nonideal_[i] / mass_.d(i) : 0.0;
        Qc_[i] = Qc_ideal_[i] + Qc_nonideal_[i];
    }
    if (!all_finite(n_, a_.data()) || !all_finite(n_, Qc_.data())) {
        return SolveStatus::kNotFinite;
    }
    return check && inconsistency_ > tolerance_ ? SolveStatus::kInconsistent : SolveStatus::kOk;
}

std::vector<bool> AccelerationSolver::tied() const {
    const int r = factor_.rank();
    std::vector<bool> tied(size(m_), true);
    for (int i = 0; i < r; ++i) {
        tied[size(kept_row(i))] = false;
    }
    std::vector<double> coefficients(size(r));
    for (int place = r; place < active_count_; ++place) {
        factor_.combination(place, coefficients.data());
        for (int i = 0; i < r; ++i) {
            if (std::abs(coefficients[size(i)]) > kNoWeight) {
                tied[size(kept_row(i))] = true;
            }
        }
    }
    return tied;
}

void AccelerationSolver::find_multipliers() {
    multipliers_of(head_.data(), lambda_.data());
}

void AccelerationSolver::multipliers_of(const double* head, double* lambda) {
    factor_.least_norm(head, lambda_unit_.data());
    std::fill(lambda, lambda + m_, 0.0);
    for (int k = 0; k < active_count_; ++k) {
        lambda[active_[k]] = lambda_unit_[k] * factor_.unit(k) * mass_.rho(k);
    }
}

SolveStatus AccelerationSolver::solve_forces(const System& at) {
    mass_.load_force(at, active(), y0_.data());
    if (!all_finite(n_, y0_.data()) || !all_finite(static_cast<int>(at.C.size()), at.C.data())) {
        return SolveStatus::kNotFinite;
    }
    solve_lower(n_, mass_.L(), y0_.data());
    const SolveStatus status = finish(at, false);
    find_multipliers();
    return all_finite(m_, lambda_.data()) ? status : SolveStatus::kNotFinite;
}

// A^T lambda takes up what of F the rows oppose: L^-1 A^T change = -Z [(Z^T L^-1 F)_head; 0]
void AccelerationSolver::response(const double* F, double* change) {
    for (int i = 0; i < n_; ++i) {
        yC_[i] = mass_.d(i) * F[i];
    }
    solve_lower(n_, mass_.L(), yC_.data());
    factor_.apply_Zt(yC_.data());
    for (int i = 0; i < factor_.rank(); ++i) {
        yC_[i] = -yC_[i];
    }
    multipliers_of(yC_.data(), change);
}

// `size` measures the unconstrained acceleration; rows are of unit length, so it bounds w_k . y0.
void AccelerationSolver::find_inconsistency(const System& at, double size) {
    inconsistency_ = 0.0;
    inconsistent_row_ = -1;
    const int r = factor_.rank();
    const bool given = at.b_magnitude.size() > 0;
    const double reach = size + std::sqrt(dot(r, head_.data(), head_.data()));
    for (int place = r; place < active_count_; ++place) {
        const int k = factor_.order(place);
        const double unit = factor_.unit(k) * mass_.rho(k);
        const double mismatch = std::abs(factor_.value_of_dropped(place, head_.data()) - beta_[k]);
        const double magnitude = given ? at.b_magnitude[active_[k]] : 0.0;
        const double scale = reach + std::abs(beta_[k]) + unit * magnitude;
        note_inconsistency(mismatch > 0.0 ? mismatch / scale : 0.0, active_[k]);
    }
    for (int v = 0; v < vanished_count_; ++v) {
        const int k = vanished_[v];
        const double b = std::abs(at.b[k]);
        note_inconsistency(b > 0.0 ? b / std::max(b, given ? at.b_magnitude[k] : 0.0) : 0.0, k);
    }
}

void AccelerationSolver::note_inconsistency(double mismatch, int row) {
    if (mismatch > inconsistency_) {
        inconsistency_ = mismatch;
        inconsistent_row_ = row;
    }
}

}  // namespace ananke::solve
