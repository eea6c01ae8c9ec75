#include "solve/actuated.h"

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

double length(int n, const double* x) {
    return std::sqrt(dot(n, x, x));
}

/// Divides by the length; a vector of length zero stays. Returns the factor.
double to_unit(int n, double* x) {
    const double size_of_x = length(n, x);
    const double factor = size_of_x > 0.0 ? 1.0 / size_of_x : 0.0;
    for (int i = 0; i < n; ++i) {
        x[i] *= factor;
    }
    return factor;
}

}  // namespace

ActuatedSolver::ActuatedSolver(int n, int m, std::vector<int> servo, int controls,
                               RankPolicy policy)
    : n_(n),
      m_(m),
      k_(controls),
      policy_(policy),
      servo_rows_(std::move(servo)),
      mass_(n, m),
      passive_(n, m),
      servo_factor_(n, m),
      servo_(servo_rows_.size() * size(n)),
      servo_unit_(servo_rows_.size()),
      servo_tail_(servo_rows_.size()),
      drive_(size(controls) * size(n)),
      drive_unit_(size(controls)),
      drive_tail_(size(controls)),
      S_(controls),
      beta_(size(m)),
      beta_servo_(servo_rows_.size()),
      g_(servo_rows_.size()),
      head_(size(n)),
      servo_head_(size(n)),
      y0_(size(n)),
      yC_(size(n)),
      sum_(size(n)),
      delta_(size(n)),
      delta_ideal_(size(n)),
      solution_(size(controls)),
      lambda_unit_(size(m)),
      a_(size(n)),
      Qc_(size(n)),
      Qc_ideal_(size(n)),
      Qc_nonideal_(size(n)),
      lambda_(size(m)),
      u_(size(controls)),
      u_ideal_(size(controls)) {
    ANANKE_REQUIRE(std::is_sorted(servo_rows_.begin(), servo_rows_.end()));
    for (int row = 0; row < m; ++row) {
        if (!std::binary_search(servo_rows_.begin(), servo_rows_.end(), row)) {
            passive_rows_.push_back(row);
        }
    }
    for (std::vector<int>* list : {&active_, &active_servo_, &loaded_, &vanished_, &kept_servo_}) {
        list->reserve(size(m));
    }
}

void ActuatedSolver::kept_rows(std::vector<int>& passive, std::vector<int>& servo) const {
    passive.clear();
    servo.clear();
    for (int place = 0; place < passive_.rank(); ++place) {
        passive.push_back(active_[size(passive_.order(place))]);
    }
    std::sort(passive.begin(), passive.end());
    for (const int place : kept_servo_) {
        servo.push_back(active_servo_[size(place)]);
    }
}

void ActuatedSolver::control_pivots(std::vector<Pivot>& pivots) const {
    pivots.clear();
    for (int i = 0; i < k_; ++i) {
        const int place = kept_servo_[size(S_.row(i))];
        pivots.push_back({S_.control(i), active_servo_[size(place)]});
    }
}

SolveStatus ActuatedSolver::solve(const System& at, Eigen::Ref<const RowMatrix> Dt) {
    ANANKE_REQUIRE(at.n() == n_ && at.m() == m_ && Dt.rows() == k_ && Dt.cols() == n_);
    pivot_ratio_ = 1.0;
    S_.clear();
    kept_servo_.clear();
    if (!all_finite(at) || !all_finite(static_cast<int>(Dt.size()), Dt.data())) {
        return SolveStatus::kNotFinite;
    }
    choose_rows(at);
    if (!load(at, Dt.data())) {
        return SolveStatus::kNotUnique;
    }
    passive_.factor(policy_);
    turn_rows();
    choose_servo_rows();
    passive_.solve_kept(beta_.data(), head_.data());
    find_inconsistency(at);
    if (inconsistency_ > tolerance_) {
        return SolveStatus::kInconsistent;
    }
    if (!factor_S()) {
        return SolveStatus::kNotControlled;
    }
    chosen_regularity_ = regularity();
    return finish(at, true, Wanted::kAll);
}

SolveStatus ActuatedSolver::solve_again(const System& at, Eigen::Ref<const RowMatrix> Dt,
                                        Wanted wanted) {
    if (!all_finite(at) || !all_finite(static_cast<int>(Dt.size()), Dt.data())) {
        return SolveStatus::kNotFinite;
    }
    if (!load(at, Dt.data())) {
        return SolveStatus::kNotUnique;
    }
    pivot_ratio_ = passive_.factor_again();
    turn_rows();
    passive_.solve_kept(beta_.data(), head_.data());
    if (!factor_S()) {
        return SolveStatus::kNotControlled;
    }
    pivot_ratio_ = std::min(pivot_ratio_, regularity() / chosen_regularity_);
    return finish(at, false, wanted);
}

