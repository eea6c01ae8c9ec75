// The equations of a model for a reader: text, LaTeX, or a C file that compiles alone.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mech/equations.h"
#include "typeset/closed_form.h"

namespace ananke::typeset {

struct ReportOptions {
    std::vector<double> parameters;       ///< values, in the order of the model
    std::vector<int> rows;                ///< that the closed form uses
    std::vector<std::string> notes;       ///< sentences for the head of the report
    bool full = false;                    ///< false: long lists are cut, with a note
    std::vector<std::string> facts = {};  ///< lines for the head of the report
};

/// The language's notation, one quantity per line. Entries that are zero are not listed.
std::string derive_text(const Model& model, const Equations& equations, const ClosedForm& form,
                        const ReportOptions& options);

/// A fragment for a document that loads amsmath.
std::string derive_latex(const Model& model, const Equations& equations, const ClosedForm& form,
                         const ReportOptions& options);

/// One C99 file with ananke_equations() (M, Q, A, b), ananke_nonideal() where C is not zero, and
/// ananke_acceleration(), which follows the lines of the closed form, or, where these are more than
/// `kLongestProgram`, solves the equations with multipliers by elimination.
std::string derive_c(const Model& model, const Equations& equations, const ClosedForm& form,
                     const ReportOptions& options);
constexpr std::size_t kLongestProgram = 3000;

}  // namespace ananke::typeset
