# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Sensor models: files in config/sensors that a parameter such as imu.model names."""

from __future__ import annotations

import copy
import functools
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration import scenario_file, sensors
from spacecraft_attitude_sim.configuration.share import share_directory

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from spacecraft_attitude_sim.configuration.parameter import Parameter


def with_models(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters given, completed from the sensor files that imu.model etc. name.

    A sensor with a name has its own model; in the model's file its parameters have no name, as in
    sun_sensor.noise.
    """
    completed = dict(given)
    for key, model in given.items():
        for name, value in _figures_of(key, model).items():
            completed.setdefault(name, value)
    return completed


def with_other_models(
    present: Mapping[str, Any], given: Mapping[str, Any], valid: Mapping[str, Parameter]
) -> dict[str, Any]:
    """Return the parameters to change, including those of a newly chosen sensor model.

    A parameter that only the previous model set returns to its default.
    """
    completed = with_models(given)
    for key in given:
        for name, value in _figures_of(key, present.get(key)).items():
            if name in valid and present[name] == valid[name].checked(value):
                completed.setdefault(name, valid[name].default)
    return completed


def _figures_of(key: str, model: Any) -> dict[str, Any]:
    """Return {parameter: value} of a sensor model; {} if `key` is not a sensor's model."""
    prefix, _, last = key.rpartition('.')
    if last != 'model' or model not in sensors.MODELS.get(kind := prefix.split('.')[0], ()):
        return {}
    path = share_directory() / 'config' / 'sensors' / f'{model}.yaml'
    return {
        prefix + name.removeprefix(kind): copy.copy(value)
        for name, value in _read_once(path).items()
    }


@functools.cache
def _read_once(path: Path) -> dict[str, Any]:
    """Return what a sensor file holds. A campaign asks for it in each of its runs."""
    return scenario_file.read(path)['simulator']
