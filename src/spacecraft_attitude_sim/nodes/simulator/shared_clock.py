# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Messages between the processes of one run: ticks of the master and answers of the followers.

Both use diagnostic_msgs/DiagnosticStatus, so that you can read them with `ros2 topic echo`. Each
message holds the complete state, so a lost or overtaken message does no harm.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue

from spacecraft_attitude_sim.recording.topics import SHARED_CLOCK
from spacecraft_attitude_sim.safety.quoting import cut

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.nodes.simulator.run_member import RunMember


TICK, ANSWER = SHARED_CLOCK
# States of a run. The last ones mean that it has ended.
WAITING, RUNNING, PAUSED, HALTED, COMPLETED, QUIT, FAILED = STATES = (
    'waiting', 'running', 'paused', 'halted', 'completed', 'quit', 'failed',
)  # fmt: skip
OVER = (COMPLETED, QUIT, FAILED)
# The tick in the answer of a follower that has not begun.
NOT_BEGUN = -1
_TICK, _ELAPSED, _LENGTH, _RATE, _STATE, _SPACECRAFT = (
    'tick', 'ticks since the start or reset', 'length of a tick [ns]', 'real-time factor', 'state',
    'spacecraft',
)  # fmt: skip
# A message beyond these limits is not from this program.
MOST_VALUES, LONGEST_TEXT, LARGEST_RATE, LARGEST = 16, 20_000, 1e6, 2**63 - 1
WHOLE = r'-?[0-9]{1,19}'


class Tick(NamedTuple):
    """A message of the master.

    master: name of its node;  run: unique name of the run
    tick: the current tick;  elapsed: ticks since the start or the last reset
    tick_ns: length of a tick [ns];  rate: real-time factor
    state: one of STATES;  text: its reason, or ''
    followers: names of the spacecraft whose answers it waits for
    """

    master: str
    run: str
    tick: int
    elapsed: int
    tick_ns: int
    rate: float
    state: str
    text: str
    followers: tuple[str, ...]

    @property
    def first_tick(self) -> int:
        """The tick of the initial states."""
        return self.tick - self.elapsed

    @property
    def paused(self) -> bool:
        """Whether ticks do not advance by themselves."""
        return self.state in (PAUSED, HALTED)


class Answer(NamedTuple):
    """A message of a follower.

    follower: name of its node;  run: the run that it answers, or '';  spacecraft: their names
    tick: the tick that they have taken and their controllers answered; NOT_BEGUN before the first
    level: OK for an answer, WARN if it is still to come, ERROR for an error that ends the run
    text: what it waits for, or what is wrong
    """

    follower: str
    run: str
    spacecraft: tuple[str, ...]
    tick: int
    level: bytes = DiagnosticStatus.OK
    text: str = ''


def tick_to_ros(said: Tick) -> DiagnosticStatus:
    """Return a Tick as a message."""
    level = DiagnosticStatus.ERROR if said.state in (HALTED, FAILED) else DiagnosticStatus.OK
    values = {
        _TICK: said.tick,
        _ELAPSED: said.elapsed,
        _LENGTH: said.tick_ns,
        _RATE: said.rate,
        _STATE: said.state,
        _SPACECRAFT: ' '.join(said.followers),
    }
    return _to_ros(said.master, said.run, level, said.text, values)


def tick_from_ros(message: DiagnosticStatus) -> Tick:
    """Return the Tick in a message; ValueError if it is invalid."""
    values = _values(message)
    tick, elapsed = _whole(values, _TICK), _whole(values, _ELAPSED)
    length, rate, state = _whole(values, _LENGTH), float(values[_RATE]), values[_STATE]
    if not 0 <= elapsed <= tick <= LARGEST or length <= 0:
        raise ValueError(f'tick {tick}, {elapsed} since the start, of {length} ns cannot be')
    if not (math.isfinite(rate) and 0.0 <= rate <= LARGEST_RATE) or state not in STATES:
        raise ValueError(f'real-time factor {rate}, state {cut(state)!r} cannot be')
    followers = tuple(values[_SPACECRAFT].split())
    text = cut(message.message)
    return Tick(
        message.name, message.hardware_id, tick, elapsed, length, rate, state, text, followers
    )


def answer_to_ros(said: Answer) -> DiagnosticStatus:
    """Return an Answer as a message."""
    values = {_TICK: said.tick, _SPACECRAFT: ' '.join(said.spacecraft)}
    return _to_ros(said.follower, said.run, said.level, said.text, values)


def answer_from_ros(message: DiagnosticStatus) -> Answer:
    """Return the Answer in a message; ValueError if it is invalid."""
    values = _values(message)
    tick = _whole(values, _TICK)
    if not NOT_BEGUN <= tick <= LARGEST:
        raise ValueError(f'an answer to tick {tick} cannot be')
    spacecraft = tuple(values[_SPACECRAFT].split())
    text = cut(message.message)
    return Answer(message.name, message.hardware_id, spacecraft, tick, message.level, text)


def name_of(member: RunMember) -> str:
    """Return the name of a spacecraft in a run: its namespace."""
    return member.get_namespace().strip('/')


def _to_ros(
    name: str, run: str, level: bytes, text: str, values: Mapping[str, object]
) -> DiagnosticStatus:
    pairs = [KeyValue(key=key, value=str(value)) for key, value in values.items()]
    return DiagnosticStatus(name=name, hardware_id=run, level=level, message=text, values=pairs)


def _values(message: DiagnosticStatus) -> dict[str, str]:
    """Return {key: value} of a message of either kind, from an untrusted source."""
    texts = (message.name, message.hardware_id, message.message)
    pairs = message.values
    if len(pairs) > MOST_VALUES or any(len(text) > LONGEST_TEXT for text in texts):
        raise ValueError('more than a run says')
    values = {pair.key: pair.value for pair in pairs}
    if any(len(text) > LONGEST_TEXT for text in values.values()):
        raise ValueError('more than a run says')
    return values


def _whole(values: Mapping[str, str], key: str) -> int:
    if not re.fullmatch(WHOLE, values[key]):
        raise ValueError(f'{key} is {cut(values[key])!r}, not a whole number')
    return int(values[key])
