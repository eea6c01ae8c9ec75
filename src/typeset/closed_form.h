// The constrained acceleration as formulas, one worksheet per form of THEORY section 2.
//
// The forms are those of solve/forms.h, here over expressions; the minimal equations have a file of
// their own, typeset/minimal.h. Dependent rows are left out (which
// ones is a numeric question, answered by the caller), so that every matrix to be inverted is
// regular: with independent rows B+ = B^T (B B^T)^-1, and no square root of M is needed, US10 (56).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "mech/equations.h"
#include "typeset/worksheet.h"

namespace ananke::typeset {

using mech::Coordinate, mech::Entry, mech::Equations, mech::MassEntry, mech::Row;

enum class WrittenForm : std::uint8_t {
    kFundamental,  ///< UK02 (6), (32); M > 0
    kPhohomsiri,   ///< UW13 (2.9)
    kSchutte,      ///< US10 (49)
    kWanichanon,   ///< UW13 (3.18), Table 1
    kMultipliers,  ///< Lagrange's equations with multipliers
};

inline constexpr std::array kWrittenForms{WrittenForm::kFundamental, WrittenForm::kPhohomsiri,
                                          WrittenForm::kSchutte, WrittenForm::kWanichanon,
                                          WrittenForm::kMultipliers};
/// fundamental, phohomsiri, schutte, wanichanon, multipliers.
std::string_view written_form_name(WrittenForm form);
std::optional<WrittenForm> parse_written_form(std::string_view name);

struct ClosedForm {
    WrittenForm form = WrittenForm::kFundamental;
    std::vector<Stage> given;   ///< M, Q, C, A, b
    std::vector<Stage> stages;  ///< how the acceleration follows from them
    std::unordered_map<Expr, Label> labels;
    // Expressions after all stages; lambda is zero for rows that were left out.
    std::vector<Expr> a;       ///< n
    std::vector<Expr> lambda;  ///< m, Qc = C + A^T lambda
    std::vector<Expr> Qc;      ///< n

    std::size_t line_count() const;
};

/// M, Q, C, A, b alone, for a model whose acceleration is not determined.
ClosedForm given_equations(Model& model, const Equations& equations, sym::Values<double> at);

/// `rows`: the independent ones. `at`: a value for every symbol (parameters, q, v, t), at which
/// pivots are chosen and mass matrices judged. Adds expressions to the model's graph.
/// Fails with kNotApplicable (fundamental where M is singular) or kNotUnique.
Result<ClosedForm> closed_form(Model& model, const Equations& equations, WrittenForm form,
                               std::span<const int> rows, const sym::Values<double>& at);

/// Accelerations (or other roots of the closed form) over q, v, t and parameters alone.
std::vector<Expr> written_out(sym::Graph& graph, const ClosedForm& form,
                              std::span<const Expr> roots);

}  // namespace ananke::typeset
