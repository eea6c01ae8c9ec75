#include "code/cpu.h"

#include "code/functions.h"

namespace ananke::code {

CpuFeatures cpu_features() {
#if defined(__x86_64__)
    CpuFeatures features;
    features.avx2 = cpu_has_fma();
    features.avx512 = features.avx2 && __builtin_cpu_supports("avx512f") != 0 &&
                      __builtin_cpu_supports("avx512dq") != 0 &&
                      __builtin_cpu_supports("avx512vl") != 0;
    return features;
#else
    return {};
#endif
}

}  // namespace ananke::code
