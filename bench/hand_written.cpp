#include "hand_written.h"

#include <cmath>

#include "hand_dop853.h"
#include "hand_projection.h"

namespace ananke::bench {
namespace {

constexpr double sq(double x) {
    return x * x;
}

/// Pamplona 2021 (57)-(70), eliminated by hand: one multiplier on x1 - x2.
struct Duffing {
    static constexpr std::size_t n = 2;
    using Residual = std::array<double, 1>;
    using Jacobian = Matrix<1, 2>;
    using Mass = Matrix<2, 2>;

    static constexpr double m1 = 2, m2 = 1, k1 = 10, k2 = 12, k1nl = 1, k2nl = 2;
    static constexpr double c1 = 0.1, c2 = 0.15, A0 = 1, alpha = 1;
    static constexpr double omega = 6.283185307179586476925286766559;

    static void acceleration(double t, const double* q, const double* v, double* a) {
        const double u = q[0] - q[1];
        const double upper = u * (k1 + k1nl * u * u) + c1 * (v[0] - v[1]);
        const double lower = q[1] * (k2 + k2nl * q[1] * q[1]) + c2 * v[1];
        const double Q1 = -upper;
        const double Q2 = upper - lower;
        const double b = A0 * std::exp(-alpha * t) *
                         ((sq(alpha) - sq(omega)) * std::sin(omega * t) -
                          2 * alpha * omega * std::cos(omega * t));
        const double lambda = (b - Q1 / m1 + Q2 / m2) / (1 / m1 + 1 / m2);
        a[0] = (Q1 + lambda) / m1;
        a[1] = (Q2 - lambda) / m2;
    }
    static void solved(double t, const double* q, const double* v, double* a) {
        const double u = q[0] - q[1];
        const double upper = u * (k1 + k1nl * u * u) + c1 * (v[0] - v[1]);
        const double lower = q[1] * (k2 + k2nl * q[1] * q[1]) + c2 * v[1];
        const double b = A0 * std::exp(-alpha * t) *
                         ((sq(alpha) - sq(omega)) * std::sin(omega * t) -
                          2 * alpha * omega * std::cos(omega * t));
        acceleration_of_particles<2, 1>({1 / m1, 1 / m2}, {-upper, upper - lower}, {{{1, -1}}}, {b},
                                        a);
    }
    static void position(double t, const double* q, Residual& phi, Jacobian& A) {
        phi = {q[0] - q[1] - A0 * std::exp(-alpha * t) * std::sin(omega * t)};
        A = {{{1, -1}}};
    }
    static Residual rate(double t, const Jacobian& /*A*/, const double* v) {
        return {v[0] - v[1] -
                A0 * std::exp(-alpha * t) *
                    (omega * std::cos(omega * t) - alpha * std::sin(omega * t))};
    }
    static void mass(const double* /*q*/, Mass& M) { M = {{{m1, 0}, {0, m2}}}; }
};

/// Pamplona 2021 (71)-(78): the 2x2 system of the rods' multipliers in closed form.
struct TwoLinkPendulum {
    static constexpr std::size_t n = 3;
    using Residual = std::array<double, 2>;
    using Jacobian = Matrix<2, 3>;
    using Mass = Matrix<3, 3>;

    static constexpr double m = 1, g = 10, L1 = 1, L2 = 1;

