# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Reaction wheels in the viewer: turning discs, speeds with limits, momentum envelope."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import rerun as rr

from spacecraft_attitude_sim.drawing import body_looks, meshes, wheel_discs, wheel_figures
from spacecraft_attitude_sim.recording.part_history import places_of
from spacecraft_attitude_sim.viewer import colors
from spacecraft_attitude_sim.viewer.archetypes import as_mesh, as_xyzw
from spacecraft_attitude_sim.viewer.samples import seconds_of

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3
    from spacecraft_attitude_sim.core.parts.reaction_wheels.description import ReactionWheels
    from spacecraft_attitude_sim.viewer.entity_log import EntityLog
    from spacecraft_attitude_sim.viewer.samples import Samples, Stamps


# Line radii of the envelope's edges, of its axes and of the path in it; the envelope has size 1.
EDGE, AXIS, PATH = 0.006, 0.01, 0.015


class WheelScene:
    """Logs the wheels of a Scenario to the recording of a scene.Scene."""

    def __init__(self, scene: EntityLog, wheels: ReactionWheels, found: Scenario) -> None:
        self._scene, self._wheels = scene, wheels
        body = meshes.mesh(body_looks.drawn_parts(found))
        self.discs = wheel_discs.discs_of(wheels, body, places_of(found))
        # Stamp, speeds and angles of the last sample, one row each.
        self._last: tuple[Stamps, Array, Array] | None = None
        self._held: Vector3 | None = None
        most = wheels.speed_limits[np.isfinite(wheels.speed_limits)]
        self._limits = np.unique(np.concatenate((-most, most)))
        self._envelope = wheel_figures.envelope_of(wheels)
        self._log_fixed()

    def add(self, samples: Samples) -> None:
        """Log Samples, which are later than those logged before."""
        scene, stamp = self._scene, samples.stamp
        speeds = samples.speeds_of(len(self._wheels.names))
        limits = np.tile(self._limits, (len(stamp), 1))
        scene.add_plot('wheel_speeds', stamp, np.hstack((speeds, limits)) * wheel_figures.RPM)
        turned = self._turned(stamp, speeds)
        if (told := samples.joint_angles) is not None and told.shape[1] >= len(self._wheels.names):
            told = told[:, : len(self._wheels.names)]
            turned = np.where(np.isfinite(told), told, turned)
        for number, angles in enumerate(turned.T):
            q_BD = np.array([self.discs.attitude(number, angle) for angle in angles])
            place = np.tile(self.discs.positions[number], (len(stamp), 1))
            columns = rr.Transform3D.columns(translation=place, quaternion=as_xyzw(q_BD))
            scene.send(disc_path(number), stamp, columns)
        known = np.isfinite(speeds).all(axis=1)
        if self._envelope and known.any():
            held_B = (speeds[known] * self._wheels.inertias) @ self._wheels.axes_B / self._size
            scene.arrow('envelope/held', stamp[known], held_B)
            self._held = scene.path('envelope/path', stamp[known], held_B, self._held)

    def _turned(self, stamp: Stamps, speeds: Array) -> Array:
        """Return the angle of each wheel (n, N) [rad], integrated from the last sample."""
        if self._last is None:
            angles = wheel_discs.angles(seconds_of(stamp), speeds)
        else:
            last, before, turned = self._last
            times = seconds_of(np.concatenate((last, stamp)))
            angles = turned + wheel_discs.angles(times, np.concatenate((before, speeds)))[1:]
        self._last = stamp[-1:], speeds[-1:], angles[-1:] % (2.0 * np.pi)
        return angles

    def _log_fixed(self) -> None:
        scene, names = self._scene, list(self._wheels.names)
        for number in range(len(names)):
            faces = meshes.mesh_of([self.discs.faces(number)])
            scene.log(disc_path(number), as_mesh(faces))
        shades = [colors.rgb(wheel_discs.color_of(number)) for number in range(len(names))]
        limits = ['limit'] * len(self._limits)
        scene.log_curves('wheel_speeds', names + limits, shades + [colors.LIMIT] * len(limits))
        if self._envelope:
            self._log_envelope(self._envelope.edges())

    def _log_envelope(self, edges: Array) -> None:
        """Draw the edges (n, 2, 3) of the momentum envelope and the body axes, scaled to 1."""
        scene = self._scene
        self._size = np.max(np.linalg.norm(edges, axis=2))
        lines = rr.LineStrips3D(list(edges / self._size), colors=colors.FAMILY, radii=EDGE)
        scene.log('envelope/edges', lines)
        scene.log('envelope/axes', rr.Arrows3D(vectors=np.eye(3), colors=colors.AXES, radii=AXIS))
        names = rr.Points3D(
            1.08 * np.eye(3), labels=['x', 'y', 'z'], colors=colors.AXES, radii=0.0,
            show_labels=True,
        )  # fmt: skip
        scene.log('envelope/names', names)
        for path, style in (
            ('held', rr.Arrows3D.from_fields(colors=[colors.WHEEL_MOMENTUM], radii=[1.5 * PATH])),
            ('path', rr.LineStrips3D.from_fields(colors=[colors.PATH], radii=[PATH])),
        ):
            scene.log(f'envelope/{path}', style)


def disc_path(number: int) -> str:
    """Return the entity path of a wheel's disc."""
    return f'world/craft/body/wheel_{number}'
