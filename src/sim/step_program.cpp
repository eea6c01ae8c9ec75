#include "sim/step_program.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/fresh_numbers.h"
#include "code/composed.h"
#include "ode/dop853_formulas.h"
#include "sim/compiled_projection.h"

namespace ananke::sim {
namespace {

namespace dop853 = ode::dop853;
using code::Composed;
using code::Composer;

using Values = std::vector<Composed>;

/// Operations of the largest program that is worth making: beyond it the way between the parts is a
/// small part of a step.
constexpr std::size_t kLargest = 20'000;
/// What is watched, over its bound: above this it is sound by the rounding of the acceleration's
/// own comparison, too.
constexpr double kSound = 1.0 + 1e-12;

/// Of one component of y, stage by stage.
struct Slopes {
    const std::vector<Values>& k;
    std::size_t component;

    const Composed& operator()(std::size_t stage) const { return k[stage][component]; }
};

/// The program while it is put together.
class Recording {
  public:
    Recording(const StepLayout& layout, std::size_t pivots)
        : layout_(layout),
          pivots_(pivots),
          composer_(static_cast<std::uint32_t>(layout.input_count)),
          zero_(number(0.0)),
          least_(number(2.0 * kSound)),
          zeros_(zero_),
          h_(input(layout.h)) {
        for (std::size_t i = 0; i < layout.work; ++i) {
            state_.push_back(input(i));
        }
        y_.assign(state_.begin() + 1, state_.begin() + 1 + at(2 * layout.n));
        y_.push_back(input(layout.work));
        k_.emplace_back();
        for (std::size_t i = 0; i < layout.size; ++i) {
            k_[0].push_back(input(layout.slope + i));
        }
    }

    template <std::size_t Stage>
    void add_stage(const code::Program& acceleration) {
        const Composed t = state_[0] + dop853::kC[Stage] * h_;
        Values y;
        for (std::size_t i = 0; i < 2 * layout_.n; ++i) {
            y.push_back(dop853::advance<dop853::StageRow<Stage>>(y_[i], h_, slopes(i)));
        }
        k_.push_back(evaluate(acceleration, t, y));
        put(k_.back());
    }

    /// The end as integrated, and its error.
    Values end_step() {
        Values end;
        dop853::ErrorSums<Composed> sums(zero_);
        const Composed rtol = input(layout_.rtol);
        for (std::size_t i = 0; i < layout_.size; ++i) {
            const dop853::End<Composed> one = dop853::end_of_step(y_[i], h_, slopes(i));
            end.push_back(one.y);
            sums.add(input(layout_.atol + i), rtol, y_[i], one);
        }
        error_.push_back(sums.error(h_, static_cast<double>(layout_.size)));
        const ode::ErrorRoots<Composed> roots = ode::roots_of(error_[0]);
        error_.push_back(roots.fourth);
        error_.push_back(roots.thirteenth);
        put(end);
        return end;
    }

    /// One correction of x, a part of `end`, where its residual asks for one.
    void project(const code::Program* program, std::size_t rows, std::size_t first_floor,
                 Values& end, std::size_t first) {
        Composed residual = zero_;
        Composed correction = zero_;
        if (program != nullptr) {
            const Values values = append(*program, end_time(), end);
            for (std::size_t k = 0; k < rows; ++k) {
                const Composed& f = values[layout_.n + k];
                const Composed& magnitude = values[layout_.n + rows + k];
                zeros_ = fma(zero_, f, zeros_);
                residual =
                    max(residual, abs(f) / max(magnitude, input(layout_.floors + first_floor + k)));
            }
            const Composed is_met = at_most(residual, number(kSmallResidual));
            for (std::size_t i = 0; i < layout_.n; ++i) {
                end[first + i] = select(is_met, end[first + i], end[first + i] + values[i]);
                correction = max(correction, abs(values[i]));
            }
            correction = select(is_met, zero_, correction);
        }
        projection_.push_back(residual);
        projection_.push_back(correction);
    }

    void note_size(const Values& end) {
        size_.emplace_back(number(1.0));
        for (std::size_t i = 0; i < 2 * layout_.n; ++i) {
            size_[0] = max(size_[0], abs(end[i]));
        }
    }

