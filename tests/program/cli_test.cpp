// The command line: verbs, options, files and exit codes.
#include <cmath>
#include <csignal>
#include <map>
#include <random>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "places.h"
#include "program.h"

namespace ananke::tests {
namespace {

using Table = std::map<std::string, std::vector<double>>;

Table read_csv(const std::string& text) {
    std::istringstream in(text);
    std::string line;
    std::getline(in, line);
    std::vector<std::string> names;
    std::istringstream header(line);
    for (std::string name; std::getline(header, name, ',');) {
        names.push_back(name);
    }
    Table table;
    while (std::getline(in, line)) {
        std::istringstream cells(line);
        std::string cell;
        for (const std::string& name : names) {
            EXPECT_TRUE(std::getline(cells, cell, ',')) << line;
            table[name].push_back(std::strtod(cell.c_str(), nullptr));
        }
    }
    return table;
}

TEST(Cli, AStopByTheModelIsNoFailure) {
    const Scratch scratch;
    scratch.write(
        "drop.ank",
        "coordinate z\nparticle P mass 1 at (0, 0, z)\ngravity (0, 0, -10)\n"
        "event landed: z = 0 falling { stop }\ninitial z = 5\nsimulate until 3 every 0.4\n");
    const Outcome run = scratch.run("ananke run drop.ank --csv drop.csv");
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.err, "");
    EXPECT_NE(run.out.find("\nend         stopped at t = "), std::string::npos) << run.out;
    EXPECT_EQ(read_csv(scratch.read("drop.csv")).at("t"), (std::vector<double>{0.0, 0.4, 0.8}));
    const std::string events = scratch.read("drop.csv.events.csv");
    EXPECT_EQ(events.find("t,name,kind,detail\n"), 0U) << events;
    EXPECT_NE(events.find(",landed,stop,\"z = "), std::string::npos) << events;
    const Outcome check = scratch.run("ananke check drop.ank");
    EXPECT_NE(check.out.find("\nevents\n  landed  z = 0 falling { stop }\n"), std::string::npos)
        << check.out;
}

TEST(Cli, TimesAreExpressionsOfTheParameters) {
    const Scratch scratch;
    const std::string start = "ananke run models/pendulum.ank --csv - -q ";
    const Outcome run = scratch.run(start + "--until '2*pi*sqrt(L/g)' --every pi/8 --set L=4");
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const std::vector<double> times = read_csv(run.out).at("t");
    EXPECT_NEAR(times.at(1), std::acos(-1.0) / 8, 1e-15);
    EXPECT_NEAR(times.back(), 2.0 * std::acos(-1.0) * std::sqrt(4.0 / 9.81), 1e-14);
    const Outcome unknown = scratch.run(start + "--until 2*PI");
    EXPECT_EQ(unknown.exit_code, 1);
    EXPECT_EQ(unknown.err, "ananke: --until 2*PI: unknown name 'PI'; did you mean 'pi'?\n");
    const Outcome broken = scratch.run(start + "--until 2*");
    EXPECT_EQ(broken.exit_code, 1);
    EXPECT_EQ(broken.err.find("ananke: --until 2*: expected "), 0U) << broken.err;
}

TEST(Cli, WritesExactlyTheRequestedRows) {
    const Scratch scratch;
    const Outcome run = scratch.run(
        "ananke run models/duffing.ank --at 0,0.1,0.30000000000000004,1 --csv - --quiet");
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const Table table = read_csv(run.out);
    EXPECT_EQ(table.at("t"), (std::vector<double>{0.0, 0.1, 0.30000000000000004, 1.0}));
    EXPECT_EQ(run.err, "");
    const Outcome regular =
        scratch.run("ananke run models/duffing.ank --until 1 --every 0.3 --csv r.csv");
    ASSERT_EQ(regular.exit_code, 0) << regular.err;
    EXPECT_EQ(read_csv(scratch.read("r.csv")).at("t").size(), 5U);  // 0, 0.3, 0.6, 0.9, 1
}

TEST(Cli, ColumnsAreThoseOfTheContract) {
    const Scratch scratch;
    const Outcome run =
        scratch.run("ananke run models/nonideal_nonholonomic_free.ank --at 0,1 --csv - -q");
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const Table table = read_csv(run.out);
    for (const char* name : {"t", "x", "x'", "x''", "Qc[x]", "Qc_ideal[x]", "Qc_nonideal[x]",
                             "kinetic", "potential", "energy", "energy_balance"}) {
        EXPECT_TRUE(table.count(name)) << name << " in\n" << run.out;
    }
}

TEST(Cli, OnlyFiltersColumnsAndKeepsTime) {
    const Scratch scratch;
    const Outcome run =
        scratch.run("ananke run models/duffing.ank --at 0,1 --only 'x1*,Qc[x2]' --csv - -q");
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.out.substr(0, run.out.find('\n')), "t,x1,x1',x1'',Qc[x2]");
}

