# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Commanded wrenches and impulses: checked on arrival, limited, held until a timeout, summed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.body import loads, places
from spacecraft_attitude_sim.core.body.rigid_body import AT_CENTRE_OF_MASS
from spacecraft_attitude_sim.core.ticks import DEFAULT, Ticks
from spacecraft_attitude_sim.safety.quoting import cut

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from spacecraft_attitude_sim.core.body.rigid_body import BodyFrame
    from spacecraft_attitude_sim.core.mathematics.types import (
        Array,
        FlatWrench,
        Quaternion,
        VectorLike,
    )
    from spacecraft_attitude_sim.core.simulation.limits import CommandLimits

    # {name of the place: (wrench, count of ticks at which it ends)}
    Held = dict[str, tuple[FlatWrench, float]]


# Largest number of sources at a time, and of places for each; all cost a little in every tick.
MOST_SOURCES = 64
MOST_PLACES = 32
FREE = Inputs()


class CommandRefusedError(ValueError):
    """A command is refused; the text says why, and the remedy. Nothing has changed."""


class CommandInbox:
    """Keeps the held wrenches, and the impulses that are still to apply.

    Each source holds one wrench in each place, its latest there. All of them add, and so do
    impulses; the sum does not depend on their order. Each source is checked alone: what several
    do together beyond the resolvable rate ends the run.

    frames: {frame id: BodyFrame} of the body;  world: id of the inertial frame
    force_limit, torque_limit: (3,) largest magnitude of each component, in the axes of the
        command's frame [N, N m]; a larger one saturates
    timeout: simulated time a wrench is held without a new one [s]; 0 is for ever
    limits: limits.CommandLimits of the body; None for no limits;  ticks: Ticks of the run
    taken: count of accepted wrenches;  refused, saturated: counts of commands
    """

    def __init__(
        self,
        frames: Mapping[str, BodyFrame],
        world: str,
        force_limit: VectorLike,
        torque_limit: VectorLike,
        timeout: float,
        limits: CommandLimits | None = None,
        ticks: Ticks = DEFAULT,
    ) -> None:
        self.frames = frames
        self.world = world
        self._places = {name: places.find(name, frames, world) for name in (*frames, world)}
        self._most = [*map(float, force_limit), *map(float, torque_limit)]
        self._least = [-limit for limit in self._most]
        self._smallest_limit = min(self._most)
        self.limits = limits
        self.timeout_ticks = ticks.covering(timeout) or math.inf
        self.taken = 0
        self.refused = 0
        self.saturated = 0
        self.last_refusal = ''
        self.clear()

    def clear(self) -> None:
        """Drop the held wrenches and the impulses that are still to apply."""
        # By source. Both are replaced and never changed: `kept` gives them away.
        self._held: dict[Hashable, Held] = {}
        self._struck: dict[Hashable, FlatWrench] = {}
        self._ticks = 0  # taken since then
        self._first_end = math.inf  # no held wrench ends before this count of ticks

    def hold(
        self, frame: str, force: VectorLike, torque: VectorLike, source: Hashable = ''
    ) -> str:
        """Hold a wrench from the next tick on; it replaces the source's wrench in the same place.

        Return the name of its place.

        frame: id of the frame of its components, as places.find;  force, torque: (3,) [N, N m]
        Raises CommandRefusedError.
        """
        # With few calls from Python: a run in lockstep waits for this in every tick.
        asked = given = [*map(float, force), *map(float, torque)]
        size = sum(map(abs, asked))
        if not size < self._smallest_limit:
            _check_finite(asked)
            given = list(map(min, map(max, asked, self._least), self._most))
        own = self._held.get(source)
        if own is None:
            _check_room(self._held, source)
        place = self._places.get(frame) or self.place(frame)
        wrench = _wrench(place, given)
        others = self._others(own, place) if own else {}
        plain = not others and place.frame is AT_CENTRE_OF_MASS
        if self.limits and not (plain and size < self.limits.harmless):
            also_held = (load for load, _ in others.values())
            _refuse_beyond(self.limits.check_wrench, wrench, *also_held)
        end = self._ticks + self.timeout_ticks
        others[place.name] = wrench, end
        self._held = {**self._held, source: others}
        if end < self._first_end:
            self._first_end = end
        self.taken += 1
        self.saturated += given is not asked and given != asked
        return place.name

    def strike(
        self, frame: str, impulse: VectorLike, angular_impulse: VectorLike, source: Hashable = ''
    ) -> str:
        """Apply a whole impulse once, at the start of the next tick; several add.

        Return the name of its place.

        frame: id of the frame of its components;  impulse, angular_impulse: (3,) [N s, N m s]
        Raises CommandRefusedError.
        """
        asked = [*map(float, impulse), *map(float, angular_impulse)]
        _check_finite(asked)
        _check_room(self._struck, source)
        place = self.place(frame)
        strike = _wrench(place, asked)
        before = self._struck.get(source)
        total = strike if before is None else before + strike
        if self.limits:
            _refuse_beyond(self.limits.check_impulse, total)
        self._struck = {**self._struck, source: total}
        return place.name

    def take(self, q_WB: Quaternion) -> Inputs:
        """Return the Inputs of the tick that begins at attitude q_WB (4,), and count the tick."""
        if not (self._held or self._struck):  # true in most runs: they need no sum
            return FREE
        held = _sum([wrench for own in self._held.values() for wrench, _ in own.values()])
        self._ticks += 1
        if self._ticks >= self._first_end:
            self._let_go()
        impulse, struck = loads.NO_IMPULSE, _sum([*self._struck.values()])
        if struck is not None:
            impulse, self._struck = impulse + loads.impulse_in_world(struck, q_WB), {}
        return Inputs(loads.FREE if held is None else held, impulse)

    def _let_go(self) -> None:
        """Drop wrenches whose time is over."""
        self._held = {
            source: later
            for source, own in self._held.items()
            if (later := {name: held for name, held in own.items() if held[1] > self._ticks})
        }
        ends = [end for own in self._held.values() for _, end in own.values()]
        self._first_end = min(ends, default=math.inf)

    @property
    def kept(self) -> tuple[dict[Hashable, Held], dict[Hashable, FlatWrench], int, float]:
        """What is held and what is still to apply, for `put_back`."""
        return self._held, self._struck, self._ticks, self._first_end

    def put_back(
        self, kept: tuple[dict[Hashable, Held], dict[Hashable, FlatWrench], int, float]
    ) -> None:
        """Be as when it was `kept`: commands were not given, or a tick did not come."""
        self._held, self._struck, self._ticks, self._first_end = kept

    @property
    def holding(self) -> bool:
        """Whether any wrench is held now."""
        return bool(self._held)

    def held_by(self, source: Hashable) -> int:
        """Return the number of places in which a source holds a wrench."""
        return len(self._held.get(source, ()))

    def held_in(self, source: Hashable | None = None) -> list[str]:
        """Return the sorted names of places in which a source, by default any, holds a wrench."""
        held = self._held.values() if source is None else [self._held.get(source, ())]
        return sorted({name for own in held for name in own})

    def place(self, frame: str) -> places.Place:
        """Return the places.Place of a frame_id; raises CommandRefusedError for an unknown one."""
        try:
            return places.find(frame, self.frames, self.world)
        except ValueError as error:
            raise CommandRefusedError(str(error)) from None

    def forget(self, source: Hashable) -> None:
        """Drop the wrenches of a source that has gone."""
        self._held = {who: own for who, own in self._held.items() if who != source}

    def refuse(self, reason: object) -> None:
        """Count a refused command."""
        self.refused += 1
        self.last_refusal = cut(reason)

    def _others(self, own: Held, place: places.Place) -> Held:
        """Return a source's wrenches in other places, without those that are zero."""
        if place.name in own and len(own) == 1:  # nearly always
            return {}
        others = {name: kept for name, kept in own.items() if name != place.name and kept[0].any()}
        if len(others) >= MOST_PLACES:
            raise CommandRefusedError(
                f'it holds wrenches in {MOST_PLACES} other frames already; let go of one by a '
                'wrench of zeros in it'
            )
        return others


