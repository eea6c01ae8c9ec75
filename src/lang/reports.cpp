#include "lang/reports.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ananke::lang {
namespace {

std::uint64_t key(Span span) {
    return (static_cast<std::uint64_t>(span.file) << 48U) ^
           (static_cast<std::uint64_t>(span.begin) << 24U) ^ span.end;
}

}  // namespace

bool Reports::is_reported(Span span) const {
    return reported_.contains(key(span));
}

Span Reports::shown_at(Span span) const {
    const auto call = std::find_if(calls_.rbegin(), calls_.rend(), [&](const CallPlace& one) {
        return !hidden_.contains(one.span.file);
    });
    return hidden_.contains(span.file) && call != calls_.rend() ? call->span : span;
}

Failed Reports::fail(Span span, std::string message, Notes notes) {
    const Span written = span;
    span = shown_at(span);
    if (stopped_ || !reported_.insert(key(span)).second) {
        return {};
    }
    if (key(span) != key(written)) {
        notes.push_back(fmt::format("in '{}' at {}", text(written), place_text(written)));
    }
    if (!calls_.empty() && key(calls_.front().span) != key(span)) {
        const CallPlace& outer = calls_.front();
        notes.push_back(
            fmt::format("in the call of '{}' at {}", outer.name, place_text(outer.span)));
    }
    diagnostics_.push_back({span, Severity::kError, std::move(message), std::move(notes)});
    stopped_ = ++errors_ >= most_errors_;
    return {};
}

void Reports::warn(Span span, std::string message, Notes notes) {
    span = shown_at(span);
    if (!stopped_ && reported_.insert(key(span)).second) {
        diagnostics_.push_back({span, Severity::kWarning, std::move(message), std::move(notes)});
    }
}

Failed Reports::stop(Span span, std::string message, Notes notes) {
    if (!stopped_) {
        diagnostics_.push_back({span, Severity::kError, std::move(message), std::move(notes)});
    }
    stopped_ = true;
    return {};
}

std::string_view Reports::text(Span span) const {
    return std::string_view(sources_.text(span.file)).substr(span.begin, span.end - span.begin);
}

std::string Reports::place_text(Span span) const {
    const Sources::Place place = sources_.place(span.file, span.begin);
    return fmt::format("{}:{}:{}", sources_.name(span.file), place.line, place.column);
}

std::string Reports::declared_note(Span span) const {
    return fmt::format("declared at {}", place_text(span));
}

}  // namespace ananke::lang
