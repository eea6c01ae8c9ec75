// The pieces of the HDF5 file format that a run needs, as bytes.
//
// HDF5 File Format Specification 3.0 (The HDF Group), the forms that every release of the library
// reads: superblock 0 (II.A), B-trees 1 (III.A.1), symbol tables (III.C), local heaps (III.D),
// global heaps (III.E), object headers 1 (IV.A). None of these carries a checksum, which is what
// makes safe changes in place possible (hdf5.cpp).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ananke::io::hdf5 {

static_assert(std::endian::native == std::endian::little, "numbers are stored as they are");

inline constexpr std::uint64_t kUndefined = ~std::uint64_t{0};
inline constexpr std::size_t kStringBytes = 16;  ///< length 4, collection 8, index 4

/// Bytes in the order they stand in the file.
class Bytes {
  public:
    template <class T>
    Bytes& put(T value) {
        const std::size_t at = data_.size();
        data_.resize(at + sizeof(T));
        std::memcpy(data_.data() + at, &value, sizeof(T));
        return *this;
    }
    Bytes& u8(unsigned value) { return put(static_cast<std::uint8_t>(value)); }
    Bytes& u16(std::size_t value) { return put(static_cast<std::uint16_t>(value)); }
    Bytes& u32(std::size_t value) { return put(static_cast<std::uint32_t>(value)); }
    Bytes& u64(std::uint64_t value) { return put(value); }
    Bytes& text(std::string_view value);
    Bytes& bytes(std::span<const std::byte> value);
    Bytes& zeros(std::size_t count);
    /// Zeros up to a multiple of 8.
    Bytes& align();

    std::size_t size() const { return data_.size(); }
    std::span<const std::byte> view() const { return data_; }

  private:
    std::vector<std::byte> data_;
};

/// Element types of datasets and attributes.
enum class Type : std::uint8_t { kDouble, kString };

constexpr std::size_t element_size(Type type) {
    return type == Type::kDouble ? sizeof(double) : kStringBytes;
}

/// A list of header messages and how many they are.
struct Messages {
    Bytes bytes;
    std::size_t count = 0;

    void add(unsigned type, Bytes body);
};

// The messages themselves, IV.A.2.
enum class Growth : std::uint8_t { kFixed, kUnlimited };  ///< of the first size
Bytes dataspace(std::span<const std::uint64_t> sizes, Growth growth);
Bytes datatype(Type type);
Bytes fill_value();
/// `chunk`: its sizes in elements; `tree`: address of the index, kUndefined without chunks.
Bytes chunked_layout(std::uint64_t tree, std::span<const std::uint64_t> chunk, Type type);
Bytes continuation(std::uint64_t address, std::uint64_t size);
Bytes symbol_table(std::uint64_t tree, std::uint64_t heap);
Bytes scalar_attribute(std::string_view name, Type type, std::span<const std::byte> value);
Bytes list_attribute(std::string_view name, Type type, std::span<const std::byte> values);

inline constexpr unsigned kNothing = 0x00;
inline constexpr unsigned kDataspace = 0x01;
inline constexpr unsigned kDatatype = 0x03;
inline constexpr unsigned kFillValue = 0x05;
inline constexpr unsigned kLayout = 0x08;
inline constexpr unsigned kAttribute = 0x0C;
inline constexpr unsigned kContinuation = 0x10;
inline constexpr unsigned kSymbolTable = 0x11;
inline constexpr unsigned kModificationTime = 0x12;

/// An object header whose first block holds `first` and which counts `more` messages elsewhere.
Bytes object_header(const Messages& first, std::size_t more);

/// 96 bytes at address 0.
Bytes superblock(std::uint64_t end_of_file, std::uint64_t root_header);

/// Names of a group and the addresses of their object headers.
using Links = std::vector<std::pair<std::string, std::uint64_t>>;

/// Index, heap and table of a group of at most 32 links, as one block to be placed at `address`.
struct GroupBlock {
    Bytes bytes;
    std::uint64_t tree;
    std::uint64_t heap;
};
GroupBlock group_block(Links links, std::uint64_t address);

/// Texts as one global heap collection to be placed at `address`, and one 16-byte element for each.
struct HeapBlock {
    Bytes collection;
    Bytes elements;
};
HeapBlock heap_block(std::span<const std::string> texts, std::uint64_t address);

/// A collection numbers its objects with 16 bits.
inline constexpr std::size_t kHeapTextsLimit = 60'000;

}  // namespace ananke::io::hdf5
