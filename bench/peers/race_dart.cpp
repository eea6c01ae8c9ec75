// DART's side of the race. Loops are closed by its impulses, so that with loops a whole step is
// timed and the acceleration is the change of velocity over the step.
#include <dart/constraint/BallJointConstraint.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>

#include "race.h"

namespace ananke::bench {
namespace {

using dart::dynamics::BallJoint;
using dart::dynamics::BodyNode;
using dart::dynamics::RevoluteJoint;
using dart::dynamics::Skeleton;
using dart::dynamics::SkeletonPtr;

constexpr double kTimeStep = 1e-5;

Eigen::Isometry3d shifted(const Eigen::Vector3d& r) {
    Eigen::Isometry3d transform = Eigen::Isometry3d::Identity();
    transform.translation() = r;
    return transform;
}

BodyNode::Properties body(double mass, const Eigen::Vector3d& inertia) {
    BodyNode::Properties properties;
    const Eigen::Matrix3d moments = inertia.asDiagonal();
    properties.mInertia = dart::dynamics::Inertia(mass, Eigen::Vector3d::Zero(), moments);
    return properties;
}

/// A joint at `in_parent` of the parent (the ground if there is none) and `in_child` of the child.
template <class Joint>
BodyNode* add(const SkeletonPtr& skeleton, BodyNode* parent, const Eigen::Vector3d& in_parent,
              const Eigen::Vector3d& in_child, BodyNode::Properties properties) {
    const std::string number = std::to_string(skeleton->getNumBodyNodes());
    properties.mName = "body " + number;
    typename Joint::Properties joint;
    joint.mName = "joint " + number;
    joint.mT_ParentBodyToJoint = shifted(in_parent);
    joint.mT_ChildBodyToJoint = shifted(in_child);
    if constexpr (std::is_same_v<Joint, RevoluteJoint>) {
        joint.mAxis = Eigen::Vector3d::UnitZ();
    }
    return skeleton->createJointAndBodyNodePair<Joint>(parent, joint, properties).second;
}

SkeletonPtr chain_skeleton(const Chain& chain) {
    const SkeletonPtr skeleton = Skeleton::create("chain");
    BodyNode* before = nullptr;
    for (std::size_t i = 0; i < chain.half.size(); ++i) {
        before = add<BallJoint>(skeleton, before,
                                i == 0 ? Eigen::Vector3d::Zero().eval() : chain.half[i - 1],
                                -chain.half[i], body(kLinkMass, kLinkInertia));
        const Eigen::Vector3d parent = i == 0 ? Eigen::Vector3d::Zero().eval() : chain.omega[i - 1];
        before->getParentJoint()->setVelocities(chain.omega[i] - parent);
    }
    skeleton->setGravity({0, 0, -kGravity});
    return skeleton;
}

void race_open(int links) {
    const Chain chain(links, false);
    const SkeletonPtr skeleton = chain_skeleton(chain);
    // Positions that stay the same would leave results as they were: two take turns.
    const Eigen::VectorXd start = skeleton->getPositions();
    const Eigen::VectorXd beside = start + Eigen::VectorXd::Constant(start.size(), 1e-3);
    bool at_start = false;
    const auto accelerate = [&] {
        at_start = !at_start;
        skeleton->setPositions(at_start ? start : beside);
        skeleton->computeForwardDynamics();
    };
    accelerate();
    std::vector<Eigen::Vector3d> alpha;
    for (std::size_t i = 0; i < chain.half.size(); ++i) {
        alpha.push_back(skeleton->getBodyNode(i)->getAngularAcceleration());
    }
    const double error = relative_error(alpha, exact_angular_accelerations(chain));
    print_row(kOpenChain, links, seconds_per_call(accelerate), error, "joint coordinates");
}

/// A world in which one step from the same start can be repeated.
class Stepped {
  public:
    Stepped(const SkeletonPtr& skeleton, const Eigen::Vector3d& gravity)
        : world(dart::simulation::World::create()), skeleton_(skeleton) {
        world->setGravity(gravity);
        world->setTimeStep(kTimeStep);
        world->addSkeleton(skeleton);
        q_ = skeleton->getPositions();
        u_ = skeleton->getVelocities();
    }
    void step() {
        skeleton_->setPositions(q_);
        skeleton_->setVelocities(u_);
        world->step();
    }

