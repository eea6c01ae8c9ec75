// A synthetic run for the tests of this folder.
#pragma once

#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "ananke/record.h"

namespace ananke::io {

inline Header test_header() {
    return {.title = "slider",
            .model_text = "model slider\ncoordinate x, θ\n",
            .version = "0.1.0",
            .parameters = {{"g", 9.81}, {"μ", 0.1}},
            .check = "",
            .columns = {{"t", ColumnKind::kTime},
                        {"x", ColumnKind::kPosition},
                        {"θ", ColumnKind::kPosition},
                        {"x'", ColumnKind::kVelocity},
                        {"θ'", ColumnKind::kVelocity},
                        {"Qc[x]", ColumnKind::kForce},
                        {"energy", ColumnKind::kEnergy}}};
}

/// Row i of the run: known to writer and reader alike.
inline void test_row(std::size_t i, std::span<double> values) {
    for (std::size_t j = 0; j < values.size(); ++j) {
        values[j] = 1e-3 * static_cast<double>(i) + 1.0 / static_cast<double>(i + j + 3) * (j > 0);
    }
}

/// Names of the HDF5 datasets and the columns of a row that each holds.
inline std::map<std::string, std::vector<std::size_t>> test_datasets(const Header& header) {
    static const std::vector<std::string> names{
        "t", "q", "v", "a", "Qc", "lambda", "control", "residual", "force", "energy", "output"};
    std::map<std::string, std::vector<std::size_t>> datasets;
    for (std::size_t i = 0; i < header.columns.size(); ++i) {
        datasets[names[static_cast<std::size_t>(header.columns[i].kind)]].push_back(i);
    }
    return datasets;
}

/// A fresh folder, removed with all it holds.
class TestFolder {
  public:
    TestFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "ananke-io-XXXXXX").string();
        path_ = mkdtemp(name.data());
    }
    ~TestFolder() { std::filesystem::remove_all(path_); }
    TestFolder(const TestFolder&) = delete;
    TestFolder& operator=(const TestFolder&) = delete;
    std::string file(const std::string& name) const { return (path_ / name).string(); }
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

/// Takes the right to write in a folder away for a while, from the superuser too.
class ForbiddenFolder {
  public:
    explicit ForbiddenFolder(const TestFolder& folder) : path_(folder.path()) {
        using std::filesystem::perms;
        std::filesystem::permissions(
            path_, perms::owner_read | perms::owner_exec | perms::others_read | perms::others_exec);
        constexpr uid_t kNobody = 65534;
        superuser_ = geteuid() == 0;
        holds_ = !superuser_ || seteuid(kNobody) == 0;
    }
    ~ForbiddenFolder() {
        if (superuser_ && holds_ && seteuid(0) != 0) {
            std::abort();
        }
        std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
    }
    ForbiddenFolder(const ForbiddenFolder&) = delete;
    ForbiddenFolder& operator=(const ForbiddenFolder&) = delete;
    bool holds() const { return holds_; }

  private:
    std::filesystem::path path_;
    bool superuser_;
    bool holds_;
};

inline std::string file_text(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace ananke::io
