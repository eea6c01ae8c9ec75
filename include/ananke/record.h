// What a run hands on while it goes: columns once, then one row per output time, then the end; and
// who takes it: files, memory, several of them, or a recorder of your own.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ananke/result.h"

namespace ananke {

/// The datasets of the HDF5 file, and the groups of columns of the CSV file in this order.
enum class ColumnKind : std::uint8_t {
    kTime,          ///< t
    kPosition,      ///< q:         x
    kVelocity,      ///< v:         x'
    kAcceleration,  ///< a:         x''
    kForce,         ///< Qc:        Qc[x], Qc_ideal[x], Qc_nonideal[x]
    kMultiplier,    ///< lambda:    lambda[c]
    kControl,       ///< control:   control[c:1] of actuators, control[c:x] of ideal servos
    kResidual,      ///< residual:  residual[c], residual_rate[c]
    kPointForce,    ///< force:     force[c:P].x, power[c]
    kEnergy,        ///< energy:    kinetic, potential, energy, energy_balance
    kOutput,        ///< output:    declared outputs and speeds
    kPrinciple,     ///< principle: a0[x], deviation[x], e[c], where asked for
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

namespace io {

/// One header row, then one row per output time with 17 significant digits (every double reads
/// back exactly; `nan`, `inf`, `-inf` as such). Names are quoted (RFC 4180) only where they must
/// be.
///
/// Rows reach the file at least every 0.2 s of a run, at finish() and on destruction. An earlier
/// file stays until the first rows of this run replace it, in one instant; while they grow, another
/// recorder cannot open the same path. An error of row() or finish() says how many rows the file
/// has. Events go to `path`.events.csv, which takes the place of an earlier one with the first
/// rows. Standard output, path "-", has no file of events.
Result<std::unique_ptr<Recorder>> open_csv(const std::string& path);

/// `t` (rows) and one dataset (rows x columns) for each kind that has columns: `q`, `v`, `a`, `Qc`,
/// `lambda`, `residual`, `force`, `energy`, `output`, `principle`, each with the attribute
/// `columns`, a list of UTF-8 strings (continued in `columns2`, ... beyond 4000). Group `events`:
/// `t`, `name`, `kind`, `detail`. Attributes of the root: `title`, `model`, `version`, `check`,
/// `parameter_names`, `parameter_values`, `ending` ("running" until finish() says how the run
/// ended).
///
/// The file is written at least once per `interval` of a run and needs no repair after the process
/// is killed at any instant: H5Fopen with default properties succeeds, all datasets but the events
/// have the same number of rows, and these are the first rows of the run. It takes the place of an
/// earlier one as open_csv() does.
Result<std::unique_ptr<Recorder>> open_hdf5(
    const std::string& path, std::chrono::milliseconds interval = std::chrono::milliseconds(200));

/// The columns and rows of a run kept in memory. Values are row-major.
struct Trajectory {
    Header header;
    std::vector<double> values;
    std::vector<Event> events;
    std::string ending;  ///< empty while the run goes

    std::size_t columns() const { return header.columns.size(); }
    std::size_t rows() const { return columns() == 0 ? 0 : values.size() / columns(); }
    std::span<const double> row(std::size_t i) const {
        return std::span(values).subspan(i * columns(), columns());
    }
    std::optional<std::size_t> find(std::string_view name) const;
    /// Requires a column of that name.
    std::vector<double> column(std::string_view name) const;
};

/// A run that open_hdf5() or open_csv() wrote (by the extension of the file: .csv, or anything else
/// for HDF5). A CSV file has no title and no model text, and tells kinds by the names of columns; a
/// last line that is cut off is left out, and `ending` says so. Of HDF5 only what open_hdf5()
/// writes is read, and nothing in the file is trusted.
Result<Trajectory> read_results(const std::string& path);

/// Writes into `trajectory`, which must outlive the recorder.
///
/// `row_limit` bounds memory: when more rows arrive, every other one is dropped and from then on
/// only each second (fourth, ...) is taken, so that at least half the limit stays, evenly spaced,
/// with the first and the last row of the run. 0 keeps all.
std::unique_ptr<Recorder> record_in_memory(Trajectory& trajectory, std::size_t row_limit = 0);

/// Every recorder gets every call, also when one of them fails; the first failure is the answer.
std::unique_ptr<Recorder> tee(std::vector<std::unique_ptr<Recorder>> recorders);

/// Hands `next` the columns that match any pattern (`*` is the only wildcard), and always `t`.
/// begin() fails for a pattern that matches no column, and names the nearest ones.
std::unique_ptr<Recorder> only(std::unique_ptr<Recorder> next, std::vector<std::string> patterns);

}  // namespace io

using io::only;
using io::open_csv;
using io::open_hdf5;
using io::read_results;
using io::record_in_memory;
using io::tee;
using io::Trajectory;

}  // namespace ananke
