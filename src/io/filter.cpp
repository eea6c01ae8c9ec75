#include "io/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace ananke::io {
namespace {

constexpr std::size_t kSuggestions = 3;

/// Edits between a pattern and a name; a star makes the tail of the name free.
int distance(const std::string& literal, bool has_star, const std::string& name) {
    const int whole = edit_distance(literal, name);
    if (!has_star) {
        return whole;
    }
    return std::min(whole,
                    edit_distance(literal, std::string_view(name).substr(0, literal.size())));
}

Error no_match(const std::string& pattern, const std::vector<Column>& columns) {
    std::string literal = pattern;
    std::erase(literal, '*');
    const bool has_star = literal.size() != pattern.size();
    std::vector<std::pair<int, std::string>> near;
    near.reserve(columns.size());
    for (const Column& column : columns) {
        near.emplace_back(distance(literal, has_star, column.name), column.name);
    }
    std::ranges::stable_sort(near, [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> names;
    for (auto& [edits, name] : near) {
        if (names.size() < kSuggestions && edits <= near.front().first + 1) {
            names.push_back(std::move(name));
        }
    }
    return {ErrorCode::kInvalidInput,
            fmt::format("no column matches '{}'; the nearest {} {}", pattern,
                        names.size() == 1 ? "is" : "are", join_names(names))};
}

class Filter final : public Recorder {
  public:
    Filter(std::unique_ptr<Recorder> next, std::vector<std::string> patterns)
        : next_(std::move(next)), patterns_(std::move(patterns)) {}

    Result<void> begin(const Header& header) override {
        columns_ = header.columns.size();
        std::vector<bool> keep(columns_);
        for (std::size_t i = 0; i < columns_; ++i) {
            keep[i] = header.columns[i].kind == ColumnKind::kTime;
        }
        for (const std::string& pattern : patterns_) {
            bool found = false;
            for (std::size_t i = 0; i < columns_; ++i) {
                if (matches_wildcard(pattern, header.columns[i].name)) {
                    keep[i] = true;
                    found = true;
                }
            }
            if (!found) {
                return no_match(pattern, header.columns);
            }
        }
        Header kept = header;
        kept.columns.clear();
        for (std::size_t i = 0; i < columns_; ++i) {
            if (keep[i]) {
                chosen_.push_back(i);
                kept.columns.push_back(header.columns[i]);
            }
        }
        values_.resize(chosen_.size());
        return next_->begin(kept);
    }

    Result<void> row(std::span<const double> values) override {
        ANANKE_REQUIRE(values.size() == columns_);
        for (std::size_t i = 0; i < chosen_.size(); ++i) {
            values_[i] = values[chosen_[i]];
        }
        return next_->row(values_);
    }

    Result<void> event(const Event& event) override { return next_->event(event); }
    Result<void> finish(const std::string& ending) override { return next_->finish(ending); }

  private:
    std::unique_ptr<Recorder> next_;
    std::vector<std::string> patterns_;
    std::size_t columns_ = 0;
    std::vector<std::size_t> chosen_;
    std::vector<double> values_;
};

}  // namespace

std::unique_ptr<Recorder> only(std::unique_ptr<Recorder> next, std::vector<std::string> patterns) {
    ANANKE_REQUIRE(next != nullptr);
    return std::make_unique<Filter>(std::move(next), std::move(patterns));
}

std::vector<std::string> split_patterns(const std::string& text) {
    // A bracket left open, as in `force[hinge:*`, is literal, so commas end patterns everywhere.
    std::vector<std::string> patterns;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        std::string_view piece = std::string_view(text).substr(begin, end - begin);
        const std::size_t first = piece.find_first_not_of(" \t");
        if (first != std::string_view::npos) {
            piece = piece.substr(first, piece.find_last_not_of(" \t") - first + 1);
            patterns.emplace_back(piece);
        }
        begin = end + 1;
    }
    return patterns;
}

}  // namespace ananke::io
