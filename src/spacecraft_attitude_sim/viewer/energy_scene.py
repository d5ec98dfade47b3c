# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The momentum sphere with the ellipsoid of the present energy, as entities of a Rerun recording.

It is for spacecraft with actuators or internal parts; see core.studies.energy_sink. The entities
are below `sphere`, in body axes and units of |L|, as in viewer.poinsot_scene for a rigid body.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import rerun as rr

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.studies import energy_sink, poinsot
from spacecraft_attitude_sim.drawing import meshes, momentum_sphere
from spacecraft_attitude_sim.viewer import colors, internal_scene
from spacecraft_attitude_sim.viewer.archetypes import as_mesh
from spacecraft_attitude_sim.viewer.poinsot_scene import LIFT, REDRAW

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3
    from spacecraft_attitude_sim.core.simulation import Spacecraft
    from spacecraft_attitude_sim.viewer.entity_log import EntityLog
    from spacecraft_attitude_sim.viewer.samples import Samples, Stamps


AXIS, NAME = 1.6, 1.7
# The ellipsoid is cut off at this distance from the centre.
FARTHEST = 2.2
KINDS = tuple(f'{name} I' for name in ('smallest', 'intermediate', 'largest'))
CURVES = ('energy of rotation', *(f'L²/2I, {kind}' for kind in KINDS))
ANGLES = ('smallest I', 'largest I')