    void finish_step(const code::Program& acceleration, const code::Program* rank,
                     const Values& end) {
        put(end);
        const Values slope = evaluate(acceleration, end_time(), end);
        // A stage that is not finite has left its trace in the end: accelerations in velocities,
        // and velocities in positions, whatever forces make of them.
        for (const Values* all : {&end, &slope}) {
            for (const Composed& value : *all) {
                zeros_ = fma(zero_, value, zeros_);
            }
        }
        put(slope);
        const Values ranks = rank != nullptr ? append(*rank, end_time(), end) : Values{};
        projection_.push_back(size_[0]);
        const Values sound{least_, zeros_};
        for (const Values& some : {error_, sound, projection_, ranks}) {
            for (const Composed& one : some) {
                outputs_.push_back(one.id());
            }
        }
    }

    code::Program finish() && { return std::move(composer_).finish(outputs_); }

  private:
    static std::ptrdiff_t at(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }
    Composed input(std::size_t index) {
        return {composer_, composer_.input(static_cast<std::uint32_t>(index))};
    }
    Composed number(double value) { return {composer_, composer_.constant(value)}; }
    Composed end_time() { return input(layout_.t_end); }
    Slopes slopes(std::size_t component) const { return {k_, component}; }

    Values append(const code::Program& program, const Composed& t, const Values& y) {
        std::vector<Composer::Id> inputs;
        for (const Composed& one : state_) {
            inputs.push_back(one.id());
        }
        inputs[0] = t.id();
        for (std::size_t i = 0; i < 2 * layout_.n; ++i) {
            inputs[1 + i] = y[i].id();
        }
        Values values;
        for (const Composer::Id id : composer_.append(program, inputs)) {
            values.emplace_back(composer_, id);
        }
        return values;
    }

    /// v, a and the energy rate; the pivots are watched. One that is not a number has left its
    /// trace in the acceleration.
    Values evaluate(const code::Program& acceleration, const Composed& t, const Values& y) {
        Values values = append(acceleration, t, y);
        for (std::size_t i = 0; i < layout_.watched; ++i) {
            const Composed& watched = values[layout_.size + i];
            const Composed bound = input(layout_.bounds + i);
            const Composed part =
                i < pivots_ ? watched * bound : fnma(watched, bound, number(2.0 * kSound));
            least_ = min(least_, part);
        }
        values.erase(values.begin() + at(layout_.size), values.end());
        return values;
    }

    /// The next outputs, filled up to the stride.
    void put(const Values& values) {
        for (std::size_t i = 0; i < layout_.stride; ++i) {
            outputs_.push_back(i < values.size() ? values[i].id() : zero_.id());
        }
    }

