#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <random>
#include <thread>

#include "io/test_run.h"

namespace ananke::io {
namespace {

std::unique_ptr<Recorder> opened(const std::string& path) {
    auto recorder = open_csv(path);
    EXPECT_TRUE(recorder);
    return std::move(recorder).value();
}

TEST(Csv, ExactText) {
    const TestFolder folder;
    const std::string path = folder.file("run.csv");
    Header header;
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
    Header header;
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
        ASSERT_TRUE(recorder->row(std::vector<double>(test_header().columns.size())));
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
    Header header;
    header.columns = {{"t", ColumnKind::kTime}};
    auto recorder = opened(path);
    ASSERT_TRUE(recorder->begin(header));
    ASSERT_TRUE(recorder->row(std::vector{1.5}));
    recorder.reset();
    EXPECT_EQ(file_text(path), "t\n1.5\n");
}

TEST(Csv, AnEarlierResultStaysUntilThereAreRowsToReplaceItWith) {
    const TestFolder folder;
    const std::string path = folder.file("run.csv");
    const auto is_old = [&] {
        return file_text(path) == "old" && file_text(path + ".events.csv") == "old events";
    };
    std::ofstream(path) << "old";
    std::ofstream(path + ".events.csv") << "old events";
    Header header;
    header.columns = {{"t", ColumnKind::kTime}};
    {
        auto recorder = opened(path);
        EXPECT_TRUE(is_old());
        ASSERT_TRUE(recorder->begin(header));
        ASSERT_TRUE(recorder->event({0.5, "e", "user", ""}));
        EXPECT_TRUE(is_old());
        ASSERT_TRUE(recorder->finish("failed at the start"));
    }
    EXPECT_TRUE(is_old()) << "a run without rows replaces nothing";
    auto recorder = opened(path);
    ASSERT_TRUE(recorder->begin(header));
    ASSERT_TRUE(recorder->event({0.5, "e", "user", ""}));
    ASSERT_TRUE(recorder->row(std::vector{0.0}));
    EXPECT_TRUE(is_old()) << "rows wait a little";
    ASSERT_TRUE(recorder->finish("done"));
    EXPECT_EQ(file_text(path), "t\n0\n");
    EXPECT_EQ(file_text(path + ".events.csv"), "t,name,kind,detail\n0.5,e,user,\n");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()),
                            std::filesystem::directory_iterator()),
              2)
        << "nothing is left beside them";
}

TEST(Csv, TwoRunsOnOneFileDoNotMix) {
    const TestFolder folder;
    const std::string path = folder.file("run.csv");
    Header header;
    header.columns = {{"t", ColumnKind::kTime}};
    auto first = opened(path);
    auto second = opened(path);
    ASSERT_TRUE(first->begin(header));
    ASSERT_TRUE(second->begin(header));
    std::this_thread::sleep_for(std::chrono::milliseconds(210));
    ASSERT_TRUE(first->row(std::vector{1.0}));
    const Result<void> refused = second->row(std::vector{2.0});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message,
              "cannot write " + path +
                  ": another run of ananke is writing it; no row of this run is in it");
    ASSERT_TRUE(second->finish("failed"));
    const auto third = open_csv(path);
    ASSERT_FALSE(third);
    EXPECT_EQ(third.error().message,
              "cannot write " + path + ": another run of ananke is writing it");
    ASSERT_TRUE(first->row(std::vector{1.5}));
    ASSERT_TRUE(first->finish("done"));
    EXPECT_EQ(file_text(path), "t\n1\n1.5\n");
}

// The message tells the rows that the file has, and the file ends with a whole one.
TEST(Csv, FullDiskLeavesTheRowsThatFitted) {
    const TestFolder folder;
    const std::string path = folder.file("run.csv");
    const std::string told = folder.file("told");
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const rlimit limit{3'000'000, 3'000'000};  // after the first and within a later block
        setrlimit(RLIMIT_FSIZE, &limit);
        auto recorder = open_csv(path);
        bool good = recorder && recorder.value()->begin(test_header());
        std::vector<double> row(test_header().columns.size());
        std::string reason;
        for (std::size_t i = 0; good; ++i) {
            test_row(i, row);
            const Result<void> done = recorder.value()->row(row);
            good = done.has_value();
            reason = good ? "" : done.error().message;
        }
        std::ofstream(told) << reason;
        const bool finished = recorder.value()->finish("full").has_value();
        recorder.value().reset();
        _exit(finished ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    const std::string text = file_text(path);
    const auto lines = std::count(text.begin(), text.end(), '\n');
    EXPECT_GT(text.size(), 2'000'000U);
    EXPECT_EQ(text.back(), '\n');
    EXPECT_EQ(file_text(told), "cannot write " + path + ": File too large; it holds the first " +
                                   std::to_string(lines - 1) + " rows of this run");
    const Result<io::Trajectory> read = read_results(path);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read.value().rows(), static_cast<std::size_t>(lines - 1));
}

TEST(Csv, FullDiskBeforeTheFirstRowLeavesTheEarlierResult) {
    const TestFolder folder;
    const std::string path = folder.file("run.csv");
    std::ofstream(path) << "old";
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const rlimit limit{1'000, 1'000};
        setrlimit(RLIMIT_FSIZE, &limit);
        auto recorder = open_csv(path);
        bool good = recorder && recorder.value()->begin(test_header());
        std::vector<double> row(test_header().columns.size());
        for (std::size_t i = 0; good && i < 100; ++i) {
            test_row(i, row);
            good = recorder.value()->row(row).has_value();
        }
        const Result<void> done = recorder.value()->finish("done");
        const bool told =
            !done && done.error().message ==
                         "cannot write " + path + ": File too large; no row of this run is in it";
        recorder.value().reset();
        _exit(told ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(file_text(path), "old");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()),
                            std::filesystem::directory_iterator()),
              1);
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
