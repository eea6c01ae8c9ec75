#include "compile/roads.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "compile/compiled_model.h"
#include "solve/block_graph.h"
#include "solve/sparse_factor.h"

namespace ananke::compile {
namespace {

/// Time of an operation of a sparse factorisation over that of a full one.
constexpr double kSparseEffort = 2.0;
/// What an entry of a sparse system costs beyond the operations with it, where rows are chosen:
/// searches, lists, memory. Chains of bodies and ropes take as long on both roads at 70 to 120
/// coordinates.
constexpr double kEntryOfRows = 1200.0;
/// The same in the watch of the rank, which has the pattern and the pivots of the state before.
constexpr double kEntryOfWatch = 40.0;
/// A program is recorded, put in order and emitted once: over a run of some hundred steps an
/// operation of it costs about that much.
constexpr double kOperationOfProgram = 2.0;
/// Operations of making a program that take the time of 64 entries of a full matrix.
constexpr double kEntryOfMatrix = 1.0 / 64.0;
/// Tapes, families and packets of segments cost as much as so many operations of a program in one
/// piece: a chain of 140 bodies on ball joints has these.
constexpr double kSegments = 125'000.0;
/// Programs in one piece of so many products are made in any case: 560,000 take 0.5 ms, the solver
/// by full matrices 1.7 ms (150 coordinates, M full).
constexpr double kShortProgram = 1e6;
/// Longer ones where the solver by full matrices takes so many times their products. Their code is
/// read from memory, 4 ns a product against 1.3 ns of a matrix (200 coordinates, M full: 5.1 and
/// 3.4 ms), and making them takes 1 us a product: over 500 evaluations as much as 5 of a matrix.
constexpr double kWorthOfProgram = 5.0;
/// Products per coordinate of programs in segments beyond which a general sparse factorisation does
/// it with less: the fill of the elimination by bodies. A chain has about 100.
constexpr double kLongestSegments = 2000.0;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

double cube(double x) {
    return x * x * x;
}

/// Of a look with matrices: factor of M, L^-1 A^T, pivoted factor of that.
double full_cost(const CompiledModel& model) {
    const double n = model.n();
    const double m = model.m();
    return cube(n) / 3.0 + m * n * n + 2.0 * n * m * m;
}

double entries(const CompiledModel& model) {
    return static_cast<double>(model.mass_entries.size() + 2 * model.row_entries.size()) +
           model.m();
}

double instructions(const CompiledModel& model) {
    return static_cast<double>(model.dynamics.program().instructions.size());
}

/// Operations of a factorisation of [M A^T; A 0].
double fill_of_system(const CompiledModel& model) {
    std::vector<solve::SparsePlace> places;
    const auto both = [&](int i, int k) {
        places.push_back({i, k});
        places.push_back({k, i});
    };
    for (int i = 0; i < model.n(); ++i) {
        places.push_back({i, i});
    }
    for (const Place& place : model.mass_entries) {
        both(place.row, place.column);
    }
    for (const Place& place : model.row_entries) {
        both(model.n() + place.row, place.column);
    }
    return solve::SparsePattern(model.n() + model.m(), places).work();
}

/// Rows that each coordinate is in.
std::vector<int> rows_per_coordinate(const CompiledModel& model, std::span<const int> place) {
    std::vector<int> counts(at(model.n()), 0);
    for (const Place& entry : model.row_entries) {
        counts[at(entry.column)] += place[at(entry.row)] >= 0 ? 1 : 0;
    }
    return counts;
}

std::vector<int> places_of(const CompiledModel& model, std::span<const int> rows) {
    std::vector<int> place(at(model.m()), -1);
    for (std::size_t k = 0; k < rows.size(); ++k) {
        place[at(rows[k])] = static_cast<int>(k);
    }
    return place;
}

/// Of one watch of these rows by sparse systems.
double sparse_watch_cost(const CompiledModel& model, std::span<const int> rows) {
    const std::vector<int> place = places_of(model, rows);
    std::vector<solve::SparsePlace> places;
    for (int i = 0; i < model.n(); ++i) {
        places.push_back({i, i});
    }
    for (const Place& entry : model.row_entries) {
        if (const int row = place[at(entry.row)]; row >= 0) {
            places.push_back({model.n() + row, entry.column});
            places.push_back({entry.column, model.n() + row});
        }
    }
    const solve::SparsePattern pattern(model.n() + static_cast<int>(rows.size()), places);
    return kSparseEffort * pattern.work() + kEntryOfWatch * static_cast<double>(places.size());
}

}  // namespace

bool may_be_large(const CompiledModel& model) {
    const bool moves_by_events =
        std::any_of(model.events.list.begin(), model.events.list.end(),
                    [](const CompiledEvents::One& one) { return !one.coordinates.empty(); });
    return model.controls.empty() && model.frictions.empty() && model.feedback.empty() &&
           !model.switches_by_reactions() && !moves_by_events;
}

RoadCosts predict_costs(const CompiledModel& model) {
    const double n = model.n();
    const double m = model.m();
    RoadCosts costs;
    costs.full = full_cost(model);
    costs.sparse = kEntryOfRows * entries(model);
    costs.one_piece = instructions(model) + kEntryOfMatrix * n * (n + m);
    costs.segments = kSegments;
    if (costs.sparse < costs.full) {
        const double fill = fill_of_system(model);
        costs.sparse += kSparseEffort * fill;
        costs.one_piece += fill / 2.0;
    }
    return costs;
}

WatchCosts predict_watch(const CompiledModel& model, std::span<const int> rows) {
    WatchCosts costs;
    costs.sparse = sparse_watch_cost(model, rows);
    costs.program =
        model.is_large()
            ? std::numeric_limits<double>::infinity()
            : kOperationOfProgram *
                  row_sequence(model, rows, costs.sparse / kOperationOfProgram).products;
    return costs;
}

void choose_roads(CompiledModel& model) {
    const RoadCosts costs = predict_costs(model);
    model.sparse = costs.sparse < costs.full;
    model.large = model.sparse && may_be_large(model) && costs.segments < costs.one_piece;
}

double longest_program(const CompiledModel& model) {
    if (model.is_large()) {
        return kLongestSegments * model.n();
    }
    // Multipliers that feed back and controls take an elimination of their own each.
    const auto eliminations =
        static_cast<double>(1 + model.feedback.size() + model.controls.size());
    return std::max(kShortProgram, full_cost(model) / kWorthOfProgram) / eliminations;
}

RowSequence row_sequence(const CompiledModel& model, std::span<const int> rows, double most) {
    RowSequence found;
    if (rows.empty()) {
        return found;
    }
    const std::vector<int> place = places_of(model, rows);
    // The rows of one coordinate are all neighbours of each other.
    const std::vector<int> counts = rows_per_coordinate(model, place);
    const double together = *std::max_element(counts.begin(), counts.end());
    if (cube(together) / 6.0 > most) {
        found.products = cube(together) / 6.0;
        return found;
    }
    solve::SparseSystem shared{static_cast<int>(rows.size()), model.n(), {}, {}, {}, {}};
    for (const Place& entry : model.row_entries) {
        if (place[at(entry.row)] >= 0) {
            shared.rows.push_back({entry.column, place[at(entry.row)], 1.0});
        }
    }
    shared.block.resize(rows.size());
    std::iota(shared.block.begin(), shared.block.end(), 0);
    for (solve::BlockGraph graph(shared); !graph.empty() && found.products <= most;) {
        const std::size_t next = graph.next();
        const auto degree = static_cast<double>(graph.degree(next));
        found.products += 0.5 * degree * (degree + 3.0);
        found.rows.push_back(next);
        graph.remove(next, {});
    }
    return found;
}

double most_products_of_watch(const CompiledModel& model, std::span<const int> rows) {
    return sparse_watch_cost(model, rows) / kOperationOfProgram;
}

}  // namespace ananke::compile
