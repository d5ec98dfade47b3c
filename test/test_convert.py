# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim convert`: forms of an attitude against other formulas, mountings in words."""

import json
import math

import numpy as np
import pytest
from processes import printed, run

from spacecraft_attitude_sim.core.mathematics import attitude_forms, rotations
from spacecraft_attitude_sim.core.mathematics.axis_words import AXES, in_words

HALF = math.sqrt(0.5)


@pytest.fixture(scope='module')
def turned():
    """Random unit quaternions (20, 4)."""
    q = np.random.default_rng(1).normal(size=(20, 4))
    return q / np.linalg.norm(q, axis=1)[:, np.newaxis]


def forms_of(command, *arguments):
    return json.loads(printed(command, 'convert', *map(str, arguments), '--json'))


def test_all_forms_are_those_of_our_own_formulas(command, turned):
    for q in turned[:4]:
        found = forms_of(command, 'quaternion', *q)
        assert found['dcm'] == pytest.approx(rotations.dcm_from_quaternion(q), abs=1e-15)
        yaw, pitch, roll = rotations.euler_zyx_from_quaternion(q)
        assert np.radians(found['euler']) == pytest.approx([yaw, pitch, roll], abs=1e-12)
        w, *v = q * math.copysign(1.0, q[0])
        assert found['quaternion'] == pytest.approx([w, *v], abs=1e-15)
        # tan(angle/4) along the axis is v/(1 + w).
        assert found['mrp'] == pytest.approx(np.array(v) / (1.0 + w), abs=1e-14)
        angle = 2.0 * math.acos(w)
        assert found['rotation-vector'] == pytest.approx(
            math.degrees(angle) * np.array(v) / math.sin(angle / 2.0), rel=1e-9
        )
        assert found['axis-angle'][3] == pytest.approx(math.degrees(angle), rel=1e-12)


@pytest.mark.parametrize('form', attitude_forms.NUMBERS)
@pytest.mark.parametrize('sequence', ['ZYX', 'zxz', 'XYX'])
def test_what_comes_out_goes_in_again(form, sequence, turned):
    from spacecraft_attitude_sim.subcommands.convert import _forms

    for q in turned:
        rotation = attitude_forms.read('quaternion', q).rotation
        for degrees in (True, False):
            numbers = _forms(rotation, sequence, degrees=degrees)[form].ravel()
            again = attitude_forms.read(form, numbers, sequence=sequence, degrees=degrees)
            assert (again.rotation.inv() * rotation).magnitude() < 1e-14
            assert again.off < 1e-14


def test_either_sense_and_order(command):
    one = forms_of(command, 'dcm', 0, 0, 1, 0, 1, 0, -1, 0, 0)
    other = forms_of(command, 'dcm', 0, 0, -1, 0, 1, 0, 1, 0, 0, '--inverse')
    last = forms_of(command, 'quaternion', 0, HALF, 0, HALF, '--order', 'xyzw')
    assert one == other
    assert last['quaternion'] == pytest.approx([HALF, 0.0, HALF, 0.0])
    assert one['quaternion'] == pytest.approx(last['quaternion'])
    # Body x is the third row's -1: along -z of the world, after a quarter turn about y.
    assert one['axis-angle'] == pytest.approx([0.0, 1.0, 0.0, 90.0])


def test_euler_angles_of_a_textbook(command):
    """About turned axes the first angle's matrix comes first, about fixed axes last."""
    yaw, pitch, roll = np.radians((30.0, 20.0, 10.0))
    z = np.array(
        ((math.cos(yaw), -math.sin(yaw), 0), (math.sin(yaw), math.cos(yaw), 0), (0, 0, 1))
    )
    y = np.array(
        ((math.cos(pitch), 0, math.sin(pitch)), (0, 1, 0), (-math.sin(pitch), 0, math.cos(pitch)))
    )
    x = np.array(
        ((1, 0, 0), (0, math.cos(roll), -math.sin(roll)), (0, math.sin(roll), math.cos(roll)))
    )
    inner = forms_of(command, 'euler', '30,20,10')
    assert inner['dcm'] == pytest.approx(z @ y @ x, abs=1e-15)
    outer = forms_of(command, 'euler', 30, 20, 10, '--sequence', 'zyx')
    assert outer['dcm'] == pytest.approx(x @ y @ z, abs=1e-15)
    assert printed(
        command, 'convert', 'euler', *map(str, (yaw, pitch, roll)), '--radians', '--to', 'euler'
    ).split() == [f'{angle:.10g}' for angle in (yaw, pitch, roll)]


