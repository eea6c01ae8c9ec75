#include "solve/independent_rows.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "solve/block_graph.h"

namespace ananke::solve {
namespace {

/// A pivot is at least this part of the largest entry of its row, in units of the coordinates.
constexpr double kThreshold = 0.2;
/// or this part, and then as large a part of what other rows have of its coordinate: the position
/// of a compact body, which turns much more easily than it moves.
constexpr double kLeast = 1e-3;
/// A row of which less than this is left waits until no other remains,
constexpr double kWeak = 1e-2;
/// and with less than this it is doubtful.
constexpr double kDoubtful = 1e-6;

class RowSearch {
  public:
    RowSearch(const SparseSystem& at, double dependent)
        : at_(at),
          dependent_(dependent),
          numbers_(at.n, at.m),
          unit_(index(at.m)),
          pivot_(index(at.m), -1) {
        for (const SparseEntry& one : at.rows) {
            numbers_.set(at.n + one.row, one.column, one.value);
        }
        for (int r = 0; r < at.m; ++r) {
            unit_[index(r)] = largest(r);
        }
    }

    void eliminate(const std::vector<int>& coordinates) {
        while (const std::optional<Pivot> pivot = best(coordinates)) {
            const double part = largest(pivot->row) / unit_[index(pivot->row)];
            choice_.weakest = std::min(choice_.weakest, part);
            choice_.warning = choice_.warning || part < kDoubtful;
            numbers_.eliminate(*pivot);
            pivot_[index(pivot->row)] = pivot->coordinate;
        }
    }
    bool is_held(int coordinate) const { return !numbers_.links(coordinate).empty(); }

    RowChoice take() {
        for (int r = 0; r < at_.m; ++r) {
            (pivot_[index(r)] >= 0 ? choice_.kept : choice_.dropped).push_back(r);
            if (pivot_[index(r)] >= 0) {
                choice_.coordinates.push_back(pivot_[index(r)]);
            }
        }
        return std::move(choice_);
    }

  private:
    static std::size_t index(int i) { return static_cast<std::size_t>(i); }

    double size(const Elimination<double>::Link& link) const {
        return std::abs(numbers_.entry(link)) * at_.scale[index(link.to)];
    }
    double largest(int row) const {
        double most = 0.0;
        for (const Elimination<double>::Link& link : numbers_.links(at_.n + row)) {
            most = std::max(most, size(link));
        }
        return most;
    }

    /// The row is not multiplied by much where it takes this coordinate out of the others.
    bool leads_column(int row, const Elimination<double>::Link& pivot) const {
        const double own = std::abs(numbers_.entry(pivot)) / unit_[index(row)];
        const std::vector<Elimination<double>::Link>& others = numbers_.links(pivot.to);
        return std::all_of(others.begin(), others.end(), [&](const auto& link) {
            const double other = std::abs(numbers_.entry(link)) / unit_[index(link.to - at_.n)];
            return own >= kThreshold * other;
        });
    }

    /// The cheapest pivot; strong rows before weak ones. Rows with nothing left are taken out.
    std::optional<Pivot> best(const std::vector<int>& coordinates) {
        rows_.clear();
        for (const int j : coordinates) {
            for (const Elimination<double>::Link& link : numbers_.links(j)) {
                rows_.push_back(link.to - at_.n);
            }
        }
        std::sort(rows_.begin(), rows_.end());
        rows_.erase(std::unique(rows_.begin(), rows_.end()), rows_.end());
        std::optional<Pivot> best;
        double least = 0.0;
        bool strong = false;
        for (const int r : rows_) {
            const double most = largest(r);
            const double part = unit_[index(r)] > 0.0 ? most / unit_[index(r)] : 0.0;
            if (!(part > dependent_)) {
                numbers_.discard(at_.n + r);
                continue;
            }
            if (part <= kWeak && strong) {
                continue;
            }
            const std::vector<Elimination<double>::Link>& links = numbers_.links(at_.n + r);
            for (const Elimination<double>::Link& link : links) {
                const double part_of_row = size(link) / most;
                if (part_of_row < kLeast || (part_of_row < kThreshold && !leads_column(r, link)) ||
                    std::find(coordinates.begin(), coordinates.end(), link.to) ==
                        coordinates.end()) {
                    continue;
                }
                const double price = static_cast<double>(links.size()) *
                                     static_cast<double>(numbers_.links(link.to).size()) *
                                     (1.1 - 0.1 * size(link) / most);
                if (!best || price < least || (part > kWeak && !strong)) {
                    best = Pivot{link.to, r};
                    least = price;
                    strong = part > kWeak;
                }
            }
        }
        return best;
    }

    const SparseSystem& at_;
    double dependent_;
    Elimination<double> numbers_;
    RowChoice choice_;
    std::vector<double> unit_;  ///< m  largest scaled entry at first
    std::vector<int> pivot_;    ///< m  the coordinate a kept row is eliminated by, else -1
    std::vector<int> rows_;
};

}  // namespace

RowChoice independent_rows(const SparseSystem& at, double dependent) {
    RowSearch search(at, dependent);
    std::vector<int> left;
    if (at.block.empty()) {
        for (int j = 0; j < at.n; ++j) {
            left.push_back(j);
        }
    } else {
        BlockGraph graph(at);
        while (!graph.empty()) {
            const std::size_t block = graph.next();
            search.eliminate(graph.members(block));
            left.clear();
            for (const int j : graph.members(block)) {
                if (search.is_held(j)) {
                    left.push_back(j);
                }
            }
            graph.remove(block, left);
        }
    }
    search.eliminate(left);
    return search.take();
}

}  // namespace ananke::solve
