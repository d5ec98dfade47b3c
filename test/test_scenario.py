# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Scenarios build what they say, and a mistake is refused with file, key, value and remedy."""

import dataclasses

import numpy as np
import pytest
from rclpy._rclpy_pybind11 import RCLError
from rclpy.context import Context

from spacecraft_attitude_sim.configuration import parameters, scenario
from spacecraft_attitude_sim.configuration.scenario import ScenarioError
from spacecraft_attitude_sim.core.body import rigid_body as bodies
from spacecraft_attitude_sim.drawing import body_looks

BALL = {'body.parts': ['ball'], 'parts.ball.shape': 'sphere', 'parts.ball.size': [0.5]}


@pytest.mark.parametrize('name', scenario.shipped())
def test_shipped_scenario_says_what_it_shows_and_rebuilds_from_its_own_dump(name):
    found = scenario.load(scenario.find(name))
    assert found.description
    again = scenario.parse(scenario.dump(found), 'dump')
    assert again.parameters == found.parameters
    assert np.array_equal(again.plant.body.inertia, found.plant.body.inertia)


@pytest.mark.parametrize('name', scenario.shipped())
def test_shipped_scenario_is_a_parameter_file_to_ros_itself(name, tmp_path):
    dumped = tmp_path / 'dumped.yaml'
    dumped.write_text(scenario.dump(scenario.load(scenario.find(name))))
    for path in (scenario.find(name), dumped):
        context = Context()
        context.init(['--ros-args', '--params-file', str(path)])
        context.try_shutdown()


def test_tennis_racket_is_drawn_with_two_cylinders_that_have_its_inertia():
    found = scenario.load(scenario.find('tennis_racket'))
    volumes = [np.pi * part.size[0] ** 2 * part.size[1] for part in found.parts]
    density = found.plant.body.mass / sum(volumes)
    assert density == pytest.approx(7850.0, rel=1e-4)  # steel
    made = bodies.compose(
        [
            dataclasses.replace(part, mass=density * volume)
            for part, volume in zip(found.parts, volumes, strict=True)
        ]
    )
    assert np.allclose(made.inertia, found.plant.body.inertia, rtol=0, atol=1e-6 * 210.5e-6)
    assert np.allclose(made.center_of_mass, 0.0, atol=1e-6)


def test_cubesat_has_its_battery_off_the_axis():
    found = scenario.load(scenario.find('cubesat_tumble'))
    assert found.plant.body.mass == pytest.approx(4.0)
    assert found.plant.body.center_of_mass[0] == pytest.approx(0.6 * 0.004 / 4.0)
    assert abs(found.plant.body.q_BP[1]) > 1e-3


def test_whole_numbers_and_yaml_exponents_are_numbers():
    found = scenario.build({'body.mass': 2, 'body.inertia': ['1e-6', 1e-6, 1.5e-6]}, 'x')
    assert found.plant.body.mass == 2.0
    assert found.plant.body.principal_moments.tolist() == [1e-6, 1e-6, 1.5e-6]


