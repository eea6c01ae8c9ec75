#include "simulate/row_writer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace ananke::simulate {
namespace {

/// force[c:P].x and its like, for one target of a constraint or joint.
void add_target(std::vector<Column>& columns, const compile::ReactionMap& map,
                const compile::ReactionMap::Target& target) {
    const std::string& owner = map.owners[static_cast<std::size_t>(target.owner)].name;
    const auto vector = [&](const char* what, const std::string& on) {
        for (const char axis : {'x', 'y', 'z'}) {
            columns.push_back(
                {fmt::format("{}[{}:{}].{}", what, owner, on, axis), ColumnKind::kPointForce});
        }
    };
    const std::string own_axes = fmt::format("{0} in {0}", target.name);
    if (target.force) {
        vector("force", target.name);
    }
    if (target.torque) {
        vector("torque", target.name);
    }
    if (target.force && target.turns) {
        vector("force", own_axes);
    }
    if (target.torque && target.turns) {
        vector("torque", own_axes);
    }
}

}  // namespace

std::vector<Column> columns_of(const compile::CompiledModel& model, bool principle) {
    std::vector<Column> columns{{"t", ColumnKind::kTime}};
    const auto per_coordinate = [&](const char* pattern, ColumnKind kind) {
        for (const std::string& name : model.coordinate_names) {
            columns.push_back({fmt::format(fmt::runtime(pattern), name), kind});
        }
    };
    const auto per_row = [&](const char* pattern, ColumnKind kind) {
        for (const mech::Row& row : model.constraints()) {
            columns.push_back({fmt::format(fmt::runtime(pattern), row.name), kind});
        }
    };
    per_coordinate("{}", ColumnKind::kPosition);
    per_coordinate("{}'", ColumnKind::kVelocity);
    per_coordinate("{}''", ColumnKind::kAcceleration);
    per_coordinate("Qc[{}]", ColumnKind::kForce);
    if (model.has_nonideal) {
        per_coordinate("Qc_ideal[{}]", ColumnKind::kForce);
        per_coordinate("Qc_nonideal[{}]", ColumnKind::kForce);
    }
    for (const mech::Row& row : model.constraints()) {
        if (!row.actuated) {
            columns.push_back({fmt::format("lambda[{}]", row.name), ColumnKind::kMultiplier});
        }
    }
    const dynamics::ControlColumns controls(model);
    const auto append = [&columns](const std::vector<Column>& more) {
        columns.insert(columns.end(), more.begin(), more.end());
    };
    append(controls.controls());
    per_row("residual[{}]", ColumnKind::kResidual);
    per_row("residual_rate[{}]", ColumnKind::kResidual);

    for (const compile::ReactionMap::Target& target : model.reactions.targets) {
        add_target(columns, model.reactions, target);
    }
    for (const compile::ReactionMap::Owner& owner : model.reactions.owners) {
        columns.push_back({fmt::format("power[{}]", owner.name), ColumnKind::kPointForce});
    }
    append(controls.forces());
    for (const compile::CompiledFriction& friction : model.frictions) {
        for (int k = 0; k < friction.components; ++k) {
            const int row = friction.first_row + k;
            columns.push_back(
                {model.rows[static_cast<std::size_t>(row)].name, ColumnKind::kPointForce});
        }
    }
    for (const char* name : {"kinetic", "potential", "energy", "energy_balance"}) {
        columns.push_back({name, ColumnKind::kEnergy});
    }
    for (const mech::NamedExpr& output : model.outputs) {
        columns.push_back({output.name, ColumnKind::kOutput});
    }
    if (principle) {
        per_coordinate("a0[{}]", ColumnKind::kPrinciple);
        per_coordinate("deviation[{}]", ColumnKind::kPrinciple);
        per_row("e[{}]", ColumnKind::kPrinciple);
    }
    return columns;
}

RowWriter::RowWriter(dynamics::Evaluator& evaluator, dynamics::MotionSolver& dynamics,
                     bool principle)
    : evaluator_(&evaluator),
      dynamics_(&dynamics),
      reactions_(evaluator.model().reactions),
      controls_(evaluator.model()),
      principle_(principle) {
    const compile::CompiledModel& model = evaluator.model();
    const auto m = static_cast<std::size_t>(model.constraint_rows);
    const auto all_rows = static_cast<std::size_t>(model.m());
    violations_.resize(m);
    rate_.resize(all_rows);
    scale_.resize(all_rows);
    if (principle_) {
        mass_.compute(Eigen::MatrixXd::Identity(model.n(), model.n()));  // takes its memory now
        a0_.resize(model.n());
        deviation_.resize(model.n());
        e_.resize(model.constraint_rows);
    }
}

/// Rows in the velocities: psi' = A a - b over its terms, which may all vanish at an instant: at
/// least over the sizes of A times those of the accelerations. Holonomic rows: phi' over its terms.
void RowWriter::find_violations(double t, const double* q, const double* v) {
    const compile::CompiledModel& model = evaluator_->model();
    evaluator_->residuals(solve::Level::kVelocities, t, q, v, rate_.data(), scale_.data());
    const std::span<const double> residual = evaluator_->scaled_residuals(t, q, v);
    for (std::size_t i = 0; i < violations_.size(); ++i) {
        violations_[i] = {residual[i], rate_[i] / solve::divisor(scale_[i])};
    }
    const compile::SparseValues at = evaluator_->sparse_system(t, q, v);
    const std::span<const double> sizes =
        evaluator_->scales().accelerations_with(dynamics_->a().data());
    largest_.assign(rate_.size(), 0.0);
    for (std::size_t i = 0; i < rate_.size(); ++i) {
        rate_[i] = -at.b[i];
        scale_[i] = std::abs(at.b[i]);
    }
    for (std::size_t i = 0; i < model.row_entries.size(); ++i) {
        const compile::Place& place = model.row_entries[i];
        const auto row = static_cast<std::size_t>(place.row);
        const double term = at.A[i] * dynamics_->a()[place.column];
        rate_[row] += term;
        scale_[row] += std::abs(term);
        largest_[row] += std::abs(at.A[i]) * sizes[static_cast<std::size_t>(place.column)];
    }
    for (std::size_t i = 0; i < violations_.size(); ++i) {
        if (!model.rows[i].holonomic) {
            violations_[i].rate =
                rate_[i] / solve::divisor(std::max(scale_[i], dynamics::kPartOfSize * largest_[i]));
        }
    }
}

