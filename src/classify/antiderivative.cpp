#include "classify/antiderivative.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/ranges.h"
#include "mech/collect.h"
#include "sym/differentiate.h"
#include "sym/walk.h"

namespace ananke::classify {

using mech::collect;
using sym::Expr;
using sym::Graph;
using sym::Node;
using sym::Op;

namespace {

constexpr std::size_t kMostTerms = 64;
constexpr std::int64_t kLargestPower = 12;

/// coefficient * x^power * exp(exponent) * cos(angle) or sin(angle) * rest
struct Term {
    Expr coefficient;
    std::int64_t power = 0;
    std::optional<Expr> exponent;
    struct Wave {
        Expr angle;
        bool sine;
    };
    std::vector<Wave> waves;
    std::vector<Expr> rest;  ///< other factors with x, one at most, and then alone
};

class Integrator {
  public:
    Integrator(Graph& graph, Expr x) : graph_(graph), x_(x) {}

    std::optional<Expr> integrate(Expr f) {
        if (!open(f, Term{graph_.one(), 0, {}, {}, {}})) {
            return std::nullopt;
        }
        Expr sum = graph_.zero();
        std::vector<Term> terms = std::move(terms_);
        if (const std::optional<Expr> part = integrate_pairs(terms)) {
            sum = *part;
        }
        for (const Term& term : terms) {
            const std::optional<Expr> part = integrate(term);
            if (!part) {
                return std::nullopt;
            }
            sum = graph_.add(sum, *part);
        }
        return collect(graph_, sum);
    }

  private:
    bool has_x(Expr e) const {
        const std::vector<Expr> symbols = sym::symbols_of(graph_, e);
        return contains(symbols, x_);
    }

    /// de/dx, if it is free of x.
    std::optional<Expr> slope(Expr e) {
        const Expr d = collect(graph_, sym::derivative(graph_, e, x_));
        return has_x(d) ? std::nullopt : std::optional(d);
    }

    /// Sums multiplied out where they contain x: e times what is gathered so far.
    bool open(Expr e, const Term& so_far) {
        std::vector<std::pair<std::vector<Expr>, Term>> stack{{{e}, so_far}};
        while (!stack.empty()) {
            auto [factors, term] = std::move(stack.back());
            stack.pop_back();
            bool opened = false;
            while (!factors.empty() && !opened) {
                const Expr factor = factors.back();
                factors.pop_back();
                const Op op = graph_.node(factor).op;
                if (has_x(factor) && (op == Op::kAdd || op == Op::kSub)) {
                    for (const Expr part : sym::summands(graph_, factor)) {
                        std::vector<Expr> all = factors;
                        all.push_back(part);
                        stack.emplace_back(std::move(all), term);
                    }
                    opened = true;
                } else if (!take(factor, factors, term)) {
                    return false;
                }
            }
            if (!opened) {
                terms_.push_back(std::move(term));
            }
            if (stack.size() + terms_.size() > kMostTerms) {
                return false;
            }
        }
        return true;
    }

    /// One factor into the term, or as simpler factors back onto the list.
    bool take(Expr factor, std::vector<Expr>& factors, Term& term) {
        const Node node = graph_.node(factor);
        const Expr a{node.a};
        if (!has_x(factor)) {
            term.coefficient = graph_.mul(term.coefficient, factor);
            return true;
        }
        if (factor == x_) {
            ++term.power;
            return true;
        }
        switch (node.op) {
            case Op::kNeg:
                term.coefficient = graph_.neg(term.coefficient);
                factors.push_back(a);
                return true;
            case Op::kMul:
                factors.push_back(a);
                factors.push_back(Expr{node.b});
                return true;
            case Op::kDiv:
                return take_quotient(a, Expr{node.b}, factors, term);
            case Op::kPow:
                return take_power(factor, a, Expr{node.b}, factors, term);
            case Op::kExp:
                term.exponent = term.exponent ? graph_.add(*term.exponent, a) : a;
                return true;
            case Op::kSin:
            case Op::kCos:
                term.waves.push_back({a, node.op == Op::kSin});
                return term.waves.size() <= 4;
            default:
                term.rest.push_back(factor);
                return true;
        }
    }

    bool take_quotient(Expr above, Expr below, std::vector<Expr>& factors, Term& term) {
        factors.push_back(above);
        if (!has_x(below)) {
            term.coefficient = graph_.div(term.coefficient, below);
        } else if (below == x_) {
            --term.power;
        } else if (graph_.node(below).op == Op::kExp) {
            const Expr minus = graph_.neg(Expr{graph_.node(below).a});
            term.exponent = term.exponent ? graph_.add(*term.exponent, minus) : minus;
        } else {
            term.rest.push_back(graph_.div(graph_.one(), below));
        }
        return true;
    }

