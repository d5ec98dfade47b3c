# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Spacecraft attitude simulation with or without ROS 2: dynamics, actuators, sensors and orbit.

    import spacecraft_attitude_sim as sas

    run = sas.simulate('tennis_racket', duration=10.0)
    print(run.angular_velocity[-1])
    run.plot('angular_velocity', 'energy', path='racket.png')

The public names are those in `__all__`; they need no ROS, and docs/python.md describes them.
Everything else may change in any version. `attitude-sim --help` shows the command line.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import spacecraft_attitude_sim.moved  # noqa: F401 (old names of modules)

if TYPE_CHECKING:
    from spacecraft_attitude_sim.api.accesses import accesses
    from spacecraft_attitude_sim.api.batch import Batch
    from spacecraft_attitude_sim.api.campaigns import campaign
    from spacecraft_attitude_sim.api.design import Design, design
    from spacecraft_attitude_sim.api.rollout import Rollout, rollout
    from spacecraft_attitude_sim.api.run import Run, read
    from spacecraft_attitude_sim.api.scenarios import load, scenarios
    from spacecraft_attitude_sim.api.simulation import Simulation, simulate
    from spacecraft_attitude_sim.configuration.scenario import Scenario, ScenarioError
    from spacecraft_attitude_sim.core.batch import CompiledLaw, LawReadings
    from spacecraft_attitude_sim.core.body.state import Truth
    from spacecraft_attitude_sim.core.simulation import MotionError
    from spacecraft_attitude_sim.core.simulation.commands import CommandRefusedError
    from spacecraft_attitude_sim.flight.readings import Readings
    from spacecraft_attitude_sim.recording.errors import CampaignError, RecordingError

__version__ = '0.1.0'
# Imported on first use, because a node needs none of them.
_HOMES = {
    'simulate': 'api.simulation',
    'Simulation': 'api.simulation',
    'rollout': 'api.rollout',
    'Rollout': 'api.rollout',
    'Run': 'api.run',
    'read': 'api.run',
    'campaign': 'api.campaigns',
    'accesses': 'api.accesses',
    'design': 'api.design',
    'Design': 'api.design',
    'load': 'api.scenarios',
    'scenarios': 'api.scenarios',
    'Readings': 'flight.readings',
    'Truth': 'core.body.state',
    'Scenario': 'configuration.scenario',
    'Batch': 'api.batch',
    'CompiledLaw': 'core.batch',
    'LawReadings': 'core.batch',
    'ScenarioError': 'configuration.scenario',
    'CommandRefusedError': 'core.simulation.commands',
    'MotionError': 'core.simulation',
    'RecordingError': 'recording.errors',
    'CampaignError': 'recording.errors',
}
__all__ = [
    'Batch',
    'CampaignError',
    'CommandRefusedError',
    'CompiledLaw',
    'Design',
    'LawReadings',
    'MotionError',
    'Readings',
    'RecordingError',
    'Rollout',
    'Run',
    'Scenario',
    'ScenarioError',
    'Simulation',
    'Truth',
    '__version__',
    'accesses',
    'campaign',
    'design',
    'load',
    'read',
    'rollout',
    'scenarios',
    'simulate',
]


def __getattr__(name: str) -> Any:
    """Return a public object, and import its module."""
    if name not in _HOMES:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    value = getattr(importlib.import_module(f'{__name__}.{_HOMES[name]}'), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(__all__)
