#include "progress.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

namespace ananke::cli {
namespace {

constexpr int kWidth = 32;

std::string duration_text(double seconds) {
    if (seconds < 60.0) {
        return fmt::format("{:.0f} s", seconds);
    }
    const auto minutes = static_cast<long>(seconds / 60.0);
    return minutes < 60 ? fmt::format("{} min {:.0f} s", minutes,
                                      seconds - 60.0 * static_cast<double>(minutes))
                        : fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

/// With sequences for the terminal, which hold nothing of the model.
void draw(std::string_view line) {
    std::fwrite(line.data(), 1, line.size(), stderr);
    std::fflush(stderr);
}

}  // namespace

Progress::Progress(bool shown) : shown_(shown && isatty(STDERR_FILENO) != 0) {}

void Progress::update(double t, double until) {
    if (!shown_ || until <= 0.0) {
        return;
    }
    const double part = std::clamp(t / until, 0.0, 1.0);
    const double elapsed =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    const int filled = static_cast<int>(part * kWidth);
    std::string bar;
    for (int i = 0; i < kWidth; ++i) {
        bar += i < filled ? "█" : "░";
    }
    const std::string left =
        part > 0.0 ? duration_text(elapsed * (1.0 - part) / part) + " left" : "";
    draw(fmt::format("\r\033[K{} {:3.0f} %  t = {:.4g} of {:.4g}  {}", bar, 100.0 * part, t, until,
                     left));
    drawn_ = true;
}

void Progress::clear() {
    if (drawn_) {
        draw("\r\033[K");
        drawn_ = false;
    }
}

}  // namespace ananke::cli
