# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Faults that change the commands of a tick: what an actuator does in place of its command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.actuators.inputs import COMMANDED, MAYBE_NAN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.actuators import Inputs
    from spacecraft_attitude_sim.core.faults.fault import Fault
    from spacecraft_attitude_sim.core.mathematics.types import Array

DEAD, STUCK = ('dead', 'closed'), 'stuck'
# Kinds that leave the commands as they are.
OTHERS = ('friction', 'tachometer')


def acts_on_commands(fault: Fault) -> bool:
    """Return whether a fault changes commands; one of a sensor, a bearing or a tachometer not."""
    if not fault.group or fault.kind in OTHERS:
        return False
    return fault.word != 'wheel' or fault.kind != STUCK


def over(inputs: Inputs, fault: Fault, groups: Mapping[str, Any], last: Inputs) -> Inputs:
    """Return the Inputs of a tick in which a fault of an actuator acts.

    groups: {group: its parts} of the spacecraft
    last: Inputs of the tick before the fault began, for a command that is held
    """
    if not acts_on_commands(fault):
        return inputs
    if fault.kind == 'leaking':
        return inputs._replace(wrench=inputs.wrench + leak(fault, groups['thrusters']))
    part = groups[fault.group]
    changed = {}
    for mode in COMMANDED[fault.group].modes:
        if mode.needs and not getattr(part, mode.needs):
            continue
        nothing = np.nan if mode.part in MAYBE_NAN else 0.0
        own = _filled(getattr(inputs, mode.part), part.number, nothing)
        before = _filled(getattr(last, mode.part), part.number, nothing)[fault.place]
        own[fault.place] = _done(fault, part, own[fault.place], before, nothing)
        changed[mode.part] = own
    return inputs._replace(**changed)


def _filled(given: Array, count: int, nothing: float) -> Array:
    """Return commands (count,) of a mode, a copy; nothing: what no command is."""
    return given.copy() if given.size else np.full(count, nothing)


def _done(fault: Fault, part: Any, asked: float, before: float, nothing: float) -> float:
    """Return what one actuator is commanded in effect; asked, before: now and before the fault."""
    if fault.kind in DEAD:
        return nothing
    if fault.kind == STUCK:
        return fault.value if fault.word == 'magnetorquer' else nothing
    if fault.kind == 'open':
        return float(part.max_forces[fault.place])
    if fault.kind == 'reversed':
        return -asked
    if fault.kind == 'weak':
        # A wheel that keeps a speed does so with less torque: core.faults.on_parts.
        return asked if np.isnan(nothing) and fault.word == 'wheel' else fault.value * asked
    assert fault.kind == 'held', fault.kind
    return before


def leak(fault: Fault, thrusters: Any) -> Array:
    """Return the flat wrench (12,) of a thruster that leaks."""
    jet = thrusters.thrusters[fault.place]
    force_B = fault.value * jet.force_B
    return np.concatenate((force_B, np.cross(jet.position_B, force_B), np.zeros(6)))
