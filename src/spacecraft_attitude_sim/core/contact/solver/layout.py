# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The flat arrays of a contact by name, and the numbers for its regimes, kinds and statuses."""

from typing import Any

import numpy as np

from spacecraft_attitude_sim.core.mathematics.layout import Layout

# Regimes; in a report also RESTING. 'sliding' is without friction, 'slipping' against it: these
# are published names. They are not plain integers, because numba would compile every function
# again for each literal.
REGIMES: Any = [np.int64(index) for index in range(5)]
FLIGHT, SLIDING, SLIPPING, ROLLING, RESTING = REGIMES
MODE_NAMES = ('flight', 'sliding', 'slipping', 'rolling', 'resting')

# Status of a contact after a tick: valid, or why it could not be computed.
FINE, LOST, MULTIPLE, STALLED = 0, 1, 2, 3

# Floors: a plane at rest, a plane that moves, anything else.
STILL, FLAT, CURVED = 0, 1, 2
# Bodies: ellipsoid, another with a support point in closed form, only an implicit function.
ELLIPSOID, SUPPORTED, IMPLICIT = 0, 1, 2

# The flat contact: the result of a tick, for the next one and for publishing. `mode` is reported,
# `regime` is continued by the next tick: they differ for a body at rest, which is reported as
# resting and computed as rolling. `direction`: unit vector of the latest slip.
CONTACT = Layout(
    mode=1, gap=1, slip_speed=1, normal_force=1, constraint_error=1, point=3, normal=3, force=3,
    torque=3, slip=3, direction=3, impulse=3, impacts=1, substeps=1, status=1, regime=1,
)  # fmt: skip
(
    MODE, GAP, SLIP_SPEED, NORMAL_FORCE, CONSTRAINT_ERROR, POINT, NORMAL, FORCE, TORQUE, SLIP,
    DIRECTION, IMPULSE, IMPACTS, SUBSTEPS, STATUS, REGIME,
) = CONTACT.places()  # fmt: skip
CONTACT_SIZE = CONTACT.size

# The body in the axes of its surface: inertia and its inverse (xx, yy, zz, xy, xz, yz), the
# surface's origin from the centre of mass, the quaternion from its axes to body axes.
PLACEMENT = Layout(inertia=6, inverse_inertia=6, center=3, q_BS=4)

# Constants of a run; `surface_parameters`, `floor_parameters` are the numbers of parameters. The
# parameters of surface and floor follow, then sample points of the surface (n, 3) [m].
CONSTANTS = Layout(
    body=12, **PLACEMENT.widths, friction=1, restitution=1, resting_speed=1, releases=1, reach=1,
    inner_radius=1, strictly_curved=1, body_kind=1, surface_parameters=1, floor_rate=1,
    floor_kind=1, floor_parameters=1,
)  # fmt: skip
(
    BODY, INERTIA, INVERSE_INERTIA, CENTER, Q_BS, FRICTION, RESTITUTION, RESTING_SPEED, RELEASES,
    REACH, INNER_RADIUS, STRICTLY_CURVED, BODY_KIND, SURFACE_PARAMETERS, FLOOR_RATE, FLOOR_KIND,
    FLOOR_PARAMETERS,
) = CONSTANTS.places()  # fmt: skip
CONSTANTS_SIZE = CONSTANTS.size