class EnergyScene:
    """Logs the energy ellipsoid of a Spacecraft as it shrinks or grows."""

    def __init__(self, scene: EntityLog, spacecraft: Spacecraft) -> None:
        self._scene, self._craft = scene, spacecraft
        self._drawn: Array | None = None  # semi-axes, centre and axes of the ellipsoid
        self._last_tip: Vector3 | None = None
        self._first: float | None = None  # energy at the start
        self._log_fixed()

    def rotation(self, samples: Samples) -> energy_sink.Rotation:
        """Return the energy_sink.Rotation of Samples; NaN if wheel speeds are not known."""
        craft, parts = self._craft, self._craft.internal
        momentum_B = rotations.rotate_many(samples.q_WB * (1, -1, -1, -1), samples.momentum_W)
        if not parts:
            inertias_B = np.tile(craft.carrier.inertia, (len(samples.stamp), 1, 1))
            held_B = momentum_B - samples.omega_B @ craft.carrier.inertia
            if not craft.turning:
                held_B[:] = 0.0  # apart from round-off
            return energy_sink.rotation(momentum_B, inertias_B, held_B)
        moved, swings, _ = internal_scene.told(parts, samples)
        inertias_B = energy_sink.locked_inertias_B(
            craft.carrier.inertia + parts.inertia_B, craft.body.mass, parts, moved, swings
        )
        held_B = np.zeros_like(momentum_B)
        if craft.part('control_moment_gyros'):  # topics give rotors only in the total
            held_B = momentum_B - np.einsum('nij,nj->ni', inertias_B, samples.omega_B)
        elif wheels := craft.part('reaction_wheels'):
            along = samples.speeds_of(wheels.number) + samples.omega_B @ wheels.axes_B.T
            held_B = (along * wheels.inertias) @ wheels.axes_B
        return energy_sink.rotation(momentum_B, inertias_B, held_B)

    def add(self, samples: Samples) -> None:
        """Log Samples, which are later than those logged before."""
        rotation = self.rotation(samples)
        energies = rotation.energies
        turning = np.any(rotation.momentum_B, axis=1) & np.isfinite(energies) & (energies > 0.0)
        if not turning.any():
            return
        samples = samples.chosen(turning)
        rotation = energy_sink.Rotation(*(one[turning] for one in rotation))
        scene, stamp = self._scene, samples.stamp
        if self._first is None:
            self._first = float(rotation.energies[0])
        shares = [rotation.energies / self._first]
        if not (self._craft.turning):
            shares += list(rotation.bounds.T / self._first)
        scene.add_plot('energy_left', stamp, 100.0 * np.column_stack(shares))
        cosines = rotation.momentum_P / np.linalg.norm(rotation.momentum_B, axis=1, keepdims=True)
        angles = np.degrees(np.arccos(np.clip(np.abs(cosines[:, ::2]), 0.0, 1.0)))
        scene.add_plot('nutation', stamp, angles)
        unit = rotation.momentum_B / np.linalg.norm(rotation.momentum_B, axis=1, keepdims=True)
        scene.arrow('sphere/L', stamp, 1.25 * unit)
        self._last_tip = scene.path('sphere/path', stamp, LIFT * unit, self._last_tip)
        self._redraw(stamp, rotation)

    def _redraw(self, stamp: Stamps, rotation: energy_sink.Rotation) -> None:
        """Log the ellipsoid and its intersection with the sphere, if they have changed."""
        sizes = np.linalg.norm(rotation.momentum_B, axis=1, keepdims=True)
        half, centers = rotation.semi_axes / sizes, rotation.held_B / sizes
        every = np.hstack((half, centers, rotation.axes_B.reshape(-1, 9)))
        for row, now in enumerate(every):
            if self._drawn is not None and np.max(np.abs(now - self._drawn)) < REDRAW:
                continue
            self._drawn = now
            self._draw(stamp[row], rotation, row, half[row], centers[row])

    def _draw(
        self, stamp: int, rotation: energy_sink.Rotation, row: int, half: Vector3, center: Vector3
    ) -> None:
        log, axes_B = self._scene.log, rotation.axes_B[row]
        names = rr.Points3D(
            NAME * axes_B.T, labels=KINDS, colors=colors.AXES, radii=0.001, show_labels=True
        )
        log('sphere/names', names, stamp)
        log('sphere/axes', rr.Arrows3D(vectors=AXIS * axes_B.T, colors=colors.AXES, radii=0.012),
            stamp)  # fmt: skip
        corners, normals = momentum_sphere.ellipsoid_faces(center, half, axes_B, FARTHEST)
        if len(corners) and np.linalg.norm(center) <= momentum_sphere.MOST_HELD:
            shades = np.tile(np.array((*colors.ENERGY_ELLIPSOID, 255)) / 255.0, (len(corners), 1))
            log('sphere/ellipsoid', as_mesh(meshes.Mesh(corners, normals, shades)), stamp)
        else:
            log('sphere/ellipsoid', rr.Clear(recursive=False), stamp)
        if self._craft.turning:
            return
        moments, size = rotation.moments[row], np.linalg.norm(rotation.momentum_B[row])
        polhode = poinsot.momentum_polhode(moments, rotation.momentum_P[row]) / size
        both = LIFT * np.array((polhode, -polhode)) @ axes_B.T
        log('sphere/polhode', rr.LineStrips3D(list(both), colors=colors.PATH, radii=0.012), stamp)
        circles = list(LIFT * poinsot.separatrix(moments) @ axes_B.T)
        curve = rr.LineStrips3D(circles, colors=colors.SEPARATRIX, radii=0.008)
        log('sphere/separatrix', curve, stamp)

    def _log_fixed(self) -> None:
        log = self._scene.log
        sphere = rr.Ellipsoids3D(half_sizes=[(1, 1, 1)], colors=colors.SPHERE, fill_mode='solid')
        log('sphere/momentum', sphere)
        arrow = rr.Arrows3D.from_fields(colors=[colors.MOMENTUM], labels=['L'], radii=[0.025])
        log('sphere/L', arrow)
        path = rr.LineStrips3D.from_fields(colors=[colors.MOMENTUM], radii=[0.012])
        log('sphere/path', path)
        count = 1 if self._craft.turning else len(CURVES)
        shades = (colors.ENERGY, *colors.AXES)
        self._scene.log_curves('energy_left', CURVES[:count], shades[:count])
        self._scene.log_curves('nutation', ANGLES, colors.AXES[::2])
