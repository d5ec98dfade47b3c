# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Summaries of scenarios say what they said, as test/data/summaries.txt has it.

Read what has changed there; test/data/make_summaries.py writes the file anew.
"""

import re

import pytest
from conftest import ROOT
from test_actuator_views import EVERYTHING
from test_internal_views import CRAFT

from spacecraft_attitude_sim.configuration import (
    attitude_estimator,
    attitude_guidance,
    flight_report,
    formation,
    scenario,
    scenario_file,
    scenario_report,
)
from spacecraft_attitude_sim.configuration.scenario_file import find

FILE = ROOT / 'test' / 'data' / 'summaries.txt'
NUMBER = re.compile(r'-?\d+\.?\d*(?:e[-+]\d+)?')
MORE = {'everything': EVERYTHING, 'inside': CRAFT}
# What no shipped scenario has: {name: (of what, what of it is replaced, by what)}
CHANGED = {
    'jets that are alike': ('everything', 'max_force: 0.02,\n             period: 0.5', (
        'misalignment: 1.0, rise_time: 0.1, open_delay: 0.05, close_delay: 0.06, scatter: 0.02,\n'
        '             max_force: 0.02, specific_impulse: 70.0, carry: false, period: 0.5')),
    'on a bearing': ('everything', 'description:', (
        'bearing: {enabled: true, position: [0.0, 0.0, 0.001]}\n'
        '    gravity: [0.0, 0.0, -9.81]\n    description:')),
    'free panel': ('inside', r'(),\s+latch_angle: 0.0', ''),
    'only a slug': ('inside', r'(?s)flexible_modes.*(slugs: )', r'\1'),
    'only a pendulum': ('inside', r'(?s)flexible_modes.*(pendulums:.*)slugs.*', r'\1'),
}  # fmt: skip
# What is given otherwise than in any of these: {name: (of what, parameters)}
OTHERWISE = {
    'orbit through a point, given air and light': ('cubesat_3u_leo', {
        'orbit.model': 'state', 'orbit.position': [6.6e6, 1.0e6, 2.0e6],
        'orbit.velocity': [-2.0e3, 6.5e3, 3.5e3], 'density_factor': 2.5, 'wind_model': 'uniform',
        'wind': [100.0, -50.0, 25.0], 'sun_model': 'uniform', 'sun_direction': [0.6, 0.0, 0.8],
        'irradiance_model': 'uniform', 'irradiance': 1300.0, 'earth_shadow': False,
        'gravity_gradient': False, 'initial.frame': 'lvlh', 'accuracy': 1e-7,
        'initial.attitude': [0.6, 0.0, 0.8, 0.0],
    }),
    'low ellipse, tilted dipole': ('cubesat_3u_leo', {
        'orbit.model': 'kepler', 'orbit.semi_major_axis': 6.6e6, 'orbit.eccentricity': 0.02,
        'orbit.argument_of_perigee': 0.25, 'orbit.true_anomaly': 0.75, 'magnetic_model': 'dipole',
        'earth_dipole.moment': 7.5e15, 'earth_dipole.tilt': 0.2, 'earth_dipole.longitude': 1.5,
        'irradiance': 1300.0, 'wind_model': 'uniform', 'substeps': 2,
    }),
    'errors of actuators': ('everything', {
        'wheel.a.tachometer.gain': 1.25, 'wheel.b.tachometer.bias': -0.5,
        'wheel.b.tachometer.resolution': 0.25, 'wheel.c.imbalance.static': 1e-6,
        'wheel.c.imbalance.dynamic': 2e-8, 'magnetorquers_duty': 0.75,
        'residual_dipole': [0.01, -0.02, 0.03], 'gimbal.g.free_rotor': True,
        'gimbal.f.max_torque': 0.5, 'body.inertia_about': 'origin',
        'body.center_of_mass': [0.01, 0.02, -0.01],
        'eddy_currents.magnetic_tensor': [10.0, 20.0, 30.0, 1.0, 2.0, 3.0],
    }),
    'hub': ('inside', {
        'body.given_for': 'hub', 'initial.point': 'center_of_mass',
        'initial.velocity': [1.0, 2.0, 3.0],
    }),
}  # fmt: skip


def summaries():
    """Yield (name, summary) of every shipped scenario and of some more."""
    for name in (*scenario_file.shipped(), *scenario_file.shipped_formations()):
        for member in formation.agreed(formation.complete([find(name)])):
            found = scenario.of_sections(member.sections, member.source)
            yield f'{name} {member.namespace}'.strip(), said_of(found)
    for name, text in MORE.items():
        yield name, said_of(scenario.parse(text, name))
    for name, (of, old, new) in CHANGED.items():
        text, count = re.subn(old if '(' in old else re.escape(old), new, MORE[of])
        assert count == 1, name
        yield name, said_of(scenario.parse(text, name))
    for name, (of, values) in OTHERWISE.items():
        found = scenario.parse(MORE[of], name) if of in MORE else scenario.load(find(of))
        yield name, said_of(scenario.changed(found, values, name))


def said_of(found):
    """Return the summary without the folder of the checkout."""
    return '\n'.join(scenario_report.report(found)).replace(str(ROOT), '')


def test_summaries_say_what_they_said():
    """Numbers to 2e-5: of six digits, the last may be rounded otherwise elsewhere."""
    stored = FILE.read_text(encoding='utf-8').removeprefix('=== ').rstrip('\n').split('\n=== ')
    expected = dict(one.split('\n', 1) for one in stored)
    found = dict(summaries())
    assert list(found) == list(expected)
    for name, said in found.items():
        for line, before in zip(said.splitlines(), expected[name].splitlines(), strict=True):
            assert NUMBER.sub('#', line) == NUMBER.sub('#', before), name
            numbers, former = (
                [float(one) for one in NUMBER.findall(text)] for text in (line, before)
            )
            assert numbers == pytest.approx(former, rel=2e-5, abs=1e-12), f'{name}: {line}'


def test_report_of_what_no_shipped_scenario_has():
    """A profile at rest, one that spins, a start that is not given, a bias that is estimated."""
    own = {
        'profiles': ['still', 'wheel'], 'profile.wheel.direction': 'inertial',
        'profile.wheel.second_direction': 'inertial',
        'profile.wheel.spin_rate': 0.1, 'timetable': ['5.0 wheel'],
    }  # fmt: skip
    guidance = attitude_guidance.checked(own)
    known = {'magnetometer.enabled': True, 'magnetometer.bias': [50.0]}
    known |= {'star_tracker.enabled': True, 'imu.gyroscope.misalignment': [1.0]}
    known |= {'estimate_gyroscope_axes': True, 'misaligned_sensors': ['magnetometer']}
    estimator = attitude_estimator.checked(known | {'estimate_magnetometer_bias': True})
    said = dict(flight_report.sections(estimator, guidance, None))
    assert list(said) == ['estimator', 'guidance']
    assert list(said['estimator']) == [
        'attitude_estimator, from gyroscope, star_tracker, magnetometer',
        'it also estimates the bias of the magnetometer',
        'it also estimates scale factors and misalignments of the gyroscope',
        'it also estimates the misalignment of magnetometer',
    ]
    assert list(said['guidance'])[:4] == [
        'attitude_guidance, begins with profile fixed', '  5.0 wheel', 'profile still: at rest',
        'profile wheel: (0, 0, 1) along inertial, (1, 0, 0) near inertial, spins at 0.1 rad/s '
        'about (0, 0, 1)',
    ]  # fmt: skip
