# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A simulation that Python steps, with the bits of a node in lockstep."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.api import scenarios
from spacecraft_attitude_sim.api.run import Run
from spacecraft_attitude_sim.api.waiting import Waiting
from spacecraft_attitude_sim.configuration import attitude_controller
from spacecraft_attitude_sim.flight.flight import OWN, Controller, Flight, controller_of
from spacecraft_attitude_sim.flight.readings import Readings
from spacecraft_attitude_sim.recording import input_table

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Quaternion, Vector3
    from spacecraft_attitude_sim.core.simulation import Instant


class Simulation:
    """One spacecraft, stepped from Python; each step is a tick of the scenario.

        simulation = Simulation('cubesat_tumble')
        for _ in range(320):
            rate = simulation.readings.angular_velocity
            simulation.step(torque=-1e-4 * rate)

    The same commands give the same bits as a ROS node in lockstep.

    scenario: as of `load`, with its keywords
    controller: function of Readings that returns commands, called before every step: None, a
        torque (3,) [N m] in body axes, or a dict of arguments of `step`. An object with a method
        `reset` is told of every start; of one with an attribute `reference`, a quaternion, the run
        tells the pointing error. 'own' for the attitude_controller of the scenario, if it has
        one; None for none
    every: keep every k-th instant in `run`, to save memory
    inputs: path of a table of commands over time, or several (docs/control.md); a controller may
        not command the actuators that a table commands

    Raises ScenarioError, RecordingError for a table that cannot be flown.
    """

    def __init__(
        self,
        scenario: str | Path | Mapping[str, Any] | Scenario | None = None,
        controller: Controller | str | None = OWN,
        every: int = 1,
        inputs: str | Path | Sequence[str | Path] = (),
        **keywords: Any,
    ) -> None:
        controller_of(controller)
        if every < 1:
            raise ValueError(f'every is {every}; give 1 or more')
        self.scenario = scenarios.load(scenario, **keywords)
        self._controller, self._every = controller, every
        self._tables = _tables_of(self.scenario, inputs, controller == OWN)
        self.reset()

    def reset(self) -> None:
        """Begin again from the initial state, with nothing commanded and an empty `run`."""
        with Waiting():
            self._flight = Flight(self.scenario, self._controller, self._every, self._tables)
        self._run: tuple[Instant, Run] | None = None  # until which Instant it is

    def __repr__(self) -> str:
        name = self.scenario.description or 'a spacecraft'
        return f'<Simulation of {name} at {self.time:g} s>'

    def step(
        self,
        torque: Any = None,
        force: Any = None,
        angular_impulse: Any = None,
        impulse: Any = None,
        wheel_torque: Any = None,
        wheel_speed: Any = None,
        gimbal_rate: Any = None,
        gimbal_torque: Any = None,
        thrust: Any = None,
        dipole: Any = None,
        frame: str | None = None,
    ) -> Readings:
        """Take one tick under the controller and these commands; return what is read then.

        torque, force: (3,) held [N m, N];  angular_impulse, impulse: (3,) at once [N m s, N s]
        wheel_torque, wheel_speed: of the motors [N m], or speeds for their servos [rad/s]
        gimbal_rate, gimbal_torque: of control moment gyros [rad/s, N m]
        thrust: mean forces of thrusters [N];  dipole: (3,) of the magnetorquers [A m^2]
        frame: of torque, force and impulses: 'body', 'world' or a frame of the scenario; a force
            acts at its origin, the centre of mass of 'body' and 'world'

        Actuators take a number for each in the scenario's order, or a dict {name: number}.
        A command is held until the next one, or for the scenario's command_timeout, and limited
        as its parameters say. A step that raises an error holds none of its commands.
        Raises CommandRefusedError, ValueError, MotionError where the motion cannot be followed.
        """
        given = {
            'torque': torque, 'force': force, 'angular_impulse': angular_impulse,
            'impulse': impulse, 'wheel_torque': wheel_torque, 'wheel_speed': wheel_speed,
            'gimbal_rate': gimbal_rate, 'gimbal_torque': gimbal_torque, 'thrust': thrust,
            'dipole': dipole, 'frame': frame,
        }  # fmt: skip
        self._flight.step(**{name: value for name, value in given.items() if value is not None})
        return self.readings

    def advance(
        self, duration: float, until: Callable[[Readings], bool] | None = None
    ) -> Readings:
        """Take the ticks of a duration [s] under the controller; return what is read then.

        Shows progress on a terminal and in a notebook where it takes long.

        until: function of Readings that ends it when it returns true; asked after every tick
        """
        flight, ticks = self._flight, self.scenario.plant.ticks
        if not 0.0 <= duration < float('inf'):
            raise ValueError(f'duration is {duration} s; give a finite one, 0 or more')
        count = ticks.covering(duration)
        with Waiting(flight.instant.time, flight.instant.time + duration) as waiting:
            for _ in range(count):
                flight.step()
                waiting.show(flight.instant.time)
                if until and until(flight.readings):
                    break
        return self.readings

    # --- what there is to see -----------------------------------------------------------------

    @property
    def readings(self) -> Readings:
        """What the sensors read at the present instant."""
        return self._flight.readings

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._flight.instant.time

    @property
    def tick(self) -> int:
        """Number of steps since the start."""
        return self._flight.instant.tick

    @property
    def attitude(self) -> Quaternion:
        """Quaternion (4,) w, x, y, z that turns body axes into world axes."""
        return self._flight.instant.state.q_WB.copy()

    @property
    def angular_velocity(self) -> Vector3:
        """True angular velocity (3,) [rad/s], body axes."""
        return self.readings.truth.angular_velocity

    @property
    def instant(self) -> Instant:
        """The present core.simulation.Instant: all there is to know."""
        return self._flight.instant

    @property
    def run(self) -> Run:
        """The Run so far; the same object until the next step."""
        if self._run is None or self._run[0] is not self.instant:
            self._run = self.instant, Run.of_record(self._flight.record)
        return self._run[1]


