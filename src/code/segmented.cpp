#include "code/segmented.h"

#include <algorithm>
#include <utility>

namespace ananke::code {

std::size_t SegmentedProgram::instruction_count() const {
    std::size_t count = 0;
    for (const Segment& segment : segments) {
        count += kernels[segment.kernel].instructions.size();
    }
    return count;
}

SegmentedKernel::SegmentedKernel(SegmentedProgram program)
    : program_(std::make_shared<const SegmentedProgram>(std::move(program))),
      values_(program_->value_count, 0.0) {
    std::size_t largest = 0;
    for (const Program& one : program_->kernels) {
        kernels_.emplace_back(one);
        largest = std::max(largest, kernels_.back().input_count());
    }
    gathered_.assign(largest, 0.0);
    std::copy(program_->numbers.begin(), program_->numbers.end(),
              values_.begin() + static_cast<std::ptrdiff_t>(program_->input_count));
}

void SegmentedKernel::run(const double* inputs, double* outputs) {
    const SegmentedProgram& program = *program_;
    double* const values = values_.data();
    double* const gathered = gathered_.data();
    std::copy(inputs, inputs + program.input_count, values);
    const std::uint32_t* place = program.gathered.data();
    for (const SegmentedProgram::Segment& segment : program.segments) {
        Kernel& kernel = kernels_[segment.kernel];
        const std::size_t count = kernel.input_count();
        for (std::size_t i = 0; i < count; ++i) {
            gathered[i] = values[place[i]];
        }
        place += count;
        kernel.run(gathered, values + segment.first_output);
    }
    for (const std::uint32_t output : program.outputs) {
        *outputs++ = values[output];
    }
}

}  // namespace ananke::code
