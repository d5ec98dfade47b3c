# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Messages as the bytes that go over the wire, of which only the numbers are written anew.

rclpy reads a message attribute by attribute, through Python, every time it is published: with the
writing of those attributes ten times the cost of joining the bytes. Where the numbers stand is
found in a message that the middleware itself has serialised, so no layout is assumed here.
"""

import numpy as np
from rclpy.serialization import serialize_message

# Numbers and a tick whose bytes stand nowhere else in a message.
MARKS = np.sqrt(np.arange(2.0, 40.0))
MARK_TICK = 1_000_003


class SerialisedMessage:
    """The bytes of a message, cut where they change from tick to tick.

    message: with marks in place of the numbers that change
    marks: bytes of those, in the order in which they stand in the message
    Raises ValueError when one is not there.
    """

    def __init__(self, message, *marks):
        self._pieces, rest = [], serialize_message(message)
        for mark in marks:
            before, found, rest = rest.partition(mark)
            if not found:
                raise ValueError(f'{type(message).__name__} does not hold {mark!r} there')
            self._pieces += [before, mark]
        self._pieces.append(rest)

    def of(self, *numbers):
        """Return the message with these bytes in place of the marks."""
        self._pieces[1::2] = numbers
        return b''.join(self._pieces)
