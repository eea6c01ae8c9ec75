#include "dynamics/actuation.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/text.h"

namespace ananke::dynamics {
namespace {

/// Regularity below which a run that cannot go on is told about it.
constexpr double kWeakHold = 1e-3;
constexpr int kBisections = 60;
/// Parts of a direction below this share of the largest are rounding.
constexpr double kNegligible = 1e-8;

template <class List, class Item>
void add_once(List& list, const Item& item) {
    if (std::find(list.begin(), list.end(), item) == list.end()) {
        list.push_back(item);
    }
}

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

/// The constraint is among those whose reactions are written.
bool has_power(const compile::CompiledModel& model, int constraint) {
    for (std::size_t i = 0; i < model.constraints().size(); ++i) {
        if (model.rows[i].constraint == constraint && model.reactions.row_owner[i] >= 0) {
            return true;
        }
    }
    return false;
}

/// "(0.98, 0, -0.199)": unit length, its first part positive.
std::string direction_text(Eigen::Vector3d direction) {
    direction.normalize();
    for (double& part : direction) {
        part = std::abs(part) < kNegligible ? 0.0 : part;
    }
    for (const double part : direction) {
        if (part != 0.0) {
            direction *= part < 0.0 ? -1.0 : 1.0;
            break;
        }
    }
    return fmt::format("({}, {}, {})", to_short_text(direction[0] + 0.0),
                       to_short_text(direction[1] + 0.0), to_short_text(direction[2] + 0.0));
}

/// "path[1] - 2 path[3]" of the rows that take part, the largest weight being 1.
std::string combination_text(const compile::CompiledModel& model, const Eigen::VectorXd& weights) {
    Eigen::Index largest = 0;
    weights.cwiseAbs().maxCoeff(&largest);
    std::string text;
    for (Eigen::Index i = 0; i < weights.size(); ++i) {
        const double c = weights[i] / weights[largest];
        if (std::abs(c) < kNegligible) {
            continue;
        }
        const std::string size = to_short_text(std::abs(c));
        text += c < 0.0 ? (text.empty() ? "-" : " - ") : (text.empty() ? "" : " + ");
        text += (size == "1" ? "" : size + " ") + model.rows[static_cast<std::size_t>(i)].name;
    }
    return text;
}

/// ", only along (0, 0, 1)" where the controls move a point on one line: the z with W_j . z = r_j.
std::string reach_text(const compile::CompiledModel& model, const solve::ControlGap& gap, int point,
                       std::span<const double> vectors) {
    std::vector<Eigen::Vector4d> equations;
    for (std::size_t k = 0; k < model.aims.size() && gap.reach.cols() == 1; ++k) {
        if (model.aims[k].point == point) {
            const double* W = vectors.data() + 3 * (model.controls.size() + k);
            equations.emplace_back(W[0], W[1], W[2], gap.reach(model.aims[k].row, 0));
        }
    }
    Eigen::MatrixX3d W(static_cast<Eigen::Index>(equations.size()), 3);
    Eigen::VectorXd r(W.rows());
    for (Eigen::Index k = 0; k < W.rows(); ++k) {
        W.row(k) = equations[static_cast<std::size_t>(k)].head<3>();
        r[k] = equations[static_cast<std::size_t>(k)][3];
    }
    if (equations.size() < 2) {
        return "";
    }
    const Eigen::Vector3d z = W.completeOrthogonalDecomposition().solve(r);
    return z.norm() > 0.0 ? fmt::format(", only along {}", direction_text(z)) : "";
}

/// What of the prescribed motion no control influences.
std::string missing_text(const compile::CompiledModel& model, const solve::ControlGap& gap,
                         std::span<const double> vectors) {
    const Eigen::VectorXd weights = gap.missing.col(0);
    std::map<int, Eigen::Vector3d> points;
    bool by_points = true;
    const double largest = weights.cwiseAbs().maxCoeff();
    std::vector<bool> seen(model.rows.size(), false);
    for (std::size_t k = 0; k < model.aims.size(); ++k) {
        const auto [row, point] = model.aims[k];
        seen[at(row)] = true;
        const double* W = vectors.data() + 3 * (model.controls.size() + k);
        Eigen::Vector3d& sum = points.emplace(point, Eigen::Vector3d::Zero()).first->second;
        sum += weights[row] * Eigen::Vector3d(W[0], W[1], W[2]);
    }
    int rows = 0;
    for (std::size_t i = 0; i < model.rows.size(); ++i) {
        const bool takes_part =
            std::abs(weights[static_cast<Eigen::Index>(i)]) > kNegligible * largest;
        rows += takes_part ? 1 : 0;
        by_points = by_points && (!takes_part || seen[i]);
    }
    double longest = 0.0;
    for (const auto& [point, direction] : points) {
        longest = std::max(longest, direction.norm());
    }
    std::erase_if(points,
                  [&](const auto& item) { return !(item.second.norm() > kNegligible * longest); });
    if (by_points && points.size() == 1) {
        const auto& [point, direction] = *points.begin();
        return fmt::format("no control accelerates {} in the direction {}{}",
                           model.point_names[at(point)], direction_text(direction),
                           reach_text(model, gap, point, vectors));
    }
    if (rows == 1) {
        return "no control accelerates what it prescribes";
    }
    return fmt::format("no control influences {}", combination_text(model, weights));
}

std::vector<std::string> servo_names(const compile::CompiledModel& model,
                                     const Eigen::VectorXd& weights) {
    const double largest = weights.cwiseAbs().maxCoeff();
    std::vector<std::string> names;
    for (std::size_t i = 0; i < model.rows.size(); ++i) {
        if (std::abs(weights[static_cast<Eigen::Index>(i)]) > kNegligible * largest) {
            add_once(names, model.constraint_names[at(model.rows[i].constraint)]);
        }
    }
    return names;
}

/// Controls that take part in a combination, each with its place in the text.
std::vector<std::string> controls_in(const compile::CompiledModel& model,
                                     const Eigen::VectorXd& weights, bool described) {
    const double largest = weights.cwiseAbs().maxCoeff();
    std::vector<std::string> names;
    for (std::size_t k = 0; k < model.controls.size(); ++k) {
        if (std::abs(weights[static_cast<Eigen::Index>(k)]) > kNegligible * largest) {
            const mech::Control& control = model.controls[k];
            const std::string& name = described ? control.description : control.name;
            names.push_back(control.place.empty() ? name
                                                  : fmt::format("{} at {}", name, control.place));
        }
    }
    return names;
}

}  // namespace

ControlColumns::ControlColumns(const compile::CompiledModel& model) : model_(&model) {
    for (const mech::Control& control : model.controls) {
        if (control.kind != mech::Actuator::Kind::kCoordinateForce &&
            std::none_of(pushes_.begin(), pushes_.end(), [&](const Push& push) {
                return push.constraint == control.constraint && push.kind == control.kind &&
                       push.target == control.target_name;
            })) {
            pushes_.push_back({control.constraint, control.kind, control.target_name});
        }
    }
    for (const mech::Row& row : model.rows) {
        if (!row.servo) {
            continue;
        }
        if (!has_power(model, row.constraint)) {
            add_once(powers_, row.constraint);
        }
        for (const mech::Entry& entry : row.A) {
            if (!row.actuated && std::none_of(ideal_.begin(), ideal_.end(), [&](const Ideal& one) {
                    return one.constraint == row.constraint && one.coordinate == entry.column;
                })) {
                ideal_.push_back({row.constraint, entry.column});
            }
        }
    }
    control_values_.resize(model.controls.size() + ideal_.size());
    force_values_.resize(3 * pushes_.size() + powers_.size());
}

std::vector<Column> ControlColumns::controls() const {
    std::vector<Column> columns;
    for (const mech::Control& control : model_->controls) {
        columns.push_back({fmt::format("control[{}]", control.name), ColumnKind::kControl});
    }
    for (const Ideal& one : ideal_) {
        columns.push_back(
            {fmt::format("control[{}:{}]", model_->constraint_names[at(one.constraint)],
                         model_->coordinate_names[at(one.coordinate)]),
             ColumnKind::kControl});
    }
    return columns;
}

std::vector<Column> ControlColumns::forces() const {
    std::vector<Column> columns;
    for (const Push& push : pushes_) {
        for (const char axis : {'x', 'y', 'z'}) {
            const bool torque = push.kind == mech::Actuator::Kind::kBodyTorque;
            columns.push_back(
                {fmt::format("{}[{}:{}].{}", torque ? "torque" : "force",
                             model_->constraint_names[at(push.constraint)], push.target, axis),
                 ColumnKind::kPointForce});
        }
    }
    for (const int constraint : powers_) {
        columns.push_back({fmt::format("power[{}]", model_->constraint_names[at(constraint)]),
                           ColumnKind::kPointForce});
    }
    return columns;
}

void ControlColumns::fill(Evaluator& evaluator, const MotionSolver& dynamics, double t,
                          const double* q, const double* v) {
    if (control_values_.empty() && force_values_.empty()) {
        return;
    }
    const compile::CompiledModel& model = *model_;
    std::fill(control_values_.begin(), control_values_.end(), 0.0);
    std::fill(force_values_.begin(), force_values_.end(), 0.0);
    const compile::SparseValues at_state = evaluator.sparse_system(t, q, v);
    double* powers = force_values_.data() + 3 * pushes_.size();
    const auto add_power = [&](int constraint, double power) {
        const auto place = std::find(powers_.begin(), powers_.end(), constraint);
        if (place != powers_.end()) {
            powers[place - powers_.begin()] += power;
        }
    };
    for (std::size_t i = 0; i < at_state.A.size(); ++i) {
        const auto [row, coordinate] = model.row_entries[i];
        const mech::Row& servo = model.rows[at(row)];
        if (!servo.servo || servo.actuated) {
            continue;
        }
        const double force = dynamics.lambda()[row] * at_state.A[i];
        for (std::size_t k = 0; k < ideal_.size(); ++k) {
            if (ideal_[k].constraint == servo.constraint && ideal_[k].coordinate == coordinate) {
                control_values_[model.controls.size() + k] += force;
            }
        }
        add_power(servo.constraint, force * v[coordinate]);
    }
    std::copy_n(dynamics.u().data(), model.controls.size(), control_values_.begin());
    for (std::size_t i = 0; i < at_state.D.size(); ++i) {
        const auto [control, coordinate] = model.control_entries[i];
        add_power(model.controls[at(control)].constraint,
                  control_values_[at(control)] * at_state.D[i] * v[coordinate]);
    }
    if (pushes_.empty()) {
        return;
    }
    const std::span<const double> vectors = evaluator.control_vectors(t, q, v);
    for (std::size_t k = 0; k < model.controls.size(); ++k) {
        for (std::size_t p = 0; p < pushes_.size(); ++p) {
            const mech::Control& control = model.controls[k];
            if (pushes_[p].constraint == control.constraint && pushes_[p].kind == control.kind &&
                pushes_[p].target == control.target_name) {
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    force_values_[3 * p + axis] += control_values_[k] * vectors[3 * k + axis];
                }
            }
        }
    }
}

