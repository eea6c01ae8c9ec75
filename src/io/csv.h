// Results as comma-separated values: open_csv(), declared where its users see it.
#pragma once

#include "ananke/record.h"
#include "ananke/record.h"