@pytest.mark.parametrize(
    ('given', 'words'),
    [
        ({'body.inertai': [1.0, 1.0, 1.0]}, "body.inertai .*did you mean 'body.inertia'"),
        ({'body.inertia': [1.0, -0.2, 1.0]}, r'body.inertia\[1\] is -0.2 kg m\^2.*positive'),
        ({'body.inertia': [1.0, 1.0, 0.0]}, r'body.inertia\[2\] is 0 kg m\^2.*singular'),
        ({'body.inertia': [1.0, 1.0, 3.0]}, r'body.inertia\[2\] is 3 kg m\^2.*sum 2'),
        ({'body.inertia': [1.0, 1.0]}, 'body.inertia has 2 values; give 3 or 6'),
        ({'body.mass': -1.0}, 'body.mass is -1.0 kg; give a number from'),
        ({'body.mass': float('nan')}, 'body.mass is nan kg'),
        ({'body.mass': 'heavy'}, "body.mass is 'heavy'; give a number in kg"),
        ({'body.mass': True}, 'body.mass is True'),
        ({'initial.attitude': [0.0, 0.0, 0.0, 0.0]}, 'initial.attitude .*unit quaternion'),
        ({'initial.attitude': [1.0, 1.0, 0.0, 0.0]}, 'initial.attitude .*norm 1.41'),
        ({'initial.velocity': 3.0}, 'initial.velocity is 3.0; give a list'),
        ({'initial.angular_velocity': [0.0, 2e4, 0.0]}, r'angular_velocity\[1\] is 20000.0 rad/s'),
        ({'substeps': 1.5}, 'substeps is 1.5; give a whole number'),
        ({**BALL, 'parts.ball.shape': 'cone'}, "parts.ball.shape is 'cone'; valid are box"),
        ({**BALL, 'parts.ball.size': [1.0, 2.0]}, 'parts.ball.size has 2 values; a sphere has 1'),
        ({**BALL, 'parts.ball.mass': 0.0}, 'parts.ball.mass is 0.0 kg'),
        ({**BALL, 'parts.ball.mass': 1.0, 'body.mass': 2.0}, 'body.mass and parts.ball.mass'),
        (
            {**BALL, 'parts.ball.mass': 1.0, 'body.inertia_about': 'origin'},
            'body.inertia_about and parts.ball.mass are both given',
        ),
        (
            {'body.mesh.density': 1.0, 'body.inertia_about': 'origin'},
            'body.inertia_about and body.mesh.density are both given',
        ),
        ({'body.inertia_about': 'corner'}, "inertia_about is 'corner'; choose one of center_of_m"),
        (
            {'body.inertia_about': 'origin', 'body.inertia': [1.0, 1.0, 3.0]},
            r'body.inertia\[2\] is 3 kg m\^2',
        ),
        (
            {
                'body.inertia_about': 'origin',
                'body.mass': 2.0,
                'body.inertia': [1.0, 1.0, 1.0],
                'body.center_of_mass': [0.0, 0.0, 1.0],
            },
            r'body.inertia is about the origin .*moved to body.center_of_mass \[0.0, 0.0, 1.0\] m '
            r'with body.mass 2 kg .*inertia\[0\] is -1 kg m\^2',
        ),
        ({**BALL, 'parts.bull.size': [1.0]}, 'parts.bull.size .*did you mean'),
        ({'body.parts': ['ball'], 'parts.ball.size': [1.0]}, 'parts.ball.shape is missing'),
    ],
)
def test_mistake_is_named(given, words):
    with pytest.raises(ScenarioError, match=f'^wrong.yaml: .*{words}'):
        scenario.build(given, 'wrong.yaml')


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('', 'holds no parameters'),
        ('a: [1', 'is not YAML'),
        ('simulator:\n  body: 1\n', 'ros__parameters'),
        (
            'recorder:\n  ros__parameters:\n    folder: x\n',
            "no parameters for '/\\*\\*/simulator'",
        ),
        (
            'simulator:\n  ros__parameters:\n    body: {mass: 1.0}\n',
            r'does not say body.inertia \[kg m\^2\], initial.angular_velocity \[rad/s\]; '
            'give them; instead of mass and inertia you may give .*body.density',
        ),
        (
            'simulator:\n  ros__parameters:\n    body: {mass: 1, inertia: [1, 2, 2]}\n',
            r'does not say initial.angular_velocity \[rad/s\]; give it$',
        ),
        (
            'simulator: {ros__parameters: {body: {parts: [a]}, parts: {a: {shape: box}}}}\n'
            'attitude_controller: {ros__parameters: {bandwidth: 0.1}}\n',
            r'say body.mass \[kg\], body.inertia .*, inertia .* of the attitude_controller',
        ),
    ],
)
def test_file_that_is_no_parameter_file_is_refused(tmp_path, text, words):
    path = tmp_path / 'mine.yaml'
    path.write_text(text)
    with pytest.raises(ScenarioError, match=f'^mine.yaml: .*{words}'):
        scenario.load(path)


@pytest.mark.parametrize(
    'body',
    [
        '{mass: 1, inertia: [1, 2, 2]}',
        '{parts: [a]}\n    parts: {a: {shape: sphere, size: [1], mass: 2}}',
    ],
)
def test_a_file_that_says_what_nobody_can_guess_is_a_scenario(tmp_path, body):
    path = tmp_path / 'mine.yaml'
    path.write_text(
        'simulator:\n  ros__parameters:\n    initial: {angular_velocity: [0, 0, 0]}\n'
        f'    body: {body}\n'
    )
    assert not scenario.load(path).initial.angular_momentum_W.any()


