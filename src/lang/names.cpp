#include "lang/names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace ananke::lang {
namespace {

// Similar names are searched among this many at most: a message may not cost seconds.
constexpr std::size_t kSearched = 20'000;

char lower_case(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// A slip of case first. One letter is near to every other letter: there nothing else may be a slip.
std::string likely_name(std::string_view wanted, const std::vector<std::string>& known) {
    const std::string_view last = wanted.substr(wanted.rfind('.') + 1);
    const auto same = [&](const std::string& name) {
        return std::equal(name.begin(), name.end(), wanted.begin(), wanted.end(),
                          [](char a, char b) { return lower_case(a) == lower_case(b); });
    };
    const auto found = std::find_if(known.begin(), known.end(), same);
    if (found != known.end()) {
        return *found;
    }
    return display_width(last) > 1 ? nearest_name(wanted, known) : std::string();
}

/// The names of a table that are wanted, sorted: a message must not depend on the hash.
template <class Table, class IsWanted>
std::vector<std::string> sorted_names(const Table& table, const IsWanted& is_wanted) {
    std::vector<std::string> names;
    for (const auto& [name, entry] : table) {
        if (names.size() < kSearched && is_wanted(entry)) {
            names.push_back(name);
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

std::string_view describe(EntityKind kind) {
    // In the order of the kinds.
    static constexpr std::array<std::string_view, 11> kDescriptions{
        "a parameter",  "a coordinate", "a speed", "a let",   "a point",         "a particle",
        "a constraint", "an event",     "a body",  "a joint", "an imported file"};
    return kDescriptions[static_cast<std::size_t>(kind)];
}

bool is_reserved(std::string_view name) {
    return name == "t" || name == "pi" || name == "deg" || name == "ground";
}

std::string suggestion(std::string_view wanted, std::span<const std::string> known,
                       std::string otherwise) {
    const std::string near = nearest_name(wanted, known);
    return near.empty() ? std::move(otherwise) : fmt::format("did you mean '{}'?", near);
}

std::string_view base_of(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    const std::size_t bracket = name.find('[', dot == std::string_view::npos ? 0 : dot);
    return name.substr(0, bracket);
}

std::optional<Declaration> Names::declaration(const std::string& name) const {
    if (const auto sound = entities_.find(name); sound != entities_.end()) {
        return Declaration{sound->second.kind, sound->second.span};
    }
    const auto failed = failed_.find(name);
    return failed == failed_.end() ? std::nullopt : std::optional(failed->second);
}

void Names::declare(const std::string& name, const Entity& entity) {
    entities_.emplace(name, entity);
    count(name);
}

void Names::declare_failed(const std::string& name, const Declaration& failed) {
    failed_.emplace(name, failed);
    count(name);
}

void Names::doubt(const std::string& name) {
    doubtful_.insert(name);
}

/// Its base, and the range of its indices.
void Names::count(const std::string& name) {
    const std::string_view base = base_of(name);
    Array& array = bases_[std::string(base)];
    if (base.size() == name.size()) {
        array.plain = true;
        return;
    }
    std::int64_t index = 0;
    std::from_chars(name.data() + base.size() + 1, name.data() + name.size(), index);
    array.smallest = array.indexed ? std::min(array.smallest, index) : index;
    array.largest = array.indexed ? std::max(array.largest, index) : index;
    array.indexed = true;
}

Found Names::find(const std::string& prefix, const std::string& name) const {
    const std::string full = prefix + name;
    if (const auto sound = entities_.find(full); sound != entities_.end()) {
        return {&sound->second, false};
    }
    // b.x and b[1] of a failed b have failed with it.
    std::size_t end = prefix.size();
    do {
        end = std::min(full.find_first_of(".[", end + 1), full.size());
        const std::string part = full.substr(0, end);
        if (failed_.contains(part) || doubtful_.contains(part)) {
            return {nullptr, true};
        }
    } while (end < full.size());
    return {};
}

const Names::Array* Names::find_base(const std::string& base) const {
    const auto found = bases_.find(base);
    return found == bases_.end() ? nullptr : &found->second;
}

std::string Names::nearest(std::string_view wanted, const std::vector<std::string>& also) const {
    std::vector<std::string> known = sorted_names(bases_, [](const Array&) { return true; });
    for (const std::string& name : known) {
        const std::size_t dot = name.rfind('.');
        if (dot != std::string::npos && name.substr(dot + 1) == wanted) {
            return name;  // the name without its file
        }
    }
    known.insert(known.begin(), also.begin(), also.end());
    return likely_name(wanted, known);
}

std::string Names::nearest_of(std::string_view wanted, std::vector<EntityKind> kinds) const {
    return likely_name(wanted, sorted_names(entities_, [&](const Entity& entity) {
                           return std::find(kinds.begin(), kinds.end(), entity.kind) != kinds.end();
                       }));
}

}  // namespace ananke::lang
