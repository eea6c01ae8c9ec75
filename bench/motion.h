// A model run to an end time: time and accuracy.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/prepare.h"
#include "dynamics/start.h"
#include "last_row.h"

namespace ananke::bench {

/// A model on its way to the first step.
struct Started {
    std::shared_ptr<compile::Prepared> prepared;
    dynamics::StartState start;
    double seconds = 0.0;  ///< from the text
};

Result<Started> start_text(const std::string& text, const std::vector<std::string>& settings = {});
/// `name` of models/.
Result<Started> start_model(const std::string& name, const std::vector<std::string>& settings = {});

/// Error at the end of a run.
using ErrorOf = std::function<double(const LastRow& end)>;

struct Motion {
    std::string name;
    double until = 0.0;
    bool stiff = false;
    double goal = 0.0;           ///< for the error
    double energy_goal = 1e300;  ///< for the energy, relative
    ErrorOf error = {};
    std::string against = {};  ///< what the error is measured against
};

struct MotionTime {
    std::string name;
    double until = 0.0;
    std::string against;
    double goal = 0.0;
    double tolerance = 0.0;
    double from_text = 0.0;  ///< seconds to the start
    double seconds = 0.0;    ///< of the run, its programs made anew
    std::size_t steps = 0;
    std::size_t evaluations = 0;
    double error = std::numeric_limits<double>::infinity();
    double energy = 0.0;  ///< largest imbalance over the run, relative to the largest |T| + |V|
    double reached = 0.0;
    std::string stopped;  ///< why it did not end, or ""

    bool met(double limit) const { return stopped.empty() && error <= limit; }
};

/// At the loosest tolerance of 1e-7, 1e-8, ... that meets the goals; a run may take 10 s.
MotionTime time_motion(const Motion& motion, const Started& started);

/// The values of the columns at the end of one run.
Result<std::vector<double>> end_of_run(const Started& started, double until, double tolerance,
                                       bool stiff, const std::vector<std::string>& columns);

}  // namespace ananke::bench
