#include "io/hdf5_source.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "io/hdf5_cursor.h"

namespace ananke::io::hdf5 {
namespace {

constexpr std::size_t kMostLinks = 32;  // of a node of a group, as the superblock says

}  // namespace

bool Source::damaged(std::string_view what) {
    if (!error_) {
        error_ =
            Error{ErrorCode::kInvalidInput, fmt::format("{} is damaged: {}", input_->path(), what)};
    }
    return false;
}

bool Source::unsupported(std::string_view what) {
    if (!error_) {
        error_ = Error{ErrorCode::kInvalidInput,
                       fmt::format("{} holds {}; only files as `ananke run --hdf5` writes them can "
                                   "be read",
                                   input_->path(), what)};
    }
    return false;
}

std::optional<std::vector<std::byte>> Source::piece(std::uint64_t address, std::uint64_t size) {
    if (address > input_->size() || size > input_->size() - address) {
        damaged(fmt::format("{} bytes at {} lie beyond its end", size, address));
        return std::nullopt;
    }
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    if (!input_->read(address, bytes)) {
        damaged("it cannot be read to its end");
        return std::nullopt;
    }
    return bytes;
}

Result<std::unique_ptr<Source>> Source::open(const std::string& path) {
    Result<std::unique_ptr<Input>> input = Input::open(path);
    if (!input) {
        return input.error();
    }
    std::unique_ptr<Source> source(new Source(std::move(input).value()));
    if (!source->start()) {
        return *source->error_;
    }
    return source;
}

/// II.A: the superblock.
bool Source::start() {
    std::array<std::byte, 96> bytes{};
    Cursor block(bytes);
    const bool begun = input_->read(0, std::span(bytes).first(9));
    if (!begun || !block.reads("\x89HDF\r\n\x1a\n")) {
        const bool model = input_->path().ends_with(".ank");
        error_ = Error{
            ErrorCode::kInvalidInput,
            fmt::format("{} is {}", input_->path(),
                        model ? "a model, not results: `ananke run` runs it" : "not an HDF5 file")};
        return false;
    }
    if (const std::uint64_t version = block.u8(); version != 0) {
        return unsupported(fmt::format("a superblock of version {}", version));
    }
    if (!input_->read(0, bytes)) {
        return damaged("it ends within its first 96 bytes");
    }
    block.skip(4);
    const bool wide = block.u8() == 8 && block.u8() == 8;
    block.skip(9);
    const std::uint64_t base = block.u64();
    if (!wide || base != 0) {
        return unsupported("addresses of another kind");
    }
    block.skip(8);
    const std::uint64_t end = block.u64();
    if (end > input_->size()) {
        return damaged(fmt::format("{} of {} bytes are there", input_->size(), end));
    }
    block.skip(16);
    root_ = block.u64();
    return true;
}

/// IV.A.1.a: the header of an object, in one or two blocks.
std::optional<Object> Source::object(std::uint64_t address) {
    const auto prefix = piece(address, 16);
    if (!prefix) {
        return std::nullopt;
    }
    Cursor head(*prefix);
    const std::uint64_t version = head.u8();
    head.skip(1);
    std::size_t left = head.u16();
    head.skip(4);
    const std::uint64_t size = head.u32();
    if (version != 1) {
        unsupported("an object header of another version");
        return std::nullopt;
    }
    Object object;
    std::optional<std::array<std::uint64_t, 2>> rest;
    auto block = piece(address + 16, size);
    if (!block || !messages(*block, left, object, rest)) {
        return std::nullopt;
    }
    if (rest) {
        block = piece((*rest)[0], (*rest)[1]);
        std::optional<std::array<std::uint64_t, 2>> more;
        if (!block || !messages(*block, left, object, more)) {
            return std::nullopt;
        }
        if (more) {
            unsupported("an object header in more than two parts");
            return std::nullopt;
        }
    }
    return object;
}

bool Source::messages(std::span<const std::byte> block, std::size_t& left, Object& object,
                      std::optional<std::array<std::uint64_t, 2>>& rest) {
    Cursor cursor(block);
    for (; left > 0 && cursor.left() > 0; --left) {
        const auto type = static_cast<unsigned>(cursor.u16());
        const std::uint64_t size = cursor.u16();
        const std::uint64_t flags = cursor.u8();
        cursor.skip(3);
        Cursor body(cursor.take(size));
        if (!cursor.good()) {
            return damaged("a header message is longer than its header");
        }
        if ((flags & 2U) != 0) {
            return unsupported("shared header messages");
        }
        if (type == kContinuation) {
            rest = {body.u64(), body.u64()};
            if (!body.good()) {
                return damaged("a header goes on nowhere");
            }
        } else if (!message(type, body, object)) {
            return false;
        }
    }
    return true;
}

bool Source::message(unsigned type, Cursor body, Object& object) {
    Extent extent = object.extent.value_or(Extent{});
    switch (type) {
        case kDataspace: {
            std::array<std::uint64_t, 2> sizes{};
            if (!dataspace(body, extent.rank, sizes)) {
                return false;
            }
            extent.rows = sizes[0];
            extent.columns = sizes[1];
            object.extent = extent;
            return true;
        }
        case kDatatype:
            object.type = type_of(body.take(body.left()));
            return object.type.has_value();
        case kNothing:
        case kFillValue:
        case kModificationTime:
            return true;  // says nothing of values that are there
        case kLayout: {
            const std::uint64_t version = body.u8();
            const std::uint64_t kind = body.u8();
            if (version != 3 || kind != 2) {
                return unsupported("a dataset that is not stored in chunks of this file");
            }
            const std::uint64_t dimensions = body.u8();
            extent.tree = body.u64();
            extent.rows_per_chunk = body.u32();
            // A chunk has all columns: their number and the size of an element follow.
            const std::uint64_t columns = dimensions == 3 ? body.u32() : 1;
            if (!body.good() || (dimensions != 2 && dimensions != 3) ||
                dimensions != extent.rank + 1 || columns != extent.columns ||
                extent.rows_per_chunk == 0) {
                return unsupported("a dataset in chunks of another shape");
            }
            object.extent = extent;
            return true;
        }
        case kAttribute:
            return attribute(body, object);
        case kSymbolTable:
            object.group = {body.u64(), body.u64()};
            return body.good() || damaged("a group has no members");
        case 0x02:
        case 0x06:
            return unsupported("links of another kind (new-style groups)");
        case 0x07:
            return unsupported("a dataset with its numbers in another file (external storage)");
        case 0x0B:
            return unsupported("filtered (compressed) numbers");
        default:
            return unsupported(fmt::format("header messages of type {:#x}", type));
    }
}

/// IV.A.2.b
bool Source::dataspace(Cursor body, std::size_t& rank, std::array<std::uint64_t, 2>& sizes) {
    const std::uint64_t version = body.u8();
    rank = body.u8();
    body.skip(6);
    sizes = {1, 1};
    if (version != 1 || rank > 2) {
        return unsupported("values of another shape");
    }
    for (std::size_t i = 0; i < rank; ++i) {
        sizes[i] = body.u64();
    }
    return body.good() || damaged("a dataset has no size");
}

std::optional<Type> Source::type_of(std::span<const std::byte> message) {
    for (const Type type : {Type::kDouble, Type::kString}) {
        const Bytes written = datatype(type);
        if (message.size() >= written.size() &&
            std::ranges::equal(message.first(written.size()), written.view())) {
            return type;
        }
    }
    unsupported("values other than numbers of 8 bytes and texts of any length");
    return std::nullopt;
}

/// IV.A.2.m
bool Source::attribute(Cursor body, Object& object) {
    if (const std::uint64_t version = body.u8(); version != 1) {
        return unsupported(fmt::format("attributes of version {}", version));
    }
    body.skip(1);
    const std::uint64_t name_size = body.u16();
    const std::uint64_t type_size = body.u16();
    const std::uint64_t space_size = body.u16();
    const std::span<const std::byte> raw_name = body.take(name_size);
    body.align();
    const std::span<const std::byte> raw_type = body.take(type_size);
    body.align();
    Cursor space(body.take(space_size));
    body.align();
    if (!body.good()) {
        return damaged("an attribute is longer than its message");
    }
    const std::optional<Type> type = type_of(raw_type);
    std::size_t rank = 0;
    std::array<std::uint64_t, 2> sizes{};
    if (!type || !dataspace(space, rank, sizes)) {
        return false;
    }
    Elements elements{*type, {}};
    if (rank > 1 || sizes[0] > body.left() / element_size(*type)) {
        return damaged("an attribute has more values than room for them");
    }
    const auto values = body.take(sizes[0] * element_size(*type));
    elements.bytes.assign(values.begin(), values.end());
    std::string name(reinterpret_cast<const char*>(raw_name.data()), raw_name.size());
    name.resize(std::min(name.find('\0'), name.size()));
    object.attributes[name] = std::move(elements);
    return true;
}

/// III.A.1 and III.D: the index of a group and the heap with its names.
std::optional<std::map<std::string, std::uint64_t>> Source::members(const Object& group) {
    std::map<std::string, std::uint64_t> members;
    if (!group.group) {
        unsupported("a dataset where a group is expected");
        return std::nullopt;
    }
    const auto heap = piece((*group.group)[1], 32);
    const auto tree = piece((*group.group)[0], 24);
    if (!heap || !tree) {
        return std::nullopt;
    }
    Cursor names_head(*heap);
    const bool is_heap = names_head.reads("HEAP");
    names_head.skip(4);
    const std::uint64_t names_size = names_head.u64();
    names_head.skip(8);
    const auto names = piece(names_head.u64(), names_size);
    Cursor head(*tree);
    const bool is_tree = head.reads("TREE") && head.u8() == 0;
    const std::uint64_t level = head.u8();
    const std::uint64_t entries = head.u16();
    if (!is_heap || !is_tree || !names) {
        damaged("the list of a group's members cannot be read");
        return std::nullopt;
    }
    if (level != 0 || entries > kMostLinks) {
        unsupported("a group of more than 1000 members");
        return std::nullopt;
    }
    const auto body = piece((*group.group)[0] + 24, 8 + entries * 16);
    if (!body) {
        return std::nullopt;
    }
    Cursor nodes(*body);
    for (std::uint64_t i = 0; i < entries; ++i) {
        nodes.skip(8);
        if (!table(nodes.u64(), *names, members)) {
            return std::nullopt;
        }
    }
    return members;
}

/// III.C: a table of names and addresses.
bool Source::table(std::uint64_t address, std::span<const std::byte> names,
                   std::map<std::string, std::uint64_t>& members) {
    const auto head_bytes = piece(address, 8);
    if (!head_bytes) {
        return false;
    }
    Cursor head(*head_bytes);
    const bool is_table = head.reads("SNOD") && head.u8() == 1;
    head.skip(1);
    const std::uint64_t count = head.u16();
    if (!is_table || count > kMostLinks) {
        return damaged("the list of a group's members cannot be read");
    }
    const auto body = piece(address + 8, count * 40);
    if (!body) {
        return false;
    }
    Cursor links(*body);
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t at = links.u64();
        const std::uint64_t header = links.u64();
        const std::uint64_t kind = links.u32();
        links.skip(20);
        if (kind > 1) {
            return unsupported("a soft link");
        }
        if (at >= names.size()) {
            return damaged("a member of a group has no name");
        }
        const std::string_view rest(reinterpret_cast<const char*>(names.data()) + at,
                                    names.size() - at);
        members[std::string(rest.substr(0, rest.find('\0')))] = header;
    }
    return true;
}

}  // namespace ananke::io::hdf5
