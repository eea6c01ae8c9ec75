// Formulas written down line by line, each with a name, as on paper.
//
// A worksheet never expands a product nor inverts a matrix in one expression: every quantity that
// is worth a name (Q[x], a0[x], lambda[rod]) gets a symbol, and later lines are written over these
// symbols. So the lines stay short, they form a straight-line program, and putting the values back
// in (written_out) gives the closed formula over q, v, t.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "mech/model.h"
#include "sym/evaluate.h"
#include "sym/graph.h"

namespace ananke::typeset {

using mech::Model, mech::Vec3;
using sym::Expr;

/// The name of a quantity in the three notations: "a0[x1]", "a^{0}_{x_{1}}", "a0_x1".
struct Label {
    std::string text, latex, c;

    Label() = default;
    Label(std::string in_text, std::string in_latex, std::string in_c)
        : text(std::move(in_text)), latex(std::move(in_latex)), c(std::move(in_c)) {}
    Label(const std::string& in_all) : Label(in_all, in_all, in_all) {}
    Label(const char* in_all) : Label(std::string(in_all)) {}
    explicit Label(const sym::Symbol& s);
};
/// "A[x,y]" of the name A and the indices x and y.
Label joined(const Label& name, const Label& i);
Label joined(const Label& name, const Label& i, const Label& j);
/// "x,rod": two indices as one.
Label paired(const Label& i, const Label& j);

/// left = right. A definition's left side is the symbol that later lines use; a relation only shows
/// an equation (a row of A a = b).
struct Line {
    Expr left, right;
    bool definition = true;
    bool used = true;  ///< false: short enough that later lines contain `right` itself
    std::optional<Vec3> vector = std::nullopt;  ///< shown instead of `right`
};

/// Lines under one heading.
struct Stage {
    std::string title;    ///< "Unconstrained acceleration"
    std::string formula;  ///< "a0 = M^-1 Q"
    std::string latex;    ///< the same in LaTeX
    std::string source;   ///< equation tags of the papers
    std::vector<Line> lines;
};

/// A dense matrix of expressions, row-major, zero where nothing was put.
class Grid {
  public:
    Grid(std::size_t rows, std::size_t columns, Expr zero)
        : rows_(rows), columns_(columns), entries_(rows * columns, zero) {}
    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }
    Expr& operator()(std::size_t i, std::size_t j) { return entries_[i * columns_ + j]; }
    Expr operator()(std::size_t i, std::size_t j) const { return entries_[i * columns_ + j]; }
    std::vector<Expr> row(std::size_t i) const {
        const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(i * columns_);
        return {begin, begin + static_cast<std::ptrdiff_t>(columns_)};
    }
    std::vector<Expr> column(std::size_t j) const {
        std::vector<Expr> result(rows_);
        for (std::size_t i = 0; i < rows_; ++i) {
            result[i] = (*this)(i, j);
        }
        return result;
    }

  private:
    std::size_t rows_, columns_;
    std::vector<Expr> entries_;
};

/// Which values are short enough to stand in later lines themselves, without a name.
enum class Inline : std::uint8_t {
    kLeaf,     ///< a number, a symbol, or one of them negated
    kShort,    ///< at most two leaves: m*g, 2*x
    kProduct,  ///< a product or quotient of few leaves: a^2*x'/z', u*sin(th)
};

class Worksheet {
  public:
    /// Terms that the lines may have together, as nodes of the graph: written in a few seconds and
    /// 200 MB. An elimination that fills in takes n^3/3 of them.
    static constexpr std::size_t kMostTerms = 500'000;

    /// `at`: values of all symbols at a state, by which pivots are judged.
    Worksheet(sym::Graph& graph, sym::Values<double> at)
        : graph_(graph), most_nodes_(graph.size() + kMostTerms), at_(std::move(at)) {}

    /// More than kMostTerms: no line is written any more, and whatever they define is zero.
    bool is_full() const { return graph_.size() > most_nodes_; }

    sym::Graph& graph() { return graph_; }
    void begin(std::string title, std::string formula = "", std::string latex = "",
               std::string source = "") {
        stages_.push_back(
            {std::move(title), std::move(formula), std::move(latex), std::move(source), {}});
    }

    /// Writes label = value and returns what stands for it in later lines. Zeros are not written.
    Expr define(const Label& label, Expr value, Inline limit = Inline::kLeaf);
    /// The same with a symbol that exists already, always used by later lines unless it is a leaf.
    Expr define(Expr symbol, const Label& label, Expr value);
    /// The same for a symbol that formulas contain already: they refer to this line from here on,
    /// whatever the value, and its value at the state is now that of the line.
    void assign(Expr symbol, const Label& label, Expr value);
    /// Writes label = (x, y, z) for the reader alone, zero vectors too.
    void show(const Label& label, const Vec3& value);
    /// Writes label = value for the reader alone. Zeros are not written.
    void show(const Label& label, Expr value);
    void relate(Expr left, Expr right);
    /// The symbol of a name. No name of the language starts with @.
    Expr symbol(const Label& label) {
        return graph_.symbol(sym::SymbolKind::kParameter, "@" + label.text);
    }
    void name(Expr symbol, const Label& label) { labels_[symbol] = label; }

    double number(Expr e) const { return sym::evaluate<double>(graph_, e, at_); }

    /// e with the names of all lines so far replaced by their values.
    Expr written_out(Expr e);
    /// Values of all symbols: the state, and the lines written so far.
    const sym::Values<double>& values() const { return at_; }

    /// a1 + a2 + ..., with a numeric factor that all terms share taken out.
    Expr sum(std::span<const Expr> terms);
    /// row . column, skipping zeros.
    Expr dot(std::span<const Expr> a, std::span<const Expr> b);
    /// start + a . b and start - a . b, as one sum.
    Expr plus_dot(Expr start, std::span<const Expr> a, std::span<const Expr> b);
    Expr minus_dot(Expr start, std::span<const Expr> a, std::span<const Expr> b);

    const std::vector<Stage>& stages() const { return stages_; }
    std::vector<Stage> take_stages() { return std::move(stages_); }
    std::unordered_map<Expr, Label> take_labels() { return std::move(labels_); }

  private:
    bool fits(Expr e, Inline limit) const;
    Expr write(Expr symbol, const Label& label, Expr value, bool short_enough);
    template <class Sign>
    Expr products(Expr start, std::span<const Expr> a, std::span<const Expr> b, Sign sign);

    sym::Graph& graph_;
    std::size_t most_nodes_;
    sym::Values<double> at_;
    std::vector<Stage> stages_;
    std::unordered_map<Expr, Label> labels_;
};

/// The error of a full worksheet.
Error too_long();

/// The roots with all names of the stages replaced by their values: formulas over q, v, t.
std::vector<Expr> written_out(sym::Graph& graph, std::span<const Stage> stages,
                              std::span<const Expr> roots);

}  // namespace ananke::typeset
