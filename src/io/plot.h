// Curves in a terminal, as text.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace ananke::io {

/// One curve. Points with a NaN or an infinity are gaps in it.
struct Series {
    std::string name;
    std::vector<double> x;
    std::vector<double> y;
};

struct PlotOptions {
    std::size_t width = 72;   ///< characters of the plotting area
    std::size_t height = 16;  ///< lines of it
    std::string title{};
    std::string x_name = "t";
    bool unicode = true;  ///< braille dots; false: plain ASCII
};

/// Axes with round ticks, and a legend whose marks tell up to four curves apart.
std::string plot(std::span<const Series> curves, const PlotOptions& options = {});

/// Whether the environment (LC_ALL, LC_CTYPE, LANG) says that the terminal reads UTF-8.
bool terminal_reads_utf8();

}  // namespace ananke::io
