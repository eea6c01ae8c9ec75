// What is not a model's fault: full disks, kills, two runs at once, hostile text, strange paths,
// and models too large for what is asked of them. Never a crash, nothing lost, and a message that
// says what happened.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <random>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sanitizers.h"
#include "program.h"

namespace ananke::tests {
namespace {

namespace fs = std::filesystem;

const char* const kPendulum =
    "coordinate x, y\nparticle bob mass 1 at (x, y, 0)\ngravity (0, -9.81, 0)\n"
    "constraint rod: x^2 + y^2 = 1\ninitial x = 0.6, y ~ -0.8\n";

std::size_t lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// Files that begin with a dot, apart from those in which run() catches the output.
std::vector<std::string> litter(const Scratch& scratch) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(scratch.path())) {
        const std::string name = entry.path().filename().string();
        if (name.front() == '.' && name != ".out" && name != ".err") {
            names.push_back(name);
        }
    }
    return names;
}

TEST(Faults, AFullDiskIsAnErrorThatTellsTheRowsInTheFile) {
    const Scratch scratch;
    scratch.write("p.ank", kPendulum);
    // 20,000 blocks of 512 bytes; the rows take twice as much.
    const std::string run =
        "ulimit -f 20000; ananke run p.ank --until 500 --every 0.01 --csv p.csv";
    const Outcome full = scratch.run(run);
    EXPECT_EQ(full.exit_code, 1) << full.all();
    const std::string text = scratch.read("p.csv");
    ASSERT_FALSE(text.empty());
    EXPECT_EQ(text.back(), '\n');
    EXPECT_EQ(full.err, "ananke: cannot write p.csv: File too large; it holds the first " +
                            std::to_string(lines(text) - 1) + " rows of this run\n");
    EXPECT_NE(full.out.find(" rows computed, not all of them written, "), std::string::npos)
        << full.out;
    EXPECT_EQ(scratch.run("ananke plot p.csv x -o x.svg").exit_code, 0);

    const Outcome hdf5 =
        scratch.run("ulimit -f 20000; ananke run p.ank --until 1000 --every 0.01 --hdf5 p.h5 -q");
    EXPECT_EQ(hdf5.exit_code, 1);
    EXPECT_EQ(hdf5.err.find("ananke: cannot write p.h5: File too large; it holds the first "), 0U)
        << hdf5.err;
    EXPECT_EQ(scratch.run("ananke plot p.h5 x -o x.svg").exit_code, 0);
    EXPECT_EQ(litter(scratch), std::vector<std::string>{});
}

TEST(Faults, AFullDiskLeavesEarlierFiles) {
    const Scratch scratch;
    scratch.write("p.ank", kPendulum);
    ASSERT_EQ(scratch
                  .run("ananke run p.ank --until 9 --csv p.csv --hdf5 p.h5 -q && ananke plot "
                       "p.csv x -o x.svg && ananke plot p.csv x -o x.png")
                  .exit_code,
              0);
    for (const auto& [line, file] :
         {std::pair{"ananke run p.ank --until 5 --csv p.csv -q", "p.csv"},
          {"ananke run p.ank --until 5 --hdf5 p.h5 -q", "p.h5"},
          {"ananke plot p.csv y -o x.svg", "x.svg"},
          {"ananke plot p.csv y -o x.png", "x.png"}}) {
        const std::string before = scratch.read(file);
        const Outcome full = scratch.run(std::string("ulimit -f 2; ") + line);
        EXPECT_EQ(full.exit_code, 1) << line << full.all();
        EXPECT_EQ(full.err.find(std::string("ananke: cannot write ") + file + ": File too large"),
                  0U)
            << full.err;
        EXPECT_EQ(scratch.read(file), before) << line;
    }
    EXPECT_EQ(litter(scratch), std::vector<std::string>{});
}

TEST(Faults, TheSecondOfTwoRunsOnOneFileIsRefused) {
    const Scratch scratch;
    scratch.write("p.ank", kPendulum);
    for (const std::string& option : {std::string("--csv r.csv"), std::string("--hdf5 r.h5")}) {
        const std::string file = option.substr(option.rfind(' ') + 1);
        const Outcome second =
            scratch.run("ananke run p.ank --until 1e6 --every 0.01 -q " + option +
                        " & first=$!\n while ! test -e " + file +
                        "; do sleep 0.05; done\n ananke run p.ank --until 1 -q " + option +
                        "; code=$?\n kill -9 $first; wait $first; exit $code");
        EXPECT_EQ(second.exit_code, 1) << second.all();
        EXPECT_EQ(second.err.find("ananke: cannot write " + file +
                                  ": another run of ananke is writing it\n"),
                  0U)
            << second.err;
        EXPECT_EQ(scratch.run("ananke plot " + file + " x -o x.svg").exit_code, 0);
        // The lock goes with the process that held it.
        EXPECT_EQ(scratch.run("ananke run p.ank --until 1 -q " + option).exit_code, 0);
    }
}

