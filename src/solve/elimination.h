// The constrained acceleration by elimination in an order that is given, for any scalar.
//
//   [ M  A^T ] [    a    ]   [ F ]
//   [ A   0  ] [ -lambda ] = [ b ]        F = Q + C;  rows of A independent, M >= 0     THEORY 2
//
// One pivot removes either
//   a coordinate j by its equation of motion:  a_j = (F_j - sum M_jk a_k) / M_jj,
//   a coordinate j by a row r:                 a_j = (b_r - sum A_rk a_k) / A_rj,
//   or a row whose coordinates are all gone.
// Rows first, and equations of motion only for coordinates that no row holds any more, is the
// null-space method: M may be singular, and A M^-1 A^T is never formed. All coordinates first is
// the range-space method, for M > 0. Only entries that exist are touched, so with a scalar that
// records what is done to it the elimination becomes a straight-line program.
//
// A right side is a vector x (n + m) of F and b, to which forward() and back() apply the pivots one
// by one: forward from the first to the last, then back. It ends as a and -lambda.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/check.h"

namespace ananke::solve {

struct Pivot {
    int coordinate = -1;  ///< -1: a row alone
    int row = -1;         ///< -1: a coordinate by its equation of motion
    friend bool operator==(const Pivot&, const Pivot&) = default;
};

inline double reciprocal(double x) {
    return 1.0 / x;
}
inline double scaled(double x, double factor) {
    return x * factor;
}

/// Unknowns are numbered: the n coordinates, then the m rows. `S` has + - * between scalars, and
/// reciprocal(S) and scaled(S, double) found by its type.
template <class S>
class Elimination {
  public:
    struct Link {
        int to;
        std::size_t entry;  ///< shared by both ends
    };

    Elimination(int n, int m) : n_(n), links_(static_cast<std::size_t>(n + m)) {}

    int n() const { return n_; }
    /// K_ik = K_ki; each pair at most once.
    void set(int i, int k, S value) {
        link(i, k);
        if (i != k) {
            link(k, i);
        }
        entries_.push_back(value);
    }
    /// For systems whose entries come bit by bit, while others are already eliminated: each must be
    /// complete before the first of its two unknowns goes.
    void add(int i, int k, const S& value) {
        for (const Link& link : links_[at(i)]) {
            if (link.to == k) {
                entries_[link.entry] = entries_[link.entry] + value;
                return;
            }
        }
        set(i, k, value);
    }

    /// What an unknown is still linked to, itself included where K_ii exists.
    const std::vector<Link>& links(int i) const { return links_[at(i)]; }
    const S& entry(const Link& link) const { return entries_[link.entry]; }
    const S* find(int i, int k) const {
        for (const Link& link : links_[at(i)]) {
            if (link.to == k) {
                return &entries_[link.entry];
            }
        }
        return nullptr;
    }

    /// Removes what the pivot names; returns M_jj, A_rj or K_rr. Requires that it exists.
    S eliminate(const Pivot& pivot) {
        return pivot.coordinate >= 0 && pivot.row >= 0
                   ? eliminate_by_row(pivot.coordinate, n_ + pivot.row)
                   : eliminate_alone(pivot.row < 0 ? pivot.coordinate : n_ + pivot.row);
    }

    /// Takes out an unknown as if it had never been there.
    void discard(int unknown) { unlink(unknown); }

    /// Pivots so far.
    std::size_t steps() const { return steps_.size(); }
    /// Pivot number k takes what it removes out of the other equations.
    void forward(std::size_t k, std::vector<S>& x) const {
        const Step& step = steps_[k];
        if (step.row < 0) {
            for (const Neighbour& one : step.neighbours) {
                x[at(one.index)] = x[at(one.index)] - *one.s * x[at(step.unknown)];
            }
            return;
        }
        const S head = x[at(step.row)] * step.inverse;  // b_r / A_rj
        S force = x[at(step.unknown)];
        if (step.mass) {
            force = force - *step.mass * head;
        }
        for (const Neighbour& one : step.neighbours) {
            S& right = x[at(one.index)];
            if (one.s) {
                right = right - *one.s * force;
            }
            if (one.u) {
                right = right - *one.u * head;
            }
        }
        x[at(step.row)] = head;
    }
    /// The unknowns of pivot number k from those of the pivots behind it.
    void back(std::size_t k, std::vector<S>& x) const {
        const Step& step = steps_[k];
        if (step.row < 0) {
            S rest = x[at(step.unknown)];
            for (const Neighbour& one : step.neighbours) {
                rest = rest - *one.u * x[at(one.index)];
            }
            x[at(step.unknown)] = rest * step.inverse;
            return;
        }
        S position = x[at(step.row)];
        S balance = x[at(step.unknown)];
        for (const Neighbour& one : step.neighbours) {
            if (one.s) {
                position = position - *one.s * x[at(one.index)];
            }
            if (one.u) {
                balance = balance - *one.u * x[at(one.index)];
            }
        }
        if (step.mass) {
            balance = balance - *step.mass * position;
        }
        x[at(step.unknown)] = position;
        x[at(step.row)] = balance * step.inverse;
    }
    /// All of it: x from right sides to unknowns.
    void solve(std::vector<S>& x) const {
        for (std::size_t k = 0; k < steps_.size(); ++k) {
            forward(k, x);
        }
        for (std::size_t k = steps_.size(); k-- > 0;) {
            back(k, x);
        }
    }

