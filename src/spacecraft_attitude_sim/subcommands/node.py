# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim node`: one node, which is what ros2 run starts."""

import importlib
import sys

from spacecraft_attitude_sim.subcommands.checks import add_network, add_trust

NODES = ('simulator', 'attitude_controller', 'markers', 'recorder')


def add(commands):
    """Describe the command to argparse."""
    node = commands.add_parser('node', help='run one node (what ros2 run starts)')
    node.add_argument('node', choices=NODES)
    add_network(node)
    add_trust(node)
    node.set_defaults(command=run_node)


def run_node(options, ros_arguments):
    """Run a node until it is done or told to stop; return the exit status."""
    from spacecraft_attitude_sim.nodes import session
    from spacecraft_attitude_sim.nodes.contact import offered as offered_contact

    module = importlib.import_module(f'spacecraft_attitude_sim.nodes.{options.node}')
    with session.ros(ros_arguments) as stop:
        stop.starting = True
        if options.node == 'simulator':
            contact = offered_contact()
            node = module.SimulatorNode(contact=contact)
            nodes = [node, *([contact] if contact else [])]
        else:
            node = getattr(module, f'{options.node.title().replace("_", "")}Node')()
            nodes = [node]
        with session.executor_of(nodes, stop) as executor:
            session.spin_until(executor, lambda: stop or node.finished)
            node.finish()
    if node.failure:
        print(f'attitude-sim: {node.failure}', file=sys.stderr)
        return 1
    return 0
