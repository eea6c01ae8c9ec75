// Settings of tests that can be run at any length by hand, from the environment.
#pragma once

#include <cstdlib>

namespace mechanisms {

/// The whole number in the environment variable `name`, or `usual`.
inline long setting(const char* name, long usual) {
    const char* text = std::getenv(name);
    return text != nullptr ? std::atol(text) : usual;
}

}  // namespace mechanisms
