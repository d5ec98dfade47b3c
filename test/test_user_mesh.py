# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A body from a mesh file has the mass properties of the solid it encloses, and looks like it."""

import numpy as np
import pytest

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.configuration.scenario import ScenarioError
from spacecraft_attitude_sim.core.body import rigid_body as bodies
from spacecraft_attitude_sim.core.body.primitives import Primitive
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.drawing import body_looks, meshes

trimesh = pytest.importorskip('trimesh')

SIZE, POSITION, DENSITY = (0.3, 0.2, 0.1), (0.05, -0.02, 0.4), 2700.0
# Turned about no axis of the box, so that all products of inertia are there, of both signs.
TURN = tuple(rotations.quaternion_from_euler_zyx(0.5, -0.3, 0.8))


def box():
    """Return the mesh of the box."""
    place = np.eye(4)
    place[:3, :3], place[:3, 3] = rotations.dcm_from_quaternion(TURN), POSITION
    return trimesh.creation.box(SIZE, place)


def built(path, **more):
    """Return the Scenario of a body that is a mesh."""
    given = {'body.mesh.file': str(path), 'body.mesh.density': DENSITY}
    given.update({name.replace('__', '.'): value for name, value in more.items()})
    return scenario.build(given, 'test')


@pytest.mark.parametrize('suffix', ['stl', 'obj', 'glb', 'ply', 'STL'])
def test_a_box_from_a_file_has_the_inertia_of_the_box(tmp_path, suffix):
    path = tmp_path / f'a box.{suffix}'
    box().export(path)
    found = built(path)
    mass = DENSITY * np.prod(SIZE)
    exact = bodies.compose([Primitive('box', SIZE, POSITION, TURN, mass)])
    body = found.plant.body
    # STL and glTF hold corners in single precision, OBJ with eight digits.
    assert body.mass == pytest.approx(mass, rel=1e-6)
    assert body.center_of_mass == pytest.approx(exact.center_of_mass, abs=1e-7)
    assert body.inertia == pytest.approx(exact.inertia, abs=1e-6 * exact.inertia.max())
    assert np.abs(exact.inertia[np.triu_indices(3, 1)]).min() > 0.01 * exact.inertia.max()


def test_a_fine_mesh_of_a_sphere_nears_the_sphere(tmp_path):
    errors = []
    for subdivisions in (2, 3):
        path = tmp_path / 'ball.stl'
        trimesh.creation.icosphere(subdivisions, radius=100.0).export(path)
        body = built(path, body__mesh__scale=0.001).plant.body
        sphere = bodies.compose([Primitive('sphere', (0.1,), mass=DENSITY * 4 / 3 * np.pi * 1e-3)])
        errors.append(1.0 - body.inertia[0, 0] / sphere.inertia[0, 0])
        assert errors[-1] > 0.0  # the mesh lies inside
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)  # second order


def test_a_recorded_scenario_needs_the_file_only_to_be_drawn(tmp_path):
    path = tmp_path / 'box.stl'
    box().export(path)
    found = built(path)
    text = scenario.dump(found)
    path.unlink()
    again = scenario.parse(text, 'test')
    assert np.array_equal(again.plant.body.inertia, found.plant.body.inertia)
    assert again.plant.body.mass == found.plant.body.mass
    with pytest.raises(ScenarioError, match='no such file'):
        body_looks.drawn_parts(again)


def test_it_is_drawn_about_its_centre_of_mass(tmp_path):
    path = tmp_path / 'box.stl'
    box().export(path)
    (look,) = body_looks.drawn_parts(built(path))
    assert look.reach() == pytest.approx(np.linalg.norm(SIZE) / 2.0, rel=1e-6)
    corners = meshes.mesh([look]).corners.reshape(-1, 3)
    assert (corners.max(axis=0) + corners.min(axis=0)) / 2.0 == pytest.approx(
        np.zeros(3), abs=1e-7
    )
    normals = meshes.mesh([look]).normals
    assert np.all(np.sum(normals * meshes.mesh([look]).corners.mean(axis=1), axis=1) > 0.0)


def test_rviz_reads_the_file_itself(tmp_path):
    from spacecraft_attitude_sim.nodes.markers.body_markers import BodyMarkers

    path = tmp_path / 'a box.stl'
    box().export(path)
    (marker,) = BodyMarkers(body_looks.drawn_parts(built(path, body__mesh__scale=2.0))).at(
        np.zeros(3), rotations.IDENTITY
    )
    assert marker.type == marker.MESH_RESOURCE
    assert marker.mesh_resource == path.as_uri()
    assert (marker.scale.x, marker.scale.y, marker.scale.z) == (2.0, 2.0, 2.0)
    at = marker.pose.position
    assert (at.x, at.y, at.z) == pytest.approx(-2.0 * np.array(POSITION), abs=1e-6)


def opened(mesh):
    """Take a face away."""
    mesh.update_faces(np.arange(len(mesh.faces)) > 0)


@pytest.mark.parametrize(
    ('spoil', 'reason'),
    [
        (opened, 'is not watertight: 3 of its edges'),
        (lambda mesh: mesh.invert(), 'does not have all its faces outwards'),
    ],
)
def test_a_mesh_that_encloses_nothing_is_refused_as_a_solid_but_may_be_drawn(
    tmp_path, spoil, reason
):
    mesh, path = box(), tmp_path / 'spoiled.ply'
    spoil(mesh)
    mesh.export(path)
    with pytest.raises(ScenarioError, match=reason):
        built(path)
    assert body_looks.drawn_parts(scenario.build({'body.mesh.file': str(path)}, 'test'))


@pytest.mark.parametrize(
    ('given', 'reason'),
    [
        ({'body.mesh.density': 1.0}, 'needs body.mesh.file'),
        ({'body.mesh.density': 1.0, 'body.mesh.file': '/none.stl'}, 'no such file'),
        (
            {'body.mesh.density': 1.0, 'body.mesh.file': '/none.stl', 'body.mass': 1.0},
            'body.mass and body.mesh.density are both given',
        ),
    ],
)
def test_contradictions_are_refused(given, reason):
    with pytest.raises(ScenarioError, match=reason):
        scenario.build(given, 'test')


def test_a_file_that_is_no_mesh_is_refused(tmp_path):
    for name, content in (('text.stl', 'hello'), ('scene.glb', 'glTF'), ('thing.xyz1', 'a')):
        path = tmp_path / name
        path.write_text(content)
        with pytest.raises(ScenarioError, match=r"mesh.file '.*(cannot be read|has no faces)"):
            built(path)
