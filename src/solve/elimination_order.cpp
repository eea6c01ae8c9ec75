#include "solve/elimination_order.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <unordered_set>
#include <utility>

#include "solve/block_graph.h"
#include "solve/order_search.h"

namespace ananke::solve {
namespace {

/// The least part of its row that a pivot is, as kLargePart, of pivots that are the same at every
/// state: positions of bodies in joints. What they leave of the mass is a sum, J + m r^2, in which
/// nothing cancels, however small J is.
constexpr double kThresholdOfConstant = 1e-3;
/// A row of which less than this is left waits until no other remains,
constexpr double kWeak = 1e-2;
/// and with less than this it depends on the others.
constexpr double kDependent = 1e-9;
/// What must be left of the mass of a coordinate for the motion to be determined.
constexpr double kNoMass = 1e-9;
/// Pivots that are the same at every state never ask for a new order: they may cost this much more.
constexpr double kWorthOfConstant = 2.0;

/// What the range-space order may cost, relative to the other, where M > 0.
constexpr double kWorthOfRangeSpace = 1.5;
/// What the null-space order may cost, relative to the other, in larger systems with loops: about
/// three of its products take the time of one of A M^-1 A^T, with the divisions between them.
constexpr double kWorthInLoops = 3.0;

/// Entries that a search in many blocks may look at, relative to the limit of cost.
constexpr double kMostLooks = 4.0;

/// Chooses and carries out pivots of the null-space method.
class NullSpaceSearch {
  public:
    NullSpaceSearch(const SparseSystem& at, double most_cost)
        : at_(at),
          most_cost_(most_cost),
          numbers_(load(at)),
          mass_unit_(mass_units(at)),
          row_unit_(index(at.m)),
          largest_(index(at.m)),
          gone_(index(at.n)),
          rows_left_(at.m) {
        for (int r = 0; r < at.m; ++r) {
            row_unit_[index(r)] = largest_[index(r)] = largest(r);
        }
        for (const SparseEntry& one : at.rows) {
            if (one.constant) {
                constant_.insert(key(one.row, one.column));
            }
        }
    }

    /// Eliminates as many of these coordinates as have pivots. Rows with little left come last.
    void eliminate(std::vector<int> coordinates) {
        while (!coordinates.empty()) {
            std::optional<Pivot> pivot = cheapest(coordinates, kWeak);
            if (!pivot) {
                pivot = cheapest(coordinates, kDependent);
            }
            if (!pivot || is_too_costly()) {
                return;
            }
            carry_out(*pivot);
            std::erase(coordinates, pivot->coordinate);
        }
    }
    bool is_gone(int coordinate) const { return gone_[index(coordinate)] != 0; }
    bool is_too_costly() const {
        return order_.cost > most_cost_ || (at_.many_blocks && looks_ > kMostLooks * at_.most_cost);
    }
    const Numbers& numbers() const { return numbers_; }
    std::optional<EliminationOrder> take() {
        const bool all = rows_left_ == 0 && order_.pivots.size() == index(at_.n);
        return all ? std::optional(std::move(order_)) : std::nullopt;
    }

  private:
    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    std::uint64_t key(int row, int column) const {
        return static_cast<std::uint64_t>(row) * static_cast<std::uint64_t>(at_.n) +
               static_cast<std::uint64_t>(column);
    }

    double scaled_entry(const Numbers::Link& link, int coordinate) const {
        return std::abs(numbers_.entry(link)) * at_.scale[index(coordinate)];
    }
    double largest(int row) const {
        double most = 0.0;
        for (const Numbers::Link& link : numbers_.links(at_.n + row)) {
            most = std::max(most, scaled_entry(link, link.to));
        }
        return most;
    }
    double cost(const Pivot& pivot) const {
        const double by_mass = degree(numbers_, pivot.coordinate);
        if (pivot.row < 0) {
            return 0.5 * by_mass * by_mass;
        }
        const double by_row = degree(numbers_, at_.n + pivot.row);
        return by_row * (by_row + by_mass);
    }

    std::optional<Pivot> cheapest(const std::vector<int>& coordinates, double weak) {
        std::optional<Pivot> best;
        double least = std::numeric_limits<double>::infinity();
        const auto consider = [&](const Pivot& pivot, double price) {
            if (price < least) {
                least = price;
                best = pivot;
            }
        };
        for (const int j : coordinates) {
            bool held = false;
            looks_ += degree(numbers_, j);
            for (const Numbers::Link& link : numbers_.links(j)) {
                const int r = link.to - at_.n;
                if (r < 0) {
                    continue;
                }
                held = true;
                const double most = largest_[index(r)];
                const double size = scaled_entry(link, j);
                if (!(most > weak * row_unit_[index(r)] && size >= kThresholdOfConstant * most)) {
                    continue;
                }
                const bool constant = constant_.contains(key(r, j));
                if (constant || size >= kLargePart * most) {
                    const double worth = constant ? kWorthOfConstant : 1.0;
                    // Among pivots of one price the larger one.
                    consider({j, r}, cost({j, r}) / worth * (1.1 - 0.1 * size / most));
                }
            }
            const double* mass = held ? nullptr : numbers_.find(j, j);
            if (mass != nullptr && *mass > kNoMass * mass_unit_[index(j)]) {
                consider({j, -1}, cost({j, -1}));
            }
        }
        return best;
    }

