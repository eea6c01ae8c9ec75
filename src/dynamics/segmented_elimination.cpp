#include "dynamics/segmented_elimination.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace ananke::dynamics {
namespace {

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

}  // namespace

using code::Traced;

std::vector<Traced> traced_inputs(code::Tracer& tracer, const Evaluator& evaluator) {
    const compile::InputLayout& layout = evaluator.model().layout;
    std::vector<Traced> inputs;
    inputs.reserve(layout.size());
    for (std::uint32_t i = 0; i < layout.size(); ++i) {
        const bool parameter = i >= layout.p() && i < layout.sides();
        inputs.push_back(parameter ? Traced(evaluator.inputs()[i]) : tracer.input(i));
    }
    return inputs;
}

std::vector<std::uint32_t> input_colors(const compile::CompiledModel& model) {
    const compile::InputLayout& layout = model.layout;
    constexpr std::uint32_t kLoose = 16;  // a coordinate of no body
    constexpr std::uint32_t kOther = 100;
    std::vector<std::uint32_t> roles(at(layout.n), kLoose);
    for (const compile::CompiledModel::BodyCoordinates& body : model.bodies) {
        for (int k = 0; k < body.count; ++k) {
            roles[at(body.first + k)] = static_cast<std::uint32_t>(k) + (body.planar ? 8U : 0U);
        }
    }
    std::vector<std::uint32_t> colors(layout.size(), kOther);
    for (std::size_t i = 0; i < roles.size(); ++i) {
        colors[layout.q() + i] = roles[i];
        colors[layout.v() + i] = roles[i] + kLoose + 1;
        colors[layout.a() + i] = roles[i] + 2 * (kLoose + 1);
    }
    return colors;
}

SegmentedElimination::SegmentedElimination(code::Tracer& tracer, const Evaluator& evaluator,
                                           std::span<const Traced> inputs,
                                           const TracedSystem& system, const RowOrder& order,
                                           std::span<const int> norm_rows)
    : tracer_(&tracer),
      model_(&evaluator.model()),
      inputs_(inputs),
      system_(&system),
      order_(&order),
      elimination_(model_->n(), static_cast<int>(order.rows.size())),
      blocks_(all_blocks(*model_)),
      inertias_(model_->inertia.output_count()),
      node_of_(at(model_->n()), -1),
      turns_(model_->rotations.size()),
      x_(at(model_->n()) + order.rows.size()) {
    code::Kernel inertia = model_->inertia;
    inertia.run(evaluator.inputs().data(), inertias_.data());
    find_cells(norm_rows);
}

void SegmentedElimination::find_cells(std::span<const int> norm_rows) {
    for (std::size_t g = 0; g < model_->rotations.size(); ++g) {
        const int first = model_->rotations[g].first;
        std::fill_n(node_of_.begin() + first, 4, static_cast<int>(nodes_.size()));
        nodes_.push_back({first, static_cast<int>(g)});
    }
    for (int j = 0; j < model_->n(); ++j) {
        if (node_of_[at(j)] < 0) {
            node_of_[at(j)] = static_cast<int>(nodes_.size());
            nodes_.push_back({j, -1});
        }
    }
    const std::size_t rows = order_->rows.size();
    const std::vector<int> places = places_among(
        order_->rows,
        std::max(
            row_count(system_->row_places, order_->rows),
            norm_rows.empty() ? 0 : 1 + *std::max_element(norm_rows.begin(), norm_rows.end())));
    norm_of_row_.assign(rows, -1);
    for (std::size_t g = 0; g < norm_rows.size(); ++g) {
        const int row = norm_rows[g] < 0 ? -1 : places[at(norm_rows[g])];
        if (row >= 0) {
            norm_of_row_[at(row)] = static_cast<int>(g);
        }
    }
    node_loaded_.assign(nodes_.size(), 0);
    row_loaded_.assign(rows, 0);
    cells_of_node_.resize(nodes_.size());
    cells_of_row_.resize(rows);

    std::map<std::pair<int, int>, std::size_t> mass_cells;
    const auto mass_cell = [&](int x, int y) -> Cell& {
        const auto [found, is_new] = mass_cells.emplace(std::pair(x, y), cells_.size());
        if (is_new) {
            cells_.push_back({-1, x, y});
            cells_of_node_[at(x)].push_back(found->second);
            if (y != x) {
                cells_of_node_[at(y)].push_back(found->second);
            }
        }
        return cells_[found->second];
    };
    for (std::size_t g = 0; g < model_->rotations.size(); ++g) {
        mass_cell(node_of_[at(model_->rotations[g].first)],
                  node_of_[at(model_->rotations[g].first)]);
    }
    for (std::size_t i = 0; i < model_->mass_entries.size(); ++i) {
        const compile::Place& place = model_->mass_entries[i];
        const auto [x, y] = std::minmax(node_of_[at(place.row)], node_of_[at(place.column)]);
        mass_cell(x, y).entries.push_back(i);
    }
    for (std::size_t i = 0; i < system_->row_places.size(); ++i) {
        const int row = places[at(system_->row_places[i].row)];
        if (row < 0) {
            continue;
        }
        const int x = node_of_[at(system_->row_places[i].column)];
        std::vector<std::size_t>& of_row = cells_of_row_[at(row)];
        const auto known = std::find_if(of_row.begin(), of_row.end(),
                                        [&](std::size_t cell) { return cells_[cell].x == x; });
        if (known != of_row.end()) {
            cells_[*known].entries.push_back(i);
            continue;
        }
        of_row.push_back(cells_.size());
        cells_of_node_[at(x)].push_back(cells_.size());
        cells_.push_back({row, x, x, {i}});
    }
    std::map<std::set<int>, int> joints;  // rows between the same blocks
    for (std::size_t row = 0; row < rows; ++row) {
        std::set<int> touched;
        for (const std::size_t cell : cells_of_row_[row]) {
            touched.insert(blocks_[at(nodes_[at(cells_[cell].x)].first)]);
        }
        const int next = model_->n() + static_cast<int>(joints.size());
        joint_of_row_.push_back(joints.emplace(std::move(touched), next).first->second);
    }
}

