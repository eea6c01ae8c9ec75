// The same motion in two descriptions: redundant coordinates against minimal ones, a velocity
// constraint against its integral, at random parameters and starts.
#include <functional>

#include "pipeline.h"

namespace ananke::pipeline {
namespace {

constexpr int kDraws = 20;

/// A number by the name of a parameter, coordinate or velocity of the minimal model.
using Lookup = std::function<double(const std::string&)>;

struct Image {
    std::string name;                           ///< coordinate of the redundant model
    std::string column;                         ///< of the minimal model
    std::function<double(const Lookup&)> rate;  ///< its velocity at t = 0
};

struct Twins {
    std::string redundant, minimal;
    std::vector<std::string> parameters;  ///< of both
    std::vector<std::string> starts;      ///< coordinates of the minimal model
    std::vector<Image> images;
};

double number(const compile::Prepared& prepared, const dynamics::StartState& start,
              const std::string& name) {
    for (std::size_t i = 0; i < prepared.parameters.size(); ++i) {
        if (prepared.model.parameters[i].name == name) {
            return prepared.parameters[i];
        }
    }
    for (std::size_t i = 0; i < start.q.size(); ++i) {
        const std::string& coordinate = prepared.model.coordinates[i].name;
        if (coordinate == name) {
            return start.q[i];
        }
        if (coordinate + "'" == name) {
            return start.v[i];
        }
    }
    ADD_FAILURE() << "no " << name;
    return std::nan("");
}

std::vector<std::string> random_settings(const Twins& twins, std::mt19937& random) {
    std::uniform_real_distribution<double> factor(0.7, 1.4);
    const Loaded plain = load_model(twins.minimal);
    std::vector<std::string> settings;
    for (const std::string& name : twins.parameters) {
        settings.push_back(setting(name, number(*plain.prepared, {}, name) * factor(random)));
    }
    return settings;
}

void compare_draw(const Twins& twins, std::mt19937& random) {
    const std::vector<std::string> parameters = random_settings(twins, random);
    std::vector<std::string> minimal_settings = parameters;
    std::uniform_real_distribution<double> value(0.3, 1.2);
    for (const std::string& name : twins.starts) {
        minimal_settings.push_back(setting(name, value(random)));
        minimal_settings.push_back(setting(name + "'", value(random) - 0.75));
    }
    const Loaded minimal = load_model(twins.minimal, minimal_settings);
    ASSERT_TRUE(minimal.prepared) << minimal.messages;
    dynamics::Evaluator evaluator(minimal.prepared->compiled, minimal.prepared->parameters);
    const Result<dynamics::StartState> start =
        dynamics::assemble(evaluator, minimal.prepared->initial);
    ASSERT_TRUE(start) << start.error().message;
    const Settings times{.times = even_times(1.0, 10)};
    const Recording expected = run_from(*minimal.prepared, start.value(), times);
    ASSERT_FALSE(expected.error) << expected.error->message;

    const Lookup lookup = [&](const std::string& name) {
        return number(*minimal.prepared, start.value(), name);
    };
    std::vector<std::string> redundant_settings = parameters;
    for (const Image& image : twins.images) {
        redundant_settings.push_back(setting(image.name, expected.at(0, image.column)));
        redundant_settings.push_back(setting(image.name + "'", image.rate(lookup)));
    }
    const Loaded redundant = load_model(twins.redundant, redundant_settings);
    ASSERT_TRUE(redundant.prepared) << redundant.messages;
    const Recording run = run_model(*redundant.prepared, times);
    ASSERT_FALSE(run.error) << run.error->message;
    for (std::size_t i = 0; i < run.rows.rows(); ++i) {
        for (const Image& image : twins.images) {
            EXPECT_LT(scaled_error(run.at(i, image.name), expected.at(i, image.column)), 1e-9)
                << image.name << " at t = " << run.rows.row(i)[0];
        }
        EXPECT_LT(scaled_error(run.at(i, "kinetic"), expected.at(i, "kinetic")), 1e-8);
    }
}

void compare(const Twins& twins) {
    SCOPED_TRACE(twins.redundant);
    std::mt19937 random(31);
    for (int draw = 0; draw < kDraws && !testing::Test::HasFailure(); ++draw) {
        SCOPED_TRACE(draw);
        compare_draw(twins, random);
    }
}

/// Velocity of the end of a chain of links (x to the side, z up) with angles from the downward
/// vertical: x' = sum L cos(theta) theta', z' = sum L sin(theta) theta'.
double chain_rate(const Lookup& at, int links, bool vertical) {
    double sum = 0.0;
    for (int i = 1; i <= links; ++i) {
        const std::string k = std::to_string(i);
        const double theta = at("theta" + k);
        sum += at("L" + k) * (vertical ? std::sin(theta) : std::cos(theta)) * at("theta" + k + "'");
    }
    return sum;
}

std::vector<Image> chain_images(int links) {
    std::vector<Image> images;
    for (int i = 1; i <= links; ++i) {
        const std::string k = std::to_string(i);
        images.push_back(
            {"x" + k, "P" + k + "x", [i](const Lookup& at) { return chain_rate(at, i, false); }});
        images.push_back(
            {"z" + k, "P" + k + "z", [i](const Lookup& at) { return chain_rate(at, i, true); }});
    }
    return images;
}

TEST(Twins, Pendulums) {
    compare({"double_pendulum",
             "double_pendulum_minimal",
             {"m1", "m2", "L1", "L2", "g"},
             {"theta1", "theta2"},
             chain_images(2)});
    compare({"triple_pendulum",
             "triple_pendulum_minimal",
             {"m1", "m2", "m3", "L1", "L2", "L3", "g"},
             {"theta1", "theta2", "theta3"},
             chain_images(3)});
}

TEST(Twins, SphericalPendulum) {
    const auto x = [](const Lookup& at) {
        return at("L") * (std::cos(at("theta")) * std::cos(at("phi")) * at("theta'") -
                          std::sin(at("theta")) * std::sin(at("phi")) * at("phi'"));
    };
    const auto y = [](const Lookup& at) {
        return at("L") * (std::cos(at("theta")) * std::sin(at("phi")) * at("theta'") +
                          std::sin(at("theta")) * std::cos(at("phi")) * at("phi'"));
    };
    const auto z = [](const Lookup& at) { return at("L") * std::sin(at("theta")) * at("theta'"); };
    compare({"spherical_pendulum",
             "spherical_pendulum_minimal",
             {"m", "g", "L"},
             {"theta", "phi"},
             {{"x", "Px", x}, {"y", "Py", y}, {"z", "Pz", z}}});
}

TEST(Twins, Ellipse) {
    const auto x = [](const Lookup& at) { return -at("a") * std::sin(at("p")) * at("p'"); };
    const auto z = [](const Lookup& at) { return at("b") * std::cos(at("p")) * at("p'"); };
    compare({"ellipse",
             "ellipse_minimal",
             {"m", "g", "a", "b"},
             {"p"},
             {{"x", "Px", x}, {"z", "Pz", z}}});
}

TEST(Twins, MovingSupport) {
    const auto x = [](const Lookup& at) {
        return at("s") * at("w") + at("L") * std::cos(at("theta")) * at("theta'");
    };
    const auto z = [](const Lookup& at) { return at("L") * std::sin(at("theta")) * at("theta'"); };
    compare({"moving_support",
             "moving_support_minimal",
             {"m", "g", "L", "s", "w"},
             {"theta"},
             {{"x", "Px", x}, {"z", "Pz", z}}});
}

TEST(Twins, MasslessInterface) {
    const auto x1 = [](const Lookup& at) { return at("x1'"); };
    const auto x2 = [](const Lookup& at) { return at("x2'"); };
    compare({"massless_interface",
             "massless_interface_minimal",
             {"m1", "m2", "k1", "k2", "l1", "l2", "d"},
             {"x1", "x2"},
             {{"x1", "x1", x1}, {"x2", "x2", x2}}});
}

// A holonomic constraint written as its rate has the same motion, C being the constant of
// integration: P21 sections 3.1 and 3.2.
TEST(Twins, ConstraintsAndTheirIntegrals) {
    std::mt19937 random(8);
    std::uniform_real_distribution<double> value(-1.5, 1.5);
    for (const std::string name : {"pamplona_scleronomic", "pamplona_rheonomic"}) {
        for (int draw = 0; draw < kDraws; ++draw) {
            const double x = value(random);
            const double y = value(random);
            const double z = value(random);
            std::vector<std::string> settings{setting("x", x),
                                              setting("y", y),
                                              setting("z", z),
                                              setting("x'", value(random)),
                                              setting("y'", value(random)),
                                              setting("g", 9.81 + value(random))};
            const Loaded rate = load_model(name, settings);
            settings.push_back(setting("C", -(x + y * y + z)));
            const Loaded integrated = load_model(name + "_integrated", settings);
            ASSERT_TRUE(rate.prepared && integrated.prepared)
                << rate.messages << integrated.messages;
            const Settings times{.times = even_times(1.0, 10)};
            const Recording a = run_model(*rate.prepared, times);
            const Recording b = run_model(*integrated.prepared, times);
            ASSERT_FALSE(a.error || b.error);
            EXPECT_LT(largest_difference(
                          a, b, {ColumnKind::kPosition, ColumnKind::kVelocity, ColumnKind::kForce}),
                      1e-9)
                << name << " draw " << draw;
        }
    }
}

}  // namespace
}  // namespace ananke::pipeline
