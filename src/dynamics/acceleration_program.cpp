#include "dynamics/acceleration_program.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "code/tangent.h"
#include "dynamics/recorded_motion.h"

namespace ananke::dynamics {
namespace {

using code::Recorded;

/// The part of a row in the range-space order that the other rows do not reproduce, over what is
/// sound.
constexpr double kPartAlarm = 1e-3;
/// What is sound where less than solve::kSoundPart was there when the order was chosen, over that.
constexpr double kPartKept = 0.1;
/// A row's pivot next to a singular configuration, where its fall is no fault of the order.
constexpr double kPivotAcross = 1e-3;
/// Programs of one run that are kept.
constexpr std::size_t kMostRecordings = 64;
/// Newton's method for forces and multipliers that are not affine in each other.
constexpr int kMostIterations = 12;

}  // namespace

AccelerationProgram::AccelerationProgram(Evaluator& evaluator)
    : evaluator_(&evaluator),
      n_(evaluator.model().n()),
      integrals_(1 + evaluator.model().rows.size() - at(evaluator.model().constraint_rows)),
      feeds_back_(!evaluator.model().feedback.empty()),
      affine_(evaluator.model().affine_feedback),
      varies_(entries_that_vary(evaluator.model())),
      x_(at(evaluator.model().layout.multipliers)),
      next_(x_) {}

bool AccelerationProgram::choose(const EntryValues& at, std::span<const int> rows,
                                 std::span<const solve::Pivot> controls) {
    if (parameter_changes_ != evaluator_->parameter_changes() ||
        recordings_.size() >= kMostRecordings) {
        active_ = nullptr;
        recordings_.clear();
        parameter_changes_ = evaluator_->parameter_changes();
    }
    if (stick_changes_ != evaluator_->stick_changes()) {
        active_ = nullptr;  // it may have as many rows, but others
        stick_changes_ = evaluator_->stick_changes();
    }
    if (active_ != nullptr && active_->order.rows.size() == rows.size() && suits(*active_)) {
        return true;
    }
    RowOrder wanted{{rows.begin(), rows.end()}, {}, {controls.begin(), controls.end()}};
    std::sort(wanted.rows.begin(), wanted.rows.end());
    active_ = find_suitable(wanted.rows);
    if (active_ != nullptr) {
        return true;
    }
    std::optional<std::vector<solve::Pivot>> pivots =
        choose_pivots(*evaluator_, at, wanted.rows, varies_);
    if (!pivots) {
        return false;
    }
    wanted.pivots = std::move(*pivots);
    const auto known = std::find_if(recordings_.begin(), recordings_.end(),
                                    [&](const auto& one) { return one->order == wanted; });
    active_ = known == recordings_.end() ? make(std::move(wanted)) : known->get();
    measure();
    return true;
}

compile::RecordKey AccelerationProgram::key(compile::RecordKey::Kind kind,
                                            const RowOrder& order) const {
    return compile::RecordKey(kind)
        .add(parameters_of(*evaluator_))
        .add(order.rows)
        .add(order.pivots)
        .add(order.controls);
}

AccelerationProgram::Recording* AccelerationProgram::make(RowOrder order) {
    const compile::CompiledModel& model = evaluator_->model();
    const auto code = model.programs->get<Code>(key(compile::RecordKey::Kind::kAcceleration, order),
                                                [&] { return compile(order, Outputs::kMotion); });
    recordings_.push_back(std::make_unique<Recording>(*code, std::move(order)));
    return recordings_.back().get();
}

AccelerationProgram::Recording* AccelerationProgram::find_suitable(std::span<const int> rows) {
    for (const std::unique_ptr<Recording>& one : recordings_) {
        if (std::equal(rows.begin(), rows.end(), one->order.rows.begin(), one->order.rows.end()) &&
            suits(*one)) {
            return one.get();
        }
    }
    return nullptr;
}

/// True if every pivot is a good part of what it was; a change of sign is taken note of.
bool AccelerationProgram::suits(Recording& recording) {
    outputs_.resize(recording.kernel.output_count());
    recording.kernel.run(evaluator_->inputs().data(), outputs_.data());
    const double* output = outputs_.data() + watched();
    for (PivotWatch& watch : recording.pivots) {
        const double part = *output++ * watch.inverse_size;
        if (!(std::abs(part) >= std::max(watch.least.sound, watch.least.good))) {
            return false;
        }
        watch.inverse_size = std::copysign(watch.inverse_size, part * watch.inverse_size);
    }
    set_bounds(recording);
    return std::all_of(output, output + recording.parts,
                       [&](double inverse) { return inverse <= recording.most_inverse_part; });
}

/// Runs the program at the state of the last system, to know what its pivots are there.
void AccelerationProgram::measure() {
    outputs_.resize(active_->kernel.output_count());
    active_->kernel.run(evaluator_->inputs().data(), outputs_.data());
    const double* output = outputs_.data() + watched();
    for (PivotWatch& watch : active_->pivots) {
        watch.inverse_size = 1.0 / *output++;
    }
    for (std::size_t k = 0; k < active_->parts; ++k) {
        const double inverse = *output++;
        if (inverse > 1.0 / solve::kSoundPart) {
            active_->most_inverse_part = std::max(active_->most_inverse_part, inverse / kPartKept);
        }
    }
    set_bounds(*active_);
}

void AccelerationProgram::set_bounds(Recording& recording) {
    recording.bounds.clear();
    for (const PivotWatch& watch : recording.pivots) {
        recording.bounds.push_back(watch.inverse_size / watch.fine);
    }
    recording.bounds.resize(recording.pivots.size() + recording.parts,
                            1.0 / recording.most_inverse_part);
    recording.bounds.resize(recording.bounds.size() + recording.limits, 1.0);
}

void AccelerationProgram::Watched::before(const solve::Elimination<Recorded>& elimination,
                                          const solve::Pivot& pivot) {
    if (pivot.coordinate >= 0 || !lengths_.empty()) {
        return;
    }
    // Range space: all coordinates are gone.
    for (std::size_t k = 0; k < rows_; ++k) {
        const int unknown = elimination.n() + static_cast<int>(k);
        const Recorded* length = elimination.find(unknown, unknown);
        lengths_.push_back(length != nullptr ? *length : Recorded(0.0));  // no: gone already
        if (length != nullptr) {
            add_pivot(*length, kLengthBounds);
        }
    }
}

void AccelerationProgram::Watched::after(const solve::Pivot& pivot, const Recorded& value) {
    if (pivot.coordinate >= 0) {
        add_pivot(value, pivot.row < 0 ? kMassBounds : kRowBounds);
        return;
    }
    const Recorded& length = lengths_[at(pivot.row)];
    if (rows_ > 1 && length.is_same_as(value)) {
        return;  // the first row is all its own
    }
    const Recorded part = length * reciprocal(value);
    if (!part.is_number()) {
        parts.push_back(part);
    }
}

void AccelerationProgram::Watched::add_pivot(const Recorded& value, const Bounds& least) {
    if (!value.is_number()) {
        pivots.push_back(value);
        bounds.emplace_back(least);
    }
}

AccelerationProgram::Record AccelerationProgram::record(code::Recorder& recorder,
                                                        const RowOrder& order,
                                                        Outputs wanted) const {
    const compile::CompiledModel& model = evaluator_->model();
    const std::size_t n = at(n_);
    const std::vector<Recorded> inputs = recorded_inputs(recorder, *evaluator_);
    Watched watched(order.rows.size());
    RecordedMotion motion(*evaluator_, recorder, inputs, order, watched);
    Record record;
    const auto put = [&](std::span<const Recorded> values) {
        record.outputs.insert(record.outputs.end(), values.begin(), values.end());
    };
    put(std::span(inputs).subspan(model.layout.v(), n));
    put(std::span(motion.answer().x).first(n));
    record.outputs.push_back(motion.energy_rate());
    for (int row = model.constraint_rows; row < model.m(); ++row) {
        record.outputs.push_back(motion.lambda(motion.answer(), row));
    }
    record.signs = {record.outputs.size(), watched.pivots.size()};
    put(watched.pivots);
    put(watched.parts);
    put(motion.limits());
    put(motion.closing());
    const auto put_forces = [&](const MotionAnswer& answer) {
        put(std::span(answer.x).subspan(n));
        put(answer.u);
    };
    if (wanted == Outputs::kForces) {
        put_forces(motion.answer());
        if (model.has_nonideal) {
            put_forces(motion.ideal());
        }
    }
    record.bounds = std::move(watched.bounds);
    record.parts = watched.parts.size();
    record.limits = motion.limits().size();
    return record;
}

AccelerationProgram::Code AccelerationProgram::compile(const RowOrder& order,
                                                       Outputs wanted) const {
    const compile::CompiledModel& model = evaluator_->model();
    code::Recorder recorder(static_cast<std::uint32_t>(model.layout.size()));
    Record made = record(recorder, order, wanted);
    Code code{recorder.kernel(made.outputs, model.most_operations, made.signs),
              std::move(made.bounds), made.parts, made.limits};
    code.takes_state_alone =
        code.kernel.program() != nullptr && model.switches.empty() &&
        code::used_inputs(code.kernel.program()->program()) <= model.layout.a();
    return code;
}

/// One program, whatever its length, of the derivatives of the rates by q and v, which stand side
/// by side among the inputs.
code::Program AccelerationProgram::record_tangent(const RowOrder& order) const {
    const compile::InputLayout& layout = evaluator_->model().layout;
    code::Recorder recorder(static_cast<std::uint32_t>(layout.size()));
    const Record made = record(recorder, order, Outputs::kMotion);
    const std::size_t rows = at(n_) + integrals_;
    std::vector<std::uint32_t> moving(2 * at(n_));
    std::iota(moving.begin(), moving.end(), static_cast<std::uint32_t>(layout.q()));
    const auto rates = std::span(made.outputs).subspan(at(n_), rows);
    return code::tangent(recorder.program(rates), moving, rows);
}

void AccelerationProgram::start_from(const double* lambda) {
    std::copy_n(lambda, x_.size(), x_.begin());
}

void AccelerationProgram::closing_multipliers(const std::vector<double>& outputs,
                                              std::vector<double>& x) const {
    const double* closing = outputs.data() + before_closing();
    for (const int row : evaluator_->model().feedback) {
        x[at(row)] = *closing++;
    }
}

/// Until forces and multipliers agree: at once where the forces are affine.
void AccelerationProgram::run_closed(code::RecordedKernel& kernel, std::vector<double>& outputs,
                                     double t, const double* q, const double* v) {
    const std::vector<double>* x = &x_;
    for (int iteration = 0; iteration < kMostIterations; ++iteration) {
        evaluator_->set_multipliers(x->data());
        kernel.run(evaluator_->system_inputs(t, q, v).data(), outputs.data());
        if (affine_ || !(outputs[before_closing() - 1] > 1.0)) {
            return;
        }
        closing_multipliers(outputs, next_);
        x = &next_;
    }
}

std::optional<MotionForces> AccelerationProgram::forces(double t, const double* q,
                                                        const double* v) {
    const compile::CompiledModel& model = evaluator_->model();
    if (!active_->forces) {
        const auto kernel = model.programs->get<code::RecordedKernel>(
            key(compile::RecordKey::Kind::kForces, active_->order),
            [&] { return compile(active_->order, Outputs::kForces).kernel; });
        active_->forces.emplace(*kernel);
    }
    forces_outputs_.resize(active_->forces->output_count());
    if (feeds_back_) {
        run_closed(*active_->forces, forces_outputs_, t, q, v);
        next_ = x_;
        closing_multipliers(forces_outputs_, next_);
        evaluator_->set_multipliers(next_.data());
    } else {
        active_->forces->run(evaluator_->system_inputs(t, q, v).data(), forces_outputs_.data());
    }
    const auto finite = [](double x) { return std::isfinite(x); };
    if (health(forces_outputs_) > PivotHealth::kTired ||
        !std::all_of(forces_outputs_.begin(), forces_outputs_.end(), finite)) {
        return std::nullopt;
    }
    std::span<const double> rest =
        std::span<const double>(forces_outputs_).subspan(before_closing() + model.feedback.size());
    const auto take = [&rest](std::size_t count) {
        const std::span<const double> head = rest.first(count);
        rest = rest.subspan(count);
        return head;
    };
    const std::vector<int>& rows = active_->order.rows;
    const auto take_forces = [&](std::vector<double>& lambda) {
        lambda.assign(model.rows.size(), 0.0);
        for (const int row : rows) {
            lambda[at(row)] = -take(1).front();
        }
        return take(model.controls.size());
    };
    const compile::SparseValues values = evaluator_->sparse_system(t, q, v);
    MotionForces found;
    found.a = std::span<const double>(forces_outputs_).subspan(at(n_), at(n_));
    found.u = take_forces(lambda_);
    found.lambda = lambda_;
    Qc_.assign(at(n_), 0.0);
    push(lambda_, found.u, values, Qc_);
    if (model.has_nonideal) {
        for (std::size_t i = 0; i < Qc_.size(); ++i) {
            Qc_[i] += values.C[i];
        }
        const std::span<const double> u = take_forces(ideal_lambda_);
        Qc_ideal_.assign(at(n_), 0.0);
        push(ideal_lambda_, u, values, Qc_ideal_);
        found.Qc_ideal = Qc_ideal_;
    }
    found.Qc = Qc_;
    found.rank = static_cast<int>(rows.size() + active_->order.controls.size());
    return found;
}

/// force += A^T lambda + D u
void AccelerationProgram::push(std::span<const double> lambda, std::span<const double> u,
                               const compile::SparseValues& values,
                               std::vector<double>& force) const {
    const compile::CompiledModel& model = evaluator_->model();
    for (std::size_t i = 0; i < model.row_entries.size(); ++i) {
        const compile::Place& place = model.row_entries[i];
        force[at(place.column)] += values.A[i] * lambda[at(place.row)];
    }
    for (std::size_t i = 0; i < model.control_entries.size(); ++i) {
        const compile::Place& place = model.control_entries[i];
        force[at(place.column)] += values.D[i] * u[at(place.row)];
    }
}

void AccelerationProgram::derivatives(double t, const double* q, const double* v,
                                      std::span<double> J) {
    const std::size_t n = at(n_);
    const std::size_t inputs = evaluator_->model().layout.size();
    const std::size_t columns = 2 * n;
    const std::size_t rows = n + integrals_;
    constexpr std::size_t lanes = kLanes;
    if (!active_->tangent) {
        const auto code = evaluator_->model().programs->get<code::PacketKernel<kLanes>>(
            key(compile::RecordKey::Kind::kTangent, active_->order),
            [&] { return code::PacketKernel<kLanes>(record_tangent(active_->order)); });
        active_->tangent.emplace(*code);
    }
    tangent_inputs_.assign((inputs + columns) * lanes, 0.0);
    tangent_outputs_.resize(rows * lanes);
    if (feeds_back_) {
        run_closed(active_->kernel, outputs_, t, q, v);
        next_ = x_;
        closing_multipliers(outputs_, next_);
        evaluator_->set_multipliers(next_.data());
    }
    const std::span<const double> at = evaluator_->system_inputs(t, q, v);
    for (std::size_t i = 0; i < inputs; ++i) {
        std::fill_n(tangent_inputs_.begin() + static_cast<std::ptrdiff_t>(i * lanes), lanes, at[i]);
    }
    double* const rates = tangent_inputs_.data() + inputs * lanes;
    for (std::size_t first = 0; first < columns; first += lanes) {
        const std::size_t count = std::min(lanes, columns - first);
        for (std::size_t lane = 0; lane < count; ++lane) {
            rates[(first + lane) * lanes + lane] = 1.0;
        }
        active_->tangent->run(tangent_inputs_.data(), tangent_outputs_.data());
        for (std::size_t lane = 0; lane < count; ++lane) {
            rates[(first + lane) * lanes + lane] = 0.0;
            for (std::size_t i = 0; i < rows; ++i) {
                J[i * columns + first + lane] = tangent_outputs_[i * lanes + lane];
            }
        }
    }
}

bool AccelerationProgram::serves_across() const {
    const double* output = outputs_.data() + watched();
    bool serves = true;
    for (const PivotWatch& watch : active_->pivots) {
        const double part = *output++ * watch.inverse_size;
        serves &= std::abs(part) >= std::min(watch.least.alarm, kPivotAcross);
    }
    for (std::size_t k = 0; k < active_->parts; ++k) {
        serves &= *output++ <= active_->most_inverse_part;
    }
    for (std::size_t k = 0; k < active_->limits; ++k) {
        serves &= *output++ <= 1.0;
    }
    return serves;
}

/// What is wrong with the pivots, bound by bound.
PivotHealth AccelerationProgram::examine(const std::vector<double>& outputs) const {
    const double* output = outputs.data() + watched();
    bool alarm = false;
    bool good = true;
    bool sound = true;
    for (const PivotWatch& watch : active_->pivots) {
        const double part = *output++ * watch.inverse_size;
        alarm |= !(std::abs(part) >= watch.least.alarm);
        good &= std::abs(part) >= watch.least.good;
        sound &= part >= watch.least.sound;
    }
    for (std::size_t k = 0; k < active_->parts; ++k) {
        const double inverse_part = *output++;
        alarm |= !(inverse_part <= active_->most_inverse_part / kPartAlarm);
        sound &= inverse_part <= active_->most_inverse_part;
    }
    for (std::size_t k = 0; k < active_->limits; ++k) {
        alarm |= !(*output++ <= 1.0);
    }
    if (alarm) {
        return PivotHealth::kAlarm;
    }
    return !sound ? PivotHealth::kDoubtful : (good ? PivotHealth::kSound : PivotHealth::kTired);
}

}  // namespace ananke::dynamics
