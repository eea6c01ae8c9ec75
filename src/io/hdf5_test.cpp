#include <gtest/gtest.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "io/test_run.h"

namespace ananke::io {
namespace {

/// A file read with the library, by the calls any user would make.
class Reader {
  public:
    explicit Reader(const std::string& path) {
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
        file_ = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    }
    ~Reader() {
        if (file_ >= 0) {
            H5Fclose(file_);
        }
    }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    bool is_open() const { return file_ >= 0; }
    bool has(const std::string& name) const {
        return H5Lexists(file_, name.c_str(), H5P_DEFAULT) > 0;
    }

    std::vector<hsize_t> sizes(const std::string& name) const {
        const hid_t data = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
        const hid_t space = H5Dget_space(data);
        std::vector<hsize_t> result(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
        H5Sget_simple_extent_dims(space, result.data(), nullptr);
        H5Sclose(space);
        H5Dclose(data);
        return result;
    }

    std::vector<double> numbers(const std::string& name) const {
        hsize_t count = 1;
        for (const hsize_t size : sizes(name)) {
            count *= size;
        }
        std::vector<double> result(count);
        const hid_t data = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
        EXPECT_GE(H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, result.data()),
                  0);
        H5Dclose(data);
        return result;
    }

    std::vector<std::string> texts(const std::string& name) const {
        std::vector<char*> raw(sizes(name)[0]);
        const hid_t data = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
        const hid_t type = H5Dget_type(data);
        const hid_t space = H5Dget_space(data);
        EXPECT_GE(H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw.data()), 0);
        return taken(data, type, space, raw, H5Dclose);
    }