// Killed at any time, the name of the result leads to the earlier result or to a part of the new
// one, and both can be read.
TEST(Faults, AKilledRunLeavesTheEarlierResultOrAPartOfItsOwn) {
    const Scratch scratch;
    scratch.write("p.ank", kPendulum);
    ASSERT_EQ(scratch.run("ananke run p.ank --until 1 --csv old.csv -q").exit_code, 0);
    const std::string old = scratch.read("old.csv");
    std::mt19937 random(3);
    int kept = 0;
    constexpr int kTrials = 15;
    for (int trial = 0; trial < kTrials; ++trial) {
        scratch.write("r.csv", old);
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            if (chdir(scratch.path().c_str()) == 0) {
                execl("bin/ananke", "ananke", "run", "p.ank", "--until", "1e6", "--every", "0.01",
                      "--csv", "r.csv", "--quiet", nullptr);
            }
            _exit(99);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(random() % 500));
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        const std::string now = scratch.read("r.csv");
        kept += now == old ? 1 : 0;
        EXPECT_GT(lines(now), 1U) << "an empty file is no result";
        EXPECT_EQ(scratch.run("ananke plot r.csv x -o x.svg").exit_code, 0);
    }
    EXPECT_GT(kept, 0);
}

TEST(Faults, ALineThatIsCutOffIsLeftOutWithAWarning) {
    const Scratch scratch;
    scratch.write("cut.csv", "t,x\n0,1\n1,2.5\n2,3.");
    const Outcome plot = scratch.run("ananke plot cut.csv x -o x.svg");
    EXPECT_EQ(plot.exit_code, 0);
    EXPECT_EQ(plot.err,
              "ananke: warning: cut.csv: the file ends within a line, which is left out\n");
    scratch.write("no_t.csv", "x,y\n0,1\n1,2\n");
    EXPECT_EQ(scratch.run("ananke plot no_t.csv y -o x.svg").err,
              "ananke: there is no column 't'; did you mean 'x'?\n");
    EXPECT_EQ(scratch.run("ananke plot no_t.csv y --against x -o x.svg").exit_code, 0);
    if (ANANKE_HAS_VIEWER) {
        EXPECT_EQ(scratch.run("ananke report no_t.csv -o x.html").err,
                  "ananke: no_t.csv has no column t: it holds no run\n");
        EXPECT_EQ(scratch.run("ananke report cut.csv -o x.html").exit_code, 0);
    }
}

TEST(Faults, PathsThatLeadNowhereAreMessages) {
    const Scratch scratch;
    fs::create_symlink("loop.h5", scratch.path() / "loop.h5");
    const std::string name(300, 'n');
    for (const std::string& verb :
         {std::string("plot F x -o x.svg"), std::string("report F -o x.html")}) {
        if (verb[0] == 'r' && !ANANKE_HAS_VIEWER) {
            continue;
        }
        const auto on = [&](const std::string& file) {
            return scratch.run("ananke " + verb.substr(0, verb.find('F')) + file +
                               verb.substr(verb.find('F') + 1));
        };
        const Outcome loop = on("loop.h5");
        EXPECT_EQ(loop.exit_code, 1);
        EXPECT_EQ(loop.err, "ananke: loop.h5 cannot be read: Too many levels of symbolic links\n");
        const Outcome too_long = on(name);
        EXPECT_EQ(too_long.exit_code, 1);
        EXPECT_EQ(too_long.err, "ananke: " + name + " cannot be read: File name too long\n");
        EXPECT_EQ(on("models").err, "ananke: models is not a file\n");
        EXPECT_EQ(on("models/duffing.ank/x.h5").err,
                  "ananke: models/duffing.ank/x.h5 cannot be read: Not a directory\n");
    }
    const Outcome model = scratch.run("ananke check " + name);
    EXPECT_EQ(model.exit_code, 1);
    EXPECT_NE(model.err.find("File name too long"), std::string::npos) << model.err;
}

