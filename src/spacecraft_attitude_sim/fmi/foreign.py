# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A controller in a run that is a co-simulation FMU of another program, through FMPy."""

from __future__ import annotations

import operator
import shutil
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.suggestion import hint
from spacecraft_attitude_sim.fmi.errors import FmuError

if TYPE_CHECKING:
    from spacecraft_attitude_sim.flight.readings import Readings

# A number or several of the Readings: a name such as 'imu.angular_velocity_S', or a function.
Source = str | Callable[['Readings'], Any]
REAL = 'Float64'
# Readings that are of no sensor.
WHOLE = ('wheel_speed', 'gimbal_angle')
# Status of FMI 3.0.
FATAL = 4


class FmuController:
    """An FMU that flies a spacecraft: give it as `controller` to simulate or Simulation.

        law = FmuController(
            'law.fmu',
            inputs={'omega': 'imu.angular_velocity_S'},
            outputs={'torque': 'torque'},
            parameters={'gain': 2e-3},
        )
        run = sas.simulate('cubesat_tumble', 60.0, law)

    Before each tick the inputs are set to the present readings, the FMU makes a step of a tick,
    and its outputs command the tick. At every start of a flight the FMU is reset. An FMU is a
    program: it can do all that you can. Fly only one that you trust.

    path: of a co-simulation FMU of FMI 3.0 whose inputs and outputs are of type Float64
    inputs: {variable of the FMU: reading}. A variable is an array, or a name of which name[1],
        name[2] … are variables. A reading is 'SENSOR.PART' (docs/python.md), as
        'imu.angular_velocity_S', or 'wheel_speed', 'gimbal_angle', or a function of the Readings
    outputs: {argument of Simulation.step: variable of the FMU, or a list of them}
    parameters: {variable of the FMU: number or array}, set before each start
    Raises FmuError for an FMU that cannot be flown, ImportError without FMPy.
    """

    def __init__(
        self,
        path: str | Path,
        inputs: Mapping[str, Source],
        outputs: Mapping[str, str | Sequence[str]],
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        self._description = _described(Path(path))
        self._messages: list[str] = []
        self._name = Path(path).name
        self._references = {
            variable.name: variable for variable in self._description.modelVariables
        }
        self._inputs = [(self._group(name), _reading(source)) for name, source in inputs.items()]
        self._outputs = {
            command: [
                variable
                for name in ([names] if isinstance(names, str) else names)
                for variable in self._group(name)
            ]
            for command, names in outputs.items()
        }
        self._parameters = [
            (self._group(name), np.ravel(np.asarray(value, dtype=float)).tolist())
            for name, value in (parameters or {}).items()
        ]
        self._unit = self._instance(Path(path))
        self._begun = False

    def _instance(self, path: Path) -> Any:
        """Return the FMU, unpacked and made; it is let go of with this object."""
        import fmpy

        folder = fmpy.extract(str(path))
        self._units: list[Any] = []  # to let go of
        weakref.finalize(self, _let_go, self._units, folder)
        messages = self._messages

        def note(_environment: Any, status: int, _category: Any, message: bytes) -> None:
            if status > 1:
                messages.append(message.decode('utf-8', 'replace'))

        try:
            unit = fmpy.instantiate_fmu(folder, self._description, 'CoSimulation', logger=note)
        except Exception as error:  # FMPy raises anything  # noqa: BLE001
            raise self._failed('it cannot be loaded', error) from None
        self._units.append(unit)
        return unit

    def _group(self, name: str) -> list[Any]:
        """Return the variables of a name: itself, or name[1], name[2] …; FmuError if none."""
        known = self._references
        group = [known[name]] if name in known else []
        while not name.endswith(']') and (member := f'{name}[{len(group) + 1}]') in known:
            group.append(known[member])
        if not group:
            raise FmuError(f'{self._name} has no variable {name!r}; {hint(name, known)}')
        for variable in group:
            if variable.type != REAL:
                raise FmuError(f'{variable.name} of {self._name} is {variable.type}; give {REAL}')
        return group

    def reset(self) -> None:
        """Begin again, as at every start of a flight."""
        self._call(self._start)

    def _start(self) -> None:
        if self._begun:
            self._unit.reset()
        self._begun = True
        for variables, values in self._parameters:
            self._set(variables, values)
        self._unit.enterInitializationMode(startTime=0.0)
        self._unit.exitInitializationMode()

    def __call__(self, readings: Readings) -> dict[str, Any]:
        """Return the commands of the tick that begins at Readings."""
        if not self._begun:
            self.reset()
        commands: dict[str, Any] = self._call(lambda: self._step(readings))
        return commands

    def _step(self, readings: Readings) -> dict[str, Any]:
        for variables, reading in self._inputs:
            self._set(variables, np.ravel(np.asarray(reading(readings), dtype=float)).tolist())
        self._unit.doStep(readings.time, readings.step)
        return {
            command: np.array(
                [
                    number
                    for variable in variables
                    for number in self._unit.getFloat64([variable.valueReference], _size(variable))
                ]
            )
            for command, variables in self._outputs.items()
        }

    def _set(self, variables: Sequence[Any], values: list[float]) -> None:
        sizes = [_size(variable) for variable in variables]
        if len(values) != sum(sizes):
            raise FmuError(
                f'{variables[0].name} of {self._name} takes {sum(sizes)} numbers, and '
                f'{len(values)} are given'
            )
        references = [variable.valueReference for variable in variables]
        self._unit.setFloat64(references, values)

    def _call(self, does: Callable[[], Any]) -> Any:
        """Return what a function returns; FmuError with the FMU's message where it fails."""
        from fmpy.fmi1 import FMICallException

        try:
            return does()
        except FMICallException as error:
            if error.status == FATAL:  # then FMI allows no call any more
                self._units.clear()
            raise self._failed('it refuses', error) from None

    def _failed(self, what: str, error: Exception) -> FmuError:
        said = self._messages[-1] if self._messages else ''
        self._messages.clear()
        return FmuError(f'{self._name}: {what}: {error} {said}'.rstrip())


def _described(path: Path) -> Any:
    """Return FMPy's description of an FMU; FmuError for one that is not of FMI 3.0."""
    try:
        import fmpy
    except ModuleNotFoundError as error:
        if (error.name or '').split('.')[0] != 'fmpy':
            raise
        raise ImportError(
            "an FMU as controller needs the extra 'fmi': in the folder of the source, "
            "pip install -c constraints.txt '.[fmi]'"
        ) from None
    if not path.is_file():
        raise FmuError(f'{path}: no such file')
    try:
        description = fmpy.read_model_description(str(path), validate=False)
    except Exception as error:  # a broken file may raise anything  # noqa: BLE001
        raise FmuError(f'{path}: is no FMU that can be read: {error}') from None
    if not description.fmiVersion.startswith('3.') or description.coSimulation is None:
        kind = 'with' if description.coSimulation else 'without'
        raise FmuError(
            f'{path}: is of FMI {description.fmiVersion}, {kind} co-simulation; give a '
            'co-simulation FMU of FMI 3.0'
        )
    return description


def _size(variable: Any) -> int:
    """Return how many numbers a variable has."""
    size = 1
    for dimension in variable.dimensions or ():
        size *= int(dimension.start)
    return size


def _let_go(units: Sequence[Any], folder: str) -> None:
    """Unload FMUs, and remove the folder that they were unpacked to."""
    for unit in units:
        unit.freeInstance()
    shutil.rmtree(folder, ignore_errors=True)


def _reading(source: Source) -> Callable[[Readings], Any]:
    """Return the function of Readings of a Source."""
    if callable(source):
        return source
    if not isinstance(source, str):
        raise FmuError(f'{source!r} is no reading; give SENSOR.PART, or a function of Readings')
    sensor, dot, part = source.rpartition('.')
    if not dot:
        if source not in WHOLE:
            raise FmuError(f'{source!r} is no reading; give SENSOR.PART, or {" or ".join(WHOLE)}')
        return operator.attrgetter(source)

    def read(readings: Readings) -> Any:
        parts = vars(readings[sensor]) if sensor in readings.names else {}
        if part not in parts:
            raise FmuError(f'{source} is no reading; {hint(part, parts or readings.names)}')
        return parts[part]

    return read
