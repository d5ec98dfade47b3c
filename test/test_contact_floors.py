# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Floors that curve and move, by formulas: the equations of docs/contact.md, closed forms."""

import json
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from processes import printed

from spacecraft_attitude_sim.configuration import scenario, scenario_report
from spacecraft_attitude_sim.configuration.scenario import ScenarioError
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.contact import floor_check, floors, formula, model, shapes
from spacecraft_attitude_sim.core.contact.floor_functions import floor_function
from spacecraft_attitude_sim.core.contact.solver import floor_terms, layout
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.studies import flips_and_drifts
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS
from spacecraft_attitude_sim.recording import history

REFERENCE = json.loads(
    (Path(__file__).parent / 'data' / 'floor_reference.json').read_text(encoding='utf-8')
)
VALLEY = 'z + x**2*exp(-2*x**2) - 0.1*y**2'
WAVE = {
    'floor.expression': 'z - a*sin(k*x - w*t)',
    'floor.velocity_expression': ['0', '0', '-a*w*cos(k*x - w*t)'],
    'floor.names': ['a', 'k', 'w'],
    'floor.values': [0.05, 2.0, 3.0],
}


def built(simulator, contact):
    """Return the Scenario of some parameters."""
    return scenario.build({'gravity': [0.0, 0.0, -9.81], **simulator}, 'x.yaml', contact)


def started(found, **put):
    """Return the first Instant of a Scenario, parts of its state put."""
    return simulation.put_instant(found.plant, 0, found.initial._replace(**put))


def run_of(found, instant, seconds):
    """Return every Instant from one on."""
    run = [instant]
    for _ in range(round(seconds / TICK_SECONDS)):
        run.append(simulation.next_instant(found.plant, run[-1], simulation.Inputs()))
    return run


def of_reference(case):
    """Return the Scenario of a case of floor_reference.json, and its first Instant."""
    semi_axes = np.array(case['semi_axes'])
    inertia = (np.sum(semi_axes**2) - semi_axes**2) / 5.0
    found = built(
        {'body.mass': 1.0, 'body.inertia': inertia.tolist()},
        {
            'mode': case['mode'],
            'surface.shape': 'ellipsoid',
            'surface.semi_axes': semi_axes.tolist(),
            'floor.expression': case['expression'],
            'floor.velocity_expression': case['velocity_expression'],
        },
    )
    position_W, q_WB, momentum_W, spin_W = (np.array(case[name][0]) for name in 'xqpL')
    return found, started(
        found, position_W=position_W, q_WB=q_WB, momentum_W=momentum_W, angular_momentum_W=spin_W
    )


@pytest.mark.parametrize('name', REFERENCE)
def test_motion_on_curved_and_moving_floors_is_that_of_the_sources_equations(name):
    case = REFERENCE[name]
    found, instant = of_reference(case)
    run = run_of(found, instant, case['times'][-1])
    assert {simulation.contact_at(one).mode for one in run} == {case['mode']}
    at = [run[round(time / TICK_SECONDS)].state for time in case['times']]
    off = [one.position_W - x for one, x in zip(at, case['x'], strict=True)]
    turned = [
        rotations.angle_between(one.q_WB, rotations.unit_quaternion(q))
        for one, q in zip(at, case['q'], strict=True)
    ]
    # Seen: 2.2e-10 m and 4.5e-9 rad, of the sliding ellipsoid; the reference itself is good to
    # about its constraint error, 3e-12.
    assert np.max(np.abs(off)) < 1e-9
    assert np.max(turned) < 2e-8
    if 'valley' in name:
        energy = [flips_and_drifts.mechanical_energy(found.plant, one.state) for one in run]
        assert np.ptp(energy) < 1e-9