TEST(Cli, SettingsChangeParametersAndInitialValues) {
    const Scratch scratch;
    const Outcome run =
        scratch.run("ananke run models/duffing.ank --set A0=0.5 --set \"x2'=1\" --at 0 --csv - -q");
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const Table table = read_csv(run.out);
    EXPECT_EQ(table.at("x2'")[0], 1.0);
    EXPECT_NEAR(table.at("x1'")[0], 1.0 + 0.5 * 2.0 * std::acos(-1.0), 1e-14);
    const Outcome chain = scratch.run("ananke run models/chain.ank --set N=3 --at 0 --csv - -q");
    ASSERT_EQ(chain.exit_code, 0) << chain.err;
    EXPECT_TRUE(read_csv(chain.out).count("x[3]"));
    EXPECT_FALSE(read_csv(chain.out).count("x[4]"));
}

TEST(Cli, WithoutLeavesConstraintsOut) {
    const Scratch scratch;
    const Outcome run =
        scratch.run("ananke run models/duffing.ank --without guide --at 0,1 --csv - -q");
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const Table table = read_csv(run.out);
    EXPECT_FALSE(table.count("lambda[guide]"));
    EXPECT_EQ(table.at("Qc[x1]")[1], 0.0);
}

// A door on two hinges that share its load, one of them with friction.
constexpr const char* kDoor =
    "gravity (0, 0, -9.81)\n"
    "body door mass 20 inertia (6.67, 8.33, 1.67) at (0.5, 0, 1) omega (0, 0, 2)\n"
    "joint low: revolute(ground, door at (-0.5, 0, -1))\n"
    "joint high: revolute(ground at (0, 0, 2), door at (-0.5, 0, 1))\n";

TEST(Cli, AJointStandsForAllItsConstraints) {
    const Scratch scratch;
    scratch.write("door.ank", kDoor);
    const Outcome both = scratch.run("ananke check door.ank");
    EXPECT_NE(both.out.find("11 constraint rows of rank 6"), std::string::npos) << both.out;
    const Outcome one = scratch.run("ananke check door.ank --without high");
    EXPECT_EQ(one.exit_code, 0) << one.err;
    EXPECT_NE(one.out.find("6 constraint rows of rank 6"), std::string::npos) << one.out;
    const Outcome evidence =
        scratch.run("ananke derive door.ank --without high --minimal --evidence low");
    EXPECT_EQ(evidence.exit_code, 0) << evidence.err;
    EXPECT_NE(evidence.out.find("lambda[low.tilt2]"), std::string::npos) << evidence.out;
    const Outcome wrong = scratch.run("ananke check door.ank --without hihg");
    EXPECT_EQ(wrong.exit_code, 1);
    EXPECT_NE(wrong.err.find("did you mean 'high'?"), std::string::npos) << wrong.err;
}

TEST(Cli, TheSummaryNamesReactionsThatAreOneOfMany) {
    const Scratch scratch;
    scratch.write("door.ank", kDoor);
    const Outcome both = scratch.run("ananke run door.ank --until 1");
    EXPECT_NE(both.out.find("reactions   statically indeterminate (one share of many is given): "
                            "force[low:"),
              std::string::npos)
        << both.out;
    const Outcome one = scratch.run("ananke run door.ank --until 1 --without high");
    EXPECT_EQ(one.out.find("statically indeterminate"), std::string::npos) << one.out;
}

