#include "simulate/switch_watch.h"

#include "simulate/text_model.h"

namespace ananke::simulate {
namespace {

/// Free flight x = x0 + v t as an integrator: each step goes to the end.
class FreeFlight final : public ode::Stepper {
  public:
    using Stepper::start;
    void start(double t0, std::span<const double> y0, double) override {
        t_ = t_previous_ = t0;
        y_.assign(y0.begin(), y0.end());
        y_previous_ = y_;
    }
    ode::Status step(double t_end) override {
        t_previous_ = t_;
        y_previous_ = y_;
        t_ = t_end;
        y_[0] += (t_ - t_previous_) * y_[1];
        return ode::Status::kOk;
    }
    ode::Status dense(double t, std::span<double> y) override {
        std::copy(y_previous_.begin(), y_previous_.end(), y.begin());
        y[0] += (t - t_previous_) * y[1];
        return ode::Status::kOk;
    }
    double defect(double, std::span<const double>) override { return 0.0; }
    double t() const override { return t_; }
    double t_previous() const override { return t_previous_; }
    std::span<const double> y() const override { return y_; }
    std::span<const double> y_previous() const override { return y_previous_; }
    double next_step() const override { return 1.0; }
    const ode::Statistics& statistics() const override { return statistics_; }
    int rhs_code() const override { return 0; }
    std::span<const double> absolute_tolerances() const override { return {}; }

  private:
    double t_ = 0.0, t_previous_ = 0.0;
    std::vector<double> y_, y_previous_;
    ode::Statistics statistics_;
};

/// Where a step from t = 0 to 1 with x = x0 + t changes the law, or a negative number.
double first_change(const std::string& force, double x0, std::vector<double> row_times = {}) {
    const std::shared_ptr<compile::Prepared> prepared = testing::prepare_text(
        "coordinate x\nparticle P mass 1 at (x, 0, 0)\nforce on x = " + force + "\n");
    dynamics::Evaluator evaluator(prepared->compiled, prepared->parameters);
    dynamics::StateEquation equation(evaluator, {});
    dynamics::Surface surface(evaluator, Drift::kProject, 1e-9);
    testing::EventList events;
    Journal journal(events);
    SwitchWatch watch(evaluator, {}, 1e-9, equation, journal);
    std::vector<double> y(equation.size());
    y[0] = x0;
    y[1] = 1.0;
    SingularStepper stepper(std::make_unique<FreeFlight>(), evaluator, equation, surface, 1e-9);
    stepper.start(0.0, y);
    evaluator.hold_switches(0.0, y.data(), y.data() + 1);
    EXPECT_EQ(stepper.step(1.0), ode::Status::kOk);
    const Result<std::optional<double>> t = watch.after_step(stepper, 1.0, row_times);
    EXPECT_TRUE(t);
    return t.value().value_or(-1.0);
}

TEST(SwitchWatch, ChangeIsLocatedToRounding) {
    EXPECT_NEAR(first_change("if x < 0.3 then 1 else 2", 0.0), 0.3, 1e-15);
    EXPECT_LT(first_change("if x < 1.3 then 1 else 2", 0.0), 0.0);
}

TEST(SwitchWatch, TheFirstOfSeveralCounts) {
    EXPECT_NEAR(first_change("(if x > 0.7 then 1 else 2) + (if t > 0.45 then 1 else 2)", 0.0), 0.45,
                1e-15);
}

// (x - 0.45)^2 < 1e-3: on both sides of the dip the law is the old one.
TEST(SwitchWatch, DipBetweenSamplesIsFound) {
    const double t = first_change("if (x - 0.45)^2 < 1e-3 then 1 else 2", 0.0);
    EXPECT_NEAR(t, 0.45 - std::sqrt(1e-3), 1e-12);
}

// A peak narrower than the samples see; the state of a row shows it.
TEST(SwitchWatch, RowShowsWhatSamplesMiss) {
    const std::string peak = "if exp(-1e6*(x - 0.44)^2) > 0.5 then 1 else 2";
    EXPECT_LT(first_change(peak, 0.0), 0.0);
    EXPECT_NEAR(first_change(peak, 0.0, {0.44}), 0.44 - std::sqrt(std::log(2.0) * 1e-6), 1e-12);
}

}  // namespace
}  // namespace ananke::simulate
