// In which order the bodies of a system are eliminated.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "solve/elimination_order.h"

namespace ananke::solve {

/// A row that holds one body alone ties it to the ground; bodies tied to it go last.
constexpr std::size_t kWeightOfGround = 2;

/// Bodies and single coordinates as the nodes of a graph, linked by what they share: the order in
/// which they go, fewest neighbours first, so that trees go from their leaves to the ground.
class BlockGraph {
  public:
    explicit BlockGraph(const SparseSystem& at)
        : members_(static_cast<std::size_t>(blocks_in(at))), neighbours_(members_.size()) {
        for (int j = 0; j < at.n; ++j) {
            members_[block(at, j)].push_back(j);
        }
        for (const SparseEntry& one : at.mass) {
            link(block(at, one.row), block(at, one.column));
        }
        std::vector<std::vector<std::size_t>> of_rows(static_cast<std::size_t>(at.m));
        for (const SparseEntry& one : at.rows) {
            of_rows[static_cast<std::size_t>(one.row)].push_back(block(at, one.column));
        }
        grounded_.assign(members_.size(), 0);
        for (std::size_t r = 0; r < of_rows.size(); ++r) {
            std::vector<std::size_t>& blocks = of_rows[r];
            std::sort(blocks.begin(), blocks.end());
            blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
            for (const std::size_t x : blocks) {
                for (const std::size_t y : blocks) {
                    link(x, y);
                }
            }
            if (blocks.size() == 1 && members_[blocks.front()].size() > 1) {
                grounded_[blocks.front()] += kWeightOfGround;
            }
        }
        for (const std::vector<int>& members : members_) {
            sizes_.push_back(members.size());
        }
        keys_.assign(members_.size(), 0);
        for (std::size_t k = 0; k < members_.size(); ++k) {
            enter(k);
        }
    }

    bool empty() const { return queue_.empty(); }
    std::size_t next() const { return queue_.begin()->second; }
    const std::vector<int>& members(std::size_t block) const { return members_[block]; }
    /// Members of its neighbours at first, and what rows of its own count for.
    std::size_t degree(std::size_t block) const {
        std::size_t sum = grounded_[block];
        for (const std::size_t other : neighbours_[block]) {
            sum += sizes_[other];
        }
        return sum;
    }

    /// Takes a block out; its neighbours become neighbours of each other, and what is left of it
    /// joins that one of them that goes next: it waits no longer than it must.
    void remove(std::size_t gone, const std::vector<int>& left) {
        queue_.erase({keys_[gone], gone});
        const std::set<std::size_t> around = neighbours_[gone];
        for (const std::size_t x : around) {
            queue_.erase({keys_[x], x});
        }
        for (const std::size_t x : around) {
            neighbours_[x].erase(gone);
            for (const std::size_t y : around) {
                link(x, y);
            }
        }
        for (const std::size_t x : around) {
            enter(x);
        }
        if (!around.empty()) {
            const std::size_t next =
                *std::min_element(around.begin(), around.end(), [&](std::size_t x, std::size_t y) {
                    return std::pair(keys_[x], x) < std::pair(keys_[y], y);
                });
            members_[next].insert(members_[next].end(), left.begin(), left.end());
        }
    }

  private:
    static int blocks_in(const SparseSystem& at) {
        return 1 + *std::max_element(at.block.begin(), at.block.end());
    }
    static std::size_t block(const SparseSystem& at, int coordinate) {
        return static_cast<std::size_t>(at.block[static_cast<std::size_t>(coordinate)]);
    }
    void link(std::size_t x, std::size_t y) {
        if (x != y) {
            neighbours_[x].insert(y);
            neighbours_[y].insert(x);
        }
    }
    void enter(std::size_t block) {
        keys_[block] = degree(block);
        queue_.insert({keys_[block], block});
    }

    std::vector<std::vector<int>> members_;
    std::vector<std::set<std::size_t>> neighbours_;
    /// Of members_ at first: a block that has inherited counts no more than before, so that rings
    /// are gone through from one place on, body by body.
    std::vector<std::size_t> sizes_;
    std::vector<std::size_t> grounded_;  ///< what rows of its own count for
    std::vector<std::size_t> keys_;      ///< degrees in the queue
    std::set<std::pair<std::size_t, std::size_t>> queue_;
};

}  // namespace ananke::solve
