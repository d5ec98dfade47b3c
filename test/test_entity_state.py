# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What get_entity_state tells of an instant, also where simulation_interfaces is not installed."""

from types import SimpleNamespace

import numpy as np
import pytest
from geometry_msgs.msg import Accel
from plain import plain
from scipy.spatial.transform import Rotation
from test_internal_views import CRAFT

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.simulation import given_instant, limits, next_instant
from spacecraft_attitude_sim.core.simulation.energy_book import book_of
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.nodes.simulator import standard_services
from spacecraft_attitude_sim.nodes.simulator.node import SimulatorNode

OMEGA_B, VELOCITY_W, POSITION_W = (0.3, -0.2, 0.5), (1.0, 2.0, -3.0), (4.0, 5.0, 6.0)
Q_WB = (0.5, -0.5, 0.5, 0.5)


def test_the_state_of_an_instant_is_in_world_axes(monkeypatch):
    interfaces = SimpleNamespace(
        EntityState=lambda header: SimpleNamespace(header=header, acceleration=Accel())
    )
    monkeypatch.setattr(standard_services, 'msg', interfaces, raising=False)
    found = scenario.build({
        'body.inertia': [2.0, 3.0, 4.0], 'body.mass': 5.0, 'gravity': [0.0, 0.0, -2.0],
        'initial.attitude': list(Q_WB), 'initial.angular_velocity': list(OMEGA_B),
        'initial.velocity': list(VELOCITY_W), 'initial.position': list(POSITION_W),
    }, 'test')  # fmt: skip
    sent = standard_services.entity_state_to_ros(found.plant, found.first_instant(), 'space')
    turned = Rotation.from_quat(np.roll(Q_WB, -1))
    # Of a free body J dω/dt = -ω × J ω.
    J = np.diag((2.0, 3.0, 4.0))
    alpha_B = np.linalg.solve(J, -np.cross(OMEGA_B, J @ OMEGA_B))
    for vector, expected in (
        (sent.pose.position, POSITION_W),
        (sent.twist.linear, VELOCITY_W),
        (sent.twist.angular, turned.apply(OMEGA_B)),
        (sent.acceleration.linear, (0.0, 0.0, -2.0)),
        (sent.acceleration.angular, turned.apply(alpha_B)),
    ):
        assert conversions.vector3_from_ros(vector) == pytest.approx(expected, abs=1e-12)
    assert conversions.quaternion_from_ros(sent.pose.orientation) == pytest.approx(Q_WB)
    assert (sent.header.frame_id, sent.header.stamp.sec) == ('space', 0)


def test_the_state_of_a_body_with_moving_parts_is_that_of_base_link(monkeypatch):
    """The centre of mass is beside it, and moves otherwise."""
    interfaces = SimpleNamespace(
        EntityState=lambda header: SimpleNamespace(header=header, acceleration=Accel())
    )
    monkeypatch.setattr(standard_services, 'msg', interfaces, raising=False)
    found = scenario.changed(scenario.parse(CRAFT, 'inside'), {
        'initial.position': list(POSITION_W), 'initial.velocity': list(VELOCITY_W),
        'initial.attitude': list(Q_WB), 'sliding_mass.ball.rate': 0.4,
    }, 'x')  # fmt: skip
    instant = found.first_instant()
    sent = standard_services.entity_state_to_ros(found.plant, instant, 'space')
    at, speed = (
        conversions.vector3_from_ros(one) for one in (sent.pose.position, sent.twist.linear)
    )
    assert at == pytest.approx(POSITION_W, abs=1e-12)
    assert speed == pytest.approx(VELOCITY_W, abs=1e-12)
    assert np.linalg.norm(instant.state.position_W - at) > 1e-3
    assert np.linalg.norm(instant.state.momentum_W / found.plant.body.mass - speed) > 1e-3


