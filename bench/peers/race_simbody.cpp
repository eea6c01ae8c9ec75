// Simbody's side of the race.
#include <memory>

#include <Simbody.h>

#include "race.h"

namespace ananke::bench {
namespace {

using SimTK::MobilizedBody;
using SimTK::State;
using SimTK::Transform;
using SimTK::Vec3;

Vec3 vec(const Eigen::Vector3d& r) {
    return {r.x(), r.y(), r.z()};
}

struct World {
    explicit World(const Vec3& gravity_vector)
        : matter(system), forces(system), gravity(forces, matter, gravity_vector) {}

    State start() {
        system.realizeTopology();
        State state = system.getDefaultState();
        system.realizeModel(state);
        return state;
    }
    /// From positions and velocities on, as an integrator asks.
    void accelerate(State& state) const {
        state.updQ();
        system.realize(state, SimTK::Stage::Acceleration);
    }

    SimTK::MultibodySystem system;
    SimTK::SimbodyMatterSubsystem matter;
    SimTK::GeneralForceSubsystem forces;
    SimTK::Force::UniformGravity gravity;
};

SimTK::Body::Rigid link_body() {
    return SimTK::Body::Rigid(SimTK::MassProperties(
        kLinkMass, Vec3(0), SimTK::Inertia(kLinkInertia.x(), kLinkInertia.y(), kLinkInertia.z())));
}

class SimbodyChain {
  public:
    SimbodyChain(const Chain& chain, bool redundant)
        : chain_(chain), redundant_(redundant), world_(Vec3(0, 0, -kGravity)) {
        for (int i = 0; i < chain.links; ++i) {
            add_link(static_cast<std::size_t>(i));
        }
        if (chain.closed) {
            SimTK::Constraint::Ball(world_.matter.updGround(), vec(chain.tip), links_.back(),
                                    vec(chain.half.back()));
        }
        state_ = world_.start();
        for (std::size_t i = 0; i < links_.size(); ++i) {
            set_velocity(i);
        }
    }

    void race(const char* problem) {
        world_.accelerate(state_);
        std::vector<Eigen::Vector3d> alpha;
        for (const MobilizedBody& link : links_) {
            const Vec3 a = link.getBodyAngularAcceleration(state_);
            alpha.emplace_back(a[0], a[1], a[2]);
        }
        const double error = relative_error(alpha, exact_angular_accelerations(chain_));
        print_row(problem, chain_.links, seconds_per_call([&] { world_.accelerate(state_); }),
                  error, redundant_ || chain_.closed ? "constraints" : "joint coordinates");
    }

  private:
    void add_link(std::size_t i) {
        MobilizedBody& ground = world_.matter.updGround();
        const Vec3 in_parent = i == 0 ? Vec3(0) : vec(chain_.half[i - 1]);
        if (redundant_) {
            links_.push_back(MobilizedBody::Free(ground, Transform(), link_body(), Transform()));
            SimTK::Constraint::Ball(i == 0 ? ground : links_[i - 1], in_parent, links_[i],
                                    vec(-chain_.half[i]));
        } else {
            links_.push_back(MobilizedBody::Ball(i == 0 ? ground : links_[i - 1],
                                                 Transform(in_parent), link_body(),
                                                 Transform(vec(-chain_.half[i]))));
        }
    }
    void set_velocity(std::size_t i) {
        if (redundant_) {
            links_[i].setQToFitTranslation(state_, vec(chain_.centre[i]));
            links_[i].setUToFitAngularVelocity(state_, vec(chain_.omega[i]));
            links_[i].setUToFitLinearVelocity(state_, vec(chain_.velocity[i]));
            return;
        }
        const Eigen::Vector3d before =
            i == 0 ? Eigen::Vector3d::Zero().eval() : chain_.omega[i - 1];
        links_[i].setUToFitAngularVelocity(state_, vec(chain_.omega[i] - before));
    }

