#include <ananke/ananke.h>
#include <cstdio>

int main() {
    const ananke::Loaded loaded = ananke::load_model_text("oscillator", R"(
        parameter  k = 4
        coordinate x
        kinetic    x'^2/2
        potential  k*x^2/2
        initial    x = 1)");
    ananke::Trajectory motion;
    const auto recorder = ananke::record_in_memory(motion);
    const auto summary = ananke::run(loaded.model.value(), {.until = 1.0}, *recorder);
    std::printf("x(1) = %.6f\n", motion.column("x").back());
    return summary && !summary.value().error ? 0 : 1;
}