@pytest.mark.parametrize('was_set', [True, False])
def test_a_state_that_is_set_begins_the_energy_book(was_set):
    """Else its energy would be missing in the book."""
    found = scenario.changed(
        scenario.parse(CRAFT, 'inside'), {'slug.oil.rate': [0.3, 0.0, 0.1]}, 'x'
    )
    instants = [found.first_instant()]
    for _ in range(8):
        instants.append(next_instant(found.plant, instants[-1], found.inputs))
    state = instants[-1].state
    faster = state._replace(angular_momentum_W=2.0 * state.angular_momentum_W)
    last = given_instant(found.plant, instants[-1]._replace(state=faster), instants[-1].readings)
    node = SimpleNamespace(
        _contact_changed=False, energy_book=book_of(found.plant, instants[0].state),
        instant=instants[0], _settings=None, plant=found.plant, _revision=0,
    )  # fmt: skip
    for instant in instants[1:]:
        SimulatorNode.continue_with(node, instant, False)
    assert abs(node.energy_book.entries(state).missing) < 1e-9
    SimulatorNode.continue_with(node, last, was_set)
    entries = node.energy_book.entries(faster)
    assert (abs(entries.missing) < 1e-9) == was_set
    assert (entries.heat == 0.0) == was_set


# --- the answers of the services, with stand-ins for their messages ------------------------------


class Result(SimpleNamespace):
    """Of simulation_interfaces, whose numbers differ here, too."""

    RESULT_FEATURE_UNSUPPORTED, RESULT_OK, RESULT_NOT_FOUND = range(3)
    RESULT_INCORRECT_STATE, RESULT_OPERATION_FAILED = 3, 4


OK, UNSUPPORTED, NOT_FOUND, STATE, FAILED = 1, 0, 2, 3, 4
ALREADY, TRANSITION, INVALID = 101, 102, 103
STOPPED, PLAYING, PAUSED, QUITTING = range(4)


def stand_ins():
    """Return stand-ins for simulation_interfaces.msg and .srv."""
    states = {'STOPPED': STOPPED, 'PLAYING': PLAYING, 'PAUSED': PAUSED, 'QUITTING': QUITTING}
    msg = SimpleNamespace(
        Result=Result, Bounds=SimpleNamespace(TYPE_EMPTY=0),
        SimulationState=SimpleNamespace(**{f'STATE_{name}': of for name, of in states.items()}),
        EntityState=lambda header: SimpleNamespace(header=header, acceleration=Accel()),
    )  # fmt: skip
    transitions = {'ALREADY_IN_TARGET_STATE': ALREADY, 'INCORRECT_TRANSITION': TRANSITION}
    own = {'SetSimulationState': transitions, 'SetEntityState': {'INVALID_POSE': INVALID}}
    names = ('GetSimulatorFeatures', 'GetSimulationState', 'StepSimulation', 'ResetSimulation',
             'GetEntities', 'GetEntityState', *own)  # fmt: skip
    return msg, SimpleNamespace(**{
        name: SimpleNamespace(
            Request=SimpleNamespace(SCOPE_STATE=2), Response=SimpleNamespace(**own.get(name, {}))
        )
        for name in names
    })  # fmt: skip


class Driver:
    """Remembers what it is asked; refuses while `reason` is set."""

    def __init__(self):
        self.run = SimpleNamespace(finished=False, paused=False, elapsed=3, started=True)
        self.asked, self.reason = [], ''

    def __getattr__(self, name):
        def act(*given):
            self.asked.append((name, *given))
            if self.reason:
                raise standard_services.NotNowError(self.reason)

        return act


