# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Write the attitude of a bag as messages of CCSDS: AEM (over time) and APM (at one time).

The forms are those of CCSDS 504.0-B-2. The attitude is from the world (GCRF) to the body
(SC_BODY_1): a quaternion Q1, Q2, Q3, QC that is q_WB with w last. For M(Q) v_GCRF = v_body is the
inverse of v_W = rotate(q_WB, v_B), and the standard's M(Q) is the transpose of ours. Numbers have
all digits, so what is read back is what the bag holds; only rates are turned into degrees.
"""

from __future__ import annotations

import math
import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.configuration import earth_surroundings
from spacecraft_attitude_sim.configuration import untrusted_scenario as untrusted
from spacecraft_attitude_sim.core.environment import time_systems
from spacecraft_attitude_sim.recording import reader, topics
from spacecraft_attitude_sim.recording.errors import RecordingError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vectors3
    from spacecraft_attitude_sim.recording.reader import RecordedInstant

VERSION = '2.0'
WORLD, BODY = 'GCRF', 'SC_BODY_1'
ORIGINATOR = 'SPACECRAFT_ATTITUDE_SIM'
# What a name in a message may be: one line of printable ASCII that is no keyword = value.
NAME = re.compile(r'[!-<>-~](?:[ -<>-~]{0,62}[!-<>-~])?')


class Flown(NamedTuple):
    """The attitude of a spacecraft over time.

    name, identity: OBJECT_NAME and OBJECT_ID
    instants: (n,) [ns of TAI since 1970];  q_WB: (n, 4);  omega_B: (n, 3) [rad/s]
    """

    name: str
    identity: str
    instants: Sequence[int]
    q_WB: Array
    omega_B: Vectors3


class Span(NamedTuple):
    """Which instants are written: from `begin` to `end`, no two closer than `step` [s]."""

    begin: float = 0.0
    end: float = math.inf
    step: float = 0.0


def read(
    bag: Path, name: str, identity: str, epoch: str = '', span: Span | None = None,
    namespace: str | None = None,
) -> Flown:  # fmt: skip
    """Return the Flown of a bag, from its last start or reset on.

    name, identity: of the object;  epoch: UTC at which time is 0, '' for that of the bag
    span: Span, None for all;  namespace: of the spacecraft, if the bag holds several
    Raises RecordingError.
    """
    for what, text in (('name', name), ('id', identity)):
        if not NAME.fullmatch(text):
            raise RecordingError(f'--{what} is {text!r}; give up to 64 characters of ASCII, no =')
    scenarios: list[Scenario] = []

    def parse(text: str) -> Scenario:
        scenarios.append(untrusted.parse(text)[0])
        return scenarios[-1]

    instants = reader.instants(bag, reader.Assembler({topics.ODOMETRY}, parse), namespace)
    instants = [instant for instant in instants if topics.ODOMETRY in instant.received]
    if not scenarios or not instants:
        raise RecordingError(f'{bag}: holds no attitude with its scenario; record all topics')
    zero = _zero(bag, scenarios[-1], epoch)
    chosen = _chosen(_from_last_start(instants), span or Span())
    if not chosen:
        raise RecordingError(f'{bag}: has no instant between --from and --to; give others')
    return Flown(
        name,
        identity,
        [zero + _since_start(instant) for instant in chosen],
        np.array([instant.q_WB for instant in chosen]),
        np.array([instant.omega_B for instant in chosen]),
    )


def _zero(bag: Path, scenario: Scenario, epoch: str) -> int:
    """Return the instant at which time is 0 [ns of TAI since 1970]; RecordingError if unknown."""
    around = scenario.plant.environment.surroundings
    own = around.epoch.utc if around and around.epoch else ''
    if not own and scenario.parameters['epoch']:
        own = earth_surroundings.begins(scenario.parameters)
    if bool(own) == bool(epoch):
        remedy = f'it has the epoch {own}: leave --epoch out' if own else (
            'it has no epoch: give --epoch, such as 2026-11-01T12:00:00Z'
        )  # fmt: skip
        raise RecordingError(f'{bag}: {remedy}')
    try:
        return time_systems.zero_of(own or epoch)
    except ValueError as error:
        raise RecordingError(f'{bag}: {error}') from None


def _since_start(instant: RecordedInstant) -> int:
    """Return the time since the start or reset [ns]."""
    return instant.ticks.stamp(instant.elapsed)


def _from_last_start(instants: Sequence[RecordedInstant]) -> Sequence[RecordedInstant]:
    """Return the instants since the last reset."""
    begins = [k for k in range(1, len(instants)) if instants[k].elapsed <= instants[k - 1].elapsed]
    return instants[begins[-1] if begins else 0 :]


def _chosen(instants: Sequence[RecordedInstant], span: Span) -> list[RecordedInstant]:
    """Return the instants of a Span."""
    begin = round(span.begin * 1e9)
    end = round(span.end * 1e9) if math.isfinite(span.end) else math.inf
    step, due = round(span.step * 1e9), begin
    chosen = []
    for instant in instants:
        time = _since_start(instant)
        if due <= time <= end:
            chosen.append(instant)
            due = time - (time - begin) % step + step if step else due
    return chosen


def aem(flown: Flown, created: str) -> str:
    """Return the text of an AEM; created: UTC of its creation."""
    times = [time_systems.utc_text(instant) for instant in flown.instants]
    lines = [
        *_header('AEM', created),
        'META_START',
        *_object(flown),
        f'REF_FRAME_A = {WORLD}',
        f'REF_FRAME_B = {BODY}',
        'TIME_SYSTEM = UTC',
        f'START_TIME = {times[0]}',
        f'STOP_TIME = {times[-1]}',
        'ATTITUDE_TYPE = QUATERNION/ANGVEL',
        f'ANGVEL_FRAME = {BODY}',
        'META_STOP',
        'DATA_START',
    ]
    q = np.roll(flown.q_WB, -1, axis=1).tolist()
    rates = np.degrees(flown.omega_B).tolist()
    for time, turned, rate in zip(times, q, rates, strict=True):
        lines.append(' '.join((time, *map(repr, turned), *map(repr, rate))))
    return '\n'.join((*lines, 'DATA_STOP', ''))


def apm(flown: Flown, created: str) -> str:
    """Return the text of an APM of the first instant; created: UTC of its creation.

    An APM has no META_START (CCSDS 504.0-B-2, figure G-1).
    """
    frames = f'REF_FRAME_A = {WORLD}', f'REF_FRAME_B = {BODY}'
    *vector, scalar = np.roll(flown.q_WB[0], -1).tolist()
    rate = np.degrees(flown.omega_B[0]).tolist()
    lines = [
        *_header('APM', created),
        *_object(flown),
        'TIME_SYSTEM = UTC',
        f'EPOCH = {time_systems.utc_text(flown.instants[0])}',
        'QUAT_START',
        *frames,
        *(f'Q{k} = {value!r}' for k, value in enumerate(vector, 1)),
        f'QC = {scalar!r}',
        'QUAT_STOP',
        'ANGVEL_START',
        *frames,
        f'ANGVEL_FRAME = {BODY}',
        *(f'ANGVEL_{axis} = {value!r} [deg/s]' for axis, value in zip('XYZ', rate, strict=True)),
        'ANGVEL_STOP',
        '',
    ]
    return '\n'.join(lines)


def _header(kind: str, created: str) -> tuple[str, ...]:
    return (
        f'CCSDS_{kind}_VERS = {VERSION}',
        f'CREATION_DATE = {created}',
        f'ORIGINATOR = {ORIGINATOR}',
    )


def _object(flown: Flown) -> tuple[str, ...]:
    return (
        f'OBJECT_NAME = {flown.name}',
        f'OBJECT_ID = {flown.identity}',
    )


def write(files: Sequence[tuple[Path, Callable[[Path], None]]]) -> None:
    """Write files, each whole or not at all; OSError.

    files: (its path, function that writes it under another path)
    """
    for path, fill in files:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix='.ccsds_') as folder:
            unfinished = Path(folder) / path.name
            fill(unfinished)
            os.replace(unfinished, path)
