// An array of plain records that grows without moving, where the system can do that.
//
// A std::vector that grows copies what it holds to new memory; arrays of a hundred megabytes are
// copied, and their new pages cleared, several times over. realloc() moves pages instead of their
// contents.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace ananke {

template <class T>
class GrowingArray {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));

  public:
    GrowingArray() = default;
    GrowingArray(const GrowingArray& other) {
        set_capacity(other.size_);
        if (other.size_ > 0) {
            std::memcpy(static_cast<void*>(data_), other.data_, other.size_ * sizeof(T));
        }
        size_ = other.size_;
    }
    GrowingArray(GrowingArray&& other) noexcept { swap(other); }
    GrowingArray& operator=(GrowingArray other) noexcept {
        swap(other);
        return *this;
    }
    ~GrowingArray() { std::free(data_); }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    T* data() { return data_; }
    const T* data() const { return data_; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }

    void push_back(const T& value) {
        const T copy = value;  // it may stand in this array
        if (size_ == capacity_) {
            grow(size_ + 1);
        }
        data_[size_++] = copy;
    }
    /// New places hold `value`.
    void resize(std::size_t size, const T& value) {
        const T copy = value;
        if (size > capacity_) {
            grow(size);
        }
        if (size > size_) {
            std::fill(data_ + size_, data_ + size, copy);
        }
        size_ = size;
    }
    void shrink_to_fit() { set_capacity(size_); }

  private:
    static constexpr std::size_t kSmall = std::size_t{1} << 20;  // bytes

    void swap(GrowingArray& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }
    /// Twice the size while that costs little, then an eighth more: large models fill memory.
    void grow(std::size_t least) {
        const std::size_t more = capacity_ * sizeof(T) < kSmall ? capacity_ + 16 : capacity_ / 8;
        set_capacity(std::max(least, capacity_ + more));
    }
    void set_capacity(std::size_t capacity) {
        if (capacity == capacity_) {
            return;
        }
        if (capacity == 0) {
            std::free(data_);
            data_ = nullptr;
        } else {
            void* memory = std::realloc(static_cast<void*>(data_), capacity * sizeof(T));
            if (memory == nullptr) {
                throw std::bad_alloc();
            }
            data_ = static_cast<T*>(memory);
        }
        capacity_ = capacity;
    }

    T* data_ = nullptr;
    std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace ananke