    static void acceleration(double /*t*/, const double* q, const double* v, double* a) {
        const double x = q[0], y = q[1], z = q[2];
        const double x2 = x - L1, z2 = z - L2;
        const double yy = y * y;
        const double b = -(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        const double g11 = x * x + yy + z * z;
        const double g12 = x * x2 + yy + z * z2;
        const double g22 = x2 * x2 + yy + z2 * z2;
        const double r1 = b - x * g;
        const double r2 = b - x2 * g;
        const double per_determinant = 1 / (g11 * g22 - g12 * g12);
        const double lambda1 = (g22 * r1 - g12 * r2) * per_determinant;
        const double lambda2 = (g11 * r2 - g12 * r1) * per_determinant;
        a[0] = g + x * lambda1 + x2 * lambda2;
        a[1] = y * (lambda1 + lambda2);
        a[2] = z * lambda1 + z2 * lambda2;
    }
    static void solved(double t, const double* q, const double* v, double* a) {
        Residual phi;
        Jacobian A;
        position(t, q, phi, A);
        const double b = -2 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        acceleration_of_particles<3, 2>({1 / m, 1 / m, 1 / m}, {m * g, 0, 0}, A, {b, b}, a);
    }
    static void position(double /*t*/, const double* q, Residual& phi, Jacobian& A) {
        const double x2 = q[0] - L1, z2 = q[2] - L2;
        phi = {sq(q[0]) + sq(q[1]) + sq(q[2]) - sq(L1), sq(x2) + sq(q[1]) + sq(z2) - sq(L2)};
        A = {{{2 * q[0], 2 * q[1], 2 * q[2]}, {2 * x2, 2 * q[1], 2 * z2}}};
    }
    static Residual rate(double /*t*/, const Jacobian& A, const double* v) {
        return {A[0][0] * v[0] + A[0][1] * v[1] + A[0][2] * v[2],
                A[1][0] * v[0] + A[1][1] * v[1] + A[1][2] * v[2]};
    }
    static void mass(const double* /*q*/, Mass& M) { M = {{{m, 0, 0}, {0, m, 0}, {0, 0, m}}}; }
};

/// Roithmayr & Hodges (25)-(29): one row [v2, v1] on the velocities, no positions to hold.
struct Perpendicular {
    static constexpr std::size_t n = 4;

    static constexpr double m1 = 1, m2 = 2, f1 = 1, f2 = 1;

    static double squared_length(const double* v) {
        return (sq(v[2]) + sq(v[3])) / m1 + (sq(v[0]) + sq(v[1])) / m2;
    }
    static void push(const double* v, double lambda, double* x) {
        const double at1 = lambda / m1, at2 = lambda / m2;
        const double change[4] = {at1 * v[2], at1 * v[3], at2 * v[0], at2 * v[1]};
        for (std::size_t i = 0; i < n; ++i) {
            x[i] += change[i];
        }
    }
    static void acceleration(double /*t*/, const double* /*q*/, const double* v, double* a) {
        a[0] = f1 / m1;
        a[1] = 0.0;
        a[2] = f2 / m2;
        a[3] = 0.0;
        push(v, -(v[2] * a[0] + v[0] * a[2]) / squared_length(v), a);
    }
    static void solved(double /*t*/, const double* /*q*/, const double* v, double* a) {
        acceleration_of_particles<4, 1>({1 / m1, 1 / m1, 1 / m2, 1 / m2}, {f1, 0, f2, 0},
                                        {{{v[2], v[3], v[0], v[1]}}}, {0.0}, a);
    }
    static void project(double /*t*/, double* /*q*/, double* v) {
        constexpr double kDone = 2e-15;
        constexpr int kMostIterations = 3;
        for (int i = 0; i < kMostIterations; ++i) {
            const double residual = v[0] * v[2] + v[1] * v[3];
            if (std::abs(residual) <= kDone) {
                return;
            }
            push(v, -residual / squared_length(v), v);
        }
    }
};

/// Andrews' squeezing mechanism; mass matrix and forces as in Hairer & Wanner, Solving Ordinary
/// Differential Equations II, VII.7. The loops are solved by hand: crank and P give every other
/// acceleration through three 2x2 systems, which leaves one equation for the crank.
struct Andrews {
    static constexpr std::size_t n = 7;
    using Residual = std::array<double, 6>;
    using Jacobian = Matrix<6, 7>;
    using Mass = Matrix<7, 7>;

    static constexpr double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.0705,
                            m6 = 0.00706, m7 = 0.05498;
    static constexpr double i1 = 2.194e-6, i2 = 4.41e-7, i3 = 5.255e-6, i4 = 5.667e-7,
                            i5 = 1.169e-5, i6 = 5.667e-7, i7 = 1.912e-5;
    static constexpr double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014,
                            yc = 0.072;
    static constexpr double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007,
                            ra = 0.00092;
    static constexpr double ss = 0.035, sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02,
                            ta = 0.02308, tb = 0.00916;
    static constexpr double u = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04,
                            fa = 0.01421;
    static constexpr double c0 = 4530, l0 = 0.07785, mom = 0.033;
    static constexpr double e4 = e - ea, f6 = zf - fa;

