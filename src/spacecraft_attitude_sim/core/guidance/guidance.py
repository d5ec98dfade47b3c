# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The reference at each time: profiles by a timetable, and the slews between them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.guidance.keep_out import clearance
from spacecraft_attitude_sim.core.guidance.motion import GuidanceError, Profile, still
from spacecraft_attitude_sim.core.guidance.profiles import Inertial

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spacecraft_attitude_sim.core.control.control_law import Reference
    from spacecraft_attitude_sim.core.guidance.planner import Planner
    from spacecraft_attitude_sim.core.guidance.slew import Slew

DEGREE = math.pi / 180.0
# How often a profile that could not be flown is tried again [s].
TRY_AGAIN = 10.0


class Entry(NamedTuple):
    """A line of the timetable: a Profile, its name, and when the slew to it begins [s]."""

    time: float
    name: str
    profile: Profile


class Leg(NamedTuple):
    """What an Entry became: its slews, which begin at `begin` [s], and then its profile."""

    begin: float
    slews: tuple[Slew, ...]
    entry: Entry

    @property
    def settled(self) -> float:
        """The time from which the profile itself is flown [s]."""
        return self.slews[-1].finish if self.slews else self.begin

    def at(self, time: float) -> Reference:
        """Return the Reference at a time [s] from `begin` on."""
        for flown in self.slews:
            if time < flown.finish:
                return flown.at(time)
        return self.entry.profile.at(time)


class Status(NamedTuple):
    """What guidance does at a time.

    profile: its name;  left: time to the end of the slews to it [s], 0 when it is reached
    """

    profile: str
    left: float


