#include "io/figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ranges.h"
#include "io/canvas.h"
#include "io/ticks.h"

namespace ananke::io {
namespace {

/// Okabe and Ito: told apart by colour-blind readers; the order of the report page.
constexpr std::array<std::string_view, 7> kColors{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                  "#e69f00", "#56b4e9", "#000000"};
constexpr std::string_view kInk = "#222222";
constexpr std::string_view kGrid = "#e2e2e2";
constexpr double kTextSize = 13.0;
constexpr double kLineHeight = 18.0;
constexpr double kTicksAcross = 8.0;
constexpr double kTicksUp = 6.0;
constexpr double kSample = 22.0;  ///< length of a line in the legend

struct Frame {
    double left, top, right, bottom;
};

/// The curve in the units of the axes: |y| in decades where the axis is logarithmic.
struct Curve {
    std::string name;
    std::string entry;             ///< in the legend
    std::vector<Position> points;  ///< NaN where there is a gap
};

std::vector<Curve> in_axis_units(std::span<const Series> series, bool log) {
    std::vector<Curve> curves;
    for (const Series& one : series) {
        Curve curve{one.name, one.name, {}};
        for (std::size_t i = 0; i < std::min(one.x.size(), one.y.size()); ++i) {
            const double size = std::abs(one.y[i]);
            const double y = !log ? one.y[i] : size > 0.0 ? std::log10(size) : std::nan("");
            curve.points.push_back({one.x[i], y});
        }
        const auto is_zero = [](double y) { return y == 0.0; };
        if (log && !one.y.empty() && std::ranges::all_of(one.y, is_zero)) {
            curve.entry += " (0 throughout)";  // has no logarithm: tell why nothing is drawn
        }
        curves.push_back(std::move(curve));
    }
    return curves;
}

void line(Canvas& canvas, Position from, Position to, const Stroke& stroke) {
    canvas.path(std::array{from, to}, stroke);
}

bool is_finite(const Position& p) {
    return std::isfinite(p.x) && std::isfinite(p.y);
}

/// Moves the ends of an axis away from a curve that comes close to them.
void give_room(Axis& axis, const Range& values) {
    constexpr double kRoom = 0.03;
    const double room = kRoom * (axis.high - axis.low);
    axis.low = std::min(axis.low, values.low - room);
    axis.high = std::max(axis.high, values.high + room);
}

/// Of each column of pixels the first, lowest, highest and last point, so that no peak is lost.
std::vector<Position> thinned(const std::vector<Position>& points, double pixels) {
    constexpr std::size_t kFew = 4000;
    const bool ascending = std::ranges::is_sorted(points, [](auto a, auto b) { return a.x < b.x; });
    if (points.size() <= kFew || !ascending) {
        return points;
    }
    const double width = (points.back().x - points.front().x) / pixels;
    std::vector<Position> kept;
    for (std::size_t i = 0; i < points.size();) {
        std::size_t end = i;
        std::size_t low = i;
        std::size_t high = i;
        while (end < points.size() && points[end].x < points[i].x + width) {
            low = points[end].y < points[low].y ? end : low;
            high = points[end].y > points[high].y ? end : high;
            ++end;
        }
        end = std::max(end, i + 1);
        std::array<std::size_t, 4> chosen{i, std::min(low, high), std::max(low, high), end - 1};
        for (std::size_t k = 0; k < chosen.size(); ++k) {
            if (k == 0 || chosen[k] != chosen[k - 1]) {
                kept.push_back(points[chosen[k]]);
            }
        }
        i = end;
    }
    return kept;
}

std::string with_unit(const std::string& name) {
    const std::string unit = unit_of(name);
    return unit.empty() ? name : fmt::format("{} [{}]", name, unit);
}

class Figure {
  public:
    Figure(std::vector<Curve> curves, const FigureOptions& options)
        : curves_(std::move(curves)), options_(options) {
        for (const Curve& curve : curves_) {
            for (const Position& point : curve.points) {
                if (is_finite(point)) {
                    x_range_.add(point.x);
                    y_range_.add(point.y);
                }
            }
        }
        x_range_ = x_range_.empty() ? Range{0.0, 1.0} : x_range_;
        y_range_ = y_range_.empty() ? Range{0.0, 1.0} : y_range_;
        x_ = make_axis(x_range_.low, x_range_.high, kTicksAcross, Ends::kGiven);
        if (options.x_name != "t") {
            give_room(x_, x_range_);
        }
        y_ = make_axis(y_range_.low, y_range_.high, kTicksUp, Ends::kTicks);
        if (options.log) {
            // Whole decades, and at most about eight labels.
            y_.low = std::floor(y_range_.low + 1e-9);
            y_.high = std::max(y_.low + 1.0, std::ceil(y_range_.high - 1e-9));
            y_.step = std::max(1.0, std::ceil((y_.high - y_.low) / 8.0));
        }
        give_room(y_, y_range_);
    }

