// Curves in a terminal, as text.
#pragma once

#include "ananke/show.h"
#include "sim/record.h"