def test_ball_swings_in_a_bowl_like_a_pendulum_seven_fifths_as_long():
    R, r = 1.0, 0.1
    found = built(
        {'body.mass': 1.0, 'body.inertia': [0.004] * 3, 'initial.angular_velocity': [0.0] * 3},
        {'mode': 'rolling', 'surface.shape': 'sphere', 'surface.radius': r, 'floor.shape': 'bowl',
         'floor.radius': R, 'floor.center': [0.0, 0.0, R]},
    )  # fmt: skip
    angle = 1e-3
    place = np.array(((R - r) * math.sin(angle), 0.0, R - (R - r) * math.cos(angle)))
    run = run_of(found, started(found, position_W=place), 4.0)
    x = [instant.state.position_W[0] for instant in run]
    rate = math.sqrt(5.0 / 7.0 * 9.81 / (R - r))
    expected = place[0] * np.cos(rate * TICK_SECONDS * np.arange(len(run)))
    # The pendulum is slower by angle²/16 of its phase, 11 rad here: 7e-7 of its amplitude.
    assert np.allclose(x, expected, rtol=0.0, atol=1e-6 * place[0])


def test_ball_rides_a_wave_of_long_length_up_and_down():
    # At a crest of a very long wave the floor only heaves: z = R + a sin(π/2 - w t) to k² R a.
    found = built(
        {'body.mass': 1.0, 'body.inertia': [0.004] * 3, 'initial.angular_velocity': [0.0] * 3},
        {**WAVE, 'floor.values': [0.05, 1e-6, 3.0], 'mode': 'rolling', 'surface.shape': 'sphere'},
    )
    floor = found.plant.contact.floor
    assert floor.angular_frequency == 3.0
    position_W = np.array((math.pi / 2.0 / 1e-6, 0.0, 0.05 + 0.1))
    run = run_of(found, started(found, position_W=position_W), 2.0)
    time = TICK_SECONDS * np.arange(len(run))
    z = [instant.state.position_W[2] for instant in run]
    assert np.allclose(z, 0.1 + 0.05 * np.cos(3.0 * time), rtol=0.0, atol=1e-9)


@floor_function
def valley_by_hand(t, x, y, z, parameters):
    """Return the valley of docs/contact.md and its derivatives, rounded as the formula's."""
    u = x * x
    e = math.exp(-2.0 * u)
    ux = 2.0 * x
    ex = e * (-2.0 * ux)
    exx = e * ((-2.0 * ux) * (-2.0 * ux)) + e * -4.0
    gxx = ((2.0 * e + ux * ex) + ux * ex) + u * exx
    return (
        z + u * e - 0.1 * (y * y), 0.0, 0.0, ux * e + u * ex, -(0.1 * (2.0 * y)), 1.0,
        0.0, 0.0, 0.0, gxx, -0.2, 0.0, 0.0, 0.0, 0.0,
    )  # fmt: skip


def test_a_formula_moves_a_body_as_the_function_written_by_hand_to_the_bit():
    found, instant = of_reference(REFERENCE['valley_rolling'])
    contact = found.plant.contact
    by_hand = model.ContactModel(
        surface=contact.surface, mode='rolling', floor=floors.ImplicitFloor(level=valley_by_hand)
    )
    plant = found.plant
    formulas = model.trajectory(contact, plant, instant.state, instant.contact, 160)
    functions = model.trajectory(by_hand, plant, instant.state, instant.contact, 160)
    assert all(map(np.array_equal, formulas, functions))


@floor_function
def wave_by_hand(t, x, y, z, parameters):
    """Return the wave z = 0.05 sin(2 x - 3 t) and its derivatives, rounded as the formula's."""
    u = 2.0 * x - 3.0 * t
    s, c = math.sin(u), math.cos(u)
    return (
        z - 0.05 * s, -(0.05 * (c * -3.0)), -(0.05 * (-s * 9.0)), -(0.05 * (c * 2.0)), 0.0, 1.0,
        -(0.05 * (-s * -6.0)), 0.0, 0.0, -(0.05 * (-s * 4.0)), 0.0, 0.0, 0.0, 0.0, 0.0,
    )  # fmt: skip


