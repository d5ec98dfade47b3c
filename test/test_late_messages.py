# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Messages that a fault lets come late or twice: when, which, and what a flight makes of them."""

import math

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.serialization import deserialize_message
from scipy.stats import chi2

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.faults.on_readings import ReadingFault, happens
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.sensors import Tally
from spacecraft_attitude_sim.flight.flight import Flight
from spacecraft_attitude_sim.nodes.messages import tick_messages
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.recording import topics

HALF = math.sqrt(0.5)
# A body that turns, with every sensor that has a message of its own, at intervals of their own.
BODY = {
    'body.mass': 4.0, 'body.inertia': [0.01, 0.012, 0.015],
    'initial.angular_velocity': [0.03, -0.02, 0.04],
    'orbit.model': 'kepler', 'epoch': '2026-03-20T12:00:00Z', 'orbit.semi_major_axis': 7e6,
    'magnetometer.enabled': True, 'magnetometer.interval': 2,
    'star_tracker.enabled': True, 'star_tracker.interval': 4, 'star_tracker.latency': 3,
    'sun_cells': ['p'], 'sun_cell.p.direction': [1.0, 0.0, 0.0],
    'sun_sensors': ['a'], 'sun_sensor.a.orientation': [HALF, 0.0, HALF, 0.0],
    'horizon_sensor.enabled': True, 'horizon_sensor.orientation': [HALF, 0.0, -HALF, 0.0],
    'gnss.enabled': True, 'gnss.interval': 8,
}  # fmt: skip
# {component: (its delay [s], in ticks of 1/32 s, its name in Suite.sensors)}
DELAYS = {
    'imu': (0.07, 3, 'imu'), 'magnetometer': (0.125, 4, 'magnetometer'),
    'star_tracker': (0.3, 10, 'star_tracker'), 'sun_cell.p': (0.05, 2, 'sun_sensor/p'),
    'sun_sensor.a': (0.2, 7, 'sun_sensor/a'), 'horizon_sensor': (0.01, 1, 'horizon_sensor'),
    'gnss': (0.25, 8, 'gnss'),
}  # fmt: skip
# Readings made at these ticks are late: the fault acts from 0.5 s to 1.5 s.
FIRST, LAST, TICKS = 17, 48, 72
SETTINGS = tick_messages.Settings(0)


def faults(kind, values, at=0.5, duration=1.0, components=tuple(DELAYS)):
    """Return the parameters of one fault of each component."""
    given = {'faults': [f'f{number}' for number in range(len(components))]}
    for name, component, value in zip(given['faults'], components, values, strict=True):
        own = {'component': component, 'kind': kind, 'value': [value], 'at': at}
        given |= {f'fault.{name}.{key}': v for key, v in (own | {'duration': duration}).items()}
    return given


LATE = faults('late', [delay for delay, _, _ in DELAYS.values()])


class Heard:
    """What comes in a flight that nobody commands.

    came: {sensor: [(tick, tick at which it was made, bytes of the reading)]}
    newest: {sensor: [tick at which it was made]}, without what was overtaken
    messages: {topic: [(tick, bytes)]}, in their order;  ticks: [DiagnosticArray] of topic tick
    tally: Tally
    """

    def __init__(self, **given):
        self.flight = Flight(scenario.build(BODY | given, 'test'), None)
        found = self.flight.scenario
        self.came = {name: [] for name in found.sensors.sensors}
        self.newest = {name: [] for name in found.sensors.sensors}
        makes, self.messages, self.ticks = tick_messages.TickMessages(found), {}, []
        own = {topic for several in topics.of_sensors(found.sensors).values() for topic in several}
        self.tally = Tally(found.sensors)
        for tick in range(1, TICKS):
            self.flight.step()
            self.tally.add(self.flight.instant.readings)
            self.note(tick)
            for topic, data in makes.of(self.flight.instant, SETTINGS, given=False):
                if topic in own:
                    self.messages.setdefault(topic, []).append((tick, data))
                elif topic == tick_messages.TICK:
                    self.ticks.append(deserialize_message(data, DiagnosticArray))

    def note(self, tick):
        """Keep what came at a tick."""
        readings, read = self.flight.readings, self.flight.instant.readings
        for name in readings.new - read.silent:
            made = tick - round(readings.late_by(name) / readings.step)
            self.came[name].append((tick, made, read.flat[name].tobytes()))
            self.newest[name].append(made)
        for name, message in read.delivery.belated:
            self.came[name].append((tick, message.made, message.reading.tobytes()))


@pytest.fixture(scope='module')
def healthy():
    """The flight without a fault."""
    return Heard()


@pytest.fixture(scope='module')
def late():
    """The flight in which all sensors are late for a second."""
    return Heard(**LATE)


