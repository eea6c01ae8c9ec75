#include "ode/dop853_sums.h"

#include <utility>

#if defined(__x86_64__)
// Pairs, not more: numbers that were just stored in pairs are not loaded in fours.
#if defined(__clang__)  // has no width in the attribute; the choice is one of speed
#define ANANKE_FMA_TARGET [[gnu::target("avx2,fma")]]
#else
#define ANANKE_FMA_TARGET [[gnu::target("avx2,fma,prefer-vector-width=128")]]
#endif
#endif

namespace ananke::ode {
namespace {

using Sums = dop853::ErrorSums<double>;

/// Of component i, stage by stage.
struct Slopes {
    const double* k;
    std::size_t stride;
    [[gnu::always_inline]] double operator()(std::size_t stage) const { return k[stage * stride]; }
};

// Always inlined, so that std::fma becomes the instruction where the caller is compiled for it.
template <class Row>
[[gnu::always_inline]] inline void advance(std::span<const double> y, double h, const double* k,
                                           std::size_t stride, double* __restrict out) {
    const std::size_t n = y.size();
    const double* const from = y.data();
    for (std::size_t i = 0; i < n; ++i) {
        out[i] = dop853::advance<Row>(from[i], h, Slopes{k + i, stride});
    }
}

[[gnu::always_inline]] inline void finish(std::span<const double> y, double h, const double* k,
                                          std::size_t stride, const double* atol, double rtol,
                                          double* __restrict y_new, Sums& sums) {
    Sums all = sums;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const dop853::End<double> end = dop853::end_of_step(y[i], h, Slopes{k + i, stride});
        y_new[i] = end.y;
        all.add(atol[i], rtol, y[i], end);
    }
    sums = all;
}

template <std::size_t Stage>
void advance_portably(std::span<const double> y, double h, const double* k, std::size_t stride,
                      double* out) {
    advance<dop853::StageRow<Stage>>(y, h, k, stride, out);
}

void finish_portably(std::span<const double> y, double h, const double* k, std::size_t stride,
                     const double* atol, double rtol, double* y_new, Sums& sums) {
    finish(y, h, k, stride, atol, rtol, y_new, sums);
}

template <std::size_t... Stage>
constexpr Dop853Sums portable(std::index_sequence<Stage...> /*stages*/) {
    return {{nullptr, advance_portably<Stage + 1>...}, finish_portably};
}

constexpr auto kStagesToAdvance = std::make_index_sequence<dop853::kStages - 1>{};
constexpr Dop853Sums kPortable = portable(kStagesToAdvance);

#if defined(__x86_64__)

template <std::size_t Stage>
ANANKE_FMA_TARGET void advance_fused(std::span<const double> y, double h, const double* k,
                                     std::size_t stride, double* out) {
    advance<dop853::StageRow<Stage>>(y, h, k, stride, out);
}

ANANKE_FMA_TARGET void finish_fused(std::span<const double> y, double h, const double* k,
                                    std::size_t stride, const double* atol, double rtol,
                                    double* y_new, Sums& sums) {
    finish(y, h, k, stride, atol, rtol, y_new, sums);
}

template <std::size_t... Stage>
constexpr Dop853Sums fused(std::index_sequence<Stage...> /*stages*/) {
    return {{nullptr, advance_fused<Stage + 1>...}, finish_fused};
}

constexpr Dop853Sums kFused = fused(kStagesToAdvance);

bool cpu_has_fma() {
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
}

#endif

}  // namespace

const Dop853Sums& portable_dop853_sums() {
    return kPortable;
}

const Dop853Sums& dop853_sums() {
#if defined(__x86_64__)
    static const Dop853Sums& chosen = cpu_has_fma() ? kFused : kPortable;
    return chosen;
#else
    return kPortable;
#endif
}

}  // namespace ananke::ode
