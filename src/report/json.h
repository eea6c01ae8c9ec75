// JSON text, written piece by piece, that may stand inside a script element of a page.
#pragma once

#include <cstddef>
#include <span>
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
    JsonWriter& null();
    JsonWriter& numbers(std::span<const double> list);

    template <class T>
    JsonWriter& field(std::string_view name, const T& content) {
        return key(name).value(content);
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
