#include "solve/contradiction.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace ananke::solve {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kMostCandidates = 3e5;
// Leaving a row out changes nothing, or makes the others independent, beyond doubt: how far that
// takes them apart, over the distance that counts as none.
constexpr double kClearlyOut = 1e-3;
constexpr double kClearlyIn = 10.0;

// Unit rows in the order of their keys; r and its round-off size scaled along.
struct Rows {
    RowMatrix A;
    VectorXd r;
    VectorXd floor;          // an entry of r below this is round-off
    std::vector<int> index;  // of the row in the caller's order
    std::vector<bool> zero;
};

// Columns with larger entries than others must not hide them: dependence is a matter of ratios.
RowMatrix equilibrate_columns(RowMatrix A) {
    for (Eigen::Index k = 0; k < A.rows(); ++k) {
        const double largest = A.row(k).cwiseAbs().maxCoeff();
        A.row(k) /= largest > 0.0 ? largest : 1.0;
    }
    for (Eigen::Index i = 0; i < A.cols(); ++i) {
        const double largest = A.col(i).cwiseAbs().maxCoeff();
        A.col(i) /= largest > 0.0 ? largest : 1.0;
    }
    return A;
}

// Do the rows, in this order, include one that is a combination of those before it but whose
// right-hand side is not? Modified Gram-Schmidt, twice, carrying r along.
class Elimination {
  public:
    Elimination(const Rows& rows, ContradictionTolerance tolerance)
        : rows_(rows),
          tolerance_(tolerance),
          basis_(rows.A.cols(), rows.A.cols()),
          value_(rows.A.cols()),
          along_(VectorXd::Zero(rows.A.cols())) {}

    int depth() const { return depth_; }
    // The row pushed last along the basis.
    const VectorXd& along() const { return along_; }
    void pop_to(int depth) { depth_ = depth; }

    enum class Outcome { kIndependent, kConsistent, kContradictory };

    Outcome push(int k) {
        row_ = rows_.A.row(k).transpose();
        double r = rows_.r[k];
        double size = std::abs(rows_.r[k]);
        along_.head(depth_).setZero();
        for (int pass = 0; pass < 2; ++pass) {
            for (int j = 0; j < depth_; ++j) {
                const double along = basis_.col(j).dot(row_);
                row_ -= along * basis_.col(j);
                along_[j] += along;
                r -= along * value_[j];
                size += std::abs(along * value_[j]);
            }
        }
        const double left = rows_.zero[static_cast<std::size_t>(k)] ? 0.0 : row_.norm();
        if (left > tolerance_.dependence && depth_ < basis_.cols()) {
            basis_.col(depth_) = row_ / left;
            value_[depth_] = r / left;
            along_[depth_] = left;
            ++depth_;
            return Outcome::kIndependent;
        }
        const double allowed = std::max(tolerance_.mismatch * size, rows_.floor[k]);
        return std::abs(r) > allowed ? Outcome::kContradictory : Outcome::kConsistent;
    }

  private:
    const Rows& rows_;
    ContradictionTolerance tolerance_;
    MatrixXd basis_;  // orthonormal columns
    VectorXd value_;  // what r asks of each
    VectorXd row_;
    VectorXd along_;
    int depth_ = 0;
};

bool contradictory(const Rows& rows, const std::vector<int>& subset,
                   ContradictionTolerance tolerance) {
    Elimination elimination(rows, tolerance);
    return std::any_of(subset.begin(), subset.end(), [&](int k) {
        return elimination.push(k) == Elimination::Outcome::kContradictory;
    });
}

// First subset of `size` rows, in lexicographic order, that is contradictory while all its rows but
// the last are independent. Requires that no smaller subset is contradictory.
bool search(const std::vector<int>& candidates, std::size_t from, int left,
            Elimination& elimination, std::vector<int>& chosen) {
    for (std::size_t i = from; i + static_cast<std::size_t>(left) <= candidates.size(); ++i) {
        const int depth = elimination.depth();
        const Elimination::Outcome outcome = elimination.push(candidates[i]);
        chosen.push_back(candidates[i]);
        if (left == 1 ? outcome == Elimination::Outcome::kContradictory
                      : outcome == Elimination::Outcome::kIndependent &&
                            search(candidates, i + 1, left - 1, elimination, chosen)) {
            return true;
        }
        chosen.pop_back();
        elimination.pop_to(depth);
    }
    return false;
}

double binomial(double n, int k) {
    double value = 1.0;
    for (int i = 0; i < k; ++i) {
        value *= (n - i) / (i + 1);
    }
    return value;
}

Rows arrange(const Eigen::Ref<const RowMatrix>& A, const Eigen::Ref<const VectorXd>& r,
             std::span<const std::string> keys, const Eigen::Ref<const VectorXd>& scale,
             double mismatch) {
    const auto m = static_cast<int>(A.rows());
    std::vector<int> index(static_cast<std::size_t>(m));
    std::iota(index.begin(), index.end(), 0);
    if (!keys.empty()) {
        std::stable_sort(index.begin(), index.end(), [&](int i, int j) {
            return keys[static_cast<std::size_t>(i)] < keys[static_cast<std::size_t>(j)];
        });
    }
    const RowMatrix even = equilibrate_columns(A);
    Rows rows{RowMatrix(m, A.cols()), VectorXd(m), VectorXd(m), index, {}};
    for (int k = 0; k < m; ++k) {
        const int from = index[static_cast<std::size_t>(k)];
        const double raw = A.row(from).cwiseAbs().maxCoeff();
        const double length = even.row(from).norm();
        rows.zero.push_back(!(raw > 0.0));
        const double factor = raw > 0.0 ? 1.0 / (length * raw) : 1.0;
        rows.A.row(k) = raw > 0.0 ? RowMatrix(even.row(from) / length) : RowMatrix(even.row(from));
        rows.r[k] = factor * r[from];
        rows.floor[k] = scale.size() > 0 ? factor * mismatch * scale[from] : 0.0;
    }
    return rows;
}

