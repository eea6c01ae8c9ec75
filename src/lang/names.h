// The names of a model: one table for everything that is declared, functions apart.
//
// An element of an array is a name of its own, x[3]; the table also knows what indices an array
// has, so that a message can say so. Imported names carry their file's name: pendulum.x[3].
//
// A declaration that failed is in the table too, but only its kind and place: find() never hands
// out more of it, so no statement can use what is not there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/diagnostic.h"
#include "lang/value.h"

namespace ananke::lang {

enum class EntityKind : std::uint8_t {
    kParameter,
    kCoordinate,
    kSpeed,
    kLet,
    kPoint,
    kParticle,
    kConstraint,
    kEvent,
    kBody,
    kJoint,  ///< the prefix of other names
    kFile,   ///< an imported file, the prefix of other names
};

/// A sound declaration.
struct Entity {
    EntityKind kind = EntityKind::kLet;
    int index = -1;  ///< in the model's list of that kind
    Value value;
    Span span;
};

/// What is known of every declaration, also of one that failed.
struct Declaration {
    EntityKind kind;
    Span span;
};

/// What a name stands for: a sound declaration, one that failed, or nothing.
struct Found {
    const Entity* entity = nullptr;  ///< null unless sound
    bool failed = false;  ///< reported where it is declared; its uses are passed over in silence

    bool unknown() const { return entity == nullptr && !failed; }
};

/// "a parameter", "a coordinate".
std::string_view describe(EntityKind kind);

class Names {
  public:
    // Of a name that nothing has yet.
    void declare(const std::string& name, const Entity& entity);
    void declare_failed(const std::string& name, const Declaration& failed);
    /// Something of this name, or under it (name.x, name[i]), could not be read: what else is not
    /// found of it counts as failed.
    void doubt(const std::string& name);

    /// `prefix`: of the file or joint in which `name` is looked up.
    Found find(const std::string& prefix, const std::string& name) const;
    std::optional<Declaration> declaration(const std::string& name) const;

    struct Array {
        std::int64_t smallest = 0;
        std::int64_t largest = 0;
        bool indexed = false;  ///< has elements name[i]
        bool plain = false;    ///< is a name itself
    };
    /// What is known of a name without its indices.
    const Array* find_base(const std::string& base) const;

    /// The most similar name (without indices), or "".
    std::string nearest(std::string_view wanted, const std::vector<std::string>& also) const;

    /// The most similar among the entities of these kinds.
    std::string nearest_of(std::string_view wanted, std::vector<EntityKind> kinds) const;

  private:
    void count(const std::string& name);

    std::unordered_map<std::string, Entity> entities_;
    std::unordered_map<std::string, Declaration> failed_;
    std::unordered_set<std::string> doubtful_;
    std::unordered_map<std::string, Array> bases_;
};

/// t, pi, deg and ground, which no declaration may take.
bool is_reserved(std::string_view name);

/// "did you mean 'x'?" where a known name is near, else `otherwise`.
std::string suggestion(std::string_view wanted, std::span<const std::string> known,
                       std::string otherwise);

/// x[3][4] without its last indices: x.
std::string_view base_of(std::string_view name);

}  // namespace ananke::lang
