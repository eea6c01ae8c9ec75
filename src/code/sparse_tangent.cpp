#include "code/sparse_tangent.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "code/dependence.h"
#include "code/recorder.h"
#include "code/replay.h"
#include "code/tangent.h"

namespace ananke::code {
namespace {

using Name = Dependence::Name;

/// Outputs that depend on more inputs are taken apart: more than the neighbours of a body in space
/// that nine others hold.
constexpr std::size_t kManyInputs = 128;
/// Into parts that depend on so many: positions and velocities of two bodies in space.
constexpr std::size_t kFewInputs = 28;

/// A part of an output.
struct Term {
    std::uint32_t output;
    Name value;
    double sign;
};

/// Sums in which many inputs meet, as their terms. A factor of such a sum goes to each of them.
class Terms {
  public:
    explicit Terms(Dependence& values) : values_(values) {}

    std::vector<Term> find() {
        std::vector<Term> whole;
        for (std::size_t i = 0; i < values_.output_count(); ++i) {
            whole.push_back({static_cast<std::uint32_t>(i), values_.output(i), 1.0});
        }
        // Where they would be more than what they are made of, outputs stay whole.
        const std::size_t most = values_.output_count() + values_.instruction_count();
        for (const Term& one : whole) {
            if (values_.set(one.value).count <= kManyInputs) {
                terms_.push_back(one);
                continue;
            }
            pending_.push_back({one, {}});
            while (!pending_.empty()) {
                Part part = std::move(pending_.back());
                pending_.pop_back();
                take_apart(part);
            }
            if (terms_.size() > most) {
                return whole;
            }
        }
        return std::move(terms_);
    }

  private:
    struct Factor {
        Name value;
        bool divides;
    };
    struct Part {
        Term term;
        std::vector<Factor> factors;
    };

    bool has_many(Name value) const { return values_.set(value).count > kFewInputs; }

    void push(const Part& part, Name value, double sign) {
        Part next = part;
        next.term.value = value;
        next.term.sign *= sign;
        pending_.push_back(std::move(next));
    }
    void push_with(const Part& part, Name value, Factor factor) {
        Part next = part;
        next.term.value = value;
        next.factors.push_back(factor);
        pending_.push_back(std::move(next));
    }
    void finish(Part part) {
        for (auto factor = part.factors.rbegin(); factor != part.factors.rend(); ++factor) {
            part.term.value = factor->divides
                                  ? values_.append(Op::kDiv, part.term.value, factor->value)
                                  : values_.append(Op::kMul, part.term.value, factor->value);
        }
        terms_.push_back(part.term);
    }

    void take_apart(const Part& part) {
        const Instruction* found = values_.instruction(part.term.value);
        if (found == nullptr || !has_many(part.term.value)) {
            return finish(part);
        }
        const Instruction one = *found;  // products below are appended to what it points into
        switch (one.op) {
            case Op::kAdd:
            case Op::kSub:
                push(part, one.a, 1.0);
                return push(part, one.b, one.op == Op::kAdd ? 1.0 : -1.0);
            case Op::kFma:
            case Op::kFms:
            case Op::kFnma:
                push(part, values_.append(Op::kMul, one.a, one.b),
                     one.op == Op::kFnma ? -1.0 : 1.0);
                return push(part, one.c, one.op == Op::kFms ? -1.0 : 1.0);
            case Op::kNeg:
                return push(part, one.a, -1.0);
            case Op::kMul:
                if (!has_many(one.b)) {
                    return push_with(part, one.a, {one.b, false});
                }
                return has_many(one.a) ? finish(part) : push_with(part, one.b, {one.a, false});
            case Op::kDiv:
                return has_many(one.b) ? finish(part) : push_with(part, one.a, {one.b, true});
            default:
                return finish(part);
        }
    }

