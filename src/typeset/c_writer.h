// C functions from lines of a worksheet.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mech/model.h"
#include "typeset/closed_form.h"

namespace ananke::typeset {

/// target = value; a declaration when the target is a symbol that later statements use.
struct Statement {
    std::string target;
    Expr value;
    std::optional<Expr> symbol = std::nullopt;
};
/// array[0] = values[0] and so on.
void append_statements(std::vector<Statement>& statements, std::string_view array,
                       std::span<const Expr> values);

/// A symbol and the argument that holds its value: "q[0]".
struct Input {
    Expr symbol;
    std::string from;
};

/// q[i], v[i] and p[i] of a model.
std::vector<Input> coordinate_inputs(const Model& model);
std::vector<Input> velocity_inputs(const Model& model);
std::vector<Input> parameter_inputs(const Model& model);

/// The body of one function: inputs first, then the statements, each after the shared parts it
/// uses.
std::string c_body(const Model& model, const std::vector<Input>& inputs,
                   const std::vector<Statement>& statements,
                   const std::unordered_map<Expr, Label>& labels);

/// The lines of the form that the results depend on, then the results.
std::vector<Statement> c_program(const Model& model, const ClosedForm& form,
                                 const std::vector<Statement>& results);

/// Lines of a comment: the parameters with their values.
std::string parameter_lines(const Model& model, std::span<const double> values);

/// The text for a C comment: "*/" broken, ends of lines replaced by blanks.
std::string comment_text(std::string text);

/// "double M[9]"; a pointer for size 0, since C has no empty array.
std::string c_array(std::string_view type, std::string_view name, std::size_t size);

}  // namespace ananke::typeset
