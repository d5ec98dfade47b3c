# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Other people's estimators find the true attitude from our topics, and go astray if one is wrong.

imufusion and scipy know nothing of this package: a wrong sign, frame or quaternion order of ours
would send them astray, as it does here when one is made wrong on purpose.
"""

import sys

import conftest
import numpy as np
import pytest
from processes import printed
from scipy.spatial.transform import Rotation

sys.path.insert(0, str(conftest.ROOT / 'examples'))
estimate_attitude = pytest.importorskip('estimate_attitude', reason='imufusion is not installed')
ESTIMATORS = {'imufusion': estimate_attitude.fuse, 'align_vectors': estimate_attitude.align}
# What the two may err [deg, rms]. Of the vectors: accelerometer 0.03 (bias 0.75 mg), magnetometer
# noise 50 nT and bias 100 nT in 18 µT across the vertical, 0.4 together. imufusion is ahead by the
# rotation in one tick, 0.6: it compares a reading with its attitude before it integrates the rate.
SMALL = {'imufusion': 1.2, 'align_vectors': 0.8}
ASTRAY = 20.0


@pytest.fixture(scope='module')
def recording(command, tmp_path_factory):
    """What the sensors read of a spacecraft on an air bearing, 30 s."""
    bag = tmp_path_factory.mktemp('estimation') / 'bag'
    path = conftest.ROOT / 'examples' / 'air_bearing.yaml'
    printed(command, 'run', path, '--rate', 0, '--duration', 30, '--record', bag)
    return estimate_attitude.read(bag)


def rms_deg(recording, name):
    errors = estimate_attitude.errors_deg(ESTIMATORS[name](recording), recording)
    return estimate_attitude.rms_deg(errors, recording)


@pytest.mark.parametrize('name', ESTIMATORS)
def test_estimator_finds_the_attitude(recording, name):
    assert len(recording.time) == 961
    assert rms_deg(recording, name) < SMALL[name]


def mounting():
    """Return the Rotation, sensor to body, of examples/air_bearing.yaml."""
    return Rotation.from_quat((0.5, -0.5, 0.5, 0.5))


def reordered(attitude):
    """Return a Rotation whose w, x, y, z were taken for x, y, z, w."""
    return Rotation.from_quat(np.roll(attitude.as_quat(), 1, axis=1))


BOTH = tuple(ESTIMATORS)
MISTAKES = {
    'angular velocity of the world seen from the body': (
        lambda r: r._replace(rate_S=-r.rate_S), ('imufusion',)),
    'gravity instead of specific force': (lambda r: r._replace(force_S=-r.force_S), BOTH),
    'magnetic field reversed': (lambda r: r._replace(field_S=-r.field_S), BOTH),
    'angular velocity in body axes': (
        lambda r: r._replace(rate_S=mounting().apply(r.rate_S)), ('imufusion',)),
    'specific force in body axes': (
        lambda r: r._replace(force_S=mounting().apply(r.force_S)), BOTH),
    'magnetic field in body axes': (
        lambda r: r._replace(field_S=mounting().apply(r.field_S)), BOTH),
    'attitude from world to sensor': (
        lambda r: r._replace(attitude_WS=r.attitude_WS.inv()), BOTH),
    'attitude of the body, not of the sensor': (
        lambda r: r._replace(attitude_WS=r.attitude_WS * mounting().inv()), BOTH),
    'quaternion in the other order': (
        lambda r: r._replace(attitude_WS=reordered(r.attitude_WS)), BOTH),
}  # fmt: skip


@pytest.mark.parametrize('mistake', MISTAKES)
def test_a_sign_or_frame_made_wrong_sends_it_astray(recording, mistake):
    make, names = MISTAKES[mistake]
    for name in names:
        assert rms_deg(make(recording), name) > ASTRAY, name
