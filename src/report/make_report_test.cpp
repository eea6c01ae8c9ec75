// What a report draws: places against the recorded rows, arrows against the forces, shapes and
// links against the geometry of the models.
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "inspect/check.h"
#include "pipeline.h"
#include "report/make_report.h"
#include "report/report.h"

namespace ananke::pipeline {
namespace {

using report::Report;
using report::SceneArrow;
using report::ScenePoint;
using report::Track;

struct Made {
    Recording run;
    Report report;
};

Made make(const std::shared_ptr<compile::Prepared>& prepared, double until, int intervals = 40) {
    Made made;
    Settings settings;
    settings.times = even_times(until, intervals);
    settings.tolerance = 1e-10;
    made.run = run_model(*prepared, settings);
    EXPECT_FALSE(made.run.error) << made.run.error->message;
    const Result<inspect::CheckReport> check = inspect::check(*prepared, inspect::Agreement::kSkip);
    EXPECT_TRUE(check);
    Result<Report> report =
        report::make_report(*prepared, &check.value(), made.run.rows, "model.ank");
    EXPECT_TRUE(report) << report.error().message;
    made.report = std::move(report).value();
    return made;
}

Made make_model(const std::string& name, double until) {
    const Loaded loaded = load_model(name);
    EXPECT_TRUE(loaded.prepared) << loaded.messages;
    return make(loaded.prepared, until);
}

Made make_text(const std::string& text, double until) {
    const Loaded loaded = load_text("test.ank", text);
    EXPECT_TRUE(loaded.prepared) << loaded.messages;
    return make(loaded.prepared, until);
}

float number(const Report& report, std::size_t offset, std::size_t i) {
    float value = 0.0F;
    std::memcpy(&value, report.data.bytes().data() + offset + i * sizeof value, sizeof value);
    return value;
}

float at(const Report& report, const Track& track, std::size_t row, std::size_t component) {
    return number(report, track.offset, row * static_cast<std::size_t>(track.width) + component);
}

float column(const Report& report, int index, std::size_t row) {
    return index < 0 ? 0.0F
                     : number(report, report.columns[static_cast<std::size_t>(index)].offset, row);
}

const ScenePoint& point(const Report& report, const std::string& name) {
    for (const ScenePoint& one : report.scene.points) {
        if (one.name == name) {
            return one;
        }
    }
    ADD_FAILURE() << "no point " << name;
    static const ScenePoint none;
    return none;
}

const SceneArrow& arrow(const Report& report, const std::string& owner, const std::string& on,
                        bool torque = false) {
    for (const SceneArrow& one : report.scene.arrows) {
        if (one.owner == owner && one.on == on && one.torque == torque) {
            return one;
        }
    }
    ADD_FAILURE() << "no arrow of " << owner << " on " << on;
    static const SceneArrow none;
    return none;
}

TEST(Report, CoordinatesAreDrawnWhereTheRowsSay) {
    const Made made = make_model("two_link_pendulum", 1.0);
    const ScenePoint& bob = point(made.report, "(x, y, z)");
    EXPECT_EQ(bob.kind, ScenePoint::Kind::kParticle);
    EXPECT_EQ(bob.mass, 1.0);
    for (std::size_t i = 0; i < made.report.rows; ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
            const char* names[] = {"x", "y", "z"};
            EXPECT_EQ(at(made.report, bob.track, i, k),
                      static_cast<float>(made.run.at(i, names[k])));
        }
    }
    EXPECT_EQ(made.report.scene.up, (report::Vector{-1.0, 0.0, 0.0}));  // gravity acts along +x
    EXPECT_FALSE(made.report.scene.planar);
}

TEST(Report, RodsAreFoundFromTheirForces) {
    const Made made = make_model("two_link_pendulum", 1.0);
    ASSERT_EQ(made.report.scene.links.size(), 2u);
    const std::array<std::array<float, 3>, 2> ends{{{0, 0, 0}, {1, 0, 1}}};  // UK: (71), (72)
    for (std::size_t i = 0; i < 2; ++i) {
        const report::SceneLink& link = made.report.scene.links[i];
        EXPECT_EQ(link.label, i == 0 ? "rod1" : "rod2");
        const ScenePoint& fixed = made.report.scene.points[static_cast<std::size_t>(link.from)];
        EXPECT_EQ(fixed.kind, ScenePoint::Kind::kGround);
        for (std::size_t k = 0; k < 3; ++k) {
            EXPECT_NEAR(at(made.report, fixed.track, 7, k), ends[i][k], 1e-6);
        }
    }
    // A parabola holds no distance, and a line between moving points is one between them.
    const Made curve = make_text(
        "coordinate x, y, u, v\nparticle P mass 1 at (x, y, 0)\nparticle Q mass 2 at (u, v, 0)\n"
        "gravity (0, -10, 0)\nconstraint bowl: y = x^2\n"
        "constraint rod: norm(position(P) - position(Q)) = 1\n"
        "initial x = 1, u = 1, v ~ 0, x' = 1",
        0.5);
    ASSERT_EQ(curve.report.scene.links.size(), 1u);
    EXPECT_EQ(curve.report.scene.links[0].label, "rod");
    EXPECT_TRUE(curve.report.scene.planar);
    EXPECT_EQ(curve.report.scene.up, (report::Vector{0.0, 1.0, 0.0}));
}

TEST(Report, ArrowsOfAllConstraintsAddUpToTheForceOfConstraint) {
    const Made made = make_model("two_link_pendulum", 1.0);
    const SceneArrow& first = arrow(made.report, "rod1", "(x, y, z)");
    const SceneArrow& second = arrow(made.report, "rod2", "(x, y, z)");
    EXPECT_TRUE(first.unique);
    const char* names[] = {"Qc[x]", "Qc[y]", "Qc[z]"};
    for (std::size_t i = 0; i < made.report.rows; ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
            const double sum = column(made.report, first.columns[k], i) +
                               column(made.report, second.columns[k], i);
            EXPECT_NEAR(sum, made.run.at(i, names[k]), 1e-4);
        }
    }
}

