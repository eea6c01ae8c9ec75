#include "solve/projection.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/check.h"
#include "solve/acceleration.h"
#include "solve/kernels.h"

namespace ananke::solve {
namespace {

// Weight of the plain norm against the masses where M is singular: enough to break ties, too little
// to bend the metric where there is mass.
constexpr double kTieWeight = 1e-9;
// A correction that leaves more than this part of the residual asks for a new Jacobian.
constexpr double kSlow = 0.1;

std::size_t size(int n) {
    return static_cast<std::size_t>(n);
}

}  // namespace

LeastChange::LeastChange(int n, int max_rows)
    : n_(n),
      factor_(n, max_rows),
      active_(size(max_rows)),
      d_(size(n), 1.0),
      row_scale_(size(max_rows)),
      rho_(size(max_rows)),
      L_(size(n) * size(n)),
      metric_(size(n) * size(n)),
      square_(size(n) * size(n)),
      work_(size(n) + size(max_rows)),
      beta_(size(max_rows)),
      head_(size(n)) {}

bool LeastChange::load(int m, const double* M, const double* J, const RankPolicy& policy,
                       std::span<const CoordinateGroup> groups) {
    if (!all_finite(n_ * n_, M) || !all_finite(m * n_, J)) {
        return false;
    }
    active_count_ = 0;
    for (int k = 0; k < m; ++k) {
        if (dot(n_, J + k * n_, J + k * n_) > 0.0) {
            active_[active_count_++] = k;
        }
    }
    const bool regular = positive_definite(n_, M, kSingularMass, L_.data(), square_.data());
    std::fill(d_.begin(), d_.end(), 1.0);
    if (!regular) {
        equilibrate(n_, M, J, active_count_, active_.data(), d_.data(), row_scale_.data(),
                    work_.data(), groups);
    }
    factor_.begin(active_count_);
    for (int k = 0; k < active_count_; ++k) {
        const double* row = J + active_[k] * n_;
        double* w = factor_.row(k);
        for (int i = 0; i < n_; ++i) {
            w[i] = row[i] * d_[i];
        }
        rho_[k] = regular ? 1.0 : 1.0 / std::sqrt(dot(n_, w, w));
        for (int i = 0; i < n_; ++i) {
            w[i] *= rho_[k];
        }
    }
    if (!regular) {
        // On J dx = -f the term |J dx|^2 is constant, so it does not bend the metric.
        for (int i = 0; i < n_; ++i) {
            for (int j = 0; j <= i; ++j) {
                double sum = d_[i] * M[i * n_ + j] * d_[j] + (i == j ? kTieWeight : 0.0);
                for (int k = 0; k < active_count_; ++k) {
                    sum += factor_.row(k)[i] * factor_.row(k)[j];
                }
                metric_[i * n_ + j] = sum;
            }
        }
        if (!(cholesky(n_, metric_.data(), L_.data()) > 0.0)) {
            return false;
        }
    }
    solve_lower(n_, L_.data(), factor_.row(0), active_count_);
    factor_.normalize();
    factor_.factor(policy);
    return true;
}

void LeastChange::step(const double* f, double* dx) {
    for (int k = 0; k < active_count_; ++k) {
        beta_[k] = -f[active_[k]] * rho_[k] * factor_.unit(k);
    }
    std::fill(dx, dx + n_, 0.0);
    factor_.solve_kept(beta_.data(), head_.data());
    std::copy(head_.data(), head_.data() + factor_.rank(), dx);
    factor_.apply_Z(dx);
    solve_lower_transposed(n_, L_.data(), dx);
    for (int i = 0; i < n_; ++i) {
        dx[i] *= d_[i];
    }
}

// One of the two levels: what moves, and what is asked of it.
struct Projector::Level {
    bool velocity;
    double t;
    const double* q;
    double* x;  // what moves: q itself, or v
    int rows;
};

Projector::Projector(ConstraintSurface& surface, ProjectionOptions options)
    : surface_(surface),
      options_(options),
      n_(surface.coordinates()),
      change_(n_, std::max(surface.position_rows(), surface.velocity_rows())) {
    const std::size_t rows = size(std::max(surface.position_rows(), surface.velocity_rows()));
    f_.resize(rows);
    scale_.resize(rows);
    J_.resize(rows * size(n_));
    M_.resize(size(n_) * size(n_));
    step_.resize(size(n_));
    start_.resize(size(n_));
    kept_q_.resize(size(n_));
    kept_v_.resize(size(n_));
}

bool Projector::evaluate(const Level& level, double& violation, int& worst) {
    double* J = J_.data();
    if (level.velocity) {
        surface_.velocity(level.t, level.q, level.x, f_.data(), J, scale_.data());
    } else {
        surface_.position(level.t, level.x, f_.data(), J, scale_.data());
    }
    violation = 0.0;
    worst = -1;
    for (int k = 0; k < level.rows; ++k) {
        const double scaled = std::abs(f_[k]) / divisor(scale_[k]);
        if (scaled > violation) {
            violation = scaled;
            worst = k;
        }
    }
    return all_finite(level.rows, f_.data());
}

// Newton's method; the Jacobian is kept while it serves. False if the residual is not finite or
// does not come down.
bool Projector::descend(const Level& level, ProjectionReport& report, double& residual,
                        int& worst) {
    if (level.rows == 0) {
        return true;
    }
    if (!evaluate(level, residual, worst)) {
        return false;
    }
    if (residual <= options_.skip) {
        return true;
    }
    surface_.mass(level.t, level.q, M_.data());
    bool fresh = false;
    for (int iteration = 0; iteration < options_.most_iterations; ++iteration) {
        if (!fresh) {
            if (!change_.load(level.rows, M_.data(), J_.data(), options_.rank, surface_.groups())) {
                return false;
            }
            fresh = true;
        }
        change_.step(f_.data(), step_.data());
        std::copy(level.x, level.x + n_, start_.data());
        for (int i = 0; i < n_; ++i) {
            level.x[i] += step_[i];
        }
        ++report.iterations;
        double now = 0.0;
        int worst_now = -1;
        const bool finite = evaluate(level, now, worst_now);
        if (!finite || (now >= residual && residual <= options_.accept)) {
            std::copy(start_.begin(), start_.end(),
                      level.x);  // round-off reached: the last was best
            return finite;
        }
        fresh = now < kSlow * residual;
        residual = now;
        worst = worst_now;
        if (residual <= options_.skip) {
            return true;
        }
    }
    return residual <= options_.accept;
}

ProjectionReport Projector::project(double t, std::span<double> q, std::span<double> v) {
    ANANKE_REQUIRE(q.size() == size(n_) && v.size() == size(n_));
    ProjectionReport report;
    if (!all_finite(n_, q.data()) || !all_finite(n_, v.data())) {
        report.status = ProjectionStatus::kNotFinite;
        return report;
    }
    std::copy(q.begin(), q.end(), kept_q_.begin());
    std::copy(v.begin(), v.end(), kept_v_.begin());
    const Level positions{false, t, kept_q_.data(), q.data(), surface_.position_rows()};
    const Level velocities{true, t, q.data(), v.data(), surface_.velocity_rows()};
    if (!descend(positions, report, report.position_residual, report.worst_position_row)) {
        report.status = ProjectionStatus::kPositionNotConverged;
    } else if (!descend(velocities, report, report.velocity_residual, report.worst_velocity_row)) {
        report.status = ProjectionStatus::kVelocityNotConverged;
    }
    if (report.status != ProjectionStatus::kOk) {
        std::copy(kept_q_.begin(), kept_q_.end(), q.begin());
        std::copy(kept_v_.begin(), kept_v_.end(), v.begin());
        return report;
    }
    for (int i = 0; i < n_; ++i) {
        report.position_correction =
            std::max(report.position_correction, std::abs(q[size(i)] - kept_q_[i]));
        report.velocity_correction =
            std::max(report.velocity_correction, std::abs(v[size(i)] - kept_v_[i]));
    }
    report.position_changed = report.position_correction > 0.0;
    report.velocity_changed = report.velocity_correction > 0.0;
    return report;
}

double Projector::position_violation(double t, std::span<const double> q) {
    std::copy(q.begin(), q.end(), kept_q_.begin());
    double violation = 0.0;
    int worst = -1;
    evaluate({false, t, kept_q_.data(), kept_q_.data(), surface_.position_rows()}, violation,
             worst);
    return violation;
}

double Projector::velocity_violation(double t, std::span<const double> q,
                                     std::span<const double> v) {
    std::copy(v.begin(), v.end(), kept_v_.begin());
    double violation = 0.0;
    int worst = -1;
    evaluate({true, t, q.data(), kept_v_.data(), surface_.velocity_rows()}, violation, worst);
    return violation;
}

}  // namespace ananke::solve
