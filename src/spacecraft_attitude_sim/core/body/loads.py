# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Forces, torques and impulses at points and in frames, as one wrench about the centre of mass.

A flat wrench is an array (12,): force and torque that turn with the body, in body axes, then
force and torque that do not, in world axes [N, N m]. A flat impulse is an array (6,): impulse and
angular impulse in world axes [N s, N m s]. S2 of physics.md, sections on forces and impulses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.vectors import cross

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
    """Return the flat wrench (12,) of a force at a body frame's origin and a torque.

    force_F, torque_F: (3,) in the frame's axes [N, N m];  frame: BodyFrame
    """
    force_B = rotations.rotate(frame.q_BF, force_F)
    # In Python: np.cross gives the same bits and takes ten times as long, once a command.
    moment_B = cross(frame.position_B.tolist(), force_B.tolist())
    torque_B = rotations.rotate(frame.q_BF, torque_F) + moment_B
    return np.concatenate((force_B, torque_B, np.zeros(6)))


def wrench_in_world(force_W: VectorLike, torque_W: VectorLike) -> FlatWrench:
    """Return the flat wrench (12,) of a force at the centre of mass and a torque, world axes."""
    return np.concatenate((np.zeros(6), force_W, torque_W))


def impulse_in_world(wrench: FlatWrench, q_WB: Quaternion) -> FlatImpulse:
    """Return the flat impulse (6,) at attitude q_WB of a flat wrench (12,) in N s and N m s."""
    return wrench[6:12] + np.concatenate(
        (rotations.rotate(q_WB, wrench[0:3]), rotations.rotate(q_WB, wrench[3:6]))
    )


def wrench_on_body(wrench: FlatWrench, q_WB: Quaternion) -> tuple[Vector3, Vector3]:
    """Return force and torque (3,), (3,) of a flat wrench (12,) at attitude q_WB, body axes."""
    q_BW = rotations.conjugate(q_WB)
    return (
        wrench[0:3] + rotations.rotate(q_BW, wrench[6:9]),
        wrench[3:6] + rotations.rotate(q_BW, wrench[9:12]),
    )


def with_gravity(wrench: FlatWrench, weight_W: Vector3) -> FlatWrench:
    """Return the wrench (12,) with a uniform gravity's force `weight_W` (3,) [N] added."""
    total = wrench.copy()
    total[6:9] += weight_W
    return total


def kicked(state: State, impulse: FlatImpulse) -> State:
    """Return the State after a flat impulse (6,): p + J, L + H; the rest is as it was."""
    return state._replace(
        momentum_W=state.momentum_W + impulse[0:3],
        angular_momentum_W=state.angular_momentum_W + impulse[3:6],
    )


def acts(load: Array) -> bool:
    """Return whether a flat wrench or impulse is other than zero."""
    return load is not FREE and load is not NO_IMPULSE and bool(load.any())


def leaves_free(wrench: FlatWrench) -> bool:
    """Return whether a wrench (12,) is at most a force fixed in the world; it turns nothing then.

    A force fixed in the body does not leave it free: the exact motion of its path is not known.
    """
    return not (wrench[0:6].any() or wrench[9:12].any())


def applied_B(
    wrench: FlatWrench, impulse: FlatImpulse, q_WB: Quaternion, duration: float
) -> Array:
    """Return force and torque (6,) of a held wrench (12,) at attitude q_WB, body axes [N, N m].

    impulse: (6,) flat impulse that acted once, spread over `duration` [s]
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
    """Return the mean force and torque (6,) between two states, in body axes of the second.

    In N and N m, gravity's share taken out. Momentum gained is what this reports: R(q) (f, τ)
    times the duration, summed over the ticks, is the change of (p, L) less gravity's.
    """
    q_BW = rotations.conjugate(after.q_WB)
    force_W = (after.momentum_W - before.momentum_W) / duration - weight_W
    torque_W = (after.angular_momentum_W - before.angular_momentum_W) / duration
    return np.concatenate((rotations.rotate(q_BW, force_W), rotations.rotate(q_BW, torque_W)))