    const StepLayout& layout_;
    std::size_t pivots_;
    Composer composer_;
    Composed zero_;
    Composed least_, zeros_;  ///< see StepLayout::soundness
    Composed h_;
    Values state_;  ///< inputs of the parts at the beginning
    Values y_;
    std::vector<Values> k_;
    Values error_, projection_, size_;
    std::vector<Composer::Id> outputs_;
};

/// Outputs of a level of the projection are n corrections, residuals and as many magnitudes.
std::size_t rows_of(const StepParts::Part& level, std::size_t n) {
    return level != nullptr ? (level->outputs.size() - n) / 2 : 0;
}

}  // namespace

StepLayout::StepLayout(const InputLayout& state, const StepParts& parts)
    : n(static_cast<std::size_t>(state.n)),
      size(2 * n + 1),
      watched(parts.pivots + parts.parts),
      position_rows(rows_of(parts.position, n)),
      velocity_rows(rows_of(parts.velocity, n)),
      stride((size + 1) / 2 * 2),
      work(state.size()),
      h(work + 1),
      t_end(h + 1),
      slope(t_end + 1),
      bounds(slope + size),
      rtol(bounds + watched),
      atol(rtol + 1),
      floors(atol + size),
      input_count(floors + position_rows + velocity_rows),
      raw_end((dop853::kMainStages - 1) * stride),
      end(raw_end + stride),
      end_slope(end + stride),
      error(end_slope + stride),
      soundness(error + 3),
      projection(soundness + 2),
      rank(projection + 5) {}

StepCode::StepCode(const InputLayout& state, const StepParts& parts)
    : layout_(state, parts),
      pivots_(parts.pivots),
      acceleration_(parts.acceleration),
      position_(parts.position),
      velocity_(parts.velocity),
      rank_(parts.rank) {
    std::size_t terms = 3 * dop853::kMainStages;
    for (std::size_t stage = 1; stage < dop853::kMainStages; ++stage) {
        const dop853::Weights& row = dop853::kA[stage];
        terms += 1 + static_cast<std::size_t>(
                         std::count_if(row.begin(), row.end(), [](double w) { return w != 0.0; }));
    }
    operations_ = dop853::kMainStages * acceleration_->instructions.size() + 2 * layout_.n * terms;
    for (const StepParts::Part& part : {parts.position, parts.velocity, parts.rank}) {
        operations_ += part != nullptr ? part->instructions.size() : 0;
    }
}

StepCode::Memory::Memory(const code::Kernel& code)
    : kernel(code), inputs(code.input_count()), outputs(code.output_count()) {}

StepCode::Lent StepCode::after_another_step(bool wanted) const {
    if (operations_ > kLargest || (!wanted && ++steps_ < operations_)) {
        return {nullptr, GiveBack{this}};
    }
    std::call_once(once_, [this] { make(); });
    const std::scoped_lock lock(mutex_);
    if (idle_.empty()) {
        return {new Memory(*kernel_), GiveBack{this}};
    }
    Lent lent(idle_.back().release(), GiveBack{this});
    idle_.pop_back();
    return lent;
}

void StepCode::give_back(Memory* memory) const {
    const std::scoped_lock lock(mutex_);
    idle_.emplace_back(memory);
}

void StepCode::make() const {
    kernel_.emplace(record());
    for (const StepParts::Part& part : {acceleration_, position_, velocity_, rank_}) {
        reads_more_ |= part != nullptr && code::used_inputs(*part) > layout_.size;
    }
}

code::Program StepCode::record() const {
    Recording whole(layout_, pivots_);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (whole.template add_stage<I + 1>(*acceleration_), ...);
    }
    (std::make_index_sequence<dop853::kMainStages - 1>{});
    Values end = whole.end_step();
    whole.note_size(end);
    whole.project(position_.get(), layout_.position_rows, 0, end, 0);
    whole.project(velocity_.get(), layout_.velocity_rows, layout_.position_rows, end, layout_.n);
    whole.finish_step(*acceleration_, rank_.get(), end);
    return std::move(whole).finish();
}

void StepProgram::load(const StepParts& parts, std::span<const double> atol, double rtol) {
    const StepLayout& layout = code_->layout();
    double* const to = memory_->inputs.data();
    std::copy(parts.bounds.begin(), parts.bounds.end(), to + layout.bounds);
    to[layout.rtol] = rtol;
    std::copy(atol.begin(), atol.end(), to + layout.atol);
    double* const floors =
        std::copy(parts.position_floors.begin(), parts.position_floors.end(), to + layout.floors);
    std::copy(parts.velocity_floors.begin(), parts.velocity_floors.end(), floors);
}

bool StepProgram::run(std::span<const double> inputs, ode::WholeStep& step) {
    const StepLayout& layout = code_->layout();
    double* const to = memory_->inputs.data();
    to[0] = step.t;
    copy_few(step.y.data(), 2 * layout.n, to + 1);
    if (code_->reads_more()) {
        copy_few(inputs.data() + layout.size, layout.work - layout.size, to + layout.size);
    }
    to[layout.work] = step.y[2 * layout.n];
    to[layout.h] = step.h;
    to[layout.t_end] = step.t_end;
    copy_few(step.slope.data(), layout.size, to + layout.slope);
    double* const from = memory_->outputs.data();
    memory_->kernel.run(to, from);

    step.stages = from;
    step.stride = layout.stride;
    step.raw_end = from + layout.raw_end;
    step.end = from + layout.end;
    step.end_slope = from + layout.end_slope;
    step.error = from[layout.error];
    step.roots = {from[layout.error + 1], from[layout.error + 2]};
    return from[layout.soundness] >= kSound && from[layout.soundness + 1] == 0.0 &&
           step.error > 0.0;
}

}  // namespace ananke::sim
