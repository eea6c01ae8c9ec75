#include "dynamics/feedback_matrix.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ananke::dynamics {
namespace {

/// J^(2^12): its size to the power 2^-12 is the spectral radius to three digits or more.
constexpr int kSquarings = 12;

}  // namespace

FeedbackMatrix::FeedbackMatrix(std::size_t size)
    : size_(size), J_(size * size, 0.0), power_(J_), work_(J_) {}

/// By repeated squaring.
double FeedbackMatrix::radius() {
    const std::size_t u = size_;
    if (u == 1) {
        return std::abs(J_[0]);
    }
    power_ = J_;
    double logarithm = 0.0;  // of the size taken out, per power of J
    double weight = 1.0;
    for (int squaring = 0;; ++squaring) {
        double size = 0.0;
        for (const double entry : power_) {
            size = std::max(size, std::abs(entry));
        }
        if (size == 0.0) {
            return 0.0;
        }
        logarithm += weight * std::log(size);
        if (squaring == kSquarings) {
            return std::exp(logarithm);
        }
        for (std::size_t i = 0; i < u; ++i) {
            for (std::size_t j = 0; j < u; ++j) {
                double sum = 0.0;
                for (std::size_t k = 0; k < u; ++k) {
                    sum += power_[i * u + k] / size * (power_[k * u + j] / size);
                }
                work_[i * u + j] = sum;
            }
        }
        power_.swap(work_);
        weight *= 0.5;
    }
}

/// By elimination with pivoting.
bool FeedbackMatrix::solve(std::span<double> r) {
    const std::size_t u = size_;
    for (std::size_t i = 0; i < u; ++i) {
        for (std::size_t j = 0; j < u; ++j) {
            work_[i * u + j] = (i == j ? 1.0 : 0.0) - J_[i * u + j];
        }
    }
    for (std::size_t k = 0; k < u; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k + 1; i < u; ++i) {
            pivot = std::abs(work_[i * u + k]) > std::abs(work_[pivot * u + k]) ? i : pivot;
        }
        if (work_[pivot * u + k] == 0.0) {
            return false;
        }
        for (std::size_t j = 0; j < u && pivot != k; ++j) {
            std::swap(work_[k * u + j], work_[pivot * u + j]);
        }
        std::swap(r[k], r[pivot]);
        for (std::size_t i = k + 1; i < u; ++i) {
            const double factor = work_[i * u + k] / work_[k * u + k];
            for (std::size_t j = k; j < u; ++j) {
                work_[i * u + j] -= factor * work_[k * u + j];
            }
            r[i] -= factor * r[k];
        }
    }
    for (std::size_t k = u; k-- > 0;) {
        for (std::size_t j = k + 1; j < u; ++j) {
            r[k] -= work_[k * u + j] * r[j];
        }
        r[k] /= work_[k * u + k];
    }
    return true;
}

}  // namespace ananke::dynamics
