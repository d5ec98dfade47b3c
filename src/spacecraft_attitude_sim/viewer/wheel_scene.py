# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Reaction wheels in the viewer: turning discs, speeds with limits, momentum envelope."""

import numpy as np
import rerun as rr

from spacecraft_attitude_sim.drawing import body_looks, meshes, wheel_discs, wheel_figures
from spacecraft_attitude_sim.recording.part_history import places_of
from spacecraft_attitude_sim.viewer import colors
from spacecraft_attitude_sim.viewer.archetypes import as_mesh, as_xyzw

# Line radii of the envelope's edges, of its axes and of the path in it; the envelope has size 1.
EDGE, AXIS, PATH = 0.006, 0.01, 0.015


class WheelScene:
    """Logs the wheels of a Scenario to the recording of a scene.Scene."""

    def __init__(self, scene, wheels, found):
        self._scene, self._wheels = scene, wheels
        body = meshes.mesh(body_looks.drawn_parts(found))
        self.discs = wheel_discs.discs_of(wheels, body, places_of(found))
        self._last = None  # (stamp, speeds, angles) of the last sample, one row each
        self._held = None
        most = wheels.speed_limits[np.isfinite(wheels.speed_limits)]
        self._limits = np.unique(np.concatenate((-most, most)))
        self._envelope = wheel_figures.envelope_of(wheels)
        self._log_fixed()

    def add(self, samples):
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

    def _turned(self, stamp, speeds):
        """Return the angle of each wheel (n, N) [rad], integrated from the last sample."""
        if self._last is None:
            angles = wheel_discs.angles(stamp * 1e-9, speeds)
        else:
            times, before, turned = self._last
            times = np.concatenate((times, stamp)) * 1e-9
            angles = turned + wheel_discs.angles(times, np.concatenate((before, speeds)))[1:]
        self._last = stamp[-1:], speeds[-1:], angles[-1:] % (2.0 * np.pi)
        return angles

    def _log_fixed(self):
        scene, names = self._scene, list(self._wheels.names)
        for number in range(len(names)):
            faces = meshes.mesh_of([self.discs.faces(number)])
            scene.log(disc_path(number), as_mesh(faces))
        shades = [colors.rgb(wheel_discs.color_of(number)) for number in range(len(names))]
        limits = ['limit'] * len(self._limits)
        scene.log_curves('wheel_speeds', names + limits, shades + [colors.LIMIT] * len(limits))
        if self._envelope:
            self._log_envelope(self._envelope.edges())

    def _log_envelope(self, edges):
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


def disc_path(number):
    """Return the entity path of a wheel's disc."""
    return f'world/craft/body/wheel_{number}'
