#include "motion.h"

#include <algorithm>
#include <random>

#include "extrapolation.h"

namespace mechanisms {

namespace {

constexpr double kFirstStep = 0.01;
constexpr double kSmallestStep = 1e-10;
/// Steps of mechanisms with switches or events, so that no two crossings fall into one.
constexpr double kLongestWatchedStep = 0.02;
constexpr double kLongestStep = 0.25;
constexpr double kInstant = 1e-13;
constexpr int kMostSteps = 600;
// Beyond these a motion is not called regular.
constexpr double kSmallestPart = 1e-3;
constexpr double kLargestRest = 1e-9;
constexpr double kWorstCondition = 1e-9;

class Integrator {
  public:
    Integrator(const Mechanism& mechanism, double tolerance)
        : m_(mechanism),
          tolerance_(tolerance),
          watched_(!m_.switches.empty() || !m_.events.empty() || !m_.frictions.empty()),
          step_(kFirstStep) {}

    Motion run(State start, const std::vector<double>& times) {
        Motion motion;
        state_ = std::move(start);
        modes_ = modes_at(m_, state_);
        side_of_events();
        if (!choose()) {
            motion.end = end_;
            return motion;
        }
        for (const double t : times) {
            if (!advance(t)) {
                break;
            }
            motion.samples.push_back(sample());
        }
        motion.end = end_;
        motion.instants = instants_;
        return motion;
    }

  private:
    struct Trial {
        State state;
        double error = HUGE_VAL;
        bool valid = false;
    };

    bool fail(const std::string& why) {
        end_ = why + " at t = " + std::to_string(state_.t);
        return false;
    }

    /// Independent rows at the state; false where the mechanism is not regular there.
    bool choose() {
        const Equations e = equations_of(m_, state_, modes_);
        const RowChoice choice = choose_rows(e);
        rows_ = choice.rows;
        if (choice.smallest_kept < kSmallestPart || choice.largest_dropped > kLargestRest) {
            return fail("nearly dependent constraints");
        }
        const Solution solution = solve(e, rows_);
        if (!(solution.condition > kWorstCondition)) {
            return fail("nearly singular equations");
        }
        const VectorXd miss = e.A * solution.rates - e.b;
        const double largest = std::max(1.0, e.b.size() > 0 ? e.b.cwiseAbs().maxCoeff() : 0.0);
        for (Eigen::Index k = 0; k < miss.size(); ++k) {
            const bool stick = k >= e.A.rows() - static_cast<Eigen::Index>(m_.frictions.size());
            if (!stick && std::abs(miss[k]) > 1e-6 * largest * std::max(1.0, e.A.row(k).norm())) {
                return fail("contradicting constraints");
            }
        }
        return true;
    }

    VectorXd derivative(const State& at) const {
        const Kinematics kinematics(m_, at, modes_.truth);
        const Solution solution = solve(equations_of(m_, at, modes_), rows_);
        VectorXd rate(m_.positions + m_.speeds);
        rate << kinematics.position_rates(), solution.rates;
        return rate;
    }

    State unpacked(double t, const VectorXd& y) const {
        State state;
        state.t = t;
        state.q = y.head(m_.positions);
        state.w = y.tail(m_.speeds);
        state.parameters = state_.parameters;
        return state;
    }

    /// A step of length H from the present state.
    Trial step_by(double H) const {
        VectorXd y(m_.positions + m_.speeds);
        y << state_.q, state_.w;
        const Extrapolated end = extrapolate(
            [this](double t, const VectorXd& at) { return derivative(unpacked(t, at)); }, state_.t,
            y, H);
        Trial trial;
        trial.valid = std::isfinite(end.error);
        if (trial.valid) {
            trial.error = end.error;
            trial.state = unpacked(state_.t + H, end.y);
        }
        return trial;
    }

    // ---- What is watched. Each function is positive while its mode holds.

