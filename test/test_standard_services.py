# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The services of simulation_interfaces, between a client and the simulator node."""

import math
import os
import sys

import numpy as np
import pytest
from conftest import ROOT
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Odometry
from ros_helpers import PATIENCE, process

pytest.importorskip(
    'simulation_interfaces', reason='simulation_interfaces is not installed; it is not on PyPI'
)
from simulation_interfaces import msg, srv

from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.ticks import TICK_NS
from spacecraft_attitude_sim.nodes.ros import conversions, session
from spacecraft_attitude_sim.nodes.simulator import standard_services

PAUSED = {'start_paused': True}
FALLING = {**PAUSED, 'gravity': [0.0, 0.0, -2.0], 'initial.velocity': [1.0, 0.0, 0.0]}
# Nothing turns in it: a quarter turn about z takes body x to world y.
QUARTER = math.sqrt(0.5)
OK = msg.Result.RESULT_OK
UNSUPPORTED = msg.Result.RESULT_FEATURE_UNSUPPORTED
NOT_FOUND = msg.Result.RESULT_NOT_FOUND
INCORRECT_STATE = msg.Result.RESULT_INCORRECT_STATE
FAILED = msg.Result.RESULT_OPERATION_FAILED
ALREADY = srv.SetSimulationState.Response.ALREADY_IN_TARGET_STATE
INCORRECT_TRANSITION = srv.SetSimulationState.Response.INCORRECT_TRANSITION
INVALID_POSE = srv.SetEntityState.Response.INVALID_POSE
State = msg.SimulationState
STOPPED, PLAYING = State.STATE_STOPPED, State.STATE_PLAYING
PAUSE, QUITTING = State.STATE_PAUSED, State.STATE_QUITTING


def call(ros, service_type, name, **fields):
    """Return the answer of a standard service of the simulator."""
    return ros.call(service_type, f'/simulator/{name}', service_type.Request(**fields))


def set_state(ros, state):
    """Ask for a simulation state and return the result's code."""
    request = {'state': State(state=state)}
    return call(ros, srv.SetSimulationState, 'set_simulation_state', **request).result.result


def get_state(ros):
    answer = call(ros, srv.GetSimulationState, 'get_simulation_state')
    assert answer.result.result == OK
    return answer.state.state


def reset(ros, scope):
    return call(ros, srv.ResetSimulation, 'reset_simulation', scope=scope).result


def step(ros, steps):
    return call(ros, srv.StepSimulation, 'step_simulation', steps=steps).result


def entities(ros, **filters):
    return call(ros, srv.GetEntities, 'get_entities', filters=msg.EntityFilters(**filters))


def entity_state(ros, entity='base_link'):
    return call(ros, srv.GetEntityState, 'get_entity_state', entity=entity)


def set_entity_state(ros, state, entity='base_link'):
    return call(ros, srv.SetEntityState, 'set_entity_state', entity=entity, state=state).result


def wanted(
    frame='', position=(0.0, 0.0, 0.0), q=(1.0, 0.0, 0.0, 0.0), v=(0, 0, 0), omega=(0, 0, 0)
):
    """Return an EntityState."""
    state = msg.EntityState(pose=conversions.pose_to_ros(position, q))
    state.twist = conversions.twist_to_ros(v, omega)
    state.header.frame_id = frame
    return state


def started(ros, overrides=None):
    """Return a simulator that has published its first tick."""
    node = ros.simulator(overrides, autostart=False)
    node.driver.start()
    return node


def assert_refused(result, code, reason):
    assert result.result == code
    assert reason in result.error_message


# --- features ------------------------------------------------------------------------------------


def test_features_are_exactly_those_of_the_page(ros):
    ros.simulator()
    found = call(ros, srv.GetSimulatorFeatures, 'get_simulator_features').features
    every = {
        name for name in dir(type(msg.SimulatorFeatures)) if name.isupper() and name[0] != '_'
    }
    advertised = {name for name in every if getattr(msg.SimulatorFeatures, name) in found.features}
    text = (ROOT / 'docs' / 'topics.md').read_text()
    assert advertised == {name for name in every if f'`{name}`' in text}
    assert advertised == set(standard_services.FEATURES)
    assert not found.spawn_formats


# --- simulation state ----------------------------------------------------------------------------


