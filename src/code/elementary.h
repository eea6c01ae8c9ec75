// The elementary functions that are our own: those that models of mechanics call most.
//
// elementary_kernels.h gives their arithmetic. Where arguments are huge, results not normal numbers
// or arguments NaN, SLEEF's deterministic functions are called, which have one result for all
// widths too.
#pragma once

namespace ananke::code {

// On x86-64 these need AVX2 and FMA.
double sine(double x);
double cosine(double x);
double exponential(double x);

#if defined(__x86_64__)

/// Addresses of functions of packets: the true types need registers that callers are not compiled
/// for.
struct ElementaryPackets {
    using Address = void (*)();
    Address sine, cosine, exponential;  ///< packet f(packet)
};
/// Of 4 doubles. Requires AVX2 and FMA.
ElementaryPackets elementary_packets4();
/// __m256d f(__m256d, unsigned cosines): the cosine in lanes whose bit is set, the sine in others.
/// Requires AVX2 and FMA.
ElementaryPackets::Address sine_or_cosine4();
/// Of 8 doubles. Requires AVX-512.
ElementaryPackets elementary_packets8();

#endif

}  // namespace ananke::code
