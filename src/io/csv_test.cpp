#include "io/csv.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <random>

#include "io/test_run.h"

namespace ananke::io {
namespace {

using sim::ColumnKind;

std::unique_ptr<sim::Recorder> opened(const std::string& path) {
    auto recorder = open_csv(path);
    EXPECT_TRUE(recorder);
    return std::move(recorder).value();
}

TEST(Csv, ExactText) {
    const TestFolder folder;
    const std::string path = folder.file("run.csv");
    sim::Header header;
    header.columns = {{"t", ColumnKind::kTime},
                      {"θ'", ColumnKind::kVelocity},
                      {"Qc[x]", ColumnKind::kForce},
                      {"a,b", ColumnKind::kOutput},
                      {"say \"x\"", ColumnKind::kOutput}};
    auto recorder = opened(path);
    ASSERT_TRUE(recorder->begin(header));
    const double infinity = std::numeric_limits<double>::infinity();
    ASSERT_TRUE(recorder->row(std::vector{0.0, 0.1, -2.0, 1e-300, 1.0 / 3.0}));
    ASSERT_TRUE(recorder->row(std::vector{0.5, std::nan(""), infinity, -infinity, -0.0}));
    ASSERT_TRUE(recorder->finish("done"));
    EXPECT_EQ(file_text(path),
              "t,θ',Qc[x],\"a,b\",\"say \"\"x\"\"\"\n"
              "0,0.10000000000000001,-2,1e-300,0.33333333333333331\n"
              "0.5,nan,inf,-inf,-0\n");
    EXPECT_FALSE(std::filesystem::exists(path + ".events.csv"));
}

TEST(Csv, EveryDoubleReadsBackExactly) {
    const TestFolder folder;
    const std::string path = folder.file("run.csv");
    sim::Header header;
    header.columns = {{"t", ColumnKind::kTime}};
    auto recorder = opened(path);
    ASSERT_TRUE(recorder->begin(header));
    std::mt19937_64 random(17);
    std::vector<double> written;
    while (written.size() < 100'000) {  // more than one buffer
        const double value = std::bit_cast<double>(random());
        if (std::isfinite(value)) {
            written.push_back(value);
            ASSERT_TRUE(recorder->row({&written.back(), 1}));
        }
    }
    ASSERT_TRUE(recorder->finish("done"));
    const std::string text = file_text(path);
    const char* at = text.c_str() + 2;
    for (const double value : written) {
        char* end = nullptr;
        ASSERT_EQ(std::strtod(at, &end), value);
        ASSERT_EQ(*end, '\n');
        at = end + 1;
    }
    EXPECT_EQ(*at, '\0');
}

TEST(Csv, EventsHaveTheirOwnFile) {
    const TestFolder folder;
    const std::string path = folder.file("run.csv");
    for (const bool with_event : {true, false}) {
        auto recorder = opened(path);
        ASSERT_TRUE(recorder->begin(test_header()));
        if (with_event) {
            ASSERT_TRUE(recorder->event({0.25, "rod", "rank", "rank 2 to 1, row \"rod\""}));
            ASSERT_TRUE(recorder->event({1.0, "stop", "user", ""}));
        }
        ASSERT_TRUE(recorder->finish("done"));
        EXPECT_EQ(file_text(path + ".events.csv"),
                  with_event ? "t,name,kind,detail\n"
                               "0.25,rod,rank,\"rank 2 to 1, row \"\"rod\"\"\"\n"
                               "1,stop,user,\n"
                             : "")
            << "events of an earlier run are removed";
    }
}

TEST(Csv, RowsOfARunGivenUpAreKept) {
    const TestFolder folder;
    const std::string path = folder.file("run.csv");
    sim::Header header;
    header.columns = {{"t", ColumnKind::kTime}};
    auto recorder = opened(path);
    ASSERT_TRUE(recorder->begin(header));
    ASSERT_TRUE(recorder->row(std::vector{1.5}));
    recorder.reset();
    EXPECT_EQ(file_text(path), "t\n1.5\n");
}

TEST(Csv, FailuresNameTheFileAndTheReason) {
    const auto missing = open_csv("/nowhere/run.csv");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().message, "cannot write /nowhere/run.csv: No such file or directory");

    auto recorder = opened("/dev/full");
    const Result<void> full = recorder->begin(test_header());
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().message, "cannot write /dev/full: No space left on device");
}

TEST(Csv, FolderWithoutRightToWrite) {
    const TestFolder folder;
    const ForbiddenFolder forbidden(folder);
    if (!forbidden.holds()) {
        GTEST_SKIP() << "rights cannot be given up here";
    }
    const auto refused = open_csv(folder.file("run.csv"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message,
              "cannot write " + folder.file("run.csv") + ": Permission denied");
}

TEST(Csv, ClosedPipeIsAnErrorNotASignal) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const int kept = dup(STDOUT_FILENO);
    ASSERT_GE(dup2(ends[1], STDOUT_FILENO), 0);
    close(ends[0]);
    auto recorder = opened("-");
    const Result<void> closed = recorder->begin(test_header());
    ASSERT_GE(dup2(kept, STDOUT_FILENO), 0);
    close(kept);
    close(ends[1]);
    ASSERT_FALSE(closed);
    EXPECT_EQ(closed.error().message, "cannot write standard output: Broken pipe");
}

}  // namespace
}  // namespace ananke::io