SolveStatus ActuatedSolver::solve_forces(const System& at) {
    mass_.load_force(at, loaded_, y0_.data());
    if (!all_finite(n_, y0_.data()) || !all_finite(static_cast<int>(at.C.size()), at.C.data())) {
        return SolveStatus::kNotFinite;
    }
    solve_lower(n_, mass_.L(), y0_.data());
    passive_.solve_kept(beta_.data(), head_.data());
    const SolveStatus status = finish(at, false, Wanted::kAll);
    return all_finite(m_, lambda_.data()) ? status : SolveStatus::kNotFinite;
}

// The controls keep the servo rows: S du = -s_tail . (Z^T L^-1 F)_tail. The passive rows take up
// the head of F and of what the controls change: L^-1 A_p^T change = -Z [(Z^T L^-1 (F + D
// du))_head; 0]
void ActuatedSolver::response(const double* F, double* change) {
    const int r = passive_.rank();
    for (int i = 0; i < n_; ++i) {
        yC_[size(i)] = mass_.d(i) * F[i];
    }
    solve_lower(n_, mass_.L(), yC_.data());
    passive_.apply_Zt(yC_.data());
    for (int j = 0; j < k_; ++j) {
        const int row = kept_servo_[size(j)];
        solution_[size(j)] =
            -dot(n_ - r, servo_.data() + row * n_ + r, yC_.data() + r) / servo_tail_[size(row)];
    }
    S_.solve(solution_.data());
    for (int i = 0; i < r; ++i) {
        sum_[size(i)] = -yC_[size(i)];
        for (int k = 0; k < k_; ++k) {
            sum_[size(i)] -= drive_[size(k * n_ + i)] * solution_[size(k)] / drive_tail_[size(k)];
        }
    }
    multipliers_of(sum_.data(), change);
}

void ActuatedSolver::choose_rows(const System& at) {
    active_.clear();
    active_servo_.clear();
    vanished_.clear();
    const auto sort_in = [&](const std::vector<int>& rows, std::vector<int>& active) {
        for (const int row : rows) {
            const double magnitude = at.row_magnitude.size() > 0 ? at.row_magnitude[row] : 0.0;
            const bool there = length(n_, at.A.data() + row * n_) > kVanished * magnitude;
            (there ? active : vanished_).push_back(row);
        }
    };
    sort_in(passive_rows_, active_);
    sort_in(servo_rows_, active_servo_);
    loaded_.assign(active_.begin(), active_.end());
    loaded_.insert(loaded_.end(), active_servo_.begin(), active_servo_.end());
}

// Rows L^-1 A_p, L^-1 A_s, L^-1 D of unit length and y0 = L^-1 Q, in the scales of the mass factor.
bool ActuatedSolver::load(const System& at, const double* Dt) {
    if (!mass_.factor(at, loaded_)) {
        return false;
    }
    mass_.load_force(at, loaded_, y0_.data());
    solve_lower(n_, mass_.L(), y0_.data());
    const auto load_row = [&](int place, double* into) {
        mass_.load_row(at, loaded_, place, into);
        solve_lower(n_, mass_.L(), into);
    };
    const int passive = static_cast<int>(active_.size());
    passive_.begin(passive);
    for (int k = 0; k < passive; ++k) {
        load_row(k, passive_.row(k));
    }
    passive_.normalize();
    for (int k = 0; k < passive; ++k) {
        beta_[size(k)] = passive_.unit(k) * mass_.rho(k) * at.b[active_[size(k)]];
    }
    for (int j = 0; j < static_cast<int>(active_servo_.size()); ++j) {
        const int place = passive + j;
        load_row(place, servo_.data() + j * n_);
        servo_unit_[size(j)] = mass_.rho(place) * to_unit(n_, servo_.data() + j * n_);
        beta_servo_[size(j)] = servo_unit_[size(j)] * at.b[active_servo_[size(j)]];
    }
    for (int k = 0; k < k_; ++k) {
        double* row = drive_.data() + k * n_;
        for (int i = 0; i < n_; ++i) {
            row[i] = Dt[k * n_ + i] * mass_.d(i);
        }
        solve_lower(n_, mass_.L(), row);
        drive_unit_[size(k)] = to_unit(n_, row);
    }
    return true;
}