TEST(Report, ArrowsAreTheRecordedForces) {
    const Made made = make_model("door_hinge_friction", 2.0);
    const SceneArrow& hinge = arrow(made.report, "hinge", "door");
    for (std::size_t i = 0; i < made.report.rows; ++i) {
        EXPECT_EQ(column(made.report, hinge.columns[0], i),
                  static_cast<float>(made.run.at(i, "force[hinge:door].x")));
        EXPECT_NEAR(at(made.report, hinge.at, i, 0), 0.0, 1e-6);  // at the hinge
        EXPECT_NEAR(at(made.report, hinge.at, i, 2), 1.0, 1e-6);
    }
    // The hinge carries the weight of the door.
    EXPECT_NEAR(column(made.report, hinge.columns[2], 3), 20 * 9.81, 1e-3);
    EXPECT_TRUE(arrow(made.report, "hinge", "door", true).unique);
}

TEST(Report, ForcesThatOthersCouldCarryAreMarked) {
    const Made made = make_model("bricard_square", 0.2);
    const SceneArrow& one = arrow(made.report, "J1", "rod1");
    EXPECT_FALSE(one.unique);
    EXPECT_EQ(one.note, "one of many: shared with J2, J3, J4, J5 and J6");
    for (const SceneArrow& each : made.report.scene.arrows) {
        EXPECT_NE(each.on, "ground");
    }
}

