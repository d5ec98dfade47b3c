# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""An attitude ephemeris message of CCSDS (AEM) as the AttitudeTable of guidance."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from spacecraft_attitude_sim.configuration import kvn, mesh_file
from spacecraft_attitude_sim.configuration.orbit_message import WORLD, frame_bias
from spacecraft_attitude_sim.configuration.parameter import ParameterError
from spacecraft_attitude_sim.configuration.recorded_orbit import numbers_in, text_of
from spacecraft_attitude_sim.core.environment import time_systems
from spacecraft_attitude_sim.core.guidance.attitude_table import AttitudeTable
from spacecraft_attitude_sim.core.mathematics.rotations import (
    compose,
    conjugate,
    quaternion_from_dcm,
)
from spacecraft_attitude_sim.safety.quoting import cut

SUFFIX = '.aem'
INERTIAL = (*WORLD, 'EME2000')
BODY = 'SC_BODY'
# Most attitudes: a day of seconds and a half, 7 MB in the text of a recording.
MOST_ROWS = 130_000
# {ATTITUDE_TYPE: how many numbers a line may have after its time}; those after the first four are
# rates, which the spline has itself.
TYPES = {
    'QUATERNION': 4, 'QUATERNION/DERIVATIVE': 8, 'QUATERNION/RATE': 7, 'QUATERNION/ANGVEL': 7,
}  # fmt: skip


def load(path: str | Path, epoch: str, key: str) -> str:
    """Return the attitudes of a file as the text that `kept` reads.

    epoch: UTC at which its time is 0;  key: the parameter that names the file, for errors
    Raises ParameterError naming the key, the file, what is wrong with it and the remedy.
    """
    path = Path(path).expanduser()
    if path.suffix.lower() != SUFFIX:
        raise ParameterError(f"{key} is '{path}'; give a file of {SUFFIX}")
    try:
        attitudes = table(mesh_file.read(path, 2**29), epoch)
        if len(attitudes.times) > MOST_ROWS:
            raise ValueError(f'it has more than {MOST_ROWS} attitudes; give fewer')
        return text_of(np.column_stack((attitudes.times, attitudes.quaternions)))
    except FileNotFoundError:
        raise ParameterError(f"{key} is '{path}': no such file") from None
    except (OSError, ValueError) as error:
        raise ParameterError(f"{key} '{path}': {cut(error)}") from None


def kept(key: str, text: str) -> AttitudeTable:
    """Return the AttitudeTable of a text of `load`; ValueError for a damaged one.

    key: the parameter that holds it
    """
    numbers = numbers_in(key, text)
    if len(numbers) % 5:
        raise ParameterError(f'{key} is damaged; record it anew')
    rows = numbers.reshape(-1, 5)
    return AttitudeTable(rows[:, 0], rows[:, 1:])


def table(content: bytes, epoch: str) -> AttitudeTable:
    """Return the AttitudeTable of an AEM; ValueError that says what is wrong, and the remedy.

    epoch: UTC at which time is 0
    """
    segment, version = kvn.segment(content, 'AEM')
    kind = segment.one_of('ATTITUDE_TYPE', tuple(TYPES))
    scalar_first = False
    inverse = _to_inertial(segment)
    if version == '1.0':
        scalar_first = segment.one_of('QUATERNION_TYPE', ('FIRST', 'LAST')) == 'FIRST'
        inverse ^= segment.one_of('ATTITUDE_DIR', ('A2B', 'B2A')) == 'B2A'
    instants, texts = segment.rows((TYPES[kind],))
    zero = time_systems.zero_of(epoch)
    q = np.array([[kvn.number_of(text) for text in row] for row in texts])[:, :4]
    if not scalar_first:
        q = np.roll(q, 1, axis=1)
    if inverse:
        q = q * (1.0, -1.0, -1.0, -1.0)
    frame = segment.value('REF_FRAME_A' if _is_body(segment, 'B') else 'REF_FRAME_B')
    if frame not in WORLD:
        q_WF = conjugate(quaternion_from_dcm(frame_bias()))  # the axes EME2000 in the world
        q = np.array([compose(q_WF, attitude) for attitude in q])
    return AttitudeTable(np.array([time - zero for time in instants], dtype=float) / 1e9, q)


def _is_body(segment: kvn.Segment, end: str) -> bool:
    return segment.value(f'REF_FRAME_{end}').startswith(BODY)


def _to_inertial(segment: kvn.Segment) -> bool:
    """Return whether the rotation from A to B is from the body; ValueError for other frames."""
    for body, other in (('B', 'A'), ('A', 'B')):
        if _is_body(segment, body):
            segment.one_of(f'REF_FRAME_{other}', INERTIAL)
            return body == 'A'
    raise ValueError(
        f'neither REF_FRAME_A nor REF_FRAME_B is {BODY}_1; give the attitude of the body in '
        f'{", ".join(INERTIAL)}'
    )
