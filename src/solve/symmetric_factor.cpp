#include "solve/symmetric_factor.h"

#include <klu.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace ananke::solve {
namespace {

/// Reciprocal condition, as the pivots show it, below which K counts as singular.
constexpr double kSingular = 1e-15;

/// Pivots of another state serve while that condition is more than this part of what it was there.
constexpr double kAboutAsGood = 0.1;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

}  // namespace

struct SymmetricFactor::Klu {
    klu_common common{};
    klu_symbolic* symbolic = nullptr;
    klu_numeric* numeric = nullptr;

    Klu() { klu_defaults(&common); }
    ~Klu() {
        klu_free_numeric(&numeric, &common);
        klu_free_symbolic(&symbolic, &common);
    }
    Klu(const Klu&) = delete;
    Klu& operator=(const Klu&) = delete;
};

SymmetricFactor::SymmetricFactor(int size, std::span<const SymmetricPlace> places)
    : size_(size), residual_(at(size)), right_(at(size)), klu_(std::make_unique<Klu>()) {
    // Both halves by column, then by row; equal ones become one.
    struct Half {
        int column, row;
        std::size_t place;
        bool mirrored;
    };
    std::vector<std::size_t> begin(at(size) + 1, 0);
    const auto for_each_half = [&](auto&& use) {
        for (std::size_t p = 0; p < places.size(); ++p) {
            use(Half{places[p].k, places[p].i, p, false});
            if (places[p].i != places[p].k) {
                use(Half{places[p].i, places[p].k, p, true});
            }
        }
    };
    for_each_half([&](const Half& half) { ++begin[at(half.column) + 1]; });
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<Half> halves(begin.back());
    std::vector<std::size_t> next = begin;
    for_each_half([&](const Half& half) { halves[next[at(half.column)]++] = half; });
    for (std::size_t c = 0; c < at(size); ++c) {
        std::sort(halves.begin() + static_cast<std::ptrdiff_t>(begin[c]),
                  halves.begin() + static_cast<std::ptrdiff_t>(begin[c + 1]),
                  [](const Half& x, const Half& y) { return x.row < y.row; });
    }
    column_begin_.assign(at(size) + 1, 0);
    upper_.assign(places.size(), 0);
    lower_.assign(places.size(), -1);
    const Half* last = nullptr;
    for (const Half& half : halves) {
        if (last == nullptr || last->column != half.column || last->row != half.row) {
            rows_.push_back(half.row);
            ++column_begin_[at(half.column) + 1];
        }
        last = &half;
        (half.mirrored ? lower_ : upper_)[half.place] = static_cast<int>(rows_.size()) - 1;
    }
    for (int c = 0; c < size; ++c) {
        column_begin_[at(c) + 1] += column_begin_[at(c)];
    }
    values_.assign(rows_.size(), 0.0);
    klu_->symbolic = klu_analyze(size, column_begin_.data(), rows_.data(), &klu_->common);
}

SymmetricFactor::~SymmetricFactor() = default;
SymmetricFactor::SymmetricFactor(SymmetricFactor&&) noexcept = default;
SymmetricFactor& SymmetricFactor::operator=(SymmetricFactor&&) noexcept = default;

void SymmetricFactor::load(std::span<const double> values) {
    ANANKE_REQUIRE(values.size() == upper_.size());
    std::fill(values_.begin(), values_.end(), 0.0);
    for (std::size_t p = 0; p < values.size(); ++p) {
        values_[at(upper_[p])] += values[p];
        if (lower_[p] >= 0) {
            values_[at(lower_[p])] += values[p];
        }
    }
}

bool SymmetricFactor::is_regular() {
    return klu_->numeric != nullptr && klu_->common.status == KLU_OK &&
           klu_rcond(klu_->symbolic, klu_->numeric, &klu_->common) != 0 &&
           klu_->common.rcond > kSingular;
}

bool SymmetricFactor::factor_loaded() {
    if (klu_->symbolic == nullptr) {
        return size_ == 0;
    }
    klu_free_numeric(&klu_->numeric, &klu_->common);
    klu_->numeric = klu_factor(column_begin_.data(), rows_.data(), values_.data(), klu_->symbolic,
                               &klu_->common);
    const bool regular = is_regular();
    chosen_ = regular ? klu_->common.rcond : 0.0;
    return regular;
}

bool SymmetricFactor::factor(std::span<const double> values) {
    load(values);
    return factor_loaded();
}

bool SymmetricFactor::factor_again(std::span<const double> values) {
    load(values);
    if (chosen_ > 0.0 &&
        klu_refactor(column_begin_.data(), rows_.data(), values_.data(), klu_->symbolic,
                     klu_->numeric, &klu_->common) != 0 &&
        is_regular() && klu_->common.rcond > kAboutAsGood * chosen_) {
        return true;
    }
    return factor_loaded();
}

void SymmetricFactor::back_solve(std::span<double> r) {
    klu_solve(klu_->symbolic, klu_->numeric, size_, 1, r.data(), &klu_->common);
}

void SymmetricFactor::solve(std::span<double> r) {
    if (size_ == 0) {
        return;
    }
    ANANKE_REQUIRE(klu_->numeric != nullptr && r.size() == at(size_));
    std::copy(r.begin(), r.end(), right_.begin());
    back_solve(r);
    multiply(r, residual_);
    for (std::size_t i = 0; i < r.size(); ++i) {
        residual_[i] = right_[i] - residual_[i];
    }
    back_solve(residual_);
    for (std::size_t i = 0; i < r.size(); ++i) {
        r[i] += residual_[i];
    }
}

void SymmetricFactor::solve_roughly(std::span<double> r) {
    ANANKE_REQUIRE(size_ == 0 || (klu_->numeric != nullptr && r.size() == at(size_)));
    if (size_ > 0) {
        back_solve(r);
    }
}

void SymmetricFactor::multiply(std::span<const double> x, std::span<double> y) const {
    std::fill(y.begin(), y.end(), 0.0);
    for (int c = 0; c < size_; ++c) {
        for (int p = column_begin_[at(c)]; p < column_begin_[at(c) + 1]; ++p) {
            y[at(rows_[at(p)])] += values_[at(p)] * x[at(c)];
        }
    }
}

std::size_t SymmetricFactor::fill() const {
    return klu_->numeric == nullptr
               ? 0
               : static_cast<std::size_t>(klu_->numeric->lnz + klu_->numeric->unz);
}

}  // namespace ananke::solve
