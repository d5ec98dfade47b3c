# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Internal parts in the viewer: panels, sliding masses, pendulums, slugs and curves."""

from typing import Any

import numpy as np
import rerun as rr

from spacecraft_attitude_sim.core.internal.flexible_modes import FlexibleMode
from spacecraft_attitude_sim.core.internal.hinged_panels import HingedPanel
from spacecraft_attitude_sim.core.internal.sliding_masses import SlidingMass
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.drawing import colors as table
from spacecraft_attitude_sim.drawing import internal_looks
from spacecraft_attitude_sim.viewer import colors
from spacecraft_attitude_sim.viewer.archetypes import as_mesh, as_xyzw

# {plot: (class of coordinates, factor to its unit)}; pendulums and slugs have other plots
COORDINATES = {
    'panel_angles': (HingedPanel, 180.0 / np.pi),
    'mass_displacements': (SlidingMass, 1e3),
    'modes': (FlexibleMode, 1.0),
}


def plots_of(parts):
    """Return the names of the layout.INTERNAL_PLOTS for InternalParts."""
    if not parts:
        return ()
    several = parts.coordinates.values()
    has = {
        **{name: any(isinstance(one, kind) for one in several)
           for name, (kind, _) in COORDINATES.items()},
        'pendulum_angles': parts.pendulums,
        'slug_rates': parts.slugs,
    }  # fmt: skip
    return tuple(name for name, there in has.items() if there)


class InternalScene:
    """Logs InternalParts to the recording of a scene.Scene; reach: of the body [m]."""

    def __init__(self, scene, parts, reach):
        self._scene, self._parts = scene, parts
        self._looks = internal_looks.looks_of(parts, reach)
        self._turns = np.tile(rotations.IDENTITY, (len(parts.slugs), 1))
        self._last = None  # (stamp, slug rates) of the last sample
        self._log_fixed()

    def add(self, samples):
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
        several = list(self._parts.coordinates.values())
        for name, (kind, factor) in COORDINATES.items():
            chosen = [isinstance(one, kind) for one in several]
            if any(chosen):
                scene.add_plot(name, stamp, factor * moved[:, chosen])
        if self._parts.pendulums:
            angles = self._parts.swing_angles(swings)
            scene.add_plot('pendulum_angles', stamp, np.degrees(angles))
        if self._parts.slugs:
            scene.add_plot('slug_rates', stamp, np.linalg.norm(rates, axis=2))

    def _turned(self, stamp, rates):
        """Return the attitudes (n, S, 4) of slugs, integrated from the last sample."""
        if self._last is None:
            self._last = stamp[:1], rates[:1]
        times = np.concatenate((self._last[0], stamp)) * 1e-9
        several = np.concatenate((self._last[1], rates))
        turns = internal_looks.slug_turns(times, several, self._turns)[1:]
        self._last, self._turns = (stamp[-1:], rates[-1:]), turns[-1]
        return turns

    def _log_fixed(self):
        scene, parts = self._scene, self._parts
        for number, look in enumerate(self._looks.still):
            scene.log(f'world/craft/body/tube_{number}', as_mesh(look.mesh()))
        for number, look in enumerate(self._looks.moving):
            scene.log(path_of(number), as_mesh(look.mesh()))
        names = [*parts.coordinates, *parts.pendulums, *parts.slugs]
        shades = [colors.rgb(table.of_part(number)) for number in range(len(names))]
        kinds: list[Any] = [*map(type, parts.coordinates.values())]
        kinds += ['pendulum_angles'] * len(parts.pendulums) + ['slug_rates'] * len(parts.slugs)
        for plot in plots_of(parts):
            wanted = COORDINATES[plot][0] if plot in COORDINATES else plot
            own = [number for number, kind in enumerate(kinds) if kind == wanted]
            scene.log_curves(plot, [names[one] for one in own], [shades[one] for one in own])


def told(parts, samples):
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


def path_of(number):
    """Return the entity path of a moving part."""
    return f'world/craft/body/internal_{number}'
