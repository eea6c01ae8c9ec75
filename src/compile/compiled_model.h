// A model ready to be evaluated: its equations as straight-line kernels with their sparse patterns.
//
// Constant after compile(); every run works on an Evaluator of its own (dynamics/evaluator.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "code/kernel.h"
#include "code/recorder.h"
#include "compile/compiled_events.h"
#include "compile/program_store.h"
#include "compile/reactions.h"
#include "compile/switches.h"
#include "mech/equations.h"
#include "mech/model.h"
#include "solve/sparse_factor.h"
#include "solve/system.h"

namespace ananke::compile {

/// Input of every kernel: t, then q, v, a (n each), then the parameters, then the sides of the
/// switches, then the multipliers, then per friction the direction of slip and the square of a
/// slip that has none.
struct InputLayout {
    int n = 0;           ///< coordinates
    int parameters = 0;  ///< p
    int switches = 0;
    int multipliers = 0;  ///< of the constraint rows, or 0 where no expression holds one
    int directions = 0;   ///< one per component of slip, and one per friction

    std::size_t q() const { return 1; }
    std::size_t v() const { return 1 + static_cast<std::size_t>(n); }
    std::size_t a() const { return 1 + 2 * static_cast<std::size_t>(n); }
    std::size_t p() const { return 1 + 3 * static_cast<std::size_t>(n); }
    std::size_t sides() const { return p() + static_cast<std::size_t>(parameters); }
    std::size_t lambda() const { return sides() + static_cast<std::size_t>(switches); }
    std::size_t slip() const { return lambda() + static_cast<std::size_t>(multipliers); }
    std::size_t size() const { return slip() + static_cast<std::size_t>(directions); }
};

/// Of an entry in a matrix.
using Place = solve::SparsePlace;

/// Where the parts of the kernel of the equations stand among its outputs.
struct DynamicsOutputs {
    std::size_t M = 0, Q, C, A, b, power, D, end;  ///< first of each; C = A without non-ideal terms
};

/// A friction: where its components stand among the stick rows and the directions of slip.
struct CompiledFriction {
    std::string name;
    int components = 1;
    int first_row = 0;        ///< among CompiledModel::rows
    int first_direction = 0;  ///< among the directions of slip
    int first_value = 0;      ///< among the values of CompiledModel::friction
    bool dry = false;         ///< can stick
    std::vector<int> load_rows;
};

struct Prepared;

struct CompiledModel {
    InputLayout layout;
    std::vector<std::string> coordinate_names;  ///< n
    std::vector<int> kinds;                     ///< n: see coordinate_kinds()
    std::vector<bool> turns;                    ///< n: likewise
    std::vector<std::string> parameter_names;   ///< p
    std::vector<mech::Row> rows;                ///< m: the constraints, then the stick rows
    int constraint_rows = 0;                    ///< those before the stick rows
    std::vector<CompiledFriction> frictions;
    std::vector<int> feedback;         ///< rows whose multipliers Q or C contain
    bool affine_feedback = true;       ///< their slopes by these change by jumps alone
    std::vector<Place> slope_entries;  ///< of d(Q + C)/d lambda: place in `feedback`, coordinate
    std::vector<int> holonomic;        ///< rows that hold at position level, ascending
    std::vector<int> integrals;        ///< rows in the velocities with an integral phi(q,t)
    std::vector<mech::NamedExpr> outputs;  ///< declared outputs, then speeds
    std::vector<std::string> point_names;
    std::vector<std::string> constraint_names;   ///< indexed by mech::Row::constraint
    std::vector<solve::CoordinateGroup> groups;  ///< quaternions
    /// What a quaternion is to the equations, one per group.
    struct Rotation {
        int first;     ///< coordinate
        int norm_row;  ///< among `rows`, -1: none
        bool rigid;    ///< its inertia is 4 E^T J E, J constant, and nothing else
    };
    std::vector<Rotation> rotations;
    std::vector<solve::LoadOwner> load_owners;  ///< who shares the force of dependent rows
    /// Where what `compliance` computes stands among the C of all owners, of this size altogether.
    std::vector<std::size_t> compliance_entries;
    std::size_t compliance_size = 0;
    struct BodyCoordinates {
        std::string name;
        int first, count;
        bool planar;
        std::string place;  ///< where it is declared
    };
    std::vector<BodyCoordinates> bodies;
    std::vector<std::string> constraint_places;  ///< where each is written; "" if unknown
    bool has_nonideal = false;
    bool has_gauge = false;
    /// Numbers are written whose products leave the range of normal numbers; values that do so are
    /// not flushed to zero in a run.
    bool extreme_numbers = false;
    // Chosen by predicted cost; see compile/roads.h.
    /// Sparse systems decide which rows are independent, and find the start and the rows of output.
    bool sparse = false;
    /// Orders of elimination are searched body by body, and explanations and tables of n x n or m x n
    /// entries are left out.
    bool large = false;
    /// Operations of a program of the motion; longer ones come in segments.
    std::size_t most_operations = code::Recorder::kMostOperations;

