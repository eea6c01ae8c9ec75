// Which dataset of the HDF5 file holds which kind of column.
#pragma once

#include <array>
#include <utility>

#include "ananke/record.h"

namespace ananke::io::hdf5 {

inline constexpr std::array<std::pair<ColumnKind, const char*>, 12> kDatasets{{
    {ColumnKind::kTime, "t"},
    {ColumnKind::kPosition, "q"},
    {ColumnKind::kVelocity, "v"},
    {ColumnKind::kAcceleration, "a"},
    {ColumnKind::kForce, "Qc"},
    {ColumnKind::kMultiplier, "lambda"},
    {ColumnKind::kControl, "control"},
    {ColumnKind::kResidual, "residual"},
    {ColumnKind::kPointForce, "force"},
    {ColumnKind::kEnergy, "energy"},
    {ColumnKind::kOutput, "output"},
    {ColumnKind::kPrinciple, "principle"},
}};

}  // namespace ananke::io::hdf5
