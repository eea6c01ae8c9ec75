#include "equations.h"

#include <algorithm>

namespace mechanisms {

namespace {

/// Rows and forces of one state.
class Builder {
  public:
    Builder(const Mechanism& mechanism, const State& state, const Modes& modes)
        : m_(mechanism),
          state_(state),
          modes_(modes),
          at_(mechanism, state, modes.truth),
          start_(mechanism, mechanism.start, modes.truth) {
        const int n = m_.speeds;
        e_.M = MatrixXd::Zero(n, n);
        e_.force = VectorXd::Zero(n);
        e_.nonideal = VectorXd::Zero(n);
    }

    Equations build() {
        masses();
        loads();
        for (const Constraint& c : m_.constraints) {
            constraint(c);
        }
        for (const Joint& joint : m_.joints) {
            joint_rows(joint);
        }
        collect();
        for (std::size_t i = 0; i < m_.frictions.size(); ++i) {
            friction(i);
        }
        return std::move(e_);
    }

  private:
    struct Row {
        double residual, rate, bias;
        Gradient J;
        bool on_velocities;
        VectorXd effect;  ///< column of D where it is not J^T
    };

    Vector3d gravity() const {
        return {at_.value(m_.gravity[0]), at_.value(m_.gravity[1]), at_.value(m_.gravity[2])};
    }

    void point_mass(double mass, const VectorJet& at, const Vector3d& g) {
        e_.M += mass * at.J.transpose() * at.J;
        e_.force += mass * at.J.transpose() * (g - at.bias);
        e_.kinetic += 0.5 * mass * at.rate.squaredNorm();
        e_.potential -= mass * g.dot(at.value);
    }

    void masses() {
        const Vector3d g = gravity();
        for (std::size_t i = 0; i < m_.particles.size(); ++i) {
            point_mass(m_.particles[i].mass,
                       at_.place({Frame::kParticle, static_cast<int>(i), Vector3d::Zero()}), g);
        }
        for (std::size_t i = 0; i < m_.planar.size(); ++i) {
            const PlanarBody& body = m_.planar[i];
            point_mass(body.mass,
                       at_.place({Frame::kPlanar, static_cast<int>(i), Vector3d::Zero()}), g);
            const int w = m_.coordinates[static_cast<std::size_t>(body.first + 2)].w;
            e_.M(w, w) += body.inertia;
            e_.kinetic += 0.5 * body.inertia * state_.w[w] * state_.w[w];
        }
        for (std::size_t i = 0; i < m_.spatial.size(); ++i) {
            const SpatialBody& body = m_.spatial[i];
            const Place centre{Frame::kSpatial, static_cast<int>(i), Vector3d::Zero()};
            point_mass(body.mass, at_.place(centre), g);
            const Matrix3d R = at_.rotation(centre);
            const Matrix3d J = R * body.inertia * R.transpose();
            const Vector3d omega = state_.w.segment<3>(body.w + 3);
            e_.M.block<3, 3>(body.w + 3, body.w + 3) += J;
            e_.force.segment<3>(body.w + 3) -= omega.cross(Vector3d(J * omega));
            e_.kinetic += 0.5 * omega.dot(J * omega);
        }
        for (const MassTerm& term : m_.masses) {
            const int w = m_.coordinates[static_cast<std::size_t>(term.coordinate)].w;
            e_.M(w, w) += term.value;
            e_.kinetic += 0.5 * term.value * state_.w[w] * state_.w[w];
        }
    }

    void push(const VectorJet& at, const Vector3d& force) { e_.force += at.J.transpose() * force; }

