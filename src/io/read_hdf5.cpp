// Results of a run from its HDF5 file.
#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "io/hdf5_names.h"
#include "io/hdf5_source.h"
#include "io/read_results.h"

namespace ananke::io {
namespace {

using hdf5::Elements;
using hdf5::Object;
using hdf5::Source;
using Texts = std::vector<std::string>;
using Members = std::map<std::string, std::uint64_t>;

/// name, name2, name3, ... one after another; empty if there is none of that name.
std::vector<const Elements*> list_parts(const Object& object, const std::string& name) {
    std::vector<const Elements*> parts;
    auto found = object.attributes.find(name);
    while (found != object.attributes.end()) {
        parts.push_back(&found->second);
        found = object.attributes.find(fmt::format("{}{}", name, parts.size() + 1));
    }
    return parts;
}

std::optional<Texts> text_list(Source& source, const Object& object, const std::string& name) {
    Texts all;
    for (const Elements* part : list_parts(object, name)) {
        std::optional<Texts> some = source.texts(*part);
        if (!some) {
            return std::nullopt;
        }
        std::move(some->begin(), some->end(), std::back_inserter(all));
    }
    return all;
}

std::vector<double> number_list(const Object& object, const std::string& name) {
    std::vector<double> all;
    for (const Elements* part : list_parts(object, name)) {
        if (part->type == hdf5::Type::kDouble) {
            const std::size_t before = all.size();
            all.resize(before + part->count());
            std::ranges::copy(part->bytes,
                              std::as_writable_bytes(std::span(all).subspan(before)).begin());
        }
    }
    return all;
}

bool read_header(Source& source, const Object& root, Trajectory& trajectory) {
    Header& header = trajectory.header;
    const std::array<std::pair<const char*, std::string*>, 5> texts{{
        {"title", &header.title},
        {"model", &header.model_text},
        {"version", &header.version},
        {"check", &header.check},
        {"ending", &trajectory.ending},
    }};
    for (const auto& [name, to] : texts) {
        std::optional<Texts> list = text_list(source, root, name);
        if (!list) {
            return false;
        }
        *to = list->empty() ? "" : std::move(list->front());
    }
    const std::optional<Texts> names = text_list(source, root, "parameter_names");
    const std::vector<double> values = number_list(root, "parameter_values");
    for (std::size_t i = 0; names && i < std::min(names->size(), values.size()); ++i) {
        header.parameters.emplace_back((*names)[i], values[i]);
    }
    return names.has_value();
}

/// The columns of one kind, row by row.
struct Part {
    std::size_t columns = 0;
    std::vector<double> values;

    std::size_t rows() const { return values.size() / columns; }
};

/// Every kind that the file has, in the order of a row.
std::optional<std::vector<Part>> read_parts(Source& source, const Members& members,
                                            Trajectory& trajectory) {
    std::vector<Part> parts;
    for (const auto& [kind, name] : hdf5::kDatasets) {
        const auto found = members.find(name);
        if (found == members.end()) {
            continue;
        }
        const std::optional<Object> dataset = source.object(found->second);
        std::optional<std::vector<double>> values =
            dataset ? source.numbers(*dataset) : std::nullopt;
        const std::optional<Texts> names =
            values ? text_list(source, *dataset, "columns") : std::nullopt;
        if (!names || names->empty() || names->size() != dataset->shape->columns) {
            source.damaged(fmt::format("the dataset {} has not one name for each column", name));
            return std::nullopt;
        }
        for (const std::string& column : *names) {
            trajectory.header.columns.push_back({column, kind});
        }
        parts.push_back({names->size(), *std::move(values)});
    }
    return parts;
}

bool read_events(Source& source, std::uint64_t address, Trajectory& trajectory) {
    const std::optional<Object> group = source.object(address);
    const std::optional<Members> members = group ? source.members(*group) : std::nullopt;
    std::array<std::optional<Object>, 4> datasets;
    const std::array<const char*, 4> names{"t", "name", "kind", "detail"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        const bool there = members && members->contains(names[i]);
        datasets[i] = there ? source.object(members->at(names[i])) : std::nullopt;
        if (!datasets[i]) {
            return source.damaged("the list of events is not complete");
        }
    }
    const std::optional<std::vector<double>> t = source.numbers(*datasets[0]);
    std::array<std::optional<Texts>, 3> texts;
    std::size_t count = t ? t->size() : 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        texts[i] = source.texts(*datasets[i + 1]);
        count = std::min(count, texts[i] ? texts[i]->size() : 0);
    }
    if (!t || !texts[0] || !texts[1] || !texts[2]) {
        return false;
    }
    for (std::size_t i = 0; i < count; ++i) {
        trajectory.events.push_back({(*t)[i], (*texts[0])[i], (*texts[1])[i], (*texts[2])[i]});
    }
    return true;
}

/// Row after row. A part may have got a row more than another while the run goes on.
void join_rows(const std::vector<Part>& parts, Trajectory& trajectory) {
    std::size_t rows = parts.front().rows();
    for (const Part& part : parts) {
        rows = std::min(rows, part.rows());
    }
    trajectory.values.reserve(rows * trajectory.columns());
    for (std::size_t i = 0; i < rows; ++i) {
        for (const Part& part : parts) {
            const auto begin = part.values.begin() + static_cast<std::ptrdiff_t>(i * part.columns);
            trajectory.values.insert(trajectory.values.end(), begin,
                                     begin + static_cast<std::ptrdiff_t>(part.columns));
        }
    }
}

}  // namespace

Result<Trajectory> read_hdf5(const std::string& path) {
    const Result<std::unique_ptr<Source>> opened = Source::open(path);
    if (!opened) {
        return opened.error();
    }
    Source& source = *opened.value();
    Trajectory trajectory;
    const std::optional<Object> root = source.root();
    const std::optional<Members> members = root ? source.members(*root) : std::nullopt;
    if (!members || !read_header(source, *root, trajectory)) {
        return source.error();
    }
    const std::optional<std::vector<Part>> parts = read_parts(source, *members, trajectory);
    if (!parts) {
        return source.error();
    }
    if (parts->empty() || trajectory.header.columns.front().kind != ColumnKind::kTime) {
        return Error{ErrorCode::kInvalidInput,
                     fmt::format("{} holds no results of a run: the dataset t is missing", path)};
    }
    const auto events = members->find("events");
    if (events != members->end() && !read_events(source, events->second, trajectory)) {
        return source.error();
    }
    join_rows(*parts, trajectory);
    return trajectory;
}

Result<Trajectory> read_results(const std::string& path) {
    return std::filesystem::path(path).extension() == ".csv" ? read_csv(path) : read_hdf5(path);
}

}  // namespace ananke::io
