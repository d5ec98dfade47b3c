# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Actuators as parameters: ideal where nothing is given, errors that name the key, a summary."""

import math

import numpy as np
import pytest
from plain import plain

from spacecraft_attitude_sim.configuration import (
    attitude_controller,
    scenario,
    scenario_report,
)
from spacecraft_attitude_sim.configuration.parameter import ParameterError
from spacecraft_attitude_sim.configuration.parts import magnetorquers, reaction_wheels, thrusters
from spacecraft_attitude_sim.configuration.parts.thrusters import mounted
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.actuators import inputs
from spacecraft_attitude_sim.core.parts.reaction_wheels.description import IDEAL, WheelDynamics

BODY = {'body.mass': 4.0, 'body.inertia': [0.04, 0.05, 0.03], 'body.center_of_mass': [0.1, 0, 0]}
EVERYTHING = plain(BODY | {
    'wheels': ['w', 'v'], 'wheel.w.max_speed': 600.0, 'wheel.w.speed_bandwidth': 5.0,
    'wheel.w.speed': 100.0, 'wheel.w.max_torque': 0.002, 'wheel.v.axis': [1.0, 0.0, 0.0],
    'wheel.v.dead_time': 0.05, 'wheel.v.torque': 1e-4,
    'gimbals': ['g'], 'gimbal.g.rotor_speed': 100.0, 'gimbal.g.rate': 0.2, 'gimbal.g.angle': 0.5,
    'thrusters': ['t'], 'thruster.t.position': [0.1, 0.2, 0.0], 'thruster.t.max_force': 0.05,
    'thruster.t.period': 0.5, 'thruster.t.misalignment': 0.02, 'thruster.t.force': 0.01,
    'magnetorquers': ['m'], 'magnetorquer.m.turns': 100.0, 'magnetorquer.m.max_current': 0.1,
    'magnetorquer.m.area': 0.02, 'magnetorquer.m.dipole': -0.1, 'magnetorquers_duty': 0.75,
    'residual_dipole': [0.01, 0.0, 0.0], 'seed': 5,
})  # fmt: skip


def test_wheels_of_which_nothing_new_is_given_are_ideal_wherever_the_centre_of_mass_is():
    given = plain(
        BODY | {'wheels': ['w'], 'wheel.w.max_torque': 0.002, 'wheel.w.position': [1.0, 0, 0]}
    )
    spacecraft = scenario.build(given, 'test').plant.spacecraft
    assert not spacecraft.coupled
    assert not spacecraft.part('reaction_wheels').detailed
    assert spacecraft.part('reaction_wheels').dynamics == (IDEAL,)
    unbalanced = scenario.build(given | {'wheel.w.imbalance.static': 1e-7}, 'test')
    (own,) = unbalanced.plant.spacecraft.part('reaction_wheels').dynamics
    assert own.position_B == pytest.approx((0.9, 0.0, 0.0))


RPM = math.pi / 30.0
# {model: momentum [N m s], torque [N m], speed [rad/s], imbalances [kg m], [kg m²]} of data sheets
WHEEL_SHEETS = {
    'bct_rwp015': (0.015, 0.004, 6000 * RPM, 0.0, 0.0),
    'nanoavionics_rw0': (0.02, 0.0032, 6500 * RPM, 0.0, 0.0),
    'honeywell_hr12_12': (12.0, 0.2, 6000 * RPM, 1.5e-6, 2.2e-7),
    'honeywell_hr12_25': (25.0, 0.2, 6000 * RPM, 2.4e-6, 4.6e-7),
    'honeywell_hr14_50': (50.0, 0.2, 6000 * RPM, 3.5e-6, 9.1e-7),
    'honeywell_hr16_100': (100.0, 0.2, 6000 * RPM, 4.8e-6, 1.54e-6),
}
# {model: force [N], shortest on-time [s], specific impulse [s]}
THRUSTER_SHEETS = {
    'moog_monarc_1': (0.9, 0.02, 227.5), 'moog_monarc_5': (4.5, 0.02, 226.1),
    'moog_monarc_22_6': (22.0, 0.02, 229.5), 'moog_monarc_90ht': (116.0, 0.01, 234.0),
}  # fmt: skip
# {model: largest dipole [A m²]}
MAGNETORQUER_SHEETS = {
    'isispace_imtq': 0.2, 'cubespace_cubetorquer_small': 0.24,
    'cubespace_cubetorquer_medium': 0.66, 'cubespace_cubetorquer_large': 1.9,
}  # fmt: skip


