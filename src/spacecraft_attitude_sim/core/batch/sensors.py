# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The sensors of the bodies of a batch; each gives the bits of sensors.read for its body alone."""

from __future__ import annotations

import functools
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.batch.lanes import BODY, LANES, STATE, WRENCH, four, is_lost
from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.contact.solver import layout
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.vectors import nine_at, put, three_at
from spacecraft_attitude_sim.core.sensors import around, imu, magnetometer, star_tracker
from spacecraft_attitude_sim.core.sensors.sensor import SENSOR
from spacecraft_attitude_sim.core.sensors.suite import Readings
from spacecraft_attitude_sim.kernels.kernel import Handle, part, unlocked_as
from spacecraft_attitude_sim.kernels.pointers import borrowed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
    from spacecraft_attitude_sim.core.mathematics.types import Array, VectorLike
    from spacecraft_attitude_sim.core.sensors import Sensor, Suite
    from spacecraft_attitude_sim.core.sensors.star_tracker import Solution
    from spacecraft_attitude_sim.core.sensors.suite import Part
    from spacecraft_attitude_sim.kernels.kernel import Kernel

SURROUNDINGS = Layout(inverse_inertia=9, magnetic_field_W=3)
FIELD = SURROUNDINGS.at('magnetic_field_W')
# Contributions of wheels and orbits: core.actuators.GYROSTAT and the torque of the environment.
# `zero` is -0.0 without an environment: adding -0.0 changes no bit.
INSIDE = Layout(gyrostat=6, torque_B=3, zero=1)
TORQUE, ZERO = INSIDE.at('torque_B'), INSIDE.at('zero')
NOTHING_INSIDE = np.zeros((0, INSIDE.size))
NO_GYROSTAT = (0.0,) * 6
_ROWS = ', float64[:, ::1]'
# Types of Sensors.arguments.
READS = f'Addresses({SENSOR!r}), Tuple((float64[:, ::1]{", int64[:, ::1]" * 2}{_ROWS * 4}, int64))'
STARS = star_tracker.StarTracker.name


class Kind(NamedTuple):
    """The sensors of one name that one function reads.

    number: of the kind among those of Sensors;  bodies: (M,) that have one, in order
    columns: of its reading in Sensors.readings;  layout: of the reading
    """

    name: str
    number: int
    bodies: NDArray[np.int64]
    columns: slice
    layout: Layout


