// A program evaluated part by part into a record.
#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "code/program.h"
#include "code/recorder.h"

namespace ananke::code {

/// Evaluates parts of a program on demand: each instruction once, in the segment that first needs
/// it. Fused operations are taken apart, for the record to fuse anew. A program orders the operands
/// of sums and products by which inputs they hold; here they are ordered by their structure, so
/// that equal parts leave equal patterns.
class Replay {
  public:
    /// `program` must outlive it. Inputs of one color play the same role in equal parts of the
    /// program; without colors each has its own.
    Replay(Recorder& recorder, const Program& program, std::span<const Recorded> inputs,
           std::span<const std::uint32_t> colors = {});

    Recorded output(std::size_t which);
    std::vector<Recorded> outputs();
    /// The same program with other inputs: what does not depend on those that differ is shared.
    Replay with(std::vector<Recorded> inputs) const;

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

    std::uint32_t add(const Node& node, std::vector<Key>& keys);
    Recorded value(std::uint32_t source) const;
    Recorded apply(const Node& node);

    Recorder* recorder_;
    const Program* program_;
    std::vector<Recorded> inputs_;
    std::vector<Node> nodes_;
    std::vector<std::uint32_t> outputs_;
    std::vector<Recorded> values_;  ///< of nodes
    std::vector<char> known_;
    std::vector<std::uint32_t> stack_;
};

}  // namespace ananke::code
