# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The variables of an FMU: parameters, commands and outputs of a scenario, by name and unit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.configuration.suggestion import hint
from spacecraft_attitude_sim.core.actuators.inputs import COMMANDED, MODES, VECTOR
from spacecraft_attitude_sim.core.sensors.sensor import UNITS
from spacecraft_attitude_sim.core.spacecraft import channels
from spacecraft_attitude_sim.core.spacecraft.channels import Moment
from spacecraft_attitude_sim.flight.readings import STARS, Readings
from spacecraft_attitude_sim.fmi.errors import FmuError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.simulation import Instant

PARAMETER, INPUT, OUTPUT = 'parameter', 'input', 'output'
REAL, WHOLE, TRUTH_VALUE = 'Float64', 'Int64', 'Boolean'
COLUMN = re.compile(r'(.+) \[(.+)\]')
# {name: (unit, how many)} of the truth, in the order of `told`.
TRUTH = {
    'truth.attitude': ('', 4, 'true attitude: quaternion w, x, y, z that turns body into world'),
    'truth.angular_velocity': ('rad/s', 3, 'true angular velocity, body axes'),
    'truth.position': ('m', 3, 'position of the centre of mass, world axes'),
    'truth.velocity': ('m/s', 3, 'velocity of the centre of mass, world axes'),
    'truth.angular_momentum': ('N m s', 3, 'total angular momentum, world axes'),
}
STARTS = {
    'initial.attitude': ('', 'attitude at the start: quaternion w, x, y, z, body to world'),
    'initial.angular_velocity': ('rad/s', 'angular velocity at the start, body axes'),
}
WRENCH = {
    'torque': ('N m', 'external torque, body axes'),
    'force': ('N', 'external force through the centre of mass, body axes'),
}


class Variable(NamedTuple):
    """One number that an FMU takes or tells.

    name: structured, as `imu.angular_velocity_S[1]`;  unit: '' for none
    causality: PARAMETER, INPUT or OUTPUT;  kind: REAL, WHOLE or TRUTH_VALUE
    start: of a parameter or input;  text: what it is
    place: of a parameter its name in the scenario, of an input the argument of Commands.give; and
        which number of it
    """

    name: str
    unit: str
    causality: str
    text: str
    start: float = 0.0
    kind: str = REAL
    place: tuple[str, int] = ('', 0)


def parameters_of(scenario: Scenario) -> list[Variable]:
    """Return the parameters: seed, attitude and angular velocity at the start."""
    values = scenario.parameters
    seed = Variable(
        'seed', '', PARAMETER, 'of all random numbers', values['seed'], WHOLE, ('seed', 0)
    )
    return [seed] + [
        Variable(f'{name}[{k + 1}]', unit, PARAMETER, text, start, REAL, (name, k))
        for name, (unit, text) in STARTS.items()
        for k, start in enumerate(values[name])
    ]


def commands_of(scenario: Scenario, chosen: Iterable[str] = ()) -> list[Variable]:
    """Return the inputs: a wrench, and for each kind of actuator the quantity that commands it.

    chosen: arguments of Simulation.step, such as 'wheel_speed', for kinds that are not commanded
        by their first one
    Raises FmuError for one that the spacecraft does not take.
    """
    craft, starts = scenario.plant.spacecraft, scenario.inputs
    wanted = _modes(scenario, chosen)
    inputs = [
        Variable(f'command.{name}[{k + 1}]', unit, INPUT, text, 0.0, REAL, (name, k))
        for name, (unit, text) in WRENCH.items()
        for k in range(3)
    ]
    for kind, commandable in COMMANDED.items():
        if kind not in craft.groups:
            continue
        part, quantity, unit, *_ = wanted[kind]
        if commandable.message == VECTOR:
            text = 'dipole of all magnetorquers together, body axes'
            inputs += [
                Variable(f'command.{part}[{k + 1}]', unit, INPUT, text, place=(part, k))
                for k in range(3)
            ]
            continue
        names = craft.groups[kind].names
        begin = getattr(starts, part)
        given = np.nan_to_num(begin).tolist() if len(begin) else [0.0] * len(names)
        word, text = commandable.word, f'commanded {quantity} of this {commandable.word}'
        inputs += [
            Variable(
                f'command.{word}.{name}.{quantity}', unit, INPUT, text, start, REAL, (part, k)
            )
            for k, (name, start) in enumerate(zip(names, given, strict=True))
        ]
    return inputs


