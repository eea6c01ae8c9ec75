#include "solve/least_norm.h"

#include <algorithm>

#include "base/check.h"
#include "solve/symmetric_factor.h"

namespace ananke::solve {

std::vector<double> least_norm(int n, int m, std::span<const SparseEntry> rows,
                               std::span<const int> kept, std::span<const double> f,
                               std::span<const SparseEntry> K) {
    ANANKE_REQUIRE(f.size() == static_cast<std::size_t>(n));
    // Unknowns: l (m), w (n), -mu (n), -z (kept), y.
    const int w = m;
    const int mu = w + n;
    const int z = mu + n;
    const int y = z + static_cast<int>(kept.size());
    std::vector<int> place(static_cast<std::size_t>(m), -1);
    for (std::size_t k = 0; k < kept.size(); ++k) {
        place[static_cast<std::size_t>(kept[k])] = static_cast<int>(k);
    }
    std::vector<SymmetricPlace> places;
    std::vector<double> values;
    const auto set = [&](int i, int k, double value) {
        places.push_back({i, k});
        values.push_back(value);
    };
    int size = y;
    std::vector<bool> counts(static_cast<std::size_t>(m), false);
    for (const SparseEntry& one : rows) {
        counts[static_cast<std::size_t>(one.row)] = true;
    }
    for (const SparseEntry& one : K) {
        size = std::max(size, y + one.row + 1);
        set(one.column, y + one.row, one.value);
    }
    for (int i = y; i < size; ++i) {
        set(i, i, -1.0);
    }
    for (int k = 0; k < m; ++k) {
        if (!counts[static_cast<std::size_t>(k)]) {
            set(k, k, 1.0);
        }
    }
    for (int j = 0; j < n; ++j) {
        set(w + j, mu + j, -1.0);
    }
    for (const SparseEntry& one : rows) {
        set(one.row, mu + one.column, one.value);
        const int k = place[static_cast<std::size_t>(one.row)];
        if (k >= 0) {
            set(w + one.column, z + k, one.value);
        }
    }
    SymmetricFactor factor(size, places);
    if (!factor.factor(values)) {
        return {};
    }
    std::vector<double> x(static_cast<std::size_t>(size), 0.0);
    for (int j = 0; j < n; ++j) {
        x[static_cast<std::size_t>(mu + j)] = f[static_cast<std::size_t>(j)];
    }
    factor.solve(x);
    x.resize(static_cast<std::size_t>(m));
    return x;
}

}  // namespace ananke::solve
