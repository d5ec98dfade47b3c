# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Shape of a scenario's body: its parts, a mesh, its surface, or its inertia ellipsoid."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.parameters import ParameterError
from spacecraft_attitude_sim.configuration.scenario_file import ScenarioError
from spacecraft_attitude_sim.core.body.primitives import equivalent_ellipsoid
from spacecraft_attitude_sim.core.mathematics.types import Vector3
from spacecraft_attitude_sim.drawing import meshes

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.drawing.meshes import Part


def drawn_parts(scenario: Scenario) -> tuple[Part, ...]:
    """Return the Primitives and meshes.Shells to draw, from base_link in body axes.

    Without parts and mesh, a body on a floor is drawn as its contact surface, and a body in free
    space as the uniform ellipsoid with its mass and inertia.
    Raises ScenarioError if its mesh cannot be read.
    """
    body = scenario.plant.body
    mesh = _mesh_look(scenario)
    if not scenario.parts and mesh:
        return mesh
    if not scenario.parts and scenario.plant.contact:
        from spacecraft_attitude_sim.drawing.surface_look import surface_look

        return (surface_look(scenario.plant.contact.surface),)
    if not scenario.parts:
        own = body.about_itself
        look = equivalent_ellipsoid(own.mass, own.principal_moments, tuple(own.q_BP))
        return (replace(look, position=tuple(body.center_B.tolist())),)
    return (
        tuple(
            replace(part, position=tuple(np.array(part.position) - body.center_of_mass))
            for part in scenario.parts
        )
        + mesh
    )


def _mesh_look(scenario: Scenario) -> tuple[meshes.Shell, ...]:
    if not scenario.parameters['body.mesh.file']:
        return ()
    try:
        return (mesh_shell(scenario.parameters, scenario.plant.body.center_of_mass),)
    except ParameterError as error:
        raise ScenarioError(str(error)) from None


def mesh_shell(values: dict[str, Any], center_of_mass: Vector3) -> meshes.Shell:
    """Return the meshes.Shell of body.mesh.file.

    values: {name: value} of checked parameters
    center_of_mass: (3,) in the axes of the file, scaled [m]
    Raises ParameterError if the file cannot be read.
    """
    from spacecraft_attitude_sim.configuration import user_mesh

    mesh = user_mesh.load(values['body.mesh.file'], values['body.mesh.scale'])
    color = tuple(values['body.mesh.color'])
    # All faces are quadrilaterals; a triangle repeats its last corner.
    corners = mesh.triangles[:, (0, 1, 2, 2)] - center_of_mass
    colors = meshes.chequered(color, np.zeros(len(corners), dtype=bool))
    return meshes.Shell(
        meshes.Faces(corners, colors),
        color,
        values['body.mesh.file'],
        tuple(-center_of_mass),
        values['body.mesh.scale'],
    )
