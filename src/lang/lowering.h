// The tree of a file to a mech::Model: statements are carried out from top to bottom, loops written
// out.
//
// One state and its groups of functions, each in its own source: reports and checks (lowering.cpp),
// expressions (lower_expression.cpp), names (lower_name.cpp), functions (lower_function.cpp), their
// arguments (lower_argument.cpp), statements (lower_statement.cpp, lower_declaration.cpp,
// lower_event.cpp), views (lower_view.cpp), bodies (lower_body.cpp), what is fixed in them
// (lower_direction.cpp), rotations (lower_rotation.cpp), joints (lower_joint.cpp), friction
// (lower_friction.cpp), compliances (lower_compliance.cpp), files and settings (lower_import.cpp).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "lang/ast.h"
#include "lang/names.h"
#include "lang/parse_model.h"
#include "lang/value.h"
#include "mech/model.h"
#include "sym/node_map.h"

namespace ananke::lang {

/// Kinds of symbols that an expression depends on, one bit per sym::SymbolKind.
using Dependence = std::uint16_t;
constexpr Dependence bit(sym::SymbolKind kind) {
    return static_cast<Dependence>(1U << static_cast<unsigned>(kind));
}
inline constexpr Dependence kOnTime = bit(sym::SymbolKind::kTime);
inline constexpr Dependence kOnParameters = bit(sym::SymbolKind::kParameter);
inline constexpr Dependence kOnPositions =
    bit(sym::SymbolKind::kCoordinate) | bit(sym::SymbolKind::kPointPosition);
inline constexpr Dependence kOnVelocities =
    bit(sym::SymbolKind::kVelocity) | bit(sym::SymbolKind::kPointVelocity);
inline constexpr Dependence kOnAccelerations =
    bit(sym::SymbolKind::kAcceleration) | bit(sym::SymbolKind::kPointAcceleration);
inline constexpr Dependence kOnReactions = bit(sym::SymbolKind::kReaction);

class Lowering {
  public:
    Lowering(Sources& sources, const Options& options, std::vector<Diagnostic>& diagnostics);

    /// The whole model from its root file. Absent if there are errors.
    std::optional<mech::Model> run(std::uint32_t root);

    /// Paths of the files that imports have read.
    const std::vector<std::string>& imported_files() const { return imported_files_; }

    /// The number of a file that holds `name = expression` over these names.
    std::optional<double> number(std::uint32_t file, std::span<const NamedNumber> names);

  private:
    using Notes = std::vector<std::string>;

    /// One imported (or the root) file while its statements are carried out.
    struct FileScope {
        const Tree* tree = nullptr;
        std::uint32_t file = 0;
        std::string path;
        std::string prefix;  ///< "", "pendulum.", "car.wheel."
        std::unordered_map<std::string, Span> declared_somewhere;
        /// Of a joint: where it is defined. What it does not declare itself is looked up there.
        FileScope* outer = nullptr;
    };
    struct Local {
        std::string_view name;
        Value value;
        Span span;
    };
    struct Function {
        FileScope* scope = nullptr;
        const FunctionDefinition* definition = nullptr;  ///< null: it failed
        Span span;
    };
    struct JointKind {
        FileScope* scope = nullptr;
        const JointDefinition* definition = nullptr;  ///< null: it failed
        Span span;
    };
    struct Call {
        std::string name;
        Span span;
    };
    /// While it lives, names belong to this scope and to the locals added since.
    class Visit {
      public:
        Visit(Lowering& lowering, FileScope& scope)
            : lowering_(lowering),
              scope_(std::exchange(lowering.scope_, &scope)),
              locals_(lowering.locals_.size()),
              locals_begin_(std::exchange(lowering.locals_begin_, locals_)),
              calls_(lowering.calls_.size()) {}
        ~Visit() {
            lowering_.scope_ = scope_;
            lowering_.locals_.resize(locals_);
            lowering_.locals_begin_ = locals_begin_;
            lowering_.calls_.resize(calls_);
        }
        Visit(const Visit&) = delete;
        Visit& operator=(const Visit&) = delete;

