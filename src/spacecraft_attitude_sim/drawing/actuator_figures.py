# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Figures of gimbals, thrusters and magnetorquers over time, with their limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.control import gimbal_steering
from spacecraft_attitude_sim.drawing import colors, limited_panels
from spacecraft_attitude_sim.drawing.curves import Panel
from spacecraft_attitude_sim.drawing.limited_panels import Limited

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from spacecraft_attitude_sim.recording.history import History
    from spacecraft_attitude_sim.recording.part_history import PartHistory

# Up to this number of thrusters, the note gives pulses and impulse of each.
MOST_TOLD = 3
POWERS = ('', '', '²', '³')


def figures(history: History, title: str) -> dict[str, Figure]:
    """Return {kind of actuator: Figure} for a History, without wheels."""
    return {
        what: limited_panels.figure(history.time, several, title)
        for what, several in panels(history).items()
    }


def panels(history: History) -> dict[str, list[Limited]]:
    """Return {kind of actuator: panels} for a History, without wheels."""
    kinds = {
        'gimbals': history.gimbals and gimbal_panels(history.gimbals, _wheels(history)),
        'thrusters': history.thrusters and thruster_panels(history.thrusters, _before(history)),
        'magnetorquers': history.rods and rod_panels(history.rods),
    }
    return {what: several for what, several in kinds.items() if several}


def gimbal_panels(found: PartHistory, first: int = 0) -> list[Limited]:
    """Return the panels of gimbals: angles, rates, momentum of the rotors, singularity measure.

    first: index of the first one's colour
    """
    names, count = found.parts.names, len(found.parts.names)
    most = np.degrees([one.max_rate for one in found.parts.gyros])
    free = np.full(count, np.inf)
    angles, rates = np.degrees(found.angles), np.degrees(found.rates)
    panels = [
        limited_panels.of_each(
            names, angles, free, 'angle of each\ngimbal [deg]', 'deg', first, 'gimbal_angle'
        ),
        limited_panels.of_each(
            names, rates, most, 'rate of each\ngimbal [deg/s]', 'deg/s', first, 'gimbal_rate'
        ),
        limited_panels.of_vector(
            found.held_B, 'h of the rotors\nbody axes [N m s]', '|h|', 'gimbal_momentum'
        ),
    ]
    if count > 1:
        measures = singularity_measures(found)
        least = f'least {measures.min():.3g}, at the end {measures[-1]:.3g}; 0 is singular'
        unit = f'(N m s){POWERS[min(count, 3)]}'
        label = f'singularity\nmeasure [{unit}]'
        panels.append(Limited(Panel(
            measures[:, np.newaxis], label, ('measure',), (colors.ERROR,), least, from_zero=True,
            key='singularity',
        )))  # fmt: skip
    return panels


def singularity_measures(found: PartHistory) -> np.ndarray:
    """Return core.control.gimbal_steering.singularity_measure (n,) of gimbals at every instant."""
    several = [gimbal_steering.singularity_measure(found.parts, one) for one in found.angles]
    return np.array(several)


def thruster_panels(found: PartHistory, first: int = 0) -> list[Limited]:
    """Return the panels of thrusters: mean thrust per tick, impulse, propellant if modelled.

    A pulse shorter than a tick is drawn as its mean over the tick.
    first: index of the first one's colour
    """
    thrusters, names = found.parts, found.parts.names
    free = np.full(len(names), np.inf)
    forces = found.mean_forces
    label = 'mean thrust in each\ntick [N]'
    thrust = limited_panels.of_each(
        names, forces, thrusters.max_forces, label, 'N', first, 'thrust', both=False
    )
    thrust = thrust._replace(panel=thrust.panel._replace(style='steps-pre'))
    whole = found.sums
    impulse = limited_panels.of_each(
        names, whole, free, 'impulse of each\nthruster [N s]', 'N s', first, 'impulse'
    )
    told = _told(names, found.pulses[-1], whole[-1])
    panels = [thrust, impulse._replace(panel=impulse.panel._replace(note=told))]
    if any(one.specific_impulse for one in thrusters.thrusters):
        label = 'propellant used by\neach thruster [g]'
        used = limited_panels.of_each(
            names, 1e3 * found.used, free, label, 'g', first, 'propellant'
        )
        sum_told = f'{1e3 * found.used[-1].sum():.4g} g at the end'
        panels.append(used._replace(panel=used.panel._replace(note=sum_told)))
    return panels


def _told(names: Sequence[str], pulses: np.ndarray, impulses: np.ndarray) -> str:
    """Return the number of pulses and the impulse as text."""
    several = list(zip(names, pulses, impulses, strict=True))
    if len(names) > MOST_TOLD:
        several = [('all', pulses.sum(), impulses.sum())]
    return '; '.join(
        f'{name} {impulse:.4g} N s' + (f' in {count:.0f} pulses' if count else '')
        for name, count, impulse in several
    )


def rod_panels(found: PartHistory) -> list[Limited]:
    """Return the panels of magnetorquers: the dipole of each, and the total."""
    names, most = found.parts.names, found.parts.max_dipoles
    label = 'dipole of each\nrod [A m²]'
    whole_B = found.dipole_B
    return [
        limited_panels.of_each(names, found.dipoles, most, label, 'A m²', key='dipole'),
        limited_panels.of_vector(
            whole_B, 'dipole of all\nbody axes [A m²]', '|m|', 'whole_dipole'
        ),
    ]


def _wheels(history: History) -> int:
    """Return the number of wheels, which come before the gimbals."""
    return len(history.wheels.parts.names) if history.wheels else 0


def _before(history: History) -> int:
    """Return the number of joints before the thrusters."""
    return _wheels(history) + (len(history.gimbals.parts.names) if history.gimbals else 0)
