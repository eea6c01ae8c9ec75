#include "simulate/singular_stepper.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/fresh_numbers.h"
#include "simulate/quintic_path.h"

namespace ananke::simulate {
namespace {

/// How many steps ahead a pivot that falls is followed to its zero.
constexpr double kHorizon = 6.0;
/// The path foreseen is searched this many steps ahead: nearer where it leads nowhere farther off.
constexpr std::array kSearch{4.0, 2.0, 1.0};
/// A step that ends nearer to the instant than this part of its length is made again, across it,
/// as far as this many times the way to the instant: shorter where the error is too large.
constexpr double kTooNear = 0.3;
constexpr std::array kAgain{4.0, 2.4, 1.5, 1.1};
/// and its zero is found to this part of a step.
constexpr double kForesight = 1e-4;
/// The row that turns is asked at this part of the stretch beside the instant that pivots tell: of
/// several rows that become dependent together each has its own instant, but for rounding the same.
constexpr double kMargin = 1e-6;
/// and has then this part left of what it was where it is followed from.
constexpr double kAboutToTurn = 0.01;
/// A step between states whose weakest pivots are above this passes no singular configuration.
constexpr double kStrong = 0.9;
/// A crossing starts when the instant is less than this many steps away ...
constexpr double kNear = 2.6;
/// ... and the step before ends about this many steps ahead of it, not nearer.
constexpr double kRunUp = 1.8;
/// States nearer to a singular configuration than this part of their size are on no branch: the
/// constraints hold to some 1e-15, and distances count there with their squares.
constexpr double kUndecided = 3e-7;
/// That is the root of rounding; states that are off the constraints by more, phi of their size,
/// are on no branch nearer than this many sqrt(phi), and never farther off than the part below.
constexpr double kRounding = 1e-15;
constexpr double kBlur = 10.0;
constexpr double kMostBlurred = 0.1;
/// From the start a row is followed for this part of the time in which a coordinate changes by its
/// size; instants more than so many of these times ahead are left to the steps that come.
constexpr double kGlance = 1e-4;
constexpr double kFarAhead = 1.0;
/// The first step goes this part of the way to an instant that is foreseen from the start.
constexpr double kFirstPart = 0.25;
/// Longest crossing, in steps.
constexpr double kLongest = 4.0;
/// Attempts at one crossing, each from half the distance of the one before and so much shorter.
constexpr int kMostRefused = 5;
constexpr double kShorter = 0.6;
/// As for any step: one that projection must move by more times its tolerance has left its branch.
constexpr double kLargestCorrection = 1e4;
/// The constraints hold at the instant itself to so many tolerances, or to round-off.
constexpr double kViolation = 10.0;
constexpr double kRoundOff = 1e-12;
/// and what the row has besides the others is gone there up to this part, or so many tolerances.
constexpr double kVanished = 1e-3;
constexpr double kVanishedTolerances = 200.0;
/// Distance, in tolerances, below which a state is one of the crossing.
constexpr double kSameState = 1e3;
/// and part of the tolerance that another law may move it over the rest of the crossing.
constexpr double kSameForces = 0.1;
/// The error of the crossing, of order 16, is estimated as if its order were 7 and these.
constexpr int kOrdersClaimed = 6;

/// The longest step with the instant midway between two collocation points, or the one with the
/// instant in the middle if none is short enough.
double length_of_crossing(double away, double longest) {
    const ode::GaussStep::Nodes& c = ode::GaussStep::nodes();
    for (std::size_t k = 0; k + 1 < c.size(); ++k) {
        const double length = away / (0.5 * (c[k] + c[k + 1]));
        if (length <= longest) {
            return length;
        }
    }
    return 2.0 * away;
}

double dot(const std::vector<double>& x, const std::vector<double>& y) {
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

}  // namespace

SingularStepper::SingularStepper(std::unique_ptr<ode::Stepper> inner,
                                 dynamics::Evaluator& evaluator, dynamics::StateEquation& equation,
                                 dynamics::Surface& surface, double rtol)
    : inner_(std::move(inner)),
      evaluator_(&evaluator),
      equation_(&equation),
      surface_(&surface),
      rtol_(rtol),
      watches_(evaluator.model().m() > 0 && dynamics::is_foreseen(evaluator.model())),
      n_(static_cast<std::size_t>(evaluator.model().n())),
      gauss_(equation.size()),
      follower_(evaluator) {
    previous_.direction.resize(n_);
    now_.direction.resize(n_);
    for (std::vector<double>* values :
         {&previous_.y, &previous_.slope, &now_.y, &now_.slope, &work_}) {
        values->resize(equation.size());
    }
}

void SingularStepper::start(double t0, std::span<const double> y0, double step) {
    statistics_ = {};
    counted_ = {};
    resumed_ = goes_on(t0, y0);
    if (resumed_) {
        t_previous_ = t0;
        std::copy(y0.begin(), y0.end(), y_previous_.begin());
        inner_->start(t_, y_, step);
        return;
    }
    inner_->start(t0, y0, step);
    singular_.reset();
    collocated_ = false;
    known_states_ = 0;
    strongest_ = 0.0;
    has_state_ = false;
    give_way();
}

/// Nothing is known to be in the way.
void SingularStepper::give_way() {
    blocked_ = false;
    refused_ = 0;
}

bool SingularStepper::goes_on(double t0, std::span<const double> y0) {
    if (!collocated_ || !(t_previous_ < t0 && t0 < t_)) {
        return false;
    }
    gauss_.dense(t0, work_);
    return distance(work_, y0) < kSameState && forces_are_the_same(t0);
}

/// For a switch, or a parameter that changes, inside the crossing.
void SingularStepper::note_forces() {
    const auto count = static_cast<double>(forces_.size());
    for (std::size_t k = 0; k < forces_.size(); ++k) {
        Forces& one = forces_[k];
        one.t = t_previous_ + (static_cast<double>(k) + 1.0) / count * (t_ - t_previous_);
        one.y.resize(y_.size());
        gauss_.dense(one.t, one.y);
        const compile::SparseValues values =
            evaluator_->sparse_system(one.t, one.y.data(), one.y.data() + n_);
        one.sum.assign(values.Q.begin(), values.Q.end());
        for (std::size_t i = 0; i < values.C.size(); ++i) {
            one.sum[i] += values.C[i];
        }
    }
}

/// Whether the law of now moves nothing over the rest of the crossing that the law it was made with
/// would not, to a part of the tolerance: |dQ| h / M against the velocities.
bool SingularStepper::forces_are_the_same(double t0) {
    const std::vector<compile::Place>& places = evaluator_->model().mass_entries;
    const std::span<const double> sizes = evaluator_->scales().velocities();
    std::vector<double> mass(n_, 0.0);
    const double rest = t_ - t0;
    for (const Forces& one : forces_) {
        if (one.t <= t0) {
            continue;
        }
        const compile::SparseValues values =
            evaluator_->sparse_system(one.t, one.y.data(), one.y.data() + n_);
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (places[i].row == places[i].column) {
                mass[static_cast<std::size_t>(places[i].row)] = values.M[i];
            }
        }
        for (std::size_t i = 0; i < n_; ++i) {
            const double now = values.Q[i] + (values.C.empty() ? 0.0 : values.C[i]);
            const double moved = std::abs(now - one.sum[i]) * rest;
            if (!(moved <=
                  kSameForces * rtol_ * mass[i] * sizes[i] + kRoundOff * std::abs(now) * rest)) {
                return false;
            }
        }
    }
    return true;
}

/// statistics_ = counted_ + what inner_ has done since
void SingularStepper::count() {
    const ode::Statistics& part = inner_->statistics();
    statistics_ = counted_;
    statistics_.steps += part.steps;
    statistics_.rejected += part.rejected;
    statistics_.rhs_evaluations += part.rhs_evaluations;
    statistics_.jacobians += part.jacobians;
    statistics_.factorisations += part.factorisations;
    statistics_.smallest_step =
        counted_.steps == 0
            ? part.smallest_step
            : (part.steps == 0 ? counted_.smallest_step
                               : std::min(counted_.smallest_step, part.smallest_step));
    statistics_.largest_step = std::max(counted_.largest_step, part.largest_step);
    statistics_.last_error = part.last_error;
}

ode::Status SingularStepper::step(double t_end) {
    if (resumed_ && t_end >= t_) {
        resumed_ = false;
        if (singular_ && singular_->t <= t_previous_) {
            singular_.reset();
        }
        return ode::Status::kOk;
    }
    if (resumed_) {
        resumed_ = false;
        collocated_ = false;
        inner_->start(t_previous_, y_previous_, inner_->next_step());
    }
    const bool watched = watches_ && t_end > t();
    double limit = t_end;
    if (watched && !has_state_) {
        note_start();
        if (const std::optional<double> near = foresee_from_start()) {
            if (is_undecided(*near)) {
                lost_ = true;
                return ode::Status::kStepTooSmall;
            }
            limit = std::min(t_end, now_.t + kFirstPart * (*near - now_.t));
        }
    }
    const std::optional<double> ahead = watched ? foresee() : std::nullopt;
    if (watched && (ahead ? ends_at(*ahead) : is_on_no_branch())) {
        lost_ = true;
        return ode::Status::kStepTooSmall;
    }
    if (ahead && may_cross()) {
        const double away = *ahead - t();
        const double h = inner_->next_step();
        if (away > kNear * h) {
            limit = std::min(t_end, *ahead - kRunUp * h);
        } else if (cross(now_, *ahead, kLongest * std::pow(kShorter, refused_) * h, t_end)) {
            return ode::Status::kOk;
        } else if (is_undecided(*ahead)) {
            lost_ = true;
            return ode::Status::kStepTooSmall;
        } else if (!blocked_) {
            limit = std::min(t_end, t() + 0.5 * away);
        }
    }
    singular_.reset();
    collocated_ = false;
    const ode::Status status = inner_->step(limit);
    count();
    if (status == ode::Status::kOk && watched) {
        note_state(inner_->t(), inner_->y());
        look_behind(t_end);
        if (singular_ && !may_cross()) {
            lost_ = true;
            inner_->start(previous_.t, previous_.y, inner_->next_step());
            return ode::Status::kStepTooSmall;
        }
        if (!collocated_ && !singular_ && may_cross()) {
            look_closely_ahead(t_end);
        }
    }
    return status;
}

/// Part of a row besides the others below which the motions that branch off cannot be told apart.
double SingularStepper::blur(double t, std::span<const double> y) {
    const double off = surface_->violation(t, y);
    return std::min(kMostBlurred, kBlur * std::sqrt(std::max(off, kRounding)));
}

/// Whether the last state is so near to a singular configuration, while none is ahead, that it may
/// have come from one branch onto another.
bool SingularStepper::is_on_no_branch() {
    return known_states_ > 0 && now_.weakest.pivot < kMostBlurred * strongest_ &&
           now_.weakest.pivot < blur(now_.t, now_.y) * strongest_;
}

/// Whether the next step would meet an instant that cannot be crossed.
bool SingularStepper::ends_at(double t_singular) {
    if (may_cross() || t_singular - now_.t > inner_->next_step()) {
        return false;
    }
    path(t_singular, work_);
    return vanishes(t_singular, work_);
}

ode::Status SingularStepper::dense(double t, std::span<double> y) {
    if (!collocated_) {
        const ode::Status status = inner_->dense(t, y);
        count();
        return status;
    }
    if (t == t_ || t == t_previous_) {
        const std::vector<double>& end = t == t_ ? y_ : y_previous_;
        std::copy(end.begin(), end.end(), y.begin());
    } else {
        gauss_.dense(t, y);
    }
    return ode::Status::kOk;
}

void SingularStepper::note_start() {
    std::copy(inner_->y().begin(), inner_->y().end(), work_.begin());
    ++counted_.rhs_evaluations;
    // The state noted takes the place of the one before.
    if (equation_->rhs_on_surface(inner_->t(), work_, previous_.slope).kind ==
        ode::Evaluation::Kind::kOk) {
        note_state(inner_->t(), work_);
    }
}

/// Requires that f was last evaluated at this state.
void SingularStepper::note_state(double t, std::span<const double> y) {
    std::swap(previous_, now_);
    now_.t = t;
    copy_few(y.data(), y.size(), now_.y.data());
    find_weakest(now_);
    const bool follows = std::exchange(has_state_, true);
    if (!now_.weakest.known) {
        known_states_ = 0;
        return;
    }
    if (known_states_ == 0 && follows) {
        look_back();
    }
    known_states_ = std::min(known_states_ + 1, 2);
    strongest_ = std::max(strongest_, now_.weakest.pivot);
    if (now_.weakest.pivot >= previous_.weakest.pivot) {
        give_way();
    }
}

/// Requires that f was last evaluated at this state. Where that was by a method without pivots they
/// are found here.
void SingularStepper::find_weakest(State& state) {
    state.weakest = equation_->weakest(state.direction);
    if (!state.weakest.known) {
        return;
    }
    only_listed_ = state.weakest.row < 0;
    if (only_listed_) {
        state.weakest = follower_.choose(state.t, state.y, state.direction);
    }
}

/// Finds the weakest row of the state before, which nobody had asked for there.
void SingularStepper::look_back() {
    if (follower_.is_made()) {
        previous_.weakest = follower_.choose(previous_.t, previous_.y, previous_.direction);
        known_states_ = previous_.weakest.known ? 1 : 0;
        return;
    }
    // Most models that are looked at never come to a crossing, and need no follower.
    const auto look_at = [this](State& state) {
        ++counted_.rhs_evaluations;
        const bool found = equation_->rhs_on_surface(state.t, state.y, state.slope).kind ==
                           ode::Evaluation::Kind::kOk;
        find_weakest(state);
        return found;
    };
    known_states_ = look_at(previous_) ? 1 : 0;
    look_at(now_);  // the rows of the steps to come are those of the last state
}

/// The time at which the weakest row, or one that vanishes, followed along the motion foreseen,
/// turns round.
std::optional<double> SingularStepper::foresee() {
    const double h = inner_->next_step();
    if (known_states_ < 2 || only_listed_ || (blocked_ && !is_undecided(now_.t + kHorizon * h))) {
        return std::nullopt;
    }
    const double way = now_.t - previous_.t;
    const auto is_near = [&](double ahead) { return ahead * way <= kHorizon * h; };
    const double fall = previous_.weakest.pivot - now_.weakest.pivot;
    const bool weakest_falls = fall > 0.0 && is_near(now_.weakest.pivot / fall);
    std::optional<RowFollower::FallingRow> vanishing =
        follower_.falling_row(previous_.t, previous_.y, now_.t, now_.y);
    if (vanishing && !is_near(vanishing->ahead)) {
        vanishing.reset();
    }
    if (!(weakest_falls || vanishing) || !prepare_path(now_)) {
        return std::nullopt;
    }
    const auto along_path = [this](double t) {
        path(t, work_);
        return true;
    };
    const auto first_turn = [&] {
        std::optional<double> turn;
        for (std::size_t k = 0; k < kSearch.size() && !turn; ++k) {
            turn = find_turn(along_path, now_.t, now_.t + kSearch[k] * h, kForesight * h);
        }
        return turn;
    };
    foreseen_row_ = -1;
    std::optional<double> turn;
    if (weakest_falls) {
        turn = first_turn();
    }
    if (!turn && vanishing) {
        foreseen_row_ = vanishing->row;
        follower_.watch_row(foreseen_row_);
        turn = first_turn();
    }
    return turn;
}

/// The same from one state alone, where the run starts or starts anew: the weakest row, or one that
/// falls in length, goes on to fall as it does at first along q + v dt + a dt^2/2.
std::optional<double> SingularStepper::foresee_from_start() {
    if (known_states_ == 0 || only_listed_ || now_.weakest.row < 0 ||
        !follower_.watch_weakest_of(equation_->dynamics(), now_.weakest, now_.direction, now_.t,
                                    now_.y)) {
        return std::nullopt;
    }
    const std::span<const double> sizes = evaluator_->scales().positions();
    double fastest = 0.0;  // 1/time in which a coordinate changes by the glance's part of its size
    for (std::size_t i = 0; i < n_; ++i) {
        const double way = kGlance * sizes[i];
        if (way > 0.0) {
            fastest = std::max({fastest, std::abs(now_.y[n_ + i]) / way,
                                std::sqrt(0.5 * std::abs(now_.slope[n_ + i]) / way)});
        }
    }
    if (!(fastest > 0.0)) {
        return std::nullopt;
    }
    const double dt = 1.0 / fastest;
    for (std::size_t i = 0; i < n_; ++i) {
        const double v = now_.y[n_ + i];
        const double a = now_.slope[n_ + i];
        work_[i] = now_.y[i] + dt * (v + 0.5 * dt * a);
        work_[n_ + i] = v + dt * a;
    }
    const double left = follower_.signed_pivot(now_.t + dt, work_);
    double fall = std::isfinite(left) ? 1.0 - left : 0.0;
    if (const std::optional<RowFollower::FallingRow> row =
            follower_.falling_row(now_.t, now_.y, now_.t + dt, work_)) {
        fall = std::max(fall, 1.0 / (1.0 + row->ahead));
    }
    const double h = inner_->next_step();
    const bool is_near =
        fall > 0.0 && (h == 0.0 ? fall * kFarAhead > kGlance : dt / fall < kHorizon * h);
    return is_near ? std::optional(now_.t + dt / fall) : std::nullopt;
}

/// Whether the motion foreseen hardly leads away from the last state up to then.
bool SingularStepper::is_undecided(double t) const {
    const std::span<const double> sizes = evaluator_->scales().positions();
    const double dt = t - now_.t;
    for (std::size_t i = 0; i < n_; ++i) {
        const double way = dt * (now_.y[n_ + i] + 0.5 * dt * now_.slope[n_ + i]);
        const double size = evaluator_->model().turns[i] ? std::max(1.0, sizes[i]) : sizes[i];
        if (!(std::abs(way) <= kUndecided * size)) {
            return false;
        }
    }
    return true;
}

/// Replaces the last step if it ended so near to a singular configuration that none leads across
/// from there.
void SingularStepper::look_closely_ahead(double t_end) {
    const std::optional<double> ahead = foresee();
    if (!ahead || *ahead - now_.t > kTooNear * (now_.t - previous_.t) || !prepare_path(previous_)) {
        return;
    }
    if (foreseen_row_ >= 0) {
        follower_.watch_row(foreseen_row_);
    }
    for (const double longest : kAgain) {
        if (cross(previous_, *ahead, longest * (*ahead - previous_.t), t_end)) {
            return;
        }
    }
    give_way();
}

/// False if the weakest row is the same at both ends of the last step and has not turned.
bool SingularStepper::may_have_turned() {
    const dynamics::WeakestRow& before = previous_.weakest;
    const dynamics::WeakestRow& after = now_.weakest;
    if (known_states_ < 2) {
        return false;
    }
    if (follower_.any_reversed(previous_.t, previous_.y, now_.t, now_.y)) {
        return true;
    }
    if (std::min(before.pivot, after.pivot) > kStrong) {
        return false;
    }
    // The weakest row may be another one than that which turns, a drive with a small pivot of its
    // own. Where nothing is free steps are long enough to hide it at both ends.
    const bool nothing_free = after.rank == static_cast<int>(n_);
    return nothing_free || before.row != after.row || before.row < 0 ||
           dot(previous_.direction, now_.direction) <= 0.0;
}

/// True if an elimination tells that no rows became dependent within the last step.
bool SingularStepper::no_pivot_changed() {
    const std::span<const double> first = equation_->pivots(previous_.t, previous_.y);
    pivots_.assign(first.begin(), first.end());
    const std::span<const double> last = equation_->pivots(now_.t, now_.y);
    bool same = !last.empty() && last.size() == pivots_.size();
    for (std::size_t k = 0; same && k < last.size(); ++k) {
        same = pivots_[k] * last[k] > 0.0;
    }
    return same;
}

/// Replaces the last step if it passed over a singular configuration.
void SingularStepper::look_behind(double t_end) {
    if (!may_have_turned() || no_pivot_changed() || !prepare_path(previous_)) {
        return;
    }
    follower_.watch_row_that_turned(now_.t, now_.y);
    const auto along_step = [this](double t) {
        return inner_->dense(t, work_) == ode::Status::kOk;
    };
    const std::optional<double> turn =
        find_turn(along_step, previous_.t, now_.t, kForesight * (now_.t - previous_.t));
    if (!turn) {
        return;
    }
    const double t_singular = *turn;
    if ((only_listed_ || !may_cross() ||
         !cross(previous_, t_singular, now_.t - previous_.t, t_end)) &&
        inner_->dense(t_singular, work_) == ode::Status::kOk && vanishes(t_singular, work_)) {
        singular_ = follower_.describe(previous_.t, previous_.y, t_singular, work_);
    }
}

/// Slopes at the last two states and the order of the rows at one of them. False where something
/// is not a number. The rows of the steps to come are those of the last state.
bool SingularStepper::prepare_path(const State& from) {
    counted_.rhs_evaluations += 2;
    if (equation_->rhs_across(previous_.t, previous_.y, previous_.slope).kind !=
            ode::Evaluation::Kind::kOk ||
        equation_->rhs_on_surface(now_.t, now_.y, now_.slope).kind != ode::Evaluation::Kind::kOk) {
        return false;
    }
    return &from == &now_ && !only_listed_
               ? follower_.watch_weakest_of(equation_->dynamics(), now_.weakest, now_.direction,
                                            now_.t, now_.y)
               : follower_.watch_weakest(from.t, from.y);
}

void SingularStepper::path(double t, std::span<double> y) const {
    follow_quintic({previous_.t, previous_.y, previous_.slope}, {now_.t, now_.y, now_.slope}, n_, t,
                   y);
}

/// Where the watched row turns round on a motion that begins where its direction was taken. Pivots
/// of an elimination change their signs there too, and tell it at less cost; but pivots may change
/// for other reasons, so the row itself is asked just before the instant they tell.
std::optional<double> SingularStepper::find_turn(Motion move, double before, double after,
                                                 double tolerance) {
    const auto row = [&](double t) {
        return move(t) ? follower_.signed_pivot(t, work_) : std::nan("");
    };
    if (!(row(after) < 0.0)) {
        return std::nullopt;
    }
    const std::optional<ode::Root> told = find_change_of_pivot(move, before, after, tolerance);
    const double margin = std::max(kMargin * (after - before), tolerance);
    if (told) {
        const double beside = row(std::max(before, told->before - margin));
        if (beside > 0.0 && beside < kAboutToTurn) {
            return told->t;
        }
    }
    const Result<ode::Root> root = ode::find_root(row, before, after, tolerance);
    return root ? std::optional(root.value().t) : std::nullopt;
}

std::optional<ode::Root> SingularStepper::find_change_of_pivot(Motion move, double before,
                                                               double after, double tolerance) {
    const auto pivots_at = [&](double t) {
        return move(t) ? equation_->pivots(t, work_) : std::span<const double>();
    };
    const std::span<const double> first = pivots_at(before);
    pivots_.assign(first.begin(), first.end());
    const std::span<const double> last = pivots_at(after);
    const std::size_t count = std::min(pivots_.size(), last.size());
    std::size_t which = 0;
    while (which < count && !(pivots_[which] * last[which] < 0.0)) {
        ++which;
    }
    if (which == count) {
        return std::nullopt;
    }
    const auto pivot = [&](double t) {
        const std::span<const double> now = pivots_at(t);
        return which < now.size() ? now[which] : std::nan("");
    };
    const Result<ode::Root> root = ode::find_root(pivot, before, after, tolerance);
    return root ? std::optional(root.value()) : std::nullopt;
}

double SingularStepper::pivot_at(double t, std::span<const double> y) {
    if (!collocated_) {
        return 1.0;
    }
    return std::abs(follower_.signed_pivot(t, y)) * follower_.first_pivot();
}

/// Crosses the instant from a state before it, to the end of the step or `longest` beyond.
bool SingularStepper::cross(const State& from, double t_singular, double longest, double t_end) {
    const double h = length_of_crossing(t_singular - from.t, std::min(longest, t_end - from.t));
    const double t1 = from.t + h;
    const auto guess = [this](double t, std::span<double> y) { path(t, y); };
    const auto rhs = [this](double t, std::span<const double> y, std::span<double> dydt) {
        return equation_->rhs_across(t, y, dydt);
    };
    const auto project = [this](double t, std::span<double> y) { return project_closest(t, y); };
    const auto project_roughly = [this](double t, std::span<double> y) {
        return surface_->put_back_roughly(t, y, equation_->order());
    };
    const ode::GaussProblem problem{rhs, project, rtol_, inner_->absolute_tolerances(),
                                    project_roughly};
    const ode::Status status = gauss_.take(problem, from.t, from.y, h, guess);
    counted_.rhs_evaluations += gauss_.rhs_evaluations();
    std::optional<double> found;
    if (status == ode::Status::kOk && end_is_sound(t1) && energy_is_kept(from, t1) &&
        equation_->rhs_on_surface(t1, end_, work_).kind == ode::Evaluation::Kind::kOk) {
        gauss_.set_slopes_at_ends(from.slope, work_);
        found = singular_time(from, t1);
    }
    if (!found) {
        ++refused_;
        blocked_ = refused_ >= kMostRefused;
        ++counted_.rejected;
        // The rows of the steps to come are those of the last state.
        equation_->rhs_on_surface(now_.t, now_.y, now_.slope);
        return false;
    }
    gauss_.dense(*found, work_);
    singular_ = follower_.describe(from.t, from.y, *found, work_);
    take_end(from, t1, t_end);
    return true;
}

/// Makes the crossing the last step. Where it went beyond t_end it is cut there.
void SingularStepper::take_end(const State& from, double t1, double t_end) {
    collocated_ = true;
    t_previous_ = from.t;
    y_previous_ = from.y;
    t_ = std::min(t1, t_end);
    y_ = end_;
    if (t1 > t_end) {
        gauss_.dense(t_end, y_);
    }
    note_forces();
    count();
    counted_ = statistics_;
    ++counted_.steps;
    counted_.largest_step = std::max(counted_.largest_step, t_ - t_previous_);
    inner_->start(t_, y_, inner_->next_step());
    count();
    known_states_ = 0;
    strongest_ = 0.0;
    has_state_ = false;
    give_way();
}

/// Root mean square of the distance of two ends, in units of the tolerance.
double SingularStepper::distance(std::span<const double> x, std::span<const double> y) const {
    const std::span<const double> atol = inner_->absolute_tolerances();
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double scaled = (x[i] - y[i]) / (atol[i] + rtol_ * std::abs(x[i]));
        sum += scaled * scaled;
    }
    return std::sqrt(sum / static_cast<double>(x.size()));
}