      private:
        Lowering& lowering_;
        FileScope* scope_;
        std::size_t locals_;
        std::size_t locals_begin_;
        std::size_t calls_;
    };
    struct Start {
        std::optional<mech::InitialValue> value;
        bool imported = false;
    };
    /// What a symbol of a position is: component k of an axis of a body, or of a point.
    struct Place {
        int body = -1;
        int point = -1;
        std::size_t axis = 0;
        std::size_t k = 0;
    };
    struct Setting {
        std::string name;  ///< without primes
        int primes = 0;
        FileScope* scope = nullptr;
        Binding binding;
        bool used = false;
    };

    // Reports (lowering.cpp).
    Value fail(Span span, std::string message, Notes notes = {});
    void warn(Span span, std::string message, Notes notes = {});
    Span shown_at(Span span) const;
    bool reported(Span span) const;
    void stop(Span span, std::string message, Notes notes = {});
    bool within_limits(Span span);
    std::string place_text(Span span) const;
    std::string_view text(Span span) const;
    std::string declared_note(Span span) const;

    // Dependence and differentiation (lowering.cpp).
    Dependence dependence(sym::Expr e);
    Dependence dependence(const Value& value);
    bool allow(const Value& value, Dependence allowed, ExprId at, std::string_view what,
               std::string_view advice = {});
    Span first_place(Dependence kinds, ExprId at) const;
    void note_places(const Value& value, Span span);
    Value time_derivative(const Value& value, ExprId at);
    std::optional<double> number_of(sym::Expr e) const;
    void note_written(sym::Expr e, Span span);
    Notes why_undefined(sym::Expr e, Span span) const;
    void mark_structural(sym::Expr e);

    // Expressions (lower_expression.cpp).
    const Expr& expr(ExprId id) const { return scope_->tree->exprs[id]; }
    Value evaluate(ExprId id);
    Value evaluate_kind(ExprId id);
    Value evaluate_top(ExprId id);
    Value scalar_of(ExprId id, std::string_view what);
    Value vector_of(ExprId id, std::string_view what);
    Value literal(const Expr& e);
    Value prime(ExprId id);
    Value vector_literal(const Expr& e);
    Value negate(const Expr& e);
    Value sum(const Expr& e);
    Value product(const Expr& e);
    Value power(const Expr& e);
    Value compare(const Expr& e);
    Value connect(const Expr& e);
    Value choose(const Expr& e);
    Value checked_constant(sym::Expr e, Span span);
    bool usable(const Value& value, ExprId at);
    std::string shown(const Value& value) const;

    // Names (lower_name.cpp).
    enum class Lookup : std::uint8_t { kFlat, kNotAPath, kError };
    Lookup flatten(ExprId id, std::string& out);
    int strip_primes(ExprId& id) const;
    std::optional<std::int64_t> integer_of(ExprId id, std::string_view what);
    const Local* find_local(std::string_view name) const;
    Found find(const std::string& name) const;
    Value body_member(ExprId id, int index);
    Value unknown_name(ExprId id, const std::string& name);
    Value name_or_path(ExprId id);
    Value entity_value(const Entity& entity, ExprId id);
    Value member(ExprId id);
    Value index(ExprId id);

    // Functions (lower_function.cpp).
    Value call(ExprId id);
    Value call_builtin(ExprId id, std::string_view name, bool& known);
    Value call_scalar_function(ExprId id, sym::Op op, std::string_view name, int arity);
    Value call_vector_function(ExprId id, std::string_view name);
    Value call_point_function(ExprId id, std::string_view name);
    Value call_reaction(ExprId id);
    Value call_defined(ExprId id, const std::string& name, const Function& function);
    bool check_arity(ExprId id, std::string_view name, int arity);
    Value unknown_function(ExprId id, const std::string& name);
    sym::Expr dot(const Value& a, const Value& b);
    void define(const FunctionDefinition& node);
    void check_body(const FunctionDefinition& node);

    const Function* find_function(const std::string& name) const;

