# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Check a floor G(t, x) once, before it is used: its derivatives and its material's velocity."""

from collections.abc import Callable, Mapping

import numpy as np

from spacecraft_attitude_sim.core.contact.convexity import DERIVATIVE_TOLERANCE, DIFFERENCE
from spacecraft_attitude_sim.core.contact.formula import FormulaKernel
from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3
from spacecraft_attitude_sim.kernels.kernel import Kernel

# Function of an event (4,) that returns the array of a kernel.
Called = Callable[[Array], Array]
# Events (t, x, y, z) near the origin of the world, within seconds [s] and metres [m].
EVENTS = 32
SECONDS, METRES = 4.0, 1.0
# Newton steps along the gradient that bring an event onto the floor, and their tolerance [m].
STEPS, ON_FLOOR = 12, 1e-9
# Steps of the differences [s], [m]. For right derivatives the smaller step leaves a hundredth of
# the error of the larger.
STEPS_OF_DIFFERENCES, SHRUNK = (DIFFERENCE, 0.1 * DIFFERENCE), 0.3
# Largest speed of a floor's material [m/s], as of a conveyor.
LARGEST_SPEED = 1e3
# Largest |∇G · v + Gt|, relative to the magnitudes of both.
CARRIED_TOLERANCE = 1e-6
# Indices of the derivatives by t, x, y, z among a level's fifteen floats: of G, Gt, Gx, …
LEVEL_ROWS = {
    0: (1, 3, 4, 5), 1: (2, 6, 7, 8), 3: (6, 9, 12, 13), 4: (7, 12, 10, 14), 5: (8, 13, 14, 11),
}  # fmt: skip
VELOCITY_ROWS = {0: (3, 6, 7, 8), 1: (4, 9, 10, 11), 2: (5, 12, 13, 14)}


def check(level: Kernel, velocity: Kernel, parameters: Array) -> None:
    """Raise ValueError when derivatives are wrong, or the material leaves the surface.

    level, velocity: of core.contact.floor_functions;  parameters: their array
    Derivatives of formulas are never wrong, so formulas are not compiled for this. Events where a
    function is not finite, or that have no floor nearby, are skipped.
    """
    given = (('function', level, LEVEL_ROWS), ('velocity_function', velocity, VELOCITY_ROWS))
    level_at, velocity_at = _called(level, parameters), _called(velocity, parameters)
    with np.errstate(all='ignore'):
        for name, kernel, rows in given:
            if not isinstance(kernel, FormulaKernel):
                for event in _events():
                    _check_derivatives(name, _called(kernel, parameters), rows, event)
        for event in _events_on_floor(level_at):
            _check_carried(level_at, velocity_at, event)


def check_motion(level: Kernel, velocity: Kernel, parameters: Array) -> None:
    """Raise ValueError when a floor by formulas does not exist, or moves or changes too fast.

    level, velocity: FormulaKernels;  parameters: their array
    """
    level_at, velocity_at = _called(level, parameters), _called(velocity, parameters)
    with np.errstate(all='ignore'):
        events = _events_on_floor(level_at)
        speeds = [np.linalg.norm(velocity_at(event)[:3]) for event in events]
    if not events:
        raise ValueError(
            'expression is nowhere 0 with a gradient, within reach of the origin of the world: it '
            'is no floor'
        )
    fastest = np.nanmax(speeds, initial=0.0)
    if fastest > LARGEST_SPEED:
        raise ValueError(
            f'expression moves its material at {fastest:.3g} m/s; {LARGEST_SPEED:g} m/s is the '
            'most'
        )


def _events_on_floor(level: Called) -> list[Array]:
    found = [_on_floor(level, event) for event in _events()]
    return [event for event in found if event is not None]


