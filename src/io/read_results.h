// Results read back: read_results(), declared where its users see it.
#pragma once

#include "ananke/record.h"

namespace ananke::io {

/// Files that open_hdf5() wrote, also those of a run that was killed.
Result<Trajectory> read_hdf5(const std::string& path);

/// Files that open_csv() wrote, or any others with a row of names and rows of numbers. What kind a
/// column is follows from its name.
Result<Trajectory> read_csv(const std::string& path);

/// The kind of column that such a name has in our files.
ColumnKind kind_of_name(std::string_view name);

}  // namespace ananke::io