class Desk:
    """The services of a body, and what they answer."""

    def __init__(self, monkeypatch, **given):
        for name, value in zip(('msg', 'srv'), stand_ins(), strict=True):
            monkeypatch.setattr(standard_services, name, value)
        self.found, self.services, self.driver = scenario.build(given, 'test'), {}, Driver()
        member = SimpleNamespace(
            scenario=self.found, plant=self.found.plant, instant=self.found.first_instant(),
            create_service=lambda kind, name, answer: self.services.update({name: answer}),
        )  # fmt: skip
        standard_services.StandardServices(member, self.driver)

    def ask(self, service, **fields):
        """Return the response to a request."""
        response = SimpleNamespace(result=Result(), state=SimpleNamespace(), entities=[])
        return self.services[f'~/{service}'](SimpleNamespace(**fields), response)

    def set(self, state):
        """Return the code of the answer to a wanted state, and what the driver was asked."""
        self.driver.asked.clear()
        answer = self.ask('set_simulation_state', state=SimpleNamespace(state=state))
        return answer.result.result, [name for name, *_ in self.driver.asked]

    def state(self):
        """Return the state that is told."""
        answer = self.ask('get_simulation_state')
        assert answer.result.result == OK
        return answer.state.state


def test_states_of_a_run_and_the_ways_between_them(monkeypatch):
    desk = Desk(monkeypatch)
    run = desk.driver.run
    assert desk.state() == PLAYING
    assert desk.set(PLAYING) == (ALREADY, [])
    assert desk.set(77) == (UNSUPPORTED, [])
    assert desk.set(PAUSED) == (OK, ['pause'])
    run.paused = True
    assert desk.state() == PAUSED
    run.elapsed = 0  # paused on demand before the first tick
    assert desk.state() == PAUSED
    assert desk.set(STOPPED) == (OK, ['pause', 'reset'])
    assert desk.state() == STOPPED
    assert desk.set(PAUSED) == (OK, ['pause'])
    assert desk.set(PLAYING) == (OK, ['resume'])
    assert desk.state() == STOPPED  # what was asked for before no longer counts
    desk.driver.reason = 'not now'
    assert desk.set(PLAYING) == (TRANSITION, ['resume'])
    desk.driver.reason = ''
    assert desk.set(QUITTING) == (OK, ['quit'])
    run.finished = True
    assert desk.state() == QUITTING
    assert desk.set(QUITTING) == (ALREADY, [])
    for state in (STOPPED, PLAYING, PAUSED):
        assert desk.set(state) == (TRANSITION, [])


def test_resets_and_steps_are_done_or_refused(monkeypatch):
    desk = Desk(monkeypatch)
    for service, fields, code, asked in (
        ('reset_simulation', {'scope': 2, 'SCOPE_STATE': 2}, OK, [('reset',)]),
        ('reset_simulation', {'scope': 1, 'SCOPE_STATE': 2}, UNSUPPORTED, []),
        ('step_simulation', {'steps': standard_services.MOST_STEPS}, OK,
         [('step', standard_services.MOST_STEPS)]),
        ('step_simulation', {'steps': standard_services.MOST_STEPS + 1}, FAILED, []),
    ):  # fmt: skip
        desk.driver.asked.clear()
        assert desk.ask(service, **fields).result.result == code
        assert desk.driver.asked == asked
    desk.driver.reason = 'not now'
    for service, fields in (('reset_simulation', {'scope': 2}), ('step_simulation', {'steps': 1})):
        result = desk.ask(service, **fields).result
        assert (result.result, result.error_message) == (FAILED, 'not now')
    desk.driver.run.finished = True
    assert desk.ask('reset_simulation', scope=2).result.result == STATE


def test_the_one_entity_is_found_by_its_name(monkeypatch):
    desk = Desk(monkeypatch, **{'frames.body': 'bus'})

    def entities(text='', categories=(), tags=(), bounds=0):
        filters = SimpleNamespace(
            filter=text, categories=categories, tags=SimpleNamespace(tags=tags),
            bounds=SimpleNamespace(type=bounds),
        )  # fmt: skip
        answer = desk.ask('get_entities', filters=filters)
        return answer.result.result, answer.entities, getattr(answer.result, 'error_message', '')

    for text, there in (('', True), ('b.s', True), ('[[:lower:]]+', True), ('bu', False)):
        assert entities(text)[:2] == (OK, ['bus'] if there else [])
    for other in ({'categories': (1,)}, {'tags': ('a',)}, {'bounds': 1}):
        result, _, words = entities(**other)
        assert result == UNSUPPORTED
        assert f'filters.{next(iter(other))} is not supported; leave it empty' in words
    assert entities('(')[0] == FAILED
    assert desk.ask('get_entity_state', entity='bus').state.pose.position.x == 0.0
    assert desk.ask('get_entity_state', entity='base_link').result.result == NOT_FOUND


