# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What the tachometers of wheels and the angles of gimbals say, in all bodies of a batch.

The bits are those of the channels of one spacecraft: ReactionWheels.tachometers and speeds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.parts.control_moment_gyros.kernel import GIMBAL_STATE
from spacecraft_attitude_sim.core.parts.reaction_wheels.kernel import (
    FASTEST,
    STUCK,
    WHEEL_STATE,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.body.state import Truth
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.spacecraft import Spacecraft

MOMENTUM, MODE = WHEEL_STATE.places('momentum', 'mode')
ANGLE = GIMBAL_STATE.at('angle')
# Of bodies, in place of their numbers.
EVERY_BODY = slice(None)
# Fields of Joints with a row for each body.
BY_BODY = ('axes_B', 'inertias', 'speed_limits', 'resolution', 'gain', 'bias')


class Joints(NamedTuple):
    """The wheels and gimbals of N bodies; with fewer ideal wheels than others, nan in their place.

    A wheel that is not there has an axis (0, 0, 0), so that it stores nothing.
    axes_B: (N, n, 3);  inertias, speed_limits, resolution, gain, bias: (N, n)
    width: size of a wheel's states, 0 for ideal wheels, which have a momentum alone
    gimbals: indices of the gimbals' angles among the internal states
    """

    axes_B: Array
    inertias: Array
    speed_limits: Array
    resolution: Array
    gain: Array
    bias: Array
    width: int
    gimbals: NDArray[np.int64]

    def each(self, of: Callable[[Array], Array]) -> Joints:
        """Return Joints of other bodies; of: function that takes their rows out of those of N."""
        rows = {name: of(getattr(self, name)) for name in BY_BODY}
        return self._replace(**rows)  # type: ignore[arg-type]

    def speeds(self, internal: Array, omega_B: Array) -> Array:
        """Return the speeds (N, n) of the wheels relative to the body [rad/s].

        internal: (N, any) states;  omega_B: (N, 3) [rad/s]
        """
        count, ideal = self.inertias.shape[1], not self.width
        places = np.arange(count) * (self.width or 1)
        x, y, z = omega_B.T[:, :, np.newaxis]
        axes = self.axes_B
        # Added in this order, as ReactionWheels.speeds does.
        along = axes[:, :, 0] * x + axes[:, :, 1] * y + axes[:, :, 2] * z
        free = internal[:, places + (0 if ideal else MOMENTUM)] / self.inertias - along
        if ideal:
            return free
        modes = internal[:, places + MODE]
        held = np.abs(modes) == FASTEST
        limits = np.copysign(np.where(held, self.speed_limits, 0.0), modes)
        return np.where(held | (modes == STUCK), limits, free)

    def tachometers(self, internal: Array, truth: Truth) -> Array:
        """Return the tachometer readings (N, n) [rad/s]."""
        speeds = self.speeds(internal, truth.angular_velocity)
        if not self.width:
            return speeds
        shown, step = self.gain * speeds + self.bias, self.resolution
        whole = np.where(step > 0.0, step, 1.0)
        return np.where(step > 0.0, whole * np.floor(shown / whole + 0.5), shown)

    def gimbal_angles(self, internal: Array) -> Array:
        """Return the angles of the gimbals (N, g) [rad]."""
        return internal[:, self.gimbals]


def joints_of(crafts: Sequence[Spacecraft]) -> Joints:
    """Return the Joints of spacecraft; only the numbers of ideal wheels may differ."""
    kinds = [craft.groups for craft in crafts]
    wheels = {n: kind['wheels'] for n, kind in enumerate(kinds) if 'wheels' in kind}
    count = max((own.number for own in wheels.values()), default=0)

    def padded(
        rows_of: Callable[[Any], Any], shape: tuple[int, ...] = (), fill: Any = np.nan
    ) -> Array:
        rows = np.full((len(crafts), count, *shape), fill)
        for n, own in wheels.items():
            rows[n, : own.number] = rows_of(own)
        return rows

    def of(name: str) -> Array:
        return padded(lambda own: [getattr(wheel, name) for wheel in own.each])

    first, width, gimbals = crafts[0], 0, np.zeros(0, dtype=np.int64)
    if first.coupled and count:
        width = first.layout.widths['wheels'] // count
    if first.coupled and 'gimbals' in kinds[0]:
        number = len(kinds[0]['gimbals'].names)
        gimbals = first.layout.at('gimbals') + GIMBAL_STATE.size * np.arange(number)
        gimbals += ANGLE
    return Joints(
        padded(lambda own: own.axes_B, (3,), 0.0), padded(lambda own: own.inertias),
        of('max_speed'), of('tachometer_resolution'), of('tachometer_gain'),
        of('tachometer_bias'), width, gimbals,
    )  # fmt: skip


def stored_B(joints: Joints, internal: Array) -> Array:
    """Return the momenta (3, N) that the wheels store [N m s], body axes, added wheel by wheel."""
    count = joints.inertias.shape[1]
    total = np.zeros((3, len(internal)))
    for k in range(count):
        momenta = internal[:, k * (joints.width or 1) + (MOMENTUM if joints.width else 0)]
        total += momenta * joints.axes_B[:, k].T
    return total