def rate(level: Kernel, parameters: Array) -> float:
    """Return the angular frequency of a floor's motion, to two digits [rad/s]; 0 for one at rest.

    The largest Gtt over the largest Gt among events on the floor, or Gttt over Gtt, if larger:
    w of a wave A sin(k x - w t), and about that of a small fast part beside a large slow one.
    """
    level_at = _called(level, parameters)
    with np.errstate(all='ignore'):
        rates = [_rates(level_at, event) for event in _events_on_floor(level_at)]
    largest = np.max(np.abs(rates), axis=0, initial=0.0) if rates else np.zeros(3)
    faster = [upper / lower for lower, upper in zip(largest, largest[1:], strict=False) if lower]
    return float(f'{max(faster, default=0.0):.1e}')


def _rates(level: Called, event: Array) -> Vector3:
    """Return Gt, Gtt, Gttt at an event, the last by differences; zeros where not finite."""
    shift = DIFFERENCE * np.array((SECONDS, 0.0, 0.0, 0.0))
    change = (level(event + shift)[2] - level(event - shift)[2]) / (2.0 * shift[0])
    found = np.array((*level(event)[1:3], change))
    return found if np.all(np.isfinite(found)) else np.zeros(3)


def _called(kernel: Kernel, parameters: Array) -> Called:
    """Return a function from an event to the array that a kernel returns for it."""
    if isinstance(kernel, FormulaKernel):
        values = parameters.tolist()
        return lambda event: np.array(kernel.in_python(*event.tolist(), values))
    return lambda event: np.array(kernel(*event, parameters))


def _events() -> Array:
    """Return events (n, 4), spread evenly by multiples of irrational numbers."""
    steps = np.outer(np.arange(1, EVENTS + 1), np.sqrt((2.0, 3.0, 5.0, 7.0)))
    return (steps % 1.0 - (0.0, 0.5, 0.5, 0.5)) * (SECONDS, *(2.0 * METRES,) * 3)


def _on_floor(level: Called, event: Array) -> Array | None:
    """Return the event moved along the gradient onto the floor, or None."""
    event = event.copy()
    for _ in range(STEPS):
        values = level(event)
        square = values[3:6] @ values[3:6]
        if not np.all(np.isfinite(values)) or square == 0.0:
            return None
        if abs(values[0]) <= ON_FLOOR * np.sqrt(square):
            return event
        event[1:] -= values[0] / square * values[3:6]
    return None


def _check_derivatives(
    name: str, function: Called, rows: Mapping[int, tuple[int, ...]], event: Array
) -> None:
    """Compare with finite differences; an error that shrinks with the step is their own."""
    given = function(event)
    coarse, fine = (_differences(function, event, step) for step in STEPS_OF_DIFFERENCES)
    if not all(np.all(np.isfinite(values)) for values in (given, coarse, fine)):
        return
    largest = max(1.0, np.max(np.abs(given)))
    for row, columns in rows.items():
        stated = given[list(columns)]
        errors = [np.max(np.abs(found[:, row] - stated)) for found in (coarse, fine)]
        if errors[0] > DERIVATIVE_TOLERANCE * largest and errors[1] > SHRUNK * errors[0]:
            raise ValueError(
                f'{name} returns derivatives of its value number {row + 1} by t, x, y, z that do '
                f'not belong to it, at t, x, y, z = {np.round(event, 4).tolist()}: '
                f'{np.round(stated, 6).tolist()} given, '
                f'{np.round(fine[:, row], 6).tolist()} found by differences'
            )


def _differences(function: Called, event: Array, step: float) -> Array:
    """Return the central differences (4, n) of a function by t, x, y, z."""
    shifts = step * np.eye(4)
    return np.array([(function(event + s) - function(event - s)) / (2.0 * step) for s in shifts])


def _check_carried(level: Called, velocity: Called, event: Array) -> None:
    values, v = level(event), velocity(event)[:3]
    gradient = values[3:6]
    off = gradient @ v + values[1]
    size = CARRIED_TOLERANCE * (np.linalg.norm(gradient) * np.linalg.norm(v) + abs(values[1]))
    if abs(off) > size:
        across = off / np.linalg.norm(gradient)
        raise ValueError(
            f'velocity_function takes the material off the surface, at t, x, y, z = '
            f'{np.round(event, 4).tolist()} by {across:.3g} m/s: ∇G · v + ∂G/∂t must be 0 on the '
            'floor'
        )