  private:
    /// u = K_ij for the unknown j that goes; s = K_ir / K_jr for the row r that goes with it, or
    /// K_ij / K_jj where none does.
    struct Neighbour {
        int index;
        std::optional<S> u, s;
    };
    struct Step {
        int unknown;
        int row;  ///< number of the unknown, -1: none
        S inverse;
        std::optional<S> mass;  ///< K_jj, with a row
        std::vector<Neighbour> neighbours;
    };

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }

    /// To the entry that comes next.
    void link(int from, int to) {
        std::vector<Link>& links = links_[at(from)];
        if (links.capacity() == 0) {
            constexpr std::size_t kUsual = 8;  // of a joint
            links.reserve(kUsual);
        }
        links.push_back({to, entries_.size()});
    }

    void subtract(int i, int k, const S& value) {
        for (const Link& link : links_[at(i)]) {
            if (link.to == k) {
                entries_[link.entry] = entries_[link.entry] - value;
                return;
            }
        }
        set(i, k, scaled(value, -1.0));
    }

    void unlink(int gone) {
        for (const Link& link : links_[at(gone)]) {
            if (link.to != gone) {
                std::erase_if(links_[at(link.to)], [&](const Link& l) { return l.to == gone; });
            }
        }
        std::vector<Link>().swap(links_[at(gone)]);  // large systems fill memory
    }

    S eliminate_alone(int p) {
        const S* diagonal = find(p, p);
        ANANKE_REQUIRE(diagonal != nullptr);
        const S pivot = *diagonal;
        Step step{p, -1, reciprocal(pivot), std::nullopt, {}};
        step.neighbours.reserve(links_[at(p)].size());
        for (const Link& link : links_[at(p)]) {
            if (link.to != p) {
                step.neighbours.push_back({link.to, entries_[link.entry], std::nullopt});
            }
        }
        sort(step.neighbours);
        unlink(p);
        for (std::size_t i = 0; i < step.neighbours.size(); ++i) {
            Neighbour& one = step.neighbours[i];
            one.s = *one.u * step.inverse;
            for (std::size_t k = i; k < step.neighbours.size(); ++k) {
                subtract(one.index, step.neighbours[k].index, *one.s * *step.neighbours[k].u);
            }
        }
        steps_.push_back(std::move(step));
        return pivot;
    }

    /// With s_i = K_ir / K_jr and e_i = K_ij - K_jj s_i / 2:  K_ik <- K_ik - s_i e_k - e_i s_k.
    S eliminate_by_row(int j, int r) {
        const S* coefficient = find(r, j);
        ANANKE_REQUIRE(coefficient != nullptr && find(r, r) == nullptr);
        const S pivot = *coefficient;
        Step step{j, r, reciprocal(pivot), std::nullopt, {}};
        if (const S* mass = find(j, j)) {
            step.mass = *mass;
        }
        step.neighbours.reserve(links_[at(j)].size());
        for (const Link& link : links_[at(j)]) {
            if (link.to != j && link.to != r) {
                step.neighbours.push_back({link.to, entries_[link.entry], std::nullopt});
            }
        }
        for (const Link& link : links_[at(r)]) {
            if (link.to != j) {
                neighbour(step.neighbours, link.to).s = entries_[link.entry] * step.inverse;
            }
        }
        sort(step.neighbours);
        unlink(j);
        unlink(r);
        std::vector<std::optional<S>> e;
        e.reserve(step.neighbours.size());
        for (const Neighbour& one : step.neighbours) {
            std::optional<S> half = one.u;
            if (one.s && step.mass) {
                const S part = scaled(*step.mass, 0.5) * *one.s;
                half = half ? *half - part : scaled(part, -1.0);
            }
            e.push_back(half);
        }
        for (std::size_t i = 0; i < step.neighbours.size(); ++i) {
            const Neighbour& one = step.neighbours[i];
            for (std::size_t k = i; k < step.neighbours.size(); ++k) {
                const Neighbour& other = step.neighbours[k];
                if (i == k && one.s && e[i]) {
                    subtract(one.index, one.index, scaled(*one.s * *e[i], 2.0));
                    continue;
                }
                if (one.s && e[k]) {
                    subtract(one.index, other.index, *one.s * *e[k]);
                }
                if (other.s && e[i] && i != k) {
                    subtract(one.index, other.index, *e[i] * *other.s);
                }
            }
        }
        steps_.push_back(std::move(step));
        return pivot;
    }

    static Neighbour& neighbour(std::vector<Neighbour>& all, int index) {
        for (Neighbour& one : all) {
            if (one.index == index) {
                return one;
            }
        }
        return all.emplace_back(Neighbour{index, std::nullopt, std::nullopt});
    }
    static void sort(std::vector<Neighbour>& all) {
        std::sort(all.begin(), all.end(),
                  [](const Neighbour& x, const Neighbour& y) { return x.index < y.index; });
    }

    int n_;
    std::vector<std::vector<Link>> links_;
    std::vector<S> entries_;
    std::vector<Step> steps_;
};

}  // namespace ananke::solve
