# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Run a campaign from Python; the controller may be a plain function."""

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
from spacecraft_attitude_sim.api.waiting import (
    compiled_for,
    progress_line,
    telling_of_compiling,
)
from spacecraft_attitude_sim.campaigns import campaign as campaigns
from spacecraft_attitude_sim.campaigns import runner
from spacecraft_attitude_sim.campaigns.python_flight import Maker
from spacecraft_attitude_sim.configuration import recorded_scenario, yaml_file
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
    """Simulate a scenario many times, with parameters drawn at random; return a table.

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

    The table has a row for each run, and a column for each drawn parameter and each merit, such
    as `final_rate` [rad/s]. docs/campaigns.md lists the columns with their units. The table is a
    pandas.DataFrame with index `run`, or a dict of arrays if pandas is not installed.

    Nothing is written to disk. `attitude-sim campaign` writes its table, and the same command
    goes on after an interruption. This function starts anew in every call.

    given: path of a campaign file, or a dict with the same keys (docs/campaigns.md). In a dict
        the value of 'scenario' may be a Scenario
    controller: a function of Readings as in Simulation, or a class. Each run makes its own object
        of the class. If the class takes an argument, it gets the Scenario of the run. 'own' is
        the attitude_controller of the scenario; a controller in Python takes about thirty times
        as long
    merits: {name of a column: function}. You get a column more for each. The function is called
        with the campaigns.merits.Flight of a run and returns a number
    workers: number of processes or threads; None for one on each core. A controller that you
        define in a notebook runs in one process, because others cannot import it
    changes: runs, seed, duration [s] and other keys; they replace those of the file or dict

    Raises CampaignError for a wrong campaign, ScenarioError for a wrong scenario.
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
    """Return whether another process can import what makes controllers; not from a notebook."""
    try:
        return b'__main__' not in pickle.dumps(make)
    except Exception:  # whatever it holds that has no name
        return False


def _loaded(
    given: str | Path | Mapping[str, Any], changes: Mapping[str, Any], make: Maker | None
) -> Campaign:
    """Return the Campaign of a file or a dict, with some of its keys replaced."""
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
        return campaigns.parse(_text(values), recorded_scenario.dump(crafted), source, make)
    return campaigns.of_text(_text(values), source, folder, make)


def _text(values: Mapping[str, Any]) -> str:
    return yaml.safe_dump(scenarios.plain(dict(values)), sort_keys=False)


def _flown(found: Campaign, threads: int) -> dict[str, Any]:
    """Simulate all runs and show the progress; return {column: values (runs,)}."""
    line, name = progress_line(), f'{found.runs} runs'
    line.least, line.waits_for = runner.share_to_tell(found, threads), compiled_for
    compute = runner.here(threads, lambda runs: line.work(runs / found.runs, name))
    line.work(0.0, name)
    try:
        with line.starting(name) if line.renewed else telling_of_compiling():
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