    struct Angle {
        double s, c;
        explicit Angle(double x) : s(std::sin(x)), c(std::cos(x)) {}
    };
    struct Angles {
        Angle beta, a2, gamma, a4, delta, a6, epsilon;
        explicit Angles(const double* q)
            : beta(q[0]),
              a2(q[0] + q[1]),
              gamma(q[2]),
              a4(q[3] + q[4]),
              delta(q[4]),
              a6(q[5] + q[6]),
              epsilon(q[6]) {}
    };
    /// The blocks of M: beta and theta, gamma, phi and delta, Omega and epsilon.
    struct Blocks {
        double bb, bt, tt, gg, pp, pd, dd, oo, oe, ee;
        Blocks(double cos_theta, double sin_phi, double sin_Omega)
            : bb(m1 * sq(ra) + m2 * (sq(rr) + sq(da) - 2 * da * rr * cos_theta) + i1 + i2),
              bt(m2 * (sq(da) - da * rr * cos_theta) + i2),
              tt(m2 * sq(da) + i2),
              gg(m3 * (sq(sa) + sq(sb)) + i3),
              pp(m4 * sq(e4) + i4),
              pd(m4 * (sq(e4) + zt * e4 * sin_phi) + i4),
              dd(m4 * (sq(zt) + 2 * zt * e4 * sin_phi + sq(e4)) + m5 * (sq(ta) + sq(tb)) + i4 + i5),
              oo(m6 * sq(f6) + i6),
              oe(m6 * (sq(f6) - u * f6 * sin_Omega) + i6),
              ee(m6 * (sq(f6) - 2 * u * f6 * sin_Omega + sq(u)) + m7 * (sq(ua) + sq(ub)) + i6 +
                 i7) {}
    };

    static void acceleration(double /*t*/, const double* q, const double* v, double* a) {
        const auto [beta, a2, gamma, a4, delta, a6, epsilon] = Angles(q);
        const double cos_theta = a2.c * beta.c + a2.s * beta.s;
        const double sin_theta = a2.s * beta.c - a2.c * beta.s;
        const double cos_phi = a4.c * delta.c + a4.s * delta.s;
        const double sin_phi = a4.s * delta.c - a4.c * delta.s;
        const double cos_Omega = a6.c * epsilon.c + a6.s * epsilon.s;
        const double sin_Omega = a6.s * epsilon.c - a6.c * epsilon.s;
        const Blocks M(cos_theta, sin_phi, sin_Omega);

        // Forces.
        const double xD = xb + sc * gamma.s + sd * gamma.c - xc;
        const double yD = yb - sc * gamma.c + sd * gamma.s - yc;
        const double pull = -c0 * (1 - l0 / std::sqrt(xD * xD + yD * yD));
        const double F0 = mom - m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * sin_theta;
        const double F1 = m2 * da * rr * sq(v[0]) * sin_theta;
        const double F2 =
            pull * (xD * (sc * gamma.c - sd * gamma.s) + yD * (sd * gamma.c + sc * gamma.s));
        const double F3 = m4 * zt * e4 * sq(v[4]) * cos_phi;
        const double F4 = -m4 * zt * e4 * v[3] * (v[3] + 2 * v[4]) * cos_phi;
        const double F5 = -m6 * u * f6 * sq(v[6]) * cos_Omega;
        const double F6 = m6 * u * f6 * v[5] * (v[5] + 2 * v[6]) * cos_Omega;

        // P'' through crank and coupler = P'' through body 3, with beta'' = 1 (N) and from the
        // velocities alone (p).
        const double w2 = sq(v[0] + v[1]), w4 = sq(v[3] + v[4]), w6 = sq(v[5] + v[6]);
        const double per3 = 1 / (-d * ss * (a2.s * gamma.s + a2.c * gamma.c));
        const double Bx = rr * beta.s - d * a2.s, By = d * a2.c - rr * beta.c;  // -P_beta
        const double Gx = -ss * sq(v[2]) * gamma.s, Gy = ss * sq(v[2]) * gamma.c;
        const double Rx = Gx + rr * sq(v[0]) * beta.c - d * w2 * a2.c;
        const double Ry = Gy + rr * sq(v[0]) * beta.s - d * w2 * a2.s;
        const double theta_N = ss * (gamma.c * By - gamma.s * Bx) * per3;
        const double theta_p = ss * (gamma.c * Ry - gamma.s * Rx) * per3;
        const double gamma_N = d * (a2.s * By + a2.c * Bx) * per3;
        const double gamma_p = d * (a2.s * Ry + a2.c * Rx) * per3;

        // The same P'' through bodies 4 and 5, and through bodies 6 and 7.
        const double Nx = ss * gamma.c * gamma_N, Ny = ss * gamma.s * gamma_N;
        const double px = ss * gamma.c * gamma_p + Gx, py = ss * gamma.s * gamma_p + Gy;
        const double x4 = px + e * w4 * a4.s + zt * sq(v[4]) * delta.c;
        const double y4 = py - e * w4 * a4.c + zt * sq(v[4]) * delta.s;
        const double x6 = px + zf * w6 * a6.c + u * sq(v[6]) * epsilon.s;
        const double y6 = py + zf * w6 * a6.s - u * sq(v[6]) * epsilon.c;
        const double per4 = 1 / cos_phi, per6 = 1 / cos_Omega;
        const double delta_N = (a4.c * Ny - a4.s * Nx) * (per4 / zt);
        const double delta_p = (a4.c * y4 - a4.s * x4) * (per4 / zt);
        const double phi_N = (delta.c * Nx + delta.s * Ny) * (per4 / e) - delta_N;
        const double phi_p = (delta.c * x4 + delta.s * y4) * (per4 / e) - delta_p;
        const double epsilon_N = (a6.c * Nx + a6.s * Ny) * (per6 / u);
        const double epsilon_p = (a6.c * x6 + a6.s * y6) * (per6 / u);
        const double Omega_N = (epsilon.c * Ny - epsilon.s * Nx) * (per6 / zf) - epsilon_N;
        const double Omega_p = (epsilon.c * y6 - epsilon.s * x6) * (per6 / zf) - epsilon_p;

        // N^T M N beta'' = N^T (F - M a_p)
        const double N0 = M.bb + M.bt * theta_N, N1 = M.bt + M.tt * theta_N, N2 = M.gg * gamma_N;
        const double N3 = M.pp * phi_N + M.pd * delta_N, N4 = M.pd * phi_N + M.dd * delta_N;
        const double N5 = M.oo * Omega_N + M.oe * epsilon_N;
        const double N6 = M.oe * Omega_N + M.ee * epsilon_N;
        const double inertia = N0 + theta_N * N1 + gamma_N * N2 + phi_N * N3 + delta_N * N4 +
                               Omega_N * N5 + epsilon_N * N6;
        const double force = F0 + theta_N * F1 + gamma_N * F2 + phi_N * F3 + delta_N * F4 +
                             Omega_N * F5 + epsilon_N * F6;
        const double carried =
            theta_p * N1 + gamma_p * N2 + phi_p * N3 + delta_p * N4 + Omega_p * N5 + epsilon_p * N6;
        const double crank = (force - carried) / inertia;
        a[0] = crank;
        a[1] = theta_p + theta_N * crank;
        a[2] = gamma_p + gamma_N * crank;
        a[3] = phi_p + phi_N * crank;
        a[4] = delta_p + delta_N * crank;
        a[5] = Omega_p + Omega_N * crank;
        a[6] = epsilon_p + epsilon_N * crank;
    }