/// Servo rows and actuators as Z^T sees them, and the lengths of their tails.
void ActuatedSolver::turn_rows() {
    const int r = passive_.rank();
    const auto turn = [&](double* row, double& tail) {
        passive_.apply_Zt(row);
        tail = length(n_ - r, row + r);
    };
    for (int j = 0; j < static_cast<int>(active_servo_.size()); ++j) {
        turn(servo_.data() + j * n_, servo_tail_[size(j)]);
    }
    for (int k = 0; k < k_; ++k) {
        turn(drive_.data() + k * n_, drive_tail_[size(k)]);
    }
}

/// Servo rows that neither the passive rows nor the servo rows before them contain.
void ActuatedSolver::choose_servo_rows() {
    const int r = passive_.rank();
    const int count = static_cast<int>(active_servo_.size());
    servo_factor_.begin(count);
    for (int j = 0; j < count; ++j) {
        double* row = servo_factor_.row(j);
        std::fill(row, row + r, 0.0);
        std::copy(servo_.data() + j * n_ + r, servo_.data() + (j + 1) * n_, row + r);
    }
    servo_factor_.factor(policy_);
    kept_servo_.clear();
    for (int place = 0; place < servo_factor_.rank(); ++place) {
        kept_servo_.push_back(servo_factor_.order(place));
    }
    std::sort(kept_servo_.begin(), kept_servo_.end());
}

/// Between the tails of an active servo row and an actuator. An actuator that only pushes against
/// the passive constraints moves nothing.
double ActuatedSolver::cosine(int row, int control) const {
    const int r = passive_.rank();
    return drive_tail_[size(control)] > kIrregular
               ? dot(n_ - r, servo_.data() + row * n_ + r, drive_.data() + control * n_ + r) /
                     (servo_tail_[size(row)] * drive_tail_[size(control)])
               : 0.0;
}

bool ActuatedSolver::factor_S() {
    S_.clear();
    if (servo_rank() != k_) {
        return false;
    }
    for (int j = 0; j < k_; ++j) {
        for (int k = 0; k < k_; ++k) {
            S_.entry(j, k) = cosine(kept_servo_[size(j)], k);
        }
    }
    return S_.factor();
}

/// The controls, and delta = [ - ; tail of y - y0 ], for given Z^T (y0 + yC) of which only the tail
/// counts. Controls are in the unit of the actuators' unit rows.
void ActuatedSolver::find_motion(const double* y, double* delta, double* u) {
    const int r = passive_.rank();
    const int tail = n_ - r;
    for (int j = 0; j < k_; ++j) {
        const int row = kept_servo_[size(j)];
        const double* s = servo_.data() + row * n_;
        solution_[size(j)] =
            (beta_servo_[size(row)] - dot(r, s, head_.data()) - dot(tail, s + r, y + r)) /
            servo_tail_[size(row)];
    }
    S_.solve(solution_.data());
    for (int k = 0; k < k_; ++k) {
        u[k] = solution_[size(k)] / drive_tail_[size(k)];
        for (int i = r; i < n_; ++i) {
            delta[i] += drive_[size(k * n_ + i)] * u[k];
        }
    }
}