class Read(NamedTuple):
    """What the sensors of N bodies had read last at a tick, a copy.

    kinds, intervals, readings, last: of Sensors
    """

    tick: int
    kinds: tuple[Kind, ...]
    intervals: NDArray[np.int64]
    readings: Array
    last: Array

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the sensors that a body has."""
        return tuple(dict.fromkeys(kind.name for kind in self.kinds))

    @property
    def new(self) -> dict[str, NDArray[np.bool_]]:
        """{name: mask (N,)} of the bodies whose sensor reads now; of names that any does."""
        masks = {name: np.zeros(len(self.readings), dtype=bool) for name in self.names}
        for kind in self.kinds:
            masks[kind.name][kind.bodies] = self._reads(kind)
        return {name: mask for name, mask in masks.items() if mask.any()}

    def _reads(self, kind: Kind) -> NDArray[np.bool_]:
        """Return which sensors of a Kind read now: of star trackers, from which one arrives."""
        first = self.readings[kind.bodies, kind.columns.start]
        if kind.name == STARS:
            return first >= 0.0
        return (self.tick % self.intervals[kind.bodies, kind.number] == 0) & ~np.isnan(first)

    def named(self, name: str) -> SimpleNamespace:
        """Return what the sensors of a name read last, an object with parts (N, any)."""
        parts: dict[str, Array] = {}
        for kind in self.kinds:
            if kind.name != name:
                continue
            rows = self.last if name == STARS else self.readings[:, kind.columns]
            for named in kind.layout.widths:
                values = rows[kind.bodies, kind.layout.of(named)]
                shape = (len(rows), values.shape[1])
                parts.setdefault(named, np.full(shape, np.nan))[kind.bodies] = values
        return SimpleNamespace(**{
            named: values[:, 0] if values.shape[1] == 1 else values
            for named, values in parts.items()
        })  # fmt: skip

    def each(self) -> list[tuple[Readings, Solution | None]]:
        """Return the Readings of each body, and the last attitude of its star tracker or None."""
        count = len(self.readings)
        flat: list[dict[str, Array]] = [{} for _ in range(count)]
        new: list[set[str]] = [set() for _ in range(count)]
        last: list[Solution | None] = [None] * count
        for kind in self.kinds:
            called = self.tick % self.intervals[kind.bodies, kind.number] == 0
            for k, n in enumerate(kind.bodies.tolist()):
                flat[n][kind.name] = self.readings[n, kind.columns]
                if called[k]:
                    new[n].add(kind.name)
                if kind.name == STARS:
                    last[n] = star_tracker.named(self.last[n])
        return [
            (Readings(self.tick, own, None, frozenset(names)), solution)
            for own, names, solution in zip(flat, new, last, strict=True)
        ]


class Sensors(NamedTuple):
    """The sensors of N bodies.

    surroundings: (N, 12) of SURROUNDINGS
    truths: (N, 16) of core.body.kinematics.TRUTH, in an orbit (N, 41) of core.sensors.around
    functions: Handle of those of K Kinds, `kinds`
    begins: (K + 1, 3) where constants, memory and reading of a kind begin; in the last row, ends
    intervals: (N, K) their Sensor.call_interval [ticks], 0 where a body has no such sensor
    constants, memory, readings: (N, any) of all kinds, one after the other
    last: (N, 5) latest attitude that arrived from the star tracker; (0, 5) where no body has one
    stars: number of the kind of the star trackers, K without them
    """

    surroundings: Array
    truths: Array
    kinds: tuple[Kind, ...]
    functions: Handle
    begins: NDArray[np.int64]
    intervals: NDArray[np.int64]
    constants: Array
    memory: Array
    readings: Array
    last: Array
    stars: int

    def copy(self) -> Sensors:
        """Return an independent copy."""
        return self._replace(
            truths=self.truths.copy(), memory=self.memory.copy(), readings=self.readings.copy(),
            last=self.last.copy(),
        )  # fmt: skip

    def now(self, tick: int) -> Read:
        """Return what they had read last at a tick, the present one: a copy."""
        return Read(tick, self.kinds, self.intervals, self.readings.copy(), self.last.copy())

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The last two arguments of `read_body`: the functions, and `sensing`."""
        return self.functions, (
            self.truths, self.begins, self.intervals, self.constants, self.memory, self.readings,
            self.last, self.stars,
        )  # fmt: skip

    def read(
        self,
        blocks: Array,
        contacts: Array,
        first: int,
        last: int,
        tick: int,
        starts: Array,
        inside: Array = NOTHING_INSIDE,
    ) -> None:
        """Read the sensors of bodies first to last at a tick, the one after the previous reading.

        blocks: of core.batch.lanes;  contacts: (N, 30) of bodies on floors, else (0, 30)
        starts: (N,) tick at which each body has begun
        inside: (N, 10) of INSIDE
        """
        find_truths(blocks, contacts, inside, first, last, self.surroundings, self.truths)
        read_bodies(first, last, tick, starts, *self.arguments)

    def readings_of(self, sensor: type[Sensor] | Sensor) -> Array:
        """Return the readings of sensors of a name (N, size of its reading), nan without one.

        sensor: a class of sensors of which a body has one at most, or one sensor with the name
        """
        rows = np.full((len(self.truths), sensor.reading.size), np.nan)
        for kind in self.kinds:
            if kind.name == sensor.name and kind.layout.size == sensor.reading.size:
                rows[kind.bodies] = self.readings[kind.bodies, kind.columns]
        return rows

    def named(self) -> BatchReadings:
        """Return the present BatchReadings."""
        rows = self.readings_of(imu.Imu)
        stars = self.readings_of(star_tracker.StarTracker)
        arrives = stars[:, 0] >= 0.0
        stars[~arrives] = star_tracker.NONE, *(np.nan,) * 4
        q_WS, omega_S, force_S = imu.named(rows.T)
        return BatchReadings(
            q_WS.T,
            omega_S.T,
            force_S.T,
            self.readings_of(magnetometer.Magnetometer),
            rows[:, imu.SATURATED] == 1.0,
            stars[:, 1:],
            stars[:, 0].astype(np.int64),
        )

    @property
    def nbytes(self) -> int:
        """Memory of all rows of bodies."""
        rows = (
            self.surroundings, self.truths, self.intervals, self.constants, self.memory,
            self.readings, self.last, *(kind.bodies for kind in self.kinds),
        )  # fmt: skip
        return sum(each.nbytes for each in rows)


