#include "code/segmented.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "code/huge_pages.h"
#include "code/kernel.h"
#include "code/workspace.h"

namespace ananke::code {
namespace {

using Gather = SegmentedProgram::Gather;
using Segment = SegmentedProgram::Segment;

constexpr std::size_t kPacket = SegmentedProgram::kPacket;
/// Up to here a loop is faster than a call that copies.
constexpr std::uint32_t kShortRun = 32;

/// The inputs of one segment, `stride` apart.
template <std::size_t stride>
void gather_inputs(const Gather& gather, const std::uint32_t* bases, const double* values,
                   double* inputs) {
    std::size_t i = 0;
    for (const std::uint32_t end : gather.group_end) {
        const double* const from = values + *bases++;
        for (; i < end; ++i) {
            inputs[stride * i] = from[gather.offsets[i]];
        }
    }
}

/// Code that reads inputs where they stand, each group from its own base, and what was computed
/// ahead from the packet. Nothing where there are too many bases, calls, or no native code.
std::optional<Native> direct_code(const SegmentedProgram::Family& family) {
    const auto& [program, gather] = family.rest;
    const bool has_ahead = !family.ahead.program.outputs.empty();
    const bool has_calls = std::any_of(program.instructions.begin(), program.instructions.end(),
                                       [](const Instruction& one) { return is_call(one.op); });
    if (has_calls || program.instructions.empty() ||
        gather.group_end.size() + (has_ahead ? 1 : 0) > kMostBases) {
        return std::nullopt;
    }
    NativeOptions options{.lanes = 1, .cpu = chosen_features()};
    for (std::uint32_t g = 0; g < gather.group_end.size(); ++g) {
        while (options.input_places.size() < gather.group_end[g]) {
            options.input_places.push_back({g, gather.offsets[options.input_places.size()]});
        }
    }
    const auto last = static_cast<std::uint32_t>(gather.group_end.size());
    for (std::uint32_t i = 0; options.input_places.size() < program.input_count; ++i) {
        options.input_places.push_back({last, i * SegmentedProgram::kPacket});
    }
    auto code = NativeCode::emit(program, options);
    return code ? std::optional<Native>(std::move(code)) : std::nullopt;
}

/// A family while it runs.
struct Runner {
    explicit Runner(const SegmentedProgram::Family& family)
        : packet_inputs(kPacket * family.ahead.program.input_count),
          packet_outputs(kPacket * family.ahead.program.outputs.size()) {
        if (!family.ahead.program.outputs.empty()) {
            ahead.emplace(family.ahead.program);
        }
        if (!family.all_ahead) {
            direct = direct_code(family);
            if (!direct) {
                rest.emplace(family.rest.program);
            }
        }
    }

    std::optional<PacketKernel<kPacket>> ahead;
    std::optional<Native> direct;  ///< reads its inputs where they stand
    std::optional<Kernel> rest;    ///< where there is no such code: reads gathered inputs
    Workspace packet_inputs, packet_outputs;
    std::uint32_t members = 0;
};

}  // namespace

std::size_t SegmentedProgram::instruction_count() const {
    std::size_t count = packet_instruction_count();
    for (const Segment& segment : segments) {
        count += families[segment.family].rest.program.instructions.size();
    }
    return count;
}

std::size_t SegmentedProgram::packet_instruction_count() const {
    std::size_t count = 0;
    for (const Segment& segment : segments) {
        count += families[segment.family].ahead.program.instructions.size();
    }
    return count;
}

struct SegmentedKernel::State {
    explicit State(const SegmentedProgram& program) : values(program.value_count, 0.0) {
        std::size_t largest = 0;
        for (const SegmentedProgram::Family& family : program.families) {
            runners.emplace_back(family);
            largest = std::max<std::size_t>(largest, family.rest.program.input_count);
        }
        for (const Segment& segment : program.segments) {
            ++runners[segment.family].members;
        }
        gathered.assign(largest, 0.0);
        std::copy(program.numbers.begin(), program.numbers.end(),
                  values.begin() + static_cast<std::ptrdiff_t>(program.input_count));
    }

