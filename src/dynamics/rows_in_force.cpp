#include "dynamics/rows_in_force.h"

#include <cmath>

namespace ananke::dynamics {

RowsInForce::RowsInForce(Evaluator& evaluator)
    : evaluator_(&evaluator),
      span_(evaluator.model().n(), evaluator.model().m()),
      unit_(static_cast<std::size_t>(evaluator.model().n())) {
    if (has_sparse_rows(evaluator.model())) {
        sparse_.emplace(evaluator);
    }
}

void RowsInForce::look(double t, const double* q, const double* v) {
    values_ = evaluator_->sparse_system(t, q, v);
    if (sparse_) {
        sparse_->choose(values_);
        return;
    }
    coordinate_units(evaluator_->model(), values_.M, unit_);
    span_.clear(unit_);
    for (int row = 0; row < evaluator_->model().m(); ++row) {
        if (values_.counts(row)) {
            span_.add(evaluator_->row(row), values_.b[static_cast<std::size_t>(row)], row);
        }
    }
}

bool RowsInForce::are_independent() const {
    const int in_force = evaluator_->rows_in_force();
    return sparse_ ? static_cast<int>(sparse_->kept().size()) == in_force && !sparse_->warning()
                   : span_.kept() == in_force;
}

RowByOthers RowsInForce::express(int row) {
    RowByOthers by;
    if (sparse_) {
        by.rows = sparse_->kept();
        by.c.resize(by.rows.size());
        by.remainder.resize(evaluator_->model().n());
        sparse_->express(evaluator_->row(row), by.c,
                         std::span(by.remainder.data(), unit_.size()));
        for (std::size_t k = 0; k < by.rows.size(); ++k) {
            const double term = by.c[k] * values_.b[static_cast<std::size_t>(by.rows[k])];
            by.b += term;
            by.magnitude += std::abs(term);
        }
        return by;
    }
    const RowSpan::Expression found = span_.express(evaluator_->row(row));
    by.b = found.b;
    by.magnitude = found.magnitude;
    by.remainder = span_.remainder();
    for (int k = 0; k < span_.kept(); ++k) {
        by.rows.push_back(span_.id(k));
        by.c.push_back(span_.coefficient(k));
    }
    return by;
}

}  // namespace ananke::dynamics
