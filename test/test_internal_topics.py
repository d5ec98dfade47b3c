# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What topics, bags, tables and diagnostics say of internal parts is what they do."""

from types import SimpleNamespace

import numpy as np
import pytest
from bags import altered
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Point, Pose, Quaternion, Twist, Vector3
from nav_msgs.msg import Odometry
from processes import printed, run
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from test_internal_parameters import BODY, ONE_OF_EACH

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.spacecraft import internal_telemetry as telemetry
from spacecraft_attitude_sim.core.studies import flips_and_drifts
from spacecraft_attitude_sim.nodes.messages import tick_messages
from spacecraft_attitude_sim.nodes.ros.conversions import quaternion_from_ros, vector3_from_ros
from spacecraft_attitude_sim.nodes.simulator import standard_services
from spacecraft_attitude_sim.recording import history, motion_table

# The panel is let go after half a second and caught some 0.6 s later.
GIVEN = ONE_OF_EACH | {
    'panel.left.release_time': 0.5, 'panel.left.stiffness': 20.0, 'wheels': ['w'],
    'wheel.w.axis': [0.0, 1.0, 0.0], 'wheel.w.inertia': 0.01, 'wheel.w.max_torque': 0.1,
    'wheel.w.torque': 0.05, 'initial.position': [1.0, 2.0, 3.0],
    'initial.velocity': [0.01, 0.02, 0.03],
}  # fmt: skip
FOUND = scenario.build(GIVEN, 'test')
CRAFT = FOUND.plant.spacecraft
TICKS = 48
OWN = ('ground_truth/internal_parts', 'ground_truth/slug_rates')
NAMES = ['bend', 'left', 'ball', 'tank/x', 'tank/y', 'tank/z']


@pytest.fixture(scope='module')
def flown():
    """Return the Instants of a run."""
    instants = [FOUND.first_instant()]
    for _ in range(TICKS):
        instants.append(simulation.next_instant(FOUND.plant, instants[-1], FOUND.inputs))
    return instants


def said(found, instant):
    """Return {topic: message} of an instant."""
    messages = tick_messages.TickMessages(found)
    return {
        topic: deserialize_message(data, tick_messages.TYPES[topic])
        for topic, data in messages.of(instant, tick_messages.Settings(0), given=False)
    }


def test_every_displacement_has_its_name_and_its_rate_is_how_fast_it_changes(flown):
    heard = [said(FOUND, one)[OWN[0]] for one in flown]
    first = heard[0]
    assert list(first.name) == NAMES
    assert first.header.frame_id == 'base_link'
    assert first.position.tolist() == pytest.approx([0.25, -1.5, 0.02, 0.12, 0.0, -0.04])
    # Of the rod at (0.12, 0, 0.16) m that turns at 0.1 rad/s about y.
    assert first.velocity.tolist() == pytest.approx([-0.125, 0, 0.03, 0.016, 0, -0.012])
    assert len(first.effort) == 0
    places = np.array([one.position for one in heard])
    rates = np.array([one.velocity for one in heard])
    # By the sum of Simpson's rule over two ticks; a jump in the rate is where the panel is let go
    # or caught, which is left out of this.
    free = np.abs(np.diff(places[:, 1])) == 0.0
    held = int(np.argmin(free))
    step = FOUND.plant.ticks.step
    for row in range(0, held - 2, 2):
        moved = places[row + 2] - places[row]
        simpson = step / 3.0 * (rates[row] + 4.0 * rates[row + 1] + rates[row + 2])
        assert moved == pytest.approx(simpson, abs=3e-6)
    assert held == 16
    assert np.ptp(places, axis=0).min() > 1e-3


def test_pose_odometry_and_transform_say_the_same_place_of_the_body(flown):
    """That of base_link, which the moving masses leave off the centre of mass."""
    for instant in (flown[0], flown[-1]):
        heard, place_W = said(FOUND, instant), CRAFT.origin_W(instant.state)
        (one,) = tick_messages.TickMessages(FOUND).transforms(instant)
        assert (one.header.frame_id, one.child_frame_id) == ('world', 'base_link')
        poses = heard['pose'].pose, heard['ground_truth/odometry'].pose.pose
        turned = one.transform.rotation, *(pose.orientation for pose in poses)
        for place in (one.transform.translation, *(pose.position for pose in poses)):
            assert (vector3_from_ros(place) == place_W).all()
        for q in turned:
            assert (quaternion_from_ros(q) == instant.state.q_WB).all()
        assert np.linalg.norm(place_W - instant.state.position_W) > 1e-3


