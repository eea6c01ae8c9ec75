// The value of an operation, or the one reason it failed.
//
// Member names are those of std::expected, so that the class can become an alias
// once every supported compiler has it (gcc 12 only in C++23 mode, clang 14 not at all).
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace ananke {

enum class ErrorCode : std::uint8_t {
    kInvalidInput,   ///< what the user wrote or asked for cannot be right
    kNotApplicable,  ///< a form was asked for where its condition does not hold (M > 0, say)
    kNotFinite,      ///< a NaN or an infinity where a number is needed
    kNotUnique,      ///< rank [M; A] < n: the model does not determine the motion
    kInconsistent,   ///< the constraints contradict each other
    kNotControlled,  ///< the actuators of a servo cannot enforce it, or not in one way only
    kNotConverged,   ///< an iteration ended without meeting its tolerance
    kStepTooSmall,   ///< the integrator cannot go on
    kTooManySteps,   ///< a guarded loop reached its bound
    kInterrupted,    ///< the user asked to stop
    kIo,             ///< a file could not be read or written
};

struct Error {
    ErrorCode code;
    std::string message;  ///< One sentence for the user, with the numbers that decided.
};

/// Ends the program: a value was asked of a failed result, or an error of a good one.
[[noreturn]] inline void wrong_use_of_result(const char* message) {
    std::fprintf(stderr, "contract violated: %s\n", message);
    std::abort();
}

template <class T>
class [[nodiscard]] Result {
  public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    bool has_value() const { return state_.index() == 0; }
    explicit operator bool() const { return has_value(); }

    /// Requires has_value().
    T& value() & {
        require_value();
        return *std::get_if<0>(&state_);
    }
    const T& value() const& {
        require_value();
        return *std::get_if<0>(&state_);
    }
    T&& value() && {
        require_value();
        return std::move(*std::get_if<0>(&state_));
    }
    /// Requires !has_value().
    const Error& error() const {
        if (has_value()) {
            wrong_use_of_result("error() of a result that has a value");
        }
        return *std::get_if<1>(&state_);
    }

  private:
    void require_value() const {
        if (!has_value()) {
            wrong_use_of_result(std::get_if<1>(&state_)->message.c_str());
        }
    }

    std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
  public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}

    bool has_value() const { return !error_.has_value(); }
    explicit operator bool() const { return has_value(); }
    /// Requires !has_value().
    const Error& error() const {
        if (!error_) {
            wrong_use_of_result("error() of a result that has a value");
        }
        return *error_;
    }

  private:
    std::optional<Error> error_;
};

}  // namespace ananke
