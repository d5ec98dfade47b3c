# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Give the simulators of a run their tables of commands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.recording import input_table
from spacecraft_attitude_sim.recording.input_table import InputTableError

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
    found = simulator.scenario
    limits = (found.parameters[f'command_{what}_limit'] for what in ('force', 'torque'))
    tables = input_table.read_several(paths, found.plant, found.inputs, *limits)
    simulator.commands.follow(tables)
    for table in tables:
        simulator.get_logger().info(table.text())


def check_beside(tables: Sequence[InputTable], controller: AttitudeControllerNode) -> None:
    """Raise InputTableError if a table and our controller command the same actuator."""
    ours = controller.allocation.names if controller.allocation else ()
    for table in tables:
        for kind, names in table.commanded.items():
            rods = names if controller.magnetic else ()  # the dipole is shared by all
            if twice := set(names) & set(rods if kind == 'magnetorquer' else ours):
                raise InputTableError(
                    f"{table.path}: commands {kind} '{min(twice)}', and so does the scenario's "
                    'attitude_controller; give --no-controller, or leave the column out'
                )
