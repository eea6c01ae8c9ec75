// Joints made of joints: what the whole does to its bodies, against closed forms.
#include "pipeline.h"

namespace ananke::pipeline {
namespace {

/// One row of a model's run.
struct Row {
    Recording run;
    double at(std::string_view column) const { return run.at(0, column); }
};

Row row_of(const char* text, double t) {
    Row row{run_text(text, {.times = {t}})};
    EXPECT_FALSE(row.run.error) << row.run.error->message;
    return row;
}

// angle = t^2: the drive gives J*2 and the power J*2*2*t.
TEST(CompoundJoints, ReactionsOfADriveAreItsTorqueAndPower) {
    const Row row = row_of(
        R"(
body wheel mass 2 inertia (3, 3, 5)
joint axle: revolute(ground, wheel)
joint drive: prescribed_angle(ground, wheel, axis = (0, 0, 1), angle = t^2)
)",
        1.5);
    EXPECT_NEAR(row.at("torque[drive:wheel].z"), 10, 1e-9);
    EXPECT_NEAR(row.at("torque[drive:ground].z"), -10, 1e-9);
    EXPECT_NEAR(row.at("power[drive]"), 30, 1e-9);
    EXPECT_NEAR(row.at("torque[axle:wheel].z"), 0, 1e-9);
}

// (J1 + J2/9)*angle'' = T; the teeth turn the wheel with J2*angle''*ratio, the pinion with
// -ratio of it, and neither gain nor lose power.
TEST(CompoundJoints, ReactionsOfAGearAreTheTorquesOfItsTeeth) {
    const Row row = row_of(
        R"(
parameter J1 = 0.02, J2 = 0.27, ratio = -1/3, T = 0.6
body pinion mass 1 inertia (J1, J1, J1) at (0, 0, 0) omega (0, 0, 0)
body wheel mass 3 inertia (J2, J2, J2) at (0.4, 0, 0) omega ~ (0, 0, 0)
joint axle1: revolute(ground, pinion)
joint axle2: revolute(ground at (0.4, 0, 0), wheel)
joint teeth: gear(pinion, wheel, axis = (0, 0, 1), ratio = ratio)
joint drive: motor(ground, pinion, axis = (0, 0, 1), torque = T)
)",
        1);
    const double rate = 0.6 / (0.02 + 0.27 / 9);
    EXPECT_NEAR(row.at("torque[teeth:wheel].z"), -0.27 * rate / 3, 1e-9);
    EXPECT_NEAR(row.at("torque[teeth:pinion].z"), -0.27 * rate / 9, 1e-9);
    EXPECT_NEAR(row.at("power[teeth]"), 0, 1e-9);
}

// m*a = F - m*g, J*(2*pi/pitch)*a = T: the whole screw carries both at the nut.
TEST(CompoundJoints, ReactionsOfAScrewAreThoseOfItsGuideAndThread) {
    const Row row = row_of(
        R"(
parameter m = 0.4, J = 0.0002, pitch = 0.05, g = 9.81
gravity (0, 0, -g)
body nut mass m inertia (J, J, J) at (0, 0, 2)
joint thread: screw(ground, nut, axis = (0, 0, 1), pitch = pitch, offset = 2)
)",
        0.2);
    const double lead = 2 * 3.14159265358979323846 / 0.05;
    const double a = -0.4 * 9.81 / (0.4 + 0.0002 * lead * lead);
    EXPECT_NEAR(row.at("force[thread:nut].z"), 0.4 * (a + 9.81), 1e-9);
    EXPECT_NEAR(row.at("torque[thread:nut].z"), 0.0002 * lead * a, 1e-9);
    EXPECT_NEAR(row.at("power[thread]"), 0, 1e-8);
    EXPECT_NEAR(row.at("force[thread.guide:nut].z"), 0, 1e-9);  // a part's own share
}

// The rack of 2 kg is pulled by 3 N: its teeth turn the pinion, at the rack with force F.
TEST(CompoundJoints, ReactionsOfARackAreTheForceAndTheTorqueOfItsTeeth) {
    const Row row = row_of(
        R"(
parameter r = 0.1, J = 0.05
body pinion mass 1 inertia (J, J, J) at (0, 0, 0)
body bar mass 2 inertia (0.1, 0.1, 0.1) at (0, -r, 0)
joint axle: revolute(ground, pinion)
joint guide: prismatic(ground at (0, -r, 0), bar, axis = (1, 0, 0))
joint teeth: rack(pinion, bar, axis = (0, 0, 1), direction = (1, 0, 0), radius = r)
force on bar = (3, 0, 0)
)",
        0.5);
    const double a = 3 / (2 + 0.05 / 0.01);
    EXPECT_NEAR(row.at("force[teeth:bar].x"), 2 * a - 3, 1e-9);
    EXPECT_NEAR(row.at("torque[teeth:pinion].z"), 0.05 * a / 0.1, 1e-9);
    EXPECT_NEAR(row.at("power[teeth]"), 0, 1e-9);
}

}  // namespace
}  // namespace ananke::pipeline
