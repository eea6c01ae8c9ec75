// A declaration that failed, then every use of its name. Reading never ends by a signal, and a use
// says nothing that it would not say of a sound declaration: one mistake, one report.
#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lang/parse_model.h"

namespace ananke::lang {
namespace {

/// `@` stands for the declared name.
struct Kind {
    std::string sound;
    std::vector<std::string> failing;
};

const std::vector<Kind> kValues{
    {"body @ mass 1 inertia (1, 1, 1)",
     {"body @ mass 1 inertia 1", "body @ mass (1, 2, 3) inertia (1, 1, 1)",
      "body @ mass 1 inertia (", "body @ inertia (1, 1, 1)", "body @ mass nosuch inertia (1, 1, 1)",
      "body @ mass 1 inertia (1, 1, nosuch)", "body @ mass x inertia (1, 1, 1)",
      "body @ mass 1 inertia (-1, 1, 1)", "body @ mass 1 inertia [1, 0; 0, 1]"}},
    {"planar body @ mass 1 inertia 1",
     {"planar body @ mass 1 inertia (1, 1, 1)", "planar body @ mass 1 inertia nosuch",
      "planar body @ mass x' inertia 1", "planar body @ inertia 1"}},
    {"particle @ mass 1 at (x, 0, 0)",
     {"particle @ mass 1 at 3", "particle @ mass 1", "particle @ mass 1 at (nosuch, 0, 0)",
      "particle @ mass 1 at (x', 0, 0)", "particle @ mass 1 at (x, y)"}},
    {"point @ at (x, 0, 0)",
     {"point @ at 3", "point @ on nosuch at (1, 0, 0)", "point @ at (nosuch, 0, 0)",
      "point @ on B at (x, 0, 0)", "point @ on x at (1, 0, 0)", "point @ at"}},
    {"joint @: revolute(ground, B, axis = (0, 0, 1))",
     {"joint @: revolute(ground, axis = (0, 0, 1))", "joint @: nosuch(ground, B)",
      "joint @: revolute(ground, nosuch)", "joint @: revolute(ground, B, axis = 3)",
      "joint @: revolute(B, B)", "joint @: revolute(ground, B, nosuch = 1)",
      "joint @: revolute(ground at 3, B)", "joint @: revolute(ground, B"}},
    {"constraint @: x = 0",
     {"constraint @: x = nosuch", "constraint @: x", "constraint @: (x, 0, 0) = 1",
      "constraint @: x'' = 0", "constraint @: reaction(rail) = 0", "constraint @: B = 0"}},
    {"servo @: x = 0 actuators (force on y)",
     {"servo @: x = nosuch", "servo @: x = 0 actuators (force on nosuch)",
      "servo @: x = 0 actuators (force on P)", "servo @: x = 0 actuators (torque on P)",
      "servo @: x = 0 actuators ("}},
    {"coordinate @",
     {"coordinate @'", "coordinate @.x", "coordinate @[nosuch]", "coordinate @ = 3"}},
    {"speed @ = x'", {"speed @ = nosuch", "speed @ = 3", "speed @ = x''", "speed @ = (1, 2, 3)"}},
    {"let @ = x", {"let @ = nosuch", "let @ = @", "let @ = (1, 2)", "let @ = x'''", "let @ = B"}},
    {"let @ = (x, y, 0)", {"let @ = (x, y, nosuch)", "let @ = (x, y, 0)^2", "let @ = axis(x, y)"}},
    {"parameter @ = 2",
     {"parameter @ = nosuch", "parameter @ = x", "parameter @ = (1, 2, 3)", "parameter @ = 1/0",
      "parameter @ = log(-p)"}},
    {"event @: x = 3 { record }",
     {"event @: x = nosuch { record }", "event @: (x, 0, 0) = 0 { stop }",
      "event @: 1 = 2 { stop }", "event @: x'' = 0 { stop }"}},
};
const std::vector<Kind> kDefinitions{
    {"define @(a) = a*x",
     {"define @(a, a) = a", "define @(a) = a*nosuch", "define @(t) = 1", "define @(a) = @(a)",
      "define @(a) = )"}},
    {"define joint @(A: point, B: point) { constraint c: position(A) = position(B) }",
     {"define joint @(A: point, A: point) { constraint c: position(A) = (0, 0, 0) }",
      "define joint @(A: point, B: point) { gravity (0, 0, -1) }",
      "define joint @(A: point, B: thing) { constraint c: position(A) = 0 }"}},
    {"import \"sound.ank\" as @",
     {"import \"nosuch.ank\" as @", "import \"/sound.ank\" as @", "import \"../sound.ank\" as @",
      "import \"\" as @"}},
    {"for i in 1..2 { coordinate @[i] }",
     {"for i in 1..nosuch { coordinate @[i] }", "for i in 1..x { coordinate @[i] }",
      "for t in 1..2 { coordinate @[1] }", "for x in 1..2 { coordinate @[x] }",
      "for i in 1..2 { import \"sound.ank\" as @ }", "for i in 1..2 { define @(a) = a }"}},
};

const std::vector<std::string> kUses{
    // values
    "output o = @",
    "output o = @'",
    "output o = @''",
    "output o = @.x",
    "output o = @.y'",
    "output o = @[1]",
    "output o = @[1].x",
    "output o = @.angle",
    "output o = @.u0",
    "output o = @.w",
    "output o = @(1)",
    "output o = 2*@ + (if @ > 0 then @ else -@)",
    "output o = (@, 0, 0)",
    "output o = -@^2/@",
    "output o = dot(@, @)",
    "output o = norm(@)",
    "output o = sin(@)",
    "output o = position(@)",
    "output o = velocity(@).x",
    "output o = acceleration(@)",
    "output o = position(@ at (1, 0, 0))",
    "output o = position(@ at @)",
    "output o = omega(@)",
    "output o = axis(@, (1, 0, 0))",
    "output o = (1, 0, 0) in @",
    "output o = fixed(@, (0, 0, 1))",
    "output o = start(@)",
    "output o = reaction(@)",
    "output o = reaction(@.pin)",
    "output o = reaction(@.unit)",
    "output o = rotation(@, 1)",
    "output o = f(@)",
    "let l = @",
    "let l = position(@)",
    "speed u = @",
    "speed u = @'",
    "parameter r = @",
    "define g(a) = a*@",
    "define g(a) = position(@)*a",
    "define g(a) = @(a)",
    // forces
    "torque on @ = (1, 0, 5)",
    "torque on @ = 3",
    "force on @ = (1, 0, 5)",
    "force on @ = 3",
    "force on @ = @",
    "force on @ at (1, 0, 0) = (1, 0, 0)",
    "force on @.x = 1",
    "force on @[1] = 1",
    "force on x = @",
    "nonideal on @ = (1, 0, 0)",
    "nonideal on @ = 1",
    "nonideal on x = @",
    "friction on @: coulomb(mu = 0.3)",
    "friction on @: viscous(c = 1)",
    "friction on @: coulomb(mu = 0.3, radius = 0.1)",
    "friction on @.pin: coulomb(mu = 0.3)",
    "friction on rail: coulomb(mu = @)",
    "friction on rail: coulomb(mu = 1, slip = @')",
    "kinetic @'^2",
    "kinetic @^2*x'^2",
    "potential @*x",
    "mass @ = 1",
    "mass x, @ = [1, 0; 0, 1]",
    "mass x = @",
    "gravity @",
    "gravity (0, 0, -@)",
    // declarations
    "particle q mass @ at (x, 0, 0)",
    "particle q mass 1 at (@, 0, 0)",
    "particle q mass 1 at position(@)",
    "point q at position(@)",
    "point q on @ at (1, 0, 0)",
    "body q mass @ inertia (1, 1, 1)",
    "body q mass 1 inertia (@, 1, 1)",
    "body q mass 1 inertia (1, 1, 1) at @ orientation rotation(@, 1) omega @ in @",
    "planar body q mass @ inertia @ angle @",
    "joint j: revolute(ground, @, axis = (0, 0, 1))",
    "joint j: spherical(ground at (0, 0, 0), @ at (1, 0, 0))",
    "joint j: distance(@, P, length = 1)",
    "joint j: distance(P, B, length = @)",
    "joint j: weld(@, B)",
    "joint j: revolute(B, ground, @)",
    "joint j: @(ground, B)",
    "constraint c: @ = 0",
    "constraint c: @' = 0",
    "constraint c: position(@) = 0",
    "constraint c: norm(velocity(@)) = 1",
    "constraint c: omega(@) = 0",
    "constraint c: @.x = @.y",
    "servo s: x = 1 actuators (force on @)",
    "servo s: x = 1 actuators (force on @ along (1, 0, 0))",
    "servo s: x = 1 actuators (torque on @ about (0, 0, 1))",
    "servo s: @ = sin(t)",
    "event e: @ = 0 { record }",
    "event e: position(@).x = 0 { stop }",
    "event e: x = 0 { @ = 1 }",
    "event e: x = 0 { @' = 1 }",
    "event e: x = 0 { velocity(@) = (1, 0, 0) }",
    "event e: x = 0 { omega(@) = (1, 0, 0) }",
    "event e: x = 0 { x' = @ }",
    // the rest
    "initial @ = 1",
    "initial @' = 1",
    "initial @ ~ 1",
    "initial @.x = 1",
    "initial x = @",
    "gauge G[@] = 2",
    "gauge z[@] = x",
    "gauge alpha = @",
    "view @ sphere 0.1",
    "view @ box (1, 1, 1)",
    "view P sphere @",
    "view line @ to P",
    "view trail @",
    "view hide @",
    "view spring @ at (1, 0, 0) to B",
    "simulate until @",
    "simulate until 1 step at most @",
    "scale @ = 1",
    "scale @' = 2",
    "scale x = @",
    "for k in 1..@ { let z[k] = 1 }",
    "for k in 1..2 { force on @ = 1 }",
    "output o = x[@]",
    "coordinate w[@]",
    // a second declaration of the name
    "body @ mass 1 inertia (1, 1, 1)",
    "coordinate @",
    "let @ = 1",
    "import \"sound.ank\" as @",
};

const char* const kHead =
    "parameter p = 1\ncoordinate x, y\nparticle P mass 1 at (x, y, 0)\n"
    "body B mass 1 inertia (1, 1, 1)\nconstraint rail: y = 0\ndefine f(a) = 2*a\n";

std::string with_name(std::string text, const std::string& name) {
    for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at)) {
        text.replace(at, 1, name);
        at += name.size();
    }
    return text;
}

