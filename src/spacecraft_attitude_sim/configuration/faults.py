# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Faults of actuators and sensors: parameters of each, and the Faults of core made from them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration import condition, suggestion
from spacecraft_attitude_sim.configuration.parameter import Parameter, ParameterError
from spacecraft_attitude_sim.configuration.parts.named import each_part, refuse_twice
from spacecraft_attitude_sim.core.faults.fault import FORCED, NEVER, PLANNED, Fault
from spacecraft_attitude_sim.core.faults.kinds import ACTUATORS, KINDS, SENSORS, FaultKind
from spacecraft_attitude_sim.core.faults.kinds import NAMED as OF_SEVERAL
from spacecraft_attitude_sim.core.faults.on_readings import LATE, ReadingFault
from spacecraft_attitude_sim.core.simulation.fault_schedule import quantities_of
from spacecraft_attitude_sim.safety.quoting import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spacecraft_attitude_sim.core.parts.part import Part
    from spacecraft_attitude_sim.core.sensors import Suite
    from spacecraft_attitude_sim.core.simulation import Plant
    from spacecraft_attitude_sim.core.ticks import Ticks

NAMES = Parameter(
    'faults', [], '', 'Names of the faults that actuators and sensors may have.', str, length=()
)
# Parameters of each of `faults`, under fault.<name>.
FAULT = (
    Parameter(
        'component', '', '',
        'What has the fault: wheel.<name>, thruster.<name>, magnetorquer.<name>, gimbal.<name>, '
        'imu, gyro, accelerometer, magnetometer, star_tracker, sun_cell.<name>, '
        'sun_sensor.<name>, horizon_sensor or gnss.', str, required=True,
    ),
    Parameter(
        'kind', '', '', 'Kind of the fault; see faults.md for those of each component.', str,
        required=True,
    ),
    Parameter(
        'value', [], '',
        'How much, in the unit of the kind; see faults.md. Empty: the value given there.',
        length=(0, 1, 3), low=-1e9, high=1e9,
    ),
    Parameter(
        'at', -1.0, 's', 'Time of its beginning since the start. -1: no such time.',
        low=-1.0, high=1e9,
    ),
    Parameter('duration', 0.0, 's', 'How long it acts. 0: to the end of the run.', low=0.0,
              high=1e9),
    Parameter(
        'when', '', '',
        'Condition that begins it, such as wheel_speed > 300 for 2 s. Quantities: time [s], rate '
        '[rad/s], momentum [N m s], wheel_speed of the fastest and wheel.<name>.speed [rad/s], '
        'sunlight (0 … 1), fault.<name> (1 while that fault acts).', str,
    ),
    Parameter(
        'force', PLANNED, '',
        'Whether it acts. as planned: by at and when. now: from now on. never: not at all.', str,
        choices=FORCED, read_only=False,
    ),
)  # fmt: skip
NAMED = (('faults', 'fault', FAULT),)
FORCE = 'force'
# {component: (sensor, part of its reading)}; another component is a sensor, and all that it reads.
PLACES = {
    'gyro': ('imu', 'angular_velocity_S'), 'accelerometer': ('imu', 'specific_force_S'),
    'magnetometer': ('magnetometer', 'magnetic_field_S'), 'gnss': ('gnss', 'position_E'),
    'star_tracker': ('star_tracker', 'q_WT'), 'horizon_sensor': ('horizon_sensor', 'nadir_S'),
    'sun_sensor': ('', 'direction_S'), 'sun_cell': ('', 'illuminance'),
}  # fmt: skip
# Units of values that are plain numbers.
NUMBERS = ('', 'factor', 'share')


def faults(
    values: Mapping[str, Any], aboard: Iterable[Part], suite: Suite, ticks: Ticks, orbiting: bool
) -> tuple[Fault, ...]:
    """Return the Faults that checked parameters describe.

    aboard: parts;  suite: sensors;  orbiting: whether it is known where the Sun is
    Raises ParameterError naming key, value and remedy.
    """
    refuse_twice(values, 'faults')
    groups = {part.group: part for part in aboard}
    wheels = groups['wheels'].names if 'wheels' in groups else ()  # type: ignore[attr-defined]
    quantities = quantities_of(values['faults'], wheels, orbiting)
    described = []
    for name, prefix, own in each_part(values, NAMED[0]):
        fault = _fault(name, prefix, own, groups, suite)
        if own['when']:
            try:
                fault = fault._replace(when=condition.parse(own['when'], quantities))
            except condition.ConditionError as error:
                raise ParameterError(f'{prefix}when: {error}') from None
        at, lasts = own['at'], own['duration']
        if 0.0 > at > -1.0:
            raise ParameterError(f'{prefix}at is {at:g} s; give 0 or more, or -1 for no such time')
        described.append(
            fault._replace(
                begins=ticks.covering(at) if at >= 0.0 else NEVER, lasts=ticks.covering(lasts),
                forced=own[FORCE],
            )
        )  # fmt: skip
    return tuple(described)


def forced_in(parameter: str) -> str:
    """Return the name of the fault that a parameter forces; '' for another parameter."""
    prefix, _, rest = parameter.partition('.')
    name, _, field = rest.rpartition('.')
    return name if prefix == 'fault' and field == FORCE else ''


def with_faults(suite: Suite, broken: Sequence[Fault], ticks: Ticks) -> Suite:
    """Return the Suite whose readings the Faults may change."""
    own = tuple(
        _of_reading(number, fault, suite, ticks)
        for number, fault in enumerate(broken)
        if fault.sensor
    )
    return replace(suite, faults=own, step=ticks.step) if own != suite.faults else suite