int ControlWatch::orientation(Evaluator& evaluator, double t, std::span<const double> y) {
    const double* const v = y.data() + evaluator.model().n();
    static_cast<void>(solver_->solve(evaluator.sparse_system(t, y.data(), v), *motion_));
    return solver_->orientation();
}

void ControlWatch::start(Evaluator& evaluator, double t, std::span<const double> y) {
    if (evaluator.model().controls.empty()) {
        return;
    }
    if (!solver_) {  // dense output leaves the constraints a little
        solver_ = make_kkt_solver(evaluator, Mismatch::kIsDrift, solve::Wanted::kMotion);
        motion_.emplace(evaluator.model());
    }
    y_.assign(y.begin(), y.end());
    last_ = orientation(evaluator, t, y);
}

std::optional<double> ControlWatch::after_step(Evaluator& evaluator, ode::Stepper& stepper) {
    if (!solver_) {
        return std::nullopt;
    }
    const int now = orientation(evaluator, stepper.t(), stepper.y());
    if (now == last_) {
        return std::nullopt;
    }
    double before = stepper.t_previous();
    double after = stepper.t();
    for (int i = 0; i < kBisections; ++i) {
        const double middle = before + 0.5 * (after - before);
        if (middle <= before || middle >= after || stepper.dense(middle, y_) != ode::Status::kOk) {
            break;
        }
        (orientation(evaluator, middle, y_) == last_ ? before : after) = middle;
    }
    return after;
}

