// What the papers print about single systems, held against the runs of their models.
//
// US10 Udwadia & Schutte 2010, RH Roithmayr & Hodges, P21 Pamplona 2021.
#include <array>

#include <Eigen/Dense>

#include "pipeline.h"

namespace ananke::pipeline {
namespace {

using Eigen::Matrix3d;
using Eigen::Matrix4d;
using Eigen::Vector3d;
using Eigen::Vector4d;
using Matrix34 = Eigen::Matrix<double, 3, 4>;

Recording run_of(const Loaded& loaded, double until, int count = 50) {
    EXPECT_TRUE(loaded.prepared) << loaded.messages;
    if (!loaded.prepared) {
        return {};
    }
    Recording run = run_model(*loaded.prepared, {.times = even_times(until, count)});
    EXPECT_FALSE(run.error) << run.error->message;
    return run;
}

Vector3d vector_at(const Recording& run, std::size_t row, const std::string& name) {
    return {run.at(row, name + ".x"), run.at(row, name + ".y"), run.at(row, name + ".z")};
}

// ---- the rigid body in quaternions

Matrix34 E_of(const Vector4d& u) {  // US10 (80)
    Matrix34 E;
    E << -u[1], u[0], u[3], -u[2],  //
        -u[2], -u[3], u[0], u[1],   //
        -u[3], u[2], -u[1], u[0];
    return E;
}

struct RotationState {
    Vector4d u, ud, udd, Qc;
};

RotationState rotation_at(const Recording& run, std::size_t row) {
    RotationState s;
    for (int i = 0; i < 4; ++i) {
        const std::string name = "u" + std::to_string(i);
        s.u[i] = run.at(row, name);
        s.ud[i] = run.at(row, name + "'");
        s.udd[i] = run.at(row, name + "''");
        s.Qc[i] = run.at(row, "Qc[" + name + "]");
    }
    return s;
}

/// US10 (116) by way of (112), (119), (121), (123) for inertia J and a generalized torque Gamma_u.
void expect_rotation_identities(const RotationState& s, const Matrix3d& J,
                                const Vector4d& Gamma_u) {
    const Matrix34 E = E_of(s.u);
    const Matrix34 Ed = E_of(s.ud);
    const Vector3d omega = 2.0 * E * s.ud;  // (79)
    const Vector3d gyro = omega.cross(J * omega);
    const Vector3d Gamma_B = 0.5 * E * Gamma_u;  // (114)
    const double N_omega = omega.dot(omega);     // (115)
    const Vector4d udd = -0.5 * E.transpose() * J.inverse() * gyro - 0.25 * N_omega * s.u +
                         0.5 * E.transpose() * J.inverse() * Gamma_B;
    EXPECT_LT((s.udd - udd).norm(), 1e-11) << "(116)";

    const Vector4d Qc = -2.0 * omega.dot(J * omega) * s.u - s.u * s.u.dot(Gamma_u);
    EXPECT_LT((s.Qc - Qc).norm(), 1e-11 * std::max(1.0, Qc.norm())) << "(121)";

    for (const double alpha : {0.3, 1.0, 7.0}) {
        const double alpha2 = alpha * alpha;
        const Matrix4d mass = 4.0 * E.transpose() * J * E + alpha2 * s.u * s.u.transpose();
        const Vector4d by_omega = -2.0 * E.transpose() * gyro - 0.25 * alpha2 * N_omega * s.u +
                                  2.0 * E.transpose() * Gamma_B;
        const double scale = mass.norm() * s.udd.norm() + by_omega.norm();
        EXPECT_LT((mass * s.udd - by_omega).norm(), 1e-12 * scale) << "(119) at alpha " << alpha;

        const Vector4d Q_z = -8.0 * Ed.transpose() * J * E * s.ud - alpha2 * s.ud.dot(s.ud) * s.u +
                             Gamma_u;  // (122)
        EXPECT_LT((mass * s.udd - Q_z - s.Qc).norm(), 1e-12 * (scale + Q_z.norm()))
            << "(123) at alpha " << alpha;
    }
}

TEST(Papers, FreeTopKeepsTheIdentitiesOfUdwadiaAndSchutte) {
    const Recording run = run_of(load_model("free_top"), 10.0);
    const Matrix3d J = Vector3d(1.0, 2.0, 3.0).asDiagonal();
    for (std::size_t i = 0; i < run.rows.rows(); ++i) {
        SCOPED_TRACE(run.rows.row(i)[0]);
        expect_rotation_identities(rotation_at(run, i), J, Vector4d::Zero());
    }
}

// A full inertia matrix, and a generalized torque with a part along u, which the constraint takes.
TEST(Papers, DrivenTopWithFullInertiaKeepsThem) {
    const std::string text = R"(
coordinate u0, u1, u2, u3
let        o1 = 2*(-u1*u0' + u0*u1' + u3*u2' - u2*u3')
let        o2 = 2*(-u2*u0' - u3*u1' + u0*u2' + u1*u3')
let        o3 = 2*(-u3*u0' + u2*u1' - u1*u2' + u0*u3')
kinetic    1.1/2*o1^2 + 2/2*o2^2 + 2.7/2*o3^2 + 0.3*o1*o2 - 0.2*o1*o3 + 0.15*o2*o3
force      on u0 = 0.7
force      on u1 = sin(3*t)
force      on u2 = -0.4*u2'
force      on u3 = u0*u1
constraint unit: u0^2 + u1^2 + u2^2 + u3^2 = 1
initial    u0 = 0.5, u1 = 0.5, u2 = -0.5, u3 ~ 0.5, u0' ~ 0.1, u1' = 0.6, u2' = -0.2, u3' = 0.3
)";
    Matrix3d J;
    J << 1.1, 0.3, -0.2, 0.3, 2.0, 0.15, -0.2, 0.15, 2.7;
    const Recording run = run_of(load_text("top", text), 5.0);
    for (std::size_t i = 0; i < run.rows.rows(); ++i) {
        const RotationState s = rotation_at(run, i);
        const double t = run.rows.row(i)[0];
        SCOPED_TRACE(t);
        expect_rotation_identities(s, J, {0.7, std::sin(3.0 * t), -0.4 * s.ud[2], s.u[0] * s.u[1]});
    }
}

// ---- the two-link pendulum

/// sin of the Jacobi amplitude by the arithmetic-geometric mean (Abramowitz & Stegun 16.4).
double jacobi_sn(double x, double k) {
    constexpr int kLevels = 8;
    std::array<double, kLevels + 1> a{1.0};
    std::array<double, kLevels + 1> c{k};
    double b = std::sqrt(1.0 - k * k);
    for (std::size_t i = 0; i < kLevels; ++i) {
        a[i + 1] = 0.5 * (a[i] + b);
        c[i + 1] = 0.5 * (a[i] - b);
        b = std::sqrt(a[i] * b);
    }
    double phi = std::ldexp(a[kLevels] * x, kLevels);
    for (std::size_t i = kLevels; i > 0; --i) {
        phi = 0.5 * (phi + std::asin(c[i] / a[i] * std::sin(phi)));
    }
    return std::sin(phi);
}

// With L1 = L2 = 1 the bob stays on the circle x = (1 + cos p)/2, y = sin(p)/sqrt(2),
// z = (1 - cos p)/2 with p'' = -g sin p, so sin(p/2) = k sn(sqrt(g) t, k).
TEST(Papers, TwoLinkPendulumIsAPendulumOnACircle) {
    const Recording run = run_of(load_model("two_link_pendulum"), 3.0);
    const double g = 10.0;
    const double k = 4.0 * std::sqrt(2.0) / (2.0 * std::sqrt(g));
    for (std::size_t i = 0; i < run.rows.rows(); ++i) {
        const double half = std::asin(k * jacobi_sn(std::sqrt(g) * run.rows.row(i)[0], k));
        const double p = 2.0 * half;
        EXPECT_NEAR(run.at(i, "x"), 0.5 * (1.0 + std::cos(p)), 1e-10);
        EXPECT_NEAR(run.at(i, "y"), std::sin(p) / std::sqrt(2.0), 1e-10);
        EXPECT_NEAR(run.at(i, "z"), 0.5 * (1.0 - std::cos(p)), 1e-10);
    }
}

TEST(Papers, TwoLinkPendulumHasTheAccelerationOfPamplona) {
    for (const auto& [L1, L2] : {std::pair(1.0, 1.0), std::pair(1.3, 0.8), std::pair(0.7, 1.1)}) {
        const Recording run =
            run_of(load_model("two_link_pendulum", {setting("L1", L1), setting("L2", L2)}), 2.0);
        const double g = 10.0;
        for (std::size_t i = 0; i < run.rows.rows(); ++i) {
            const double x = run.at(i, "x");
            const double y = run.at(i, "y");
            const double z = run.at(i, "z");
            const double alpha = run.at(i, "speed2");
            const double delta = L2 * L2 * x * x + (L1 * L1 + L2 * L2) * y * y -
                                 2.0 * L1 * L2 * x * z + L1 * L1 * z * z;
            // P21 (77); (78) for L1 = L2 = 1
            const Vector3d a = Vector3d(-alpha * L2 * (L2 * x - L1 * z) + g * L2 * L2 * y * y,
                                        -y * (alpha * L1 * L1 + alpha * L2 * L2 + g * L2 * L2 * x -
                                              g * L1 * L2 * z),
                                        alpha * L1 * (L2 * x - L1 * z) - g * L1 * L2 * y * y) /
                               delta;
            EXPECT_LT(scaled_error(run.at(i, "x''"), a.x()), 1e-10);
            EXPECT_LT(scaled_error(run.at(i, "y''"), a.y()), 1e-10);
            EXPECT_LT(scaled_error(run.at(i, "z''"), a.z()), 1e-10);
        }
    }
}

// ---- forces of velocity constraints

// RH (60), (65): C = lambda [n3 - (a^2/u3)(u1 n1 + u2 n2)], lambda = m g/(1 + a^2), for the row of
// the paper, which is ours divided by 2 z'.
TEST(Papers, AppellsParticleCarriesTheForceOfTheClosedForm) {
    for (const std::string name : {"appell_a1_up", "appell_a1_down"}) {
        for (const double a : {0.5, 1.0, 1.7}) {
            SCOPED_TRACE(name + " a = " + to_text(a));
            const Recording run = run_of(load_model(name, {setting("a", a)}), 0.6);
            const double lambda = 2.0 * 9.81 / (1.0 + a * a);
            for (std::size_t i = 0; i < run.rows.rows(); ++i) {
                const double u1 = run.at(i, "x'");
                const double u2 = run.at(i, "y'");
                const double u3 = run.at(i, "z'");
                EXPECT_LT(scaled_error(run.at(i, "lambda[appell]") * 2.0 * u3, lambda), 1e-9);
                const Vector3d C = lambda * Vector3d(-a * a / u3 * u1, -a * a / u3 * u2, 1.0);
                const Vector3d Qc(run.at(i, "Qc[x]"), run.at(i, "Qc[y]"), run.at(i, "Qc[z]"));
                EXPECT_LT((Qc - C).norm(), 1e-9 * C.norm());
                EXPECT_LT((vector_at(run, i, "force[appell:P]") - C).norm(), 1e-9 * C.norm());
            }
        }
    }
}

struct Pucks {
    double lambda;
    Vector3d v1, v2, C1, C2;
};

Pucks pucks_at(const Recording& run, std::size_t i, const std::string& name) {
    return {run.at(i, "lambda[" + name + "]"),
            {run.at(i, "p1x'"), run.at(i, "p1y'"), 0.0},
            {run.at(i, "p2x'"), run.at(i, "p2y'"), 0.0},
            vector_at(run, i, "force[" + name + ":P1]"),
            vector_at(run, i, "force[" + name + ":P2]")};
}

TEST(Papers, PucksCarryForcesAlongTheDirectionsOfRoithmayrAndHodges) {
    const Vector3d n3(0.0, 0.0, 1.0);
    const auto expect_vectors = [](const Vector3d& a, const Vector3d& b) {
        EXPECT_LT((a - b).norm(), 1e-12 * std::max(1.0, b.norm()));
    };
    const Recording perpendicular = run_of(load_model("perpendicular"), 5.0);
    const Recording parallel = run_of(load_model("parallel"), 5.0);
    const Recording equal = run_of(load_model("equal_speed"), 5.0);
    double largest = HUGE_VAL;
    for (const Recording* run : {&perpendicular, &parallel, &equal}) {
        double most = 0.0;
        for (std::size_t i = 0; i < run->rows.rows(); ++i) {
            most = std::max(most, std::abs(run->at(i, "Qc[p1x]")));
        }
        largest = std::min(largest, most);
    }
    EXPECT_GT(largest, 0.01) << "a constraint that carries no force shows nothing";
    for (std::size_t i = 0; i < perpendicular.rows.rows(); ++i) {
        const Pucks p = pucks_at(perpendicular, i, "perpendicular");  // RH (27)
        expect_vectors(p.C1, p.lambda * p.v2);
        expect_vectors(p.C2, p.lambda * p.v1);
        EXPECT_NEAR(perpendicular.at(i, "Qc[p1x]"), p.C1.x(), 1e-12);
        EXPECT_NEAR(perpendicular.at(i, "Qc[p2y]"), p.C2.y(), 1e-12);

        const Pucks q = pucks_at(parallel, i, "parallel");  // RH (52)
        expect_vectors(q.C1, -q.lambda * n3.cross(q.v2));
        expect_vectors(q.C2, q.lambda * n3.cross(q.v1));

        const Pucks r = pucks_at(equal, i, "equal");  // RH (55); our row is twice the paper's
        expect_vectors(r.C1, -2.0 * r.lambda * r.v1);
        expect_vectors(r.C2, 2.0 * r.lambda * r.v2);
    }
}

// v = V (sech s, tanh s), s = s0 - g t/V, with sinh(s0) = z'/x' at the start.
TEST(Papers, ConstantSpeedFollowsItsClosedForm) {
    const Recording run = run_of(load_model("constant_speed"), 5.0);
    for (std::size_t i = 0; i < run.rows.rows(); ++i) {
        const double s = std::asinh(4.0 / 3.0) - 9.81 * run.rows.row(i)[0] / 5.0;
        EXPECT_NEAR(run.at(i, "x'"), 5.0 / std::cosh(s), 1e-10);
        EXPECT_NEAR(run.at(i, "z'"), 5.0 * std::tanh(s), 1e-10);
    }
}

// The skate slows as u = u0/(1 + a0 u0 t/m) and turns at a constant rate.
TEST(Papers, SkateSlowsByItsClosedForm) {
    const Recording run = run_of(load_model("skate_with_drag"), 10.0);
    for (std::size_t i = 0; i < run.rows.rows(); ++i) {
        const double t = run.rows.row(i)[0];
        EXPECT_NEAR(run.at(i, "u"), 4.0 / (1.0 + 1.5 * 4.0 * t / 60.0), 1e-10);
        EXPECT_NEAR(run.at(i, "phi"), 0.5 * t, 1e-11);
    }
}

}  // namespace
}  // namespace ananke::pipeline
