#include "solve/forms.h"

#include <gtest/gtest.h>

#include "solve/random_system.h"

namespace ananke::solve {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Pendulum in Cartesian coordinates: x^2 + y^2 = l^2 differentiated twice.
SystemData pendulum(double mass, double x, double y, double vx, double vy) {
    SystemData s(2, 1);
    s.M = mass * MatrixXd::Identity(2, 2);
    s.Q << 0.0, -9.81 * mass;
    s.A << x, y;
    s.b << -(vx * vx + vy * vy);
    return s;
}

// Analytic: the rod force is Qc = m (g y - v^2) / l^2 (x, y).
TEST(Forms, PendulumMatchesClosedForm) {
    const double mass = 2.0, x = 0.6, y = -0.8, vx = 0.4, vy = 0.3;
    const SystemData s = pendulum(mass, x, y, vx, vy);
    const double lambda = mass * (9.81 * y - (vx * vx + vy * vy)) / (x * x + y * y);
    for (const Form form : all_forms()) {
        SCOPED_TRACE(form_name(form));
        const Result<Motion> r = evaluate(form, s.view());
        ASSERT_TRUE(r) << r.error().message;
        EXPECT_NEAR(r.value().Qc[0], lambda * x, 1e-13);
        EXPECT_NEAR(r.value().Qc[1], lambda * y, 1e-13);
        EXPECT_NEAR(r.value().lambda[0], lambda, 1e-13);
        EXPECT_NEAR(r.value().a[0], lambda * x / mass, 1e-13);
        EXPECT_EQ(r.value().rank, 1);
    }
}

}  // namespace
}  // namespace ananke::solve
