// What a run hands on while it goes: columns once, then one row per output time, then the end.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ananke::sim {

/// The datasets of the HDF5 file, and the groups of columns of the CSV file in this order.
enum class ColumnKind : std::uint8_t {
    kTime,          ///< t
    kPosition,      ///< q:        x
    kVelocity,      ///< v:        x'
    kAcceleration,  ///< a:        x''
    kForce,         ///< Qc:       Qc[x], Qc_ideal[x], Qc_nonideal[x]
    kMultiplier,    ///< lambda:   lambda[c]
    kResidual,      ///< residual: residual[c], residual_rate[c]
    kPointForce,    ///< force:    force[c:P].x, power[c]
    kEnergy,        ///< energy:   kinetic, potential, energy, energy_balance
    kOutput,        ///< output:   declared outputs and speeds
};

struct Column {
    std::string name;
    ColumnKind kind;
};

/// Everything about a run that is known before its first row.
struct Header {
    std::string title;
    std::string model_text;
    std::string version;
    std::vector<std::pair<std::string, double>> parameters;
    std::string check;  ///< the report of `ananke check` for this model, as text
    std::vector<Column> columns;
};

/// A change of regime or a user event: rank changes, switches, stops.
struct Event {
    double t;
    std::string name;
    std::string kind;
    std::string detail;
};

/// Receives a run. A failure ends the run; rows already taken stay.
class Recorder {
  public:
    virtual ~Recorder() = default;
    virtual Result<void> begin(const Header& header) = 0;
    /// One value per column.
    virtual Result<void> row(std::span<const double> values) = 0;
    virtual Result<void> event(const Event& event) = 0;
    /// `ending`: "done", or why the run ended early.
    virtual Result<void> finish(const std::string& ending) = 0;
};

}  // namespace ananke::sim
