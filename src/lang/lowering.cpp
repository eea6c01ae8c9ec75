#include "lang/lowering.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "mech/undefined.h"
#include "sym/differentiate.h"
#include "sym/evaluate.h"
#include "sym/walk.h"

namespace ananke::lang {
namespace {

std::uint64_t key(Span span) {
    return (static_cast<std::uint64_t>(span.file) << 48U) ^
           (static_cast<std::uint64_t>(span.begin) << 24U) ^ span.end;
}

}  // namespace

Lowering::Lowering(Sources& sources, const Options& options, std::vector<Diagnostic>& diagnostics)
    : sources_(sources), options_(options), diagnostics_(diagnostics), graph_(model_.graph) {
    model_.time = graph_.symbol(sym::SymbolKind::kTime, "t");
    rate_[model_.time] = graph_.one();
}

// A loop repeats its mistakes: one report per place.
bool Lowering::reported(Span span) const {
    return reported_.contains(key(span));
}

/// A place in the prelude is shown where the user's own text calls it.
Span Lowering::shown_at(Span span) const {
    const auto of_prelude = [&](Span one) { return prelude_files_.contains(one.file); };
    const auto call = std::find_if(calls_.rbegin(), calls_.rend(),
                                   [&](const Call& one) { return !of_prelude(one.span); });
    return of_prelude(span) && call != calls_.rend() ? call->span : span;
}

Value Lowering::fail(Span span, std::string message, Notes notes) {
    const Span written = span;
    span = shown_at(span);
    if (stopped_ || !reported_.insert(key(span)).second) {
        return Value::none();
    }
    if (key(span) != key(written)) {
        notes.push_back(fmt::format("in '{}' at {}", text(written), place_text(written)));
    }
    if (!calls_.empty() && key(calls_.front().span) != key(span)) {
        const Call& outer = calls_.front();
        notes.push_back(
            fmt::format("in the call of '{}' at {}", outer.name, place_text(outer.span)));
    }
    diagnostics_.push_back({span, Severity::kError, std::move(message), std::move(notes)});
    if (++errors_ >= options_.limits.errors) {
        stopped_ = true;
    }
    return Value::none();
}

void Lowering::warn(Span span, std::string message, Notes notes) {
    span = shown_at(span);
    if (!stopped_ && reported_.insert(key(span)).second) {
        diagnostics_.push_back({span, Severity::kWarning, std::move(message), std::move(notes)});
    }
}

void Lowering::stop(Span span, std::string message, Notes notes) {
    if (!stopped_) {
        diagnostics_.push_back({span, Severity::kError, std::move(message), std::move(notes)});
    }
    stopped_ = true;
}

bool Lowering::within_limits(Span span) {
    if (stopped_) {
        return false;
    }
    const Limits& limits = options_.limits;
    if (++steps_ > limits.expression_steps) {
        stop(span,
             fmt::format("the model takes more than {} operations to write out",
                         limits.expression_steps),
             {"a function that calls functions twice doubles at every level: name parts with "
              "'let'"});
    } else if (graph_.size() > limits.graph_nodes) {
        stop(span,
             fmt::format("the model has more than {} distinct expressions", limits.graph_nodes),
             {"shorten the loops or the expressions"});
    }
    return !stopped_;
}

std::string_view Lowering::text(Span span) const {
    return std::string_view(sources_.text(span.file)).substr(span.begin, span.end - span.begin);
}

std::string Lowering::place_text(Span span) const {
    const Sources::Place place = sources_.place(span.file, span.begin);
    return fmt::format("{}:{}:{}", sources_.name(span.file), place.line, place.column);
}

std::string Lowering::declared_note(Span span) const {
    return fmt::format("declared at {}", place_text(span));
}

// The graph holds operands before their users, so one pass over the new nodes is enough.
Dependence Lowering::dependence(sym::Expr e) {
    for (std::size_t i = dependence_.size(); i <= e.id; ++i) {
        const sym::Expr node{static_cast<std::uint32_t>(i)};
        Dependence bits = 0;
        if (graph_.is_symbol(node)) {
            bits = bit(graph_.symbol_kind(node));
        } else {
            sym::for_each_operand(graph_.node(node), [&](sym::Expr operand) {
                bits = static_cast<Dependence>(bits | dependence_[operand.id]);
            });
        }
        dependence_.push_back(bits);
    }
    return dependence_[e.id];
}

Dependence Lowering::dependence(const Value& value) {
    Dependence bits = 0;
    if (value.is_scalar() || value.is_truth() || value.is_vector()) {
        for (int i = 0; i < value.size(); ++i) {
            bits = static_cast<Dependence>(bits |
                                           dependence(value.parts[static_cast<std::size_t>(i)]));
        }
    }
    if (value.is_rotation()) {
        for (const sym::Expr part : value.rotation) {
            bits = static_cast<Dependence>(bits | dependence(part));
        }
    }
    return bits;
}

// Remembers where in the statement a velocity, an acceleration, ... was first written.
void Lowering::note_places(const Value& value, Span span) {
    if (!calls_.empty()) {
        return;
    }
    const Dependence bits = dependence(value);
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if ((bits & (1U << i)) != 0 && !places_[i]) {
            places_[i] = span;
        }
    }
}

Span Lowering::first_place(Dependence kinds, ExprId at) const {
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if ((kinds & (1U << i)) != 0 && places_[i]) {
            return *places_[i];
        }
    }
    return expr(at).span;
}

