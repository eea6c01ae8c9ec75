// Addresses of the functions of functions.h for emitted code: scalar, 4 and 8 lanes.
#pragma once

#include "code/program.h"

namespace ananke::code {

/// Of the FMA family, with the bits of functions() on a CPU that has FMA. Arguments and result are
/// passed in vector registers of `lanes` doubles (System V calling convention; all vector
/// registers may be changed). Requires is_call(op), and lanes 1, 4 (AVX2) or 8 (AVX-512).
const void* call_target(Op op, int lanes);

/// Sines and cosines of 4 lanes: besides the packet it takes the bits of the lanes with cosines.
/// Requires AVX2.
const void* turned_call_target();

}  // namespace ananke::code
