#include "compile/coordinate_kinds.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "sym/walk.h"

namespace ananke::compile {
namespace {

using sym::Expr;
using sym::Op;

/// Disjoint sets of coordinates.
class Sets {
  public:
    explicit Sets(int n) : parent_(static_cast<std::size_t>(n)) {
        std::iota(parent_.begin(), parent_.end(), 0);
    }
    int find(int i) {
        while (parent_[at(i)] != i) {
            i = parent_[at(i)] = parent_[at(parent_[at(i)])];
        }
        return i;
    }
    void unite(int i, int j) {
        const int a = find(i);
        const int b = find(j);
        parent_[at(std::max(a, b))] = std::min(a, b);
    }

  private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    std::vector<int> parent_;
};

/// Disjoint sets of coordinates of one kind; what geometry knows to be of different kinds stays so.
class Kinds {
  public:
    enum class Known : std::uint8_t { kNone, kLength, kAngle, kQuaternion };

    explicit Kinds(int n) : sets_(n), known_(static_cast<std::size_t>(n), Known::kNone) {}

    int find(int i) { return sets_.find(i); }
    bool turns(int i) {
        const Known known = known_[at(sets_.find(i))];
        return known == Known::kAngle || known == Known::kQuaternion;
    }
    void unite(int i, int j) {
        const int a = sets_.find(i);
        const int b = sets_.find(j);
        const Known of_a = known_[at(a)];
        const Known of_b = known_[at(b)];
        if (of_a == Known::kNone || of_b == Known::kNone || of_a == of_b) {
            sets_.unite(a, b);
            known_[at(std::min(a, b))] = of_a == Known::kNone ? of_b : of_a;
        }
    }
    /// Joins a coordinate to all others of a kind that geometry knows.
    void join(Known kind, int coordinate) {
        Known& known = known_[at(sets_.find(coordinate))];
        known = known == Known::kNone ? kind : known;
        int& first = first_[static_cast<std::size_t>(kind)];
        first = first < 0 ? coordinate : first;
        unite(first, coordinate);
    }

  private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    Sets sets_;
    std::vector<Known> known_;  ///< of the set whose first member it is
    std::array<int, 4> first_{-1, -1, -1, -1};
};

/// A term that has the unit of a power of one coordinate, or of its velocity.
struct Term {
    int coordinate;
    bool velocity;
    double power;
};

/// Unites the coordinates that sums add up, and the angles, of which sines and cosines are taken,
/// over all that the roots depend on.
class SumReader {
  public:
    SumReader(const mech::Model& model, Kinds& kinds) : graph_(model.graph), kinds_(kinds) {
        for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
            symbols_.emplace(model.coordinates[i].q, Term{static_cast<int>(i), false, 1.0});
            symbols_.emplace(model.coordinates[i].v, Term{static_cast<int>(i), true, 1.0});
        }
    }

    void read(std::span<const Expr> roots) {
        for (const Expr e : sym::reachable(graph_, roots)) {
            if (const std::optional<Term> term = term_of(e)) {
                terms_.emplace(e, *term);
            }
        }
    }

  private:
    std::optional<Term> term(std::uint32_t index) const {
        const auto found = terms_.find(Expr{index});
        return found == terms_.end() ? std::nullopt : std::optional(found->second);
    }

    std::optional<Term> term_of(Expr e) {
        const sym::Node node = graph_.node(e);
        switch (node.op) {
            case Op::kSymbol: {
                const auto found = symbols_.find(e);
                return found == symbols_.end() ? std::nullopt : std::optional(found->second);
            }
            case Op::kNeg:
            case Op::kAbs:
                return term(node.a);
            case Op::kSqrt:
                return power(term(node.a), 0.5);
            case Op::kPow: {
                const Expr exponent{node.b};
                return graph_.is_constant(exponent)
                           ? power(term(node.a), graph_.constant(exponent).value)
                           : std::nullopt;
            }
            case Op::kSin:
            case Op::kCos:
            case Op::kTan:
                note_angle(term(node.a));
                return std::nullopt;
            case Op::kMul:
                return graph_.is_constant(Expr{node.a}) ? term(node.b) : std::nullopt;
            case Op::kAdd:
            case Op::kSub:
            case Op::kMin:
            case Op::kMax:
                return sum(term(node.a), term(node.b));
            default:
                return std::nullopt;
        }
    }

