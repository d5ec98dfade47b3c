# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft side by side: states of what only some craft have, all kinds of them in turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.batch.craft_delayed import lose_queues, read_queues, write_queues
from spacecraft_attitude_sim.core.batch.craft_inside import lose_inside, read_moved, write_moved
from spacecraft_attitude_sim.core.batch.craft_magnets import (
    lose_magnets,
    read_matching,
    write_matching,
)
from spacecraft_attitude_sim.core.batch.craft_pushed import lose_thrust, read_thrust, write_thrust
from spacecraft_attitude_sim.core.batch.craft_tilted import lose_tilts, read_tilts, write_tilts
from spacecraft_attitude_sim.kernels.kernel import part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.batch.craft_rows import Extras
    from spacecraft_attitude_sim.core.mathematics.types import Array


@part
def read_extras(w: Array, extras: Extras, i: int, parts: Array, internal: Array) -> None:
    """Write states of a craft to lane i."""
    read_matching(extras.magnets, i, parts, internal)
    read_moved(w, extras.within, i, parts, internal)
    read_thrust(extras.pushed, i, internal)
    read_queues(extras.delayed, i, parts, internal)
    read_tilts(extras.tilted, i, parts, internal)


@part
def write_extras(extras: Extras, i: int, parts: Array, internal: Array) -> None:
    """Write internal states of a craft from lane i."""
    write_matching(extras.magnets, i, parts, internal)
    write_moved(extras.within, i, parts, internal)
    write_thrust(extras.pushed, i, parts, internal)
    write_queues(extras.delayed, i, parts, internal)
    write_tilts(extras.tilted, i, parts, internal)


@part
def lose_extras(extras: Extras, i: int) -> None:
    """Let the states in lane i be nan."""
    lose_magnets(extras.magnets, i)
    lose_inside(extras.within, i)
    lose_thrust(extras.pushed, i)
    lose_queues(extras.delayed, i)
    lose_tilts(extras.tilted, i)