// The first row, in the order of the keys, that contradicts those before it, as a combination of
// the independent ones among them: row = sum c_i basis_i.
struct FirstContradiction {
    int row = -1;            // -1: none
    std::vector<int> basis;  // rows
    VectorXd left;           // how far `row` is from the others when basis_i is left out
};

FirstContradiction first_contradiction(const Rows& rows, ContradictionTolerance tolerance) {
    FirstContradiction found;
    Elimination elimination(rows, tolerance);
    std::vector<VectorXd> columns;  // of R: basis_k = sum_i R_ik e_i, e the orthonormal rows
    for (int k = 0; k < rows.A.rows(); ++k) {
        const int depth = elimination.depth();
        const Elimination::Outcome outcome = elimination.push(k);
        if (outcome == Elimination::Outcome::kIndependent) {
            found.basis.push_back(k);
            columns.emplace_back(elimination.along().head(depth + 1));
        } else if (outcome == Elimination::Outcome::kContradictory) {
            found.row = k;
            break;
        }
    }
    if (found.row < 0) {
        return found;
    }
    const auto size = static_cast<Eigen::Index>(columns.size());
    MatrixXd R = MatrixXd::Zero(size, size);
    for (Eigen::Index k = 0; k < size; ++k) {
        R.col(k).head(k + 1) = columns[static_cast<std::size_t>(k)];
    }
    const MatrixXd inverse = R.triangularView<Eigen::Upper>().solve(MatrixXd::Identity(size, size));
    const VectorXd c = inverse * elimination.along().head(size);
    // A basis row is 1 / |row of R^-1| away from the span of the others.
    found.left = c.cwiseAbs().cwiseQuotient(inverse.rowwise().norm());
    return found;
}

// Drop what can be dropped, last key first, while a contradiction remains. Rows of the basis whose
// place in the combination is clear are kept, or dropped, without a trial.
std::vector<int> irreducible(const Rows& rows, const FirstContradiction& first,
                             ContradictionTolerance tolerance) {
    std::vector<int> subset;
    std::vector<bool> needed;
    for (const double least : {kClearlyOut * tolerance.dependence, 0.0}) {
        subset.clear();
        needed.clear();
        for (std::size_t i = 0; i < first.basis.size(); ++i) {
            const double left = first.left[static_cast<Eigen::Index>(i)];
            if (left >= least) {
                subset.push_back(first.basis[i]);
                needed.push_back(left > kClearlyIn * tolerance.dependence);
            }
        }
        subset.push_back(first.row);
        needed.push_back(true);
        if (contradictory(rows, subset, tolerance)) {
            break;
        }
    }
    for (std::size_t i = subset.size(); i-- > 0;) {
        if (needed[i]) {
            continue;
        }
        std::vector<int> without;
        for (std::size_t j = 0; j < subset.size(); ++j) {
            if (j != i) {
                without.push_back(subset[j]);
            }
        }
        if (contradictory(rows, without, tolerance)) {
            subset = without;
        }
    }
    return subset;
}

}  // namespace

std::vector<int> contradictory_rows(const Eigen::Ref<const RowMatrix>& A,
                                    const Eigen::Ref<const VectorXd>& r,
                                    std::span<const std::string> keys,
                                    const Eigen::Ref<const VectorXd>& scale,
                                    ContradictionTolerance tolerance) {
    const auto m = static_cast<int>(A.rows());
    ANANKE_REQUIRE(r.size() == m && (scale.size() == 0 || scale.size() == m));
    ANANKE_REQUIRE(keys.empty() || keys.size() == static_cast<std::size_t>(m));
    if (m == 0 || A.cols() == 0) {
        return {};
    }
    const Rows rows = arrange(A, r, keys, scale, tolerance.mismatch);
    std::vector<int> all(static_cast<std::size_t>(m));
    std::iota(all.begin(), all.end(), 0);
    const FirstContradiction first = first_contradiction(rows, tolerance);
    if (first.row < 0) {
        return {};
    }

    const std::vector<int> bound = irreducible(rows, first, tolerance);
    std::vector<int> found = bound;
    double tried = 0.0;
    Elimination elimination(rows, tolerance);
    for (int size = 1; size <= static_cast<int>(bound.size()); ++size) {
        tried += binomial(m, size);
        if (tried > kMostCandidates) {
            break;
        }
        std::vector<int> chosen;
        elimination.pop_to(0);
        if (search(all, 0, size, elimination, chosen)) {
            found = chosen;
            break;
        }
    }
    for (int& k : found) {
        k = rows.index[static_cast<std::size_t>(k)];
    }
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace ananke::solve
