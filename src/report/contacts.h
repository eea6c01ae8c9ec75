// Where a joint pushes: rolling joints act where wheel and floor touch, not at the wheel's centre.
#pragma once

#include "report/drawing.h"

namespace ananke::report {

/// Fills Drawing::contacts for the targets of reactions whose rows push along directions at right
/// angles to each other, all at one place other than the reference point of the torques.
void find_contacts(Drawing& drawing);

}  // namespace ananke::report
