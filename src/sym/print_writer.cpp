#include "sym/print_writer.h"

namespace ananke::sym {

std::string Writer::write(Expr root) {
    const bool truth = is_truth(graph_.node(root).op);
    stack_.assign(1, {truth ? Role::kCondition : Role::kValue, Binding::kChoice, root, ""});
    std::string result;
    while (!stack_.empty()) {
        Piece piece = std::move(stack_.back());
        stack_.pop_back();
        if (piece.role == Role::kText) {
            result += piece.text;
            continue;
        }
        if (const std::string* name = names_.find(piece.e)) {
            result += *name;
            continue;
        }
        opened_.clear();
        if (binding(piece) < piece.least) {
            piece.least = Binding::kChoice;
            text(left_parenthesis());
            opened_.push_back(std::move(piece));
            text(right_parenthesis());
        } else {
            open(piece);
        }
        stack_.insert(stack_.end(), std::make_move_iterator(opened_.rbegin()),
                      std::make_move_iterator(opened_.rend()));
    }
    return result;
}

void Writer::text(std::string_view words) {
    opened_.push_back({Role::kText, Binding::kAtom, {}, std::string(words)});
}

void Writer::part(Role role, Expr e, Binding least) {
    opened_.push_back({role, least, e, ""});
}

void Writer::joined(const std::vector<Expr>& parts, std::string_view separator, Binding least) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i > 0) {
            text(separator);
        }
        value(parts[i], least);
    }
}

void Writer::sum(Expr e) {
    bool first = true;
    for (const Term& term : terms_of(graph_, names_, e)) {
        if (first) {
            text(term.negative ? "-" : "");
        } else {
            text(term.negative ? " - " : " + ");
        }
        part(term.strip ? Role::kUnsigned : Role::kValue, term.e, Binding::kProduct);
        first = false;
    }
}

Binding Writer::binding_of_truth(Op op) const {
    switch (op) {
        case Op::kOr:
            return Binding::kOr;
        case Op::kAnd:
            return Binding::kAnd;
        case Op::kNot:
            return Binding::kNot;
        default:
            return Binding::kComparison;
    }
}

}  // namespace ananke::sym
