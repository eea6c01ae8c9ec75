#include "sym/print.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>

#include <fmt/format.h>

#include "sym/print_form.h"
#include "sym/print_writer.h"
#include "sym/walk.h"

namespace ananke::sym {
namespace {

bool is_plain_word(const std::string& name) {
    return std::ranges::all_of(
        name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

/// How often an operation writes its operands: C has no sign() and writes its argument twice.
int times_written(Op op) {
    return op == Op::kSign ? 2 : 1;
}

/// How long each node is when all of it is written out; as double, since it can be 2^nodes.
NodeMap<double> written_sizes(const Graph& graph, std::span<const Expr> nodes) {
    NodeMap<double> sizes(nodes.size());
    for (Expr e : nodes) {
        double size = 1.0;
        for_each_operand(graph.node(e), [&](Expr operand) { size += sizes.at(operand); });
        sizes[e] = size * times_written(graph.node(e).op);
    }
    return sizes;
}

/// A letter such that no symbol is called letter + digits.
std::string free_prefix(const Graph& graph, std::span<const Expr> nodes) {
    std::string prefix = "s";
    const auto is_taken = [&](Expr e) {
        if (!graph.is_symbol(e)) {
            return false;
        }
        const std::string& name = graph.symbol_record(e).name;
        return name.size() > prefix.size() && name.compare(0, prefix.size(), prefix) == 0 &&
               std::isdigit(static_cast<unsigned char>(name[prefix.size()])) != 0;
    };
    while (std::ranges::any_of(nodes, is_taken)) {
        prefix += "_";
    }
    return prefix;
}

}  // namespace

std::vector<Named> common_subexpressions(const Graph& graph, std::span<const Expr> roots,
                                         int min_uses, std::size_t min_size) {
    const std::vector<Expr> nodes = reachable(graph, roots);
    NodeMap<int> uses(nodes.size());
    for (Expr root : roots) {
        ++uses[root];
    }
    for (auto e = nodes.rbegin(); e != nodes.rend(); ++e) {  // users before operands
        const Op op = graph.node(*e).op;
        // A shared -a gets its name on a.
        const int times = op == Op::kNeg ? uses.at(*e) : times_written(op);
        for_each_operand(graph.node(*e), [&](Expr operand) { uses[operand] += times; });
    }

    const std::string prefix = free_prefix(graph, nodes);
    std::vector<Named> found;
    NodeMap<double> sizes(nodes.size());  // written out with the names found so far
    for (Expr e : nodes) {
        double size = 1.0;
        for_each_operand(graph.node(e), [&](Expr operand) { size += sizes.at(operand); });
        const bool large = size >= static_cast<double>(min_size);
        if (large && uses.at(e) >= min_uses && graph.node(e).op != Op::kNeg) {
            found.push_back({fmt::format("{}{}", prefix, found.size() + 1), e});
            size = 1.0;
        }
        sizes[e] = size;
    }
    return found;
}

Printer::Printer(const Graph& graph, Notation notation, std::span<const Named> names)
    : graph_(graph),
      notation_(notation),
      definitions_(names.begin(), names.end()),
      names_(names.size()) {
    for (Named& named : definitions_) {
        if (notation == Notation::kLatex && is_plain_word(named.name)) {
            named.name = latex_name({SymbolKind::kParameter, named.name});
        }
        names_[named.value] = named.name;
    }
}

std::string Printer::print(Expr e) const {
    return make_writer(graph_, {names_, std::nullopt}, notation_)->write(e);
}

std::string Printer::print_value(Expr e) const {
    return make_writer(graph_, {names_, e}, notation_)->write(e);
}

std::string Printer::print_definitions() const {
    std::string lines;
    for (const Named& named : definitions_) {
        if (graph_.is_symbol(named.value)) {
            continue;
        }
        const std::string value = print_value(named.value);
        switch (notation_) {
            case Notation::kText:
                lines += fmt::format("let {} = {}\n", named.name, value);
                break;
            case Notation::kLatex:
                lines += fmt::format("{} = {} \\\\\n", named.name, value);
                break;
            case Notation::kC:
                lines += fmt::format("const double {} = {};\n", named.name, value);
                break;
        }
    }
    return lines;
}

std::string print_outline(const Graph& graph, Expr e) {
    constexpr std::size_t kMost = 150;  // operations, symbols and numbers
    // From the outside to the inside, each use for itself, until so many are there.
    for (std::size_t most = kMost;; most /= 2) {
        std::vector<Expr> open{e};
        std::size_t next = 0;
        for (; next < open.size() && next < most; ++next) {
            for_each_operand(graph.node(open[next]), [&](Expr part) { open.push_back(part); });
        }
        if (next == open.size()) {
            return Printer(graph).print(e);
        }
        const std::unordered_set<Expr> whole(open.begin(),
                                             open.begin() + static_cast<std::ptrdiff_t>(next));
        std::vector<Named> cut;
        for (; next < open.size(); ++next) {
            if (arity(graph.node(open[next]).op) > 0 && !whole.contains(open[next])) {
                cut.push_back({"...", open[next]});
            }
        }
        // A part that is used inside and outside is written in both places.
        std::vector<Expr> nodes(whole.begin(), whole.end());
        std::ranges::sort(nodes);
        NodeMap<double> sizes(nodes.size());
        for (const Expr node : nodes) {
            double size = 1.0;
            for_each_operand(graph.node(node), [&](Expr part) {
                size += whole.contains(part) ? sizes.at(part) : 1.0;
            });
            sizes[node] = size;
        }
        if (sizes.at(e) <= 2.0 * static_cast<double>(kMost) || most == 1) {
            return Printer(graph, Notation::kText, cut).print(e);
        }
    }
}

double written_size(const Graph& graph, Expr e) {
    return written_sizes(graph, reachable(graph, e)).at(e);
}

std::string print(const Graph& graph, Expr e, Notation notation) {
    constexpr double kLongest = 20'000.0;
    const std::vector<Expr> nodes = reachable(graph, e);
    const double size = written_sizes(graph, nodes).at(e);
    if (size <= kLongest || size <= 2.0 * static_cast<double>(nodes.size())) {
        return Printer(graph, notation).print(e);
    }
    const Printer printer(graph, notation,
                          common_subexpressions(graph, std::span<const Expr>(&e, 1)));
    return printer.print_definitions() + printer.print(e);
}

}  // namespace ananke::sym
