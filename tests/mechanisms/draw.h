// Random numbers that are the same on every machine.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include <Eigen/Dense>

namespace mechanisms {

class Draw {
  public:
    explicit Draw(std::uint64_t seed) : engine_(seed * 0x9e3779b97f4a7c15ULL + 1) {}

    double uniform(double low, double high) {
        return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
    }
    /// low, ..., high
    int whole(int low, int high) {
        return low + static_cast<int>(engine_() % static_cast<std::uint64_t>(high - low + 1));
    }
    bool chance(double probability) { return uniform(0.0, 1.0) < probability; }
    double sign() { return chance(0.5) ? 1.0 : -1.0; }
    /// Even in its logarithm.
    double logarithmic(double low, double high) {
        return std::exp(uniform(std::log(low), std::log(high)));
    }
    template <class T>
    const T& pick(const std::vector<T>& from) {
        return from[static_cast<std::size_t>(whole(0, static_cast<int>(from.size()) - 1))];
    }
    Eigen::Vector3d vector(double size) {
        return {uniform(-size, size), uniform(-size, size), uniform(-size, size)};
    }
    Eigen::Vector3d direction() {
        Eigen::Vector3d v = vector(1.0);
        while (v.norm() < 0.2) {
            v = vector(1.0);
        }
        return v.normalized();
    }
    std::uint64_t bits() { return engine_(); }

  private:
    std::mt19937_64 engine_;
};

}  // namespace mechanisms