TEST(Faults, NothingThatIsReadIsOverwritten) {
    const Scratch scratch;
    scratch.write("part.ank", "parameter w = 2\n");
    scratch.write("m.ank", std::string("import \"part.ank\"\n") + kPendulum +
                               "output a = part.w\nsimulate until 0.1\n");
    fs::create_hard_link(scratch.path() / "part.ank", scratch.path() / "hard.csv");
    fs::create_symlink("m.ank", scratch.path() / "soft.csv");
    const auto refused = [&](const std::string& options) {
        const std::string model = scratch.read("m.ank");
        const Outcome run = scratch.run("ananke run m.ank " + options);
        EXPECT_EQ(run.exit_code, 1) << options;
        EXPECT_EQ(scratch.read("m.ank"), model);
        EXPECT_EQ(scratch.read("part.ank"), "parameter w = 2\n");
        return run.err;
    };
    EXPECT_EQ(refused("--csv m.ank"),
              "ananke: --csv: the results would overwrite m.ank, which is read\n");
    EXPECT_EQ(refused("--hdf5 ./bin/../m.ank"),
              "ananke: --hdf5: the results would overwrite m.ank, which is read\n");
    EXPECT_EQ(refused("--csv soft.csv"),
              "ananke: --csv: the results would overwrite m.ank, which is read\n");
    EXPECT_EQ(refused("--csv hard.csv"),
              "ananke: --csv: the results would overwrite part.ank, which is read\n");
    EXPECT_EQ(refused("--csv a.csv --hdf5 ./a.csv"),
              "ananke: --csv and --hdf5 both ask for a.csv\n");
    EXPECT_EQ(refused("--csv a.csv --hdf5 a.csv.events.csv"),
              "ananke: --hdf5 and the events of --csv both ask for a.csv.events.csv\n");
    ASSERT_EQ(scratch.run("ananke run m.ank --csv r.csv --hdf5 r.h5 -q; cp r.csv r.svg").exit_code,
              0);
    fs::create_symlink("r.h5", scratch.path() / "r.png");
    EXPECT_EQ(scratch.run("ananke plot r.h5 x -o r.png").err,
              "ananke: -o: the picture would overwrite r.h5, which is read\n");
    if (ANANKE_HAS_VIEWER) {
        EXPECT_EQ(refused("--report part.ank"),
                  "ananke: --report: the results would overwrite part.ank, which is read\n");
        EXPECT_EQ(scratch.run("ananke report r.h5 -o r.h5").err,
                  "ananke: -o: the page would overwrite r.h5, which is read\n");
        EXPECT_EQ(scratch.run("ananke report r.h5 -o part.ank").err,
                  "ananke: the page would overwrite part.ank, which is read\n");
    }
}

// A title may hold what moves a cursor, renames a window or turns the direction of the text.
TEST(Faults, NoTextOfAModelSteersTheTerminal) {
    const Scratch scratch;
    const std::string evil =
        "\x1b]0;mine\x07 \x1b[31m \xC2\x9B"
        "31m \x7F \xE2\x80\xAE \xFF \xC0\x9B θ";
    scratch.write("e.ank", "model \"" + evil + "\"\n" + kPendulum + "simulate until 0.1\n");
    scratch.write("bad.ank", "model \"" + evil + "\" " + evil + "\ncoordinate x = " + evil + "\n");
    scratch.write("evil\x1b[31m.ank", kPendulum);
    for (const char* line :
         {"ananke check e.ank", "ananke run e.ank --plot x", "ananke derive e.ank",
          "ananke derive e.ank --as latex", "ananke derive e.ank --as c", "ananke check bad.ank",
          "ananke run e.ank --hdf5 e.h5 --csv e.csv", "ananke run evil*.ank --until 1",
          "ananke check \"$(printf 'no\\033[31m.ank')\"", "ananke \"$(printf 'no\\033[31m')\"",
          "ananke run e.ank --\"$(printf 'no\\033[31m')\"",
          "ananke run e.ank --until \"$(printf '\\033[31m')\"",
          "ananke plot e.h5 \"$(printf '\\033[31m')\" -o x.svg"}) {
        const std::string shown = scratch.run(line).all();
        EXPECT_FALSE(shown.empty()) << line;
        for (const char c : shown) {
            const auto byte = static_cast<unsigned char>(c);
            EXPECT_TRUE(c == '\n' || c == '\t' || (byte >= 0x20U && byte != 0x7FU)) << line;
        }
        for (const char* part : {"\xC2\x9B", "\xE2\x80\xAE", "\xFF", "\xC0"}) {
            EXPECT_EQ(shown.find(part), std::string::npos) << line;
        }
    }
    EXPECT_EQ(scratch.run("ananke check e.ank").out.find("?]0;mine? ?[31m ?31m ? ? ? ?? θ\n"), 0U);
}

#if !ANANKE_ADDRESS_SANITIZER  // which asks for far more memory than there is
TEST(Faults, MemoryThatRunsOutIsAMessage) {
    const Scratch scratch;
    scratch.write("large.ank",
                  "for i in 1..300000 { coordinate x[i]\n kinetic x[i]'^2/2 }\nsimulate until 1\n");
    for (const char* verb : {"check", "run", "derive"}) {
        const Outcome out =
            scratch.run(std::string("ulimit -v 300000; ananke ") + verb + " large.ank");
        EXPECT_EQ(out.exit_code, 1) << verb;
        EXPECT_EQ(out.err, "ananke: out of memory\n") << verb;
    }
}
#endif

