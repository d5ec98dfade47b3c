# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Internal parts as parameters: each number in its place, errors that name the key, a summary."""

import math

import numpy as np
import pytest
from plain import plain

from spacecraft_attitude_sim.campaigns import campaign
from spacecraft_attitude_sim.configuration import internal_parts, scenario, scenario_report
from spacecraft_attitude_sim.configuration.parameter import ParameterError
from spacecraft_attitude_sim.configuration.parts import modal_file
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.parts.coordinates.flexible_modes import FlexibleMode
from spacecraft_attitude_sim.core.parts.coordinates.hinged_panels import HingedPanel
from spacecraft_attitude_sim.core.parts.coordinates.sliding_masses import SlidingMass
from spacecraft_attitude_sim.core.parts.free_vibration import free_frequencies
from spacecraft_attitude_sim.core.parts.internal_parts import InternalParts
from spacecraft_attitude_sim.core.parts.pendulums.description import Pendulum
from spacecraft_attitude_sim.core.parts.viscous_slugs.description import ViscousSlug

BODY = {
    'body.mass': 100.0, 'body.inertia': [60.0, 50.0, 40.0], 'body.center_of_mass': [0.1, 0.0, 0.0],
    'initial.angular_velocity': [0.01, 0.1, 0.02],
}  # fmt: skip
ONE_OF_EACH = BODY | {
    'flexible_modes': ['bend'], 'flexible_mode.bend.coupling': [0.0, 2.0, 0.5],
    'flexible_mode.bend.frequency': 0.5, 'flexible_mode.bend.damping_ratio': 0.01,
    'flexible_mode.bend.drift': [0.0, 0.0, 1.5], 'flexible_mode.bend.displacement': 0.25,
    'flexible_mode.bend.rate': -0.125,
    'panels': ['left'], 'panel.left.hinge': [0.1, 0.5, 0.0],
    'panel.left.axis': [1.0, 0.0, 0.0], 'panel.left.center': [0.1, 1.0, 0.25],
    'panel.left.mass': 3.0, 'panel.left.inertia': [0.25, 0.0625, 0.3, 0.0, 0.0, 0.01],
    'panel.left.stiffness': 0.3, 'panel.left.damping': 0.02, 'panel.left.rest_angle': 0.1,
    'panel.left.angle': -1.5, 'panel.left.release_time': 2.0, 'panel.left.latch_angle': [0.0],
    'panel.left.latch_stiffness': 100.0, 'panel.left.latch_damping': 1.0,
    'sliding_masses': ['ball'], 'sliding_mass.ball.position': [0.1, 0.3, 0.0],
    'sliding_mass.ball.axis': [0.0, 1.0, 0.0], 'sliding_mass.ball.mass': 0.2,
    'sliding_mass.ball.stiffness': 0.05, 'sliding_mass.ball.damping': 0.01,
    'sliding_mass.ball.displacement': 0.02, 'sliding_mass.ball.rate': 0.03,
    'sliding_mass.ball.travel': [-0.1, 0.2],
    'pendulums': ['tank'], 'pendulum.tank.pivot': [0.1, 0.0, 0.3],
    'pendulum.tank.rest': [0.0, 0.0, 1.0], 'pendulum.tank.mass': 5.0,
    'pendulum.tank.length': 0.2, 'pendulum.tank.damping': 0.004,
    'pendulum.tank.direction': [0.6, 0.0, 0.8], 'pendulum.tank.rate': [0.0, 0.1, 0.0],
    'slugs': ['oil'], 'slug.oil.inertia': 0.5, 'slug.oil.damping': 0.1,
    'slug.oil.rate': [0.0, 0.0, 0.2],
}  # fmt: skip
HEAD = 'name,frequency,damping_ratio,coupling_x,coupling_y,coupling_z'


def built(given):
    return scenario.build(given, 'test')


def parts_of(given):
    return built(given).plant.spacecraft.internal


