#include "solve/elimination_order.h"

#include <cmath>
#include <limits>

namespace ananke::solve {
namespace {

/// A row's pivot is at least this part of the row's largest entry, in units of the coordinates.
constexpr double kThreshold = 0.2;
/// A row of which less than this is left waits until no other remains,
constexpr double kWeak = 1e-2;
/// and with less than this it depends on the others.
constexpr double kDependent = 1e-9;
/// What must be left of the mass of a coordinate for the motion to be determined, and to count as
/// safely positive.
constexpr double kNoMass = 1e-12;
constexpr double kSafeMass = 1e-8;
/// Pivots that are the same at every state never ask for a new order: they may cost this much more.
constexpr double kWorthOfConstant = 2.0;

/// What the range-space order may cost, relative to the other.
constexpr double kWorthOfRangeSpace = 1.5;

using Numbers = Elimination<double>;

Numbers load(const SparseSystem& at) {
    Numbers numbers(at.n, at.m);
    for (const SparseEntry& one : at.mass) {
        numbers.set(one.row, one.column, one.value);
    }
    for (const SparseEntry& one : at.rows) {
        numbers.set(at.n + one.row, one.column, one.value);
    }
    return numbers;
}

double degree(const Numbers& numbers, int i) {
    return static_cast<double>(numbers.links(i).size());
}

std::vector<double> mass_units(const SparseSystem& at) {
    std::vector<double> units;
    for (const double scale : at.scale) {
        units.push_back(1.0 / (scale * scale));
    }
    return units;
}

class NullSpaceSearch {
  public:
    explicit NullSpaceSearch(const SparseSystem& at)
        : at_(at),
          numbers_(load(at)),
          mass_unit_(mass_units(at)),
          row_unit_(static_cast<std::size_t>(at.m)),
          constant_(static_cast<std::size_t>(at.m)),
          gone_(static_cast<std::size_t>(at.n + at.m)) {
        for (int r = 0; r < at.m; ++r) {
            row_unit_[index(r)] = largest(r);
            constant_[index(r)].assign(static_cast<std::size_t>(at.n), 0);
        }
        for (const SparseEntry& one : at.rows) {
            constant_[index(one.row)][index(one.column)] = one.constant ? 1 : 0;
        }
    }

    std::optional<EliminationOrder> run() {
        EliminationOrder order;
        for (int left = at_.n; left > 0; --left) {
            const std::optional<Pivot> pivot = cheapest();
            if (!pivot) {
                return std::nullopt;
            }
            order.cost += cost(*pivot);
            order.pivots.push_back(*pivot);
            gone_[index(pivot->coordinate)] = 1;
            if (pivot->row >= 0) {
                gone_[index(at_.n + pivot->row)] = 1;
                --rows_left_;
            }
            order.sizes.push_back(std::abs(numbers_.eliminate(*pivot)));
        }
        return rows_left_ == 0 ? std::optional(std::move(order)) : std::nullopt;
    }

  private:
    static std::size_t index(int i) { return static_cast<std::size_t>(i); }

