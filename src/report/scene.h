// What is drawn of a run, and where at every state.
#pragma once

#include "inspect/check.h"
#include "report/report.h"
#include "report/states.h"

namespace ananke::report {

/// Fills report.scene; adds tracks to its data, and columns of forces that only the drawing has.
void draw_scene(const States& states, const inspect::CheckReport& check, Report& report);

}  // namespace ananke::report
