// Partial velocities and partial accelerations of points: coefficients of the motion variables and
// of their rates in the vectors that describe the motion, RH (10)-(12), (71)-(76).
#include <algorithm>

#include "sym/differentiate.h"
#include "typeset/minimal_writer.h"

namespace ananke::typeset {

using mech::BodyKinematics, mech::PointKinematics;

MinimalWriter::Slopes MinimalWriter::slopes_of(std::string name, const Vec3& velocity,
                                               const Vec3& acceleration) {
    Slopes slopes{std::move(name), {}, {}, {}};
    for (std::size_t k = 0; k < 3; ++k) {
        for (const Expr symbol : sym::symbols_of(g_, velocity[k])) {
            const auto found = std::find_if(model_.coordinates.begin(), model_.coordinates.end(),
                                            [&](const Coordinate& c) { return c.v == symbol; });
            if (found != model_.coordinates.end()) {
                slopes.by_velocity.at(k).push_back(
                    {static_cast<int>(found - model_.coordinates.begin()),
                     shorter(sym::derivative(g_, velocity[k], symbol))});
            }
        }
        slopes.remainder[k] = shorter(at_rest(velocity[k]));
        slopes.acceleration_remainder[k] =
            shorter(sym::without(g_, acceleration[k], sym::SymbolKind::kAcceleration));
    }
    return slopes;
}

namespace {

bool moves(const std::array<std::vector<Entry>, 3>& by_velocity) {
    return std::any_of(by_velocity.begin(), by_velocity.end(),
                       [](const std::vector<Entry>& s) { return !s.empty(); });
}

}  // namespace

std::vector<MinimalWriter::Slopes> MinimalWriter::point_slopes() {
    std::vector<Slopes> result;
    for (std::size_t p = 0; p < equations_.points.size(); ++p) {
        const PointKinematics& point = equations_.points[p];
        const int body = model_.points[p].body;
        if (body >= 0 && model_.bodies[body].centre != static_cast<int>(p)) {
            continue;  // moves with the centre and the angular velocity, RH (74)
        }
        Slopes slopes = slopes_of(point.name, point.velocity, point.acceleration);
        if (moves(slopes.by_velocity)) {
            result.push_back(std::move(slopes));
        }
    }
    return result;
}

std::vector<MinimalWriter::Slopes> MinimalWriter::body_slopes() {
    std::vector<Slopes> result;
    for (const BodyKinematics& body : equations_.bodies) {
        Slopes slopes = slopes_of(body.name, body.omega, body.alpha);
        if (moves(slopes.by_velocity)) {
            result.push_back(std::move(slopes));
        }
    }
    return result;
}

/// d velocity / dq' times a column over the coordinates, for each variable; zero vectors are left
/// out.
void MinimalWriter::show_vectors(const Slopes& slopes, const Label& letter, const Grid& columns,
                                 const Indices& variables, bool rates, const Vec3& remainder) {
    const Label point({sym::SymbolKind::kParameter, slopes.name});
    const auto zero = [&](const Vec3& v) {
        return std::all_of(v.begin(), v.end(), [&](Expr e) { return g_.is_zero(e); });
    };
    for (std::size_t j = 0; j < variables.size(); ++j) {
        Vec3 vector{};
        for (std::size_t k = 0; k < 3; ++k) {
            Exprs terms;
            for (const Entry& entry : slopes.by_velocity.at(k)) {
                terms.push_back(g_.mul(entry.value, columns(entry.column, j)));
            }
            vector[k] = shorter(sheet_.sum(terms));
        }
        const MotionVariable& u = variables_[variables[j]];
        if (!zero(vector)) {
            sheet_.show(joined(letter, point, rates ? u.rate_label : u.label), vector);
        }
    }
    if (!zero(remainder)) {
        sheet_.show(joined(letter, point, "t"), remainder);
    }
}

/// Velocities in which the linear constraints are accounted for, the others not: RH after (30).
void MinimalWriter::show_partial_velocities() {
    Indices quasi = independent_;
    quasi.insert(quasi.end(), nonlinear_dependent_.begin(), nonlinear_dependent_.end());
    std::sort(quasi.begin(), quasi.end());
    Grid by_variable(variables_.size(), quasi.size(), g_.zero());
    for (std::size_t r = 0; r < quasi.size(); ++r) {
        by_variable(quasi[r], r) = g_.one();
        for (std::size_t l = 0; l < linear_.size(); ++l) {
            by_variable(linear_dependent_[l], r) = g_.neg(velocity_rows_->A(l, quasi[r]));
        }
    }
    Exprs given(variables_.size(), g_.zero());
    for (std::size_t l = 0; l < linear_.size(); ++l) {
        given[linear_dependent_[l]] = velocity_right_[l];
    }
    Grid columns(n_, quasi.size(), g_.zero());
    Exprs rest;
    for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t r = 0; r < quasi.size(); ++r) {
            columns(i, r) = sheet_.dot(W_.row(i), by_variable.column(r));
        }
        rest.push_back(add(w_[i], sheet_.dot(W_.row(i), given)));
    }
    show_partials(point_slopes(),
                  {"Partial velocities",
                   "velocity(P) = sum of v[P,u]*u + v[P,t], zeros not listed",
                   "\\mathbf{v}^{P} = \\sum_r \\tilde{\\mathbf{v}}^{P}_{r} u_{r} + "
                   "\\tilde{\\mathbf{v}}^{P}_{t}",
                   "RH (10), (12)",
                   {}},
                  {"v", "\\tilde{\\mathbf{v}}", "v"}, columns, quasi, false, rest);
    show_partials(body_slopes(),
                  {"Partial angular velocities",
                   "omega(B) = sum of omega[B,u]*u + omega[B,t], zeros not listed",
                   "\\boldsymbol{\\omega}^{B} = \\sum_r \\tilde{\\boldsymbol{\\omega}}^{B}_{r} "
                   "u_{r} + \\tilde{\\boldsymbol{\\omega}}^{B}_{t}",
                   "RH (82)",
                   {}},
                  {"omega", "\\tilde{\\boldsymbol{\\omega}}", "omega"}, columns, quasi, false,
                  rest);
}