    static void solved(double /*t*/, const double* q, const double* v, double* a) {
        const Angles at(q);
        const double sin_theta = std::sin(q[1]), cos_theta = std::cos(q[1]);
        const double sin_phi = std::sin(q[3]), cos_phi = std::cos(q[3]);
        const double sin_Omega = std::sin(q[5]), cos_Omega = std::cos(q[5]);
        const double xD = xb + sc * at.gamma.s + sd * at.gamma.c - xc;
        const double yD = yb - sc * at.gamma.c + sd * at.gamma.s - yc;
        const double pull = -c0 * (1 - l0 / std::sqrt(xD * xD + yD * yD));
        const std::array<double, n> F{mom - m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * sin_theta,
                                      m2 * da * rr * sq(v[0]) * sin_theta,
                                      pull * (xD * (sc * at.gamma.c - sd * at.gamma.s) +
                                              yD * (sd * at.gamma.c + sc * at.gamma.s)),
                                      m4 * zt * e4 * sq(v[4]) * cos_phi,
                                      -m4 * zt * e4 * v[3] * (v[3] + 2 * v[4]) * cos_phi,
                                      -m6 * u * f6 * sq(v[6]) * cos_Omega,
                                      m6 * u * f6 * v[5] * (v[5] + 2 * v[6]) * cos_Omega};
        const double w2 = sq(v[0] + v[1]), w4 = sq(v[3] + v[4]), w6 = sq(v[5] + v[6]);
        const double xP = rr * sq(v[0]) * at.beta.c - d * w2 * at.a2.c;
        const double yP = rr * sq(v[0]) * at.beta.s - d * w2 * at.a2.s;
        const Residual b{xP - ss * sq(v[2]) * at.gamma.s,
                         yP + ss * sq(v[2]) * at.gamma.c,
                         xP - zt * sq(v[4]) * at.delta.c - e * w4 * at.a4.s,
                         yP - zt * sq(v[4]) * at.delta.s + e * w4 * at.a4.c,
                         xP - u * sq(v[6]) * at.epsilon.s - zf * w6 * at.a6.c,
                         yP + u * sq(v[6]) * at.epsilon.c - zf * w6 * at.a6.s};
        constrained_acceleration<7, 6>(mass(Blocks(cos_theta, sin_phi, sin_Omega)), F, jacobian(at),
                                       b, a);
    }