    bool take_power(Expr factor, Expr base, Expr exponent, std::vector<Expr>& factors, Term& term) {
        const bool whole =
            graph_.is_constant(exponent) && graph_.constant(exponent).denominator == 1;
        const std::int64_t k = whole ? graph_.constant(exponent).numerator : 0;
        const bool small = whole && -kLargestPower <= k && k <= kLargestPower;
        if (small && base == x_) {
            term.power += k;
        } else if (small && k > 0) {
            factors.insert(factors.end(), static_cast<std::size_t>(k), base);
        } else {
            term.rest.push_back(factor);
        }
        return true;
    }

    std::optional<Expr> integrate(const Term& term) {
        if (!term.rest.empty()) {
            return integrate_rest(term);
        }
        if (term.waves.size() > 1) {
            return take_apart(term);
        }
        if (!term.exponent && term.waves.empty()) {
            return graph_.mul(term.coefficient, power_integral(x_, term.power));
        }
        if (term.power < 0) {
            return std::nullopt;
        }
        Expr alpha = graph_.zero();
        Expr E = graph_.one();
        if (term.exponent) {
            const std::optional<Expr> a = slope(*term.exponent);
            if (!a) {
                return std::nullopt;
            }
            alpha = *a;
            E = graph_.apply(Op::kExp, *term.exponent);
        }
        Expr omega = graph_.zero();
        Expr C = graph_.one();
        Expr S = graph_.zero();
        if (!term.waves.empty()) {
            const std::optional<Expr> w = slope(term.waves.front().angle);
            if (!w) {
                return std::nullopt;
            }
            omega = *w;
            C = graph_.apply(Op::kCos, term.waves.front().angle);
            S = graph_.apply(Op::kSin, term.waves.front().angle);
        }
        const Pair both = damped_wave(term.power, alpha, omega, E, C, S);
        const bool sine = !term.waves.empty() && term.waves.front().sine;
        return graph_.mul(term.coefficient, sine ? both.of_sine : both.of_cosine);
    }

    /// Takes p E C + s E S out of the terms, where both occur:
    ///   E ((p alpha - s omega) C + (p omega + s alpha) S)/D
    /// so that what is the derivative of one wave is seen to be.
    std::optional<Expr> integrate_pairs(std::vector<Term>& terms) {
        const auto is_wave = [](const Term& term, bool sine) {
            return term.power == 0 && term.rest.empty() && term.exponent &&
                   term.waves.size() == 1 && term.waves.front().sine == sine;
        };
        const auto cosine =
            std::ranges::find_if(terms, [&](const Term& term) { return is_wave(term, false); });
        const auto sine = std::ranges::find_if(terms, [&](const Term& term) {
            return cosine != terms.end() && is_wave(term, true) &&
                   term.exponent == cosine->exponent &&
                   term.waves.front().angle == cosine->waves.front().angle;
        });
        if (sine == terms.end()) {
            return std::nullopt;
        }
        const Term a = *cosine;
        const Term b = *sine;
        const std::optional<Expr> alpha = slope(*a.exponent);
        const std::optional<Expr> omega = slope(a.waves.front().angle);
        if (!alpha || !omega) {
            return std::nullopt;
        }
        terms.erase(std::max(cosine, sine));
        terms.erase(std::min(cosine, sine));
        const Expr D = graph_.add(graph_.square(*alpha), graph_.square(*omega));
        const Expr of_C =
            graph_.sub(graph_.mul(a.coefficient, *alpha), graph_.mul(b.coefficient, *omega));
        const Expr of_S =
            graph_.add(graph_.mul(a.coefficient, *omega), graph_.mul(b.coefficient, *alpha));
        const Expr E = graph_.apply(Op::kExp, *a.exponent);
        const Expr C = graph_.apply(Op::kCos, a.waves.front().angle);
        const Expr S = graph_.apply(Op::kSin, a.waves.front().angle);
        return graph_.add(graph_.mul(quotient(of_C, D), graph_.mul(E, C)),
                          graph_.mul(quotient(of_S, D), graph_.mul(E, S)));
    }

    /// above/below, in short where it is a single term.
    Expr quotient(Expr above, Expr below) {
        const Expr sum = collect(graph_, above);
        for (const Expr first : sym::summands(graph_, sum)) {
            for (const Expr other : sym::summands(graph_, below)) {
                const Expr ratio = collect(graph_, graph_.div(first, other));
                Expr left = sum;
                for (const Expr part : sym::summands(graph_, below)) {
                    left = graph_.sub(left, graph_.mul(ratio, part));
                }
                if (graph_.is_zero(collect(graph_, left))) {
                    return ratio;
                }
            }
        }
        return graph_.div(sum, below);
    }

    Expr power_integral(Expr base, std::int64_t k) {
        if (k == -1) {  // log|x|
            return graph_.mul(graph_.fraction(1, 2), graph_.apply(Op::kLog, graph_.square(base)));
        }
        return graph_.mul(graph_.fraction(1, k + 1), graph_.pow(base, graph_.integer(k + 1)));
    }

