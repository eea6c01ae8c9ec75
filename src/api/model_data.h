// What a public Model holds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ananke/model.h"
#include "compile/prepare.h"

namespace ananke {

struct Model::Data {
    std::string text;
    std::vector<std::string> files;
    std::shared_ptr<const compile::Prepared> prepared;
};

}  // namespace ananke
