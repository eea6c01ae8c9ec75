#include "sim/recording.h"

#include <algorithm>
#include <cmath>

namespace ananke::sim {
namespace {

/// Place of each row of the model among `rows`, -1 for others.
std::vector<int> places_among(std::span<const int> rows, std::span<const Place> entries) {
    int count = 0;
    for (const Place& place : entries) {
        count = std::max(count, place.row + 1);
    }
    std::vector<int> places(static_cast<std::size_t>(count), -1);
    for (std::size_t k = 0; k < rows.size(); ++k) {
        if (rows[k] < count) {
            places[static_cast<std::size_t>(rows[k])] = static_cast<int>(k);
        }
    }
    return places;
}

}  // namespace

std::vector<double> coordinate_scales(const solve::System& at) {
    Eigen::VectorXd mass = at.M.diagonal();
    for (const solve::CoordinateGroup& group : at.groups) {
        mass.segment(group.first, group.count)
            .setConstant(mass.segment(group.first, group.count).mean());
    }
    const double most = mass.size() > 0 ? mass.maxCoeff() : 1.0;
    constexpr double kNothing = 1e-12;
    std::vector<double> scales;
    for (const double m : mass) {
        scales.push_back(1.0 / std::sqrt(m > kNothing * most ? m : (most > 0.0 ? most : 1.0)));
    }
    return scales;
}

solve::SparseSystem sparse_system(const CompiledModel& model, const solve::System& at,
                                  std::span<const int> rows, std::span<const char> varies) {
    solve::SparseSystem system{
        at.n(), static_cast<int>(rows.size()), {}, {}, coordinate_scales(at)};
    for (const Place& place : model.mass_entries) {
        system.mass.push_back({place.row, place.column, at.M(place.row, place.column)});
    }
    const std::vector<int> places = places_among(rows, model.row_entries);
    for (std::size_t i = 0; i < model.row_entries.size(); ++i) {
        const Place& place = model.row_entries[i];
        const int row = places[static_cast<std::size_t>(place.row)];
        if (row >= 0) {
            system.rows.push_back(
                {row, place.column, at.A(place.row, place.column), varies[i] == 0});
        }
    }
    return system;
}

std::vector<char> entries_that_vary(const CompiledModel& model) {
    const code::Program& program = model.dynamics.program();
    std::vector<char> varies(program.slot_count, 0);
    for (std::size_t i = 0; i < program.input_count; ++i) {
        varies[i] = i < model.layout.p() || i >= model.layout.truths() ? 1 : 0;
    }
    for (const code::Instruction& one : program.instructions) {
        const int operands = code::arity(one.op);
        const bool any = varies[one.a] != 0 || (operands > 1 && varies[one.b] != 0) ||
                         (operands > 2 && varies[one.c] != 0);
        varies[one.target] = any ? 1 : 0;
    }
    const auto n = static_cast<std::size_t>(model.n());
    const std::size_t first = model.mass_entries.size() + (model.has_nonideal ? 2 * n : n);
    std::vector<char> of_entries;
    for (std::size_t i = 0; i < model.row_entries.size(); ++i) {
        of_entries.push_back(varies[program.outputs[first + i]]);
    }
    return of_entries;
}

std::vector<code::Recorded> recorded_inputs(code::Builder& builder, const Evaluator& evaluator) {
    const InputLayout& layout = evaluator.model().layout;
    std::vector<code::Recorded> inputs;
    for (std::uint32_t i = 0; i < layout.size(); ++i) {
        const bool parameter = i >= layout.p() && i < layout.truths();
        inputs.push_back(parameter ? code::Recorded(evaluator.inputs()[i])
                                   : code::Recorded(builder, builder.input(i)));
    }
    return inputs;
}

void set_rows(solve::Elimination<code::Recorded>& elimination, std::span<const Place> places,
              std::span<const code::Recorded> values, std::span<const int> rows) {
    const std::vector<int> among = places_among(rows, places);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const int row = among[static_cast<std::size_t>(places[i].row)];
        if (row >= 0) {
            elimination.set(elimination.n() + row, places[i].column, values[i]);
        }
    }
}

void set_mass(solve::Elimination<code::Recorded>& elimination, std::span<const Place> places,
              std::span<const code::Recorded> values) {
    for (std::size_t i = 0; i < places.size(); ++i) {
        elimination.set(places[i].row, places[i].column, values[i]);
    }
}

}  // namespace ananke::sim
