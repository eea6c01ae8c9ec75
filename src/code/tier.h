// Which way of execution the kernels of this process take.
//
// The environment variable ANANKE_CODE decides, read once at the first kernel:
//   native       (or unset) machine code with all that this CPU has
//   avx2         machine code, but no AVX-512: to compare, or where AVX-512 slows the clock
//   interpreter  no machine code
// Any other value is reported once on the standard error, and counts as unset. All of them give the
// same bits. Where the CPU lacks AVX2 and FMA the interpreter runs in any case.
#pragma once

#include <optional>
#include <string_view>

#include "code/cpu.h"

namespace ananke::code {

/// What emitted code may use when ANANKE_CODE is `choice`; no features mean the interpreter. Empty
/// for an unknown choice.
std::optional<CpuFeatures> allowed_features(std::string_view choice, CpuFeatures cpu);

/// For the kernels of this process.
CpuFeatures chosen_features();

}  // namespace ananke::code
