#include "typeset/elimination.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "mech/collect.h"
#include "sym/walk.h"

namespace ananke::typeset {

using mech::collect;

namespace {

/// Pivots below this part of the diagonal (of the largest entry) count as zero.
constexpr double kVanished = 1e-12;

/// How hard an expression is to read as a divisor: numbers, then symbols, then the rest.
int effort(const sym::Graph& graph, Expr e) {
    const auto first = [&](Expr x) { return Expr{graph.node(x).a}; };
    const Expr inner = graph.node(e).op == sym::Op::kNeg ? first(e) : e;
    if (graph.is_constant(inner)) {
        return 0;
    }
    return sym::arity(graph.node(inner).op) == 0 ? 1 : 2;
}

struct Position {
    std::size_t row, column;
};

/// The pivot among the free rows and columns; nothing when all of them vanish.
enum class Ties : std::uint8_t { kFirst, kLast };
std::optional<Position> choose_pivot(const Worksheet& sheet, const sym::Graph& graph, const Grid& K,
                                     const std::vector<bool>& row_done,
                                     const std::vector<bool>& column_done, double scale,
                                     Ties ties) {
    struct Candidate {
        Position at;
        double size;
        int effort;
        std::size_t fill;
    };
    std::vector<Candidate> candidates;
    std::vector<std::size_t> row_count(K.rows(), 0);
    std::vector<std::size_t> column_count(K.columns(), 0);
    double largest = 0.0;
    for (std::size_t i = 0; i < K.rows(); ++i) {
        for (std::size_t j = 0; j < K.columns(); ++j) {
            if (row_done[i] || column_done[j] || graph.is_zero(K(i, j))) {
                continue;
            }
            const double size = std::abs(sheet.number(K(i, j)));
            largest = std::max(largest, size);
            ++row_count[i];
            ++column_count[j];
            candidates.push_back({{i, j}, size, effort(graph, K(i, j)), 0});
        }
    }
    if (!(largest > kVanished * scale)) {
        return std::nullopt;
    }
    std::erase_if(candidates, [&](const Candidate& c) { return !(c.size >= 0.1 * largest); });
    for (Candidate& c : candidates) {
        c.fill = (row_count[c.at.row] - 1) * (column_count[c.at.column] - 1);
    }
    const auto best =
        std::ranges::min_element(candidates, [&](const Candidate& a, const Candidate& b) {
            const std::size_t place_a = ties == Ties::kLast ? K.columns() - a.at.column : 0;
            const std::size_t place_b = ties == Ties::kLast ? K.columns() - b.at.column : 0;
            return std::tuple(a.fill, a.effort, place_a) < std::tuple(b.fill, b.effort, place_b);
        });
    return best->at;
}

double largest_entry(const Worksheet& sheet, const sym::Graph& graph, const Grid& K) {
    double largest = 0.0;
    for (std::size_t i = 0; i < K.rows(); ++i) {
        for (std::size_t j = 0; j < K.columns(); ++j) {
            if (!graph.is_zero(K(i, j))) {
                largest = std::max(largest, std::abs(sheet.number(K(i, j))));
            }
        }
    }
    return largest;
}

/// Not above the rounding error of a number of size `scale`, at the state of the worksheet.
bool vanished(const Worksheet& sheet, Expr value, double scale) {
    return !(sheet.number(value) > kVanished * scale);
}

/// The name of an entry at one step: each step writes it anew, and lines need different names.
Label numbered(const Label& name, std::size_t steps, std::size_t step) {
    if (steps == 1) {
        return name;
    }
    const std::string mark = std::to_string(step);
    return {name.text + mark, name.latex + "^{" + mark + "}", name.c + mark};
}

/// L of S: "L_S".
Label letter_of(const std::string& letter, const Label& name) {
    return {letter + "_" + name.text, letter + "^{" + name.latex + "}", letter + "_" + name.c};
}

Error singular(std::string_view what) {
    return {ErrorCode::kNotUnique, fmt::format("{} is singular at the initial state", what)};
}

}  // namespace

Factor::Factor(Grid S, Expr zero)
    : S_(std::move(S)), L_(S_.rows(), S_.rows(), zero), d_(S_.rows(), zero), block_of_(S_.rows()) {}

void Factor::find_blocks(const sym::Graph& graph) {
    const std::size_t n = S_.rows();
    const std::size_t none = n;
    block_of_.assign(n, none);
    for (std::size_t start = 0; start < n; ++start) {
        if (block_of_[start] != none) {
            continue;
        }
        std::vector<std::size_t> members{start};
        block_of_[start] = blocks_.size();
        for (std::size_t k = 0; k < members.size(); ++k) {
            for (std::size_t j = 0; j < n; ++j) {
                if (block_of_[j] == none && !graph.is_zero(S_(members[k], j))) {
                    block_of_[j] = blocks_.size();
                    members.push_back(j);
                }
            }
        }
        std::ranges::sort(members);
        blocks_.push_back(std::move(members));
    }
}

bool Factor::write_determinant(Worksheet& sheet, const Block& block, const Label& name,
                               const Labels& index) {
    sym::Graph& g = sheet.graph();
    const Expr a = S_(block[0], block[0]);
    const Expr b = S_(block[1], block[1]);
    const Expr det = g.sub(g.mul(a, b), g.square(S_(block[0], block[1])));
    if (vanished(sheet, det, sheet.number(a) * sheet.number(b))) {
        return false;
    }
    const Label label{"det_" + name.text, "\\det " + name.latex, "det_" + name.c};
    // A matrix of two is the common case and needs no index.
    d_[block[0]] = d_[block[1]] =
        sheet.define(S_.rows() == 2 ? label : joined(label, index(block[0])), det);
    return true;
}

/// l_ij = (S_ij - sum_p l_ip l_jp d_p) / d_j,   d_i = S_ii - sum_p l_ip^2 d_p
bool Factor::write_LDLt(Worksheet& sheet, const Block& block, const Label& name,
                        const Labels& index) {
    sym::Graph& g = sheet.graph();
    const Label lower = letter_of("L", name);
    const Label pivot = letter_of("D", name);
    const auto remainder = [&](std::size_t i, std::size_t j) {
        std::vector<Expr> terms{S_(i, j)};
        for (std::size_t p = 0; block[p] != j; ++p) {
            const std::size_t e = block[p];
            terms.push_back(g.neg(g.mul(g.mul(L_(i, e), L_(j, e)), d_[e])));
        }
        return sheet.sum(terms);
    };
    for (std::size_t k = 0; k < block.size(); ++k) {
        const std::size_t i = block[k];
        for (std::size_t p = 0; p < k; ++p) {
            const std::size_t j = block[p];
            L_(i, j) =
                sheet.define(joined(lower, index(i), index(j)), g.div(remainder(i, j), d_[j]));
        }
        const Expr d = remainder(i, i);
        if (vanished(sheet, d, sheet.number(S_(i, i)))) {
            return false;
        }
        d_[i] = sheet.define(joined(pivot, index(i)), d);
    }
    return true;
}

Result<Factor> Factor::of(Worksheet& sheet, Grid S, const Label& name, const Labels& index) {
    Factor f(std::move(S), sheet.graph().zero());
    f.find_blocks(sheet.graph());
    for (const Block& block : f.blocks_) {
        const bool regular = block.size() == 1   ? !vanished(sheet, f.diagonal(block[0]), 0.0)
                             : block.size() == 2 ? f.write_determinant(sheet, block, name, index)
                                                 : f.write_LDLt(sheet, block, name, index);
        if (!regular) {
            return singular(name.text);
        }
    }
    return f;
}

std::vector<Expr> Factor::solve(Worksheet& sheet, std::span<const Expr> r, const Label& name,
                                const Labels& index) const {
    return solve(sheet, r, name, index, [&](std::size_t i, Expr value) {
        return sheet.define(joined(name, index(i)), value);
    });
}

std::vector<Expr> Factor::solve(Worksheet& sheet, std::span<const Expr> r, const Label& name,
                                const Labels& index, const Unknowns& x) const {
    return solve(sheet, r, name, index, [&](std::size_t i, Expr value) {
        sheet.assign(x.symbols[i], x.labels[i], value);
        return x.symbols[i];
    });
}

std::vector<Expr> Factor::solve(Worksheet& sheet, std::span<const Expr> r, const Label& name,
                                const Labels& index, const Writer& write) const {
    sym::Graph& g = sheet.graph();
    std::vector<Expr> x(r.size(), g.zero());
    const Label forward = letter_of("y", name);
    for (const std::vector<std::size_t>& block : blocks_) {
        if (block.size() == 1) {
            const std::size_t i = block[0];
            x[i] = write(i, g.div(r[i], S_(i, i)));
            continue;
        }
        if (block.size() == 2) {
            for (std::size_t k = 0; k < 2; ++k) {
                const std::size_t i = block[k];
                const std::size_t j = block[1 - k];
                const Expr terms[] = {g.mul(S_(j, j), r[i]), g.neg(g.mul(S_(i, j), r[j]))};
                x[i] = write(i, g.div(sheet.sum(terms), d_[i]));
            }
            continue;
        }
        std::vector<Expr> y(block.size(), g.zero());
        for (std::size_t k = 0; k < block.size(); ++k) {
            std::vector<Expr> terms{r[block[k]]};
            for (std::size_t p = 0; p < k; ++p) {
                terms.push_back(g.neg(g.mul(L_(block[k], block[p]), y[p])));
            }
            y[k] = sheet.define(joined(forward, index(block[k])), sheet.sum(terms));
        }
        for (std::size_t k = block.size(); k-- > 0;) {
            std::vector<Expr> terms{g.div(y[k], d_[block[k]])};
            for (std::size_t p = k + 1; p < block.size(); ++p) {
                terms.push_back(g.neg(g.mul(L_(block[p], block[k]), x[block[p]])));
            }
            x[block[k]] = write(block[k], sheet.sum(terms));
        }
    }
    return x;
}

Grid with_multipliers(sym::Graph& graph, const Grid& M, const Grid& B) {
    const std::size_t n = M.rows();
    Grid K(n + B.rows(), n + B.rows(), graph.zero());
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            K(i, j) = M(i, j);
        }
        for (std::size_t k = 0; k < B.rows(); ++k) {
            K(i, n + k) = graph.neg(B(k, i));
            K(n + k, i) = B(k, i);
        }
    }
    return K;
}