TEST(Cli, DeriveWarnsOfFrictionThatItLeavesOut) {
    const Scratch scratch;
    scratch.write("door.ank",
                  std::string(kDoor) + "friction on low: coulomb(mu = 0.2, radius = 0.01)\n");
    for (const char* notation : {"text", "c"}) {
        const Outcome derived =
            scratch.run(std::string("ananke derive door.ank --without high --as ") + notation);
        EXPECT_EQ(derived.exit_code, 0) << derived.err;
        EXPECT_EQ(derived.err,
                  "ananke: warning: these equations leave out the friction on low; `ananke run` "
                  "has it\n");
    }
}

TEST(Cli, FormsGiveOneMotion) {
    const Scratch scratch;
    const std::string line =
        "ananke run models/two_link_pendulum.ank --tolerance 1e-12 --at 1 --csv - -q --form ";
    const double expected = read_csv(scratch.run(line + "auto").out).at("y")[0];
    for (const char* form :
         {"fundamental", "phohomsiri", "schutte", "wanichanon", "multipliers", "minimal"}) {
        const Outcome run = scratch.run(line + form);
        ASSERT_EQ(run.exit_code, 0) << form << run.err;
        EXPECT_NEAR(read_csv(run.out).at("y")[0], expected, 1e-10) << form;
    }
    // Fundamental needs M > 0; the quaternion top has a singular M.
    const Outcome refused = scratch.run("ananke run models/free_top.ank --form fundamental");
    EXPECT_NE(refused.exit_code, 0);
    EXPECT_NE(refused.err.find("singular"), std::string::npos) << refused.err;
}

TEST(Cli, DriftWithoutProjectionIsVisibleAndBaumgarteReducesIt) {
    const Scratch scratch;
    const auto worst = [&](const std::string& drift) {
        const Outcome run = scratch.run(
            "ananke run models/two_link_pendulum.ank --until 20 --tolerance 1e-8 --csv - -q "
            "--only 't,residual[rod1]' --drift " +
            drift);
        EXPECT_EQ(run.exit_code, 0) << run.err;
        double largest = 0.0;
        const std::vector<double> residuals = read_csv(run.out).at("residual[rod1]");
        for (const double r : residuals) {
            largest = std::max(largest, std::abs(r));
        }
        return largest;
    };
    const double none = worst("none");
    const double baumgarte = worst("baumgarte --baumgarte-rate 20");
    const double project = worst("project");
    EXPECT_GT(none, 1e-9);
    EXPECT_LT(baumgarte, 0.1 * none);
    EXPECT_LT(project, 1e-13);
}

TEST(Cli, ReadsAModelFromStandardInput) {
    const Scratch scratch;
    const Outcome run = scratch.run("cat models/duffing.ank | ananke run - --at 0,1 --csv - -q");
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(read_csv(run.out).at("t").size(), 2U);
}