TEST(Report, BodiesStandAndTurnAsTheirCoordinatesSay) {
    const Made made = make_model("bricard_square", 0.5);
    ASSERT_EQ(made.report.scene.bodies.size(), 5u);
    const report::SceneBody& rod = made.report.scene.bodies[1];
    EXPECT_EQ(rod.name, "rod2");
    const char* places[] = {"rod2.x", "rod2.y", "rod2.z"};
    const char* turns[] = {"rod2.u0", "rod2.u1", "rod2.u2", "rod2.u3"};
    ASSERT_TRUE(rod.rotation);
    for (std::size_t i = 0; i < made.report.rows; ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
            EXPECT_EQ(at(made.report, rod.position, i, k),
                      static_cast<float>(made.run.at(i, places[k])));
        }
        for (std::size_t k = 0; k < 4; ++k) {
            EXPECT_NEAR(at(made.report, *rod.rotation, i, k), made.run.at(i, turns[k]), 1e-6);
        }
    }
    // Rods of length 1 along y, with lines to both joints.
    ASSERT_EQ(rod.shapes.size(), 3u);
    EXPECT_EQ(rod.shapes[0].kind, report::Shape::Kind::kCylinder);
    EXPECT_NEAR(rod.shapes[0].length, 1.0, 1e-9);
    EXPECT_NEAR(std::abs(rod.shapes[1].to[1]), 0.5, 1e-12);
    ASSERT_EQ(made.report.scene.joints.size(), 6u);
    EXPECT_EQ(made.report.scene.joints[0].places[0].body, -1);
    EXPECT_EQ(made.report.scene.joints[1].definition, "revolute");
}

TEST(Report, AVehicleIsAsLargeAsAVehicle) {
    const Made made = make_model("bicycle", 5.0);
    EXPECT_GT(made.report.scene.length, 1.0);
    EXPECT_LT(made.report.scene.length, 3.0);  // it rides 23 m
    EXPECT_EQ(made.report.scene.up, (report::Vector{0.0, 0.0, -1.0}));
}

TEST(Report, OtherCoordinatesAreBeadsOnRails) {
    const Made made = make_text(
        "coordinate a, b\nkinetic a'^2 + b'^2/2\npotential 5*(a - b)^2 + b^2\n"
        "constraint guide: a - b = sin(3*t)\ninitial a = 1, b ~ 1, a' = 2, b' ~ 0",
        1.0);
    EXPECT_EQ(made.report.scene.rails, (std::vector<int>{0, 1}));
    EXPECT_TRUE(made.report.scene.planar);
    const ScenePoint& bead = point(made.report, "b");
    EXPECT_EQ(bead.mass, 1.0);
    EXPECT_EQ(at(made.report, bead.track, 5, 0), static_cast<float>(made.run.at(5, "b")));
    EXPECT_NE(at(made.report, bead.track, 5, 1),
              at(made.report, point(made.report, "a").track, 5, 1));
    const SceneArrow& guide = arrow(made.report, "guide", "a");
    EXPECT_EQ(guide.columns[1], -1);
    EXPECT_NEAR(column(made.report, guide.columns[0], 5), made.run.at(5, "Qc[a]"), 1e-4);
}

TEST(Report, APointThatMovesWithACoordinateTakesItsForces) {
    const Made made = make_model("duffing", 1.0);
    const ScenePoint& first = point(made.report, "first");
    EXPECT_EQ(first.kind, ScenePoint::Kind::kParticle);
    EXPECT_EQ(first.mass, 2.0);
    EXPECT_EQ(point(made.report, "wall").kind, ScenePoint::Kind::kGround);
    EXPECT_EQ(made.report.scene.links.size(), 2u);
    const SceneArrow& guide = arrow(made.report, "guide", "first");
    for (std::size_t i = 0; i < made.report.rows; ++i) {
        EXPECT_NEAR(at(made.report, first.track, i, 0), 6.0 + made.run.at(i, "x1"), 1e-5);
        EXPECT_NEAR(column(made.report, guide.columns[0], i), made.run.at(i, "Qc[x1]"), 1e-4);
    }
}

