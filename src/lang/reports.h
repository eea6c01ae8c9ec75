// Mistakes of a model: where they are shown, how often, and when reading ends.
//
// Owns the number of errors, the places that have been reported and the calls that lead to the
// present place.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/diagnostic.h"
#include "lang/value.h"

namespace ananke::lang {

using Notes = std::vector<std::string>;

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
concept CanBeNothing = std::same_as<T, bool> || std::same_as<T, Value> || kIsOptional<T>;

/// What a function returns after a mistake, which is reported: false, no value, or Value::none().
struct Failed {
    template <CanBeNothing T>
    operator T() const {
        return T{};
    }
};

/// "did you mean 'x'?", unless no known name is near.
inline Notes did_you_mean(const std::string& near) {
    return near.empty() ? Notes{} : Notes{"did you mean '" + near + "'?"};
}

class Reports {
  public:
    Reports(const Sources& sources, std::size_t most_errors, std::vector<Diagnostic>& diagnostics)
        : sources_(sources), most_errors_(most_errors), diagnostics_(diagnostics) {}

    /// One error per place: a loop repeats its mistakes.
    Failed fail(Span span, std::string message, Notes notes = {});
    void warn(Span span, std::string message, Notes notes = {});
    /// An error after which reading ends.
    Failed stop(Span span, std::string message, Notes notes = {});
    bool stopped() const { return stopped_; }
    bool is_reported(Span span) const;

    std::string_view text(Span span) const;
    /// "pendulum.ank:4:21"
    std::string place_text(Span span) const;
    /// "declared at pendulum.ank:4:21"
    std::string declared_note(Span span) const;
    /// Places in hidden files are shown where the user's own text calls them.
    Span shown_at(Span span) const;
    void hide(std::uint32_t file) { hidden_.insert(file); }

    /// While it lives, mistakes are reported as inside the call of a function or a joint.
    class Call {
      public:
        Call(Reports& reports, std::string name, Span span) : reports_(reports) {
            reports_.calls_.push_back({std::move(name), span});
        }
        ~Call() { reports_.calls_.pop_back(); }
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;

      private:
        Reports& reports_;
    };
    std::size_t calls() const { return calls_.size(); }

  private:
    struct CallPlace {
        std::string name;
        Span span;
    };

    const Sources& sources_;
    std::size_t most_errors_;
    std::vector<Diagnostic>& diagnostics_;
    std::vector<CallPlace> calls_;  ///< the outermost first
    std::unordered_set<std::uint32_t> hidden_;
    std::unordered_set<std::uint64_t> reported_;
    std::size_t errors_ = 0;
    bool stopped_ = false;
};

}  // namespace ananke::lang
