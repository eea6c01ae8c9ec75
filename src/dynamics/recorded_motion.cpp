#include "dynamics/recorded_motion.h"

#include <utility>

namespace ananke::dynamics {
namespace {

using code::Recorded;

/// Spectral radius of the feedback up to which its answer is taken for the only one.
constexpr double kSteepest = 0.99;
/// What is left between forces and multipliers, over the terms it is the difference of.
constexpr double kClosed = 1e-13;
/// Added to sums of magnitudes that may be zero.
constexpr double kTiny = 1e-300;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

/// x <- K^-1 x by elimination without exchanges; K (size x size) is left factored, its pivots on
/// the diagonal.
void factor(std::vector<Recorded>& K, std::size_t size) {
    for (std::size_t p = 0; p < size; ++p) {
        const Recorded inverse = reciprocal(K[p * size + p]);
        for (std::size_t i = p + 1; i < size; ++i) {
            const Recorded part = K[i * size + p] * inverse;
            K[i * size + p] = part;
            for (std::size_t j = p + 1; j < size; ++j) {
                K[i * size + j] = K[i * size + j] - part * K[p * size + j];
            }
        }
    }
}

void solve_factored(const std::vector<Recorded>& K, std::vector<Recorded>& x) {
    const std::size_t size = x.size();
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            x[i] = x[i] - K[i * size + j] * x[j];
        }
    }
    for (std::size_t i = size; i-- > 0;) {
        for (std::size_t j = i + 1; j < size; ++j) {
            x[i] = x[i] - K[i * size + j] * x[j];
        }
        x[i] = x[i] * reciprocal(K[i * size + i]);
    }
}

}  // namespace

RecordedMotion::RecordedMotion(const Evaluator& evaluator, code::Recorder& recorder,
                               std::span<const Recorded> inputs, const RowOrder& order,
                               MotionObserver& observer)
    : model_(&evaluator.model()),
      recorder_(&recorder),
      inputs_(inputs),
      order_(&order),
      n_(at(model_->n())),
      at_(model_->outputs_of_dynamics()),
      place_of_row_(places_among(order.rows, model_->m())),
      equations_(recorder, model_->dynamics.program(), inputs, input_colors(*model_)),
      elimination_(recorder, evaluator, inputs,
                   {model_->row_entries, [this](std::size_t i) { return equations_.output(i); },
                    [this](std::size_t i) { return entry(i); }},
                   order, norm_rows(*model_)) {
    if (!model_->feedback.empty()) {
        reactive_.emplace(recorder, model_->reactive.program(), inputs, input_colors(*model_));
    }
    const RecordedRightSide right = right_side([this](std::size_t i) { return force(i); });
    answer_ = {elimination_.eliminate(right, &observer),
               Values(model_->controls.size(), Recorded(0.0))};
    factor_controls(observer);
    add_controls(answer_, ServoTargets::kOfEquations);
    if (reactive_) {
        close_feedback();
    }
}

// The kernel of forces that depend on multipliers: Q, C, power, slopes.
Recorded RecordedMotion::Q(std::size_t i) {
    return reactive_ ? reactive_->output(i) : equations_.output(at_.Q + i);
}

Recorded RecordedMotion::C(std::size_t i) {
    return reactive_ ? reactive_->output(n_ + i) : equations_.output(at_.C + i);
}

Recorded RecordedMotion::force(std::size_t i) {
    return model_->has_nonideal ? Q(i) + C(i) : Q(i);
}

Recorded RecordedMotion::power() {
    return reactive_ ? reactive_->output(model_->has_nonideal ? 2 * n_ : n_)
                     : equations_.output(at_.power);
}

/// d(Q + C)/d lambda of row CompiledModel::feedback[k], n.
RecordedMotion::Values RecordedMotion::slope(std::size_t k) {
    const std::size_t first = (model_->has_nonideal ? 2 * n_ : n_) + 1;
    Values slope(n_, Recorded(0.0));
    for (std::size_t i = 0; i < model_->slope_entries.size(); ++i) {
        if (at(model_->slope_entries[i].row) == k) {
            slope[at(model_->slope_entries[i].column)] = reactive_->output(first + i);
        }
    }
    return slope;
}