/// The errors of a text, and those of them that stand behind its first `before` characters.
struct Answer {
    std::multiset<std::string> errors, later;
};

Answer answer(const std::string& text, std::size_t before, const std::string& part) {
    Options options;
    options.read = [&](const std::string& path, const std::string&) -> Result<std::string> {
        return path == "part.ank"    ? Result<std::string>(kHead + part)
               : path == "sound.ank" ? Result<std::string>(std::string("parameter w = 1\n"))
                                     : Error{ErrorCode::kIo, "there is no file " + path};
    };
    Sources sources;
    const ParseResult r = parse_model_text(sources, "m.ank", text, options);
    EXPECT_NE(r.model.has_value(), has_errors(r.diagnostics)) << text;
    EXPECT_EQ(render(r.diagnostics, sources).empty(), r.diagnostics.empty());
    Answer answer;
    for (const Diagnostic& d : r.diagnostics) {
        if (d.severity == Severity::kError) {
            answer.errors.insert(d.message);
            if (sources.name(d.span.file) == "m.ank" && d.span.begin >= before) {
                answer.later.insert(d.message);
            }
        }
    }
    return answer;
}

/// A place for a declaration: how it is written there, and its name from outside.
struct Place {
    std::string name_inside, name_outside;
    std::function<std::string(const std::string&)> wrap;  ///< the text of m.ank before the use
    bool imported;
};