    void carry_out(const Pivot& pivot) {
        std::vector<int> touched;  // rows
        for (const int unknown : {pivot.coordinate, at_.n + pivot.row}) {
            if (unknown < at_.n && unknown != pivot.coordinate) {
                continue;  // no row
            }
            for (const Numbers::Link& link : numbers_.links(unknown)) {
                if (link.to >= at_.n && link.to != at_.n + pivot.row) {
                    touched.push_back(link.to - at_.n);
                }
            }
        }
        order_.cost += cost(pivot);
        order_.pivots.push_back(pivot);
        gone_[index(pivot.coordinate)] = 1;
        rows_left_ -= pivot.row >= 0 ? 1 : 0;
        order_.sizes.push_back(std::abs(numbers_.eliminate(pivot)));
        for (const int row : touched) {
            largest_[index(row)] = largest(row);
        }
    }

    const SparseSystem& at_;
    double most_cost_;
    double looks_ = 0.0;  ///< at entries, in search of pivots
    Numbers numbers_;
    EliminationOrder order_;
    std::vector<double> mass_unit_;               ///< n
    std::vector<double> row_unit_;                ///< m  largest scaled entry at first
    std::vector<double> largest_;                 ///< m  the same of what is left
    std::unordered_set<std::uint64_t> constant_;  ///< entries of rows
    std::vector<char> gone_;                      ///< n
    int rows_left_;
};

std::vector<int> all_coordinates(int n) {
    std::vector<int> all(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

std::optional<EliminationOrder> order_by_blocks(const SparseSystem& at, double most_cost) {
    NullSpaceSearch search(at, most_cost);
    BlockGraph graph(at);
    std::vector<int> left;
    while (!graph.empty()) {
        const std::size_t block = graph.next();
        search.eliminate(graph.members(block));
        if (search.is_too_costly()) {
            return std::nullopt;
        }
        left.clear();
        for (const int j : graph.members(block)) {
            if (!search.is_gone(j)) {
                left.push_back(j);
            }
        }
        graph.remove(block, left);
    }
    search.eliminate(left);
    return search.take();
}

std::optional<EliminationOrder> greedy_order(const SparseSystem& at, double most_cost) {
    NullSpaceSearch search(at, most_cost);
    search.eliminate(all_coordinates(at.n));
    return search.take();
}

/// `has_other`: there is an order to fall back on.
std::optional<EliminationOrder> null_space_order(const SparseSystem& at, double most_cost,
                                                 bool has_other) {
    std::optional<EliminationOrder> by_blocks;
    if (!at.block.empty()) {
        by_blocks = order_by_blocks(at, most_cost);
    }
    if (at.many_blocks ||
        (at.n > kSmall && !at.block.empty() && (by_blocks.has_value() || has_other))) {
        return by_blocks;
    }
    std::optional<EliminationOrder> greedy = greedy_order(at, most_cost);
    return !by_blocks || (greedy && greedy->cost <= by_blocks->cost) ? greedy : by_blocks;
}

bool has_mass_everywhere(const SparseSystem& at) {
    std::vector<char> has(static_cast<std::size_t>(at.n), 0);
    const std::vector<double> units = mass_units(at);
    for (const SparseEntry& one : at.mass) {
        if (one.row == one.column &&
            one.value > kSafeMass * units[static_cast<std::size_t>(one.row)]) {
            has[static_cast<std::size_t>(one.row)] = 1;
        }
    }
    return std::find(has.begin(), has.end(), 0) == has.end();
}

/// Whether rows tie blocks, the ground not counted, by more than a forest.
bool has_loops(const SparseSystem& at) {
    if (at.block.empty()) {
        return false;
    }
    std::vector<std::set<int>> of_rows(static_cast<std::size_t>(at.m));
    for (const SparseEntry& one : at.rows) {
        of_rows[static_cast<std::size_t>(one.row)].insert(
            at.block[static_cast<std::size_t>(one.column)]);
    }
    std::vector<int> parent(static_cast<std::size_t>(at.n));
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&](int k) {
        while (parent[static_cast<std::size_t>(k)] != k) {
            int& above = parent[static_cast<std::size_t>(k)];
            k = above = parent[static_cast<std::size_t>(above)];
        }
        return k;
    };
    std::set<std::pair<int, int>> ties;
    for (const std::set<int>& blocks : of_rows) {
        for (auto one = blocks.begin(); one != blocks.end() && std::next(one) != blocks.end();
             ++one) {
            ties.insert({*one, *std::next(one)});
        }
    }
    return std::any_of(ties.begin(), ties.end(), [&](const std::pair<int, int>& tie) {
        const int x = root(tie.first);
        const int y = root(tie.second);
        parent[static_cast<std::size_t>(x)] = y;
        return x == y;
    });
}

}  // namespace

std::optional<EliminationOrder> null_space_order(const SparseSystem& at) {
    return null_space_order(at, at.most_cost, false);
}

std::optional<EliminationOrder> choose_order(const SparseSystem& at) {
    const bool many = at.n > kSmall;
    const double least = many ? kSoundPartOfMany : kSoundPart;
    const bool massive = has_mass_everywhere(at);
    const bool first = massive && (!many || at.block.empty() || at.many_blocks);
    const bool loops = !first && many && has_loops(at);
    std::optional<EliminationOrder> by_mass;
    if (first || loops) {
        by_mass = range_space_order(at, least);
    }
    const double worth =
        by_mass ? by_mass->cost * (first ? 1.0 / kWorthOfRangeSpace : kWorthInLoops) : at.most_cost;
    std::optional<EliminationOrder> by_rows =
        null_space_order(at, std::min(worth, at.most_cost), by_mass.has_value());
    if (by_rows && by_rows->cost <= worth) {
        return by_rows;
    }
    const bool searched = first || loops || (!massive && !many);
    return searched ? by_mass : range_space_order(at, least);
}

}  // namespace ananke::solve