def test_integers_among_floats_are_floats_to_us_and_in_what_ros_is_given(tmp_path):
    path, given = tmp_path / 'mine.yaml', tmp_path / 'given.yaml'
    text = (
        '/**/simulator:\n  ros__parameters:\n    body: {{mass: 2, inertia: [1, {0}, 2.0]}}\n'
        '    initial: {{angular_velocity: [-0.05, {1}, {1}]}}\n    application_frames: [a, b]\n'
    )
    path.write_text(text.format(2, 0))
    given.write_text(scenario.text_for_ros(path))
    with pytest.raises(RCLError):
        Context().init(['--ros-args', '--params-file', str(path)])
    context = Context()
    context.init(['--ros-args', '--params-file', str(given)])
    context.shutdown()
    found = scenario.load(path)
    assert found.parameters['initial.angular_velocity'] == [-0.05, 0.0, 0.0]
    assert scenario.dump(found) == scenario.dump(scenario.load(given))
    path.write_text(text.format(2.0, 0.0).replace('[1,', '[1.0,'))
    assert scenario.text_for_ros(path) == ''


def test_every_mistake_in_the_parameters_of_a_file_is_named_at_once():
    given = {'body.mass': -1.0, 'substep': 3, 'duration': 'long'}
    with pytest.raises(ScenarioError) as refused:
        scenario.build(given, 'wrong.yaml')
    said = str(refused.value)
    assert said.startswith('wrong.yaml: 3 mistakes: (1) substep is not a parameter; ')
    assert '; (2) body.mass is -1.0 kg; give' in said
    assert "; (3) duration is 'long'; give a number in s" in said


def test_an_unknown_scenario_is_answered_with_the_nearest_names():
    with pytest.raises(ScenarioError, match="'tennis_racket'. Else give") as refused:
        scenario.find('tenis_racket')
    assert 'cubesat_tumble' not in str(refused.value)


@pytest.mark.parametrize('name', ['cubesat_detumble', 'cubesat_pointing'])
def test_controller_of_a_shipped_scenario_knows_its_body(name):
    found = scenario.load(scenario.find(name))
    assert found.controller['inertia'] == found.parameters['body.inertia']
    assert found.controller['torque_limit'] == found.parameters['command_torque_limit']


def test_scenario_without_the_section_asks_for_no_controller():
    assert scenario.load(scenario.find('tennis_racket')).controller is None


@pytest.mark.parametrize(
    ('section', 'words'),
    [
        ('{bandwith: 0.2}', "bandwith .*did you mean 'bandwidth'"),
        ('{mode: spinning}', "mode is 'spinning'; choose one of pointing, rate_damping, idle"),
        ('{inertia: [1.0, 1.0, 3.0]}', r'inertia\[2\] is 3 kg m\^2'),
        ('{reference: {attitude: [1.0, 1.0, 0.0, 0.0]}}', 'reference.attitude .*norm 1.41'),
        ('{rate_gain: [0.1, 0.1, 0.0]}', r'rate_gain\[2\] is 0.0 N m s/rad'),
    ],
)
def test_mistake_in_the_controller_section_is_named(section, words):
    text = (
        '/**/simulator: {ros__parameters: {duration: 1.0}}\n'
        f'/**/attitude_controller: {{ros__parameters: {section}}}\n'
    )
    with pytest.raises(ScenarioError, match=f'^mine.yaml: attitude_controller: {words}'):
        scenario.parse(text, 'mine.yaml')


def test_body_without_parts_is_drawn_as_an_ellipsoid():
    (part,) = body_looks.drawn_parts(scenario.build({}, 'defaults'))
    assert part.shape == 'ellipsoid'


def test_every_parameter_says_what_it_is_and_has_a_valid_default():
    for parameter in parameters.SIMULATOR:
        assert parameter.description.endswith('.')
        assert parameter.checked(parameter.default) == parameter.default


# A brick of 0.3 x 0.2 x 0.1 m and 5 kg, seen from its corner: m (b² + c²)/3, -m a b/4.
A, B, C, M = 0.3, 0.2, 0.1, 5.0
BRICK = {
    'body.mass': M,
    'body.center_of_mass': [A / 2, B / 2, C / 2],
    'body.inertia': [
        M * (B * B + C * C) / 3, M * (C * C + A * A) / 3, M * (A * A + B * B) / 3,
        -M * A * B / 4, -M * A * C / 4, -M * B * C / 4,
    ],
    'body.inertia_about': 'origin',
}  # fmt: skip


