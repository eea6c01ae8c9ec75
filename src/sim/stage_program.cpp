#include "sim/stage_program.h"

#include <algorithm>
#include <utility>

#include "base/fresh_numbers.h"
#include "code/composer.h"
#include "ode/dop853_tableau.h"

namespace ananke::sim {
namespace {

using code::Composer;
using code::Op;

constexpr std::size_t kMain = ode::dop853::kMainStages;
/// Operations of the largest program that is worth making: beyond it the way between the stages is
/// a small part of a step.
constexpr std::size_t kLargest = 20'000;
/// What is watched, over its bound: above this it is sound by the rounding of the acceleration's
/// own comparison, too.
constexpr double kSound = 1.0 + 1e-12;

/// y + h sum_j a_ij k_j in the order and with the roundings of the integrator.
Composer::Id stage_state(Composer& whole, std::size_t stage, Composer::Id y, Composer::Id h,
                         std::span<const std::vector<Composer::Id>> k, std::size_t component) {
    std::optional<Composer::Id> sum;
    for (std::size_t j = 0; j < stage; ++j) {
        const double weight = ode::dop853::kA[stage][j];
        if (weight != 0.0) {
            const Composer::Id term =
                whole.apply(Op::kMul, whole.constant(weight), k[j][component]);
            sum = sum ? whole.apply(Op::kAdd, *sum, term) : term;
        }
    }
    return whole.apply(Op::kAdd, y, whole.apply(Op::kMul, h, *sum));
}

}  // namespace

StageCode::StageCode(const code::Program& acceleration, const InputLayout& layout,
                     const AccelerationOutputs& outputs)
    : acceleration_(acceleration), layout_(layout), outputs_(outputs) {
    std::size_t terms = 0;
    for (std::size_t stage = 1; stage < kMain; ++stage) {
        const ode::dop853::Weights& row = ode::dop853::kA[stage];
        terms += 1 + static_cast<std::size_t>(
                         std::count_if(row.begin(), row.end(), [](double w) { return w != 0.0; }));
    }
    operations_ = (kMain - 1) * acceleration.instructions.size() + 4 * outputs.n * terms;
}

const code::Kernel* StageCode::after_another_step(bool wanted) const {
    if (operations_ > kLargest || (!wanted && ++steps_ < operations_)) {
        return nullptr;
    }
    std::call_once(once_, [this] { kernel_.emplace(record()); });
    return &*kernel_;
}

code::Program StageCode::record() const {
    const std::size_t n = outputs_.n;
    const auto at = [](std::size_t i) { return static_cast<std::uint32_t>(i); };
    Composer whole(at(layout_.size() + extra_inputs()));
    std::vector<Composer::Id> begin;
    for (std::size_t i = 0; i < layout_.size(); ++i) {
        begin.push_back(whole.input(at(i)));
    }
    std::size_t next = layout_.size();
    const auto take = [&] { return whole.input(at(next++)); };
    const Composer::Id h = take();
    std::vector<std::vector<Composer::Id>> k(1);
    for (std::size_t i = 0; i < 2 * n; ++i) {
        k[0].push_back(take());
    }
    std::vector<Composer::Id> bounds;
    for (std::size_t i = 0; i < outputs_.pivots + outputs_.parts; ++i) {
        bounds.push_back(take());
    }

    std::vector<Composer::Id> outputs;
    Composer::Id least = whole.constant(2.0 * kSound);
    const Composer::Id zero = whole.constant(0.0);
    Composer::Id zeros = zero;  // 0 as long as every acceleration is finite
    for (std::size_t stage = 1; stage < kMain; ++stage) {
        std::vector<Composer::Id> inputs = begin;
        inputs[0] = whole.apply(Op::kAdd, begin[0],
                                whole.apply(Op::kMul, whole.constant(ode::dop853::kC[stage]), h));
        for (std::size_t i = 0; i < 2 * n; ++i) {
            inputs[1 + i] = stage_state(whole, stage, begin[1 + i], h, k, i);
        }
        const std::vector<Composer::Id> values = whole.append(acceleration_, inputs);
        for (std::size_t i = 0; i < bounds.size(); ++i) {
            const Composer::Id watched = values[2 * n + 1 + i];
            const Composer::Id part =
                i < outputs_.pivots
                    ? whole.apply(Op::kMul, watched, bounds[i])
                    : whole.apply(Op::kFnma, watched, bounds[i], whole.constant(2.0 * kSound));
            least = whole.apply(Op::kMin, least, part);
        }
        for (std::size_t i = n; i < 2 * n; ++i) {
            zeros = whole.apply(Op::kFma, zero, values[i], zeros);
        }
        k.emplace_back(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(2 * n + 1));
        outputs.insert(outputs.end(), k.back().begin(), k.back().end());
        outputs.resize(stage * stride(), zero);
    }
    outputs.push_back(least);
    outputs.push_back(zeros);
    return std::move(whole).finish(outputs);
}

StageProgram::StageProgram(std::shared_ptr<const StageCode> code) : code_(std::move(code)) {}

bool StageProgram::ready(bool wanted) {
    if (!kernel_) {
        const code::Kernel* kernel = code_->after_another_step(wanted);
        if (kernel == nullptr) {
            return false;
        }
        kernel_.emplace(*kernel);
        inputs_.resize(kernel_->input_count());
    }
    return true;
}

bool StageProgram::run(std::span<const double> inputs, double h, std::span<const double> bounds,
                       double* k) {
    const std::size_t rates = inputs_.size() - inputs.size() - 1 - bounds.size();
    double* to = inputs_.data();
    copy_few(inputs.data(), inputs.size(), to);
    to += inputs.size();
    *to++ = h;
    copy_few(k, rates, to);
    copy_few(bounds.data(), bounds.size(), to + rates);
    double* const stages = k + code_->stride();
    kernel_->run(inputs_.data(), stages);
    const double* const watched = stages + (kMain - 1) * code_->stride();
    return watched[0] >= kSound && watched[1] == 0.0;
}

}  // namespace ananke::sim
