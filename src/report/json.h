// JSON text, written piece by piece, that may stand inside a script element of a page.
#pragma once

#include <concepts>
#include <cstddef>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

namespace ananke::report {

/// Keeps the commas. `<`, `>` and `&` are written as escapes, so that no text of a model can end
/// the element around it; numbers that are not finite are null; bytes that are not UTF-8 become
/// U+FFFD.
class JsonWriter {
  public:
    JsonWriter& begin_object() { return open('{'); }
    JsonWriter& end_object() { return close('}'); }
    JsonWriter& begin_array() { return open('['); }
    JsonWriter& end_array() { return close(']'); }
    JsonWriter& key(std::string_view name);

    JsonWriter& value(std::string_view text);
    JsonWriter& value(const char* text) { return value(std::string_view(text)); }
    JsonWriter& value(double number);
    JsonWriter& value(int number) { return value(static_cast<double>(number)); }
    JsonWriter& value(std::size_t number) { return value(static_cast<double>(number)); }
    JsonWriter& value(bool truth);
    /// An array of values.
    template <std::ranges::range List>
    requires(!std::convertible_to<const List&, std::string_view>)
        JsonWriter& value(const List& list) {
        begin_array();
        for (const auto& item : list) {
            value(item);
        }
        return end_array();
    }
    JsonWriter& null();

    template <class T>
    JsonWriter& field(std::string_view name, const T& content) {
        return key(name).value(content);
    }

    JsonWriter& field_unless_empty(std::string_view name, std::string_view content) {
        return content.empty() ? *this : field(name, content);
    }
    /// An array of objects; `write` puts the fields of an item.
    template <class List, class Write>
    JsonWriter& objects(std::string_view name, const List& items, Write write) {
        key(name).begin_array();
        for (const auto& item : items) {
            begin_object();
            write(item);
            end_object();
        }
        return end_array();
    }

    const std::string& text() const { return text_; }

  private:
    JsonWriter& open(char bracket);
    JsonWriter& close(char bracket);
    void separate();
    void quote(std::string_view text);

    std::string text_;
    std::vector<bool> filled_{false};  ///< per open bracket: something stands in it
    bool after_key_ = false;
};

}  // namespace ananke::report
