// Bytes of an HDF5 file, read in their order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace ananke::io::hdf5 {

/// Reads values one after another; beyond the end it reads zeros and is no longer good().
class Cursor {
  public:
    explicit Cursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

    template <class T>
    T get() {
        T value{};
        const std::span<const std::byte> from = take(sizeof(T));
        if (good_) {
            std::memcpy(&value, from.data(), sizeof(T));
        }
        return value;
    }
    std::uint64_t u8() { return get<std::uint8_t>(); }
    std::uint64_t u16() { return get<std::uint16_t>(); }
    std::uint64_t u32() { return get<std::uint32_t>(); }
    std::uint64_t u64() { return get<std::uint64_t>(); }

    std::span<const std::byte> take(std::uint64_t size) {
        good_ = good_ && size <= left();
        if (!good_) {
            return {};
        }
        at_ += static_cast<std::size_t>(size);
        return bytes_.subspan(at_ - static_cast<std::size_t>(size), static_cast<std::size_t>(size));
    }
    void skip(std::uint64_t size) { take(size); }
    void align() { skip((8 - at_ % 8) % 8); }
    bool reads(std::string_view text) {
        return std::ranges::equal(take(text.size()), std::as_bytes(std::span(text))) && good_;
    }
    std::size_t left() const { return bytes_.size() - at_; }
    bool good() const { return good_; }

  private:
    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
    bool good_ = true;
};

}  // namespace ananke::io::hdf5