    // Arguments of functions and joints (lower_argument.cpp).
    bool check_arguments(const std::vector<Argument>& arguments);
    Value argument_value(const Argument& argument, Value value, Span span);
    bool bind_given(ExprId call, const std::string& name, const std::vector<Argument>& wanted,
                    const Notes& notes, std::vector<Local>& out);
    bool bind_function(ExprId call, const std::string& name, const Function& function,
                       std::vector<Local>& out);
    bool bind_joint(ExprId call, const std::string& name, const JointKind& kind,
                    std::vector<Local>& out);
    bool bind_fallbacks(const JointKind& kind, std::vector<Local>& out);

    // Bodies (lower_body.cpp).
    int ground();
    void add_body(mech::Body body, const mech::Vec3& centre, std::optional<sym::Expr> mass);
    int add_point(const std::string& name, const mech::Vec3& position,
                  std::optional<sym::Expr> mass, Span span);
    std::optional<mech::Axes> inertia(const BodyDeclaration& node);
    bool is_inertia(const mech::Axes& J, Span span);
    void start_value(int coordinate, bool velocity, sym::Expr value, bool exact, Span span);
    int add_coordinate(const std::string& name, Span span);
    void add_norm(const std::string& name, const mech::Body& body);
    void start_position(const BodyDeclaration& node, mech::Body& body);
    void start_motion(const BodyDeclaration& node, const mech::Body& body);
    std::optional<mech::Vec3> body_vector(const Clause& clause, std::string_view what,
                                          const BodyDeclaration& node);

    // Places and directions fixed in bodies (lower_direction.cpp).
    int place_on(int body, const mech::Vec3& local, const std::string& name, Span span);
    std::optional<mech::Vec3> local_place(ExprId id);
    Value body_place(ExprId id);
    std::optional<int> body_of(ExprId id, std::string_view what);
    Value in_axes(int body, const Value& v);
    Value in_body(ExprId id);
    sym::Expr plain_number(sym::Expr e);
    template <class Replace>
    sym::Expr replace_positions(sym::Expr e, const Replace& replace);
    const mech::Axes& axes_at(int body, bool guesses) const;
    mech::Vec3 in_orientations(const Value& v, bool guesses);
    mech::Vec3 at_reference(const Value& v) { return in_orientations(v, false); }
    mech::Vec3 components_at(int body, const Value& v, bool guesses);
    std::optional<mech::Vec3> components_in(int body, const Value& v, ExprId at);
    std::vector<std::string> guessed_bodies(int body, const Value& v);
    Value call_body_function(ExprId id, std::string_view name);
    Value call_start(ExprId id);
    std::optional<int> planar_owner(const Value& v);
    Value call_turned(ExprId id);
    sym::Expr over_coordinates(sym::Expr e);

    // Rotations (lower_rotation.cpp).
    Value call_rotation(ExprId id, std::string_view name);
    Value call_axes(ExprId id);
    Value checked_rotation(const std::array<sym::Expr, 4>& u, Span span);

    // Joints (lower_joint.cpp).
    static constexpr std::string_view kPreludePrefix = "prelude:";
    static constexpr int kDeepestJoint = 20;
    void read_prelude();
    const JointKind* find_joint(const std::string& name);
    void unknown_joint(Span span, const std::string& name);
    bool allowed_in_joint(const Statement& statement);
    bool joins_one_body(const mech::Joint& joint) const;

