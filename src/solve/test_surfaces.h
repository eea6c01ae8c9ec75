// Constraint surfaces with known geometry, for tests.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "solve/constraint_surface.h"

namespace ananke::solve {

/// Surfaces built from functions; derivatives by hand in the lambdas.
class TestSurface : public ConstraintSurface {
  public:
    using Row = std::function<double(const double* x, double* gradient, double& scale)>;
    using VelocityRow =
        std::function<double(const double* q, const double* v, double* gradient, double& scale)>;

    explicit TestSurface(std::vector<double> masses) : masses_(std::move(masses)) {}
    TestSurface& hold(Row row) {
        positions_.push_back(std::move(row));
        return *this;
    }
    TestSurface& drive(VelocityRow row) {
        velocities_.push_back(std::move(row));
        return *this;
    }

    TestSurface& solve_with(Factors factors) {
        factors_ = factors;
        return *this;
    }

    int coordinates() const override { return static_cast<int>(masses_.size()); }
    int rows(Level level) const override {
        return static_cast<int>(positions_.size() +
                                (level == Level::kVelocities ? velocities_.size() : 0));
    }
    /// All of them: zeros are entries too.
    std::span<const SparsePlace> places(Level level) const override {
        std::vector<SparsePlace>& places = places_[static_cast<std::size_t>(level)];
        if (places.empty()) {
            for (int k = 0; k < rows(level); ++k) {
                for (int i = 0; i < coordinates(); ++i) {
                    places.push_back({k, i});
                }
            }
        }
        return places;
    }
    std::span<const SparsePlace> mass_places() const override {
        if (mass_places_.empty()) {
            for (int i = 0; i < coordinates(); ++i) {
                mass_places_.push_back({i, i});
            }
        }
        return mass_places_;
    }
    std::span<const double> mass(double /*t*/, const double* /*q*/) override { return masses_; }
    Factors factors() const override { return factors_; }
    std::span<const double> residuals(Level level, double /*t*/, const double* q, const double* v,
                                      double* f, double* scale) override {
        const std::size_t n = masses_.size();
        entries_.assign(static_cast<std::size_t>(rows(level)) * n, 0.0);
        for (std::size_t k = 0; k < positions_.size(); ++k) {
            double* const gradient = entries_.data() + k * n;
            f[k] = positions_[k](q, gradient, scale[k]);
            if (level == Level::kVelocities) {
                f[k] = scale[k] = 0.0;
                for (std::size_t i = 0; i < n; ++i) {
                    f[k] += gradient[i] * v[i];
                    scale[k] += std::abs(gradient[i] * v[i]);
                }
            }
        }
        for (std::size_t k = positions_.size(); k < static_cast<std::size_t>(rows(level)); ++k) {
            f[k] = velocities_[k - positions_.size()](q, v, entries_.data() + k * n, scale[k]);
        }
        return entries_;
    }

  private:
    std::vector<double> masses_;
    std::vector<Row> positions_;
    std::vector<VelocityRow> velocities_;
    std::vector<double> entries_;
    Factors factors_ = Factors::kDense;
    mutable std::array<std::vector<SparsePlace>, 2> places_;
    mutable std::vector<SparsePlace> mass_places_;
};

/// factor ((x - cx)^2 + (y - cy)^2 - r^2) = 0 for coordinates i, j.
inline TestSurface::Row circle(int i, int j, double cx, double cy, double r, double factor = 1.0) {
    return [=](const double* q, double* g, double& scale) {
        const double x = q[i] - cx;
        const double y = q[j] - cy;
        g[i] = factor * 2.0 * x;
        g[j] = factor * 2.0 * y;
        scale = std::abs(factor) * (x * x + y * y + r * r);
        return factor * (x * x + y * y - r * r);
    };
}

/// The distance of (x_i, y_i+1) and (x_j, y_j+1) is r.
inline TestSurface::Row rod(int i, int j, double r) {
    return [=](const double* q, double* g, double& scale) {
        const double x = q[i] - q[j];
        const double y = q[i + 1] - q[j + 1];
        g[i] = 2.0 * x;
        g[j] = -2.0 * x;
        g[i + 1] = 2.0 * y;
        g[j + 1] = -2.0 * y;
        scale = x * x + y * y + r * r;
        return x * x + y * y - r * r;
    };
}

/// q_i = value.
inline TestSurface::Row fixed(int i, double value) {
    return [=](const double* q, double* g, double& scale) {
        g[i] = 1.0;
        scale = std::abs(q[i]) + std::abs(value);
        return q[i] - value;
    };
}

/// v . v = speed^2: nonlinear in the velocity.
inline TestSurface::VelocityRow constant_speed(int n, double speed) {
    return [=](const double* /*q*/, const double* v, double* g, double& scale) {
        double sum = 0.0;
        for (int i = 0; i < n; ++i) {
            g[i] = 2.0 * v[i];
            sum += v[i] * v[i];
        }
        scale = sum + speed * speed;
        return sum - speed * speed;
    };
}

}  // namespace ananke::solve