    std::vector<std::string> attribute(const std::string& object, const std::string& name) const {
        const hid_t attribute =
            H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
        const hid_t type = H5Aget_type(attribute);
        const hid_t space = H5Aget_space(attribute);
        EXPECT_EQ(H5Tget_cset(type), H5T_CSET_UTF8);
        EXPECT_GT(H5Tis_variable_str(type), 0);
        std::vector<char*> raw(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
        EXPECT_GE(H5Aread(attribute, type, raw.data()), 0);
        return taken(attribute, type, space, raw, H5Aclose);
    }

    std::vector<double> attribute_numbers(const std::string& name) const {
        const hid_t attribute = H5Aopen(file_, name.c_str(), H5P_DEFAULT);
        const hid_t space = H5Aget_space(attribute);
        std::vector<double> result(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
        EXPECT_GE(H5Aread(attribute, H5T_NATIVE_DOUBLE, result.data()), 0);
        H5Sclose(space);
        H5Aclose(attribute);
        return result;
    }

  private:
    static std::vector<std::string> taken(hid_t owner, hid_t type, hid_t space,
                                          std::vector<char*>& raw, herr_t (*close)(hid_t)) {
        std::vector<std::string> result;
        for (const char* text : raw) {
            result.emplace_back(text == nullptr ? "(none)" : text);
        }
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, raw.data());
        H5Sclose(space);
        H5Tclose(type);
        close(owner);
        return result;
    }

    hid_t file_;
};

std::unique_ptr<Recorder> opened(const std::string& path) {
    auto recorder = open_hdf5(path);
    EXPECT_TRUE(recorder) << recorder.error().message;
    return std::move(recorder).value();
}

/// Every dataset of the file is the first `rows` rows of the synthetic run.
void expect_prefix(const Reader& file, const Header& header, std::size_t rows) {
    std::vector<double> row(header.columns.size());
    for (const auto& [name, columns] : test_datasets(header)) {
        ASSERT_TRUE(file.has(name));
        ASSERT_EQ(file.sizes(name)[0], rows) << name;
        const std::vector<double> values = file.numbers(name);
        ASSERT_EQ(values.size(), rows * columns.size());
        for (std::size_t i = 0; i < rows; ++i) {
            test_row(i, row);
            for (std::size_t j = 0; j < columns.size(); ++j) {
                ASSERT_EQ(values[i * columns.size() + j], row[columns[j]]) << name << ' ' << i;
            }
        }
    }
}

TEST(Hdf5, LibraryReadsBackEverything) {
    const TestFolder folder;
    const std::string path = folder.file("run.h5");
    const Header header = test_header();
    auto recorder = opened(path);
    EXPECT_FALSE(std::filesystem::exists(path)) << "nothing is destroyed before begin";
    ASSERT_TRUE(recorder->begin(header));
    std::vector<double> row(header.columns.size());
    for (std::size_t i = 0; i < 3000; ++i) {
        test_row(i, row);
        ASSERT_TRUE(recorder->row(row));
        if (i % 1000 == 7) {
            ASSERT_TRUE(recorder->event({row[0], "stick", "rank", "rank 2 → 1"}));
        }
    }
    ASSERT_TRUE(recorder->event({9.5, "", "user", ""}));
    ASSERT_TRUE(recorder->finish("done"));
    recorder.reset();

    const Reader file(path);
    ASSERT_TRUE(file.is_open());
    expect_prefix(file, header, 3000);
    EXPECT_EQ(file.sizes("t").size(), 1U);
    EXPECT_EQ(file.sizes("q"), (std::vector<hsize_t>{3000, 2}));
    EXPECT_FALSE(file.has("lambda")) << "no column of this kind, no dataset";
    EXPECT_EQ(file.attribute("q", "columns"), (std::vector<std::string>{"x", "θ"}));
    EXPECT_EQ(file.attribute("v", "columns"), (std::vector<std::string>{"x'", "θ'"}));
    EXPECT_EQ(file.attribute("/", "title"), std::vector<std::string>{header.title});
    EXPECT_EQ(file.attribute("/", "model"), std::vector<std::string>{header.model_text});
    EXPECT_EQ(file.attribute("/", "version"), std::vector<std::string>{header.version});
    EXPECT_EQ(file.attribute("/", "check"), std::vector<std::string>{""});
    EXPECT_EQ(file.attribute("/", "ending"), std::vector<std::string>{"done"});
    EXPECT_EQ(file.attribute("/", "parameter_names"), (std::vector<std::string>{"g", "μ"}));
    EXPECT_EQ(file.attribute_numbers("parameter_values"), (std::vector<double>{9.81, 0.1}));
    EXPECT_EQ(file.numbers("events/t")[3], 9.5);
    EXPECT_EQ(file.texts("events/name"), (std::vector<std::string>{"stick", "stick", "stick", ""}));
    EXPECT_EQ(file.texts("events/kind")[3], "user");
    EXPECT_EQ(file.texts("events/detail")[0], "rank 2 → 1");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()),
                            std::filesystem::directory_iterator()),
              1)
        << "nothing is left beside it";
}

TEST(Hdf5, FileOfARunThatGoesOnIsWhole) {
    const TestFolder folder;
    const std::string path = folder.file("run.h5");
    const Header header = test_header();
    auto recorder = opened(path);
    ASSERT_TRUE(recorder->begin(header));
    std::vector<double> row(header.columns.size());
    test_row(0, row);
    ASSERT_TRUE(recorder->row(row));
    EXPECT_FALSE(std::filesystem::exists(path)) << "rows wait a little";
    std::this_thread::sleep_for(std::chrono::milliseconds(210));
    test_row(1, row);
    ASSERT_TRUE(recorder->row(row));
    {
        const Reader file(path);
        ASSERT_TRUE(file.is_open());
        expect_prefix(file, header, 2);
        EXPECT_EQ(file.attribute("/", "ending"), std::vector<std::string>{"running"});
        EXPECT_EQ(file.texts("events/name"), std::vector<std::string>{});
        const Result<Trajectory> read = read_results(path);
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(read.value().rows(), 2U);
        EXPECT_EQ(read.value().ending, "running");
    }
    test_row(2, row);
    ASSERT_TRUE(recorder->row(row));
    recorder.reset();  // given up without finish
    const Reader file(path);
    ASSERT_TRUE(file.is_open());
    expect_prefix(file, header, 3);
    EXPECT_EQ(file.attribute("/", "ending"), std::vector<std::string>{"running"});
}