def with_wheel(model, **more):
    more = {f'wheel.w.{name}': value for name, value in more.items()}
    body = {'body.mass': 400.0, 'body.inertia': [40.0, 50.0, 30.0]}
    return body | {'wheels': ['w'], 'wheel.w.axis': [0.0, 1.0, 0.0], 'wheel.w.model': model} | more


def test_wheels_of_data_sheets_have_their_momentum_torque_speed_and_imbalance():
    assert set(WHEEL_SHEETS) == set(reaction_wheels.MODELS)
    for model, sheet in WHEEL_SHEETS.items():
        found = scenario.build(with_wheel(model), 'test')
        wheels = found.plant.spacecraft.part('reaction_wheels')
        (inertia,), (torque,), (own,) = wheels.inertias, wheels.torque_limits, wheels.dynamics
        said = (inertia * own.max_speed, torque, own.max_speed)
        assert said == pytest.approx(sheet[:3], rel=1e-5)
        assert (own.static_imbalance, own.dynamic_imbalance) == sheet[3:]
        assert f'figures of {model}' in '\n'.join(scenario_report.report(found))


def test_thrusters_of_data_sheets_have_their_figures():
    assert set(THRUSTER_SHEETS) == set(thrusters.MODELS)
    for model, sheet in THRUSTER_SHEETS.items():
        where = {'thruster.t.position': [0.1, 0.0, 0.0], 'thruster.t.direction': [0.0, 0.0, 1.0]}
        given = BODY | {'thrusters': ['t'], 'thruster.t.model': model} | where
        found = scenario.build(given, 'test')
        (own,) = found.plant.spacecraft.part('thrusters').thrusters
        assert (own.max_force, own.min_on_time, own.specific_impulse) == sheet
        assert f'figures of {model}' in '\n'.join(scenario_report.report(found))


def test_magnetorquers_of_data_sheets_have_their_dipole():
    assert set(MAGNETORQUER_SHEETS) == set(magnetorquers.MODELS)
    given = BODY | {'magnetorquers': ['m'], 'magnetorquer.m.axis': [1.0, 0.0, 0.0]}
    for model, sheet in MAGNETORQUER_SHEETS.items():
        found = scenario.build(given | {'magnetorquer.m.model': model}, 'test')
        (own,) = found.plant.spacecraft.part('magnetorquers').rods
        assert own.max_dipole == sheet
        assert f'figures of {model}' in '\n'.join(scenario_report.report(found))
    coil = {'magnetorquer.m.model': model, 'magnetorquer.m.turns': 10.0}
    with pytest.raises(scenario.ScenarioError, match='give one or the other'):
        scenario.build(given | coil, 'test')


def test_what_is_given_overrides_the_data_sheet_and_what_neither_says_is_asked_for():
    found = scenario.build(with_wheel('honeywell_hr12_12', max_torque=0.1), 'test')
    wheels = found.plant.spacecraft.part('reaction_wheels')
    assert wheels.torque_limits.tolist() == [0.1]
    assert wheels.dynamics[0].static_imbalance == 1.5e-6
    with pytest.raises(scenario.ScenarioError, match='wheel.w.inertia'):
        scenario.build(with_wheel('ideal'), 'test')
    with pytest.raises(scenario.ScenarioError, match='honeywell_hr16_100'):  # the choices
        scenario.build(with_wheel('honeywell'), 'test')
    with pytest.raises(scenario.ScenarioError) as refused:  # not told what the sheet says of it
        scenario.build(with_wheel('bct_rwp015') | {'wheel.u.model': 'bct_rwp015'}, 'test')
    assert 'wheel.u.model is not a parameter' in str(refused.value)
    assert 'inertia' not in str(refused.value)
    # A change to another model takes all figures of that, and none of the first.
    changed = scenario.changed(found, {'wheel.w.model': 'bct_rwp015'}, 'test')
    afresh = scenario.build(with_wheel('bct_rwp015'), 'test')
    assert changed.parameters == afresh.parameters


