# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What a kind of part tells of itself: one declaration for messages, tables and figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Shown(NamedTuple):
    """How figures draw a channel.

    key: of drawing.panel_names;  label: of the vertical axis, without its unit
    unit: of the axis;  factor: that turns values of the channel into this unit
    both: whether the limit applies to both signs
    size: of a vector of all parts, the name of its magnitude
    """

    key: str
    label: str
    unit: str
    factor: float = 1.0
    both: bool = True
    size: str = ''

    @property
    def axis(self) -> str:
        """Label of the vertical axis, with its unit."""
        return f'{self.label} [{self.unit}]'


class Channel(NamedTuple):
    """A quantity of the parts of a kind: (N,), a vector of each (N, 3), or one of all (3,).

    name: of its array in a history
    of: function of the parts and a core.spacecraft.channels.Moment that returns it, or None where
        it is not known; without a function, the history computes it
    column, unit: in tables, '' for none; a vector has a column for each axis, x in the place of *
    joint: field of joint_states that carries it: 'position', 'velocity', 'effort', or 'said' for
        a velocity as measured
    limit: attribute of the parts with the limits (N,) of its magnitude
    shown: in figures, or None;  kept: whether a history has it
    """

    name: str
    of: Callable[[Any, Any], Any] | None
    column: str = ''
    unit: str = ''
    joint: str = ''
    limit: str = ''
    shown: Shown | None = None
    kept: bool = True
