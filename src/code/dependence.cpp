#include "code/dependence.h"

#include <algorithm>
#include <numeric>

namespace ananke::code {

Dependence::Dependence(const Program& program, std::span<const std::uint32_t> active)
    : input_count_(program.input_count), constants_(program.constants) {
    sets_.resize(first_instruction());
    for (std::size_t k = 0; k < active.size(); ++k) {
        sets_[active[k]] = {pool_.size(), 1};
        pool_.push_back(static_cast<std::uint32_t>(k));
    }
    std::vector<Name> name_of_slot(program.slot_count);
    std::iota(name_of_slot.begin(), name_of_slot.end(), 0U);
    instructions_.reserve(program.instructions.size());
    for (const Instruction& one : program.instructions) {
        const auto name = static_cast<Name>(sets_.size());
        instructions_.push_back(
            {one.op, name, name_of_slot[one.a], name_of_slot[one.b], name_of_slot[one.c]});
        sets_.push_back(set_of(instructions_.back()));
        name_of_slot[one.target] = name;
    }
    for (const Slot slot : program.outputs) {
        outputs_.push_back(name_of_slot[slot]);
    }
}

Dependence::Set Dependence::set_of(const Instruction& one) {
    switch (one.op) {
        case Op::kSign:
        case Op::kLess:
        case Op::kLessEqual:
        case Op::kEqual:
        case Op::kAnd:
        case Op::kOr:
        case Op::kNot:
            return {};
        case Op::kSelect:
            return unite(sets_[one.b], sets_[one.c]);
        default:
            break;
    }
    Set all = sets_[one.a];
    if (arity(one.op) > 1) {
        all = unite(all, sets_[one.b]);
    }
    if (arity(one.op) > 2) {
        all = unite(all, sets_[one.c]);
    }
    return all;
}

/// One of the two where it holds the other.
Dependence::Set Dependence::unite(Set x, Set y) {
    if (x == y || y.count == 0) {
        return x;
    }
    if (x.count == 0) {
        return y;
    }
    if (x.count == kTooMany || y.count == kTooMany) {
        return {0, kTooMany};
    }
    const std::size_t first = pool_.size();
    pool_.resize(first + x.count + y.count);  // before the sets are read: it may move them
    const auto begin = [this](Set set) {
        return pool_.begin() + static_cast<std::ptrdiff_t>(set.first);
    };
    const auto end = [&](Set set) { return begin(set) + static_cast<std::ptrdiff_t>(set.count); };
    const auto to = pool_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto last = std::set_union(begin(x), end(x), begin(y), end(y), to);
    const auto count = static_cast<std::size_t>(last - to);
    if (count == x.count || count == y.count) {
        pool_.resize(first);
        return count == x.count ? x : y;
    }
    pool_.resize(count > kMostMembers ? first : first + count);
    return count > kMostMembers ? Set{0, kTooMany} : Set{first, count};
}

Dependence::Name Dependence::append(Op op, Name a, Name b) {
    const auto name = static_cast<Name>(sets_.size());
    instructions_.push_back({op, name, a, b, 0});
    sets_.push_back(set_of(instructions_.back()));
    return name;
}

Program Dependence::program(std::span<const Name> outputs) const {
    return {input_count_,
            static_cast<std::uint32_t>(sets_.size()),
            constants_,
            instructions_,
            {outputs.begin(), outputs.end()}};
}

}  // namespace ananke::code