    static std::optional<Term> power(std::optional<Term> base, double exponent) {
        if (base) {
            base->power *= exponent;
        }
        return base;
    }

    std::optional<Term> sum(const std::optional<Term>& a, const std::optional<Term>& b) {
        if (a && b && a->velocity == b->velocity && a->power == b->power) {
            kinds_.unite(a->coordinate, b->coordinate);
        }
        return a ? a : b;
    }

    void note_angle(const std::optional<Term>& argument) {
        if (argument && !argument->velocity && argument->power == 1.0) {
            kinds_.join(Kinds::Known::kAngle, argument->coordinate);
        }
    }

    const sym::Graph& graph_;
    Kinds& kinds_;
    std::unordered_map<Expr, Term> symbols_, terms_;
};

/// Coordinates that bodies and points tell the kind of.
void unite_by_geometry(const mech::Model& model, const mech::Equations& equations, Kinds& kinds) {
    std::unordered_map<Expr, int> coordinate_of;
    for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
        coordinate_of.emplace(model.coordinates[i].q, static_cast<int>(i));
    }
    for (const mech::Body& body : model.bodies) {
        if (body.kind == mech::Body::Kind::kPlanar) {
            kinds.join(Kinds::Known::kAngle, body.first + 2);
        }
        for (int k = 3; body.kind == mech::Body::Kind::kSpatial && k < 7; ++k) {
            kinds.join(Kinds::Known::kQuaternion, body.first + k);
        }
    }
    for (const mech::PointKinematics& point : equations.points) {
        for (const Expr component : point.position) {
            if (const auto found = coordinate_of.find(component); found != coordinate_of.end()) {
                kinds.join(Kinds::Known::kLength, found->second);
            }
        }
    }
}

void unite_by_sums(const mech::Model& model, const mech::Equations& equations, Kinds& kinds) {
    std::size_t of_bodies = 0;
    for (const mech::Body& body : model.bodies) {
        of_bodies += body.kind == mech::Body::Kind::kSpatial  ? 7
                     : body.kind == mech::Body::Kind::kPlanar ? 3
                                                              : 0;
    }
    if (of_bodies == model.coordinates.size()) {
        return;
    }
    std::vector<Expr> roots{equations.kinetic, equations.potential};
    for (const mech::Row& row : equations.rows) {
        roots.push_back(row.residual);
    }
    roots.insert(roots.end(), equations.Q.begin(), equations.Q.end());
    SumReader(model, kinds).read(roots);
}

/// Coordinates that inertia, constraints or forces couple.
Sets coupled_sets(const mech::Model& model, const mech::Equations& equations) {
    Sets sets(equations.n);
    for (const mech::MassEntry& entry : equations.M) {
        sets.unite(entry.row, entry.column);
    }
    for (const mech::Row& row : equations.rows) {
        for (const mech::Entry& entry : row.A) {
            sets.unite(row.A.front().column, entry.column);
        }
    }
    std::unordered_map<Expr, int> coordinate_of;
    for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
        coordinate_of.emplace(model.coordinates[i].q, static_cast<int>(i));
        coordinate_of.emplace(model.coordinates[i].v, static_cast<int>(i));
    }
    for (const std::vector<Expr>* forces : {&equations.Q, &equations.C}) {
        for (std::size_t i = 0; i < forces->size(); ++i) {
            for (const Expr symbol : sym::symbols_of(model.graph, (*forces)[i])) {
                if (const auto found = coordinate_of.find(symbol); found != coordinate_of.end()) {
                    sets.unite(static_cast<int>(i), found->second);
                }
            }
        }
    }
    return sets;
}

}  // namespace

CoordinateKinds coordinate_kinds(const mech::Model& model, const mech::Equations& equations) {
    Kinds kinds(equations.n);
    unite_by_geometry(model, equations, kinds);
    unite_by_sums(model, equations, kinds);
    Sets coupled = coupled_sets(model, equations);
    std::unordered_map<std::int64_t, int> numbers;
    CoordinateKinds result;
    for (int i = 0; i < equations.n; ++i) {
        const std::int64_t both =
            static_cast<std::int64_t>(kinds.find(i)) * equations.n + coupled.find(i);
        result.of.push_back(
            numbers.try_emplace(both, static_cast<int>(numbers.size())).first->second);
        result.turns.push_back(kinds.turns(i));
    }
    return result;
}

}  // namespace ananke::compile
