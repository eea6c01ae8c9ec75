#include "sketch.h"

namespace mechanisms {

namespace {

const std::vector<char> kByCondition;

void append(VectorXd& to, const VectorXd& more) {
    VectorXd joined(to.size() + more.size());
    joined << to, more;
    to = joined;
}

}  // namespace

Place Sketch::particle(const std::string& axes, double mass, const Vector3d& at) {
    const std::string suffix = std::to_string(m.particles.size() + 1);
    const Place place = m.add_particle(suffix, mass, axes);
    for (const char axis : axes) {
        append(m.start.q, VectorXd::Constant(1, at[axis - 'x']));
    }
    places.push_back(place);
    return place;
}

Place Sketch::planar(double mass, double inertia, const Vector3d& at, double angle) {
    const Place place = m.add_planar("B" + std::to_string(m.planar.size() + 1), mass, inertia);
    append(m.start.q, Vector3d(at.x(), at.y(), angle));
    places.push_back(place);
    return place;
}

Place Sketch::spatial(double mass, const Matrix3d& inertia, const Vector3d& at) {
    const Place place = m.add_spatial("B" + std::to_string(m.spatial.size() + 1), mass, inertia);
    Eigen::Vector4d u(1.0, 0.0, 0.0, 0.0);
    if (draw.chance(0.7)) {
        const double half = draw.uniform(0.1, 1.4);
        u << std::cos(half), std::sin(half) * draw.direction();
    }
    append(m.start.q, at);
    append(m.start.q, u.normalized());
    places.push_back(place);
    return place;
}

int Sketch::scalar(const std::string& name, Dimension dimension, double value) {
    append(m.start.q, VectorXd::Constant(1, value));
    return m.add_coordinate(name, dimension);
}

Vector3d Sketch::world(const Place& place) const {
    State at = m.start;
    at.w = VectorXd::Zero(m.speeds);
    return Kinematics(m, at, kByCondition).place(place).value;
}

Place Sketch::place_at(const Place& on, const Vector3d& world) const {
    if (on.frame == Frame::kParticle) {
        return on;
    }
    State at = m.start;
    at.w = VectorXd::Zero(m.speeds);
    const Kinematics kinematics(m, at, kByCondition);
    const Place centre{on.frame, on.index, Vector3d::Zero()};
    Place place = centre;
    place.arm = kinematics.rotation(centre).transpose() * (world - kinematics.place(centre).value);
    if (on.frame == Frame::kPlanar) {
        place.arm.z() = 0.0;
    }
    return place;
}

double Sketch::start_value(const Ex& ex) const {
    State at = m.start;
    at.w = VectorXd::Zero(m.speeds);
    at.parameters.clear();
    for (const Parameter& p : m.parameters) {
        at.parameters.push_back(p.value);
    }
    return Kinematics(m, at, kByCondition).value(ex);
}

Constraint& Sketch::hold(const std::string& name, const Ex& left, Dimension dimension,
                         const Ex& moved) {
    Constraint c;
    c.name = name;
    c.left = left;
    c.right = Ex(start_value(left), dimension) + moved;
    m.constraints.push_back(c);
    return m.constraints.back();
}

bool Sketch::finish() {
    m.number_switches();
    m.start.t = 0.0;
    m.start.parameters.clear();
    for (const Parameter& p : m.parameters) {
        m.start.parameters.push_back(p.value);
    }
    m.start.w.resize(m.speeds);
    for (double& w : m.start.w) {
        w = velocity * draw.uniform(-1.0, 1.0);
    }
    if (m.speeds > kMostSpeeds || !consistent()) {
        return false;
    }
    say();
    return true;
}

bool Sketch::consistent() {
    constexpr double kClearlyIndependent = 0.03;
    constexpr double kClearlyDependent = 1e-11;
    Modes modes = {std::vector<char>(m.switches.size(), 0),
                   std::vector<Contact>(m.frictions.size())};
    for (int pass = 0; pass < 2; ++pass) {
        const RowChoice choice = choose_rows(equations_of(m, m.start, modes));
        if (choice.smallest_kept < kClearlyIndependent ||
            choice.largest_dropped > kClearlyDependent ||
            m.speeds - static_cast<int>(choice.rows.size()) < least_freedom) {
            return false;
        }
        if (!project_positions(m, modes, choice.rows, m.start) ||
            !project_velocities(m, modes, choice.rows, m.start)) {
            return false;
        }
    }
    const Equations e = equations_of(m, m.start, modes);
    const double off =
        e.rate.size() > 0 ? std::max(e.rate.cwiseAbs().maxCoeff(), e.residual.cwiseAbs().maxCoeff())
                          : 0.0;
    return off < 1e-10 * std::max(1.0, e.A.size() > 0 ? e.A.cwiseAbs().maxCoeff() : 0.0) &&
           m.start.w.cwiseAbs().maxCoeff() < 5.0 * std::max(1.0, velocity);
}

/// Columns that the rows determine when all others are given, well enough for a search from afar.
std::vector<int> Sketch::determined(const MatrixXd& A, const std::vector<int>& columns) const {
    if (A.rows() == 0 || columns.empty()) {
        return {};
    }
    MatrixXd part = A(Eigen::all, columns);
    Eigen::ColPivHouseholderQR<MatrixXd> qr(part);
    qr.setThreshold(0.1);
    std::vector<int> found;
    for (Eigen::Index k = 0; k < qr.rank(); ++k) {
        found.push_back(columns[static_cast<std::size_t>(qr.colsPermutation().indices()[k])]);
    }
    return found;
}

/// How the text gives the start: all exact, all guessed, or as few exact values as determine it and
/// guesses beside the others.
void Sketch::say() {
    enum class Style { kExact, kGuessed, kFewExact };
    const Style style = draw.pick(
        std::vector<Style>{Style::kExact, Style::kGuessed, Style::kFewExact, Style::kFewExact});
    m.exact_bodies = style == Style::kExact;
    m.said_q.clear();
    m.said_w.clear();
    for (const Coordinate& c : m.coordinates) {
        m.said_q.push_back({style != Style::kGuessed, m.start.q[c.q]});
        m.said_w.push_back({style != Style::kGuessed, m.start.w[c.w]});
    }
    // These joints keep the turn between the bodies, so the text has to give it.
    for (const Joint& joint : m.joints) {
        if (joint.kind == JointKind::kPrismatic || joint.kind == JointKind::kWeld) {
            m.make_orientation_exact(joint.A);
            m.make_orientation_exact(joint.B);
        }
    }
    // Values that bodies in space share are only guessed there, so others may have to move with
    // them.
    if (style != Style::kFewExact || !m.spatial.empty()) {
        return;
    }
    Modes modes = {std::vector<char>(m.switches.size(), 0),
                   std::vector<Contact>(m.frictions.size())};
    const Equations e = equations_of(m, m.start, modes);
    const RowChoice choice = choose_rows(e);
    std::vector<int> on_positions;
    std::vector<int> movable;
    std::vector<int> speeds;
    for (const int row : choice.rows) {
        if (e.on_velocities[static_cast<std::size_t>(row)] == 0) {
            on_positions.push_back(row);
        }
    }
    std::vector<int> coordinate_of(static_cast<std::size_t>(m.speeds));
    for (std::size_t i = 0; i < m.coordinates.size(); ++i) {
        const Coordinate& c = m.coordinates[i];
        coordinate_of[static_cast<std::size_t>(c.w)] = static_cast<int>(i);
        speeds.push_back(c.w);
        // Directions of joints hang on the angles of bodies, so these are said as they are.
        if (!(c.of_body && c.dimension == kNone)) {
            movable.push_back(c.w);
        }
    }
    const MatrixXd A = e.A.rowwise().normalized();
    for (const int w : determined(A(on_positions, Eigen::all), movable)) {
        Said& said = m.said_q[static_cast<std::size_t>(coordinate_of[static_cast<std::size_t>(w)])];
        said.exact = false;
        said.value += draw.uniform(-0.01, 0.01);
    }
    for (const int w : determined(A(choice.rows, Eigen::all), speeds)) {
        Said& said = m.said_w[static_cast<std::size_t>(coordinate_of[static_cast<std::size_t>(w)])];
        said.exact = false;
        said.value = !linear_in_velocities ? said.value + draw.uniform(-0.02, 0.02)
                     : draw.chance(0.5)    ? 0.0
                                           : said.value + draw.uniform(-0.5, 0.5);
    }
}

}  // namespace mechanisms
