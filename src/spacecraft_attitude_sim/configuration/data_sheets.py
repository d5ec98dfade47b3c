# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Data sheets: files in config/sensors and config/actuators that a parameter `model` names."""

from __future__ import annotations

import copy
import functools
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration import parts, scenario_file, sensors
from spacecraft_attitude_sim.configuration.share import share_directory

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from spacecraft_attitude_sim.configuration.parameter import Parameter


# {folder in config: {prefix of the parameters: models that have a file there}}
FOLDERS = {'sensors': sensors.MODELS, 'actuators': parts.MODELS}
# {prefix: the parameter that lists the names of what has it}
LISTS = {prefix: lists for lists, prefix, _ in (*parts.NAMED, *sensors.NAMED)}


def with_models(
    given: Mapping[str, Any], present: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the parameters given, completed from the data sheets that imu.model etc. name.

    A sensor or actuator with a name has its own model; in the model's file its parameters have no
    name, as in sun_sensor.noise. A name that nothing lists is refused later, without figures.

    present: parameters that are not given
    """
    completed = dict(given)
    for key, model in given.items():
        if _is_listed(key, {**(present or {}), **given}):
            for name, value in _figures_of(key, model).items():
                completed.setdefault(name, value)
    return completed


def _is_listed(key: str, values: Mapping[str, Any]) -> bool:
    """Return whether what a parameter belongs to exists, if it has a name, as wheel.x.model."""
    kind, _, rest = key.partition('.')
    if kind not in LISTS:
        return True
    names = values.get(LISTS[kind], ())
    return isinstance(names, list | tuple) and rest.rpartition('.')[0] in names


def with_other_models(
    present: Mapping[str, Any], given: Mapping[str, Any], valid: Mapping[str, Parameter]
) -> dict[str, Any]:
    """Return the parameters to change, including those of a newly chosen model.

    A parameter that only the previous model set returns to its default.
    """
    completed = with_models(given, present)
    for key in given:
        for name, value in _figures_of(key, present.get(key)).items():
            if name in valid and present[name] == valid[name].checked(value):
                completed.setdefault(name, valid[name].default)
    return completed


def _figures_of(key: str, model: Any) -> dict[str, Any]:
    """Return {parameter: value} of a model; {} if `key` is not the model of anything."""
    prefix, _, last = key.rpartition('.')
    kind = prefix.split('.')[0]
    for folder, models in FOLDERS.items():
        if last == 'model' and model in models.get(kind, ()):
            path = share_directory() / 'config' / folder / f'{model}.yaml'
            return {
                prefix + name.removeprefix(kind): copy.copy(value)
                for name, value in _read_once(path).items()
            }
    return {}


@functools.cache
def _read_once(path: Path) -> dict[str, Any]:
    """Return what a data sheet holds. A campaign asks for it in each of its runs."""
    return scenario_file.read(path)['simulator']
