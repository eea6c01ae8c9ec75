// Signs of the eigenvalues of a symmetric matrix, whatever the units of its rows.
#pragma once

#include <optional>
#include <vector>

#include "classify/semidefinite.h"

namespace ananke::classify {

struct Eigenpairs {
    std::vector<long double> values;
    std::vector<std::vector<long double>> vectors;  ///< orthonormal, one per value
};
/// Jacobi's method. Requires finite entries.
Eigenpairs eigenpairs(SymmetricMatrix S);

struct Signature {
    int positive = 0;
    int negative = 0;
    int rank() const { return positive + negative; }
    friend bool operator==(const Signature&, const Signature&) = default;
};
/// By congruence with a diagonal matrix that balances the rows (Sylvester's law of inertia). Empty
/// if an eigenvalue is neither clearly zero nor clearly not.
std::optional<Signature> signature(const SymmetricMatrix& S);

}  // namespace ananke::classify
