# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the compiled functions of a set of equations of motion from one integration step of it.

A step maps y = (x, q_WP, p, L), or the coordinates that `begin` makes of it, to y a time h later:

    step(y, h, body, wrench)    body: (12,) of RigidBody.flat;  wrench: twelve floats, part in P

Each function gets the name of the module for which it is made, and must stand there under its own
name. Pickle and the cache on disk find it by that name.
"""

from collections.abc import Callable

import numpy as np

from spacecraft_attitude_sim.core.body.kinematics import TRUTH, true_motion
from spacecraft_attitude_sim.core.equations.shared.limits import is_tame
from spacecraft_attitude_sim.core.equations.shared.principal_frame import (
    in_body_axes,
    in_principal_axes,
    leaves_free,
    steps_for,
    wrench_in_principal_axes,
)
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.types import (
    Array,
    FlatBody,
    FlatState,
    FlatWrench,
    Floats,
    Quaternion,
    Vector3,
)
from spacecraft_attitude_sim.core.mathematics.vectors import four_at, three_at
from spacecraft_attitude_sim.kernels.kernel import Kernel, inlined

# Constants of a rigid body for a kernel `tick`: RigidBody.flat, its weight (12,), its inverse
# inertia row by row, the magnetic field; the length of a tick, sub-steps in it, largest rate as in
# limits.is_tame.
CONSTANTS = Layout(
    body=12, weight=12, inverse_inertia=9, magnetic_field_W=3, duration=1, substeps=1, rate=1
)
BODY, WEIGHT, INVERSE, FIELD, DURATION, SUBSTEPS, RATE = CONSTANTS.places()
# What `tick` writes: the flat state, and the true motion for sensors.
FOUND = Layout(state=13, truth=TRUTH.size)
SEEN = FOUND.at('truth')
NO_GYROSTAT = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@inlined
def unchanged(y: Floats, body: FlatBody) -> Floats:
    """Return y: the step works on x, q, p, L themselves."""
    return y


def make_rk4(derivative: Callable, moved: Callable) -> Callable:
    """Return one step of the classical Runge-Kutta method, inlined; assign it to the name `rk4`.

    derivative: dy/dt of (y, body, wrench);  moved: y + h k of (y, h, k)
    """

    def rk4(y: Floats, h: float, body: FlatBody, wrench: Floats) -> Floats:
        """Return y one step of h seconds later."""
        k1 = derivative(y, body, wrench)
        k2 = derivative(moved(y, h / 2.0, k1), body, wrench)
        k3 = derivative(moved(y, h / 2.0, k2), body, wrench)
        k4 = derivative(moved(y, h, k3), body, wrench)
        return moved(moved(moved(moved(y, h / 6.0, k1), h / 3.0, k2), h / 3.0, k3), h / 6.0, k4)

    return inlined(_named(derivative.__module__, rk4))


def make_advance(
    step: Callable,
    angle: float,
    begin: Callable = unchanged,
    end: Callable = unchanged,
    exact: bool = False,
) -> Kernel:
    """Return the kernel `advance` of a step; the given functions are inlined in it.

    angle: largest turn in one automatic sub-step [rad]
    begin, end: y from (x, q, p, L) when a tick begins, and back when it ends; called (y, body)
    exact: whether one step is exact without torque and body-fixed force
    """

    def advance(
        flat_state: FlatState, body: FlatBody, wrench: FlatWrench, duration: float, substeps: int
    ) -> FlatState:
        """Return the state (13,) `duration` seconds later, the wrench constant.

        flat_state: (13,) of core.body.state;  body: (12,) of RigidBody.flat
        wrench: (12,) of core.body.loads;  duration: [s]
        substeps: number of steps in it, 0 for the number that keeps each turn below SUBSTEP_ANGLE
        """
        if substeps < 1:
            substeps = 1
            if not (exact and leaves_free(wrench)):
                substeps = steps_for(angle, flat_state, body, wrench, duration)
        turned = wrench_in_principal_axes(wrench, body)
        h = duration / substeps
        y = begin(in_principal_axes(flat_state, body), body)
        for _ in range(substeps):
            y = step(y, h, body, turned)
        return in_body_axes(end(y, body), body)

    return Kernel(_named(step.__module__, advance))


def make_trajectory(advance: Kernel) -> Kernel:
    """Return the kernel `trajectory` of a kernel `advance`."""

    def trajectory(
        flat_state: FlatState,
        body: FlatBody,
        wrench: FlatWrench,
        duration: float,
        substeps: int,
        steps: int,
    ) -> Array:
        """Return the states (steps + 1, 13) at every `duration` seconds, with the first one."""
        states = np.empty((steps + 1, flat_state.size))
        states[0] = flat_state
        for index in range(steps):
            states[index + 1] = advance(states[index], body, wrench, duration, substeps)
        return states

    return Kernel(_named(advance.__module__, trajectory))


def make_tick(advance: Kernel) -> Kernel:
    """Return the kernel `tick` of a kernel `advance`: everything that a tick of a free body needs.

    It is one call from Python instead of five; a run in lockstep waits for it in every tick.
    """

    def tick(
        position_W: Vector3,
        q_WB: Quaternion,
        momentum_W: Vector3,
        angular_momentum_W: Vector3,
        wrench: FlatWrench,
        constants: Array,
        found: Array,
    ) -> bool:
        """Write FOUND one tick later; return whether the state is certainly within the limits.

        Where it returns False, call limits.check_motion. The first four arguments are the state.

        wrench: (12,) of core.body.loads, constant, without weight;  constants: CONSTANTS
        """
        state, total = np.empty(13), np.empty(12)
        for i in range(3):
            state[i], state[7 + i] = position_W[i], momentum_W[i]
            state[10 + i] = angular_momentum_W[i]
        for i in range(4):
            state[3 + i] = q_WB[i]
        for i in range(12):
            total[i] = wrench[i] + constants[WEIGHT + i]
        body = constants[BODY:WEIGHT]
        state = advance(state, body, total, constants[DURATION], int(constants[SUBSTEPS]))
        truth = true_motion(
            four_at(state, 3),
            three_at(state, 10),
            NO_GYROSTAT,
            wrench,
            body[8],
            constants[INVERSE:FIELD],
            three_at(constants, FIELD),
        )
        for i in range(13):
            found[i] = state[i]
        for i in range(16):
            found[SEEN + i] = truth[i]
        return is_tame(state, body, constants[RATE])

    return Kernel(_named(advance.__module__, tick))


def _named(module: str, function: Callable) -> Callable:
    """Return a function with the name that it would have if `module` had defined it."""
    function.__module__, function.__qualname__ = module, function.__name__
    return function
