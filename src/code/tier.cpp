#include "code/tier.h"

#include <cstdio>
#include <cstdlib>

namespace ananke::code {
namespace {

CpuFeatures choose() {
    const char* choice = std::getenv("ANANKE_CODE");
    const CpuFeatures cpu = cpu_features();
    if (choice == nullptr) {
        return cpu;
    }
    const std::optional<CpuFeatures> allowed = allowed_features(choice, cpu);
    if (!allowed) {
        std::fprintf(stderr,
                     "ananke: ANANKE_CODE=%s is unknown and ignored (known: native, avx2, "
                     "interpreter)\n",
                     choice);
    }
    return allowed.value_or(cpu);
}

}  // namespace

std::optional<CpuFeatures> allowed_features(std::string_view choice, CpuFeatures cpu) {
    if (choice.empty() || choice == "native") {
        return cpu;
    }
    if (choice == "avx2") {
        return CpuFeatures{.avx2 = cpu.avx2, .avx512 = false};
    }
    if (choice == "interpreter") {
        return CpuFeatures{};
    }
    return std::nullopt;
}

CpuFeatures chosen_features() {
    static const CpuFeatures chosen = choose();
    return chosen;
}

}  // namespace ananke::code
