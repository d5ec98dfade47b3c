# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The file of a linear design: matrices with names, margins and poles, as JSON or for MATLAB."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.design.linear_plant import AXES
from spacecraft_attitude_sim.recording.errors import RecordingError

if TYPE_CHECKING:
    from pathlib import Path

    from spacecraft_attitude_sim.core.design.linear_law import LinearLaw
    from spacecraft_attitude_sim.core.design.loop_design import LoopDesign
    from spacecraft_attitude_sim.core.design.state_space import StateSpace

FORMAT = 'spacecraft_attitude_sim linear design, version 1'
SUFFIXES = ('.json', '.mat')


def write(path: Path, design: LoopDesign, name: str) -> Path:
    """Write the file of a design, .json or .mat, and return its path; name: of the scenario.

    Raises RecordingError for another suffix.
    """
    if path.suffix not in SUFFIXES:
        raise RecordingError(f'{path}: end the name of the model in {" or ".join(SUFFIXES)}')
    path.parent.mkdir(parents=True, exist_ok=True)
    values = contents(design, name)
    if path.suffix == '.mat':
        from scipy.io import savemat

        savemat(path, values, oned_as='column', long_field_names=True)
    else:
        text = json.dumps(_plain(values), indent=1, allow_nan=False)
        path.write_text(f'{text}\n', encoding='utf-8')
    return path


def contents(design: LoopDesign, name: str) -> dict[str, Any]:
    """Return what the file of a design holds, as docs/design.md describes it."""
    case, loop, law = design.case, design.loop, design.loop.law
    every = [mode._asdict() | mode.vibration._asdict() for mode in design.vibrations]
    for mode in every:
        del mode['vibration']
    return {
        'format': FORMAT,
        'scenario': name,
        'point': {
            'time': case.point.time,
            'attitude': np.asarray(case.point.q_WB),
            'angular_velocity': np.asarray(case.point.omega_B),
            'acceleration': np.asarray(case.point.acceleration_B),
            'wheel_speeds': np.asarray(case.point.speeds),
            'gimbal_angles': np.asarray(case.point.angles),
        },
        'period': case.period,
        'delay': case.delay,
        'plant': _system(design.plant.system),
        'actuator_delays': [design.plant.delays.get(command, 0.0) for command in law.commands],
        'law': _law(law),
        'sampled_plant': _system(loop.plant),
        'open_loop': {axis: _system(loop.of_axis(k).system) for k, axis in enumerate(AXES)},
        'closed_loop': _system(loop.closed),
        'margins': {
            axis: {
                key: value
                for key, value in design.margins[k]._asdict().items()
                if key not in ('gains', 'phases')
            }
            for k, axis in enumerate(AXES)
        },
        'stable': design.stable,
        'poles': {'real': design.poles.real, 'imaginary': design.poles.imag},
        'vibrations': every,
        'left_out': [*case.left_out],
    }


def _law(law: LinearLaw) -> dict[str, Any]:
    """Return the gains of a law and the names of what it sees and commands."""
    plain = {'gain': law.gain, 'inputs': [*law.sees], 'outputs': [*law.commands]}
    if not len(law.summed):
        return plain
    return plain | {'integral_gain': law.given @ law.taken, 'integral_sum': law.summed}


def _system(system: StateSpace) -> dict[str, Any]:
    return {
        'A': system.A, 'B': system.B, 'C': system.C, 'D': system.D, 'states': [*system.states],
        'inputs': [*system.inputs], 'outputs': [*system.outputs], 'period': system.period,
    }  # fmt: skip


def _plain(value: Any) -> Any:
    """Return a value in the types of JSON; a number that is not finite becomes null."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
