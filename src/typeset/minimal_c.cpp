// The minimal equations as a C function: the right side of an ordinary differential equation in
// (q, u).
#include <fmt/format.h>

#include "base/ranges.h"
#include "typeset/c_writer.h"
#include "typeset/minimal.h"

namespace ananke::typeset {
namespace {

std::string heading(const Model& model, const Equations& equations, const MinimalForm& form,
                    const ReportOptions& options) {
    std::string out = fmt::format(
        "/* {}\n *\n * Minimal equations of motion{}: (q_dot, u_dot) as a function of (t, q, u).\n"
        " *\n",
        comment_text(model.title.empty() ? "Minimal equations" : model.title),
        form.evidence.empty() ? "" : " with constraint forces in evidence");
    for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
        out += fmt::format(" * q[{}], q_dot[{}], a[{}]: {}\n", i, i, i,
                           comment_text(model.coordinates[i].name));
    }
    for (std::size_t j = 0; j < form.inputs.size(); ++j) {
        out += fmt::format(" * u[{}], u_dot[{}]: {}\n", j, j,
                           comment_text(form.variables[form.inputs[j]].name));
    }
    out += parameter_lines(model, options.parameters);
    for (std::size_t e = 0; e < form.evidence.size(); ++e) {
        out += fmt::format(" * lambda[{}]: {}\n", e,
                           comment_text(equations.rows[form.evidence[e]].name));
    }
    out += " *\n * Link with -lm.\n";
    for (const std::vector<std::string>* lines : {&options.facts, &options.notes}) {
        for (const std::string& line : *lines) {
            out += fmt::format(" * {}\n", comment_text(line));
        }
    }
    return out + " */\n#include <math.h>\n";
}

}  // namespace

std::string minimal_c(const Model& model, const Equations& equations, const MinimalForm& form,
                      const ReportOptions& options) {
    const std::size_t n = model.coordinates.size();
    std::vector<Input> inputs = coordinate_inputs(model);
    std::vector<Statement> results;
    for (std::size_t i = 0; i < n; ++i) {
        results.push_back({fmt::format("q_dot[{}]", i), model.coordinates[i].v});
    }
    for (std::size_t j = 0; j < form.inputs.size(); ++j) {
        const MotionVariable& u = form.variables[form.inputs[j]];
        inputs.push_back({u.symbol, fmt::format("u[{}]", j)});
        results.push_back({fmt::format("u_dot[{}]", j), form.rates[form.inputs[j]]});
    }
    const std::vector<Input> parameters = parameter_inputs(model);
    append(inputs, parameters);
    append_statements(results, "a", form.lines.a);
    for (std::size_t e = 0; e < form.evidence.size(); ++e) {
        results.push_back({fmt::format("lambda[{}]", e), form.lines.lambda[form.evidence[e]]});
    }
    std::string out = heading(model, equations, form, options);
    out += fmt::format(
        "\n/* Returns 0, or 1 when the answer is not finite. */\n"
        "int ananke_minimal(double t, {}, {}, {},\n                   {}, {},\n"
        "                   {}, {}) {{\n",
        c_array("const double", "q", n), c_array("const double", "u", form.inputs.size()),
        c_array("const double", "p", model.parameters.size()), c_array("double", "q_dot", n),
        c_array("double", "u_dot", form.inputs.size()), c_array("double", "a", n),
        c_array("double", "lambda", form.evidence.size()));
    out +=
        "    (void)t;\n    (void)q;\n    (void)u;\n    (void)p;\n    (void)u_dot;\n    "
        "(void)lambda;\n";
    out += c_body(model, inputs, c_program(model, form.lines, results), form.lines.labels);
    out += fmt::format(
        "    for (int i = 0; i < {}; ++i) {{\n"
        "        if (!isfinite(q_dot[i]) || !isfinite(a[i])) {{\n"
        "            return 1;\n        }}\n    }}\n    return 0;\n}}\n",
        n);
    return out;
}

}  // namespace ananke::typeset
