// The numbers of a report: one block of little-endian bytes, in the page as base64.
#pragma once

#include <bit>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace ananke::report {

static_assert(std::endian::native == std::endian::little, "numbers are stored as they are");

class DataBlock {
  public:
    /// Both return the offset of the first byte, a multiple of 8.
    std::size_t add_doubles(std::span<const double> values);
    std::size_t add_floats(std::span<const double> values);

    std::string_view bytes() const { return bytes_; }

  private:
    void align();

    std::string bytes_;
};

/// RFC 4648, section 4.
std::string base64(std::string_view bytes);

}  // namespace ananke::report