/// Of these forces and the b of the rows.
RecordedRightSide RecordedMotion::right_side(std::function<Recorded(std::size_t)> force) {
    return {std::move(force),
            [this](std::size_t k) { return equations_.output(at_.b + at(order_->rows[k])); }};
}

/// Of these forces and b = 0.
RecordedRightSide RecordedMotion::force_alone(const Values& force) const {
    return {[&force](std::size_t i) { return force[i]; },
            [](std::size_t) { return Recorded(0.0); }};
}

Recorded RecordedMotion::lambda(const MotionAnswer& answer, int row) const {
    const int place = place_of_row_[at(row)];
    return place < 0 ? Recorded(0.0) : Recorded(0.0) - answer.x[n_ + at(place)];
}

void RecordedMotion::add_scaled(MotionAnswer& y, const MotionAnswer& x, const Recorded& weight) {
    elimination_.add_scaled(y.x, x.x, weight);
    for (std::size_t i = 0; i < y.u.size(); ++i) {
        y.u[i] = y.u[i] + weight * x.u[i];
    }
}

Recorded RecordedMotion::row_times(int row, const Values& a) {
    Recorded sum(0.0);
    for (std::size_t i = 0; i < model_->row_entries.size(); ++i) {
        if (model_->row_entries[i].row == row) {
            sum = sum + entry(i) * a[at(model_->row_entries[i].column)];
        }
    }
    return sum;
}

/// S_ik = A_si . (answer to D_k), rows and columns in the order of their pivots.
void RecordedMotion::factor_controls(MotionObserver& observer) {
    const std::size_t size = order_->controls.size();
    std::vector<Values> columns(size, Values(n_, Recorded(0.0)));
    for (std::size_t i = 0; i < model_->control_entries.size(); ++i) {
        const compile::Place& place = model_->control_entries[i];
        columns[at(place.row)][at(place.column)] = equations_.output(at_.D + i);
    }
    for (std::size_t k = 0; k < size; ++k) {
        drives_.push_back({elimination_.solve(force_alone(columns[k])),
                           Values(model_->controls.size(), Recorded(0.0))});
        drives_.back().u[k] = Recorded(1.0);
    }
    for (const solve::Pivot& row : order_->controls) {
        for (const solve::Pivot& column : order_->controls) {
            S_.push_back(row_times(row.row, drives_[at(column.coordinate)].x));
        }
    }
    factor(S_, size);
    for (std::size_t i = 0; i < size; ++i) {
        observer.of_control(S_[i * size + i]);
    }
}

/// The controls that make the servo rows hold, added to the motion without any.
void RecordedMotion::add_controls(MotionAnswer& answer, ServoTargets targets) {
    Values u;
    for (const solve::Pivot& one : order_->controls) {
        const Recorded b = targets == ServoTargets::kOfEquations
                               ? equations_.output(at_.b + at(one.row))
                               : Recorded(0.0);
        u.push_back(b - row_times(one.row, answer.x));
    }
    solve_factored(S_, u);
    for (std::size_t k = 0; k < u.size(); ++k) {
        add_scaled(answer, drives_[at(order_->controls[k].coordinate)], u[k]);
    }
}

/// One step of Newton's method for x = lambda(x), from the inputs x:
/// (1 - J) d = lambda(x) - x,  J_ik = d lambda_i / d x_k.                        THEORY section 5
void RecordedMotion::close_feedback() {
    const std::vector<int>& rows = model_->feedback;
    const std::size_t size = rows.size();
    const std::size_t first = model_->layout.lambda();
    std::vector<MotionAnswer> answers;
    answers.reserve(size);
    for (std::size_t k = 0; k < size; ++k) {
        const Values force = slope(k);
        answers.push_back({elimination_.solve(force_alone(force)),
                           Values(model_->controls.size(), Recorded(0.0))});
        add_controls(answers.back(), ServoTargets::kZero);
    }
    Values J;
    Values K;
    Values d;
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t k = 0; k < size; ++k) {
            J.push_back(lambda(answers[k], rows[i]));
            K.push_back(Recorded(i == k ? 1.0 : 0.0) - J.back());
        }
        d.push_back(lambda(answer_, rows[i]) - inputs_[first + at(rows[i])]);
    }
    factor(K, size);
    solve_factored(K, d);
    Values free;
    Values now(inputs_.begin(), inputs_.end());
    for (std::size_t k = 0; k < size; ++k) {
        free.push_back(lambda(answer_, rows[k]));
    }
    for (std::size_t k = 0; k < size; ++k) {
        add_scaled(answer_, answers[k], d[k]);
        Recorded& x = now[first + at(rows[k])];
        x = x + d[k];
        closing_.push_back(x);
    }
    code::Replay before = *reactive_;
    reactive_ = before.with(std::move(now));
    Recorded left = force_gap(before, d);
    for (std::size_t k = 0; k < size; ++k) {
        const Recorded found = lambda(answer_, rows[k]);
        left = left +
               absolute(found - closing_[k]) / (absolute(free[k]) + absolute(closing_[k]) + kTiny);
    }
    limits_ = {slope_bound(std::move(J)), scaled(left, 1.0 / kClosed)};
}