TEST(Faults, EquationsThatAreTooManyAreNotWrittenOut) {
    const Scratch scratch;
    scratch.write("springs.ank",
                  "parameter N = 5000\ncoordinate x[0]\nkinetic x[0]'^2/2\nfor i in 1..N {\n"
                  "  coordinate x[i]\n  kinetic x[i]'^2/2\n  potential (x[i] - x[i-1])^2\n}\n");
    const Outcome many = scratch.run("ulimit -t 20; ananke derive springs.ank");
    EXPECT_EQ(many.exit_code, 1);
    EXPECT_EQ(many.out, "");
    EXPECT_EQ(many.err,
              "ananke: equations are written out for at most 600 coordinates and constraint rows "
              "together, the model has 5001 and 0: make it smaller, as by --set N=10; a run needs "
              "no written equations\n");
    EXPECT_EQ(scratch.run("ananke derive springs.ank --set N=599").exit_code, 0);
    EXPECT_EQ(scratch.run("ananke derive springs.ank --set N=200 --minimal").err,
              "ananke: minimal equations are written out for at most 150 coordinates and "
              "constraint rows together, the model has 201 and 0: make it smaller, as by --set "
              "N=10; a run needs no written equations\n");
    // Every mass is tied to every other: an elimination of n unknowns has n^3/6 terms.
    scratch.write("dense.ank",
                  "parameter N = 200\nlet s[0] = 0\nfor i in 1..N {\n  coordinate x[i]\n"
                  "  let s[i] = s[i-1] + x[i]\n  kinetic s[i]'^2/2\n}\n");
    const Outcome dense = scratch.run("ulimit -t 20; ananke derive dense.ank");
    EXPECT_EQ(dense.exit_code, 1);
    EXPECT_EQ(dense.err,
              "ananke: written out, the acceleration has more than 500000 terms; take another "
              "form, or a smaller model\n");
    EXPECT_NE(dense.out.find("\nMass matrix: M, symmetric\n"), std::string::npos)
        << "what is given is written all the same";
}

// The slope of so many sines inside each other has more characters than there is memory.
TEST(Faults, APageOfDeepExpressionsSaysWhatItLeavesOut) {
    if (!ANANKE_HAS_VIEWER) {
        GTEST_SKIP() << "built without the report page";
    }
    const Scratch scratch;
    scratch.write("deep.ank",
                  "coordinate x\nkinetic x'^2/2\nlet a[0] = x\nfor i in 1..20000 { let a[i] = "
                  "sin(a[i-1]) }\npotential a[20000]\ninitial x = 1\nsimulate until 0.1 every "
                  "0.1\n");
    const Outcome run = scratch.run("ulimit -t 60; ananke run deep.ank --report deep.html -q");
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const std::string page = scratch.read("deep.html");
    EXPECT_LT(page.size(), 10'000'000U);
    EXPECT_NE(page.find("more lines: see ananke derive --as latex --full."), std::string::npos);
}

// Following each choice both ways would take 2^500 steps. The limits are ten times what is needed,
// for machines that have other work.
TEST(Faults, LongChainsOfChoicesAreQuick) {
    const Scratch scratch;
    const auto chain = [&](const std::string& name, const std::string& link) {
        scratch.write(name,
                      "coordinate x\nparticle b mass 1 at (x, 0, 0)\nlet a[0] = x\n"
                      "for i in 1..500 { let a[i] = " +
                          link +
                          " }\n"
                          "potential a[500]\ninitial x = 0.1\nsimulate until 0.01\n");
    };
    chain("jumps.ank", "if a[i-1] > 0 then a[i-1] + i else x");
    const Outcome jumps = scratch.run("ulimit -t 10; ananke check jumps.ank");
    EXPECT_EQ(jumps.exit_code, 1);
    EXPECT_EQ(jumps.err.find("jumps.ank:5:11: error: the 'if' in the potential is not smooth: the "
                             "value jumps where 0 < x changes\n"),
              0U)
        << jumps.err;
    EXPECT_NE(jumps.err.find("\n3 errors\n"), std::string::npos);
    chain("joins.ank", "if a[i-1] > 0 then 0.9*a[i-1] + 0.1*a[i-1]^3 else 0.9*a[i-1]");
    const Outcome joins = scratch.run("ulimit -t 20; ananke check joins.ank");
    EXPECT_EQ(joins.exit_code, 0) << joins.err;
}

}  // namespace
}  // namespace ananke::tests
