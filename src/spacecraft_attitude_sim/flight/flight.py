# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The loop of a spacecraft, its controller and the commands of a caller, without ROS."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.flight.commands import Commands
from spacecraft_attitude_sim.flight.onboard import OnboardController
from spacecraft_attitude_sim.flight.readings import Readings
from spacecraft_attitude_sim.flight.record import Record
from spacecraft_attitude_sim.flight.replaced import NOTHING, Replaced
from spacecraft_attitude_sim.kernels import warm_up

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.estimation.settings import Estimate
    from spacecraft_attitude_sim.core.mathematics.types import Quaternion
    from spacecraft_attitude_sim.core.sensors.star_tracker import Solution
    from spacecraft_attitude_sim.core.simulation import Inputs
    from spacecraft_attitude_sim.flight.onboard_mission import OnboardMission

    class Table(Protocol):
        """What recording.input_table.InputTable does in a flight."""

        def over(self, inputs: Inputs, elapsed: int) -> Inputs:
            """Return Inputs with what the table commands in the tick after so many ticks."""


# A function of Readings that returns nothing, a torque (3,) [N m] in body axes, or {command:
# value} of Commands.give.
Controller = Callable[[Readings], Any]
# The attitude_controller of the scenario, if it has one.
OWN = 'own'


class Flight:
    """One spacecraft from its initial state on; each step is a tick.

    controller: a Controller, OWN, a Replaced for OWN with parts of a user, or None; one that has
        a method `reset` is told of the start, and of one that has `reference`, a quaternion, the
        pointing error is known
    keeps: every how many instants are kept, 0 for none
    tables: recording.input_table.InputTables, which command beside it

    instant: the present one;  record: Record so far
    faults: FaultSchedule of the spacecraft
    cut: whether a limit cut the torque that acts in the tick that ended here
    """

    def __init__(
        self,
        scenario: Scenario,
        controller: Controller | Replaced | str | None = OWN,
        keeps: int = 1,
        tables: Sequence[Table] = (),
    ) -> None:
        self.scenario, self._plant = scenario, scenario.plant
        replaced = NOTHING
        if isinstance(controller, Replaced):
            if scenario.controller is None:
                raise ValueError(
                    'parts of an attitude_controller are replaced, the scenario has none'
                )
            replaced, controller = controller, OWN
        self._controller = controller_of(controller)
        own = scenario.controller is not None and controller == OWN
        self._onboard = OnboardController(scenario, replaced) if own else None
        self._commands, self._tables = Commands(scenario), tables
        with warm_up.in_python(
            once_begun=True
        ):  # so that a mistake in a controller is seen before all compiles
            self.instant = scenario.first_instant()
        self._solution: Solution | None = None  # the star tracker's last one before this instant
        self.record = Record(scenario, keeps)
        self.cut, self._since = False, 0
        self.faults = simulation.FaultSchedule(scenario.plant)
        self._hold = scenario.plant.ticks.covering(scenario.parameters['command_timeout'])
        self.record.commanded = bool(self._controller or self._onboard or tables)
        if callable(told := getattr(self._controller, 'reset', None)):
            told()
        with warm_up.in_python(once_begun=True):
            self.record.add(self.instant, self.pointed_at())

    @property
    def estimate(self) -> Estimate | None:
        """The latest of the estimator aboard, of the instant before the last step; or None."""
        return self._onboard.estimate if self._onboard else None

    @property
    def mission(self) -> OnboardMission | None:
        """The mission that its own controller follows, or None."""
        return self._onboard.mission if self._onboard else None

    @property
    def readings(self) -> Readings:
        """What the sensors read at the present instant."""
        return Readings(self._plant, self.instant, self._solution)

    def step(self, **commands: Any) -> None:
        """Take one tick under the controller and commands of Commands.give.

        Raises CommandRefusedError, ValueError, and then nothing that was commanded for this tick
        is held; MotionError where the motion cannot be followed.
        """
        kept = self._commands.held.kept()
        try:
            self._step(commands)
        except BaseException:
            self._commands.held.put_back(kept)
            raise

    def _step(self, commands: Mapping[str, Any]) -> None:
        if commands:
            self._commands.give(**commands)
        instant, before = self.instant, self._times_cut()
        answer: dict[str, Any] = {}
        if self._onboard:
            answer = self._onboard.answer(instant)
            if self.estimate:
                self.record.know(self.estimate)
        if self._controller:
            answer = _commands_of(self._asked(self._controller))
        if answer:
            self._commands.give(**answer)
        inputs = self._commands.take(instant.state.q_WB)
        for table in self._tables:
            inputs = table.over(inputs, instant.elapsed)
        inputs = self.faults.over(instant, inputs)
        self.instant = simulation.next_instant(self._plant, instant, inputs)
        if instant.readings and (arrived := instant.readings.solution):
            self._solution = arrived
        self._note_cut(before, bool(answer.keys() - {'dipole'}))
        self.record.commanded |= bool(commands)
        self.record.add(self.instant, self.pointed_at())

    def _asked(self, controller: Controller) -> Any:
        """Return the answer of a controller to the present readings."""
        if self.instant.elapsed:
            return controller(self.readings)
        with warm_up.in_python(once_begun=True):
            return controller(self.readings)

    def _times_cut(self) -> int:
        return self._commands.times_cut + (self._onboard.times_cut if self._onboard else 0)

    def _note_cut(self, before: int, answered: bool) -> None:
        """Note whether the torque of this tick was cut, now or when it was commanded."""
        self._since = 0 if answered else self._since + 1
        if answered:
            self.cut = self._times_cut() > before
        elif 0 < self._hold <= self._since:  # held no longer
            self.cut = False

    def pointed_at(self) -> Quaternion | None:
        """Return the attitude (4,) that the controller points at now, or None."""
        if self._onboard:
            return self._onboard.reference_at(self.instant.stamp)
        reference = getattr(self._controller, 'reference', None)
        return None if reference is None else np.array(reference, dtype=float)


def controller_for(controller: Controller | type | str, scenario: Scenario) -> Any:
    """Return the controller of one spacecraft.

    A class is called, with the Scenario if it takes one; anything else is returned as it is.
    """
    if not isinstance(controller, type):
        return controller
    make: Callable[..., Any] = controller
    return make(scenario) if inspect.signature(make).parameters else make()


def controller_of(controller: Controller | str | None) -> Controller | None:
    """Return the function of the user, or None for none; TypeError for anything else."""
    if controller is None or isinstance(controller, str):
        if controller in (None, OWN):
            return None
    elif callable(controller):
        return controller
    raise TypeError(f"controller is {controller!r}; give a function, '{OWN}' or None")


def _commands_of(answer: Any) -> dict[str, Any]:
    """Return {command: value} of what a controller returned."""
    if answer is None:
        return {}
    if isinstance(answer, Mapping):
        return dict(answer)
    return {'torque': answer}
