#include <hdf5.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "io/hdf5_names.h"
#include "io/read_results.h"

namespace ananke::io {
namespace {

/// An identifier of the library, given back at the end.
class Handle {
  public:
    Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
    ~Handle() {
        if (id_ >= 0) {
            close_(id_);
        }
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor)
    bool good() const { return id_ >= 0; }

  private:
    hid_t id_;
    herr_t (*close_)(hid_t);
};

/// The library prints what it thinks of every failed call unless it is told not to.
class Quiet {
  public:
    Quiet() {
        H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    }
    ~Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;

  private:
    H5E_auto2_t function_ = nullptr;
    void* data_ = nullptr;
};

std::vector<hsize_t> sizes_of(hid_t space) {
    const int rank = H5Sget_simple_extent_ndims(space);
    std::vector<hsize_t> sizes(rank > 0 ? static_cast<std::size_t>(rank) : 0);
    H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
    return sizes;
}

std::vector<std::string> take_texts(hid_t type, hid_t space, std::vector<char*>& raw) {
    std::vector<std::string> texts;
    texts.reserve(raw.size());
    for (const char* text : raw) {
        texts.emplace_back(text == nullptr ? "" : text);
    }
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, raw.data());
    return texts;
}

bool holds_texts(hid_t type) {
    return H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0;
}

/// Empty if there is none of that name.
std::vector<std::string> text_attribute(hid_t object, const std::string& name) {
    if (H5Aexists(object, name.c_str()) <= 0) {
        return {};
    }
    const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
    const Handle type(H5Aget_type(attribute), H5Tclose);
    const Handle space(H5Aget_space(attribute), H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    if (!holds_texts(type) || count <= 0) {
        return {};
    }
    std::vector<char*> raw(static_cast<std::size_t>(count));
    return H5Aread(attribute, type, raw.data()) < 0 ? std::vector<std::string>{}
                                                    : take_texts(type, space, raw);
}

/// name, name2, name3, ... one after another.
std::vector<std::string> text_list(hid_t object, const std::string& name) {
    std::vector<std::string> all = text_attribute(object, name);
    for (int part = 2;; ++part) {
        const std::vector<std::string> more =
            text_attribute(object, fmt::format("{}{}", name, part));
        if (more.empty()) {
            return all;
        }
        all.insert(all.end(), more.begin(), more.end());
    }
}

std::vector<double> number_list(hid_t object, const std::string& name) {
    std::vector<double> all;
    for (int part = 1;; ++part) {
        const std::string one = part == 1 ? name : fmt::format("{}{}", name, part);
        if (H5Aexists(object, one.c_str()) <= 0) {
            return all;
        }
        const Handle attribute(H5Aopen(object, one.c_str(), H5P_DEFAULT), H5Aclose);
        const Handle space(H5Aget_space(attribute), H5Sclose);
        const hssize_t count = H5Sget_simple_extent_npoints(space);
        std::vector<double> values(count > 0 ? static_cast<std::size_t>(count) : 0);
        if (!values.empty() && H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data()) < 0) {
            return all;
        }
        all.insert(all.end(), values.begin(), values.end());
    }
}

std::string text_of(hid_t object, const std::string& name) {
    std::vector<std::string> texts = text_attribute(object, name);
    return texts.empty() ? "" : std::move(texts.front());
}

/// A dataset of numbers, row-major.
struct Numbers {
    std::size_t rows = 0, columns = 0;
    std::vector<double> values;
};

std::optional<Numbers> numbers_of(hid_t data) {
    const Handle space(H5Dget_space(data), H5Sclose);
    const std::vector<hsize_t> sizes = sizes_of(space);
    if (sizes.empty() || sizes.size() > 2) {
        return std::nullopt;
    }
    Numbers numbers{sizes[0], sizes.size() == 2 ? sizes[1] : 1, {}};
    numbers.values.resize(numbers.rows * numbers.columns);
    const bool read = numbers.values.empty() || H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
                                                        H5P_DEFAULT, numbers.values.data()) >= 0;
    return read ? std::optional(std::move(numbers)) : std::nullopt;
}

