# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a motion is too fast for the samples or frames that show it.

A curve through samples shows a slower motion than the true one if an oscillation has fewer than
two samples a period, so if it goes on by more than pi from one to the next (C. E. Shannon,
Communication in the Presence of Noise, 1949).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from spacecraft_attitude_sim.recording.history import History

# A curve through the samples misleads from here on [rad]; at pi it is meaningless.
MOST = np.pi / 2.0
# With this angle it is smooth [rad].
FINE = np.pi / 8.0
# What is below this part of the largest rate is no motion worth a note.
SMALL = 0.02


def angle_per_sample(history: History) -> float:
    """Return how far the fastest part of the motion goes on from one sample to the next [rad].

    That is the angle by which the body turns, or the phase of its oscillation: the ratio of the
    angular acceleration to the varying part of the angular velocity is the oscillation's rate.
    The second is computed only of a body that nothing pushes in jumps: it has no actuators and
    never leaves its floor.
    """
    step = float(np.median(np.diff(history.time)))
    omega_B, alpha_B = history.angular_velocity_B, history.angular_acceleration_B
    turn = step * float(np.median(np.linalg.norm(omega_B, axis=1)))
    leaves = history.contact and history.contact.in_flight.any()
    if history.control or history.rotation or leaves:
        return turn
    varying = np.std(omega_B, axis=0)
    worth = varying > SMALL * max(float(np.max(np.abs(omega_B))), 1e-300)
    rates = np.sqrt(np.mean(alpha_B[:, worth] ** 2, axis=0)) / varying[worth]
    return max(turn, step * float(np.max(rates, initial=0.0)))


def note(history: History) -> str:
    """Return what to say where the samples are too few; '' where they are enough."""
    angle = angle_per_sample(history)
    if angle <= MOST:
        return ''
    rate = 1.0 / float(np.median(np.diff(history.time)))
    enough = 2 ** int(np.ceil(np.log2(rate * angle / FINE)))
    return (
        f'motion is faster than the samples: {angle:.3g} rad from one to the next; '
        f'use a tick_rate of {enough} Hz'
    )


def turns_per_frame(history: History, step: float) -> float:
    """Return by how much the body turns from frame to frame [turns]; step: between frames [s]."""
    size = float(np.median(np.linalg.norm(history.angular_velocity_B, axis=1)))
    return step * size / (2.0 * np.pi)