class Guidance:
    """The reference over time.

    A slew begins at the time of its entry, or when the slew before has ended. An Entry that cannot
    be flown leaves the one before.

    profiles: {name: Profile};  first: name of that at the start
    timetable: (time [s], name) in order;  planner: Planner

    problem: why the reference is not what was wanted, or ''
    Raises GuidanceError where the timetable cannot be flown.
    """

    def __init__(
        self,
        profiles: Mapping[str, Profile],
        first: str,
        timetable: Sequence[tuple[float, str]],
        planner: Planner,
    ) -> None:
        self.profiles, self.planner = dict(profiles), planner
        self._legs = [Leg(0.0, (), Entry(-math.inf, first, self.profiles[first]))]
        for time, name in timetable:
            self._append(Entry(time, name, self.profiles[name]))
        self._check()
        self._planned = tuple(self._legs)
        self.restart()

    def restart(self) -> None:
        """Begin again: forget all changes."""
        self.problem = ''
        self._legs, self._pending = list(self._planned), list[Entry]()
        self._latest, self._last = -math.inf, still(np.array((1.0, 0.0, 0.0, 0.0)))
        self._last_time = math.nan  # of it; NaN where it must be computed again
        self._refused: tuple[str, float] = ('', -math.inf)  # name and time of a profile of `fly`

    def at(self, time: float) -> Reference:
        """Return the Reference at a time [s].

        Where a profile is not defined, it is the last one at rest, and `problem` says why.
        """
        if time == self._last_time:  # asked by the controller, a record, and diagnostics
            return self._last
        leg = self._leg(time)
        self._latest = max(self._latest, time)
        try:
            self._last = leg.at(time)
        except GuidanceError as error:
            self.problem = f'{leg.entry.name}: {error}'
            self._last_time = math.nan
            return still(self._last.q_WR)
        self._last_time = time
        return self._last

    def followed(self, time: float) -> tuple[str, Profile, float] | None:
        """Return name and Profile that are flown at a time [s] without a slew, and until when.

        It is None in a slew, and where an entry waits.
        """
        leg = self._leg(time)
        if self._pending or time < leg.settled:
            return None
        later = (other.begin for other in self._legs if other.begin > time)
        return leg.entry.name, leg.entry.profile, min(later, default=math.inf)

    def status(self, time: float) -> Status:
        """Return the Status at a time [s]."""
        leg = self._leg(time)
        return Status(leg.entry.name, max(leg.settled - time, 0.0))

    def clearances(self, time: float) -> dict[str, float]:
        """Return {what: angle [deg] to its zone} of each boresight at a time [s]."""
        q_WR = self.at(time).q_WR
        return {
            f'{kept.name} clear of the {kept.body} by [deg]': clearance(q_WR, zone) / DEGREE
            for kept, zone in zip(self.planner.keep_outs, self.planner.zones(time), strict=True)
        }

    def intrusion(self, time: float) -> str:
        """Return which boresight is in its zone at a time [s], or ''."""
        try:
            self.planner.check(self.at(time).q_WR, time)
        except GuidanceError as error:
            return str(error)
        return ''

    def change(self, name: str, time: float, profile: Profile | None = None) -> None:
        """Fly a profile from a time on, until the next entry of the timetable.

        An entry that still waits for the slew before it, and is not later, is left out: however
        many changes come during a slew, the last one follows it.

        name: of a profile, or for messages;  profile: a Profile of its own, or None
        time: [s]; one before that of the latest reference counts as that
        Raises GuidanceError for an unknown name, or where no slew leads there; then nothing
        changes.
        """
        if profile is None and name not in self.profiles:
            known = ', '.join(self.profiles)
            raise GuidanceError(f"no profile '{name}'; there are {known}")
        time = max(time, self._latest, 0.0)
        entry = Entry(time, name, profile or self.profiles[name])
        self._leg(time)
        kept = [leg for leg in self._legs if leg.begin <= time]
        dropped = [leg.entry for leg in self._legs if leg.begin > time]
        before = self._legs, self._pending
        self._legs = kept
        try:
            self._append(entry, self._departure(time))
        except GuidanceError:
            self._legs, self._pending = before
            raise
        self._last_time = math.nan
        after = (waiting for waiting in (*dropped, *before[1]) if waiting.time > time)
        self._pending = sorted(after, key=lambda waiting: waiting.time)
        self.problem = ''

    def fly(self, name: str, time: float) -> None:
        """Change to a profile of a mission, unless it is the one that is flown or slewed to.

        Where it cannot be flown, `problem` says why, and it is tried again after 10 s.

        name: of a profile, '' for any;  time: [s]
        """
        if not name or self._wanted(time) == name:
            return
        refused, at = self._refused
        if refused == name and 0.0 <= time - at < TRY_AGAIN:
            return
        try:
            self.change(name, time)
        except GuidanceError as error:
            self._refused = name, time
            self.problem = f'{name} is not flown: {error}'
        else:
            self._refused = '', -math.inf

    def _wanted(self, time: float) -> str:
        """Return the name of the latest entry by a time [s], also of one that waits for a slew."""
        self._leg(time)
        for waiting in reversed(self._pending):
            if waiting.time <= time:
                return waiting.name
        return next(leg.entry.name for leg in reversed(self._legs) if leg.entry.time <= time)

    def _leg(self, time: float) -> Leg:
        """Return the Leg at a time [s], after planning what begins by then."""
        while self._pending and max(self._pending[0].time, self._legs[-1].settled) <= time:
            entry = self._pending.pop(0)
            try:
                self._append(entry, self._departure(entry.time))
            except GuidanceError as error:
                self.problem = f'{entry.name} is left out: {error}'
        for leg in reversed(self._legs):
            if leg.begin <= time:
                return leg
        return self._legs[0]

    def _departure(self, time: float) -> Profile:
        """Return the Profile that a slew leaves from a time [s] on.

        It is that of the last Leg; where that is not defined, the attitude that is held.
        """
        last = self._legs[-1]
        try:
            last.entry.profile.at(max(time, last.settled))
        except GuidanceError:
            return Inertial(self._last.q_WR)
        return last.entry.profile

    def _append(self, entry: Entry, start: Profile | None = None) -> None:
        """Plan an Entry after the last Leg; GuidanceError where it cannot be flown.

        start: Profile that the slew leaves; None for that of the last Leg
        """
        last = self._legs[-1]
        begin = max(entry.time, last.settled)
        slews = self.planner.slews(start or last.entry.profile, entry.profile, begin)
        self._legs.append(Leg(begin, slews, entry))

    def _check(self) -> None:
        """Raise GuidanceError if a profile of the timetable has a boresight in its zone."""
        ends = [leg.begin for leg in self._legs[1:]] + [self._legs[-1].settled]
        for leg, end in zip(self._legs, ends, strict=True):
            try:
                self.planner.check_profile(leg.entry.profile, leg.settled, max(end, leg.settled))
            except GuidanceError as error:
                raise GuidanceError(f'{leg.entry.name}: {error}') from None