TEST(Cli, WrongInputIsExitCodeOneWithAHint) {
    const Scratch scratch;
    scratch.write("bad.ank", "coordinate x\nkinetic x'^2/2\nsimulat until 3\n");
    const std::vector<std::pair<std::string, std::string>> cases{
        {"ananke", "subcommand"},
        {"ananke rnu models/duffing.ank", "there is no verb 'rnu'"},
        {"ananke rnu models/duffing.ank", "; did you mean run?"},
        {"ananke run missing.ank", "ananke: error: there is no file missing.ank\n1 error\n"},
        {"ananke run bda.ank", "there is no file bda.ank; did you mean 'bad.ank'?"},
        {"ananke run models/duffing",
         "there is no file models/duffing; did you mean 'models/duffing.ank'?"},
        {"ananke run models", "models is not a file"},
        {"ananke run models/duffing.ank --tolerence 1e-6",
         "ananke: run has no option --tolerence; did you mean --tolerance?\n"},
        {"ananke run --tolerence=1e-6 models/duffing.ank", "--tolerance?"},
        {"ananke derive models/duffing.ank --xyz", "ananke: derive has no option --xyz\n"},
        {"ananke run bad.ank", "simulate"},
        {"ananke run models/duffing.ank --form best", "fundamental"},
        {"ananke run models/duffing.ank --set amplitude=2", "amplitude"},
        {"ananke run models/duffing.ank --without gide", "did you mean 'guide'"},
        {"ananke run models/duffing.ank --only 'enrgy'", "energy"},
        {"ananke run models/duffing.ank --plot x3", "x"},
        {"ananke run models/duffing.ank --at 2,1", "ascending"},
        {"ananke run models/duffing.ank --every 0", "positive"},
        {"ananke run models/duffing.ank --until -1", "-1"},
        {"ananke run models/duffing.ank --tolerance 0", "1e-14"},
        {"ananke run models/duffing.ank --csv no/such/folder.csv", "no/such/folder.csv"},
        {"ananke run models/duffing.ank --csv /dev/full", "No space left"},
        {"ananke run models/duffing.ank >/dev/full", "No space left"},
        {"ananke derive models/duffing.ank --as c >/dev/full", "No space left"},
        {"ananke run bad.ank --csv bad.ank", "simulate"},
        {"cp models/duffing.ank own.ank; ananke run own.ank --csv own.ank",
         "overwrite own.ank, which is read"},
        {"ananke run models/duffing.ank --csv r.csv --hdf5 r.csv", "both ask for r.csv"},
    };
    for (const auto& [line, hint] : cases) {
        const Outcome run = scratch.run(line);
        EXPECT_EQ(run.exit_code, 1) << line << "\n" << run.all();
        EXPECT_NE(run.err.find(hint), std::string::npos) << line << "\n" << run.err;
    }
}

TEST(Cli, TextThatCannotBeWrittenIsNoCrash) {
    const Scratch scratch;
    EXPECT_EQ(scratch.run("( ananke run missing.ank ) 2>/dev/full").exit_code, 1);
    EXPECT_EQ(scratch.run("( ananke run missing.ank ) 2>&-").exit_code, 1);
    EXPECT_EQ(scratch
                  .run("( ananke run models/duffing.ank --every 0.0001 --csv - -q; "
                       "echo $? >code ) | head -1")
                  .exit_code,
              0);
    EXPECT_EQ(scratch.read("code"), "1\n");
}

TEST(Cli, EnergyBalanceCountsFromTheStart) {
    const Scratch scratch;
    const auto balance = [&](const std::string& at) {
        return read_csv(scratch.run("ananke run models/duffing.ank --csv - -q --at " + at).out)
            .at("energy_balance")
            .back();
    };
    EXPECT_EQ(balance("5"), balance("0,5"));
    EXPECT_NE(balance("5"), 0.0);
}

TEST(Cli, ValuesThatAreNotFiniteAreMentioned) {
    const Scratch scratch;
    scratch.write("inf.ank",
                  "coordinate x\nkinetic x'^2/2\ninitial x' = 1\noutput a = 1/x\n"
                  "simulate until 1\n");
    const Outcome run = scratch.run("ananke run inf.ank");
    EXPECT_EQ(run.exit_code, 0) << run.all();
    EXPECT_NE(
        run.out.find("warning     not a finite number: a at t = 0: inf.ank:4:12: 1/x with x = 0\n"),
        std::string::npos)
        << run.out;
}

TEST(Cli, FailedRunKeepsItsRowsAndSaysWhereAndWhy) {
    const Scratch scratch;
    scratch.write("wall.ank",
                  "coordinate x\nkinetic x'^2/2\nforce on x = 1/(1 - x)^2\n"
                  "initial x = 0, x' = 1\nsimulate until 5 every 0.01\n");
    const Outcome run = scratch.run("ananke run wall.ank --csv wall.csv");
    EXPECT_EQ(run.exit_code, 2) << run.all();
    EXPECT_NE(run.err.find("t = "), std::string::npos) << run.err;
    const Table table = read_csv(scratch.read("wall.csv"));
    ASSERT_GT(table.at("t").size(), 3U);
    EXPECT_LT(table.at("t").back(), 5.0);
    for (const double x : table.at("x")) {
        EXPECT_TRUE(std::isfinite(x));
    }
}