    std::vector<Place> mass_entries;       ///< upper triangle of M
    std::vector<Place> row_entries;        ///< of A, all rows
    std::vector<Place> holonomic_entries;  ///< of A, rows counted among `holonomic`, then of the
                                           ///< gradients of `integrals`, counted on
    ReactionMap reactions;                 ///< which rows act on which points and bodies
    std::vector<mech::Control> controls;   ///< of actuators
    std::vector<int> actuated_rows;        ///< rows they enforce, ascending
    std::vector<Place> control_entries;    ///< of D^T: control, coordinate
    struct Aim {
        int row, point;
    };
    std::vector<Aim> aims;         ///< where actuated rows prescribe the motion
    std::vector<Switch> switches;  ///< in Q and C

    code::Kernel dynamics{code::Program{}};       ///< M entries, Q (n), C (n if has_nonideal), A
                                                  ///< entries, b, power, D entries
    code::Kernel control{code::Program{}};        ///< directions of controls, W of aims
    code::Kernel switch_values{code::Program{}};  ///< g of the switches
    code::Kernel switch_scales{code::Program{}};  ///< summed magnitudes of their terms
    code::Kernel switch_rates{code::Program{}};   ///< Switch::rate, its magnitudes, speeds (use a)
    code::Kernel magnitudes{code::Program{}};     ///< of the rows of A, then of b
    code::Kernel mass{code::Program{}};           ///< M entries
    code::Kernel inertia{code::Program{}};        ///< J of `rotations`, upper triangles by rows
    code::Kernel position{
        code::Program{}};  ///< phi, its gradient, its magnitude: `holonomic`, then `integrals`
    code::Kernel velocity{code::Program{}};   ///< rate, A entries, rate magnitudes of all rows
    code::Kernel residuals{code::Program{}};  ///< residual, residual magnitude of all rows
    code::Kernel energy{code::Program{}};     ///< T, V, h, power
    code::Kernel output{code::Program{}};     ///< outputs and speeds (may use a)
    code::Kernel force{code::Program{}};      ///< reaction_expressions()
    /// Q (n), C (n if has_nonideal), power, d(Q + C)/d lambda at `slope_entries`
    code::Kernel reactive{code::Program{}};
    /// The terms of Q + C without these multipliers (n).
    code::Kernel free_force{code::Program{}};
    /// Per friction: slip and force along it per component, then dry amount, limit, load,
    /// coefficient.
    code::Kernel friction{code::Program{}};
    code::Kernel compliance{code::Program{}};  ///< of `compliance_entries`
    code::Kernel gauge{code::Program{}};       ///< alpha, G (m or m*m values), z (m or none)
    /// Initial velocities that are functions of the positions, and whose they are.
    code::Kernel start_velocity{code::Program{}};
    std::vector<int> following;
    int gauge_G = 0;  ///< 0: none, 1: diagonal, 2: full
    bool gauge_z = false;
    CompiledEvents events;
    std::weak_ptr<const Prepared> source;  ///< what it was compiled from, for messages
    /// What runs have recorded; not part of what the model is.
    std::shared_ptr<ProgramStore> programs = std::make_shared<ProgramStore>();

    int n() const { return layout.n; }
    int m() const { return static_cast<int>(rows.size()); }
    bool is_large() const { return large; }
    DynamicsOutputs outputs_of_dynamics() const {
        const auto count = static_cast<std::size_t>(n());
        DynamicsOutputs at;
        at.Q = mass_entries.size();
        at.C = at.Q + count;
        at.A = at.C + (has_nonideal ? count : 0);
        at.b = at.A + row_entries.size();
        at.power = at.b + rows.size();
        at.D = at.power + 1;
        at.end = at.D + control_entries.size();
        return at;
    }
    /// The rows of constraints, without the stick rows.
    std::span<const mech::Row> constraints() const {
        return std::span(rows).first(static_cast<std::size_t>(constraint_rows));
    }

    /// Some switch depends on reactions.
    bool switches_by_reactions() const {
        return std::any_of(switches.begin(), switches.end(),
                           [](const Switch& one) { return one.of == Switch::Of::kReactions; });
    }

    /// Adds the symbols of the switches to the model's graph.
    static CompiledModel compile(mech::Model& model, const mech::Equations& equations);
};

}  // namespace ananke::compile
