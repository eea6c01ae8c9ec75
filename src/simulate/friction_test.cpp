// Friction: closed forms of stopping, sticking, breaking away and of loads that friction changes
// itself; redundant loads; the same law by other roads.
#include "inspect/check.h"
#include "pipeline.h"

namespace ananke::pipeline {
namespace {

const std::string kBlock =
    "parameter m = 2, g = 10, mu = 0.3\n"
    "coordinate x, z\n"
    "particle P mass m at (x, 0, z)\n"
    "gravity (0, 0, -g)\n"
    "constraint floor: z = 0\n";

// tests/reference/bead_hoop_friction.json: stop_time
TEST(Friction, BeadOnAHoopStopsInTimeAndSlidesBack) {
    const Loaded loaded = load_model("bead_hoop_friction");
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    for (const double tolerance : {1e-9, 1e-12}) {
        const Recording run =
            run_model(*loaded.prepared, {.times = even_times(3.0, 300), .tolerance = tolerance});
        ASSERT_FALSE(run.error) << run.error->message;
        ASSERT_EQ(run.rows.events.size(), 2U);
        EXPECT_EQ(run.rows.events[0].name, "hoop");
        EXPECT_EQ(run.rows.events[0].kind, "slip");
        EXPECT_NEAR(run.rows.events[0].t, 0.97669685494702583, 1e-9);
        EXPECT_EQ(run.rows.events[1].kind, "stick");
        EXPECT_LT(run.summary.largest_energy_imbalance,
                  10.0 * tolerance * run.summary.energy_scale);
        EXPECT_GT(run.at(97, "x'"), 0.0);
        EXPECT_LT(run.at(98, "x'"), 0.0);
    }
}

// It stops at t = s0/(g (sin a + mu cos a)) and stands: friction = m g sin a, up the slope.
TEST(Friction, BlockStopsAndStaysExactly) {
    const Loaded loaded = load_model("block_stops");
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    const Recording run = run_model(*loaded.prepared, {.times = even_times(2.0, 100)});
    ASSERT_FALSE(run.error) << run.error->message;
    ASSERT_EQ(run.rows.events.size(), 1U);
    EXPECT_EQ(run.rows.events[0].kind, "stick");
    const double stop = 5.0 / (9.81 * (0.6 + 0.9 * 0.8));
    EXPECT_NEAR(run.rows.events[0].t, stop, 1e-12);
    const double way = 0.5 * 5.0 * stop;
    for (std::size_t row = 0; row < run.rows.rows(); ++row) {
        if (run.at(row, "t") <= stop) {
            continue;
        }
        EXPECT_NEAR(run.at(row, "x"), -way * 0.8, 1e-12);
        EXPECT_LT(std::abs(run.at(row, "x'")), 1e-15);
        EXPECT_LT(std::abs(run.at(row, "x''")), 1e-14);
        EXPECT_NEAR(run.at(row, "friction[incline]"), -1.5 * 9.81 * 0.6, 1e-12);
        EXPECT_NEAR(run.at(row, "Qc_ideal[x]"), 1.5 * 9.81 * 0.6 * 0.8, 1e-12);
        EXPECT_NEAR(run.at(row, "Qc_nonideal[x]"), -1.5 * 9.81 * 0.6 * 0.8, 1e-12);
        EXPECT_NEAR(run.at(row, "Qc_nonideal[z]"), 1.5 * 9.81 * 0.6 * 0.6, 1e-12);
        EXPECT_LT(std::abs(run.at(row, "energy_balance")), 1e-11);
    }
}

// The force rate*t breaks it away at mu_static m g/rate; then m x'' = rate t - mu m g.
TEST(Friction, GrowingForceBreaksAway) {
    for (const char* sign : {"", "-"}) {
        const Recording run =
            run_text(kBlock + "force on x = " + sign +
                         "4*t\nfriction on floor: coulomb(mu = mu, mu_static = 0.5)\n",
                     {.times = even_times(5.0, 50)});
        ASSERT_FALSE(run.error) << run.error->message;
        const std::vector<Event> slips = events_of(run, "slip");
        ASSERT_EQ(slips.size(), 1U);
        EXPECT_NEAR(slips[0].t, 2.5, 1e-12);
        ASSERT_EQ(events_of(run, "stick").size(), 1U);
        EXPECT_EQ(run.rows.events[0].t, 0.0);
        const double factor = *sign == '-' ? -1.0 : 1.0;
        for (std::size_t row = 0; row < run.rows.rows(); ++row) {
            const double t = run.at(row, "t");
            const double s = std::max(0.0, t - 2.5);
            // x'' = 2 t - 3 = 2 s + 2
            EXPECT_NEAR(run.at(row, "x"), factor * (s * s * s / 3.0 + s * s), 1e-11);
            EXPECT_NEAR(run.at(row, "friction[floor]"), -factor * (s > 0.0 ? 6.0 : 4.0 * t), 1e-11);
        }
    }
}

// A force that outgrows the limit only for a while, though nothing moves before: the steps follow
// it. 8 sin(5 t) exceeds the limit 6 first at asin(0.75)/5.
TEST(Friction, ForceThatSwingsIsNotSteppedOver) {
    const Recording run =
        run_text(kBlock + "force on x = 8*sin(5*t)\nfriction on floor: coulomb(mu = mu)\n",
                 {.times = even_times(20.0, 10), .tolerance = 1e-9});
    ASSERT_FALSE(run.error) << run.error->message;
    const std::vector<Event> slips = events_of(run, "slip");
    ASSERT_GE(slips.size(), 30U);
    EXPECT_NEAR(slips[0].t, std::asin(0.75) / 5.0, 1e-9);
    EXPECT_NEAR(slips[slips.size() - 1].t - slips[slips.size() - 3].t, 2.0 * M_PI / 5.0, 1e-6);
}

// A block on two bilateral feet at +-l, h below its centre: N = m g/2 +- h F/(2 l). With the second
// foot lifted F = mu (N1 - N2) = mu h/l F, so mu h/l = 1 is critical.
TEST(Friction, FeetThatLoadEachOtherHaveACommonCriticalFactor) {
    const auto start = [](double mu) {
        return run_text(
            "parameter mu = 1\n"
            "gravity (0, -10, 0)\n"
            "planar body B mass 1 inertia 1 at (0, 1) velocity (3, 0)\n"
            "joint f1: point_on_plane(ground, B at (1, -1, 0), normal = (0, 1, 0))\n"
            "joint f2: point_on_plane(ground, B at (-1, -1, 0), normal = (0, 1, 0))\n"
            "friction on f1: coulomb(mu = mu)\n"
            "friction on f2: coulomb(mu = mu)\n",
            {.times = {0.0}}, {setting("mu", mu)});
    };
    EXPECT_FALSE(start(0.99).error);
    const Recording run = start(1.25);
    ASSERT_TRUE(run.error);
    EXPECT_NE(run.error->message.find("all coefficients times 0.8 are critical"), std::string::npos)
        << run.error->message;
}

// Feet at rest share a force that no form decides: every form must go on in steps as long as the
// solver's, and break away at 20 t = mu m g.
TEST(Friction, FeetAtRestAreNoHardshipToAnyForm) {
    for (const solve::Form form :
         {solve::Form::kAuto, solve::Form::kMultipliers, solve::Form::kMinimal,
          solve::Form::kPhohomsiri, solve::Form::kSchutte}) {
        const Recording run = run_text(
            "gravity (0, 0, -9.81)\n"
            "body top mass 10 inertia (1, 1, 2) at (0, 0, 1)\n"
            "joint l1: point_on_plane(ground at (0, 0, 1), top at (0.5, 0, 0))\n"
            "joint l2: point_on_plane(ground at (0, 0, 1), top at (-0.5, 0.5, 0))\n"
            "joint l3: point_on_plane(ground at (0, 0, 1), top at (-0.5, -0.5, 0))\n"
            "friction on l1: coulomb(mu = 0.3)\n"
            "friction on l2: coulomb(mu = 0.3)\n"
            "friction on l3: coulomb(mu = 0.3)\n"
            "force on top = (20*t, 0, 0)\n",
            {.times = {1.0, 1.47}, .tolerance = 1e-9, .form = form});
        ASSERT_FALSE(run.error) << solve::form_name(form) << ": " << run.error->message;
        EXPECT_LT(run.summary.steps.steps, 20U) << solve::form_name(form);
        EXPECT_LT(std::abs(run.at(1, "top.x")), 1e-12);
        EXPECT_NEAR(run.at(0, "Qc[top.x]"), -20.0, 1e-9);
    }
}

// Moving the tip by the rod's angle th: T = (x - l cos th, z - l sin th), inertia m l^2/3. With
// th' = 0, m z'' = N - m g, m l^2/3 th'' = -l cos(th) N + l sin(th) F and z'' = l cos(th) th'':
//   N (1 + 3 cos^2) - 3 sin cos F = m g,   F = -mu |N| sign(slip).
// With k = 3 sin cos/(1 + 3 cos^2): N = m g/(1 + 3 cos^2)/(1 + mu k sign(slip)), unique as long as
// mu |k| < 1.
TEST(Friction, PainleveRodHasItsLoadUpToTheCriticalCoefficient) {
    for (const double th : {0.7, 1.2, 1.8, 2.3}) {
        const double c = std::cos(th);
        const double k = 3.0 * std::sin(th) * c / (1.0 + 3.0 * c * c);
        for (const double speed : {1.0, -1.0}) {
            for (const double part : {0.0, 0.5, 0.99, 1.01, 2.0}) {
                const double mu = part / std::abs(k);
                const Loaded loaded =
                    load_model("painleve_rod",
                               {setting("th0", th), setting("speed", speed), setting("mu", mu)});
                ASSERT_TRUE(loaded.prepared) << loaded.messages;
                const Recording run = run_model(*loaded.prepared, {.times = {0.0}});
                if (part < 1.0) {
                    ASSERT_FALSE(run.error) << run.error->message;
                    const double N =
                        9.81 / (1.0 + 3.0 * c * c) / (1.0 + mu * k * (speed > 0 ? 1.0 : -1.0));
                    EXPECT_LT(scaled_error(run.at(0, "N"), N), 1e-11);
                } else {
                    ASSERT_TRUE(run.error);
                    EXPECT_NE(run.error->message.find("friction on tip has no unique solution"),
                              std::string::npos);
                    EXPECT_NE(run.error->message.find("critical mu = " +
                                                      to_short_text(1.0 / std::abs(k), 6)),
                              std::string::npos)
                        << run.error->message;
                    const Result<inspect::CheckReport> report = inspect::check(*loaded.prepared);
                    ASSERT_TRUE(report);
                    EXPECT_EQ(report.value().warnings.size(), 1U);
                }
            }
        }
    }
}

// Two blocks, one on the other. The floor lets go at F = mu1 (m1 + m2) g; the upper block can be
// carried up to the acceleration mu2 g, that is up to F = (mu1 + mu2) (m1 + m2) g.
TEST(Friction, StackOfBlocksLetsGoOneAfterTheOther) {
    const Recording run = run_text(
        "coordinate x1, z1, x2, z2\n"
        "particle A mass 3 at (x1, 0, z1)\n"
        "particle B mass 1 at (x2, 0, z2)\n"
        "gravity (0, 0, -10)\n"
        "constraint floor: z1 = 0\n"
        "constraint top: z2 - z1 = 1\n"
        "friction on floor: coulomb(mu = 0.2)\n"
        "friction on top: coulomb(mu = 0.5, slip = x2' - x1', load = abs(reaction(top)))\n"
        "force on x1 = 4*t\n"
        "initial z2 = 1\n",
        {.times = even_times(10.0, 20)});
    ASSERT_FALSE(run.error) << run.error->message;
    const std::vector<Event> slips = events_of(run, "slip");
    ASSERT_EQ(slips.size(), 2U);
    EXPECT_EQ(slips[0].name, "floor");
    EXPECT_NEAR(slips[0].t, 2.0, 1e-11);
    EXPECT_EQ(slips[1].name, "top");
    EXPECT_NEAR(slips[1].t, 7.0, 1e-11);
    // Afterwards 1 x2'' = 5 and 3 x1'' = 4 t - 8 - 5.
    EXPECT_NEAR(run.at(20, "x2''"), 5.0, 1e-11);
    EXPECT_NEAR(run.at(20, "x1''"), 9.0, 1e-11);
}

TEST(Friction, NonidealForceOfTheReactionIsTheSameLaw) {
    const std::string bead =
        "coordinate x, z\nparticle P mass 1.5 at (x, 0, z)\ngravity (0, 0, -9.81)\n"
        "constraint hoop: x^2 + z^2 = 4\n"
        "initial x = -1.2, z = -1.6, x' = 2.4, z' = -1.8\n";
    const Settings settings{.times = even_times(0.9, 9)};
    const Recording law = run_text(bead + "friction on hoop: coulomb(mu = 0.2)\n", settings);
    const Recording force = run_text(bead +
                                         "nonideal on P = -0.2*abs(reaction(hoop))*velocity(P)/"
                                         "norm(velocity(P))\n",
                                     settings);
    ASSERT_FALSE(law.error || force.error);
    EXPECT_LT(largest_difference(
                  law, force, {ColumnKind::kPosition, ColumnKind::kVelocity, ColumnKind::kForce}),
              1e-11);
}

TEST(Friction, EveryFormGivesTheSameMotion) {
    for (const char* name : {"bead_hoop_friction", "painleve_rod", "block_stops"}) {
        SCOPED_TRACE(name);
        const Loaded loaded = load_model(name);
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        const std::vector<double> times = even_times(0.5, 5);
        const Recording plain = run_model(*loaded.prepared, {.times = times, .tolerance = 1e-10});
        ASSERT_FALSE(plain.error) << plain.error->message;
        for (const solve::Form form :
             {solve::Form::kFundamental, solve::Form::kMultipliers, solve::Form::kWanichanon}) {
            const Recording other =
                run_model(*loaded.prepared, {.times = times, .tolerance = 1e-10, .form = form});
            ASSERT_FALSE(other.error) << other.error->message;
            EXPECT_LT(largest_difference(
                          plain, other,
                          {ColumnKind::kPosition, ColumnKind::kVelocity, ColumnKind::kForce}),
                      1e-8);
        }
    }
}

// The floor said twice carries half the weight each; friction on one of them is a matter of choice,
// and said to be one. Friction on both is that of one floor.
TEST(Friction, SharedLoadIsReported) {
    const std::string twice = kBlock +
                              "constraint again: 3*z = 0\ninitial x' = 3\n"
                              "friction on floor: coulomb(mu = mu)\n";
    const Loaded loaded = load_text("test.ank", twice);
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    const Result<inspect::CheckReport> report = inspect::check(*loaded.prepared);
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_EQ(report.value().warnings.size(), 1U);
    EXPECT_EQ(report.value().warnings[0],
              "friction on floor depends on how dependent constraints share a force, with again: "
              "it is statically indeterminate, so the share is a choice, and so is the friction; "
              "`compliance on` makes it physical");
    const Recording half = run_model(*loaded.prepared, {.times = {0.0, 0.5}});
    ASSERT_EQ(events_of(half, "shared load").size(), 1U);
    EXPECT_NEAR(half.at(1, "x''"), -1.5, 1e-12);
    const Recording both =
        run_text(twice + "friction on again: coulomb(mu = mu)\n", {.times = {0.0, 0.5}});
    EXPECT_NEAR(both.at(1, "x''"), -3.0, 1e-12);
}

// Level plane: straight to the stop at v/(mu g); all directions are alike.
TEST(Friction, PlanarSlipStopsStraight) {
    const Recording run = run_text(
        "coordinate x, y, z\nparticle P mass 2 at (x, y, z)\ngravity (0, 0, -10)\n"
        "constraint floor: z = 0\nfriction on floor: coulomb(mu = 0.2)\n"
        "initial x' = 1.2, y' = -0.9\n",
        {.times = even_times(2.0, 20)});
    ASSERT_FALSE(run.error) << run.error->message;
    ASSERT_EQ(run.rows.events.size(), 1U);
    EXPECT_EQ(run.rows.events[0].kind, "stick");
    EXPECT_NEAR(run.rows.events[0].t, 0.75, 1e-11);
    EXPECT_NEAR(run.at(20, "x"), 0.45, 1e-11);
    EXPECT_NEAR(run.at(20, "y"), -0.3375, 1e-11);
    EXPECT_LT(std::hypot(run.at(20, "x'"), run.at(20, "y'")), 1e-15);
}

TEST(Friction, RoundedAndViscousLawsNeverStick) {
    const Recording viscous =
        run_text(kBlock + "friction on floor: viscous(c = 3)\ninitial x' = 1\n",
                 {.times = even_times(4.0, 8)});
    ASSERT_FALSE(viscous.error);
    EXPECT_NEAR(viscous.at(8, "x'"), std::exp(-6.0), 1e-12);
    const Recording rounded =
        run_text(kBlock + "friction on floor: coulomb(mu = mu, smooth = 0.01)\nforce on x = 3\n",
                 {.times = even_times(4.0, 8)});
    ASSERT_FALSE(rounded.error) << rounded.error->message;
    EXPECT_TRUE(viscous.rows.events.empty() && rounded.rows.events.empty());
    // It creeps where mu m g s/sqrt(s^2 + v0^2) = 3: s = v0/sqrt(3).
    EXPECT_NEAR(rounded.at(8, "x'"), 0.01 / std::sqrt(3.0), 1e-11);
}

TEST(Friction, EventSetsInMotionWhatSticks) {
    const Recording run = run_text(kBlock +
                                       "friction on floor: coulomb(mu = mu)\n"
                                       "event kick: t = 1 { x' = 0.6 }\n",
                                   {.times = even_times(2.0, 20)});
    ASSERT_FALSE(run.error) << run.error->message;
    const std::vector<Event> sticks = events_of(run, "stick");
    ASSERT_EQ(sticks.size(), 2U);
    EXPECT_NEAR(sticks[1].t, 1.2, 1e-11);
    EXPECT_NEAR(run.at(20, "x"), 0.06, 1e-11);
}

// I a = -mu (thrust m g + radius m c sqrt(w^4 + a^2)) with I = 1.67 + 20/4 about the hinge and the
// mass centre c = 0.5 from it; integrated here by the trapezoidal rule in w: dt = dw/a(w).
TEST(Friction, DoorHingeStopsTheDoor) {
    const Loaded loaded = load_model("door_hinge_friction");
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    const auto deceleration = [](double w) {
        double a = 0.0;
        for (int i = 0; i < 60; ++i) {
            a = 0.2 * (0.008 * 20 * 9.81 + 0.01 * 20 * 0.5 * std::sqrt(w * w * w * w + a * a)) /
                6.67;
        }
        return a;
    };
    double stop = 0.0;
    const int parts = 2000;
    for (int i = 0; i <= parts; ++i) {  // Simpson's rule
        const double weight = i == 0 || i == parts ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
        stop += weight / deceleration(2.0 * i / parts) * (2.0 / parts) / 3.0;
    }
    const Recording run =
        run_model(*loaded.prepared, {.times = {0.0, 1.1 * stop}, .tolerance = 1e-10});
    ASSERT_FALSE(run.error) << run.error->message;
    const std::vector<Event> sticks = events_of(run, "stick");
    ASSERT_EQ(sticks.size(), 1U);
    EXPECT_EQ(sticks[0].name, "hinge");
    EXPECT_NEAR(sticks[0].t, stop, 1e-8 * stop);
    EXPECT_LT(std::abs(run.at(1, "spin")), 1e-14);
}

// reaction(floor) of `0 = z` is negative: the load is its size. x' = 1 - 2 t.
TEST(Friction, LoadCountsByItsSize) {
    for (const char* floor : {"z = 0", "0 = z"}) {
        const Recording run = run_text(
            std::string("coordinate x, z\nparticle P mass 2 at (x, 0, z)\ngravity (0, 0, -10)\n") +
                "constraint floor: " + floor +
                "\nfriction on floor: coulomb(mu = 0.2, slip = x', load = reaction(floor))\n"
                "initial x' = 1\n",
            {.times = even_times(1.0, 4)});
        ASSERT_FALSE(run.error) << run.error->message;
        ASSERT_EQ(events_of(run, "stick").size(), 1U);
        EXPECT_NEAR(events_of(run, "stick")[0].t, 0.5, 1e-12);
        EXPECT_NEAR(run.at(1, "x'"), 0.5, 1e-12);
    }
}

TEST(Friction, EventThatMakesACoefficientNegativeEndsTheRun) {
    const Recording run = run_text(kBlock +
                                       "friction on floor: coulomb(mu = mu)\ninitial x' = 9\n"
                                       "event ice: t = 1 { mu = -0.1 }\n",
                                   {.times = even_times(2.0, 4)});
    ASSERT_TRUE(run.error);
    EXPECT_EQ(run.error->message,
              "at t = 1: the event ice makes the coefficient of the friction on floor negative: "
              "-0.1");
}

// v = v0/(1 + mu v0 t/R) on a great circle: the frame of the tangents, which is another one on the
// lower half, is nobody's business.
TEST(Friction, SphereRubsAllAroundWithoutAnEvent) {
    const Recording run = run_text(
        "coordinate x, y, z\nparticle P mass 1.2 at (x, y, z)\n"
        "constraint ball: dot(position(P), position(P)) = 4\n"
        "friction on ball: coulomb(mu = 0.4)\n"
        "initial x = 2, y = 0, z = 0, y' = 1.8, z' = 2.4\n"
        "output v = norm(velocity(P))\n",
        {.times = even_times(5.0, 20)});
    ASSERT_FALSE(run.error) << run.error->message;
    EXPECT_TRUE(run.rows.events.empty());
    EXPECT_LT(run.at(20, "z"), 0.0);
    for (std::size_t row = 0; row < run.rows.rows(); ++row) {
        EXPECT_NEAR(run.at(row, "v"), 3.0 / (1.0 + 0.6 * run.at(row, "t")), 1e-8);
    }
}

TEST(Friction, ConstraintLeftOutRubsNowhere) {
    Sources sources;
    lang::ParseResult parsed = lang::parse_model_text(
        sources, "test.ank",
        kBlock +
            "friction on floor: coulomb(mu = mu)\noutput N = reaction(floor)\ninitial x' = 1\n",
        {});
    ASSERT_TRUE(parsed.model);
    compile::PrepareOptions options;
    options.without = {"floor"};
    const compile::Preparation preparation = compile::prepare(std::move(*parsed.model), options);
    ASSERT_TRUE(preparation.prepared);
    const Recording run = run_model(*preparation.prepared, {.times = {0.0, 1.0}});
    ASSERT_FALSE(run.error) << run.error->message;
    EXPECT_NEAR(run.at(1, "x"), 1.0, 1e-13);
    EXPECT_EQ(run.at(1, "N"), 0.0);
}

}  // namespace
}  // namespace ananke::pipeline
