# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim access`: when ground targets see the spacecraft."""

from __future__ import annotations

import argparse
import math
from typing import Any

from spacecraft_attitude_sim.configuration import earth_surroundings, scenario
from spacecraft_attitude_sim.subcommands.checks import CommandError, no_ros
from spacecraft_attitude_sim.subcommands.one_spacecraft import one_spacecraft
from spacecraft_attitude_sim.subcommands.parser import subcommand

HEAD = f'{"target":22}     rise [s]  culmination [s]    set [s]  elevation [deg]  rise, UTC'


def add(commands: Any) -> None:
    """Add the command to the subparsers of `attitude-sim`."""
    access = subcommand(
        commands, 'access', tell_passes,
        'tell when ground targets see the spacecraft',
        'Print rise, culmination and set of each pass over ground targets, in seconds and UTC, '
        'with the largest elevation. Without --target and --place they are those of the '
        'attitude_guidance. The orbit is the one that it knows, or else that of the simulator. A '
        'pass that begins before the window, or ends after it, is cut there. Refraction is left '
        'out. Simulates nothing. Needs no ROS.',
    )  # fmt: skip
    access.value('scenario', 'SCENARIO', 'name of a shipped scenario, or path of a scenario file')
    access.value(
        '--target', 'NAME', 'target of the attitude_guidance; may be repeated', dest='targets',
        action='append', default=[],
    )  # fmt: skip
    access.value(
        '--place', 'LAT,LON,HEIGHT',
        'any place, latitude and longitude in degrees, height over the ellipsoid in metres (may '
        'be left out); write --place=-33.4,... for the south; may be repeated', dest='places',
        action='append', default=[],
    )  # fmt: skip
    access.value(
        '--elevation', 'DEG', 'least elevation over the horizon [deg]; default %(default)s', float,
        default=0.0,
    )  # fmt: skip
    access.value('--from', 'S', 'begin of the window [s]; default %(default)s', float,
                 default=0.0, dest='begin')  # fmt: skip
    access.value('--to', 'S', 'end of the window [s]; default %(default)s, a day', float,
                 default=earth_surroundings.DAY, dest='end')  # fmt: skip
    access.add_namespace()
    access.add_parameters()
    access.add_trust()


def tell_passes(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Print a line for each pass; return the exit status."""
    no_ros(ros_arguments)
    from spacecraft_attitude_sim.api import accesses
    from spacecraft_attitude_sim.core.environment.epoch import later

    member = one_spacecraft(options)
    base = scenario.of_sections(member.sections, member.source)
    values = accesses.known(base)
    asked: dict[str, Any] = {name: name for name in options.targets}
    asked |= {text: text.split(',') for text in options.places}
    asked = asked or {name: name for name in values['targets']}
    if not asked:
        raise CommandError(
            f'{options.scenario}: no attitude_guidance has targets; give --place LAT,LON,HEIGHT'
        )
    window = math.radians(options.elevation), options.begin, options.end
    passes_of = {
        name: accesses.passes(base, options.scenario, target, *window)
        for name, target in asked.items()
    }
    utc = earth_surroundings.begins(values)
    print(HEAD)
    for name, passes in passes_of.items():
        for access in passes:
            days = access.rise / earth_surroundings.DAY
            print(
                f'{name:22}{access.rise:13.1f}{access.culmination:17.1f}{access.set:12.1f}'
                f'{math.degrees(access.elevation):17.2f}  {later(utc, days)}'
            )
        if not passes:
            print(f'{name:22}  no pass from {options.begin:g} s to {options.end:g} s')
    return 0
