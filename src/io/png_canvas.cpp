#include <cairo.h>

#include <cstdlib>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "io/canvas.h"
#include "io/file.h"

namespace ananke::io {
namespace {

class PngCanvas final : public Canvas {
  public:
    PngCanvas(double width, double height, double scale)
        : surface_(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width * scale),
                                              static_cast<int>(height * scale))),
          cairo_(cairo_create(surface_)) {
        cairo_scale(cairo_, scale, scale);
        cairo_set_source_rgb(cairo_, 1.0, 1.0, 1.0);
        cairo_paint(cairo_);
        cairo_select_font_face(cairo_, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                               CAIRO_FONT_WEIGHT_NORMAL);
        cairo_set_line_join(cairo_, CAIRO_LINE_JOIN_ROUND);
    }
    ~PngCanvas() override {
        cairo_destroy(cairo_);
        cairo_surface_destroy(surface_);
    }
    PngCanvas(const PngCanvas&) = delete;
    PngCanvas& operator=(const PngCanvas&) = delete;

    void path(std::span<const Position> points, const Stroke& stroke) override {
        set_color(stroke.color);
        cairo_set_line_width(cairo_, stroke.width);
        cairo_new_path(cairo_);
        for (const Position& point : points) {
            cairo_line_to(cairo_, point.x, point.y);
        }
        cairo_stroke(cairo_);
    }

    void text(Position at, std::string_view words, const TextStyle& style) override {
        const std::string text(words);
        set_color(style.color);
        cairo_set_font_size(cairo_, style.size);
        cairo_text_extents_t extents;
        cairo_text_extents(cairo_, text.c_str(), &extents);
        const double part = style.anchor == Anchor::kStart    ? 0.0
                            : style.anchor == Anchor::kMiddle ? 0.5
                                                              : 1.0;
        cairo_save(cairo_);
        cairo_translate(cairo_, at.x, at.y);
        if (style.upwards) {
            cairo_rotate(cairo_, -std::numbers::pi / 2.0);
        }
        cairo_move_to(cairo_, -part * extents.x_advance, 0.0);
        cairo_show_text(cairo_, text.c_str());
        cairo_restore(cairo_);
    }

    void clip(Position low, Position high) override {
        cairo_reset_clip(cairo_);
        cairo_rectangle(cairo_, low.x, low.y, high.x - low.x, high.y - low.y);
        cairo_clip(cairo_);
    }

    void clip_nothing() override { cairo_reset_clip(cairo_); }

    Result<void> save(const std::string& path) override {
        std::string bytes;
        const auto take = [](void* to, const unsigned char* data, unsigned size) {
            static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), size);
            return CAIRO_STATUS_SUCCESS;
        };
        const cairo_status_t status = cairo_surface_write_to_png_stream(surface_, take, &bytes);
        if (status != CAIRO_STATUS_SUCCESS) {
            return Error{ErrorCode::kIo, "cannot draw " + path + ": " +
                                             std::string(cairo_status_to_string(status))};
        }
        return write_whole(path, bytes);
    }

  private:
    void set_color(std::string_view code) {
        const long rgb = std::strtol(std::string(code.substr(1)).c_str(), nullptr, 16);
        const auto part = [rgb](int shift) {
            return static_cast<double>((rgb >> shift) & 0xFF) / 255.0;
        };
        cairo_set_source_rgb(cairo_, part(16), part(8), part(0));
    }

    cairo_surface_t* surface_;
    cairo_t* cairo_;
};

}  // namespace

std::unique_ptr<Canvas> png_canvas(double width, double height, double scale) {
    return std::make_unique<PngCanvas>(width, height, scale);
}

}  // namespace ananke::io
