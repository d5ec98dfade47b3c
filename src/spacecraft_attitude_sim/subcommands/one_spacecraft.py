# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The one spacecraft that a command is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.configuration import formation, scenario_file
from spacecraft_attitude_sim.subcommands.checks import CommandError
from spacecraft_attitude_sim.subcommands.given_parameters import parameters_given

if TYPE_CHECKING:
    import argparse

    from spacecraft_attitude_sim.configuration.formation import Member


def one_spacecraft(options: argparse.Namespace) -> Member:
    """Return the Member that the options scenario, --namespace and -p name.

    Raises CommandError unless they name one, ScenarioError for a wrong file.
    """
    members = formation.complete([scenario_file.find(options.scenario)])
    members = formation.agreed(members, list(parameters_given(options.parameters)))
    wanted = (options.namespace or '').strip('/')
    chosen = [member for member in members if not options.namespace or member.namespace == wanted]
    if len(chosen) != 1:
        names = ', '.join(member.namespace for member in members)
        raise CommandError(
            f'{options.scenario} holds {len(members)} spacecraft; choose one by --namespace: '
            f'{names}'
        )
    return chosen[0]