def simulate(
    scenario: str | Path | Mapping[str, Any] | Scenario | None = None,
    duration: float | None = None,
    controller: Controller | str | None = OWN,
    until: Callable[[Readings], bool] | None = None,
    every: int = 1,
    inputs: str | Path | Sequence[str | Path] = (),
    **keywords: Any,
) -> Run:
    """Simulate a spacecraft and return its Run.

        run = simulate('tennis_racket', duration=10.0)
        run = simulate(inertia=[1, 2, 3], angular_velocity=[0.01, 1, 0], duration=60.0)
        run = simulate('cubesat_tumble', controller=my_law, angular_velocity=[0.1, 0, 0])

    scenario, keywords: as of `load`;  duration: [s], the scenario's where none is given
    controller: as of Simulation
    until: function of Readings that ends the run when it returns true; asked after every tick
    every: keep every k-th instant, to save memory;  inputs: tables, as of Simulation

    Raises ScenarioError, RecordingError of a table, MotionError where nothing can be followed.
    """
    whole = Simulation(scenario, controller, every, inputs, **keywords)
    seconds = whole.scenario.parameters['duration'] if duration is None else duration
    if not seconds > 0.0:
        raise ValueError(f'duration is {seconds:g} s; give the seconds to simulate')
    whole.advance(seconds, until)
    return whole.run


def _tables_of(
    found: Scenario, given: str | Path | Sequence[str | Path], own: bool
) -> list[input_table.InputTable]:
    """Return the InputTables of paths; own: whether the scenario's own controller flies."""
    tables = input_table.read_for(found, [given] if isinstance(given, str | Path) else given)
    if tables and own and (ruled := found.controller):
        allocation = attitude_controller.allocation(ruled)
        magnetic = attitude_controller.magnetic_gains(ruled) is not None
        input_table.check_beside(tables, allocation, magnetic, 'give controller=None')
    return tables