@floor_function
def heaving_by_hand(t, x, y, z, parameters):
    """Return the velocity of its material, -0.15 cos(2 x - 3 t) upwards, and its derivatives."""
    u = 2.0 * x - 3.0 * t
    s, c = math.sin(u), math.cos(u)
    up, up_t, up_x = -0.15 * c, -0.15 * (-s * -3.0), -0.15 * (-s * 2.0)
    return (0.0, 0.0, up, 0.0, 0.0, up_t, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, up_x, 0.0, 0.0)


def test_a_moving_floor_by_formula_moves_a_body_as_by_hand_to_the_bit():
    found, instant = of_reference(REFERENCE['wave_rolling'])
    plant, contact = found.plant, found.plant.contact
    floor = floors.ImplicitFloor(
        level=wave_by_hand, velocity=heaving_by_hand,
        angular_frequency=contact.floor.angular_frequency,
    )  # fmt: skip
    by_hand = model.ContactModel(surface=contact.surface, mode='rolling', floor=floor)
    formulas = model.trajectory(contact, plant, instant.state, instant.contact, 160)
    functions = model.trajectory(by_hand, plant, instant.state, instant.contact, 160)
    assert all(map(np.array_equal, formulas, functions))


def test_a_surface_by_formula_is_the_built_in_one():
    case = REFERENCE['valley_rolling']
    found, instant = of_reference(case)
    values = case['semi_axes']
    surface = shapes.ImplicitSurface(
        function=formula.surface('x**2/a**2 + y**2/b**2 + z**2/c**2 - 1', ('a', 'b', 'c')),
        values=tuple(values), size=0.27,
    )  # fmt: skip
    other = model.ContactModel(surface=surface, floor=found.plant.contact.floor, mode='rolling')
    states, _ = model.trajectory(other, found.plant, instant.state, instant.contact, 160)
    # Both integrate the contact point: they differ by rounding, that the motion magnifies.
    assert np.max(np.abs(states[-1, :3] - case['x'][-1])) < 1e-9


def test_a_motion_without_a_stated_rate_is_followed_as_fast_as_it_changes():
    level = formula.level('z - a*sin(k*x - w*t)', ('a', 'k', 'w'))
    assert floor_check.rate(level, np.array((0.05, 2.0, 3.0))) == pytest.approx(3.0, rel=0.05)
    assert floor_check.rate(formula.level(VALLEY), np.zeros(1)) == 0.0
    assert floor_check.rate(formula.level('z - 0.2*t'), np.zeros(1)) == 0.0
    mixed = formula.level('z - 0.3*sin(t) - 1e-5*sin(300*t)')
    assert 200.0 < floor_check.rate(mixed, np.zeros(1)) < 400.0


@pytest.mark.parametrize(
    'text',
    ['z - 1e-3*sin(10000*t)', 'z - 1e-4*sin(2000*x - 3000*t)', 'z - exp(1000*x)', 'z - log(x)'],
)
def test_a_floor_that_is_fast_steep_or_not_everywhere_is_taken_in_silence(text, recwarn):
    assert built({}, {**BALL, 'floor.expression': text}).plant.contact
    # Also as functions, of which nothing is known.
    functions = (formula.level(text).function, formula.velocity_along_normal(text).function)
    level, velocity = map(floor_function, functions)
    if 'sin' in text:
        floors.ImplicitFloor(level=level, velocity=velocity)
    assert not recwarn.list


