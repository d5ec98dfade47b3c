# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Text summary of a scenario's parts and of what body.inertia includes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.configuration import internal_report, parts
from spacecraft_attitude_sim.configuration.parts.named import AtStart, vector

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spacecraft_attitude_sim.configuration.checked_scenario import Scenario
    from spacecraft_attitude_sim.core.spacecraft import Spacecraft


def sections(scenario: Scenario) -> Iterator[tuple[str, list[str]]]:
    """Yield (label, lines) for the inertia and for each kind of part."""
    spacecraft = scenario.plant.spacecraft
    start = AtStart(scenario.parameters, spacecraft, scenario.initial)
    yield 'inertia', list(_inertia(spacecraft))
    by_label: dict[str, list[str]] = {}
    for label, lines in parts.sections(start):
        by_label.setdefault(label, []).extend(lines)
    if 'internal' in by_label:
        by_label['internal'] = list(internal_report.lines(scenario, by_label['internal']))
    yield from by_label.items()


def _inertia(spacecraft: Spacecraft) -> Iterator[str]:
    """Return as text what body.inertia includes, and the inertia without the wheels."""
    turning = [part.turning for part in spacecraft.parts if part.turning]
    if not turning:
        return
    within, without = (' and '.join(texts) for texts in zip(*turning, strict=True))
    yield f'body.inertia is the inertia of the whole spacecraft, with its {within} locked'
    yield (
        f'without {without}: {vector(np.diag(spacecraft.carrier.inertia))} kg m^2 about x, y, z'
    )