Result<std::vector<Expr>> solve_regular(Worksheet& sheet, Grid K, std::vector<Expr> r,
                                        const Unknowns& unknowns) {
    sym::Graph& g = sheet.graph();
    const std::size_t n = K.rows();
    const double scale = largest_entry(sheet, g, K);
    std::vector<bool> row_done(n, false);
    std::vector<bool> column_done(n, false);
    std::vector<Position> order;
    while (order.size() < n) {
        const auto pivot = choose_pivot(sheet, g, K, row_done, column_done, scale, Ties::kFirst);
        if (!pivot) {
            return singular("[M, -A^T; A, 0]");
        }
        const auto [p, q] = *pivot;
        row_done[p] = column_done[q] = true;
        order.push_back(*pivot);
        const std::string step = std::to_string(order.size());
        const auto of_step = [&](const std::string& letter) {
            return Label{letter + step, letter + "^{(" + step + ")}", letter + step};
        };
        for (std::size_t i = 0; i < n; ++i) {
            if (row_done[i] || g.is_zero(K(i, q))) {
                continue;
            }
            const Label at = std::to_string(i + 1);
            const Expr f = sheet.define(joined(of_step("f"), at), g.div(K(i, q), K(p, q)));
            for (std::size_t j = 0; j < n; ++j) {
                if (!column_done[j] && !g.is_zero(K(p, j))) {
                    K(i, j) = sheet.define(joined(of_step("k"), at, std::to_string(j + 1)),
                                           g.sub(K(i, j), g.mul(f, K(p, j))));
                }
            }
            if (!g.is_zero(r[p])) {
                r[i] = sheet.define(joined(of_step("r"), at), g.sub(r[i], g.mul(f, r[p])));
            }
        }
    }
    std::vector<Expr> x(n, g.zero());
    for (auto pivot = order.rbegin(); pivot != order.rend(); ++pivot) {
        const auto [p, q] = *pivot;
        std::vector<Expr> terms{r[p]};
        for (auto later = order.rbegin(); later != pivot; ++later) {
            terms.push_back(g.neg(g.mul(K(p, later->column), x[later->column])));
        }
        x[q] =
            sheet.define(unknowns.symbols[q], unknowns.labels[q], g.div(sheet.sum(terms), K(p, q)));
    }
    return x;
}

