# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The mission_modes of a scenario without its node, with the same decisions as in lockstep."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from spacecraft_attitude_sim.configuration import attitude_controller, mission_modes

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.control.attitude_loop import Reading
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.mission.mode_machine import Decision
    from spacecraft_attitude_sim.core.simulation import Instant

# The mission decides at each tick in which one of these reads.
DECIDES = {'imu', 'magnetometer'}


class Change(NamedTuple):
    """An entry into a mode: its time [s], the name of the mode, and why."""

    time: float
    mode: str
    reason: str


class OnboardMission:
    """Takes the Instants of a run as the mission_modes node takes its sensor topics.

    machine: the ModeMachine;  knowledge: what it decides by;  changes: every Change so far
    sees_wheels: whether it needs the speeds of wheels
    Raises ValueError where the controller follows a mission and the scenario has none.
    """

    def __init__(self, scenario: Scenario) -> None:
        if scenario.mission is None:
            raise ValueError(
                f'{attitude_controller.NAME}: {attitude_controller.MISSION} is true, but the '
                f'scenario has no {mission_modes.NAME}: give it that section, or set it to false'
            )
        values = scenario.mission
        self.machine = mission_modes.machine(values)
        self.knowledge = mission_modes.knowledge(values)
        self.changes: list[Change] = []
        wheels = scenario.plant.spacecraft.part('reaction_wheels')
        self._wheels = [wheels.names.index(name) for name in values['wheels']]
        self.sees_wheels = bool(self._wheels)
        self._sights = [f'sun_sensor/{name}' for name in values['sun_sensors']]
        self._cells = [f'sun_sensor/{name}' for name in values['sun_cells']]

    def take(
        self, instant: Instant, speeds: Array, reading: Reading | None, sigma: float = math.nan
    ) -> Decision | None:
        """Return the Decision at an Instant; None where nothing reads that decides.

        speeds: (N,) of all wheels, as joint_states has them [rad/s]
        reading: of the IMU, or the estimate in its place; None where it does not read
        sigma: largest standard deviation of the attitude about an axis [rad], NaN: not known
        """
        read = instant.readings
        assert read is not None, 'an instant that was read'
        stamp, knowledge = instant.stamp, self.knowledge
        if reading:
            knowledge.take_motion(reading.time_ns, reading.q_WS, reading.omega_S, sigma)
        late, new, flat = read.delivery.ages, read.new, read.flat
        for name in self._sights:
            if name in new and name not in read.silent:
                read_ns = instant.stamp_of(name) if name in late else stamp
                knowledge.take_sun(read_ns, flat[name][1:].tolist())
        for name in self._cells:
            if name in new:
                read_ns = instant.stamp_of(name) if name in late else stamp
                knowledge.take_light(read_ns, name, flat[name].item(0))
        if self._wheels:
            every = speeds.tolist()
            knowledge.take_wheels(stamp, [every[place] for place in self._wheels])
        if new.isdisjoint(DECIDES):
            return None
        decision = self.machine.decide(stamp, knowledge.values(stamp))
        if decision.entered:
            self.changes.append(Change(instant.time, decision.order.mode, decision.reason))
        return decision
