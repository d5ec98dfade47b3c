# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Faults that change the constants of a part: its bearing, its motor's limit, its tachometer."""

from __future__ import annotations

import copy
from dataclasses import fields, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.faults.fault import Fault
    from spacecraft_attitude_sim.core.parts.part import Part
    from spacecraft_attitude_sim.core.parts.reaction_wheels.description import ReactionWheels

# Kinds of faults of a wheel that its description holds; an ideal wheel has no place for them.
OF_BEARING = ('stuck', 'friction', 'tachometer')


def changes(fault: Fault) -> bool:
    """Return whether a fault changes a part, not only its commands."""
    return fault.word == 'wheel' and fault.kind in (*OF_BEARING, 'weak')


def rubs_more(fault: Fault) -> bool:
    """Return whether a fault makes viscous friction grow."""
    return fault.word == 'wheel' and fault.kind == 'friction' and fault.value > 1.0


def needs_detail(fault: Fault) -> bool:
    """Return whether core.equations.multibody must integrate the part that a fault changes."""
    return fault.word == 'wheel' and fault.kind in OF_BEARING


def broken(part: Part, fault: Fault) -> Part:
    """Return the part with a fault; another part as it is.

    Raises ValueError where it has nothing that the fault could change.
    """
    if part.group != fault.group or fault.word != 'wheel':
        return part
    from spacecraft_attitude_sim.core.parts.reaction_wheels.description import (
        IDEAL,
        ReactionWheels,
    )

    assert isinstance(part, ReactionWheels)
    k, each = fault.place, list(part.dynamics or (IDEAL,) * part.number)
    limits, own = part.torque_limits.copy(), each[fault.place]
    if fault.kind == 'stuck':
        # With its own Stribeck speed, static friction falls to coulomb: both hold the wheel.
        coulomb, static = max(own.coulomb, fault.value), max(own.starting, fault.value)
        each[k] = replace(own, coulomb=coulomb, static=static)
    elif fault.kind == 'friction':
        if not (own.viscous or own.starting):
            raise ValueError('the wheel has no friction that could grow; give it some')
        grown = {name: fault.value * getattr(own, name) for name in FRICTION}
        each[k] = replace(own, **grown)
    elif fault.kind == 'tachometer':
        each[k] = replace(own, tachometer_gain=fault.value)
    elif fault.kind == 'weak':
        limits[k] *= fault.value
    else:
        return part
    dynamics = tuple(each) if part.dynamics or part.detailed else ()
    return _with(part, dynamics=dynamics, torque_limits=limits)


FRICTION = ('viscous', 'coulomb', 'static')


def _with(part: ReactionWheels, **values: object) -> ReactionWheels:
    """Return wheels with other fields, bit for bit as before in all others.

    dataclasses.replace would normalise their axes once more.
    """
    other, kept = copy.copy(part), {field.name for field in fields(part)}
    for name in vars(part).keys() - kept:  # what was computed from the fields
        del vars(other)[name]
    vars(other).update(values)
    return other
