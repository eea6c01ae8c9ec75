// Settings of a run, `name=value`: of parameters they stand in for the value of the text, of
// coordinates for the initial value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "lang/scope.h"

namespace ananke::lang {

struct Setting {
    std::string name;  ///< without primes
    int primes = 0;
    FileScope* scope = nullptr;  ///< of its own text
    Binding binding;
    bool used = false;
};

class Settings {
  public:
    void add(Setting setting) { settings_.push_back(std::move(setting)); }
    /// Null if there is none.
    const Setting* find(const std::string& name, int primes) const {
        const auto found = std::find_if(settings_.begin(), settings_.end(), [&](const auto& one) {
            return one.name == name && one.primes == primes;
        });
        return found == settings_.end() ? nullptr : &*found;
    }
    /// The same, for a parameter that takes its value from it.
    const Setting* use(const std::string& name) {
        const Setting* setting = find(name, 0);
        if (setting != nullptr) {
            settings_[static_cast<std::size_t>(setting - settings_.data())].used = true;
        }
        return setting;
    }
    const std::vector<Setting>& all() const { return settings_; }

  private:
    std::vector<Setting> settings_;
};

struct Lowering;
void read_settings(Lowering& in);
/// Those that no parameter has used: they replace the initial value of the text, exact or a guess.
void apply_initial_settings(Lowering& in);

}  // namespace ananke::lang
