#include "dynamics/recording.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "compile/roads.h"
#include "dynamics/sparse_rows.h"
#include "solve/quaternion_basis.h"

namespace ananke::dynamics {
namespace {

using PivotChoice = std::optional<std::vector<solve::Pivot>>;

PivotChoice pivots_of(std::optional<solve::EliminationOrder> order) {
    return order ? PivotChoice(std::move(order->pivots)) : std::nullopt;
}

/// At the last state of the evaluator; `places` of the rows of the model among those that count.
solve::QuaternionBasis quaternion_basis(const Evaluator& evaluator, std::span<const int> places) {
    const compile::CompiledModel& model = evaluator.model();
    std::vector<double> inertias(model.inertia.output_count());
    code::Kernel kernel = model.inertia;
    kernel.run(evaluator.inputs().data(), inertias.data());
    std::vector<solve::QuaternionGroup> groups;
    for (std::size_t g = 0; g < model.rotations.size(); ++g) {
        const compile::CompiledModel::Rotation& rotation = model.rotations[g];
        solve::QuaternionGroup group;
        group.first = rotation.first;
        group.norm_row =
            rotation.norm_row < 0 ? -1 : places[static_cast<std::size_t>(rotation.norm_row)];
        std::copy_n(evaluator.inputs().begin() + static_cast<std::ptrdiff_t>(model.layout.q()) +
                        rotation.first,
                    4, group.u.begin());
        if (rotation.rigid) {
            group.inertia.emplace();
            std::copy_n(inertias.data() + 6 * g, 6, group.inertia->begin());
        }
        groups.push_back(std::move(group));
    }
    return {model.n(), std::move(groups)};
}

}  // namespace

std::vector<int> places_among(std::span<const int> rows, int count) {
    std::vector<int> places(static_cast<std::size_t>(count), -1);
    for (std::size_t k = 0; k < rows.size(); ++k) {
        places[static_cast<std::size_t>(rows[k])] = static_cast<int>(k);
    }
    return places;
}

std::vector<int> blocks_of(const compile::CompiledModel& model) {
    return model.bodies.empty() && !model.is_large() ? std::vector<int>() : all_blocks(model);
}

std::vector<int> all_blocks(const compile::CompiledModel& model) {
    std::vector<int> blocks(static_cast<std::size_t>(model.n()), -1);
    int next = 0;
    for (const compile::CompiledModel::BodyCoordinates& body : model.bodies) {
        std::fill_n(blocks.begin() + body.first, body.count, next++);
    }
    std::vector<std::vector<int>> rows_of(blocks.size());
    for (const compile::Place& place : model.row_entries) {
        const auto column = static_cast<std::size_t>(place.column);
        if (blocks[column] < 0) {
            rows_of[column].push_back(place.row);
        }
    }
    std::map<std::vector<int>, int> held;
    for (std::size_t j = 0; j < blocks.size(); ++j) {
        if (blocks[j] >= 0) {
            continue;
        }
        std::sort(rows_of[j].begin(), rows_of[j].end());
        const auto [known, is_new] = held.emplace(rows_of[j], next);
        const bool shared = !is_new && !rows_of[j].empty();
        blocks[j] = shared ? known->second : next++;
    }
    return blocks;
}

int row_count(std::span<const compile::Place> entries, std::span<const int> rows) {
    int count = 0;
    for (const compile::Place& place : entries) {
        count = std::max(count, place.row + 1);
    }
    for (const int row : rows) {
        count = std::max(count, row + 1);
    }
    return count;
}

std::vector<double> coordinate_scales(Eigen::VectorXd mass,
                                      std::span<const solve::CoordinateGroup> groups) {
    for (const solve::CoordinateGroup& group : groups) {
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

std::vector<double> coordinate_scales(const compile::CompiledModel& model,
                                      std::span<const double> mass_entries) {
    Eigen::VectorXd diagonal = Eigen::VectorXd::Zero(model.n());
    for (std::size_t i = 0; i < model.mass_entries.size(); ++i) {
        if (model.mass_entries[i].row == model.mass_entries[i].column) {
            diagonal[model.mass_entries[i].row] = mass_entries[i];
        }
    }
    return coordinate_scales(std::move(diagonal), model.groups);
}

std::vector<double> coordinate_scales(const Evaluator& evaluator) {
    code::Kernel kernel = evaluator.model().mass;
    std::vector<double> entries(kernel.output_count());
    kernel.run(evaluator.inputs().data(), entries.data());
    return coordinate_scales(evaluator.model(), entries);
}

std::vector<int> norm_rows(const compile::CompiledModel& model) {
    std::vector<int> rows;
    for (const compile::CompiledModel::Rotation& rotation : model.rotations) {
        rows.push_back(rotation.norm_row);
    }
    return rows;
}

solve::SparseSystem sparse_system(const Evaluator& evaluator, const EntryValues& at,
                                  std::span<const int> rows, std::span<const char> varies) {
    const compile::CompiledModel& model = evaluator.model();
    std::vector<solve::SparseEntry> mass;
    for (std::size_t i = 0; i < model.mass_entries.size(); ++i) {
        mass.push_back({model.mass_entries[i].row, model.mass_entries[i].column, at.mass[i]});
    }
    std::vector<solve::SparseEntry> entries;
    const std::vector<int> places = places_among(rows, model.m());
    for (std::size_t i = 0; i < model.row_entries.size(); ++i) {
        const compile::Place& place = model.row_entries[i];
        const int row = places[static_cast<std::size_t>(place.row)];
        if (row >= 0) {
            entries.push_back({row, place.column, at.rows[i], varies[i] == 0});
        }
    }
    const solve::QuaternionBasis basis = quaternion_basis(evaluator, places);
    solve::SparseSystem system{
        model.n(), static_cast<int>(rows.size()), basis.mass(mass), basis.rows(entries), {}};
    Eigen::VectorXd diagonal = Eigen::VectorXd::Zero(model.n());
    for (const solve::SparseEntry& one : system.mass) {
        if (one.row == one.column) {
            diagonal[one.row] = one.value;
        }
    }
    system.scale = coordinate_scales(std::move(diagonal), model.groups);
    system.block = blocks_of(model);
    system.most_cost = compile::longest_program(model);
    system.many_blocks = model.is_large();
    return system;
}

std::vector<char> entries_that_vary(const compile::CompiledModel& model) {
    const code::Program& program = model.dynamics.program();
    std::vector<char> varies(program.slot_count, 0);
    for (std::size_t i = 0; i < program.input_count; ++i) {
        varies[i] = i < model.layout.p() || i >= model.layout.sides() ? 1 : 0;
    }
    for (const code::Instruction& one : program.instructions) {
        const int operands = code::arity(one.op);
        const bool any = varies[one.a] != 0 || (operands > 1 && varies[one.b] != 0) ||
                         (operands > 2 && varies[one.c] != 0);
        varies[one.target] = any ? 1 : 0;
    }
    const std::size_t first = model.outputs_of_dynamics().A;
    std::vector<char> of_entries;
    for (std::size_t i = 0; i < model.row_entries.size(); ++i) {
        of_entries.push_back(varies[program.outputs[first + i]]);
    }
    return of_entries;
}

std::span<const double> parameters_of(const Evaluator& evaluator) {
    const compile::InputLayout& layout = evaluator.model().layout;
    return evaluator.inputs().subspan(layout.p(), layout.sides() - layout.p());
}

compile::RecordKey state_key(compile::RecordKey::Kind kind, const Evaluator& evaluator) {
    const compile::InputLayout& layout = evaluator.model().layout;
    const std::span<const double> inputs = evaluator.inputs();
    return compile::RecordKey(kind).add(inputs.first(layout.a())).add(inputs.subspan(layout.p()));
}

std::optional<std::vector<solve::Pivot>> choose_pivots(const Evaluator& evaluator,
                                                       const EntryValues& at,
                                                       std::span<const int> rows,
                                                       std::span<const char> varies) {
    const compile::CompiledModel& model = evaluator.model();
    const compile::RecordKey key = state_key(compile::RecordKey::Kind::kOrder, evaluator).add(rows);
    const auto choose = [&] {
        return pivots_of(solve::choose_order(sparse_system(evaluator, at, rows, varies)));
    };
    return has_sparse_rows(model) ? *model.programs->latest<PivotChoice>(key, choose)
                                  : *model.programs->get<PivotChoice>(key, choose);
}

}  // namespace ananke::dynamics
