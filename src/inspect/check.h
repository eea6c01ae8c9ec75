// What a model is, without running it: degrees of freedom, kinds, rank, redundancy, agreement.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/prepare.h"
#include "dynamics/start.h"
#include "solve/analysis.h"
#include "solve/system.h"

namespace ananke::inspect {

/// A form of the equations and how far its answer is from the others'.
struct FormAgreement {
    solve::Form form;
    bool applies = true;
    std::string reason;       ///< why it does not apply
    double difference = 0.0;  ///< largest relative difference of a and Qc from the automatic form
};

/// How a non-ideal force acts at the start, measured in the metric of M^-1; UK02 (7), (8).
struct NonidealAction {
    double acting = 0.0;    ///< part of C that moves the system, 0..1
    double absorbed = 0.0;  ///< part that the constraints take up
};

struct CheckReport {
    std::string title;
    int coordinates = 0;
    int degrees_of_freedom = 0;
    solve::Analysis analysis;
    dynamics::StartState start;
    std::vector<double> residuals;                  ///< scaled, per row, at the start
    std::vector<compile::ReactionShare> reactions;  ///< per target of CompiledModel::reactions
    std::vector<FormAgreement> forms_at_start;
    std::vector<FormAgreement> forms_at_random;  ///< worst over the random admissible states
    int random_states = 0;
    std::optional<NonidealAction> nonideal;
    double regularity = 1.0;  ///< how well the actuators enforce their servos at the start, 0..1
    std::vector<std::string> warnings;
};

/// Comparing all forms takes by far the longest: a run can do without.
enum class Agreement : std::uint8_t { kCompare, kSkip };

/// Fails where the model has no initial state or no motion there, with the names concerned.
Result<CheckReport> check(const compile::Prepared& prepared,
                          Agreement agreement = Agreement::kCompare);

/// "force[A:a].x" and so on: the columns of reactions that are one of many at the start.
std::vector<std::string> shared_reactions(const CheckReport& report,
                                          const compile::Prepared& prepared);

/// The report as a person reads it.
std::string to_text(const CheckReport& report, const compile::Prepared& prepared);

}  // namespace ananke::inspect
