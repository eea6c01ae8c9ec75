#include "report/states.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <memory>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "code/kernel.h"

namespace ananke::report {
namespace {

/// The number behind "name OLD -> " in the account of an event, which lists what it changed.
std::optional<double> changed_to(std::string_view detail, const std::string& name) {
    for (std::size_t begin = 0; begin < detail.size();) {
        const std::size_t end = std::min(detail.find(", ", begin), detail.size());
        const std::string_view piece = detail.substr(begin, end - begin);
        const std::size_t arrow = piece.find(" -> ");
        if (piece.starts_with(name + " ") && arrow != std::string_view::npos) {
            const std::string_view number = piece.substr(arrow + 4);
            double value = 0.0;
            const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
            return read.ec == std::errc() ? std::optional(value) : std::nullopt;
        }
        begin = end + 2;
    }
    return std::nullopt;
}

/// Values of the parameters' formulas over the parameters.
class Formulas {
  public:
    explicit Formulas(const mech::Model& model) {
        std::vector<sym::Expr> symbols;
        std::vector<sym::Expr> values;
        for (const mech::Parameter& parameter : model.parameters) {
            symbols.push_back(parameter.symbol);
            values.push_back(parameter.value);
        }
        kernel_ = std::make_unique<code::Kernel>(model.graph, symbols, values);
    }
    std::vector<double> run(const std::vector<double>& parameters) {
        std::vector<double> values(parameters.size());
        kernel_->run(parameters.data(), values.data());
        return values;
    }

  private:
    std::unique_ptr<code::Kernel> kernel_;
};

}  // namespace

Result<States> States::of(const compile::Prepared& prepared, const io::Trajectory& trajectory) {
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
    states.read_events();
    return states;
}

void States::read_events() {
    const mech::Model& model = prepared_->model;
    eras_ = {{0, prepared_->parameters}};
    if (model.parameters.empty() || trajectory_->events.empty()) {
        return;
    }
    Formulas formulas(model);
    // A parameter that is what its formula says follows those that the formula uses.
    std::vector<bool> follows(model.parameters.size());
    const std::vector<double> at_start = formulas.run(prepared_->parameters);
    for (std::size_t p = 0; p < follows.size(); ++p) {
        follows[p] = at_start[p] == prepared_->parameters[p];
    }
    const std::size_t time = places_.front();
    std::size_t row = 0;
    for (const Event& event : trajectory_->events) {
        if (event.kind.find("parameter") == std::string::npos) {
            continue;
        }
        std::vector<double> now = eras_.back().parameters;
        for (std::size_t p = 0; p < now.size(); ++p) {
            if (const auto value = changed_to(event.detail, model.parameters[p].name)) {
                now[p] = *value;
                follows[p] = false;
            }
        }
        // Formulas use earlier parameters only: each pass settles at least one more.
        for (std::size_t pass = 0; pass < now.size(); ++pass) {
            const std::vector<double> values = formulas.run(now);
            for (std::size_t p = 0; p < now.size(); ++p) {
                now[p] = follows[p] ? values[p] : now[p];
            }
        }
        while (row < count() && trajectory_->row(row)[time] < event.t) {
            ++row;
        }
        eras_.push_back({row, std::move(now)});
    }
}

const std::vector<double>& States::parameters_at(std::size_t row) const {
    const auto later = std::upper_bound(eras_.begin() + 1, eras_.end(), row,
                                        [](std::size_t r, const Era& era) { return r < era.row; });
    return std::prev(later)->parameters;
}

States::State States::state(std::size_t row) const {
    const std::span<const double> values = trajectory_->row(row);
    const std::size_t n = prepared_->model.coordinates.size();
    State state{values[places_.front()], {}, {}, parameters_at(row)};
    for (std::size_t i = 0; i < n; ++i) {
        state.q.push_back(values[places_[1 + i]]);
        state.v.push_back(values[places_[1 + n + i]]);
    }
    return state;
}

std::vector<double> States::evaluate(std::span<const sym::Expr> expressions,
                                     std::size_t states) const {
    code::Kernel kernel(prepared_->model.graph, symbols_, expressions);
    std::vector<double> inputs(symbols_.size());
    std::vector<double> values(states * expressions.size());
    for (std::size_t i = 0; i < states; ++i) {
        const std::span<const double> row = trajectory_->row(i);
        for (std::size_t k = 0; k < places_.size(); ++k) {
            inputs[k] = row[places_[k]];
        }
        const std::vector<double>& parameters = parameters_at(i);
        std::ranges::copy(parameters, inputs.begin() + static_cast<std::ptrdiff_t>(places_.size()));
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
