# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A control law in Python, called once a tick for all bodies of a batch.

Readings and commands have the names that a controller of one spacecraft meets (flight), with a row
for each body. So a function that works on the last axis of its arrays flies one body and many.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.body.kinematics import rate, seen_from
from spacecraft_attitude_sim.core.mathematics.rotations import (
    quaternion_matrix,
    quaternion_sandwich,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
    from spacecraft_attitude_sim.core.body.state import Truth
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats

HELD, STRUCK = ('force', 'torque'), ('impulse', 'angular_impulse')
COMMANDS = (*HELD, *STRUCK, 'frame')
# Where the wrench of a frame begins in a flat one.
FRAMES = {'body': 0, 'world': 6}
NOTHING_STORED = (0.0, 0.0, 0.0)


class LawReadings(NamedTuple):
    """What a law in Python is given of the N bodies of a batch at one instant.

    It is what their sensors read where the batch has sensors, else what is true; nan of a body
    that is lost.

    time: simulated [s];  tick: number of the instant;  step: from one to the next [s]
    attitude: (N, 4) w, x, y, z;  angular_velocity: (N, 3) [rad/s], body axes or those of the IMU
    specific_force: (N, 3) [m/s^2];  magnetic_field: (N, 3) [T]; both None without sensors
    truth: Truth of all bodies
    """

    time: float
    tick: int
    step: float
    attitude: Array
    angular_velocity: Array
    specific_force: Array | None
    magnetic_field: Array | None
    truth: Truth


# Returns what a controller of one spacecraft does, with a row for each body: nothing, torques
# (N, 3) [N m] in body axes, or {command: (N, 3)} of COMMANDS.
PythonLaw = Callable[[LawReadings], Any]


def inverse_inertias(given: Array | Sequence[RigidBody], flat: Array) -> Array:
    """Return J^-1 (N, 9) [1/(kg m^2)] of bodies as they were given; flat: (N, 12) of the same."""
    if not isinstance(given, np.ndarray):
        return np.array([body.inverse_inertia.ravel() for body in given])
    axes = np.array(quaternion_matrix(*flat[:, 4:8].T)).T.reshape(-1, 3, 3)
    return np.einsum('nij,nj,nkj->nik', axes, flat[:, 1:4], axes).reshape(-1, 9)


def rates(states: Array, inverse: Array, stored_B: Array | Floats = NOTHING_STORED) -> Array:
    """Return ω_B (N, 3) [rad/s] of states (N, 13), to the bit as of one body.

    inverse: (N, 9) of inverse_inertias;  stored_B: (3, N) of what turns inside [N m s]
    """
    turning: Any = (states[:, 3:7].T, states[:, 10:13].T)
    return np.array(rate(seen_from(*turning), tuple(inverse.T), tuple(stored_B))).T


def obeyed(
    answer: Any, time: float, wrenches: Array, attitudes: Array, lost: NDArray[np.bool_]
) -> tuple[Array, Array]:
    """Return the wrenches (N, 12) to hold and the impulses (N, 6) to apply by what a law returned.

    time: of the answer [s];  wrenches: (N, 12) held so far;  attitudes: (N, 4) true ones
    lost: (N,) bodies of which nothing is checked
    Raises ValueError naming what is wrong.
    """
    impulses = np.zeros((len(wrenches), 6))
    if answer is None:
        return wrenches, impulses
    given = dict(answer) if isinstance(answer, Mapping) else {'torque': answer}
    given = {name: value for name, value in given.items() if value is not None}
    for name in given:
        if name not in COMMANDS:
            raise ValueError(
                f'the law commands {name!r}; a batch obeys {", ".join(COMMANDS)}: for others fly '
                'a campaign'
            )
    frame = given.pop('frame', 'body')
    if frame not in FRAMES:
        raise ValueError(f"the law's frame is {frame!r}; give 'body' or 'world'")
    rows = {
        name: _rows(f'at {time:g} s the law returns {name}', value, lost)
        for name, value in given.items()
    }
    nothing = np.zeros((len(lost), 3))
    if rows.keys() & {*HELD}:
        at = FRAMES[frame]
        held = [rows.get(name, nothing) for name in HELD]
        wrenches[:, at : at + 6] = np.hstack(held)
    for at, name in enumerate(STRUCK):
        if name in rows:
            turned: Any = rows[name].T
            if frame == 'body':
                turned = quaternion_sandwich(*attitudes.T, *turned)
            impulses[:, 3 * at : 3 * at + 3] = np.where(lost, 0.0, turned).T
    return wrenches, impulses


def _rows(said: str, value: Any, lost: NDArray[np.bool_]) -> Array:
    """Return (N, 3) of what a law returned, zeros of lost bodies; said: of it, for messages."""
    rows = np.asarray(value, dtype=float)
    shape = (len(lost), 3)
    if rows.shape not in ((3,), shape):
        raise ValueError(f'{said} of shape {rows.shape}; give {shape}, or (3,) for all bodies')
    rows = np.where(lost[:, np.newaxis], 0.0, rows)
    wrong = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(wrong):
        first = wrong[0]
        raise ValueError(f'{said} {rows[first].tolist()} for body {first}; give finite numbers')
    return rows
