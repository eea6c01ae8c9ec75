// From text to the first step, and what code generation has to do with it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "table.h"

namespace ananke::bench {

/// Least seconds of the parts of the way from the text to the first acceleration by the program.
struct FirstStep {
    std::string name;
    double prepare = 0.0;     ///< text to the assembled start
    double first_look = 0.0;  ///< choice of rows and order, recording, emission
    double evaluation = 0.0;  ///< the first one by the program
    std::size_t operations = 0;

    double total() const { return prepare + first_look + evaluation; }
};

/// A spatial chain of three bodies on ball joints, and some models of the gallery.
Result<std::vector<FirstStep>> time_first_steps();
/// First looks at all models of the gallery that have a program, ascending.
Result<std::vector<double>> time_first_looks();

/// Emission alone, of random straight-line programs.
struct Emission {
    std::size_t operations = 0;
    int lanes = 1;
    double seconds = 0.0;
    double run = 0.0;  ///< seconds per run, all lanes
};
std::vector<Emission> time_emission();

Table first_step_table(const std::vector<FirstStep>& steps);
Table emission_table(const std::vector<Emission>& emissions);

}  // namespace ananke::bench