    static void position(double /*t*/, const double* q, Residual& f, Jacobian& A) {
        const Angles at(q);
        const auto& [beta, a2, gamma, a4, delta, a6, epsilon] = at;
        A = jacobian(at);
        const double xP = rr * beta.c - d * a2.c, yP = rr * beta.s - d * a2.s;
        f = {xP - ss * gamma.s - xb,
             yP + ss * gamma.c - yb,
             xP - xa - zt * delta.c - e * a4.s,
             yP - ya - zt * delta.s + e * a4.c,
             xP - xa - u * epsilon.s - zf * a6.c,
             yP - ya + u * epsilon.c - zf * a6.s};
    }
    static Jacobian jacobian(const Angles& at) {
        const auto& [beta, a2, gamma, a4, delta, a6, epsilon] = at;
        Jacobian A{};
        for (std::size_t row = 0; row < 6; row += 2) {
            A[row][1] = d * a2.s;
            A[row + 1][1] = -d * a2.c;
            A[row][0] = A[row][1] - rr * beta.s;
            A[row + 1][0] = A[row + 1][1] + rr * beta.c;
        }
        A[0][2] = -ss * gamma.c;
        A[1][2] = -ss * gamma.s;
        A[2][3] = -e * a4.c;
        A[3][3] = -e * a4.s;
        A[2][4] = A[2][3] + zt * delta.s;
        A[3][4] = A[3][3] - zt * delta.c;
        A[4][5] = zf * a6.s;
        A[5][5] = -zf * a6.c;
        A[4][6] = A[4][5] - u * epsilon.c;
        A[5][6] = A[5][5] - u * epsilon.s;
        return A;
    }
    static Residual rate(double /*t*/, const Jacobian& A, const double* v) {
        Residual f{};
        for (std::size_t i = 0; i < 6; ++i) {
            for (std::size_t j = 0; j < 7; ++j) {
                f[i] += A[i][j] * v[j];
            }
        }
        return f;
    }
    static void mass(const double* q, Mass& M) {
        M = mass(Blocks(std::cos(q[1]), std::sin(q[3]), std::sin(q[5])));
    }
    static Mass mass(const Blocks& block) {
        Mass M{};
        M[0][0] = block.bb;
        M[0][1] = M[1][0] = block.bt;
        M[1][1] = block.tt;
        M[2][2] = block.gg;
        M[3][3] = block.pp;
        M[3][4] = M[4][3] = block.pd;
        M[4][4] = block.dd;
        M[5][5] = block.oo;
        M[5][6] = M[6][5] = block.oe;
        M[6][6] = block.ee;
        return M;
    }
};

/// A model whose accelerations come from the solve.
template <class Model>
struct Solved : Model {
    static void acceleration(double t, const double* q, const double* v, double* a) {
        Model::solved(t, q, v, a);
    }
};

template <class Model>
HandRun run(double t_end, double tolerance, bool with_projection, double* q, double* v) {
    return HandDop853<Model>(tolerance).run(t_end, with_projection, q, v);
}

template <class Model>
constexpr HandWritten hand_written(const char* name, double until) {
    return {name,          static_cast<int>(Model::n),
            until,         Model::acceleration,
            Model::solved, project<Model>,
            run<Model>,    run<Solved<Model>>};
}

}  // namespace

const HandWritten kDuffing = hand_written<Duffing>("duffing", 5.0);
const HandWritten kTwoLinkPendulum = hand_written<TwoLinkPendulum>("two_link_pendulum", 10.0);
const HandWritten kPerpendicular = hand_written<Perpendicular>("perpendicular", 5.0);
const HandWritten kAndrews = hand_written<Andrews>("andrews", 0.03);

}  // namespace ananke::bench
