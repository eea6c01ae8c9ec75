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
                                    std::uint64_t left, BlockFile& file) const {
    const std::size_t size = kNodeHeader + (2 * kChunkK + 1) * key_bytes() + 2 * kChunkK * 8;
    const Node node{file.take(size), first_chunk, 0};
    Bytes bytes;
    bytes.text("TREE").u8(1).u8(static_cast<unsigned>(level)).u16(0).u64(left).u64(kUndefined);
    put_key(bytes, first_chunk);
    bytes.zeros(size - bytes.size());
    file.edit(node.address, std::move(bytes));
    return node;
}

void ChunkTree::put_entry(std::size_t level, std::uint64_t child, BlockFile& file) {
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
    file.edit(node.address + at, std::move(entry));
    ++node.entries;
    file.edit(node.address + kCountOffset, Bytes().u16(node.entries));
}

void ChunkTree::add_at(std::size_t level, std::uint64_t child, std::uint64_t first_chunk,
                       BlockFile& file) {
    if (level == edge_.size()) {
        edge_.push_back(new_node(level, first_chunk, kUndefined, file));
    }
    if (edge_[level].entries < 2 * kChunkK) {
        put_entry(level, child, file);
        return;
    }
    const Node full = edge_[level];
    if (level + 1 == edge_.size()) {  // the root is full: a new one above it
        edge_.push_back(new_node(level + 1, full.first_chunk, kUndefined, file));
        put_entry(level + 1, full.address, file);
    }
    edge_[level] = new_node(level, first_chunk, full.address, file);
    put_entry(level, child, file);
    file.edit(full.address + kRightSiblingOffset, Bytes().u64(edge_[level].address));
    add_at(level + 1, edge_[level].address, first_chunk, file);
}

void ChunkTree::add(std::uint64_t chunk_address, BlockFile& file) {
    add_at(0, chunk_address, chunks_++, file);
}

Table::Table(std::string name, Type type, std::size_t columns, std::size_t rows_per_chunk)
    : name_(std::move(name)),
      type_(type),
      columns_(columns),
      row_bytes_((columns == 0 ? 1 : columns) * element_size(type)),
      rows_per_chunk_(rows_per_chunk),
      tree_(columns == 0 ? 1 : 2, rows_per_chunk, rows_per_chunk * row_bytes_),
      chunk_(rows_per_chunk * row_bytes_) {}

std::byte* Table::next_row(BlockFile& file) {
    if (in_chunk_ == rows_per_chunk_) {
        write(file);
        chunk_address_ = kUndefined;
        in_chunk_ = 0;
        written_ = 0;
    }
    if (chunk_address_ == kUndefined) {
        chunk_address_ = file.take(chunk_.size());
        tree_.add(chunk_address_, file);
    }
    ++rows_;
    return chunk_.data() + in_chunk_++ * row_bytes_;
}

void Table::write(BlockFile& file) {
    const auto fresh = std::span<const std::byte>(chunk_).subspan(
        written_ * row_bytes_, (in_chunk_ - written_) * row_bytes_);
    file.write_at(chunk_address_ + written_ * row_bytes_, fresh);
    written_ = in_chunk_;
}

std::vector<std::uint64_t> Table::sizes(std::uint64_t rows) const {
    return columns_ == 0 ? std::vector{rows} : std::vector<std::uint64_t>{rows, columns_};
}

Messages Table::shape() const {
    Messages messages;
    messages.add(kDataspace, dataspace(sizes(rows_), Growth::kUnlimited));
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
