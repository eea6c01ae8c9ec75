#include "classify/velocity_form.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/ranges.h"
#include "classify/linear_text.h"
#include "classify/signature.h"
#include "mech/collect.h"
#include "sym/differentiate.h"
#include "sym/print.h"

namespace ananke::classify {

using mech::RealValues, mech::Zero, mech::collect, mech::find_zero;
using sym::Graph;
using sym::SymbolKind;
using Kind = VelocityForm::Kind;

namespace {

constexpr int kSamples = 3;                // random states, numbered from 1
constexpr int kZeros = 12;                 // starts for zeros of what is not quadratic
constexpr int kLeastZeros = 3;             // found before anything is said
constexpr std::size_t kMost = 20;          // velocities of one form
constexpr std::size_t kLargest = 4000;     // nodes of f and of its second derivatives
constexpr std::size_t kLongestText = 120;  // of an equation in symbols; longer ones in numbers
constexpr Real kRounding = 1e-15L;         // against the magnitudes of the terms
constexpr Real kAgreement = 1e-12L;        // of f and its quadratic form
constexpr Real kFlat = 1e-9L;              // curvature times the size of v
constexpr Real kSameDirection = 1e-8L;     // of two normals of one plane
constexpr Real kVanishedGradient = 1e-7L;  // against its size at the start

/// f with its first and second derivatives in the velocities.
struct Expansion {
    Expr f, magnitude;
    std::vector<Expr> v;  ///< the velocities f contains
    std::vector<Expr> gradient;
    std::vector<Expr> H;           ///< upper triangle by rows
    std::vector<Expr> magnitudes;  ///< of H, then of the gradient

    std::size_t n() const { return v.size(); }
    std::size_t place(std::size_t i, std::size_t j) const {
        const std::size_t low = std::min(i, j);
        const std::size_t high = std::max(i, j);
        return low * n() - low * (low + 1) / 2 + high;
    }
};

std::optional<Expansion> expand(Graph& graph, Expr f) {
    Expansion e;
    e.f = f;
    e.v = sym::symbols_of(graph, f, SymbolKind::kVelocity);
    if (e.v.empty() || e.v.size() > kMost || sym::reachable(graph, f).size() > kLargest) {
        return std::nullopt;
    }
    e.magnitude = sym::magnitude(graph, f);
    e.gradient = transformed(sym::gradient(graph, f, e.v),
                             [&](Expr slope) { return collect(graph, slope); });
    for (std::size_t i = 0; i < e.n(); ++i) {
        const std::vector<Expr> row = sym::gradient(graph, e.gradient[i], e.v);
        e.H.insert(e.H.end(), row.begin() + static_cast<std::ptrdiff_t>(i), row.end());
    }
    if (sym::reachable(graph, e.H).size() > kLargest) {
        return std::nullopt;
    }
    for (const std::vector<Expr>* part : {&e.H, &e.gradient}) {
        append(e.magnitudes,
               transformed(*part, [&](Expr entry) { return sym::magnitude(graph, entry); }));
    }
    return e;
}

/// [H h; h 2c] at one configuration, what is rounding set to zero; empty if f is not quadratic.
class Quadratic {
  public:
    static std::optional<Quadratic> at(const Graph& graph, const Probe& probe, const Expansion& e,
                                       int sample) {
        std::vector<Expr> roots{e.f, e.magnitude};
        for (const auto* part : {&e.gradient, &e.H, &e.magnitudes}) {
            append(roots, *part);
        }
        RealValues values = probe.values(graph, roots, sample);
        std::vector<Real> v;
        for (const Expr symbol : e.v) {
            // At the start the velocities may all be zero.
            v.push_back(probe.value(graph, symbol, std::max(sample, 1)));
            values[symbol] = v.back();
        }
        const std::vector<Real> moving = sym::evaluate<Real>(graph, roots, values);
        for (const Expr symbol : e.v) {
            values[symbol] = 0;
        }
        const std::vector<Real> resting = sym::evaluate<Real>(graph, roots, values);
        Quadratic form(e.n());
        if (!form.fill(e, resting) || !form.agrees(v, moving[0], moving[1])) {
            return std::nullopt;
        }
        return form;
    }

    const SymmetricMatrix& bordered() const { return B_; }
    SymmetricMatrix H() const {
        SymmetricMatrix H(B_.size() - 1);
        for (std::size_t i = 0; i < H.size(); ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                H.set(i, j, B_(i, j));
            }
        }
        return H;
    }
    bool is_homogeneous() const {
        for (std::size_t i = 0; i < B_.size(); ++i) {
            if (B_(i, B_.size() - 1) != 0) {
                return false;
            }
        }
        return true;
    }
    bool is_zero() const {
        for (std::size_t i = 0; i < B_.size(); ++i) {
            for (std::size_t j = 0; j < B_.size(); ++j) {
                if (B_(i, j) != 0) {
                    return false;
                }
            }
        }
        return true;
    }