def test_stopped_plays_pauses_and_stops(ros):
    poses = ros.listen(PoseStamped, 'pose')
    node = ros.simulator(PAUSED, autostart=False)
    ros.connected('/pose')
    node.driver.start()
    assert get_state(ros) == STOPPED
    assert set_state(ros, STOPPED) == ALREADY
    assert set_state(ros, PLAYING) == OK
    assert get_state(ros) == PLAYING
    assert set_state(ros, PLAYING) == ALREADY
    ros.until(lambda: node.instant.tick > 3)
    assert set_state(ros, PAUSE) == OK
    assert get_state(ros) == PAUSE
    assert set_state(ros, PAUSE) == ALREADY
    paused_at = node.instant.tick
    assert set_state(ros, STOPPED) == OK
    assert get_state(ros) == STOPPED
    assert node.instant.tick == paused_at + 1
    ros.until(lambda: len(poses) == paused_at + 2)
    assert poses[-1].pose == poses[0].pose


def test_stopped_can_be_paused_without_a_tick(ros):
    node = started(ros, PAUSED)
    assert set_state(ros, PAUSE) == OK
    assert get_state(ros) == PAUSE
    assert node.instant.tick == 0
    assert set_state(ros, STOPPED) == OK
    assert get_state(ros) == STOPPED


def test_a_step_from_stopped_leaves_it_paused(ros):
    started(ros, PAUSED)
    assert step(ros, 1).result == OK
    assert get_state(ros) == PAUSE


def test_stop_before_the_start_makes_it_start_stopped(ros):
    node = ros.simulator(autostart=False)
    assert get_state(ros) == PLAYING
    assert set_state(ros, STOPPED) == OK
    node.driver.start()
    assert get_state(ros) == STOPPED
    assert node.instant.tick == 0


@pytest.mark.parametrize('state', [State.STATE_NO_WORLD, State.STATE_LOADING_WORLD, 77])
def test_states_of_worlds_cannot_be_set(ros, state):
    node = started(ros, PAUSED)
    assert set_state(ros, state) == UNSUPPORTED
    assert node.instant.tick == 0


def test_quitting_stops_the_ticks_and_lets_nothing_else_happen(ros):
    node = started(ros)
    assert set_state(ros, QUITTING) == OK
    assert node.finished
    assert not node.run.completed
    tick = node.instant.tick
    assert get_state(ros) == QUITTING
    assert set_state(ros, QUITTING) == ALREADY
    for state in (PLAYING, PAUSE, State.STATE_STOPPED):
        assert set_state(ros, state) == INCORRECT_TRANSITION
    assert reset(ros, srv.ResetSimulation.Request.SCOPE_STATE).result == INCORRECT_STATE
    assert set_entity_state(ros, wanted()).result == INCORRECT_STATE
    assert step(ros, 1).result == FAILED
    assert node.instant.tick == tick


@pytest.mark.parametrize(
    ('arguments', 'status'),
    [
        (('node', 'simulator'), 0),
        (('run', 'tennis_racket', '--duration', '0'), 0),
        # Less than was asked for, as after Ctrl-C.
        (('run', 'tennis_racket', '--duration', '1000'), 130),
    ],
)
def test_quitting_ends_the_process_after_its_answer(ros, arguments, status):
    program = 'import sys; from spacecraft_attitude_sim.cli import main; sys.exit(main())'
    environment = dict(os.environ)
    with process(sys.executable, '-c', program, *arguments, env=environment) as child:
        assert set_state(ros, QUITTING) == OK
        _, errors = child.communicate(timeout=PATIENCE)
    assert child.returncode == status, errors
    assert 'Traceback' not in errors


# --- reset and step ------------------------------------------------------------------------------


def test_reset_of_the_state_repeats_the_run_while_time_goes_on(ros):
    poses = ros.listen(PoseStamped, 'pose')
    node = ros.simulator(PAUSED, autostart=False)
    ros.connected('/pose')
    node.driver.start()
    for _ in range(2):
        assert step(ros, 3).result == OK
        assert reset(ros, srv.ResetSimulation.Request.SCOPE_STATE).result == OK
    ros.until(lambda: len(poses) == 9)
    assert [message.pose for message in poses[4:8]] == [message.pose for message in poses[0:4]]
    stamps = [conversions.nanoseconds_from_ros(message.header.stamp) for message in poses]
    assert stamps == [k * TICK_NS for k in range(9)]


@pytest.mark.parametrize('scope', [0, 1, 3, 4, 6, 255])
def test_reset_of_time_is_refused_whole(ros, scope):
    node = started(ros, PAUSED)
    assert step(ros, 2).result == OK
    before = node.instant
    assert_refused(
        reset(ros, scope), UNSUPPORTED, 'give SCOPE_STATE, 2: simulated time never goes back'
    )
    assert node.instant is before


