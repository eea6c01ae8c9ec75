// The tree of one file as written: nothing is resolved yet, everything knows its place.
//
// Expressions live in one array and refer to each other by index. Sums, products, `and`, `or` keep
// all their operands in one node, so the depth of the tree is the nesting a person wrote, which is
// bounded.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "base/diagnostic.h"
#include "lang/lexer.h"
#include "mech/model.h"

namespace ananke::lang {

using ExprId = std::uint32_t;
inline constexpr ExprId kNoExpr = std::numeric_limits<ExprId>::max();

enum class ExprKind : std::uint8_t {
    kNumber,   ///< token
    kName,     ///< token
    kIndex,    ///< base [ index ]
    kMember,   ///< base . token
    kPrime,    ///< base '
    kCall,     ///< callee ( arguments )
    kNamed,    ///< token = value, only as an argument
    kAt,       ///< body at vector: a place fixed in a body
    kIn,       ///< vector in body: components along the axes of a body
    kVector,   ///< ( a, b, c )
    kMatrix,   ///< [ a, b ; c, d ]: children row by row, `rows` of them
    kNegate,   ///< - a
    kSum,      ///< operands with signs
    kProduct,  ///< operands with * and /
    kPower,    ///< base ^ exponent
    kCompare,  ///< left op right
    kAnd,
    kOr,
    kNot,
    kIf,     ///< condition, then, else
    kText,   ///< a text in quotes where a value stands
    kError,  ///< could not be read; reported already
};

struct Expr {
    ExprKind kind = ExprKind::kError;
    TokenKind relation = TokenKind::kDoubleEqual;  ///< of a comparison
    std::uint32_t rows = 0;                        ///< of a matrix
    Span span;
    Span token;                    ///< the name, number or operator itself
    std::vector<ExprId> operands;  ///< in the order of the text
    std::vector<bool> inverse;     ///< sum: subtracted; product: divided by
};

/// name = value, or name ~ value.
struct Binding {
    ExprId name = kNoExpr;
    ExprId value = kNoExpr;
    bool guess = false;
    Span span;
};

struct Statement;

struct ModelTitle {
    std::string title;
};
/// A keyword, and definitions with commas between them.
struct BindingList {
    std::vector<Binding> items;
};
struct ParameterList : BindingList {};
struct SpeedList : BindingList {};
struct LetList : BindingList {};
struct OutputList : BindingList {};
struct InitialList : BindingList {};
struct ScaleList : BindingList {};
struct GaugeList : BindingList {};
struct CoordinateList {
    std::vector<ExprId> names;
};
/// Of a definition; those of functions have no type and no fallback.
struct Argument {
    Span name;
    Span type;                  ///< empty: anything
    ExprId fallback = kNoExpr;  ///< its value where a call gives none
};
struct FunctionDefinition {
    Span name;
    std::vector<Argument> arguments;
    ExprId body = kNoExpr;
};
/// A keyword, and an expression.
struct Term {
    ExprId value = kNoExpr;
};
struct KineticTerm : Term {};
struct PotentialTerm : Term {};
struct GravityTerm : Term {};
struct MassTerm {
    std::vector<ExprId> names;
    ExprId matrix = kNoExpr;
};
struct ForceTerm {
    ExprId target = kNoExpr;  ///< a path, or a place on a body
    ExprId value = kNoExpr;
    bool nonideal = false;
    bool torque = false;
};
/// friction on c: law(...)
struct FrictionTerm {
    ExprId target = kNoExpr;
    ExprId law = kNoExpr;  ///< a call
};
/// compliance on c: value, or of a joint: translation value rotation value
struct ComplianceTerm {
    ExprId target = kNoExpr;
    ExprId value = kNoExpr;
    ExprId translation = kNoExpr;
    ExprId rotation = kNoExpr;
};
struct ParticleDeclaration {
    ExprId name = kNoExpr;
    ExprId mass = kNoExpr;
    ExprId position = kNoExpr;
};
struct PointDeclaration {
    ExprId name = kNoExpr;
    ExprId body = kNoExpr;  ///< kNoExpr: not fixed in a body
    ExprId position = kNoExpr;
};
/// A part of a declaration that may be a guess; kNoExpr: not given.
struct Clause {
    ExprId value = kNoExpr;
    bool guess = false;
};
struct BodyDeclaration {
    ExprId name = kNoExpr;
    bool planar = false;
    Clause mass, inertia, at, orientation, velocity,
        omega;  ///< orientation: of planar ones `angle`
};
struct JointDefinition {
    Span name;
    std::vector<Argument> arguments;
    std::vector<Statement> body;
};
struct JointDeclaration {
    ExprId name = kNoExpr;
    ExprId call = kNoExpr;
};
/// force on target along direction, torque on target about direction
struct ActuatorNode {
    ExprId target = kNoExpr;
    ExprId direction = kNoExpr;  ///< kNoExpr: not given
    bool torque = false;
    Span span;
};
struct ConstraintDeclaration {
    ExprId name = kNoExpr;
    ExprId left = kNoExpr;
    ExprId right = kNoExpr;
    Span equation;
    bool servo = false;
    std::vector<ActuatorNode> actuators;
};
/// One action in the block of an event; `set` is x' = value or parameter = value.
struct EventAction {
    enum class Kind : std::uint8_t { kStop, kRecord, kSet };
    Kind kind = Kind::kStop;
    Binding set;
    Span span;
};
struct EventDeclaration {
    ExprId name = kNoExpr;
    ExprId left = kNoExpr;
    ExprId right = kNoExpr;
    Span equation;
    mech::Event::Crossing crossing = mech::Event::Crossing::kEither;
    std::vector<EventAction> actions;
};
/// view B box size at place colour "steel", view line P to Q, view camera from a to b and so on.
struct ViewStatement {
    mech::View::Kind kind = mech::View::Kind::kSphere;
    ExprId target = kNoExpr;
    ExprId other = kNoExpr;   ///< the far end of a line or spring
    ExprId size = kNoExpr;    ///< a radius, or the sides of a box
    ExprId length = kNoExpr;  ///< of a cylinder
    ExprId axis = kNoExpr;    ///< of a cylinder; what a camera looks at
    ExprId at = kNoExpr;      ///< of a shape, in body axes; of a camera
    std::string colour;
    Span colour_span;  ///< empty: none is given
};
struct Simulate {
    ExprId until = kNoExpr;
    ExprId every = kNoExpr;     ///< kNoExpr: not given
    ExprId max_step = kNoExpr;  ///< likewise
    bool stiff = false;
};
struct ForLoop {
    Span variable;
    ExprId from = kNoExpr;
    ExprId to = kNoExpr;
    std::vector<Statement> body;
};
struct Import {
    std::string path;
    Span path_span;
    Span alias;  ///< empty: the file's own name
};

/// rub name(arguments): slip load load, where a joint rubs.
struct RubDeclaration {
    Span name;
    std::vector<Argument> arguments;
    ExprId slip = kNoExpr;
    ExprId load = kNoExpr;
};

struct Statement {
    Span span;
    Span keyword;
    std::variant<ModelTitle, ParameterList, CoordinateList, SpeedList, LetList, OutputList,
                 InitialList, ScaleList, GaugeList, FunctionDefinition, KineticTerm, PotentialTerm,
                 MassTerm, ForceTerm, FrictionTerm, ComplianceTerm, GravityTerm,
                 ParticleDeclaration, PointDeclaration, BodyDeclaration, ConstraintDeclaration,
                 EventDeclaration, ViewStatement, Simulate, ForLoop, Import, JointDefinition,
                 JointDeclaration, RubDeclaration>
        as;
};

struct Tree {
    std::vector<Expr> exprs;
    std::vector<Statement> statements;
    /// Names written in statements that could not be read: silence about them avoids follow-up
    /// errors.
    std::unordered_set<std::string> doubtful;
};

}  // namespace ananke::lang
