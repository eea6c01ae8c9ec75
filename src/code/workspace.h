// Memory for the values of one running kernel. A copy has memory of its own and no values.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace ananke::code {

class Workspace {
  public:
    explicit Workspace(std::size_t doubles = 0) : size_(doubles), memory_(allocate(doubles)) {}
    Workspace(const Workspace& other) : Workspace(other.size_) {}
    Workspace(Workspace&&) noexcept = default;
    Workspace& operator=(const Workspace& other) { return *this = Workspace(other); }
    Workspace& operator=(Workspace&&) noexcept = default;
    ~Workspace() = default;

    double* data() { return memory_.get(); }
    /// From this place on; null without memory, which has no places.
    double* from(std::size_t place) { return memory_ ? memory_.get() + place : nullptr; }

  private:
    /// Lines of the cache, so that no packet of 8 lies across two.
    static constexpr std::align_val_t kAlignment{64};

    struct Free {
        void operator()(double* memory) const { ::operator delete(memory, kAlignment); }
    };

    static std::unique_ptr<double, Free> allocate(std::size_t doubles) {
        void* memory =
            doubles == 0 ? nullptr : ::operator new(doubles * sizeof(double), kAlignment);
        return std::unique_ptr<double, Free>(static_cast<double*>(memory));
    }

    std::size_t size_;
    std::unique_ptr<double, Free> memory_;
};

}  // namespace ananke::code
