// A regular file being read, piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"

namespace ananke::io {

class Input {
  public:
    /// Fails for what is not there, cannot be read, or is no regular file.
    static Result<std::unique_ptr<Input>> open(const std::string& path);
    ~Input();
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;

    const std::string& path() const { return path_; }
    /// In bytes, when it was opened.
    std::uint64_t size() const { return size_; }
    /// Fills `to` from `offset` on; false where the file does not have these bytes.
    bool read(std::uint64_t offset, std::span<std::byte> to) const;

  private:
    Input(std::string path, int descriptor, std::uint64_t size);

    std::string path_;
    int descriptor_;
    std::uint64_t size_;
};

/// All bytes of a file.
Result<std::string> read_whole(const std::string& path);

}  // namespace ananke::io
