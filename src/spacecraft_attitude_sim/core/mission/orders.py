# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Let controller and guidance do what the mode of a mission commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.control.response import attitude_error
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_product

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.control.attitude_loop import Answer, AttitudeLoop, Reading
    from spacecraft_attitude_sim.core.control.magnetic_loop import MagneticLoop
    from spacecraft_attitude_sim.core.mathematics.types import Quaternion, Vector3
    from spacecraft_attitude_sim.core.mission.table import Order

UNKNOWN = np.full(3, np.nan)
UNKNOWN.flags.writeable = False


def obey(order: Order, loop: AttitudeLoop, magnetic: MagneticLoop | None) -> None:
    """Give the loops of a controller the law of an Order, in place of their mode and schedule.

    magnetic: None where no dipole is commanded
    """
    settings = loop.settings
    if settings.mode != order.law or settings.schedule:
        loop.configure(settings._replace(mode=order.law, schedule=()))
    if magnetic:
        magnetic.settings, magnetic.unloads = loop.settings, order.unloads


def pointing_error(reading: Reading, answer: Answer, q_BS: Quaternion) -> Vector3:
    """Return the rotation vector (3,) from the reference to the measured attitude [rad].

    NaN where the loop pointed nowhere.

    q_BS: (4,) IMU to body
    """
    if answer.q_WR is None or reading.q_WS is None:
        return UNKNOWN
    w, x, y, z = q_BS.tolist()
    q_WB = quaternion_product(*reading.q_WS.tolist(), w, -x, -y, -z)
    return attitude_error(answer.q_WR, q_WB)
