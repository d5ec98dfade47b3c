# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Forces, torques and impulses at points and in frames, as one wrench about the centre of mass.

A flat wrench is an array (12,): force and torque fixed in the body, in body axes, then force and
torque fixed in inertial space, in world axes [N, N m]. A flat impulse is an array (6,): impulse
and angular impulse in world axes [N s, N m s]. A force F at r has the torque r × F; an impulse J
at r adds J to p and r × J to L (H. Goldstein, Classical Mechanics, section 1.2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.vectors import cross, three_at
from spacecraft_attitude_sim.kernels.kernel import compiled

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.body.rigid_body import BodyFrame
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.mathematics.types import (
        Array,
        FlatImpulse,
        FlatWrench,
        Quaternion,
        Vector3,
        VectorLike,
    )


FREE = np.zeros(12)
FREE.flags.writeable = False
NO_IMPULSE = np.zeros(6)
NO_IMPULSE.flags.writeable = False


def wrench_in_body(force_F: VectorLike, torque_F: VectorLike, frame: BodyFrame) -> FlatWrench:
    """Return the flat wrench (12,) of a force and a torque in a body frame.

    force_F, torque_F: (3,) in the frame's axes [N, N m]; the force acts at the frame's origin
    frame: BodyFrame
    """
    return _in_body(*map(float, force_F), *map(float, torque_F), frame.position_B, frame.q_BF)


def wrench_at_centre(
    f0: float, f1: float, f2: float, t0: float, t1: float, t2: float
) -> FlatWrench:
    """Return `wrench_in_body` at the centre of mass in body axes, to the bit, in half a us.

    Products with zero there decide the sign of a zero here.
    """
    x, y, z = f0 + 0.0 * f1 + 0.0 * f2, 0.0 * f0 + f1 + 0.0 * f2, 0.0 * f0 + 0.0 * f1 + f2
    return np.array((
        x, y, z,
        t0 + 0.0 * t1 + 0.0 * t2 + (0.0 * z - 0.0 * y),
        0.0 * t0 + t1 + 0.0 * t2 + (0.0 * x - 0.0 * z),
        0.0 * t0 + 0.0 * t1 + t2 + (0.0 * y - 0.0 * x),
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    ))  # fmt: skip


@compiled
def _in_body(
    f0: float, f1: float, f2: float, t0: float, t1: float, t2: float,
    position_B: Vector3, q_BF: Quaternion,
) -> FlatWrench:  # fmt: skip
    """Return `wrench_in_body` of six floats; fast, because a run in lockstep waits for it."""
    q0, q1, q2, q3 = q_BF[0], q_BF[1], q_BF[2], q_BF[3]
    force = rotations.quaternion_sandwich(q0, q1, q2, q3, f0, f1, f2)
    torque = rotations.quaternion_sandwich(q0, q1, q2, q3, t0, t1, t2)
    moment = cross(three_at(position_B, 0), force)
    return np.array((
        force[0], force[1], force[2],
        torque[0] + moment[0], torque[1] + moment[1], torque[2] + moment[2],
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    ))  # fmt: skip


def wrench_in_world(force_W: VectorLike, torque_W: VectorLike) -> FlatWrench:
    """Return the flat wrench (12,) of a force at the centre of mass and a torque, world axes.

    force_W, torque_W: (3,) [N, N m]
    """
    return np.concatenate((np.zeros(6), force_W, torque_W))


def impulse_in_world(wrench: FlatWrench, q_WB: Quaternion) -> FlatImpulse:
    """Return a flat impulse (6,), world axes [N s, N m s].

    wrench: (12,) impulse and angular impulse laid out as a flat wrench [N s, N m s]
    q_WB: (4,) attitude at which it acts
    """
    return wrench[6:12] + np.concatenate(
        (rotations.rotate(q_WB, wrench[0:3]), rotations.rotate(q_WB, wrench[3:6]))
    )


def wrench_on_body(wrench: FlatWrench, q_WB: Quaternion) -> tuple[Vector3, Vector3]:
    """Return force and torque (3,), (3,), body axes [N, N m], of a flat wrench (12,) at q_WB."""
    q_BW = rotations.conjugate(q_WB)
    return (
        wrench[0:3] + rotations.rotate(q_BW, wrench[6:9]),
        wrench[3:6] + rotations.rotate(q_BW, wrench[9:12]),
    )


def with_gravity(wrench: FlatWrench, weight_W: Vector3) -> FlatWrench:
    """Return a flat wrench (12,) with the weight (3,) [N] in uniform gravity added."""
    total = wrench.copy()
    total[6:9] += weight_W
    return total


def weight(weight_W: Vector3) -> FlatWrench:
    """Return the flat wrench (12,) to add for a weight (3,) [N] in uniform gravity.

    It does what `with_gravity` does, in one addition; adding -0.0 in the other places changes no
    bit.
    """
    flat = np.full(12, -0.0)
    flat[6:9] = weight_W
    return flat


def kicked(state: State, impulse: FlatImpulse) -> State:
    """Return the State after a flat impulse (J, H) (6,): p + J, L + H at the same pose."""
    return state._replace(
        momentum_W=state.momentum_W + impulse[0:3],
        angular_momentum_W=state.angular_momentum_W + impulse[3:6],
    )


def acts(load: Array) -> bool:
    """Return whether a flat wrench (12,) or impulse (6,) is not zero."""
    return load is not FREE and load is not NO_IMPULSE and bool(load.any())


def leaves_free(wrench: FlatWrench) -> bool:
    """Return whether a wrench (12,) is at most a force in world axes: no torque.

    A force fixed in the body exerts no torque either, but the path of a body that turns under it
    has no closed form.
    """
    return not (wrench[0:6].any() or wrench[9:12].any())


def applied_B(
    wrench: FlatWrench, impulse: FlatImpulse, q_WB: Quaternion, duration: float
) -> Array:
    """Return force and torque (6,), body axes [N, N m], of a constant wrench and an impulse.

    wrench: (12,) flat wrench;  q_WB: (4,) attitude at which both are resolved
    impulse: (6,) flat impulse that acted once, spread evenly over `duration` [s]
    """
    if not (acts(wrench) or acts(impulse)):
        return np.zeros(6)
    held = np.concatenate(wrench_on_body(wrench, q_WB))
    if acts(impulse):
        q_BW = rotations.conjugate(q_WB)
        for half in (slice(0, 3), slice(3, 6)):
            held[half] += rotations.rotate(q_BW, impulse[half] / duration)
    return held


def mean_wrench_B(before: State, after: State, weight_W: Vector3, duration: float) -> Array:
    """Return the mean force and torque (6,) [N, N m] between two states, body axes of the second.

    The change of momentum over the duration [s], without the weight (3,) [N]: turned into world
    axes, times the duration and summed over the ticks, it is the change of (p, L) without
    gravity's.
    """
    q_BW = rotations.conjugate(after.q_WB)
    force_W = (after.momentum_W - before.momentum_W) / duration - weight_W
    torque_W = (after.angular_momentum_W - before.angular_momentum_W) / duration
    return np.concatenate((rotations.rotate(q_BW, force_W), rotations.rotate(q_BW, torque_W)))
