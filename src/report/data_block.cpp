#include "report/data_block.h"

#include <cstdint>

namespace ananke::report {

void DataBlock::align() {
    bytes_.resize((bytes_.size() + 7) / 8 * 8);
}

std::size_t DataBlock::add_doubles(std::span<const double> values) {
    align();
    const std::size_t offset = bytes_.size();
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    return offset;
}

std::size_t DataBlock::add_floats(std::span<const double> values) {
    align();
    const std::size_t offset = bytes_.size();
    bytes_.reserve(offset + values.size() * sizeof(float));
    for (const double value : values) {
        const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
        bytes_.append(reinterpret_cast<const char*>(&bits), sizeof bits);
    }
    return offset;
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            group <<= 8;
            group |= i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U;
        }
        for (std::size_t k = 0; k < 4; ++k) {
            text += i + k > bytes.size() ? '=' : kDigits[(group >> (18 - 6 * k)) & 63U];
        }
    }
    return text;
}

}  // namespace ananke::report
