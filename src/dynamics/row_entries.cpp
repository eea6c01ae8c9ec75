#include "dynamics/row_entries.h"

#include <cmath>

#include "dynamics/sparse_rows.h"

namespace ananke::dynamics {

void find_row_entries(Evaluator& evaluator, double t, std::span<const double> y,
                      std::vector<double>& entries) {
    const compile::CompiledModel& model = evaluator.model();
    const double* q = y.data();
    const double* v = q + model.n();
    if (has_sparse_rows(model)) {
        const std::span<const double> A = evaluator.sparse_system(t, q, v).A;
        entries.assign(A.begin(), A.end());
        return;
    }
    const solve::System at = evaluator.system_in_step(t, q, v);
    entries.resize(model.row_entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        entries[i] = at.A(model.row_entries[i].row, model.row_entries[i].column);
    }
}

void multiply_rows(const compile::CompiledModel& model, const std::vector<double>& entries,
                   const std::vector<double>& others, std::vector<double>& products) {
    products.assign(model.rows.size(), 0.0);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        products[static_cast<std::size_t>(model.row_entries[i].row)] += entries[i] * others[i];
    }
}

void find_row_lengths(const compile::CompiledModel& model, const std::vector<double>& entries,
                      std::vector<double>& lengths) {
    multiply_rows(model, entries, entries, lengths);
    for (double& length : lengths) {
        length = std::sqrt(length);
    }
}

}  // namespace ananke::dynamics
