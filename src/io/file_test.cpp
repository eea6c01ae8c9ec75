#include "io/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <thread>

#include "io/test_run.h"

namespace ananke::io {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<File> opened(const std::string& path) {
    auto file = File::open(path);
    EXPECT_TRUE(file) << file.error().message;
    return std::move(file).value();
}

std::size_t entries(const TestFolder& folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()));
}

TEST(File, WhatIsThereStaysUntilTheNewOneIsPutInPlace) {
    const TestFolder folder;
    const std::string path = folder.file("page.html");
    ASSERT_TRUE(write_whole(path, "old"));
    {
        const auto file = opened(path);
        ASSERT_TRUE(file->append("given up"));
        EXPECT_FALSE(file->is_in_place());
    }
    EXPECT_EQ(file_text(path), "old");
    EXPECT_EQ(entries(folder), 1U);
    const auto file = opened(path);
    ASSERT_TRUE(file->append("new"));
    EXPECT_EQ(file_text(path), "old");
    ASSERT_TRUE(file->put_in_place());
    EXPECT_EQ(file_text(path), "new");
    ASSERT_TRUE(file->append(", and more"));
    EXPECT_EQ(file_text(path), "new, and more");
    EXPECT_EQ(entries(folder), 1U);
}

TEST(File, LinksAndRightsAreKept) {
    const TestFolder folder;
    const std::string path = folder.file("real.csv");
    const std::string link = folder.file("link.csv");
    ASSERT_TRUE(write_whole(path, "old"));
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
    fs::create_symlink("real.csv", link);
    ASSERT_TRUE(write_whole(link, "new"));
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(file_text(path), "new");
    EXPECT_EQ(fs::status(path).permissions(),
              fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
}

TEST(File, ANewFileHasTheRightsThatTheUserGivesToFiles) {
    const TestFolder folder;
    const mode_t before = umask(027);
    ASSERT_TRUE(write_whole(folder.file("new"), "text"));
    umask(before);
    EXPECT_EQ(fs::status(folder.file("new")).permissions(),
              fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
}

TEST(File, OfTwoRunsOnOneFileTheSecondIsRefused) {
    const TestFolder folder;
    const std::string path = folder.file("run.csv");
    const std::string busy = "cannot write " + path + ": another run of ananke is writing it";
    for (const bool old : {false, true}) {
        // Both open before either is in its place: the first there has it.
        const auto first = opened(path);
        const auto second = opened(path);
        ASSERT_TRUE(first->append("first"));
        ASSERT_TRUE(second->append("second"));
        ASSERT_TRUE(first->put_in_place());
        const Result<void> late = second->put_in_place();
        ASSERT_FALSE(late) << old;
        EXPECT_EQ(late.error().message, busy);
        // Later ones are refused at once.
        const auto third = File::open(path);
        ASSERT_FALSE(third);
        EXPECT_EQ(third.error().message, busy);
        ASSERT_TRUE(first->append(" goes on"));
        EXPECT_EQ(file_text(path), "first goes on");
        ASSERT_TRUE(first->close());
        ASSERT_TRUE(second->put_in_place());
        EXPECT_EQ(file_text(path), "second");
    }
    EXPECT_EQ(entries(folder), 1U);
}

// Two processes, again and again: whoever says that it has written has its bytes in the file until
// it ends, and never a mixture.
TEST(File, RunsInARaceNeverMix) {
    const TestFolder folder;
    const std::string path = folder.file("run.csv");
    const auto child = [&](char letter) {
        const pid_t id = fork();
        if (id == 0) {
            int good = 0;
            while (good >= 0 && good < 100) {
                const auto file = File::open(path);
                const std::string text(1000, letter);
                if (file && file.value()->append(text) && file.value()->put_in_place()) {
                    const bool more = file.value()->append(text).has_value();
                    good = more && file_text(path) == text + text ? good + 1 : -1;
                }
            }
            _exit(good == 100 ? 0 : 1);
        }
        return id;
    };
    for (const pid_t id : {child('a'), child('b')}) {
        int status = 0;
        ASSERT_EQ(waitpid(id, &status, 0), id);
        EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(entries(folder), 1U);
}

/// Runs `body` in a process that may write files of at most `bytes`; its answer, 255 after a
/// signal.
int in_limited_process(rlim_t bytes, const std::function<int()>& body) {
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_DFL);
        const rlimit limit{bytes, bytes};
        setrlimit(RLIMIT_FSIZE, &limit);
        _exit(body());
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

TEST(File, AFullDiskLeavesTheOldFileAndNothingElse) {
    const TestFolder folder;
    const std::string path = folder.file("page.html");
    ASSERT_TRUE(write_whole(path, "old"));
    const int answer = in_limited_process(10'000, [&] {
        const Result<void> done = write_whole(path, std::string(50'000, 'x'));
        return !done && done.error().message == "cannot write " + path + ": File too large" ? 0 : 1;
    });
    EXPECT_EQ(answer, 0);
    EXPECT_EQ(file_text(path), "old");
    EXPECT_EQ(entries(folder), 1U);
}

TEST(File, KilledAtAnyInstantOneOfBothIsThere) {
    const TestFolder folder;
    const std::string path = folder.file("page.html");
    const std::string a(300'000, 'a');
    const std::string b(200'000, 'b');
    ASSERT_TRUE(write_whole(path, a));
    std::mt19937 random(7);
    std::uniform_int_distribution<int> delay(0, 5'000);
    for (int k = 0; k < 50; ++k) {
        const pid_t child = fork();
        if (child == 0) {
            for (;;) {
                static_cast<void>(write_whole(path, b));
                static_cast<void>(write_whole(path, a));
            }
        }
        std::this_thread::sleep_for(std::chrono::microseconds(delay(random)));
        ASSERT_EQ(kill(child, SIGKILL), 0);
        ASSERT_EQ(waitpid(child, nullptr, 0), child);
        const std::string now = file_text(path);
        ASSERT_TRUE(now == a || now == b) << now.size();
    }
}

TEST(File, PathsThatCannotBeWrittenHaveTheirReason) {
    const TestFolder folder;
    fs::create_symlink("loop", folder.file("loop"));
    ASSERT_TRUE(write_whole(folder.file("file"), ""));
    const std::string long_name = folder.file(std::string(300, 'n'));
    const auto message = [](const std::string& path) {
        const Result<void> done = write_whole(path, "text");
        return done ? "written" : done.error().message;
    };
    EXPECT_EQ(message("/nowhere/page.html"),
              "cannot write /nowhere/page.html: No such file or directory");
    EXPECT_EQ(message(folder.file("loop")),
              "cannot write " + folder.file("loop") + ": Too many levels of symbolic links");
    EXPECT_EQ(message(long_name), "cannot write " + long_name + ": File name too long");
    EXPECT_EQ(message(folder.file("file/page")),
              "cannot write " + folder.file("file/page") + ": Not a directory");
    EXPECT_EQ(message(folder.path().string()),
              "cannot write " + folder.path().string() + ": Is a directory");
    EXPECT_EQ(message("/dev/full"), "cannot write /dev/full: No space left on device");
    EXPECT_EQ(message("/dev/null"), "written");
    // As long as a name can be: the one beside it is shorter.
    EXPECT_EQ(message(folder.file(std::string(255, 'n'))), "written");
}

TEST(File, AFileWithoutRightToWriteIsNotReplaced) {
    const TestFolder folder;
    const std::string path = folder.file("kept");
    ASSERT_TRUE(write_whole(path, "old"));
    fs::permissions(path, fs::perms::owner_read | fs::perms::others_read);
    fs::permissions(folder.path(), fs::perms::all);
    constexpr uid_t kNobody = 65534;
    if (geteuid() == 0 && seteuid(kNobody) != 0) {
        GTEST_SKIP() << "rights cannot be given up here";
    }
    const Result<void> done = write_whole(path, "new");
    if (getuid() == 0) {
        ASSERT_EQ(seteuid(0), 0);
    }
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().message, "cannot write " + path + ": Permission denied");
    EXPECT_EQ(file_text(path), "old");
}

}  // namespace
}  // namespace ananke::io
