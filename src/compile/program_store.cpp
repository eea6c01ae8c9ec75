#include "compile/program_store.h"

#include <algorithm>
#include <utility>

namespace ananke::compile {
namespace {

/// When there are more all are forgotten: runs whose parameters change on and on need no memory of
/// them.
constexpr std::size_t kMostKept = 256;

}  // namespace

std::shared_ptr<const void> ProgramStore::find(const RecordKey& key) const {
    const std::scoped_lock lock(mutex_);
    const auto found = kept_.find(key);
    return found == kept_.end() ? nullptr : found->second;
}

void ProgramStore::put(const RecordKey& key, std::shared_ptr<const void> made) {
    const std::scoped_lock lock(mutex_);
    if (kept_.size() >= kMostKept) {
        kept_.clear();
    }
    kept_.emplace(key, std::move(made));
}

std::shared_ptr<const void> ProgramStore::find_latest(const RecordKey& key) const {
    const std::scoped_lock lock(mutex_);
    const auto found = std::find_if(latest_.begin(), latest_.end(),
                                    [&](const Latest& one) { return one.key == key; });
    return found == latest_.end() ? nullptr : found->made;
}

void ProgramStore::put_latest(const RecordKey& key, std::shared_ptr<const void> made) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(latest_, [&](const Latest& one) { return one.key.kind() == key.kind(); });
    latest_.push_back({key, std::move(made)});
}

}  // namespace ananke::compile
