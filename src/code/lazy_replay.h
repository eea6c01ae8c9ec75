// A program evaluated part by part into a record of segments.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "code/program.h"
#include "code/tracer.h"

namespace ananke::code {

/// Evaluates parts of a program on demand: each instruction once, in the segment that first needs
/// it. Fused operations are taken apart. A program orders the operands of sums and products by
/// which inputs they hold; here they are ordered by their structure, so that equal parts leave
/// equal tapes.
class LazyReplay {
  public:
    /// `program` and `inputs` must outlive it. Inputs of one color play the same role in equal
    /// parts of the program.
    LazyReplay(Tracer& tracer, const Program& program, std::span<const Traced> inputs,
               std::span<const std::uint32_t> colors);

    Traced output(std::size_t which);

  private:
    /// Order of operands: by structure, then by their first input.
    struct Key {
        std::uint64_t structure;
        std::uint32_t first_input;
        friend bool operator<(const Key& a, const Key& b) {
            return std::tie(a.structure, a.first_input) < std::tie(b.structure, b.first_input);
        }
    };
    /// Operands: below first_temporary() slots of the program, else that plus the number of a node.
    struct Node {
        Op op;
        std::array<std::uint32_t, 3> from;
    };
    std::uint32_t add(const Node& node);
    Traced value(std::uint32_t source) const;
    Traced apply(const Node& node);

    Tracer* tracer_;
    const Program* program_;
    std::span<const Traced> inputs_;
    std::vector<Node> nodes_;
    std::vector<Key> keys_;
    std::vector<std::uint32_t> outputs_;
    std::vector<Traced> values_;  ///< of nodes
    std::vector<char> known_;
    std::vector<std::uint32_t> stack_;
};

}  // namespace ananke::code
