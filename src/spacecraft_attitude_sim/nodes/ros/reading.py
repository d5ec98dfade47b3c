# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Read serialised messages of which only the numbers change from one to the next.

rclpy makes each message attribute by attribute through Python, and takes 5 to 30 us for it.
"""

from __future__ import annotations

import struct
from array import array
from typing import TYPE_CHECKING, Any

from rclpy.serialization import deserialize_message

from spacecraft_attitude_sim.nodes.ros.serialised import ENCAPSULATION, NUMBERS, append

if TYPE_CHECKING:
    from collections.abc import Callable

    from rclpy.type_support import Msg


class Reader:
    """Reads the messages of one type, as rclpy does.

    Those that differ from the last one in numbers only are read fast. They share what is equal,
    such as covariances: nobody may write to it.
    """

    def __init__(self, kind: type[Msg]) -> None:
        self._kind = kind
        self._form: _Form | None = None
        self._is_slow = False  # its messages cannot be read fast

    def __call__(self, data: bytes) -> Any:
        """Return the message in serialised data."""
        if self._form and self._form.fits(data):
            return self._form.message(data)
        message = deserialize_message(data, self._kind)
        if not self._is_slow:
            self._form = _form_of(message, data)
            self._is_slow = self._form is None
        return message


def _form_of(message: Msg, data: bytes) -> _Form | None:
    """Return the form of a message and its bytes; None if it is not read right by that."""
    try:
        form = _Form(message, data)
        return form if _bits(form.message(data)) == _bits(message) else None
    except (TypeError, ValueError, struct.error):
        return None


def _bits(message: Msg) -> bytearray:
    """Return all that is in a message, also a NaN, which equals nothing."""
    data = bytearray()
    append(data, message)
    return data


class _Form:
    """Where the numbers of a message are in its bytes, and in the message.

    Raises TypeError or ValueError where it cannot tell.
    """

    def __init__(self, message: Msg, data: bytes) -> None:
        self._passed = bytearray(ENCAPSULATION)
        self._places: list[tuple[int, struct.Struct]] = []
        self._make = self._maker(message)
        layout, begin, self._same = '=', 0, list[tuple[slice, bytes]]()
        for place, number in [*self._places, (len(data), struct.Struct(''))]:
            between = slice(begin, place)
            if begin < place:
                self._same.append((between, data[between]))
            layout += f'{place - begin}x{number.format.strip("=")}'
            begin = place + number.size
        self._numbers = struct.Struct(layout)

    def fits(self, data: bytes) -> bool:
        """Return whether a message differs from the first one in numbers only."""
        return len(data) == self._numbers.size and all(
            data[place] == same for place, same in self._same
        )

    def message(self, data: bytes) -> Any:
        """Return the message in bytes that fit."""
        return self._make(self._numbers.unpack(data))

    def _maker(self, value: Any) -> Callable[[tuple[Any, ...]], Any]:
        """Return a function of all numbers that makes such a message or part of one."""
        numbers, lists, parts = list[tuple[str, int]](), list[tuple[str, slice]](), []
        for field, kind in value.get_fields_and_field_types().items():
            slot, item = f'_{field}', getattr(value, field)
            if hasattr(item, 'get_fields_and_field_types'):
                parts.append((slot, self._maker(item)))
                continue
            if kind.startswith('sequence<') and hasattr(next(iter(item), None), 'SLOT_TYPES'):
                raise TypeError(f'{field} has messages in it, which differ in more than numbers')
            append(self._passed, item, kind)
            if kind in NUMBERS:
                numbers.append((slot, self._note(1, NUMBERS[kind]).start))
            elif kind == 'sequence<double>':
                lists.append((slot, self._note(len(item), NUMBERS['double'])))
        changing = {slot for slot, _ in (*numbers, *lists, *parts)}
        type_of: Any = type(value)
        new = type_of.__new__
        same = [(slot, getattr(value, slot)) for slot in type_of.__slots__ if slot not in changing]

        def make(values: tuple[Any, ...]) -> Any:
            message = new(type_of)
            for slot, item in same:
                setattr(message, slot, item)
            for slot, place in numbers:
                setattr(message, slot, values[place])
            for slot, place_of_all in lists:
                setattr(message, slot, array('d', values[place_of_all]))
            for slot, part in parts:
                setattr(message, slot, part(values))
            return message

        return make

    def _note(self, count: int, number: struct.Struct) -> slice:
        """Note that the last bytes are so many numbers; return which of all numbers they are."""
        end, before = len(self._passed), len(self._places)
        self._places += [(end - number.size * k, number) for k in range(count, 0, -1)]
        return slice(before, len(self._places))
