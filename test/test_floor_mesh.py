# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The drawn floor lies on the floor, and its chequers move as its material does."""

import numpy as np
import pytest

from spacecraft_attitude_sim.core.contact import floor_functions, floors
from spacecraft_attitude_sim.drawing import floor_mesh

UP = np.array((0.0, 0.0, 1.0))
FLOORS = {
    'tilted': floors.Plane(normal=(0.3, -0.2, 1.0), point=(0.1, 0.2, 0.3)),
    'heaving': floors.Plane(amplitude=0.1, angular_frequency=3.0, phase=0.4),
    'conveyor': floors.Plane(normal=(0.0, 0.6, 0.8), conveyor=(0.3, 0.8, -0.6)),
    'turntable': floors.Plane(spin=0.7, point=(0.2, 0.0, 0.1)),
    'turntable on a conveyor': floors.Plane(spin=0.7, conveyor=(0.1, -0.2, 0.0)),
    'bowl': floors.Bowl(radius=2.0, center=(0.0, 0.0, 2.0), angular_velocity=(0.0, 0.0, 0.5)),
    'tumbling bowl': floors.Bowl(radius=2.0, center=(0, 0, 2.0), angular_velocity=(0.5, 0.0, 0.2)),
    'dome': floors.Dome(radius=3.0, center=(0.0, 0.0, -3.0)),
    'implicit': floors.ImplicitFloor(
        level=floor_functions.bowl_level, values=(0, 0, 3.0, 3.0, 0, 0, 0)
    ),
}
COVER = np.array(((0.2, 0.1, 0.3), (-0.2, 0.4, 0.3)))
PIECE = floor_mesh.Piece(COVER, 0.6, 0.15, UP)
MATERIAL = ('conveyor', 'turntable', 'turntable on a conveyor', 'bowl')


@pytest.mark.parametrize('name', FLOORS)
@pytest.mark.parametrize('time', [0.0, 1.7])
def test_every_corner_lies_on_the_floor_and_faces_look_up(name, time):
    made = floor_mesh.floor_mesh(FLOORS[name], time, PIECE)
    assert len(made.corners) > 30
    # Newton's method stops within 1e-6 of an implicit floor's size.
    allowed = 1e-5 if name == 'implicit' else 1e-12
    for corner in made.corners.reshape(-1, 3)[::7]:
        gap, _ = floors.gap_and_normal(FLOORS[name], time, corner)
        assert abs(gap) < allowed
    across = np.cross(
        made.corners[:, 2] - made.corners[:, 0], made.corners[:, 3] - made.corners[:, 1]
    )
    for center, normal in zip(made.corners.mean(axis=1), across, strict=True):
        assert normal @ floors.gap_and_normal(FLOORS[name], time, center)[1] > 0.0
    assert 0.3 < made.light.mean() < 0.7
    # A chequer of a fine grid is FINER faces wide: of its inner edges one in FINER is a border.
    fine = name in ('implicit', 'tumbling bowl')
    assert borders(made) == pytest.approx(1.0 / floor_mesh.FINER if fine else 1.0, abs=0.03)
    if name in ('turntable', 'bowl', 'dome', 'implicit'):
        assert made.light[0]  # the pattern begins with a light one


def borders(made):
    """Return which share of the edges between two faces has one light and one dark."""
    middles = (made.corners + np.roll(made.corners, -1, axis=1)) / 2.0
    edges = {}
    for face, middle in enumerate(middles.round(6) + 0.0):
        for edge in map(tuple, middle):
            edges.setdefault(edge, []).append(face)
    pairs = np.array([faces for faces in edges.values() if len(faces) == 2])
    return np.mean(made.light[pairs[:, 0]] != made.light[pairs[:, 1]])


@pytest.mark.parametrize('name', MATERIAL)
def test_a_chequer_moves_with_the_velocity_of_the_material(name):
    """Seen a moment apart, the corners inside differ by the floor's velocity."""
    floor, step = FLOORS[name], 1e-5
    early, late = (floor_mesh.floor_mesh(floor, 0.83 + t, PIECE) for t in (-step, step))
    moved = (late.corners - early.corners).reshape(-1, 3) / (2.0 * step)
    at = (late.corners + early.corners).reshape(-1, 3) / 2.0
    expected = np.array([floors.velocity(floor, 0.83, corner) for corner in at])
    inside = np.linalg.norm(moved - expected, axis=1) < 1e-6
    if name != 'conveyor':  # whose edges are those of the piece, at rest
        assert inside.all()
    assert inside.mean() > 0.5


def test_what_is_to_be_covered_is_covered():
    made = floor_mesh.floor_mesh(FLOORS['tilted'], 0.0, PIECE)
    normal = np.array(FLOORS['tilted'].normal)
    low, high = made.corners.min(axis=(0, 1)), made.corners.max(axis=(0, 1))
    for point in COVER:
        gap, _ = floors.gap_and_normal(FLOORS['tilted'], 0.0, point)
        foot = point - gap * normal
        assert np.all(low < foot)
        assert np.all(foot < high)
