// Partial velocities and partial accelerations of points: coefficients of the motion variables and
// of their rates in the vectors that describe the motion, RH (10)-(12), (71)-(76).
#include <algorithm>

#include "base/ranges.h"
#include "sym/differentiate.h"
#include "typeset/minimal_writer.h"

namespace ananke::typeset {

using mech::BodyKinematics, mech::PointKinematics;

MinimalWriter::Slopes MinimalWriter::slopes_of(std::string name, const Vec3& velocity,
                                               const Vec3& acceleration) {
    Slopes slopes{std::move(name), {}, {}, {}};
    for (std::size_t k = 0; k < 3; ++k) {
        for (const Expr symbol : sym::symbols_of(g_, velocity[k])) {
            const auto found = std::ranges::find_if(
                model_.coordinates, [&](const Coordinate& c) { return c.v == symbol; });
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

std::vector<MinimalWriter::Slopes> MinimalWriter::point_slopes() {
    std::vector<Slopes> result;
    for (std::size_t p = 0; p < equations_.points.size(); ++p) {
        const PointKinematics& point = equations_.points[p];
        const int body = model_.points[p].body;
        // Other places of a body move with its centre and its angular velocity, RH (74).
        if (body < 0 || model_.bodies[body].centre == static_cast<int>(p)) {
            result.push_back(slopes_of(point.name, point.velocity, point.acceleration));
        }
    }
    return result;
}

std::vector<MinimalWriter::Slopes> MinimalWriter::body_slopes() {
    return transformed(equations_.bodies, [&](const BodyKinematics& body) {
        return slopes_of(body.name, body.omega, body.alpha);
    });
}

/// start + d velocity / dq' column, component by component.
Vec3 MinimalWriter::combined(const Slopes& slopes, const Vec3& start, const Exprs& column) {
    Vec3 result{};
    for (std::size_t k = 0; k < 3; ++k) {
        Exprs terms{start[k]};
        for (const Entry& entry : slopes.by_velocity.at(k)) {
            terms.push_back(g_.mul(entry.value, column[entry.column]));
        }
        result[k] = shorter(sheet_.sum(terms));
    }
    return result;
}

/// Velocities in which the linear constraints are accounted for, the others not: RH after (30).
void MinimalWriter::show_partial_velocities() {
    Indices quasi = independent_;
    append(quasi, nonlinear_dependent_);
    std::ranges::sort(quasi);
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
    const Partials partials{columns, quasi, &MotionVariable::label, rest, &Slopes::remainder};
    show_partials(point_slopes(),
                  {"Partial velocities",
                   "velocity(P) = sum of v[P,u]*u + v[P,t], zeros not listed",
                   "\\mathbf{v}^{P} = \\sum_r \\tilde{\\mathbf{v}}^{P}_{r} u_{r} + "
                   "\\tilde{\\mathbf{v}}^{P}_{t}",
                   "RH (10), (12)",
                   {}},
                  {"v", "\\tilde{\\mathbf{v}}", "v"}, partials);
    show_partials(body_slopes(),
                  {"Partial angular velocities",
                   "omega(B) = sum of omega[B,u]*u + omega[B,t], zeros not listed",
                   "\\boldsymbol{\\omega}^{B} = \\sum_r \\tilde{\\boldsymbol{\\omega}}^{B}_{r} "
                   "u_{r} + \\tilde{\\boldsymbol{\\omega}}^{B}_{t}",
                   "RH (82)",
                   {}},
                  {"omega", "\\tilde{\\boldsymbol{\\omega}}", "omega"}, partials);
}

void MinimalWriter::show_partial_accelerations() {
    const Partials partials{N_, independent_, &MotionVariable::rate_label, a_p_,
                            &Slopes::acceleration_remainder};
    show_partials(point_slopes(),
                  {"Partial accelerations",
                   "acceleration(P) = sum of a[P,u']*u' + a[P,t], zeros not listed",
                   "\\mathbf{a}^{P} = \\sum_r \\tilde{\\mathbf{a}}^{P}_{r}\\dot{u}_{r} + "
                   "\\tilde{\\mathbf{a}}^{P}_{t}",
                   "RH (11)",
                   {}},
                  {"a", "\\tilde{\\mathbf{a}}", "a"}, partials);
    show_partials(
        body_slopes(),
        {"Partial angular accelerations",
         "alpha(B) = sum of alpha[B,u']*u' + alpha[B,t], zeros not listed",
         "\\boldsymbol{\\alpha}^{B} = \\sum_r \\tilde{\\boldsymbol{\\alpha}}^{B}_{r}\\dot{u}_{r} + "
         "\\tilde{\\boldsymbol{\\alpha}}^{B}_{t}",
         "RH (71)",
         {}},
        {"alpha", "\\tilde{\\boldsymbol{\\alpha}}", "alpha"}, partials);
}

/// Bodies and points that move with the coordinates; vectors that are zero are left out.
void MinimalWriter::show_partials(std::vector<Slopes> all, const Stage& stage, const Label& letter,
                                  const Partials& partials) {
    std::erase_if(all, [](const Slopes& slopes) {
        return std::ranges::all_of(slopes.by_velocity, &std::vector<Entry>::empty);
    });
    if (all.empty()) {
        return;
    }
    sheet_.begin(stage.title, stage.formula, stage.latex, stage.source);
    const Vec3 zero{g_.zero(), g_.zero(), g_.zero()};
    for (const Slopes& slopes : all) {
        const Label point({sym::SymbolKind::kParameter, slopes.name});
        // The rest is built first and shown last.
        const Vec3 rest = combined(slopes, slopes.*partials.remainder, partials.rest);
        for (std::size_t j = 0; j < partials.variables.size(); ++j) {
            const Vec3 vector = combined(slopes, zero, partials.columns.column(j));
            if (vector != zero) {
                const MotionVariable& u = variables_[partials.variables[j]];
                sheet_.show(joined(letter, point, u.*partials.label), vector);
            }
        }
        if (rest != zero) {
            sheet_.show(joined(letter, point, "t"), rest);
        }
    }
}

}  // namespace ananke::typeset
