#include "simulate/event_instant.h"

#include <array>

#include "simulate/text_model.h"

namespace ananke::simulate {
namespace {

/// Equal balls in a row at a wall at x = 0; all touch. An impact exchanges velocities.
constexpr const char* kRow =
    "coordinate x1, x2\n"
    "particle A mass 1 at (x1, 0, 0)\n"
    "particle B mass 1 at (x2, 0, 0)\n"
    "event hit: x2 - x1 = 0 falling { x1' = x2', x2' = x1' }\n"
    "event wall: x1 = 0 falling { x1' = -x1' }\n";

/// Names of the events in the order in which they happen, with what they do.
std::string order_of(std::array<double, 2> v, std::vector<int> due) {
    const std::shared_ptr<compile::Prepared> prepared = testing::prepare_text(kRow);
    dynamics::Evaluator evaluator(prepared->compiled, prepared->parameters);
    EventInstant instant(evaluator);
    const std::array<double, 2> q{0.0, 0.0};
    const std::array<int, 2> sides{1, 1};
    const std::array<double, 2> rounding{1e-14, 1e-14};
    instant.begin(0.0, q.data(), v.data(), due, sides, rounding);
    std::string order;
    while (const std::optional<int> which = instant.next()) {
        order += evaluator.model().events.list[static_cast<std::size_t>(*which)].name + " ";
        if (*which == 0) {
            std::swap(v[0], v[1]);
        } else {
            v[0] = -v[0];
        }
        instant.follow(0.0, q.data(), v.data());
        if (instant.is_endless()) {
            return order + "without end";
        }
    }
    return order;
}

// The outer ball comes in; the wall and the second impact are sent by the first.
TEST(EventInstant, ImpactsAreSentOn) {
    EXPECT_EQ(order_of({0.0, -1.0}, {0}), "hit wall hit ");
}

// Both are due, in the order of the text. After the first impact the inner ball still comes in.
TEST(EventInstant, EventsHappenInTheOrderOfTheText) {
    EXPECT_EQ(order_of({-1.0, -2.0}, {0, 1}), "hit wall hit wall ");
}

// The wall alone is due; the balls separate.
TEST(EventInstant, NothingIsSentWhereValuesDoNotCross) {
    EXPECT_EQ(order_of({-1.0, 3.0}, {1}), "wall ");
}

}  // namespace
}  // namespace ananke::simulate
