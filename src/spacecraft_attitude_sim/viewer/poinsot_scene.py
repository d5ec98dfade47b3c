# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Poinsot's construction as entities of a Rerun recording: rolling ellipsoid, momentum sphere.

Entities below `poinsot` are in world axes, in units of the ellipsoid's longest semi-axis. Entities
below `sphere` are in body axes, in units of |L|. See core.studies.poinsot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import rerun as rr

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.studies import poinsot
from spacecraft_attitude_sim.drawing import meshes
from spacecraft_attitude_sim.viewer import caption, colors

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3, Vectors3
    from spacecraft_attitude_sim.viewer.entity_log import EntityLog
    from spacecraft_attitude_sim.viewer.samples import Samples


# Ellipsoid and plane are redrawn if energy or L has changed by this share.
REDRAW = 2e-3
PLANE_RADIUS = 1.5
# Scale of curves, slightly outside their surface.
LIFT = 1.006


class PoinsotScene:
    """Logs Poinsot's construction for a body.

    scene: the Scene to log with;  body: RigidBody;  first: its first Samples
    """

    def __init__(self, scene: EntityLog, body: RigidBody, first: Samples) -> None:
        self._scene, self._moments, self._q_BP = scene, body.principal_moments, body.q_BP
        self._C_BP = rotations.dcm_from_quaternion(body.q_BP)
        # Energy and L of the drawn ellipsoid, (4,).
        self._drawn: Array | None = None
        self._last_touch: Vector3 | None = None
        self._last_momentum: Vector3 | None = None
        self._log_fixed()

    def add(self, samples: Samples, omega_W: Vectors3) -> None:
        """Log Samples; omega_W: (n, 3) their angular velocities in world axes [rad/s]."""
        turning = np.any(samples.momentum_W, axis=1)
        if not np.any(turning):
            return
        samples, omega_W = samples.chosen(turning), omega_W[turning]
        scene, stamp = self._scene, samples.stamp
        q_BW = samples.q_WB * (1.0, -1.0, -1.0, -1.0)
        momentum_B = rotations.rotate_many(q_BW, samples.momentum_W)
        momentum_P = momentum_B @ self._C_BP
        self._redraw(samples, momentum_P)
        scene.send(
            'poinsot/ellipsoid', stamp,
            rr.Transform3D.columns(quaternion=np.roll(self._principal(samples.q_WB), -1, axis=1)),
        )  # fmt: skip
        longest = np.sqrt(
            2.0 * poinsot.kinetic_energy(self._moments, momentum_P) / self._moments.min()
        )
        touch = omega_W / longest[:, np.newaxis]
        scene.arrow('poinsot/omega', stamp, touch)
        scene.send('poinsot/touch', stamp, rr.Points3D.columns(positions=touch))
        self._last_touch = scene.path('poinsot/herpolhode', stamp, touch, self._last_touch)
        unit = momentum_B / np.linalg.norm(momentum_B, axis=1, keepdims=True)
        scene.arrow('sphere/L', stamp, 1.25 * unit)
        self._last_momentum = scene.path('sphere/path', stamp, LIFT * unit, self._last_momentum)

    def _principal(self, q_WB: Array) -> Array:
        return np.array([rotations.compose(q, self._q_BP) for q in q_WB])

    def _redraw(self, samples: Samples, momentum_P: Vectors3) -> None:
        """Log ellipsoid, plane and polhodes if energy or L has changed."""
        energies = poinsot.kinetic_energy(self._moments, momentum_P)
        for number, energy in enumerate(energies):
            now = np.array((energy, *samples.momentum_W[number]))
            if self._drawn is not None:
                change = np.abs(now - self._drawn) / (energy, *3 * [np.linalg.norm(now[1:])])
                if np.max(change) < REDRAW:
                    continue
            self._drawn = now
            self._draw(samples.stamp[number], samples.momentum_W[number], momentum_P[number])

    def _draw(self, stamp: int, momentum_W: Vector3, momentum_P: Vector3) -> None:
        semi_axes = poinsot.energy_ellipsoid(self._moments, momentum_P)
        scale = 1.0 / np.max(semi_axes)
        log = self._scene.log
        polhode = poinsot.momentum_polhode(self._moments, momentum_P)
        shape = rr.Ellipsoids3D(
            half_sizes=[semi_axes * scale], colors=colors.ELLIPSOID,
            fill_mode='transparentfillmajorwireframe',
        )  # fmt: skip
        log('poinsot/ellipsoid', shape, stamp)
        curve = rr.LineStrips3D(
            [LIFT * scale * polhode / self._moments], colors=colors.PATH, radii=0.012
        )
        log('poinsot/ellipsoid/polhode', curve, stamp)
        size = np.linalg.norm(momentum_W)
        distance = poinsot.plane_distance(self._moments, momentum_P) * scale
        log('poinsot/plane', plane(momentum_W / size, 1.004 * distance), stamp)
        end = (distance + 0.25) * momentum_W / size
        arrow = rr.Arrows3D(vectors=[end], colors=colors.MOMENTUM, labels='L', radii=0.015)
        log('poinsot/L', arrow, stamp)
        curve = rr.LineStrips3D(
            [LIFT * polhode @ self._C_BP.T / size], colors=colors.PATH, radii=0.012
        )
        log('sphere/polhode', curve, stamp)

    def _log_fixed(self) -> None:
        log, turn = self._scene.log, self._C_BP.T
        log(
            'poinsot/omega',
            rr.Arrows3D.from_fields(colors=[colors.OMEGA], labels=['ω'], radii=[0.02]),
        )
        log('poinsot/touch', rr.Points3D.from_fields(colors=[colors.POINT], radii=[0.035]))
        log(
            'poinsot/herpolhode',
            rr.LineStrips3D.from_fields(colors=[colors.HERPOLHODE], radii=[0.01]),
        )
        sphere = rr.Ellipsoids3D(half_sizes=[(1, 1, 1)], colors=colors.SPHERE, fill_mode='solid')
        log('sphere/momentum', sphere)
        family = LIFT * poinsot.polhode_family(self._moments) @ turn
        log('sphere/polhodes', rr.LineStrips3D(list(family), colors=colors.FAMILY, radii=0.004))
        circles = LIFT * poinsot.separatrix(self._moments) @ turn
        log(
            'sphere/separatrix',
            rr.LineStrips3D(list(circles), colors=colors.SEPARATRIX, radii=0.01),
        )
        names = [
            f'{letter}: {kind}'
            for letter, kind in zip('xyz', caption.axis_kinds(self._moments), strict=True)
        ]
        axes = rr.Arrows3D(vectors=1.35 * turn, colors=colors.AXES, radii=0.012)
        log('sphere/axes', axes)
        log('sphere/names', rr.Points3D(1.45 * turn, labels=names, radii=0.001, show_labels=True))
        log(
            'sphere/L',
            rr.Arrows3D.from_fields(colors=[colors.MOMENTUM], labels=['L'], radii=[0.025]),
        )
        log('sphere/path', rr.LineStrips3D.from_fields(colors=[colors.PATH], radii=[0.02]))


def plane(normal: Vector3, distance: float) -> rr.Mesh3D:
    """Return a disc normal to a unit vector (3,), at a distance along it."""
    angles = np.linspace(0.0, 2.0 * np.pi, 65)[:-1]
    rim = PLANE_RADIUS * meshes.circle_across(normal, angles)
    points = np.concatenate(([np.zeros(3)], rim)) + distance * normal
    ahead = np.arange(64)
    triangles = np.stack((0 * ahead, 1 + ahead, 1 + (ahead + 1) % 64), axis=1)
    return rr.Mesh3D(
        vertex_positions=points, triangle_indices=triangles,
        albedo_factor=(*colors.PLANE, 255),
    )  # fmt: skip