    std::vector<double> watch(const State& at) const {
        std::vector<double> values;
        const Kinematics kinematics(m_, at, modes_.truth);
        for (std::size_t i = 0; i < m_.switches.size(); ++i) {
            const double condition = kinematics.condition(*m_.switches[i]);
            values.push_back(modes_.truth[i] != 0 ? -condition : condition);
        }
        for (std::size_t i = 0; i < m_.events.size(); ++i) {
            const Event& event = m_.events[i];
            const double value = kinematics.value(event.left) - kinematics.value(event.right);
            const bool ignored = (event.crossing == Crossing::kRising && sides_[i] > 0.0) ||
                                 (event.crossing == Crossing::kFalling && sides_[i] < 0.0);
            values.push_back(ignored ? 1.0 : sides_[i] * value);
        }
        if (!m_.frictions.empty()) {
            const Equations e = equations_of(m_, at, modes_);
            const Solution solution = solve(e, rows_);
            for (std::size_t i = 0; i < m_.frictions.size(); ++i) {
                const double lambda = solution.lambda[e.normal_row[i]];
                const Contact& contact = modes_.contacts[i];
                values.push_back(contact.side * lambda);
                if (contact.sticks) {
                    values.push_back(m_.frictions[i].mu_static * std::abs(lambda) *
                                         e.normal_size[i] -
                                     std::abs(solution.lambda[e.stick_row[i]]));
                } else {
                    values.push_back(contact.direction * e.slips[i]);
                }
            }
        }
        return values;
    }

    void side_of_events() {
        const Kinematics kinematics(m_, state_, modes_.truth);
        sides_.clear();
        for (const Event& event : m_.events) {
            const double value = kinematics.value(event.left) - kinematics.value(event.right);
            sides_.push_back(value < 0.0 ? -1.0 : 1.0);
        }
    }

    /// Events that are ignored in their present direction change sides without a word.
    void follow_ignored_events() {
        const Kinematics kinematics(m_, state_, modes_.truth);
        for (std::size_t i = 0; i < m_.events.size(); ++i) {
            const Event& event = m_.events[i];
            const double value = kinematics.value(event.left) - kinematics.value(event.right);
            if ((event.crossing == Crossing::kRising && sides_[i] > 0.0 && value < 0.0) ||
                (event.crossing == Crossing::kFalling && sides_[i] < 0.0 && value > 0.0)) {
                sides_[i] = -sides_[i];
            }
        }
    }

    static int crossed(const std::vector<double>& values) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (values[i] < 0.0) {
                return static_cast<int>(i);
            }
        }
        return -1;
    }

    /// Lengths of step before and behind the first crossing in (0, H].
    std::pair<double, double> bracket(double H, std::vector<double> high_values) const {
        double low = 0.0;
        double high = H;
        std::vector<double> low_values = watch(state_);
        for (int i = 0; i < 100 && high - low > kInstant; ++i) {
            const auto which = static_cast<std::size_t>(crossed(high_values));
            const double a = std::max(low_values[which], 0.0);
            const double b = high_values[which];
            double part = i % 3 == 2 ? 0.5 : a / (a - b);
            part = std::clamp(part, 0.01, 0.99);
            const double middle = low + part * (high - low);
            std::vector<double> values = watch(step_by(middle).state);
            if (crossed(values) >= 0) {
                high = middle;
                high_values = std::move(values);
            } else {
                low = middle;
                low_values = std::move(values);
            }
        }
        return {low, high};
    }

    bool advance(double end) {
        while (state_.t < end) {
            if (++steps_ > kMostSteps) {
                return fail("too many steps");
            }
            const double H =
                std::min({step_, end - state_.t, watched_ ? kLongestWatchedStep : kLongestStep});
            Trial trial = step_by(H);
            if (!trial.valid || trial.error > tolerance_) {
                const double factor =
                    trial.valid
                        ? std::clamp(0.8 * std::pow(tolerance_ / trial.error, 1.0 / 15.0), 0.2, 0.8)
                        : 0.2;
                step_ = factor * H;
                if (step_ < kSmallestStep) {
                    return fail("steps too short");
                }
                continue;
            }
            const bool whole = H >= step_;
            if (watched_ && crossed(watch(trial.state)) >= 0) {
                if (!cross(H, watch(trial.state))) {
                    return false;
                }
                continue;
            }
            const bool last = end - state_.t <= H;
            if (last) {
                trial.state.t = end;
            }
            if (!accept(trial.state)) {
                return false;
            }
            if (whole) {
                const double error = std::max(trial.error, 1e-20);
                step_ = H * std::clamp(0.8 * std::pow(tolerance_ / error, 1.0 / 15.0), 0.5, 2.0);
            }
        }
        return true;
    }

