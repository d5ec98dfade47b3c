# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Watch the controllers that a run in lockstep waits for."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.simulation.run_state import RunState
    from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode
    from spacecraft_attitude_sim.nodes.simulator.commands import Commands
    from spacecraft_attitude_sim.nodes.simulator.driver import Driver
    from spacecraft_attitude_sim.nodes.simulator.run_member import RunMember


# How often to look for controllers, and how long their connections must be stable [s].
POLL = 0.1
SETTLE = 0.5
# Without a lockstep_timeout, the longest wait for a source that has never answered [s].
LONGEST_SPEECHLESS = 5.0
# After this time of waiting, log what the run waits for [s].
LONGEST_SILENT_WAIT = 2.0


class Lockstep:
    """Waits for controllers before the first tick, and for their answers to each tick.

    node: of the first spacecraft, for its log;  run: RunState
    driver: Driver; all its spacecraft in lockstep are waited for
    """

    def __init__(self, node: GuardedNode, run: RunState, driver: Driver) -> None:
        self._node, self._run, self._driver = node, run, driver
        self._connected: tuple[list | None, float] = None, 0.0  # sources, and since when [s]
        self._watching = False
        self.wait_anew()

    @property
    def _waiting(self) -> list[RunMember]:
        """The spacecraft that wait for answers."""
        return [one for one in self._driver.spacecraft if one.value('lockstep')]

    @property
    def _commands(self) -> list[Commands]:
        return [one.commands for one in self._waiting]

    def ready(self) -> bool:
        """Return whether the run may start; if not, call `driver.start` again later."""
        if not self._watching:
            self._watching = True
            self._looked = time.monotonic()
            self._driver.timer(POLL, self._watch)
        if not self._controllers_connected():
            return False
        for commands in self._commands:
            commands.await_present()
        return True

    def resume(self) -> None:
        """Wait for the present sources; after a halt, only for those that answer."""
        for commands in self._commands:
            if self._run.halted:
                commands.leave_out_missing()
            else:
                commands.await_present()

    def wait_anew(self) -> None:
        """Restart the measurement of the waiting time."""
        self._waited, self._told, self._asked_again = 0.0, False, False

    def owed(self) -> bool:
        """Return whether an awaited answer is missing."""
        return any(commands.owed() for commands in self._commands if not commands.answered)

    def waits_for(self) -> str:
        """Return as text what the run waits for and what may help; '' for nothing."""
        run = self._run
        if run.paused or run.finished:
            return ''
        if not run.started:
            if unreached := self._unreached():
                return f'lockstep waits for the connection of {unreached}'
            return (
                f'lockstep waits for a controller: no node publishes {self._lacking()} and '
                'subscribes to a sensor yet; start one, or run without lockstep'
            )
        if self._waited < LONGEST_SILENT_WAIT:
            return ''
        return f'lockstep waits for the answer to tick {run.tick} from {self.missing()}'

    def _lacking(self) -> str:
        """Return the awaited topics without a publisher, or all if none lacks one."""
        lacking = [self._named(one, one.commands.lacking()) for one in self._waiting]
        awaited = [self._named(one, one.commands.awaited_topics) for one in self._waiting]
        return ', '.join(itertools.chain(*(lacking if any(lacking) else awaited)))

    def missing(self) -> str:
        """Return the names of all spacecraft's sources that have not answered the tick."""
        late = [one for one in self._waiting if not one.commands.answered]
        names = [
            one.commands.missing() or self._named(one, one.commands.awaited_topics) for one in late
        ]
        return ', '.join(itertools.chain(*names))

    def _named(self, one: RunMember, topics: list[str]) -> list[str]:
        """Return the names of topics; with several spacecraft, their full names."""
        several = len(self._driver.spacecraft) > 1
        return [one.resolve_topic_name(topic) for topic in topics] if several else topics

    def _controllers_connected(self) -> bool:
        """Return whether controllers and all listeners have been connected for SETTLE."""
        waiting = [one for one in self._waiting if not one.commands.answered_by_tables]
        if not waiting:
            return True
        sources = [each.present() for one in waiting for each in one.commands.sources.values()]
        listening = all(listeners_of(one) for one in waiting)
        lacking = any(commands.lacking() for commands in self._commands)
        if lacking or not listening or self._unreached():
            self._connected = None, 0.0
            return False
        before, since = self._connected
        now = time.monotonic()
        if sources != before:
            self._connected = sources, now
            return False
        return now - since >= SETTLE

    def _unreached(self) -> str:
        """Return the first topic that does not reach all its subscribers yet, as text, or ''."""
        for one in self._driver.spacecraft:
            for stream in one.streams:
                there = self._node.count_subscribers(stream.topic_name)
                if (reached := stream.get_subscription_count()) < there:
                    return f'{stream.topic_name}, which reaches {reached} of {there} subscribers'
        return ''

    def _watch(self) -> None:
        """Check what the run waits for, at its start or for an answer."""
        now = time.monotonic()
        # If this process was stopped or starved, an answer may have arrived unread.
        self._waited += min(now - self._looked, 2 * POLL)
        self._looked = now
        if not self._run.started:
            self._driver.start()
        elif not self._run.running or self._run.answered:
            self.wait_anew()
        elif self._waited > POLL:
            self._on_silence()
        if self._waited >= LONGEST_SILENT_WAIT and not self._told:
            self._told = True
            self._node.get_logger().warning(self.waits_for())

    def _on_silence(self) -> None:
        for commands in self._commands:
            commands.drop_gone()
        timeout = self._driver.spacecraft[0].value('lockstep_timeout')
        patience = timeout or LONGEST_SPEECHLESS
        if self.owed() and patience / 2.0 <= self._waited and not self._asked_again:
            # A best-effort subscriber may have lost a message; then both sides would wait.
            self._asked_again = True
            self._driver.publish()
        if self._run.answered or self._waited < patience:
            return
        names = [commands.leave_out_speechless() for commands in self._commands]
        if any(names):
            self._node.get_logger().warning(
                f'lockstep goes on without {", ".join(itertools.chain(*names))}, which never '
                'answered; after its first answer ticks wait for it, too'
            )
            return
        if timeout == 0.0:
            return
        self._driver.halt(
            f'no answer stamped with tick {self._run.tick} came within {timeout:g} s from '
            f'{self.missing()}; {self._remedy()}'
        )

    def _remedy(self) -> str:
        return 'call ~/pause with false to go on without it'


def listeners_of(member: RunMember) -> int:
    """Return the number of subscribers of a spacecraft."""
    return sum(stream.get_subscription_count() for stream in member.streams)
