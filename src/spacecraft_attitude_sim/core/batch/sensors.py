# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The sensors of the bodies of a batch; each gives the bits of sensors.read for its body alone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.batch.lanes import BODY, LANES, STATE, WRENCH, four, is_lost
from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.contact.solver import layout
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.vectors import nine_at, put, three_at
from spacecraft_attitude_sim.core.sensors import around, imu, magnetometer, star_tracker
from spacecraft_attitude_sim.core.sensors.sensor import SENSOR
from spacecraft_attitude_sim.core.sensors.suite import Readings
from spacecraft_attitude_sim.kernels.kernel import Handle, unlocked_as

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
    from spacecraft_attitude_sim.core.mathematics.types import Array, VectorLike
    from spacecraft_attitude_sim.core.sensors import Sensor, Suite
    from spacecraft_attitude_sim.core.sensors.star_tracker import Solution
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


class Kind(NamedTuple):
    """The sensors of one name that one function reads.

    function: its Handle;  bodies: (M,) indices of the bodies that have one, in order
    intervals: (M,) their Sensor.call_interval [ticks]
    constants, memory, readings: rows of these M
    last: (M, 5) of a star tracker, the latest attitude that arrived; else (0, 5)
    layout: of a reading
    """

    name: str
    function: Handle
    bodies: NDArray[np.int64]
    intervals: NDArray[np.int64]
    constants: Array
    memory: Array
    readings: Array
    last: Array
    layout: Layout

    def copy(self) -> Kind:
        """Return a copy with a memory of its own."""
        return self._replace(
            memory=self.memory.copy(), readings=self.readings.copy(), last=self.last.copy()
        )

    @property
    def nbytes(self) -> int:
        """Memory of all rows."""
        return sum(getattr(rows, 'nbytes', 0) for rows in self)


