# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A recorded scenario holds the mass properties that its steps used, to the bit."""

import os
import subprocess
import sys

import numpy as np
import pytest

from spacecraft_attitude_sim.configuration import recorded_scenario, scenario

TURNED = {
    'body.mass': 1.0,
    'body.inertia': [0.01, 0.016, 0.017, 0.0007, -0.0003, 0.0011],
    'initial.position': [0.0, 0.0, 5.0],
}
SURFACE = {
    'surface.shape': 'ellipsoid',
    'surface.semi_axes': [0.1, 0.11, 0.12],
    'surface.orientation': [0.5, 0.5, -0.5, 0.5],
}
DIGEST = (
    'import sys; from spacecraft_attitude_sim.configuration import scenario; '
    "f = scenario.parse(sys.stdin.read(), 'x'); b = f.plant.body; "
    'print((b.flat().tobytes() + b.inertia.tobytes() + b.inverse_inertia.tobytes()).hex())'
)


def used(found):
    """Return all bits of body and contact that a step takes."""
    body, contact, carrier = found.plant.body, found.plant.contact, found.plant.spacecraft.carrier
    parts = [body.flat(), body.inertia, body.inverse_inertia, body.center_of_mass]
    parts += [carrier.flat(), carrier.inverse_inertia]
    if contact:
        parts.append(contact.flat(body).constants)
    return b''.join(part.tobytes() for part in parts)


@pytest.fixture
def another_processor(monkeypatch):
    """LAPACK and BLAS whose results differ in the last digits."""

    def become():
        for name in ('eigh', 'inv'):
            function = getattr(np.linalg, name)
            monkeypatch.setattr(np.linalg, name, lambda m, f=function: _nudged(f(m)))

    return become


def _nudged(result):
    if isinstance(result, tuple):
        return tuple(_nudged(part) for part in result)
    return np.nextafter(result, np.inf)


# Its inertia is diagonal about both points, but for the products' round-off.
FROM_ORIGIN = {
    'body.mass': 1.3,
    'body.inertia': [0.1, 0.1, 0.01],
    'body.center_of_mass': [0.0, 0.0, 0.13],
    'body.inertia_about': 'origin',
}
WHEELS = {
    'wheels': ['x'], 'wheel.x.axis': [0.6, 0.8, 0.0], 'wheel.x.inertia': 1e-4,
    'wheel.x.max_torque': 0.1,
}  # fmt: skip
KINDS = ('parts', 'products of inertia', 'turned on a floor', 'about the origin', 'with wheels')


@pytest.mark.parametrize('kind', KINDS)
def test_recorded_scenario_has_the_bits_of_its_run_on_another_processor(kind, another_processor):
    if kind == 'parts':
        first = scenario.load(scenario.find('cubesat_tumble'))
    elif kind == 'about the origin':
        first = scenario.build(FROM_ORIGIN, 'x')
    else:
        given = TURNED | WHEELS if 'wheels' in kind else TURNED
        first = scenario.build(given, 'x', SURFACE if 'floor' in kind else None)
    bits, text = used(first), scenario.dump(first)
    without = '\n'.join(line for line in text.split('\n') if 'computed' not in line)
    assert without != text
    another_processor()
    again = scenario.parse(text, 'x')
    assert used(again) == bits
    assert scenario.dump(again) == text


def test_body_made_anew_elsewhere_differs_so_that_this_can_fail(another_processor):
    first = scenario.build(TURNED, 'x')
    another_processor()
    assert used(scenario.build(TURNED, 'x')) != used(first)


def test_recorded_scenario_has_the_same_bits_under_every_blas_kernel():
    text = scenario.dump(scenario.load(scenario.find('cubesat_tumble')))
    found = {
        subprocess.run(
            [sys.executable, '-c', DIGEST], input=text, capture_output=True, text=True, check=True,
            env={**os.environ, 'OPENBLAS_CORETYPE': kernel},
        ).stdout
        for kernel in ('Prescott', 'Nehalem', 'Haswell')
    }  # fmt: skip
    body = scenario.parse(text, 'x').plant.body
    here = body.flat().tobytes() + body.inertia.tobytes() + body.inverse_inertia.tobytes()
    assert found == {here.hex() + '\n'}


def test_diagonal_inertia_needs_no_record():
    assert 'computed' not in scenario.dump(scenario.load(scenario.find('tennis_racket')))


@pytest.mark.parametrize(
    ('key', 'value', 'words'),
    [
        ('inertia', [1.0, 1.0, 1.0, 0.0, 0.0, 0.0], 'of another body'),
        ('principal_moments', [0.01, 0.02, 0.02], 'does not belong to the inertia'),
        ('inverse_inertia', [1.0] * 9, 'does not belong to the inertia'),
        ('mass', [float('nan')], 'mass'),
        ('mess', [1.0], 'mess'),
        ('mass', None, 'is missing'),
    ],
)
def test_computed_values_of_another_body_are_refused(key, value, words):
    found = scenario.build(TURNED, 'x')
    given = {
        **found.parameters,
        **recorded_scenario.computed(found),
        f'body.computed.{key}': value,
    }
    if value is None:
        del given[f'body.computed.{key}']
    with pytest.raises(scenario.ScenarioError, match=words):
        scenario.build(given, 'x.yaml')


def test_dispersing_the_inertia_drops_what_was_computed_of_another():
    found = scenario.parse(scenario.dump(scenario.build(TURNED, 'x')), 'x')
    other = [0.02, *TURNED['body.inertia'][1:]]
    changed = scenario.changed(found, {'body.inertia': other}, 'x')
    anew = scenario.build({**TURNED, 'body.inertia': other}, 'x')
    assert used(changed) == used(anew)
