// Results to look at: a short table and curves in a terminal, curves as a picture.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "ananke/record.h"
#include "ananke/result.h"

namespace ananke {
namespace io {

struct TableOptions {
    std::size_t rows = 11;    ///< chosen evenly, first and last always among them
    std::size_t width = 100;  ///< characters of a line; columns that do not fit are counted below
};

/// `t`, positions, velocities, then whatever else fits, with about six significant digits:
///
///        t         x        x'
///      0.0   1.00000   0.00000
///      0.5   0.87758  -0.47943
std::string table(const Trajectory& trajectory, const TableOptions& options = {});

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

struct FigureOptions {
    double width = 720.0;  ///< pixels; a PNG has two dots per pixel
    double height = 432.0;
    std::string title{};
    std::string x_name = "t";
    bool log = false;    ///< decades of |y|
    bool equal = false;  ///< a unit is as long on both axes: for paths in space
};

/// A picture with axes, ticks, names and units where these are known, and a legend. `path` ends in
/// .svg or .png.
Result<void> draw(std::span<const Series> curves, const std::string& path,
                  const FigureOptions& options = {});

/// Whether the environment (LC_ALL, LC_CTYPE, LANG) says that the terminal reads UTF-8.
bool terminal_reads_utf8();

}  // namespace io

using io::draw;
using io::FigureOptions;
using io::plot;
using io::PlotOptions;
using io::Series;
using io::table;
using io::TableOptions;
using io::terminal_reads_utf8;

/// These columns over t. An unknown name is an error that proposes the nearest one.
Result<std::string> plot_columns(const Trajectory& trajectory,
                                 const std::vector<std::string>& names,
                                 const PlotOptions& options = {});

/// These columns over the column options.x_name, as a picture; places over places (block.y over
/// block.x) with equal scales.
Result<void> draw_columns(const Trajectory& trajectory, const std::vector<std::string>& names,
                          const std::string& path, const FigureOptions& options = {});

}  // namespace ananke
