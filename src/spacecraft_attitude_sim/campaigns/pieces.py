# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The runs of a chunk in processes of their own, where much of a compiled flight is in Python.

Guidance, modes of a mission and what is rare in an estimator are computed in Python, by one thread
at a time. So threads would wait for each other, and processes do not. Each run has the same bits
in any process.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.campaigns import campaign as campaigns
from spacecraft_attitude_sim.campaigns import workers
from spacecraft_attitude_sim.campaigns.flights import PARTS, columns_of, flies_in_python
from spacecraft_attitude_sim.configuration import trust

if TYPE_CHECKING:
    from collections.abc import Callable

    from spacecraft_attitude_sim.campaigns.campaign import Campaign
    from spacecraft_attitude_sim.campaigns.flights import Columns

# Processes are not worth while for fewer ticks of all spacecraft together: each takes seconds to
# begin.
FEWEST_TICKS = 50_000
# Most runs that a process flies together: more are not faster, and tell their progress later.
MOST_TOGETHER = 48


def are_wanted(campaign: Campaign, runs: int) -> bool:
    """Return whether processes fly so many runs faster than threads."""
    if campaign.make or flies_in_python(campaign):  # python_flight has processes of its own
        return False
    bases = campaign.bases.values()
    if not any(base.guidance or base.mission or base.plant.spacecraft.faults for base in bases):
        return False
    ticks = sum(base.plant.ticks.covering(campaign.duration) for base in bases)
    if runs * ticks < FEWEST_TICKS:
        return False
    # Merits that are no words of the campaign's file may not be found in a process.
    return not campaign.merits.keys() - _parsed(*_texts(campaign)).merits.keys()


def flown(
    campaign: Campaign, first: int, last: int, processes: int, progress: Callable[[float], object]
) -> Columns:
    """Return flights.columns_of the runs first to last - 1; progress: its `told`."""
    rounds = -(-(last - first) // (processes * MOST_TOGETHER))
    count = min(processes * rounds, last - first)
    bounds = [first + (last - first) * k // count for k in range(count + 1)]
    heard = [0, count * PARTS * len(campaign.bases)]

    def hear() -> None:
        heard[0] += 1
        progress(min(heard[0] / heard[1], 1.0))

    fly = functools.partial(_piece, _texts(campaign), trust.given())
    pairs = list(zip(bounds[:-1], bounds[1:], strict=True))
    pieces = list(workers.each(fly, pairs, processes, hear))
    return {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}


def _texts(campaign: Campaign) -> tuple[str, str, str]:
    return campaign.text, campaign.scenario_text, campaign.source


def _piece(texts: tuple[str, str, str], trusted: Any, bounds: tuple[int, int]) -> Columns:
    """Return the columns of some runs, in a process of its own."""
    trust.give(trusted)
    return columns_of(_parsed(*texts), *bounds, threads=1, told=lambda share: workers.say_begun())


@functools.lru_cache(maxsize=1)
def _parsed(text: str, scenario_text: str, source: str) -> Campaign:
    """Return the Campaign of a process, parsed once for all of its pieces."""
    return campaigns.parse(text, scenario_text, source)
