# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Give the simulators of a run their tables of commands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.recording import input_table

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.formation import Member
    from spacecraft_attitude_sim.nodes.attitude_controller.node import AttitudeControllerNode
    from spacecraft_attitude_sim.nodes.simulator.node import SimulatorNode
    from spacecraft_attitude_sim.recording.input_table import InputTable

    # (namespace, '' for a single spacecraft; path) of each table
    Given = Sequence[tuple[str, Path]]


def follow(simulator: SimulatorNode, member: Member, given: Given) -> None:
    """Let a simulator follow the tables of its spacecraft; raise InputTableError."""
    paths = [path for namespace, path in given if namespace == member.namespace]
    if not paths:
        return
    tables = input_table.read_for(simulator.scenario, paths)
    simulator.commands.follow(tables)
    for table in tables:
        simulator.get_logger().info(table.text())


def check_beside(tables: Sequence[InputTable], controller: AttitudeControllerNode) -> None:
    """Raise InputTableError where a table commands an actuator that our controller commands."""
    magnetic = controller.magnetic is not None
    input_table.check_beside(tables, controller.allocation, magnetic, 'give --no-controller')