    dart::simulation::WorldPtr world;

  private:
    SkeletonPtr skeleton_;
    Eigen::VectorXd q_, u_;
};

void race_closed(int links) {
    const Chain chain(links, true);
    const SkeletonPtr skeleton = chain_skeleton(chain);
    Stepped stepped(skeleton, {0, 0, -kGravity});
    stepped.world->getConstraintSolver()->addConstraint(
        std::make_shared<dart::constraint::BallJointConstraint>(
            skeleton->getBodyNode(skeleton->getNumBodyNodes() - 1), chain.tip));
    stepped.step();
    std::vector<Eigen::Vector3d> alpha;
    for (std::size_t i = 0; i < chain.half.size(); ++i) {
        alpha.emplace_back(skeleton->getBodyNode(i)->getAngularVelocity() / kTimeStep);
    }
    const double error = relative_error(alpha, exact_angular_accelerations(chain));
    print_row(kClosedChain, links, seconds_per_call([&] { stepped.step(); }), error,
              "one step; impulses");
}

/// A tree of hinges; every loop is closed at two points of the hinge's axis.
void race_four_bars(int count) {
    const SkeletonPtr skeleton = Skeleton::create("four-bars");
    const auto upright = body(1.0, {kBarInertia, kBarAxialInertia, kBarInertia});
    const auto level = body(1.0, {kBarAxialInertia, kBarInertia, kBarInertia});
    std::vector<BodyNode*> uprights;
    std::vector<BodyNode*> levels;
    for (int i = 0; i <= count; ++i) {
        uprights.push_back(
            add<RevoluteJoint>(skeleton, nullptr, {double(i), 0, 0}, {0, -0.5, 0}, upright));
        uprights.back()->getParentJoint()->setPosition(0, -kTilt);
        uprights.back()->getParentJoint()->setVelocity(0, -1);
    }
    for (std::size_t i = 0; i + 1 < uprights.size(); ++i) {
        levels.push_back(
            add<RevoluteJoint>(skeleton, uprights[i], {0, 0.5, 0}, {-0.5, 0, 0}, level));
        levels.back()->getParentJoint()->setPosition(0, kTilt);
        levels.back()->getParentJoint()->setVelocity(0, 1);
    }
    Stepped stepped(skeleton, {0, -kGravity, 0});
    for (std::size_t i = 0; i < levels.size(); ++i) {
        for (const double side : {-0.1, 0.1}) {
            const Eigen::Vector3d place = levels[i]->getTransform() * Eigen::Vector3d(0.5, 0, side);
            stepped.world->getConstraintSolver()->addConstraint(
                std::make_shared<dart::constraint::BallJointConstraint>(levels[i], uprights[i + 1],
                                                                        place));
        }
    }
    stepped.step();
    const double exact = exact_four_bars_acceleration(count);
    double error = 0.0;
    for (const BodyNode* one : uprights) {
        const double alpha = (one->getAngularVelocity().z() + 1) / kTimeStep;
        error = std::max(error, std::abs(alpha - exact) / std::abs(exact));
    }
    print_row(kFourBars, count, seconds_per_call([&] { stepped.step(); }), error,
              "one step; impulses");
}

void race() {
    print_build("DART", "Debian " ANANKE_PEER_VERSION ": -O2 with assertions");
    for (const int n : kSizes) {
        race_open(n);
    }
    for (const int n : kClosedSizes) {
        race_closed(n);
    }
    for (const int n : kSizes) {
        race_four_bars(n);
    }
}

}  // namespace
}  // namespace ananke::bench

int main() {
    ananke::bench::race();
    return 0;
}
