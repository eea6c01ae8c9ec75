// Bounds that keep every model finite. Each has its own message, so that a person who meets one
// knows which it was.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ananke::lang {

struct Limits {
    std::size_t file_bytes = 4U << 20U;  ///< one source file
    int nesting = 200;     ///< brackets, powers, conditionals, blocks inside each other
    int call_depth = 800;  ///< levels of expressions through called functions
    std::uint64_t loop_statements = 1'000'000;  ///< statements after all loops are written out
    std::uint64_t expression_steps =
        20'000'000;                        ///< operations read while lowering the whole model
    std::size_t graph_nodes = 10'000'000;  ///< distinct expressions of the whole model
    std::size_t files = 100;               ///< imports of one model, repeated ones counted again
    std::size_t errors = 100;              ///< reported errors, then reading ends
};

}  // namespace ananke::lang
