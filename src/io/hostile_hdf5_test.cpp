// Files of results that nobody vouches for: whatever they hold, reading ends with rows or with a
// message, takes no more memory than in proportion to the file, and never looks elsewhere.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <random>

#include "io/read_results.h"
#include "io/test_run.h"

namespace ananke::io {
namespace {

const char* const kOnlyOurs = "; only files as `ananke run --hdf5` writes them can be read";

/// A file made with the library by calls that our writer never makes.
class Crafted {
  public:
    explicit Crafted(const std::string& path, hid_t access = H5P_DEFAULT)
        : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access)) {}
    ~Crafted() { H5Fclose(file_); }
    Crafted(const Crafted&) = delete;
    Crafted& operator=(const Crafted&) = delete;

    hid_t file() const { return file_; }
    void dataset(const char* name, const std::vector<hsize_t>& sizes, hid_t creation,
                 hid_t type = H5T_NATIVE_DOUBLE) const {
        const hid_t space = H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr);
        const hid_t data = H5Dcreate2(file_, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
        EXPECT_GE(data, 0) << name;
        H5Dclose(data);
        H5Sclose(space);
    }

  private:
    hid_t file_;
};

/// Properties of a dataset, given back at the end.
class Creation {
  public:
    Creation() : id_(H5Pcreate(H5P_DATASET_CREATE)) {}
    ~Creation() { H5Pclose(id_); }
    Creation(const Creation&) = delete;
    Creation& operator=(const Creation&) = delete;
    hid_t id() const { return id_; }
    Creation& chunks(std::vector<hsize_t> sizes) {
        H5Pset_chunk(id_, static_cast<int>(sizes.size()), sizes.data());
        return *this;
    }

  private:
    hid_t id_;
};

std::string message_of(const std::string& path) {
    const Result<Trajectory> read = read_results(path);
    return read ? "read" : read.error().message;
}

TEST(HostileHdf5, SizesBeyondTheFileAreRefused) {
    const TestFolder folder;
    struct Case {
        const char* name;
        std::vector<hsize_t> sizes, chunks;
    };
    const hsize_t huge = hsize_t{1} << 61U;
    for (const Case& one : {Case{"overflow.h5", {huge, 8}, {16, 8}},       // rows x columns is 2^64
                            Case{"overflow2.h5", {huge + 1, 8}, {16, 8}},  // or 8 more
                            Case{"length.h5", {hsize_t{1} << 62U}, {16}},
                            Case{"huge.h5", {hsize_t{1} << 40U}, {16}}}) {
        const std::string path = folder.file(one.name);
        {
            const Crafted crafted(path);
            crafted.dataset("t", one.sizes, Creation().chunks(one.chunks).id());
        }
        EXPECT_EQ(message_of(path),
                  path + " is damaged: a dataset claims more values than the file has room for");
    }
}

TEST(HostileHdf5, NothingLeadsOutOfTheFile) {
    const TestFolder folder;
    const std::string secret = folder.file("secret");
    std::ofstream(secret) << std::string(4096, 's');
    const std::string path = folder.file("stranger.h5");

    {
        const Crafted crafted(path);
        Creation creation;
        H5Pset_external(creation.id(), secret.c_str(), 0, 128);
        crafted.dataset("t", {16}, creation.id());
    }
    EXPECT_EQ(message_of(path), path +
                                    " holds a dataset with its numbers in another file "
                                    "(external storage)" +
                                    kOnlyOurs);
    {
        const Crafted crafted(path);
        Creation creation;
        const hsize_t count = 16;
        const hid_t space = H5Screate_simple(1, &count, nullptr);
        H5Pset_virtual(creation.id(), space, secret.c_str(), "t", space);
        crafted.dataset("t", {16}, creation.id());
        H5Sclose(space);
    }
    EXPECT_EQ(message_of(path), path +
                                    " holds a dataset that is not stored in chunks of this "
                                    "file" +
                                    kOnlyOurs);
    {
        const Crafted crafted(path);
        H5Lcreate_external(secret.c_str(), "/t", crafted.file(), "t", H5P_DEFAULT, H5P_DEFAULT);
    }
    EXPECT_EQ(message_of(path),
              path + " holds links of another kind (new-style groups)" + kOnlyOurs);
    {
        const Crafted crafted(path);
        H5Lcreate_soft("/elsewhere", crafted.file(), "t", H5P_DEFAULT, H5P_DEFAULT);
    }
    EXPECT_EQ(message_of(path), path + " holds a soft link" + kOnlyOurs);
}