BALL = {'surface.shape': 'sphere', 'surface.radius': 0.1}
REFUSED = {
    'nowhere': ({'floor.expression': 'x**2 + y**2 + z**2 + 1'}, 'floor.expression is nowhere 0'),
    'double': ({'floor.expression': 'z**2'}, 'floor.expression is nowhere 0 with a gradient'),
    'constant': ({'floor.expression': 't - 1 + 0*z'}, 'floor.expression does not depend on x, y'),
    'empty': ({'floor.expression': ''}, 'floor.shape is implicit; give floor.expression'),
    'fast': (
        {'floor.expression': 'z - 1e6*t'}, 'floor.expression moves its material at 1e+06 m/s'
    ),
    'trembling': (
        {'floor.expression': 'z - 1e-9*sin(1e9*t)'}, 'rad/s; 10 000 is the most'
    ),
    'inside out': (
        {'surface.expression': '1 - x**2 - y**2 - z**2'},
        'surface.expression is not negative at its origin',
    ),
    'nameless': (
        {'floor.expression': 'z', 'floor.values': [1.0, 2.0]},
        'floor.values has 2 values, and floor.names 0 names',
    ),
    'both': (
        {'floor.expression': VALLEY, 'floor.function': 'a:b'},
        'floor.expression and floor.function are both given',
    ),
    'neither': ({'floor.shape': 'implicit'}, 'give floor.expression, or floor.function'),
    'import': (
        {'floor.expression': '__import__("os")'}, "floor.expression '__import__' is not known"
    ),
    'tower': ({'floor.expression': 'z + 9**9**9'}, 'floor.expression has the exponent'),
    'long': ({'floor.expression': 'z' + '+z' * 10**6}, 'floor.expression has 2000001 characters'),
    'names': (
        {'floor.expression': 'z - a*x', 'floor.names': ['a'], 'floor.values': [1.0, 2.0]},
        'floor.values has 2 values, and floor.names 1 names',
    ),
    'unknown': ({'floor.expression': 'z - a*x'}, "floor.expression has 'a' in it; it may have t,"),
    'two': ({'floor.expression': 'z', 'floor.velocity_expression': ['0', '0']}, 'give 0 or 3'),
    'leaves': (
        {'floor.expression': 'z - 0.1*sin(t)', 'floor.velocity_expression': ['0', '0', '0']},
        'floor.velocity_expression takes the material off the surface',
    ),
    'plane': (
        {'floor.shape': 'plane', 'floor.expression': 'z'}, 'does not describe floor.shape plane'
    ),
    'surface': ({'surface.expression': 'x**2 - 1'}, 'the surface must be closed'),
    'waisted': (
        {'surface.expression': '(x**2+y**2+z**2)**2 - x**2 - 0.1', 'surface.size': 0.6},
        'surface is not convex',
    ),
}  # fmt: skip


@pytest.mark.parametrize('name', REFUSED)
def test_what_is_no_floor_is_refused_in_one_line(name):
    contact, words = REFUSED[name]
    given = contact if 'surface.expression' in contact else {**BALL, **contact}
    with pytest.raises(ScenarioError, match='x.yaml: ') as refused:
        built({}, given)
    assert words in str(refused.value)
    assert '\n' not in str(refused.value)
    assert len(str(refused.value)) < 600


@floor_function
def careless_wave(t, x, y, z, parameters):
    """A wave whose Gxt lacks its sign."""
    s, c = math.sin(x - t), math.cos(x - t)
    return (z - s, c, s, -c, 0.0, 1.0, s, 0.0, 0.0, s, 0.0, 0.0, 0.0, 0.0, 0.0)


@floor_function
def heaving(t, x, y, z, parameters):
    """The velocity of material that goes up and down with that wave, its ∂v/∂x forgotten."""
    return (
        0.0, 0.0, -math.cos(x - t), 0.0, 0.0, -math.sin(x - t),
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    )  # fmt: skip


def test_derivatives_written_by_hand_are_looked_over():
    with pytest.raises(ValueError, match='function returns derivatives of its value number 2'):
        floors.ImplicitFloor(level=careless_wave)
    with pytest.raises(ValueError, match='velocity_function returns derivatives'):
        floors.ImplicitFloor(level=formula.level('z - sin(x - t)'), velocity=heaving)


RICH = 'z - 0.3*sin(x*y + 2*t)*exp(z*t/9) - 0.1*x*z*y'
RICH_LEVEL = formula.level(RICH).function
RICH_VELOCITY = formula.velocity_along_normal(RICH).function


def one_wrong(function, number):
    """Return the kernel of a function one of whose values is wrong."""

    def wrong(t, x, y, z, parameters):
        values = function(t, x, y, z, parameters)
        return (*values[:number], values[number] + 0.01, *values[number + 1 :])

    return wrong  # not compiled: it is called here only


