// Compares a run of the program with the motion that the checker finds.
#pragma once

#include "motion.h"
#include "program_run.h"

namespace mechanisms {

/// The motion of a mechanism and how far it can be known.
struct Reference {
    std::vector<double> times;
    Motion motion;
    Motion beside;  ///< from a start and with steps as uncertain as the program's tolerance
};

enum class Verdict { kRight, kWrong, kRefused, kUnknown };

struct Finding {
    Verdict verdict = Verdict::kRight;
    std::string detail;
    double worst = 0.0;        ///< error over what is allowed, of the motion and its forces
    std::size_t compared = 0;  ///< rows
};

Reference refer(const Mechanism& mechanism, const std::vector<double>& times, double tolerance);

/// What the program is asked for: rows at these SI times in `units`.
ProgramRun run_mechanism(const Mechanism& mechanism, const Units& units,
                         const std::vector<double>& times, double tolerance,
                         const std::vector<std::string>& options = {});

/// The verdict on a run with this tolerance.
Finding judge(const Mechanism& mechanism, const Reference& reference, const ProgramRun& run,
              const Units& units, double tolerance);

}  // namespace mechanisms