TEST(Report, ViewsChangeWhatIsDrawn) {
    const Made made = make_text(
        "parameter L = 2\nplanar body crank mass 1 inertia 0.1 at (L/2, 0)\n"
        "joint pin: revolute(ground, crank at (-L/2, 0, 0))\n"
        "point tip on crank at (L/2, 0, 0)\ncoordinate s\nparticle block mass 1 at (s, -1, 0)\n"
        "particle dust mass 1 at (s, -2, 0)\n"
        "view crank box (L, 0.1, 0.2) colour \"steel\"\nview crank sphere 0.3 at (0, L/4, 0)\n"
        "view spring tip to block colour \"#D55E00\"\nview line ground at (0, -1, 0) to block\n"
        "view block sphere 0.25\nview trail tip\nview hide dust\n"
        "view camera from (0, 0, 2*L) to (1, 2, 3)",
        0.5);
    const report::Scene& scene = made.report.scene;
    const report::SceneBody& crank = scene.bodies.at(0);
    EXPECT_EQ(crank.color, "#8a97a6");
    std::vector<report::Shape> solids;
    for (const report::Shape& shape : crank.shapes) {
        if (shape.kind != report::Shape::Kind::kLine) {
            solids.push_back(shape);
        }
    }
    ASSERT_EQ(solids.size(), 2u);
    EXPECT_EQ(solids[0].size, (report::Vector{2.0, 0.1, 0.2}));
    EXPECT_EQ(solids[1].radius, 0.3);
    EXPECT_EQ(solids[1].at, (report::Vector{0.0, 0.5, 0.0}));
    EXPECT_EQ(point(made.report, "block").size, 0.25);
    EXPECT_TRUE(point(made.report, "tip").trail);
    for (const ScenePoint& one : scene.points) {
        EXPECT_NE(one.name, "dust");
    }
    ASSERT_EQ(scene.links.size(), 2u);
    EXPECT_TRUE(scene.links[0].spring);
    EXPECT_EQ(scene.links[0].color, "#D55E00");
    EXPECT_EQ(scene.points[static_cast<std::size_t>(scene.links[0].from)].name, "tip");
    ASSERT_TRUE(scene.camera);
    EXPECT_EQ(scene.camera->from, (report::Vector{0.0, 0.0, 4.0}));
    EXPECT_EQ(scene.camera->to, (report::Vector{1.0, 2.0, 3.0}));
}

/// A rolling disk of radius r touches the floor; its force acts there and not at the centre: the
/// torque that the recorder gives about the centre is that of the force at the contact.
TEST(Report, WheelsArePushedWhereTheyTouch) {
    const std::array<std::array<const char*, 2>, 2> cases{
        {{"rolling_disk", "disk"}, {"rolling_sphere", "ball"}}};
    for (const auto& [name, body] : cases) {
        SCOPED_TRACE(name);
        const Made made = make_model(name, 1.0);
        const Report& report = made.report;
        const SceneArrow& force = arrow(report, "contact", body);
        const report::SceneBody* wheel = nullptr;
        for (const report::SceneBody& one : report.scene.bodies) {
            wheel = one.name == body ? &one : wheel;
        }
        ASSERT_NE(wheel, nullptr);
        const report::SceneJoint& joint = report.scene.joints.back();
        EXPECT_EQ(joint.name, "contact");
        EXPECT_EQ(joint.places.back().track.offset, force.at.offset);
        const std::string of = std::string("torque[contact:") + body + "].";
        for (std::size_t i = 0; i < report.rows; ++i) {
            std::array<double, 3> arm{};
            std::array<double, 3> F{};
            for (std::size_t k = 0; k < 3; ++k) {
                arm[k] = at(report, force.at, i, k) - at(report, wheel->position, i, k);
                F[k] = column(report, force.columns[k], i);
            }
            EXPECT_NEAR(at(report, force.at, i, 2), 0.0, 1e-6);
            for (std::size_t k = 0; k < 3; ++k) {
                const std::size_t l = (k + 1) % 3;
                const std::size_t m = (k + 2) % 3;
                EXPECT_NEAR(arm[l] * F[m] - arm[m] * F[l], made.run.at(i, of + "xyz"[k]), 1e-4);
            }
            EXPECT_NEAR(column(report, force.size, i), std::hypot(F[0], F[1], F[2]), 1e-5);
        }
        for (const SceneArrow& one : report.scene.arrows) {
            EXPECT_FALSE(one.torque && one.owner == "contact");
        }
    }
}

