# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The state machine of a mission: from a table and what is known, the mode of each time.

It has no clock and no random numbers: the same values at the same times give the same modes.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from spacecraft_attitude_sim.core.mission.quantities import TIME_IN_MODE, UNITS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.mission.table import Mode, Order, Table, Transition

START, FORCED = 'start', 'forced'


class Decision(NamedTuple):
    """The mode at a time.

    time_ns: of the decision;  order: what the mode commands
    since_ns: when it was entered;  before: name of the mode before, '' at the start
    reason: why it was entered
    """

    time_ns: int
    order: Order
    since_ns: int
    before: str
    reason: str

    @property
    def entered(self) -> bool:
        """Whether the mode was entered at this time."""
        return self.time_ns == self.since_ns


class ModeMachine:
    """Decides the mode of each time by a Table.

    At each time it makes one change at most. A condition that must hold for some time has held
    since the first of the times at which it did.

    forced: name of the mode that it is held in, '' for none
    changes: how many since the start;  problem: why a due transition waits, or ''
    """

    def __init__(self, table: Table) -> None:
        self.table, self.forced = table, ''
        self._seen: dict[str, set[str]] = {}  # {mode: quantities of its conditions}
        self.restart()

    def restart(self) -> None:
        """Begin again in the first mode; a forced mode stays forced."""
        self.changes, self.problem = 0, ''
        self._last: Decision | None = None
        self._since: dict[tuple[str, int], int] = {}  # {place of a transition: when it held first}
        self._recent: deque[int] = deque()  # times of the latest changes [ns]

    def force(self, name: str) -> None:
        """Hold a mode from the next decision on, until `force` with ''.

        Raises ValueError for an unknown name; then nothing changes.
        """
        if name and name not in self.table.modes:
            raise ValueError(f"no mode '{name}'; there are {', '.join(self.table.modes)}")
        self.forced = name

    def sees(self, quantity: str) -> bool:
        """Return whether the next decision may depend on a quantity."""
        mode = self._last.order.mode if self._last else self.table.start
        if mode not in self._seen:
            lines = (*self.table.anywhere, *self._mode(mode).transitions)
            self._seen[mode] = {name for line in lines for name in line.names}
        return quantity in self._seen[mode]

    def decide(self, time_ns: int, values: Mapping[str, float]) -> Decision:
        """Return the Decision at a time [ns].

        The latest time again gets the same Decision; an earlier one begins a new run.

        values: {quantity: value} of core.mission.quantities, NaN where it is not known
        """
        last = self._last
        if last and time_ns == last.time_ns:
            return last
        if last and time_ns < last.time_ns:
            self.restart()
            last = None
        if last is None:
            order = self.table.modes[self.table.start].order
            self._last = Decision(time_ns, order, time_ns, '', START)
            return self._last
        values = {**values, TIME_IN_MODE: 1e-9 * (time_ns - last.since_ns)}
        self._last = self._next(last, time_ns, values)
        return self._last

    def _next(self, last: Decision, time_ns: int, values: Mapping[str, float]) -> Decision:
        """Return the Decision after another, at a later time."""
        self.problem = ''
        name = last.order.mode
        if self.forced:
            self._since.clear()
            if name == self.forced:
                return last._replace(time_ns=time_ns)
            return self._entered(last, time_ns, self.forced, FORCED)
        anywhere = self._due('', self.table.anywhere, time_ns, values, but=name)
        own = self._due(name, self._mode(name).transitions, time_ns, values)
        if anywhere:
            return self._entered(last, time_ns, anywhere.target, _reason(anywhere, values))
        if own is None or time_ns - last.since_ns < self.table.dwell_ns:
            return last._replace(time_ns=time_ns)
        if not self._chatters(time_ns):
            return self._entered(last, time_ns, own.target, _reason(own, values))
        self.problem = (
            f'{own.text} waits: {self.table.most} changes of mode within '
            f'{1e-9 * self.table.window_ns:g} s'
        )
        if self.table.refuge in ('', name):
            return last._replace(time_ns=time_ns)
        return self._entered(last, time_ns, self.table.refuge, self.problem)

    def _mode(self, name: str) -> Mode:
        return self.table.modes[name]

    def _due(
        self,
        place: str,
        transitions: tuple[Transition, ...],
        time_ns: int,
        values: Mapping[str, float],
        but: str = '',
    ) -> Transition | None:
        """Return the first Transition that is due, after a look at all of them.

        place: name of their mode, '' for those of every mode;  but: a target that is left out
        """
        first = None
        for number, transition in enumerate(transitions):
            key = place, number
            if transition.target == but or not self._holds(key, transition, values):
                self._since.pop(key, None)
                continue
            since_ns = self._since.setdefault(key, time_ns)
            if first is None and time_ns - since_ns >= transition.hold_ns:
                first = transition
        return first

    def _holds(
        self, key: tuple[str, int], transition: Transition, values: Mapping[str, float]
    ) -> bool:
        if key in self._since and transition.ends:
            return not transition.ends(values)
        return transition.begins(values)

    def _chatters(self, time_ns: int) -> bool:
        """Return whether there were too many changes of late."""
        while self._recent and time_ns - self._recent[0] > self.table.window_ns:
            self._recent.popleft()
        return len(self._recent) >= self.table.most

    def _entered(self, last: Decision, time_ns: int, name: str, reason: str) -> Decision:
        """Return the Decision that enters a mode, and forget what held in the one before."""
        self.changes += 1
        self._recent.append(time_ns)
        if len(self._recent) > self.table.most:
            self._recent.popleft()
        self._since = {key: since for key, since in self._since.items() if key[0] == ''}
        return Decision(time_ns, self._mode(name).order, time_ns, last.order.mode, reason)


def _reason(transition: Transition, values: Mapping[str, float]) -> str:
    """Return the text of a transition with the values that it saw."""
    seen = ', '.join(
        f'{name} {values[name]:.4g} {UNITS[name]}'.rstrip() for name in transition.names
    )
    return f'{transition.text} ({seen})'
