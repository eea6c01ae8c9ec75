#include "mech/equations.h"

namespace ananke::mech {

std::string_view describe(ConstraintKind kind) {
    switch (kind) {
        case ConstraintKind::kHolonomicScleronomic:
            return "holonomic, scleronomic";
        case ConstraintKind::kHolonomicRheonomic:
            return "holonomic, rheonomic";
        case ConstraintKind::kNonholonomicLinear:
            return "nonholonomic, linear";
        case ConstraintKind::kNonholonomicAffine:
            return "nonholonomic, affine";
        case ConstraintKind::kNonholonomicNonlinear:
            return "nonholonomic, nonlinear";
        case ConstraintKind::kVacuous:
            return "vacuous";
    }
    return "";
}

std::string_view describe(const Row& row) {
    return row.integrable ? "holonomic, in the velocities" : describe(row.kind);
}

}  // namespace ananke::mech