    const Chain& chain_;
    bool redundant_;
    World world_;
    std::vector<MobilizedBody> links_;
    State state_;
};

/// A tree of hinges; every loop is closed by the five equations of a hinge.
class SimbodyFourBars {
  public:
    SimbodyFourBars(int count, double tilt) : count_(count), world_(Vec3(0, -kGravity, 0)) {
        for (int i = 0; i <= count; ++i) {
            upright_.push_back(MobilizedBody::Pin(
                world_.matter.updGround(), Transform(Vec3(i, 0, 0)),
                bar(kBarInertia, kBarAxialInertia), Transform(Vec3(0, -0.5, 0))));
        }
        for (std::size_t i = 1; i < upright_.size(); ++i) {
            level_.push_back(MobilizedBody::Pin(upright_[i - 1], Transform(Vec3(0, 0.5, 0)),
                                                bar(kBarAxialInertia, kBarInertia),
                                                Transform(Vec3(-0.5, 0, 0))));
            close(level_.back(), upright_[i]);
        }
        state_ = world_.start();
        for (MobilizedBody& one : upright_) {
            one.setOneQ(state_, 0, -tilt);
            one.setOneU(state_, 0, -1);
        }
        for (MobilizedBody& one : level_) {
            one.setOneQ(state_, 0, tilt);
            one.setOneU(state_, 0, 1);
        }
    }

    void race_acceleration() {
        world_.accelerate(state_);
        const double exact = exact_four_bars_acceleration(count_);
        double error = 0.0;
        for (const MobilizedBody& one : upright_) {
            const double alpha = one.getBodyAngularAcceleration(state_)[2];
            error = std::max(error, std::abs(alpha - exact) / std::abs(exact));
        }
        print_row(kFourBars, count_, seconds_per_call([&] { world_.accelerate(state_); }), error,
                  "tree and loop constraints");
    }

    void race_motion() {
        constexpr double kAccuracy = 1e-8;
        SimTK::RungeKuttaMersonIntegrator integrator(world_.system);
        integrator.setAccuracy(kAccuracy);
        integrator.setConstraintTolerance(kAccuracy);
        SimTK::TimeStepper stepper(world_.system, integrator);
        stepper.initialize(state_);
        const double began = cpu_seconds();
        const std::string stopped = step_to_end(stepper, began);
        const double seconds = cpu_seconds() - began;
        if (!stopped.empty()) {
            print_row(kFourBarsMotion, count_, 0.0, 0.0, stopped);
            return;
        }
        const Vec3 tip =
            upright_[0].findStationLocationInGround(stepper.getState(), Vec3(0, 0.5, 0));
        print_row(kFourBarsMotion, count_, seconds,
                  four_bars_tip_error(count_, {tip[0], tip[1], tip[2]}),
                  "Runge-Kutta-Merson; accuracy 1e-8");
    }

  private:
    /// Why it did not arrive, or "".
    static std::string step_to_end(SimTK::TimeStepper& stepper, double began) {
        constexpr int kParts = 1000;
        const auto at = [&](const char* what) {
            return what + (" at t = " + std::to_string(stepper.getTime()));
        };
        for (int part = 1; part <= kParts; ++part) {
            try {
                stepper.stepTo(kMotionEnd * part / kParts);
            } catch (const std::exception&) {
                return at("its integrator gave up");
            }
            if (cpu_seconds() - began > kLongestMotion) {
                return at("stopped after a minute");
            }
        }
        return "";
    }
    static SimTK::Body::Rigid bar(double x, double y) {
        return SimTK::Body::Rigid(
            SimTK::MassProperties(1.0, Vec3(0), SimTK::Inertia(x, y, kBarInertia)));
    }
    static void close(MobilizedBody& level, MobilizedBody& upright) {
        const SimTK::UnitVec3 z(SimTK::ZAxis);
        SimTK::Constraint::Ball(level, Vec3(0.5, 0, 0), upright, Vec3(0, 0.5, 0));
        SimTK::Constraint::ConstantAngle(level, SimTK::UnitVec3(SimTK::XAxis), upright, z);
        SimTK::Constraint::ConstantAngle(level, SimTK::UnitVec3(SimTK::YAxis), upright, z);
    }

    int count_;
    World world_;
    std::vector<MobilizedBody> upright_, level_;
    State state_;
};

void race() {
    print_build("Simbody", "Debian " ANANKE_PEER_VERSION ": -O2 with assertions");
    for (const int n : kSizes) {
        const Chain chain(n, false);
        SimbodyChain(chain, false).race(kOpenChain);
        SimbodyChain(chain, true).race(kRedundantChain);
    }
    for (const int n : kClosedSizes) {
        SimbodyChain(Chain(n, true), false).race(kClosedChain);
    }
    for (const int n : kSizes) {
        SimbodyFourBars(n, kTilt).race_acceleration();
        if (n <= 10) {  // a hundred would take hours
            SimbodyFourBars(n, 0.0).race_motion();
        }
    }
}

}  // namespace
}  // namespace ananke::bench

int main() {
    try {
        ananke::bench::race();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "race_simbody: %s\n", error.what());
        return 1;
    }
    return 0;
}
