// Programs that runs of one model have recorded, kept for the runs to come: what a program is made
// from is its key, so a run finds here exactly what it would have made itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "compile/record_key.h"

namespace ananke::compile {

/// Safe for several threads. What it keeps is constant.
class ProgramStore {
  public:
    /// What was made from this key before, or what `make` returns now: a T that each kind of key
    /// always belongs to.
    template <class T, class Make>
    std::shared_ptr<const T> get(const RecordKey& key, Make&& make) {
        if (std::shared_ptr<const void> known = find(key)) {
            return std::static_pointer_cast<const T>(known);
        }
        auto made = std::make_shared<const T>(make());
        put(key, made);
        return made;
    }

    /// The same for answers about states of large models, whose keys are as large: only the last
    /// of each kind is kept, for whoever else looks at the same state.
    template <class T, class Make>
    std::shared_ptr<const T> latest(const RecordKey& key, Make&& make) {
        if (std::shared_ptr<const void> known = find_latest(key)) {
            return std::static_pointer_cast<const T>(known);
        }
        auto made = std::make_shared<const T>(make());
        put_latest(key, made);
        return made;
    }

  private:
    std::shared_ptr<const void> find(const RecordKey& key) const;
    void put(const RecordKey& key, std::shared_ptr<const void> made);
    std::shared_ptr<const void> find_latest(const RecordKey& key) const;
    void put_latest(const RecordKey& key, std::shared_ptr<const void> made);

    mutable std::mutex mutex_;
    std::unordered_map<RecordKey, std::shared_ptr<const void>, RecordKey::Hash> kept_;
    struct Latest {
        RecordKey key;
        std::shared_ptr<const void> made;
    };
    std::vector<Latest> latest_;  ///< one per kind
};

}  // namespace ananke::compile