class BatchReadings(NamedTuple):
    """Readings of the sensors of N bodies at one instant, in frames S (IMU) and T (star tracker).

    q_WS: (N, 4);  angular_velocity_S: (N, 3) [rad/s];  specific_force_S: (N, 3) [m/s^2]
    magnetic_field_S: (N, 3) [T], nan without a magnetometer
    saturated: (N,) whether an axis of the IMU is at its limit
    q_WT: (N, 4) attitude that arrives from the star tracker now, nan where none does
    measured: (N,) tick of that measurement, -1 where none arrives
    For a body that is lost (Batch.lost) all are nan, and saturated is false.
    """

    q_WS: Array
    angular_velocity_S: Array
    specific_force_S: Array
    magnetic_field_S: Array
    saturated: NDArray[np.bool_]
    q_WT: Array
    measured: NDArray[np.int64]


def sensors_of(
    bodies: Sequence[RigidBody],
    suites: Sequence[Suite],
    magnetic_field_W: VectorLike = (0.0, 0.0, 0.0),
    in_orbit: bool = False,
) -> Sensors:
    """Return the Sensors of N RigidBody, with a sensors.Suite each.

    bodies: without what turns inside (Spacecraft.carrier);  magnetic_field_W: (3,) or (N, 3) [T]
    in_orbit: whether the bodies are `actuated` in an orbit about the Earth
    Raises ValueError for sensors that need the environment of an orbit, without it, and for those
    with a latency.
    """
    inverse = np.array([body.inverse_inertia.ravel() for body in bodies])
    fields = np.broadcast_to(magnetic_field_W, (len(bodies), 3))
    size = around.SIZE if in_orbit else kinematics.TRUTH.size
    found: dict[tuple[Kernel, str], dict[int, Part]] = {}
    for n, (_, suite) in enumerate(zip(bodies, suites, strict=True)):
        if suite.needing_orbit and not in_orbit:
            raise ValueError(
                f'{", ".join(suite.needing_orbit)}: they need an orbit about the Earth; give the '
                'scenario one, or leave them out'
            )
        if suite.latencies:
            raise ValueError(
                f'{", ".join(suite.latencies)}: has a latency, and a batch hears each reading at '
                'once; fly each by sas.simulate, or set the latency to 0'
            )
        for name, one in suite.sensors.items():
            found.setdefault((one.function, name), {})[n] = one
    begins, kinds = _placed(found)
    count = len(bodies)
    constants, memory, readings = (np.full((count, most), np.nan) for most in begins[-1].tolist())
    intervals = np.zeros((count, len(kinds)), dtype=np.int64)
    for kind, parts in zip(kinds, found.values(), strict=True):
        for n, one in parts.items():
            first = begins[kind.number, 0]
            constants[n, first : first + len(one.constants)] = one.constants
            intervals[n, kind.number] = one.call_interval
    stars = next((kind.number for kind in kinds if kind.name == STARS), len(kinds))
    last = np.full((count if stars < len(kinds) else 0, star_tracker.READING.size), np.nan)
    last[:] = star_tracker.NOTHING
    return Sensors(
        np.hstack((inverse, fields)), np.full((count, size), np.nan), kinds,
        Handle(SENSOR, *(function for function, _ in found)),
        begins, intervals, constants, memory, readings, last, stars,
    )  # fmt: skip


def _placed(
    found: dict[tuple[Kernel, str], dict[int, Part]],
) -> tuple[NDArray[np.int64], tuple[Kind, ...]]:
    """Return Sensors.begins and the Kinds of {(function, name): {body: Part}}."""
    begins, kinds = [(0, 0, 0)], []
    for number, ((_, name), parts) in enumerate(found.items()):
        constants, memory, reading = begins[-1]
        own = list(parts.values())
        kinds.append(Kind(
            name, number, np.array(list(parts)), slice(reading, reading + own[0].size),
            own[0].sensor.reading,
        ))  # fmt: skip
        begins.append(
            (
                constants + max(len(one.constants) for one in own),
                memory + max(one.memory_size for one in own),
                reading + own[0].size,
            )
        )
    return np.array(begins), tuple(kinds)


