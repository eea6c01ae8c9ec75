// What a scalar that writes down its operations does not write down: sums with 0, products with 0,
// 1 and -1. Both recorders fold alike, so that a program in segments computes what one in a piece
// does.
#pragma once

namespace ananke::code {

/// `record(x, y)` writes the operation down; `S` is Recorded or Traced.
template <class S, class Record>
S folded_sum(const S& x, const S& y, Record record) {
    if (x.is(0.0)) {
        return y;
    }
    return y.is(0.0) ? x : record(x, y);
}

/// `negate(y)` writes down -y.
template <class S, class Record, class Negate>
S folded_difference(const S& x, const S& y, Record record, Negate negate) {
    if (y.is(0.0)) {
        return x;
    }
    return x.is(0.0) && !y.is_number() ? negate(y) : record(x, y);
}

template <class S, class Record>
S folded_product(const S& x, const S& y, Record record) {
    if (x.is(0.0) || y.is(0.0)) {
        return 0.0;
    }
    if (x.is(1.0)) {
        return y;
    }
    if (y.is(1.0)) {
        return x;
    }
    if (x.is(-1.0) || y.is(-1.0)) {
        return S(0.0) - (x.is(-1.0) ? y : x);
    }
    return record(x, y);
}

template <class S, class Record>
S folded_quotient(const S& x, const S& y, Record record) {
    if (x.is(0.0)) {
        return 0.0;
    }
    return y.is(1.0) ? x : record(x, y);
}

}  // namespace ananke::code
