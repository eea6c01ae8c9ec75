// While one lives, this thread's results below the smallest normal number, 2.2e-308, are zero.
//
// Processors compute such numbers a hundred times slower than others, and a motion in a plane
// makes them by the thousand in the coordinates out of it: products of what rounding left there.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace ananke {

class FlushTiny {
  public:
    FlushTiny() : before_(control()) { set_control(before_ | kFlush); }
    ~FlushTiny() { set_control(before_); }
    FlushTiny(const FlushTiny&) = delete;
    FlushTiny& operator=(const FlushTiny&) = delete;

  private:
#if defined(__SSE2__)
    using Control = std::uint32_t;
    static constexpr Control kFlush = 0x8040;  ///< results and operands
    static Control control() {
        return _mm_getcsr();
    }
    static void set_control(Control bits) {
        _mm_setcsr(bits);
    }
#elif defined(__aarch64__)
    using Control = std::uint64_t;
    static constexpr Control kFlush = std::uint64_t{1} << 24U;
    static Control control() {
        Control bits = 0;
        asm volatile("mrs %0, fpcr" : "=r"(bits));
        return bits;
    }
    static void set_control(Control bits) {
        asm volatile("msr fpcr, %0" : : "r"(bits));
    }
#else
    using Control = std::uint32_t;
    static constexpr Control kFlush = 0;
    static Control control() {
        return 0;
    }
    static void set_control(Control) {}
#endif

    Control before_;
};

}  // namespace ananke