def test_slugs_tell_their_rates_and_nothing_else(flown):
    heard = said(FOUND, flown[0])[OWN[1]]
    assert list(heard.name) == ['oil/x', 'oil/y', 'oil/z']
    assert heard.velocity.tolist() == pytest.approx([0.0, 0.0, 0.2], abs=1e-15)
    assert len(heard.position) == len(heard.effort) == 0
    later = said(FOUND, flown[-1])[OWN[1]].velocity.tolist()
    # With 0.1 N m s on 0.5 kg m^2 and a body that is heavy, less by e^-0.3 in 1.5 s.
    assert later[2] == pytest.approx(0.2 * np.exp(-0.3), abs=0.01)


def test_panels_are_joints_behind_the_wheels_with_the_torque_of_spring_damper_and_latch(flown):
    efforts = {}
    for instant in flown:
        heard = said(FOUND, instant)
        for topic in ('joint_states', 'ground_truth/joint_states'):
            joints = heard[topic]
            assert list(joints.name) == ['w', 'left']
            number = heard[OWN[0]].name.index('left')
            assert joints.position[1] == heard[OWN[0]].position[number]
            assert joints.velocity[1] == heard[OWN[0]].velocity[number]
        moving = telemetry.motions(CRAFT, instant.state)
        how = telemetry.panels_in_words(CRAFT.internal, moving)['left']
        efforts.setdefault(how, []).append(
            (joints.position[1], joints.velocity[1], joints.effort[1])
        )
        assert joints.effort[0] == 0.05
    assert list(efforts) == ['held', 'free', 'latched']
    assert {one[2] for one in efforts['held']} == {0.0}
    for angle, rate, effort in efforts['free']:
        assert effort == pytest.approx(-20.0 * (angle - 0.1) - 0.02 * rate, rel=1e-12)
    for angle, rate, effort in efforts['latched']:
        wanted = -20.0 * (angle - 0.1) - 0.02 * rate - 100.0 * angle - 1.0 * rate
        assert effort == pytest.approx(wanted, rel=1e-12)


def test_only_what_there_is_is_told():
    def told(given):
        found = scenario.build(BODY | given, 'test')
        return {one for one in said(found, found.first_instant()) if one in OWN or 'joint' in one}

    joints = {'joint_states', 'ground_truth/joint_states'}
    assert told({}) == set()
    assert told({'slugs': ['a']}) == {OWN[1]}
    assert told({'flexible_modes': ['a']}) == {OWN[0]}
    panel = {'panels': ['a'], 'panel.a.center': [0.1, 0.5, 0.0]}
    assert told(panel) == {OWN[0]} | joints


def test_a_panel_that_is_latched_rigidly_says_no_torque():
    given = GIVEN | {'panel.left.latch_stiffness': 0.0, 'panel.left.latch_damping': 0.0}
    found = scenario.build(given, 'test')
    instant = found.first_instant()
    for _ in range(TICKS):
        instant = simulation.next_instant(found.plant, instant, found.inputs)
    moving = telemetry.motions(found.plant.spacecraft, instant.state)
    assert telemetry.panels_in_words(found.plant.spacecraft.internal, moving) == {
        'left': 'latched'
    }
    assert moving.displacements[1] == pytest.approx(0.0, abs=1e-9)
    assert said(found, instant)['joint_states'].effort[1] == 0.0


def test_base_link_is_a_point_of_the_body_about_which_the_centre_of_mass_moves(flown):
    """Its velocity is how fast its place changes, and what it was set to."""
    heard = [said(FOUND, one) for one in flown]
    poses = [one['ground_truth/odometry'] for one in heard]
    place_W = np.array([vector3_from_ros(one.pose.pose.position) for one in poses])
    velocity_W = np.array(
        [
            rotations.rotate(
                quaternion_from_ros(one.pose.pose.orientation),
                vector3_from_ros(one.twist.twist.linear),
            )
            for one in poses
        ]
    )
    assert place_W[0] == pytest.approx([1.0, 2.0, 3.0], abs=1e-15)
    assert velocity_W[0] == pytest.approx([0.01, 0.02, 0.03], abs=1e-15)
    assert vector3_from_ros(heard[-1]['pose'].pose.position).tolist() == place_W[-1].tolist()
    step, drift = FOUND.plant.ticks.step, place_W[14] - place_W[0]
    simpson = velocity_W[0] + velocity_W[14] + 4.0 * velocity_W[1:14:2].sum(axis=0)
    simpson = step / 3.0 * (simpson + 2.0 * velocity_W[2:14:2].sum(axis=0))
    # The rate of the mode turns by 0.4 rad in two ticks: Simpson's rule errs by some 1e-7 of it.
    assert drift == pytest.approx(simpson, abs=1e-8)
    assert np.linalg.norm(drift - 14 * step * velocity_W[0]) > 1e-3