@pytest.mark.parametrize('number', range(15))
def test_each_derivative_of_a_floor_is_looked_at(number):
    floor_check.check(RICH_LEVEL, RICH_VELOCITY, np.zeros(1))
    with pytest.raises(ValueError, match='velocity_function (returns|takes)'):
        floor_check.check(RICH_LEVEL, one_wrong(RICH_VELOCITY, number), np.zeros(1))
    if number:
        with pytest.raises(ValueError, match='^function returns derivatives'):
            floor_check.check(one_wrong(RICH_LEVEL, number), RICH_VELOCITY, np.zeros(1))


def test_material_follows_a_floor_where_the_floor_is_and_nowhere_else():
    """(z - h) e^z moves with (0, 0, h'): off the floor ∇G · v + ∂G/∂t is (z - h) e^z h'."""
    level = formula.level('(z - 0.2*sin(t))*exp(z)')
    floor_check.check(level, formula.velocity(('0', '0', '0.2*cos(t)')), np.zeros(1))
    with pytest.raises(ValueError, match='takes the material off the surface'):
        floor_check.check(level, formula.velocity(('0', '0', '0.21*cos(t)')), np.zeros(1))


def test_a_place_that_no_floor_has_is_refused():
    dome = {**BALL, 'floor.expression': 'x**2 + y**2 + z**2 - 0.25', 'place': True}
    far = built({'initial.position': [3.0, 0.0, 0.6], 'gravity': [0.0, 0.0, -9.81]}, dome)
    assert abs(simulation.contact_at(far.first_instant()).gap) < 1e-9  # along its normal
    log = {**BALL, 'floor.expression': 'z - 0.01*log(x)', 'place': True}
    lost = built({'initial.position': [-3.0, 0.0, 0.6]}, log)
    with pytest.raises(
        ScenarioError, match=r'^(initial\.position cannot be moved|at the start, )'
    ):
        lost.first_instant()


def test_check_says_the_velocity_that_the_floor_gives_a_placed_body():
    found = scenario.load(scenario.find('wave'))
    state = found.first_instant().state
    lines = '\n'.join(scenario_report.report(found))
    velocity = state.momentum_W / found.plant.body.mass
    assert np.linalg.norm(velocity) > 0.1
    told = lines.split('velocity (')[1].split(')')[0]
    assert np.allclose(np.array(told.split(','), dtype=float), velocity, rtol=1e-5, atol=1e-9)


def test_a_floor_that_ends_in_mid_run_is_named_as_what_ended_it():
    found = built({}, {**BALL, 'place': True, 'floor.expression': 'z - 0.1*sqrt(3 - t)'})
    with pytest.raises(simulation.MotionError, match='floor') as ended:
        run_of(found, found.first_instant(), 4.0)
    assert len(str(ended.value)) < 400


def test_the_letter_of_a_keyboard_is_the_one_that_the_parser_reads():
    found = built({}, {
        **BALL, 'floor.expression': 'z - \N{MICRO SIGN}*x', 'floor.names': ['\N{MICRO SIGN}'],
        'floor.values': [0.25],
    })  # fmt: skip
    floor = found.plant.contact.floor
    assert floor.level(0.0, 2.0, 0.0, 1.0, floor.parameters())[0] == 0.5


def test_a_floor_by_formula_is_recorded_and_built_again_alike():
    simulator = {'body.mass': 1.0, 'body.inertia': [0.004] * 3}
    found = built(simulator, {**BALL, **WAVE})
    again = scenario.parse(scenario.dump(found), 'recorded')
    assert again.contact_parameters == found.contact_parameters
    changed = found.with_contact({'floor.values': [0.02, 2.0, 3.0]})
    time, point = 0.3, (0.1, 0.2, 0.0)
    levels = [
        one.plant.contact.floor.level(time, *point, one.plant.contact.floor.parameters())[0]
        for one in (found, again, changed)
    ]
    phase = 0.2 - 0.9
    assert levels[0] == levels[1] == pytest.approx(-0.05 * math.sin(phase), rel=1e-12)
    assert levels[2] == pytest.approx(-0.02 * math.sin(phase), rel=1e-12)


# --- through real nodes -------------------------------------------------------------------------


