# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Select panels of a run by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.drawing import (
    contact_figures,
    curves,
    internal_figures,
    orbit_figures,
    panel_names,
    part_figures,
    response_report,
)
from spacecraft_attitude_sim.drawing.limited_panels import Limited
from spacecraft_attitude_sim.drawing.panel_names import ALSO

if TYPE_CHECKING:
    from spacecraft_attitude_sim.recording.history import History


# Names of what only a run on a floor has.
ON_FLOOR = ('position', 'contact_force')
# {name: what makes the panel}, of what every run has beside `every`.
MORE = {'euler_angles': curves.euler_panel, 'angular_momentum': curves.momentum_panel}


def panels(
    history: History,
    wanted: Sequence[str],
    attitude: str | None = None,
    others: Mapping[str, Limited] = MappingProxyType({}),
) -> list[Limited]:
    """Return the panels of a History that have some names, in the order of these.

    wanted: of panel_names.NAMES and ALSO, or of others;  attitude: one of curves.ATTITUDES
    others: {name: another panel}
    Raises ValueError for a name that there is not, or that this run has not.
    """
    for name in wanted:
        panel_names.check(name, others)
    there = every(history, attitude)
    found = []
    for word in wanted:
        name = ALSO.get(word, word)
        those = [one for one in there if one.panel.key == name]
        if name in MORE:
            those = [Limited(MORE[name](history))]
        if name in others:
            those = [others[name]]
        if not those:
            known = ', '.join(dict.fromkeys((*(one.panel.key for one in there), *MORE)))
            raise ValueError(f"this run has no panel '{word}'; it has {known}")
        # L is that of the wheels' figure, too.
        found += those[:1] if name == 'L' else those
    return found


def every(history: History, attitude: str | None = None) -> list[Limited]:
    """Return all panels of a History."""
    plain = [*curves.attitude_panels(history, attitude), *curves.free_panels(history)]
    if history.contact:
        plain += [one for one in contact_figures.panels(history) if one.key in ON_FLOOR]
    plain += response_report.panels_of_history(history)
    limited = [Limited(panel) for panel in plain]
    of_parts = part_figures.panels(history)
    internal = of_parts.pop('internal', [])
    for several in of_parts.values():
        limited += several
    if history.orbit:
        limited += orbit_figures.panels(history.orbit)
    limited += internal
    if history.rotation and history.rotation.momentum_B.any():
        limited += internal_figures.sink_panels(history.rotation)
    return limited