def test_mountings_in_words(command):
    text = printed(
        command, 'convert', 'mounting', 'sensor z along body \N{MINUS SIGN}x, x along y'
    )
    assert 'x along y, y along -z, z along -x' in text
    matrix = attitude_forms.mounting('z along -x and x along y').as_matrix()
    assert matrix @ (0.0, 0.0, 1.0) == pytest.approx([-1.0, 0.0, 0.0], abs=1e-15)
    assert matrix @ (1.0, 0.0, 0.0) == pytest.approx([0.0, 1.0, 0.0], abs=1e-15)
    every = attitude_forms.aligned_rotations()
    words = {in_words(rotation.as_matrix()) for rotation in every}
    assert len(words) == len(every) == 24
    for rotation in every:
        again = attitude_forms.mounting(in_words(rotation.as_matrix()))
        assert (again.inv() * rotation).magnitude() < 1e-15
    assert in_words(attitude_forms.read('mrp', (0.1, 0.0, 0.0)).rotation.as_matrix()) == ''


def test_the_six_mountings_have_the_boresight_where_they_say(command):
    lines = printed(command, 'convert', 'mountings').splitlines()[1:]
    assert len(lines) == 6
    for line in lines:
        axis, _, rest = line.strip().partition(' ')
        q = [float(number) for number in rest[rest.index('[') + 1 : rest.index(']')].split(',')]
        boresight_B = rotations.rotate(q, (0.0, 0.0, 1.0))
        assert boresight_B == pytest.approx(AXES[axis], abs=1e-8)
        assert f'z along {axis}' in rest


def test_gimbal_lock_is_told(command):
    assert 'gimbal lock' in printed(command, 'convert', 'euler', '10', '90', '20')
    assert 'gimbal lock' not in printed(command, 'convert', 'euler', '10', '-1e-5', '20')


def test_a_matrix_with_few_digits_is_taken_and_told(command):
    text = printed(
        command, 'convert', 'dcm', *['0.866', '-0.5', '0', '0.5', '0.866', '0', '0', '0', '1']
    )
    assert 'off a rotation by' in text
    assert '30' in text


@pytest.mark.parametrize(
    ('words', 'said'),
    [
        (('quaternion', '1', '0', '0'), 'quaternion takes 4 numbers, not 3'),
        (('quaternion', '0', '0', '0', '0'), 'has the length 0; give one of length 1'),
        (('quaternion', '1', '1', '0', '0'), 'the quaternion has the length 1.41421'),
        (('quaternion', 'nan', '0', '0', '0'), 'a number that is not finite'),
        (('mrp', '1e308', '0', '0'), 'mrp has 1e+308; give numbers of at most 1e+06 in size'),
        (('rotation-vector', '0', '-1e200', '0'), 'rotation-vector has 1e+200; give numbers'),
        (('axis-angle', '0', '0', '1', '1e308'), 'axis-angle has 1e+308; give numbers of at'),
        (('dcm', *['1', '0', '0', '0', '0', '1', '0', '1', '0']), 'determinant -1: it mirrors'),
        (
            ('dcm', *['1', '0', '0', '0', '1', '0', '0', '0', '2']),
            'not at right angles with length 1 (off by 1)',
        ),
        (('euler', '1', '2', '3', '--sequence', 'ZZX'), "sequence is 'ZZX'"),
        (('euler', 'a', '2', '3'), 'euler takes numbers'),
        (('axis-angle', '0', '0', '2', '90'), 'the axis has the length 2'),
        (('mounting', 'z along -x'), 'leaves a turn about that axis; there are: '),
        (('mounting', 'z along x, x along x'), 'contradicts itself'),
        (('mounting', 'x along x, y along z, z along y'), 'or is left-handed'),
        (('mounting', 'up'), "'up' is not understood"),
        (('mountings', '3'), 'takes no numbers'),
        (('matrix',), "no 'matrix'"),
    ],
)
def test_what_is_no_attitude_is_refused(command, words, said):
    done = run(command, 'convert', *words)
    assert done.returncode == 2
    assert said in done.stderr


def test_check_says_mountings_in_words(command):
    text = printed(command, 'check', 'cubesat_3u_leo')
    assert 'rotated by 90 deg about (0, 1, 0) (x along -z, y along y, z along x)' in text
