// A growing dataset of an HDF5 file: rows in chunks, and the index that finds the chunks.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "io/file.h"
#include "io/hdf5_format.h"

namespace ananke::io::hdf5 {

/// Where new blocks of the file go. Addresses only grow.
class Space {
  public:
    explicit Space(std::uint64_t begin) : end_(begin) {}
    std::uint64_t take(std::size_t size) {
        const std::uint64_t address = end_;
        end_ += (size + 7) / 8 * 8;
        return address;
    }
    std::uint64_t end() const { return end_; }

  private:
    std::uint64_t end_;
};

/// Writes to be done in this order, each harmless to whoever knows only what was there before.
using Edits = std::vector<std::pair<std::uint64_t, Bytes>>;

/// Index of chunks that are added one after another: a version 1 B-tree (III.A.1) that only grows
/// at its right edge. A node's count is written after the entry it counts.
class ChunkTree {
  public:
    ChunkTree(std::size_t rank, std::uint64_t rows_per_chunk, std::size_t chunk_bytes)
        : rank_(rank), rows_per_chunk_(rows_per_chunk), chunk_bytes_(chunk_bytes) {}

    void add(std::uint64_t chunk_address, Space& space, Edits& edits);
    std::uint64_t root() const { return edge_.empty() ? kUndefined : edge_.back().address; }

  private:
    struct Node {
        std::uint64_t address;
        std::uint64_t first_chunk;
        std::size_t entries;
    };
    void add_at(std::size_t level, std::uint64_t child, std::uint64_t first_chunk, Space& space,
                Edits& edits);
    Node new_node(std::size_t level, std::uint64_t first_chunk, std::uint64_t left, Space& space,
                  Edits& edits) const;
    void put_entry(std::size_t level, std::uint64_t child, Edits& edits);
    void put_key(Bytes& bytes, std::uint64_t chunk) const;
    std::size_t key_bytes() const { return 8 + 8 * (rank_ + 1); }

    std::size_t rank_;
    std::uint64_t rows_per_chunk_;
    std::size_t chunk_bytes_;
    std::uint64_t chunks_ = 0;
    std::vector<Node> edge_;  ///< rightmost node of each level, leaf first
};

/// Rows of equal size, one chunk of them in memory.
class Table {
  public:
    /// `columns` 0: a one-dimensional dataset. `rows_per_chunk` rows share one block of the file.
    Table(std::string name, Type type, std::size_t columns, std::size_t rows_per_chunk);

    const std::string& name() const { return name_; }
    std::uint64_t rows() const { return rows_; }

    /// Space for the next row of the chunk in memory; a full chunk goes to the file first.
    Result<std::byte*> next_row(File& file, Space& space, Edits& edits);
    /// Writes the rows that the file does not have yet.
    Result<void> write(File& file);

    /// The messages that change as rows are added.
    Messages shape() const;
    /// The messages that stay.
    Messages kind() const;

  private:
    std::vector<std::uint64_t> sizes(std::uint64_t rows) const;

    std::string name_;
    Type type_;
    std::size_t columns_;
    std::size_t row_bytes_;
    std::size_t rows_per_chunk_;
    ChunkTree tree_;
    std::uint64_t rows_ = 0;
    std::uint64_t chunk_address_ = kUndefined;
    std::size_t in_chunk_ = 0;  ///< rows in memory
    std::size_t written_ = 0;   ///< of these, in the file
    std::vector<std::byte> chunk_;
};

}  // namespace ananke::io::hdf5
