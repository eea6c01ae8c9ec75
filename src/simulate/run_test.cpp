#include "simulate/run.h"

#include <gtest/gtest.h>

#include "base/allocation_counter.h"
#include "compile/prepare.h"
#include "mech/model_builder.h"

namespace ananke::simulate {
namespace {

using mech::testing::Builder;

/// Keeps nothing but the time of the last row.
class LastRow final : public Recorder {
  public:
    Result<void> begin(const Header&) override { return {}; }
    Result<void> row(std::span<const double> values) override {
        last_ = values.front();
        return {};
    }
    Result<void> event(const Event&) override { return {}; }
    Result<void> finish(const std::string&) override { return {}; }
    double last() const { return last_; }

  private:
    double last_ = -1.0;
};

/// A pendulum on a rod given twice: projection, redundancy and a singular direction less.
std::shared_ptr<compile::Prepared> pendulum() {
    Builder b;
    const auto x = b.coordinate("x");
    const auto y = b.coordinate("y");
    b.kinetic((pow(x.v, 2) + pow(y.v, 2)) / 2.0);
    b.potential(9.81 * y.q);
    b.constraint("rod", pow(x.q, 2) + pow(y.q, 2) - 1.0);
    b.constraint("copy", 3.0 * (pow(x.q, 2) + pow(y.q, 2)) - 3.0);
    mech::Event& event = b.model.events.emplace_back();  // looked for in every step, never there
    event.name = "up";
    event.value = b.model.graph.sub(b.model.coordinates[1].q, b.model.graph.integer(2));
    event.record = true;
    b.initial(x, 0.6);
    b.initial(y, -0.8);
    compile::Preparation preparation = compile::prepare(std::move(b.model), {});
    EXPECT_TRUE(preparation.prepared);
    return std::move(preparation.prepared);
}

struct Counted {
    std::size_t steps;
    long allocations;
};

Counted count_run(const compile::Prepared& prepared, const dynamics::StartState& start,
                  double until, bool sparse_steps = false) {
    RunOptions options;
    options.stiff = sparse_steps;
    options.sparse_steps = sparse_steps;
    options.until = until;
    options.output_times = {0.0, until};
    LastRow recorder;
    const long before = allocations_so_far;
    const RunSummary summary =
        run(prepared.compiled, prepared.parameters, start, options, recorder);
    EXPECT_FALSE(summary.error) << summary.error->message;
    EXPECT_EQ(recorder.last(), until);
    return {summary.steps.steps, allocations_so_far - before};
}

TEST(Run, StepsDoNotAllocate) {
    const std::shared_ptr<compile::Prepared> prepared = pendulum();
    dynamics::Evaluator evaluator(prepared->compiled, prepared->parameters);
    const Result<dynamics::StartState> start = assemble(evaluator, prepared->initial);
    ASSERT_TRUE(start) << start.error().message;
    count_run(*prepared, start.value(), 1.0);  // records the programs of all runs
    const Counted brief = count_run(*prepared, start.value(), 1.0);
    const Counted longer = count_run(*prepared, start.value(), 20.0);
    EXPECT_GT(longer.steps, 5 * brief.steps);
    EXPECT_EQ(longer.allocations, brief.allocations);
}

// Where the pivots of one step serve in the next.
TEST(Run, SparseImplicitStepsDoNotAllocate) {
    Builder b;
    const auto x = b.coordinate("x");
    const auto y = b.coordinate("y");
    b.kinetic((pow(x.v, 2) + pow(y.v, 2)) / 2.0);
    b.potential(5e3 * pow(x.q - y.q, 2) + pow(x.q, 4));
    b.initial(x, 0.6);
    b.initial(y, 0.6);
    compile::Preparation preparation = compile::prepare(std::move(b.model), {});
    ASSERT_TRUE(preparation.prepared);
    const compile::Prepared& prepared = *preparation.prepared;
    dynamics::Evaluator evaluator(prepared.compiled, prepared.parameters);
    const Result<dynamics::StartState> start = assemble(evaluator, prepared.initial);
    ASSERT_TRUE(start) << start.error().message;
    count_run(prepared, start.value(), 1.0, true);  // records the programs of all runs
    const Counted brief = count_run(prepared, start.value(), 1.0, true);
    const Counted longer = count_run(prepared, start.value(), 20.0, true);
    EXPECT_GT(longer.steps, 5 * brief.steps);
    EXPECT_EQ(longer.allocations, brief.allocations);
}

TEST(Run, RegularTimesEndExactly) {
    EXPECT_EQ(regular_times(1.0, 0.25).value(), (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
    EXPECT_EQ(regular_times(1.0, 0.4).value(), (std::vector<double>{0, 0.4, 0.8, 1}));
    EXPECT_EQ(regular_times(0.3, 0.1).value().size(), 4U);  // 0.3/0.1 is 2.9999999999999996
    EXPECT_EQ(regular_times(0.3, 0.1).value().back(), 0.3);
    EXPECT_FALSE(regular_times(1.0, 0.0));
    EXPECT_FALSE(regular_times(-1.0, 0.1));
    EXPECT_FALSE(regular_times(1.0, 1e-12));
}

}  // namespace
}  // namespace ananke::simulate
