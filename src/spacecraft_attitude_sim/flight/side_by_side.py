# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Scenarios side by side: the arguments of core.batch.Batch, and controllers in Python for it."""

from __future__ import annotations

import copy
import math
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.batch.commands import Holding
from spacecraft_attitude_sim.core.batch.python_law import Acting, commands_in
from spacecraft_attitude_sim.core.body.state import SIZE, from_flat
from spacecraft_attitude_sim.core.simulation import Inputs, Instant
from spacecraft_attitude_sim.core.simulation.commands import CommandRefusedError
from spacecraft_attitude_sim.flight.commands import Commands
from spacecraft_attitude_sim.flight.flight import OWN, controller_for, controller_of
from spacecraft_attitude_sim.flight.onboard import OnboardController
from spacecraft_attitude_sim.flight.readings import Readings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.batch.python_law import LawReadings
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.simulation.plant import Plant
    from spacecraft_attitude_sim.flight.flight import Controller

ALONE = 'fly each by sas.simulate'


def arguments_of(
    scenarios: Sequence[Scenario],
    instants: Sequence[Instant] | None = None,
    *,
    reads: bool = True,
    faults_played: bool = False,
) -> dict[str, Any]:
    """Return the arguments of core.batch.Batch of spacecraft, without a law.

    instants: the first of each; None for that of its scenario
    reads: whether their sensors are read in every tick
    faults_played: whether the caller lets faults act that flights in Python have had
    Raises ValueError for scenarios that are not simulated side by side.
    """
    _check_alike(scenarios)
    if not faults_played:
        _refuse_faults(scenarios)
    plants = [scenario.plant for scenario in scenarios]
    first = plants[0]
    begun = list(instants or ())
    if instants is None and first.contact:  # a floor may move the body at the start
        begun = [scenario.first_instant() for scenario in scenarios]
    states = [one.state for one in begun] or [scenario.initial for scenario in scenarios]
    given: dict[str, Any] = {
        'bodies': [plant.spacecraft.carrier for plant in plants],
        'gravity_W': np.array([plant.gravity_W for plant in plants]),
        'substeps': first.substeps,
        'ticks': first.ticks,
        'holding': holding_of(scenarios),
    }
    if needed := first.solver.in_batch:
        inputs = [scenario.inputs for scenario in scenarios]
        given[needed] = _NEEDED[needed](plants, begun, states, inputs)
    if reads:
        given['sensors'] = _sensors_of(scenarios)
    return {**given, 'states': _bare(states)}


def _touching(plants: list[Plant], begun: list[Instant], *_: Any) -> Any:
    from spacecraft_attitude_sim.core.batch.contact import touching

    return touching(plants, begun)


def _gyrostats(plants: list[Plant], _: Any, states: list[State], inputs: list[Inputs]) -> Any:
    from spacecraft_attitude_sim.core.batch.gyrostats import gyrostats

    return gyrostats(plants, states, [commands.wheel_torque for commands in inputs])


def _actuated(plants: list[Plant], _: Any, states: list[State], inputs: list[Inputs]) -> Any:
    from spacecraft_attitude_sim.core.batch.actuated import rows_of

    return rows_of(plants, states, inputs)


# {argument of core.batch.Batch: function that makes it}, by Solver.in_batch.
_NEEDED: dict[str, Callable[..., Any]] = {
    'touching': _touching, 'gyrostats': _gyrostats, 'actuated': _actuated,
}  # fmt: skip


def _bare(states: Sequence[State]) -> Array:
    return np.array([np.concatenate(state[:4]) for state in states])


def _sensors_of(scenarios: Sequence[Scenario]) -> Any:
    from spacecraft_attitude_sim.core.batch.sensors import sensors_of

    plants = [scenario.plant for scenario in scenarios]
    return sensors_of(
        [plant.spacecraft.carrier for plant in plants],
        [scenario.sensors for scenario in scenarios],
        np.array([plant.environment.magnetic_field_W for plant in plants]),
        in_orbit=any(plant.environment.surroundings for plant in plants),
    )  # fmt: skip


def holding_of(scenarios: Sequence[Scenario]) -> Holding:
    """Return how long commands to scenarios are held, and the limits of torque and force."""
    timeouts = [scenario.parameters['command_timeout'] for scenario in scenarios]
    ticks = scenarios[0].plant.ticks
    return Holding(
        np.array([ticks.covering(timeout) or math.inf for timeout in timeouts]),
        np.array([
            (*values['command_force_limit'], *values['command_torque_limit'])
            for values in (scenario.parameters for scenario in scenarios)
        ], dtype=float),
    )  # fmt: skip


def _check_alike(scenarios: Sequence[Scenario]) -> None:
    """Raise ValueError for scenarios that cannot be advanced together."""
    first = scenarios[0].plant
    for n, scenario in enumerate(scenarios):
        plant = scenario.plant
        plant.solver.check_loads(plant.environment)
        if plant.equations != 'momentum':
            raise ValueError(
                f"equations of scenario {n} are '{plant.equations}'; a batch has 'momentum': "
                f'{ALONE}'
            )
        for what, own, other in (
            ('tick_rate', plant.ticks, first.ticks),
            ('substeps', plant.substeps, first.substeps),
            ('motion', plant.solver.motion, first.solver.motion),
        ):
            if own != other:
                raise ValueError(
                    f'{what} of scenario {n} is {own}, of scenario 0 {other}; give a batch to each'
                )