// `what` reads "a potential"; the first thing it must not depend on is named.
bool Lowering::allow(const Value& value, Dependence allowed, ExprId at, std::string_view what,
                     std::string_view advice) {
    const auto excess = static_cast<Dependence>(dependence(value) & ~allowed & ~kOnParameters);
    if (excess == 0) {
        return true;
    }
    Notes notes;
    std::string_view quantity;
    Dependence kinds = 0;
    if ((excess & kOnAccelerations) != 0) {
        quantity = "accelerations";
        kinds = kOnAccelerations;
        notes.emplace_back("accelerations follow from the equations; they stand only in 'output'");
    } else if ((excess & kOnReactions) != 0) {
        quantity = "reactions";
        kinds = kOnReactions;
        notes.emplace_back(
            "reactions follow from the equations; they stand in 'force', 'nonideal', 'friction' "
            "and "
            "'output'");
    } else if ((excess & kOnVelocities) != 0) {
        quantity = "velocities";
        kinds = kOnVelocities;
    } else if ((excess & kOnPositions) != 0) {
        quantity = "coordinates";
        kinds = kOnPositions;
    } else {
        quantity = "t";
        kinds = kOnTime;
    }
    if (!advice.empty() && kinds != kOnAccelerations && kinds != kOnReactions) {
        notes.emplace_back(advice);
    }
    fail(first_place(kinds, at), fmt::format("{} cannot depend on {}", what, quantity),
         std::move(notes));
    return false;
}

Value Lowering::time_derivative(const Value& value, ExprId at) {
    const Span span = expr(at).span;
    if ((dependence(value) & kOnAccelerations) != 0) {
        return fail(span, "derivatives of accelerations are not available",
                    {"x' is the velocity, x'' the acceleration, and there it ends"});
    }
    if ((dependence(value) & kOnReactions) != 0) {
        return fail(span, "derivatives of reactions are not available");
    }
    Value rate = value;
    for (int i = 0; i < value.size(); ++i) {
        const sym::Expr f = value.parts[static_cast<std::size_t>(i)];
        std::vector<sym::Replacement> seeds;
        std::vector<sym::Expr> moving;
        for (const sym::Expr symbol : sym::symbols_of(graph_, f)) {
            if (const sym::Expr* found = rate_.find(symbol)) {
                seeds.push_back({symbol, *found});
                moving.push_back(symbol);
            }
        }
        if (const auto kink = sym::find_kink(graph_, f, moving)) {
            const std::string_view name = sym::function_name(graph_.node(*kink).op);
            return fail(span,
                        name.empty()
                            ? std::string("a condition that changes with the motion has no "
                                          "time derivative")
                            : fmt::format("'{}' has no time derivative where it bends", name),
                        {"write the derivative of each side yourself, or use a smooth function"});
        }
        rate.parts[static_cast<std::size_t>(i)] = sym::directional(graph_, f, seeds);
    }
    return rate;
}

// The number an expression over parameters has with their present values.
std::optional<double> Lowering::number_of(sym::Expr e) const {
    if (graph_.is_constant(e)) {
        return graph_.constant(e).value;
    }
    for (const sym::Expr symbol : sym::symbols_of(graph_, e)) {
        if (!parameter_values_.contains(symbol)) {
            return std::nullopt;
        }
    }
    return sym::evaluate<double>(graph_, e, parameter_values_);
}

// Remembers where an operation is written that is not a number everywhere.
void Lowering::note_written(sym::Expr e, Span span) {
    const auto is_factor = [&](const sym::Node& node) {
        return node.op == sym::Op::kNeg ||
               (node.op == sym::Op::kMul && graph_.is_constant(sym::Expr{node.a}));
    };
    while (is_factor(graph_.node(e))) {
        const sym::Node& node = graph_.node(e);
        e = sym::Expr{node.op == sym::Op::kNeg ? node.a : node.b};
    }
    switch (graph_.node(e).op) {
        case sym::Op::kDiv:
        case sym::Op::kPow:
        case sym::Op::kExp:
        case sym::Op::kSinh:
        case sym::Op::kCosh:
            break;
        case sym::Op::kLog:
        case sym::Op::kSqrt:
        case sym::Op::kAsin:
        case sym::Op::kAcos:
            if (!graph_.is(e, sym::Fact::kFinite)) {
                break;
            }
            return;
        default:
            return;
    }
    const Span shown = shown_at(span);
    model_.written.push_back({e, shown, key(shown) == key(span)});
}

// "log(L - 2) with L - 2 = -1", of a value over parameters that is not a finite number.
Lowering::Notes Lowering::why_undefined(sym::Expr e, Span span) const {
    const auto value = [&](sym::Expr symbol) {
        const auto found = parameter_values_.find(symbol);
        return found != parameter_values_.end() ? found->second : 0.0;
    };
    const mech::Suspect suspect{e, shown_at(span)};
    std::string text = mech::describe_undefined(model_, &sources_, {&suspect, 1}, value);
    const std::string here = place_text(suspect.span) + ": ";
    if (text.starts_with(here)) {
        text.erase(0, here.size());
    }
    const bool tells_more = text.find(" with ") != std::string::npos;
    return tells_more ? Notes{std::move(text)} : Notes{};
}

void Lowering::mark_structural(sym::Expr e) {
    if (graph_.is_constant(e)) {
        return;
    }
    std::vector<sym::Expr> open = sym::symbols_of(graph_, e);
    while (!open.empty()) {
        const auto found = parameter_index_.find(open.back());
        open.pop_back();
        if (found == parameter_index_.end()) {
            continue;
        }
        mech::Parameter& parameter = model_.parameters[static_cast<std::size_t>(found->second)];
        if (!parameter.structural) {
            parameter.structural = true;
            for (const sym::Expr symbol : sym::symbols_of(graph_, parameter.value)) {
                open.push_back(symbol);
            }
        }
    }
}

}  // namespace ananke::lang