Error explain_controls(Evaluator& evaluator, double t, const double* q, const double* v,
                       double tolerance) {
    const compile::CompiledModel& model = evaluator.model();
    const std::unique_ptr<KktSolver> solver =
        make_kkt_solver(evaluator, Mismatch::kIsDrift, solve::Wanted::kMotion);
    Motion motion(model);
    static_cast<void>(solver->solve(evaluator.sparse_system(t, q, v), motion));
    const solve::ControlGap gap = solver->control_gap(tolerance);
    const std::span<const double> vectors = evaluator.control_vectors(t, q, v);
    std::string text;
    if (gap.missing.cols() > 0) {
        const Eigen::VectorXd weights = gap.missing.col(0);
        const std::vector<std::string> servos = servo_names(model, weights);
        text = fmt::format("the servo{} {} cannot be enforced by {} actuators: {}",
                           servos.size() == 1 ? "" : "s", join_names(servos),
                           servos.size() == 1 ? "its" : "their", missing_text(model, gap, vectors));
        if (gap.missing.cols() > 1) {
            text += fmt::format(" (and {} more direction{})", gap.missing.cols() - 1,
                                gap.missing.cols() == 2 ? "" : "s");
        }
        if (gap.idle.cols() > 0) {
            const std::vector<std::string> idle = controls_in(model, gap.idle.col(0), true);
            text += fmt::format("; {} {} without influence on what is prescribed", join_names(idle),
                                idle.size() == 1 ? "is" : "are together");
        } else if (gap.servo_rank > static_cast<int>(model.controls.size())) {
            text += fmt::format("; {} independent equations have {} actuator{}", gap.servo_rank,
                                model.controls.size(), model.controls.size() == 1 ? "" : "s");
        }
    } else if (gap.idle.cols() > 0) {
        const std::vector<std::string> idle = controls_in(model, gap.idle.col(0), false);
        text = fmt::format(
            "the controls are not unique: {} can push without changing what the servos prescribe; "
            "leave out an actuator",
            join_names(idle));
    } else {
        Eigen::VectorXd actuated = Eigen::VectorXd::Zero(model.m());
        actuated(model.actuated_rows).setOnes();
        text = fmt::format(
            "the actuators of {} have nearly no influence on what is prescribed any more",
            join_names(servo_names(model, actuated)));
    }
    return {ErrorCode::kNotControlled, text};
}

std::string controls_nearly_lost(Evaluator& evaluator, double t, const double* q, const double* v) {
    const compile::CompiledModel& model = evaluator.model();
    if (model.controls.empty()) {
        return "";
    }
    const std::unique_ptr<KktSolver> solver =
        make_kkt_solver(evaluator, Mismatch::kIsDrift, solve::Wanted::kMotion);
    Motion motion(model);
    const solve::SolveStatus status = solver->solve(evaluator.sparse_system(t, q, v), motion);
    if (status != solve::SolveStatus::kNotControlled && solver->regularity() > kWeakHold) {
        return "";
    }
    return fmt::format("; near there {}",
                       explain_controls(evaluator, t, q, v, 10.0 * kWeakHold).message);
}

}  // namespace ananke::dynamics
