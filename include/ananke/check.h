// What a model is, without running it: degrees of freedom, kinds, rank, redundancy, agreement.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ananke/method.h"
#include "ananke/model.h"
#include "ananke/result.h"

namespace ananke {

/// An initial value that was moved onto the constraints.
struct MovedValue {
    std::string name;  ///< x or x'
    double from = 0.0;
    double to = 0.0;
    bool exact = false;  ///< it was given as exact and lay within 1e-9 of the constraints
};

/// A constraint row at the start.
struct CheckedRow {
    std::string name;
    std::string kind;
    bool multiplier_unique = true;  ///< else "one of many"
    bool redundant = false;
    bool vanished = false;  ///< its gradient is zero here
    double residual = 0.0;  ///< scaled
    std::string note;
};

/// A redundant row as a combination of others.
struct Redundancy {
    std::string name;
    std::vector<std::pair<std::string, double>> combination;
    double mismatch = 0.0;
};

/// A form of the equations, compared with the automatic one.
struct FormCheck {
    Form form = Form::kAuto;
    bool applies = true;
    std::string reason;                          ///< why it does not apply
    double difference_at_start = 0.0;            ///< relative, of acceleration and force
    std::optional<double> difference_at_random;  ///< the largest over random admissible states
};

struct CheckReport {
    std::string title;
    int coordinates = 0;
    int constraint_rows = 0;
    int rank = 0;
    int degrees_of_freedom = 0;
    bool mass_positive_definite = true;
    std::vector<CheckedRow> constraints;
    std::vector<std::vector<std::string>> dependent_sets;
    std::vector<Redundancy> redundant;
    std::vector<MovedValue> moved;
    std::vector<double> start_positions;  ///< in the order of Model::coordinates()
    std::vector<double> start_velocities;
    std::vector<FormCheck> forms;
    int random_states = 0;
    std::optional<double> nonideal_acting;  ///< part of C that moves the system, 0..1; UK02 (8)
    std::string text;                       ///< the whole report for a person
};

/// Fails where the model has no initial state or no motion there, with the names concerned.
Result<CheckReport> check(const Model& model);

/// The predicted cost of each numerical method that the model could use, and the one it uses, for a
/// person.
std::string predicted_cost(const Model& model);

}  // namespace ananke
