// Writes one form of the acceleration on a worksheet: the given equations, then the form on top.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mech/equations.h"
#include "sym/print.h"
#include "typeset/closed_form.h"
#include "typeset/elimination.h"

namespace ananke::typeset {

using Exprs = std::vector<Expr>;

/// One derivation: the given equations, then one form on top of them.
class FormWriter {
  public:
    /// `rows`: those that the form uses.
    FormWriter(Model& model, const Equations& equations, std::span<const int> rows,
               sym::Values<double> at);

    void write_given();
    std::optional<Error> write(WrittenForm form);
    ClosedForm finish(WrittenForm form);
    /// The worksheet reached its limit: the last lines are missing.
    bool is_full() const { return sheet_.is_full(); }

  protected:
    /// Applied to an expression before it is written.
    using Rewriting = std::function<Expr(Expr)>;
    void write_mass_and_forces(const Rewriting& of);
    /// Whether S has a factor at the state. Writes no line.
    Result<void> try_factor(const Grid& S, const Label& name, const Labels& index) const;
    /// x of K x = r, under a heading of its own.
    Result<Exprs> eliminate(const Grid& K, const Exprs& r, const Unknowns& unknowns);

  private:
    std::optional<Error> fundamental();
    void show_B();
    std::optional<Error> phohomsiri();
    std::optional<Error> auxiliary(WrittenForm form);
    std::optional<Error> multipliers();

    /// The names that differ between the actual and an auxiliary system.
    struct CoreNames {
        std::string title;  ///< of a0
        Label M, Q, a0, multiplier;
        std::string mass, mass_latex;  ///< M in headings
        std::string source;            ///< of a0
    };
    /// Result of the fundamental equation.
    struct Core {
        Exprs a;   ///< n, not yet written
        Exprs mu;  ///< m, W^-1 (b - A a0 - A M^-1 C)
    };
    Result<Core> core(const Grid& M, const Exprs& Q, const CoreNames& names);
    Exprs write_violation(const Exprs& a0, const Exprs& c, const CoreNames& names);
    Grid write_unit_responses(const Factor& mass, const CoreNames& names);
    Grid write_compliance(const Factor& mass, const Grid& Y, const CoreNames& names);
    Expr compliance(const Factor& mass, const Grid& Y, std::size_t k, std::size_t l);

    /// alpha, G and z of the auxiliary forms.
    struct Gauge {
        Expr alpha2;
        std::optional<Grid> G;  ///< m x m; absent: identity
        Exprs z;                ///< m
        bool z_given = false;   ///< else z = alpha^2 b
    };
    /// X of an auxiliary system: A+ (US10) or A^T G (UW13).
    enum class Weight : std::uint8_t { kInverse, kTranspose };
    Gauge write_gauge(Weight weight);
    Result<Grid> write_weighted_rows(const Gauge& gauge, Weight weight);
    void write_actual_multipliers(const Gauge& gauge, const Exprs& mu, Weight weight);

    /// A A^T, written once.
    Result<Factor> factor_AAt();
    /// Row i of A+ = A^T (A A^T)^-1.
    Exprs write_A_plus(const Factor& AAt, std::size_t i);
    void write_acceleration(const Exprs& a, std::string formula, std::string latex,
                            std::string source);
    std::optional<Error> write_multipliers_from_force(const Exprs& a);
    void write_force();

  protected:
    Label coordinate(std::size_t i) const {
        return Label(g_.symbol_record(model_.coordinates[i].q));
    }
    Label acceleration(std::size_t i) const {
        return Label(g_.symbol_record(model_.coordinates[i].a));
    }
    Label row(std::size_t k) const { return row_label(rows_[k]); }
    Label row_label(std::size_t k) const {
        return Label({sym::SymbolKind::kParameter, equations_.rows[k].name});
    }
    Labels coordinates() const {
        return [this](std::size_t i) { return coordinate(i); };
    }
    Labels row_labels() const {
        return [this](std::size_t k) { return row(k); };
    }
    Label lambda_label(std::size_t k) const { return joined(kLambda, row(k)); }
    Expr lambda_symbol(std::size_t k) { return sheet_.symbol(lambda_label(k)); }
    Expr add(Expr a, Expr b) { return g_.add(a, b); }
    inline static const Label kLambda{"lambda", "\\lambda", "lambda"};
    std::string with_C(std::string_view before, std::string_view part) const {
        return std::string(before) + (equations_.has_nonideal ? std::string(part) : "");
    }

    Model& model_;
    const Equations& equations_;
    sym::Graph& g_;
    Worksheet sheet_;
    std::size_t n_, m_;
    std::vector<int> rows_;
    Grid M_, A_;
    Exprs Q_, C_, b_, a_, lambda_, Qc_;
    std::optional<Factor> AAt_;
    std::vector<Stage> given_;
};

}  // namespace ananke::typeset