  private:
    explicit Quadratic(std::size_t n) : B_(n + 1) {}

    bool fill(const Expansion& e, const std::vector<Real>& at) {
        const std::size_t n = e.n();
        const Real* gradient = at.data() + 2;
        const Real* H = gradient + n;
        const Real* magnitudes = H + e.H.size();
        const auto clean = [](Real value, Real magnitude) {
            return std::abs(value) <= kRounding * magnitude ? Real{0} : value;
        };
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = i; j < n; ++j) {
                const std::size_t k = e.place(i, j);
                B_.set(i, j, clean(H[k], magnitudes[k]));
            }
            B_.set(i, n, clean(gradient[i], magnitudes[e.H.size() + i]));
        }
        B_.set(n, n, 2 * clean(at[0], at[1]));
        return std::ranges::all_of(at, [](Real value) { return std::isfinite(value); });
    }

    bool agrees(std::vector<Real> v, Real f, Real magnitude) const {
        v.push_back(1);
        return std::isfinite(f) && std::abs(B_.quadratic_form(v) / 2 - f) <= kAgreement * magnitude;
    }

    SymmetricMatrix B_;
};

bool depends_on_state(const Graph& graph, Expr f) {
    return sym::depends_on_kind(graph, f, SymbolKind::kCoordinate) ||
           sym::depends_on_kind(graph, f, SymbolKind::kTime);
}

/// Rows of H that span the others, the first ones where there is a choice.
std::vector<std::size_t> independent_rows(const SymmetricMatrix& H) {
    std::vector<std::vector<Real>> basis;
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < H.size(); ++i) {
        std::vector<Real> row;
        Real size = 0;
        for (std::size_t j = 0; j < H.size(); ++j) {
            row.push_back(H(i, j));
            size += H(i, j) * H(i, j);
        }
        for (const std::vector<Real>& unit : basis) {
            Real along = 0;
            for (std::size_t j = 0; j < row.size(); ++j) {
                along += row[j] * unit[j];
            }
            for (std::size_t j = 0; j < row.size(); ++j) {
                row[j] -= along * unit[j];
            }
        }
        Real left = 0;
        for (const Real x : row) {
            left += x * x;
        }
        if (left > 1e-16L * size && left > 0) {
            for (Real& x : row) {
                x /= std::sqrt(left);
            }
            basis.push_back(std::move(row));
            chosen.push_back(i);
        }
    }
    return chosen;
}

/// l2 is the derivative by a velocity of which f has no square; l1 = f / l2. Empty if there is
/// none.
std::optional<std::pair<Expr, Expr>> symbolic_factors(Graph& graph, const Expansion& e,
                                                      const SymmetricMatrix& H) {
    const auto entry = [&](std::size_t i, std::size_t j) { return e.H[e.place(i, j)]; };
    for (std::size_t i = 0; i < e.n(); ++i) {
        std::size_t k = 0;  // where l2 is largest
        for (std::size_t j = 0; j < e.n(); ++j) {
            k = std::abs(H(i, j)) > std::abs(H(i, k)) ? j : k;
        }
        if (H(i, i) != 0 || H(i, k) == 0) {
            continue;
        }
        const Expr l2 = e.gradient[i];
        const Expr l2_k = entry(i, k);
        const Expr l1_k = graph.div(graph.mul(graph.fraction(1, 2), entry(k, k)), l2_k);
        Expr l1 = graph.zero();
        for (std::size_t j = 0; j < e.n(); ++j) {
            const Expr above = graph.sub(entry(k, j), graph.mul(l1_k, entry(i, j)));
            const Expr l1_j = j == k ? l1_k : collect(graph, graph.div(above, l2_k));
            l1 = graph.add(l1, graph.mul(l1_j, e.v[j]));
        }
        const Expr h_k = sym::without(graph, e.gradient[k], e.v);
        const Expr l2_0 = sym::without(graph, l2, e.v);
        const Expr above = graph.sub(h_k, graph.mul(l1_k, l2_0));
        return std::pair(graph.add(l1, collect(graph, graph.div(above, l2_k))), l2);
    }
    return std::nullopt;
}