    bool accept(const State& next) {
        const State before = state_;
        const MatrixXd rows_before = equations_of(m_, state_, modes_).A;
        state_ = next;
        for (const SpatialBody& b : m_.spatial) {
            state_.q.segment<4>(b.q + 3).normalize();
        }
        if (!project_positions(m_, modes_, rows_, state_) ||
            !project_velocities(m_, modes_, rows_, state_)) {
            state_ = before;
            return fail("no state on the constraints");
        }
        if (watched_) {
            follow_ignored_events();
        }
        return turned(rows_before) ? fail("a gradient that vanishes") : choose();
    }

    /// A row of velocities that turned around over a step has passed through zero.
    bool turned(const MatrixXd& before) const {
        const Equations now = equations_of(m_, state_, modes_);
        for (Eigen::Index k = 0; k < now.A.rows(); ++k) {
            if (now.on_velocities[static_cast<std::size_t>(k)] != 0 &&
                now.A.row(k).dot(before.row(k)) < 0.0) {
                return true;
            }
        }
        return false;
    }

    bool cross(double H, std::vector<double> values) {
        const auto [low, high] = bracket(H, std::move(values));
        const State behind = step_by(high).state;
        const std::vector<double> there = watch(behind);
        const std::size_t switches = m_.switches.size();
        const std::size_t events = m_.events.size();
        if (++crossings_ > 500) {
            return fail("too many switches");
        }
        if (!accept(low > 0.0 && crosses_event(there) ? step_by(low).state : behind)) {
            return false;
        }
        instants_.push_back(state_.t);
        for (std::size_t i = 0; i < there.size(); ++i) {
            if (!(there[i] < 0.0)) {
                continue;
            }
            if (i < switches) {
                modes_.truth[i] = modes_.truth[i] != 0 ? 0 : 1;
            } else if (i < switches + events) {
                if (!happen(i - switches)) {
                    return false;
                }
            } else {
                change_contact((i - switches - events) / 2, (i - switches - events) % 2 == 0);
            }
        }
        step_ = std::min(step_, kFirstStep);
        return choose();
    }

    bool crosses_event(const std::vector<double>& values) const {
        for (std::size_t i = 0; i < m_.events.size(); ++i) {
            if (values[m_.switches.size() + i] < 0.0) {
                return true;
            }
        }
        return false;
    }

    /// The velocities that an event sets are exact; the others change least in the metric of M.
    bool happen(std::size_t which) {
        const Event& event = m_.events[which];
        const double before = sides_[which];
        const Kinematics kinematics(m_, state_, modes_.truth);
        std::vector<std::pair<int, double>> set;
        std::vector<std::pair<std::size_t, double>> parameters;
        for (const Action& action : event.actions) {
            const double value = kinematics.value(action.value);
            if (action.sets_parameter) {
                parameters.emplace_back(action.index, value);
            } else {
                set.emplace_back(m_.coordinates[static_cast<std::size_t>(action.index)].w, value);
            }
        }
        if (!set.empty() && !hit(set)) {
            return fail("velocities of an event");
        }
        for (const auto& [index, value] : parameters) {
            state_.parameters[index] = value;
        }
        const Kinematics after(m_, state_, modes_.truth);
        const RateJet g = after.on_velocities(event.left - event.right);
        const Solution solution = solve(equations_of(m_, state_, modes_), rows_);
        const double rate = g.J * solution.rates + g.bias;
        sides_[which] = rate * before < 0.0 ? -before : before;
        return true;
    }

    bool hit(const std::vector<std::pair<int, double>>& set) {
        const Eigen::Index n = m_.speeds;
        const auto m = static_cast<Eigen::Index>(rows_.size());
        const auto s = static_cast<Eigen::Index>(set.size());
        for (int iteration = 0; iteration < 20; ++iteration) {
            const Equations e = equations_of(m_, state_, modes_);
            MatrixXd K = MatrixXd::Zero(n + m + s, n + m + s);
            VectorXd right = VectorXd::Zero(n + m + s);
            K.topLeftCorner(n, n) = e.M;
            for (Eigen::Index k = 0; k < m; ++k) {
                const int row = rows_[static_cast<std::size_t>(k)];
                K.block(n + k, 0, 1, n) = e.A.row(row);
                right[n + k] = -e.rate[row];
            }
            for (Eigen::Index k = 0; k < s; ++k) {
                const auto& [w, value] = set[static_cast<std::size_t>(k)];
                K(n + m + k, w) = 1.0;
                right[n + m + k] = value - state_.w[w];
            }
            K.topRightCorner(n, m + s) = K.bottomLeftCorner(m + s, n).transpose();
            const VectorXd change = K.completeOrthogonalDecomposition().solve(right);
            if ((K * change - right).norm() > 1e-9 * (1.0 + right.norm())) {
                return false;
            }
            state_.w += change.head(n);
            if (change.head(n).norm() < 1e-14 * (1.0 + state_.w.norm())) {
                return true;
            }
        }
        return true;
    }