@unlocked_as(f'void(float64[:, :, ::1]{_ROWS * 2}, int64, int64{_ROWS * 2})')
def find_truths(
    blocks: Array,
    contacts: Array,
    inside: Array,
    first: int,
    last: int,
    surroundings: Array,
    truths: Array,
) -> None:
    """Write the true motion of bodies first to last; nan for one that is lost.

    contacts: (N, 30) of bodies on floors, else (0, 30)
    inside: (N, 10) of INSIDE, of bodies with wheels or orbits, else (0, 10)
    """
    wrench = np.empty(12)
    for n in range(first, last):
        w, i = blocks[n // LANES], n % LANES
        touching = len(contacts) > 0
        if (touching and contacts[n, layout.STATUS] != layout.FINE) or is_lost(w, i):
            truths[n] = np.nan
            continue
        for k in range(12):
            wrench[k] = w[WRENCH + k, i]
        if touching:
            for k in range(6):
                wrench[k] += 0.0  # as in a sum of wrenches: turns -0.0 into 0.0
                wrench[6 + k] += contacts[n, layout.FORCE + k]
        gyrostat = NO_GYROSTAT
        if len(inside) > 0:
            own = inside[n]
            gyrostat = (own[0], own[1], own[2], own[3], own[4], own[5])
            for k in range(3):
                wrench[k] += own[ZERO]
                wrench[3 + k] += own[TORQUE + k]
                wrench[6 + k] += own[ZERO]
                wrench[9 + k] += own[ZERO]
        L_W = (w[STATE + 10, i], w[STATE + 11, i], w[STATE + 12, i])
        put(truths[n], 0, kinematics.true_motion(
            four(w, STATE + 3, i), L_W, gyrostat, wrench, w[BODY + 8, i],
            nine_at(surroundings[n], 0), three_at(surroundings[n], FIELD),
        ))  # fmt: skip


@part
def read_body(n: int, tick: int, functions: Sequence[Kernel], sensing: tuple[Any, ...]) -> None:
    """Write the readings of body n at a tick; nan where its truth is nan.

    Between its calls the reading of a sensor stays.

    functions, sensing: of Sensors.arguments
    """
    truths, begins, intervals, constants, memory, readings, last, stars = sensing
    truth, reading = truths[n], readings[n]
    if truth[0] != truth[0]:
        reading[:] = np.nan
        if len(last) > 0:
            last[n] = np.nan
        return
    for k in range(intervals.shape[1]):
        interval = intervals[n, k]
        if interval > 0 and tick % interval == 0:
            functions[k](
                tick // interval, truth, constants[n][begins[k, 0] : begins[k + 1, 0]],
                memory[n][begins[k, 1] : begins[k + 1, 1]],
                reading[begins[k, 2] : begins[k + 1, 2]],
            )  # fmt: skip
        if k == stars and interval > 0 and reading[begins[k, 2]] >= 0.0:
            last[n] = reading[begins[k, 2] : begins[k + 1, 2]]


@unlocked_as(f'void(int64, int64, int64, int64[::1], {READS})')
def read_bodies(
    first: int, last: int, tick: int, starts: Array, functions: Sequence[Kernel],
    sensing: tuple[Any, ...],
) -> None:  # fmt: skip
    """Write the readings of bodies first to last at a tick; see `read_body`.

    starts: (N,) tick at which each body has begun; its sensors count from there
    """
    for n in range(first, last):
        read_body(n, tick - starts[n], borrowed(functions), borrowed(sensing))


@functools.cache
def nothing_read() -> tuple[Any, ...]:
    """Return Sensors.arguments of no sensors."""
    none, numbers = np.zeros((0, 0)), np.zeros((0, 0), dtype=np.int64)
    return Handle(SENSOR, imu.read), (none, numbers, numbers, none, none, none, none, 0)