def wanted(frame='', omega=(0.0, 0.0, 0.0), q=Q_WB, velocity=VELOCITY_W):
    """Return a stand-in for an EntityState."""
    return SimpleNamespace(
        header=SimpleNamespace(frame_id=frame), pose=conversions.pose_to_ros(POSITION_W, q),
        twist=conversions.twist_to_ros(velocity, omega),
    )  # fmt: skip


@pytest.mark.parametrize('wheels', [{}, {'wheels': ['w'], 'wheel.w.initial_speed': 100.0}])
def test_a_state_in_world_axes_is_set(monkeypatch, wheels):
    desk = Desk(monkeypatch, **plain({'body.inertia': [2.0, 3.0, 4.0], 'body.mass': 5.0} | wheels))
    omega_W = Rotation.from_quat(np.roll(Q_WB, -1)).apply(OMEGA_B)
    answer = desk.ask('set_entity_state', entity='base_link', state=wanted('world', omega_W))
    assert answer.result.result == OK
    ((name, _, state),) = desk.driver.asked
    craft = desk.found.plant.spacecraft
    assert name == 'put'
    assert state.position_W == pytest.approx(POSITION_W)
    assert state.momentum_W == pytest.approx(5.0 * np.array(VELOCITY_W))
    assert craft.angular_velocity_B(state) == pytest.approx(OMEGA_B, abs=1e-12)
    if wheels:
        assert craft.wheel_speeds(state) == pytest.approx([100.0], rel=1e-9)


def test_a_state_that_cannot_be_is_refused(monkeypatch):
    desk = Desk(monkeypatch)
    for fields, code in (
        ({'entity': 'other', 'state': wanted()}, NOT_FOUND),
        ({'entity': 'base_link', 'state': wanted('moon')}, UNSUPPORTED),
        ({'entity': 'base_link', 'state': wanted(q=(2.0, 0.0, 0.0, 0.0))}, INVALID),
        ({'entity': 'base_link', 'state': wanted(omega=(1e9, 0.0, 0.0))}, INVALID),
        ({'entity': 'base_link', 'state': wanted(velocity=(np.nan, 0.0, 0.0))}, INVALID),
    ):
        assert desk.ask('set_entity_state', **fields).result.result == code
    assert not desk.driver.asked
    desk.driver.reason = 'not now'
    given = {'entity': 'base_link', 'state': wanted()}
    assert desk.ask('set_entity_state', **given).result.result == FAILED
    for started, finished in ((False, False), (True, True)):
        desk.driver.run.started, desk.driver.run.finished = started, finished
        assert desk.ask('set_entity_state', **given).result.result == STATE
    assert len(desk.driver.asked) == 1
    held = Desk(monkeypatch, **{'bearing.enabled': True, 'gravity': [0.0, 0.0, -9.81]})
    assert held.ask('set_entity_state', **given).result.result == INVALID


@pytest.mark.parametrize(('share', 'code'), [(0.99, OK), (1.01, INVALID)])
def test_a_rate_that_the_sub_steps_do_not_resolve_is_refused(monkeypatch, share, code):
    desk = Desk(monkeypatch, substeps=2)
    omega_W = (share * limits.resolved_rate(desk.found.plant), 0.0, 0.0)
    given = {'entity': 'base_link', 'state': wanted(omega=omega_W)}
    result = desk.ask('set_entity_state', **given).result
    assert result.result == code
    said = getattr(result, 'error_message', '')
    assert said.startswith('state.twist.angular_velocity is') == (code == INVALID)
