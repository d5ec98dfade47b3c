# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The delay of a controller from a measurement to its command: computing and transport.

A simulator takes commands where it has read the sensors. So a command acts with the first reading
that is not earlier than its own one plus the delay: the delay in whole intervals of readings.
"""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

Command = TypeVar('Command')


def readings_late(delay_ns: int, interval_ns: int) -> int:
    """Return how many readings later a command acts; interval_ns: between readings [ns]."""
    return -(-delay_ns // interval_ns)


class CommandDelay(Generic[Command]):
    """Keeps commands until they are due.

    delay_ns: [ns];  rest: what is commanded before the first one is due
    """

    def __init__(self, delay_ns: int, rest: Command) -> None:
        self._delay_ns, self._rest = delay_ns, rest
        self.clear()

    def clear(self) -> None:
        """Forget all commands that are not due: from here on rest is commanded."""
        self._waiting: deque[tuple[int, Command]] = deque()
        self._due = self._rest
        self._latest_ns: int | None = None

    def due(self, time_ns: int, command: Command) -> Command:
        """Return the command that is due with a reading, whose own one waits until it is due.

        If the reading comes again, return the same again.

        time_ns: of the reading;  command: that answers it
        """
        if self._latest_ns is not None and time_ns < self._latest_ns:
            self.clear()  # time began again
        if time_ns != self._latest_ns:
            self._latest_ns = time_ns
            self._waiting.append((time_ns + self._delay_ns, command))
            while self._waiting and self._waiting[0][0] <= time_ns:
                self._due = self._waiting.popleft()[1]
        return self._due