TEST(Report, WheelsInThePlaneTouchBelowTheirCentre) {
    const Made made = make_text(
        "parameter r = 0.2\nplanar body wheel mass 1 inertia 0.02 at (0, r)\n"
        "gravity (1, -9.81, 0)\n"
        "joint roll: rolling_sphere(ground, wheel, radius = r, normal = (0, 1, 0))",
        1.0);
    const SceneArrow& force = arrow(made.report, "roll", "wheel");
    for (std::size_t i = 0; i < made.report.rows; ++i) {
        EXPECT_NEAR(at(made.report, force.at, i, 0), made.run.at(i, "wheel.x"), 1e-6);
        EXPECT_NEAR(at(made.report, force.at, i, 1), 0.0, 1e-6);
    }
}

TEST(Report, AJointThatOnlyMeasuresHasNoArrows) {
    const Made made = make_model("bicycle", 0.1);
    for (const SceneArrow& one : made.report.scene.arrows) {
        EXPECT_NE(one.owner, "steer");
    }
}

/// An event changes L, and with it R = 2 L and the place of P = (x + R, 0, 0).
TEST(Report, PlacesFollowParametersThatEventsChange) {
    const Made made = make_text(
        "parameter L = 1, R = 2*L\ncoordinate x\nparticle A mass 1 at (x, 0, 0)\n"
        "point P at (x + R, 0, 0)\nevent grow: x = 0.505 rising { L = 3 }\ninitial x = 0, x' = 1",
        1.0);
    const ScenePoint& moved = point(made.report, "P");
    for (std::size_t i = 0; i < made.report.rows; ++i) {
        const double x = made.run.at(i, "x");
        EXPECT_NEAR(at(made.report, moved.track, i, 0), x + (x < 0.505 ? 2.0 : 6.0), 1e-6) << i;
    }
}

/// Two walls that stand across each other until one is turned: then they share the push.
TEST(Report, UniquenessIsJudgedAlongTheRun) {
    const std::string text =
        "parameter k = 1\ncoordinate x, y\nparticle P mass 1 at (x, y, 0)\n"
        "force on P = (1, 0, 0)\nconstraint wall: x = 0\nconstraint other: x + k*y = 0\n";
    EXPECT_TRUE(arrow(make_text(text, 1.0).report, "wall", "P").unique);
    const Made turned = make_text(text + "event turn: t = 0.505 { k = 0 }\n", 1.0);
    EXPECT_FALSE(arrow(turned.report, "wall", "P").unique);
    EXPECT_EQ(arrow(turned.report, "wall", "P").note, "one of many: shared with other");
}

TEST(Report, HiddenBodiesStandInNoList) {
    const Made made = make_text(
        "body a mass 1 inertia (1, 1, 1)\nbody b mass 1 inertia (1, 1, 1)\nview hide b", 0.1);
    ASSERT_EQ(made.report.scene.bodies.size(), 2u);
    EXPECT_EQ(made.report.scene.bodies[0].name, "a");
    EXPECT_EQ(made.report.scene.bodies[1].name, "");
    EXPECT_TRUE(made.report.scene.bodies[1].shapes.empty());
}

TEST(Report, TheFirstFiguresAreMotionAndForces) {
    const Made made = make_model("two_link_pendulum", 0.5);
    EXPECT_EQ(made.report.plots.at(0).title, "Response");
    EXPECT_EQ(made.report.plots.at(1).title, "Forces of constraint");
    EXPECT_EQ(made.report.plots.at(1).y,
              (std::vector<std::string>{"|force[rod1:(x, y, z)]|", "|force[rod2:(x, y, z)]|"}));
    EXPECT_EQ(make_model("bicycle", 0.05).report.plots.at(0).y,
              (std::vector<std::string>{"lean", "steer.value"}));
}

