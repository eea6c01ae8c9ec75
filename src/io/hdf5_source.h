// Reads what hdf5_format.h writes, from a file that is not trusted.
//
// Of the format exactly the forms that this program writes are read; any other is refused by its
// name. None of them leads out of the file: external storage, virtual datasets, soft and external
// links are among those refused. Every address and every size is checked against the size of the
// file before it is followed or memory is taken for it, and what the file may hold only once
// (texts, collections, rows) is read only once, so that memory and time stay in proportion to its
// size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "io/hdf5_format.h"
#include "io/input.h"

namespace ananke::io::hdf5 {

class Cursor;

/// Values of a type, as they stand in the file.
struct Elements {
    Type type = Type::kDouble;
    std::vector<std::byte> bytes;

    std::size_t count() const { return bytes.size() / element_size(type); }
};

/// A dataset: rows x columns values, in chunks of some rows.
struct Shape {
    std::size_t rank = 0;
    std::uint64_t rows = 0, columns = 1;
    std::uint64_t rows_per_chunk = 0;
    std::uint64_t tree = kUndefined;  ///< of its chunks
};

/// A group or a dataset, with what its header says.
struct Object {
    std::map<std::string, Elements> attributes;
    std::optional<Type> type;
    std::optional<std::array<std::uint64_t, 2>> group;  ///< addresses of its tree and its heap
    std::optional<Shape> shape;
};

/// The functions below return nothing where the file is not as it must be; error() says why.
class Source {
  public:
    /// Fails where the file cannot be read or is no file of this format.
    static Result<std::unique_ptr<Source>> open(const std::string& path);

    std::optional<Object> root() { return object(root_); }
    /// The members of a group by their names.
    std::optional<std::map<std::string, std::uint64_t>> members(const Object& group);
    std::optional<Object> object(std::uint64_t address);
    /// The values of a dataset, row by row.
    std::optional<std::vector<double>> numbers(const Object& dataset);
    std::optional<std::vector<std::string>> texts(const Object& dataset);
    std::optional<std::vector<std::string>> texts(const Elements& elements);

    const Error& error() const { return *error_; }
    /// Makes `what` the error, unless there is one; false.
    bool damaged(std::string_view what);

  private:
    explicit Source(std::unique_ptr<Input> input) : input_(std::move(input)) {}
    bool start();
    bool unsupported(std::string_view what);
    std::optional<std::vector<std::byte>> piece(std::uint64_t address, std::uint64_t size);
    bool messages(std::span<const std::byte> block, std::size_t& left, Object& object,
                  std::optional<std::array<std::uint64_t, 2>>& rest);
    bool message(unsigned type, Cursor body, Object& object);
    bool attribute(Cursor body, Object& object);
    bool dataspace(Cursor body, std::size_t& rank, std::array<std::uint64_t, 2>& sizes);
    std::optional<Type> type_of(std::span<const std::byte> message);
    bool table(std::uint64_t address, std::span<const std::byte> names,
               std::map<std::string, std::uint64_t>& members);
    bool rows(const Object& dataset, Type type, std::span<std::byte> to);
    bool chunks(std::uint64_t node, int level, const Shape& shape, std::size_t row_bytes,
                std::span<std::byte>& to, std::uint64_t& done);
    bool has_room(const Object& dataset, Type type);
    std::optional<std::string> text(std::uint64_t length, std::uint64_t collection,
                                    std::size_t index);
    bool read_collection(std::uint64_t address);

    std::unique_ptr<Input> input_;
    std::optional<Error> error_;
    std::uint64_t root_ = 0;
    std::uint64_t text_bytes_ = 0;        ///< read so far
    std::uint64_t collection_bytes_ = 0;  ///< of collections read so far
    struct Place {
        std::uint64_t address, size;
    };
    std::map<std::uint64_t, std::vector<Place>> collections_;  ///< their objects, by address
};

}  // namespace ananke::io::hdf5