class Read(NamedTuple):
    """What the sensors of N bodies had read last at a tick, a copy.

    kinds: of Sensors
    """

    tick: int
    bodies: int
    kinds: tuple[Kind, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the sensors that a body has."""
        return tuple(dict.fromkeys(kind.name for kind in self.kinds))

    @property
    def new(self) -> dict[str, NDArray[np.bool_]]:
        """{name: mask (N,)} of the bodies whose sensor reads now; of names that any does."""
        masks = {name: np.zeros(self.bodies, dtype=bool) for name in self.names}
        for kind in self.kinds:
            masks[kind.name][kind.bodies] = self._reads(kind)
        return {name: mask for name, mask in masks.items() if mask.any()}

    def _reads(self, kind: Kind) -> NDArray[np.bool_]:
        """Return which sensors of a Kind read now: of star trackers, from which one arrives."""
        if len(kind.last):
            return kind.readings[:, 0] >= 0.0
        return (self.tick % kind.intervals == 0) & ~np.isnan(kind.readings[:, 0])

    def named(self, name: str) -> SimpleNamespace:
        """Return what the sensors of a name read last, an object with parts (N, any)."""
        parts: dict[str, Array] = {}
        for kind in self.kinds:
            if kind.name != name:
                continue
            rows = kind.last if len(kind.last) else kind.readings
            for part in kind.layout.widths:
                values = rows[:, kind.layout.of(part)]
                shape = (self.bodies, values.shape[1])
                parts.setdefault(part, np.full(shape, np.nan))[kind.bodies] = values
        return SimpleNamespace(**{
            part: values[:, 0] if values.shape[1] == 1 else values
            for part, values in parts.items()
        })  # fmt: skip

    def each(self) -> list[tuple[Readings, Solution | None]]:
        """Return the Readings of each body, and the last attitude of its star tracker or None."""
        flat: list[dict[str, Array]] = [{} for _ in range(self.bodies)]
        new: list[set[str]] = [set() for _ in range(self.bodies)]
        last: list[Solution | None] = [None] * self.bodies
        for kind in self.kinds:
            called = self.tick % kind.intervals == 0
            for k, n in enumerate(kind.bodies.tolist()):
                flat[n][kind.name] = kind.readings[k]
                if called[k]:
                    new[n].add(kind.name)
                if len(kind.last):
                    last[n] = star_tracker.named(kind.last[k])
        return [
            (Readings(self.tick, own, {}, frozenset(names)), solution)
            for own, names, solution in zip(flat, new, last, strict=True)
        ]


class Sensors(NamedTuple):
    """The sensors of N bodies.

    surroundings: (N, 12) of SURROUNDINGS
    truths: (N, 16) of core.body.kinematics.TRUTH, in an orbit (N, 41) of core.sensors.around
    """

    surroundings: Array
    truths: Array
    kinds: tuple[Kind, ...]

    def copy(self) -> Sensors:
        """Return an independent copy."""
        kinds = tuple(kind.copy() for kind in self.kinds)
        return Sensors(self.surroundings, self.truths.copy(), kinds)

    def now(self, tick: int) -> Read:
        """Return what they had read last at a tick, the present one: a copy."""
        return Read(tick, len(self.truths), tuple(kind.copy() for kind in self.kinds))

    def read(
        self,
        blocks: Array,
        contacts: Array,
        first: int,
        last: int,
        tick: int,
        inside: Array = NOTHING_INSIDE,
    ) -> None:
        """Read the sensors of bodies first to last at a tick, the one after the previous reading.

        blocks: of core.batch.lanes;  contacts: (N, 30) of bodies on floors, else (0, 30)
        inside: (N, 10) of INSIDE
        """
        find_truths(blocks, contacts, inside, first, last, self.surroundings, self.truths)
        self.read_truths(first, last, tick)

    def read_truths(self, first: int, last: int, tick: int) -> None:
        """Read the sensors of bodies first to last at a tick, from `truths`."""
        for kind in self.kinds:
            begin, end = np.searchsorted(kind.bodies, (first, last))
            read_kind(
                kind.function, kind.bodies, kind.intervals, begin, end, tick, self.truths,
                kind.constants, kind.memory, kind.readings,
            )  # fmt: skip
            if len(kind.last):
                own = kind.readings[begin:end]
                arrives = ~(own[:, 0] < 0.0)  # nan of a body that is lost, too
                kind.last[begin:end][arrives] = own[arrives]

    def readings_of(self, sensor: type[Sensor] | Sensor) -> Array:
        """Return the readings of sensors of a name (N, size of its reading), nan without one.

        sensor: a class of sensors of which a body has one at most, or one sensor with the name
        """
        rows = np.full((len(self.truths), sensor.reading.size), np.nan)
        for kind in self.kinds:
            if kind.name == sensor.name and kind.readings.shape[1] == sensor.reading.size:
                rows[kind.bodies] = kind.readings
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
        """Memory of all rows."""
        own = self.surroundings.nbytes + self.truths.nbytes
        return own + sum(kind.nbytes for kind in self.kinds)


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
    Raises ValueError for sensors that need the environment of an orbit, without it.
    """
    inverse = np.array([body.inverse_inertia.ravel() for body in bodies])
    fields = np.broadcast_to(magnetic_field_W, (len(bodies), 3))
    found: dict[tuple[Kernel, str], dict[int, tuple[Sensor, Array]]] = {}
    for n, (_, suite) in enumerate(zip(bodies, suites, strict=True)):
        if suite.needing_orbit and not in_orbit:
            raise ValueError(
                f'{", ".join(suite.needing_orbit)}: they need an orbit about the Earth; give the '
                'scenario one, or leave them out'
            )
        for name, part in suite.sensors.items():
            found.setdefault((part.function, name), {})[n] = part.sensor, part.constants
    return Sensors(
        np.hstack((inverse, fields)),
        np.full((len(bodies), around.SIZE if in_orbit else kinematics.TRUTH.size), np.nan),
        tuple(_kind(function, one) for (function, _), one in found.items()),
    )


def _kind(function: Kernel, found: dict[int, tuple[Sensor, Array]]) -> Kind:
    """Return the Kind of {body: (its sensor, constants)} for one function."""
    sensors, constants = zip(*found.values(), strict=True)
    size = max(sensor.memory_size for sensor in sensors)
    last = np.full((0, star_tracker.READING.size), np.nan)
    if sensors[0].name == star_tracker.StarTracker.name:
        last = np.full((len(found), star_tracker.READING.size), np.nan)
        last[:] = star_tracker.NOTHING
    return Kind(
        sensors[0].name,
        Handle(SENSOR, function),
        np.array(list(found)),
        np.array([sensor.call_interval for sensor in sensors]),
        np.array(constants),
        np.full((len(found), size), np.nan),
        np.full((len(found), sensors[0].reading.size), np.nan),
        last,
        sensors[0].reading,
    )


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


@unlocked_as(
    f'void(ListType(FunctionType({SENSOR})){", int64[::1]" * 2}{", int64" * 3}{_ROWS * 4})'
)
def read_kind(
    functions: Sequence[Kernel],
    bodies: NDArray[np.int64],
    intervals: NDArray[np.int64],
    begin: int,
    end: int,
    tick: int,
    truths: Array,
    constants: Array,
    memory: Array,
    readings: Array,
) -> None:
    """Write the readings of the sensors begin to end of a Kind; nan where the truth is nan.

    Between its calls the reading of a sensor stays.
    """
    read = functions[0]
    for k in range(begin, end):
        truth = truths[bodies[k]]
        if truth[0] != truth[0]:
            readings[k] = np.nan
        elif tick % intervals[k] == 0:
            read(tick // intervals[k], truth, constants[k], memory[k], readings[k])
