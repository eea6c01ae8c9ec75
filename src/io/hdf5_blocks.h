// An HDF5 file while it is written: new blocks go to its end, changes of older blocks wait for
// their turn.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "io/file.h"
#include "io/hdf5_format.h"

namespace ananke::io::hdf5 {

/// The first failure is kept in state(); after it nothing more is written, so the file keeps its
/// last whole state.
class BlockFile {
  public:
    /// Blocks begin at `begin`.
    BlockFile(std::unique_ptr<File> file, std::uint64_t begin)
        : file_(std::move(file)), end_(begin) {}

    /// The address of a new block. Addresses only grow.
    std::uint64_t take(std::size_t size) { return std::exchange(end_, end_ + (size + 7) / 8 * 8); }
    std::uint64_t end() const { return end_; }

    void write_at(std::uint64_t address, std::span<const std::byte> bytes) {
        attempt([&] { return file_->write_at(address, bytes); });
    }
    /// A new block; its address.
    std::uint64_t append(const Bytes& bytes) {
        const std::uint64_t address = take(bytes.size());
        write_at(address, bytes.view());
        return address;
    }
    /// A write for write_edits(). Each is harmless to a reader who knows only what was there
    /// before.
    void edit(std::uint64_t address, Bytes bytes) {
        edits_.emplace_back(address, std::move(bytes));
    }
    void write_edits() {
        for (const auto& [address, bytes] : std::exchange(edits_, {})) {
            write_at(address, bytes.view());
        }
    }
    /// Makes the file as long as its blocks need.
    void extend() {
        attempt([&] { return file_->resize(end_); });
    }
    void put_in_place() {
        attempt([&] { return file_->put_in_place(); });
    }
    void close() {
        attempt([&] { return file_->close(); });
    }
    bool is_regular() const { return file_->is_regular(); }
    const Result<void>& state() const { return state_; }

  private:
    template <class Write>
    void attempt(const Write& write) {
        if (state_) {
            state_ = write();
        }
    }

    std::unique_ptr<File> file_;
    std::uint64_t end_;
    std::vector<std::pair<std::uint64_t, Bytes>> edits_;
    Result<void> state_;
};

}  // namespace ananke::io::hdf5