/// B = p p^T - m m^T: the factors p + m and p - m in numbers.
std::vector<LinearTexts> numeric_factors(const Graph& graph, const Expansion& e,
                                         const SymmetricMatrix& B) {
    const Eigenpairs pairs = eigenpairs(B);
    const std::size_t plus = std::ranges::max_element(pairs.values) - pairs.values.begin();
    const std::size_t minus = std::ranges::min_element(pairs.values) - pairs.values.begin();
    std::vector<LinearTexts> factors;
    for (const int sign : {1, -1}) {
        std::vector<Real> l;
        for (std::size_t j = 0; j < B.size(); ++j) {
            l.push_back(std::sqrt(pairs.values[plus]) * pairs.vectors[plus][j] +
                        static_cast<Real>(sign) * std::sqrt(-pairs.values[minus]) *
                            pairs.vectors[minus][j]);
        }
        factors.push_back({linear_text(graph, e.v, l)});
    }
    return factors;
}

class Analysis {
  public:
    Analysis(Model& model, const Probe& probe, Expansion e, Expr written)
        : graph_(model.graph), probe_(probe), e_(std::move(e)), written_(written) {}

    VelocityForm run() {
        std::optional<Kind> kind;
        for (int sample = 1; sample <= kSamples; ++sample) {
            const std::optional<Quadratic> form = Quadratic::at(graph_, probe_, e_, sample);
            if (!form) {
                return flat_form();
            }
            const Kind now = classify(*form);
            if (now == Kind::kGenuine || (kind && *kind != now) ||
                (sample > 1 && shape_ != last_shape_)) {
                return {};
            }
            kind = now;
            last_shape_ = shape_;
            last_form_ = form;
        }
        VelocityForm result{*kind, {}, shape_ == Shape::kSquares, false};
        if (*kind == Kind::kLinear) {
            result.alternatives = texts(result.at_start);
        }
        return result;
    }

  private:
    enum class Shape : std::uint8_t { kNone, kPlane, kSquares, kProduct };

    Kind classify(const Quadratic& form) {
        shape_ = Shape::kNone;
        if (form.is_zero()) {
            return Kind::kAlways;
        }
        const std::optional<Signature> of_H = signature(form.H());
        const std::optional<Signature> whole = signature(form.bordered());
        if (!of_H || !whole) {
            return Kind::kGenuine;
        }
        if (of_H->rank() == 0) {
            shape_ = Shape::kPlane;
            return Kind::kLinear;
        }
        if (whole->positive == 0 || whole->negative == 0) {
            shape_ = Shape::kSquares;
            return of_H->rank() == whole->rank() ? Kind::kLinear : Kind::kNever;
        }
        // A single velocity can always be solved for: nothing is hidden.
        if (whole->positive == 1 && whole->negative == 1 && e_.n() > 1) {
            shape_ = Shape::kProduct;
            return Kind::kLinear;
        }
        return Kind::kGenuine;
    }

    std::vector<LinearTexts> texts(bool& at_start) {
        if (shape_ == Shape::kPlane) {
            const bool plain =
                std::ranges::all_of(e_.H, [&](Expr entry) { return graph_.is_zero(entry); });
            if (plain && written_ != e_.f) {
                return {{sym::print(graph_, written_) + " = 0"}};
            }
            return {{plain ? linear_text(graph_, e_.f, e_.v) : plane_text()}};
        }
        if (shape_ == Shape::kSquares) {
            LinearTexts all;
            const std::vector<std::size_t> rows = independent_rows(last_form_->H());
            if (rows.size() == e_.n() && last_form_->is_homogeneous()) {
                for (const Expr v : e_.v) {
                    all.push_back(sym::print(graph_, v) + " = 0");
                }
                return {all};
            }
            for (const std::size_t i : rows) {
                all.push_back(linear_text(graph_, e_.gradient[i], e_.v));
            }
            return {all};
        }
        if (const auto factors = symbolic_factors(graph_, e_, last_form_->H())) {
            const std::string first = linear_text(graph_, factors->first, e_.v);
            const std::string second = linear_text(graph_, factors->second, e_.v);
            if (std::max(first.size(), second.size()) <= kLongestText) {
                return {{first}, {second}};
            }
        }
        at_start = depends_on_state(graph_, e_.f);
        const std::optional<Quadratic> start = Quadratic::at(graph_, probe_, e_, Probe::kInitial);
        return numeric_factors(graph_, e_, (start ? *start : *last_form_).bordered());
    }

    /// Squares that cancel: the gradient at rest has the coefficients.
    std::string plane_text() {
        Expr l = sym::without(graph_, e_.f, e_.v);
        for (std::size_t j = 0; j < e_.n(); ++j) {
            l = graph_.add(l, graph_.mul(sym::without(graph_, e_.gradient[j], e_.v), e_.v[j]));
        }
        return linear_text(graph_, l, e_.v);
    }

