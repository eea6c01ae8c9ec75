#include <fmt/format.h>

#include "base/text.h"
#include "io/canvas.h"
#include "io/file.h"

namespace ananke::io {
namespace {

constexpr std::string_view kFonts = "'Source Sans 3', 'Source Sans Pro', 'DejaVu Sans', sans-serif";

/// Without control characters, which XML does not allow.
std::string escaped(std::string_view text) {
    std::string shown(text);
    std::erase_if(shown, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
    return html_escaped(shown);
}

class SvgCanvas final : public Canvas {
  public:
    SvgCanvas(double width, double height, std::string_view title) {
        out_ = fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
            "viewBox=\"0 0 {0} {1}\" font-family=\"{2}\" role=\"img\">\n<title>{3}</title>\n"
            "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
            width, height, kFonts, escaped(title));
    }

    void path(std::span<const Position> points, const Stroke& stroke) override {
        out_ += fmt::format(
            "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"{:g}\" stroke-linejoin=\"round\"",
            stroke.color, stroke.width);
        if (clips_ > 0 && clipped_) {
            out_ += fmt::format(" clip-path=\"url(#clip{})\"", clips_);
        }
        out_ += " points=\"";
        for (std::size_t i = 0; i < points.size(); ++i) {
            out_ += fmt::format("{}{:.2f},{:.2f}", i == 0 ? "" : " ", points[i].x, points[i].y);
        }
        out_ += "\"/>\n";
    }

    void text(Position at, std::string_view words, const TextStyle& style) override {
        const char* anchor = style.anchor == Anchor::kStart    ? "start"
                             : style.anchor == Anchor::kMiddle ? "middle"
                                                               : "end";
        out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:g}\" fill=\"{}\" ", at.x,
                            at.y, style.size, style.color);
        out_ += fmt::format("text-anchor=\"{}\"", anchor);
        if (style.upwards) {
            out_ += fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", at.x, at.y);
        }
        out_ += fmt::format(">{}</text>\n", escaped(words));
    }

    void clip(Position low, Position high) override {
        clipped_ = true;
        out_ += fmt::format(
            "<clipPath id=\"clip{}\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
            "height=\"{:.1f}\"/></clipPath>\n",
            ++clips_, low.x, low.y, high.x - low.x, high.y - low.y);
    }

    void clip_nothing() override { clipped_ = false; }

    Result<void> save(const std::string& path) override {
        return write_whole(path, out_ + "</svg>\n");
    }

  private:
    std::string out_;
    int clips_ = 0;
    bool clipped_ = false;
};

}  // namespace

std::unique_ptr<Canvas> svg_canvas(double width, double height, std::string_view title) {
    return std::make_unique<SvgCanvas>(width, height, title);
}

double text_width(std::string_view words, double size) {
    constexpr double kMean = 0.56;  // of the size, over letters, digits and brackets
    return kMean * size * static_cast<double>(display_width(words));
}

}  // namespace ananke::io