def _wrench(place: places.Place, six: Sequence[float]) -> FlatWrench:
    """Return the flat wrench (12,) of a force at a Place and a torque, in its axes."""
    if place.frame is AT_CENTRE_OF_MASS:
        return loads.wrench_at_centre(*six)
    if place.frame is None:
        return loads.wrench_in_world(six[:3], six[3:])
    return loads.wrench_in_body(six[:3], six[3:], place.frame)


def _check_room(kept: Mapping[Hashable, object], source: Hashable) -> None:
    if source not in kept and len(kept) >= MOST_SOURCES:
        raise CommandRefusedError(f'{MOST_SOURCES} sources command already')


def _sum(several: list[Array]) -> Array | None:
    """Return the sum of arrays in an order that depends on them only; None of none."""
    if len(several) > 1:
        several.sort(key=np.ndarray.tobytes)
    total = None
    for load in several:
        total = load if total is None else total + load
    return total


def _refuse_beyond(check: Callable[..., None], *several: FlatWrench) -> None:
    """Raise CommandRefusedError where core.simulation.limits refuses loads (12,)."""
    try:
        check(*several)
    except ValueError as error:
        raise CommandRefusedError(str(error)) from None


def _check_finite(values: list[float]) -> None:
    if not all(map(math.isfinite, values)):
        raise CommandRefusedError('a component is not finite')
