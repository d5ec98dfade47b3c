# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Select panels of a run by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.configuration.suggestion import hint
from spacecraft_attitude_sim.drawing import (
    actuator_figures,
    contact_figures,
    curves,
    internal_figures,
    orbit_figures,
    response_report,
    wheel_figures,
)
from spacecraft_attitude_sim.drawing.limited_panels import Limited
from spacecraft_attitude_sim.drawing.panel_names import NAMES

if TYPE_CHECKING:
    from spacecraft_attitude_sim.recording.history import History


def panels(history: History, wanted: Sequence[str], attitude: str | None = None) -> list[Limited]:
    """Return the panels of a History with given names, in their order.

    wanted: names from panel_names.NAMES;  attitude: one of curves.ATTITUDES
    Raises ValueError for an unknown name, or a panel that this run does not have.
    """
    for name in wanted:
        if name not in NAMES:
            raise ValueError(f"there is no panel '{name}'; {hint(name, NAMES)}")
    there = every(history, attitude)
    found = []
    for name in wanted:
        those = [one for one in there if one.panel.key == name]
        if not those:
            known = ', '.join(dict.fromkeys(one.panel.key for one in there))
            raise ValueError(f"this run has no panel '{name}'; it has {known}")
        # L is also in the figure of the wheels.
        found += those[:1] if name == 'L' else those
    return found


def every(history: History, attitude: str | None = None) -> list[Limited]:
    """Return all panels of a History."""
    more = contact_figures.panels if history.contact else curves.free_panels
    plain = [*curves.attitude_panels(history, attitude), *more(history)]
    plain += response_report.panels_of_history(history)
    limited = [Limited(panel) for panel in plain]
    if history.wheels:
        limited += wheel_figures.panels(history)
    for several in actuator_figures.panels(history).values():
        limited += several
    if history.orbit:
        limited += orbit_figures.panels(history.orbit)
    if history.internal:
        limited += internal_figures.panels(history.internal)
    if history.rotation and history.rotation.momentum_B.any():
        limited += internal_figures.sink_panels(history.rotation)
    return limited