def _modes(scenario: Scenario, chosen: Iterable[str]) -> dict[str, Any]:
    """Return {kind: Mode} by which the actuators of each kind aboard are commanded."""
    craft = scenario.plant.spacecraft
    offered = {
        part: kind for part, (kind, mode) in MODES.items()
        if kind in craft.groups and (not mode.needs or getattr(craft.groups[kind], mode.needs))
    }  # fmt: skip
    modes = {kind: commandable.modes[0] for kind, commandable in COMMANDED.items()}
    for part in chosen:
        if part not in offered:
            raise FmuError(f'{part} commands nothing aboard; {hint(part, offered or ["none"])}')
        modes[offered[part]] = MODES[part][1]
    return modes


def outputs_of(scenario: Scenario) -> list[Variable]:
    """Return the outputs: truth, parts and sensors, in the order of `told`."""
    outputs = [
        Variable(f'{name}[{k + 1}]', unit, OUTPUT, text)
        for name, (unit, count, text) in TRUTH.items()
        for k in range(count)
    ]
    craft = scenario.plant.spacecraft
    for column in channels.columns(craft):
        named = COLUMN.fullmatch(column)
        assert named, 'a column has a unit'
        outputs.append(Variable(named[1], named[2], OUTPUT, 'what the part does'))
    if 'wheels' in craft.groups:
        outputs += [
            Variable(f'wheel.{name}.tachometer', 'rad/s', OUTPUT, 'what the tachometer reads')
            for name in craft.groups['wheels'].names
        ]
    for sensor, owned in craft.sensors.sensors.items():
        prefix = sensor.replace('/', '.')
        for part, width in owned.sensor.reading.widths.items():
            outputs += [
                Variable(name, UNITS[part], OUTPUT, f'what the {sensor} read last, its axes')
                for name in _numbered(f'{prefix}.{part}', width)
            ]
        if sensor == STARS:
            outputs.append(Variable(
                f'{prefix}.age', 's', OUTPUT, 'time since the image was taken; -1 before the first'
            ))  # fmt: skip
    return outputs + [
        Variable(f'{sensor.replace("/", ".")}.new', '', OUTPUT,
                 f'whether the {sensor} read at this instant', kind=TRUTH_VALUE)
        for sensor in craft.sensors.sensors
    ]  # fmt: skip


def _numbered(name: str, width: int) -> list[str]:
    return [name] if width == 1 else [f'{name}[{k + 1}]' for k in range(width)]


def told(scenario: Scenario, instant: Instant, readings: Readings) -> list[float]:
    """Return the values of the outputs at an Instant, in the order of `outputs_of`."""
    truth = readings.truth
    values: list[float] = []
    for vector in (
        truth.attitude, truth.angular_velocity, truth.position, truth.velocity,
        truth.angular_momentum,
    ):  # fmt: skip
        values += vector.tolist()
    craft = scenario.plant.under(instant.inputs.faults).spacecraft
    values += channels.row(Moment(craft, instant.state, instant.inputs, instant.drive))
    values += readings.wheel_speed.tolist()
    for sensor, owned in craft.sensors.sensors.items():
        read = readings[sensor]
        for part in owned.sensor.reading.widths:
            values += np.ravel(getattr(read, part)).tolist()
        if sensor == STARS:
            last = readings.star_tracker
            values.append(-1.0 if last is None else last.age)
    return values + [float(sensor in readings.new) for sensor in craft.sensors.sensors]
