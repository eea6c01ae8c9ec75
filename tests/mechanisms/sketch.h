// A mechanism that is being drawn: its parts with their start positions, and the finish that makes
// the start consistent.
#pragma once

#include <string>

#include "draw.h"
#include "equations.h"

namespace mechanisms {

class Sketch {
  public:
    explicit Sketch(std::uint64_t seed) : draw(seed) {}

    Place particle(const std::string& axes, double mass, const Vector3d& at);
    Place planar(double mass, double inertia, const Vector3d& at, double angle);
    Place spatial(double mass, const Matrix3d& inertia, const Vector3d& at);
    int scalar(const std::string& name, Dimension dimension, double value);

    /// The place of a world point in the body of `on` at the start.
    Place place_at(const Place& on, const Vector3d& world) const;
    Vector3d world(const Place& place) const;
    /// The value of an expression at the start, where velocities are 0.
    double start_value(const Ex& ex) const;
    std::string name(const std::string& stem) { return stem + std::to_string(++names_); }

    /// A constraint on positions that holds at the start: left = its value there + `moved`.
    Constraint& hold(const std::string& name, const Ex& left, Dimension dimension,
                     const Ex& moved = {});
    /// Numbers switches, draws velocities, and puts the start onto the constraints. False where the
    /// mechanism cannot move or its constraints are nearly dependent.
    bool finish();

    Mechanism m;
    Draw draw;
    std::vector<Place> places;  ///< of all particles and bodies
    int least_freedom = 1;
    double velocity = 1.0;  ///< size of the velocities at the start
    bool linear_in_velocities = true;

  private:
    bool consistent();
    void say();
    std::vector<int> determined(const MatrixXd& A, const std::vector<int>& columns) const;

    int names_ = 0;
};

}  // namespace mechanisms