void MinimalWriter::show_partial_accelerations() {
    show_partials(point_slopes(),
                  {"Partial accelerations",
                   "acceleration(P) = sum of a[P,u']*u' + a[P,t], zeros not listed",
                   "\\mathbf{a}^{P} = \\sum_r \\tilde{\\mathbf{a}}^{P}_{r}\\dot{u}_{r} + "
                   "\\tilde{\\mathbf{a}}^{P}_{t}",
                   "RH (11)",
                   {}},
                  {"a", "\\tilde{\\mathbf{a}}", "a"}, N_, independent_, true, a_p_);
    show_partials(
        body_slopes(),
        {"Partial angular accelerations",
         "alpha(B) = sum of alpha[B,u']*u' + alpha[B,t], zeros not listed",
         "\\boldsymbol{\\alpha}^{B} = \\sum_r \\tilde{\\boldsymbol{\\alpha}}^{B}_{r}\\dot{u}_{r} + "
         "\\tilde{\\boldsymbol{\\alpha}}^{B}_{t}",
         "RH (71)",
         {}},
        {"alpha", "\\tilde{\\boldsymbol{\\alpha}}", "alpha"}, N_, independent_, true, a_p_);
}

/// `rest`: what the columns leave of q', or of q''.
void MinimalWriter::show_partials(const std::vector<Slopes>& all, const Stage& stage,
                                  const Label& letter, const Grid& columns,
                                  const Indices& variables, bool rates, const Exprs& rest) {
    if (all.empty()) {
        return;
    }
    sheet_.begin(stage.title, stage.formula, stage.latex, stage.source);
    for (const Slopes& slopes : all) {
        Vec3 remainder{};
        for (std::size_t k = 0; k < 3; ++k) {
            Exprs terms{rates ? slopes.acceleration_remainder[k] : slopes.remainder[k]};
            for (const Entry& entry : slopes.by_velocity.at(k)) {
                terms.push_back(g_.mul(entry.value, rest[entry.column]));
            }
            remainder[k] = shorter(sheet_.sum(terms));
        }
        show_vectors(slopes, letter, columns, variables, rates, remainder);
    }
}

}  // namespace ananke::typeset
