# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim replay`: publish a bag, or resimulate it and compare."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.progress import COMPILING, ProgressLine
from spacecraft_attitude_sim.subcommands.checks import INTERRUPTED, CommandError
from spacecraft_attitude_sim.subcommands.parser import subcommand

if TYPE_CHECKING:
    from spacecraft_attitude_sim.runs.replay import Verdict


def add(commands: Any) -> None:
    """Add the command to the subparsers of `attitude-sim`."""
    replay = subcommand(
        commands, 'replay', replay_bag, 'publish a bag, or resimulate it and compare',
        'Publish a recorded bag with its own timing, /clock included; with '
        '--resimulate, compute its run again and compare.',
    )  # fmt: skip
    replay.value('bag', 'BAG', 'bag that run --record or ros2 bag wrote', Path)
    replay.flag(
        '--resimulate',
        'instead, compute the run again from its scenario and inputs, and compare every '
        'sample bit for bit',
    )  # fmt: skip
    replay.value(
        '--rate', 'X',
        'speed relative to real time; 0 is as fast as possible, and subscribers must keep up',
        float, default=1.0,
    )  # fmt: skip
    replay.flag('--loop', 'start over at the end')
    replay.value('--start', 'S', 'time to skip at the beginning [s]', float, default=0.0)
    replay.value(
        '--delay', 'S',
        'wall time to wait for subscribers before the first message [s]', float, default=1.0,
    )  # fmt: skip
    replay.add_namespace()
    replay.add_network()
    replay.add_trust()


def replay_bag(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Publish or resimulate a bag; return the exit status."""
    if not options.bag.exists():
        raise CommandError(f'{options.bag}: no such bag')
    if not options.rate >= 0.0:
        raise CommandError(f'--rate is {options.rate}; give 0 or more')
    return _resimulate(options) if options.resimulate else _publish(options, ros_arguments)


def _resimulate(options: argparse.Namespace) -> int:
    """Resimulate one spacecraft or all of them; return 1 if any differs."""
    line = ProgressLine()
    with line.saying(f'reading {options.bag}'):
        from spacecraft_attitude_sim.recording import reader
        from spacecraft_attitude_sim.runs import replay

        chosen = [options.namespace]
        if options.namespace is None:
            chosen = reader.namespaces(options.bag, replay.INPUTS)
            if len(chosen) < 2:
                chosen = [None]
    line.clear()
    different = 0
    for namespace in chosen:
        name = f'{namespace.strip("/")}: ' if len(chosen) > 1 else ''
        verdict = _resimulate_one(options.bag, namespace, name)
        print(f'{name}identical: {verdict.identical} of {verdict.compared}')
        if verdict.difference:
            different = 1
            print(f'{name}first difference: {verdict.difference}')
    return different


def _resimulate_one(bag: Path, namespace: str | None, name: str) -> Verdict:
    from spacecraft_attitude_sim.runs import replay

    line = ProgressLine()

    def advanced(tick: int, whole: int) -> None:
        line.work(tick / max(whole, 1), f'{name}tick {tick} of {whole}')

    try:
        with line.saying(f'{name}reading {bag}, {COMPILING}'):
            return replay.resimulate(bag, advanced, namespace)
    finally:
        line.end()


def _publish(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    import rclpy

    from spacecraft_attitude_sim.nodes.ros import session
    from spacecraft_attitude_sim.runs import replay

    line = ProgressLine(logged=True)
    with session.ros(ros_arguments) as stop:
        node = rclpy.create_node('replay')
        try:
            replay.play(
                options.bag,
                node,
                stop,
                replay.PlayOptions(options.rate, options.start, options.loop, options.delay),
                lambda seconds, whole: line.show(
                    f'{options.bag}: published {seconds:.2f} s of {whole:g} s'
                ),
            )
            for publisher in node.publishers:
                publisher.wait_for_all_acked(session.LONGEST_WAIT)
        finally:
            node.destroy_node()
    line.end()
    return INTERRUPTED if stop and not options.loop else 0