/// The end of the step, projected, against the error test.
bool SingularStepper::end_is_sound(double t1) {
    end_.assign(gauss_.end().begin(), gauss_.end().end());
    lower_.resize(end_.size());
    lowest_.resize(end_.size());
    gauss_.end_of_order_7(lower_);
    gauss_.end_of_order_6(lowest_);
    if (!project_closest(t1, end_) || !project_closest(t1, lower_) ||
        !project_closest(t1, lowest_)) {
        return false;
    }
    const std::span<const double> positions = evaluator_->scales().positions_with(end_.data());
    const std::span<const double> velocities =
        evaluator_->scales().velocities_with(end_.data() + n_);
    bool near = true;
    for (std::size_t i = 0; i < 2 * n_; ++i) {
        const double size = i < n_ ? positions[i] : velocities[i - n_];
        near = near && std::abs(end_[i] - gauss_.end()[i]) <= kLargestCorrection * rtol_ * size;
    }
    // Each order gained divides the error by about the same; from 6 and 7 to what is safe to claim.
    const double error7 = distance(end_, lower_);
    const double error6 = distance(end_, lowest_);
    const double gain = std::min(1.0, error7 / std::max(error6, error7));
    const double error = error7 * std::pow(gain, kOrdersClaimed);
    return near && error <= 1.0;
}

