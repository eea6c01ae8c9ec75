// A scalar that records what is done to it: numeric algorithms written for any scalar become
// straight-line programs when run with it.
//
// Products with 0 and 1 and sums with 0 are not recorded: an infinite or undefined factor of an
// exact zero is the one thing that the program then computes differently.
#pragma once

#include <span>
#include <vector>

#include "code/builder.h"

namespace ananke::code {

/// A value of one Builder, or a number that none has seen yet. The Builder must outlive it.
class Recorded {
  public:
    Recorded() = default;
    Recorded(double number) : number_(number) {}  // NOLINT(google-explicit-constructor): as 2.0 * x
    Recorded(Builder& builder, Value value);

    bool is_number() const { return builder_ == nullptr; }
    bool is(double number) const { return is_number() && number_ == number; }
    double number() const { return number_; }
    /// The same value of the program, or the same number.
    bool is_same_as(const Recorded& other) const {
        return builder_ == other.builder_ &&
               (is_number() ? number_ == other.number_ : value_ == other.value_);
    }
    /// This, or what it is the negative of.
    Recorded unsigned_part() const {
        return is_number() ? *this : Recorded(*builder_, builder_->unsigned_part(value_));
    }
    Value value(Builder& builder) const { return is_number() ? builder.constant(number_) : value_; }

    friend Recorded operator+(const Recorded& x, const Recorded& y);
    friend Recorded operator-(const Recorded& x, const Recorded& y);
    friend Recorded operator*(const Recorded& x, const Recorded& y);
    friend Recorded operator/(const Recorded& x, const Recorded& y);

  private:
    static Recorded record(Op op, const Recorded& x, const Recorded& y);

    Builder* builder_ = nullptr;
    Value value_;
    double number_ = 0.0;
};

inline Recorded reciprocal(const Recorded& x) {
    return Recorded(1.0) / x;
}
inline Recorded scaled(const Recorded& x, double factor) {
    return x * Recorded(factor);
}

/// The outputs of a program for these inputs, as values of a builder. Fused operations are taken
/// apart, for the builder to fuse anew.
std::vector<Recorded> replay(Builder& builder, const Program& program,
                             std::span<const Recorded> inputs);

}  // namespace ananke::code
