// What a share of a force costs: statically indeterminate reactions, THEORY section 9.
//
// Multipliers of dependent rows are known but for lambda + N s, A^T N = 0. Of all of them the one
// shown makes |K lambda| least, K = diag(K_J) over the owners J (joints, and constraints outside
// joints), each a stack of three aims of which the upper one counts first:
//
//   C_J              compliances that the model gives: sum of c |reaction|^2
//   L_J^-1 A_J^T     the size of the owner's force in the metric W^-1, W = L L^T
//   U_J              rows by themselves, which tells only where rows of one owner depend on each
//                    other: of unit length in that metric
//
// The upper aims count first. LoadShare meets compliances first; all else, and all of it in a
// sparse system, is by weights, which replace a decision on ranks at an error of 1e-8 of the share.
//
// W is the mass matrix on the velocities of bodies: the direction of a quaternion itself, which its
// norm prescribes, takes no force. Coordinates without mass have kMassless of what their rows move:
// forces on them are least first. So the share depends neither on how the equations of a joint are
// written nor on units, scales or axes, and is smooth while the rank is constant.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ananke::solve {

/// Coordinates that share a unit, such as the four of a quaternion, along any of which a direction
/// without mass may come to lie: their masses count as one.
struct CoordinateGroup {
    int first, count;
};

/// Rows that push together: those of a joint, or of a constraint outside joints.
struct LoadOwner {
    struct Quaternion {
        int first;     ///< among `coordinates`
        int norm_row;  ///< of A: 2 u or u, the direction that takes no force
    };
    std::vector<int> rows;                ///< of A
    std::vector<int> coordinates;         ///< that these touch, and those tied to them by M
    std::vector<Quaternion> quaternions;  ///< among the coordinates
    int compliances = 0;                  ///< rows of C_J
};

/// K_J of one owner after the other. Buffers grow to the largest owner and stay.
class LoadForm {
  public:
    // The numbers of the next owner, by its own rows and coordinates.
    std::vector<double> A;      ///< k×p
    std::vector<double> M;      ///< p×p, lower triangle
    std::vector<double> unit;   ///< p  see load_units()
    std::vector<double> norms;  ///< 4 per quaternion: its norm row
    std::vector<double> C;      ///< compliances×k

    /// Makes room for the numbers of an owner, all zero.
    void begin(const LoadOwner& owner);
    static int height(const LoadOwner& owner) {
        return owner.compliances + static_cast<int>(owner.coordinates.size() + owner.rows.size());
    }
    /// K, height×k.
    void find(const LoadOwner& owner, double* K);
    /// Puts the compliances in the K of all owners, one after the other, above the other aims by
    /// a weight.
    static void weigh_compliances(std::span<const LoadOwner> owners, double* K);

  private:
    std::vector<double> L_, row_;
};

/// Diagonal entries of M become masses of coordinates: the four of a quaternion their mean, and 0
/// what is rounding.
void mean_masses(std::span<double> mass, std::span<const CoordinateGroup> groups);

/// Coordinates without mass, 0 on entry, get one that stands for it: what its rows see at their
/// other end,
///   mean over its rows k of A_ki^2 / sum_j A_kj^2 / m_j,
/// which neither units nor scales of rows change. `each_entry(f)` calls f(row, column, value) row
/// by row; `work` holds 2 n numbers.
template <class EachEntry>
void load_units(int n, double* mass, double* work, int m, double* row_work,
                const EachEntry& each_entry);

template <class EachEntry>
void load_units(int n, double* mass, double* work, int m, double* row_work,
                const EachEntry& each_entry) {
    const auto size = [](int i) { return static_cast<std::size_t>(i); };
    for (bool more = true; more;) {
        more = false;
        const std::span<double> seen(row_work, size(m));
        const std::span<double> sum(work, size(n));
        const std::span<double> count(work + n, size(n));
        for (const std::span<double> values : {seen, sum, count}) {
            for (double& value : values) {
                value = 0.0;
            }
        }
        each_entry([&](int row, int column, double value) {
            seen[size(row)] += mass[column] > 0.0 ? value * value / mass[column] : 0.0;
        });
        each_entry([&](int row, int column, double value) {
            if (mass[column] == 0.0 && value != 0.0 && seen[size(row)] > 0.0) {
                sum[size(column)] += value * value / seen[size(row)];
                count[size(column)] += 1.0;
            }
        });
        for (int i = 0; i < n; ++i) {
            if (count[size(i)] > 0.0) {
                mass[i] = sum[size(i)] / count[size(i)];
                more = more || mass[i] > 0.0;
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        mass[i] = mass[i] > 0.0 ? mass[i] : 1.0;
    }
}

}  // namespace ananke::solve
