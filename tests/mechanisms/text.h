// The model text of a mechanism.
#pragma once

#include <string>

#include "mechanism.h"

namespace mechanisms {

std::string text_of(const Ex& expression, const Mechanism& mechanism, const Units& units);

/// The text of a model in the given units. Times, lengths and masses of the description are SI.
std::string model_text(const Mechanism& mechanism, const Units& units, const std::string& title);

}  // namespace mechanisms
