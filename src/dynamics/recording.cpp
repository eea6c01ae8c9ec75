#include "dynamics/recording.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "compile/roads.h"
#include "dynamics/sparse_rows.h"

namespace ananke::dynamics {
namespace {

using PivotChoice = std::optional<std::vector<solve::Pivot>>;

PivotChoice pivots_of(std::optional<solve::EliminationOrder> order) {
    return order ? PivotChoice(std::move(order->pivots)) : std::nullopt;
}

/// For inputs of any scalar; `norms` as rows are numbered where `places` counts them.
template <class S>
solve::QuaternionBasis<S> quaternion_basis(const Evaluator& evaluator, std::span<const S> inputs,
                                           std::span<const int> norms,
                                           std::span<const int> places) {
    const compile::CompiledModel& model = evaluator.model();
    std::vector<double> inertias(model.inertia.output_count());
    code::Kernel kernel = model.inertia;
    kernel.run(evaluator.inputs().data(), inertias.data());
    std::vector<solve::QuaternionGroup<S>> groups;
    for (std::size_t g = 0; g < model.rotations.size(); ++g) {
        const compile::CompiledModel::Rotation& rotation = model.rotations[g];
        solve::QuaternionGroup<S> group;
        group.first = rotation.first;
        const int norm = norms[g];
        group.norm_row = norm < 0 ? -1 : places[static_cast<std::size_t>(norm)];
        for (std::size_t i = 0; i < 4; ++i) {
            group.u[i] = inputs[model.layout.q() + static_cast<std::size_t>(rotation.first) + i];
        }
        if (rotation.rigid) {
            group.inertia.emplace();
            std::copy_n(inertias.data() + 6 * g, 6, group.inertia->begin());
        }
        groups.push_back(std::move(group));
    }
    return {model.n(), std::move(groups)};
}

}  // namespace

std::size_t RecordedKernel::size() const {
    const auto* whole = std::get_if<code::StateKernel>(&kernel_);
    return whole != nullptr
               ? whole->program().instructions.size()
               : std::get_if<code::SegmentedKernel>(&kernel_)->program().instruction_count();
}

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
    const solve::QuaternionBasis<double> basis =
        quaternion_basis(evaluator, evaluator.inputs(), norm_rows(model), places);
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
    const auto n = static_cast<std::size_t>(model.n());
    const std::size_t first = model.mass_entries.size() + (model.has_nonideal ? 2 * n : n);
    std::vector<char> of_entries;
    for (std::size_t i = 0; i < model.row_entries.size(); ++i) {
        of_entries.push_back(varies[program.outputs[first + i]]);
    }
    return of_entries;
}

std::vector<code::Recorded> recorded_inputs(code::Builder& builder, const Evaluator& evaluator) {
    const compile::InputLayout& layout = evaluator.model().layout;
    std::vector<code::Recorded> inputs;
    for (std::uint32_t i = 0; i < layout.size(); ++i) {
        const bool parameter = i >= layout.p() && i < layout.sides();
        inputs.push_back(parameter ? code::Recorded(evaluator.inputs()[i])
                                   : code::Recorded(builder, builder.input(i)));
    }
    return inputs;
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

void set_rows(solve::Elimination<code::Recorded>& elimination, std::span<const compile::Place> places,
              std::span<const code::Recorded> values, std::span<const int> rows) {
    const std::vector<int> among = places_among(rows, row_count(places, rows));
    for (std::size_t i = 0; i < places.size(); ++i) {
        const int row = among[static_cast<std::size_t>(places[i].row)];
        if (row >= 0) {
            elimination.set(elimination.n() + row, places[i].column, values[i]);
        }
    }
}

std::vector<code::Recorded> record_elimination(const Evaluator& evaluator,
                                               std::span<const code::Recorded> inputs,
                                               RecordedSystem system, const RowOrder& order,
                                               std::span<const int> norms,
                                               PivotObserver<code::Recorded>* observer) {
    using code::Recorded;
    const compile::CompiledModel& model = evaluator.model();
    const int n = model.n();
    int count = row_count(system.row_places, order.rows);
    for (const int norm : norms) {
        count = std::max(count, norm + 1);
    }
    const std::vector<int> places = places_among(order.rows, count);
    const solve::QuaternionBasis<Recorded> basis =
        quaternion_basis(evaluator, inputs, norms, places);

    std::vector<solve::MatrixEntry<Recorded>> mass;
    for (std::size_t i = 0; i < system.mass.size(); ++i) {
        mass.push_back({model.mass_entries[i].row, model.mass_entries[i].column, system.mass[i]});
    }
    std::vector<solve::MatrixEntry<Recorded>> entries;
    for (std::size_t i = 0; i < system.entries.size(); ++i) {
        const int row = places[static_cast<std::size_t>(system.row_places[i].row)];
        if (row >= 0) {
            entries.push_back({row, system.row_places[i].column, system.entries[i]});
        }
    }
    solve::Elimination<Recorded> elimination(n, static_cast<int>(order.rows.size()));
    for (const solve::MatrixEntry<Recorded>& one : basis.mass(mass)) {
        elimination.set(one.row, one.column, one.value);
    }
    for (const solve::MatrixEntry<Recorded>& one : basis.rows(entries)) {
        elimination.set(n + one.row, one.column, one.value);
    }
    basis.turn_force(system.force);
    for (int i = 0; i < n; ++i) {
        elimination.set_right(i, system.force[static_cast<std::size_t>(i)]);
    }
    for (std::size_t k = 0; k < system.b.size(); ++k) {
        elimination.set_right(n + static_cast<int>(k), system.b[k]);
    }
    for (const solve::Pivot& pivot : order.pivots) {
        if (observer != nullptr) {
            observer->before(elimination, pivot);
        }
        const Recorded value = elimination.eliminate(pivot);
        if (observer != nullptr) {
            observer->after(pivot, value);
        }
    }
    std::vector<Recorded> x = elimination.solution();
    basis.turn_back(x);
    return x;
}

}  // namespace ananke::dynamics
