#include "dynamics/scales.h"

#include <algorithm>
#include <cmath>

namespace ananke::dynamics {
namespace {

/// Raises `largest` of each kind to the values x; true if one was raised.
bool raise(std::span<const int> kinds, const double* x, std::vector<double>& largest) {
    bool raised = false;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        double& size = largest[static_cast<std::size_t>(kinds[i])];
        const double value = std::abs(x[i]);
        if (value > size && std::isfinite(value)) {
            size = value;
            raised = true;
        }
    }
    return raised;
}

void spread(std::span<const int> kinds, const std::vector<double>& largest,
            const std::vector<double>& given, std::vector<double>& sizes) {
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        sizes[i] = given[i] > 0.0 ? given[i] : largest[static_cast<std::size_t>(kinds[i])];
    }
}

}  // namespace

Scales::Scales(std::span<const int> kinds) : kinds_(kinds) {
    const auto last = std::max_element(kinds.begin(), kinds.end());
    const std::size_t count = kinds.empty() ? 0 : static_cast<std::size_t>(*last) + 1;
    q_.resize(kinds.size(), count);
    v_.resize(kinds.size(), count);
    a_.resize(kinds.size(), count);
    for (std::vector<double>* each : {&ties_.q, &ties_.v, &ties_.a}) {
        each->assign(kinds.size(), 0.0);
    }
    largest_pulls_.assign(count, 0.0);
    pulls_.assign(kinds.size(), 0.0);
}

void Scales::Level::resize(std::size_t n, std::size_t count) {
    largest.assign(count, 0.0);
    trial_largest.assign(count, 0.0);
    for (std::vector<double>* each : {&given, &sizes, &tied, &trial_sizes}) {
        each->assign(n, 0.0);
    }
}

void Scales::Level::start(std::span<const double> wanted) {
    std::fill(largest.begin(), largest.end(), 0.0);
    std::fill(given.begin(), given.end(), 0.0);
    std::copy(wanted.begin(), wanted.end(), given.begin());
    std::fill(tied.begin(), tied.end(), 0.0);
    sizes = given;
}

void Scales::start(const GivenScales& given) {
    q_.start(given.q);
    v_.start(given.v);
    a_.start({});
    for (std::vector<double>* each : {&ties_.q, &ties_.v, &ties_.a}) {
        std::fill(each->begin(), each->end(), 0.0);
    }
    std::fill(largest_pulls_.begin(), largest_pulls_.end(), 0.0);
    std::fill(pulls_.begin(), pulls_.end(), 0.0);
    ++version_;
}

bool Scales::Level::see(std::span<const int> kinds, const double* x) {
    const bool raised = raise(kinds, x, largest);
    if (raised) {
        spread(kinds, largest, given, sizes);
    }
    return raised;
}

void Scales::tie(std::span<const double> positions, std::span<const double> velocities,
                 std::span<const double> accelerations, double h) {
    const auto take = [this](std::span<const double> told, std::vector<double>& least) {
        for (std::size_t i = 0; i < kinds_.size(); ++i) {
            const double size = told[static_cast<std::size_t>(kinds_[i])];
            least[i] = size > 0.0 && (least[i] == 0.0 || size < least[i]) ? size : least[i];
        }
    };
    take(positions, ties_.q);
    take(velocities, ties_.v);
    take(accelerations, ties_.a);
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
        v_.tied[i] = ties_.v[i] + h * ties_.a[i];
        q_.tied[i] = ties_.q[i] + h * v_.tied[i];
    }
    ++version_;
}

void Scales::pull(std::span<const double> accelerations) {
    if (!raise(kinds_, accelerations.data(), largest_pulls_)) {
        return;
    }
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
        pulls_[i] = v_.given[i] > 0.0 ? 0.0 : largest_pulls_[static_cast<std::size_t>(kinds_[i])];
    }
    ++version_;
}

void Scales::see(const double* q, const double* v) {
    const bool positions = q_.see(kinds_, q);
    const bool velocities = v_.see(kinds_, v);
    version_ += positions || velocities ? 1 : 0;
}

std::span<const double> Scales::Level::with(std::span<const int> kinds, const double* x) {
    trial_largest = largest;
    if (!raise(kinds, x, trial_largest)) {
        return sizes;
    }
    spread(kinds, trial_largest, given, trial_sizes);
    return trial_sizes;
}

}  // namespace ananke::dynamics
