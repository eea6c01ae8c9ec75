// Which operations a graph holds.
//
// Graphs of large models outgrow every cache, but whoever builds expressions of one body touches
// nodes that stand near each other. So a node is kept in a bucket near the position of its newest
// operand: looking for it reads memory that the search for its neighbours has read already, and a
// growing graph moves nothing. Where very many nodes have the same operands (all products of two
// coordinates) the buckets there fill up, and the rest goes to one ordinary table.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "base/growing_array.h"
#include "sym/index_table.h"

namespace ananke::sym {

class NodeTable {
  public:
    /// The node for which `is_equal` holds, among those of this newest operand and hash, or `node`
    /// if there is none, which then stands in the table.
    template <class IsEqual>
    std::uint32_t find_or_insert(std::uint32_t newest, std::uint64_t hash, std::uint32_t node,
                                 IsEqual&& is_equal) {
        const std::uint64_t slot = std::uint64_t{kSlotsPerNode} * newest + (hash & (kSpread - 1));
        const std::size_t number = slot / kBucketSize;
        if (number >= buckets_.size()) {
            buckets_.resize(number + number / 8 + kSpread / kBucketSize, kEmptyBucket);
        }
        Bucket& bucket = buckets_[number];
        for (std::size_t k = 0; k < kBucketSize; ++k) {
            std::uint32_t& place = bucket[(slot + k) % kBucketSize];
            if (place == kEmpty) {
                place = node;
            }
            if (place == node || is_equal(place)) {
                return place;
            }
        }
        return rest_.find_or_insert(hash, node, is_equal);
    }

  private:
    static constexpr std::uint32_t kEmpty = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::uint32_t kSlotsPerNode = 2;  // half full on average
    static constexpr std::uint32_t kSpread = 4096;     // slots over which neighbours spread
    static constexpr std::size_t kBucketSize = 16;     // one line of the cache
    using Bucket = std::array<std::uint32_t, kBucketSize>;
    static constexpr Bucket kEmptyBucket = [] {
        Bucket bucket{};
        bucket.fill(kEmpty);
        return bucket;
    }();

    GrowingArray<Bucket> buckets_;
    IndexTable rest_;  ///< of full buckets
};

}  // namespace ananke::sym
