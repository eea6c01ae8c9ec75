// The lemmas of the papers as identities on random systems, and Moore and Penrose's conditions.
#include <gtest/gtest.h>

#include <cmath>

#include "solve/forms.h"
#include "solve/principle.h"
#include "solve/pseudo_inverse.h"
#include "solve/random_system.h"

namespace ananke::solve {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

double largest(const MatrixXd& X) {
    return X.size() > 0 ? X.cwiseAbs().maxCoeff() : 0.0;
}

double smallest_eigenvalue(const MatrixXd& X) {
    return Eigen::SelfAdjointEigenSolver<MatrixXd>(X).eigenvalues()[0];
}

MatrixXd square_root(const MatrixXd& X) {
    return Eigen::SelfAdjointEigenSolver<MatrixXd>(X).operatorSqrt();
}

// A system with M >= 0 that the rows complete, well enough for identities to hold to 1e-9.
struct Case {
    int n = 0;
    int m = 0;
    int rank = 0;
    MatrixXd M, A, A_plus, G;
    VectorXd Q, b, C, z;
    double alpha = 1.0;
};

Case draw_case(Random& random) {
    while (true) {
        Case c;
        c.n = random.pick(2, 6);
        c.rank = random.pick(1, c.n);
        c.m = random.pick(c.rank, c.rank + 2);
        const SystemData s =
            random_system(random, c.n, c.m, c.rank, random.pick(c.n - c.rank, c.n), 0.3, 3.0);
        c.M = s.M;
        c.A = s.A;
        c.A_plus = pseudo_inverse(c.A, c.rank);
        c.G = random.symmetric_of_rank(c.m, c.m, 0.3, 3.0);
        c.Q = s.Q;
        c.b = s.b;
        c.C = random.vector(c.n);
        c.z = random.vector(c.m);
        c.alpha = random.magnitude(0.5, 2.0);
        if (smallest_eigenvalue(c.M + c.A.transpose() * c.A) > 1e-2) {
            return c;
        }
    }
}

TEST(Identities, MoorePenroseConditions) {
    Random random(31);
    for (int trial = 0; trial < 300; ++trial) {
        const int rows = random.pick(1, 7);
        const int columns = random.pick(1, 7);
        const int rank = random.pick(0, std::min(rows, columns));
        const MatrixXd A = random.of_rank(rows, columns, rank, 0.1, 10.0);
        const MatrixXd P = pseudo_inverse(A, rank);
        EXPECT_LE(largest(A * P * A - A), 1e-11);                // G-inverse, P21 (2)
        EXPECT_LE(largest(P * A * P - P), 1e-11);                //
        EXPECT_LE(largest(A * P - (A * P).transpose()), 1e-11);  // L-inverse, P21 (4)
        EXPECT_LE(largest(P * A - (P * A).transpose()), 1e-11);
        const VectorXd b = A * random.vector(columns);
        EXPECT_LE(largest(A * P * b - b), 1e-10);  // consistent, P21 (14)
        const VectorXd x =
            P * b + (MatrixXd::Identity(columns, columns) - P * A) * random.vector(columns);
        EXPECT_LE(largest(A * x - b), 1e-10);  // general, P21 (17)
        // L-inverse: A P y is the point of the range nearest to y.
        const VectorXd y = random.vector(rows);
        EXPECT_LE(largest(A.transpose() * (A * P * y - y)), 1e-10);
    }
}

// US10 lemma 1, UW13 lemma 3.1: the auxiliary mass matrices are positive definite exactly when
// [M; A] has rank n.
TEST(Identities, AuxiliaryMassIsDefiniteIfAndOnlyIfTheMotionIsUnique) {
    Random random(32);
    int unique = 0;
    int open = 0;
    for (int trial = 0; trial < 500; ++trial) {
        const int n = random.pick(2, 6);
        const int rank = random.pick(0, n - 1);
        const int mass_rank = random.pick(0, n);
        const int m = rank + 1;
        MatrixXd A = random.of_rank(m, n, rank, 0.3, 3.0);
        MatrixXd M = random.symmetric_of_rank(n, mass_rank, 0.3, 3.0);
        if (trial % 3 == 0) {  // a common null vector although the ranks would suffice
            const VectorXd w = random.vector(n).normalized();
            const MatrixXd P = MatrixXd::Identity(n, n) - w * w.transpose();
            M = P * M * P;
            A = A * P;
        }
        MatrixXd stacked(n + m, n);
        stacked << M, A;
        const VectorXd sigma = Eigen::JacobiSVD<MatrixXd>(stacked).singularValues();
        if (sigma[n - 1] > 1e-10 && sigma[n - 1] < 1e-2) {
            continue;
        }
        const bool full = sigma[n - 1] >= 1e-2;
        const int rank_now = static_cast<int>(
            (Eigen::JacobiSVD<MatrixXd>(A).singularValues().array() > 1e-10).count());
        const double alpha = random.magnitude(0.1, 10.0);
        const MatrixXd G = random.symmetric_of_rank(m, m, 0.3, 3.0);
        const double schutte_min =
            smallest_eigenvalue(M + alpha * alpha * pseudo_inverse(A, rank_now) * A);
        const double wanichanon_min =
            smallest_eigenvalue(M + alpha * alpha * A.transpose() * G * A);
        EXPECT_EQ(schutte_min > 1e-9, full);
        EXPECT_EQ(wanichanon_min > 1e-9, full);
        (full ? unique : open) += 1;
    }
    EXPECT_GT(unique, 50);
    EXPECT_GT(open, 50);
}

// US10 lemma 5, (28)-(35). Derivatives with respect to alpha by central differences.
TEST(Identities, SchutteLemma5) {
    Random random(33);
    for (int trial = 0; trial < 100; ++trial) {
        SCOPED_TRACE(trial);
        const Case c = draw_case(random);
        const auto mass_inverse = [&](double alpha) {
            return MatrixXd((c.M + alpha * alpha * c.A_plus * c.A).inverse());
        };
        const auto H_of = [&](double alpha) {
            return MatrixXd(c.A * mass_inverse(alpha) * c.A.transpose());
        };
        const auto H_plus_of = [&](double alpha) { return pseudo_inverse(H_of(alpha), c.rank); };
        const auto lever = [&](double alpha) {
            return MatrixXd(mass_inverse(alpha) * c.A.transpose() * H_plus_of(alpha));
        };
        const double h = 1e-5;
        const auto derivative = [&](const auto& f) {
            return MatrixXd((f(c.alpha + h) - f(c.alpha - h)) / (2.0 * h));
        };
        const MatrixXd Mi = mass_inverse(c.alpha);
        const MatrixXd H = H_of(c.alpha);
        const MatrixXd Hp = H_plus_of(c.alpha);
        const MatrixXd I_n = MatrixXd::Identity(c.n, c.n);
        const MatrixXd I_m = MatrixXd::Identity(c.m, c.m);
        const double a2 = 2.0 * c.alpha;
        const auto close = [](const MatrixXd& x, const MatrixXd& y) {
            return largest(x - y) / (1.0 + largest(y));
        };
        EXPECT_LE(close(derivative(mass_inverse), -a2 * Mi * c.A_plus * c.A * Mi), 1e-5);  // (28)
        EXPECT_LE(largest((I_n - c.A.transpose() * Hp * c.A * Mi) * c.A_plus), 1e-9);      // (29)
        EXPECT_LE(largest(H * (I_m - H * Hp)), 1e-9);                                      // (30)
        EXPECT_LE(largest((I_m - Hp * H) * c.A * Mi * c.A_plus), 1e-9);                    // (31)
        const MatrixXd dH = -a2 * c.A * Mi * c.A_plus * H;
        EXPECT_LE(close(derivative(H_of), dH), 1e-5);               // (32)
        EXPECT_LE(largest(dH.transpose() * (I_m - H * Hp)), 1e-8);  // (33)
        EXPECT_LE(largest((I_m - Hp * H) * dH.transpose()), 1e-8);
        EXPECT_LE(close(derivative(H_plus_of), a2 * Hp * c.A * Mi * c.A_plus * H * Hp),
                  1e-5);                                                                // (34)
        EXPECT_LE(largest(derivative(lever)) / (1.0 + largest(lever(c.alpha))), 1e-5);  // (35)
    }
}

// US10 results 3 and 6 and UW13 (3.23), (3.24), (3.30)-(3.35), with true square roots of the mass.
TEST(Identities, AuxiliaryAccelerationsAndForces) {
    Random random(34);
    for (int trial = 0; trial < 200; ++trial) {
        SCOPED_TRACE(trial);
        const Case c = draw_case(random);
        SystemData s(c.n, c.m);
        s.M = c.M;
        s.A = c.A;
        s.Q = c.Q;
        s.b = c.b;
        s.C = c.C;
        const Result<Motion> reference = evaluate(Form::kMinimal, s.view());
        ASSERT_TRUE(reference) << reference.error().message;
        const VectorXd& a = reference.value().a;
        const VectorXd& Qc = reference.value().Qc;

        struct Auxiliary {
            VectorXd a;
            VectorXd Qc;
        };
        const auto apply = [&](const MatrixXd& M_A, const VectorXd& Q_z) {
            const MatrixXd root = square_root(M_A);
            const MatrixXd inverse_root = root.inverse();
            const MatrixXd B = c.A * inverse_root;
            const MatrixXd B_plus = pseudo_inverse(B, c.rank);
            const VectorXd a_z = M_A.inverse() * Q_z;
            const MatrixXd N = MatrixXd::Identity(c.n, c.n) - B_plus * B;
            const VectorXd push = B_plus * (c.b - c.A * a_z) + N * (inverse_root * c.C);
            return Auxiliary{a_z + inverse_root * push, root * push};
        };
        const double tolerance = 1e-8 * (1.0 + a.norm() + Qc.norm());
        // US10 (59): z = 0, alpha = 1
        const MatrixXd M_S = c.M + c.A_plus * c.A;
        EXPECT_LE((apply(M_S, c.Q).a - a).norm(), tolerance);
        // US10 (72)-(75): z = b, alpha = 1
        const Auxiliary result6 = apply(M_S, c.Q + c.A_plus * c.b);
        EXPECT_LE((result6.a - a).norm(), tolerance);
        EXPECT_LE((result6.Qc - Qc).norm(), tolerance);
        EXPECT_LE((M_S * a - (c.Q + c.A_plus * c.b) - Qc).norm(), tolerance);
        // UW13 (3.23): alpha = 1, G = 1, z = 0
        EXPECT_LE((apply(c.M + c.A.transpose() * c.A, c.Q).a - a).norm(), tolerance);

        const double alpha2 = c.alpha * c.alpha;
        const MatrixXd AtG = c.A.transpose() * c.G;
        const MatrixXd M_G = c.M + alpha2 * AtG * c.A;
        const MatrixXd root = square_root(M_G);
        const MatrixXd B_plus = pseudo_inverse(c.A * root.inverse(), c.rank);
        // UW13 (3.24)
        EXPECT_LE(largest(root * B_plus * c.A * M_G.inverse() * c.A.transpose() -
                          MatrixXd(c.A.transpose())),
                  1e-8);
        const Auxiliary plain = apply(M_G, c.Q);  // z = 0: (3.31), (3.32)
        const Auxiliary shifted = apply(M_G, c.Q + AtG * c.z);
        EXPECT_LE((M_G * a - c.Q - plain.Qc).norm(), tolerance);              // (3.30)
        EXPECT_LE((M_G.inverse() * (c.Q + plain.Qc) - a).norm(), tolerance);  // (3.33)
        EXPECT_LE((AtG * c.z + shifted.Qc - plain.Qc).norm(), tolerance);     // (3.34), (3.35)
        EXPECT_LE((shifted.Qc + AtG * c.z - alpha2 * AtG * c.b - Qc).norm(), tolerance);  // (3.39)
    }
}

// UK02: C along the rows is absorbed, C along the free directions acts whole.
TEST(Principle, TellsWhatOfTheNonidealForceActs) {
    SystemData s(2, 1);
    s.M << 2.0, 0.0, 0.0, 2.0;
    s.Q << 1.0, -3.0;
    s.A << 0.0, 1.0;
    s.b << 0.5;
    s.C = Eigen::Vector2d(3.0, 4.0);
    const Result<NonidealShare> share = nonideal_share(s.view(), analyse(s.view()));
    ASSERT_TRUE(share);
    EXPECT_NEAR(share.value().acting[0], 3.0, 1e-15);
    EXPECT_NEAR(share.value().acting[1], 0.0, 1e-15);
    EXPECT_NEAR(share.value().absorbed[1], 4.0, 1e-15);
    EXPECT_NEAR(share.value().acting_part, 0.6, 1e-15);
    EXPECT_NEAR(share.value().absorbed_part, 0.8, 1e-15);
    EXPECT_DOUBLE_EQ(virtual_work(s.view(), Eigen::Vector2d(2.0, 0.0)), 6.0);

    const Result<Principle> p = principle(s.view(), analyse(s.view()));
    ASSERT_TRUE(p);
    EXPECT_NEAR(p.value().a0[1], -1.5, 1e-15);
    EXPECT_NEAR(p.value().e[0], 2.0, 1e-15);
    EXPECT_NEAR(p.value().deviation[0], 1.5, 1e-15);
    EXPECT_NEAR(p.value().deviation[1], 2.0, 1e-15);
    s.M(0, 0) = 0.0;
    s.A << 1.0, 1.0;
    EXPECT_EQ(principle(s.view(), analyse(s.view())).error().code, ErrorCode::kNotApplicable);
}

// UK02 (31), (32): the non-ideal part of the acceleration is M^-1/2 (I - B+ B) z, and z may be
// changed by B^T w without any effect.
TEST(Principle, NonidealForceFromZ) {
    Random random(31);
    for (int trial = 0; trial < 200; ++trial) {
        SCOPED_TRACE(trial);
        const int n = random.pick(2, 6);
        const int rank = random.pick(1, n - 1);
        SystemData s = bounded_system(random, n, rank + 1, rank, n);
        const VectorXd z = random.vector(n);
        const Result<VectorXd> C = nonideal_from_z(s.view(), z);
        ASSERT_TRUE(C);
        const MatrixXd root = square_root(s.M);
        EXPECT_LE((root.inverse() * C.value() - z).norm(), 1e-12 * z.norm());

        const VectorXd ideal = evaluate(Form::kMinimal, s.view()).value().a;
        s.C = C.value();
        const VectorXd with = evaluate(Form::kMinimal, s.view()).value().a;
        const MatrixXd B = s.A * root.inverse();
        const VectorXd free = z - pseudo_inverse(B, rank) * (B * z);
        EXPECT_LE((with - ideal - root.inverse() * free).norm(), 1e-11 * (1.0 + with.norm()));

        const VectorXd w = random.vector(rank + 1);
        s.C = nonideal_from_z(s.view(), z + B.transpose() * w).value();
        const VectorXd shifted = evaluate(Form::kMinimal, s.view()).value().a;
        EXPECT_LE((shifted - with).norm(), 1e-10 * (1.0 + with.norm()));
    }
    SystemData s(2, 0);
    s.M << 1.0, 0.0, 0.0, -1.0;
    EXPECT_EQ(nonideal_from_z(s.view(), Eigen::Vector2d(1.0, 1.0)).error().message,
              "the mass matrix has a negative direction");
}

}  // namespace
}  // namespace ananke::solve
