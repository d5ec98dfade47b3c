# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Slews between profiles, within limits and outside of all keep-out zones."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

from spacecraft_attitude_sim.core.guidance.keep_out import KeepOut, Zone, clearance, ways_round
from spacecraft_attitude_sim.core.guidance.motion import GuidanceError, Profile, unit_jet
from spacecraft_attitude_sim.core.guidance.profiles import Inertial
from spacecraft_attitude_sim.core.guidance.slew import Slew, slew
from spacecraft_attitude_sim.core.mathematics.fixed_order import norm

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spacecraft_attitude_sim.core.guidance.ephemeris import Ephemeris
    from spacecraft_attitude_sim.core.guidance.s_curve import Limits
    from spacecraft_attitude_sim.core.guidance.wheel_limits import WheelLimits
    from spacecraft_attitude_sim.core.mathematics.types import Quaternion, Vector3

DEGREE = math.pi / 180.0
# Clearances that are tried for a way round [rad], and how many ways with each.
MARGINS, TRIED = (1.0 * DEGREE, 4.0 * DEGREE, 10.0 * DEGREE), 12
# A slew is compared with its zones each so many radians, and at least so often.
FINE, LEAST_INSTANTS = 0.5 * DEGREE, 40
# How often a profile is compared with the zones [s].
COARSE = 10.0


class Planner(NamedTuple):
    """What slews are made with.

    limits: Limits;  wheels: WheelLimits, or None;  keep_outs: KeepOuts;  ephemeris: Ephemeris
    """

    limits: Limits
    wheels: WheelLimits | None
    keep_outs: tuple[KeepOut, ...]
    ephemeris: Ephemeris

    def slews(self, start: Profile, end: Profile, begin: float) -> tuple[Slew, ...]:
        """Return the Slews, one to three, from one Profile to another.

        begin: [s]
        Raises GuidanceError where no way keeps all boresights out, or a limit is too small.
        """
        direct = self._through(start, end, begin, ())
        if not self.keep_outs or self._is_clear(direct):
            return direct
        finish = direct[-1].finish
        first, last = start.at(begin).q_WR, end.at(finish).q_WR
        self.check(first, begin)
        self.check(last, finish)
        for margin in MARGINS:
            ways = ways_round(first, last, self.zones(0.5 * (begin + finish)), margin)
            for way in itertools.islice(ways, TRIED):
                slews = self._through(start, end, begin, way)
                if self._is_clear(slews):
                    return slews
        names = ', '.join(f'{kept.name} from the {kept.body}' for kept in self.keep_outs)
        raise GuidanceError(
            f'no slew at {begin:.6g} s keeps {names} by one or two attitudes; give another time '
            'or smaller angles'
        )

    def zones(self, time: float) -> list[Zone]:
        """Return the zone of each KeepOut at a time [s]."""
        return [
            Zone(kept.axis_B, self._direction(kept.body, time), kept.angle)
            for kept in self.keep_outs
        ]

    def check(self, q_WR: Quaternion, time: float) -> None:
        """Raise GuidanceError if a boresight is in its zone, naming it."""
        for kept, zone in zip(self.keep_outs, self.zones(time), strict=True):
            if (left := clearance(q_WR, zone)) < 0.0:
                angle, least = (left + kept.angle) / DEGREE, kept.angle / DEGREE
                raise GuidanceError(
                    f'{kept.name} looks {angle:.2f} deg past the {kept.body} at {time:.6g} s; '
                    f'keep_out.{kept.name}.angle is {least:.6g} deg'
                )

    def check_profile(self, profile: Profile, begin: float, end: float) -> None:
        """Raise GuidanceError if a profile has a boresight in its zone from begin to end [s]."""
        count = max(math.ceil((end - begin) / COARSE), 1) if self.keep_outs else 0
        for k in range(count + 1):
            time = begin + (end - begin) * k / max(count, 1)
            self.check(profile.at(time).q_WR, time)

    def _direction(self, body: str, time: float) -> Vector3:
        """Return the unit vector (3,) to a body, world axes."""
        if body == 'earth':
            return unit_jet(-self.ephemeris.jet('position', time))[0]
        return unit_jet(self.ephemeris.jet(body, time))[0]

    def _through(
        self, start: Profile, end: Profile, begin: float, way: Sequence[Quaternion]
    ) -> tuple[Slew, ...]:
        """Return the slews that stop at attitudes on the way."""
        slews: list[Slew] = []
        stops = [start, *(Inertial(q) for q in way), end]
        for before, after in itertools.pairwise(stops):
            at = slews[-1].finish if slews else begin
            slews.append(slew(before, after, at, self.limits, self.wheels))
        return tuple(slews)

    def _is_clear(self, slews: Sequence[Slew]) -> bool:
        return all(map(self._is_clear_along, slews))

    def _is_clear_along(self, flown: Slew) -> bool:
        """Return whether all boresights keep out along a slew, also between two instants.

        From an instant to the middle between it and the next a boresight moves by no more than
        the rate times half of that time.
        """
        count = max(math.ceil(norm(flown.middle) / FINE), LEAST_INSTANTS)
        step = flown.duration / count
        samples = list(self._clearances(flown, count))
        rates = [rate for rate, _ in samples]
        for k, (rate, least) in enumerate(samples):
            fastest = max(rate, *rates[max(k - 1, 0) : k + 2])
            ends = k in (0, count)
            if least < (0.0 if ends else 0.5 * fastest * step):
                return False
        return True

    def _clearances(self, flown: Slew, count: int) -> Iterator[tuple[float, float]]:
        """Yield rate [rad/s] and least clearance [rad] at count + 1 instants of a slew."""
        for k in range(count + 1):
            time = flown.begin + flown.duration * k / count
            now = flown.at(time)
            least = min(clearance(now.q_WR, zone) for zone in self.zones(time))
            yield norm(now.omega_R), least