std::vector<Expr> Reduced::carry(Worksheet& sheet, std::vector<Expr> b, const Label& name,
                                 const Labels& row) const {
    sym::Graph& g = sheet.graph();
    for (std::size_t step = 0; step < operations.size(); ++step) {
        const auto& [p, divisor, factors] = operations[step];
        const Label label = numbered(name, operations.size(), step + 1);
        b[p] =
            sheet.define(joined(label, row(p)), collect(g, g.div(b[p], divisor)), Inline::kProduct);
        for (std::size_t i = 0; i < b.size(); ++i) {
            if (!g.is_zero(factors[i]) && !g.is_zero(b[p])) {
                b[i] = sheet.define(joined(label, row(i)), g.sub(b[i], g.mul(factors[i], b[p])),
                                    Inline::kProduct);
            }
        }
    }
    return b;
}

Result<Reduced> reduce_rows(Worksheet& sheet, Grid A, const std::vector<bool>& allowed,
                            const Label& name, const Labels& row, const Labels& column) {
    sym::Graph& g = sheet.graph();
    const double scale = largest_entry(sheet, g, A);
    std::vector<bool> row_done(A.rows(), false);
    std::vector<bool> column_done = allowed;  // no pivots in columns that are not allowed
    column_done.flip();
    std::vector<bool> solved(A.columns(), false);
    std::vector<std::size_t> pivots(A.rows(), 0);
    std::vector<Reduced::RowOperation> operations;
    for (std::size_t step = 1; step <= A.rows(); ++step) {
        const auto pivot = choose_pivot(sheet, g, A, row_done, column_done, scale, Ties::kLast);
        if (!pivot) {
            return singular("A");
        }
        const auto [p, q] = *pivot;
        row_done[p] = column_done[q] = solved[q] = true;
        pivots[p] = q;
        operations.push_back({p, A(p, q), std::vector<Expr>(A.rows(), g.zero())});
        const Label entry = numbered(name, A.rows(), step);
        for (std::size_t j = 0; j < A.columns(); ++j) {
            if (!solved[j]) {
                A(p, j) = sheet.define(joined(entry, row(p), column(j)),
                                       collect(g, g.div(A(p, j), operations.back().divisor)),
                                       Inline::kProduct);
            }
        }
        A(p, q) = g.one();
        for (std::size_t i = 0; i < A.rows(); ++i) {
            const Expr f = A(i, q);
            if (i == p || g.is_zero(f)) {
                continue;
            }
            operations.back().factors[i] = f;
            A(i, q) = g.zero();
            for (std::size_t j = 0; j < A.columns(); ++j) {
                if (!solved[j] && !g.is_zero(A(p, j))) {
                    A(i, j) = sheet.define(joined(entry, row(i), column(j)),
                                           g.sub(A(i, j), g.mul(f, A(p, j))), Inline::kProduct);
                }
            }
        }
    }
    return Reduced{std::move(A), std::move(pivots), std::move(operations)};
}

}  // namespace ananke::typeset
