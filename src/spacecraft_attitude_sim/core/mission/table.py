# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The table of a mission: its modes, and the transitions between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

Holds = Callable[[Mapping[str, float]], bool]


class Transition(NamedTuple):
    """A way to another mode.

    text: as the table has it;  target: name of the mode
    names: quantities of its condition, for the reason
    begins: function of {quantity: value}: whether its condition holds
    ends: function of the same: whether it no longer holds once it has begun; None: where `begins`
        is false
    hold_ns: how long it must hold [ns]
    """

    text: str
    target: str
    names: tuple[str, ...]
    begins: Holds
    ends: Holds | None = None
    hold_ns: int = 0


class Order(NamedTuple):
    """What a mode commands.

    mode: its name;  law: mode of the controller, one of core.control.attitude_loop.MODES
    profile: of guidance; '' leaves what it has
    unloads: whether the dipoles may unload the wheels
    """

    mode: str
    law: str
    profile: str = ''
    unloads: bool = True


class Mode(NamedTuple):
    """A mode: its Order, and the Transitions out of it; of two that are due the first counts."""

    order: Order
    transitions: tuple[Transition, ...] = ()


class Table(NamedTuple):
    """The modes of a mission.

    modes: {name: Mode};  start: name of the first
    anywhere: Transitions out of every mode but their target; they come before its own
    dwell_ns: least time in a mode before a transition of its own [ns]
    most: number of changes in window_ns [ns] after which a mode's own transitions wait
    refuge: name of the mode that is then entered; '' stays
    """

    modes: dict[str, Mode]
    start: str
    anywhere: tuple[Transition, ...] = ()
    dwell_ns: int = 0
    most: int = 10
    window_ns: int = 600_000_000_000
    refuge: str = ''
