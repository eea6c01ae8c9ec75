// The models of the benchmark as the program sees them: compiled from their text, with the
// reference motion at the end of their run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/prepare.h"
#include "dynamics/start.h"
#include "hand_written.h"

namespace ananke::bench {

struct State {
    double t = 0.0;
    std::vector<double> q, v;
};

struct BenchModel {
    const HandWritten* hand = nullptr;
    std::string path;
    std::shared_ptr<compile::Prepared> prepared;
    dynamics::StartState start;
    double until = 0.0;
    std::vector<State> reference;  ///< samples up to `until`, the last one there

    std::string name() const { return hand->name; }
};

Result<BenchModel> load(const HandWritten& hand);

/// Largest error of q and v against the end of the reference, scaled by max(1, |value|).
double error_at_end(const BenchModel& model, const std::vector<double>& q,
                    const std::vector<double>& v);

/// Largest difference of the two sides' accelerations, relative to the largest acceleration, over
/// random states near the motion: the constraints need not hold there, A a = b still has to.
Result<double> largest_disagreement(const BenchModel& model);

/// CPU seconds of the way from text to the first step.
struct WayToFirstStep {
    double parse = 0.0, derive = 0.0, compile = 0.0, assemble = 0.0;
    double total() const { return parse + derive + compile + assemble; }
};
WayToFirstStep time_way_to_first_step(const BenchModel& model);

}  // namespace ananke::bench
