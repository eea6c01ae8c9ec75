#include "api/page_equations.h"

#include <fmt/format.h>

#include "api/judgement.h"
#include "report/equations.h"
#include "typeset/closed_form.h"
#include "typeset/minimal.h"

namespace ananke {
namespace {

/// Nobody reads the minimal equations of more, and they take long.
constexpr std::size_t kMostCoordinates = 20;
/// Nor any equations of so many.
constexpr std::size_t kMostGiven = 300;

void add_note(std::vector<report::EquationBlock>& blocks, const std::string& note) {
    if (!blocks.empty()) {
        std::string& text = blocks.front().note;
        text += (text.empty() ? "" : " ") + note;
    }
}

}  // namespace

std::vector<report::EquationBlock> page_equations(const compile::Prepared& prepared) {
    if (prepared.model.coordinates.size() > kMostGiven) {
        report::EquationBlock block;
        block.title = "Equations of motion";
        block.note = fmt::format(
            "The equations of {} coordinates are too long for a page: see ananke derive.",
            prepared.model.coordinates.size());
        return {block};
    }
    const Judgement judgement = judge(prepared);
    std::vector<std::string> frictions;
    const mech::Equations equations = without_frictions(prepared, frictions);
    // New expressions go into a graph of their own.
    mech::Model own = prepared.model;
    const typeset::ClosedForm given = typeset::given_equations(own, equations, judgement.at);
    std::vector<report::EquationBlock> blocks = report::given_blocks(own, equations, given);
    if (!frictions.empty()) {
        add_note(blocks, "Friction is left out of these equations; the run has it.");
    }
    if (judgement.failure || !equations.controls.empty() ||
        depend_on_reactions(prepared.model.graph, equations)) {
        return blocks;
    }
    if (prepared.model.coordinates.size() > kMostCoordinates) {
        add_note(blocks, "The minimal equations are long: see ananke derive --minimal.");
        return blocks;
    }
    const Result<typeset::MinimalForm> form =
        typeset::minimal_form(own, equations, {judgement.rows, {}, {}}, judgement.at);
    if (form) {
        for (report::EquationBlock& block : report::minimal_blocks(own, form.value())) {
            blocks.push_back(std::move(block));
        }
    }
    return blocks;
}

}  // namespace ananke
