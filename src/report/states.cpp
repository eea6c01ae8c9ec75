#include "report/states.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "code/kernel.h"

namespace ananke::report {

Result<States> States::of(const sim::Prepared& prepared, const io::Trajectory& trajectory) {
    States states(prepared, trajectory);
    std::unordered_map<std::string, std::size_t> columns;
    for (std::size_t i = 0; i < trajectory.columns(); ++i) {
        columns.emplace(trajectory.header.columns[i].name, i);
    }
    std::string missing;
    const auto add = [&](const std::string& name, sym::Expr symbol) {
        const auto found = columns.find(name);
        if (found == columns.end()) {
            missing = missing.empty() ? name : missing;
            return;
        }
        states.places_.push_back(found->second);
        states.symbols_.push_back(symbol);
    };
    const mech::Model& model = prepared.model;
    add("t", model.time);
    for (const mech::Coordinate& coordinate : model.coordinates) {
        add(coordinate.name, coordinate.q);
    }
    for (const mech::Coordinate& coordinate : model.coordinates) {
        add(coordinate.name + "'", coordinate.v);
    }
    if (!missing.empty()) {
        return Error{ErrorCode::kInvalidInput,
                     fmt::format("the results lack the column {}, without which the motion cannot "
                                 "be drawn",
                                 missing)};
    }
    for (const mech::Parameter& parameter : model.parameters) {
        states.symbols_.push_back(parameter.symbol);
    }
    return states;
}

std::vector<double> States::evaluate(std::span<const sym::Expr> expressions,
                                     std::size_t states) const {
    code::Kernel kernel(prepared_->model.graph, symbols_, expressions);
    std::vector<double> inputs(symbols_.size());
    std::copy(prepared_->parameters.begin(), prepared_->parameters.end(),
              inputs.begin() + static_cast<std::ptrdiff_t>(places_.size()));
    std::vector<double> values(states * expressions.size());
    for (std::size_t i = 0; i < states; ++i) {
        const std::span<const double> row = trajectory_->row(i);
        for (std::size_t k = 0; k < places_.size(); ++k) {
            inputs[k] = row[places_[k]];
        }
        kernel.run(inputs.data(), values.data() + i * expressions.size());
    }
    return values;
}

std::vector<double> States::evaluate(std::span<const sym::Expr> expressions) const {
    return evaluate(expressions, count());
}

std::vector<double> States::evaluate_at_start(std::span<const sym::Expr> expressions) const {
    return evaluate(expressions, std::min<std::size_t>(1, count()));
}

std::vector<double> States::column(std::string_view name) const {
    return trajectory_->find(name) ? trajectory_->column(name) : std::vector<double>{};
}

}  // namespace ananke::report