// RH section 6: Appell's particle comes to rest at w0 (1 + a^2)/(g a) = 10/9.81, where the row is
// 0.
TEST(Cli, RunEndsWhereAConstraintVanishes) {
    const Scratch scratch;
    const Outcome run = scratch.run(
        "ananke run models/appell_a1_up.ank --until 1.5 --every 0.001 --csv appell.csv");
    EXPECT_EQ(run.exit_code, 2) << run.all();
    EXPECT_NE(run.err.find("at t = 1.01936799: the gradient of the constraint appell vanishes"),
              std::string::npos)
        << run.err;
    EXPECT_NEAR(read_csv(scratch.read("appell.csv")).at("t").back(), 1.019, 1e-12);
}

// A ball on a spring floor, in closed form: it falls 1 m, touches for s with
// x = -g/k + g/k cos(w s) + v0/w sin(w s), and rises again; the switches are events.
TEST(Cli, ForceThatSwitchesIsFollowedExactly) {
    const Scratch scratch;
    scratch.write("bounce.ank",
                  "parameter k = 10000, g = 10\ncoordinate x\nkinetic x'^2/2\n"
                  "force on x = if x < 0 then -k*x else 0\nforce on x = -g\ninitial x = 1\n"
                  "simulate until 0.9 every 0.01\n");
    const Outcome run = scratch.run("ananke run bounce.ank --tolerance 1e-12 --csv b.csv");
    ASSERT_EQ(run.exit_code, 0) << run.all();
    const Table table = read_csv(scratch.read("b.csv"));
    const double g = 10.0, k = 1e4, w = std::sqrt(k), fall = std::sqrt(2.0 / g);
    const double v0 = -std::sqrt(2.0 * g);
    // x = 0 again where tan(w s / 2) = -v0 w / g ... of the second quadrant
    const double touch = 2.0 * (std::acos(-1.0) - std::atan(-v0 * w / g)) / w;
    for (std::size_t i = 0; i < table.at("t").size(); ++i) {
        const double t = table.at("t")[i];
        const double s = t - fall;
        const double u = s - touch;
        const double x = s < 0.0   ? 1.0 - g * t * t / 2.0
                         : u < 0.0 ? g / k * (std::cos(w * s) - 1.0) + v0 / w * std::sin(w * s)
                                   : -v0 * u - g * u * u / 2.0;
        EXPECT_NEAR(table.at("x")[i], x, 1e-11) << t;
    }
    std::istringstream events(scratch.read("b.csv.events.csv"));
    std::string line;
    std::getline(events, line);
    EXPECT_EQ(line, "t,name,kind,detail");
    std::getline(events, line);
    EXPECT_NEAR(std::stod(line), fall, 1e-12);
    EXPECT_NE(line.find(",x < 0,switch,true from here on"), std::string::npos) << line;
    std::getline(events, line);
    EXPECT_NEAR(std::stod(line), fall + touch, 1e-12);
}

TEST(Cli, MotionThatSticksToASwitchIsAnError) {
    const Scratch scratch;
    scratch.write("dry.ank",
                  "coordinate x\nkinetic x'^2/2\nforce on x = 0.5 - 1.5*sign(x')\n"
                  "initial x' = 1\nsimulate until 3\n");
    const Outcome run = scratch.run("ananke run dry.ank --csv dry.csv");
    EXPECT_EQ(run.exit_code, 2) << run.all();
    EXPECT_NE(run.err.find("at t = 1: the force law switches back and forth at x' < 0"),
              std::string::npos)
        << run.err;
    EXPECT_LE(read_csv(scratch.read("dry.csv")).at("t").back(), 1.0);
}

TEST(Cli, HelpHasExamplesAndVersionIsPrinted) {
    const Scratch scratch;
    for (const char* line : {"ananke --help", "ananke run --help", "ananke check --help"}) {
        const Outcome run = scratch.run(line);
        EXPECT_EQ(run.exit_code, 0);
        EXPECT_NE(run.out.find("Examples:"), std::string::npos) << line;
    }
    EXPECT_EQ(scratch.run("ananke --version").out.rfind("ananke ", 0), 0U);
}

