#include "io/read_results.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "io/test_run.h"

namespace ananke::io {
namespace {

constexpr std::size_t kRows = 3000;  // more than a chunk of the HDF5 file

void write(Recorder& recorder) {
    ASSERT_TRUE(recorder.begin(test_header()));
    std::vector<double> row(test_header().columns.size());
    for (std::size_t i = 0; i < kRows; ++i) {
        test_row(i, row);
        row[3] = i == 7 ? std::nan("") : row[3];
        ASSERT_TRUE(recorder.row(row));
    }
    ASSERT_TRUE(recorder.event({0.5, "landed, \"soft\"", "stop", "z = 0"}));
    ASSERT_TRUE(recorder.finish("done"));
}

void expect_rows(const Trajectory& read) {
    ASSERT_EQ(read.columns(), test_header().columns.size());
    ASSERT_EQ(read.rows(), kRows);
    std::vector<double> row(read.columns());
    for (std::size_t i = 0; i < kRows; ++i) {
        test_row(i, row);
        for (std::size_t k = 0; k < row.size(); ++k) {
            if (i == 7 && k == 3) {
                EXPECT_TRUE(std::isnan(read.row(i)[k]));
            } else {
                EXPECT_EQ(read.row(i)[k], row[k]);
            }
        }
    }
    for (std::size_t k = 0; k < row.size(); ++k) {
        EXPECT_EQ(read.header.columns[k].name, test_header().columns[k].name);
        EXPECT_EQ(read.header.columns[k].kind, test_header().columns[k].kind);
    }
}

TEST(ReadResults, Hdf5ComesBackAsItWasWritten) {
    const TestFolder folder;
    const std::string path = folder.file("run.h5");
    auto recorder = open_hdf5(path);
    ASSERT_TRUE(recorder);
    write(*recorder.value());
    const Result<Trajectory> read = read_results(path);
    ASSERT_TRUE(read) << read.error().message;
    expect_rows(read.value());
    const Header& header = read.value().header;
    EXPECT_EQ(header.title, test_header().title);
    EXPECT_EQ(header.model_text, test_header().model_text);
    EXPECT_EQ(header.parameters, test_header().parameters);
    EXPECT_EQ(read.value().ending, "done");
    ASSERT_EQ(read.value().events.size(), 1u);
    EXPECT_EQ(read.value().events[0].t, 0.5);
    EXPECT_EQ(read.value().events[0].name, "landed, \"soft\"");
    EXPECT_EQ(read.value().events[0].detail, "z = 0");
}

TEST(ReadResults, CsvComesBackAsItWasWritten) {
    const TestFolder folder;
    const std::string path = folder.file("run.csv");
    auto recorder = open_csv(path);
    ASSERT_TRUE(recorder);
    write(*recorder.value());
    const Result<Trajectory> read = read_results(path);
    ASSERT_TRUE(read) << read.error().message;
    expect_rows(read.value());
}

TEST(ReadResults, KindsFollowFromNames) {
    EXPECT_EQ(kind_of_name("t"), ColumnKind::kTime);
    EXPECT_EQ(kind_of_name("x''"), ColumnKind::kAcceleration);
    EXPECT_EQ(kind_of_name("Qc_ideal[x]"), ColumnKind::kForce);
    EXPECT_EQ(kind_of_name("residual_rate[c]"), ColumnKind::kResidual);
    EXPECT_EQ(kind_of_name("torque[h:door in door].x"), ColumnKind::kPointForce);
    EXPECT_EQ(kind_of_name("energy_balance"), ColumnKind::kEnergy);
    EXPECT_EQ(kind_of_name("lean"), ColumnKind::kOutput);
}

TEST(ReadResults, AFileOfAnotherKindIsRefused) {
    const TestFolder folder;
    EXPECT_EQ(read_results(folder.file("none.h5")).error().message,
              "there is no file " + folder.file("none.h5"));
    EXPECT_EQ(read_results(folder.file("none.csv")).error().message,
              "there is no file " + folder.file("none.csv"));
}

TEST(ReadResults, PathsThatCannotBeReadHaveTheirReason) {
    const TestFolder folder;
    std::filesystem::create_symlink("loop", folder.file("loop"));
    std::filesystem::create_symlink("loop.csv", folder.file("loop.csv"));
    ASSERT_EQ(mkfifo(folder.file("pipe.csv").c_str(), 0600), 0);
    const std::string long_name(300, 'n');
    const auto message = [&](const std::string& name) {
        const Result<Trajectory> read = read_results(folder.file(name));
        return read ? "read" : read.error().message.substr(folder.path().string().size() + 1);
    };
    for (const std::string& ending : {std::string(".csv"), std::string()}) {
        EXPECT_EQ(message("loop" + ending),
                  "loop" + ending + " cannot be read: Too many levels of symbolic links");
        EXPECT_EQ(message(long_name + ending),
                  long_name + ending + " cannot be read: File name too long");
    }
    EXPECT_EQ(message("pipe.csv"), "pipe.csv is not a file");
    EXPECT_EQ(message("."), ". is not a file");
    if (geteuid() == 0) {
        std::ofstream(folder.file("mine.csv")) << "t\n0\n";
        std::filesystem::permissions(folder.file("mine.csv"), std::filesystem::perms::owner_read);
        std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
        constexpr uid_t kNobody = 65534;
        ASSERT_EQ(seteuid(kNobody), 0);
        const std::string forbidden = message("mine.csv");
        ASSERT_EQ(seteuid(0), 0);
        EXPECT_EQ(forbidden, "mine.csv cannot be read: Permission denied");
    }
}

Trajectory from_csv(const std::string& text) {
    const TestFolder folder;
    std::ofstream(folder.file("some.csv"), std::ios::binary) << text;
    Result<Trajectory> read = read_results(folder.file("some.csv"));
    EXPECT_TRUE(read) << read.error().message;
    return read ? std::move(read).value() : Trajectory{};
}

TEST(ReadResults, AByteOrderMarkIsNoPartOfAName) {
    const Trajectory read = from_csv("\xEF\xBB\xBFt,x\n0,1\n");
    EXPECT_EQ(read.header.columns[0].name, "t");
    EXPECT_EQ(read.header.columns[0].kind, ColumnKind::kTime);
    EXPECT_EQ(read.values, (std::vector<double>{0, 1}));
}

TEST(ReadResults, ALineThatIsCutOffIsLeftOut) {
    const std::string whole = "t,x\n0,1.25\n1,2.5\n";
    for (std::size_t size = 4; size <= whole.size(); ++size) {
        const Trajectory read = from_csv(whole.substr(0, size));
        const bool at_end = whole[size - 1] == '\n';
        EXPECT_EQ(read.rows(), size < 11 ? 0 : size < whole.size() ? 1 : 2) << size;
        EXPECT_EQ(read.ending, at_end ? "done" : "the file ends within a line, which is left out");
    }
    const TestFolder folder;
    for (const char* text : {"", "t", "t,x"}) {
        std::ofstream(folder.file("some.csv")) << text;
        EXPECT_EQ(read_results(folder.file("some.csv")).error().message,
                  folder.file("some.csv") + " holds no rows");
    }
}

}  // namespace
}  // namespace ananke::io
