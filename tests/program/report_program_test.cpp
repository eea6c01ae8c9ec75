// Reports and pictures as a person asks for them.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.h"

namespace ananke::tests {
namespace {

constexpr bool kHasViewer = ANANKE_HAS_VIEWER;

nlohmann::json data_of(const std::string& page) {
    const std::string begin = "id=\"ananke-report\">";
    const std::size_t from = page.find(begin);
    EXPECT_NE(from, std::string::npos);
    const std::size_t end = page.find("</script>", from);
    return nlohmann::json::parse(page.substr(from + begin.size(), end - from - begin.size()));
}

TEST(ReportProgram, SaysWhatToInstallWhereThereIsNoPage) {
    if (kHasViewer) {
        GTEST_SKIP() << "this program has the page";
    }
    const Scratch scratch;
    const Outcome run = scratch.run("ananke run models/pendulum.ank --report out.html");
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_NE(run.err.find("install node and npm"), std::string::npos) << run.err;
}

TEST(ReportProgram, OnePageHoldsEverything) {
    if (!kHasViewer) {
        GTEST_SKIP() << "built without node";
    }
    const Scratch scratch;
    const Outcome run =
        scratch.run("ananke run models/duffing.ank --report out.html --csv out.csv --only x1");
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_NE(run.out.find("report      out.html\n"), std::string::npos) << run.out;
    const nlohmann::json data = data_of(scratch.read("out.html"));
    EXPECT_EQ(data.at("title"), "Coupled Duffing oscillators");
    EXPECT_EQ(data.at("file"), "duffing.ank");
    EXPECT_EQ(data.at("ending"), "done");
    EXPECT_EQ(data.at("rows"), 501);
    EXPECT_GT(data.at("columns").size(), 15u);  // --only is for the files
    EXPECT_FALSE(data.at("summary").empty());
    EXPECT_FALSE(data.at("tables").empty());
    EXPECT_FALSE(data.contains("compare"));
    std::string equations;
    for (const auto& block : data.at("equations")) {
        equations += block.at("title").get<std::string>() + ": " +
                     block.at("latex").get<std::string>() + "\n";
    }
    EXPECT_NE(equations.find("Mass matrix: M = \\begin{pmatrix} m_{1} & 0 \\\\ 0 & m_{2} "),
              std::string::npos)
        << equations;
    EXPECT_NE(equations.find("Constraint matrix: A = \\begin{pmatrix} 1 & -1 "), std::string::npos)
        << equations;
    EXPECT_NE(equations.find("Minimal equations"), std::string::npos) << equations;
}

TEST(ReportProgram, EquationsOfManyBodiesAreLeftToDerive) {
    if (!kHasViewer) {
        GTEST_SKIP() << "built without node";
    }
    const Scratch scratch;
    scratch.write(
        "chain.ank",
        "gravity (0, -9.81, 0)\n"
        "for i in 1..101 { planar body b[i] mass 1 inertia 1/12 at (i - 0.5, 0), angle 0 }\n"
        "joint j[1]: revolute(ground, b[1] at (-0.5, 0, 0))\n"
        "for i in 2..101 { joint j[i]: revolute(b[i-1] at (0.5, 0, 0), b[i] at (-0.5, 0, 0)) }\n"
        "simulate until 0.01 every 0.01\n");
    const Outcome run = scratch.run("ananke run chain.ank --quiet --report out.html");
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const nlohmann::json equations = data_of(scratch.read("out.html")).at("equations");
    ASSERT_EQ(equations.size(), 1U);
    EXPECT_EQ(equations[0].at("note"),
              "The equations of 303 coordinates are too long for a page: see ananke derive.");
}

TEST(ReportProgram, WithoutSetsTheWholeModelAgainstTheRest) {
    if (!kHasViewer) {
        GTEST_SKIP() << "built without node";
    }
    const Scratch scratch;
    const Outcome run =
        scratch.run("ananke run models/duffing.ank --without guide --report out.html --quiet");
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const nlohmann::json data = data_of(scratch.read("out.html"));
    EXPECT_EQ(data.at("compare").at("label"), "without guide");
    EXPECT_EQ(data.at("compare").at("columns").at(0).at("name"), "t");
    bool compared = false;
    for (const auto& plot : data.at("plots")) {
        compared = compared || plot.value("compare", false);
    }
    EXPECT_TRUE(compared);
    // The whole model is the one with a force of constraint.
    EXPECT_FALSE(data.at("scene").at("arrows").empty());
}

TEST(ReportProgram, TheTitleOfAModelIsText) {
    if (!kHasViewer) {
        GTEST_SKIP() << "built without node";
    }
    const Scratch scratch;
    scratch.write("evil.ank",
                  "model \"</title></script><script>alert(1)</script>\"\ncoordinate x\n"
                  "kinetic x'^2/2 # <img src=x onerror=alert(1)>\nsimulate until 1\n");
    const Outcome run = scratch.run("ananke run evil.ank --report out.html --quiet");
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const std::string page = scratch.read("out.html");
    EXPECT_EQ(page.find("<script>alert"), std::string::npos);
    EXPECT_EQ(page.find("<img src=x"), std::string::npos);
    EXPECT_EQ(data_of(page).at("title"), "</title></script><script>alert(1)</script>");
}

TEST(ReportProgram, ResultsBecomeTheSamePage) {
    if (!kHasViewer) {
        GTEST_SKIP() << "built without node";
    }
    const Scratch scratch;
    ASSERT_EQ(scratch.run("ananke run models/slider_crank.ank --hdf5 r.h5 --report a.html --quiet")
                  .exit_code,
              0);
    const Outcome report = scratch.run("ananke report r.h5 -o b.html");
    ASSERT_EQ(report.exit_code, 0) << report.err;
    nlohmann::json first = data_of(scratch.read("a.html"));
    nlohmann::json second = data_of(scratch.read("b.html"));
    for (const char* key : {"columns", "scene", "plots", "equations", "parameters", "rows"}) {
        EXPECT_EQ(first.at(key), second.at(key)) << key;
    }
    const auto block = [](const std::string& page) {
        const std::size_t from = page.find("id=\"ananke-data\">");
        return page.substr(from, page.find("</script>", from) - from);
    };
    EXPECT_EQ(block(scratch.read("a.html")), block(scratch.read("b.html")));
}

TEST(ReportProgram, ResultsThatCannotBeReadAreSaid) {
    const Scratch scratch;
    scratch.write("no.h5", "this is no such file");
    const Outcome plot = scratch.run("ananke plot no.h5 x -o x.svg");
    EXPECT_EQ(plot.exit_code, 1);
    EXPECT_EQ(plot.err, "ananke: no.h5 is not an HDF5 file\n");
    ASSERT_EQ(scratch.run("ananke run models/duffing.ank --quiet --hdf5 whole.h5").exit_code, 0);
    const std::string bytes = scratch.read("whole.h5");
    const std::string half = bytes.substr(0, bytes.size() / 2);
    scratch.write("half.h5", half);
    EXPECT_EQ(scratch.run("ananke report half.h5 -o half.html").err,
              "ananke: half.h5 is damaged: " + std::to_string(half.size()) + " of " +
                  std::to_string(bytes.size()) + " bytes are there\n");
    scratch.write("mine.ank", "coordinate x");
    EXPECT_EQ(scratch.run("ananke report mine.ank -o x.html").err,
              "ananke: mine.ank is a model, not results: `ananke run` runs it\n");
    EXPECT_EQ(scratch.run("ananke report whole.h5 -o none/x.html").err,
              "ananke: cannot write none/x.html: No such file or directory\n");
    const Outcome missing = scratch.run("ananke plot none.h5 x -o x.svg");
    EXPECT_EQ(missing.err, "ananke: there is no file none.h5\n");
    scratch.write("bad.csv", "t,x\n0,1\n1\n");
    EXPECT_EQ(scratch.run("ananke plot bad.csv x -o x.svg").err,
              "ananke: bad.csv:3: 1 values in a table of 2 columns\n");
    scratch.write("odd.csv", "t,x\n0,one\n");
    EXPECT_EQ(scratch.run("ananke plot odd.csv x -o x.svg").err,
              "ananke: odd.csv:2: 'one' is not a number\n");
    scratch.write("good.csv", "t,x\n0,1\n1,2\n");
    EXPECT_EQ(scratch.run("ananke plot good.csv x -o x.pdf").err,
              "ananke: a picture is written as .svg or .png, not x.pdf\n");
    EXPECT_EQ(scratch.run("ananke plot good.csv y -o x.svg").exit_code, 1);
}

/// The same curve from both kinds of file, point by point.
TEST(ReportProgram, PicturesOfBothKindsOfFileAreTheSame) {
    const Scratch scratch;
    ASSERT_EQ(
        scratch.run("ananke run models/duffing.ank --hdf5 r.h5 --csv r.csv --quiet").exit_code, 0);
    ASSERT_EQ(scratch.run("ananke plot r.h5 'x1, force[guide' -o a.svg").exit_code, 1);
    ASSERT_EQ(scratch.run("ananke plot r.h5 'x1, x2' -o a.svg").exit_code, 0);
    ASSERT_EQ(scratch.run("ananke plot r.csv 'x1, x2' -o b.svg").exit_code, 0);
    const std::string svg = scratch.read("a.svg");
    EXPECT_EQ(svg, scratch.read("b.svg"));
    EXPECT_NE(svg.find(">t [s]</text>"), std::string::npos) << svg;
    EXPECT_NE(svg.find(">x1, x2</text>"), std::string::npos) << svg;
}

}  // namespace
}  // namespace ananke::tests