    void loads() {
        for (const Spring& s : m_.springs) {
            const VectorJet a = at_.place(s.A);
            const VectorJet b = at_.place(s.B);
            const Vector3d d = b.value - a.value;
            const double stretch = d.norm() - s.length;
            push(a, s.stiffness * stretch * d.normalized());
            push(b, -s.stiffness * stretch * d.normalized());
            e_.potential += 0.5 * s.stiffness * stretch * stretch;
        }
        for (const Damper& s : m_.dampers) {
            const VectorJet a = at_.place(s.A);
            const VectorJet b = at_.place(s.B);
            const Vector3d u = (b.value - a.value).normalized();
            const double closing = s.damping * (b.rate - a.rate).dot(u);
            push(a, closing * u);
            push(b, -closing * u);
        }
        for (const Ex& potential : m_.potentials) {
            const PositionJet V = at_.on_positions(potential);
            e_.force -= V.J.transpose();
            e_.potential += V.value;
        }
        for (const Force& f : m_.forces) {
            VectorXd& sum = f.nonideal ? e_.nonideal : e_.force;
            if (f.target == Target::kCoordinate) {
                sum[m_.coordinates[static_cast<std::size_t>(f.coordinate)].w] +=
                    at_.value(f.value[0]);
                continue;
            }
            const Vector3d value(at_.value(f.value[0]), at_.value(f.value[1]),
                                 at_.value(f.value[2]));
            const Columns J =
                f.target == Target::kTorque ? at_.angular_gradient(f.place) : at_.place(f.place).J;
            sum += J.transpose() * value;
        }
    }

    void add(const PositionJet& x) { rows_.push_back({x.value, x.rate, x.bias, x.J, false, {}}); }
    void add(const RateJet& x) { rows_.push_back({0.0, x.value, x.bias, x.J, true, {}}); }

    void constraint(const Constraint& c) {
        const auto scaled = [&](const auto& residual) {
            return chain(residual, c.scale * residual.value, c.scale, 0.0);
        };
        if (c.on_velocities) {
            add(scaled(sum(at_.on_velocities(c.left), at_.on_velocities(c.right), -1.0)));
        } else {
            add(scaled(sum(at_.on_positions(c.left), at_.on_positions(c.right), -1.0)));
        }
        if (!c.actuators.empty()) {
            const Actuator& a = c.actuators.front();
            VectorXd effect = VectorXd::Zero(m_.speeds);
            if (a.coordinate >= 0) {
                effect[m_.coordinates[static_cast<std::size_t>(a.coordinate)].w] = 1.0;
            } else {
                effect = at_.place(a.place).J.transpose() * a.direction.normalized();
            }
            rows_.back().effect = effect;
        }
    }

    Vector3d local(const Place& place, const Vector3d& world) const {
        return start_.rotation(place).transpose() * world;
    }
    VectorJet carried(const Place& place, const Vector3d& world) const {
        return at_.direction(place, local(place, world));
    }
    void perpendicular(const Place& A, const Vector3d& a, const Place& B, const Vector3d& b) {
        add(dot(carried(A, a), carried(B, b)));
    }

    void joint_rows(const Joint& j) {
        const Vector3d n = j.axis.normalized();
        const Vector3d n1 = n.unitOrthogonal();
        const Vector3d n2 = n.cross(n1);
        const VectorJet a = at_.place(j.A);
        const VectorJet b = at_.place(j.B);
        const VectorJet r = difference(b, a);
        const auto coincide = [&] {
            for (int i = 0; i < 3; ++i) {
                add(r.component(i));
            }
        };
        const auto parallel = [&] {
            perpendicular(j.A, n, j.B, n1);
            perpendicular(j.A, n, j.B, n2);
        };
        const auto on_line = [&] {
            add(dot(r, carried(j.A, n1)));
            add(dot(r, carried(j.A, n2)));
        };
        switch (j.kind) {
            case JointKind::kPin:
            case JointKind::kSpherical:
                return coincide();
            case JointKind::kRevolute:
                coincide();
                return parallel();
            case JointKind::kUniversal:
                coincide();
                return perpendicular(j.A, n, j.B, j.other.normalized());
            case JointKind::kPrismatic:
                on_line();
                parallel();
                return perpendicular(j.A, n1, j.B, n2);
            case JointKind::kCylindrical:
                on_line();
                return parallel();
            case JointKind::kPlanar:
                add(dot(r, carried(j.A, n)));
                return parallel();
            case JointKind::kPointOnLine:
                return on_line();
            case JointKind::kPointOnPlane:
                return add(dot(r, carried(j.A, n)));
            case JointKind::kWeld:
                coincide();
                parallel();
                return perpendicular(j.A, n1, j.B, n2);
            case JointKind::kKnifeEdge:
                return add(speed_along(b, carried(j.B, Vector3d::UnitZ().cross(n))));
            case JointKind::kRollingSphere:
                return rolling(j, b);
            case JointKind::kPrescribedAngle:
                return prescribed_angle(j, n1, n2);
            case JointKind::kPrescribedDistance:
                return add(sum(dot(r, carried(j.A, n)), at_.on_positions(j.drive), -1.0));
        }
    }

