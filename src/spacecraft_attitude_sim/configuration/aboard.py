# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The nodes of a flight loop, which a scenario may have beside its simulator.

The module of each, of the same name, is imported where a scenario has a section for the node: with
what they import, all of them would take 0.04 s of the start of a simulator.
"""

from __future__ import annotations

import importlib
from typing import Any

CONTROLLER, ESTIMATOR, GUIDANCE, MISSION = NODES = (
    'attitude_controller', 'attitude_estimator', 'attitude_guidance', 'mission_modes',
)  # fmt: skip
# Parameters of nodes: whether the controller points at what the guidance says, and whether
# controller and guidance follow the mission.
GUIDED, FOLLOWS = 'guided', 'mission'


def module_of(node: str) -> Any:
    """Return the module of one of NODES, with its PARAMETERS and what checks them."""
    return importlib.import_module(f'{__package__}.{node}')