SolveStatus ActuatedSolver::finish(const System& at, bool check, Wanted wanted) {
    const int r = passive_.rank();
    const bool nonideal = at.has_nonideal();
    passive_.apply_Zt(y0_.data());
    const auto start = [&](std::vector<double>& delta) {
        for (int i = 0; i < n_; ++i) {
            delta[size(i)] = i < r ? head_[size(i)] - y0_[size(i)] : 0.0;
        }
    };
    start(delta_ideal_);
    find_motion(y0_.data(), delta_ideal_.data(), u_ideal_.data());
    if (nonideal) {
        for (int i = 0; i < n_; ++i) {
            yC_[size(i)] = mass_.d(i) * at.C[i];
        }
        solve_lower(n_, mass_.L(), yC_.data());
        passive_.apply_Zt(yC_.data());
        start(delta_);
        std::copy(yC_.begin() + r, yC_.end(), delta_.begin() + r);
        for (int i = r; i < n_; ++i) {
            sum_[size(i)] = y0_[size(i)] + yC_[size(i)];
        }
        find_motion(sum_.data(), delta_.data(), u_.data());
    } else {
        std::fill(yC_.begin(), yC_.end(), 0.0);
        std::copy(delta_ideal_.begin(), delta_ideal_.end(), delta_.begin());
        std::copy(u_ideal_.begin(), u_ideal_.end(), u_.begin());
    }
    // What the passive rows carry: L^-1 (Qc - C - D u) = Z [lambda_head; 0].
    for (int i = 0; i < r; ++i) {
        head_[size(i)] = delta_[size(i)] - yC_[size(i)];
        for (int k = 0; k < k_; ++k) {
            head_[size(i)] -= drive_[size(k * n_ + i)] * u_[size(k)];
        }
    }
    // L^-1 Qc = y - y0
    for (int i = 0; i < n_; ++i) {
        a_[size(i)] = y0_[size(i)] + delta_[size(i)];
    }
    passive_.apply_Z(a_.data());
    solve_lower_transposed(n_, mass_.L(), a_.data());
    passive_.apply_Z(delta_.data());
    multiply_lower(n_, mass_.L(), delta_.data(), Qc_.data());
    passive_.apply_Z(delta_ideal_.data());
    multiply_lower(n_, mass_.L(), delta_ideal_.data(), Qc_ideal_.data());
    for (int i = 0; i < n_; ++i) {
        a_[size(i)] *= mass_.d(i);
        Qc_[size(i)] /= mass_.d(i);
        Qc_ideal_[size(i)] /= mass_.d(i);
        Qc_nonideal_[size(i)] = nonideal ? Qc_[size(i)] - Qc_ideal_[size(i)] : 0.0;
    }
    for (int k = 0; k < k_; ++k) {
        u_[size(k)] *= drive_unit_[size(k)];
    }
    if (!all_finite(n_, a_.data()) || !all_finite(n_, Qc_.data())) {
        return SolveStatus::kNotFinite;
    }
    if (check || wanted == Wanted::kAll) {
        share_.load(at, active_, passive_,
                    [this](int k) { return passive_.unit(k) * mass_.rho(k); });
        multipliers_of(head_.data(), lambda_.data());
    }
    return SolveStatus::kOk;
}

/// The multipliers whose rows carry Z [head; 0].
void ActuatedSolver::multipliers_of(const double* head, double* lambda) {
    passive_.multipliers(head, lambda_unit_.data());
    std::fill(lambda, lambda + m_, 0.0);
    for (int k = 0; k < static_cast<int>(active_.size()); ++k) {
        lambda[active_[size(k)]] = lambda_unit_[size(k)] * passive_.unit(k) * mass_.rho(k);
    }
    share_.share(lambda);
}

/// Largest scaled mismatch of b in the rows that do not decide the motion.
void ActuatedSolver::find_inconsistency(const System& at) {
    inconsistency_ = 0.0;
    const int r = passive_.rank();
    const bool given = at.b_magnitude.size() > 0;
    const double reach = length(n_, y0_.data()) + length(r, head_.data());
    const auto note = [&](double mismatch, double beta, double unit, int row) {
        const double magnitude = given ? at.b_magnitude[row] : 0.0;
        const double scale = reach + std::abs(beta) + unit * magnitude;
        inconsistency_ =
            mismatch != 0.0 ? std::max(inconsistency_, std::abs(mismatch) / scale) : inconsistency_;
    };
    for (int place = r; place < static_cast<int>(active_.size()); ++place) {
        const int k = passive_.order(place);
        const double beta = beta_[size(k)];
        note(passive_.value_of_dropped(place, head_.data()) - beta, beta,
             passive_.unit(k) * mass_.rho(k), active_[size(k)]);
    }
    const int servo = static_cast<int>(active_servo_.size());
    for (int j = 0; j < servo; ++j) {
        g_[size(j)] = beta_servo_[size(j)] - dot(r, servo_.data() + j * n_, head_.data());
    }
    servo_factor_.solve_kept(g_.data(), servo_head_.data());
    for (int place = servo_factor_.rank(); place < servo; ++place) {
        const int j = servo_factor_.order(place);
        note(servo_factor_.value_of_dropped(place, servo_head_.data()) - g_[size(j)],
             beta_servo_[size(j)], servo_unit_[size(j)], active_servo_[size(j)]);
    }
    for (const int row : vanished_) {
        const double b = std::abs(at.b[row]);
        const double scale = std::max(b, given ? at.b_magnitude[row] : 0.0);
        inconsistency_ = b > 0.0 ? std::max(inconsistency_, b / scale) : inconsistency_;
    }
}

}  // namespace ananke::solve
