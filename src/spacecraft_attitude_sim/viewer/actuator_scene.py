# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Gimbals, thrusters and magnetorquers in the viewer: rings, jets, the dipole and curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import rerun as rr

from spacecraft_attitude_sim.core.spacecraft import telemetry
from spacecraft_attitude_sim.drawing import actuator_looks, body_looks, meshes
from spacecraft_attitude_sim.drawing import colors as table
from spacecraft_attitude_sim.viewer import colors
from spacecraft_attitude_sim.viewer.archetypes import as_mesh, as_xyzw

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3
    from spacecraft_attitude_sim.drawing.wheel_discs import Discs
    from spacecraft_attitude_sim.viewer.entity_log import EntityLog
    from spacecraft_attitude_sim.viewer.samples import Samples, Stamps


# Radius of the dipole arrow, in reaches of the body.
ARROW = 0.022
# Smallest size of a jet [m]; a mesh of size 0 has no normals.
SMALLEST = 1e-9


class ActuatorScene:
    """Logs the actuators of a Scenario, except wheels, to the recording of a scene.Scene.

    discs: Discs of its wheels, or None
    """

    def __init__(self, scene: EntityLog, found: Scenario, discs: Discs | None) -> None:
        self._scene, self._spacecraft = scene, found.plant.spacecraft
        craft = self._spacecraft
        body = meshes.mesh(body_looks.drawn_parts(found))
        self._looks = actuator_looks.looks_of(
            craft.part('control_moment_gyros'),
            craft.part('thrusters'),
            craft.part('magnetorquers'),
            body,
            discs,
        )
        self._kinds = telemetry.joint_kinds(craft)
        self._joints = len(telemetry.joint_names(craft))
        self._log_fixed()

    def add(self, samples: Samples) -> None:
        """Log Samples; they must be later than those logged before."""
        scene, stamp, looks = self._scene, samples.stamp, self._looks
        if gimbals := looks.gimbals:
            angles = samples.known(samples.joint_angles, self._joints)[:, self._kinds.gimbals]
            # Received in -π to π; a jump of the curve is not a motion of the gimbal.
            scene.add_plot('gimbal_angles', stamp, np.degrees(angles))
            for number, turned in enumerate(np.nan_to_num(angles).T):
                q_BG = np.array([gimbals.attitude(number, angle) for angle in turned])
                self._place(f'gimbal_{number}', stamp, gimbals.positions[number], q_BG)
        if jets := looks.jets:
            forces = samples.known(samples.efforts, self._joints)[:, self._kinds.thrusters]
            scene.add_plot('thrust', stamp, forces)
            for number, lengths in enumerate(jets.lengths(forces).T):
                q_BJ = np.tile(jets.orientations[number], (len(stamp), 1))
                sizes = np.repeat(np.maximum(lengths, SMALLEST)[:, np.newaxis], 3, axis=1)
                self._place(f'jet_{number}', stamp, jets.positions[number], q_BJ, sizes)
        if unit := looks.dipole:
            dipole_B = samples.known(samples.dipole_B, 3)
            scene.add_plot('dipole', stamp, dipole_B)
            scene.arrow('world/craft/body/dipole', stamp, unit * np.nan_to_num(dipole_B))

    def _place(
        self, name: str, stamp: Stamps, place_B: Vector3, q: Array, sizes: Array | None = None
    ) -> None:
        """Log the pose of a part of the body: position (3,), attitudes q (n, 4) and sizes."""
        places = np.tile(place_B, (len(stamp), 1))
        columns = rr.Transform3D.columns(translation=places, quaternion=as_xyzw(q), scale=sizes)
        self._scene.send(f'world/craft/body/{name}', stamp, columns)

    def _log_fixed(self) -> None:
        scene, looks, craft = self._scene, self._looks, self._spacecraft
        if gimbals := looks.gimbals:
            for number in range(len(gimbals.positions)):
                faces = meshes.mesh_of(gimbals.faces(number))
                scene.log(f'world/craft/body/gimbal_{number}', as_mesh(faces))
            self._log_curves(
                'gimbal_angles', craft.part('control_moment_gyros').names, self._kinds.gimbals
            )
        if jets := looks.jets:
            for number in range(len(jets.positions)):
                faces = meshes.mesh_of([jets.faces()])
                scene.log(f'world/craft/body/jet_{number}', as_mesh(faces))
            self._log_curves('thrust', craft.part('thrusters').names, self._kinds.thrusters)
        if looks.dipole:
            reach = looks.reach
            style = rr.Arrows3D.from_fields(colors=[colors.DIPOLE], radii=[ARROW * reach])
            scene.log('world/craft/body/dipole', style)
            scene.log_curves('dipole', ('m x', 'm y', 'm z'), colors.AXES)

    def _log_curves(self, name: str, names: Sequence[str], of: slice) -> None:
        """Log the curves of one kind of joints; of: their indices among all joints."""
        shades = [colors.rgb(table.of_actuator(number)) for number in range(of.start, of.stop)]
        self._scene.log_curves(name, list(names), shades)
