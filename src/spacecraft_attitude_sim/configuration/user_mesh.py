# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Read a user's mesh (STL, OBJ, glTF …), and compute its rigid body at a given density.

Uses the library trimesh (extra `mesh`), https://trimesh.org.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration import mesh_file
from spacecraft_attitude_sim.configuration.parameter import ParameterError, blame
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody

if TYPE_CHECKING:
    import trimesh


FORMATS = ('.stl', '.obj', '.ply', '.off', '.glb', '.gltf')
WITH_MATERIALS = ('.obj', '.glb', '.gltf')
# Largest coordinate [m], and most characters quoted from the library's error.
LARGEST_REACH, LONGEST_REASON = 1e6, 300


def absolute(name: str) -> str:
    """Return the absolute path, as text, of a mesh file relative to the working directory."""
    try:
        return str(Path(name).expanduser().resolve())
    except (OSError, RuntimeError):  # no such home directory, or a loop of links
        return str(Path(name))


def load(path: str | Path, scale: float) -> trimesh.Trimesh:
    """Return the trimesh.Trimesh of a file, in metres, all its objects merged.

    scale: metres per unit of the file
    Raises ParameterError naming the file, what is wrong with it and the remedy.
    """
    try:
        import trimesh
    except ModuleNotFoundError:
        raise ParameterError(
            'body.mesh.file needs trimesh, which is not installed: pip install trimesh'
        ) from None
    path = Path(path)
    named = f"body.mesh.file '{path}'"
    if not _exists(path):
        raise ParameterError(f"body.mesh.file is '{path}': no such file")
    if path.suffix.lower() not in FORMATS:
        raise ParameterError(
            f'{named} cannot be read: it is of no known format; give {", ".join(FORMATS)}'
        )
    try:
        content = mesh_file.read(path)
        mesh_file.check(path.suffix.lower(), content)
        # Materials can name any file, and are not used.
        skipped = {'skip_materials': True} if path.suffix.lower() in WITH_MATERIALS else {}
        beside: Any = mesh_file.Beside(path)  # has the methods that trimesh calls
        mesh: Any = trimesh.load(  # a Trimesh if the file has faces
            io.BytesIO(content), path.suffix.lower()[1:], beside, 'mesh', **skipped
        )
        faces = len(getattr(mesh, 'faces', ()))
        if faces and not 0 <= mesh.faces.min() <= mesh.faces.max() < len(mesh.vertices):
            raise ValueError('a face has a corner that is not there')
    except ModuleNotFoundError:  # chardet, which guesses encodings, is not installed
        raise ParameterError(f'{named} cannot be read: its text is not UTF-8') from None
    except Exception as error:  # a broken file may raise anything  # noqa: BLE001
        said = ' '.join(str(error).split()) or type(error).__name__
        raise ParameterError(f'{named} cannot be read: {said[:LONGEST_REASON]}') from None
    if not faces:
        raise ParameterError(f'{named} has no faces; give STL, OBJ, PLY or glTF')
    if faces > mesh_file.MOST_FACES:
        raise ParameterError(
            f'{named} has {faces} faces; {mesh_file.MOST_FACES} are drawn: thin it'
        )
    reach = np.abs(mesh.vertices).max() * scale
    if not reach <= LARGEST_REACH:
        raise ParameterError(
            f'{named} reaches out to {reach:g} m; its corners must be finite, at most '
            f'{LARGEST_REACH:g} m with body.mesh.scale'
        )
    mesh.apply_scale(scale)
    return mesh


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # such as a name that is too long
        return False


def rigid_body(mesh: trimesh.Trimesh, density: float, path: str | Path) -> RigidBody:
    """Return the RigidBody of a mesh filled uniformly.

    mesh: in metres;  density: [kg/m^3];  path: of its file, for messages
    Raises ParameterError if the mesh is not watertight or its faces are not oriented outwards.
    """
    instead = 'or leave out body.mesh.density and give body.mass and body.inertia'
    if not mesh.is_watertight:
        edges = np.bincount(mesh.edges_unique_inverse)
        raise ParameterError(
            f"body.mesh.file '{path}' is not watertight: {np.count_nonzero(edges != 2)} of its "
            f'edges do not join two faces; close it, {instead}'
        )
    if not mesh.is_winding_consistent or mesh.volume <= 0.0:
        raise ParameterError(
            f"body.mesh.file '{path}' does not have all its faces outwards; turn them over, "
            f'{instead}'
        )
    mesh.density = density
    inertia = np.array(mesh.moment_inertia)
    with blame(f"body.mesh.file '{path}': "):
        return RigidBody(float(mesh.mass), (inertia + inertia.T) / 2.0, mesh.center_mass)
