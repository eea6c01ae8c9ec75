// The range-space order: all coordinates by their masses, then the rows, whose A M^-1 A^T has
// entries between neighbours only. Bodies and joints go as wholes, fewest neighbours first, so
// loops fill in no more than the graph of the joints asks for, and no row ever waits for a pivot.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "solve/order_search.h"

namespace ananke::solve {
namespace {

std::size_t at_index(int i) {
    return static_cast<std::size_t>(i);
}

class RangeSpaceSearch {
  public:
    explicit RangeSpaceSearch(const SparseSystem& at)
        : at_(at),
          by_bodies_(at.n > kSmall && !at.block.empty()),
          numbers_(load(at)),
          units_(mass_units(at)),
          gone_(at_index(at.n + at.m)) {
        for (int j = 0; j < at.n; ++j) {
            massless_.push_back(has_mass(j) ? 0 : 1);
        }
    }

    /// False where M is not safely positive but for coordinates that rows determine, or beyond the
    /// limit of cost.
    bool eliminate_coordinates() {
        for (int j = 0; j < at_.n; ++j) {
            if (massless_[at_index(j)] == 0) {
                continue;
            }
            const int row = row_for(j);
            if (row < 0 || (!is_inside_block(j, row) && !carry_out({j, row}))) {
                return false;
            }
        }
        return eliminate_nodes(
            blocks(), [this](const std::vector<int>& block) { return eliminate_block(block); });
    }

    /// False where one has less than `least` of its diagonal left.
    bool eliminate_rows(double least) {
        std::vector<double> diagonal;
        for (int r = 0; r < at_.m; ++r) {
            const double* own = numbers_.find(at_.n + r, at_.n + r);
            diagonal.push_back(own != nullptr ? *own : 0.0);
        }
        return eliminate_nodes(joints(), [&](const std::vector<int>& joint) {
            return std::all_of(joint.begin(), joint.end(), [&](int unknown) {
                const double* own = numbers_.find(unknown, unknown);
                return own != nullptr && *own < 0.0 &&
                       *own < least * diagonal[at_index(unknown - at_.n)] &&
                       carry_out({-1, unknown - at_.n});
            });
        });
    }

    EliminationOrder take() { return std::move(order_); }

  private:
    using Nodes = std::vector<std::vector<int>>;  ///< unknowns that go together

    bool has_mass(int j) const {
        const double* mass = numbers_.find(j, j);
        return mass != nullptr && *mass > kSafeMass * units_[at_index(j)];
    }
    int block_of(int coordinate) const {
        return by_bodies_ ? at_.block[at_index(coordinate)] : coordinate;
    }

    /// The shortest row in which this coordinate is large, -1: none.
    int row_for(int j) const {
        const auto size = [&](const Numbers::Link& link, int coordinate) {
            return std::abs(numbers_.entry(link)) * at_.scale[at_index(coordinate)];
        };
        int best = -1;
        for (const Numbers::Link& link : numbers_.links(j)) {
            if (link.to < at_.n) {
                continue;
            }
            const std::vector<Numbers::Link>& row = numbers_.links(link.to);
            const bool large = std::all_of(row.begin(), row.end(), [&](const Numbers::Link& other) {
                return other.to < at_.n && size(link, j) >= kLargePart * size(other, other.to);
            });
            if (large && (best < 0 || row.size() < numbers_.links(at_.n + best).size())) {
                best = link.to - at_.n;
            }
        }
        return best;
    }
    /// Such a row, as that of a quaternion's norm, is eliminated with its body.
    bool is_inside_block(int j, int row) const {
        const std::vector<Numbers::Link>& links = numbers_.links(at_.n + row);
        return std::all_of(links.begin(), links.end(), [&](const Numbers::Link& link) {
            return block_of(link.to) == block_of(j);
        });
    }

    bool eliminate_block(std::vector<int> block) {
        for (const int j : block) {
            if (massless_[at_index(j)] != 0) {
                const int row = row_for(j);
                if (row < 0 || !carry_out({j, row})) {
                    return false;
                }
            }
        }
        std::erase_if(block, [&](int j) { return gone_[at_index(j)] != 0; });
        while (!block.empty()) {
            const auto next = std::min_element(block.begin(), block.end(), [&](int x, int y) {
                return numbers_.links(x).size() < numbers_.links(y).size();
            });
            if (!has_mass(*next) || !carry_out({*next, -1})) {
                return false;
            }
            block.erase(next);
        }
        return true;
    }

