// What a public Model holds.
#pragma once

#include <memory>
#include <string>

#include "ananke/model.h"
#include "sim/prepare.h"

namespace ananke {

struct Model::Data {
    std::string text;
    std::unique_ptr<const sim::Prepared> prepared;
};

}  // namespace ananke