TEST(HostileHdf5, FormsThatWeDoNotWriteAreNamed) {
    const TestFolder folder;
    const std::string path = folder.file("other.h5");
    const auto with = [&](const std::function<void(const Crafted&)>& fill) {
        {
            const Crafted crafted(path);
            fill(crafted);
        }
        return message_of(path);
    };
    EXPECT_EQ(with([](const Crafted& c) { c.dataset("t", {4}, H5P_DEFAULT); }),
              path + " holds a dataset that is not stored in chunks of this file" + kOnlyOurs);
    EXPECT_EQ(with([](const Crafted& c) {
                  Creation creation;
                  creation.chunks({16});
                  H5Pset_deflate(creation.id(), 6);
                  c.dataset("t", {16}, creation.id());
              }),
              path + " holds filtered (compressed) numbers" + kOnlyOurs);
    EXPECT_EQ(
        with([](const Crafted& c) {
            c.dataset("t", {16}, Creation().chunks({16}).id(), H5T_NATIVE_FLOAT);
        }),
        path + " holds values other than numbers of 8 bytes and texts of any length" + kOnlyOurs);
    EXPECT_EQ(with([](const Crafted& c) { c.dataset("q", {16}, Creation().chunks({16}).id()); }),
              path + " is damaged: a dataset has no index");
    EXPECT_EQ(with([](const Crafted& c) {
                  H5Gclose(H5Gcreate2(c.file(), "t", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
              }),
              path + " is damaged: a dataset has no values of the expected kind");
    EXPECT_EQ(with([](const Crafted&) {}),
              path + " holds no results of a run: the dataset t is missing");
    {
        const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
        const Crafted crafted(path, access);
        H5Pclose(access);
    }
    EXPECT_EQ(message_of(path), path + " holds a superblock of version 3" + kOnlyOurs);
}

/// A small good file, and its bytes.
class Good {
  public:
    Good() : path_(folder_.file("run.h5")) {
        auto recorder = open_hdf5(path_);
        EXPECT_TRUE(recorder);
        Header header = test_header();
        EXPECT_TRUE(recorder.value()->begin(header));
        std::vector<double> row(header.columns.size());
        for (std::size_t i = 0; i < 20; ++i) {
            test_row(i, row);
            EXPECT_TRUE(recorder.value()->row(row));
        }
        EXPECT_TRUE(recorder.value()->event({0.5, "landed", "stop", "z = 0"}));
        EXPECT_TRUE(recorder.value()->event({0.7, "left", "user", "z = 1"}));
        EXPECT_TRUE(recorder.value()->finish("done"));
        bytes_ = file_text(path_);
        descriptor_ = ::open(path_.c_str(), O_RDWR);
    }
    ~Good() { ::close(descriptor_); }
    Good(const Good&) = delete;
    Good& operator=(const Good&) = delete;

    const std::string& bytes() const { return bytes_; }
    /// Reads the file with these bytes in their place, and mends it.
    void read_with(std::size_t at, std::string_view changed) const {
        put(at, changed);
        const Result<Trajectory> read = read_results(path_);
        if (read) {
            EXPECT_LE(8 * read.value().values.size(), bytes_.size());
            EXPECT_LE(read.value().events.size(), bytes_.size());
        } else {
            EXPECT_FALSE(read.error().message.empty());
        }
        refused_ += read ? 0 : 1;
        put(at, std::string_view(bytes_).substr(at, changed.size()));
    }
    void read_cut(std::size_t size) const {
        ASSERT_EQ(::ftruncate(descriptor_, static_cast<off_t>(size)), 0);
        EXPECT_FALSE(read_results(path_)) << size;
        put(size, std::string_view(bytes_).substr(size));
    }
    std::size_t refused() const { return refused_; }
    std::string path() const { return path_; }

  private:
    void put(std::size_t at, std::string_view bytes) const {
        ASSERT_EQ(::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(at)),
                  static_cast<ssize_t>(bytes.size()));
    }

    TestFolder folder_;
    std::string path_;
    std::string bytes_;
    int descriptor_ = -1;
    mutable std::size_t refused_ = 0;
};

// Every number of the file's structure replaced by such as make sizes wrap, addresses point beyond
// the end, and structures contain themselves.
TEST(HostileHdf5, EveryWordReplaced) {
    const Good good;
    ASSERT_TRUE(read_results(good.path()));
    std::size_t tried = 0;
    for (std::size_t at = 0; at + 8 <= good.bytes().size(); at += 4) {
        std::uint64_t word = 0;
        std::memcpy(&word, good.bytes().data() + at, 8);
        if (word == 0) {
            continue;
        }
        for (const std::uint64_t value :
             {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}, std::uint64_t{1} << 61U,
              (std::uint64_t{1} << 61U) + 1, std::uint64_t{1} << 31U,
              std::uint64_t{good.bytes().size()}, std::uint64_t{at} - 8, std::uint64_t{at} / 8 * 8,
              word + 8, word * 2}) {
            char changed[8];
            std::memcpy(changed, &value, 8);
            good.read_with(at, {changed, 8});
            ++tried;
        }
    }
    EXPECT_GT(tried, 10'000U);
    EXPECT_GT(good.refused(), tried / 10);  // else the numbers were no part of the structure
}

TEST(HostileHdf5, RandomBytesReplaced) {
    const Good good;
    std::mt19937 random(11);
    std::vector<std::size_t> places;
    for (std::size_t at = 0; at < good.bytes().size(); ++at) {
        if (good.bytes()[at] != '\0') {
            places.push_back(at);
        }
    }
    for (int round = 0; round < 20'000; ++round) {
        const std::size_t at = places[random() % places.size()];
        const std::size_t size = std::min<std::size_t>(1 + random() % 3, good.bytes().size() - at);
        std::string changed;
        for (std::size_t i = 0; i < size; ++i) {
            changed += static_cast<char>(random());
        }
        good.read_with(at, changed);
    }
    EXPECT_GT(good.refused(), 1'000U);
}

TEST(HostileHdf5, CutAnywhereItIsRefused) {
    const Good good;
    for (std::size_t size = 0; size < good.bytes().size(); size += size < 5'000 ? 7 : 1'001) {
        good.read_cut(size);
    }
    ASSERT_TRUE(read_results(good.path()));
    EXPECT_EQ(message_of(good.path()), "read");
    ASSERT_EQ(::truncate(good.path().c_str(), 3000), 0);
    EXPECT_EQ(message_of(good.path()), good.path() + " is damaged: 3000 of " +
                                           std::to_string(good.bytes().size()) +
                                           " bytes are there");
}

// Texts that many elements share would take more memory than the file has bytes.
TEST(HostileHdf5, ATextIsNotReadOverAndOver) {
    const TestFolder folder;
    const std::string path = folder.file("run.h5");
    auto recorder = open_hdf5(path);
    ASSERT_TRUE(recorder);
    ASSERT_TRUE(recorder.value()->begin(test_header()));
    ASSERT_TRUE(recorder.value()->row(std::vector<double>(test_header().columns.size())));
    const std::string long_name(100'000, 'n');
    ASSERT_TRUE(recorder.value()->event({0.0, long_name, "user", ""}));
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(recorder.value()->event({1.0, "short", "user", ""}));
    }
    ASSERT_TRUE(recorder.value()->finish("done"));
    ASSERT_TRUE(read_results(path));
    // The elements of the names stand one behind the other; all become the first.
    std::string bytes = file_text(path);
    const std::uint32_t length = 100'000;
    std::string first(reinterpret_cast<const char*>(&length), 4);
    const std::size_t at = bytes.find(first + std::string());
    std::size_t begin = at;
    while (begin != std::string::npos &&
           bytes.compare(begin + 16, 4, std::string("\x05\0\0\0", 4))) {
        begin = bytes.find(first, begin + 1);
    }
    ASSERT_NE(begin, std::string::npos);
    for (std::size_t i = 1; i <= 100; ++i) {
        bytes.replace(begin + 16 * i, 16, bytes.substr(begin, 16));
    }
    std::ofstream(path, std::ios::binary) << bytes;
    EXPECT_EQ(message_of(path), path + " is damaged: a text is not where it is said to be");
}

}  // namespace
}  // namespace ananke::io
