#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/ranges.h"
#include "typeset/c_writer.h"
#include "typeset/derive_report.h"

namespace ananke::typeset {
namespace {

std::vector<Input> all_inputs(const Model& model) {
    std::vector<Input> result = coordinate_inputs(model);
    for (const std::vector<Input>& more : {velocity_inputs(model), parameter_inputs(model)}) {
        append(result, more);
    }
    return result;
}

std::string body(const Model& model, const std::vector<Statement>& statements,
                 const std::unordered_map<Expr, Label>& labels) {
    return c_body(model, all_inputs(model), statements, labels);
}

std::string heading(const Model& model, const Equations& equations, const ReportOptions& options) {
    std::string out =
        fmt::format("/* {}\n *\n *   M a = Q + A^T lambda, A a = b\n *\n",
                    comment_text(model.title.empty() ? "Equations of motion" : model.title));
    for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
        out += fmt::format(" * q[{}], v[{}], a[{}]: {}\n", i, i, i,
                           comment_text(model.coordinates[i].name));
    }
    out += parameter_lines(model, options.parameters);
    for (std::size_t k = 0; k < equations.rows.size(); ++k) {
        out += fmt::format(" * lambda[{}], A row {}: {}\n", k, k,
                           comment_text(equations.rows[k].name));
    }
    out += " *\n * Matrices are row-major. Link with -lm.\n";
    for (const std::string& note : options.notes) {
        out += fmt::format(" * {}\n", comment_text(note));
    }
    return out + " */\n#include <math.h>\n";
}

std::string inputs(const Model& model) {
    const std::size_t n = model.coordinates.size();
    return fmt::format("double t, {}, {}, {}", c_array("const double", "q", n),
                       c_array("const double", "v", n),
                       c_array("const double", "p", model.parameters.size()));
}

constexpr std::string_view kInputsUsed = "    (void)t;\n    (void)q;\n    (void)v;\n    (void)p;\n";

std::string equations_function(const Model& model, const Equations& equations) {
    const std::size_t n = equations.n;
    const std::size_t m = equations.rows.size();
    std::vector<Statement> statements;
    for (const MassEntry& entry : equations.M) {
        const std::size_t i = entry.row;
        const std::size_t j = entry.column;
        const std::string target = fmt::format("M[{}]", i * n + j);
        statements.push_back(
            {i == j ? target : fmt::format("M[{}] = {}", j * n + i, target), entry.value});
    }
    append_statements(statements, "Q", equations.Q);
    for (std::size_t k = 0; k < m; ++k) {
        for (const Entry& entry : equations.rows[k].A) {
            const std::size_t at = k * n + entry.column;
            statements.push_back({fmt::format("A[{}]", at), entry.value});
        }
        statements.push_back({fmt::format("b[{}]", k), equations.rows[k].b});
    }
    std::string out = fmt::format("\nvoid ananke_equations({},\n", inputs(model));
    out += fmt::format("                      {}, {}, {}, {}) {{\n", c_array("double", "M", n * n),
                       c_array("double", "Q", n), c_array("double", "A", m * n),
                       c_array("double", "b", m));
    out += kInputsUsed;
    out += "    (void)A;\n    (void)b;\n";
    out += fmt::format("    for (int i = 0; i < {}; ++i) {{\n        M[i] = 0.0;\n    }}\n", n * n);
    if (m > 0) {
        out += fmt::format("    for (int i = 0; i < {}; ++i) {{\n        A[i] = 0.0;\n    }}\n",
                           m * n);
    }
    return out + body(model, statements, {}) + "}\n";
}

std::string nonideal_function(const Model& model, const Equations& equations) {
    std::vector<Statement> statements;
    append_statements(statements, "C", equations.C);
    return fmt::format(
        "\n/* Non-ideal part: M a = Q + C + A^T lambda. */\n"
        "void ananke_nonideal({}, {}) {{\n{}{}}}\n",
        inputs(model), c_array("double", "C", equations.C.size()), kInputsUsed,
        body(model, statements, {}));
}

/// The lines of the closed form that a and lambda depend on.
std::vector<Statement> program_of(const Model& model, const ClosedForm& form) {
    std::vector<Statement> results;
    append_statements(results, "a", form.a);
    append_statements(results, "lambda", form.lambda);
    return c_program(model, form, results);
}

std::string acceleration_head(const Model& model, const Equations& equations) {
    return fmt::format("int ananke_acceleration({},\n                        {}, {}) {{\n",
                       inputs(model), c_array("double", "a", model.coordinates.size()),
                       c_array("double", "lambda", equations.rows.size()));
}

std::string closed_acceleration(const Model& model, const Equations& equations,
                                const ClosedForm& form) {
    std::string out = fmt::format(
        "\n/* The closed form \"{}\". Returns 0, or 1 when the answer is not finite. */\n",
        written_form_name(form.form));
    out += acceleration_head(model, equations);
    out += kInputsUsed;
    out += "    (void)lambda;\n";
    out += body(model, program_of(model, form), form.labels);
    out += fmt::format(
        "    for (int i = 0; i < {}; ++i) {{\n"
        "        if (!isfinite(a[i])) {{\n            return 1;\n        }}\n    }}\n"
        "    return 0;\n}}\n",
        model.coordinates.size());
    return out;
}

/// [M -A^T; A 0] [a; lambda] = [Q + C; b] over the independent rows, by elimination with row
/// exchanges.
constexpr std::string_view kElimination =
    R"(    double *K = malloc(sizeof(double) * (size_t)(kSize * (kSize + 1) + kN * kN + kM * kN + 2 * kN + kM));
    if (K == NULL) {
        return 2;
    }
    double *M = K + kSize * (kSize + 1);
    double *A = M + kN * kN;
    double *Q = A + kM * kN;
    double *C = Q + kN;
    double *b = C + kN;
    ananke_equations(t, q, v, p, M, Q, A, b);
    NONIDEAL
    for (int i = 0; i < kSize * (kSize + 1); ++i) {
        K[i] = 0.0;
    }
    for (int i = 0; i < kN; ++i) {
        for (int j = 0; j < kN; ++j) {
            K[i * (kSize + 1) + j] = M[i * kN + j];
        }
        for (int k = 0; k < kKept; ++k) {
            K[i * (kSize + 1) + kN + k] = -A[kRow[k] * kN + i];
            K[(kN + k) * (kSize + 1) + i] = A[kRow[k] * kN + i];
        }
        K[i * (kSize + 1) + kSize] = Q[i] + C[i];
    }
    for (int k = 0; k < kKept; ++k) {
        K[(kN + k) * (kSize + 1) + kSize] = b[kRow[k]];
    }
    for (int c = 0; c < kSize; ++c) {
        int best = c;
        for (int i = c + 1; i < kSize; ++i) {
            if (fabs(K[i * (kSize + 1) + c]) > fabs(K[best * (kSize + 1) + c])) {
                best = i;
            }
        }
        if (!(fabs(K[best * (kSize + 1) + c]) > 0.0)) {
            free(K);
            return 1;
        }
        for (int j = c; j <= kSize; ++j) {
            const double swap = K[c * (kSize + 1) + j];
            K[c * (kSize + 1) + j] = K[best * (kSize + 1) + j];
            K[best * (kSize + 1) + j] = swap;
        }
        for (int i = c + 1; i < kSize; ++i) {
            const double factor = K[i * (kSize + 1) + c] / K[c * (kSize + 1) + c];
            for (int j = c; j <= kSize && factor != 0.0; ++j) {
                K[i * (kSize + 1) + j] -= factor * K[c * (kSize + 1) + j];
            }
        }
    }
    for (int c = kSize - 1; c >= 0; --c) {
        double x = K[c * (kSize + 1) + kSize];
        for (int j = c + 1; j < kSize; ++j) {
            x -= K[c * (kSize + 1) + j] * K[j * (kSize + 1) + kSize];
        }
        K[c * (kSize + 1) + kSize] = x / K[c * (kSize + 1) + c];
    }
    for (int i = 0; i < kN; ++i) {
        a[i] = K[i * (kSize + 1) + kSize];
    }
    for (int k = 0; k < kM; ++k) {
        lambda[k] = 0.0;
    }
    for (int k = 0; k < kKept; ++k) {
        lambda[kRow[k]] = K[(kN + k) * (kSize + 1) + kSize];
    }
    free(K);
    return 0;
}
)";

