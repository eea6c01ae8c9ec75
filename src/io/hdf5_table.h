// A growing dataset of an HDF5 file: rows in chunks, and the index that finds the chunks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/hdf5_blocks.h"
#include "io/hdf5_format.h"

namespace ananke::io::hdf5 {

/// Index of chunks that are added one after another: a version 1 B-tree (III.A.1) that only grows
/// at its right edge. A node's count is written after the entry it counts.
class ChunkTree {
  public:
    ChunkTree(std::size_t rank, std::uint64_t rows_per_chunk, std::size_t chunk_bytes)
        : rank_(rank), rows_per_chunk_(rows_per_chunk), chunk_bytes_(chunk_bytes) {}

    void add(std::uint64_t chunk_address, BlockFile& file);
    std::uint64_t root() const { return edge_.empty() ? kUndefined : edge_.back().address; }

  private:
    struct Node {
        std::uint64_t address;
        std::uint64_t first_chunk;
        std::size_t entries;
    };
    void add_at(std::size_t level, std::uint64_t child, std::uint64_t first_chunk, BlockFile& file);
    Node new_node(std::size_t level, std::uint64_t first_chunk, std::uint64_t left,
                  BlockFile& file) const;
    void put_entry(std::size_t level, std::uint64_t child, BlockFile& file);
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
    std::byte* next_row(BlockFile& file);
    /// Writes the rows that the file does not have yet.
    void write(BlockFile& file);

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