    // Statements (lower_statement.cpp, lower_declaration.cpp).
    void execute(const std::vector<Statement>& statements);
    void execute(const Statement& statement);
    bool allowed_in_loop(const Statement& statement);
    void lower(const Statement& statement, const ModelTitle& node);
    void lower(const Statement& statement, const ParameterList& node);
    void lower(const Statement& statement, const CoordinateList& node);
    void lower(const Statement& statement, const SpeedList& node);
    void lower(const Statement& statement, const LetList& node);
    void lower(const Statement& statement, const OutputList& node);
    void lower(const Statement& statement, const InitialList& node);
    void lower(const Statement& statement, const ScaleList& node);
    void lower(const Statement& statement, const GaugeList& node);
    void lower(const Statement& statement, const FunctionDefinition& node);
    void lower(const Statement& statement, const KineticTerm& node);
    void lower(const Statement& statement, const PotentialTerm& node);
    void lower(const Statement& statement, const MassTerm& node);
    void lower(const Statement& statement, const ForceTerm& node);
    void lower(const Statement& statement, const FrictionTerm& node);
    void lower(const Statement& statement, const RubDeclaration& node);
    void lower(const Statement& statement, const ComplianceTerm& node);
    void lower(const Statement& statement, const GravityTerm& node);
    void lower(const Statement& statement, const ParticleDeclaration& node);
    void lower(const Statement& statement, const PointDeclaration& node);
    void lower(const Statement& statement, const BodyDeclaration& node);
    void lower(const Statement& statement, const JointDefinition& node);
    void lower(const Statement& statement, const JointDeclaration& node);
    void lower(const Statement& statement, const ConstraintDeclaration& node);
    void lower(const Statement& statement, const EventDeclaration& node);
    void lower(const Statement& statement, const ViewStatement& node);
    void lower(const Statement& statement, const Simulate& node);
    void lower(const Statement& statement, const ForLoop& node);
    void lower(const Statement& statement, const Import& node);

    // Events (lower_event.cpp).
    bool event_condition(const EventDeclaration& node, mech::Event& event);
    void event_set(const Binding& item, mech::Event& event);
    void event_set_body(ExprId target, const Binding& item, mech::Event& event);
    void event_reset(int coordinate, const Binding& item, sym::Expr value, mech::Event& event);
    void event_change(ExprId target, const Entity& entity, const Binding& item, sym::Expr value,
                      mech::Event& event);
    void check_event_parameters();
    // Views (lower_view.cpp).
    bool view_target(ExprId id, int& body, int& point);
    bool view_sizes(const ViewStatement& node, mech::View& view);
    bool view_camera(const Statement& statement, const ViewStatement& node, mech::View& view);
    bool view_colour(const ViewStatement& node, mech::View& view);
    // Actuators (lower_servo.cpp).
    std::optional<mech::Actuator> actuator_of(const ActuatorNode& node);
    std::optional<std::vector<mech::Actuator>> actuators_of(const ConstraintDeclaration& node);

    std::optional<std::string> declared_name(ExprId id);
    std::optional<std::string> plain_name(ExprId id);
    bool is_free(const std::string& name, Span span);
    bool declare(const std::string& name, const Entity& entity);
    void declare_failed(const std::string& name, const Declaration& failed);
    void check_mass(sym::Expr mass, ExprId at, std::string_view of);
    void declare_point(ExprId name, ExprId position, std::optional<sym::Expr> mass);
    void declare_place(const PointDeclaration& node);
    void one_parameter(const Binding& item);
    void one_output(const Binding& item);
    void one_initial(const Binding& item);
    void one_scale(const Binding& item);
    std::optional<sym::Expr> positive(ExprId id, std::string_view what);
    void set_initial(int coordinate, bool velocity, const Binding& item, sym::Expr value);
    void one_gauge(const Binding& item);
    void gauge_matrix(const Binding& item);
    void gauge_row(const Binding& item, const std::string& which);
    struct ForceTarget {
        enum class Kind : std::uint8_t { kCoordinate, kPoint, kBody };
        Kind kind;
        int index;
    };
    std::optional<ForceTarget> force_target(const ForceTerm& node, std::string_view what);
    Value torque_on(int body, ExprId id);
    bool is_given(sym::Expr e);
    void warn_out_of_plane(int body, sym::Expr a, sym::Expr b, ExprId at, std::string_view why);
    const Entity* target(ExprId id, std::string_view what);
    std::optional<int> coordinate_of(ExprId id, std::string_view what);
    bool is_linear_in_velocities(sym::Expr e);

