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

/// A symbol whose value the function is given: "q[0]".
struct Input {
    Expr symbol;
    std::string from;
};

/// q[i], v[i] and p[i] of a model.
std::vector<Input> coordinate_inputs(const Model& model);
std::vector<Input> velocity_inputs(const Model& model);
std::vector<Input> parameter_inputs(const Model& model);

/// The statements of one function: values of inputs first, shared parts before their first use.
std::string c_body(const Model& model, const std::vector<Input>& inputs,
                   const std::vector<Statement>& statements,
                   const std::unordered_map<Expr, Label>& labels);

/// The lines of the form that the results depend on, then the results.
std::vector<Statement> c_program(const Model& model, const ClosedForm& form,
                                 const std::vector<Statement>& results);

/// Lines of a comment: the parameters with their values.
std::string parameter_lines(const Model& model, std::span<const double> values);

/// Text that does not end a comment.
std::string comment_text(std::string text);

/// "double M[9]", or a pointer where nothing is stored.
std::string c_array(std::string_view type, std::string_view name, std::size_t size);

}  // namespace ananke::typeset
