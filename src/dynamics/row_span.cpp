#include "dynamics/row_span.h"

namespace ananke::dynamics {

void RowSpan::clear(std::span<const double> unit) {
    if (E_.size() == 0) {
        E_.resize(unit_.size(), most_rows_);
        R_ = Eigen::MatrixXd::Zero(most_rows_, most_rows_);
        x_.resize(unit_.size());
        h_.resize(most_rows_);
        c_.resize(most_rows_);
    }
    unit_ = Eigen::Map<const Eigen::VectorXd>(unit.data(), unit_.size());
    length_.clear();
    b_.clear();
    ids_.clear();
}

RowSpan::Expression RowSpan::express(std::span<const double> row) {
    const int r = kept();
    x_ = Eigen::Map<const Eigen::VectorXd>(row.data(), unit_.size()).cwiseProduct(unit_);
    row_length_ = x_.norm();
    c_.head(r).setZero();
    if (row_length_ == 0.0) {
        return {0.0, 0.0, 0.0};
    }
    x_ /= row_length_;
    h_.head(r).setZero();
    for (int pass = 0; pass < 2; ++pass) {  // twice is enough: Kahan, in Parlett 1980, 6.9
        for (int j = 0; j < r; ++j) {
            const double part = E_.col(j).dot(x_);
            x_ -= part * E_.col(j);
            h_[j] += part;
        }
    }
    c_.head(r) = R_.topLeftCorner(r, r).triangularView<Eigen::Upper>().solve(h_.head(r));
    Expression result{x_.norm(), 0.0, 0.0};
    for (int k = 0; k < r; ++k) {
        const auto i = static_cast<std::size_t>(k);
        c_[k] *= row_length_ / length_[i];
        result.b += c_[k] * b_[i];
        result.magnitude += std::abs(c_[k] * b_[i]);
    }
    return result;
}

bool RowSpan::add(std::span<const double> row, double b, int id) {
    const double remainder = express(row).remainder;
    if (remainder <= kDependentRow) {
        return false;
    }
    const int r = kept();
    E_.col(r) = x_ / remainder;
    R_.col(r).head(r) = h_.head(r);
    R_(r, r) = remainder;
    length_.push_back(row_length_);
    b_.push_back(b);
    ids_.push_back(id);
    return true;
}

}  // namespace ananke::dynamics
