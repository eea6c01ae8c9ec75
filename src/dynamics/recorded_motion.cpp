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

std::vector<Recorded> taken(std::span<const Recorded>& values, std::size_t count) {
    const std::span<const Recorded> head = values.first(count);
    values = values.subspan(count);
    return {head.begin(), head.end()};
}

}  // namespace

void add_scaled(MotionAnswer& y, const MotionAnswer& x, const Recorded& weight) {
    for (const auto part : {&MotionAnswer::a, &MotionAnswer::lambda, &MotionAnswer::u}) {
        for (std::size_t i = 0; i < (y.*part).size(); ++i) {
            (y.*part)[i] = (y.*part)[i] + weight * (x.*part)[i];
        }
    }
}

RecordedMotion::RecordedMotion(const Evaluator& evaluator, code::Builder& builder,
                               std::span<const Recorded> inputs, const RowOrder& order,
                               PivotObserver<code::Recorded>& observer)
    : evaluator_(&evaluator),
      model_(&evaluator.model()),
      builder_(&builder),
      inputs_(inputs),
      order_(&order),
      n_(at(model_->n())) {
    const Values values = code::replay(builder, model_->dynamics.program(), inputs);
    std::span<const Recorded> rest = values;
    mass_ = taken(rest, model_->mass_entries.size());
    Q_ = taken(rest, n_);
    C_ = taken(rest, model_->has_nonideal ? n_ : 0);
    entries_ = taken(rest, model_->row_entries.size());
    b_ = taken(rest, model_->rows.size());
    power_ = taken(rest, 1).front();
    drive_entries_ = taken(rest, model_->control_entries.size());

    std::vector<Values> slopes;
    if (!model_->feedback.empty()) {
        slopes = take_reactive(inputs_);
    }
    Values force = Q_;
    for (std::size_t i = 0; i < C_.size(); ++i) {
        force[i] = force[i] + C_[i];
    }
    answer_ = eliminate(std::move(force), true, &observer);
    factor_controls(observer);
    add_controls(answer_, true);
    if (!slopes.empty()) {
        close_feedback(slopes);
    }
}

/// Q, C and power for these inputs; returns the slopes of Q + C by the multipliers that feed back.
std::vector<RecordedMotion::Values> RecordedMotion::take_reactive(
    std::span<const Recorded> inputs) {
    const Values values = code::replay(*builder_, model_->reactive.program(), inputs);
    std::span<const Recorded> rest = values;
    Q_ = taken(rest, n_);
    C_ = taken(rest, C_.size());
    power_ = taken(rest, 1).front();
    std::vector<Values> slopes(model_->feedback.size(), Values(n_, Recorded(0.0)));
    const Values entries = taken(rest, model_->slope_entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const compile::Place& place = model_->slope_entries[i];
        slopes[at(place.row)][at(place.column)] = entries[i];
    }
    return slopes;
}

/// The same elimination each time: the builder knows what is the same in all of them.
MotionAnswer RecordedMotion::eliminate(Values force, bool with_b,
                                       PivotObserver<code::Recorded>* observer) const {
    RecordedSystem system{model_->row_entries, mass_, entries_, std::move(force), {}};
    for (const int row : order_->rows) {
        system.b.push_back(with_b ? b_[at(row)] : Recorded(0.0));
    }
    const Values x = record_elimination(*evaluator_, inputs_, std::move(system), *order_,
                                        norm_rows(*model_), observer);
    MotionAnswer answer;
    answer.a.assign(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n_));
    answer.lambda.assign(model_->rows.size(), Recorded(0.0));
    for (std::size_t k = 0; k < order_->rows.size(); ++k) {
        answer.lambda[at(order_->rows[k])] = Recorded(0.0) - x[n_ + k];
    }
    answer.u.assign(model_->controls.size(), Recorded(0.0));
    return answer;
}

Recorded RecordedMotion::row_times(int row, const Values& a) const {
    Recorded sum(0.0);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (model_->row_entries[i].row == row) {
            sum = sum + entries_[i] * a[at(model_->row_entries[i].column)];
        }
    }
    return sum;
}

/// S_ik = A_si . (answer to D_k), rows and columns in the order of their pivots.
void RecordedMotion::factor_controls(PivotObserver<code::Recorded>& observer) {
    const std::size_t size = order_->controls.size();
    std::vector<Values> columns(size, Values(n_, Recorded(0.0)));
    for (std::size_t i = 0; i < drive_entries_.size(); ++i) {
        const compile::Place& place = model_->control_entries[i];
        columns[at(place.row)][at(place.column)] = drive_entries_[i];
    }
    for (std::size_t k = 0; k < size; ++k) {
        drives_.push_back(eliminate(std::move(columns[k]), false));
        drives_.back().u[k] = Recorded(1.0);
    }
    for (const solve::Pivot& row : order_->controls) {
        for (const solve::Pivot& column : order_->controls) {
            S_.push_back(row_times(row.row, drives_[at(column.coordinate)].a));
        }
    }
    factor(S_, size);
    for (std::size_t i = 0; i < size; ++i) {
        observer.of_control(S_[i * size + i]);
    }
}

