#include "dynamics/rows_in_force.h"

#include <cmath>

namespace ananke::dynamics {
namespace {

/// Where the weakest row is above this, all count at once: they would one after the other.
constexpr double kSurelyIndependent = 1e-5;

}  // namespace

RowsInForce::RowsInForce(Evaluator& evaluator)
    : evaluator_(&evaluator),
      constraints_(evaluator),
      rows_(evaluator),
      direction_(static_cast<std::size_t>(evaluator.model().n())) {}

void RowsInForce::look(double t, const double* q, const double* v) {
    const compile::CompiledModel& model = evaluator_->model();
    values_ = evaluator_->sparse_system(t, q, v);
    compile::SparseValues constraints = values_;
    constraints.in_force = values_.in_force.first(static_cast<std::size_t>(model.constraint_rows));
    constraints_.choose(constraints, kDependentRow);
    dependent_.clear();
    std::vector<int> kept = constraints_.kept();
    std::vector<int> all = kept;
    for (int row = model.constraint_rows; row < model.m(); ++row) {
        if (values_.counts(row)) {
            all.push_back(row);
        }
    }
    rows_.count(all);
    if (rows_.again(values_) && rows_.weakest(direction_).pivot > kSurelyIndependent) {
        return;
    }
    const std::vector<int> at_rest(all.begin() + std::ssize(kept), all.end());
    rows_.count(kept);
    rows_.again(values_);
    for (const int row : at_rest) {
        RowByOthers by = express(row);
        if (by.remainder.norm() <= kDependentRow) {
            dependent_.push_back(std::move(by));
        } else {
            kept.push_back(row);
            rows_.count(kept);
            rows_.again(values_);
        }
    }
}

bool RowsInForce::are_independent() const {
    return static_cast<int>(rows_.kept().size()) == evaluator_->rows_in_force();
}

RowByOthers RowsInForce::express(int row) {
    RowByOthers by{row};
    by.rows = rows_.kept();
    by.c.resize(by.rows.size());
    by.remainder.resize(evaluator_->model().n());
    rows_.express(evaluator_->row(row), by.c, std::span(by.remainder.data(), direction_.size()));
    for (std::size_t k = 0; k < by.rows.size(); ++k) {
        const double term = by.c[k] * values_.b[static_cast<std::size_t>(by.rows[k])];
        by.b += term;
        by.magnitude += std::abs(term);
    }
    return by;
}

}  // namespace ananke::dynamics
