# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Internal parts in the viewer: panels, sliding masses, pendulums, slugs and curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import rerun as rr

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.parts.coordinates.flexible_modes import FlexibleMode
from spacecraft_attitude_sim.core.parts.coordinates.hinged_panels import HingedPanel
from spacecraft_attitude_sim.core.parts.coordinates.sliding_masses import SlidingMass
from spacecraft_attitude_sim.core.parts.pendulums.description import Pendulum
from spacecraft_attitude_sim.core.parts.viscous_slugs.description import ViscousSlug
from spacecraft_attitude_sim.drawing import colors as table
from spacecraft_attitude_sim.drawing import internal_looks
from spacecraft_attitude_sim.viewer import colors
from spacecraft_attitude_sim.viewer.archetypes import as_mesh, as_xyzw
from spacecraft_attitude_sim.viewer.samples import seconds_of

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.parts.internal_parts import InternalParts
    from spacecraft_attitude_sim.viewer.entity_log import EntityLog
    from spacecraft_attitude_sim.viewer.samples import Samples, Stamps


# {plot: (class of its parts, factor to its unit)}
PLOTS: dict[str, tuple[type, float]] = {
    'panel_angles': (HingedPanel, 180.0 / np.pi), 'mass_displacements': (SlidingMass, 1e3),
    'modes': (FlexibleMode, 1.0), 'pendulum_angles': (Pendulum, 180.0 / np.pi),
    'slug_rates': (ViscousSlug, 1.0),
}  # fmt: skip


def plots_of(parts: InternalParts) -> tuple[str, ...]:
    """Return the names of the layout.INTERNAL_PLOTS for InternalParts."""
    there = {type(one) for group in parts.groups for one in group.values()} if parts else ()
    return tuple(name for name, (kind, _) in PLOTS.items() if kind in there)


class InternalScene:
    """Logs InternalParts to the recording of a scene.Scene; reach: of the body [m]."""

    def __init__(self, scene: EntityLog, parts: InternalParts, reach: float) -> None:
        self._scene, self._parts = scene, parts
        self._looks = internal_looks.looks_of(parts, reach)
        self._turns = np.tile(rotations.IDENTITY, (len(parts.slugs), 1))
        # Stamp and slug rates of the last sample, one row each.
        self._last: tuple[Stamps, Array] | None = None
        self._log_fixed()

    def add(self, samples: Samples) -> None:
        """Log Samples, which are later than those logged before."""
        stamp, scene = samples.stamp, self._scene
        moved, swings, rates = told(self._parts, samples)
        rows = zip(moved, swings, self._turned(stamp, rates), strict=True)
        every = [self._looks.poses(*row) for row in rows]
        for number in range(len(self._looks.moving)):
            places = np.array([poses[number][0] for poses in every])
            q_BP = np.array([poses[number][1] for poses in every])
            columns = rr.Transform3D.columns(translation=places, quaternion=as_xyzw(q_BP))
            scene.send(path_of(number), stamp, columns)
        several = [type(one) for one in self._parts.coordinates.values()]
        for name in plots_of(self._parts):
            kind, factor = PLOTS[name]
            if kind is Pendulum:
                values = self._parts.swing_angles(swings)
            elif kind is ViscousSlug:
                values = np.linalg.norm(rates, axis=2)
            else:
                values = moved[:, [one is kind for one in several]]
            scene.add_plot(name, stamp, factor * values)

    def _turned(self, stamp: Stamps, rates: Array) -> Array:
        """Return the attitudes (n, S, 4) of slugs, integrated from the last sample."""
        last = (stamp[:1], rates[:1]) if self._last is None else self._last
        times = seconds_of(np.concatenate((last[0], stamp)))
        several = np.concatenate((last[1], rates))
        turns = internal_looks.slug_turns(times, several, self._turns)[1:]
        self._last, self._turns = (stamp[-1:], rates[-1:]), turns[-1]
        return turns

    def _log_fixed(self) -> None:
        scene, parts = self._scene, self._parts
        for number, look in enumerate(self._looks.still):
            scene.log(f'world/craft/body/tube_{number}', as_mesh(look.mesh()))
        for number, look in enumerate(self._looks.moving):
            scene.log(path_of(number), as_mesh(look.mesh()))
        every = [item for group in parts.groups for item in group.items()]
        for plot in plots_of(parts):
            kind, _ = PLOTS[plot]
            own = {name: number for number, (name, one) in enumerate(every) if type(one) is kind}
            shades = [colors.rgb(table.of_part(number)) for number in own.values()]
            scene.log_curves(plot, list(own), shades)


def told(parts: InternalParts, samples: Samples) -> tuple[Array, Array, Array]:
    """Return displacements (n, K), swings (n, P, 3) and slug rates (n, S, 3) of Samples.

    Values that are not known are zero: the parts are at their reference positions.
    """
    count = len(samples.stamp)
    sizes = len(parts.coordinates) + 3 * len(parts.pendulums), 3 * len(parts.slugs)
    displacements = samples.known(samples.displacements, sizes[0])
    slug_rates = samples.known(samples.slug_rates, sizes[1])
    several = zip(displacements, slug_rates, strict=True)
    rows = [internal_looks.told(parts, *row) for row in several]
    moved, swings, rates = (np.array(one) for one in zip(*rows, strict=True))
    return moved.reshape(count, -1), swings, rates


def path_of(number: int) -> str:
    """Return the entity path of a moving part."""
    return f'world/craft/body/internal_{number}'
