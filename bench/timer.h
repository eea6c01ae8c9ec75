// CPU time of this thread, so that other programs on the machine do not count, and the least of
// several groups, so that their traces in the caches count little.
#pragma once

#include <algorithm>
#include <ctime>
#include <limits>

namespace ananke::bench {

inline double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The compiler must assume that `value` is read and changed here.
template <class T>
void keep(T& value) {
    asm volatile("" : : "r"(&value) : "memory");
}

/// Seconds per call of `work`.
template <class Work>
double seconds_per_call(Work&& work) {
    constexpr int kGroups = 25;
    constexpr double kGroupSeconds = 4e-3;
    long calls = 1;
    double least = std::numeric_limits<double>::infinity();
    for (int group = 0; group < kGroups;) {
        const double began = cpu_seconds();
        for (long i = 0; i < calls; ++i) {
            work();
        }
        const double seconds = cpu_seconds() - began;
        least = std::min(least, seconds / static_cast<double>(calls));
        if (seconds < 0.5 * kGroupSeconds) {
            calls *= 2;
        } else {
            ++group;
        }
    }
    return least;
}

}  // namespace ananke::bench
