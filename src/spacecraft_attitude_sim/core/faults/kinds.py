# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The kinds of faults of each component: what happens, and the numbers that say how much."""

from __future__ import annotations

import math
from typing import NamedTuple


class FaultKind(NamedTuple):
    """One kind of fault of a component.

    meaning: what happens; in it `value` is the number given
    unit: of its values;  counts: how many values it takes, () for none
    default: its values where none are given, None where they must be given
    low, high: inclusive range of each value;  factor: of the unit, in SI
    """

    meaning: str
    unit: str = ''
    counts: tuple[int, ...] = ()
    default: tuple[float, ...] | None = ()
    low: float = -math.inf
    high: float = math.inf
    factor: float = 1.0


def _share(meaning: str, default: float) -> FaultKind:
    return FaultKind(meaning, 'share', (1,), (default,), 0.0, 1.0)


WEAK = _share('It does only this share of what it is commanded.', 0.5)
REVERSED = FaultKind('It does the opposite of what it is commanded.')
HELD = FaultKind('It does not hear new commands, and goes on with the last one.')

WHEEL = {
    'dead': FaultKind('Its motor gives no torque; the wheel coasts.'),
    'weak': _share('Its motor gives only this share of the torque commanded, and of max_torque.',
                   0.5),
    'reversed': REVERSED,
    'held': HELD,
    'stuck': FaultKind(
        'Its bearing seizes: friction of this size brakes the wheel to rest and holds it there. '
        'Without a value it is ten times max_torque.', 'N m', (1,), None, 1e-12, 1e6,
    ),
    'friction': FaultKind('Its friction is so many times as large.', 'factor', (1,), (5.0,), 0.0,
                          1e6),
    'tachometer': FaultKind('Its tachometer reads so many times the speed.', 'factor', (1,),
                            (0.0,), -1e3, 1e3),
}  # fmt: skip
THRUSTER = {
    'closed': FaultKind('Its valve stays closed: no thrust.'),
    'open': FaultKind('Its valve stays open: full thrust.'),
    'weak': WEAK,
    'leaking': _share(
        'It leaks: this share of its full thrust is added. The propellant is not counted.', 0.05
    ),
}
MAGNETORQUER = {
    'dead': FaultKind('It has no dipole.'),
    'weak': WEAK,
    'reversed': REVERSED,
    'held': HELD,
    'stuck': FaultKind('Its dipole is this, whatever is commanded. Without a value it is its '
                       'largest.', 'A m^2', (1,), None, -1e6, 1e6),
}  # fmt: skip
GIMBAL = {
    'stuck': FaultKind('Its motor holds the gimbal at rest.'),
    'weak': WEAK,
    'reversed': REVERSED,
    'held': HELD,
}

FROZEN = FaultKind('Each reading repeats the last one before the fault.')
SILENT = FaultKind('No readings come.')
LOST = _share('Each reading is lost with this probability.', 0.5)
LATE = FaultKind(
    'The message of each reading comes so much later, with its own stamp.',
    's',
    (1,),
    None,
    0.0,
    60.0,
)
DOUBLED = _share('The message of each reading comes twice with this probability.', 0.5)
COMING = {'frozen': FROZEN, 'silent': SILENT, 'lost': LOST, 'late': LATE, 'doubled': DOUBLED}


def _numbers(unit: str, numbers: int, factor: float = 1.0) -> dict[str, FaultKind]:
    """Return the kinds of a sensor that reads numbers; more than one may have a value each.

    factor: of the unit, in SI
    """
    counts = (1,) if numbers == 1 else (1, numbers)
    return {
        'bias': FaultKind(
            'This is added to the reading.', unit, counts, None, -1e9, 1e9, factor
        ),
        'drift': FaultKind(
            'An error grows at this rate from the beginning of the fault.', f'{unit}/s', counts,
            None, -1e9, 1e9, factor,
        ),
        'scale': FaultKind(
            'The reading is so many times as large.', 'factor', counts, (0.5,), -1e3, 1e3
        ),
        'noise': FaultKind(
            'White noise of this standard deviation is added to each reading.', unit, counts,
            None, 0.0, 1e9, factor,
        ),
    }  # fmt: skip


DEGREE, NANO = math.pi / 180.0, 1e-9
TURNED = FaultKind(
    'The reading is turned by this rotation vector in the axes of the sensor: axis times angle.',
    'deg', (3,), None, -360.0, 360.0, DEGREE,
)  # fmt: skip
# {component: {kind: FaultKind}}; the first four by name, as wheel.<name>.
ACTUATORS = {
    'wheel': WHEEL, 'thruster': THRUSTER, 'magnetorquer': MAGNETORQUER, 'gimbal': GIMBAL,
}  # fmt: skip
SENSORS = {
    'imu': COMING,
    'gyro': _numbers('deg/s', 3, DEGREE) | {'frozen': FROZEN},
    'accelerometer': _numbers('m/s^2', 3) | {'frozen': FROZEN},
    'magnetometer': _numbers('nT', 3, NANO) | COMING,
    'star_tracker': {'turned': TURNED, **COMING},
    'sun_cell': _numbers('lx', 1) | COMING,
    'sun_sensor': {'turned': TURNED, **COMING},
    'horizon_sensor': {'turned': TURNED, **COMING},
    'gnss': _numbers('m', 3) | COMING,
}  # fmt: skip
KINDS = ACTUATORS | SENSORS
# Components that are one of several and have a name.
NAMED = (*ACTUATORS, 'sun_cell', 'sun_sensor')
