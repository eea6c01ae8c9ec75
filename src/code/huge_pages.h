// Arrays of many megabytes on large pages: a sweep over them meets one page every 2 MB instead of
// every 4 KB, and the processor fetches ahead across what would have been the ends of pages.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace ananke::code {

template <class T>
struct HugePageAllocator {
    using value_type = T;

    HugePageAllocator() = default;
    template <class U>
    explicit HugePageAllocator(const HugePageAllocator<U>& /*other*/) {}

    T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        void* memory = ::operator new(bytes, alignment(count));
#if defined(__linux__) && defined(MADV_HUGEPAGE)
        if (bytes >= kPage) {
            madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: without it only speed is lost
        }
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t count) {
        ::operator delete(memory, alignment(count));
    }

    friend bool operator==(const HugePageAllocator&, const HugePageAllocator&) {
        return true;
    }

  private:
    static constexpr std::size_t kPage = std::size_t{1} << 21;
    static constexpr std::size_t kLine = 64;

    static std::align_val_t alignment(std::size_t count) {
        return std::align_val_t{count * sizeof(T) >= kPage ? kPage : kLine};
    }
};

template <class T>
using HugeVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace ananke::code
