#include "solve/control_matrix.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ananke::solve {

ControlMatrix::ControlMatrix(int controls)
    : size_(controls),
      S_(index(controls, 0)),
      row_(static_cast<std::size_t>(controls)),
      column_(row_.size()),
      turned_(row_.size()) {}

void ControlMatrix::clear() {
    regularity_ = 0.0;
    orientation_ = 0;
}

bool ControlMatrix::factor() {
    for (std::size_t i = 0; i < row_.size(); ++i) {
        row_[i] = column_[i] = static_cast<int>(i);
    }
    regularity_ = 1.0;
    orientation_ = 1;
    for (int p = 0; p < size_; ++p) {
        int best_row = p;
        int best_column = p;
        for (int i = p; i < size_; ++i) {
            for (int j = p; j < size_; ++j) {
                if (std::abs(pivoted(i, j)) > std::abs(pivoted(best_row, best_column))) {
                    best_row = i;
                    best_column = j;
                }
            }
        }
        orientation_ *= (best_row != p ? -1 : 1) * (best_column != p ? -1 : 1);
        const auto at = static_cast<std::size_t>(p);
        std::swap(row_[at], row_[static_cast<std::size_t>(best_row)]);
        std::swap(column_[at], column_[static_cast<std::size_t>(best_column)]);
        const double pivot = pivoted(p, p);
        orientation_ *= pivot < 0.0 ? -1 : 1;
        regularity_ = std::min(regularity_, std::abs(pivot));
        if (regularity_ < kIrregular) {
            return false;
        }
        for (int i = p + 1; i < size_; ++i) {
            const double factor = pivoted(i, p) / pivot;
            pivoted(i, p) = factor;
            for (int j = p + 1; j < size_; ++j) {
                pivoted(i, j) -= factor * pivoted(p, j);
            }
        }
    }
    return true;
}

void ControlMatrix::solve(double* x) {
    double* z = turned_.data();
    for (int i = 0; i < size_; ++i) {
        z[i] = x[row(i)];
        for (int j = 0; j < i; ++j) {
            z[i] -= pivoted(i, j) * z[j];
        }
    }
    for (int i = size_ - 1; i >= 0; --i) {
        for (int j = i + 1; j < size_; ++j) {
            z[i] -= pivoted(i, j) * z[j];
        }
        z[i] /= pivoted(i, i);
    }
    for (int i = 0; i < size_; ++i) {
        x[control(i)] = z[i];
    }
}

ControlGap control_gap(const Eigen::MatrixXd& S, std::span<const int> rows,
                       const Eigen::VectorXd& row_unit, const Eigen::VectorXd& drive_unit, int m,
                       double tolerance) {
    ControlGap gap;
    gap.servo_rank = static_cast<int>(rows.size());
    if (S.size() == 0) {  // which has no singular values
        gap.missing = gap.reach = Eigen::MatrixXd::Zero(m, 0);
        gap.idle = drive_unit.asDiagonal();
        return gap;
    }
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(S, Eigen::ComputeFullU | Eigen::ComputeFullV);
    const Eigen::Index rank = (svd.singularValues().array() > tolerance).count();
    gap.missing = Eigen::MatrixXd::Zero(m, S.rows() - rank);
    gap.reach = Eigen::MatrixXd::Zero(m, rank);
    // By elements: a row of a matrix without columns has no address to begin at.
    for (Eigen::Index j = 0; j < S.rows(); ++j) {
        const Eigen::Index row = rows[static_cast<std::size_t>(j)];
        for (Eigen::Index i = 0; i < rank; ++i) {
            gap.reach(row, i) = svd.matrixU()(j, i) / row_unit[j];
        }
        for (Eigen::Index i = rank; i < S.rows(); ++i) {
            gap.missing(row, i - rank) = row_unit[j] * svd.matrixU()(j, i);
        }
    }
    gap.idle = drive_unit.asDiagonal() * svd.matrixV().rightCols(S.cols() - rank);
    return gap;
}

}  // namespace ananke::solve