/// The door turns about z in the plane z = 1; what its hinge carries is its weight, along z.
TEST(Report, WeightAcrossThePlaneOfMotionIsShown) {
    const Made made = make_model("door_hinge_friction", 0.5);
    EXPECT_FALSE(made.report.scene.planar);
    EXPECT_EQ(made.report.scene.up, (report::Vector{0.0, 0.0, 1.0}));
    EXPECT_EQ(made.report.plots.at(1).title, "Force of hinge on door");
    EXPECT_EQ(made.report.plots.at(1).y,
              (std::vector<std::string>{"force[hinge:door].x", "force[hinge:door].y",
                                        "force[hinge:door].z"}));
}

TEST(Report, UnitsStandWhereTheKindOfQuantityIsKnown) {
    const Made made = make_model("door_hinge_friction", 0.5);
    const auto unit = [&](const std::string& name) {
        for (const report::StoredColumn& one : made.report.columns) {
            if (one.name == name) {
                return one.unit;
            }
        }
        return std::string("no column");
    };
    EXPECT_EQ(unit("t"), "s");
    EXPECT_EQ(unit("door.x"), "m");
    EXPECT_EQ(unit("door.x'"), "m/s");
    EXPECT_EQ(unit("door.y''"), "m/s\u00b2");
    EXPECT_EQ(unit("door.u0"), "");
    EXPECT_EQ(unit("spin"), "");
    EXPECT_EQ(unit("force[hinge:door].z"), "N");
    EXPECT_EQ(unit("|force[hinge:door]|"), "N");
    EXPECT_EQ(unit("|torque[hinge:door]|"), "N m");
}

/// Every model of the gallery becomes well-formed JSON whose indices and offsets lead somewhere.
TEST(Report, AllModelsMakeSoundData) {
    for (const std::string& name : stems(source_directory() / "models", ".ank")) {
        if (name == "chain" || name == "n_four_bar" || name == "n_four_bar_bodies") {
            continue;  // large, and of the same kind as others
        }
        SCOPED_TRACE(name);
        const Loaded loaded = load_model(name);
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        Settings settings;
        settings.times = even_times(1e-3 * end_of(*loaded.prepared), 4);
        settings.tolerance = 1e-8;
        const Recording run = run_model(*loaded.prepared, settings);
        const Result<Report> made =
            report::make_report(*loaded.prepared, nullptr, run.rows, name + ".ank");
        ASSERT_TRUE(made) << made.error().message;
        const nlohmann::json json = nlohmann::json::parse(report::to_json(made.value()));
        const std::size_t bytes = made.value().data.bytes().size();
        const std::size_t rows = made.value().rows;
        for (const auto& column : json.at("columns")) {
            const std::size_t width = column.at("type") == "f64" ? 8 : 4;
            EXPECT_LE(column.at("offset").get<std::size_t>() + rows * width, bytes);
            EXPECT_EQ(column.at("offset").get<std::size_t>() % 8, 0u);
        }
        std::set<std::string> columns;
        for (const auto& column : json.at("columns")) {
            EXPECT_TRUE(columns.insert(column.at("name")).second) << column.at("name");
        }
        for (const auto& plot : json.at("plots")) {
            EXPECT_TRUE(columns.contains(plot.at("x")));
            for (const auto& y : plot.at("y")) {
                EXPECT_TRUE(columns.contains(y)) << y;
            }
        }
        const auto& scene = json.at("scene");
        EXPECT_FALSE(scene.at("points").empty() && scene.at("bodies").empty());
        for (const auto& one : scene.at("arrows")) {
            for (const int column : one.at("columns")) {
                EXPECT_LT(column, static_cast<int>(columns.size()));
            }
        }
        for (const auto& link : scene.at("links")) {
            EXPECT_LT(link.at("to").get<std::size_t>(), scene.at("points").size());
        }
        EXPECT_GT(scene.at("length").get<double>(), 0.0);
    }
}

}  // namespace
}  // namespace ananke::pipeline
