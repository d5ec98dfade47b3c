# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The nodes that a controller may fly on: estimator, guidance and mission."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rclpy.parameter import Parameter

from spacecraft_attitude_sim.configuration import (
    attitude_estimator,
    attitude_guidance,
    mission_modes,
)
from spacecraft_attitude_sim.nodes.attitude_estimator.node import AttitudeEstimatorNode
from spacecraft_attitude_sim.nodes.attitude_guidance.node import AttitudeGuidanceNode
from spacecraft_attitude_sim.nodes.mission_modes.node import MissionModesNode
from spacecraft_attitude_sim.recording import topics

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rclpy.node import Node

    from spacecraft_attitude_sim.configuration.scenario_file import Sections
    from spacecraft_attitude_sim.nodes.simulator.node import SimulatorNode

# {section: its node}
KINDS = {
    attitude_estimator.NAME: AttitudeEstimatorNode,
    attitude_guidance.NAME: AttitudeGuidanceNode,
    mission_modes.NAME: MissionModesNode,
}
# Node options of what reads the estimate in place of the IMU's orientation.
ON_ESTIMATE = {'cli_args': ['--ros-args', '-r', f'{topics.IMU}:={topics.ESTIMATE}']}


def aids_of(
    sections: Sections,
    simulator: SimulatorNode,
    place: Mapping[str, Any],
    keep: Callable[[Node], None],
) -> dict[str, Any]:
    """Return {section: node} of the aids that a scenario has.

    place: node options of its namespace;  keep: called with each node that is made
    """
    aids: dict[str, Any] = {}
    for name, kind in KINDS.items():
        if name in sections:
            overrides = [simulated_time(simulator)]
            estimated = name == mission_modes.NAME and attitude_estimator.NAME in sections
            options = {**place, **(ON_ESTIMATE if estimated else {})}
            aids[name] = kind(sections[name], parameter_overrides=overrides, **options)
            keep(aids[name])
    return aids


def simulated_time(simulator: SimulatorNode) -> Parameter[bool]:
    """Return the parameter by which nodes beside a simulator have its time.

    A pause of the simulation is not a failure of the IMU. But /clock may be another's.
    """
    return Parameter('use_sim_time', value=simulator.driver.publishes_clock)