def test_a_state_given_by_place_and_velocity_of_the_origin_has_them(flown):
    state = flown[-1].state
    given = state._replace(
        position_W=CRAFT.origin_W(state),
        momentum_W=CRAFT.body.mass * CRAFT.origin_velocity_W(state),
    )
    back = telemetry.with_origin_at(CRAFT, given)
    assert back.position_W == pytest.approx(state.position_W, abs=1e-14)
    assert back.momentum_W == pytest.approx(state.momentum_W, abs=1e-12)
    assert np.linalg.norm(given.position_W - state.position_W) > 1e-3


def test_energy_of_springs_belongs_to_the_whole():
    """Nothing dissipates, nothing is commanded: kinetic energy and springs together stay."""
    given = BODY | {
        'flexible_modes': ['bend'], 'flexible_mode.bend.coupling': [0.0, 2.0, 0.5],
        'flexible_mode.bend.frequency': 0.5, 'flexible_mode.bend.displacement': 0.25,
    }  # fmt: skip
    found = scenario.build(given, 'test')
    instant = found.first_instant()
    first = flips_and_drifts.energies(found.plant, instant.state)
    # ½ Ω² η² with Ω = π rad/s.
    assert first.potential == pytest.approx(0.5 * (np.pi * 0.25) ** 2, rel=1e-12)
    smallest = first.potential
    for _ in range(64):
        instant = simulation.next_instant(found.plant, instant, found.inputs)
        now = flips_and_drifts.energies(found.plant, instant.state)
        assert now.total == pytest.approx(first.total, rel=1e-7)
        conserved = flips_and_drifts.conserved_energy(found.plant, instant.state, 0.0)
        assert conserved == pytest.approx(now.total, rel=1e-12)
        smallest = min(smallest, now.potential)
    assert smallest < 0.01 * first.potential


# --- nodes ---------------------------------------------------------------------------------------


def test_a_node_says_it_every_tick_and_diagnostics_say_how_panels_are(ros, flown):
    heard = {topic: ros.listen(JointState, topic) for topic in (*OWN, 'joint_states')}
    moved = ros.listen(Odometry, 'ground_truth/odometry')
    diagnostics = ros.listen(DiagnosticArray, '/diagnostics')
    node = ros.simulator(GIVEN | {'start_paused': True}, autostart=False)
    ros.connected(*(f'/{topic}' for topic in heard), '/ground_truth/odometry')
    node.driver.start()

    def panels():
        values = diagnostics[-1].status[0].values if diagnostics else ()
        return {one.key: one.value for one in values}

    ros.until(lambda: panels().get('panels') == 'left held')
    node.driver.step(20)
    ros.until(lambda: panels().get('panels') == 'left free')
    node.driver.step(TICKS - 20)
    ros.until(lambda: panels().get('panels') == 'left latched')
    ros.until(lambda: all(len(one) == TICKS + 1 for one in (*heard.values(), moved)))
    for number, instant in enumerate(flown):
        for topic, messages in heard.items():
            assert messages[number] == said(FOUND, instant)[topic]
        assert moved[number] == said(FOUND, instant)['ground_truth/odometry']
    values, entries = panels(), node.energy_book.entries(node.instant.state)
    assert float(values['heat of friction [J]']) == pytest.approx(entries.heat, rel=1e-8)
    assert entries.heat > 0.0


@pytest.fixture(scope='module')
def path(tmp_path_factory):
    file = tmp_path_factory.mktemp('internal') / 'parts.yaml'
    file.write_text(scenario.dump(FOUND))
    return file


@pytest.fixture(scope='module')
def bag(command, path):
    """A recorded run, and its table."""
    folder = path.parent
    printed(
        command, 'run', path, '--duration', TICKS / 32, '--rate', '0', '--record', folder / 'bag',
        '--csv', folder / 'run.csv',
    )  # fmt: skip
    return folder / 'bag'


def test_a_bag_gives_the_history_of_every_part(bag, flown):
    table, _ = history.read(bag)
    found = table.internal
    assert list(found.parts.coordinates) == ['bend', 'left', 'ball']
    assert len(table.time) == TICKS + 1
    expected = [telemetry.motions(CRAFT, one.state) for one in flown]
    for field, values in zip(telemetry.Motions._fields, zip(*expected, strict=True), strict=True):
        assert getattr(found, field) == pytest.approx(np.array(values), abs=1e-12)
    assert found.displacements.shape == found.rates.shape == found.how.shape == (TICKS + 1, 3)
    assert found.swings.shape == found.swing_rates.shape == (TICKS + 1, 1, 3)
    assert found.slug_rates.shape == (TICKS + 1, 1, 3)
    assert table.energies == pytest.approx(
        np.array(
            [
                [*one, one.total]
                for one in (flips_and_drifts.energies(FOUND.plant, each.state) for each in flown)
            ]
        ),
        abs=1e-10,
    )