/// Starts a process that writes the synthetic run for ever; kills it `delay` after the file is
/// there and `rows` rows were made.
void write_and_kill(const std::string& path, const Header& header,
                    std::chrono::milliseconds interval, std::size_t rows,
                    std::chrono::microseconds delay) {
    std::filesystem::remove(path);
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        close(ends[0]);
        auto recorder = open_hdf5(path, interval);
        bool good = recorder && recorder.value()->begin(header);
        std::vector<double> row(header.columns.size());
        for (std::size_t i = 0; good; ++i) {
            test_row(i, row);
            good = recorder.value()->row(row).has_value();
            if (good && i % 100 == 0) {
                good = recorder.value()->event({row[0], "stick", "rank", "detail"}).has_value();
            }
            if (i + 1 == rows) {
                good = good && write(ends[1], "r", 1) == 1;
            }
        }
        _exit(1);
    }
    close(ends[1]);
    char made = 0;
    const bool reported = read(ends[0], &made, 1) == 1;
    close(ends[0]);
    ASSERT_TRUE(reported) << "the writer failed";
    while (!std::filesystem::exists(path)) {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        ASSERT_EQ(waitpid(child, nullptr, WNOHANG), 0) << "the writer failed";
    }
    std::this_thread::sleep_for(delay);
    ASSERT_EQ(kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer ended before it was killed";
}

/// `most_rows`: up to which a run goes at least, by chance, before it is killed.
void expect_whole_after_kills(std::chrono::milliseconds interval, int kills, std::size_t most_rows,
                              int delay_us) {
    const TestFolder folder;
    const std::string path = folder.file("run.h5");
    const Header header = test_header();
    std::mt19937 random(20130113);
    std::uniform_int_distribution<int> delay(0, delay_us);
    std::uniform_int_distribution<std::size_t> wanted(1, most_rows);
    for (int k = 0; k < kills; ++k) {
        const std::size_t made = wanted(random);
        ASSERT_NO_FATAL_FAILURE(
            write_and_kill(path, header, interval, made, std::chrono::microseconds(delay(random))));
        const Reader file(path);
        ASSERT_TRUE(file.is_open());
        const std::size_t rows = file.sizes("t")[0];
        // Without an interval every row that was made is there; else at least the first ones.
        EXPECT_GE(rows, interval.count() == 0 ? made : 1);
        ASSERT_NO_FATAL_FAILURE(expect_prefix(file, header, rows));
        const Result<Trajectory> own = read_results(path);
        ASSERT_TRUE(own) << own.error().message;
        EXPECT_EQ(own.value().rows(), rows);
        EXPECT_EQ(file.attribute("/", "ending"), std::vector<std::string>{"running"});
        EXPECT_EQ(file.attribute("q", "columns"), (std::vector<std::string>{"x", "θ"}));
        const std::vector<std::string> kinds = file.texts("events/kind");
        EXPECT_EQ(kinds, std::vector<std::string>(kinds.size(), "rank"));
        EXPECT_EQ(file.sizes("events/t")[0], kinds.size());
    }
}

