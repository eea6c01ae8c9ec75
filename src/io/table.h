// The short table that a run prints when its results go to no file.
#pragma once

#include "ananke/show.h"
#include "ananke/record.h"
