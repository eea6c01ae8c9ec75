// Statements of the tree: each kind has a function `lower` that carries it out, or one item of its
// list.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lang/lowering.h"

namespace ananke::lang {

void execute(Lowering& in, const std::vector<Statement>& statements);
bool allowed_in_loop(const Statement& statement);
/// The statements of a file, in a scope of its own.
void carry_out(Lowering& in, FileScope& file);
/// The names of statements that cannot be carried out count as failed.
void doubt_names(Lowering& in, std::span<const Statement> statements);

// statements.cpp
void lower(Lowering& in, const Statement& statement, const ModelTitle& node);
void lower(Lowering& in, const Statement& statement, const FunctionDefinition& node);
void lower(Lowering& in, const Statement& statement, const Simulate& node);
void lower(Lowering& in, const Statement& statement, const ForLoop& node);
// lower_import.cpp
void lower(Lowering& in, const Statement& statement, const Import& node);
// lower_declaration.cpp
void lower(Lowering& in, const Binding& item, const ParameterList& node);
void lower(Lowering& in, const Statement& statement, const CoordinateList& node);
void lower(Lowering& in, const Binding& item, const SpeedList& node);
void lower(Lowering& in, const Binding& item, const LetList& node);
void lower(Lowering& in, const Binding& item, const OutputList& node);
// lower_initial.cpp
void lower(Lowering& in, const Binding& item, const InitialList& node);
void lower(Lowering& in, const Binding& item, const ScaleList& node);
// lower_body.cpp
void lower(Lowering& in, const Statement& statement, const ParticleDeclaration& node);
void lower(Lowering& in, const Statement& statement, const PointDeclaration& node);
void lower(Lowering& in, const Statement& statement, const BodyDeclaration& node);
// lower_force.cpp
void lower(Lowering& in, const Statement& statement, const KineticTerm& node);
void lower(Lowering& in, const Statement& statement, const PotentialTerm& node);
void lower(Lowering& in, const Statement& statement, const MassTerm& node);
void lower(Lowering& in, const Statement& statement, const ForceTerm& node);
void lower(Lowering& in, const Statement& statement, const GravityTerm& node);
// lower_constraint.cpp
void lower(Lowering& in, const Statement& statement, const ConstraintDeclaration& node);
void lower(Lowering& in, const Statement& statement, const ComplianceTerm& node);
// lower_joint.cpp
void lower(Lowering& in, const Statement& statement, const JointDefinition& node);
void lower(Lowering& in, const Statement& statement, const JointDeclaration& node);
// lower_friction.cpp
void lower(Lowering& in, const Statement& statement, const FrictionTerm& node);
void lower(Lowering& in, const Statement& statement, const RubDeclaration& node);
// lower_event.cpp, lower_view.cpp, lower_gauge.cpp
void lower(Lowering& in, const Statement& statement, const EventDeclaration& node);
void lower(Lowering& in, const Statement& statement, const ViewStatement& node);
void lower(Lowering& in, const Binding& item, const GaugeList& node);

// What several kinds of statements need.

/// What a force or a torque acts on.
struct ForceTarget {
    enum class Kind : std::uint8_t { kCoordinate, kPoint, kBody };
    Kind kind;
    int index;
};
enum class ForceKind : std::uint8_t { kForce, kTorque };
/// `what` reads "a force". Nothing after a mistake, which is reported.
std::optional<ForceTarget> force_target(Lowering& in, ExprId target, ForceKind kind,
                                        std::string_view what);
/// The index of the new coordinate, or -1 after a mistake, which is reported.
int add_coordinate(Lowering& in, const std::string& name, Span span);

// What can be judged only after the last statement.
void finish_events(Lowering& in);
void finish_gravity(Lowering& in);
void finish_gauge(Lowering& in);

}  // namespace ananke::lang
