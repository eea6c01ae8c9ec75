#include "compile/compiled_events.h"

#include <algorithm>

#include <fmt/format.h>

#include "sym/print.h"
#include "sym/walk.h"

namespace ananke::compile {

using sym::Expr;

CompiledEvents CompiledEvents::compile(const mech::Model& model, const mech::Equations& equations,
                                       std::span<const Expr> inputs) {
    CompiledEvents compiled;
    std::vector<Expr> values, scales, rates, rate_scales, actions, parameters;
    for (std::size_t k = 0; k < model.events.size(); ++k) {
        const mech::Event& event = model.events[k];
        const mech::EventExpressions& written = equations.events[k];
        One one{event.name, event.crossing, event.stop, event.record, {}, {}, actions.size()};
        one.of_positions =
            !sym::depends_on_kind(model.graph, written.value, sym::SymbolKind::kVelocity);
        one.condition = static_cast<int>(std::find(values.begin(), values.end(), written.value) -
                                         values.begin());
        for (const mech::Event::Reset& reset : event.resets) {
            one.coordinates.push_back(reset.coordinate);
        }
        for (const mech::Event::Change& change : event.changes) {
            one.parameters.push_back(change.parameter);
        }
        compiled.list.push_back(std::move(one));
        values.push_back(written.value);
        scales.push_back(written.magnitude);
        rates.push_back(written.rate);
        rate_scales.push_back(written.rate_magnitude);
        actions.insert(actions.end(), written.resets.begin(), written.resets.end());
        actions.insert(actions.end(), written.changes.begin(), written.changes.end());
    }
    if (compiled.list.empty()) {
        return compiled;
    }
    for (const mech::Parameter& parameter : model.parameters) {
        parameters.push_back(parameter.value);
    }
    compiled.values = code::Kernel(model.graph, inputs, values);
    compiled.scales = code::Kernel(model.graph, inputs, scales);
    compiled.rates = code::Kernel(model.graph, inputs, rates);
    compiled.rate_scales = code::Kernel(model.graph, inputs, rate_scales);
    compiled.actions = code::Kernel(model.graph, inputs, actions);
    compiled.parameters = code::Kernel(model.graph, inputs, parameters);
    return compiled;
}

std::string describe(const mech::Model& model, const mech::Event& event) {
    std::string text = sym::print(model.graph, event.value) + " = 0";
    if (event.crossing != mech::Event::Crossing::kEither) {
        text += event.crossing == mech::Event::Crossing::kRising ? " rising" : " falling";
    }
    std::string actions;
    const auto add = [&actions](const std::string& action) {
        actions += actions.empty() ? action : ", " + action;
    };
    for (const mech::Event::Reset& reset : event.resets) {
        add(fmt::format("{}' = {}",
                        model.coordinates[static_cast<std::size_t>(reset.coordinate)].name,
                        sym::print(model.graph, reset.value)));
    }
    for (const mech::Event::Change& change : event.changes) {
        add(fmt::format("{} = {}",
                        model.parameters[static_cast<std::size_t>(change.parameter)].name,
                        sym::print(model.graph, change.value)));
    }
    if (event.record) {
        add("record");
    }
    if (event.stop) {
        add("stop");
    }
    return fmt::format("{} {{ {} }}", text, actions);
}

}  // namespace ananke::compile
