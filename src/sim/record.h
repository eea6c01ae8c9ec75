// Columns, rows and recorders are public: a program that uses the library may bring its own.
#pragma once

#include "ananke/record.h"
#include "base/result.h"

namespace ananke::sim {

using ananke::Column;
using ananke::ColumnKind;
using ananke::Event;
using ananke::Header;
using ananke::Recorder;

}  // namespace ananke::sim