    Dependence& values_;
    std::vector<Part> pending_;
    std::vector<Term> terms_;
};

/// Directions such that no set holds two columns of one direction, greedily.
std::vector<std::uint32_t> directions_of(std::size_t columns, const Dependence& values,
                                         std::span<const Dependence::Set> sets) {
    std::vector<std::vector<std::uint32_t>> sets_of(columns);
    for (std::size_t s = 0; s < sets.size(); ++s) {
        for (const std::uint32_t column : values.members(sets[s])) {
            sets_of[column].push_back(static_cast<std::uint32_t>(s));
        }
    }
    constexpr auto kNone = static_cast<std::uint32_t>(-1);
    std::vector<std::uint32_t> direction(columns, kNone);
    std::vector<std::uint32_t> taken;  // by the last column that asked
    for (std::uint32_t column = 0; column < columns; ++column) {
        for (const std::uint32_t s : sets_of[column]) {
            for (const std::uint32_t other : values.members(sets[s])) {
                if (direction[other] != kNone) {
                    taken[direction[other]] = column;
                }
            }
        }
        std::uint32_t first = 0;
        while (first < taken.size() && taken[first] == column) {
            ++first;
        }
        direction[column] = first;
        if (first == taken.size()) {
            taken.push_back(kNone);
        }
    }
    return direction;
}

/// With as few slots as a program that is run has.
Program rescheduled(const Program& program) {
    Recorder recorder(program.input_count);
    std::vector<Recorded> inputs;
    for (std::uint32_t i = 0; i < program.input_count; ++i) {
        inputs.push_back(recorder.input(i));
    }
    return recorder.program(Replay(recorder, program, inputs).outputs());
}

struct SetHash {
    std::size_t operator()(const Dependence::Set& set) const { return set.first; }
};

}  // namespace

SparseTangent::SparseTangent(const Program& program, std::span<const std::uint32_t> active,
                             Rule rule)
    : rule_(rule), input_count_(program.input_count), kernel_(Program{}) {
    auto plan = std::make_shared<Plan>();
    plan_ = plan;
    plan->active.assign(active.begin(), active.end());
    Dependence values(program, active);
    const std::vector<Term> terms = Terms(values).find();
    plan->is_sparse = std::none_of(terms.begin(), terms.end(), [&](const Term& term) {
        return values.set(term.value).count == Dependence::kTooMany;
    });
    if (!plan->is_sparse) {
        return;
    }
    std::vector<Dependence::Set> sets;
    std::unordered_map<Dependence::Set, std::size_t, SetHash> known;
    for (const Term& term : terms) {
        const Dependence::Set set = values.set(term.value);
        if (set.count > 0 && known.emplace(set, sets.size()).second) {
            sets.push_back(set);
        }
    }
    const std::vector<std::uint32_t> direction = directions_of(active.size(), values, sets);
    std::vector<std::vector<std::uint32_t>> columns;
    for (std::uint32_t column = 0; column < active.size(); ++column) {
        columns.resize(std::max<std::size_t>(columns.size(), direction[column] + 1));
        columns[direction[column]].push_back(column);
    }
    for (const std::vector<std::uint32_t>& one : columns) {
        plan->columns.insert(plan->columns.end(), one.begin(), one.end());
        plan->first_column.push_back(plan->columns.size());
    }

    std::vector<Name> outputs;
    std::vector<std::vector<std::pair<Entry, Reading>>> by_run((columns.size() + kLanes - 1) /
                                                               kLanes);
    for (const Term& term : terms) {
        const auto place = static_cast<std::uint32_t>(outputs.size() * kLanes);
        outputs.push_back(term.value);
        for (const std::uint32_t column : values.members(values.set(term.value))) {
            const auto lane = static_cast<std::uint32_t>(direction[column] % kLanes);
            by_run[direction[column] / kLanes].push_back(
                {{term.output, column}, {place + lane, term.sign}});
        }
    }
    for (const auto& run : by_run) {
        for (const auto& [entry, reading] : run) {
            plan->entries.push_back(entry);
            plan->readings.push_back(reading);
        }
        plan->first_entry.push_back(plan->entries.size());
    }
    const Program named = values.program(outputs);
    const bool differences = rule == Rule::kDifferences;
    kernel_ = LaneKernel<static_cast<int>(kLanes)>(
        differences ? rescheduled(named) : tangent(named, active, outputs.size()));
    packet_inputs_.assign((input_count_ + (differences ? 0 : active.size())) * kLanes, 0.0);
    packet_outputs_.assign(outputs.size() * kLanes, 0.0);
    base_.assign(differences ? outputs.size() * kLanes : 0, 0.0);
}

void SparseTangent::run(std::span<const double> inputs, std::span<double> values) {
    ANANKE_REQUIRE(inputs.size() == input_count_ && values.size() == entries().size());
    spread(inputs);
    if (rule_ == Rule::kDerivatives) {
        return take_derivatives(values);
    }
    kernel_.run(packet_inputs_.data(), base_.data());
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    std::fill(values.begin(), values.end(), nothing);
    take_differences(inputs, 1.0, values);
    take_differences(inputs, -1.0, values);
}

/// To all lanes.
void SparseTangent::spread(std::span<const double> inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        std::fill_n(packet_inputs_.begin() + static_cast<std::ptrdiff_t>(i * kLanes), kLanes,
                    inputs[i]);
    }
}