def _refuse_faults(scenarios: Sequence[Scenario]) -> None:
    """Raise ValueError for scenarios with faults, which begin and end between two ticks."""
    for n, scenario in enumerate(scenarios):
        if names := scenario.parameters['faults']:
            raise ValueError(
                f'scenario {n} has faults ({", ".join(names)}), and they do not act in a batch: '
                f'{ALONE}'
            )


class Controllers:
    """A controller in Python for each spacecraft: a core.batch.python_law.Commander.

    Each is given the Readings of its spacecraft, and its commands act as in flight.Flight. A
    class is called for each, with the Scenario if it takes one; an object is copied for each, so
    that what it remembers is its own.

    controller: a Controller, a class of them, or OWN for the attitude_controllers in Python
    """

    def __init__(self, scenarios: Sequence[Scenario], controller: Controller | type | str) -> None:
        self._scenarios = scenarios
        self._onboard = (
            [OnboardController(scenario) for scenario in scenarios] if controller == OWN else []
        )
        self._each = (
            [] if self._onboard else [_made(controller, scenario) for scenario in scenarios]
        )
        self._commands = [Commands(scenario) for scenario in scenarios]
        self._inputs = [Inputs() for _ in scenarios]

    def reset(self) -> None:
        """Tell every controller that has a method `reset` of the start."""
        for controller in self._each:
            if callable(reset := getattr(controller, 'reset', None)):
                reset()

    def begin(self, wrenches: Array) -> None:
        """Refuse wrenches of the user of the batch beside those of the controllers."""
        raise ValueError('the controllers command the bodies; command from them, and hold nothing')

    def acting(self, readings: LawReadings, lost: NDArray[np.bool_]) -> Acting:
        """Return what acts in the tick that begins; see Commander."""
        kept = [own.held.kept() for own in self._commands]
        try:
            each = self._all(readings, lost)
        except BaseException:
            for own, before in zip(self._commands, kept, strict=True):
                own.held.put_back(before)
            raise
        self._inputs = each
        commands = [
            _commands_of(scenario, inputs)
            for scenario, inputs in zip(self._scenarios, each, strict=True)
        ]
        # A body with fewer ideal wheels than others has idle ones.
        rows = np.zeros((len(each), max(map(len, commands))))
        for row, numbers in zip(rows, commands, strict=True):
            row[: len(numbers)] = numbers
        return Acting(
            np.array([inputs.wrench for inputs in each]),
            np.array([inputs.impulse for inputs in each]),
            rows,
        )

    def _all(self, readings: LawReadings, lost: NDArray[np.bool_]) -> list[Inputs]:
        """Return the Inputs of every spacecraft."""
        assert readings.read, 'controllers need sensors'
        each = []
        for n, (read, solution) in enumerate(readings.read.each()):
            plant, inputs = self._scenarios[n].plant, self._inputs[n]
            if lost[n]:
                each.append(Inputs())
                continue
            flat = readings.states[n]
            if not plant.spacecraft.coupled:  # without the idle wheels beside its own
                wheels = plant.spacecraft.part('reaction_wheels')
                flat = flat[: SIZE + (wheels.number if wheels else 0)]
            tick = readings.tick
            instant = Instant(
                tick, from_flat(flat), inputs, tick, readings=read, ticks=plant.ticks
            )
            try:
                if answer := self._answer(n, instant, solution):
                    self._commands[n].give(**answer)
            except (CommandRefusedError, ValueError) as error:
                refused = isinstance(error, CommandRefusedError)
                kind = CommandRefusedError if refused else ValueError
                raise kind(f'at {readings.time:g} s, body {n}: {error}') from error
            each.append(self._commands[n].take(flat[3:7]))
        return each

    def _answer(self, n: int, instant: Instant, solution: Any) -> dict[str, Any]:
        if self._onboard:
            return self._onboard[n].answer(instant)
        return commands_in(self._each[n](Readings(self._scenarios[n].plant, instant, solution)))


def _made(controller: Controller | type | str, scenario: Scenario) -> Controller:
    """Return the controller of one spacecraft."""
    own = controller_of(controller_for(controller, scenario))
    assert own, 'a controller'
    if isinstance(controller, type | types.FunctionType | types.BuiltinFunctionType):
        return own
    return copy.deepcopy(own)


def _commands_of(scenario: Scenario, inputs: Inputs) -> Array:
    """Return the commands (any,) of a spacecraft's actuators, as core.batch takes them."""
    craft = scenario.plant.spacecraft
    if craft.coupled:
        return craft.commands(inputs)
    wheels = craft.part('reaction_wheels')
    if not wheels:
        return np.zeros(0)
    torques = inputs.wheel_torque
    return torques if torques.size else np.zeros(wheels.number)