    std::optional<Entity> constraint_or_joint(ExprId target, std::string_view rule);
    // Compliances (lower_compliance.cpp).
    std::optional<sym::Expr> compliance_value(ExprId id);
    // Friction (lower_friction.cpp).
    /// Where a joint rubs: the statement, and what its names stood for there.
    struct Rub {
        const RubDeclaration* node;
        FileScope* scope;
        std::vector<Local> locals;
    };
    struct Rubbing;
    bool read_law(Rubbing& rubbing, mech::Friction& friction);
    bool check_coefficients(const Rubbing& rubbing, const mech::Friction& friction);
    bool read_argument(Rubbing& rubbing, ExprId id, mech::Friction& friction);
    bool read_value(const Rubbing& rubbing, const std::string& name, ExprId id,
                    mech::Friction& friction);
    bool take_slip(const Value& value, Span span, mech::Friction& friction);
    void add_friction(Rubbing& rubbing, const Entity& entity, mech::Friction friction);
    bool rub(const Rub& where, const Rubbing& rubbing, mech::Friction& friction);

    // Files and settings (lower_import.cpp).
    void carry_out(FileScope& scope);
    void doubt(const std::string& name);
    void doubt_names(std::span<const Statement> statements);
    const Tree& tree_of(std::uint32_t file);
    std::optional<std::string> clean_path(const Import& node);
    std::optional<std::uint32_t> find_file(const Import& node, const std::string& relative,
                                           std::string& path);
    void read_settings();
    void apply_initial_settings();
    Setting* setting_for(const std::string& name, int primes);
    void finish();

    Sources& sources_;
    const Options& options_;
    std::vector<Diagnostic>& diagnostics_;
    mech::Model model_;
    sym::Graph& graph_;

    Names names_;
    std::unordered_map<std::string, Function> functions_;
    std::unordered_map<std::string, JointKind> joints_;
    std::unordered_map<std::string, int> places_on_bodies_;  ///< points by their text
    sym::NodeMap<std::string> place_texts_;                  ///< of their components
    /// By the first coordinate of a body: exact angles of planar bodies, and axes that are guesses.
    std::unordered_map<int, sym::Expr> reference_angles_;
    std::unordered_map<int, mech::Axes> guessed_axes_;
    sym::NodeMap<Place> places_of_;  ///< what symbols of positions mean
    bool prelude_read_ = false;
    std::unordered_set<std::uint32_t> prelude_files_;
    int joint_ = -1;                            ///< the joint that is being carried out
    std::vector<int>* named_points_ = nullptr;  ///< collects the points an expression names
    std::unordered_map<std::string, Span> outputs_;
    std::vector<Local> locals_;
    std::size_t locals_begin_ = 0;  ///< a function sees only its own arguments
    std::vector<Call> calls_;
    FileScope* scope_ = nullptr;
    std::deque<FileScope> scopes_;
    std::unordered_map<std::uint32_t, Tree> trees_;
    std::unordered_map<std::string, std::uint32_t> files_by_path_;
    std::vector<std::string> importing_;  ///< the files that wait for the present one
    std::size_t imports_ = 0;
    std::vector<std::string> imported_files_;
    std::unordered_map<int, std::vector<Rub>> rubs_;  ///< by joint
    std::vector<Setting> settings_;

    std::vector<Dependence> dependence_;                      ///< per node of the graph
    sym::NodeMap<sym::Expr> rate_;                            ///< time derivatives of symbols
    std::unordered_map<sym::Expr, double> parameter_values_;  ///< sym::Values<double>
    std::unordered_map<sym::Expr, int> parameter_index_;
    std::array<std::optional<Span>, 9> places_;  ///< first place of each kind of dependence
    std::vector<std::array<Start, 2>> starts_;   ///< per coordinate: position, velocity
    std::optional<Span> title_span_;
    std::optional<Span> gravity_span_;
    std::optional<Binding> z_for_all_;
    std::optional<sym::Expr> z_value_;
    std::unordered_set<std::string> gauge_given_;
    std::optional<Span> G_matrix_span_;

    std::unordered_set<std::uint64_t> reported_;
    Span statement_;  ///< that is carried out, the innermost
    int depth_ = 0;
    int loop_depth_ = 0;
    std::uint64_t steps_ = 0;
    std::uint64_t statements_done_ = 0;
    std::size_t errors_ = 0;
    bool stopped_ = false;
};

}  // namespace ananke::lang