/// Whether h' = power + Qc.v held over the crossing: another branch has another energy.
bool SingularStepper::energy_is_kept(const State& from, double t1) {
    const dynamics::Energy before = evaluator_->energy(from.t, from.y.data(), from.y.data() + n_);
    const dynamics::Energy after = evaluator_->energy(t1, end_.data(), end_.data() + n_);
    const double work = end_[2 * n_] - from.y[2 * n_];
    const double size = std::abs(before.kinetic) + std::abs(before.potential) +
                        std::abs(after.kinetic) + std::abs(after.potential) + std::abs(work);
    return std::abs(after.h - before.h - work) <= kLargestCorrection * rtol_ * size;
}

/// Whether the watched row becomes dependent at a state where it turns round: rows turn with their
/// mechanism, too.
bool SingularStepper::vanishes(double t, std::span<const double> y) {
    return follower_.remaining_part(t, y) <=
           std::max({kVanished, kVanishedTolerances * rtol_, blur(t, y)});
}

/// The instant on the motion found, if the constraints hold there.
std::optional<double> SingularStepper::singular_time(const State& from, double t1) {
    const auto along_step = [this](double t) {
        gauss_.dense(t, work_);
        return true;
    };
    std::optional<double> turn = find_turn(along_step, from.t, t1, 0.0);
    if (!turn) {
        follower_.watch_row_that_turned(t1, end_);
        turn = find_turn(along_step, from.t, t1, 0.0);
    }
    if (!turn) {
        return std::nullopt;
    }
    gauss_.dense(*turn, work_);
    const double violation = surface_->violation(*turn, work_);
    const bool holds = violation <= std::max(kRoundOff, kViolation * rtol_);
    return holds && vanishes(*turn, work_) ? turn : std::nullopt;
}

}  // namespace ananke::simulate
