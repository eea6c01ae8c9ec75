// Names of symbols in the three notations.
#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "base/ranges.h"
#include "sym/print.h"

namespace ananke::sym {
namespace {

struct GreekLetter {
    std::string_view letter;
    std::string_view name;
    std::string_view latex;  ///< capitals that look Latin have no command
};

constexpr std::array kGreek{
    GreekLetter{"α", "alpha", "\\alpha"},
    GreekLetter{"β", "beta", "\\beta"},
    GreekLetter{"γ", "gamma", "\\gamma"},
    GreekLetter{"δ", "delta", "\\delta"},
    GreekLetter{"ε", "epsilon", "\\epsilon"},
    GreekLetter{"ζ", "zeta", "\\zeta"},
    GreekLetter{"η", "eta", "\\eta"},
    GreekLetter{"θ", "theta", "\\theta"},
    GreekLetter{"ι", "iota", "\\iota"},
    GreekLetter{"κ", "kappa", "\\kappa"},
    GreekLetter{"λ", "lambda", "\\lambda"},
    GreekLetter{"μ", "mu", "\\mu"},
    GreekLetter{"ν", "nu", "\\nu"},
    GreekLetter{"ξ", "xi", "\\xi"},
    GreekLetter{"ο", "omicron", "o"},
    GreekLetter{"π", "pi", "\\pi"},
    GreekLetter{"ρ", "rho", "\\rho"},
    GreekLetter{"σ", "sigma", "\\sigma"},
    GreekLetter{"τ", "tau", "\\tau"},
    GreekLetter{"υ", "upsilon", "\\upsilon"},
    GreekLetter{"φ", "phi", "\\phi"},
    GreekLetter{"χ", "chi", "\\chi"},
    GreekLetter{"ψ", "psi", "\\psi"},
    GreekLetter{"ω", "omega", "\\omega"},
    GreekLetter{"Α", "Alpha", "A"},
    GreekLetter{"Β", "Beta", "B"},
    GreekLetter{"Γ", "Gamma", "\\Gamma"},
    GreekLetter{"Δ", "Delta", "\\Delta"},
    GreekLetter{"Ε", "Epsilon", "E"},
    GreekLetter{"Ζ", "Zeta", "Z"},
    GreekLetter{"Η", "Eta", "H"},
    GreekLetter{"Θ", "Theta", "\\Theta"},
    GreekLetter{"Ι", "Iota", "I"},
    GreekLetter{"Κ", "Kappa", "K"},
    GreekLetter{"Λ", "Lambda", "\\Lambda"},
    GreekLetter{"Μ", "Mu", "M"},
    GreekLetter{"Ν", "Nu", "N"},
    GreekLetter{"Ξ", "Xi", "\\Xi"},
    GreekLetter{"Ο", "Omicron", "O"},
    GreekLetter{"Π", "Pi", "\\Pi"},
    GreekLetter{"Ρ", "Rho", "P"},
    GreekLetter{"Σ", "Sigma", "\\Sigma"},
    GreekLetter{"Τ", "Tau", "T"},
    GreekLetter{"Υ", "Upsilon", "\\Upsilon"},
    GreekLetter{"Φ", "Phi", "\\Phi"},
    GreekLetter{"Χ", "Chi", "X"},
    GreekLetter{"Ψ", "Psi", "\\Psi"},
    GreekLetter{"Ω", "Omega", "\\Omega"},
    GreekLetter{"ϕ", "phi", "\\phi"},
    GreekLetter{"ϑ", "theta", "\\vartheta"},
    GreekLetter{"ϵ", "epsilon", "\\epsilon"},
    GreekLetter{"ς", "sigma", "\\varsigma"},
    GreekLetter{"µ", "mu", "\\mu"},  // the micro sign of the keyboard
};

/// A name without primes, and how often it is differentiated by time.
struct Stem {
    std::string name;
    int order;
};

Stem stem_of(const Symbol& symbol) {
    std::string name = symbol.name;
    int primes = 0;
    while (!name.empty() && name.back() == '\'') {
        name.pop_back();
        ++primes;
    }
    int order = 0;
    if (symbol.kind == SymbolKind::kVelocity || symbol.kind == SymbolKind::kPointVelocity) {
        order = 1;
    } else if (symbol.kind == SymbolKind::kAcceleration ||
               symbol.kind == SymbolKind::kPointAcceleration) {
        order = 2;
    }
    return {std::move(name), std::max(order, primes)};
}

bool is_point(SymbolKind kind) {
    return kind == SymbolKind::kPointPosition || kind == SymbolKind::kPointVelocity ||
           kind == SymbolKind::kPointAcceleration;
}

/// P.x as its point and its component: the last dot divides them.
struct PointComponent {
    std::string point;
    std::string component;  ///< "" if there is none
};

PointComponent split_point(const std::string& name) {
    const std::size_t dot = name.rfind('.');
    return dot == std::string::npos ? PointComponent{name, ""}
                                    : PointComponent{name.substr(0, dot), name.substr(dot + 1)};
}

/// Bytes of the UTF-8 character that starts at `at`.
std::size_t character_length(std::string_view text, std::size_t at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const std::size_t length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    return std::min(length, text.size() - at);
}

const GreekLetter* find_letter(std::string_view letter) {
    const auto* found =
        std::ranges::find_if(kGreek, [&](const GreekLetter& g) { return g.letter == letter; });
    return found == kGreek.end() ? nullptr : found;
}

const GreekLetter* find_name(std::string_view name) {
    const auto* found =
        std::ranges::find_if(kGreek, [&](const GreekLetter& g) { return g.name == name; });
    return found == kGreek.end() ? nullptr : found;
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// What is called by an expression: a place on a body, "arm at (-L/2, 0, 0)".
bool is_expression(std::string_view name) {
    return name.find(' ') != std::string_view::npos;
}

/// Any text as it is.
std::string latex_text(std::string_view name) {
    std::string text;
    for (const char c : name) {
        if (c == '\\' || c == '~' || c == '^') {
            text += c == '\\' ? "\\textbackslash{}" : fmt::format("\\{}{{}}", c);
        } else {
            text += std::string_view("_&%$#{}").find(c) != std::string_view::npos ? "\\" : "";
            text += c;
        }
    }
    return fmt::format("\\text{{{}}}", text);
}

/// One word as mathematics: theta and θ as commands, one letter as it is, Δx as \Delta x.
std::string latex_word(std::string_view word) {
    if (is_expression(word)) {
        return latex_text(word);
    }
    if (const GreekLetter* greek = find_name(word)) {
        return std::string(greek->latex);
    }
    std::string letters;
    std::size_t count = 0;
    bool has_greek = false;
    for (std::size_t i = 0; i < word.size(); ++count) {
        const std::size_t length = character_length(word, i);
        const GreekLetter* greek = find_letter(word.substr(i, length));
        if (has_greek && !letters.empty()) {
            letters += ' ';
        }
        letters += greek != nullptr ? greek->latex : word.substr(i, length);
        has_greek = has_greek || greek != nullptr;
        i += length;
    }
    if (count <= 1 || has_greek || std::ranges::all_of(word, is_digit)) {
        return letters;
    }
    std::string escaped;  // an index of an index keeps its underscores: rear\_hub
    for (const char c : word) {
        escaped += c == '_' ? "\\_" : std::string(1, c);
    }
    return fmt::format("\\mathrm{{{}}}", escaped);
}

/// A name as a head and its indices: x12, x[1][2], k_spring.
struct Parts {
    std::string head;
    std::vector<std::string> indices;
};

Parts split_indices(std::string_view name) {
    if (is_expression(name)) {
        return {std::string(name), {}};
    }
    std::vector<std::string> words(1);
    for (char c : name) {
        if (c == '[' || c == '_' || c == ',') {
            words.emplace_back();
        } else if (c != ']' && c != ' ') {
            words.back() += c;
        }
    }
    std::erase(words, "");
    if (words.empty()) {
        return {std::string(name), {}};
    }
    Parts parts{words.front(), {words.begin() + 1, words.end()}};
    std::size_t digits = parts.head.size();
    while (digits > 1 && is_digit(parts.head[digits - 1])) {
        --digits;
    }
    if (digits < parts.head.size()) {
        parts.indices.insert(parts.indices.begin(), parts.head.substr(digits));
        parts.head.resize(digits);
    }
    return parts;
}

std::string latex_parts(const Parts& parts, int order) {
    std::string text = latex_word(parts.head);
    if (order > 0) {
        text = fmt::format("\\{}ot{{{}}}", std::string(static_cast<std::size_t>(order), 'd'), text);
    }
    if (!parts.indices.empty()) {
        std::string indices;
        for (const std::string& index : parts.indices) {
            indices += (indices.empty() ? "" : ",") + latex_word(index);
        }
        text += fmt::format("_{{{}}}", indices);
    }
    return text;
}

/// Words that an identifier in generated code must not be.
constexpr std::array<std::string_view, 66> kWordsOfC{
    "auto",   "break",    "case",   "char",   "const",    "continue", "default",  "do",
    "double", "else",     "enum",   "extern", "float",    "for",      "goto",     "if",
    "inline", "int",      "long",   "main",   "register", "restrict", "return",   "short",
    "signed", "sizeof",   "static", "struct", "switch",   "typedef",  "union",    "unsigned",
    "void",   "volatile", "while",  "sin",    "cos",      "tan",      "asin",     "acos",
    "atan",   "atan2",    "sinh",   "cosh",   "tanh",     "exp",      "log",      "sqrt",
    "fabs",   "fmin",     "fmax",   "pow",    "NAN",      "INFINITY", "bool",     "true",
    "false",  "class",    "new",    "this",   "template", "private",  "operator", "and",
    "or",     "not"};

}  // namespace

std::string text_name(const Symbol& symbol) {
    const Stem stem = stem_of(symbol);
    if (is_point(symbol.kind) && stem.name.find('(') == std::string::npos) {
        constexpr std::array<std::string_view, 3> kFunctions{"position", "velocity",
                                                             "acceleration"};
        const PointComponent p = split_point(stem.name);
        const std::string_view function = kFunctions.at(static_cast<std::size_t>(stem.order));
        return p.component.empty() ? fmt::format("{}({})", function, p.point)
                                   : fmt::format("{}({}).{}", function, p.point, p.component);
    }
    if (is_point(symbol.kind)) {
        return symbol.name;
    }
    return stem.name + std::string(static_cast<std::size_t>(stem.order), '\'');
}

std::string c_name(const Symbol& symbol) {
    const Stem stem = stem_of(symbol);
    std::string name;
    for (std::size_t i = 0; i < stem.name.size();) {
        const std::size_t length = character_length(stem.name, i);
        const std::string_view character = std::string_view(stem.name).substr(i, length);
        if (const GreekLetter* greek = find_letter(character)) {
            name += greek->name;
        } else if (length > 1) {
            for (char byte : character) {
                name += fmt::format("u{:02x}", static_cast<unsigned char>(byte));
            }
        } else if (std::isalnum(static_cast<unsigned char>(character[0])) != 0) {
            name += character;
        } else if (character[0] == '_' ||
                   (!name.empty() && name.back() != '_' && i + 1 < stem.name.size())) {
            name += '_';
        }
        i += length;
    }
    if (stem.order > 0) {
        name += stem.order == 1 ? "_dot" : "_ddot";
    }
    const bool taken = contains(kWordsOfC, name);
    const bool starts_well = !name.empty() && !is_digit(name.front());
    return (starts_well ? "" : "_") + name + (taken ? "_" : "");
}

std::string latex_name(const Symbol& symbol) {
    const Stem stem = stem_of(symbol);
    if (is_point(symbol.kind)) {
        constexpr std::array<std::string_view, 3> kHeads{"r", "v", "a"};
        const PointComponent p = split_point(stem.name);
        const Parts point = split_indices(p.point);
        Parts parts{std::string(kHeads.at(static_cast<std::size_t>(stem.order))), {point.head}};
        append(parts.indices, point.indices);
        if (!p.component.empty()) {
            parts.indices.push_back(p.component);
        }
        return latex_parts(parts, 0);
    }
    if (is_expression(stem.name)) {
        return latex_text(stem.name);
    }
    const PointComponent path = split_point(stem.name);
    if (path.component.empty()) {
        return latex_parts(split_indices(path.point), stem.order);
    }
    // B.x is the x that belongs to B.
    Parts parts = split_indices(path.component);
    parts.indices.push_back(path.point);
    return latex_parts(parts, stem.order);
}

}  // namespace ananke::sym
