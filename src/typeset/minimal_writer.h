// Writes the minimal equations on a worksheet; typeset/minimal.h.
//
// The lines form a program: first the velocities (inputs, and lines for those that constraints
// determine), then all that depends on them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sym/walk.h"
#include "typeset/form_writer.h"
#include "typeset/minimal.h"
#include "typeset/minimal_choice.h"

namespace ananke::typeset {

class MinimalWriter : private FormWriter {
  public:
    MinimalWriter(Model& model, const Equations& equations, const MinimalOptions& options,
                  MinimalChoice choice, const sym::Values<double>& at);

    std::optional<Error> write();
    MinimalForm finish();
    using FormWriter::is_full;

  private:
    using Indices = std::vector<std::size_t>;

    // Velocities: minimal_kinematics.cpp.
    void write_motion_variables();             ///< q' = W u + w
    Grid inverse(const Grid& Z);               ///< of the speeds' own coefficients
    std::optional<Error> write_linear_rows();  ///< solved for dependent velocities
    void choose_nonlinear_dependents();
    Expr dependent_velocity(std::size_t l);
    Expr coordinate_velocity(std::size_t i);
    Exprs velocities_by_inputs();  ///< q' over the motion variables that are not yet given
    void solve_for_velocities();   ///< of nonlinear rows, where a root exists
    void write_dependent_velocities();
    void write_coordinate_velocities();
    void show_partial_velocities();

    // Accelerations: minimal_dynamics.cpp.
    void write_acceleration_rows();
    std::optional<Error> write_dependent_accelerations();
    std::optional<Error> reduce_nonlinear(const Exprs& beta, const Exprs& r);
    void write_partials();  ///< N, a_p over the coordinates
    void show_partial_accelerations();
    void project();  ///< M_u, f_u, and B, h of the rows in evidence
    void show_equations();
    std::optional<Error> solve_without_forces();
    std::optional<Error> solve_with_forces();
    Exprs independent_rates() const;
    Unknowns unknown_rates() const;
    void write_rates();

    /// Velocity of a point, or angular velocity of a body, as a function of q'.
    struct Slopes {
        std::string name;
        std::array<std::vector<Entry>, 3> by_velocity;  ///< d velocity / dq', per component
        Vec3 remainder;                                 ///< of the velocity, at q' = 0
        Vec3 acceleration_remainder;                    ///< at q'' = 0
    };
    /// q' = columns u + rest, or q'' = columns u' + rest, and what belongs to it.
    struct Partials {
        const Grid& columns;
        const Indices& variables;  ///< of the columns
        Label MotionVariable::*label;
        const Exprs& rest;
        Vec3 Slopes::*remainder;
    };
    std::vector<Slopes> point_slopes();  ///< of a body only its mass centre
    std::vector<Slopes> body_slopes();
    Slopes slopes_of(std::string name, const Vec3& velocity, const Vec3& acceleration);
    Vec3 combined(const Slopes& slopes, const Vec3& start, const Exprs& column);
    void show_partials(std::vector<Slopes> all, const Stage& stage, const Label& letter,
                       const Partials& partials);

    Expr shorter(Expr e) const;  ///< like terms gathered
    Expr at_rest(Expr e) const { return sym::without(g_, e, sym::SymbolKind::kVelocity); }
    /// Over the motion variables instead of q', where that is no longer.
    Expr over_variables(Expr e) const;
    /// With the names of earlier lines, velocities apart, written out where that is shorter.
    Expr simplest(Expr e) const;
    Expr over_coordinates(const Exprs& row, std::size_t variable);  ///< (row W)[variable]
    Label variable(std::size_t j) const { return variables_[j].label; }
    bool is_independent(std::size_t j) const;
    std::string names(const Indices& variables) const;

    std::vector<MotionVariable> variables_;
    Exprs symbols_;  ///< u, of the variables
    bool has_speeds_ = false;
    bool asked_ = false;
    Indices independent_;                      ///< variables whose rates are the unknowns
    Indices linear_, nonlinear_, evidence_;    ///< rows of A_
    Indices linear_dependent_;                 ///< variable of each linear row
    Indices nonlinear_dependent_;              ///< variables of the nonlinear rows
    std::vector<bool> given_by_line_;          ///< per variable
    Grid W_;                                   ///< n x n, coordinates by variables
    Exprs w_;                                  ///< n
    std::vector<sym::Replacement> by_inputs_;  ///< q' over the motion variables
    Exprs e_;                                  ///< of each linear row: A q' + e = 0
    std::optional<Reduced> velocity_rows_;     ///< linear rows over the variables
    Exprs velocity_right_;                     ///< u_d = right - sum R u
    Exprs c_;                                  ///< n: u' = Y q'' + c
    Grid N_variables_, N_;                     ///< n x c over variables, over coordinates
    Exprs p_variables_, a_p_;                  ///< what does not depend on the independent rates
    Grid M_u_;
    Exprs f_u_;
    Grid B_;           ///< evidence x c: A_e N
    Exprs h_;          ///< b_e - A_e a_p
    Exprs rates_;      ///< c, after solving
    Exprs all_rates_;  ///< n
    std::vector<std::string> facts_, notes_;
};

}  // namespace ananke::typeset