def test_inertia_about_the_corner_of_a_brick_is_moved_to_its_middle():
    found = scenario.build(BRICK, 'brick')
    middle = M / 12 * np.diag((B * B + C * C, C * C + A * A, A * A + B * B))
    # Differences of numbers up to 0.3 with a few roundings each.
    assert np.allclose(found.plant.body.inertia, middle, rtol=0, atol=2e-16)
    assert found.plant.body.principal_moments == pytest.approx(np.diag(middle), rel=1e-14)
    assert found.parameters['body.inertia'] == BRICK['body.inertia']  # as it was given


def test_inertia_about_the_origin_is_the_same_where_that_is_the_centre_of_mass():
    given = {'body.inertia': [1.0, 2.0, 2.5, 0.1, 0.2, 0.3]}
    moved = scenario.build({**given, 'body.inertia_about': 'origin'}, 'x')
    assert np.array_equal(moved.plant.body.inertia, scenario.build(given, 'x').plant.body.inertia)


def test_dispersing_the_centre_of_mass_keeps_the_inertia_about_the_origin():
    c = np.array((0.16, 0.09, 0.05))
    given = {'body.mass': 4.9, 'body.center_of_mass': c.tolist()}
    found = scenario.changed(scenario.build(BRICK, 'x'), given, 'x')
    at_origin = bodies.inertia_matrix(BRICK['body.inertia'])
    expected = at_origin - 4.9 * (c @ c * np.eye(3) - np.outer(c, c))
    assert np.allclose(found.plant.body.inertia, expected, rtol=0, atol=2e-16)


@pytest.mark.parametrize(
    ('name', 'given', 'contact', 'kept'),
    [
        ('cubesat_pointing', {'body.inertia': [0.05, 0.05, 0.01]}, {}, ('sensors', 'parts')),
        ('cubesat_pointing', {'body.center_of_mass': [0.0, 0.0, 0.1]}, {}, ('parts',)),
        ('cubesat_tumble', {'imu.position': [0.1, 0.0, 0.0], 'seed': 3}, {}, ('parts',)),
        ('cubesat_tumble', {'parts.bus.mass': 5.0}, {}, ()),
        ('cubesat_pointing', {'body.inertia_about': 'origin'}, {}, ('sensors', 'parts')),
        ('bouncing_ellipsoid', {'initial.velocity': [1, 0, 0]}, {}, ('sensors', 'parts')),
        ('bouncing_ellipsoid', {'gravity': [0, 0, -1.6]}, {'friction': 0.7}, ('sensors',)),
    ],
)
def test_a_changed_scenario_is_the_one_made_from_its_parameters(name, given, contact, kept):
    base = scenario.load(scenario.find(name))
    found = scenario.changed(base, given, 'test', contact)
    again = scenario.parse(scenario.dump(found), 'again')
    for key, value in given.items():
        assert found.parameters[key] == value
    assert repr(found.parameters) == repr(again.parameters)
    assert repr(found.sensors) == repr(again.sensors)
    assert found.plant.body.flat().tobytes() == again.plant.body.flat().tobytes()
    assert repr(found.initial) == repr(again.initial)
    assert repr(found.application_frames) == repr(again.application_frames)
    assert found.plant.contact == again.plant.contact
    assert all(getattr(found, field) is getattr(base, field) for field in kept)


LONG, BROKEN = 'x' * 10_000, 'a\nb'


@pytest.mark.parametrize(
    'given',
    [
        {LONG: 1.0}, {BROKEN: 1.0}, {'equations': LONG}, {'body.parts': [LONG]},
        {'body.parts': [BROKEN]}, {'body.mass': LONG}, {'wheels': [LONG, LONG]},
        {'lockstep_topics': [LONG]},
        {'body.parts': ['a'], 'parts.a.shape': BROKEN, 'parts.a.size': [1.0]},
    ],
)  # fmt: skip
def test_an_error_quotes_what_is_long_or_broken_on_one_short_line(given):
    with pytest.raises(scenario.ScenarioError) as caught:
        scenario.build(given, 'x.yaml')
    said = str(caught.value)
    assert said.startswith('x.yaml: ')
    assert len(said) < 500
    assert '\n' not in said
    assert 'xxx… (10' in said or "xxx'… (10" in said or 'a\\nb' in said
