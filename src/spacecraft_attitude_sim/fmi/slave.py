# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The class of pythonfmu3 behind an FMU; the program in an FMU inherits from it.

pythonfmu3 0.3 lets go of an FMU twice where one of its functions raises an error, which can end
the host. So nothing raises here after the FMU was made: an error is logged, and steps refuse.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pythonfmu3 import Fmi3Slave
from pythonfmu3.default_experiment import DefaultExperiment
from pythonfmu3.enums import Fmi3Causality, Fmi3Status, Fmi3Variability
from pythonfmu3.fmi3slave import Fmi3StepResult
from pythonfmu3.unit import Unit
from pythonfmu3.variables import Boolean, Float64, Int64

from spacecraft_attitude_sim import __version__
from spacecraft_attitude_sim.fmi import units, variables
from spacecraft_attitude_sim.fmi.plant import DISCARD, ERROR, PlantFmu, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spacecraft_attitude_sim.fmi.variables import Variable

SCENARIO, SETTINGS = 'scenario.yaml', 'fmu.json'
TYPES = {variables.REAL: Float64, variables.WHOLE: Int64, variables.TRUTH_VALUE: Boolean}
STATUS = {0: Fmi3Status.ok, DISCARD: Fmi3Status.discard, ERROR: Fmi3Status.error}


class SpacecraftFmu(Fmi3Slave):
    """An FMU whose resources hold a scenario and its settings.

    Raises ScenarioError, FmuError and OSError for resources that cannot be read.
    """

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        resources = Path(given['resources'])
        if 'logger' in given:  # made by a host, where pythonfmu3 leaves the folder for ever
            sys.path[:] = [place for place in sys.path if place != given['resources']]
        self._settings = Settings.of_text((resources / SETTINGS).read_text('utf-8'))
        text = (resources / SCENARIO).read_text('utf-8')
        self._plant = PlantFmu(text, self._settings)
        self._failure = ''
        self._describe()
        if self._settings.version != __version__:
            self.log(
                f'the FMU was written by version {self._settings.version}, and version '
                f'{__version__} flies it: bits may differ', Fmi3Status.warning,
            )  # fmt: skip

    def _describe(self) -> None:
        """Declare variables, units and experiment."""
        scenario, ticks = self._plant.scenario, self._plant.scenario.plant.ticks
        self.modelName, self.version = self._settings.name, self._settings.version
        self.description = scenario.description or None
        stop = scenario.parameters['duration'] or None
        self.default_experiment = DefaultExperiment(0.0, stop, ticks.step)
        for variable in self._plant.variables:
            self._declare(variable)

    def _declare(self, variable: Variable) -> None:
        own: dict[str, Any] = {
            'causality': Fmi3Causality[variable.causality],
            'variability': _variability(variable), 'description': variable.text,
            'getter': _nothing, 'setter': _nothing,
        }  # fmt: skip
        if variable.kind == variables.REAL:
            name = units.of(variable.unit)
            own['unit'] = name
            self.register_units([Unit(name, **units.BASES[name])])
        self.register_variable(TYPES[variable.kind](variable.name, **own), nested=False)

    # --- what pythonfmu3 calls ----------------------------------------------------------------

    def get_float64(self, vrs: Sequence[int]) -> list[float]:
        """Return values by reference."""
        return self._got(vrs, float)

    def get_int64(self, vrs: Sequence[int]) -> list[int]:
        """Return values by reference."""
        return self._got(vrs, int)

    def get_boolean(self, vrs: Sequence[int]) -> list[bool]:
        """Return values by reference."""
        return self._got(vrs, bool)

    def set_float64(self, vrs: Sequence[int], values: Sequence[float]) -> None:
        """Take values by reference."""
        self._guarded(lambda: self._plant.set(vrs, values))

    def set_int64(self, vrs: Sequence[int], values: Sequence[int]) -> None:
        """Take values by reference."""
        self._guarded(lambda: self._plant.set(vrs, values))

    def set_boolean(self, vrs: Sequence[int], values: Sequence[bool]) -> None:
        """Refuse, as no input is one."""
        self._guarded(lambda: self._plant.set(vrs, values))

    def exit_initialization_mode(self) -> None:
        """Go to the initial instant."""
        self._guarded(self._plant.begin)

    def do_step(self, current_time: float, step_size: float) -> Fmi3StepResult:
        """Go on by a step, and return its status."""
        if self._failure:
            self.log(self._failure, Fmi3Status.error)
            return Fmi3StepResult(Fmi3Status.error)
        answer: Any = self._guarded(lambda: self._plant.step(current_time, step_size))
        if answer is None:
            return Fmi3StepResult(Fmi3Status.error)
        if answer.text:
            self.log(answer.text, STATUS[answer.status])
        return Fmi3StepResult(STATUS[answer.status])

    def _got(self, vrs: Sequence[int], kind: Any) -> list[Any]:
        values = self._guarded(lambda: self._plant.get(vrs))
        if values is None:
            return [kind(0)] * len(vrs) if kind is not float else [float('nan')] * len(vrs)
        return [kind(value) for value in values]

    def _guarded(self, does: Callable[[], Any]) -> Any:
        """Return what a function returns; None, with a message and no more steps, if it raises."""
        try:
            return does()
        except BaseException as error:  # also of the keyboard  # noqa: BLE001
            self._failure = f'{type(error).__name__}: {error}'
            self.log(self._failure, Fmi3Status.error)
            return None


def _variability(variable: Variable) -> Any:
    if variable.causality == variables.PARAMETER:
        return Fmi3Variability.fixed
    if variable.kind != variables.REAL:
        return Fmi3Variability.discrete
    return Fmi3Variability.continuous


def _nothing(*_: Any) -> float:
    """Stand where pythonfmu3 would look for an attribute."""
    return 0.0
