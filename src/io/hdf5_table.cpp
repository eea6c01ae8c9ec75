#include "io/hdf5_table.h"

#include <span>
#include <utility>

namespace ananke::io::hdf5 {
namespace {

constexpr std::size_t kChunkK = 32;  // 2K children in a node; superblock 0 implies this value
constexpr std::size_t kNodeHeader = 24;
constexpr std::size_t kCountOffset = 6;
constexpr std::size_t kRightSiblingOffset = 16;

}  // namespace

void ChunkTree::put_key(Bytes& bytes, std::uint64_t chunk) const {
    bytes.u32(chunk_bytes_).u32(0).u64(chunk * rows_per_chunk_).zeros(8 * rank_);
}

ChunkTree::Node ChunkTree::new_node(std::size_t level, std::uint64_t first_chunk,
                                    std::uint64_t left, Space& space, Edits& edits) const {
    const std::size_t size = kNodeHeader + (2 * kChunkK + 1) * key_bytes() + 2 * kChunkK * 8;
    const Node node{space.take(size), first_chunk, 0};
    Bytes bytes;
    bytes.text("TREE").u8(1).u8(static_cast<unsigned>(level)).u16(0).u64(left).u64(kUndefined);
    put_key(bytes, first_chunk);
    bytes.zeros(size - bytes.size());
    edits.emplace_back(node.address, std::move(bytes));
    return node;
}

void ChunkTree::put_entry(std::size_t level, std::uint64_t child, Edits& edits) {
    Node& node = edge_[level];
    // The key right of a child bounds what it may ever hold: (2K)^level chunks. Subtrees fill up
    // before the next one starts, so the bound is also where the next one begins.
    std::uint64_t capacity = 1;
    for (std::size_t i = 0; i < level; ++i) {
        capacity *= 2 * kChunkK;
    }
    Bytes entry;
    entry.u64(child);
    put_key(entry, node.first_chunk + (node.entries + 1) * capacity);
    const std::size_t at = kNodeHeader + key_bytes() + node.entries * (8 + key_bytes());
    edits.emplace_back(node.address + at, std::move(entry));
    ++node.entries;
    Bytes count;
    count.u16(node.entries);
    edits.emplace_back(node.address + kCountOffset, std::move(count));
}

void ChunkTree::add_at(std::size_t level, std::uint64_t child, std::uint64_t first_chunk,
                       Space& space, Edits& edits) {
    if (level == edge_.size()) {
        edge_.push_back(new_node(level, first_chunk, kUndefined, space, edits));
    }
    if (edge_[level].entries < 2 * kChunkK) {
        put_entry(level, child, edits);
        return;
    }
    const Node full = edge_[level];
    if (level + 1 == edge_.size()) {  // the root is full: a new one above it
        edge_.push_back(new_node(level + 1, full.first_chunk, kUndefined, space, edits));
        put_entry(level + 1, full.address, edits);
    }
    edge_[level] = new_node(level, first_chunk, full.address, space, edits);
    put_entry(level, child, edits);
    Bytes right;
    right.u64(edge_[level].address);
    edits.emplace_back(full.address + kRightSiblingOffset, std::move(right));
    add_at(level + 1, edge_[level].address, first_chunk, space, edits);
}

void ChunkTree::add(std::uint64_t chunk_address, Space& space, Edits& edits) {
    const std::uint64_t chunk = chunks_++;
    add_at(0, chunk_address, chunk, space, edits);
}

Table::Table(std::string name, Type type, std::size_t columns, std::size_t rows_per_chunk)
    : name_(std::move(name)),
      type_(type),
      columns_(columns),
      row_bytes_((columns == 0 ? 1 : columns) * element_size(type)),
      rows_per_chunk_(rows_per_chunk),
      tree_(columns == 0 ? 1 : 2, rows_per_chunk, rows_per_chunk * row_bytes_),
      chunk_(rows_per_chunk * row_bytes_) {}

Result<std::byte*> Table::next_row(File& file, Space& space, Edits& edits) {
    if (in_chunk_ == rows_per_chunk_) {
        if (auto done = write(file); !done) {
            return done.error();
        }
        chunk_address_ = kUndefined;
        in_chunk_ = 0;
        written_ = 0;
    }
    if (chunk_address_ == kUndefined) {
        chunk_address_ = space.take(chunk_.size());
        tree_.add(chunk_address_, space, edits);
    }
    ++rows_;
    return chunk_.data() + in_chunk_++ * row_bytes_;
}

Result<void> Table::write(File& file) {
    const auto fresh = std::span<const std::byte>(chunk_).subspan(
        written_ * row_bytes_, (in_chunk_ - written_) * row_bytes_);
    if (auto done = file.write_at(chunk_address_ + written_ * row_bytes_, fresh); !done) {
        return done;
    }
    written_ = in_chunk_;
    return {};
}

std::vector<std::uint64_t> Table::sizes(std::uint64_t rows) const {
    return columns_ == 0 ? std::vector{rows} : std::vector<std::uint64_t>{rows, columns_};
}

Messages Table::shape() const {
    Messages messages;
    messages.add(kDataspace, dataspace(sizes(rows_), true));
    messages.add(kLayout, chunked_layout(tree_.root(), sizes(rows_per_chunk_), type_));
    return messages;
}

Messages Table::kind() const {
    Messages messages;
    messages.add(kDatatype, datatype(type_));
    messages.add(kFillValue, fill_value());
    return messages;
}

}  // namespace ananke::io::hdf5
