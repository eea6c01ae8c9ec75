// All forms give the same motion, on systems of every rank of M and A.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "solve/forms.h"
#include "solve/random_system.h"
#include "solve/reference_solution.h"

namespace ananke::solve {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

double relative(const VectorXd& x, const VectorXd& y) {
    return (x - y).norm() / std::max({1.0, x.norm(), y.norm()});
}

Gauge random_gauge(Random& random, int m, double alpha) {
    return {alpha, random.symmetric_of_rank(m, m, 0.1, 10.0), random.vector(m)};
}

// The largest difference between any two of the answers.
double disagreement(const std::map<Form, Motion>& motions) {
    double worst = 0.0;
    for (const auto& [f, x] : motions) {
        for (const auto& [g, y] : motions) {
            worst = std::max(
                {worst, relative(x.a, y.a), relative(x.Qc, y.Qc), relative(x.Qc_ideal, y.Qc_ideal),
                 relative(x.Qc_nonideal, y.Qc_nonideal), relative(x.lambda, y.lambda)});
        }
    }
    return worst;
}

// alpha = 1, cond(G) <= 100, nonzero singular values of M, of A and of M on the null space of A in
// [0.1, 10]: no draw is left out.
TEST(Agreement, ToTenDigitsOnBoundedSystemsOfEveryRank) {
    Random random(20);
    int draws = 0;
    for (int n = 1; n <= 6; ++n) {
        for (int rank = 0; rank <= n; ++rank) {
            for (int mass_rank = n - rank; mass_rank <= n; ++mass_rank) {
                for (int k = 0; k < 48; ++k) {
                    SCOPED_TRACE(testing::Message() << n << ", rank of A " << rank << ", of M "
                                                    << mass_rank << ", draw " << k);
                    const int m = rank + k % 3;
                    SystemData s = bounded_system(random, n, m, rank, mass_rank);
                    if (k % 2 == 1) {
                        s.C = random.vector(n);
                    }
                    const Analysis analysis = analyse(s.view());
                    ASSERT_FALSE(analysis.failure) << analysis.failure->message;
                    ASSERT_EQ(analysis.rank, rank);
                    ASSERT_EQ(analysis.mass_positive_definite, mass_rank == n);
                    const Gauge gauge = random_gauge(random, m, 1.0);
                    std::map<Form, Motion> motions;
                    for (const Form form : all_forms()) {
                        const Result<Motion> r = evaluate(form, s.view(), gauge, analysis);
                        const bool needs_mass = form == Form::kFundamental || form == Form::kGauss;
                        const bool applies =
                            (!needs_mass || mass_rank == n) && (form != Form::kGauss || k % 2 == 0);
                        ASSERT_EQ(r.has_value(), applies) << form_name(form);
                        if (applies) {
                            motions.emplace(form, r.value());
                        }
                    }
                    EXPECT_LE(disagreement(motions), 1e-10);
                    ++draws;
                }
            }
        }
    }
    EXPECT_EQ(draws, 83 * 48);  // 83 = all triples (n, rank A, rank M) that leave the motion unique
}

// Errors against the reference in normalised units, relative to the largest vector that went in or
// came out.
struct Errors {
    double a = 0.0;
    double Qc = 0.0;
    double Qc_ideal = 0.0;
    double force = 0.0;  // A^T lambda
    double worst() const { return std::max({a, Qc, Qc_ideal, force}); }
};

class Judge {
  public:
    Judge(const System& at, const Gauge& gauge, const Analysis& analysis)
        : analysis_(analysis), system_(normalize(at, gauge, analysis)) {
        std::vector<int> kept;
        int place = 0;
        for (int k = 0; k < at.m(); ++k) {
            if (analysis.row_scale[k] > 0.0) {
                present_.push_back(k);
                if (std::count(analysis.kept.begin(), analysis.kept.end(), k) > 0) {
                    kept.push_back(place);
                }
                ++place;
            }
        }
        motion_ = reference_motion(system_, kept);
        Normalized without = system_;
        without.C.setZero();
        ideal_ = reference_motion(without, kept);
        size_ = std::max({motion_.a.norm(), motion_.Qc.norm(), ideal_.Qc.norm(), system_.Q.norm(),
                          system_.C.norm(), system_.b.norm(), system_.z.norm()});
    }

    const Normalized& system() const { return system_; }

    Errors errors(const Motion& motion) const {
        const VectorXd& d = analysis_.coordinate_scale;
        VectorXd lambda(system_.m());
        for (Eigen::Index k = 0; k < lambda.size(); ++k) {
            lambda[k] = motion.lambda[present_[k]] / analysis_.row_scale[present_[k]];
        }
        return {(motion.a.cwiseQuotient(d) - motion_.a).norm() / size_,
                (motion.Qc.cwiseProduct(d) - motion_.Qc).norm() / size_,
                (motion.Qc_ideal.cwiseProduct(d) - ideal_.Qc).norm() / size_,
                (system_.A.transpose() * lambda - motion_.force).norm() / size_};
    }

