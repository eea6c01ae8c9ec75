// The whole library: load a model, check it, derive it, run it, keep or show its results.
#pragma once

#include "ananke/check.h"
#include "ananke/derive.h"
#include "ananke/method.h"
#include "ananke/model.h"
#include "ananke/record.h"
#include "ananke/report.h"
#include "ananke/result.h"
#include "ananke/run.h"
#include "ananke/show.h"
