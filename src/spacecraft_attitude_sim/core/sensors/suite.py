# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""All sensors of a body: their readings at an instant, from its motion and their memories."""

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import field, fields
from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.equations.shared import limits
from spacecraft_attitude_sim.core.faults.on_readings import ReadingFault
from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3
from spacecraft_attitude_sim.core.sensors import (
    around,
    gnss,
    horizon_sensor,
    imu,
    star_tracker,
    sun_sensor,
)
from spacecraft_attitude_sim.core.sensors.delivery import (
    IN_TIME,
    NOTHING,
    Carrier,
    Delivery,
    is_reading,
    says_something,
)
from spacecraft_attitude_sim.core.sensors.gnss import Fix, Gnss
from spacecraft_attitude_sim.core.sensors.horizon_sensor import HorizonSensor
from spacecraft_attitude_sim.core.sensors.imu import Imu, ImuReading
from spacecraft_attitude_sim.core.sensors.magnetometer import Magnetometer
from spacecraft_attitude_sim.core.sensors.sensor import SEES, Sensor
from spacecraft_attitude_sim.core.sensors.star_tracker import Solution, StarTracker
from spacecraft_attitude_sim.core.sensors.sun_cell import SunCell
from spacecraft_attitude_sim.core.sensors.sun_sensor import Sight, SunSensor
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS
from spacecraft_attitude_sim.kernels.kernel import Kernel
from spacecraft_attitude_sim.safety.frozen import dataclass

NOBODY: frozenset[str] = frozenset()
OTHER_FIELDS = ('seed', 'faults', 'step', 'latencies')


class Part(NamedTuple):
    """A sensor, and the properties that every tick needs; see Sensor.

    constants: of its function;  size: of its reading
    reasons: why it may see nothing, () for one that always reads
    read, remembered: where its reading and its memory are among those of all sensors
    """

    sensor: Sensor
    function: Kernel
    constants: Array
    call_interval: int
    memory_size: int
    size: int
    reasons: tuple[str, ...]
    read: slice
    remembered: slice