    /// Coordinates that are still there, block by block.
    Nodes blocks() const {
        std::map<int, std::vector<int>> blocks;
        for (int j = 0; j < at_.n; ++j) {
            if (gone_[at_index(j)] == 0) {
                blocks[block_of(j)].push_back(j);
            }
        }
        return values_of(blocks);
    }
    /// Rows that are still there; those between the same blocks are one joint.
    Nodes joints() const {
        std::vector<std::set<int>> touched(at_index(at_.m));
        for (const SparseEntry& one : at_.rows) {
            touched[at_index(one.row)].insert(block_of(one.column));
        }
        std::map<std::set<int>, std::vector<int>> joints;
        for (int r = 0; r < at_.m; ++r) {
            if (gone_[at_index(at_.n + r)] == 0) {
                joints[by_bodies_ ? touched[at_index(r)] : std::set{r}].push_back(at_.n + r);
            }
        }
        return values_of(joints);
    }
    template <class Map>
    static Nodes values_of(Map& map) {
        Nodes nodes;
        for (auto& [key, value] : map) {
            nodes.push_back(std::move(value));
        }
        std::sort(nodes.begin(), nodes.end());
        return nodes;
    }

    /// Nodes with the fewest neighbours first.
    template <class Eliminate>
    bool eliminate_nodes(const Nodes& nodes, Eliminate eliminate) {
        std::vector<int> node_of(gone_.size(), -1);
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            for (const int unknown : nodes[k]) {
                node_of[at_index(unknown)] = static_cast<int>(k);
            }
        }
        std::vector<std::size_t> degrees;
        std::set<std::pair<std::size_t, int>> queue;
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            degrees.push_back(degree_of(nodes[k]));
            queue.insert({degrees.back(), static_cast<int>(k)});
        }
        std::set<int> around;
        while (!queue.empty()) {
            const int next = queue.begin()->second;
            queue.erase(queue.begin());
            around.clear();
            for (const int unknown : nodes[at_index(next)]) {
                for (const Numbers::Link& link : numbers_.links(unknown)) {
                    around.insert(node_of[at_index(link.to)]);
                }
            }
            around.erase(next);
            around.erase(-1);
            if (!eliminate(nodes[at_index(next)])) {
                return false;
            }
            for (const int other : around) {
                queue.erase({degrees[at_index(other)], other});
                degrees[at_index(other)] = degree_of(nodes[at_index(other)]);
                queue.insert({degrees[at_index(other)], other});
            }
        }
        return true;
    }
    /// Unknowns that a node is linked to, its own counted too.
    std::size_t degree_of(const std::vector<int>& node) {
        linked_.clear();
        for (const int unknown : node) {
            for (const Numbers::Link& link : numbers_.links(unknown)) {
                linked_.push_back(link.to);
            }
        }
        std::sort(linked_.begin(), linked_.end());
        return static_cast<std::size_t>(std::unique(linked_.begin(), linked_.end()) -
                                        linked_.begin());
    }

    /// False beyond the limit of cost.
    bool carry_out(const Pivot& pivot) {
        const bool by_row = pivot.coordinate >= 0 && pivot.row >= 0;
        const double links =
            degree(numbers_, pivot.coordinate >= 0 ? pivot.coordinate : at_.n + pivot.row);
        const double of_row = by_row ? degree(numbers_, at_.n + pivot.row) : 0.0;
        order_.cost += by_row ? of_row * (of_row + links) : 0.5 * links * links;
        order_.pivots.push_back(pivot);
        order_.sizes.push_back(std::abs(numbers_.eliminate(pivot)));
        if (pivot.coordinate >= 0) {
            gone_[at_index(pivot.coordinate)] = 1;
        }
        if (pivot.row >= 0) {
            gone_[at_index(at_.n + pivot.row)] = 1;
        }
        return order_.cost <= at_.most_cost;
    }

    const SparseSystem& at_;
    bool by_bodies_;  ///< and joints; else each unknown by itself
    Numbers numbers_;
    EliminationOrder order_;
    std::vector<double> units_;   ///< n  of mass
    std::vector<char> massless_;  ///< n
    std::vector<char> gone_;      ///< n + m
    std::vector<int> linked_;
};

}  // namespace

std::optional<EliminationOrder> range_space_order(const SparseSystem& at, double least) {
    RangeSpaceSearch search(at);
    if (!search.eliminate_coordinates() || !search.eliminate_rows(least)) {
        return std::nullopt;
    }
    return search.take();
}

}  // namespace ananke::solve
