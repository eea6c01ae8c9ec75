#include "simulate/stagnation.h"

#include "simulate/text_model.h"

namespace ananke::simulate {
namespace {

bool stops_dry(const std::string& force) {
    const std::shared_ptr<compile::Prepared> prepared = testing::prepare_text(
        "coordinate x\nparticle P mass 1 at (x, 0, 0)\nforce on x = " + force + "\n");
    dynamics::Evaluator evaluator(prepared->compiled, prepared->parameters);
    const double q = 0.0;
    const double v = 1e-9;
    return is_dry_stop(evaluator, 0.0, &q, &v);
}

// Only a force that keeps its strength down to v = 0 and changes its sign there.
TEST(Stagnation, DryFrictionIsToldFromOtherForces) {
    EXPECT_TRUE(stops_dry("-3*x'/abs(x')"));
    EXPECT_FALSE(stops_dry("-3*x'"));
    EXPECT_FALSE(stops_dry("-3"));
    EXPECT_FALSE(stops_dry("-3*sqrt(abs(x'))*x'/abs(x')"));
}

}  // namespace
}  // namespace ananke::simulate