int SegmentedElimination::block_of(const solve::Pivot& pivot) const {
    return pivot.coordinate < 0 ? joint_of_row_[at(pivot.row)] : blocks_[at(pivot.coordinate)];
}

std::vector<Traced> SegmentedElimination::run(PivotObserver<Traced>* observer) {
    eliminate(observer);
    a_.assign(x_.begin(), x_.end());
    std::vector<int> missing(turns_.size(), 4);
    std::vector<int> complete;
    int block = -1;
    elimination_.substitute_back(x_, [&](std::size_t step) {
        const solve::Pivot& pivot = order_->pivots[step];
        if (block_of(pivot) != block) {
            block = block_of(pivot);
            turn_back(complete);
            complete.clear();
            tracer_->cut();
        }
        const int group =
            pivot.coordinate < 0 ? -1 : nodes_[at(node_of_[at(pivot.coordinate)])].group;
        if (group >= 0 && --missing[at(group)] == 0) {
            complete.push_back(group);
        }
    });
    turn_back(complete);
    tracer_->cut();
    for (std::size_t i = 0; i < x_.size(); ++i) {
        const bool turned = i < at(model_->n()) && nodes_[at(node_of_[i])].group >= 0;
        a_[i] = turned ? a_[i] : x_[i];
    }
    return std::move(a_);
}

void SegmentedElimination::eliminate(PivotObserver<Traced>* observer) {
    int block = -1;
    for (const solve::Pivot& pivot : order_->pivots) {
        if (block_of(pivot) != block) {
            block = block_of(pivot);
            tracer_->cut();
        }
        if (pivot.coordinate >= 0) {
            load_node(node_of_[at(pivot.coordinate)]);
        }
        if (pivot.row >= 0) {
            load_row(pivot.row);
        }
        if (observer != nullptr) {
            observer->before(elimination_, pivot);
        }
        const Traced value = elimination_.eliminate(pivot);
        if (observer != nullptr) {
            observer->after(pivot, value);
        }
    }
}

void SegmentedElimination::load_node(int node) {
    if (std::exchange(node_loaded_[at(node)], 1) != 0) {
        return;
    }
    for (const std::size_t cell : cells_of_node_[at(node)]) {
        load_cell(cells_[cell]);
    }
    load_force(node);
}

void SegmentedElimination::load_row(int row) {
    if (std::exchange(row_loaded_[at(row)], 1) != 0) {
        return;
    }
    for (const std::size_t cell : cells_of_row_[at(row)]) {
        load_cell(cells_[cell]);
    }
    elimination_.add_right(model_->n() + row, system_->b(at(row)));
}

void SegmentedElimination::load_cell(Cell& cell) {
    if (std::exchange(cell.loaded, true)) {
        return;
    }
    if (cell.row < 0) {
        load_mass(cell);
    } else {
        load_row_cell(cell);
    }
}

