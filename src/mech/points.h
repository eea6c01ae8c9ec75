// Points and bodies: their motion over the coordinates, and the replacement of their symbols.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mech/equations.h"
#include "mech/model.h"
#include "sym/node_map.h"
#include "sym/repetition.h"
#include "sym/walk.h"

namespace ananke::mech {

/// Symbols that move when time goes on: q at the rate v, v at the rate a, t at the rate 1. Only
/// those that `f` contains, so that the cost is that of f and not of the model.
class TimeFlow {
  public:
    explicit TimeFlow(const Model& model);

    /// df/dt with q' = v and v held fixed: f_q v + f_t.
    Expr along_velocity(sym::Graph& graph, Expr f) const;
    /// df/dt with q' = v and v' = a.
    Expr total(sym::Graph& graph, Expr f) const;

    int coordinate_of(Expr symbol) const;  ///< of q, v or a; -1 for other symbols

  private:
    Expr time_;
    struct Place {
        int coordinate = 0;
        Expr rate;
        bool velocity = false;
    };
    template <class Moves>
    Expr rate(sym::Graph& graph, Expr f, Moves moves) const;

    sym::NodeMap<Place> places_;
    sym::NodeMap<int> accelerations_;
};

/// Motion of every point and body, with the symbols of others replaced.
class PointTable {
  public:
    /// Adds an error per point whose position depends on itself.
    PointTable(Model& model, const TimeFlow& flow, std::vector<Diagnostic>& diagnostics);

    const std::vector<PointKinematics>& points() const { return points_; }
    const std::vector<BodyKinematics>& bodies() const { return bodies_; }

    /// e over coordinates, velocities, accelerations and time.
    Expr replace(sym::Graph& graph, Expr e) const;
    Vec3 replace(sym::Graph& graph, const Vec3& e) const;

    /// e with the symbols of what is at rest, the ground and its places, replaced by numbers.
    Vec3 without_ground(sym::Graph& graph, const Model& model, const Vec3& e) const;

    struct Symbol {
        int point = 0;
        int axis = 0;
        sym::SymbolKind kind = sym::SymbolKind::kPointPosition;
    };
    /// Which component of which point a symbol stands for; null for other symbols.
    const Symbol* find(Expr symbol) const;

    struct BodySymbol {
        int body = 0;
        int axis = 0;  ///< which of its axes; -1: omega or alpha
        int component = 0;
    };
    /// Which component of an axis or of omega a symbol stands for; null for other symbols.
    const BodySymbol* find_body(Expr symbol) const;

  private:
    void add_bodies(Model& model, const TimeFlow& flow);
    PointKinematics motion_of(Model& model, const TimeFlow& flow, const Point& point,
                              sym::Repetition& repetition) const;
    std::vector<int> resolution_order(const Model& model, std::vector<Diagnostic>& diagnostics);

    std::vector<PointKinematics> points_;
    std::vector<BodyKinematics> bodies_;
    sym::NodeMap<Symbol> symbols_;
    sym::NodeMap<BodySymbol> body_symbols_;
    sym::NodeMap<Expr> values_;
};

}  // namespace ananke::mech