/// A run long enough to be stopped in the middle.
constexpr const char* kLongModel =
    "model \"Long\"\nparameter N = 12\nfor i in 1..N { coordinate x[i], y[i]\n"
    "particle P[i] mass 1 at (x[i], y[i], 0) }\ngravity (0, -9.81, 0)\n"
    "constraint link[1]: x[1]^2 + y[1]^2 = 1\n"
    "for i in 2..N { constraint link[i]: (x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 = 1 }\n"
    "for i in 1..N { initial x[i] = i, y[i] = 0 }\nsimulate until 100000 every 0.01\n";

/// The program in the background, with standard input from a descriptor if it is given.
pid_t start(const Scratch& scratch, const std::vector<std::string>& arguments, int input = -1) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        std::vector<char*> argv;
        std::vector<std::string> copy = arguments;
        for (std::string& argument : copy) {
            argv.push_back(argument.data());
        }
        argv.push_back(nullptr);
        if (chdir(scratch.path().c_str()) != 0 || freopen("/dev/null", "w", stdout) == nullptr ||
            freopen("stderr.txt", "w", stderr) == nullptr) {
            _exit(99);
        }
        if (input >= 0) {
            dup2(input, STDIN_FILENO);
        }
        execv(places::program(), argv.data());
        _exit(99);
    }
    return child;
}

void sleep_ms(int ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

TEST(Cli, CtrlCKeepsTheRowsAndExitsWith130) {
    const Scratch scratch;
    scratch.write("long.ank", kLongModel);
    const pid_t child = start(scratch, {"ananke", "run", "long.ank", "--csv", "long.csv"});
    for (int i = 0; i < 500 && scratch.read("long.csv").size() < 20000; ++i) {
        sleep_ms(20);
    }
    kill(child, SIGINT);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 130);
    const std::string text = scratch.read("long.csv");
    EXPECT_EQ(text.back(), '\n');
    EXPECT_GT(read_csv(text).at("t").size(), 10U);
}

/// Waits until the program has taken SIGINT into its own hands.
void wait_for_handler(pid_t child) {
    const std::string path = "/proc/" + std::to_string(child) + "/status";
    const std::string label = "SigCgt:";
    for (int i = 0; i < 1500; ++i) {
        const std::string status = read_text(path);
        const std::size_t at = status.find(label);
        if (at != std::string::npos &&
            (std::strtoull(status.c_str() + at + label.size(), nullptr, 16) &
             (1ULL << (SIGINT - 1))) != 0) {
            return;
        }
        sleep_ms(20);
    }
    ADD_FAILURE() << "SIGINT is not caught";
}