def test_every_number_reaches_its_place():
    """Positions are measured from the centre of mass, the centre of a panel from its hinge."""
    parts = parts_of(ONE_OF_EACH)
    bend, left, ball = parts.coordinates.values()
    assert list(parts.coordinates) == ['bend', 'left', 'ball']
    assert bend == FlexibleMode([0.0, 2.0, 0.5], math.pi, 0.01, [0.0, 0.0, 1.5], 0.25, -0.125)
    expected = HingedPanel(
        hinge_B=[0.0, 0.5, 0.0], axis_B=[1.0, 0.0, 0.0], center_B=[0.0, 0.5, 0.25], mass=3.0,
        inertia=[[0.25, 0.0, 0.0], [0.0, 0.0625, 0.01], [0.0, 0.01, 0.3]], stiffness=0.3,
        damping=0.02, rest=0.1, angle=-1.5, release=2.0, latch=0.0, latch_stiffness=100.0,
        latch_damping=1.0,
    )  # fmt: skip
    assert left.row().tolist() == expected.row().tolist()
    assert (left.displacement, left.rate) == (-1.5, 0.0)
    expected = SlidingMass(
        [0.0, 0.3, 0.0], [0.0, 1.0, 0.0], 0.2, 0.05, 0.01, 0.02, 0.03, (-0.1, 0.2)
    )
    assert ball.row().tolist() == expected.row().tolist()
    assert (ball.displacement, ball.rate) == (0.02, 0.03)
    (tank,) = parts.pendulums.values()
    expected = Pendulum(
        [0.0, 0.0, 0.3], [0.0, 0.0, 1.0], 5.0, 0.2, 0.004, [0.6, 0.0, 0.8], [0.0, 0.1, 0.0]
    )
    assert tank.row().tolist() == expected.row().tolist()
    for field in ('rest_B', 'direction_B', 'rate_B'):
        assert list(getattr(tank, field)) == list(getattr(expected, field))
    assert parts.slugs == {'oil': ViscousSlug(0.5, 0.1, [0.0, 0.0, 0.2])}


def test_what_is_left_out_is_free_without_ends_latch_and_friction():
    given = BODY | {
        'panels': ['p'], 'panel.p.center': [0.0, 0.5, 0.0], 'sliding_masses': ['b'],
        'pendulums': ['t'], 'body.inertia': [600.0, 500.0, 400.0],
    }  # fmt: skip
    parts = parts_of(given)
    panel, ball = parts.coordinates.values()
    assert (panel.latch, panel.release, panel.damping) == (math.inf, 0.0, 0.0)
    assert (ball.travel, ball.damping) == ((-math.inf, math.inf), 0.0)
    assert list(parts.pendulums['t'].direction_B) == [0.0, 0.0, -1.0]
    assert not parts_of(BODY)


def test_a_uniform_plate_has_the_inertia_of_its_edges():
    given = {name: value for name, value in ONE_OF_EACH.items() if name != 'panel.left.inertia'}
    left = parts_of(given | {'panel.left.size': [0.4, 1.0, 0.02]}).coordinates['left']
    # m/12 of the sum of the squares of the edges across, by hand for 3 kg.
    assert np.diag(left.inertia) == pytest.approx((0.2501, 0.0401, 0.29), rel=1e-12)
    assert np.count_nonzero(left.inertia) == 3


