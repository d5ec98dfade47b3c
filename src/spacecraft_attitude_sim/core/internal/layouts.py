# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The flat arrays of parts that move inside: what the compiled step is given of them.

Constants: MOVING, then a row for each coordinate, pendulum, slug and hysteresis rod, after those
of core.actuators.layouts. States: those of each in that order, before the energy book.
"""

from spacecraft_attitude_sim.core.mathematics.layout import Layout

# Numbers of each kind. hub_moment_B: mass times place of the centre of mass of all that does not
# move [kg m];  carried_mass: all but that of pendulums [kg];  gravity_W: uniform [m/s^2]
# swing [rad/s], drain [1/s]: no less than the fastest frequency and damping
# reference_B: inertia of what is carried, in its place of reference [kg m^2]
MOVING = Layout(
    coordinates=1, pendulums=1, slugs=1, rods=1, hub_moment_B=3, carried_mass=1, gravity_W=3,
    swing=1, drain=1, reference_B=6,
)  # fmt: skip
# One displacement ξ, of a mode of vibration (MODE), about a hinge (HINGE), along a line (LINE).
# axis_B: of hinge or line;  position_B: of the hinge, of the mass at ξ = 0 [m]
# center_B: from hinge to centre of mass [m], inertia_B: about it [kg m^2], at ξ = 0 of a panel
# coupling_B, drift_B: angular momentum about the origin, and momentum, by the rate of a mode
# mass: that moves [kg];  moving: kinetic energy is half of this times the square of the rate
# stiffness, damping, rest: of the spring, and where it is slack
# low, high: where it is stopped;  latch: where it is caught, coming the way of +1 or -1
# latch_stiffness, latch_damping: of what holds it then, 0 for rigidly
# release: time at which a held one is let go [s]
COORDINATE = Layout(
    kind=1, axis_B=3, position_B=3, center_B=3, inertia_B=6, coupling_B=3, drift_B=3, mass=1,
    moving=1, stiffness=1, damping=1, rest=1, low=1, high=1, latch=1, way=1, latch_stiffness=1,
    latch_damping=1, release=1,
)  # fmt: skip
MODE, HINGE, LINE = 0.0, 1.0, 2.0
# momentum: conjugate to the displacement, in a frame that goes with the centre of mass
COORDINATE_STATE = Layout(displacement=1, momentum=1, how=1)
# How it is: held until it is released, free, against its end, caught for ever, caught by a spring.
HELD, FREE, AT_HIGH, AT_LOW, LATCHED, CAUGHT = 0.0, 1.0, 2.0, -2.0, 3.0, 4.0
PENDULUM = Layout(pivot_B=3, mass=1, length=1, damping=1)
# direction_B: unit vector from the pivot to the mass;  momentum_B: of the mass about where the
# pivot is now [N m s], body axes
PENDULUM_STATE = Layout(direction_B=3, momentum_B=3)
SLUG = Layout(inertia=1, damping=1)
SLUG_STATE = Layout(momentum_B=3)  # [N m s], in a frame that does not turn, body axes
# axis_B: along which it is magnetised;  coercivity: [A/m]
# steepness: of its curve without coercivity [m/A];  flux: 2/π of the saturation [T]
# demagnetizing: field against its own flux density [A/(m T)];  dipole: by flux density [A m^2/T]
HYSTERESIS_ROD = Layout(
    axis_B=3, coercivity=1, steepness=1, flux=1, demagnetizing=1, dipole=1
)  # fmt: skip
# matching: the field that gives its flux density where there is no coercivity [A/m]
HYSTERESIS_ROD_STATE = Layout(matching=1)