    /// The last segments of a family, fewer than a packet, fill it up with copies of the last one.
    void run_packet(Runner& runner, const Gather& gather, std::uint32_t first) {
        const std::size_t groups = gather.group_end.size();
        for (std::uint32_t lane = 0; lane < kPacket; ++lane) {
            const std::uint32_t member = std::min(first + lane, runner.members - 1);
            gather_inputs<kPacket>(gather, gather.bases.data() + groups * member, values.data(),
                                   runner.packet_inputs.from(lane));
        }
        runner.ahead->run(runner.packet_inputs.data(), runner.packet_outputs.data());
    }

    void run_rest(Runner& runner, const Gather& gather, const std::uint32_t* bases,
                  const double* packet, double* results) {
        const std::size_t groups = gather.group_end.size();
        if (runner.direct) {
            std::array<const double*, kMostBases> from{};
            for (std::size_t g = 0; g < groups; ++g) {
                from[g] = values.data() + bases[g];
            }
            if (groups < kMostBases) {
                from[groups] = packet;
            }
            runner.direct->run(from.data(), results);
            return;
        }
        gather_inputs<1>(gather, bases, values.data(), gathered.data());
        for (std::size_t i = gather.offsets.size(); i < runner.rest->input_count(); ++i) {
            gathered[i] = *packet;
            packet += kPacket;
        }
        runner.rest->run(gathered.data(), results);
    }

    std::vector<Runner> runners;
    HugeVector<double> values;
    std::vector<double> gathered;
};

SegmentedKernel::SegmentedKernel(SegmentedProgram program)
    : program_(std::make_shared<const SegmentedProgram>(std::move(program))),
      state_(std::make_unique<State>(*program_)) {}

SegmentedKernel::SegmentedKernel(const SegmentedKernel& other)
    : program_(other.program_), state_(std::make_unique<State>(*other.state_)) {}

SegmentedKernel& SegmentedKernel::operator=(const SegmentedKernel& other) {
    return *this = SegmentedKernel(other);
}

SegmentedKernel::SegmentedKernel(SegmentedKernel&&) noexcept = default;
SegmentedKernel& SegmentedKernel::operator=(SegmentedKernel&&) noexcept = default;
SegmentedKernel::~SegmentedKernel() = default;

void SegmentedKernel::run(const double* inputs, double* outputs) {
    const SegmentedProgram& program = *program_;
    State& state = *state_;
    double* const values = state.values.data();
    for (const SegmentedProgram::Run& run : program.inputs) {
        std::copy_n(inputs + run.first, run.count, values + run.first);
    }
    for (const Segment& segment : program.segments) {
        Runner& runner = state.runners[segment.family];
        const SegmentedProgram::Family& family = program.families[segment.family];
        const std::uint32_t lane = segment.member % kPacket;
        if (lane == 0 && runner.ahead) {
            state.run_packet(runner, family.ahead.gather, segment.member);
        }
        const double* const packet = runner.packet_outputs.from(lane);
        double* const results = values + segment.first_output;
        if (family.all_ahead) {
            for (std::size_t i = 0; i < family.ahead.program.outputs.size(); ++i) {
                results[i] = packet[kPacket * i];
            }
        } else {
            const Gather& gather = family.rest.gather;
            state.run_rest(runner, gather,
                           gather.bases.data() + gather.group_end.size() * segment.member, packet,
                           results);
        }
    }
    for (const SegmentedProgram::Run& run : program.outputs) {
        const double* const from = values + run.first;
        if (run.count > kShortRun) {
            outputs = std::copy_n(from, run.count, outputs);
            continue;
        }
        for (std::uint32_t i = 0; i < run.count; ++i) {
            *outputs++ = from[i];
        }
    }
}

}  // namespace ananke::code
