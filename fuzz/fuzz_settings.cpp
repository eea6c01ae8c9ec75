// The options of a command line on models that are sound. An input is the name of a model of
// kModels in the first line (any other: the first of them) and an option with its value in each of
// the others, as `--set L=2`. What the program reads as a number is read here as one: anything but
// a number is refused before the library sees it.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bounds.h"

namespace ananke::fuzz {
namespace {

struct NamedModel {
    std::string_view name, text;
};

/// One of each kind of part that an option can name.
constexpr NamedModel kModels[] = {
    {"pendulum", R"(
        parameter  m = 1, g = 9.81, L = 1
        coordinate x, y
        particle   bob mass m at (x, y, 0)
        gravity    (0, -g, 0)
        constraint rod: x^2 + y^2 = L^2
        initial    x = 0.6*L, y ~ -0.8*L
        output     angle = atan2(x, -y)/deg
        simulate   until 2 every 0.1)"},
    {"chain", R"(
        parameter N = 3, k = 100
        for i in 1..N { coordinate x[i] }
        for i in 1..N { kinetic x[i]'^2/2 }
        for i in 2..N { potential k*(x[i] - x[i-1])^2/2 }
        for i in 2..N { constraint c[i]: x[i] - x[1] = 0.1*i }
        initial x[1] = 0
        simulate until 1 every 0.1 step at most 0.5)"},
    {"redundant", R"(
        coordinate x, y, z
        kinetic (x'^2 + y'^2)/2
        constraint a: x = y
        constraint b: 2*x = 2*y
        constraint c: z = x
        initial x' = 1
        simulate until 1)"},
    {"skate", R"(
        coordinate x, y, phi
        kinetic (x'^2 + y'^2 + phi'^2)/2
        constraint blade: x'*sin(phi) = y'*cos(phi)
        force on x = -0.1*x'
        nonideal on y = -0.1*y'
        initial phi' = 1, x' = 1
        simulate until 1)"},
    {"body", R"(
        body link mass 1 inertia (1, 2, 3)
        joint hinge: revolute(ground, link at (0, 0, 1), axis = (1, 0, 0))
        friction on hinge: coulomb(mu = 0.2, radius = 0.1)
        gravity (0, 0, -9.81)
        initial link.u0 ~ 1
        event low: position(link).z = -0.9 { record }
        simulate until 0.2)"},
    {"cart", R"(
        parameter F = 2
        coordinate x, angle
        kinetic x'^2 + x'*angle'*cos(angle) + angle'^2/2
        potential 9.81*cos(angle)
        servo hold: angle = 0.1 actuators (force on x)
        event edge: x = 1 { x' = -x' }
        initial angle = 0.1
        simulate until 1 stiff)"},
};

struct Settings {
    LoadOptions load;
    std::map<std::string, std::string, std::less<>> times;  ///< --until, --every, --max-step
    RunOptions run;
    DeriveOptions derive;
    std::vector<std::string> kept, plotted;
};

template <class Number>
void read_number(std::string_view text, Number& number) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) {
        number = value;
    }
}

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        parts.emplace_back(text.substr(0, comma));
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return parts;
}

Drift drift_named(std::string_view name) {
    return name == "energy"      ? Drift::kEnergy
           : name == "baumgarte" ? Drift::kBaumgarte
           : name == "none"      ? Drift::kNone
                                 : Drift::kProject;
}

using Option = void (*)(Settings&, std::string_view value);

const std::map<std::string_view, Option> kOptions{
    {"--set", [](Settings& s, std::string_view v) { s.load.settings.emplace_back(v); }},
    {"--scale", [](Settings& s, std::string_view v) { s.load.scales.emplace_back(v); }},
    {"--without", [](Settings& s, std::string_view v) { s.load.without.emplace_back(v); }},
    {"--until", [](Settings& s, std::string_view v) { s.times["--until"] = v; }},
    {"--every", [](Settings& s, std::string_view v) { s.times["--every"] = v; }},
    {"--max-step", [](Settings& s, std::string_view v) { s.times["--max-step"] = v; }},
    {"--at",
     [](Settings& s, std::string_view v) {
         for (const std::string& part : split(v)) {
             read_number(part, s.run.at.emplace_back());
         }
     }},
    {"--tolerance", [](Settings& s, std::string_view v) { read_number(v, s.run.tolerance); }},
    {"--stiff", [](Settings& s, std::string_view) { s.run.stiff = true; }},
    {"--form",
     [](Settings& s, std::string_view v) {
         s.run.form = s.derive.form = parse_form(v).value_or(Form::kAuto);
     }},
    {"--drift", [](Settings& s, std::string_view v) { s.run.drift = drift_named(v); }},
    {"--baumgarte-rate",
     [](Settings& s, std::string_view v) {
         double rate = 0.0;
         read_number(v, rate);
         s.run.baumgarte_rate = rate > 0.0 && rate < HUGE_VAL ? rate : s.run.baumgarte_rate;
     }},
    {"--max-steps",
     [](Settings& s, std::string_view v) {
         read_number(v, s.run.max_steps);
         s.run.max_steps = std::max<std::size_t>(1, s.run.max_steps);
     }},
    {"--principle", [](Settings& s, std::string_view) { s.run.principle = true; }},
    {"--only", [](Settings& s, std::string_view v) { s.kept = split(v); }},
    {"--plot", [](Settings& s, std::string_view v) { s.plotted = split(v); }},
    {"--as",
     [](Settings& s, std::string_view v) {
         s.derive.notation = v == "latex" ? Notation::kLatex
                             : v == "c"   ? Notation::kC
                                          : Notation::kText;
     }},
    {"--full", [](Settings& s, std::string_view) { s.derive.full = true; }},
    {"--independent", [](Settings& s, std::string_view v) { s.derive.independent = split(v); }},
    {"--evidence", [](Settings& s, std::string_view v) { s.derive.evidence = split(v); }},
};

/// What stands before the first `end`, which is taken off `text` with it.
std::string_view take(std::string_view& text, char end) {
    const std::size_t at = std::min(text.find(end), text.size());
    const std::string_view part = text.substr(0, at);
    text.remove_prefix(std::min(at + 1, text.size()));
    return part;
}

/// Of the times that are expressions; false where one of them is refused.
bool read_times(const Model& model, Settings& settings) {
    for (const auto& [option, expression] : settings.times) {
        const Result<double> value = model.value_of(option, expression);
        if (!value) {
            return false;
        }
        (option == "--until"   ? settings.run.until
         : option == "--every" ? settings.run.every
                               : settings.run.max_step) = value.value();
    }
    return true;
}

void use(std::string_view input) {
    const std::string_view name = take(input, '\n');
    const auto* named = std::find_if(std::begin(kModels), std::end(kModels),
                                     [&](const NamedModel& model) { return model.name == name; });
    const NamedModel& chosen = named == std::end(kModels) ? kModels[0] : *named;
    Settings settings;
    while (!input.empty()) {
        std::string_view value = take(input, '\n');
        const std::string_view option = take(value, ' ');
        if (const auto known = kOptions.find(option); known != kOptions.end()) {
            known->second(settings, value);
        }
    }
    const Loaded loaded = load_model_text(std::string(chosen.name), std::string(chosen.text),
                                          settings.load, bounds());
    static_cast<void>(loaded.report());
    if (!loaded.model || !is_small(*loaded.model, kMostUnknowns)) {
        return;
    }
    if (is_small(*loaded.model, kMostWritten)) {
        static_cast<void>(derive(*loaded.model, settings.derive));
    }
    if (read_times(*loaded.model, settings)) {
        run_and_show(*loaded.model, settings.run, settings.kept, settings.plotted);
    }
}

}  // namespace
}  // namespace ananke::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size <= ananke::fuzz::kMostBytes) {
        ananke::fuzz::use({reinterpret_cast<const char*>(data), size});
    }
    return 0;
}