def test_steps_are_ticks_of_the_trajectory(ros):
    poses = ros.listen(PoseStamped, 'pose')
    node = ros.simulator(PAUSED, autostart=False)
    ros.connected('/pose')
    node.driver.start()
    assert step(ros, 0).result == OK
    assert step(ros, 1).result == OK
    assert step(ros, 500).result == OK
    assert node.instant.tick == 501
    expected = simulation.trajectory(node.scenario.plant, node.scenario.initial, 501)
    assert np.concatenate(node.instant.state).tobytes() == expected[501].tobytes()
    # More than a topic's depth at once, and none is lost.
    ros.until(lambda: len(poses) == 502)


@pytest.mark.parametrize(
    ('overrides', 'steps', 'reason'),
    [
        ({}, 1, 'running; call ~/pause first'),
        (PAUSED, 2**64 - 1, 'give 4096 at most'),
        ({**PAUSED, 'duration': 0.0625}, 3, 'the run is over'),
    ],
)
def test_step_that_cannot_be_says_why(ros, overrides, steps, reason):
    started(ros, overrides)
    assert_refused(step(ros, steps), FAILED, reason)


# --- entities ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('pattern', 'found'),
    [
        ('', True),
        ('base_link', True),
        ('base.*', True),
        ('[[:alpha:]_]+', True),
        ('(cube|base_link)', True),
        ('base', False),
        ('cube', False),
    ],
)
def test_the_body_is_found_by_its_whole_name(ros, pattern, found):
    ros.simulator()
    answer = entities(ros, filter=pattern)
    assert answer.result.result == OK
    assert answer.entities == (['base_link'] if found else [])


@pytest.mark.parametrize(
    ('filters', 'code', 'reason'),
    [
        ({'filter': '(base'}, FAILED, "filters.filter is '(base'; not a regular expression"),
        ({'categories': [msg.EntityCategory()]}, UNSUPPORTED, 'filters.categories'),
        ({'tags': msg.TagsFilter(tags=['red'])}, UNSUPPORTED, 'filters.tags'),
        ({'bounds': msg.Bounds(type=msg.Bounds.TYPE_SPHERE)}, UNSUPPORTED, 'filters.bounds'),
    ],
)
def test_filters_that_are_not_supported(ros, filters, code, reason):
    ros.simulator()
    answer = entities(ros, **filters)
    assert_refused(answer.result, code, reason)
    assert answer.entities == []


def test_state_of_a_tumbling_body_is_in_world_axes(ros):
    odometry = ros.listen(Odometry, 'ground_truth/odometry')
    node = ros.simulator(FALLING, autostart=False)
    ros.connected('/ground_truth/odometry')
    node.driver.start()
    assert step(ros, 40).result == OK
    ros.until(lambda: len(odometry) == 41)
    state = entity_state(ros).state
    assert state.header == odometry[-1].header
    assert state.pose == odometry[-1].pose.pose
    assert conversions.vector3_from_ros(state.twist.linear) == pytest.approx((1.0, 0.0, -2.5))
    assert conversions.vector3_from_ros(state.acceleration.linear) == pytest.approx((0, 0, -2.0))
    # Twice the energy of rotation is ω · L, here in world axes; of size 0.01 J.
    omega_W = conversions.vector3_from_ros(state.twist.angular)
    body, inner = node.scenario.plant.body, node.instant.state
    energy = body.angular_velocity_B(inner) @ body.angular_momentum_B(inner)
    assert omega_W @ inner.angular_momentum_W == pytest.approx(energy, rel=1e-13)
    # ω_W · L_W does not change, and L_W neither: dω_W/dt is normal to it. 1e-12 of its size.
    alpha_W = conversions.vector3_from_ros(state.acceleration.angular)
    along = alpha_W @ inner.angular_momentum_W
    assert np.linalg.norm(alpha_W) > 0.01
    assert abs(along) < 1e-12 * np.linalg.norm(alpha_W) * np.linalg.norm(inner.angular_momentum_W)


def test_angular_acceleration_is_the_change_of_angular_velocity(ros):
    started(ros, PAUSED)
    rates, middle = [], None
    for _ in range(3):
        state = entity_state(ros).state
        rates.append(conversions.vector3_from_ros(state.twist.angular))
        if len(rates) == 2:
            middle = conversions.vector3_from_ros(state.acceleration.angular)
        assert step(ros, 1).result == OK
    difference = (rates[2] - rates[0]) / (2 * TICK_NS * 1e-9)
    # Central difference: of relative size (λ h)² / 6, λ about 10 rad/s at 1/32 s.
    assert difference == pytest.approx(middle, rel=0.05, abs=0.05 * np.linalg.norm(middle))


