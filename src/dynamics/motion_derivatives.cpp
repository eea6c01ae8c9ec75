#include "dynamics/motion_derivatives.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "code/recorder.h"
#include "code/replay.h"
#include "code/tangent.h"
#include "compile/record_key.h"
#include "ode/finite.h"

namespace ananke::dynamics {
namespace {

using code::Recorded;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

/// Inputs: those of every kernel, then y.
struct Residual {
    code::Program r;            ///< n + m
    code::Program energy_rate;  ///< power + (C - A^T y) v: rows with A v = 0 do no work
};

/// Parameters are inputs: what changes them makes no new program.
Residual record_residual(const compile::CompiledModel& model) {
    const compile::InputLayout& layout = model.layout;
    const std::size_t n = at(model.n());
    const std::size_t m = model.rows.size();
    code::Recorder recorder(static_cast<std::uint32_t>(layout.size() + m));
    std::vector<Recorded> inputs;
    for (std::uint32_t i = 0; i < layout.size() + m; ++i) {
        inputs.push_back(recorder.input(i));
    }
    const std::span<const Recorded> all = inputs;
    const std::span<const Recorded> v = all.subspan(layout.v(), n);
    const std::span<const Recorded> a = all.subspan(layout.a(), n);
    const std::span<const Recorded> y = all.subspan(layout.size(), m);

    const compile::DynamicsOutputs at_output = model.outputs_of_dynamics();
    const std::vector<Recorded> values =
        code::Replay(recorder, model.dynamics.program(), all.first(layout.size())).outputs();
    const auto part = [&](std::size_t first, std::size_t end) {
        return std::span<const Recorded>(values).subspan(first, end - first);
    };
    const std::span<const Recorded> M = part(at_output.M, at_output.Q);
    const std::span<const Recorded> Q = part(at_output.Q, at_output.C);
    const std::span<const Recorded> C = part(at_output.C, at_output.A);
    const std::span<const Recorded> A = part(at_output.A, at_output.b);
    const std::span<const Recorded> b = part(at_output.b, at_output.power);
    Recorded rate = values[at_output.power];

    std::vector<Recorded> r(Q.begin(), Q.end());
    r.insert(r.end(), b.begin(), b.end());
    for (std::size_t i = 0; i < C.size(); ++i) {
        r[i] = r[i] + C[i];
        rate = rate + C[i] * v[i];
    }
    for (std::size_t i = 0; i < M.size(); ++i) {
        const auto [row, column] = model.mass_entries[i];
        r[at(row)] = r[at(row)] - M[i] * a[at(column)];
        if (row != column) {
            r[at(column)] = r[at(column)] - M[i] * a[at(row)];
        }
    }
    for (std::size_t i = 0; i < A.size(); ++i) {
        const auto [row, column] = model.row_entries[i];
        r[at(column)] = r[at(column)] - A[i] * y[at(row)];
        r[n + at(row)] = r[n + at(row)] - A[i] * a[at(column)];
        if (!model.rows[at(row)].homogeneous) {
            rate = rate - y[at(row)] * (A[i] * v[at(column)]);
        }
    }
    return {recorder.program(r), recorder.program({&rate, 1})};
}

}  // namespace

MotionDerivatives::MotionDerivatives(Evaluator& evaluator)
    : evaluator_(&evaluator),
      code_(evaluator.model().programs->get<Code>(
          compile::RecordKey(compile::RecordKey::Kind::kResidual),
          [&] { return record(evaluator.model()); })),
      residual_(code_->residual),
      energy_(code_->energy),
      inputs_(evaluator.model().layout.size() + evaluator.model().rows.size()),
      packet_inputs_((inputs_.size() + 2 * at(evaluator.model().n())) * kLanes) {}

/// q and v, which stand side by side.
std::vector<std::uint32_t> MotionDerivatives::moving_inputs(const compile::CompiledModel& model) {
    std::vector<std::uint32_t> moving(2 * at(model.n()));
    std::iota(moving.begin(), moving.end(), static_cast<std::uint32_t>(model.layout.q()));
    return moving;
}

MotionDerivatives::Code MotionDerivatives::record(const compile::CompiledModel& model) {
    const std::vector<std::uint32_t> moving = moving_inputs(model);
    const Residual residual = record_residual(model);
    code::Program energy = code::tangent(residual.energy_rate, moving, 1);
    const code::Slot rate = energy.outputs.front();
    const bool is_constant = rate >= energy.input_count && rate < energy.first_temporary();
    const bool changes = !is_constant || energy.constants[rate - energy.input_count] != 0.0;
    return {code::SparseTangent(residual.r, moving),
            code::PacketKernel<static_cast<int>(kLanes)>(std::move(energy)), changes};
}

bool MotionDerivatives::take(double t, const double* q, const double* v, std::span<const double> a,
                             std::span<const double> y, std::span<double> values) {
    const compile::InputLayout& layout = evaluator_->model().layout;
    const std::span<const double> state = evaluator_->system_inputs(t, q, v);
    const auto behind = std::copy(state.begin(), state.end(), inputs_.begin());
    std::copy(y.begin(), y.end(), behind);
    std::copy(a.begin(), a.end(), inputs_.begin() + static_cast<std::ptrdiff_t>(layout.a()));
    residual_.run(inputs_, values);
    if (energy_changes()) {
        for (std::size_t i = 0; i < inputs_.size(); ++i) {
            std::fill_n(packet_inputs_.begin() + static_cast<std::ptrdiff_t>(i * kLanes), kLanes,
                        inputs_[i]);
        }
    }
    if (!ode::all_finite(values)) {
        replace_by_differences(values);
    }
    return ode::all_finite(values);
}

/// Those that are not finite.
void MotionDerivatives::replace_by_differences(std::span<double> values) {
    if (!differences_) {
        const compile::CompiledModel& model = evaluator_->model();
        differences_.emplace(record_residual(model).r, moving_inputs(model),
                             code::SparseTangent::Rule::kDifferences);
        difference_values_.resize(values.size());
    }
    differences_->run(inputs_, difference_values_);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) {
            values[i] = difference_values_[i];
        }
    }
}

void MotionDerivatives::energy_rate(std::span<const double> directions, std::span<double> rates) {
    ANANKE_REQUIRE(energy_changes() && rates.size() == kLanes &&
                   directions.size() + inputs_.size() * kLanes == packet_inputs_.size());
    std::copy(directions.begin(), directions.end(),
              packet_inputs_.begin() + static_cast<std::ptrdiff_t>(inputs_.size() * kLanes));
    energy_.run(packet_inputs_.data(), rates.data());
    for (double& rate : rates) {
        rate = std::isfinite(rate) ? rate : 0.0;
    }
}

}  // namespace ananke::dynamics