@pytest.mark.parametrize(
    ('given', 'words'),
    [
        ({'panel.left.mass': -1.0}, r'panel\.left\.mass is -1\.0 kg; give a number from 1e-12'),
        ({'flexible_mode.bend.frequency': 0.0}, r'flexible_mode\.bend\.frequency is 0\.0 Hz; giv'),
        ({'panel.left.latch_angle': [-1.5]}, r'panel\.left\.latch_angle is -1\.5 rad, which'),
        (
            {'panel.left.rate': 0.1},
            r'panel\.left\.rate is 0\.1 rad/s, and panel\.left\.release_time 2 s',
        ),
        (
            {'panel.left.size': [1.0, 1.0, 0.1]},
            r'panel\.left\.inertia and panel\.left\.size are both given',
        ),
        (
            {'panel.left.latch_stiffness': 0.0},
            r'panel\.left\.latch_damping is 1 N m s/rad, and panel\.left\.latch_stiffness is',
        ),
        ({'panel.left.axis': [1.0, 1.0, 0.0]}, r'panel\.left\.axis is \[1\.0, 1\.0, 0\.0\] of l'),
        (
            {'panel.left.inertia': [1.0, 0.1, 0.1]},
            r'panel\.left\.inertia has the principal moments',
        ),
        (
            {'sliding_mass.ball.travel': [0.1, 0.2]},
            r'sliding_mass\.ball\.displacement is 0\.02 m, and travel is \[0\.1, 0\.2\] m',
        ),
        ({'sliding_mass.ball.travel': [0.02, 0.2]}, r'displacement is 0\.02 m, and travel is \[0'),
        ({'sliding_mass.ball.travel': [-0.1, 0.02]}, r'displacement is 0\.02 m, and travel is'),
        ({'pendulum.tank.rest': [0.0, 0.0, 2.0]}, r'pendulum\.tank\.rest\[2\] is 2\.0; give a nu'),
        ({'pendulum.tank.direction': [0.0, 0.0, 0.5]}, r'pendulum\.tank\.direction is \[0\.0, 0'),
        ({'slug.oil.inertia': 0.0}, r'slug\.oil\.inertia is 0\.0 kg m\^2; give a number from'),
        ({'slug.oil.spring': 1.0}, r'slug\.oil\.spring is not a parameter'),
        ({'panels': ['left', 'left']}, r"panels has 'left' twice"),
        ({'slugs': ['oil', 'ball']}, r"sliding_masses and slugs have 'ball' twice"),
        ({'wheels': ['left']}, r"wheels and panels have 'left' twice"),
        (
            {'pendulum.tank.mass': 97.0},
            r'body\.mass is 100 kg with everything that moves in it, but flexible_modes and pan',
        ),
        (
            {'sliding_mass.ball.position': [0.1, 30.0, 0.0]},
            r'body\.inertia includes everything.*the hub has .*\] kg m\^2 about its centre of',
        ),
        ({'slug.oil.inertia': 45.0}, r'body\.inertia includes everything'),
        (
            {'flexible_mode.bend.coupling': [0.0, 7.1, 0.0]},
            r'couplings and drifts of the modes leave nothing of .*\] kg m\^2 and mass 91\.8 kg',
        ),
        (
            {'flexible_mode.bend.drift': [0.0, 10.5, 0.0]},
            r'couplings and drifts of the modes leave nothing',
        ),
        ({'equations': 'lagrange'}, r"equations is 'lagrange'; with flexible_modes only 'momentu"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_by_its_key(given, words):
    with pytest.raises(scenario.ScenarioError, match=words) as caught:
        built(plain(ONE_OF_EACH | given))
    assert str(caught.value).startswith('test: ')
    assert '\n' not in str(caught.value)


def test_there_is_no_floor_under_internal_parts():
    given = BODY | {'slugs': ['oil'], 'gravity': [0.0, 0.0, -9.8]}
    with pytest.raises(scenario.ScenarioError, match=r"slugs is \['oil'\], and there is a floor"):
        scenario.build(given, 'test', {'place': True})


def test_the_recorded_scenario_is_the_same():
    found = built(ONE_OF_EACH)
    text = scenario.dump(found)
    again = scenario.parse(text, 'test')
    assert again.parameters == found.parameters
    assert scenario.dump(again) == text
    rows = [one.plant.spacecraft.constants().tobytes() for one in (found, again)]
    assert rows[0] == rows[1]


def written(folder, *lines):
    path = folder / 'modes.csv'
    path.write_text('\n'.join(lines) + '\n')
    return str(path)


def test_modes_of_a_file_are_as_if_they_had_been_given_and_need_it_no_more(tmp_path):
    path = written(
        tmp_path, f'note,{HEAD},drift_x,drift_y,drift_z',
        'x,twist,1.5,0.02,0.25,0,0,0,0,0.5', 'y, sway ,0.25,5e-3,0,-0.5,0,0.125,0,0',
    )  # fmt: skip
    given = ONE_OF_EACH | {'flexible_modes_file': path, 'flexible_mode.sway.rate': 0.75}
    given |= {'flexible_mode.twist.damping_ratio': 0.03}  # before the file's
    found = built(given)
    assert list(found.plant.spacecraft.internal.coordinates)[:3] == ['bend', 'twist', 'sway']
    twist, sway = (found.plant.spacecraft.internal.coordinates[name] for name in ('twist', 'sway'))
    assert twist == FlexibleMode([0.25, 0, 0], 3.0 * math.pi, 0.03, [0, 0, 0.5])
    assert sway == FlexibleMode([0, -0.5, 0], 0.5 * math.pi, 5e-3, [0.125, 0, 0], rate=0.75)
    assert found.parameters['flexible_modes_file'] == ''
    assert found.parameters['flexible_modes'] == ['bend', 'twist', 'sway']
    assert found.parameters['flexible_mode.twist.frequency'] == 1.5
    text = scenario.dump(found)
    (tmp_path / 'modes.csv').unlink()
    assert scenario.parse(text, 'test').parameters == found.parameters
    with pytest.raises(scenario.ScenarioError, match=r"flexible_modes_file is '.*': no such file"):
        built(given)


@pytest.mark.parametrize(
    ('lines', 'words'),
    [
        ((), r'it has the columns none; give each of name, frequency'),
        ((HEAD,), r'it has no modes'),
        (
            ('name,frequency', 'a,1'),
            r'it has the columns name, frequency; give each of name, freq',
        ),
        ((f'{HEAD},name', 'a,1,0,0,0,0,b'), r'give each of name, frequency.* once'),
        ((f'{HEAD},drift_x', 'a,1,0,0,0,0,0'), r'drift_x, drift_y, drift_z once'),
        ((HEAD, 'a,1,0,0,0'), r'row 1 has 5 columns and the first line 6; is it cut off'),
        ((HEAD, 'a,1,0,0,0,0', 'a,2,0,0,0,0'), r"row 2 has 'a' for name; give each mode a name"),
        ((HEAD, 'a.b,1,0,0,0,0'), r"row 1 has 'a\.b' for name"),
        ((HEAD, 'a,0,0,0,0,0'), r'row 1: frequency is 0\.0 Hz; give a number from 1e-09'),
        ((HEAD, 'a,1,-1,0,0,0'), r'row 1: damping_ratio is -1\.0; give a number from 0'),
        ((HEAD, 'a,1,0,zero,0,0'), r"row 1: coupling\[0\] is 'zero'; give a number"),
        ((HEAD, 'a,1,0,nan,0,0'), r'row 1: coupling\[0\] is nan sqrt\(kg\) m; give a number'),
    ],
)
def test_a_file_that_is_no_table_of_modes_is_refused_in_one_line(tmp_path, lines, words):
    with pytest.raises(ParameterError, match=words) as caught:
        modal_file.load(written(tmp_path, *lines))
    assert str(caught.value).startswith("flexible_modes_file '")
    assert '\n' not in str(caught.value)


def test_any_other_file_is_refused(tmp_path):
    (tmp_path / 'bytes').write_bytes(b'\xff\xfe\x00' * 99)
    (tmp_path / 'large').write_bytes(b'x' * (modal_file.LARGEST + 1))
    for name, words in (('bytes', 'utf-8'), ('large', 'larger than 1 MiB'), ('.', 'no regular')):
        with pytest.raises(ParameterError, match=words):
            modal_file.load(tmp_path / name)
    rows = [f'm{number},1,0,0,0,0' for number in range(modal_file.MOST_MODES + 1)]
    assert len(modal_file.load(written(tmp_path, HEAD, *rows[:-1]))) == modal_file.MOST_MODES
    with pytest.raises(ParameterError, match=r"row 1001 has 'm1000' for name; .* at most 1000"):
        modal_file.load(written(tmp_path, HEAD, *rows))
    twice = {'flexible_modes': ['a'], KEY: written(tmp_path, HEAD, 'a,1,0,0,0,0')}
    with pytest.raises(
        scenario.ScenarioError, match=r"has the mode 'a', which flexible_modes has"
    ):
        built(BODY | twice)


KEY = modal_file.KEY


# --- frequencies of the free body ------------------------------------------------------------


def test_a_mode_on_a_free_hub_is_faster_by_what_it_carries():
    """Ω / sqrt(1 - δ²/I): 1.5 rad/s with δ = 2 on 10 kg m^2."""
    parts = InternalParts.named({'a': FlexibleMode([0.0, 0.0, 2.0], 1.5)})
    inertia_B = np.diag((20.0, 15.0, 10.0))
    assert free_frequencies(parts, 5.0, inertia_B) == pytest.approx(1.936491673103709, rel=1e-14)
    heave = InternalParts.named({'a': FlexibleMode([0.0] * 3, 1.5, drift_B=[1.0, 0.0, 0.0])})
    found = free_frequencies(heave, 5.0, inertia_B)
    assert found == pytest.approx(1.5 / math.sqrt(1.0 - 1.0 / 5.0), rel=1e-14)


def test_a_mass_on_a_spring_swings_against_the_rest():
    """A line through the centre of mass: the reduced mass; beside it the hub turns, too."""
    ball = SlidingMass([0.0, 0.0, 0.0], [0.0, 1.0, 0.0], mass=2.0, stiffness=3.0)
    inertia_B = np.diag((20.0, 15.0, 10.0))
    found = free_frequencies(InternalParts.named({'a': ball}), 10.0, inertia_B)
    assert found == pytest.approx(math.sqrt(3.0 / (2.0 * 8.0 / 10.0)), rel=1e-14)
    beside = SlidingMass([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], mass=2.0, stiffness=3.0)
    # About z, of the whole, by the rate ξ' of the mass: L = I ω + m ξ' x, with x = 1 m from the
    # centre of mass; T = ½ μ ξ'² - ½ L²/I with μ = m (M - m)/M, and the mass 1 m off.
    found = free_frequencies(InternalParts.named({'a': beside}), 10.0, inertia_B)
    assert found == pytest.approx(math.sqrt(3.0 / (1.6 - 4.0 / 10.0)), rel=1e-14)


def test_two_panels_swing_alike_and_against_each_other():
    """Two point masses on arms r about z, hinges at ±d: closed forms of either motion."""
    d, r, m, k, inertia = 0.5, 1.0, 2.0, 4.0, 60.0
    panels = {
        name: HingedPanel(
            [sign * d, 0, 0], [0.0, 0.0, 1.0], [sign * r, 0, 0], m, np.zeros((3, 3)), stiffness=k
        )
        for name, sign in (('right', 1.0), ('left', -1.0))
    }
    found = free_frequencies(InternalParts.named(panels), 20.0, np.diag((40.0, 50.0, inertia)))
    # Both the same way turn the hub, not moving it; one against the other moves, not turning it.
    turning = m * r * r - 2.0 * (m * r * (d + r)) ** 2 / inertia
    moving = m * r * r - 2.0 * (m * r) ** 2 / 20.0
    expected = sorted(math.sqrt(k / one) for one in (turning, moving))
    assert found == pytest.approx(expected, rel=1e-12)


def test_panels_folded_at_the_start_swing_as_they_stand():
    """As above, with the arms turned by half a turn: a smaller inertia, and less of a lever."""
    d, r, m, k, inertia = 0.5, 1.0, 2.0, 4.0, 60.0
    panels = {
        name: HingedPanel(
            [sign * d, 0, 0], [0.0, 0.0, 1.0], [sign * r, 0, 0], m, np.zeros((3, 3)), stiffness=k,
            angle=math.pi,
        )
        for name, sign in (('right', 1.0), ('left', -1.0))
    }  # fmt: skip
    found = free_frequencies(InternalParts.named(panels), 20.0, np.diag((40.0, 50.0, inertia)))
    folded = inertia + 2.0 * m * ((d - r) ** 2 - (d + r) ** 2)
    turning = m * r * r - 2.0 * (m * r * (r - d)) ** 2 / folded
    moving = m * r * r - 2.0 * (m * r) ** 2 / 20.0
    expected = sorted(math.sqrt(k / one) for one in (turning, moving))
    assert found == pytest.approx(expected, rel=1e-12)


def test_what_is_held_or_slack_has_no_frequency():
    mode = FlexibleMode([0.0, 0.0, 2.0], 1.5)
    held = HingedPanel(
        [0.5, 0, 0], [0, 0, 1.0], [1.0, 0, 0], 2.0, np.zeros((3, 3)), 4.0, release=1.0
    )
    slack = SlidingMass([0.0, 0.0, 0.3], [0.0, 0.0, 1.0], mass=1.0)
    inertia_B = np.diag((20.0, 15.0, 10.0))
    parts = InternalParts.named({'m': mode, 'h': held, 's': slack})
    # A mass on the axis that slides along it does not turn the hub.
    assert free_frequencies(parts, 50.0, inertia_B) == pytest.approx(1.936491673103709, rel=1e-12)
    assert free_frequencies(InternalParts.named({'h': held}), 50.0, inertia_B).size == 0


# --- said, drawn -------------------------------------------------------------------------------


def test_summary_says_what_there_is():
    text = '\n'.join(scenario_report.report(built(ONE_OF_EACH)))
    for words in (
        'bend: vibration mode, 0.5 Hz with the body held fixed, damping ratio 0.01, coupling (0,',
        'left: panel of 3 kg; hinge along (1, 0, 0) at (0, 0.5, 0) m from the centre of mass; '
        'inertia about the hinge 1.1875 kg m^2',
        'angle at the start -85.9437 deg, released at 2 s, elastic latch at 0 deg',
        'ball: mass of 0.2 kg on a line along (0, 1, 0) through (0, 0.3, 0) m from the centre of '
        'mass, 0.0795775 Hz with the body held fixed, travel from -0.1 to 0.2 m',
        'tank: pendulum of 5 kg and 0.2 m at (0, 0, 0.3) m from the centre of mass, 36.87 deg fr',
        'oil: viscous slug of 0.5 kg m^2, time constant of its rate 5 s',
        'the hub has 91.8 of 100 kg; its centre of mass is at (0, -0.0333333, -0.0354031) m',
        'base_link: at the centre of mass with the internal parts at their reference places',
    ):
        assert words in text
    assert 'internal' not in '\n'.join(scenario_report.report(built(BODY)))


def test_summary_of_a_slug_alone_and_without_damping():
    slug = {'slugs': ['oil'], 'slug.oil.inertia': 0.5, 'slug.oil.damping': 0.0}
    text = '\n'.join(scenario_report.report(built(BODY | slug)))
    assert 'oil: viscous slug of 0.5 kg m^2, no damping\n' in text
    assert 'body.mass and body.inertia include all these parts' in text


def test_campaigns_draw_what_is_of_internal_parts():
    text = scenario.dump(built(ONE_OF_EACH | {'duration': 1.0}))
    names = ('slug.oil.damping', 'pendulum.tank.rate[1]', 'panel.left.stiffness',
             'panel.left.latch_angle[0]', 'flexible_mode.bend.frequency')  # fmt: skip
    given = ', '.join(f"'{k}': {{distribution: uniform, low: 0.1, high: 0.2}}" for k in names)
    drawn = campaign.parse(f'{{scenario: s, runs: 3, dispersions: {{{given}}}}}', text, 'test')
    draws = drawn.draws(range(3))
    for row, one in enumerate(drawn.scenarios_of(draws, range(3))):
        parts = one.plant.spacecraft.internal
        left = parts.coordinates['left']
        assert parts.slugs['oil'].damping == draws['slug.oil.damping'][row]
        assert parts.pendulums['tank'].rate_B[1] == draws['pendulum.tank.rate[1]'][row]
        assert left.stiffness == draws['panel.left.stiffness'][row]
        assert left.latch == draws['panel.left.latch_angle[0]'][row]
        found = parts.coordinates['bend'].frequency / math.tau
        assert found == pytest.approx(draws['flexible_mode.bend.frequency'][row], rel=1e-15)
    assert len({*draws['slug.oil.damping']}) == 3


def test_every_kind_is_named_once():
    lists, prefixes = internal_parts.LISTS, internal_parts.PREFIXES
    assert len({*lists}) == len({*prefixes}) == len(lists) == 6


# --- the hub by itself ---------------------------------------------------------------------------

HUB = {
    'body.given_for': 'hub', 'body.mass': 91.0, 'body.center_of_mass': [0.3, -0.2, 0.15],
    'body.inertia': [40.0, 35.0, 30.0, 1.0, -2.0, 0.5], 'tick_rate': 8.0,
}  # fmt: skip
# What moves inside: mass [kg], where it is in its place of reference in the axes of the design
# [m], inertia about there [kg m^2]; by hand from ONE_OF_EACH. The slug's is of no place.
MOVING = (
    (3.0, (0.1, 1.0, 0.25), ((0.25, 0.0, 0.0), (0.0, 0.0625, 0.01), (0.0, 0.01, 0.3))),
    (0.2, (0.1, 0.3, 0.0), np.zeros((3, 3))),
    (5.0, (0.1, 0.0, 0.5), np.zeros((3, 3))),
    (0.0, (0.0, 0.0, 0.0), 0.5 * np.eye(3)),
)


def whole():
    """Return mass, centre of mass and inertia of it all, by the parallel axis theorem."""
    hub = np.array(((40.0, 1.0, -2.0), (1.0, 35.0, 0.5), (-2.0, 0.5, 30.0)))
    parts = ((91.0, (0.3, -0.2, 0.15), hub), *MOVING)
    mass = sum(m for m, _, _ in parts)
    center = sum(m * np.array(c) for m, c, _ in parts) / mass
    inertia = np.zeros((3, 3))
    for m, c, own in parts:
        r = np.array(c) - center
        inertia = inertia + own + m * (r @ r * np.eye(3) - np.outer(r, r))
    return mass, center, inertia


def stated():
    """Return the parameters of the body as of the whole."""
    mass, center, i = whole()
    six = [i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]]
    return {'body.mass': mass, 'body.center_of_mass': center.tolist(), 'body.inertia': six}


def test_a_hub_and_its_parts_are_the_whole():
    found, (mass, center, inertia) = built(ONE_OF_EACH | HUB).plant, whole()
    assert found.body.mass == pytest.approx(mass, rel=1e-15)
    assert found.body.center_of_mass == pytest.approx(center, abs=1e-15)
    assert np.abs(found.body.inertia - inertia).max() < 1e-13
    left, hub = found.spacecraft.internal.coordinates['left'], found.spacecraft.internal
    assert left.hinge_B == pytest.approx(np.array((0.1, 0.5, 0.0)) - center, abs=1e-15)
    rest = hub.hub_moment_B / 91.0 + center
    assert rest == pytest.approx((0.3, -0.2, 0.15), abs=1e-14)


def test_a_hub_flies_as_the_same_craft_stated_as_a_whole():
    """To round-off of ten seconds of panel, ball, pendulum, slug and mode."""
    ways = (HUB, {'tick_rate': 8.0} | stated())
    one, other = (
        simulation.trajectory(found.plant, found.initial, 80)
        for found in (built(ONE_OF_EACH | way) for way in ways)
    )
    assert np.abs(one - other).max() < 1e-12 * np.abs(other).max()
    assert np.abs(other[-1, 3:7] - other[0, 3:7]).max() > 0.1


@pytest.mark.parametrize(
    'way',
    [
        {'body.inertia_about': 'origin'},
        {'body.parts': ['box'], 'parts.box.shape': 'box', 'parts.box.size': [1.0, 2.0, 3.0],
         'parts.box.mass': 50.0, 'parts.box.position': [0.3, 0.0, 0.0]},
    ],
)  # fmt: skip
def test_a_hub_may_be_said_in_any_way_that_a_body_may(way):
    """About the origin, or of boxes: as if the numbers it comes to had been given."""
    inertia = [80.0, 70.0, 60.0]
    given = {name: value for name, value in (BODY | HUB | way).items() if name != 'body.inertia'}
    if 'parts.box.mass' in way:
        given = {k: v for k, v in given.items() if k not in ('body.mass', 'body.center_of_mass')}
        same = {'body.mass': 50.0, 'body.center_of_mass': [0.3, 0.0, 0.0]}
        inertia = [50.0 / 12.0 * (4 + 9), 50.0 / 12.0 * (1 + 9), 50.0 / 12.0 * (1 + 4)]
    else:
        given |= {'body.inertia': inertia}
        x, y, z = HUB['body.center_of_mass']
        less = ((y * y + z * z), (x * x + z * z), (x * x + y * y), -x * y, -x * z, -y * z)
        inertia = [a - 91.0 * b for a, b in zip([*inertia, 0.0, 0.0, 0.0], less, strict=True)]
        same = {'body.mass': 91.0, 'body.center_of_mass': [x, y, z]}
    moving = {name: value for name, value in ONE_OF_EACH.items() if name not in BODY}
    found = built(given | moving).plant.body
    other = built(BODY | HUB | moving | same | {'body.inertia': inertia}).plant.body
    assert found.mass == pytest.approx(other.mass, rel=1e-15)
    assert found.center_of_mass == pytest.approx(other.center_of_mass, abs=1e-15)
    assert np.abs(found.inertia - other.inertia).max() < 1e-13


def test_a_hub_without_parts_is_the_body():
    plain, hub = (built(BODY | more) for more in ({}, {'body.given_for': 'hub'}))
    assert hub.plant.body.flat().tobytes() == plain.plant.body.flat().tobytes()


def test_a_changed_part_of_a_hub_changes_the_whole():
    """As a campaign draws it: the hub stays what it was."""
    new = {'panel.left.mass': 4.0, 'pendulum.tank.pivot': [0.2, 0.1, 0.3]}
    changed = scenario.changed(built(ONE_OF_EACH | HUB), new, 'test')
    given = built(ONE_OF_EACH | HUB | new)
    for one in ('mass', 'center_of_mass', 'inertia'):
        assert np.array_equal(getattr(changed.plant.body, one), getattr(given.plant.body, one))
    assert changed.plant.body.mass == pytest.approx(100.2, rel=1e-15)
    assert changed.initial.internal.tobytes() == given.initial.internal.tobytes()


def test_the_start_may_be_of_the_centre_of_mass():
    """Of the whole as it is then, panel aside and moving: momentum and place are just these."""
    place, velocity = [1.0, -2.0, 3.0], [0.01, 0.02, -0.03]
    given = ONE_OF_EACH | HUB | {'initial.position': place, 'initial.velocity': velocity}
    found = built(given | {'initial.point': 'center_of_mass'})
    spacecraft, state = found.plant.spacecraft, found.initial
    assert state.position_W.tolist() == place
    assert state.momentum_W == pytest.approx(found.plant.body.mass * np.array(velocity), rel=1e-15)
    assert np.linalg.norm(spacecraft.origin_W(state) - place) > 0.01
    assert np.linalg.norm(spacecraft.origin_velocity_W(state) - velocity) > 1e-3
    # Of base_link, said from there, it is the same start.
    moved = {
        'initial.position': spacecraft.origin_W(state).tolist(),
        'initial.velocity': spacecraft.origin_velocity_W(state).tolist(),
    }
    other = built(given | moved).initial
    assert other.position_W == pytest.approx(place, abs=1e-15)
    assert other.momentum_W == pytest.approx(state.momentum_W, abs=1e-13)
    assert other.angular_momentum_W == pytest.approx(state.angular_momentum_W, rel=1e-15)
    said = '\n'.join(scenario_report.report(found))
    assert 'position (1, -2, 3) m, attitude not rotated\n' in said
    assert 'of the centre of mass; base_link has position (' in said
    assert 'you give the hub, 91 kg; these values include the internal parts' in said
    assert 'mass 99.2 kg' in said


def test_a_recorded_hub_has_its_bits_elsewhere(monkeypatch):
    # Also one whose whole has no products of inertia, and may have round-off of other sums.
    beside = BODY | {
        'body.given_for': 'hub', 'body.center_of_mass': [0.0, 0.0, 0.0], 'panels': ['p'],
        'panel.p.center': [0.0, 0.5, 0.0], 'panel.p.hinge': [0.0, 0.4, 0.0],
    }  # fmt: skip
    plant = built(beside).plant
    for body in (plant.body, plant.spacecraft.carrier):
        assert not np.count_nonzero(np.triu(body.inertia, 1))
    assert 'computed' in scenario.dump(built(beside))
    found = built(ONE_OF_EACH | HUB | {'initial.point': 'center_of_mass'})
    text = scenario.dump(found)
    assert 'given_for: hub' in text
    first = np.linalg.eigh
    monkeypatch.setattr(
        np.linalg, 'eigh', lambda m: tuple(np.nextafter(x, np.inf) for x in first(m))
    )
    again = scenario.parse(text, 'x')
    assert again.plant.body.flat().tobytes() == found.plant.body.flat().tobytes()
    assert again.initial.internal.tobytes() == found.initial.internal.tobytes()
    assert scenario.dump(again) == text


def test_sub_steps_resolve_a_panel_where_it_starts_and_at_its_reference():
    """Folded back by 0.7 rad it swings fastest there; at the reference faster than at 1.5 rad."""

    def at(angle):
        own = {
            'hinge': [0.1, 0.5, 0.0], 'axis': [1.0, 0.0, 0.0], 'center': [0.1, 1.0, 0.25],
            'mass': 3.0, 'inertia': [0.25, 0.0625, 0.3, 0.0, 0.0, 0.01], 'stiffness': 0.3,
            'angle': angle,
        }  # fmt: skip
        given = {f'panel.left.{name}': value for name, value in own.items()}
        body = {'body.mass': 50.0, 'body.inertia': [30.0, 28.0, 20.0, 0.1, 0.2, 0.3]}
        craft = scenario.build(given | body | {'panels': ['left']}, 'x').plant.spacecraft
        (rate,) = free_frequencies(craft.internal, craft.body.mass, craft.body.inertia)
        return craft.fastest[0] / 1.2, rate  # a fifth is added for other places

    bound, reference = at(0.0)
    assert bound == pytest.approx(reference, rel=1e-12)
    bound, rate = at(-0.7)
    assert rate > 1.003 * reference
    assert bound == pytest.approx(rate, rel=1e-12)
    bound, rate = at(1.5)
    assert rate < 0.96 * reference
    assert bound == pytest.approx(reference, rel=1e-12)
