#include "report/json.h"

#include <cmath>

#include <fmt/format.h>

#include "base/check.h"
#include "base/text.h"

namespace ananke::report {
namespace {

/// Length of the UTF-8 sequence at `at`, or 0 if there is none: RFC 3629, section 4.
std::size_t sequence_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
    };
    const unsigned first = byte(0);
    const std::size_t length = first < 0x80                     ? 1
                               : first >= 0xC2 && first <= 0xDF ? 2
                               : (first & 0xF0) == 0xE0         ? 3
                               : first >= 0xF0 && first <= 0xF4 ? 4
                                                                : 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0) != 0x80) {
            return 0;
        }
    }
    const unsigned second = byte(1);
    const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool outside = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
    return overlong || outside ? 0 : length;
}

}  // namespace

void JsonWriter::separate() {
    if (!after_key_) {
        if (filled_.back()) {
            text_ += ',';
        }
        filled_.back() = true;
    }
    after_key_ = false;
}

JsonWriter& JsonWriter::open(char bracket) {
    separate();
    text_ += bracket;
    filled_.push_back(false);
    return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
    ANANKE_REQUIRE(filled_.size() > 1 && !after_key_);
    text_ += bracket;
    filled_.pop_back();
    return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
    separate();
    quote(name);
    text_ += ':';
    after_key_ = true;
    return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
    separate();
    quote(text);
    return *this;
}

JsonWriter& JsonWriter::value(double number) {
    separate();
    text_ += std::isfinite(number) ? to_text(number) : "null";
    return *this;
}

JsonWriter& JsonWriter::value(bool truth) {
    separate();
    text_ += truth ? "true" : "false";
    return *this;
}

JsonWriter& JsonWriter::null() {
    separate();
    text_ += "null";
    return *this;
}

void JsonWriter::quote(std::string_view text) {
    text_ += '"';
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = sequence_length(text, i);
        const char c = text[i];
        if (length == 0) {
            text_ += "\\ufffd";
            ++i;
            continue;
        }
        if (length > 1) {
            text_ += text.substr(i, length);
        } else if (c == '"' || c == '\\') {
            text_ += '\\';
            text_ += c;
        } else if (c == '\n') {
            text_ += "\\n";
        } else if (static_cast<unsigned char>(c) < 0x20 || c == '<' || c == '>' || c == '&' ||
                   c == 0x7F) {
            text_ += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
            text_ += c;
        }
        i += length;
    }
    text_ += '"';
}

}  // namespace ananke::report