    double scaled_entry(const Numbers::Link& link) const {
        return std::abs(numbers_.entry(link)) * at_.scale[index(link.to)];
    }
    double largest(int row) const {
        double most = 0.0;
        for (const Numbers::Link& link : numbers_.links(at_.n + row)) {
            most = std::max(most, scaled_entry(link));
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
    bool held_by_row(int coordinate) const {
        for (const Numbers::Link& link : numbers_.links(coordinate)) {
            if (link.to >= at_.n) {
                return true;
            }
        }
        return false;
    }

    /// Rows with little left come last; see kWeak.
    std::optional<Pivot> cheapest() {
        std::optional<Pivot> best = cheapest_above(kWeak);
        return best ? best : cheapest_above(kDependent);
    }

    std::optional<Pivot> cheapest_above(double weak) {
        std::optional<Pivot> best;
        double least = std::numeric_limits<double>::infinity();
        const auto consider = [&](const Pivot& pivot, double price) {
            if (price < least) {
                least = price;
                best = pivot;
            }
        };
        for (int j = 0; j < at_.n; ++j) {
            if (gone_[index(j)] != 0 || held_by_row(j)) {
                continue;
            }
            const double* mass = numbers_.find(j, j);
            if (mass != nullptr && *mass > kNoMass * mass_unit_[index(j)]) {
                consider({j, -1}, cost({j, -1}));
            }
        }
        for (int r = 0; r < at_.m; ++r) {
            if (gone_[index(at_.n + r)] != 0) {
                continue;
            }
            const double most = largest(r);
            if (!(most > weak * row_unit_[index(r)])) {
                continue;
            }
            for (const Numbers::Link& link : numbers_.links(at_.n + r)) {
                const double size = scaled_entry(link) / most;
                if (size < kThreshold) {
                    continue;
                }
                const double worth =
                    constant_[index(r)][index(link.to)] != 0 ? kWorthOfConstant : 1.0;
                // Among pivots of one price the larger one.
                consider({link.to, r}, cost({link.to, r}) / worth * (1.1 - 0.1 * size));
            }
        }
        return best;
    }

    const SparseSystem& at_;
    Numbers numbers_;
    std::vector<double> mass_unit_;            ///< n
    std::vector<double> row_unit_;             ///< m  largest scaled entry at first
    std::vector<std::vector<char>> constant_;  ///< m x n
    std::vector<char> gone_;                   ///< n + m
    int rows_left_ = at_.m;
};

}  // namespace

std::optional<EliminationOrder> null_space_order(const SparseSystem& at) {
    return NullSpaceSearch(at).run();
}

std::optional<EliminationOrder> range_space_order(const SparseSystem& at, double least) {
    Numbers numbers = load(at);
    const std::vector<double> units = mass_units(at);
    EliminationOrder order;
    std::vector<char> gone(static_cast<std::size_t>(at.n + at.m));
    const auto eliminate = [&](const Pivot& pivot, int unknown) {
        order.cost += 0.5 * degree(numbers, unknown) * degree(numbers, unknown);
        order.pivots.push_back(pivot);
        gone[static_cast<std::size_t>(unknown)] = 1;
        order.sizes.push_back(std::abs(numbers.eliminate(pivot)));
    };
    const auto cheapest = [&](int first, int last) {
        int best = -1;
        for (int i = first; i < last; ++i) {
            if (gone[static_cast<std::size_t>(i)] == 0 &&
                (best < 0 || degree(numbers, i) < degree(numbers, best))) {
                best = i;
            }
        }
        return best;
    };
    for (int left = at.n; left > 0; --left) {
        const int j = cheapest(0, at.n);
        const double* mass = numbers.find(j, j);
        if (mass == nullptr || !(*mass > kSafeMass * units[static_cast<std::size_t>(j)])) {
            return std::nullopt;
        }
        eliminate({j, -1}, j);
    }
    std::vector<double> diagonal;
    for (int r = 0; r < at.m; ++r) {
        const double* own = numbers.find(at.n + r, at.n + r);
        diagonal.push_back(own != nullptr ? *own : 0.0);
    }
    for (int left = at.m; left > 0; --left) {
        const int unknown = cheapest(at.n, at.n + at.m);
        const int r = unknown - at.n;
        const double* own = numbers.find(unknown, unknown);
        if (own == nullptr || !(*own < least * diagonal[static_cast<std::size_t>(r)]) ||
            !(*own < 0.0)) {
            return std::nullopt;
        }
        eliminate({-1, r}, unknown);
    }
    return order;
}

std::optional<EliminationOrder> choose_order(const SparseSystem& at) {
    std::optional<EliminationOrder> by_rows = null_space_order(at);
    std::optional<EliminationOrder> by_mass = range_space_order(at, kSoundPart);
    const bool better = by_mass && (!by_rows || by_mass->cost < kWorthOfRangeSpace * by_rows->cost);
    return better ? by_mass : by_rows;
}

}  // namespace ananke::solve