def delayed(made, delay):
    """Return when a reading of the late flight comes; both in ticks."""
    return made + delay if FIRST <= made <= LAST else made


@pytest.mark.parametrize('component', DELAYS)
def test_each_reading_comes_later_once_and_whole(component, healthy, late):
    _, delay, name = DELAYS[component]
    wanted = [(delayed(made, delay), made, data) for _, made, data in healthy.came[name]]
    assert sum(tick != made for tick, made, _ in wanted) >= 4
    assert sorted(late.came[name]) == sorted(wanted)  # each healthy reading differs
    assert len({data for _, _, data in wanted}) == len(wanted)
    # In order, until one that is not late overtakes those that are still held.
    newest = late.newest[name]
    assert newest == sorted(newest)
    assert [made for made in newest if made + delay <= LAST] == [
        made for _, made, _ in wanted if made + delay <= LAST
    ]
    assert len(newest) < len(wanted)


def test_each_message_is_the_healthy_one_with_its_own_stamp(healthy, late):
    delays = {name: delay for _, delay, name in DELAYS.values()}
    own = topics.of_sensors(late.flight.scenario.sensors)
    assert {topic for several in own.values() for topic in several} == healthy.messages.keys()
    for name, several in own.items():
        for topic in several:
            wanted = [(delayed(t, delays[name]), data) for t, data in healthy.messages[topic]]
            assert sorted(late.messages[topic]) == sorted(wanted), topic


def test_the_tick_lists_the_age_of_what_is_late_and_what_was_overtaken(late):
    tick_ns = late.flight.scenario.plant.ticks.tick_ns

    def ages(tick, status=0):
        message = late.ticks[tick - 1]
        assert conversions.nanoseconds_from_ros(message.header.stamp) == tick * tick_ns
        return [(v.key, int(v.value) / tick_ns) for v in message.status[status].values]

    assert 'imu/data' not in dict(ages(FIRST))  # the first late one is still held
    assert dict(ages(FIRST + 3))['imu/data'] == dict(ages(LAST))['imu/data_raw'] == 3
    assert dict(ages(29))['star_tracker/attitude'] == 13  # 10 late, and 3 of its latency
    assert dict(ages(LAST + 1))['imu/data'] == 0
    assert len(late.ticks[LAST - 1].status) == 1
    assert [pair for pair in ages(LAST + 1, 1) if 'imu' in pair[0]] == [
        ('imu/data', 3), ('imu/data_raw', 3)
    ]  # fmt: skip


def test_the_tally_counts_what_came_late_and_what_is_still_held(late):
    texts = late.tally.texts()
    assert texts['imu'] == f'{TICKS - 1} of {TICKS - 1} readings; late: 32'
    assert texts['magnetometer'] == '35 of 35 readings; late: 16'
    assert late.tally.silent() == {}
    never_ends = Heard(**faults('late', [60.0], duration=0.0, components=['imu']))
    assert never_ends.tally.texts()['imu'] == '16 of 71 readings; still to come: 55'
    assert never_ends.tally.silent() == {'imu': 'a fault'}


def test_each_message_comes_twice_right_behind_itself(healthy):
    twice = Heard(**faults('doubled', [1.0] * len(DELAYS)))
    for topic, wanted in healthy.messages.items():
        both = [pair for pair in wanted for _ in range(1 + (FIRST <= pair[0] <= LAST))]
        assert twice.messages[topic] == both, topic
    assert twice.came == healthy.came
    assert twice.tally.texts()['gnss'] == '8 of 8 readings; twice: 4'


def test_a_share_of_the_messages_comes_twice():
    fault = ReadingFault(3, 'imu', slice(0), 'doubled', (0.3,))
    hits = sum(happens(fault, tick, seed=7) for tick in range(4000))
    assert abs(hits - 1200) < 4.0 * math.sqrt(4000 * 0.3 * 0.7)  # a chance of 6e-5
    own = faults('doubled', [0.5], components=['imu']) | {'seed': 4}
    heard, again = Heard(**own), Heard(**own)
    assert heard.messages['imu/data'] == again.messages['imu/data']
    assert 4 < len(heard.messages['imu/data']) - (TICKS - 1) < 28  # of 32: a chance of 2e-5


def test_delays_of_several_faults_add_up_and_what_is_lost_never_comes(healthy):
    given = faults('late', [0.07, 0.125], components=['imu', 'imu'])
    given |= {'faults': ['f0', 'f1', 'f2'], 'fault.f2.component': 'imu', 'fault.f2.at': 1.0,
              'fault.f2.kind': 'silent', 'fault.f2.duration': 0.25}  # fmt: skip
    came = Heard(**given).came['imu']
    wanted = [(delayed(made, 7), made, data) for _, made, data in healthy.came['imu']
              if not 33 <= made <= 40]  # fmt: skip
    assert sorted(came) == sorted(wanted)


