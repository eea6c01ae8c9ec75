// Mixing of 64-bit words for structural hashes: the same value on every machine.
#pragma once

#include <cstdint>

namespace ananke::code {

/// Order matters. The finalizer of splitmix64 (Steele, Lea & Flood 2014).
constexpr std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
    std::uint64_t z = seed * 0x9e3779b97f4a7c15U + value + 0x632be59bd9b4e019U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

}  // namespace ananke::code