int exit_code_after(pid_t child, int signal) {
    kill(child, signal);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// A model that never comes to its end on standard input: certainly before the first step.
TEST(Cli, CtrlCBeforeTheFirstStepSaysSoAndLeavesNoFile) {
    for (const int signal : {SIGINT, SIGTERM}) {
        const Scratch scratch;
        int ends[2];
        ASSERT_EQ(pipe(ends), 0);
        const pid_t run =
            start(scratch, {"ananke", "run", "-", "--csv", "r.csv", "--hdf5", "r.h5"}, ends[0]);
        wait_for_handler(run);
        // The verb is known as soon as a byte of the model has been taken.
        ASSERT_EQ(write(ends[1], "\n", 1), 1);
        for (int left = 1; left > 0; sleep_ms(10)) {
            ASSERT_EQ(ioctl(ends[0], FIONREAD, &left), 0);
        }
        EXPECT_EQ(exit_code_after(run, signal), 130);
        EXPECT_EQ(scratch.read("stderr.txt"),
                  "ananke: interrupted before the first step; nothing was written\n");
        EXPECT_FALSE(std::filesystem::exists(scratch.path() / "r.csv"));
        EXPECT_FALSE(std::filesystem::exists(scratch.path() / "r.h5"));
        for (const char* verb : {"check", "derive"}) {
            const pid_t child = start(scratch, {"ananke", verb, "-"}, ends[0]);
            wait_for_handler(child);
            EXPECT_EQ(exit_code_after(child, signal), 130);
            EXPECT_EQ(scratch.read("stderr.txt"), "ananke: interrupted; nothing was written\n");
        }
        close(ends[0]);
        close(ends[1]);
    }
}

// Thousands of bodies are read, derived and planned for seconds, wherever the signal falls.
TEST(Cli, CtrlCEndsTheStartOfALargeModel) {
    const Scratch scratch;
    scratch.write("large.ank",
                  "gravity (0, 0, -9.81)\nfor i in 1..4000 {\n"
                  "body B[i] mass 1 inertia (1, 1, 1) at (i, 0, 0)\n"
                  "joint J[i]: spherical(ground at (i, 0, 1), B[i] at (0, 0, 1)) }\n"
                  "simulate until 1\n");
    for (const char* verb : {"run", "check", "derive"}) {
        const pid_t child = start(scratch, {"ananke", verb, "large.ank"});
        wait_for_handler(child);
        sleep_ms(200);
        EXPECT_EQ(exit_code_after(child, SIGINT), 130) << verb;
        EXPECT_EQ(scratch.read("stderr.txt").rfind("ananke: interrupted", 0), 0U)
            << scratch.read("stderr.txt");
    }
}

// One step of the integrator holds all of these rows.
TEST(Cli, CtrlCEndsARunInsideTheRowsOfAStep) {
    const Scratch scratch;
    scratch.write("rows.ank",
                  "coordinate x\nkinetic x'^2/2\ninitial x = 0, x' = 1\n"
                  "simulate until 1 every 1e-7\n");
    const pid_t child = start(scratch, {"ananke", "run", "rows.ank", "--csv", "rows.csv"});
    const std::filesystem::path rows = scratch.path() / "rows.csv";
    std::error_code none;
    for (int i = 0; i < 1500; ++i) {
        if (std::filesystem::exists(rows) && std::filesystem::file_size(rows, none) > 20000) {
            break;
        }
        sleep_ms(20);
    }
    EXPECT_EQ(exit_code_after(child, SIGINT), 130);
    const std::string text = scratch.read("stderr.txt");
    EXPECT_EQ(text.rfind("ananke: interrupted at t = ", 0), 0U) << text;
    EXPECT_NE(text.find(" are kept)\n"), std::string::npos) << text;
    EXPECT_EQ(scratch.read("rows.csv").back(), '\n');
}

std::vector<double> read_dataset(const std::filesystem::path& path, const char* name) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    EXPECT_GE(file, 0) << path;
    std::vector<double> values;
    if (file >= 0) {
        const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
        const hid_t space = H5Dget_space(set);
        values.resize(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
        EXPECT_GE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
        H5Sclose(space);
        H5Dclose(set);
        H5Fclose(file);
    }
    return values;
}

TEST(Cli, Hdf5SurvivesAKillAtAnyTime) {
    const Scratch scratch;
    scratch.write("long.ank", kLongModel);
    ASSERT_EQ(scratch.run("ananke run long.ank --until 40 --hdf5 full.h5 -q").exit_code, 0);
    const std::vector<double> full_t = read_dataset(scratch.path() / "full.h5", "t");
    const std::vector<double> full_q = read_dataset(scratch.path() / "full.h5", "q");
    const std::size_t width = full_q.size() / full_t.size();
    std::mt19937 random(7);
    int with_rows = 0;
    for (int trial = 0; trial < 20; ++trial) {
        const std::filesystem::path path = scratch.path() / "killed.h5";
        std::filesystem::remove(path);
        const pid_t child = start(scratch, {"ananke", "run", "long.ank", "--until", "40", "--hdf5",
                                            "killed.h5", "--quiet"});
        for (int i = 0; i < 15000 && !std::filesystem::exists(path); ++i) {
            sleep_ms(2);
        }
        sleep_ms(static_cast<int>(random() % 600));
        kill(child, SIGKILL);
        int status = 0;
        waitpid(child, &status, 0);
        const std::vector<double> t = read_dataset(path, "t");
        const std::vector<double> q = read_dataset(path, "q");
        ASSERT_LE(t.size(), full_t.size());
        ASSERT_EQ(q.size(), t.size() * width);
        EXPECT_TRUE(std::equal(t.begin(), t.end(), full_t.begin()));
        EXPECT_TRUE(std::equal(q.begin(), q.end(), full_q.begin()));
        with_rows += t.empty() ? 0 : 1;
    }
    EXPECT_GT(with_rows, 3);
}

}  // namespace
}  // namespace ananke::tests
