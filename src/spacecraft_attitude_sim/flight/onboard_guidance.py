# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The attitude_guidance of a scenario without its node, with the same bits as in lockstep."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.configuration import attitude_controller, attitude_guidance
from spacecraft_attitude_sim.core.ticks import seconds_of

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.control.attitude_loop import AttitudeLoop
    from spacecraft_attitude_sim.core.guidance.ephemeris import Ephemeris
    from spacecraft_attitude_sim.core.mathematics.types import Quaternion


class OnboardGuidance:
    """Says the reference of each time to an AttitudeLoop.

    places: of attitude_guidance.guidance
    Raises ValueError where the controller is to be guided and the scenario has no guidance.
    """

    def __init__(self, scenario: Scenario, places: Ephemeris | None = None) -> None:
        if scenario.guidance is None:
            raise ValueError(
                f'{attitude_controller.NAME}: {attitude_controller.GUIDED} is true, but the '
                'scenario has no attitude_guidance: give it that section, or set it to false'
            )
        self.guidance = attitude_guidance.guidance(scenario.guidance, places)

    def guide(self, loop: AttitudeLoop, stamp: int) -> None:
        """Give a loop the reference that its reading of a time [ns] needs."""
        if loop.needs_guide(stamp):
            loop.guide(self.guidance.at(seconds_of(stamp, 1)), stamp)

    def attitude_at(self, stamp: int) -> Quaternion:
        """Return the attitude q_WR (4,) wanted at a time [ns]."""
        return self.guidance.at(seconds_of(stamp, 1)).q_WR
