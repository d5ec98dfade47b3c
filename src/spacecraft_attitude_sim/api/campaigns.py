# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A campaign from Python, under a controller that is a plain function, if you like."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml

from spacecraft_attitude_sim.api import scenarios
from spacecraft_attitude_sim.api.waiting import progress_line
from spacecraft_attitude_sim.campaigns import campaign as campaigns
from spacecraft_attitude_sim.campaigns import runner
from spacecraft_attitude_sim.campaigns.python_flight import Maker
from spacecraft_attitude_sim.configuration import scenario, yaml_file
from spacecraft_attitude_sim.configuration.scenario import Scenario
from spacecraft_attitude_sim.flight.flight import OWN, Controller, controller_of
from spacecraft_attitude_sim.recording.errors import CampaignError

if TYPE_CHECKING:
    from spacecraft_attitude_sim.campaigns.campaign import Campaign
    from spacecraft_attitude_sim.campaigns.merits import Flight


def campaign(
    given: str | Path | Mapping[str, Any],
    controller: Controller | type | str | None = OWN,
    merits: Mapping[str, Callable[[Flight], float]] = MappingProxyType({}),
    workers: int | None = None,
    **changes: Any,
) -> Any:
    """Fly a scenario many times, with parameters drawn at random; return a table, a row a run.

        table = campaign('config/campaigns/cubesat_pointing.yaml', runs=200)
        table = campaign(
            {
                'scenario': 'cubesat_tumble', 'runs': 200, 'duration': 60.0,
                'dispersions': {
                    'initial.angular_velocity': {'distribution': 'in_sphere', 'radius': 0.3}
                },
            },
            controller=my_law,
        )

    given: path of a campaign file, or a dict of what stands in one (docs/campaigns.md), whose
        scenario may be a Scenario
    controller: function of Readings as of Simulation, or a class of which each run makes one, with
        its Scenario if it takes an argument; 'own' for the attitude_controller of the scenario;
        a function in Python takes about thirty times as long as that
    merits: {name: function of a campaigns.merits.Flight}, columns besides those of docs/campaigns
    workers: processes or threads, None for one a core; a controller that no other process can
        import, as of a notebook, flies in one
    changes: runs, seed, duration and other keys of the file, in place of its own

    Returns a pandas.DataFrame, or a dict of arrays where pandas is missing. Nothing is written;
    `attitude-sim campaign` keeps a table on disk and goes on after an interruption.
    Raises CampaignError, ScenarioError.
    """
    make = None
    if controller != OWN:
        if not isinstance(controller, type):
            controller_of(controller)
        if controller is None:
            raise ValueError(
                "controller is None; leave the scenario's own out, or give a function"
            )
        make = Maker(controller)
    found = _loaded(given, changes, make).with_merits(merits)
    threads = workers or (os.cpu_count() or 1)
    if found.make and not _travels(found.make):
        threads = 1
    return _framed(_flown(found, threads))


def _travels(make: Callable[..., Any]) -> bool:
    """Return whether another process finds what makes controllers: not in a notebook."""
    try:
        return b'__main__' not in pickle.dumps(make)
    except Exception:  # whatever it holds that has no name
        return False


def _loaded(
    given: str | Path | Mapping[str, Any], changes: Mapping[str, Any], make: Maker | None
) -> Campaign:
    """Return the Campaign of a file or a dict, some of its keys changed."""
    source, folder = 'the call', Path()
    if isinstance(given, Mapping):
        values = {**given, **changes}
    else:
        path = Path(given)
        source, folder = path.name, path.parent
        text = yaml_file.text_of(path, CampaignError)
        values = {**yaml_file.mapping_of(text, source, 'is empty', CampaignError), **changes}
    crafted = values.get('scenario')
    if isinstance(crafted, Scenario):
        values['scenario'] = crafted.description or 'a scenario'
        return campaigns.parse(_text(values), scenario.dump(crafted), source, make)
    return campaigns.of_text(_text(values), source, folder, make)


def _text(values: Mapping[str, Any]) -> str:
    return yaml.safe_dump(scenarios.plain(dict(values)), sort_keys=False)


def _flown(found: Campaign, threads: int) -> dict[str, Any]:
    """Return {column: values} of all runs, with a line of progress."""
    line, name = progress_line(), f'{found.runs} runs'
    compute = runner.here(threads, lambda runs: line.work(runs / found.runs, name))
    line.work(0.0, name)
    try:
        with line.starting(name):
            pieces = [columns for _, _, columns in compute(found, runner.chunks_of(found.runs))]
    finally:
        line.end()
    return {name: np.concatenate([one[name] for one in pieces]) for name in pieces[0]}


def _framed(columns: dict[str, Any]) -> Any:
    try:
        import pandas
    except ImportError:
        return columns
    return pandas.DataFrame(columns).set_index('run')
