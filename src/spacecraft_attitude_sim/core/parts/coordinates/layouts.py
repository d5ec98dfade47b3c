# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Constants and states of one coordinate for the compiled step: see core.parts.craft."""

from spacecraft_attitude_sim.core.mathematics.layout import Layout

# A generalized coordinate ξ: of a mode of vibration (MODE), about a hinge (HINGE) or along a line
# (LINE).
# axis_B: of hinge or line;  position_B: of the hinge, or of the mass at ξ = 0 [m]
# center_B: from a panel's hinge to its centre of mass, at ξ = 0 [m]
# inertia_B: of a panel about its centre of mass, at ξ = 0 [kg m^2]
# coupling_B, drift_B: angular momentum about the origin, and momentum, per unit of a mode's rate
# mass: of the moving part [kg];  moving: generalized mass, kinetic energy over half the rate²
# stiffness, damping, rest: of the spring;  rest: where it is slack
# low, high: the stops;  latch: where it latches, coming in the direction way, +1 or -1
# latch_stiffness, latch_damping: of the latch, 0 for a rigid one
# release: time at which a held coordinate is released [s]
COORDINATE = Layout(
    kind=1, axis_B=3, position_B=3, center_B=3, inertia_B=6, coupling_B=3, drift_B=3, mass=1,
    moving=1, stiffness=1, damping=1, rest=1, low=1, high=1, latch=1, way=1, latch_stiffness=1,
    latch_damping=1, release=1,
)  # fmt: skip
MODE, HINGE, LINE = 0.0, 1.0, 2.0
# momentum: conjugate to the displacement, in a frame that moves with the centre of mass
# how: the mode of the constraint
COORDINATE_STATE = Layout(displacement=1, momentum=1, how=1)
# Modes: held until its release, free, at the high or low stop, latched rigidly, latched by a
# spring.
HELD, FREE, AT_HIGH, AT_LOW, LATCHED, CAUGHT = 0.0, 1.0, 2.0, -2.0, 3.0, 4.0