def test_tables_of_run_and_bag_have_columns_of_every_part(bag, flown, tmp_path):
    history.write_table(bag, tmp_path / 'bag.csv')
    for path in (bag.parent / 'run.csv', tmp_path / 'bag.csv'):
        names = path.open().readline().strip().split(',')
        numbers = np.genfromtxt(path, delimiter=',', skip_header=1)
        own = names.index('flexible_mode.bend.displacement [sqrt(kg) m]')
        assert names[own + 1 : own + 9] == [
            'flexible_mode.bend.rate [sqrt(kg) m/s]', 'panel.left.angle [rad]',
            'panel.left.rate [rad/s]', 'sliding_mass.ball.displacement [m]',
            'sliding_mass.ball.rate [m/s]', 'pendulum.tank.x [m]', 'pendulum.tank.y [m]',
            'pendulum.tank.z [m]',
        ]  # fmt: skip
        assert names[own + 9 :] == [
            *(f'pendulum.tank.rate_{axis} [m/s]' for axis in 'xyz'),
            *(f'slug.oil.rate_{axis} [rad/s]' for axis in 'xyz'),
            *motion_table.POSITION, *motion_table.MOTION, *motion_table.BOOK,
        ]  # fmt: skip
        center = numbers[:, names.index('x [m]') :][:, :3]
        assert center == pytest.approx(
            np.array([one.state.position_W for one in flown]), abs=1e-12
        )
        assert numbers[:, -1] == pytest.approx(0.0, abs=1e-7)  # the panel is caught
        for row, instant in zip(numbers[:, own:-14], flown, strict=True):
            moving = telemetry.motions(CRAFT, instant.state)
            pairs = np.column_stack((moving.displacements, moving.rates)).ravel()
            rest = np.concatenate((moving.swings, moving.swing_rates, moving.slug_rates)).ravel()
            assert row == pytest.approx(np.concatenate((pairs, rest)), abs=1e-12)


def test_a_recorded_run_is_computed_again_to_the_bit_and_an_altered_state_is_seen(
    command, bag, tmp_path
):
    words = printed(command, 'replay', bag, '--resimulate')
    topics = len(said(FOUND, FOUND.first_instant()))
    assert words.startswith('identical: ')
    assert int(words.split()[1]) == int(words.split()[-1]) == (TICKS + 1) * topics

    def change(message):
        last = np.arange(len(message.data)) == len(message.data) - 6  # before the book
        message.data = message.data + 1e-9 * last

    altered(bag, tmp_path / 'copy', '/ground_truth/inputs', 30, change)
    done = run(command, 'replay', tmp_path / 'copy', '--resimulate')
    assert done.returncode != 0
    assert 'ground_truth/inputs at tick 30' in done.stdout + done.stderr


def test_a_body_that_is_put_keeps_what_moves_in_it_relative_to_it(flown):
    for instant in (flown[8], flown[25], flown[-1]):
        pose = Pose(position=Point(x=1.0, y=-2.0), orientation=Quaternion(w=0.0, z=1.0))
        twist = Twist(linear=Vector3(y=0.5), angular=Vector3(x=0.1, z=0.2))
        put = standard_services.entity_state_from_ros(
            CRAFT, instant.state, SimpleNamespace(pose=pose, twist=twist)
        )
        assert CRAFT.angular_velocity_B(put) == pytest.approx((-0.1, 0.0, 0.2), abs=1e-12)
        assert CRAFT.origin_W(put) == pytest.approx((1.0, -2.0, 0.0), abs=1e-14)
        assert CRAFT.origin_velocity_W(put) == pytest.approx((0.0, 0.5, 0.0), abs=1e-13)
        before, after = (telemetry.motions(CRAFT, one) for one in (instant.state, put))
        for one, other in zip(before, after, strict=True):
            assert other == pytest.approx(one, abs=1e-12)
        speeds = [CRAFT.wheel_speeds(one) for one in (instant.state, put)]
        assert speeds[1] == pytest.approx(speeds[0], abs=1e-9)


def test_the_rate_of_a_panel_is_its_own_also_behind_a_mode():
    base = scenario.load(scenario.find('cubesat_panels'))
    given = {
        'flexible_modes': ['m'], 'flexible_mode.m.frequency': 1.0, 'flexible_mode.m.rate': 0.5,
        'flexible_mode.m.coupling': [1e-3, 0.0, 0.0],
        **{f'panel.{name}.rate': rate for name, rate in (('east', 0.1), ('west', -0.2))},
        **{f'panel.{name}.release_time': 0.0 for name in ('east', 'west')},
    }  # fmt: skip
    found = scenario.changed(base, given, 'test')
    told = said(found, found.first_instant())['joint_states']
    rates = dict(zip(told.name, told.velocity, strict=True))
    assert rates['east'] == pytest.approx(0.1)
    assert rates['west'] == pytest.approx(-0.2)
    assert rates['north'] == 0.0