def test_every_number_reaches_its_place():
    """Each parameter of a wheel changes one field of its WheelDynamics, and to that number."""
    numbers = {
        'max_speed': 600.0, 'max_power': 3.0, 'torque_lag': 0.1, 'dead_time': 0.2,
        'friction.viscous': 1e-6, 'friction.coulomb': 1e-5, 'friction.static': 2e-5,
        'friction.stribeck_speed': 3.0, 'speed_bandwidth': 5.0, 'imbalance.static': 1e-7,
        'imbalance.dynamic': 1e-8, 'imbalance.phase': 0.5, 'tachometer.resolution': 0.25,
        'tachometer.gain': 1.01, 'tachometer.bias': 0.125, 'supply_voltage': 12.0,
        'torque_constant': 0.01, 'winding_resistance': 7.0,
    }  # fmt: skip
    given = {f'wheel.w.{name}': value for name, value in numbers.items()}
    given = plain({'wheels': ['w'], **given})
    (own,) = scenario.build(given, 'test').plant.spacecraft.part('reaction_wheels').dynamics
    fields = {
        {'friction': '', 'tachometer': 'tachometer_', 'imbalance': ''}.get(head, '') + tail: value
        for name, value in numbers.items()
        for head, _, tail in [name.rpartition('.')]
        if head != 'imbalance'
    }
    assert own == WheelDynamics(
        **fields, static_imbalance=1e-7, dynamic_imbalance=1e-8, imbalance_phase=0.5
    )


def test_every_kind_is_made_and_dumped_and_moves_to_the_same_bits():
    found = scenario.build(EVERYTHING, 'test')
    craft = found.plant.spacecraft
    (thruster,), (rod,), (gyro,) = (
        craft.part('thrusters').thrusters, craft.part('magnetorquers').rods,
        craft.part('control_moment_gyros').gyros,
    )  # fmt: skip
    assert thruster.position_B == pytest.approx((0.0, 0.2, 0.0))
    assert rod.max_dipole == pytest.approx(0.2)
    assert (gyro.max_rate, gyro.angle) == (np.inf, 0.5)
    assert craft.part('magnetorquers').off_after == 0.75 / 32.0
    assert craft.part('magnetorquers').residual_B == [0.01, 0.0, 0.0]
    inputs = found.inputs
    assert inputs.wheel_torque.tolist() == [0.0, 1e-4]
    assert inputs.wheel_speed[0] == 100.0
    assert np.isnan(inputs.wheel_speed[1])
    assert (inputs.gimbal_rate, inputs.thrust, inputs.dipole) == ([0.2], [0.01], [-0.1])
    again = scenario.parse(scenario.dump(found), 'test')
    ends = []
    for one in (found, again):
        instant = one.first_instant()
        for _ in range(20):
            instant = simulation.next_instant(one.plant, instant, one.inputs)
        ends.append(instant.state.angular_momentum_W.tobytes() + instant.state.internal.tobytes())
    assert ends[0] == ends[1]
    assert thruster.direction_B.tobytes() == (
        again.plant.spacecraft.part('thrusters').thrusters[0].direction_B.tobytes()
    )


def test_a_thruster_is_mounted_at_an_angle_of_its_sigma_drawn_by_seed_and_number():
    z = np.array((0.0, 0.0, 1.0))
    turned = np.array([mounted(z, 0.02, seed, number) for seed in range(200) for number in (0, 1)])
    assert np.allclose(np.linalg.norm(turned, axis=1), 1.0, rtol=0, atol=1e-15)
    # 400 draws about each axis: a standard deviation is found to 0.02/sqrt(800), here 6 sigma.
    assert turned[:, :2].std(axis=0) == pytest.approx((0.02, 0.02), rel=0.21)
    assert len({tuple(one) for one in turned.tolist()}) == 400
    assert mounted(z, 0.0, 1, 0) is z


