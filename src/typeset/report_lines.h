// What text and LaTeX reports share: stages with their shared parts named, in reading order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sym/print.h"
#include "typeset/closed_form.h"
#include "typeset/derive_report.h"

namespace ananke::typeset {

/// left = right, both printed.
struct PrintedLine {
    std::string left, right;
    bool used = true;  ///< later lines refer to `left`
};

struct PrintedStage {
    const Stage* stage;
    std::vector<PrintedLine> parts;  ///< shared parts that this stage is the first to need
    std::vector<PrintedLine> lines;
    std::size_t cut = 0;  ///< lines left out
};

/// All stages of the form. Reports of more than 200 lines are cut to a few lines per stage unless
/// `full`.
std::vector<PrintedStage> print_stages(const Model& model, const ClosedForm& form,
                                       sym::Notation notation, bool full);

/// Printed entries, row by row; "0" where the equations have none.
using Cells = std::vector<std::vector<std::string>>;
Cells mass_cells(const Equations& equations, const sym::Printer& printer);
Cells constraint_cells(const Equations& equations, const sym::Printer& printer);

/// A vector as a person would write it: "velocity(P)", "(x, 0, 2*y)".
std::string vector_text(const Model& model, const Vec3& vector, sym::Notation notation);

/// "perpendicular pushes P1 along velocity(P2)": one line per point or body a row acts on. Rows
/// without any are left out.
std::vector<PrintedLine> print_directions(const Model& model, const Equations& equations,
                                          sym::Notation notation);

}  // namespace ananke::typeset