  private:
    const Analysis& analysis_;
    Normalized system_;
    ReferenceMotion motion_;
    ReferenceMotion ideal_;
    std::vector<int> present_;
    double size_ = 1.0;
};

// Answers with an estimated error above 1e-7 are refused; the estimate is good to a factor of ten.
constexpr double kNeverWorse = 1e-6;

// Directions as they fall, alpha in 1e-2 .. 1e2, G of condition up to 100, any z. The error of each
// form is at most 1e-14 times the condition of the multiplier equations times that of the mass
// matrix the form divides by; see form_condition(). Beyond seven digits lost it is refused.
TEST(Agreement, WithinTheConditionNumbersForAnyGauge) {
    Random random(22);
    int answers = 0;
    int refusals = 0;
    for (int trial = 0; trial < 4000; ++trial) {
        SCOPED_TRACE(trial);
        const int n = random.pick(1, 7);
        const int rank = random.pick(0, n);
        const int m = random.pick(rank, rank + 2);
        SystemData s = random_system(random, n, m, rank, random.pick(n - rank, n), 0.1, 10.0);
        if (random.pick(0, 2) == 0) {
            s.C = random.vector(n);
        }
        const double sign = trial % 2 == 0 ? 1.0 : -1.0;
        const Gauge gauge = random_gauge(random, m, sign * random.magnitude(1e-2, 1e2));
        const Analysis analysis = analyse(s.view());
        ASSERT_FALSE(analysis.failure) << analysis.failure->message;
        ASSERT_EQ(analysis.rank, rank);
        const Judge judge(s.view(), gauge, analysis);
        for (const Form form : all_forms()) {
            SCOPED_TRACE(form_name(form));
            const double bound = 1e-14 * form_condition(form, judge.system());
            const Result<Motion> r = evaluate(form, s.view(), gauge, analysis);
            if (r) {
                const Errors errors = judge.errors(r.value());
                EXPECT_LE(errors.a, std::min(bound, kNeverWorse));
                EXPECT_LE(errors.Qc, std::min(bound, kNeverWorse));
                EXPECT_LE(errors.Qc_ideal, std::min(bound, kNeverWorse));
                EXPECT_LE(errors.force, std::min(bound, kNeverWorse));
                ++answers;
            } else if (r.error().code != ErrorCode::kNotApplicable) {
                EXPECT_EQ(r.error().code, ErrorCode::kNotConverged);
                EXPECT_GT(bound, 1e-8) << r.error().message;
                ++refusals;
            }
        }
    }
    EXPECT_GT(answers, 24000);
    EXPECT_LT(refusals, 100);
}

// Nonzero singular values over twelve decades: the answer of the system as the analysis sees it is
// right, or refused with a reason.
TEST(Agreement, IllConditionedSystemsAreRightOrRefused) {
    Random random(23);
    int answers = 0;
    int refused = 0;
    for (int trial = 0; trial < 3000; ++trial) {
        SCOPED_TRACE(trial);
        const int n = random.pick(1, 7);
        const int rank = random.pick(0, n);
        const int m = random.pick(rank, rank + 2);
        SystemData s = random_system(random, n, m, rank, random.pick(n - rank, n), 1e-6, 1e6);
        if (random.pick(0, 2) == 0) {
            s.C = random.vector(n);
        }
        const Analysis analysis = analyse(s.view());
        if (analysis.failure) {
            EXPECT_FALSE(analysis.failure->message.empty());
            ++refused;
            continue;
        }
        const Judge judge(s.view(), {}, analysis);
        const double unsure = 1e-18 * problem_condition(judge.system());  // of the reference
        for (const Form form : all_forms()) {
            SCOPED_TRACE(form_name(form));
            const Result<Motion> r = evaluate(form, s.view(), {}, analysis);
            if (r) {
                const Errors errors = judge.errors(r.value());
                EXPECT_LE(errors.worst(), kNeverWorse + unsure)
                    << errors.a << ' ' << errors.Qc << ' ' << errors.Qc_ideal << ' '
                    << errors.force;
                ++answers;
            } else {
                EXPECT_FALSE(r.error().message.empty());
                refused += r.error().code == ErrorCode::kNotConverged ? 1 : 0;
            }
        }
    }
    EXPECT_GT(answers, 2000);
    RecordProperty("refused", refused);
}

}  // namespace
}  // namespace ananke::solve