TEST(Hdf5, KilledAtAnyInstantTheFileHoldsAPrefixOfTheRun) {
    expect_whole_after_kills(std::chrono::milliseconds(200), 20, 1, 450'000);
}

TEST(Hdf5, KilledInTheMiddleOfWritingTheFileIsWhole) {
    // With no interval the process does little else than write.
    expect_whole_after_kills(std::chrono::milliseconds(0), 100, 3000, 3'000);
}

TEST(Hdf5, LongRunNeedsAnIndexOfThreeLevels) {
    constexpr std::size_t kRows = 4'400'000;  // more than 64 x 64 chunks of 1024 rows
    const TestFolder folder;
    const std::string path = folder.file("long.h5");
    Header header = test_header();
    header.columns.resize(2);
    header.columns[1].name = "q";
    auto recorder = opened(path);
    ASSERT_TRUE(recorder->begin(header));
    for (std::size_t i = 0; i < kRows; ++i) {
        const double values[]{static_cast<double>(i), -0.5 * static_cast<double>(i)};
        ASSERT_TRUE(recorder->row(values));
    }
    ASSERT_TRUE(recorder->finish("done"));
    EXPECT_LT(std::filesystem::file_size(path), kRows * 16 * 11 / 10);

    const Reader file(path);
    ASSERT_TRUE(file.is_open());
    const std::vector<double> t = file.numbers("t");
    const std::vector<double> q = file.numbers("q");
    ASSERT_EQ(t.size(), kRows);
    ASSERT_EQ(q.size(), kRows);
    for (std::size_t i = 0; i < kRows; ++i) {
        ASSERT_EQ(t[i], static_cast<double>(i));
        ASSERT_EQ(q[i], -0.5 * static_cast<double>(i));
    }
    const Result<Trajectory> own = read_results(path);
    ASSERT_TRUE(own) << own.error().message;
    EXPECT_EQ(own.value().column("t"), t);
    EXPECT_EQ(own.value().column("q"), q);
}

TEST(Hdf5, ManyColumnsContinueInFurtherAttributes) {
    const TestFolder folder;
    const std::string path = folder.file("wide.h5");
    Header header = test_header();
    header.columns.resize(1);
    for (int i = 0; i < 9000; ++i) {
        header.columns.push_back({"q[" + std::to_string(i) + "]", ColumnKind::kPosition});
    }
    auto recorder = opened(path);
    ASSERT_TRUE(recorder->begin(header));
    std::vector<double> row(header.columns.size());
    for (std::size_t i = 0; i < 40; ++i) {
        test_row(i, row);
        ASSERT_TRUE(recorder->row(row));
    }
    ASSERT_TRUE(recorder->finish("done"));
    const Reader file(path);
    ASSERT_TRUE(file.is_open());
    expect_prefix(file, header, 40);
    EXPECT_EQ(file.attribute("q", "columns").size(), 4000U);
    EXPECT_EQ(file.attribute("q", "columns2").front(), "q[4000]");
    EXPECT_EQ(file.attribute("q", "columns3").back(), "q[8999]");
    const Result<Trajectory> own = read_results(path);
    ASSERT_TRUE(own) << own.error().message;
    ASSERT_EQ(own.value().columns(), 9001U);
    EXPECT_EQ(own.value().header.columns.back().name, "q[8999]");
    test_row(39, row);
    EXPECT_TRUE(std::ranges::equal(own.value().row(39), row));
}

TEST(Hdf5, FailuresNameTheFileAndTheReason) {
    const auto missing = open_hdf5("/nowhere/run.h5");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().message, "cannot write /nowhere/run.h5: No such file or directory");

    auto recorder = opened("/dev/full");
    const Result<void> full = recorder->begin(test_header());
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().message, "cannot write /dev/full: No space left on device");
}

TEST(Hdf5, FolderWithoutRightToWrite) {
    const TestFolder folder;
    const ForbiddenFolder forbidden(folder);
    if (!forbidden.holds()) {
        GTEST_SKIP() << "rights cannot be given up here";
    }
    const auto refused = open_hdf5(folder.file("run.h5"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message,
              "cannot write " + folder.file("run.h5") + ": Permission denied");
}

TEST(Hdf5, FullDiskLeavesTheRowsThatFitted) {
    const TestFolder folder;
    const std::string path = folder.file("run.h5");
    const Header header = test_header();
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const rlimit limit{300'000, 300'000};
        setrlimit(RLIMIT_FSIZE, &limit);
        auto recorder = open_hdf5(path, std::chrono::milliseconds(0));
        bool good = recorder && recorder.value()->begin(header);
        std::vector<double> row(header.columns.size());
        std::string reason;
        for (std::size_t i = 0; good; ++i) {
            test_row(i, row);
            const Result<void> done = recorder.value()->row(row);
            good = done.has_value();
            reason = good ? "" : done.error().message;
        }
        recorder.value().reset();
        std::ofstream(folder.file("told")) << reason;
        _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    const Reader file(path);
    ASSERT_TRUE(file.is_open());
    const std::size_t rows = file.sizes("t")[0];
    EXPECT_GE(rows, 1024U);
    expect_prefix(file, header, rows);
    EXPECT_EQ(file_text(folder.file("told")), "cannot write " + path +
                                                  ": File too large; it holds the first " +
                                                  std::to_string(rows) + " rows of this run");
}

}  // namespace
}  // namespace ananke::io