    struct Pair {
        Expr of_cosine, of_sine;
    };
    /// Integrals of x^n E C and x^n E S, E = exp(alpha x + ..), C = cos(omega x + ..), S = sin(..),
    /// by parts: x^n F - n (integral of x^(n-1) F) with
    ///   F_c = E (alpha C + omega S)/D,   F_s = E (alpha S - omega C)/D,   D = alpha^2 + omega^2
    Pair damped_wave(std::int64_t n, Expr alpha, Expr omega, Expr E, Expr C, Expr S) {
        const Expr D = graph_.add(graph_.square(alpha), graph_.square(omega));
        const auto mix = [&](Expr c, Expr s) {
            return Pair{graph_.div(graph_.add(graph_.mul(alpha, c), graph_.mul(omega, s)), D),
                        graph_.div(graph_.sub(graph_.mul(alpha, s), graph_.mul(omega, c)), D)};
        };
        const Pair F = mix(graph_.mul(E, C), graph_.mul(E, S));
        Pair result = F;
        for (std::int64_t k = 1; k <= n; ++k) {
            const Expr x_k = graph_.pow(x_, graph_.integer(k));
            const Pair before = mix(result.of_cosine, result.of_sine);
            const auto next = [&](Expr f, Expr part) {
                return graph_.sub(graph_.mul(x_k, f), graph_.mul(graph_.integer(k), part));
            };
            result = {next(F.of_cosine, before.of_cosine), next(F.of_sine, before.of_sine)};
        }
        return result;
    }

    /// cos a cos b = (cos(a-b) + cos(a+b))/2 and so on, two waves at a time.
    std::optional<Expr> take_apart(const Term& term) {
        Term rest = term;
        const Term::Wave a = rest.waves.back();
        rest.waves.pop_back();
        const Term::Wave b = rest.waves.back();
        rest.waves.pop_back();
        const Expr half = graph_.fraction(1, 2);
        const Expr difference = collect(graph_, graph_.sub(a.angle, b.angle));
        const Expr total = collect(graph_, graph_.add(a.angle, b.angle));
        const bool sine = a.sine != b.sine;
        // sin a sin b = (cos(a-b) - cos(a+b))/2, sin a cos b = (sin(a+b) + sin(a-b))/2,
        // cos a sin b = (sin(a+b) - sin(a-b))/2
        const bool minus_total = a.sine && b.sine;
        const bool minus_difference = b.sine && !a.sine;
        Expr sum = graph_.zero();
        for (const auto& [angle, minus] :
             {std::pair(difference, minus_difference), std::pair(total, minus_total)}) {
            Term part = rest;
            part.coefficient = graph_.mul(part.coefficient, minus ? graph_.neg(half) : half);
            if (has_x(angle)) {
                part.waves.push_back({angle, sine});
            } else {
                part.coefficient =
                    graph_.mul(part.coefficient, graph_.apply(sine ? Op::kSin : Op::kCos, angle));
            }
            const std::optional<Expr> integral = integrate(part);
            if (!integral) {
                return std::nullopt;
            }
            sum = graph_.add(sum, *integral);
        }
        return sum;
    }

    /// A single factor of another kind, u^r, sinh(u), cosh(u), times a multiple of du/dx.
    std::optional<Expr> integrate_rest(const Term& term) {
        if (term.rest.size() != 1 || term.exponent || !term.waves.empty()) {
            return std::nullopt;
        }
        const Node node = graph_.node(term.rest.front());
        Expr u{node.a};
        std::optional<Expr> integral;  // in u
        if (node.op == Op::kSinh || node.op == Op::kCosh) {
            integral = graph_.apply(node.op == Op::kSinh ? Op::kCosh : Op::kSinh, u);
        } else {
            Expr r = graph_.one();
            if (node.op == Op::kDiv) {
                u = Expr{node.b};
                r = graph_.integer(-1);
            }
            const Node below = graph_.node(u);
            if (below.op == Op::kSqrt) {
                r = graph_.mul(r, graph_.fraction(1, 2));
                u = Expr{below.a};
            } else if (node.op == Op::kSqrt) {
                r = graph_.fraction(1, 2);
            } else if (node.op == Op::kPow && !has_x(Expr{node.b})) {
                r = Expr{node.b};
            } else if (below.op == Op::kPow && node.op == Op::kDiv && !has_x(Expr{below.b})) {
                r = graph_.neg(Expr{below.b});
                u = Expr{below.a};
            } else if (node.op != Op::kDiv) {
                return std::nullopt;
            }
            const Expr next = graph_.add(r, graph_.one());
            integral = graph_.is_zero(next) ? power_integral(u, -1)
                                            : graph_.div(graph_.pow(u, next), next);
        }
        const Expr du = collect(graph_, sym::derivative(graph_, u, x_));
        const Expr above = graph_.mul(term.coefficient, graph_.pow(x_, graph_.integer(term.power)));
        const Expr ratio = collect(graph_, graph_.div(above, du));
        return has_x(ratio) ? std::nullopt : std::optional(graph_.mul(ratio, *integral));
    }

    Graph& graph_;
    Expr x_;
    std::vector<Term> terms_;
};

}  // namespace

std::optional<Expr> antiderivative(Graph& graph, Expr f, Expr x) {
    const sym::Graph::Formal formal(graph);
    return Integrator(graph, x).integrate(f);
}

}  // namespace ananke::classify
