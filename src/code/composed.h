// Arithmetic that becomes part of a program, operation by operation with no rounding changed: a
// formula written once for any number type gives as a program the bits that it gives with doubles.
#pragma once

#include "code/composer.h"

namespace ananke::code {

/// A number of the program that a Composer is making. The composer must outlive it.
class Composed {
  public:
    Composed(Composer& composer, Composer::Id id) : composer_(&composer), id_(id) {}

    Composer::Id id() const { return id_; }

    friend Composed operator+(const Composed& a, const Composed& b) { return a.apply(Op::kAdd, b); }
    friend Composed operator-(const Composed& a, const Composed& b) { return a.apply(Op::kSub, b); }
    friend Composed operator*(const Composed& a, const Composed& b) { return a.apply(Op::kMul, b); }
    friend Composed operator/(const Composed& a, const Composed& b) { return a.apply(Op::kDiv, b); }
    friend Composed operator*(double a, const Composed& b) { return b.number(a) * b; }
    friend Composed operator/(double a, const Composed& b) { return b.number(a) / b; }
    friend Composed operator/(const Composed& a, double b) { return a / a.number(b); }
    friend Composed abs(const Composed& a) { return a.apply(Op::kAbs); }
    friend Composed sqrt(const Composed& a) { return a.apply(Op::kSqrt); }
    /// As std::max and std::min, also where one is not a number.
    friend Composed max(const Composed& a, const Composed& b) { return b.apply(Op::kHigher, a); }
    friend Composed min(const Composed& a, const Composed& b) { return b.apply(Op::kLower, a); }
    /// a*b + c, and c - a*b, with one rounding.
    friend Composed fma(const Composed& a, const Composed& b, const Composed& c) {
        return a.apply(Op::kFma, b, c);
    }
    /// A weighted zero is left out: it could change the sign of a zero at most.
    friend Composed fma(double a, const Composed& b, const Composed& c) {
        return b.composer_->is_zero(b.id_) ? c : fma(b.number(a), b, c);
    }
    friend Composed fnma(const Composed& a, const Composed& b, const Composed& c) {
        return a.apply(Op::kFnma, b, c);
    }
    /// 1 if a <= b, else 0.
    friend Composed at_most(const Composed& a, const Composed& b) {
        return a.apply(Op::kLessEqual, b);
    }
    friend Composed select(const Composed& condition, const Composed& yes, const Composed& no) {
        return condition.apply(Op::kSelect, yes, no);
    }

  private:
    Composed apply(Op op) const { return {*composer_, composer_->apply(op, id_)}; }
    Composed apply(Op op, const Composed& b) const {
        return {*composer_, composer_->apply(op, id_, b.id_)};
    }
    Composed apply(Op op, const Composed& b, const Composed& c) const {
        return {*composer_, composer_->apply(op, id_, b.id_, c.id_)};
    }
    Composed number(double value) const { return {*composer_, composer_->constant(value)}; }

    Composer* composer_;
    Composer::Id id_;
};

}  // namespace ananke::code
