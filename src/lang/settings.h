// Settings of a run, `name=value`: of parameters they stand in for the value of the text, of
// coordinates for the initial value.
#pragma once

#include <string>

#include "lang/scope.h"

namespace ananke::lang {

struct Setting {
    std::string name;  ///< without primes
    int primes = 0;
    FileScope* scope = nullptr;  ///< of its own text
    Binding binding;
    bool used = false;  ///< by a parameter
};

struct Lowering;
void read_settings(Lowering& in);
/// Null if there is none.
Setting* find_setting(Lowering& in, const std::string& name, int primes);
/// Those that no parameter has used: they replace the initial value of the text, exact or a guess.
void apply_initial_settings(Lowering& in);

}  // namespace ananke::lang