def _fault(
    name: str, prefix: str, own: Mapping[str, Any], groups: Mapping[str, Any], suite: Suite
) -> Fault:
    """Return a Fault without its times."""
    component, kind = own['component'], own['kind']
    word, _, which = component.partition('.')
    there = _components(groups, suite)
    if component not in there:
        raise ParameterError(
            f'{prefix}component is {quoted(component)}, and the spacecraft has none; '
            f'{suggestion.hint(component, there)}'
        )
    kinds = KINDS[word]
    if kind not in kinds:
        raise ParameterError(f'{prefix}kind is {quoted(kind)}; a {word} may be {", ".join(kinds)}')
    numbers = tuple(own['value']) or _default(kinds[kind], prefix, word, kind, groups, which)
    _check_values(kinds[kind], prefix, kind, numbers)
    if word in SENSORS:
        return Fault(name, component, kind, numbers, sensor=_place(word, which)[0])
    group = f'{word}s'
    index = groups[group].names.index(which)
    return Fault(name, component, kind, numbers, group, index)


def _components(groups: Mapping[str, Any], suite: Suite) -> list[str]:
    """Return the components that a spacecraft has."""
    names = [
        f'{word}.{name}' for word in ACTUATORS if f'{word}s' in groups
        for name in groups[f'{word}s'].names
    ]  # fmt: skip
    for word in SENSORS:
        if word in OF_SEVERAL:
            cells = suite.sun_cells if word == 'sun_cell' else suite.sun_sensors
            names += [f'{word}.{sensor.label}' for sensor in cells]
        elif _place(word, '')[0] in suite.sensors:
            names.append(word)
    return names


def _place(word: str, which: str) -> tuple[str, str]:
    """Return the name of a sensor in its Suite, and the part of its reading; '' for all."""
    sensor, part = PLACES.get(word, (word, ''))
    return sensor or f'sun_sensor/{which}', part


def _default(
    kind: FaultKind, prefix: str, word: str, name: str, groups: Mapping[str, Any], which: str
) -> tuple[float, ...]:
    """Return the values of a fault that were not given; ParameterError where they must be."""
    if kind.default is not None:
        return kind.default
    if name == 'stuck' and word == 'magnetorquer':
        rods = groups['magnetorquers']
        return (float(rods.max_dipoles[rods.names.index(which)]),)
    if name == 'stuck' and word == 'wheel':
        wheels = groups['wheels']
        most = float(wheels.torque_limits[wheels.names.index(which)])
        if 0.0 < most < LARGEST_MOTOR:
            return (10.0 * most,)
    needs = f' or a max_torque to wheel.{which}' if word == 'wheel' else ''
    raise ParameterError(
        f'{prefix}value is missing: give {" or ".join(map(str, kind.counts))} in '
        f'{kind.unit}{needs}'
    )


# A wheel without a limit of its own has a larger one [N m].
LARGEST_MOTOR = 1e5


def _check_values(kind: FaultKind, prefix: str, name: str, numbers: Sequence[float]) -> None:
    """Raise ParameterError for values that a kind does not take."""
    counts = kind.counts or (0,)
    if len(numbers) not in counts:
        wanted = ' or '.join(map(str, counts))
        unit = f' [{kind.unit}]' if kind.unit else ''
        raise ParameterError(
            f'{prefix}value has {len(numbers)} numbers; {name} takes {wanted}{unit}'
        )
    for number in numbers:
        if not kind.low <= number <= kind.high:
            most = f'{kind.high:g} {kind.unit}'.rstrip()
            raise ParameterError(f'{prefix}value is {number:g}; give {kind.low:g} to {most}')
    if name == 'turned' and not any(numbers):
        raise ParameterError(f'{prefix}value is a turn by 0; give axis times angle in deg')


def _of_reading(number: int, fault: Fault, suite: Suite, ticks: Ticks) -> ReadingFault:
    """Return the ReadingFault of a Fault of a sensor."""
    _, part = _place(fault.word, '')
    layout = suite.sensors[fault.sensor].sensor.reading
    place = layout.of(part) if part else slice(0, layout.size)
    if fault.word == 'gnss' and fault.kind == 'frozen':
        place = slice(1, layout.size)
    factor = KINDS[fault.word][fault.kind].factor
    values = tuple(factor * value for value in fault.values)
    if fault.kind == LATE:
        values = (float(ticks.covering(fault.value)),)
    return ReadingFault(number, fault.sensor, place, fault.kind, values)


def lines(plant: Plant) -> Iterator[str]:
    """Yield a line of the text summary for each fault of a spacecraft."""
    for fault in plant.spacecraft.faults:
        unit = KINDS[fault.word][fault.kind].unit
        said = fault.text() if unit in NUMBERS else f'{fault.text()} {unit}'
        what = f'{fault.name}: {said}'
        when = [f'from {plant.ticks.seconds(fault.begins):g} s'] if fault.begins != NEVER else []
        when += [f'when {fault.when.text}'] if fault.when else []
        lasts = f', for {plant.ticks.seconds(fault.lasts):g} s' if fault.lasts else ''
        planned = ' or '.join(when) + lasts if when else 'only by force: it has no at and no when'
        forced = '' if fault.forced == PLANNED else f'; forced {fault.forced}'
        yield f'{what}, {planned}{forced}'
