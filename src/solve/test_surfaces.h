// Constraint surfaces with known geometry, for tests.
#pragma once

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "solve/projection.h"

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

    int coordinates() const override { return static_cast<int>(masses_.size()); }
    int position_rows() const override { return static_cast<int>(positions_.size()); }
    int velocity_rows() const override {
        return static_cast<int>(positions_.size() + velocities_.size());
    }
    void position(double /*t*/, const double* q, double* phi, double* J, double* scale) override {
        const int n = coordinates();
        std::vector<double>& gradient = gradient_;
        for (int k = 0; k < position_rows(); ++k) {
            gradient.assign(static_cast<std::size_t>(n), 0.0);
            phi[k] = positions_[static_cast<std::size_t>(k)](q, gradient.data(), scale[k]);
            for (int i = 0; i < n && J != nullptr; ++i) {
                J[k * n + i] = gradient[static_cast<std::size_t>(i)];
            }
        }
    }
    void velocity(double /*t*/, const double* q, const double* v, double* psi, double* J,
                  double* scale) override {
        const int n = coordinates();
        std::vector<double>& gradient = gradient_;
        for (int k = 0; k < velocity_rows(); ++k) {
            gradient.assign(static_cast<std::size_t>(n), 0.0);
            scale[k] = 0.0;
            if (k < position_rows()) {
                double unused = 0.0;
                positions_[static_cast<std::size_t>(k)](q, gradient.data(), unused);
                psi[k] = 0.0;
                for (int i = 0; i < n; ++i) {
                    psi[k] += gradient[static_cast<std::size_t>(i)] * v[i];
                    scale[k] += std::abs(gradient[static_cast<std::size_t>(i)] * v[i]);
                }
            } else {
                psi[k] = velocities_[static_cast<std::size_t>(k - position_rows())](
                    q, v, gradient.data(), scale[k]);
            }
            for (int i = 0; i < n && J != nullptr; ++i) {
                J[k * n + i] = gradient[static_cast<std::size_t>(i)];
            }
        }
    }
    void mass(double /*t*/, const double* /*q*/, double* M) override {
        const int n = coordinates();
        for (int i = 0; i < n * n; ++i) {
            M[i] = i % (n + 1) == 0 ? masses_[static_cast<std::size_t>(i / (n + 1))] : 0.0;
        }
    }

  private:
    std::vector<double> masses_;
    std::vector<Row> positions_;
    std::vector<VelocityRow> velocities_;
    std::vector<double> gradient_;
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
