# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""An orbit ephemeris message of CCSDS (OEM) as the TabulatedOrbit of core."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.configuration import kvn
from spacecraft_attitude_sim.core.environment import time_systems
from spacecraft_attitude_sim.core.environment.epoch import epoch_of
from spacecraft_attitude_sim.core.environment.tabulated_orbit import Interpolation, TabulatedOrbit

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array

# Frames whose axes are those of the world; the others are turned into these.
WORLD = ('GCRF', 'ICRF')
FRAMES = (*WORLD, 'EME2000', 'TEME')
METHODS = ('HERMITE', 'LAGRANGE')
# Most rows that an interpolation may use: of more, its ends are useless.
MOST_NODES = 16
# Largest angle about the Earth from one row to the next [rad]: Hermite's polynomial through four
# rows then errs by centimetres. The Space Station's OEM has four minutes, 0.27 rad.
LARGEST_ARC = 0.3
# Farthest from the Earth [m]: twice as far as the Earth holds a satellite against the Sun.
FARTHEST = 2e9


def orbit(content: bytes, epoch: str) -> TabulatedOrbit:
    """Return the TabulatedOrbit of an OEM.

    epoch: UTC at which time is 0
    Raises ValueError that says what is wrong, where, and the remedy.
    """
    segment, _ = kvn.segment(content, 'OEM')
    if segment.value('CENTER_NAME') != 'EARTH':
        raise ValueError('CENTER_NAME is not EARTH; give an orbit about the Earth')
    frame = segment.one_of('REF_FRAME', FRAMES)
    instants, texts = segment.rows((6, 9))
    zero = time_systems.zero_of(epoch)
    states = np.array([[kvn.number_of(text, 3) for text in row[:6]] for row in texts])
    away = np.linalg.norm(states[:, :3], axis=1)
    if (away > FARTHEST).any():
        k = int(np.argmax(away > FARTHEST))
        raise ValueError(
            f'line {segment.lines[k][0]} is {away[k] / 1e3:.8g} km from the Earth; give kilometres'
        )
    times = np.array([time - zero for time in instants], dtype=float) / 1e9
    states = in_world(frame, epoch, times, states)
    system = segment.value('TIME_SYSTEM')
    useable = [
        (time_systems.instant(segment.value(name), system) - zero) / 1e9
        for name in ('USEABLE_START_TIME', 'USEABLE_STOP_TIME')
        if name in segment.metadata
    ]
    return TabulatedOrbit(
        times,
        states[:, :3],
        states[:, 3:],
        interpolation=_interpolation(segment),
        largest_arc=LARGEST_ARC,
        useable=(useable[0], useable[1]) if len(useable) == 2 else None,
    )


def _interpolation(segment: kvn.Segment) -> Interpolation | None:
    """Return how the message wants to be interpolated; None where it does not say."""
    if 'INTERPOLATION' not in segment.metadata:
        return None
    method = segment.one_of('INTERPOLATION', METHODS)
    text = segment.value('INTERPOLATION_DEGREE')
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f'INTERPOLATION_DEGREE is {text[:40]!r}; give a whole number')
    degree = int(text)
    nodes = degree // 2 + 1 if method == 'HERMITE' else degree + 1
    if not 2 <= nodes <= MOST_NODES:
        raise ValueError(
            f'INTERPOLATION_DEGREE is {degree}, which takes {nodes} rows; it may take 2 to '
            f'{MOST_NODES}'
        )
    if len(segment.lines) < nodes:
        raise ValueError(
            f'INTERPOLATION_DEGREE is {degree}, which takes {nodes} rows, and it has '
            f'{len(segment.lines)}; give more rows or a lower degree'
        )
    return Interpolation(method == 'HERMITE', nodes)


def in_world(frame: str, epoch: str, times: Array, states: Array) -> Array:
    """Return states (n, 6) of a frame in world's axes.

    frame: one of FRAMES;  times: (n,) since the epoch [s];  states: position, velocity [m, m/s]
    """
    if frame in WORLD:
        return states
    if frame == 'TEME':
        from spacecraft_attitude_sim.core.environment.two_line_orbit import teme_to_world

        return teme_to_world(epoch_of(epoch), times, states)
    bias = frame_bias()
    # Sums in a fixed order, so that their bits are those of every processor.
    return np.stack(
        [
            sum(bias[j, k] * states[:, start + j] for j in range(3))
            for start in (0, 3)
            for k in range(3)
        ],
        axis=1,
    )


def frame_bias() -> Array:
    """Return C (3, 3) that turns components in the GCRF into those in EME2000 (IAU 2000)."""
    import erfa

    return erfa.bp00(2451545.0, 0.0)[0]
