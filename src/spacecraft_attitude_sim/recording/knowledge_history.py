# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What the estimator aboard knew at each instant of a run: from its topics, or as it flew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.parameter import unit_quaternion
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.studies.consistency import Judged, Knowledge
from spacecraft_attitude_sim.core.ticks import NANOSECONDS
from spacecraft_attitude_sim.flight.record import Known
from spacecraft_attitude_sim.recording.fields import quaternion_from_ros

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.recording.reader import RecordedInstant

# First covariance of an attitude that is not known.
UNMEASURED = -1.0


def of_run(stamps: Sequence[int], every: Sequence[Known]) -> Knowledge | None:
    """Return the Knowledge at instants (n,); None where nothing was known of them.

    stamps: of the instants [ns];  every: all that the estimator said
    """
    if not every:
        return None
    at = {known.time_ns: known for known in every}
    nothing = Known(0, np.full(4, np.nan), np.full((3, 3), np.nan))
    rows = [at.get(stamp, nothing) for stamp in stamps]
    judged = (
        (known.time_ns, judgement.sensor, judgement.nis, judgement.freedom)
        for known in every
        for judgement in known.judgements
    )
    return Knowledge(
        np.array([known.q_WE for known in rows]), np.array([known.covariance_B for known in rows]),
        _judged(judged),
    )  # fmt: skip


def of_bag(scenario: Scenario, received: Sequence[RecordedInstant]) -> Knowledge | None:
    """Return the Knowledge at the instants of a bag; None where no estimate was recorded.

    The estimate is that of the estimator's IMU: by the mounting that the estimator knows, or the
    simulator's where the scenario has no estimator, it becomes that of the body.
    """
    if not any(instant.q_WS_known.size for instant in received):
        return None
    q_BS = unit_quaternion(scenario.estimator or scenario.parameters, 'imu.orientation')
    C_BS = rotations.dcm_from_quaternion(q_BS)
    q_WS, covariance_S = np.full((len(received), 4), np.nan), np.full((len(received), 9), np.nan)
    for row, instant in enumerate(received):
        if instant.q_WS_known.size:
            q_WS[row], covariance_S[row] = instant.q_WS_known, instant.covariance_S
    q_WE = np.array(rotations.quaternion_product(*q_WS.T, *rotations.conjugate(q_BS))).T
    covariance_B = C_BS @ covariance_S.reshape(-1, 3, 3) @ C_BS.T
    judged = (
        (instant.stamp, sensor, nis, instant.innovations[sensor])
        for instant in received
        for sensor, nis in instant.nis.items()
        if sensor in instant.innovations
    )
    return Knowledge(q_WE, covariance_B, _judged(judged))


def _judged(measurements: Iterable[tuple[int, str, float, int]]) -> dict[str, Judged]:
    """Return {sensor: Judged} of (time [ns], sensor, nis, freedom) of each measurement."""
    of: dict[str, list[tuple[float, float, float]]] = {}
    for time_ns, sensor, nis, freedom in measurements:
        if np.isfinite(nis):
            of.setdefault(sensor, []).append((time_ns / NANOSECONDS, nis, freedom))
    return {sensor: Judged(*np.array(rows).T) for sensor, rows in of.items()}


# --- from messages -------------------------------------------------------------------------------


def attitude(message: Any) -> tuple[Any, ...]:
    """Return q_WS (4,) and covariance (9,) of estimate/attitude; NaN where it is not known.

    Raises ValueError for a quaternion that is none.
    """
    covariance_S = np.array(message.orientation_covariance, dtype=float)
    if covariance_S[0] == UNMEASURED:
        return np.full(4, np.nan), np.full(9, np.nan)
    return rotations.unit_quaternion(quaternion_from_ros(message.orientation)), covariance_S


def nis(message: Any) -> tuple[dict[str, float]]:
    """Return {sensor: NIS} of estimate/nis, in a tuple."""
    return (dict(zip(message.name, map(float, message.position), strict=False)),)


def innovations(message: Any) -> tuple[dict[str, int]]:
    """Return {sensor: number of components} of estimate/innovations, in a tuple."""
    counts: dict[str, int] = {}
    for name in message.name:
        sensor = name.rpartition('/')[0]
        counts[sensor] = counts.get(sensor, 0) + 1
    return (counts,)
