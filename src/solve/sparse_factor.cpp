#include "solve/sparse_factor.h"

#include <klu.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/check.h"

namespace ananke::solve {
namespace {

/// Reciprocal condition, as the pivots show it, below which S counts as singular.
constexpr double kSingular = 1e-15;

/// Pivots of another state serve while that condition is more than this part of what it was there.
constexpr double kAboutAsGood = 0.1;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

// The two families of KLU's functions under one name each.
klu_numeric* factor_numbers(int* begin, int* rows, double* values, klu_symbolic* order,
                            klu_common* common) {
    return klu_factor(begin, rows, values, order, common);
}
klu_numeric* factor_numbers(int* begin, int* rows, std::complex<double>* values,
                            klu_symbolic* order, klu_common* common) {
    return klu_z_factor(begin, rows, reinterpret_cast<double*>(values), order, common);
}
bool factor_with_pivots(int* begin, int* rows, double* values, klu_symbolic* order,
                        klu_numeric* numeric, klu_common* common) {
    return klu_refactor(begin, rows, values, order, numeric, common) != 0;
}
bool factor_with_pivots(int* begin, int* rows, std::complex<double>* values, klu_symbolic* order,
                        klu_numeric* numeric, klu_common* common) {
    return klu_z_refactor(begin, rows, reinterpret_cast<double*>(values), order, numeric, common) !=
           0;
}
bool find_condition(const double*, klu_symbolic* order, klu_numeric* numeric, klu_common* common) {
    return klu_rcond(order, numeric, common) != 0;
}
bool find_condition(const std::complex<double>*, klu_symbolic* order, klu_numeric* numeric,
                    klu_common* common) {
    return klu_z_rcond(order, numeric, common) != 0;
}
void solve_in_place(klu_symbolic* order, klu_numeric* numeric, std::span<double> r,
                    klu_common* common) {
    klu_solve(order, numeric, static_cast<int>(r.size()), 1, r.data(), common);
}
void solve_in_place(klu_symbolic* order, klu_numeric* numeric, std::span<std::complex<double>> r,
                    klu_common* common) {
    klu_z_solve(order, numeric, static_cast<int>(r.size()), 1, reinterpret_cast<double*>(r.data()),
                common);
}
void free_numbers(const double*, klu_numeric** numeric, klu_common* common) {
    klu_free_numeric(numeric, common);
}
void free_numbers(const std::complex<double>*, klu_numeric** numeric, klu_common* common) {
    klu_z_free_numeric(numeric, common);
}

}  // namespace

struct SparsePattern::Order {
    klu_common common{};
    klu_symbolic* symbolic = nullptr;

    Order() { klu_defaults(&common); }
    ~Order() { klu_free_symbolic(&symbolic, &common); }
    Order(const Order&) = delete;
    Order& operator=(const Order&) = delete;
};

SparsePattern::SparsePattern(int size, std::span<const SparsePlace> places)
    : size_(size), order_(std::make_unique<Order>()) {
    // Places by column, then by row; equal ones become one.
    std::vector<std::size_t> first(at(size) + 1, 0);
    for (const SparsePlace& place : places) {
        ++first[at(place.column) + 1];
    }
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::size_t> sorted(places.size());
    std::vector<std::size_t> next = first;
    for (std::size_t p = 0; p < places.size(); ++p) {
        sorted[next[at(places[p].column)]++] = p;
    }
    begin_.assign(at(size) + 1, 0);
    where_.assign(places.size(), 0);
    for (std::size_t c = 0; c < at(size); ++c) {
        const auto from = sorted.begin() + static_cast<std::ptrdiff_t>(first[c]);
        const auto to = sorted.begin() + static_cast<std::ptrdiff_t>(first[c + 1]);
        std::sort(from, to,
                  [&](std::size_t x, std::size_t y) { return places[x].row < places[y].row; });
        const std::size_t before = rows_.size();
        for (auto one = from; one != to; ++one) {
            if (rows_.size() == before || rows_.back() != places[*one].row) {
                rows_.push_back(places[*one].row);
            }
            where_[*one] = static_cast<int>(rows_.size()) - 1;
        }
        begin_[c + 1] = static_cast<int>(rows_.size());
    }
    order_->symbolic = klu_analyze(size, begin_.data(), rows_.data(), &order_->common);
}

SparsePattern::~SparsePattern() = default;

double SparsePattern::work() const {
    return order_->symbolic == nullptr || order_->symbolic->est_flops < 0.0
               ? std::numeric_limits<double>::infinity()
               : order_->symbolic->est_flops;
}

template <class Scalar>
struct SparseFactor<Scalar>::Klu {
    klu_common common{};
    klu_numeric* numeric = nullptr;
    // KLU only reads them.
    int *begin, *rows;
    klu_symbolic* order;

    explicit Klu(const SparsePattern& pattern)
        : begin(const_cast<int*>(pattern.begin_.data())),
          rows(const_cast<int*>(pattern.rows_.data())),
          order(pattern.order_->symbolic) {
        klu_defaults(&common);
    }
    ~Klu() { clear(); }
    Klu(const Klu&) = delete;
    Klu& operator=(const Klu&) = delete;

    void clear() { free_numbers(static_cast<const Scalar*>(nullptr), &numeric, &common); }
};

template <class Scalar>
SparseFactor<Scalar>::SparseFactor(std::shared_ptr<const SparsePattern> pattern)
    : pattern_(std::move(pattern)),
      values_(pattern_->rows().size()),
      klu_(std::make_unique<Klu>(*pattern_)) {}

template <class Scalar>
SparseFactor<Scalar>::~SparseFactor() = default;
template <class Scalar>
SparseFactor<Scalar>::SparseFactor(SparseFactor&&) noexcept = default;
template <class Scalar>
SparseFactor<Scalar>& SparseFactor<Scalar>::operator=(SparseFactor&&) noexcept = default;

template <class Scalar>
bool SparseFactor<Scalar>::is_regular() {
    return klu_->numeric != nullptr && klu_->common.status == KLU_OK &&
           find_condition(values_.data(), klu_->order, klu_->numeric, &klu_->common) &&
           klu_->common.rcond > kSingular;
}

template <class Scalar>
bool SparseFactor<Scalar>::factor() {
    if (klu_->order == nullptr) {
        return pattern_->size() == 0;
    }
    klu_->clear();
    klu_->numeric =
        factor_numbers(klu_->begin, klu_->rows, values_.data(), klu_->order, &klu_->common);
    const bool regular = is_regular();
    chosen_ = regular ? klu_->common.rcond : 0.0;
    return regular;
}

template <class Scalar>
bool SparseFactor<Scalar>::factor_again() {
    if (chosen_ > 0.0 &&
        factor_with_pivots(klu_->begin, klu_->rows, values_.data(), klu_->order, klu_->numeric,
                           &klu_->common) &&
        is_regular() && klu_->common.rcond > kAboutAsGood * chosen_) {
        return true;
    }
    return factor();
}

template <class Scalar>
void SparseFactor<Scalar>::solve(std::span<Scalar> r) {
    if (pattern_->size() == 0) {
        return;
    }
    ANANKE_REQUIRE(klu_->numeric != nullptr && r.size() == at(pattern_->size()));
    solve_in_place(klu_->order, klu_->numeric, r, &klu_->common);
}

template <class Scalar>
std::size_t SparseFactor<Scalar>::fill() const {
    return klu_->numeric == nullptr
               ? 0
               : static_cast<std::size_t>(klu_->numeric->lnz + klu_->numeric->unz);
}

template class SparseFactor<double>;
template class SparseFactor<std::complex<double>>;

}  // namespace ananke::solve
