// Newton's and Euler's equations of a mechanism at one state, in the speeds of its points and
// bodies, with every constraint as a row of accelerations.
#pragma once

#include "kinematics.h"

namespace mechanisms {

using Eigen::MatrixXd;

/// What dry friction does at the moment.
struct Contact {
    bool sticks = false;
    double direction = 1.0;  ///< sign of the slip
    double side = 1.0;       ///< sign of the multiplier of the constraint
};

/// What is held during a step.
struct Modes {
    std::vector<char> truth;  ///< of the switches
    std::vector<Contact> contacts;
};

/// M w' = force + nonideal + D lambda, A w' = b.
struct Equations {
    MatrixXd M;
    VectorXd force;  ///< applied, with the terms of inertia that hold no w'
    VectorXd nonideal;
    MatrixXd A;
    VectorXd b;
    MatrixXd D;  ///< column k is what a unit multiplier of row k does; A^T where rows are ideal
    VectorXd residual;  ///< of rows on positions, 0 else
    VectorXd rate;      ///< time derivative of the residual, or the residual of a row on velocities
    std::vector<char> on_velocities;
    double kinetic = 0.0;
    double potential = 0.0;
    std::vector<double> slips;        ///< of the contacts
    std::vector<int> normal_row;      ///< row of the constraint that rubs
    std::vector<double> normal_size;  ///< force per unit of its multiplier
    std::vector<int> stick_row;       ///< -1 where it slips
};

Equations equations_of(const Mechanism& mechanism, const State& state, const Modes& modes);

/// Rows that are independent, those on positions first.
struct RowChoice {
    std::vector<int> rows;
    double smallest_kept = 1.0;    ///< part of a kept row, of unit length, across those before it
    double largest_dropped = 0.0;  ///< the same of rows left out
};

RowChoice choose_rows(const Equations& equations);

struct Solution {
    VectorXd rates;          ///< w'
    VectorXd lambda;         ///< of all rows, 0 where left out
    double condition = 0.0;  ///< reciprocal condition number of the system
};

Solution solve(const Equations& equations, const std::vector<int>& rows);

/// Moves positions onto the constraints by the shortest way; false where that does not converge.
bool project_positions(const Mechanism& mechanism, const Modes& modes, const std::vector<int>& rows,
                       State& state);
bool project_velocities(const Mechanism& mechanism, const Modes& modes,
                        const std::vector<int>& rows, State& state);

/// Adds a displacement in the speeds' directions to the positions.
void displace(const Mechanism& mechanism, const VectorXd& displacement, State& state);

}  // namespace mechanisms