    /// The plane through a regular zero of f; empty if none is found there.
    struct Tangent {
        std::vector<Real> plane;  ///< normal (largest entry 1), then the constant
        Real curvature = 0;       ///< times the size of v
    };
    std::optional<Tangent> tangent(int configuration, int sample) {
        std::vector<Expr> roots{e_.f, e_.magnitude};
        for (const auto* part : {&e_.gradient, &e_.H}) {
            append(roots, *part);
        }
        RealValues values = probe_.values(graph_, roots, configuration);
        for (const Expr v : e_.v) {
            values[v] = probe_.value(graph_, v, sample);
        }
        const Zero zero = find_zero(graph_, e_.f, e_.magnitude, e_.v, e_.gradient, values);
        if (!zero.found || zero.gradient_at_end <= kVanishedGradient * zero.gradient_at_start) {
            return std::nullopt;
        }
        const std::vector<Real> at = sym::evaluate<Real>(graph_, roots, zero.values);
        if (!std::ranges::all_of(at, [](Real x) { return std::isfinite(x); })) {
            return std::nullopt;
        }
        return tangent_at(at, zero.values);
    }

    /// P H P / |g| with P = 1 - g g^T / g.g
    Tangent tangent_at(const std::vector<Real>& at, const RealValues& values) {
        const std::size_t n = e_.n();
        const Real* g = at.data() + 2;
        const Real* H = g + n;
        Real gg = 0;
        Real vv = 0;
        Real gHg = 0;
        std::vector<Real> Hg(n, 0);
        Real largest = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const Real v = values.at(e_.v[i]);
            gg += g[i] * g[i];
            vv += v * v;
            largest = std::abs(g[i]) > std::abs(largest) * (1 + kSameDirection) ? g[i] : largest;
            for (std::size_t j = 0; j < n; ++j) {
                Hg[i] += H[e_.place(i, j)] * g[j];
            }
            gHg += g[i] * Hg[i];
        }
        Tangent tangent;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                const Real projected = H[e_.place(i, j)] - (g[i] * Hg[j] + Hg[i] * g[j]) / gg +
                                       g[i] * g[j] * gHg / (gg * gg);
                tangent.curvature =
                    std::max(tangent.curvature, std::abs(projected) * std::sqrt(vv / gg));
            }
        }
        Real constant = 0;
        for (std::size_t i = 0; i < n; ++i) {
            tangent.plane.push_back(g[i] / largest);
            constant -= g[i] / largest * values.at(e_.v[i]);
        }
        tangent.plane.push_back(std::abs(constant) <= kSameDirection ? 0 : constant);
        return tangent;
    }

    /// Not quadratic: flat at every zero that is found, or genuine.
    VelocityForm flat_form() {
        if (e_.n() < 2) {
            return {};
        }
        int flat = 0;
        for (int sample = 1; sample <= kZeros; ++sample) {
            const std::optional<Tangent> found = tangent(sample, sample);
            if (found && found->curvature > kFlat) {
                return {};
            }
            flat += found ? 1 : 0;
        }
        if (flat < kLeastZeros) {
            return {};
        }
        VelocityForm result{Kind::kLinear, {}, false, depends_on_state(graph_, e_.f)};
        std::vector<std::vector<Real>> planes;
        for (int sample = 1; sample <= kZeros; ++sample) {
            const std::optional<Tangent> found = tangent(Probe::kInitial, sample);
            if (found && found->curvature <= kFlat && is_new(planes, found->plane)) {
                planes.push_back(found->plane);
                result.alternatives.push_back({linear_text(graph_, e_.v, found->plane)});
            }
        }
        return result.alternatives.empty() ? VelocityForm{} : result;
    }

    static bool is_new(const std::vector<std::vector<Real>>& planes,
                       const std::vector<Real>& plane) {
        return std::ranges::none_of(planes, [&](const std::vector<Real>& known) {
            for (std::size_t i = 0; i < plane.size(); ++i) {
                if (std::abs(known[i] - plane[i]) > kSameDirection) {
                    return false;
                }
            }
            return true;
        });
    }

    Graph& graph_;
    const Probe& probe_;
    Expansion e_;
    Expr written_;
    Shape shape_ = Shape::kNone;
    Shape last_shape_ = Shape::kNone;
    std::optional<Quadratic> last_form_;
};

}  // namespace

VelocityForm velocity_form(Model& model, const Probe& probe, Expr f, Expr written) {
    std::optional<Expansion> e = expand(model.graph, f);
    if (!e) {
        return {};
    }
    return Analysis(model, probe, std::move(*e), written).run();
}

}  // namespace ananke::classify
