# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A slew from one profile to another, also between profiles that move.

    q(t) = q_A(t) ∘ exp(s(t) φ(t))        φ: rotation vector from A to B at time t

s goes from 0 to 1 along an S-curve. Its derivatives are 0 at both ends, so that attitude, rate and
acceleration continue those of A and of B. Between attitudes at rest φ does not change, and this is
a rotation about the eigenaxis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.guidance.motion import (
    GuidanceError,
    Profile,
    composed,
    of_rotation_jet,
    relative,
    rotation_jet,
    rotation_vector,
)
from spacecraft_attitude_sim.core.guidance.s_curve import Limits, SCurve, s_curve
from spacecraft_attitude_sim.core.mathematics.fixed_order import norm

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.control.control_law import Reference
    from spacecraft_attitude_sim.core.guidance.wheel_limits import WheelLimits
    from spacecraft_attitude_sim.core.mathematics.types import Vector3

# Instants at which the motion of a slew is compared with its limits, and by how much more time is
# tried where it is beyond them; a slew that needs so many times longer is refused.
CHECKED, LONGER, LONGEST = 32, 1.1, 40
# Rates and accelerations beyond a limit by this part are not [-]: round-off.
ROUND_OFF = 1e-9
# Most that the profiles may turn, one against the other, in half of a slew [rad].
MOST_TURNED = 2.5
# Least angle for which an S-curve is computed [rad].
LEAST_ANGLE = 1e-9


class Slew(NamedTuple):
    """A slew that begins at a time [s] and lasts `duration` [s].

    start, end: the Profiles before and after;  curve: SCurve, in its own time
    middle: (3,) φ near the middle of the slew, which says which way round it goes [rad]
    """

    begin: float
    duration: float
    start: Profile
    end: Profile
    curve: SCurve
    middle: Vector3

    @property
    def finish(self) -> float:
        """The time at which it is in the next profile [s]."""
        return self.begin + self.duration

    def at(self, time: float) -> Reference:
        """Return the Reference at a time [s] within the slew."""
        return self.motions(time)[0]

    def motions(self, time: float) -> tuple[Reference, Reference, Reference]:
        """Return the References of the slew, of its start and of its end at a time [s]."""
        start, end = self.start.at(time), self.end.at(time)
        jet = rotation_jet(relative(start, end), self.middle)
        # Its own time is stretched where the slew takes longer than the S-curve.
        stretch = self.curve.duration / self.duration
        s, rate, acceleration = self.curve.share(stretch * (time - self.begin))
        rate, acceleration = stretch * rate, stretch**2 * acceleration
        scaled = np.array((
            s * jet[0],
            rate * jet[0] + s * jet[1],
            acceleration * jet[0] + 2.0 * rate * jet[1] + s * jet[2],
        ))  # fmt: skip
        return composed(start, of_rotation_jet(scaled)), start, end


def slew(
    start: Profile, end: Profile, begin: float, limits: Limits, wheels: WheelLimits | None = None
) -> Slew:
    """Return the Slew between two Profiles.

    The rate is at most that of the faster profile plus the limit, and so is the acceleration. The
    jerk of the angle is within its limit; profiles that move add theirs.

    begin: [s];  limits: Limits, also with `wheels`;  wheels: WheelLimits, or None
    Raises GuidanceError where profiles move too fast for the limits.
    """
    middle = rotation_vector(relative(start.at(begin), end.at(begin)).q_WR)
    own, curve, duration = limits, s_curve(LEAST_ANGLE, limits), 0.0
    for _ in range(4):  # where the end moves meanwhile, the angle depends on the duration
        finish = begin + duration
        first, last = (_apart(start, end, time, middle) for time in (begin, finish))
        middle = _apart(start, end, 0.5 * (begin + finish), middle)
        if wheels and norm(middle) > LEAST_ANGLE:
            own = wheels.along(middle / norm(middle), limits)
        curve = s_curve(max(norm(first), norm(last), LEAST_ANGLE), own)
        duration = max(curve.duration, _to_catch_up(start, end, begin, own))
    for _ in range(LONGEST):
        flown = Slew(begin, duration, start, end, curve, middle)
        _check_turn(flown)
        if _is_within(flown, own):
            return flown
        duration *= LONGER
    raise GuidanceError(
        f'the slew at {begin:.6g} s would take more than {duration:.4g} s with at most '
        f'{own.rate:.3g} rad/s and {own.acceleration:.3g} rad/s^2; give larger limits'
    )


def _apart(start: Profile, end: Profile, time: float, near: Vector3) -> Vector3:
    """Return the rotation vector (3,) from one profile to the other at a time [s]."""
    return rotation_vector(relative(start.at(time), end.at(time)).q_WR, near)


def _to_catch_up(start: Profile, end: Profile, time: float, limits: Limits) -> float:
    """Return the time [s] that the change of rate takes at least."""
    return norm(relative(start.at(time), end.at(time)).omega_R) / limits.acceleration


def _check_turn(flown: Slew) -> None:
    """Raise GuidanceError if the profiles turn so far meanwhile that the way round is not clear.

    From the middle of the slew on, φ must stay nearer to what it was than half a turn.
    """
    fastest = max(
        norm(relative(flown.start.at(time), flown.end.at(time)).omega_R)
        for time in (flown.begin, flown.begin + 0.5 * flown.duration, flown.finish)
    )
    if 0.5 * fastest * flown.duration > MOST_TURNED:
        raise GuidanceError(
            f'the slew at {flown.begin:.6g} s takes {flown.duration:.4g} s or more, in which the '
            f'profiles turn by {fastest * flown.duration:.3g} rad; give larger limits'
        )


def _is_within(flown: Slew, limits: Limits) -> bool:
    """Return whether rate and acceleration exceed those of the profiles by no more than limits."""
    for k in range(1, CHECKED):
        own, start, end = flown.motions(flown.begin + flown.duration * k / CHECKED)
        rate = norm(own.omega_R) - max(norm(start.omega_R), norm(end.omega_R))
        change = norm(own.alpha_R) - max(norm(start.alpha_R), norm(end.alpha_R))
        if rate > limits.rate * (1.0 + ROUND_OFF) + ROUND_OFF * norm(own.omega_R):
            return False
        if change > limits.acceleration * (1.0 + ROUND_OFF) + ROUND_OFF * norm(own.alpha_R):
            return False
    return True