@pytest.mark.parametrize(
    ('given', 'words'),
    [
        ({'wheel.w.speed': 10.0}, r'wheel\.w\.speed is 10 rad/s, and wheel\.w\.speed_bandwidth'),
        (
            {'wheel.w.speed': 10.0, 'wheel.w.speed_bandwidth': 1.0, 'wheel.w.torque': 1e-3},
            r'wheel\.w\.torque is 0\.001 N m and wheel\.w\.speed 10 rad/s; leave one',
        ),
        (
            {'wheel.w.speed': -10.0, 'wheel.w.speed_bandwidth': 1.0, 'wheel.w.max_speed': 5.0},
            r'wheel\.w\.speed is -10 rad/s; wheel\.w\.max_speed is 5 rad/s: give no more',
        ),
        (
            {'wheel.w.initial_speed': 10.0, 'wheel.w.max_speed': 5.0},
            r'wheel\.w\.initial_speed is 10 rad/s; wheel\.w\.max_speed is 5 rad/s',
        ),
        (
            {'wheel.w.friction.static': 1e-6, 'wheel.w.friction.coulomb': 2e-6},
            r'wheel\.w\.friction\.static is 1e-06 N m, less than wheel\.w\.friction\.coulomb',
        ),
        ({'wheel.w.supply_voltage': 12.0}, r'wheel\.w\.supply_voltage is 12 V without torque_c'),
        ({'wheel.w.max_power': -1.0}, r'wheel\.w\.max_power is -1\.0 W; give a number from 0'),
        ({'gimbal.g.axis': [0.0, 0.0, 0.5]}, r'gimbal\.g\.axis is .*give a unit vector'),
        (
            {'gimbal.g.spin_axis': [0.0, 0.0, 1.0]},
            r'gimbal\.g\.spin_axis is .*, not at right angles to axis',
        ),
        (
            {'gimbal.g.rate': 2.0, 'gimbal.g.max_rate': 1.0},
            r'gimbal\.g\.rate is 2 rad/s; gimbal\.g\.max_rate is 1 rad/s',
        ),
        ({'gimbal.g.rotor_inertia': 1.0}, 'less that of the wheels'),
        ({'thruster.t.direction': [1.0, 1.0, 0.0]}, r'thruster\.t\.direction is .*unit vector'),
        (
            {'thruster.t.force': 2.0, 'thruster.t.max_force': 1.0},
            r'thruster\.t\.force is 2 N; thruster\.t\.max_force is 1 N',
        ),
        (
            {'thruster.t.period': 0.1, 'thruster.t.min_on_time': 0.2},
            r'thruster\.t\.min_on_time is 0\.2 s, period 0\.1 s',
        ),
        (
            {'thruster.t.level_on': 0.5, 'thruster.t.level_off': 0.5},
            r'thruster\.t\.level_on is 0\.5, level_off 0\.5; give level_on of at most 1 and a sm',
        ),
        (
            {'thruster.t.level_off': 0.5},
            r'thruster\.t\.level_on is 0, level_off 0\.5; give level_on of at most 1',
        ),
        (
            {'thruster.t.level_on': 0.5, 'thruster.t.period': 0.1},
            r'thruster\.t\.level_on is 0\.5, but a Schmitt trigger needs period and min_on_time',
        ),
        ({'magnetorquer.m.max_dipole': 0.0}, r'magnetorquer\.m\.max_dipole is 0; give it'),
        (
            {'magnetorquer.m.turns': 100.0},
            r'magnetorquer\.m\.max_dipole is 1 A m\^2, and turns of a coil are given',
        ),
        ({'magnetorquer.m.dipole': 2.0}, r'magnetorquer\.m\.dipole is 2 A m\^2; its largest is 1'),
        ({'thrusters': ['w']}, "wheels and thrusters have 'w' twice"),
        ({'magnetorquers': ['m', 'm']}, "magnetorquers has 'm' twice"),
        ({'lockstep_topics': ['command/gimbals'], 'gimbals': []}, "there are no 'gimbals'"),
        ({'equations': 'lagrange'}, "with reaction wheels only 'momentum' works"),
    ],
)
def test_what_cannot_be_is_refused_by_the_name_of_its_key(given, words):
    bare = {
        'body.mass': 4.0, 'body.inertia': [0.04, 0.05, 0.03], 'wheels': ['w'], 'gimbals': ['g'],
        'thrusters': ['t'], 'magnetorquers': ['m'], 'magnetorquer.m.max_dipole': 1.0,
    }  # fmt: skip
    scenario.build(plain(bare), 'test')
    with pytest.raises(scenario.ScenarioError, match=words):
        scenario.build(plain({**bare, **given}), 'test')


@pytest.mark.parametrize(
    ('lists', 'missing'),
    [
        ('wheels', 'wheel.a.axis, wheel.a.inertia [kg m^2] and wheel.a.max_torque [N m] are not'),
        (
            'gimbals',
            'gimbal.a.axis, gimbal.a.spin_axis, gimbal.a.rotor_inertia [kg m^2] and '
            'gimbal.a.inertias [kg m^2] are not',
        ),
        (
            'thrusters',
            'thruster.a.position [m], thruster.a.direction and thruster.a.max_force [N] are not',
        ),
        ('magnetorquers', 'magnetorquer.a.axis is not'),
    ],
)
def test_what_an_actuator_is_is_asked_for_and_not_guessed(lists, missing):
    with pytest.raises(scenario.ScenarioError) as caught:
        scenario.build(BODY | {lists: ['a']}, 'test')
    assert str(caught.value).startswith(f'test: {missing} given')
    assert 'no default' in str(caught.value)
    assert 'give' in str(caught.value)
    given = {'inertia': [0.04, 0.05, 0.03], lists: ['a']}
    if lists != 'magnetorquers':  # a controller commands them as one dipole
        with pytest.raises(ParameterError, match=r'\.a\..* not given'):
            attitude_controller.checked(given)


