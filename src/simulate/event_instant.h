// Which events happen at one instant.
//
// Those that have come to it happen in the order of the text. What they do may send others across
// that are at zero too: balls that touch, walls that meet in a corner. These happen as well, round
// by round, until no value at zero heads across that did not before. An event that is about to set
// velocities, and that the ones before it have turned away, does not happen: it would have come
// after them.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dynamics/evaluator.h"

namespace ananke::simulate {

/// Values and rates below this part of the sums of their terms are round-off.
inline constexpr double kRoundOff = 16.0 * std::numeric_limits<double>::epsilon();
/// Times that differ by less than this part of them are one instant.
inline constexpr double kSameTime = 4.0 * std::numeric_limits<double>::epsilon();

/// Whether an event asks for crossings that leave this side.
inline bool counts(const compile::CompiledEvents::One& event, int side) {
    return event.crossing == mech::Event::Crossing::kEither ||
           (event.crossing == mech::Event::Crossing::kFalling) == (side > 0);
}

class EventInstant {
  public:
    /// `evaluator` must outlive it.
    explicit EventInstant(dynamics::Evaluator& evaluator);

    /// The instant t at a state before anything has happened. `due` have come to it; `sides` are
    /// those the values come from (0: not known), and what is below `rounding` is zero.
    void begin(double t, const double* q, const double* v, std::span<const int> due,
               std::span<const int> sides, std::span<const double> rounding);
    /// The next event to carry out, or none.
    std::optional<int> next();
    /// The one before has been carried out, and has left this state.
    void follow(double t, const double* q, const double* v);

    bool has_happened(int which) const { return happened_[static_cast<std::size_t>(which)] != 0; }
    /// Values at the instant before anything has happened.
    std::span<const double> before() const { return before_; }
    /// The events go on without an end: more rounds than any chain of impacts takes.
    bool is_endless() const;
    /// Those of the last round.
    std::vector<std::string> names_of_last_round() const;

  private:
    const compile::CompiledEvents::One& event(std::size_t k) const { return compiled_->list[k]; }
    void find_headings(double t, const double* q, const double* v);
    int guarded_side(std::size_t k) const;
    bool has_turned_away(std::size_t k) const;

    dynamics::Evaluator* evaluator_;
    const compile::CompiledEvents* compiled_;
    code::Kernel values_, rates_, rate_scales_;
    std::vector<double> before_, now_, zero_, rate_, rate_scale_;  ///< per event
    std::vector<int> sides_;                                       ///< likewise
    std::vector<int> last_round_;                                  ///< in which it happened
    std::vector<char> heads_across_;  ///< at zero, and going over to the other side
    std::vector<char> earlier_;       ///< the same before the last action
    std::vector<char> came_across_;   ///< the same before anything had happened
    std::vector<char> due_;           ///< came to this instant, and has not had its turn
    std::vector<char> sent_;          ///< sent across by others, likewise
    std::vector<char> happened_;
    std::size_t place_ = 0;  ///< in the list, of the next candidate
    int round_ = 0;
};

}  // namespace ananke::simulate