    void draw(Canvas& canvas) {
        fit_frame();
        if (options_.equal) {
            equalize();
            fit_frame();  // other ticks have other labels
            equalize();
        }
        draw_axes(canvas);
        draw_curves(canvas);
        draw_legend(canvas);
    }

  private:
    void fit_frame() {
        frame_ = {y_label_width() + 34.0, legend_height() + 14.0, options_.width - 18.0,
                  options_.height - 50.0};
    }

    /// A unit as long across as upwards: the axis that has room to spare shows more.
    void equalize() {
        const double width = frame_.right - frame_.left;
        const double height = frame_.bottom - frame_.top;
        constexpr double kShare = 0.92;  // of the frame, that the curves may fill
        double unit = std::max((x_range_.high - x_range_.low) / width,
                               (y_range_.high - y_range_.low) / height) /
                      kShare;
        unit = unit > 0.0 ? unit : 1.0 / width;
        const auto around = [unit](const Range& values, double pixels, double ticks) {
            const double middle = 0.5 * (values.low + values.high);
            const double half = 0.5 * unit * pixels;
            return make_axis(middle - half, middle + half, ticks, Ends::kGiven);
        };
        x_ = around(x_range_, width, kTicksAcross);
        y_ = around(y_range_, height, kTicksUp);
    }

    std::string y_tick(double value) const {
        return options_.log ? fmt::format("1e{:.0f}", value) : y_.label(value);
    }

    double y_label_width() const {
        double widest = 0.0;
        for (const double tick : y_.ticks()) {
            widest = std::max(widest, text_width(y_tick(tick), kTextSize));
        }
        return widest;
    }

    double legend_height() const {
        return kLineHeight *
               static_cast<double>((options_.title.empty() ? 0 : 1) + legend_rows().size());
    }

    /// Names of the curves, as many in a row as fit.
    std::vector<std::vector<std::size_t>> legend_rows() const {
        std::vector<std::vector<std::size_t>> rows;
        const bool told = curves_.size() == 1 && curves_[0].entry == curves_[0].name;
        if (curves_.empty() || told) {
            return rows;  // the name on the axis says it
        }
        double used = options_.width;
        for (std::size_t i = 0; i < curves_.size(); ++i) {
            const double needed = entry_width(i);
            if (used + needed > options_.width - 60.0) {
                rows.emplace_back();
                used = 0.0;
            }
            rows.back().push_back(i);
            used += needed;
        }
        return rows;
    }

    double entry_width(std::size_t curve) const {
        return kSample + 26.0 + text_width(curves_[curve].entry, kTextSize);
    }

    Position place(const Position& p) const {
        return {frame_.left + x_.fraction(p.x) * (frame_.right - frame_.left),
                frame_.bottom - y_.fraction(p.y) * (frame_.bottom - frame_.top)};
    }

    void draw_axes(Canvas& canvas) const {
        for (const double tick : x_.ticks()) {
            const double x = place({tick, 0.0}).x;
            line(canvas, {x, frame_.top}, {x, frame_.bottom}, {kGrid, 1.0});
            canvas.text({x, frame_.bottom + kLineHeight}, x_.label(tick),
                        {kTextSize, kInk, Anchor::kMiddle});
        }
        for (const double tick : y_.ticks()) {
            const double y = place({0.0, tick}).y;
            line(canvas, {frame_.left, y}, {frame_.right, y}, {kGrid, 1.0});
            canvas.text({frame_.left - 7.0, y + 0.35 * kTextSize}, y_tick(tick),
                        {kTextSize, kInk, Anchor::kEnd});
        }
        canvas.path(std::array<Position, 3>{{{frame_.left, frame_.top},
                                             {frame_.left, frame_.bottom},
                                             {frame_.right, frame_.bottom}}},
                    {kInk, 1.0});
        canvas.text({(frame_.left + frame_.right) / 2.0, frame_.bottom + 2.2 * kLineHeight},
                    with_unit(options_.x_name), {kTextSize, kInk, Anchor::kMiddle});
        TextStyle upwards{kTextSize, kInk, Anchor::kMiddle};
        upwards.upwards = true;
        canvas.text({16.0, (frame_.top + frame_.bottom) / 2.0}, y_name(), upwards);
    }

