# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Merits of your own: functions of the history of one run, each a column of the table.

from spacecraft_attitude_sim.campaigns.merits import merit

@merit
def largest_wheel_torque(flight):
return abs(flight.wheel_torques).max()
"""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacecraft_attitude_sim.campaigns.columns import results_of
from spacecraft_attitude_sim.campaigns.user_file import FromFile
from spacecraft_attitude_sim.configuration import trust
from spacecraft_attitude_sim.configuration.parameters import ParameterError
from spacecraft_attitude_sim.core.mathematics.types import Array
from spacecraft_attitude_sim.core.studies.consistency import Knowledge
from spacecraft_attitude_sim.recording.errors import CampaignError

if TYPE_CHECKING:
    from spacecraft_attitude_sim.campaigns.flights import Flown
    from spacecraft_attitude_sim.configuration.scenario import Scenario


class Flight(NamedTuple):
    """The history of one run: n instants, one at each end of a tick, the first one of the start.

    scenario: Scenario of the run, with what was drawn for it
    time: (n,) [s];  position_W, velocity_W: (n, 3) of the centre of mass [m, m/s]
    q_WB: (n, 4) attitude, w first;  angular_velocity_B: (n, 3) [rad/s]
    angular_momentum_W: (n, 3) [N m s]
    q_WR: (n, 4) attitude that the controller points at;  pointing_error: (n,) angle from there to
        the body [rad]; both NaN where it points nowhere
    torque_B: (n, 3) commanded in the tick that ended, body axes [N m]; zeros at the start
    wheel_speeds, wheel_torques: (n, wheels) relative to the body, and commanded [rad/s, N m]
    magnetic_field_W: (n, 3) [T]; zeros where there is none to actuators
    knowledge: core.studies.consistency.Knowledge of the estimator aboard, None without one
    """

    scenario: Scenario
    time: Array
    position_W: Array
    velocity_W: Array
    q_WB: Array
    angular_velocity_B: Array
    angular_momentum_W: Array
    q_WR: Array
    pointing_error: Array
    torque_B: Array
    wheel_speeds: Array
    wheel_torques: Array
    magnetic_field_W: Array
    knowledge: Knowledge | None = None


class Merit:
    """A function of a Flight that returns a number."""

    def __init__(self, function: Callable[[Flight], float]) -> None:
        functools.update_wrapper(self, function)
        self._function = function

    def __call__(self, flight: Flight) -> float:
        """Return the number."""
        return self._function(flight)


def merit(function: Callable[[Flight], float]) -> Merit:
    """Mark a function of a Flight as a merit, so that a campaign file may name it."""
    return Merit(function)


def named(given: Any) -> dict[str, Merit]:
    """Return {name: Merit} of what a campaign file says: {name: package.module:function}.

    Raises ParameterError for a function that is not trusted, without importing it.
    """
    if not isinstance(given, dict):
        raise ParameterError(f'merits are {given!r}; give package.module:function by name')
    found = {}
    for name, what in given.items():
        key = f'merits.{name}'
        one = trust.imported(key, str(what), 'a merit')
        if not isinstance(one, Merit):
            raise ParameterError(
                f"{key} is '{what}', which is no merit; mark the function with @merit of "
                f'{__name__}'
            )
        found[name] = one
    return found


def checked(
    given: Mapping[str, Callable[[Flight], float]],
    bases: Mapping[str, Scenario],
    in_python: bool = False,
) -> dict[str, Merit]:
    """Return {name: Merit} of functions; ParameterError where a name is taken or is no name.

    in_python: as of columns.results_of
    """
    taken = {name for base in bases.values() for name in results_of(base, in_python)} | {'run'}
    for name, function in given.items():
        if not (isinstance(name, str) and name.isidentifier()):
            raise ParameterError(f'merits has {name!r}; a name is of letters, digits and _')
        if name in taken:
            raise ParameterError(f'merits.{name}: the table has a column {name}; choose another')
        if not callable(function):
            raise ParameterError(f'merits.{name} is {function!r}; give a function of a Flight')
    return {name: one if isinstance(one, Merit) else Merit(one) for name, one in given.items()}


def fingerprint(functions: Mapping[str, Callable[..., Any]]) -> str:
    """Return a text that identifies functions: their names and sources."""
    return '\0'.join(f'{name}\0{_source(one)}' for name, one in functions.items())


def _source(one: Callable[..., Any]) -> str:
    function: Any = inspect.unwrap(one)
    if isinstance(function, FromFile):
        return function.source
    try:
        text = inspect.getsource(function)
    except (OSError, TypeError):  # typed at a prompt, or not of Python
        text = repr(getattr(getattr(function, '__code__', None), 'co_code', function))
    return hashlib.sha256(text.encode()).hexdigest()


def judged(
    merits: Mapping[str, Merit], found: Sequence[Scenario], flown: Flown, first: int
) -> dict[str, NDArray[np.float64]]:
    """Return {name: values (N,)} of own merits; NaN of runs that were lost.

    first: number of the first run, for messages
    Raises CampaignError where a function fails or returns no number.
    """
    columns = {name: np.full(len(found), np.nan) for name in merits}
    for n in np.flatnonzero(~flown.lost).tolist():
        flight = flight_of(found[n], flown, n)
        for name, function in merits.items():
            columns[name][n] = _value(name, function, flight, first + n)
    return columns


def _value(name: str, function: Merit, flight: Flight, run: int) -> float:
    try:
        value = function(flight)
        return float(value)
    except Exception as error:  # whatever a function of the user raises  # noqa: BLE001
        said = ' '.join(str(error).split())
        raise CampaignError(
            f'merits.{name}: {type(error).__name__}: {said} (run {run}); return one number'
        ) from error


def flight_of(found: Scenario, flown: Flown, n: int) -> Flight:
    """Return the Flight of run n of those flown, whose rows were kept."""
    from spacecraft_attitude_sim.core.batch.flight_judge import ROW, of_ideal_wheels, read_rows

    plant, rows = found.plant, flown.rows[n]
    craft, count = plant.spacecraft, len(rows)
    wheels = craft.part('reaction_wheels').number if craft.part('reaction_wheels') else 0
    torques, parts = np.zeros((count, wheels)), np.zeros(0)
    if craft.coupled:
        solver: Any = plant.solver
        parts = solver.parts
        torques[1:] = rows[1:, ROW.size : ROW.size + 2 * wheels : 2]
    elif ideal := craft.part('reaction_wheels'):
        parts = of_ideal_wheels(ideal.axes_B)
        torques[1:] = rows[1:, ROW.size : ROW.size + wheels]
    errors, torque_B = np.zeros(count), np.zeros((count, 3))
    speeds = np.zeros((count, wheels if craft.coupled else 0))
    read_rows(rows, flown.commands, plant.ticks.step, parts, errors, torque_B, speeds)
    times = np.array([plant.ticks.seconds(tick) for tick in range(count)])
    of = {name: rows[:, ROW.of(name)] for name in ROW.widths}
    if craft.part('reaction_wheels') and not craft.coupled:
        speeds = _of_ideal_wheels(found, torques, of['angular_velocity_B'])
    position_W, q_WB, momentum_W, angular_momentum_W = np.split(of['state'], (3, 7, 10), axis=1)
    return Flight(
        found, times, position_W, momentum_W / craft.body.mass, q_WB, of['angular_velocity_B'],
        angular_momentum_W, of['q_WR'], errors, torque_B, speeds, torques,
        of['magnetic_field_W'], flown.knowledge[n] if flown.knowledge else None,
    )  # fmt: skip


def _of_ideal_wheels(found: Scenario, torques: Array, omega_B: Array) -> Array:
    """Return the speeds (n, wheels) [rad/s] of wheels under the torques of their motors.

    torques: (n, wheels) in the tick that ended at each instant [N m]
    """
    wheels = found.plant.spacecraft.part('reaction_wheels')
    assert wheels
    gained = found.plant.ticks.step * torques
    gained[0] = found.initial.internal
    speeds: Array = np.cumsum(gained, axis=0) / wheels.inertias - omega_B @ wheels.axes_B.T
    return speeds
