// One run, several recorders.
#pragma once

#include "ananke/record.h"
#include "ananke/record.h"