def test_two_wheels_of_which_one_is_described_are_no_two_wheels_along_z():
    given = plain(BODY | {'wheels': ['a']}) | {'wheels': ['a', 'b']}
    with pytest.raises(scenario.ScenarioError, match=r'wheel\.b\.axis, wheel\.b\.inertia'):
        scenario.build(given, 'test')


@pytest.mark.parametrize('lists', [*inputs.COMMANDED, 'panels', 'sun_cells'])
@pytest.mark.parametrize('name', ['', '../x', 'a b', '1st', 'x' * 65, 'é'])
def test_a_name_that_ros_would_not_take_is_refused(lists, name):
    with pytest.raises(scenario.ScenarioError, match='letters, digits and _, a letter') as caught:
        scenario.build({lists: ['good', name]}, 'test')
    assert f'{lists} has ' in str(caught.value)
    assert len(str(caught.value)) < 300


def test_a_thruster_pulses_512_times_in_a_tick_at_most():
    given = BODY | {'thrusters': ['t'], 'tick_rate': 50.0}
    scenario.build(plain(given | {'thruster.t.period': 0.02 / 512}), 'test')
    words = r'thruster\.t\.period is 1e-06 s: 20000 pulses in a tick of 0\.02 s.*3\.90625e-05 s'
    with pytest.raises(scenario.ScenarioError, match=words):
        scenario.build(plain(given | {'thruster.t.period': 1e-6}), 'test')


def test_the_summary_says_which_propellant_is_counted():
    given = {'thruster.b.position': [0.0, 0.1, 0.0], 'thruster.b.direction': [1.0, 0.0, 0.0]}
    both = plain(EVERYTHING | given | {'thrusters': ['t', 'b']})
    for impulses, words in (
        ((0.0, 0.0), 'used propellant is not counted (no specific_impulse);'),
        ((60.0, 60.0), 'used propellant is counted;'),
        ((0.0, 60.0), 'used propellant is counted for b only (specific_impulse);'),
    ):
        numbers = {
            f'thruster.{name}.specific_impulse': impulse
            for name, impulse in zip('tb', impulses, strict=True)
        }
        assert words in '\n'.join(scenario_report.report(scenario.build(both | numbers, 'test')))


def test_the_summary_says_what_limits_a_gimbal():
    """A limit of 0 is none."""
    limits = {'gimbal.g.max_rate': 0.5, 'gimbal.g.max_torque': 0.25}
    text = '\n'.join(scenario_report.report(scenario.build(EVERYTHING | limits, 'test')))
    assert 'largest rate 0.5 rad/s, no acceleration limit, largest torque 0.25 N m\n' in text


def test_the_summary_says_the_one_rule_of_inertia_and_what_each_actuator_is():
    text = '\n'.join(scenario_report.report(scenario.build(EVERYTHING, 'test')))
    for words in (
        'body.inertia is the inertia of the whole spacecraft, with its wheels and gimbals locked',
        'w: spin axis (0, 0, 1), 0 rad/s relative to the body, inertia 1e-05 kg m^2, largest '
        'torque 0.002 N m\n',
        'max_speed 600 rad/s, speed_bandwidth 5 rad/s',
        'v: no speed_bandwidth, so you can command torque only, not speed',
        'g: rotor of 0.01 N m s, a motor keeps its speed; spin axis',
        't: 0.05 N along (', 'pulses: period 0.5 s', 'm: largest dipole 0.2 A m^2 along (0, 0, 1)',
        'on for the first 0.0234375 s of each tick', 'residual dipole (0.01, 0, 0) A m^2',
    ):  # fmt: skip
        assert words in text, words
    ideal = scenario.build(plain({'wheels': ['w']}), 'test')
    assert 'N m, ideal' in '\n'.join(scenario_report.report(ideal))
    rigid = '\n'.join(scenario_report.report(scenario.build(BODY, 'test')))
    assert 'whole spacecraft' not in rigid


def test_each_thruster_is_misaligned_by_itself_and_alike_whoever_comes_after():
    def directions(*names):
        own = {
            'direction': [0.0, 0.0, 1.0], 'position': [0.0, 0.0, 1.0], 'max_force': 1.0,
            'misalignment': 0.02,
        }  # fmt: skip
        given = {f'thruster.{name}.{key}': value for name in names for key, value in own.items()}
        found = scenario.build({'thrusters': list(names), 'seed': 3, **given}, 'test')
        jets = found.plant.spacecraft.part('thrusters')
        return [np.asarray(jet.direction_B) for jet in jets.thrusters]

    one, other = directions('a', 'b')
    assert np.linalg.norm(one - other) > 1e-3
    assert np.array_equal(directions('a', 'b', 'c')[:2], (one, other))
