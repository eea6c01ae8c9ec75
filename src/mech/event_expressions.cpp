#include "mech/event_expressions.h"

#include "sym/walk.h"

namespace ananke::mech {

std::vector<EventExpressions> event_expressions(Model& model, const TimeFlow& flow,
                                                const PointTable& points) {
    sym::Graph& graph = model.graph;
    std::vector<EventExpressions> events;
    for (const Event& event : model.events) {
        EventExpressions& written = events.emplace_back();
        written.value = points.replace(graph, event.value);
        written.magnitude = sym::magnitude(graph, written.value);
        written.rate = flow.total(graph, written.value);
        written.rate_magnitude = sym::magnitude(graph, written.rate);
        for (const Event::Reset& reset : event.resets) {
            written.resets.push_back(points.replace(graph, reset.value));
        }
        for (const Event::Change& change : event.changes) {
            written.changes.push_back(points.replace(graph, change.value));
        }
    }
    return events;
}

}  // namespace ananke::mech
