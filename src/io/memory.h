// A run kept in memory: for tests, printed tables, plots and sweeps.
#pragma once

#include "ananke/record.h"
#include "ananke/record.h"
