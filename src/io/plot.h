// Curves in a terminal, as text.
#pragma once

#include "ananke/show.h"
#include "ananke/record.h"
