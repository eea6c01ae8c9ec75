// Random mechanisms by seed.
#pragma once

#include <cstdint>
#include <vector>

#include "sketch.h"

namespace mechanisms {

/// The mechanism of a seed: of a family drawn by it, with a consistent start.
Mechanism generate(std::uint64_t seed);

/// One family: draws the parts of a mechanism.
struct Family {
    const char* name;
    void (*draw)(Sketch&);
};

const std::vector<Family>& families();
/// A mechanism of the family `name`.
Mechanism generate_of(const std::string& name, std::uint64_t seed);

// ---- The families.

void draw_particles(Sketch& s);    ///< particles on rods and surfaces, with redundant copies
void draw_planar(Sketch& s);       ///< planar bodies in chains and loops
void draw_spatial(Sketch& s);      ///< bodies in space in chains and loops
void draw_four_bar(Sketch& s);     ///< a planar loop of bodies in space: redundant rows
void draw_rolling(Sketch& s);      ///< spheres that roll, with springs
void draw_knife_edges(Sketch& s);  ///< planar bodies and particles with nonholonomic rows
void draw_nonlinear(Sketch& s);    ///< rows that are not linear in velocities
void draw_massless(Sketch& s);     ///< coordinates without mass that constraints determine
void draw_minimal(Sketch& s);      ///< pendulums in angles, on supports that move
void draw_servos(Sketch& s);       ///< servos, ideal and with actuators
void draw_friction(Sketch& s);     ///< particles on curves with dry friction
void draw_impacts(Sketch& s);      ///< particles and pendulums that hit walls
void draw_driven(Sketch& s);       ///< mechanisms moved by their drives alone

// ---- What any family may have.

/// Gravity, springs, dampers, loads, switching and non-ideal forces.
void decorate(Sketch& s);
/// The same without forces that switch.
void decorate_smoothly(Sketch& s);
void add_gravity(Sketch& s, const Vector3d& g);
/// A smooth function of time that is 0 at t = 0, of this size and dimension.
Ex wobble(Sketch& s, double size, Dimension dimension);
/// A rod between two places in one of its forms.
void add_rod(Sketch& s, const Place& A, const Place& B, bool may_move);
Matrix3d draw_inertia(Draw& draw, double mass, double size);

}  // namespace mechanisms
