# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim node`: run one node, as `ros2 run` does."""

from __future__ import annotations

import argparse
import importlib
import sys
from typing import Any

from spacecraft_attitude_sim.safety import garbage
from spacecraft_attitude_sim.subcommands.checks import CommandError, need_lifecycle
from spacecraft_attitude_sim.subcommands.parser import subcommand

NODES = (
    'simulator',
    'contact',
    'attitude_controller',
    'attitude_estimator',
    'attitude_guidance',
    'mission_modes',
    'markers',
    'recorder',
)


def add(commands: Any) -> None:
    """Add the command to the subparsers of `attitude-sim`."""
    node = subcommand(
        commands, 'node', run_node, 'run one node, as ros2 run does',
        'Run one node until Ctrl-C, as ros2 run spacecraft_attitude_sim NODE does.',
        epilog='All arguments after --ros-args go to ROS, for example -p NAME:=VALUE and '
        '--params-file FILE.',
    )  # fmt: skip
    node.add_argument('node', choices=NODES, metavar='NODE', help=f'one of {", ".join(NODES)}')
    node.add_lifecycle()
    node.add_network()
    node.add_trust()


def run_node(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Run a node until it is done or told to stop; return the exit status."""
    if options.lifecycle:
        if options.node not in ('simulator', 'contact'):
            raise CommandError(f'node {options.node} is not managed; --lifecycle is for simulator')
        need_lifecycle()
    with garbage.left_alone():
        from spacecraft_attitude_sim.nodes.ros import session
    with session.ros(ros_arguments) as stop:
        stop.starting = True
        with garbage.left_alone():
            nodes = _started(options.node, options.lifecycle)
        node = nodes[0]
        with session.executor_of(nodes, stop) as executor:
            session.spin_until(executor, lambda: stop or node.finished)
            node.finish()
    if node.failure:
        print(f'attitude-sim: {node.failure}', file=sys.stderr)
        return 1
    return 0


def _started(name: str, lifecycle: bool) -> list[Any]:
    """Return the nodes for a name; they end with the first one."""
    if name not in ('simulator', 'contact'):
        module = importlib.import_module(f'spacecraft_attitude_sim.nodes.{name}.node')
        return [getattr(module, f'{name.title().replace("_", "")}Node')()]
    from spacecraft_attitude_sim.nodes.simulator import contact
    from spacecraft_attitude_sim.nodes.simulator import node as simulator

    if lifecycle:
        from spacecraft_attitude_sim.nodes.simulator import managed

        first: Any = managed.ManagedSimulatorNode(contact=managed.floor_offered)
    else:
        first = simulator.SimulatorNode(contact=contact.offered)
    floor = first.contact
    if name == 'contact' and floor is None:
        raise CommandError(
            'node contact: there is no floor; give a scenario with a section /**/contact, as '
            '--ros-args --params-file FILE (docs/contact.md)'
        )
    nodes = [first, *([floor] if floor else [])]
    if name == 'contact':
        print(
            'contact: a simulator is started with it, in the same process, because a constraint '
            'must hold inside every stage of a step',
            flush=True,
        )
    return nodes
