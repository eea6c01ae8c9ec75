// Results as an HDF5 file that is whole at every instant: open_hdf5().
//
// The library's own writer cannot promise a file that opens after the process was killed (it marks
// files as open for writing, or changes several places in turn), so the format is written here:
//   - whatever changes meaning (sizes of all datasets, root of each index, end of file, ending)
//     lies in the first 4096 bytes and changes in one write within one page, which a signal cannot
//     split;
//   - all else is written before, where no reader looks yet: new blocks at the end of the file,
//     rows beyond the sizes, index entries beyond the count of their node.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ananke/record.h"
#include "base/check.h"
#include "io/file.h"
#include "io/hdf5_blocks.h"
#include "io/hdf5_format.h"
#include "io/hdf5_names.h"
#include "io/hdf5_table.h"

namespace ananke::io {
namespace {

using namespace hdf5;  // NOLINT(google-build-using-namespace): the format's own words
using Clock = std::chrono::steady_clock;

constexpr std::size_t kHeadBytes = 4096;  // one page: a write within it is never split
constexpr std::uint64_t kSuperblockBytes = 96;
constexpr std::uint64_t kEndOfFileField = 40;  // in the superblock
constexpr std::size_t kEventsPerChunk = 128;
constexpr std::size_t kMostUncommittedBytes = 1U << 20U;
constexpr std::size_t kListLimit = 4000;  // elements of an attribute: 16 bytes each, below 64 KiB

/// About 64 KiB, so that long runs have few chunks, yet little is wasted on short ones.
std::size_t rows_per_chunk(std::size_t columns) {
    return std::clamp<std::size_t>(65536 / (8 * columns), 16, 1024);
}

/// Messages of an object that stay as they are, in a block outside the head.
struct Rest {
    std::uint64_t address = 0;
    std::size_t bytes = 0;
    std::size_t count = 0;
};

struct Dataset {
    Table table;
    std::vector<std::size_t> columns;  ///< of a row of the run
    Rest rest;
};

/// Where a group keeps its names.
struct Group {
    std::uint64_t tree = 0;
    std::uint64_t heap = 0;
    Links links;  ///< the same in every head
};

class Hdf5Recorder final : public Recorder {
  public:
    Hdf5Recorder(std::unique_ptr<File> file, std::chrono::milliseconds interval)
        : interval_(interval), file_(std::move(file), kHeadBytes) {}

    ~Hdf5Recorder() override {
        // Best effort for a run that was given up: nobody is left to hear of a failure.
        if (started_) {
            commit();
        }
    }
    Hdf5Recorder(const Hdf5Recorder&) = delete;
    Hdf5Recorder& operator=(const Hdf5Recorder&) = delete;

    Result<void> begin(const Header& header) override;
    Result<void> row(std::span<const double> values) override;
    Result<void> event(const Event& event) override;
    Result<void> finish(const std::string& ending) override;

  private:
    /// Of all writes so far, with the number of rows that the file keeps.
    Result<void> outcome() const {
        const Result<void>& state = file_.state();
        return state || !file_.is_regular() ? state : with_rows_kept(state.error(), rows_kept_);
    }
    void start_datasets(const Header& header);
    void start_root(const Header& header);
    void start_group(Group& group);
    void add_events();
    void commit();
    /// After a while, or after so many rows that a disk might have become full of them.
    bool is_due() const {
        return (rows() - rows_kept_) * row_size_ * sizeof(double) >= kMostUncommittedBytes ||
               Clock::now() - committed_ >= interval_;
    }
    std::uint64_t rows() const { return datasets_.empty() ? 0 : datasets_.front().table.rows(); }
    Bytes head();
    Bytes append_texts(std::span<const std::string> texts);
    Rest append_rest(const Messages& messages);

    std::chrono::milliseconds interval_;
    BlockFile file_;
    bool started_ = false;
    std::uint64_t rows_kept_ = 0;  ///< that a reader of the file finds
    std::uint64_t known_end_ = 0;  ///< as the superblock has it
    Clock::time_point committed_;

