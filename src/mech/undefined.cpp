#include "mech/undefined.h"

#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "sym/print.h"
#include "sym/undefined.h"

namespace ananke::mech {
namespace {

/// Longer texts are shown by their ends.
constexpr std::size_t kLongest = 120;
constexpr std::size_t kTail = 30;

bool same(Span a, Span b) {
    return a.file == b.file && a.begin == b.begin && a.end == b.end;
}

bool inside(Span part, Span whole) {
    return part.file == whole.file && part.begin >= whole.begin && part.end <= whole.end;
}

/// No piece of a code point is left at a cut.
std::size_t whole_letters(std::string_view text, std::size_t length) {
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) {
        --length;
    }
    return length;
}

std::string shortened(std::string text) {
    if (text.size() <= kLongest) {
        return text;
    }
    const std::size_t head = whole_letters(text, kLongest - kTail);
    const std::size_t tail = whole_letters(text, text.size() - kTail);
    return text.substr(0, head) + " ... " + text.substr(tail);
}

/// The text in one line.
std::string in_one_line(std::string_view text) {
    std::string line;
    for (const char c : text) {
        const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!blank) {
            line += c;
        } else if (!line.empty() && line.back() != ' ') {
            line += ' ';
        }
    }
    return line;
}

/// All that is written at a place.
std::vector<Expr> written_at(const Model& model, Span span) {
    std::vector<Expr> found;
    if (span.end == 0) {
        return found;
    }
    const auto take = [&](Expr value, Span place) {
        if (same(place, span)) {
            found.push_back(value);
        }
    };
    const auto take_all = [&](const auto& values, Span place) {
        for (const Expr value : values) {
            take(value, place);
        }
    };
    for (const std::vector<EnergyTerm>* terms : {&model.kinetic, &model.potential}) {
        for (const EnergyTerm& term : *terms) {
            take(term.value, term.span);
        }
    }
    for (const MassTerm& term : model.mass) {
        take(term.value, term.span);
    }
    for (const Point& point : model.points) {
        take_all(point.position, point.span);
    }
    for (const Constraint& constraint : model.constraints) {
        take_all(constraint.rows, constraint.span);
    }
    for (const Friction& friction : model.frictions) {
        take_all(friction.slip, friction.span);
        for (const std::optional<Expr>* part :
             {&friction.load, &friction.mu, &friction.mu_static, &friction.speed, &friction.damping,
              &friction.smooth}) {
            if (*part) {
                take(**part, friction.span);
            }
        }
    }
    return found;
}

class Description {
  public:
    Description(const Model& model, const Sources* sources, const SymbolValue& value)
        : model_(model), sources_(sources), value_(value) {}

    /// `whole`: the statement that the expression belongs to.
    std::string of_written(Expr e, Span whole) const {
        const std::optional<sym::Undefined> found = sym::find_undefined(model_.graph, e, value_);
        if (!found || model_.graph.is_symbol(found->e)) {
            return found ? of_symbol(found->e) : "";
        }
        const Written* const written = written_as(found->e, whole);
        const Span span = written != nullptr ? written->span : whole;
        const bool verbatim = written != nullptr && written->verbatim && sources_ != nullptr;
        const std::string text = verbatim
                                     ? in_one_line(std::string_view(sources_->text(span.file))
                                                       .substr(span.begin, span.end - span.begin))
                                     : sym::print_outline(model_.graph, found->e);
        return prefixed("", span, shortened(text) + operands(*found));
    }

    std::string of_derived(Expr e, Span span) const {
        const std::optional<sym::Undefined> found = sym::find_undefined(model_.graph, e, value_);
        if (!found || model_.graph.is_symbol(found->e)) {
            return "";
        }
        return prefixed("derived from ", span,
                        shortened(sym::print_outline(model_.graph, found->e)) + operands(*found));
    }

  private:
    std::string prefixed(const char* before, Span span, const std::string& text) const {
        if (sources_ == nullptr || span.file >= sources_->size() || span.end == 0) {
            return text;
        }
        const Sources::Place place = sources_->place(span.file, span.begin);
        return fmt::format("{}{}:{}:{}: {}", before, sources_->name(span.file), place.line,
                           place.column, text);
    }

    std::string operands(const sym::Undefined& found) const {
        std::string text;
        for (const sym::Operand& operand : found.operands) {
            text += fmt::format("{}{} = {}", text.empty() ? " with " : ", ",
                                shortened(sym::print_outline(model_.graph, operand.e)),
                                to_short_text(operand.value, 9));
        }
        return text;
    }

    /// Where an operation is written: in the statement, else at the first place of all.
    const Written* written_as(Expr e, Span whole) const {
        const Written* first = nullptr;
        for (const Written& one : model_.written) {
            if (one.value != e) {
                continue;
            }
            if (inside(one.span, whole)) {
                return &one;
            }
            first = first != nullptr ? first : &one;
        }
        return first;
    }

    /// What a symbol of a point stands for, if that is not a number.
    std::string of_symbol(Expr symbol) const {
        for (const Point& point : model_.points) {
            for (std::size_t k = 0; k < 3; ++k) {
                if (point.r[k] == symbol && point.position[k] != symbol) {
                    return of_written(point.position[k], point.span);
                }
            }
        }
        return "";
    }

    const Model& model_;
    const Sources* sources_;
    const SymbolValue& value_;
};

}  // namespace

std::string describe_undefined(const Model& model, const Sources* sources,
                               std::span<const Suspect> suspects, const SymbolValue& value) {
    const Description description(model, sources, value);
    for (const Suspect& suspect : suspects) {
        if (!sym::find_undefined(model.graph, suspect.value, value)) {
            continue;
        }
        const bool nowhere = suspect.span.end == 0;
        const std::vector<Expr> written = suspect.derived && !nowhere
                                              ? written_at(model, suspect.span)
                                              : std::vector{suspect.value};
        for (const Expr one : written) {
            if (std::string text = description.of_written(one, suspect.span); !text.empty()) {
                return text;
            }
        }
        std::string text =
            suspect.derived ? description.of_derived(suspect.value, suspect.span) : "";
        if (!text.empty()) {
            return text;
        }
    }
    return "";
}

}  // namespace ananke::mech
