#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "ananke/record.h"
#include "io/filter.h"
#include "io/test_run.h"

namespace ananke::io {
namespace {

void send_rows(Recorder& recorder, std::size_t columns, std::size_t rows) {
    std::vector<double> row(columns);
    for (std::size_t i = 0; i < rows; ++i) {
        test_row(i, row);
        row[0] = static_cast<double>(i);
        ASSERT_TRUE(recorder.row(row));
    }
}

std::vector<std::string> names(const Trajectory& trajectory) {
    std::vector<std::string> result;
    for (const Column& column : trajectory.header.columns) {
        result.push_back(column.name);
    }
    return result;
}

TEST(Filter, KeepsTimeAndWhatMatchesInTheOrderOfTheRun) {
    Trajectory kept;
    auto recorder = only(record_in_memory(kept), {"Qc[*", "θ*"});
    ASSERT_TRUE(recorder->begin(test_header()));
    send_rows(*recorder, 7, 3);
    ASSERT_TRUE(recorder->event({1.0, "e", "user", ""}));
    ASSERT_TRUE(recorder->finish("done"));
    EXPECT_EQ(names(kept), (std::vector<std::string>{"t", "θ", "θ'", "Qc[x]"}));
    std::vector<double> row(7);
    test_row(2, row);
    EXPECT_EQ(kept.column("θ")[2], row[2]);
    EXPECT_EQ(kept.column("Qc[x]")[2], row[5]);
    EXPECT_EQ(kept.events.size(), 1U);
    EXPECT_EQ(kept.ending, "done");
}

TEST(Filter, PatternWithoutAColumnNamesTheNearest) {
    Trajectory kept;
    auto exact = only(record_in_memory(kept), {"x", "enrgy"});
    const Result<void> slip = exact->begin(test_header());
    ASSERT_FALSE(slip);
    EXPECT_EQ(slip.error().message, "no column matches 'enrgy'; the nearest is energy");

    auto starred = only(record_in_memory(kept), {"qc[*"});
    const Result<void> other = starred->begin(test_header());
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().message, "no column matches 'qc[*'; the nearest is Qc[x]");
}

TEST(Filter, PatternsAreSplitAtCommas) {
    EXPECT_EQ(split_patterns("x*, force[hinge:*,,"),
              (std::vector<std::string>{"x*", "force[hinge:*"}));
    EXPECT_TRUE(split_patterns("").empty());
}

class Failing final : public Recorder {
  public:
    Result<void> begin(const Header&) override { return {}; }
    Result<void> row(std::span<const double>) override { return Error{ErrorCode::kIo, "full"}; }
    Result<void> event(const Event&) override { return {}; }
    Result<void> finish(const std::string&) override { return Error{ErrorCode::kIo, "late"}; }
};

TEST(Tee, OneFailureDoesNotRobTheOthers) {
    Trajectory first;
    Trajectory last;
    std::vector<std::unique_ptr<Recorder>> all;
    all.push_back(record_in_memory(first));
    all.push_back(std::make_unique<Failing>());
    all.push_back(record_in_memory(last));
    auto recorder = tee(std::move(all));
    ASSERT_TRUE(recorder->begin(test_header()));
    const Result<void> row = recorder->row(std::vector<double>(7, 1.0));
    ASSERT_FALSE(row);
    EXPECT_EQ(row.error().message, "full");
    EXPECT_FALSE(recorder->finish("full"));
    EXPECT_EQ(first.rows(), 1U);
    EXPECT_EQ(last.rows(), 1U);
    EXPECT_EQ(last.ending, "full");
}

TEST(Memory, LimitKeepsEvenlySpacedRowsAndBothEnds) {
    for (std::size_t rows = 1; rows <= 200; ++rows) {
        Trajectory kept;
        auto recorder = record_in_memory(kept, 10);
        ASSERT_TRUE(recorder->begin(test_header()));
        send_rows(*recorder, 7, rows);
        const std::vector<double> t = kept.column("t");
        ASSERT_LE(t.size(), 10U);
        ASSERT_GE(t.size(), std::min<std::size_t>(rows, 5));
        EXPECT_EQ(t.front(), 0.0);
        EXPECT_EQ(t.back(), static_cast<double>(rows - 1));
        for (std::size_t i = 2; i + 1 < t.size(); ++i) {
            ASSERT_EQ(t[i] - t[i - 1], t[1] - t[0]);
        }
    }
}

}  // namespace
}  // namespace ananke::io
