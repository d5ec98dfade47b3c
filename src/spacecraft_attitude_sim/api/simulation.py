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
from spacecraft_attitude_sim.core.faults.fault import FORCED, NOW
from spacecraft_attitude_sim.flight.flight import OWN, Controller, Flight, controller_of
from spacecraft_attitude_sim.flight.readings import Readings
from spacecraft_attitude_sim.recording import input_table

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Quaternion, Vector3
    from spacecraft_attitude_sim.core.simulation import Instant


class Simulation:
    """Simulate one spacecraft step by step; each step is one tick of the scenario.

        simulation = Simulation('cubesat_tumble')
        for _ in range(320):
            rate = simulation.readings.angular_velocity
            simulation.step(torque=-1e-4 * rate)

    A ROS node in lockstep that gets the same commands computes the same bits.

    scenario: the name of a shipped scenario, or whatever else `load` takes
    controller: a function that you write. It is called with the Readings before every step. It
        returns a torque (3,) [N m] in body axes, a dict of arguments of `step`, or None for no
        new command. It may be an object that can be called. If it has a method `reset()`, that is
        called at every start. If it has an attribute `reference`, the run computes the pointing
        error from it: it is the wanted attitude, a quaternion (4,) w, x, y, z from body to world.
        Give 'own' for the attitude_controller of the scenario (nothing commands if it has
        none), or None to fly without a controller
    every: keep only every k-th instant in `run`, to save memory
    inputs: path of a CSV table of commands over time, or a list of paths (docs/control.md). Your
        controller cannot command an actuator that a table commands
    keywords: those of `load`, such as inertia [kg m^2] and angular_velocity [rad/s]

    Raises ScenarioError for a wrong scenario, RecordingError for a table that cannot be flown.
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
        with Waiting():
            self.scenario = scenarios.load(scenario, **keywords)
            self._controller, self._every = controller, every
            self._tables = _tables_of(self.scenario, inputs, controller == OWN)
            self._begin()

    def reset(self) -> None:
        """Go back to the initial state. Nothing is commanded then, and `run` is empty."""
        with Waiting():
            self._begin()

    def _begin(self) -> None:
        """Make the flight at its initial state."""
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
        """Simulate one tick under the controller and these commands; return the new Readings.

        torque: (3,) external torque [N m];  force: (3,) external force [N]
        angular_impulse: (3,) [N m s], acts at once;  impulse: (3,) [N s], acts at once
        wheel_torque: of each wheel's motor on its rotor [N m]. The body gets the opposite torque
        wheel_speed: that the servo of each wheel should reach [rad/s]
        gimbal_rate: of each control moment gyro [rad/s];  gimbal_torque: of each [N m]
        thrust: mean force of each thruster [N]
        dipole: (3,) of the magnetorquers together [A m^2], body axes
        frame: axes of torque, force and impulses: 'body' (the default), 'world', or a frame of
            the scenario. A force or impulse acts at the origin of the frame; that of 'body' and
            'world' is the centre of mass

        For actuators give one number each, in the scenario's order, or a dict {name: number}.
        Every command acts until you give the next one, or until command_timeout of the scenario
        is over (0.5 s by default). Limits of the actuators apply. If a step raises an error, none
        of its commands acts.

        Raises CommandRefusedError or ValueError for a wrong command, MotionError where the motion
        cannot be computed.
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
        """Simulate a duration [s] under the controller; return the new Readings.

        It shows its progress on a terminal and in a notebook if it takes longer than a second.

        duration: [s], rounded up to whole ticks
        until: a function that is called with the Readings after every tick. The simulation stops
            where it returns True
        Raises ValueError for a wrong duration, MotionError where the motion cannot be computed.
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

    def flown_whole(self, duration: float) -> Run | None:
        """Return the Run of a duration [s] from the start, flown in a compiled loop.

        It has the bits of `advance`. It returns None where a flight needs Python: see
        api.compiled_flight; so does one that has begun. It does not move this Simulation.
        """
        from spacecraft_attitude_sim.api import compiled_flight

        if self.tick or self._tables or not duration < float('inf'):
            return None
        ticks = self.scenario.plant.ticks.covering(duration)
        with Waiting(0.0, duration) as waiting:
            flown = compiled_flight.flown(
                self.scenario, self.instant, self._controller, ticks, waiting.show
            )
        return Run.of_flight(flown, self._every) if flown else None

    def force_fault(self, name: str, state: str = NOW) -> None:
        """Let a fault of the scenario act from the next tick on, or not.

        name: of `faults` in the scenario
        state: 'now', 'never', or 'as planned' by its time and condition
        Raises ValueError for another name or state.
        """
        forced = self._flight.faults.forced
        if name not in forced:
            raise ValueError(f'no fault {name!r}; the scenario has {list(forced)}')
        if state not in FORCED:
            raise ValueError(f'state is {state!r}; give one of {", ".join(FORCED)}')
        forced[name] = state

    # --- what there is to see -----------------------------------------------------------------

    @property
    def faults(self) -> list[str]:
        """The faults that act in the tick that ended here, in words."""
        return self._flight.faults.acting()

    @property
    def readings(self) -> Readings:
        """The Readings of the sensors at the present instant."""
        return self._flight.readings

    @property
    def time(self) -> float:
        """Simulated time since the start [s]."""
        return self._flight.instant.time

    @property
    def tick(self) -> int:
        """Number of steps since the start."""
        return self._flight.instant.tick

    @property
    def attitude(self) -> Quaternion:
        """True attitude: quaternion (4,) w, x, y, z that turns body axes into world axes."""
        return self._flight.instant.state.q_WB.copy()

    @property
    def angular_velocity(self) -> Vector3:
        """True angular velocity (3,) [rad/s], body axes."""
        return self.readings.truth.angular_velocity

    @property
    def instant(self) -> Instant:
        """The present core.simulation.Instant: state, commands and readings. It is not public."""
        return self._flight.instant

    @property
    def run(self) -> Run:
        """The Run from the start until now. You get the same object until the next step.

        Raises ValueError before the first step.
        """
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

    It shows its progress on a terminal and in a notebook if it takes longer than a second.

    scenario: the name of a shipped scenario, or whatever else `load` takes
    duration: simulated time [s]; without it, the duration of the scenario
    controller: a function of Readings that returns commands, 'own' for the attitude_controller of
        the scenario, or None for none; help(Simulation) explains it
    until: a function that is called with the Readings after every tick. The run ends where it
        returns True
    every: keep only every k-th instant, to save memory
    inputs: path of a CSV table of commands over time, or a list of paths (docs/control.md)
    keywords: those of `load`, such as inertia [kg m^2], mass [kg] and angular_velocity [rad/s].
        With inertia and without mass the body keeps the mass of the scenario, or 0.341 kg

    Raises ScenarioError for a wrong scenario, RecordingError for a table that cannot be flown,
    ValueError for a wrong duration, MotionError where the motion cannot be computed.
    """
    whole = Simulation(scenario, controller, every, inputs, **keywords)
    seconds = whole.scenario.parameters['duration'] if duration is None else duration
    if duration is None and not seconds > 0.0:
        raise ValueError('give the duration, the seconds to simulate; the scenario has none')
    if not seconds > 0.0:
        raise ValueError(f'duration is {seconds:g} s; give the seconds to simulate')
    run = whole.flown_whole(seconds) if until is None else None
    if run is None:
        whole.advance(seconds, until)
        run = whole.run
    return run


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
