#include "dynamics/recorded_elimination.h"

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

using code::Recorded;

std::vector<Recorded> recorded_inputs(code::Recorder& recorder, const Evaluator& evaluator) {
    const compile::InputLayout& layout = evaluator.model().layout;
    std::vector<Recorded> inputs;
    inputs.reserve(layout.size());
    for (std::uint32_t i = 0; i < layout.size(); ++i) {
        const bool parameter = i >= layout.p() && i < layout.sides();
        inputs.push_back(parameter ? Recorded(evaluator.inputs()[i]) : recorder.input(i));
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

RecordedElimination::RecordedElimination(code::Recorder& recorder, const Evaluator& evaluator,
                                         std::span<const Recorded> inputs, RecordedSystem system,
                                         const RowOrder& order, std::span<const int> norm_rows)
    : recorder_(&recorder),
      model_(&evaluator.model()),
      inputs_(inputs),
      system_(std::move(system)),
      order_(&order),
      elimination_(model_->n(), static_cast<int>(order.rows.size())),
      blocks_(all_blocks(*model_)),
      inertias_(model_->inertia.output_count()),
      node_of_(at(model_->n()), -1),
      turns_(model_->rotations.size()) {
    code::Kernel inertia = model_->inertia;
    inertia.run(evaluator.inputs().data(), inertias_.data());
    find_cells(norm_rows);
}

void RecordedElimination::find_cells(std::span<const int> norm_rows) {
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
            row_count(system_.row_places, order_->rows),
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
    for (std::size_t i = 0; i < system_.row_places.size(); ++i) {
        const int row = places[at(system_.row_places[i].row)];
        if (row < 0) {
            continue;
        }
        const int x = node_of_[at(system_.row_places[i].column)];
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

int RecordedElimination::block_of(const solve::Pivot& pivot) const {
    return pivot.coordinate < 0 ? joint_of_row_[at(pivot.row)] : blocks_[at(pivot.coordinate)];
}

void RecordedElimination::enter_block(const solve::Pivot& pivot) {
    if (const int block = block_of(pivot); block != block_) {
        block_ = block;
        recorder_->cut();
    }
}

void RecordedElimination::start_right() {
    block_ = -1;
    force_loaded_.assign(nodes_.size(), 0);
    b_loaded_.assign(order_->rows.size(), 0);
    x_.assign(at(model_->n()) + order_->rows.size(), Recorded());
}

void RecordedElimination::load_right(const solve::Pivot& pivot, const RecordedRightSide& right) {
    if (pivot.coordinate >= 0) {
        const int node = node_of_[at(pivot.coordinate)];
        if (std::exchange(force_loaded_[at(node)], 1) == 0) {
            load_force(node, right);
        }
    }
    if (pivot.row >= 0 && std::exchange(b_loaded_[at(pivot.row)], 1) == 0) {
        Recorded& b = x_[at(model_->n() + pivot.row)];
        b = b + right.b(at(pivot.row));
    }
}

std::vector<Recorded> RecordedElimination::eliminate(const RecordedRightSide& right,
                                                     PivotObserver* observer) {
    start_right();
    for (const solve::Pivot& pivot : order_->pivots) {
        enter_block(pivot);
        if (pivot.coordinate >= 0) {
            load_node(node_of_[at(pivot.coordinate)]);
        }
        if (pivot.row >= 0) {
            load_row(pivot.row);
        }
        if (observer != nullptr) {
            observer->before(elimination_, pivot);
        }
        const Recorded value = elimination_.eliminate(pivot);
        if (observer != nullptr) {
            observer->after(pivot, value);
        }
        load_right(pivot, right);
        elimination_.forward(elimination_.steps() - 1, x_);
    }
    return finish_right();
}

std::vector<Recorded> RecordedElimination::solve(const RecordedRightSide& right) {
    start_right();
    for (std::size_t k = 0; k < order_->pivots.size(); ++k) {
        enter_block(order_->pivots[k]);
        load_right(order_->pivots[k], right);
        elimination_.forward(k, x_);
    }
    return finish_right();
}

/// The way back, and the accelerations of quaternions as soon as all four unknowns are there.
std::vector<Recorded> RecordedElimination::finish_right() {
    a_ = x_;
    std::vector<int> missing(turns_.size(), 4);
    std::vector<int> complete;
    block_ = -1;
    for (std::size_t k = order_->pivots.size(); k-- > 0;) {
        const solve::Pivot& pivot = order_->pivots[k];
        if (block_of(pivot) != block_) {
            turn_back(complete);
            complete.clear();
        }
        enter_block(pivot);
        elimination_.back(k, x_);
        const int group =
            pivot.coordinate < 0 ? -1 : nodes_[at(node_of_[at(pivot.coordinate)])].group;
        if (group >= 0 && --missing[at(group)] == 0) {
            complete.push_back(group);
        }
    }
    turn_back(complete);
    recorder_->cut();
    for (std::size_t i = 0; i < x_.size(); ++i) {
        const bool turned = i < at(model_->n()) && nodes_[at(node_of_[i])].group >= 0;
        a_[i] = turned ? a_[i] : x_[i];
    }
    return std::move(a_);
}

void RecordedElimination::add_scaled(std::vector<Recorded>& y, const std::vector<Recorded>& x,
                                     const Recorded& weight) {
    const std::size_t n = at(model_->n());
    int block = -1;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const int its = i < n ? blocks_[i] : joint_of_row_[i - n];
        if (std::exchange(block, its) != its) {
            recorder_->cut();
        }
        y[i] = y[i] + weight * x[i];
    }
}

void RecordedElimination::load_node(int node) {
    if (std::exchange(node_loaded_[at(node)], 1) == 0) {
        for (const std::size_t cell : cells_of_node_[at(node)]) {
            load_cell(cells_[cell]);
        }
    }
}

void RecordedElimination::load_row(int row) {
    if (std::exchange(row_loaded_[at(row)], 1) == 0) {
        for (const std::size_t cell : cells_of_row_[at(row)]) {
            load_cell(cells_[cell]);
        }
    }
}

void RecordedElimination::load_cell(Cell& cell) {
    if (std::exchange(cell.loaded, true)) {
        return;
    }
    if (cell.row < 0) {
        load_mass(cell);
    } else {
        load_row_cell(cell);
    }
}

const RecordedElimination::Turn& RecordedElimination::turn(int group) {
    Turn& turn = turns_[at(group)];
    if (turn.segment != recorder_->segment()) {
        std::array<Recorded, 4> u;
        for (std::size_t i = 0; i < 4; ++i) {
            u[i] = inputs_[model_->layout.q() + at(model_->rotations[at(group)].first) + i];
        }
        turn = {recorder_->segment(), solve::turning_matrix(u), solve::squared_norm(u)};
    }
    return turn;
}

/// A coordinate by the unknowns of the elimination.
std::vector<std::pair<int, Recorded>> RecordedElimination::parts(int coordinate) {
    const Node& node = nodes_[at(node_of_[at(coordinate)])];
    if (node.group < 0) {
        return {{coordinate, Recorded(1.0)}};
    }
    const Turn& by = turn(node.group);
    std::vector<std::pair<int, Recorded>> list;
    for (int k = 0; k < 4; ++k) {
        list.emplace_back(node.first + k, by.T[at(coordinate - node.first)][at(k)]);
    }
    return list;
}

/// As solve::QuaternionBasis::mass.
void RecordedElimination::load_mass(const Cell& cell) {
    const Node& node = nodes_[at(cell.x)];
    if (cell.x == cell.y && node.group >= 0 && model_->rotations[at(node.group)].rigid) {
        const Recorded factor = turn(node.group).square * turn(node.group).square;
        std::size_t next = 6 * at(node.group);
        for (int k = 0; k < 3; ++k) {
            for (int l = k; l < 3; ++l) {
                const double J = inertias_[next++];
                if (J != 0.0) {
                    elimination_.add(node.first + k, node.first + l, Recorded(J) * factor);
                }
            }
        }
        return;
    }
    for (const std::size_t i : cell.entries) {
        const compile::Place& place = model_->mass_entries[i];
        const Recorded value = system_.mass(i);
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
                Recorded weight = rows[k].second * columns[l].second;
                if (place.row != place.column) {
                    weight = weight + columns[k].second * rows[l].second;
                }
                elimination_.add(rows[k].first, rows[l].first, value * weight);
            }
        }
    }
}

/// As solve::QuaternionBasis::rows.
void RecordedElimination::load_row_cell(const Cell& cell) {
    const Node& node = nodes_[at(cell.x)];
    const int row = model_->n() + cell.row;
    if (node.group >= 0 && norm_of_row_[at(cell.row)] == node.group) {
        elimination_.add(row, node.first + 3, Recorded(2.0) * turn(node.group).square);
        return;
    }
    if (node.group < 0) {
        for (const std::size_t i : cell.entries) {
            elimination_.add(row, node.first, system_.entries(i));
        }
        return;
    }
    std::array<Recorded, 4> sums;
    for (const std::size_t i : cell.entries) {
        const Recorded value = system_.entries(i);
        const std::size_t component = at(system_.row_places[i].column - node.first);
        const Turn& by = turn(node.group);
        for (std::size_t k = 0; k < 4; ++k) {
            sums[k] = sums[k] + value * by.T[component][k];
        }
    }
    for (int k = 0; k < 4; ++k) {
        elimination_.add(row, node.first + k, sums[at(k)]);
    }
}

void RecordedElimination::load_force(int index, const RecordedRightSide& right) {
    const Node& node = nodes_[at(index)];
    if (node.group < 0) {
        x_[at(node.first)] = x_[at(node.first)] + right.force(at(node.first));
        return;
    }
    std::array<Recorded, 4> sums;
    for (std::size_t i = 0; i < 4; ++i) {
        const Recorded force = right.force(at(node.first) + i);
        const Turn& by = turn(node.group);
        for (std::size_t k = 0; k < 4; ++k) {
            sums[k] = sums[k] + by.T[i][k] * force;
        }
    }
    for (std::size_t k = 0; k < 4; ++k) {
        x_[at(node.first) + k] = x_[at(node.first) + k] + sums[k];
    }
}

/// Accelerations of quaternions from angular ones.
void RecordedElimination::turn_back(std::span<const int> groups) {
    for (const int group : groups) {
        const std::size_t first = at(model_->rotations[at(group)].first);
        const Turn& by = turn(group);
        for (std::size_t i = 0; i < 4; ++i) {
            Recorded sum;
            for (std::size_t k = 0; k < 4; ++k) {
                sum = sum + by.T[i][k] * x_[first + k];
            }
            a_[first + i] = sum;
        }
    }
}

}  // namespace ananke::dynamics
