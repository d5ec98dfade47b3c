# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The plant of a scenario as an FMU: values by reference, and steps from instant to instant."""

from __future__ import annotations

import functools
import json
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.api import scenarios
from spacecraft_attitude_sim.configuration import scenario as scenario_module
from spacecraft_attitude_sim.configuration.scenario_file import ScenarioError
from spacecraft_attitude_sim.core.simulation import MotionError
from spacecraft_attitude_sim.flight.flight import OWN, Flight
from spacecraft_attitude_sim.fmi import variables
from spacecraft_attitude_sim.fmi.errors import FmuError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.fmi.variables import Variable

# Statuses of FMI 3.0: done; the FMU is as it was, ask for another step; it cannot go on.
OK, DISCARD, ERROR = 0, 2, 3
# How far a communication point may be off an instant, and a step off whole ticks [ticks]: a host
# adds up its steps, and rounds.
OFF_POINT, OFF_STEP = 1e-3, 1e-6
MOST_TICKS = 10**8
# Name of the independent variable, and its value reference; the others follow.
TIME = 'time'


class Answer(NamedTuple):
    """What a step came to: status of FMI 3.0, and why it is not OK."""

    status: int
    text: str = ''


class Settings(NamedTuple):
    """What an FMU holds beside its scenario.

    name: of the scenario;  commands: arguments of Simulation.step, in place of the first of kinds
    own: whether the controller of the scenario flies; then there are no inputs
    version: of the package that wrote it
    """

    name: str
    commands: tuple[str, ...] = ()
    own: bool = False
    version: str = ''

    def text(self) -> str:
        """Return them as JSON."""
        return json.dumps(self._asdict(), indent=2)

    @staticmethod
    def of_text(text: str) -> Settings:
        """Return them from JSON; FmuError for other than that."""
        try:
            given = json.loads(text)
            return Settings(
                str(given['name']), tuple(map(str, given['commands'])), bool(given['own']),
                str(given['version']),
            )  # fmt: skip
        except (KeyError, TypeError, ValueError) as error:
            raise FmuError(f'the settings of the FMU cannot be read: {error!r}') from None


@functools.lru_cache(maxsize=4)
def read_scenario(text: str) -> Scenario:
    """Return the Scenario in the text of an FMU; ScenarioError where it cannot be.

    A module that it names is imported only where the user trusts it: docs/trust.md.
    """
    return scenario_module.parse(text, 'scenario of the FMU')


