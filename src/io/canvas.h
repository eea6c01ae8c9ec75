// Where figures are drawn: lines and text on a sheet, as an SVG file or as a PNG file.
//
// Coordinates are in pixels of the sheet, y downwards. SVG is written by our own code, so that text
// stays text: it can be searched, edited and set in the reader's font. PNG is drawn with cairo.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ananke::io {

struct Position {
    double x, y;
};

struct Stroke {
    std::string_view color;  ///< "#rrggbb"
    double width = 1.0;
};

enum class Anchor : std::uint8_t { kStart, kMiddle, kEnd };

struct TextStyle {
    double size = 13.0;
    std::string_view color = "#222222";
    Anchor anchor = Anchor::kStart;
    bool upwards = false;  ///< turned by a right angle
};

class Canvas {
  public:
    virtual ~Canvas() = default;
    virtual void path(std::span<const Position> points, const Stroke& stroke) = 0;
    /// `at`: the anchor on the base line.
    virtual void text(Position at, std::string_view words, const TextStyle& style) = 0;
    /// From now on paths are drawn inside this rectangle only, until the next call; empty: all.
    virtual void clip(Position low, Position high) = 0;
    virtual void clip_nothing() = 0;
    /// Writes the sheet.
    virtual Result<void> save(const std::string& path) = 0;
};

std::unique_ptr<Canvas> svg_canvas(double width, double height, std::string_view title);
/// `scale`: dots of the file per pixel of the sheet.
std::unique_ptr<Canvas> png_canvas(double width, double height, double scale);

/// About how wide a text of the figure font is.
double text_width(std::string_view words, double size);

}  // namespace ananke::io
