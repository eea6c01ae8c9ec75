#include "io/hdf5_format.h"

#include <algorithm>

#include "base/check.h"
#include "base/ranges.h"

namespace ananke::io::hdf5 {
namespace {

constexpr std::size_t kGroupLeafK = 16;      // 2K links in a symbol table node
constexpr std::size_t kGroupInternalK = 16;  // 2K children in a group's index node
constexpr std::size_t kHeapMinimum = 4096;   // the library reads at least this much
constexpr std::uint64_t kNoFreeBlock = 1;    // end of a local heap's free list

std::size_t aligned(std::size_t size) {
    return (size + 7) / 8 * 8;
}

Bytes attribute(std::string_view name, Type type, const Bytes& space,
                std::span<const std::byte> value) {
    const Bytes kind = datatype(type);
    Bytes body;
    body.u8(1).u8(0).u16(name.size() + 1).u16(kind.size()).u16(space.size());
    body.text(name).u8(0).align();
    body.bytes(kind.view()).align();
    body.bytes(space.view()).align();
    body.bytes(value);
    return body;
}

}  // namespace

Bytes& Bytes::text(std::string_view value) {
    return bytes(std::as_bytes(std::span(value.data(), value.size())));
}

Bytes& Bytes::bytes(std::span<const std::byte> value) {
    append(data_, value);
    return *this;
}

Bytes& Bytes::zeros(std::size_t count) {
    data_.resize(data_.size() + count);
    return *this;
}

Bytes& Bytes::align() {
    return zeros(aligned(size()) - size());
}

void Messages::add(unsigned type, Bytes body) {
    body.align();
    ANANKE_REQUIRE(body.size() < 0x10000);
    bytes.u16(type).u16(body.size()).u8(0).zeros(3).bytes(body.view());
    ++count;
}

Bytes dataspace(std::span<const std::uint64_t> sizes, Growth growth) {
    const bool grows = growth == Growth::kUnlimited;
    Bytes body;
    body.u8(1).u8(static_cast<unsigned>(sizes.size())).u8(grows ? 1 : 0).zeros(5);
    for (const std::uint64_t size : sizes) {
        body.u64(size);
    }
    if (grows) {
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            body.u64(i == 0 ? kUndefined : sizes[i]);
        }
    }
    return body;
}

Bytes datatype(Type type) {
    Bytes body;
    if (type == Type::kDouble) {
        // Version 1, class 1: little-endian, implied leading bit, sign at bit 63; 8 bytes;
        // offset 0, precision 64; exponent 11 bits at 52, mantissa 52 bits at 0, bias 1023.
        body.u8(0x11).u8(0x20).u8(63).u8(0).u32(8).u16(0).u16(64);
        return body.u8(52).u8(11).u8(0).u8(52).u32(1023);
    }
    // Version 1, class 9: a string (1) ended by zero, UTF-8 (1), of unsigned bytes (class 0).
    body.u8(0x19).u8(0x01).u8(0x01).u8(0).u32(kStringBytes);
    return body.u8(0x10).zeros(3).u32(1).u16(0).u16(8);
}

Bytes fill_value() {
    // Version 2: space when needed (3), written if set (2), the default value of zero.
    Bytes body;
    return body.u8(2).u8(3).u8(2).u8(1).u32(0);
}

Bytes chunked_layout(std::uint64_t tree, std::span<const std::uint64_t> chunk, Type type) {
    Bytes body;
    body.u8(3).u8(2).u8(static_cast<unsigned>(chunk.size()) + 1).u64(tree);
    for (const std::uint64_t size : chunk) {
        body.u32(size);
    }
    return body.u32(element_size(type));
}

Bytes continuation(std::uint64_t address, std::uint64_t size) {
    Bytes body;
    return body.u64(address).u64(size);
}

Bytes symbol_table(std::uint64_t tree, std::uint64_t heap) {
    Bytes body;
    return body.u64(tree).u64(heap);
}

Bytes scalar_attribute(std::string_view name, Type type, std::span<const std::byte> value) {
    return attribute(name, type, dataspace({}, Growth::kFixed), value);
}

Bytes list_attribute(std::string_view name, Type type, std::span<const std::byte> values) {
    const std::uint64_t count = values.size() / element_size(type);
    return attribute(name, type, dataspace({&count, 1}, Growth::kFixed), values);
}

Bytes object_header(const Messages& first, std::size_t more) {
    Bytes header;
    header.u8(1).u8(0).u16(first.count + more).u32(1).u32(first.bytes.size()).zeros(4);
    return header.bytes(first.bytes.view());
}

Bytes superblock(std::uint64_t end_of_file, std::uint64_t root_header) {
    Bytes block;
    block.text("\x89HDF\r\n\x1a\n").zeros(5).u8(8).u8(8).u8(0);
    block.u16(kGroupLeafK).u16(kGroupInternalK).u32(0);
    block.u64(0).u64(kUndefined).u64(end_of_file).u64(kUndefined);
    return block.u64(0).u64(root_header).u32(0).u32(0).zeros(16);
}

GroupBlock group_block(Links links, std::uint64_t address) {
    ANANKE_REQUIRE(links.size() <= 2 * kGroupLeafK);
    std::ranges::sort(links);

    Bytes names;
    names.zeros(8);  // the empty name, below all others
    Bytes table;
    table.text("SNOD").u8(1).u8(0).u16(links.size());
    std::size_t last_name = 0;
    for (const auto& [name, header] : links) {
        last_name = names.size();
        table.u64(last_name).u64(header).u32(0).u32(0).zeros(16);
        names.text(name).u8(0).align();
    }
    table.zeros(8 + 2 * kGroupLeafK * 40 - table.size());

    constexpr std::size_t kTreeBytes = 24 + (2 * kGroupInternalK + 1) * 8 + 2 * kGroupInternalK * 8;
    constexpr std::size_t kHeapBytes = 32;
    const std::uint64_t heap = address + kTreeBytes;
    const std::uint64_t names_address = heap + kHeapBytes;
    const std::uint64_t table_address = names_address + names.size();

    Bytes block;
    block.text("TREE").u8(0).u8(0).u16(1).u64(kUndefined).u64(kUndefined);
    block.u64(0).u64(table_address).u64(last_name).zeros(kTreeBytes - 48);
    block.text("HEAP").u8(0).zeros(3).u64(names.size()).u64(kNoFreeBlock).u64(names_address);
    block.bytes(names.view()).bytes(table.view());
    return {std::move(block), address, heap};
}

HeapBlock heap_block(std::span<const std::string> texts, std::uint64_t address) {
    ANANKE_REQUIRE(texts.size() <= kHeapTextsLimit);
    constexpr std::size_t kObjectHeader = 16;
    std::size_t used = 16;
    for (const std::string& text : texts) {
        used += kObjectHeader + aligned(text.size());
    }
    const std::size_t total =
        (used + kObjectHeader + kHeapMinimum - 1) / kHeapMinimum * kHeapMinimum;

    HeapBlock heap;
    heap.collection.text("GCOL").u8(1).zeros(3).u64(total);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        heap.collection.u16(i + 1).u16(1).u32(0).u64(texts[i].size()).text(texts[i]).align();
        heap.elements.u32(texts[i].size()).u64(address).u32(i + 1);
    }
    heap.collection.u16(0).u16(0).u32(0).u64(total - used);  // object 0 is the free space
    heap.collection.zeros(total - heap.collection.size());
    return heap;
}

}  // namespace ananke::io::hdf5