/// The controls that make the servo rows hold, added to the motion without any.
void RecordedMotion::add_controls(MotionAnswer& answer, bool with_b) const {
    Values u;
    for (const solve::Pivot& one : order_->controls) {
        const Recorded wanted = with_b ? b_[at(one.row)] : Recorded(0.0);
        u.push_back(wanted - row_times(one.row, answer.a));
    }
    solve_factored(S_, u);
    for (std::size_t k = 0; k < u.size(); ++k) {
        add_scaled(answer, drives_[at(order_->controls[k].coordinate)], u[k]);
    }
}

MotionAnswer RecordedMotion::respond(Values force, bool with_b) const {
    MotionAnswer answer = eliminate(std::move(force), with_b);
    add_controls(answer, with_b);
    return answer;
}

/// One step of Newton's method for x = lambda(x), from the inputs x:
/// (1 - J) d = lambda(x) - x,  J_ik = d lambda_i / d x_k.                        THEORY section 5
void RecordedMotion::close_feedback(const std::vector<Values>& slopes) {
    const std::vector<int>& rows = model_->feedback;
    const std::size_t size = rows.size();
    const std::size_t lambda = model_->layout.lambda();
    std::vector<MotionAnswer> answers;
    answers.reserve(size);
    for (const Values& slope : slopes) {
        answers.push_back(respond(slope, false));
    }
    Values J;
    Values K;
    Values d;
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t k = 0; k < size; ++k) {
            J.push_back(answers[k].lambda[at(rows[i])]);
            K.push_back(Recorded(i == k ? 1.0 : 0.0) - J.back());
        }
        d.push_back(answer_.lambda[at(rows[i])] - inputs_[lambda + at(rows[i])]);
    }
    factor(K, size);
    solve_factored(K, d);
    const Values free = answer_.lambda;
    Values now(inputs_.begin(), inputs_.end());
    for (std::size_t k = 0; k < size; ++k) {
        add_scaled(answer_, answers[k], d[k]);
        Recorded& x = now[lambda + at(rows[k])];
        x = x + d[k];
        closing_.push_back(x);
    }
    const Values before_Q = Q_;
    const Values before_C = C_;
    take_reactive(now);
    Recorded left = force_gap(before_Q, before_C, slopes, d);
    for (std::size_t k = 0; k < size; ++k) {
        const Recorded& found = answer_.lambda[at(rows[k])];
        left = left + absolute(found - closing_[k]) /
                          (absolute(free[at(rows[k])]) + absolute(closing_[k]) + kTiny);
    }
    limits_ = {slope_bound(std::move(J)), scaled(left, 1.0 / kClosed)};
}

/// Forces at the new multipliers less those that the step d reckoned with, over their terms.
Recorded RecordedMotion::force_gap(const Values& before_Q, const Values& before_C,
                                   const std::vector<Values>& slopes, const Values& d) const {
    Recorded left(0.0);
    for (std::size_t i = 0; i < n_; ++i) {
        Recorded difference(0.0);
        Recorded terms(kTiny);
        const auto add = [&](const Recorded& to, const Recorded& from) {
            if (to.value(*builder_) == from.value(*builder_)) {
                return;
            }
            difference = difference + (to - from);
            terms = terms + absolute(to) + absolute(from);
        };
        add(Q_[i], before_Q[i]);
        if (!C_.empty()) {
            add(C_[i], before_C[i]);
        }
        for (std::size_t k = 0; k < d.size(); ++k) {
            const Recorded part = slopes[k][i] * d[k];
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

Recorded RecordedMotion::absolute(const Recorded& x) const {
    return Recorded(*builder_, builder_->apply(code::Op::kAbs, x.value(*builder_)));
}

/// power + Qc . v,  Qc = C + A^T lambda + D u: rows with A v = 0 do no work. What a friction holds
/// to may move.
Recorded RecordedMotion::energy_rate() const {
    const std::span<const Recorded> v = inputs_.subspan(model_->layout.v(), n_);
    Recorded rate = power_;
    for (std::size_t i = 0; i < C_.size(); ++i) {
        rate = rate + C_[i] * v[i];
    }
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const compile::Place& place = model_->row_entries[i];
        const mech::Row& row = model_->rows[at(place.row)];
        if (row.stick || !row.homogeneous) {
            rate = rate + answer_.lambda[at(place.row)] * (entries_[i] * v[at(place.column)]);
        }
    }
    for (std::size_t i = 0; i < drive_entries_.size(); ++i) {
        const compile::Place& place = model_->control_entries[i];
        rate = rate + answer_.u[at(place.row)] * (drive_entries_[i] * v[at(place.column)]);
    }
    return rate;
}

RecordedMotion::Values RecordedMotion::push(const MotionAnswer& answer) const {
    Values force(n_, Recorded(0.0));
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const compile::Place& place = model_->row_entries[i];
        Recorded& one = force[at(place.column)];
        one = one + entries_[i] * answer.lambda[at(place.row)];
    }
    for (std::size_t i = 0; i < drive_entries_.size(); ++i) {
        const compile::Place& place = model_->control_entries[i];
        Recorded& one = force[at(place.column)];
        one = one + drive_entries_[i] * answer.u[at(place.row)];
    }
    return force;
}

}  // namespace ananke::dynamics