@dataclass(frozen=True)
class Suite:
    """The sensors of a body, None for those it does not have, and the seed of their channels.

    faults: those that may act on a reading;  step: length of a tick, which only they need [s]
    latencies: {name: ticks from a reading to its message}, of those that have any; the star
        tracker has its own
    Raises ValueError where two have one name.
    """

    imu: Imu = Imu()
    magnetometer: Magnetometer | None = None
    star_tracker: StarTracker | None = None
    seed: int = 0
    sun_cells: tuple[SunCell, ...] = ()
    sun_sensors: tuple[SunSensor, ...] = ()
    horizon_sensor: HorizonSensor | None = None
    gnss: Gnss | None = None
    faults: tuple[ReadingFault, ...] = ()
    step: float = TICK_SECONDS
    latencies: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check that names differ."""
        names = [one.name for one in self._given]
        if twice := [name for name in names if names.count(name) > 1]:
            raise ValueError(f"two sensors are '{twice[0]}'; give each a name of its own")

    @property
    def _given(self) -> list[Sensor]:
        """All sensors that the body has."""
        kinds = [own.name for own in fields(self) if own.name not in OTHER_FIELDS]
        values = (getattr(self, kind) for kind in kinds)
        several = (value if isinstance(value, tuple) else (value,) for value in values)
        return [one for group in several for one in group if one]

    @functools.cached_property
    def needing_orbit(self) -> tuple[str, ...]:
        """Names of those that need the environment of an orbit."""
        return tuple(one.name for one in self._given if getattr(one, 'needs_orbit', False))

    @functools.cached_property
    def carried(self) -> frozenset[str]:
        """Names of those whose messages are late, or may have a fault."""
        return frozenset((*(fault.sensor for fault in self.faults), *self.latencies))

    @functools.cached_property
    def sensors(self) -> dict[str, Part]:
        """{name: Part}."""
        parts: dict[str, Part] = {}
        read = remembered = 0
        for one in self._given:
            size, memory = one.reading.size, one.memory_size
            parts[one.name] = Part(
                one, one.function, one.constants(self.seed), one.call_interval, memory, size,
                getattr(one, 'reasons', ()), slice(read, read + size),
                slice(remembered, remembered + memory),
            )  # fmt: skip
            read, remembered = read + size, remembered + memory
        return parts

    @functools.cached_property
    def sizes(self) -> tuple[int, int]:
        """Numbers of floats of the readings and memories of all sensors."""
        return (
            sum(part.size for part in self.sensors.values()),
            sum(part.memory_size for part in self.sensors.values()),
        )

    @functools.cached_property
    def seeing(self) -> tuple[str, ...]:
        """Names of those that may see nothing."""
        return tuple(name for name, part in self.sensors.items() if part.reasons)

    @functools.cached_property
    def names(self) -> frozenset[str]:
        """Names of all."""
        return frozenset(self.sensors)


class Readings(NamedTuple):
    """The sensors' readings at one instant.

    tick: since the run began
    flat: {name: newest reading that has come, in its Layout}, nan before the first
    memory: of all sensors, one after the other; None where the sensors begin with the next tick
    new: names of those of which a reading comes at this tick;  silent: of those that see nothing
    kept_back: names of those whose reading of this tick a fault keeps back
    last: {name: latest reading that was not lost and says something}, of those that may have a
        fault
    delivery: what comes late or twice, and what is still held
    """

    tick: int
    flat: dict[str, Array]
    memory: Array | None
    new: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()
    kept_back: frozenset[str] = frozenset()
    last: Mapping[str, Array] = NOTHING
    delivery: Delivery = IN_TIME

    @property
    def imu(self) -> ImuReading:
        """Attitude, angular velocity and specific force."""
        return imu.named(self.flat['imu'])

    @property
    def saturated(self) -> bool:
        """Whether an axis of the IMU is at its limit, in a reading of this tick."""
        return 'imu' in self.new and bool(self.flat['imu'][imu.SATURATED])

    @property
    def magnetic_field_S(self) -> Vector3 | None:
        """The field (3,) in the magnetometer's axes [T]; None without one."""
        return self.flat.get('magnetometer')

    @property
    def solution(self) -> Solution | None:
        """The star tracker's measurement that arrives now, or None."""
        flat = self.flat.get('star_tracker')
        return None if flat is None else star_tracker.named(flat)

    def illuminance(self, label: str) -> float:
        """Return the latest reading of a Sun cell [lx]."""
        return float(self.flat[f'sun_sensor/{label}'][0])

    def sun(self, label: str) -> Sight:
        """Return the latest direction of the Sun from a fine Sun sensor."""
        return sun_sensor.named(self.flat[f'sun_sensor/{label}'])

    @property
    def nadir(self) -> Sight:
        """The latest direction of the Earth's centre from the horizon sensor."""
        return sun_sensor.named(self.flat['horizon_sensor'], horizon_sensor.REASONS)

    @property
    def fix(self) -> Fix | None:
        """The latest reading of the GNSS receiver; None where it had no fix."""
        return gnss.named(self.flat['gnss'])


