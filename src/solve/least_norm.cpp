#include "solve/least_norm.h"

#include "base/check.h"
#include "solve/symmetric_factor.h"

namespace ananke::solve {

std::vector<double> least_norm(int n, int m, std::span<const SparseEntry> rows,
                               std::span<const int> kept, std::span<const double> f) {
    ANANKE_REQUIRE(f.size() == static_cast<std::size_t>(n));
    // Unknowns: l (m), w (n), -mu (n), -z (kept).
    const int w = m;
    const int mu = w + n;
    const int z = mu + n;
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
    for (int k = 0; k < m; ++k) {
        set(k, k, 1.0);
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
    const int size = z + static_cast<int>(kept.size());
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