std::string eliminated_acceleration(const Model& model, const Equations& equations,
                                    const std::vector<int>& rows) {
    std::string list;
    for (const int row : rows) {
        list += fmt::format("{}, ", row);
    }
    std::string out =
        "\n/* The closed form is too long to be useful: elimination. Returns 0, or 1 when the\n"
        " * equations are singular, or 2 without memory. */\n";
    out += fmt::format("enum {{ kN = {}, kM = {}, kKept = {}, kSize = kN + kKept }};\n",
                       model.coordinates.size(), equations.rows.size(), rows.size());
    out += fmt::format("static const int kRow[] = {{{}-1}};\n\n", list);
    out += acceleration_head(model, equations);
    std::string elimination(kElimination);
    const std::string_view mark = "NONIDEAL";
    elimination.replace(elimination.find(mark), mark.size(),
                        equations.has_nonideal
                            ? "ananke_nonideal(t, q, v, p, C);"
                            : "for (int i = 0; i < kN; ++i) {\n        C[i] = 0.0;\n    }");
    return out + elimination;
}

}  // namespace

std::string derive_c(const Model& model, const Equations& equations, const ClosedForm& form,
                     const ReportOptions& options) {
    const bool closed = form.line_count() <= kLongestProgram;
    std::string out = heading(model, equations, options);
    if (!closed) {
        out += "#include <stdlib.h>\n";
    }
    out += equations_function(model, equations);
    if (equations.has_nonideal) {
        out += nonideal_function(model, equations);
    }
    if (form.a.empty()) {
        return out;
    }
    return out + (closed ? closed_acceleration(model, equations, form)
                         : eliminated_acceleration(model, equations, options.rows));
}

}  // namespace ananke::typeset
