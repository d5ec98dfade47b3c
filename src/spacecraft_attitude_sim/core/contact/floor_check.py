# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Look over a floor G(t, x) once, before it is used: its derivatives, and what carries it."""

import numpy as np

from spacecraft_attitude_sim.core.contact.convexity import DERIVATIVE_TOLERANCE, DIFFERENCE

# Events (t, x, y, z) near the origin of the world, within seconds [s] and metres [m].
EVENTS = 32
SECONDS, METRES = 4.0, 1.0
# Steps along the gradient that bring an event onto the floor, and how near is on it [m].
STEPS, ON_FLOOR = 12, 1e-9
# How far ∇G · v + Gt may be from zero, by the sizes of both.
CARRIED_TOLERANCE = 1e-6
# Where the derivatives of the fifteen floats of a level stand, t, x, y, z each: of G, Gt, Gx, …
LEVEL_ROWS = {
    0: (1, 3, 4, 5), 1: (2, 6, 7, 8), 3: (6, 9, 12, 13), 4: (7, 12, 10, 14), 5: (8, 13, 14, 11),
}  # fmt: skip
VELOCITY_ROWS = {0: (3, 6, 7, 8), 1: (4, 9, 10, 11), 2: (5, 12, 13, 14)}


def check(level, velocity, parameters):
    """Raise ValueError when derivatives do not fit, or the material leaves the surface.

    level, velocity: of core.contact.floor_functions;  parameters: their array
    Events where a function is not finite, or has no floor nearby, are passed over.
    """
    for event in _events():
        for name, function, rows in (
            ('function', level, LEVEL_ROWS), ('velocity_function', velocity, VELOCITY_ROWS),
        ):  # fmt: skip
            _check_derivatives(name, function, rows, parameters, event)
        event = _on_floor(level, parameters, event)
        if event is not None:
            _check_carried(level, velocity, parameters, event)


def rate(level, parameters):
    """Return how fast a floor's motion changes, to two digits [rad/s]; 0 for one at rest.

    The largest Gtt by the largest Gt among events on the floor: w of a wave A sin(k x - w t).
    """
    found = [_on_floor(level, parameters, event) for event in _events()]
    values = np.array([level(*event, parameters) for event in found if event is not None])
    if not len(values) or not np.any(values[:, 1]):
        return 0.0
    largest = np.max(np.abs(values), axis=0)
    return float(f'{largest[2] / largest[1]:.1e}')


def _events():
    """Return events (n, 4), spread evenly by multiples of irrational numbers."""
    steps = np.outer(np.arange(1, EVENTS + 1), np.sqrt((2.0, 3.0, 5.0, 7.0)))
    return (steps % 1.0 - (0.0, 0.5, 0.5, 0.5)) * (SECONDS, *(2.0 * METRES,) * 3)


def _on_floor(level, parameters, event):
    """Return the event moved along the gradient onto the floor, or None."""
    event = event.copy()
    for _ in range(STEPS):
        values = np.array(level(*event, parameters))
        square = values[3:6] @ values[3:6]
        if not np.all(np.isfinite(values)) or square == 0.0:
            return None
        if abs(values[0]) <= ON_FLOOR * np.sqrt(square):
            return event
        event[1:] -= values[0] / square * values[3:6]
    return None


def _check_derivatives(name, function, rows, parameters, event):
    step = DIFFERENCE * METRES
    given = np.array(function(*event, parameters))
    differences = np.empty((4, len(given)))
    for axis in range(4):
        shift = step * np.eye(4)[axis]
        ahead = np.array(function(*(event + shift), parameters))
        differences[axis] = (ahead - function(*(event - shift), parameters)) / (2.0 * step)
    if not (np.all(np.isfinite(given)) and np.all(np.isfinite(differences))):
        return
    largest = max(1.0, np.max(np.abs(given)))
    for row, columns in rows.items():
        stated = given[list(columns)]
        if np.max(np.abs(differences[:, row] - stated)) > DERIVATIVE_TOLERANCE * largest:
            raise ValueError(
                f'{name} returns derivatives of its value number {row + 1} by t, x, y, z that do '
                f'not belong to it, at t, x, y, z = {np.round(event, 4).tolist()}: '
                f'{np.round(stated, 6).tolist()} given, '
                f'{np.round(differences[:, row], 6).tolist()} found by differences'
            )


def _check_carried(level, velocity, parameters, event):
    values, v = level(*event, parameters), np.array(velocity(*event, parameters)[:3])
    gradient = np.array(values[3:6])
    off = gradient @ v + values[1]
    size = CARRIED_TOLERANCE * (np.linalg.norm(gradient) * np.linalg.norm(v) + abs(values[1]))
    if abs(off) > size:
        across = off / np.linalg.norm(gradient)
        raise ValueError(
            f'velocity of the material leaves the surface, at t, x, y, z = '
            f'{np.round(event, 4).tolist()} by {across:.3g} m/s: ∇G · v + ∂G/∂t must be 0 on the '
            'floor'
        )
