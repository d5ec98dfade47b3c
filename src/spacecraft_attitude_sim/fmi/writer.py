# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Write a scenario as a co-simulation FMU of FMI 3.0."""

from __future__ import annotations

import re
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim import __version__
from spacecraft_attitude_sim.api import scenarios
from spacecraft_attitude_sim.configuration import recorded_scenario
from spacecraft_attitude_sim.fmi.errors import FmuError
from spacecraft_attitude_sim.fmi.plant import PlantFmu, Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spacecraft_attitude_sim.configuration.scenario import Scenario

# The program in the FMU. pythonfmu3 finds its class by the words `class …(… Fmi3Slave …)`.
PROGRAM = '''"""The program of this FMU: it flies scenario.yaml."""

try:
    from spacecraft_attitude_sim.fmi.slave import SpacecraftFmu
except ImportError as error:
    raise ImportError(
        'this FMU needs the package spacecraft_attitude_sim in the Python that loads it: '
        f'{error}'
    ) from error
from pythonfmu3 import Fmi3Slave


class AttitudeFmu(SpacecraftFmu, Fmi3Slave):
    """The FMU."""
'''
MODULE = 'spacecraft_attitude_fmu'
# What FMI asks: steps of any number of ticks; Python and this package are needed beside it.
OPTIONS = {
    'needsExecutionTool': True,
    'canHandleVariableCommunicationStepSize': True,
    'canGetAndSetFMUState': False,
    'canSerializeFMUState': False,
}


def write_fmu(
    scenario: str | Path | Mapping[str, Any] | Scenario,
    path: str | Path,
    name: str = '',
    commands: Iterable[str] = (),
    own_controller: bool = False,
) -> Path:
    """Write a co-simulation FMU of FMI 3.0, and return its path; a file there is replaced.

    scenario: whatever `load` takes;  path: of the FMU, which ends in .fmu
    name: of the model, letters, digits and _; without it that of the file
    commands: arguments of Simulation.step, such as 'wheel_speed', that command actuators in place
        of the first one of their kind
    own_controller: whether the controller of the scenario flies; then there are no inputs
    Raises ScenarioError, FmuError.
    """
    path = Path(path)
    if path.suffix != '.fmu':
        raise FmuError(f'{path}: is no name of an FMU; end it in .fmu')
    loaded = scenarios.load(scenario)
    if own_controller and loaded.controller is None:
        raise FmuError('the scenario has no controller of its own; leave it out')
    model = re.sub(r'\W', '_', name or path.stem, flags=re.ASCII)
    model = model if model[:1].isalpha() or model[:1] == '_' else f'_{model}'
    settings = Settings(model, tuple(commands), own_controller, __version__)
    text = _text(loaded)
    PlantFmu(text, settings)  # so that what cannot be is told here
    from pythonfmu3 import FmuBuilder

    from spacecraft_attitude_sim.fmi.slave import SCENARIO, SETTINGS

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        parts = {f'{MODULE}.py': PROGRAM, SCENARIO: text, SETTINGS: settings.text()}
        for part, content in parts.items():
            (place / part).write_text(content, 'utf-8')
        beside = [place / SCENARIO, place / SETTINGS]
        built = FmuBuilder.build_FMU(place / f'{MODULE}.py', place / 'built', beside, **OPTIONS)
        shutil.move(built, path)
    return path


def _text(scenario: Scenario) -> str:
    """Return the text of a Scenario that needs no other file.

    Masses of a mesh are in it, and its looks are not drawn in an FMU.
    """
    values = scenario.parameters | {'body.mesh.file': ''}
    return recorded_scenario.dump(replace(scenario, parameters=values))
