// Views: shapes, lines, trails, colours and the camera of a report.
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "lang/expressions.h"
#include "lang/statements.h"

namespace ananke::lang {
namespace {

using Kind = mech::View::Kind;

struct Colour {
    std::string_view name, code;
};

// Hues that colour-blind readers tell apart (Okabe and Ito), and two greys.
constexpr std::array<Colour, 9> kColours{{
    {"blue", "#0072b2"},
    {"vermilion", "#d55e00"},
    {"green", "#009e73"},
    {"purple", "#cc79a7"},
    {"orange", "#e69f00"},
    {"sky", "#56b4e9"},
    {"yellow", "#f0e442"},
    {"steel", "#8a97a6"},
    {"black", "#333333"},
}};

bool is_code(std::string_view text) {
    return text.size() == 7 && text[0] == '#' &&
           text.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string_view::npos;
}

constexpr std::string_view kAdvice = "shapes do not change";

/// A body, or a particle, a point or a place on a body.
bool view_target(Lowering& in, ExprId id, int& body, int& point) {
    const Value value = evaluate(in, id);
    if (value.bad()) {
        return false;
    }
    if (value.is_body()) {
        body = value.body;
        return true;
    }
    if (value.is_point()) {
        point = value.point;
        return true;
    }
    return in.fail(
        id, fmt::format("a view shows a body, a particle or a point, this is {}", shown(value)),
        {"declare it: point P at (x, y, 0)"});
}

bool view_sizes(Lowering& in, const ViewStatement& node, mech::View& view) {
    bool good = true;
    const auto positive = [&](sym::Expr e, ExprId at, std::string_view what) {
        const std::optional<double> number = in.symbols.number_of(e);
        if (number && !(*number > 0.0)) {
            good = in.fail(at, fmt::format("{} is positive, this is {:.6g}", what, *number));
        }
    };
    const auto scalar = [&](ExprId id, std::string_view what, std::optional<sym::Expr>& out) {
        if (id != kNoExpr) {
            out = scalar_over(in, id, {what, 0, kAdvice});
            good = good && out;
        }
        if (out) {
            positive(*out, id, what);
        }
    };
    const auto vector = [&](ExprId id, std::string_view what, std::optional<mech::Vec3>& out) {
        if (id != kNoExpr) {
            out = vector_over(in, id, {what, 0, kAdvice});
            good = good && out;
        }
    };
    if (node.kind == Kind::kBox) {
        vector(node.size, "the size of a box", view.size);
        for (std::size_t k = 0; good && view.size && k < 3; ++k) {
            positive((*view.size)[k], node.size, "every side of a box");
        }
    } else {
        scalar(node.size, "a radius", view.radius);
    }
    scalar(node.length, "a length", view.length);
    vector(node.axis, "the axis of a cylinder", view.axis);
    vector(node.at, "the place of a shape", view.at);
    return good;
}

bool view_camera(Lowering& in, const Statement& statement, const ViewStatement& node,
                 mech::View& view) {
    if (in.scope.is_imported()) {
        return false;  // an imported file has a camera of its own
    }
    for (const mech::View& other : in.model.views) {
        if (other.kind == mech::View::Kind::kCamera) {
            return in.fail(statement.span, "a model has one camera",
                           {in.reports.declared_note(other.span)});
        }
    }
    const std::string_view what = "the place of a camera";
    const Value from = vector_of(in, node.at, what);
    const Value to = vector_of(in, node.axis, "what a camera looks at");
    if (from.bad() || to.bad() || !allow(in, from, 0, node.at, what) ||
        !allow(in, to, 0, node.axis, "what a camera looks at")) {
        return false;
    }
    view.at = from.parts;
    view.axis = to.parts;
    return true;
}

bool view_colour(Lowering& in, const ViewStatement& node, mech::View& view) {
    if (node.colour_span.end == node.colour_span.begin) {
        return true;
    }
    if (is_code(node.colour)) {
        view.colour = node.colour;
        return true;
    }
    std::vector<std::string> names;
    for (const Colour& colour : kColours) {
        if (colour.name == node.colour) {
            view.colour = colour.code;
            return true;
        }
        names.emplace_back(colour.name);
    }
    return in.fail(
        node.colour_span, fmt::format("unknown colour '{}'", node.colour),
        {suggestion(node.colour, names,
                    fmt::format("the colours are {} and \"#rrggbb\"", join_names(names)))});
}

}  // namespace

void lower(Lowering& in, const Statement& statement, const ViewStatement& node) {
    mech::View view;
    view.kind = node.kind;
    view.span = statement.span;
    bool good = view_colour(in, node, view);
    if (node.kind == Kind::kCamera) {
        good = view_camera(in, statement, node, view) && good;
    } else {
        good = view_target(in, node.target, view.body, view.point) && good;
        if (node.other != kNoExpr) {
            good = view_target(in, node.other, view.other_body, view.other_point) && good;
        }
        good = view_sizes(in, node, view) && good;
        if (good && view.point >= 0 && (view.size || view.length)) {
            good = in.fail(node.target, "a particle or a point is drawn as a sphere",
                           {"write: view P sphere 0.1; boxes and cylinders belong to bodies"});
        }
    }
    if (good) {
        in.model.views.push_back(std::move(view));
    }
}

}  // namespace ananke::lang
