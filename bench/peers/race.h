// The problems that we and the peers are given, in numbers that every engine can take, and the
// lines that each program of the race prints.
//
// Chains: N links on ball joints, from the ground on. All orientations are the identity at the
// start; a zigzag in the plane keeps the closed chain away from its straight, singular shape.
// Four-bars: N side by side, bars of length 1 and mass 1, all joints revolute in three dimensions.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include "../timer.h"

namespace ananke::bench {

constexpr double kGravity = 9.81;
constexpr double kLinkLength = 0.2;
constexpr double kLinkMass = 1.0;
inline const Eigen::Vector3d kLinkInertia{0.01, 0.02, 0.03};

constexpr double kBarInertia = 1.0 / 12;  ///< across
constexpr double kBarAxialInertia = 0.001;
constexpr double kTilt = 0.52359877559829887;  ///< of the bars from upright, one acceleration

/// Links 1..N, joints 0..N: positions and velocities of the start.
struct Chain {
    Chain(int count, bool tip_is_pinned);

    int links;
    bool closed;                          ///< the tip is pinned where it is; at rest
    std::vector<Eigen::Vector3d> half;    ///< from the centre of link i to its end
    std::vector<Eigen::Vector3d> centre;  ///< of link i
    std::vector<Eigen::Vector3d> omega, velocity;
    Eigen::Vector3d tip;
};

/// Angular accelerations of the links by the equations of Newton and Euler with one force per
/// joint, solved densely.
std::vector<Eigen::Vector3d> exact_angular_accelerations(const Chain& chain);

/// Largest difference, relative to the largest angular acceleration.
double relative_error(const std::vector<Eigen::Vector3d>& found,
                      const std::vector<Eigen::Vector3d>& exact);

/// The exact angular acceleration of the turning bars at kTilt.
double exact_four_bars_acceleration(int four_bars);

/// Distance of the tip B0 at (x, y, z) from where it is at t = 10 s after an upright start with
/// 1 m/s.
double four_bars_tip_error(int four_bars, const Eigen::Vector3d& tip);

constexpr double kMotionEnd = 10.0;
constexpr double kLongestMotion = 60.0;  ///< seconds of CPU time

/// First line of a program: the engine and the build that was raced.
inline void print_build(const std::string& engine, const std::string& build) {
    std::printf("%s,%s\n", engine.c_str(), build.c_str());
}
/// A line per problem; a remark has no comma.
inline void print_row(const std::string& problem, int n, double seconds, double error,
                      const std::string& remark = "") {
    std::printf("%s,%d,%.6e,%.3e,%s\n", problem.c_str(), n, seconds, error, remark.c_str());
    std::fflush(stdout);
}

inline constexpr const char* kOpenChain = "open chain";
inline constexpr const char* kRedundantChain = "chain in redundant coordinates";
inline constexpr const char* kClosedChain = "closed chain";
inline constexpr const char* kFourBars = "N-four-bar in 3-D";
inline constexpr const char* kFourBarsMotion = "N-four-bar in 3-D for 10 s";

inline const std::vector<int> kSizes{1, 10, 100};
inline const std::vector<int> kClosedSizes{10, 100};  // one link pinned at both ends is no chain

}  // namespace ananke::bench