class PlantFmu:
    """A spacecraft that is stepped by values and value references.

    A value reference is a number of `variables`, which begin with the time. Commands count from
    the first time that one of them is set; before, those of the scenario hold.

    text: of a recorded scenario;  settings: Settings
    Raises ScenarioError, FmuError.
    """

    def __init__(self, text: str, settings: Settings) -> None:
        self.scenario, self.settings = read_scenario(text), settings
        clock = variables.Variable(TIME, 's', 'independent', 'simulated time')
        given = variables.parameters_of(self.scenario)
        if not settings.own:
            given += variables.commands_of(self.scenario, settings.commands)
        self.variables: list[Variable] = [clock, *given, *variables.outputs_of(self.scenario)]
        self._first = 1 + len(given)  # output
        self._given = [0.0, *(variable.start for variable in given)]
        self._set: set[str] = set()  # commands and parameters that the host has set
        self._refusal = ''
        self._flight: Flight | None = None
        self._begin: float | None = None  # communication point of the start [s]
        self._told: list[float] | None = None

    # --- values -------------------------------------------------------------------------------

    def get(self, references: Iterable[int]) -> list[float]:
        """Return values by their references; those of outputs are of the present instant.

        Raises ScenarioError where parameters fit no spacecraft, FmuError for a wrong reference.
        """
        return [self._value(self._known(reference)) for reference in references]

    def _known(self, reference: int) -> int:
        if not 0 <= reference < len(self.variables):
            raise FmuError(
                f'there is no variable {reference}; their references are 0 to '
                f'{len(self.variables) - 1}'
            )
        return reference

    def _value(self, reference: int) -> float:
        if reference == 0:
            ticks, flight = self.scenario.plant.ticks, self._flight
            return (self._begin or 0.0) + ticks.seconds(flight.instant.elapsed if flight else 0)
        if reference < self._first:
            return self._given[reference]
        if self._told is None:
            flight = self._flying()
            self._told = variables.told(flight.scenario, flight.instant, flight.readings)
        return self._told[reference - self._first]

    def set(self, references: Sequence[int], values: Sequence[float]) -> None:
        """Take parameters and commands; the next step refuses what cannot be."""
        for reference, value in zip(references, values, strict=True):
            variable = self.variables[self._known(reference)]
            if not 0 < reference < self._first:
                self._refusal = f'{variable.name} is set, and is no input'
            elif variable.causality == variables.PARAMETER and self._begin is not None:
                self._refusal = f'{variable.name} is set after the start; reset the FMU before'
            else:
                self._given[reference] = value
                self._set.add(variable.place[0])
                if variable.causality == variables.PARAMETER:
                    self._flight = self._told = None

    # --- time ---------------------------------------------------------------------------------

    def begin(self) -> None:
        """Go to the initial instant; ScenarioError where parameters fit no spacecraft."""
        self._flying()

    def _flying(self) -> Flight:
        """Return the Flight, begun if it is not."""
        if self._flight is None:
            controller = OWN if self.settings.own else None
            self._flight = Flight(self._changed(), controller, keeps=0)
        return self._flight

    def _changed(self) -> Scenario:
        """Return the Scenario with the parameters that the host has set."""
        new: dict[str, Any] = {}
        for reference, variable in enumerate(self.variables[: self._first]):
            name, _ = variable.place
            if variable.causality == variables.PARAMETER and name in self._set:
                number = self._given[reference]
                if variable.kind == variables.WHOLE:
                    new[name] = int(number)
                else:
                    new.setdefault(name, []).append(number)
        return scenarios.load(self.scenario, parameters=new) if new else self.scenario

    def step(self, point: float, size: float) -> Answer:
        """Go on by a step from a communication point; return the Answer.

        point, size: [s]; the first point is the start. The size is a whole number of ticks
        """
        try:
            commands, count = self._asked(point, size)
            flight = self._flying()
        except (ScenarioError, FmuError) as error:
            refusal, self._refusal = str(error), ''
            return Answer(DISCARD, refusal)
        if self._begin is None:
            self._begin = point
        due = self._begin + flight.scenario.plant.ticks.seconds(flight.instant.elapsed)
        if not abs(point - due) <= OFF_POINT * flight.scenario.plant.ticks.step:
            return Answer(
                ERROR,
                f'a step from {point:.9g} s is asked for, and the FMU is at {due:.9g} s; it goes '
                'neither back nor on by itself: reset it to begin again',
            )
        self._told = None
        return self._flown(flight, commands, count)

    @staticmethod
    def _flown(flight: Flight, commands: dict[str, Any], count: int) -> Answer:
        """Take so many ticks, and return the Answer."""
        for tick in range(count):
            try:
                flight.step(**commands)
            except (MotionError, ValueError) as error:
                if tick == 0:
                    return Answer(DISCARD, f'{error}; the FMU is as it was')
                return Answer(ERROR, f'{error}; {tick} of {count} ticks were taken')
        return Answer(OK)

    def _asked(self, point: float, size: float) -> tuple[dict[str, Any], int]:
        """Return commands and the number of ticks of a step; FmuError for what cannot be."""
        if self._refusal:
            raise FmuError(self._refusal)
        step = self.scenario.plant.ticks.step
        count = round(size / step) if math.isfinite(size) and size < MOST_TICKS * step else 0
        if not math.isfinite(point) or count < 1 or not abs(size / step - count) <= OFF_STEP:
            raise FmuError(
                f'a step of {size:.9g} s from {point:.9g} s is asked for; give a whole number of '
                f'ticks of {step:.9g} s, from 1 to {MOST_TICKS:g}'
            )
        return self._commands(), count

    def _commands(self) -> dict[str, Any]:
        """Return {argument of Commands.give: value}; FmuError for a number that is not finite."""
        given: dict[str, list[float]] = {}
        for reference in range(1, self._first):
            variable, value = self.variables[reference], self._given[reference]
            name, _ = variable.place
            if name not in self._set:
                continue
            if not math.isfinite(value):
                raise FmuError(f'{variable.name} is {value}; give a finite number')
            if variable.causality == variables.INPUT:
                given.setdefault(name, []).append(value)
        return {name: np.array(values) for name, values in given.items()}