def test_what_is_held_comes_after_a_given_state_and_not_after_a_reset():
    flight = Flight(scenario.build(BODY | LATE, 'test'), None)
    for _ in range(FIRST + 1):
        flight.step()
    read, plant, state = flight.instant.readings, flight.scenario.plant, flight.instant.state
    assert read.delivery.held['imu']
    put = simulation.put_instant(plant, FIRST + 2, state, FIRST + 2, before=read)
    held = [message.made for message in put.readings.delivery.held['imu']]
    assert held == [FIRST, FIRST + 1] and 'imu' in put.readings.new  # no fault acts there
    reset = simulation.put_instant(plant, FIRST + 2, state, 0, before=read)
    assert not reset.readings.delivery.held


# --- on board ------------------------------------------------------------------------------------

# The camera of cubesat_3u_leo looks down, and its star tracker away from Earth and Sun.
POINTING = {'initial.frame': 'lvlh', 'initial.angular_velocity': [0.001, 0.002, -0.001]}


@pytest.fixture(scope='module')
def cubesat():
    """A function of parameters that flies cubesat_3u_leo with its estimator for 60 s."""
    sections = scenario.read(scenario.find('cubesat_3u_leo'))
    sections['attitude_controller']['mode'] = 'nadir_pointing'
    sections = scenario.with_estimator(sections, 'test')

    def flown(**given):
        own = sections | {'simulator': sections['simulator'] | POINTING | given}
        flight, errors = Flight(scenario.of_sections(own, 'test')), []
        for _ in range(120):
            state = flight.instant.state
            flight.step()
            if flight.estimate.q_WB is not None:
                q = rotations.compose(rotations.conjugate(flight.estimate.q_WB), state.q_WB)
                error_B = 2.0 * np.copysign(1.0, q[0]) * q[1:]
                weight = np.linalg.inv(flight.estimate.covariance[:3, :3])
                errors.append(error_B @ weight @ error_B)
        return flight, np.array(errors)

    return flown


def test_an_estimator_is_consistent_with_late_stars(cubesat):
    own = faults('late', [1.6], components=['star_tracker'], at=5.0, duration=40.0)
    flight, nees = cubesat(**own)
    counts = flight._onboard._estimator.estimator.counts['star_tracker']
    assert counts['too late'] == counts['again'] == 0
    assert counts['taken'] + counts['used to begin'] == 120
    # A chance of one in a million for each of 110 instants. In 1.6 s the body turns by 30 sigma.
    assert len(nees) > 110 and nees[10:].max() < chi2.isf(1e-6, 3)


def test_doubled_readings_change_no_bit_of_a_flight(cubesat):
    parts = ['imu', 'magnetometer', 'star_tracker']
    whole, _ = cubesat()
    twice, _ = cubesat(**faults('doubled', [1.0] * 3, at=0.0, duration=0.0, components=parts))
    for one, other in zip(whole.instant.state, twice.instant.state, strict=True):
        assert np.array_equal(one, other)
    assert np.array_equal(whole.estimate.covariance, twice.estimate.covariance)


def test_nobody_takes_an_answer_to_a_late_reading():
    """As in lockstep, where the stamp of such an answer is not that of the tick."""
    base = scenario.load(scenario.find('cubesat_wheel_stuck'))
    own = faults('late', [0.07], components=['imu'])
    own['faults'] += base.parameters['faults']
    flight = Flight(scenario.changed(base, own, 'test'))
    torques = []
    for _ in range(TICKS):
        flight.step()
        torques.append(flight.instant.inputs.wheel_torque)
    changes = [n for n in range(1, TICKS) if not np.array_equal(torques[n], torques[n - 1])]
    # The answer to the reading of tick n acts in the tick that ends with torques[n], at n + 1. The
    # last one before the fault is held for command_timeout, 16 ticks.
    assert [n for n in changes if FIRST <= n <= LAST + 1] == [FIRST - 1 + 16, LAST + 1]


def test_a_mission_knows_late_data_at_their_own_time():
    base = scenario.load(scenario.find('cubesat_3u_mission'))
    own = faults('late', [1.0], components=['imu'], at=1.0, duration=0.0)
    flight = Flight(scenario.changed(base, own, 'test'))
    for _ in range(8):
        before = flight.instant.stamp
        flight.step()
    heard, _ = flight.mission.knowledge._heard['rate']
    assert heard == before - 10**9
    assert flight.mission.machine.decide(before, {}).time_ns == before  # it has decided now
    assert flight._onboard._loop.answered == 3  # to late data belongs no order
