// The values of an HDF5 file: rows of its datasets, and texts.
#include <algorithm>
#include <utility>

#include "io/hdf5_cursor.h"
#include "io/hdf5_source.h"

namespace ananke::io::hdf5 {
namespace {

constexpr std::size_t kMostChunks = 64;  // of a node of a dataset's index
constexpr int kMostLevels = 8;           // of such an index: 64^8 chunks

}  // namespace

/// Whether the file is large enough for what a dataset claims to hold.
bool Source::has_room(const Object& dataset, Type type) {
    if (!dataset.extent || dataset.type != type || dataset.extent->rows_per_chunk == 0) {
        return damaged("a dataset has no values of the expected kind");
    }
    const Extent& extent = *dataset.extent;
    const std::uint64_t most = input_->size() / element_size(type);
    return (extent.columns > 0 && extent.columns <= most && extent.rows <= most / extent.columns) ||
           damaged("a dataset claims more values than the file has room for");
}

bool Source::rows(const Object& dataset, Type type, std::span<std::byte> to) {
    const Extent& extent = *dataset.extent;
    if (extent.rows == 0) {
        return true;
    }
    const auto head = extent.tree == kUndefined ? std::nullopt : piece(extent.tree, 24);
    const int level = head ? std::to_integer<int>((*head)[5]) : 0;
    if (!head || level >= kMostLevels) {
        return damaged("a dataset has no index");
    }
    std::uint64_t done = 0;
    const auto row_bytes = static_cast<std::size_t>(extent.columns) * element_size(type);
    return chunks(extent.tree, level, extent, row_bytes, to, done) &&
           (done == extent.rows || damaged("the index of a dataset ends before its rows do"));
}

/// III.A.1: chunks in the order of their rows. Each node holds at least one that is new.
bool Source::chunks(std::uint64_t node, int level, const Extent& extent, std::size_t row_bytes,
                    std::span<std::byte>& to, std::uint64_t& done) {
    const auto head_bytes = piece(node, 24);
    if (!head_bytes) {
        return false;
    }
    Cursor head(*head_bytes);
    const bool is_tree =
        head.reads("TREE") && head.u8() == 1 && head.u8() == static_cast<std::uint64_t>(level);
    const std::uint64_t entries = head.u16();
    const std::size_t key_rest = 8 * extent.rank;
    if (!is_tree || entries == 0 || entries > kMostChunks) {
        return damaged("the index of a dataset cannot be read");
    }
    const auto body = piece(node + 24, entries * (16 + key_rest + 8));
    if (!body) {
        return false;
    }
    Cursor cursor(*body);
    for (std::uint64_t i = 0; i < entries && done < extent.rows; ++i) {
        const std::uint64_t chunk_bytes = cursor.u32();
        const std::uint64_t filters = cursor.u32();
        const std::uint64_t first = cursor.u64();
        cursor.skip(key_rest);
        const std::uint64_t child = cursor.u64();
        if (first != done || filters != 0 || chunk_bytes / row_bytes != extent.rows_per_chunk) {
            return damaged("the index of a dataset does not list its rows in their order");
        }
        if (level > 0) {
            if (!chunks(child, level - 1, extent, row_bytes, to, done)) {
                return false;
            }
            continue;
        }
        const std::uint64_t count = std::min(extent.rows_per_chunk, extent.rows - done);
        const std::size_t bytes = static_cast<std::size_t>(count) * row_bytes;
        if (!input_->read(child, to.first(bytes))) {
            return damaged("rows of a dataset lie beyond its end");
        }
        to = to.subspan(bytes);
        done += count;
    }
    return true;
}

std::optional<std::vector<double>> Source::numbers(const Object& dataset) {
    if (!has_room(dataset, Type::kDouble)) {
        return std::nullopt;
    }
    std::vector<double> values(
        static_cast<std::size_t>(dataset.extent->rows * dataset.extent->columns));
    return rows(dataset, Type::kDouble, std::as_writable_bytes(std::span(values)))
               ? std::optional(std::move(values))
               : std::nullopt;
}

std::optional<std::vector<std::string>> Source::texts(const Object& dataset) {
    if (!has_room(dataset, Type::kString) || dataset.extent->columns != 1) {
        damaged("a list of texts has columns");
        return std::nullopt;
    }
    Elements elements{Type::kString, {}};
    elements.bytes.resize(static_cast<std::size_t>(dataset.extent->rows) * kStringBytes);
    return rows(dataset, Type::kString, elements.bytes) ? texts(elements) : std::nullopt;
}

std::optional<std::vector<std::string>> Source::texts(const Elements& elements) {
    if (elements.type != Type::kString) {
        damaged("numbers stand where texts are expected");
        return std::nullopt;
    }
    std::vector<std::string> texts;
    Cursor cursor(elements.bytes);
    for (std::size_t i = 0; i < elements.count(); ++i) {
        const std::uint64_t length = cursor.u32();
        const std::uint64_t collection = cursor.u64();
        std::optional<std::string> one =
            text(length, collection, static_cast<std::size_t>(cursor.u32()));
        if (!one) {
            return std::nullopt;
        }
        texts.push_back(*std::move(one));
    }
    return texts;
}

/// Every text is stored for itself, so all of them together are no longer than the file.
std::optional<std::string> Source::text(std::uint64_t length, std::uint64_t collection,
                                        std::size_t index) {
    if (length == 0) {
        return std::string();
    }
    if (!collections_.contains(collection) && !read_collection(collection)) {
        return std::nullopt;
    }
    const std::vector<Place>& objects = collections_[collection];
    const Place place = index > 0 && index <= objects.size() ? objects[index - 1] : Place{0, 0};
    text_bytes_ += std::min(length, place.size);
    if (length > place.size || text_bytes_ > input_->size()) {
        damaged("a text is not where it is said to be");
        return std::nullopt;
    }
    std::string text(static_cast<std::size_t>(length), '\0');
    if (!input_->read(place.address, std::as_writable_bytes(std::span(text)))) {
        damaged("a text lies beyond its end");
        return std::nullopt;
    }
    return text;
}

/// III.E: where the objects of a collection are.
bool Source::read_collection(std::uint64_t address) {
    const auto head_bytes = piece(address, 16);
    if (!head_bytes) {
        return false;
    }
    Cursor head(*head_bytes);
    const bool is_collection = head.reads("GCOL") && head.u8() == 1;
    head.skip(3);
    const std::uint64_t size = head.u64();
    collection_bytes_ += std::min(size, input_->size());
    if (!is_collection || size > input_->size() || collection_bytes_ > input_->size()) {
        return damaged("a collection of texts cannot be read");
    }
    const auto body = piece(address, size);
    if (!body) {
        return false;
    }
    std::vector<Place>& objects = collections_[address];
    Cursor cursor(*body);
    cursor.skip(16);
    while (cursor.good() && cursor.left() >= 16) {
        const auto index = static_cast<std::size_t>(cursor.u16());
        cursor.skip(6);
        const std::uint64_t bytes = cursor.u64();
        if (index == 0) {  // what is free
            break;
        }
        objects.push_back({address + size - cursor.left(), bytes});
        if (index != objects.size()) {
            return unsupported("texts in another order");
        }
        cursor.skip(bytes);
        cursor.align();
    }
    return cursor.good() || damaged("a collection of texts ends within a text");
}

}  // namespace ananke::io::hdf5
