#include "dynamics/row_entries.h"

#include <cmath>

namespace ananke::dynamics {

void find_row_entries(Evaluator& evaluator, double t, std::span<const double> y,
                      std::vector<double>& entries) {
    const compile::CompiledModel& model = evaluator.model();
    const compile::SparseValues at = evaluator.sparse_system(t, y.data(), y.data() + model.n());
    entries.assign(at.A.begin(), at.A.end());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        entries[i] = at.counts(model.row_entries[i].row) ? entries[i] : 0.0;
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