@pytest.mark.parametrize('name', ['valley_sliding', 'wave_rolling'])
def test_a_recorded_run_ends_where_the_sources_equations_do_and_repeats(name, command, tmp_path):
    """Of the command's own processes, DDS and bag; then computed again from the bag alone."""
    case, bag = REFERENCE[name], tmp_path / 'bag'
    found, _ = of_reference(case)
    x, q, p, L = (np.array(case[key][0]) for key in 'xqpL')
    q_WB = rotations.unit_quaternion(q)
    omega_B = rotations.rotate(rotations.conjugate(q_WB), L) / found.plant.body.principal_moments
    text = yaml.safe_dump({
        '/**/simulator': {'ros__parameters': {
            'gravity': [0.0, 0.0, -9.81],
            'body': {'mass': 1.0, 'inertia': found.plant.body.principal_moments.tolist()},
            'initial': {
                'position': x.tolist(), 'attitude': q_WB.tolist(), 'velocity': p.tolist(),
                'angular_velocity': omega_B.tolist(),
            },
            'duration': case['times'][-1],
        }},
        '/**/contact': {'ros__parameters': {
            'mode': case['mode'],
            'surface': {'shape': 'ellipsoid', 'semi_axes': case['semi_axes']},
            'floor': {
                'expression': case['expression'],
                'velocity_expression': list(case['velocity_expression']),
            },
        }},
    })  # fmt: skip
    (tmp_path / 'case.yaml').write_text(text)
    said = printed(command, 'run', tmp_path / 'case.yaml', '--rate', 0, '--record', bag)
    assert 'bag  ' in said
    assert 'identical: ' in printed(command, 'replay', bag, '--resimulate')
    table, _ = history.read(bag)
    assert table.time[-1] == case['times'][-1]
    rows = [round(time / TICK_SECONDS) for time in case['times']]
    # The start is given in velocities, which rounds it; the motion magnifies that a little.
    assert np.max(np.abs(table.contact.position_W[rows] - case['x'])) < 1e-9
    turned = [
        rotations.angle_between(q_WB, rotations.unit_quaternion(q))
        for q_WB, q in zip(table.quaternion[rows], case['q'], strict=True)
    ]
    assert np.max(turned) < 2e-8
    if 'valley' in name:
        assert np.ptp(table.energies[:, 3]) < 1e-9


def test_what_the_constraint_needs_of_a_moving_floor_is_the_rate_of_its_level():
    """d/dt (∇G·u + ∂G/∂t)/|∇G| along a contact point that moves at c', u fixed: by differences."""
    floor = scenario.load(scenario.find('wave')).plant.contact.floor
    level, parameters = floor.functions()[0], floor.parameters()
    q = np.array((0.5, -0.1, 0.7, 0.3))
    C_WS = rotations.dcm_from_quaternion(q / np.linalg.norm(q))
    begin, c_rate, u = np.array((0.4, -0.2, 0.1)), np.array((0.7, 0.3, -0.2)), (0.5, -0.8, 0.3)

    def rate(time):
        values = level(time + 1.3, *(begin + time * c_rate), parameters)
        return np.dot(values[3:6], u) + values[1]

    values = level(1.3, *begin, parameters)
    steepness = np.linalg.norm(values[3:6])
    there = SimpleNamespace(C_WS=tuple(C_WS.ravel()), level=values, steepness=steepness)
    step = 1e-3  # its error is of fourth order
    near, far = (rate(k * step) - rate(-k * step) for k in (1.0, 2.0))
    expected = (8.0 * near - far) / (12.0 * step) / steepness
    needed = floor_terms.floor_need
    found = needed(there, tuple(C_WS.T @ u), tuple(C_WS.T @ c_rate), layout.CURVED)
    assert found == pytest.approx(expected, rel=1e-8)
    assert abs(np.dot(values[6:9], c_rate)) > 0.01 * abs(found) * steepness
    assert needed(there, u, c_rate, layout.STILL) == 0.0
    assert needed(there, u, c_rate, layout.FLAT) == values[2] / steepness
