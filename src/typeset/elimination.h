// Symbolic linear algebra on a worksheet: short lines, zeros skipped, nothing expanded.
#pragma once

#include <functional>
#include <vector>

#include "base/result.h"
#include "typeset/worksheet.h"

namespace ananke::typeset {

using Labels = std::function<Label(std::size_t)>;  ///< name of entry i of a vector

/// Unknowns that have symbols and names of their own.
struct Unknowns {
    std::vector<Expr> symbols;
    std::vector<Label> labels;

    void add(Expr symbol, Label label) {
        symbols.push_back(symbol);
        labels.push_back(std::move(label));
    }
};

/// A symmetric positive definite matrix, ready to solve with. It splits into blocks
/// without entries between them: a block of one is a division, a block of two Cramer's rule, a
/// larger one S = L D L^T.
class Factor {
  public:
    /// Writes the determinants or L and D as lines named after `name`, entries after `index`.
    /// Fails with kNotUnique when a pivot vanishes at the state of the worksheet.
    static Result<Factor> of(Worksheet& sheet, Grid S, const Label& name, const Labels& index);

    /// x = S^-1 r. Intermediate lines are named after `name`.
    std::vector<Expr> solve(Worksheet& sheet, std::span<const Expr> r, const Label& name,
                            const Labels& index) const;
    std::vector<Expr> solve(Worksheet& sheet, std::span<const Expr> r, const Label& name,
                            const Labels& index, const Unknowns& x) const;

    bool alone(std::size_t i) const { return blocks_[block_of_[i]].size() == 1; }
    Expr diagonal(std::size_t i) const { return S_(i, i); }

  private:
    explicit Factor(Grid S, Expr zero);
    void find_blocks(const sym::Graph& graph);
    /// Fill d_ and L_ of one block; false when a pivot vanishes.
    using Block = std::vector<std::size_t>;
    bool write_determinant(Worksheet& sheet, const Block& block, const Label& name,
                           const Labels& index);
    bool write_LDLt(Worksheet& sheet, const Block& block, const Label& name, const Labels& index);

    using Writer = std::function<Expr(std::size_t, Expr)>;  ///< writes x[i]
    std::vector<Expr> solve(Worksheet& sheet, std::span<const Expr> r, const Label& name,
                            const Labels& index, const Writer& write) const;

    Grid S_;
    Grid L_;               ///< unit lower triangle, blocks of three and more
    std::vector<Expr> d_;  ///< D; the determinant in both places of a block of two
    std::vector<std::vector<std::size_t>> blocks_;
    std::vector<std::size_t> block_of_;
};

/// K x = r for any regular K by elimination. Pivots are large at the state of the worksheet (at
/// least a tenth of the largest left) and among those the simplest. Each line of the back
/// substitution defines one of the unknowns, also the zero ones. Fails with kNotUnique when K is
/// singular at that state.
Result<std::vector<Expr>> solve_regular(Worksheet& sheet, Grid K, std::vector<Expr> r,
                                        const Unknowns& unknowns);

/// [M -B^T; B 0], of the equations with multipliers.
Grid with_multipliers(sym::Graph& graph, const Grid& M, const Grid& B);

/// The rows A x = b solved for some of the unknowns (Gauss-Jordan): row k of A becomes
/// x[pivot[k]] + sum over the other columns = r[k]. Right sides are carried through afterwards.
struct Reduced {
    Grid A;
    std::vector<std::size_t> pivot;  ///< column of each row

    /// r of a right side b. Lines are named after `name`.
    std::vector<Expr> carry(Worksheet& sheet, std::vector<Expr> b, const Label& name,
                            const Labels& row) const;

    /// One step: row /= divisor, then every other row -= factor * row.
    struct RowOperation {
        std::size_t row;
        Expr divisor;
        std::vector<Expr> factors;  ///< one per row, zero in the place of `row`
    };
    std::vector<RowOperation> operations;
};
/// Pivots are large at the state of the worksheet (at least a tenth of the largest left), and among
/// those the simplest, in columns that `allowed` names; of equals the last column. Lines are named
/// after `name`. Fails with kNotUnique when no pivot is left.
Result<Reduced> reduce_rows(Worksheet& sheet, Grid A, const std::vector<bool>& allowed,
                            const Label& name, const Labels& row, const Labels& column);

}  // namespace ananke::typeset
