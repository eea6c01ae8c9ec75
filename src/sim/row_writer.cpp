#include "sim/row_writer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace ananke::sim {
namespace {

struct PointForces {
    std::vector<std::pair<int, int>> places;  ///< constraint, point
    std::vector<int> constraints;
};

/// Each pair of constraint and point that a direction joins, in order of appearance.
PointForces point_forces(const CompiledModel& model) {
    PointForces found;
    for (const CompiledModel::RowDirection& direction : model.directions) {
        const int constraint = model.rows[static_cast<std::size_t>(direction.row)].constraint;
        const std::pair<int, int> place{constraint, direction.point};
        if (std::find(found.places.begin(), found.places.end(), place) == found.places.end()) {
            found.places.push_back(place);
        }
        if (std::find(found.constraints.begin(), found.constraints.end(), constraint) ==
            found.constraints.end()) {
            found.constraints.push_back(constraint);
        }
    }
    return found;
}

}  // namespace

std::vector<Column> columns_of(const CompiledModel& model, bool principle) {
    std::vector<Column> columns{{"t", ColumnKind::kTime}};
    const auto per_coordinate = [&](const char* pattern, ColumnKind kind) {
        for (const std::string& name : model.coordinate_names) {
            columns.push_back({fmt::format(fmt::runtime(pattern), name), kind});
        }
    };
    const auto per_row = [&](const char* pattern, ColumnKind kind) {
        for (const mech::Row& row : model.rows) {
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
    per_row("lambda[{}]", ColumnKind::kMultiplier);
    per_row("residual[{}]", ColumnKind::kResidual);
    per_row("residual_rate[{}]", ColumnKind::kResidual);

    const PointForces forces = point_forces(model);
    for (const auto& [constraint, point] : forces.places) {
        for (const char axis : {'x', 'y', 'z'}) {
            columns.push_back(
                {fmt::format("force[{}:{}].{}",
                             model.constraint_names[static_cast<std::size_t>(constraint)],
                             model.point_names[static_cast<std::size_t>(point)], axis),
                 ColumnKind::kPointForce});
        }
    }
    for (const int constraint : forces.constraints) {
        columns.push_back(
            {fmt::format("power[{}]", model.constraint_names[static_cast<std::size_t>(constraint)]),
             ColumnKind::kPointForce});
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

RowWriter::RowWriter(Evaluator& evaluator, Dynamics& dynamics, bool principle)
    : evaluator_(&evaluator),
      dynamics_(&dynamics),
      columns_(columns_of(evaluator.model(), principle)),
      principle_(principle) {
    const CompiledModel& model = evaluator.model();
    const auto m = static_cast<std::size_t>(model.m());
    row_.reserve(columns_.size());
    violations_.resize(m);
    rate_.resize(m);
    scale_.resize(m);
    jacobian_.resize(m * static_cast<std::size_t>(model.n()));
    const PointForces forces = point_forces(model);
    for (const auto& [constraint, point] : forces.places) {
        force_places_.push_back({constraint, point});
    }
    power_places_ = forces.constraints;
    forces_.resize(3 * force_places_.size());
    powers_.resize(power_places_.size());
    if (principle_) {
        mass_.compute(Eigen::MatrixXd::Identity(model.n(), model.n()));  // takes its memory now
        a0_.resize(model.n());
        deviation_.resize(model.n());
        e_.resize(model.m());
    }
}

void RowWriter::find_violations(double t, const double* q, const double* v) {
    const CompiledModel& model = evaluator_->model();
    evaluator_->velocity(t, q, v, rate_.data(), jacobian_.data(), scale_.data());
    const std::span<const double> residual = evaluator_->scaled_residuals(t, q, v);
    const solve::System at = evaluator_->system(t, q, v);
    for (std::size_t i = 0; i < violations_.size(); ++i) {
        violations_[i].residual = residual[i];
        if (model.rows[i].holonomic) {
            violations_[i].rate = rate_[i] / std::max(1.0, scale_[i]);
        } else {
            // psi' = A a - b
            const auto row = static_cast<Eigen::Index>(i);
            double sum = -at.b[row];
            double size = std::abs(at.b[row]);
            for (Eigen::Index j = 0; j < at.A.cols(); ++j) {
                const double term = at.A(row, j) * dynamics_->a()[j];
                sum += term;
                size += std::abs(term);
            }
            violations_[i].rate = sum / std::max(1.0, size);
        }
    }
}

/// force[c:P] = sum over the rows of c of lambda W_P, power[c] = sum of lambda W_P . v_P   RH (5)
void RowWriter::fill_point_forces(double t, const double* q, const double* v) {
    const CompiledModel& model = evaluator_->model();
    std::fill(forces_.begin(), forces_.end(), 0.0);
    std::fill(powers_.begin(), powers_.end(), 0.0);
    const std::span<const double> values = evaluator_->directions(t, q, v);
    for (std::size_t d = 0; d < model.directions.size(); ++d) {
        const auto [row, point] = model.directions[d];
        const int constraint = model.rows[static_cast<std::size_t>(row)].constraint;
        const double lambda = dynamics_->lambda()[row];
        const auto place = std::find_if(
            force_places_.begin(), force_places_.end(), [&](const ForcePlace& candidate) {
                return candidate.constraint == constraint && candidate.point == point;
            });
        const auto power = std::find(power_places_.begin(), power_places_.end(), constraint);
        for (std::size_t k = 0; k < 3; ++k) {
            const double force = lambda * values[6 * d + k];
            forces_[3 * static_cast<std::size_t>(place - force_places_.begin()) + k] += force;
            powers_[static_cast<std::size_t>(power - power_places_.begin())] +=
                force * values[6 * d + 3 + k];
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
    e_ = at.b;
    e_.noalias() -= at.A * a0_;
}

std::span<const double> RowWriter::fill(double t, const double* q, const double* v, double work) {
    const CompiledModel& model = evaluator_->model();
    const auto n = static_cast<std::size_t>(model.n());
    const auto m = static_cast<std::size_t>(model.m());
    find_violations(t, q, v);
    fill_point_forces(t, q, v);

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
    push({dynamics_->lambda().data(), m});
    for (const Violation& violation : violations_) {
        row_.push_back(violation.residual);
    }
    for (const Violation& violation : violations_) {
        row_.push_back(violation.rate);
    }
    push(forces_);
    push(powers_);

    const Energy energy = evaluator_->energy(t, q, v);
    energy_balance_ = energy.h - start_h_ - work;
    push(std::initializer_list<double>{energy.kinetic, energy.potential,
                                       energy.kinetic + energy.potential, energy_balance_});
    push(evaluator_->outputs(t, q, v, dynamics_->a().data()));
    if (principle_) {
        fill_principle(t, q, v);
        for (const Eigen::VectorXd* part : {&a0_, &deviation_, &e_}) {
            push({part->data(), static_cast<std::size_t>(part->size())});
        }
    }
    ANANKE_REQUIRE(row_.size() == columns_.size());
    return row_;
}

}  // namespace ananke::sim