/// use(column, lane) for the columns that move in a run.
template <class Use>
void SparseTangent::for_each_lane(std::size_t run, Use use) const {
    const std::size_t end = std::min((run + 1) * kLanes, directions());
    for (std::size_t d = run * kLanes; d < end; ++d) {
        for (std::size_t i = plan_->first_column[d]; i < plan_->first_column[d + 1]; ++i) {
            use(plan_->columns[i], d % kLanes);
        }
    }
}

void SparseTangent::take_derivatives(std::span<double> values) {
    double* const rates = packet_inputs_.data() + input_count_ * kLanes;
    for (std::size_t run = 0; run + 1 < plan_->first_entry.size(); ++run) {
        for_each_lane(run, [&](std::size_t column, std::size_t lane) {
            rates[column * kLanes + lane] = 1.0;
        });
        kernel_.run(packet_inputs_.data(), packet_outputs_.data());
        for_each_lane(run, [&](std::size_t column, std::size_t lane) {
            rates[column * kLanes + lane] = 0.0;
        });
        for (std::size_t i = plan_->first_entry[run]; i < plan_->first_entry[run + 1]; ++i) {
            values[i] = plan_->readings[i].sign * packet_outputs_[plan_->readings[i].place];
        }
    }
}

/// Of entries that have no value yet.
void SparseTangent::take_differences(std::span<const double> inputs, double side,
                                     std::span<double> values) {
    const auto moved = [&](double x) {
        return x + side * std::sqrt(std::numeric_limits<double>::epsilon() *
                                    std::max(1e-5, std::abs(x)));
    };
    for (std::size_t run = 0; run + 1 < plan_->first_entry.size(); ++run) {
        for_each_lane(run, [&](std::size_t column, std::size_t lane) {
            const std::size_t input = plan_->active[column];
            packet_inputs_[input * kLanes + lane] = moved(inputs[input]);
        });
        kernel_.run(packet_inputs_.data(), packet_outputs_.data());
        for_each_lane(run, [&](std::size_t column, std::size_t lane) {
            const std::size_t input = plan_->active[column];
            packet_inputs_[input * kLanes + lane] = inputs[input];
        });
        for (std::size_t i = plan_->first_entry[run]; i < plan_->first_entry[run + 1]; ++i) {
            if (!std::isfinite(values[i])) {
                const std::size_t place = plan_->readings[i].place;
                const double x = inputs[plan_->active[plan_->entries[i].column]];
                values[i] = plan_->readings[i].sign * (packet_outputs_[place] - base_[place]) /
                            (moved(x) - x);
            }
        }
    }
}

}  // namespace ananke::code
