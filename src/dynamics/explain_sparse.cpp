// Why a model has no motion at a state, with names and places, by sparse systems.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compile/roads.h"
#include "dynamics/actuation.h"
#include "dynamics/motion_solver.h"
#include "dynamics/not_finite.h"
#include "dynamics/some_names.h"
#include "dynamics/sparse_kkt.h"

namespace ananke::dynamics {
namespace {

/// Operations of full matrices that may go into a more exact explanation: the eigenvalues of M take
/// ten times as many, a minute altogether.
constexpr double kLongestExplanation = 1e10;
/// A mass below this part of the largest counts as none.
constexpr double kNoMass = 1e-12;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

/// Bodies and coordinates of none that have coordinates without mass, the first of them with their
/// places.
std::vector<std::string> without_mass(const compile::CompiledModel& model,
                                      const compile::SparseValues& values) {
    std::vector<double> mass(at(model.n()), 0.0);
    for (std::size_t i = 0; i < values.M.size(); ++i) {
        if (model.mass_entries[i].row == model.mass_entries[i].column) {
            mass[at(model.mass_entries[i].row)] = values.M[i];
        }
    }
    const double least = kNoMass * *std::max_element(mass.begin(), mass.end());
    std::vector<std::string> names;
    std::vector<char> of_body(mass.size(), 0);
    for (const compile::CompiledModel::BodyCoordinates& body : model.bodies) {
        const auto first = mass.begin() + body.first;
        std::fill_n(of_body.begin() + body.first, body.count, 1);
        if (std::any_of(first, first + body.count, [&](double m) { return m <= least; })) {
            names.push_back(fmt::format("the body {}{}", body.name,
                                        body.place.empty() ? "" : " at " + body.place));
        }
    }
    for (std::size_t j = 0; j < mass.size(); ++j) {
        if (of_body[j] == 0 && mass[j] <= least) {
            names.push_back(model.coordinate_names[j]);
        }
    }
    return names;
}

}  // namespace

Error SparseKkt::explain(double t, const double* q, const double* v) {
    if (status_ == solve::SolveStatus::kNotControlled) {
        return explain_controls(*evaluator_, t, q, v);
    }
    if (!evaluator_->model().is_large() &&
        compile::predict_costs(evaluator_->model()).full < kLongestExplanation) {
        return explain_failure(*evaluator_, t, q, v);
    }
    const compile::CompiledModel& model = evaluator_->model();
    const compile::SparseValues values = evaluator_->sparse_system(t, q, v);
    if (status_ == solve::SolveStatus::kInconsistent) {
        std::vector<int> rows{inconsistent_row_};
        if (choice_.again(values)) {
            const std::vector<int> others = choice_.combination(inconsistent_row_, values).kept;
            rows.insert(rows.end(), others.begin(), others.end());
        }
        std::vector<std::string> names;
        names.reserve(rows.size());
        for (const int row : rows) {
            names.push_back(model.rows[at(row)].name);
        }
        const std::size_t told = std::min(rows.size(), kNamesOfMany);
        return {
            ErrorCode::kInconsistent,
            rows.size() == 1
                ? fmt::format("the constraint {} contradicts the others: no acceleration "
                              "satisfies all of them{}",
                              names[0], places_text(model, rows))
                : fmt::format("the constraints {} contradict each other: no acceleration "
                              "satisfies all of them{}",
                              some_names(names), places_text(model, std::span(rows).first(told)))};
    }
    if (status_ == solve::SolveStatus::kNotUnique) {
        const std::vector<std::string> names = without_mass(model, values);
        return {ErrorCode::kNotUnique,
                fmt::format("the motion is not determined: a direction without mass is left "
                            "free{}{}; give a mass or an inertia, or add a constraint",
                            names.empty() ? "" : "; without one are ", some_names(names))};
    }
    return {ErrorCode::kNotFinite, describe_not_finite(*evaluator_, {t, q, v})};
}

}  // namespace ananke::dynamics
