# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Looks after the controllers that a run in lockstep waits for."""

import time

# How often to look for controllers, and how long to let their connections settle [s].
POLL = 0.1
SETTLE = 0.5
# Without a lockstep_timeout, how long others wait for a source that has never answered [s].
LONGEST_SPEECHLESS = 5.0
# After so much waiting the console is told whom for [s].
LONGEST_SILENT_WAIT = 2.0


class Lockstep:
    """Waits for controllers before the first tick, and for their answers to each.

    node: the simulator, for its graph, timers and log;  run: RunState;  commands: Commands
    streams: publishers that must reach whoever listens
    publish: publishes the present tick again;  halt: pauses the run, with a reason
    """

    def __init__(self, node, run, commands, streams, publish, halt):
        self._node, self._run, self._commands = node, run, commands
        self._streams, self._publish, self._halt = streams, publish, halt
        self._connected: tuple[list | None, float] = None, 0.0  # which sources, since when [s]
        self._watching = False
        self.wait_anew()

    def ready(self):
        """Return whether the run may start; look again, by `node.start`, until it has."""
        if not self._watching:
            self._watching = True
            self._looked = time.monotonic()
            self._node.timer(POLL, self._watch)
        if not self._controllers_connected():
            return False
        self._commands.await_present()
        return True

    def resume(self):
        """Wait for the sources there are; after a halt, for those alone that answer."""
        if self._run.halted:
            self._commands.leave_out_missing()
        else:
            self._commands.await_present()

    def wait_anew(self):
        """Count the time of waiting from now."""
        self._waited, self._told, self._asked_again = 0.0, False, False

    def waits_for(self):
        """Say what the run waits for, and what may help; '' where it does not wait."""
        run, commands = self._run, self._commands
        if run.paused or run.finished:
            return ''
        if not run.started:
            topics = ', '.join(commands.lacking() or commands.awaited_topics)
            return (
                f'lockstep waits for a controller: none publishes {topics} and hears a sensor '
                'yet; start one, or run without lockstep'
            )
        if self._waited < LONGEST_SILENT_WAIT:
            return ''
        return f'lockstep waits for the answer to tick {run.tick} from {self._missing()}'

    def _missing(self):
        return ', '.join(self._commands.missing() or self._commands.awaited_topics)

    def _controllers_connected(self):
        """Return whether controllers, and all listeners, have been connected for SETTLE."""
        sources = [sources.present() for sources in self._commands.sources.values()]
        listening = any(stream.get_subscription_count() for stream in self._streams)
        reached = all(
            stream.get_subscription_count() >= self._node.count_subscribers(stream.topic_name)
            for stream in self._streams
        )
        if self._commands.lacking() or not (listening and reached):
            self._connected = None, 0.0
            return False
        before, since = self._connected
        now = time.monotonic()
        if sources != before:
            self._connected = sources, now
            return False
        return now - since >= SETTLE

    def _watch(self):
        """Look after whom the run waits for: for its start, or for an answer."""
        now = time.monotonic()
        # A node that was stopped or starved has not been waiting: its answer may be there.
        self._waited += min(now - self._looked, 2 * POLL)
        self._looked = now
        if not self._run.started:
            self._node.start()
        elif not self._run.running or self._run.answered:
            self.wait_anew()
        elif self._waited > POLL:
            self._on_silence()
        if self._waited >= LONGEST_SILENT_WAIT and not self._told:
            self._told = True
            self._node.get_logger().warning(self.waits_for())

    def _on_silence(self):
        commands = self._commands
        commands.drop_gone()
        timeout = self._node.value('lockstep_timeout')
        patience = timeout or LONGEST_SPEECHLESS
        if commands.owed() and patience / 2.0 <= self._waited and not self._asked_again:
            # A best-effort subscriber may have lost a message; it would wait as long as we do.
            self._asked_again = True
            self._publish()
        if self._run.answered or self._waited < patience:
            return
        if names := commands.leave_out_speechless():
            self._node.get_logger().warning(
                f'lockstep goes on without {", ".join(names)}, which never answered; ticks wait '
                'for it from its first answer on'
            )
            return
        if timeout == 0.0:
            return
        self._halt(
            f'no answer stamped with tick {self._run.tick} came within {timeout:g} s from '
            f'{self._missing()}; call ~/pause with false to go on without it'
        )