const SegmentedElimination::Turn& SegmentedElimination::turn(int group) {
    Turn& turn = turns_[at(group)];
    if (turn.segment != tracer_->segment()) {
        std::array<Traced, 4> u;
        for (std::size_t i = 0; i < 4; ++i) {
            u[i] = inputs_[model_->layout.q() + at(model_->rotations[at(group)].first) + i];
        }
        turn = {tracer_->segment(), solve::turning_matrix(u), solve::squared_norm(u)};
    }
    return turn;
}

/// A coordinate by the unknowns of the elimination.
std::vector<std::pair<int, Traced>> SegmentedElimination::parts(int coordinate) {
    const Node& node = nodes_[at(node_of_[at(coordinate)])];
    if (node.group < 0) {
        return {{coordinate, Traced(1.0)}};
    }
    const Turn& by = turn(node.group);
    std::vector<std::pair<int, Traced>> list;
    for (int k = 0; k < 4; ++k) {
        list.emplace_back(node.first + k, by.T[at(coordinate - node.first)][at(k)]);
    }
    return list;
}

/// As solve::QuaternionBasis::mass.
void SegmentedElimination::load_mass(const Cell& cell) {
    const Node& node = nodes_[at(cell.x)];
    if (cell.x == cell.y && node.group >= 0 && model_->rotations[at(node.group)].rigid) {
        const Traced factor = turn(node.group).square * turn(node.group).square;
        std::size_t next = 6 * at(node.group);
        for (int k = 0; k < 3; ++k) {
            for (int l = k; l < 3; ++l) {
                const double J = inertias_[next++];
                if (J != 0.0) {
                    elimination_.add(node.first + k, node.first + l, Traced(J) * factor);
                }
            }
        }
        return;
    }
    for (const std::size_t i : cell.entries) {
        const compile::Place& place = model_->mass_entries[i];
        const Traced value = system_->mass(i);
        const auto rows = parts(place.row);
        const auto columns = parts(place.column);
        if (cell.x != cell.y || node.group < 0) {
            for (const auto& [row, left] : rows) {
                for (const auto& [column, right] : columns) {
                    elimination_.add(row, column, left * right * value);
                }
            }
            continue;
        }
        for (std::size_t k = 0; k < 4; ++k) {
            for (std::size_t l = k; l < 4; ++l) {
                Traced weight = rows[k].second * columns[l].second;
                if (place.row != place.column) {
                    weight = weight + columns[k].second * rows[l].second;
                }
                elimination_.add(rows[k].first, rows[l].first, value * weight);
            }
        }
    }
}

/// As solve::QuaternionBasis::rows.
void SegmentedElimination::load_row_cell(const Cell& cell) {
    const Node& node = nodes_[at(cell.x)];
    const int row = model_->n() + cell.row;
    if (node.group >= 0 && norm_of_row_[at(cell.row)] == node.group) {
        elimination_.add(row, node.first + 3, Traced(2.0) * turn(node.group).square);
        return;
    }
    if (node.group < 0) {
        for (const std::size_t i : cell.entries) {
            elimination_.add(row, node.first, system_->entries(i));
        }
        return;
    }
    std::array<Traced, 4> sums;
    for (const std::size_t i : cell.entries) {
        const Traced value = system_->entries(i);
        const std::size_t component = at(system_->row_places[i].column - node.first);
        const Turn& by = turn(node.group);
        for (std::size_t k = 0; k < 4; ++k) {
            sums[k] = sums[k] + value * by.T[component][k];
        }
    }
    for (int k = 0; k < 4; ++k) {
        elimination_.add(row, node.first + k, sums[at(k)]);
    }
}

void SegmentedElimination::load_force(int index) {
    const Node& node = nodes_[at(index)];
    if (node.group < 0) {
        elimination_.add_right(node.first, system_->force(at(node.first)));
        return;
    }
    std::array<Traced, 4> sums;
    for (std::size_t i = 0; i < 4; ++i) {
        const Traced force = system_->force(at(node.first) + i);
        const Turn& by = turn(node.group);
        for (std::size_t k = 0; k < 4; ++k) {
            sums[k] = sums[k] + by.T[i][k] * force;
        }
    }
    for (int k = 0; k < 4; ++k) {
        elimination_.add_right(node.first + k, sums[at(k)]);
    }
}

/// Accelerations of quaternions from angular ones.
void SegmentedElimination::turn_back(std::span<const int> groups) {
    for (const int group : groups) {
        const std::size_t first = at(model_->rotations[at(group)].first);
        const Turn& by = turn(group);
        for (std::size_t i = 0; i < 4; ++i) {
            Traced sum;
            for (std::size_t k = 0; k < 4; ++k) {
                sum = sum + by.T[i][k] * x_[first + k];
            }
            a_[first + i] = sum;
        }
    }
}

}  // namespace ananke::dynamics
