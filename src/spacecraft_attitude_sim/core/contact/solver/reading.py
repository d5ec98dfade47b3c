# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Read a flat contact: its quantities by name, and whether the model is valid."""

from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.contact.solver import layout
from spacecraft_attitude_sim.core.mathematics.types import Array, FlatWrench


class Contact(NamedTuple):
    """The contact at one instant; world axes.

    mode: 'flight', 'sliding', 'slipping', 'rolling' or 'resting'
    gap: [m];  slip_speed: [m/s];  normal_force: [N]
    constraint_error: gap [m] or velocity that violates the constraint [m/s], the larger
    point: (3,) lowest point of the body [m];  normal: (3,) out of the floor
    force: (3,) of the floor on the body [N];  torque: (3,) of it about the centre of mass [N m]
    slip: (3,) velocity of the body over the floor [m/s]
    impulse: (3,) of the impacts of this tick [N s];  impacts: their number
    substeps: taken in this tick
    """

    mode: str
    gap: float
    slip_speed: float
    normal_force: float
    constraint_error: float
    point: np.ndarray
    normal: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    slip: np.ndarray
    impulse: np.ndarray
    impacts: int
    substeps: int

    def wrench(self) -> FlatWrench:
        """Return the contact's wrench (12,) of core.body.loads, as an IMU feels it."""
        return np.concatenate((np.zeros(6), self.force, self.torque))


def check(contact: Array) -> None:
    """Raise ValueError when a flat contact has left the model's range."""
    status = int(contact[layout.STATUS])
    point = np.round(contact[layout.POINT : layout.POINT + 3], 4).tolist()
    if status == layout.MULTIPLE:
        raise ValueError(
            f'floor curves as tightly as the body at {point} m: several contacts at once, and '
            'this model has one; give a wider floor or a rounder body'
        )
    if status == layout.LOST:
        raise ValueError(
            f'contact point was lost near {point} m: no single lowest point of the body over the '
            'floor; give smoother surfaces'
        )
    if status == layout.STALLED:
        raise ValueError(
            f'contact at {point} m changes faster than a tick can follow; raise resting_speed, or '
            'lower friction where it jams'
        )


def unpack(contact: Array) -> Contact:
    """Return the Contact of a flat contact (30,)."""
    c = contact
    return Contact(
        layout.MODE_NAMES[int(c[layout.MODE])],
        float(c[layout.GAP]),
        float(c[layout.SLIP_SPEED]),
        float(c[layout.NORMAL_FORCE]),
        float(c[layout.CONSTRAINT_ERROR]),
        c[layout.POINT : layout.POINT + 3],
        c[layout.NORMAL : layout.NORMAL + 3],
        c[layout.FORCE : layout.FORCE + 3],
        c[layout.TORQUE : layout.TORQUE + 3],
        c[layout.SLIP : layout.SLIP + 3],
        c[layout.IMPULSE : layout.IMPULSE + 3],
        int(c[layout.IMPACTS]),
        int(c[layout.SUBSTEPS]),
    )