void try_all(const std::vector<Kind>& kinds, const Place& place, std::size_t& tried) {
    for (const Kind& kind : kinds) {
        const auto with = [&](const std::string& declaration, const std::string& use) {
            const std::string inside = with_name(declaration, place.name_inside) + "\n";
            const std::string before = kHead + place.wrap(inside);
            return answer(before + with_name(use, place.name_outside) + "\n", before.size(),
                          place.imported ? inside : "");
        };
        EXPECT_TRUE(with(kind.sound, "").errors.empty())
            << with_name(kind.sound, place.name_inside);
        for (const std::string& use : kUses) {
            const Answer sound = with(kind.sound, use);
            for (const std::string& failing : kind.failing) {
                const Answer failed = with(failing, use);
                ++tried;
                ASSERT_FALSE(failed.errors.empty()) << failing;
                EXPECT_TRUE(std::includes(sound.later.begin(), sound.later.end(),
                                          failed.later.begin(), failed.later.end()))
                    << place.wrap(with_name(failing, place.name_inside)) << "\n"
                    << with_name(use, place.name_outside) << "\n"
                    << *failed.later.begin();
            }
        }
    }
}

TEST(FailedDeclaration, ItsUsesAreReportedAsThoseOfASoundOneOrNotAtAll) {
    const auto as_it_is = [](const std::string& text) { return text; };
    std::size_t tried = 0;
    try_all(kValues, {"b", "b", as_it_is, false}, tried);
    try_all(kDefinitions, {"b", "b", as_it_is, false}, tried);
    EXPECT_GT(tried, 9'000U);
}

TEST(FailedDeclaration, InLoopsJointsAndImportedFilesToo) {
    const auto in_loop = [](const std::string& text) { return "for i in 1..2 {\n" + text + "}\n"; };
    const auto in_joint = [](const std::string& text) {
        return "define joint k(A: point) {\n" + text + "}\njoint outer: k(B)\n";
    };
    const auto in_file = [](const std::string&) { return std::string("import \"part.ank\"\n"); };
    std::size_t tried = 0;
    try_all(kValues, {"b[i]", "b[1]", in_loop, false}, tried);
    try_all(kValues, {"b", "outer.b", in_joint, false}, tried);
    try_all(kValues, {"b", "part.b", in_file, true}, tried);
    EXPECT_GT(tried, 20'000U);
}

// Where nothing else is there to be used, reading comes to its end too.
TEST(FailedDeclaration, WithoutAnythingElseInTheModel) {
    std::size_t refused = 0;
    for (const auto* kinds : {&kValues, &kDefinitions}) {
        for (const Kind& kind : *kinds) {
            for (const std::string& use : kUses) {
                for (const std::string& failing : kind.failing) {
                    const std::string text = with_name(failing + "\n" + use + "\n", "b");
                    refused += answer(text, 0, "").errors.empty() ? 0 : 1;
                }
            }
        }
    }
    EXPECT_GT(refused, 9'000U);
}

}  // namespace
}  // namespace ananke::lang