    std::size_t row_size_ = 0;
    std::vector<Dataset> datasets_;
    std::vector<Dataset> event_datasets_;  ///< t, name, kind, detail
    std::vector<Event> new_events_;
    Group root_;
    Group events_;
    Rest root_rest_;
    Bytes ending_;  ///< element of the attribute
};

/// name, name2, name3, ... of at most kListLimit elements each.
void add_list(Messages& messages, const std::string& name, Type type, const Bytes& values) {
    auto left = values.view();
    for (std::size_t part = 1; part == 1 || !left.empty(); ++part) {
        const std::size_t bytes = std::min(left.size(), kListLimit * element_size(type));
        const std::string part_name = part == 1 ? name : fmt::format("{}{}", name, part);
        messages.add(kAttribute, list_attribute(part_name, type, left.first(bytes)));
        left = left.subspan(bytes);
    }
}

/// Stores the texts and returns one element for each.
Bytes Hdf5Recorder::append_texts(std::span<const std::string> texts) {
    Bytes elements;
    while (!texts.empty()) {
        const auto some = texts.first(std::min(texts.size(), kHeapTextsLimit));
        const HeapBlock heap = heap_block(some, file_.end());
        file_.append(heap.collection);
        elements.bytes(heap.elements.view());
        texts = texts.subspan(some.size());
    }
    return elements;
}

Rest Hdf5Recorder::append_rest(const Messages& messages) {
    return {file_.append(messages.bytes), messages.bytes.size(), messages.count};
}

Result<void> Hdf5Recorder::begin(const Header& header) {
    start_datasets(header);
    start_root(header);
    static_cast<void>(head());  // gives the addresses that the groups list
    start_group(root_);
    start_group(events_);
    commit();
    started_ = file_.state().has_value();
    return outcome();
}

void Hdf5Recorder::start_datasets(const Header& header) {
    row_size_ = header.columns.size();
    for (const auto& [kind, name] : kDatasets) {
        std::vector<std::size_t> columns;
        std::vector<std::string> names;
        for (std::size_t i = 0; i < row_size_; ++i) {
            if (header.columns[i].kind == kind) {
                columns.push_back(i);
                names.push_back(header.columns[i].name);
            }
        }
        if (columns.empty()) {
            continue;
        }
        const bool time = kind == ColumnKind::kTime;
        ANANKE_REQUIRE(!time || columns.size() == 1);
        Table table(name, Type::kDouble, time ? 0 : columns.size(), rows_per_chunk(columns.size()));
        Messages messages = table.kind();
        add_list(messages, "columns", Type::kString, append_texts(names));
        datasets_.push_back({std::move(table), std::move(columns), append_rest(messages)});
    }
    for (const char* name : {"t", "name", "kind", "detail"}) {
        const Type type = event_datasets_.empty() ? Type::kDouble : Type::kString;
        Table table(name, type, 0, kEventsPerChunk);
        const Rest rest = append_rest(table.kind());
        event_datasets_.push_back({std::move(table), {}, rest});
    }
}

void Hdf5Recorder::start_root(const Header& header) {
    const std::vector<std::string> texts{header.title, header.model_text, header.version,
                                         header.check, "running"};
    const Bytes elements = append_texts(texts);
    const auto element = [&](std::size_t i) {
        return elements.view().subspan(i * kStringBytes, kStringBytes);
    };
    Messages messages;
    std::size_t i = 0;
    for (const char* name : {"title", "model", "version", "check"}) {
        messages.add(kAttribute, scalar_attribute(name, Type::kString, element(i++)));
    }
    ending_ = Bytes{}.bytes(element(i));

    std::vector<std::string> names;
    Bytes values;
    for (const auto& [name, value] : header.parameters) {
        names.push_back(name);
        values.put(value);
    }
    add_list(messages, "parameter_names", Type::kString, append_texts(names));
    add_list(messages, "parameter_values", Type::kDouble, values);
    root_rest_ = append_rest(messages);
}

void Hdf5Recorder::start_group(Group& group) {
    const GroupBlock block = group_block(group.links, file_.end());
    group.tree = block.tree;
    group.heap = block.heap;
    file_.append(block.bytes);
}

/// Superblock, root, datasets, group of events, its datasets: every object whose header changes.
Bytes Hdf5Recorder::head() {
    Bytes bytes = superblock(file_.end(), kSuperblockBytes);
    Messages root;
    root.add(kSymbolTable, symbol_table(root_.tree, root_.heap));
    root.add(kAttribute, scalar_attribute("ending", Type::kString, ending_.view()));
    root.add(kContinuation, continuation(root_rest_.address, root_rest_.bytes));
    bytes.bytes(object_header(root, root_rest_.count).view());

    const auto put_datasets = [&](const std::vector<Dataset>& datasets, Links& links) {
        for (const Dataset& dataset : datasets) {
            links.emplace_back(dataset.table.name(), bytes.size());
            Messages first = dataset.table.shape();
            first.add(kContinuation, continuation(dataset.rest.address, dataset.rest.bytes));
            bytes.bytes(object_header(first, dataset.rest.count).view());
        }
    };
    root_.links.clear();
    put_datasets(datasets_, root_.links);
    root_.links.emplace_back("events", bytes.size());
    Messages events;
    events.add(kSymbolTable, symbol_table(events_.tree, events_.heap));
    bytes.bytes(object_header(events, 0).view());
    events_.links.clear();
    put_datasets(event_datasets_, events_.links);
    ANANKE_REQUIRE(bytes.size() <= kHeadBytes);
    return bytes;
}

Result<void> Hdf5Recorder::row(std::span<const double> values) {
    ANANKE_REQUIRE(values.size() == row_size_);
    for (Dataset& dataset : datasets_) {
        std::byte* to = dataset.table.next_row(file_);
        for (const std::size_t column : dataset.columns) {
            std::memcpy(to, &values[column], sizeof(double));
            to += sizeof(double);
        }
    }
    if (is_due()) {
        commit();
    }
    return outcome();
}

Result<void> Hdf5Recorder::event(const Event& event) {
    new_events_.push_back(event);
    if (is_due()) {
        commit();
    }
    return outcome();
}

void Hdf5Recorder::add_events() {
    std::vector<std::string> texts;
    for (const Event& event : new_events_) {
        texts.insert(texts.end(), {event.name, event.kind, event.detail});
    }
    const Bytes elements = append_texts(texts);
    const std::byte* next = elements.view().data();
    for (const Event& event : std::exchange(new_events_, {})) {
        for (Dataset& dataset : event_datasets_) {
            std::byte* const to = dataset.table.next_row(file_);
            if (&dataset == event_datasets_.data()) {
                std::memcpy(to, &event.t, sizeof(double));
            } else {
                std::memcpy(to, next, kStringBytes);
                next += kStringBytes;
            }
        }
    }
}

void Hdf5Recorder::commit() {
    // Rows where no reader looks yet.
    add_events();
    for (auto* datasets : {&datasets_, &event_datasets_}) {
        for (Dataset& dataset : *datasets) {
            dataset.table.write(file_);
        }
    }
    // Room for what the index is about to mention.
    if (file_.end() > known_end_) {
        file_.extend();
        if (started_) {
            file_.write_at(kEndOfFileField, Bytes{}.u64(file_.end()).view());
        }
        known_end_ = file_.end();
    }
    file_.write_edits();
    // The instant at which all of it counts.
    committed_ = Clock::now();
    file_.write_at(0, head().view());
    // The first rows bring the file to its place; a run without rows leaves what was there.
    if (rows() > 0) {
        file_.put_in_place();
    }
    rows_kept_ = file_.state() ? rows() : rows_kept_;
}

Result<void> Hdf5Recorder::finish(const std::string& ending) {
    if (!file_.state()) {  // and said so: what stands in the file is the last whole state
        return {};
    }
    ending_ = append_texts({&ending, 1});
    commit();
    started_ = !file_.state();
    file_.close();
    return outcome();
}

}  // namespace

Result<std::unique_ptr<Recorder>> open_hdf5(const std::string& path,
                                            std::chrono::milliseconds interval) {
    auto file = File::open(path);
    if (!file) {
        return file.error();
    }
    return std::unique_ptr<Recorder>(
        std::make_unique<Hdf5Recorder>(std::move(file).value(), interval));
}

}  // namespace ananke::io
