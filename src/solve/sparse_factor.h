// Sparse systems S x = r of one pattern, real or complex, by a general sparse factorisation (KLU).
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace ananke::solve {

struct SparsePlace {
    int row, column;
};

/// Which entries of a square matrix are there, by columns, and an order for their elimination.
class SparsePattern {
  public:
    /// Places may be repeated.
    SparsePattern(int size, std::span<const SparsePlace> places);
    ~SparsePattern();
    SparsePattern(const SparsePattern&) = delete;
    SparsePattern& operator=(const SparsePattern&) = delete;

    int size() const { return size_; }
    /// Entries of column c: from begin()[c] on, before begin()[c + 1].
    std::span<const int> begin() const { return begin_; }
    /// Their rows, ascending in each column.
    std::span<const int> rows() const { return rows_; }
    /// Where each of the places given stands among the entries.
    std::span<const int> where() const { return where_; }
    /// Operations of a factorisation, about; infinite if that is not known.
    double work() const;

  private:
    template <class Scalar>
    friend class SparseFactor;

    struct Order;
    int size_;
    std::vector<int> begin_, rows_, where_;
    std::unique_ptr<Order> order_;
};

/// Scalar: double or std::complex<double>.
template <class Scalar>
class SparseFactor {
  public:
    explicit SparseFactor(std::shared_ptr<const SparsePattern> pattern);
    ~SparseFactor();
    SparseFactor(SparseFactor&&) noexcept;
    SparseFactor& operator=(SparseFactor&&) noexcept;
    SparseFactor(const SparseFactor&) = delete;
    SparseFactor& operator=(const SparseFactor&) = delete;

    int size() const { return pattern_->size(); }
    /// Where the places of the pattern stand among the entries.
    std::span<const int> where() const { return pattern_->where(); }
    /// The entries of S, to be set before factor().
    std::span<Scalar> values() { return values_; }
    std::span<const Scalar> values() const { return values_; }
    /// False if S is singular to working precision. Allocates.
    bool factor();
    /// The same with the pivots of the last factor() as long as they are about as good as there:
    /// then nothing is allocated.
    bool factor_again();
    /// How far the last factor() was from singular: about 1 / condition, 0 if it was.
    double regularity() const { return chosen_; }
    /// x in place of r. Requires a factor.
    void solve(std::span<Scalar> r);
    /// Numbers in the factors: what they cost.
    std::size_t fill() const;

  private:
    bool is_regular();

    struct Klu;
    std::shared_ptr<const SparsePattern> pattern_;
    std::vector<Scalar> values_;
    double chosen_ = 0.0;  ///< reciprocal condition at the last factor()
    std::unique_ptr<Klu> klu_;
};

extern template class SparseFactor<double>;
extern template class SparseFactor<std::complex<double>>;

}  // namespace ananke::solve
