# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A control law in Python, called once a tick for all bodies of a batch.

Readings and commands have the names that a controller of one spacecraft meets (flight), with a row
for each body. So a function that works on the last axis of its arrays flies one body and many.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from spacecraft_attitude_sim.core.body.kinematics import rate, seen_from
from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_matrix

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.batch.joints import Joints
    from spacecraft_attitude_sim.core.batch.sensors import Read
    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
    from spacecraft_attitude_sim.core.body.state import Truth
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats

NOTHING_STORED = (0.0, 0.0, 0.0)
STARS = 'star_tracker'
# Readings that are no sensor's, and of which parts.
JOINTS = {'wheel_speed': 'wheels', 'gimbal_angle': 'control moment gyros'}


class StarReadings(NamedTuple):
    """The last attitude that arrived from the star tracker of each body; nan before the first.

    measured: (N,) tick of the image, -1 before the first
    q_WT: (N, 4) quaternion w, x, y, z that turns the axes of the tracker into world axes
    age: (N,) time since the image was taken [s]
    """

    measured: Array
    q_WT: Array
    age: Array


class LawReadings:
    """What a law in Python is given of the N bodies of a batch at one instant.

    It is what their sensors read last where the batch reads sensors, else what is true. Rows of a
    body that is lost, and of a body without such a sensor, are nan.

    time: simulated [s];  tick: number of the instant;  step: from one to the next [s]
    attitude: (N, 4) w, x, y, z;  angular_velocity: (N, 3) [rad/s], body axes or those of the IMU
    specific_force: (N, 3) [m/s^2];  magnetic_field: (N, 3) [T]; both None without sensors
    truth: Truth of all bodies
    """

    def __init__(
        self,
        time: float,
        tick: int,
        step: float,
        truth: Truth,
        read: Read | None = None,
        joints: Joints | None = None,
        states: Array | None = None,
    ) -> None:
        """Make them; read, states: (N, 13 + any) of core.body.state, copies of what is now."""
        self.time, self.tick, self.step, self.truth = time, tick, step, truth
        self._read, self._joints = read, joints
        self.states = np.zeros((len(truth.attitude), SIZE)) if states is None else states
        self.attitude, self.angular_velocity = truth.attitude, truth.angular_velocity
        self.specific_force: Array | None = None
        self.magnetic_field: Array | None = None
        if read:
            imu = read.named('imu')
            self.attitude, self.angular_velocity = imu.q_WS, imu.angular_velocity_S
            self.specific_force = imu.specific_force_S
            if 'magnetometer' in read.names:
                self.magnetic_field = read.named('magnetometer').magnetic_field_S

    def __repr__(self) -> str:
        return f'<LawReadings at {self.time:g} s of {len(self.attitude)} bodies>'

    def __getitem__(self, name: str) -> SimpleNamespace:
        """Return what the sensors of a name read last: an object with its parts, (N, any) each.

        name: 'imu', 'magnetometer', 'sun_sensor/right' … as `names` lists them
        """
        if self._read is None or name not in self._read.names:
            has = ', '.join(self.names) or 'none: the batch reads no sensors'
            raise KeyError(f'no sensor {name!r}; there are {has}')
        return self._read.named(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the sensors that a body has."""
        return self._read.names if self._read else ()

    @property
    def new(self) -> dict[str, NDArray[np.bool_]]:
        """{name: mask (N,)} of the bodies whose sensor reads at this instant, where any does.

        That of the star tracker tells where an attitude arrives.
        """
        return self._read.new if self._read else {}

    @property
    def star_tracker(self) -> StarReadings | None:
        """The last attitudes that arrived from star trackers; None before the first one."""
        if STARS not in self.names:
            return None
        assert self._read
        last = self._read.named(STARS)
        if not (last.measured >= 0.0).any():
            return None
        none = last.measured < 0.0
        age = np.where(none, np.nan, (self.tick - last.measured) * self.step)
        q_WT = np.where(none[:, np.newaxis], np.nan, last.q_WT)
        return StarReadings(np.where(none, -1.0, last.measured), q_WT, age)

    @property
    def wheel_speed(self) -> Array:
        """What the tachometers of the wheels say (N, n) [rad/s]; (N, 0) without wheels."""
        if not self._joints:
            return self._none
        return self._joints.tachometers(self.states[:, SIZE:], self.truth)

    @property
    def gimbal_angle(self) -> Array:
        """Angles of the gimbals (N, n) [rad]; (N, 0) without control moment gyros."""
        if not self._joints:
            return self._none
        return self._joints.gimbal_angles(self.states[:, SIZE:])

    @property
    def _none(self) -> Array:
        return np.zeros((len(self.attitude), 0))

    def shown(self, name: str) -> Array:
        """Return (N, any) what a CompiledLaw is shown by name: one flat row for each body.

        Raises KeyError with the reason where no body has it.
        """
        if name in JOINTS:
            rows: Array = getattr(self, name)
            if not rows.shape[1]:
                raise KeyError(f'no {name}; the bodies have no {JOINTS[name]}')
            return rows
        parts = vars(self[name]).values()
        return np.hstack([part.reshape(len(self.attitude), -1) for part in parts])

    @property
    def read(self) -> Read | None:
        """The readings of the sensors as the batch keeps them, for one body after the other."""
        return self._read


# Returns what a controller of one spacecraft does, with a row for each body: nothing, torques
# (N, 3) [N m] in body axes, or {command: rows} of core.batch.commands.NAMES.
PythonLaw = Callable[[LawReadings], Any]


class Acting(NamedTuple):
    """What acts on N bodies in a tick.

    wrenches: (N, 12);  impulses: (N, 6), at its start, both of core.body.loads
    commands: (N, any) of actuators, in the order of Batch.commands
    """

    wrenches: Array
    impulses: Array
    commands: Array


@runtime_checkable
class Commander(Protocol):
    """Says in every tick what acts on all bodies."""

    def acting(self, readings: LawReadings, lost: NDArray[np.bool_]) -> Acting:
        """Return what acts in the tick that begins; lost: mask (N,) of bodies to leave out.

        Raises ValueError naming what is wrong; then nothing has changed.
        """

    def begin(self, wrenches: Array) -> None:
        """Hold wrenches (N, 12) that the user of the batch gives, until the law gives others."""

    def reset(self) -> None:
        """Begin again."""


def inverse_inertias(given: Array | Sequence[RigidBody], flat: Array) -> Array:
    """Return J^-1 (N, 9) [1/(kg m^2)] of bodies as they were given; flat: (N, 12) of the same."""
    if not isinstance(given, np.ndarray):
        return np.array([body.inverse_inertia.ravel() for body in given])
    axes = np.array(quaternion_matrix(*flat[:, 4:8].T)).T.reshape(-1, 3, 3)
    return np.einsum('nij,nj,nkj->nik', axes, flat[:, 1:4], axes).reshape(-1, 9)


def rates(states: Array, inverse: Array, stored_B: Array | Floats = NOTHING_STORED) -> Array:
    """Return ω_B (N, 3) [rad/s] of states (N, 13), to the bit as of one body.

    inverse: (N, 9) of inverse_inertias;  stored_B: (3, N) of what turns inside [N m s]
    """
    turning: Any = (states[:, 3:7].T, states[:, 10:13].T)
    return np.array(rate(seen_from(*turning), tuple(inverse.T), tuple(stored_B))).T


def commands_in(answer: Any) -> dict[str, Any]:
    """Return {command: value} of what a law returned."""
    if answer is None:
        return {}
    given = dict(answer) if isinstance(answer, Mapping) else {'torque': answer}
    return {name: value for name, value in given.items() if value is not None}
