// What this CPU can do beyond plain x86-64, as far as emitted code makes use of it.
#pragma once

namespace ananke::code {

struct CpuFeatures {
    bool avx2 = false;    ///< AVX2 and FMA, in the CPU and in the operating system
    bool avx512 = false;  ///< besides: AVX-512 F, DQ and VL
};

/// Of the machine that runs this process. Nothing on other architectures.
CpuFeatures cpu_features();

}  // namespace ananke::code