@pytest.mark.parametrize('frame', ['', 'world'])
def test_state_that_is_set_is_in_world_axes(ros, frame):
    odometry = ros.listen(Odometry, 'ground_truth/odometry')
    node = ros.simulator(PAUSED, autostart=False)
    ros.connected('/ground_truth/odometry')
    node.driver.start()
    given = wanted(
        frame, (1.0, 2.0, 3.0), (QUARTER, 0.0, 0.0, QUARTER), (0.5, 0.0, 0.0), (0.0, 4.0, 0.0)
    )
    assert set_entity_state(ros, given).result == OK
    ros.until(lambda: len(odometry) == 2)
    assert node.instant.tick == 1
    # World y is body x of a body a quarter turn about z away, world x is body -y.
    twist = odometry[1].twist.twist
    assert conversions.vector3_from_ros(twist.angular) == pytest.approx((4, 0, 0), abs=1e-14)
    assert conversions.vector3_from_ros(twist.linear) == pytest.approx((0, -0.5, 0), abs=1e-15)
    found = entity_state(ros).state
    assert found.header.frame_id == 'world'
    for one, other in (
        (found.pose.position, given.pose.position),
        (found.twist.linear, given.twist.linear),
        (found.twist.angular, given.twist.angular),
    ):
        assert conversions.vector3_from_ros(one) == pytest.approx(
            conversions.vector3_from_ros(other), abs=1e-14
        )
    assert get_state(ros) == PAUSE


def test_a_running_simulation_goes_on_from_the_state_that_is_set(ros):
    node = started(ros)
    given = wanted(v=(0.0, 32.0, 0.0))
    assert set_entity_state(ros, given).result == OK
    ros.until(lambda: node.instant.state.position_W[1] > 5.0)
    assert node.instant.state.position_W[1] == round(node.instant.state.position_W[1])
    assert node.instant.state.angular_momentum_W.tolist() == [0.0, 0.0, 0.0]


def test_a_state_set_after_a_reset_is_not_reset(ros):
    node = started(ros)
    node.driver.reset()
    node.driver.put(
        node, node.scenario.plant.body.state((7.0, 0, 0), (1, 0, 0, 0), (0, 0, 0), np.zeros(3))
    )
    tick = node.instant.tick
    ros.until(lambda: node.instant.tick > tick + 2)
    assert node.instant.state.position_W[0] == 7.0


@pytest.mark.parametrize(
    ('given', 'code', 'reason'),
    [
        ({'q': (0.0, 0.0, 0.0, 0.0)}, INVALID_POSE, 'state.pose.orientation is'),
        ({'q': (2.0, 0.0, 0.0, 0.0)}, INVALID_POSE, 'with norm 2'),
        ({'q': (math.nan, 0.0, 0.0, 0.0)}, INVALID_POSE, 'a unit quaternion'),
        ({'position': (0.0, math.nan, 0.0)}, INVALID_POSE, 'state.pose.position[1] is nan m'),
        ({'position': (2e9, 0.0, 0.0)}, INVALID_POSE, 'from -1e+09 to 1e+09 m'),
        ({'v': (math.inf, 0.0, 0.0)}, INVALID_POSE, 'state.twist.linear[0] is inf m/s'),
        ({'omega': (0, 0, 1e5)}, INVALID_POSE, 'state.twist.angular[2] is 100000.0 rad/s'),
        ({'frame': 'base_link'}, UNSUPPORTED, "give 'world' or leave it empty"),
    ],
)
def test_impossible_state_changes_nothing(ros, given, code, reason):
    node = started(ros, PAUSED)
    before = node.instant
    assert_refused(set_entity_state(ros, wanted(**given)), code, reason)
    assert node.instant is before


def test_unknown_entity_is_not_found(ros):
    started(ros, PAUSED)
    for result in (entity_state(ros, 'cube').result, set_entity_state(ros, wanted(), 'cube')):
        assert result.result == NOT_FOUND
        assert result.error_message == "no entity 'cube'; there is 'base_link'"


def test_state_cannot_be_set_before_the_first_tick(ros):
    node = ros.simulator(autostart=False)
    assert set_entity_state(ros, wanted()).result == INCORRECT_STATE
    assert node.instant.tick == 0
    assert entity_state(ros).result.result == OK


def test_whoever_spins_until_finished_ends(ros):
    node = started(ros)
    client = ros.node.create_client(srv.SetSimulationState, '/simulator/set_simulation_state')
    ros.until(client.service_is_ready)
    client.call_async(srv.SetSimulationState.Request(state=State(state=QUITTING)))
    session.spin_until(ros.executor, lambda: node.finished)