    /// The names of few curves, or the unit that all share.
    std::string y_name() const {
        std::vector<std::string> names;
        std::string unit = unit_of(curves_.empty() ? "" : curves_.front().name);
        for (const Curve& curve : curves_) {
            names.push_back(curve.name);
            unit = unit_of(curve.name) == unit ? unit : "";
        }
        std::string text = fmt::format("{}", fmt::join(names, ", "));
        if (text_width(text, kTextSize) > 0.7 * (frame_.bottom - frame_.top)) {
            text = curves_.size() == 1 ? names.front() : "value";
        }
        text = options_.log ? fmt::format("|{}|", text) : text;
        return unit.empty() ? text : fmt::format("{} [{}]", text, unit);
    }

    void draw_curves(Canvas& canvas) const {
        canvas.clip({frame_.left, frame_.top - 2.0}, {frame_.right + 1.0, frame_.bottom + 2.0});
        for (std::size_t i = 0; i < curves_.size(); ++i) {
            const Stroke stroke{kColors.at(i % kColors.size()), 1.8};
            std::vector<Position> run;
            const auto finish = [&] {
                if (run.size() > 1) {
                    std::vector<Position> places =
                        transformed(thinned(run, frame_.right - frame_.left),
                                    [&](const Position& p) { return place(p); });
                    canvas.path(places, stroke);
                }
                run.clear();
            };
            for (const Position& point : curves_[i].points) {
                if (is_finite(point)) {
                    run.push_back(point);
                } else {
                    finish();
                }
            }
            finish();
        }
        canvas.clip_nothing();
    }

    void draw_legend(Canvas& canvas) const {
        double y = kLineHeight;
        if (!options_.title.empty()) {
            canvas.text({frame_.left, y}, options_.title, {kTextSize + 2.0, kInk});
            y += kLineHeight;
        }
        for (const std::vector<std::size_t>& row : legend_rows()) {
            double x = frame_.left;
            for (const std::size_t i : row) {
                const double middle = y - 0.35 * kTextSize;
                line(canvas, {x, middle}, {x + kSample, middle},
                     {kColors.at(i % kColors.size()), 2.4});
                canvas.text({x + kSample + 7.0, y}, curves_[i].entry, {kTextSize, kInk});
                x += entry_width(i);
            }
            y += kLineHeight;
        }
    }

    std::vector<Curve> curves_;
    const FigureOptions& options_;
    Range x_range_;
    Range y_range_;
    Axis x_{0, 1, 1, 0};
    Axis y_{0, 1, 1, 0};
    Frame frame_{};
};

}  // namespace

std::string unit_of(std::string_view column) {
    struct Known {
        std::string_view beginning, unit;
    };
    constexpr std::array<Known, 5> kKnown{{{"force[", "N"},
                                           {"torque[", "N m"},
                                           {"power[", "W"},
                                           {"kinetic", "J"},
                                           {"potential", "J"}}};
    if (column == "t") {
        return "s";
    }
    if (column == "energy" || column == "energy_balance") {
        return "J";
    }
    for (const Known& known : kKnown) {
        if (column.starts_with(known.beginning)) {
            return std::string(known.unit);
        }
    }
    return "";
}

Result<void> draw(std::span<const Series> curves, const std::string& path,
                  const FigureOptions& options) {
    const std::string extension = std::filesystem::path(path).extension().string();
    if (extension != ".svg" && extension != ".png") {
        return Error{ErrorCode::kInvalidInput,
                     fmt::format("a picture is written as .svg or .png, not {}", path)};
    }
    Figure figure(in_axis_units(curves, options.log), options);
    constexpr double kDotsPerPixel = 2.0;
    const std::unique_ptr<Canvas> canvas =
        extension == ".svg" ? svg_canvas(options.width, options.height, options.title)
                            : png_canvas(options.width, options.height, kDotsPerPixel);
    figure.draw(*canvas);
    return canvas->save(path);
}

}  // namespace ananke::io