    /// The sphere about b touches the plane through A, and its lowest point is at rest.
    void rolling(const Joint& j, const VectorJet& b) {
        PositionJet height = b.component(2);
        height.value -= at_.place(j.A).value.z() + j.radius;
        add(height);
        const Vector3d arm(0.0, 0.0, -j.radius);
        const Columns J = at_.angular_gradient(j.B);
        for (int i = 0; i < 2; ++i) {
            // v + omega x arm; the arm is constant.
            const Vector3d along = arm.cross(Vector3d::Unit(i));
            RateJet slip{b.rate[i] + along.dot(at_.angular_velocity(j.B)), b.bias[i], b.J.row(i)};
            slip.J += along.transpose() * J;
            add(slip);
        }
    }

    /// sin(angle of B against A - drive) = 0
    void prescribed_angle(const Joint& j, const Vector3d& n1, const Vector3d& n2) {
        const VectorJet fixed = carried(j.B, n1);
        const PositionJet along = dot(fixed, carried(j.A, n1));
        const PositionJet across = dot(fixed, carried(j.A, n2));
        const PositionJet angle = at_.on_positions(j.drive);
        const double c = std::cos(angle.value);
        const double s = std::sin(angle.value);
        add(sum(product(across, chain(angle, c, -s, -c)), product(along, chain(angle, s, c, -s)),
                -1.0));
    }

    void collect() {
        const auto rows = static_cast<Eigen::Index>(rows_.size() + m_.frictions.size());
        e_.A = MatrixXd::Zero(rows, m_.speeds);
        e_.D = MatrixXd::Zero(m_.speeds, rows);
        e_.b = VectorXd::Zero(rows);
        e_.residual = VectorXd::Zero(rows);
        e_.rate = VectorXd::Zero(rows);
        e_.on_velocities.assign(static_cast<std::size_t>(rows), 1);
        Eigen::Index k = 0;
        for (const Row& row : rows_) {
            e_.A.row(k) = row.J;
            e_.D.col(k) = row.effect.size() > 0 ? row.effect : VectorXd(row.J.transpose());
            e_.b[k] = -row.bias;
            e_.residual[k] = row.residual;
            e_.rate[k] = row.rate;
            e_.on_velocities[static_cast<std::size_t>(k)] = row.on_velocities ? 1 : 0;
            ++k;
        }
    }

    /// The particle moves in a plane of two Cartesian coordinates; `row` is its curve.
    void friction(std::size_t i) {
        const Friction& f = m_.frictions[i];
        const Contact& contact = modes_.contacts[i];
        const auto row = static_cast<Eigen::Index>(f.constraint);
        const auto last = static_cast<Eigen::Index>(rows_.size() + i);
        const VectorJet at = at_.place({Frame::kParticle, f.particle, Vector3d::Zero()});
        // The particle's coordinates are its own: at.J has unit columns.
        const Vector3d W = at.J * e_.A.row(row).transpose();
        const Vector3d plane = at.J.row(1).isZero(0.0) ? Vector3d::UnitY() : Vector3d::UnitZ();
        const Vector3d tangent = plane.cross(W).normalized();
        e_.slips.push_back(tangent.dot(at.rate));
        e_.normal_row.push_back(static_cast<int>(row));
        e_.normal_size.push_back(W.norm());
        e_.stick_row.push_back(contact.sticks ? static_cast<int>(last) : -1);
        if (contact.sticks) {
            e_.A.row(last) = tangent.transpose() * at.J;
            e_.D.col(last) = e_.A.row(last).transpose();
            e_.rate[last] = e_.slips.back();
            return;
        }
        e_.D.col(row) -=
            contact.direction * contact.side * f.mu * W.norm() * (at.J.transpose() * tangent);
    }

    const Mechanism& m_;
    const State& state_;
    const Modes& modes_;
    Kinematics at_;
    Kinematics start_;  ///< directions of joints are given in the start position
    Equations e_;
    std::vector<Row> rows_;
};

}  // namespace

Equations equations_of(const Mechanism& mechanism, const State& state, const Modes& modes) {
    return Builder(mechanism, state, modes).build();
}

}  // namespace mechanisms
