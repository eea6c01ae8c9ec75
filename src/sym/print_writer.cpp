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
            text(words_.left_parenthesis);
            opened_.push_back(std::move(piece));
            text(words_.right_parenthesis);
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

Binding Writer::binding(const Piece& piece) const {
    if (is_truth_from_number(piece)) {
        return Binding::kComparison;
    }
    if (is_number_from_truth(piece)) {
        return words_.truth_as_number;
    }
    if (starts_with_minus(piece)) {
        return Binding::kSum;
    }
    switch (node(piece).op) {
        case Op::kConstant:
            return number(graph_.constant(piece.e)).binding;
        case Op::kAdd:
        case Op::kSub:
            return Binding::kSum;
        case Op::kMul:
        case Op::kDiv:
            return Binding::kProduct;
        case Op::kOr:
            return Binding::kOr;
        case Op::kAnd:
            return Binding::kAnd;
        case Op::kNot:
            return Binding::kNot;
        case Op::kLess:
        case Op::kLessEqual:
        case Op::kEqual:
            return Binding::kComparison;
        default:
            return binding_of(piece.e);
    }
}

void Writer::open(const Piece& piece) {
    const Node& n = node(piece);
    if (is_truth_from_number(piece)) {
        value(piece.e, Binding::kSum);
        text(words_.not_zero);
        return;
    }
    if (is_number_from_truth(piece)) {
        open_choice(piece.e, graph_.one(), graph_.zero());
        return;
    }
    if (starts_with_minus(piece)) {
        text("-");
        if (n.op == Op::kNeg) {
            value(Expr{n.a}, Binding::kProduct);
        } else {
            part(Role::kUnsigned, piece.e, Binding::kProduct);
        }
        return;
    }
    switch (n.op) {
        case Op::kConstant:
            text(number(graph_.constant(piece.e)).text);
            return;
        case Op::kSymbol:
            text(name(graph_.symbol_record(piece.e)));
            return;
        case Op::kAdd:
        case Op::kSub:
            sum(piece.e);
            return;
        case Op::kMul:
        case Op::kDiv:
            open_product(piece.e);
            return;
        case Op::kPow:
            open_power(piece.e);
            return;
        case Op::kSelect:
            open_choice(Expr{n.a}, Expr{n.b}, Expr{n.c});
            return;
        default:
            if (is_truth(n.op)) {
                open_truth(n);
            } else {
                open_function(n);
            }
    }
}

void Writer::open_truth(const Node& n) {
    const auto binary = [&](Role role, std::string_view sign, Binding left, Binding right) {
        part(role, Expr{n.a}, left);
        text(sign);
        part(role, Expr{n.b}, right);
    };
    switch (n.op) {
        case Op::kLess:
            binary(Role::kValue, words_.less, Binding::kSum, Binding::kSum);
            break;
        case Op::kLessEqual:
            binary(Role::kValue, words_.less_equal, Binding::kSum, Binding::kSum);
            break;
        case Op::kEqual:
            binary(Role::kValue, words_.equal, Binding::kSum, Binding::kSum);
            break;
        case Op::kAnd:
            binary(Role::kCondition, words_.both, words_.left_of_both, words_.right_of_both);
            break;
        case Op::kOr:
            binary(Role::kCondition, words_.either, words_.left_of_either, words_.right_of_either);
            break;
        default:
            text(words_.negation);
            part(Role::kCondition, Expr{n.a}, words_.negated);
            break;
    }
}

}  // namespace ananke::sym