/// Forces at the new multipliers less those that the step d reckoned with, over their terms.
Recorded RecordedMotion::force_gap(code::Replay& before, const Values& d) {
    const std::size_t forces = model_->has_nonideal ? 2 * n_ : n_;
    std::vector<Values> change(n_);  // per coordinate, the parts -slope d
    for (std::size_t i = 0; i < model_->slope_entries.size(); ++i) {
        const compile::Place& place = model_->slope_entries[i];
        change[at(place.column)].push_back(before.output(forces + 1 + i) * d[at(place.row)]);
    }
    Recorded left(0.0);
    for (std::size_t i = 0; i < n_; ++i) {
        Recorded difference(0.0);
        Recorded terms(kTiny);
        for (std::size_t k = i; k < forces; k += n_) {  // Q, then C
            const Recorded to = reactive_->output(k);
            const Recorded from = before.output(k);
            if (!to.is_same_as(from)) {
                difference = difference + (to - from);
                terms = terms + absolute(to) + absolute(from);
            }
        }
        for (const Recorded& part : change[i]) {
            difference = difference - part;
            terms = terms + absolute(part);
        }
        left = left + absolute(difference) / terms;
    }
    return left;
}

/// |J| of one row; of several |J^4|_F^2, which is at least the eighth power of the spectral radius.
Recorded RecordedMotion::slope_bound(Values J) const {
    const std::size_t size = model_->feedback.size();
    if (size == 1) {
        return scaled(absolute(J.front()), 1.0 / kSteepest);
    }
    constexpr int kSquarings = 2;
    for (int squaring = 0; squaring < kSquarings; ++squaring) {
        Values square(J.size(), Recorded(0.0));
        for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t j = 0; j < size; ++j) {
                for (std::size_t k = 0; k < size; ++k) {
                    square[i * size + j] = square[i * size + j] + J[i * size + k] * J[k * size + j];
                }
            }
        }
        J = std::move(square);
    }
    Recorded sum(0.0);
    for (const Recorded& one : J) {
        sum = sum + one * one;
    }
    return scaled(sum, 1.0 / kSteepest);
}

/// power + Qc . v,  Qc = C + A^T lambda + D u: rows with A v = 0 do no work. What a friction holds
/// to may move.
Recorded RecordedMotion::energy_rate() {
    const std::span<const Recorded> v = inputs_.subspan(model_->layout.v(), n_);
    Recorded rate = power();
    for (std::size_t i = 0; model_->has_nonideal && i < n_; ++i) {
        rate = rate + C(i) * v[i];
    }
    for (std::size_t i = 0; i < model_->row_entries.size(); ++i) {
        const compile::Place& place = model_->row_entries[i];
        const mech::Row& row = model_->rows[at(place.row)];
        if (place_of_row_[at(place.row)] >= 0 && (row.stick || !row.homogeneous)) {
            rate = rate + lambda(answer_, place.row) * (entry(i) * v[at(place.column)]);
        }
    }
    for (std::size_t i = 0; i < model_->control_entries.size(); ++i) {
        const compile::Place& place = model_->control_entries[i];
        rate =
            rate + answer_.u[at(place.row)] * (equations_.output(at_.D + i) * v[at(place.column)]);
    }
    return rate;
}

MotionAnswer RecordedMotion::ideal() {
    MotionAnswer answer{elimination_.solve(right_side([this](std::size_t i) { return Q(i); })),
                        Values(model_->controls.size(), Recorded(0.0))};
    add_controls(answer, ServoTargets::kOfEquations);
    return answer;
}

}  // namespace ananke::dynamics