void RowWriter::push_reactions(double t, const double* q, const double* v) {
    const compile::ReactionMap& map = evaluator_->model().reactions;
    reactions_.evaluate(
        evaluator_->reactions(t, q, v),
        {dynamics_->lambda().data(), static_cast<std::size_t>(dynamics_->lambda().size())});
    for (std::size_t i = 0; i < map.targets.size(); ++i) {
        const compile::ReactionMap::Target& target = map.targets[i];
        if (target.force) {
            push(reactions_.force(i));
        }
        if (target.torque) {
            push(reactions_.torque(i));
        }
        if (target.force && target.turns) {
            push(reactions_.in_body(i, reactions_.force(i)));
        }
        if (target.torque && target.turns) {
            push(reactions_.in_body(i, reactions_.torque(i)));
        }
    }
    for (std::size_t i = 0; i < map.owners.size(); ++i) {
        row_.push_back(reactions_.power(i));
    }
}

/// friction[c]: the force along the slip, by the law while it slips, by its rows while it sticks.
void RowWriter::fill_frictions(double t, const double* q, const double* v) {
    const compile::CompiledModel& model = evaluator_->model();
    if (model.frictions.empty()) {
        return;
    }
    evaluator_->set_multipliers(dynamics_->lambda().data());
    const std::span<const double> values = evaluator_->friction_values(t, q, v);
    for (const compile::CompiledFriction& friction : model.frictions) {
        for (int k = 0; k < friction.components; ++k) {
            const int force = friction.first_value + friction.components + k;
            row_.push_back(dynamics_->lambda()[friction.first_row + k] -
                           values[static_cast<std::size_t>(force)]);
        }
    }
}

/// a0 = M^-1 Q, deviation = a - a0, e = b - A a0                             UK02 (13), (15)
void RowWriter::fill_principle(double t, const double* q, const double* v) {
    const solve::System at = evaluator_->system(t, q, v);
    mass_.compute(at.M);
    lacks_principle_ = mass_.info() != Eigen::Success;
    for (Eigen::Index i = 0; i < at.M.rows() && !lacks_principle_; ++i) {
        const double pivot = mass_.matrixLLT()(i, i);
        lacks_principle_ = pivot * pivot < solve::kSingularMass * at.M(i, i);
    }
    if (lacks_principle_) {
        a0_.setConstant(std::numeric_limits<double>::quiet_NaN());
    } else {
        a0_ = at.Q;
        mass_.solveInPlace(a0_);
    }
    deviation_ = dynamics_->a() - a0_;
    e_ = at.b.head(e_.size());
    e_.noalias() -= at.A.topRows(e_.size()) * a0_;
}

std::span<const double> RowWriter::fill(double t, const double* q, const double* v, double work) {
    const compile::CompiledModel& model = evaluator_->model();
    const auto n = static_cast<std::size_t>(model.n());
    const auto m = static_cast<std::size_t>(model.constraint_rows);
    dynamics_->share_sticking(t, q, v);
    find_violations(t, q, v);
    controls_.fill(*evaluator_, *dynamics_, t, q, v);

    row_.clear();
    row_.push_back(t);
    push({q, n});
    push({v, n});
    push({dynamics_->a().data(), n});
    push({dynamics_->Qc().data(), n});
    if (model.has_nonideal) {
        push({dynamics_->Qc_ideal().data(), n});
        push({dynamics_->Qc_nonideal().data(), n});
    }
    for (std::size_t i = 0; i < m; ++i) {
        if (!model.rows[i].actuated) {
            row_.push_back(dynamics_->lambda()[static_cast<Eigen::Index>(i)]);
        }
    }
    push(controls_.control_values());
    for (const Violation& violation : violations_) {
        row_.push_back(violation.residual);
    }
    for (const Violation& violation : violations_) {
        row_.push_back(violation.rate);
    }
    push_reactions(t, q, v);
    push(controls_.force_values());
    fill_frictions(t, q, v);

    const dynamics::Energy energy = evaluator_->energy(t, q, v);
    energy_balance_ = energy.h - start_h_ - work;
    push(std::initializer_list<double>{energy.kinetic, energy.potential,
                                       energy.kinetic + energy.potential, energy_balance_});
    evaluator_->set_multipliers(dynamics_->lambda().data());
    push(evaluator_->outputs(t, q, v, dynamics_->a().data()));
    if (principle_) {
        fill_principle(t, q, v);
        for (const Eigen::VectorXd* part : {&a0_, &deviation_, &e_}) {
            push({part->data(), static_cast<std::size_t>(part->size())});
        }
    }
    ANANKE_DEBUG_CHECK(row_.size() == columns().size());
    return row_;
}

}  // namespace ananke::simulate
