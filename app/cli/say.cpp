#include "say.h"

#include <cstdint>

namespace ananke::cli {
namespace {

struct Decoded {
    std::uint32_t code = 0;
    std::size_t bytes = 0;  ///< 0: no UTF-8
};

/// The character at the begin of `text`. RFC 3629: the shortest form, no surrogates.
Decoded decoded(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::uint32_t first = byte(0);
    const std::size_t bytes = first < 0x80U              ? 1
                              : (first & 0xE0U) == 0xC0U ? 2
                              : (first & 0xF0U) == 0xE0U ? 3
                              : (first & 0xF8U) == 0xF0U ? 4
                                                         : 0;
    if (bytes == 0 || bytes > text.size()) {
        return {};
    }
    std::uint32_t code = bytes == 1 ? first : first & (0x7FU >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U) {
            return {};
        }
        code = code << 6U | (byte(i) & 0x3FU);
    }
    constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool valid =
        code >= kLeast[bytes] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
    return valid ? Decoded{code, bytes} : Decoded{};
}

bool is_harmless(std::uint32_t code) {
    if (code < 0x20) {
        return code == '\n' || code == '\t';
    }
    const bool control = code >= 0x7F && code <= 0x9F;
    const bool turns = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    return !control && !turns;
}

}  // namespace

std::string for_terminal(std::string_view text) {
    std::string safe;
    safe.reserve(text.size());
    while (!text.empty()) {
        const Decoded next = decoded(text);
        if (next.bytes > 0 && is_harmless(next.code)) {
            safe += text.substr(0, next.bytes);
        } else {
            safe += '?';
        }
        text.remove_prefix(next.bytes == 0 ? 1 : next.bytes);
    }
    return safe;
}

}  // namespace ananke::cli