    void change_contact(std::size_t i, bool normal) {
        Contact& contact = modes_.contacts[i];
        if (normal) {
            contact.side = -contact.side;
            return;
        }
        if (!contact.sticks) {
            contact.sticks = true;
            const Equations e = equations_of(m_, state_, modes_);
            const Solution solution = solve(e, choose_rows(e).rows);
            const double hold = solution.lambda[e.stick_row[i]];
            const double limit = m_.frictions[i].mu_static *
                                 std::abs(solution.lambda[e.normal_row[i]]) * e.normal_size[i];
            if (std::abs(hold) <= limit) {
                return;
            }
        }
        const Equations e = equations_of(m_, state_, modes_);
        const Solution solution = solve(e, choose_rows(e).rows);
        contact.sticks = false;
        contact.direction = solution.lambda[e.stick_row[i]] > 0.0 ? -1.0 : 1.0;
    }

    Sample sample() const {
        Sample s;
        const Kinematics kinematics(m_, state_, modes_.truth);
        const Equations e = equations_of(m_, state_, modes_);
        const Solution solution = solve(e, rows_);
        s.t = state_.t;
        s.q = state_.q;
        s.v = kinematics.position_rates();
        s.a = kinematics.position_accelerations(solution.rates);
        s.Qc = e.M * solution.rates - e.force;
        s.kinetic = e.kinetic;
        s.potential = e.potential;
        return s;
    }

    const Mechanism& m_;
    double tolerance_;
    bool watched_;
    double step_;
    State state_;
    Modes modes_;
    std::vector<int> rows_;
    std::vector<double> sides_;  ///< sign of left - right of each event
    std::vector<double> instants_;
    int crossings_ = 0;
    int steps_ = 0;
    std::string end_;
};

}  // namespace

Modes modes_at(const Mechanism& mechanism, const State& state) {
    Modes modes;
    const std::vector<char> by_condition;
    const Kinematics kinematics(mechanism, state, by_condition);
    for (const NodeHandle& node : mechanism.switches) {
        modes.truth.push_back(kinematics.condition(*node) < 0.0 ? 1 : 0);
    }
    modes.contacts.resize(mechanism.frictions.size());
    const Equations slips = equations_of(mechanism, state, modes);
    for (std::size_t i = 0; i < modes.contacts.size(); ++i) {
        modes.contacts[i].direction = slips.slips[i] < 0.0 ? -1.0 : 1.0;
    }
    if (!modes.contacts.empty()) {
        const Equations e = equations_of(mechanism, state, modes);
        const Solution solution = solve(e, choose_rows(e).rows);
        for (std::size_t i = 0; i < modes.contacts.size(); ++i) {
            modes.contacts[i].side = solution.lambda[e.normal_row[i]] < 0.0 ? -1.0 : 1.0;
        }
    }
    return modes;
}

Motion integrate(const Mechanism& mechanism, const std::vector<double>& times, double tolerance) {
    return Integrator(mechanism, tolerance).run(mechanism.start, times);
}

Motion integrate_beside(const Mechanism& mechanism, const std::vector<double>& times,
                        double tolerance, double offset, unsigned seed) {
    State start = mechanism.start;
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> part(-1.0, 1.0);
    VectorXd moved(mechanism.speeds);
    for (double& x : moved) {
        x = offset * part(random);
    }
    for (double& x : start.w) {
        x += offset * part(random);
    }
    const Modes modes = modes_at(mechanism, mechanism.start);
    const std::vector<int> rows = choose_rows(equations_of(mechanism, mechanism.start, modes)).rows;
    displace(mechanism, moved, start);
    if (!project_positions(mechanism, modes, rows, start) ||
        !project_velocities(mechanism, modes, rows, start)) {
        return {};
    }
    return Integrator(mechanism, tolerance).run(start, times);
}

}  // namespace mechanisms