def read(
    suite: Suite, truth: Array, tick: int, before: Readings | None = None,
    faults: Sequence[float] | Array = (),
) -> Readings:  # fmt: skip
    """Return the Readings at a tick; at tick 0 the sensors begin.

    truth: (16,) of core.body.kinematics.TRUTH, or in an orbit (41,) of core.sensors.around
    tick: since the start or the last reset
    before: Readings of the tick before, not used when the sensors begin; None to begin
    faults: of Inputs of the tick that ends here; empty for none
    Raises ArithmeticError where a reading would not be finite, ValueError where sensors need the
    environment of an orbit and truth does not have it.
    """
    if len(truth) < around.SIZE and suite.needing_orbit:
        raise ValueError(f'{", ".join(suite.needing_orbit)}: nothing says what is around in orbit')
    readings, flat, new = np.zeros(suite.sizes[0]), {}, []
    memory, goes_on = _remembered(suite, tick, before)
    carrier = _carrier(suite, tick, before, faults) if suite.carried else None
    for name, part in suite.sensors.items():
        _, function, constants, interval, _, _, _, place, remembered = part
        reading: Array | None = None
        if goes_on and tick % interval:
            assert before is not None
            flat[name] = before.flat[name]
            if name not in before.delivery.held:
                continue
        else:
            reading = flat[name] = readings[place]
            function(tick // interval, truth, constants, memory[remembered], reading)
        if carrier and name in suite.carried:
            reading = carried(carrier, part, reading)
        if reading is None:  # nothing comes
            known = before.flat[name] if goes_on and before else np.full(part.size, np.nan)
            flat[name] = _without(part, known)
            continue
        new.append(name)
        flat[name] = reading
    if carrier or not math.isfinite(sum(readings.tolist())):
        _check_finite(suite, flat, new)
    silent = before.silent if goes_on and before else NOBODY
    for name in suite.seeing:
        if name in new and (flat[name].item(0) == SEES) == (name in silent):
            silent ^= {name}
    names = suite.names if len(new) == len(suite.names) else frozenset(new)
    if not carrier:
        return Readings(tick, flat, memory, names, silent)
    kept_back, last = frozenset(carrier.kept_back), carrier.last
    return Readings(tick, flat, memory, names, silent, kept_back, last, carrier.delivery())


def of_row(suite: Suite, tick: int, row: Array, memory: Array) -> Readings:
    """Return the Readings at a tick from those of all sensors in a row, without faults.

    row, memory: of all sensors, one after the other
    """
    flat = {name: row[part.read] for name, part in suite.sensors.items()}
    new = (name for name, part in suite.sensors.items() if tick % part.call_interval == 0)
    silent = (name for name in suite.seeing if flat[name].item(0) != SEES)
    return Readings(tick, flat, memory, frozenset(new), frozenset(silent))


def _remembered(suite: Suite, tick: int, before: Readings | None) -> tuple[Array, bool]:
    """Return a memory that sensors may write to, and whether they go on from a tick before."""
    size = suite.sizes[1]
    if tick and before and before.memory is not None and len(before.memory) == size:
        return before.memory.copy(), True
    return np.full(size, np.nan), False


def _carrier(
    suite: Suite, tick: int, before: Readings | None, faults: Sequence[float] | Array
) -> Carrier:
    """Return the Carrier of a tick; at a start or reset nothing is held any more."""
    acting = _acting(suite, faults) if before and len(faults) else {}
    goes_on = tick and before and before.memory is not None
    held, last = (before.delivery.held, before.last) if goes_on and before else ({}, {})
    return Carrier(tick, suite.seed, held, last, acting, suite.latencies)


def carried(carrier: Carrier, part: Part, reading: Array | None) -> Array | None:
    """Return what comes of a sensor at a tick; None where nothing does.

    reading: made at the tick, None for none
    """
    name = part.sensor.name
    if reading is None or not is_reading(name, reading):
        came = carrier.carry(name, None, says=False, every=part.call_interval)
        return reading if came is None else came
    says = says_something(name, reading, part.reasons)
    return carrier.carry(name, reading, says, part.call_interval)


def _acting(
    suite: Suite, faults: Sequence[float] | Array
) -> dict[str, list[tuple[ReadingFault, float]]]:
    """Return {name of a sensor: its faults, and how long each has acted [s]}."""
    acting: dict[str, list[tuple[ReadingFault, float]]] = {}
    for fault in suite.faults:
        if ticks := faults[fault.number]:
            acting.setdefault(fault.sensor, []).append((fault, ticks * suite.step))
    return acting


def _without(part: Part, last: Array) -> Array:
    """Return the reading of a sensor whose reading does not come; last: the one before."""
    if part.sensor.name == 'star_tracker':  # the last one would be an attitude that arrives again
        return np.array(star_tracker.NOTHING)
    return last


def why_silent(suite: Suite, readings: Readings) -> dict[str, str]:
    """Return {name: reason in words} of the sensors that see nothing now."""
    return {
        name: part.reasons[int(readings.flat[name][0]) - 1]
        for name, part in suite.sensors.items()
        if name in readings.silent
    }


def _check_finite(suite: Suite, flat: Mapping[str, Array], names: Sequence[str]) -> None:
    """Raise ArithmeticError for the first of some sensors whose reading is not finite."""
    for name in names:
        reading = flat[name].tolist()
        if not math.isfinite(sum(reading)):
            layout = suite.sensors[name].sensor.reading
            parts = {part: reading[layout.of(part)] for part in layout.widths}
            wrong = next((part for part in parts if not math.isfinite(sum(parts[part]))), 'all')
            raise ArithmeticError(
                f'{wrong} of {name} would be {parts.get(wrong, parts)}, which is not finite; '
                f'{limits.REMEDY}'
            )
