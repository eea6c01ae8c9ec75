// Curves in a terminal, as text: plot().
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ananke/show.h"
#include "base/check.h"
#include "base/text.h"
#include "io/ticks.h"

namespace ananke::io {
namespace {

constexpr std::array<std::string_view, 4> kMarks{"●", "○", "▲", "△"};
constexpr std::array<std::string_view, 4> kPlainMarks{"*", "o", "+", "x"};
constexpr std::size_t kMarksPerCurve = 7;

bool is_point(const Series& curve, std::size_t i) {
    return std::isfinite(curve.x[i]) && std::isfinite(curve.y[i]);
}

/// A grid of dots, `across` x `down` of them in each character, and what is written over them.
class DotGrid {
  public:
    explicit DotGrid(const PlotOptions& options)
        : unicode_(options.unicode),
          width_(options.width),
          height_(options.height),
          dots_(width_ * height_),
          over_(width_ * height_) {}

    std::size_t dots_across() const { return width_ * (unicode_ ? 2 : 1); }
    std::size_t dots_down() const { return height_ * (unicode_ ? 4 : 1); }

    void dot(std::size_t x, std::size_t y, std::string_view mark) {
        // Bits of a braille cell, U+2800: columns of three, then the fourth row.
        constexpr std::uint8_t kBits[4][2] = {
            {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
        if (unicode_) {
            dots_[cell(x, y)] |= kBits[y % 4][x % 2];
        } else {
            over_[cell(x, y)] = mark;
        }
    }
    void mark(std::size_t x, std::size_t y, std::string_view mark) { over_[cell(x, y)] = mark; }
    bool is_marked(std::size_t x, std::size_t y) const { return !over_[cell(x, y)].empty(); }

    std::string line(std::size_t row) const {
        std::string text;
        for (std::size_t i = row * width_; i < (row + 1) * width_; ++i) {
            if (!over_[i].empty()) {
                text += over_[i];
            } else if (dots_[i] != 0) {
                text += {'\xE2', static_cast<char>(0xA0 + (dots_[i] >> 6)),
                         static_cast<char>(0x80 + (dots_[i] & 0x3F))};
            } else {
                text += ' ';
            }
        }
        text.erase(text.find_last_not_of(' ') + 1);
        return text;
    }

  private:
    /// The character that has the dot.
    std::size_t cell(std::size_t x, std::size_t y) const {
        return unicode_ ? y / 4 * width_ + x / 2 : y * width_ + x;
    }

    bool unicode_;
    std::size_t width_;
    std::size_t height_;
    std::vector<std::uint8_t> dots_;
    std::vector<std::string_view> over_;
};

struct Dot {
    std::size_t x;
    std::size_t y;
};

class Curves {
  public:
    Curves(const PlotOptions& options, Axis x, Axis y) : grid_(options), x_(x), y_(y) {}

    void curve(const Series& curve, std::string_view mark) {
        for (std::size_t i = 0; i < curve.x.size(); ++i) {
            if (!is_point(curve, i)) {
                continue;
            }
            const Dot here = place(curve.x[i], curve.y[i]);
            if (i > 0 && is_point(curve, i - 1)) {
                segment(place(curve.x[i - 1], curve.y[i - 1]), here, mark);
            } else {
                grid_.dot(here.x, here.y, mark);
            }
        }
    }

    /// Marks on the curve at even distances in x, each curve's a little further right.
    void marks(const Series& curve, std::string_view mark, std::size_t index, std::size_t curves) {
        std::size_t next = 0;
        const double pitch = static_cast<double>(grid_.dots_across()) / kMarksPerCurve;
        const double shift = (static_cast<double>(index) + 0.5) / static_cast<double>(curves);
        for (std::size_t i = 0; i < curve.x.size(); ++i) {
            if (!is_point(curve, i)) {
                continue;
            }
            const Dot here = place(curve.x[i], curve.y[i]);
            const double wanted = (static_cast<double>(next) + shift) * pitch;
            if (static_cast<double>(here.x) >= wanted && !grid_.is_marked(here.x, here.y)) {
                grid_.mark(here.x, here.y, mark);
                do {
                    ++next;
                } while ((static_cast<double>(next) + shift) * pitch <=
                         static_cast<double>(here.x));
            }
        }
        for (std::size_t i = 0; i < curve.x.size() && next == 0; ++i) {
            if (is_point(curve, i)) {  // too short for any of these distances
                const Dot first = place(curve.x[i], curve.y[i]);
                grid_.mark(first.x, first.y, mark);
                next = 1;
            }
        }
    }

    const DotGrid& grid() const { return grid_; }

  private:
    Dot place(double x, double y) const {
        const auto dot = [](double fraction, std::size_t dots) {
            return static_cast<std::size_t>(
                std::lround(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(dots - 1)));
        };
        return {dot(x_.fraction(x), grid_.dots_across()),
                dot(1.0 - y_.fraction(y), grid_.dots_down())};
    }

    void segment(Dot from, Dot to, std::string_view mark) {
        const auto dx = static_cast<double>(to.x) - static_cast<double>(from.x);
        const auto dy = static_cast<double>(to.y) - static_cast<double>(from.y);
        const auto steps = static_cast<int>(std::max({std::abs(dx), std::abs(dy), 1.0}));
        for (int i = 0; i <= steps; ++i) {
            const double part = static_cast<double>(i) / steps;
            grid_.dot(
                static_cast<std::size_t>(std::lround(static_cast<double>(from.x) + part * dx)),
                static_cast<std::size_t>(std::lround(static_cast<double>(from.y) + part * dy)),
                mark);
        }
    }

    DotGrid grid_;
    Axis x_;
    Axis y_;
};

/// Label of each line of the y axis; empty where there is no tick.
std::vector<std::string> y_labels(const Axis& y, std::size_t height) {
    std::vector<std::string> labels(height);
    for (const double value : y.ticks()) {
        const double row = (1.0 - y.fraction(value)) * static_cast<double>(height - 1);
        labels[std::lround(row)] = y.label(value);
    }
    return labels;
}

/// The line below the plot and the numbers below it.
std::string x_axis(const Axis& x, const PlotOptions& options, std::size_t margin) {
    std::vector<std::string_view> rule(options.width, options.unicode ? "─" : "-");
    std::string numbers(margin + 1 + options.width, ' ');
    std::size_t free = 0;
    for (const double tick : x.ticks()) {
        const double at = x.fraction(tick) * static_cast<double>(options.width - 1);
        const auto column = static_cast<std::size_t>(std::lround(std::max(at, 0.0)));
        const std::string label = x.label(tick);
        const std::size_t middle = margin + 1 + column;
        const std::size_t begin = middle - std::min(middle, label.size() / 2);
        if (begin < free) {
            continue;
        }
        rule[column] = options.unicode ? "┬" : "+";
        numbers.resize(std::max(numbers.size(), begin + label.size()), ' ');
        numbers.replace(begin, label.size(), label);
        free = begin + label.size() + 1;
    }
    std::string text(margin, ' ');
    text += options.unicode ? "└" : "+";
    for (const std::string_view piece : rule) {
        text += piece;
    }
    numbers.erase(numbers.find_last_not_of(' ') + 1);
    return fmt::format("{} {}\n{}\n", text, options.x_name, numbers);
}

}  // namespace

std::string plot(std::span<const Series> curves, const PlotOptions& options) {
    ANANKE_REQUIRE(options.width >= 8 && options.height >= 3);
    Range x_range;
    Range y_range;
    for (const Series& curve : curves) {
        ANANKE_REQUIRE(curve.x.size() == curve.y.size());
        for (std::size_t i = 0; i < curve.x.size(); ++i) {
            if (is_point(curve, i)) {
                x_range.add(curve.x[i]);
                y_range.add(curve.y[i]);
            }
        }
    }
    std::string text = options.title.empty() ? "" : options.title + "\n";
    if (x_range.empty()) {
        return text + "  nothing to plot\n";
    }
    const Axis x =
        make_axis(x_range.low, x_range.high,
                  std::max(3.0, static_cast<double>(options.width) / 12.0), Ends::kGiven);
    const Axis y = make_axis(y_range.low, y_range.high, static_cast<double>(options.height) / 4.0,
                             Ends::kTicks);

    const auto& marks = options.unicode ? kMarks : kPlainMarks;
    Curves drawn(options, x, y);
    for (std::size_t i = 0; i < curves.size(); ++i) {
        drawn.curve(curves[i], marks[i % marks.size()]);
    }
    if (options.unicode) {
        for (std::size_t i = 0; i < curves.size(); ++i) {
            drawn.marks(curves[i], marks[i % marks.size()], i, curves.size());
        }
    }

    const std::vector<std::string> labels = y_labels(y, options.height);
    std::size_t margin = 0;
    for (const std::string& label : labels) {
        margin = std::max(margin, label.size() + 1);
    }
    for (std::size_t row = 0; row < options.height; ++row) {
        const char* edge = labels[row].empty() ? "│" : "┤";
        if (!options.unicode) {
            edge = labels[row].empty() ? "|" : "+";
        }
        text += fmt::format("{:>{}} {}{}\n", labels[row], margin - 1, edge, drawn.grid().line(row));
    }
    text += x_axis(x, options, margin);
    text.append(margin + 1, ' ');
    for (std::size_t i = 0; i < curves.size(); ++i) {
        text +=
            fmt::format("{}{} {}", i == 0 ? "" : "   ", marks[i % marks.size()], curves[i].name);
    }
    return text + '\n';
}

bool terminal_reads_utf8() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const char* value = std::getenv(name);
        if (value != nullptr && *value != '\0') {
            std::string lower(value);
            std::ranges::transform(lower, lower.begin(), [](unsigned char c) {
                return static_cast<char>(std::tolower(c));
            });
            return lower.find("utf-8") != std::string::npos ||
                   lower.find("utf8") != std::string::npos;
        }
    }
    return false;
}

}  // namespace ananke::io
