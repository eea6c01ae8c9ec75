// Runs beside a singular configuration: a linkage, where it starts, what restarts the integration,
// and what the exact motion is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program_run.h"

namespace mechanisms {

/// A run of the program and the columns it should write.
struct Passage {
    std::string kind;     ///< of the linkage
    std::string restart;  ///< what happens beside the singular configuration
    std::string drift;
    double tolerance = 0.0;
    double distance = 0.0;  ///< from the singular configuration, as an angle
    std::string text;
    std::vector<double> times;
    std::vector<std::string> columns;
    std::vector<std::vector<double>> expected;  ///< by time
};

const std::vector<std::string>& restarts();
const std::vector<std::string>& drifts();

Passage draw_passage(std::uint64_t seed);
/// Without any restart beside the singular configuration, at a tolerance of 1e-9, projected.
Passage draw_plain_passage(std::uint64_t seed);

enum class Outcome {
    kRight,
    kInaccurate,  ///< on its branch, but further from the motion than the tolerance explains
    kWrong,       ///< on another branch, without a word
    kEnded,       ///< with a message; all rows before are right
    kWrongThenEnded
};

struct Judged {
    Outcome outcome = Outcome::kRight;
    double error = 0.0;  ///< largest of all rows
    std::string message;
};

Judged judge_passage(const Passage& passage);

}  // namespace mechanisms
