# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Convert quaternions and meshes to the conventions of Rerun."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import rerun as rr

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.drawing.meshes import Mesh


def as_xyzw(q: Array) -> Array:
    """Return quaternions (n, 4) in the order x, y, z, w of Rerun."""
    return np.roll(q, -1, axis=-1)


def as_mesh(mesh: Mesh) -> rr.Mesh3D:
    """Return a drawing.meshes.Mesh as a rerun.Mesh3D of triangles."""
    count = len(mesh.corners)
    corners = 4 * np.arange(count)[:, np.newaxis]
    # Rerun takes transparency from the mesh's factor, not from the alpha of its corners.
    alpha = float(mesh.colors[:, 3].min())
    clear = round(255 * alpha) if alpha < 1.0 else None
    triangles = np.concatenate((corners + (0, 1, 2), corners + (0, 2, 3)))
    return rr.Mesh3D(
        vertex_positions=mesh.corners.reshape(-1, 3),
        triangle_indices=triangles,
        vertex_normals=np.repeat(mesh.normals, 4, axis=0),
        vertex_colors=np.repeat(mesh.colors, 4, axis=0),
        albedo_factor=None if clear is None else (255, 255, 255, clear),
    )