std::vector<std::string> text_dataset(hid_t group, const char* name) {
    const Handle data(H5Dopen2(group, name, H5P_DEFAULT), H5Dclose);
    if (!data.good()) {
        return {};
    }
    const Handle type(H5Dget_type(data), H5Tclose);
    const Handle space(H5Dget_space(data), H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    if (!holds_texts(type) || count <= 0) {
        return {};
    }
    std::vector<char*> raw(static_cast<std::size_t>(count));
    return H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw.data()) < 0
               ? std::vector<std::string>{}
               : take_texts(type, space, raw);
}

void read_events(hid_t file, Trajectory& trajectory) {
    if (H5Lexists(file, "events", H5P_DEFAULT) <= 0) {
        return;
    }
    const Handle group(H5Gopen2(file, "events", H5P_DEFAULT), H5Gclose);
    const Handle times(H5Dopen2(group, "t", H5P_DEFAULT), H5Dclose);
    const std::optional<Numbers> t = times.good() ? numbers_of(times) : std::nullopt;
    const std::vector<std::string> names = text_dataset(group, "name");
    const std::vector<std::string> kinds = text_dataset(group, "kind");
    const std::vector<std::string> details = text_dataset(group, "detail");
    const std::size_t count =
        t ? std::min({t->rows, names.size(), kinds.size(), details.size()}) : 0;
    for (std::size_t i = 0; i < count; ++i) {
        trajectory.events.push_back({t->values[i], names[i], kinds[i], details[i]});
    }
}

void read_header(hid_t file, Trajectory& trajectory) {
    Header& header = trajectory.header;
    header.title = text_of(file, "title");
    header.model_text = text_of(file, "model");
    header.version = text_of(file, "version");
    header.check = text_of(file, "check");
    trajectory.ending = text_of(file, "ending");
    const std::vector<std::string> names = text_list(file, "parameter_names");
    const std::vector<double> values = number_list(file, "parameter_values");
    for (std::size_t i = 0; i < std::min(names.size(), values.size()); ++i) {
        header.parameters.emplace_back(names[i], values[i]);
    }
}

}  // namespace

Result<Trajectory> read_hdf5(const std::string& path) {
    const Quiet quiet;
    if (!std::filesystem::exists(path)) {
        return Error{ErrorCode::kIo, fmt::format("there is no file {}", path)};
    }
    const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (!file.good()) {
        const bool begins_well = H5Fis_hdf5(path.c_str()) > 0;
        const bool model = path.ends_with(".ank");
        return Error{ErrorCode::kInvalidInput,
                     fmt::format("{} is {}", path,
                                 begins_well ? "damaged or cut off: HDF5 cannot open it"
                                 : model     ? "a model, not results: `ananke run` runs it"
                                             : "not an HDF5 file")};
    }
    Trajectory trajectory;
    read_header(file, trajectory);
    std::vector<Numbers> parts;
    for (const auto& [kind, name] : hdf5::kDatasets) {
        if (H5Lexists(file, name, H5P_DEFAULT) <= 0) {
            continue;
        }
        const Handle data(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose);
        std::optional<Numbers> numbers = data.good() ? numbers_of(data) : std::nullopt;
        const std::vector<std::string> names = text_list(data, "columns");
        if (!numbers || names.size() != numbers->columns) {
            return Error{ErrorCode::kInvalidInput,
                         fmt::format("{}: the dataset {} cannot be read", path, name)};
        }
        for (const std::string& column : names) {
            trajectory.header.columns.push_back({column, kind});
        }
        parts.push_back(*std::move(numbers));
    }
    if (parts.empty() || trajectory.header.columns.front().kind != ColumnKind::kTime) {
        return Error{ErrorCode::kInvalidInput,
                     fmt::format("{} holds no results of a run: the dataset t is missing", path)};
    }
    std::size_t rows = parts.front().rows;
    for (const Numbers& part : parts) {
        rows = std::min(rows, part.rows);
    }
    trajectory.values.reserve(rows * trajectory.columns());
    for (std::size_t i = 0; i < rows; ++i) {
        for (const Numbers& part : parts) {
            const auto begin = part.values.begin() + static_cast<std::ptrdiff_t>(i * part.columns);
            trajectory.values.insert(trajectory.values.end(), begin,
                                     begin + static_cast<std::ptrdiff_t>(part.columns));
        }
    }
    read_events(file, trajectory);
    return trajectory;
}

Result<Trajectory> read_results(const std::string& path) {
    return std::filesystem::path(path).extension() == ".csv" ? read_csv(path) : read_hdf5(path);
}

}  // namespace ananke::io
