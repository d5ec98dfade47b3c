# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Flexible modes, hinged panels and sliding masses: parts with one displacement each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.configuration.parts import (
    flexible_modes,
    hinged_panels,
    modal_file,
    sliding_masses,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spacecraft_attitude_sim.configuration.parts.named import AtStart, Given
    from spacecraft_attitude_sim.core.parts.coordinates.description import Coordinates

LABEL = 'internal'
PARAMETERS = (
    flexible_modes.NAMES, modal_file.FILE, hinged_panels.NAMES, sliding_masses.NAMES,
)  # fmt: skip
NAMED = (flexible_modes.NAMED, hinged_panels.NAMED, sliding_masses.NAMED)
LINES: dict[str, Callable[..., Iterator[str]]] = {
    'flexible_mode': flexible_modes.lines, 'panel': hinged_panels.lines,
    'sliding_mass': sliding_masses.lines,
}  # fmt: skip


def part(given: Given) -> Coordinates | None:
    """Return the Coordinates, or None if there are none.

    Raises ParameterError naming part, value and remedy.
    """
    values, center_of_mass, _ = given
    if not any(values[lists] for lists, _, _ in NAMED):
        return None
    from spacecraft_attitude_sim.core.parts.coordinates.description import Coordinates

    return Coordinates({
        **flexible_modes.each(values), **hinged_panels.each(values, center_of_mass),
        **sliding_masses.each(values, center_of_mass),
    })  # fmt: skip


def lines(coordinates: Coordinates, start: AtStart) -> Iterator[str]:  # noqa: ARG001
    """Yield the lines of the text summary."""
    for name, coordinate in coordinates.each.items():
        yield from LINES[coordinate.PREFIX](name, coordinate)
