# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What /diagnostics says of a simulation is what its instant is."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from std_msgs.msg import Header
from std_srvs.srv import SetBool

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.estimation.calibration import Calibration, Learnt
from spacecraft_attitude_sim.core.simulation.energy_book import book_of
from spacecraft_attitude_sim.core.ticks import DEFAULT, TICK_NS
from spacecraft_attitude_sim.nodes.attitude_controller import control_diagnostics
from spacecraft_attitude_sim.nodes.attitude_estimator import node as estimator_node
from spacecraft_attitude_sim.nodes.attitude_guidance import node as guidance_node
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.nodes.simulator import diagnostics


class Doctor:
    """Hears the diagnostics of one simulator."""

    def __init__(self, ros):
        self.ros, self.heard = ros, ros.listen(DiagnosticArray, '/diagnostics')

    def next(self):
        """Return (array, status, {key: value}) of the next report."""
        count = len(self.heard)
        self.ros.until(lambda: len(self.heard) > count)
        (status,) = self.heard[-1].status
        return self.heard[-1], status, {pair.key: pair.value for pair in status.values}

    def until(self, message):
        """Return the level of the first report that says so; there is one each second."""
        said = []
        for _ in range(60):
            _, status, _ = self.next()
            if status.message.startswith(message):
                return status.level
            said.append(status.message)
        raise AssertionError(f'{message} is not among {said}')


def test_report_has_the_numbers_of_the_instant_and_its_stamp(ros):
    doctor = Doctor(ros)
    node = ros.simulator(
        {
            'start_paused': True, 'body.mass': 2.0, 'body.inertia': [0.4, 0.5, 0.6],
            'initial.velocity': [3.0, 0.0, 0.0], 'initial.angular_velocity': [0.0, 0.0, 2.0],
            'command_timeout': 0.25, 'command_torque_limit': [0.1, 0.1, 0.1],
        },
        autostart=False,
    )  # fmt: skip
    node.driver.start()
    inbox = node.commands.inbox
    node.driver.step(5)
    inbox.hold('world', (0.0, 0.0, 0.0), (0.0, 0.0, 7.0))
    inbox.refuse('command/wrench: for a test')
    array, status, values = doctor.next()
    assert conversions.nanoseconds_from_ros(array.header.stamp) == 5 * TICK_NS
    assert status.name == '/simulator: simulation'
    assert values['tick'] == '5'
    assert float(values['simulated time [s]']) == 5 / 32
    # Of nine digits.
    energy = 0.5 * 2.0 * 9.0 + 0.5 * 0.6 * 4.0
    assert float(values['kinetic energy [J]']) == pytest.approx(energy, rel=1e-8, abs=0.0)
    assert float(values['angular momentum [N m s]']) == pytest.approx(1.2, rel=1e-8, abs=0.0)
    assert values['command held'] == 'True'
    assert values['commands refused'] == '1'
    assert 'for a test' in values['last refusal']
    assert values['commands saturated'] == '1'
    node.driver.step(8)  # held for 8 ticks at the limit of 0.1 N m
    _, _, values = doctor.next()
    assert values['command held'] == 'False'
    momentum = 1.2 + 0.1 * 8 / 32
    assert float(values['angular momentum [N m s]']) == pytest.approx(momentum, rel=1e-8, abs=0.0)
    assert np.isfinite(float(values['real-time factor']))


@pytest.mark.parametrize('ticks', [65, 63])
def test_a_run_slower_than_its_rate_is_warned_of_after_its_first_two_seconds(ros, ticks):
    doctor = Doctor(ros)
    node = ros.simulator({'start_paused': True}, autostart=False)
    ros.connected('/diagnostics')
    node.driver.start()
    node.driver.step(ticks)  # 64 are two seconds
    node.driver.resume()
    for _ in range(2):  # no tick between the two
        node.diagnostics.publish()

    def since():
        every = [(array.status[0].level, array.status[0].message) for array in doctor.heard]
        return [one for one in every if one[1] not in ('waiting for its start', 'paused')]

    ros.until(lambda: len(since()) >= 2)
    slow = DiagnosticStatus.WARN, 'slower than real-time factor 1'
    assert since()[1] == (slow if ticks > 64 else (DiagnosticStatus.OK, 'running'))


def test_message_follows_the_run_from_its_start_to_its_end(ros):
    doctor = Doctor(ros)
    node = ros.simulator({'start_paused': True, 'duration': 2.5}, autostart=False)
    assert doctor.until('waiting for its start') == DiagnosticStatus.OK
    node.driver.start()
    assert doctor.until('paused') == DiagnosticStatus.OK
    assert ros.call(SetBool, '/simulator/pause', SetBool.Request(data=False)).success
    assert doctor.until('running') == DiagnosticStatus.OK
    assert doctor.until('finished') == DiagnosticStatus.OK


def test_a_motion_that_cannot_go_on_is_an_error_that_says_why(ros):
    doctor = Doctor(ros)
    node = ros.simulator(
        {
            'equations': 'lagrange', 'start_paused': True,
            'initial.attitude': [0.7071067811865476, 0.0, 0.7071067811865476, 0.0],
            'initial.angular_velocity': [0.0, 0.0, 1.0],
        },
        autostart=False,
    )  # fmt: skip
    node.driver.start()
    ros.call(SetBool, '/simulator/pause', SetBool.Request(data=False))
    assert doctor.until("equations 'lagrange' end at t = 0 s") == DiagnosticStatus.ERROR
    assert node.finished
    assert node.instant.tick == 0


def test_readings_given_of_those_due_are_told_and_why_the_others_are_missing(ros):
    doctor = Doctor(ros)
    given = {'star_tracker.enabled': True, 'star_tracker.interval': 4, 'star_tracker.latency': 2}
    limit = {'star_tracker.rate_limit': 1.0, 'imu.gyroscope.range': 10.0}  # [deg/s]
    ros.simulator({**given, **limit, 'real_time_factor': 0.0, 'duration': 2.0})
    doctor.until('finished')
    _, _, values = doctor.next()
    # Measured at 0, 4, ..., 60, and two ticks later that is known; the T-handle turns at 8 rad/s.
    assert values['star_tracker'] == '0 of 16 readings; above rate_limit: 16'
    assert values['imu'] == '65 of 65 readings; at its limit: 65'
    assert values['imu readings saturated'] == '65'
    assert values['sensors that see nothing'] == 'star_tracker: above rate_limit'


def test_a_status_is_published_where_its_timer_is_late_and_not_before(monkeypatch):
    sent, fired, now = [], [], SimpleNamespace(monotonic=lambda: now.time, time=0.0)
    monkeypatch.setattr(diagnostics, 'time', now)
    publisher = SimpleNamespace(publish=sent.append)
    node = SimpleNamespace(
        get_fully_qualified_name=lambda: '/simulator',
        create_publisher=lambda *given: publisher,
    )
    status = diagnostics.StatusPublisher(
        node, 'simulation', lambda period, call: fired.append(call),
        lambda: (Header(), DiagnosticStatus.OK, 'runs', {'tick': 3}),
    )  # fmt: skip
    for now.time, act, count in (
        (1.05, status.publish_if_late, 0), (1.15, status.publish_if_late, 1),
        (1.2, fired[0], 1), (1.8, fired[0], 2), (2.5, status.publish_if_late, 2),
    ):  # fmt: skip
        act()
        assert len(sent) == count, now.time
    (told,) = sent[-1].status
    assert (told.name, told.message) == ('/simulator: simulation', 'runs')
    assert [(one.key, one.value) for one in told.values] == [('tick', '3')]


# --- reports of flight nodes, without ROS --------------------------------------------------------

CLOCK = SimpleNamespace(now=lambda: SimpleNamespace(nanoseconds=0, to_msg=Time))


def report_of_estimator(problem):
    turned = Learnt(np.array((1e-3, -2e-3, 0.0)), np.full(3, 1.2e-4))
    known = SimpleNamespace(
        q_WB=np.ones(4), sigma=np.array((1e-3, 2e-3, 0.25)),
        calibration=Calibration(None, {'sun': turned}),
    )  # fmt: skip
    estimator = SimpleNamespace(
        resets=2, problem=problem, counts={'gyroscope': {'taken': 3, 'again': 1}, 'sun': {}}
    )
    node = SimpleNamespace(estimator=estimator, estimate=known, get_clock=lambda: CLOCK)
    return estimator_node.AttitudeEstimatorNode._status(node), {
        'times begun anew': 2, 'attitude 1 sigma [rad]': '0.001, 0.002, 0.25',
        'sun/x, 1 sigma': '0.001, 0.00012', 'sun/y, 1 sigma': '-0.002, 0.00012',
        'sun/z, 1 sigma': '0, 0.00012',
        'readings of gyroscope': '3 taken, 1 again', 'readings of sun': '',
    }  # fmt: skip


def report_of_guidance(problem):
    guided = SimpleNamespace(
        status=lambda time: ('down', 10.0 + time), problem=problem, intrusion=lambda time: '',
        clearances=lambda time: {'camera clear of the sun by [deg]': 3.0 * time},
    )  # fmt: skip
    node = SimpleNamespace(
        guidance=guided, refused=4, _stamp=2_500_000_000, get_clock=lambda: CLOCK
    )
    return guidance_node.AttitudeGuidanceNode._report(node), {
        'profile': 'down', 'time to the end of the slew [s]': '12.5', 'changes refused': 4,
        'camera clear of the sun by [deg]': '7.50',
    }  # fmt: skip


def report_of_controller(problem):
    loop = SimpleNamespace(
        answered=1, ignored=2, refused=3, saturated=4, problem=problem,
        settings=SimpleNamespace(
            mode_at=lambda time: 'pointing', gains=SimpleNamespace(integral_time=0.0)
        ),
    )  # fmt: skip
    magnetic = SimpleNamespace(answered=6, refused=7, saturated=8, problem='', warning='')
    node = SimpleNamespace(
        loop=loop, magnetic=magnetic, references_refused=5, allocation=None, orders=None,
        waits_for_guidance=lambda: False, waits_for_mission=lambda: False, get_clock=lambda: CLOCK,
    )  # fmt: skip
    return control_diagnostics.status(node), {
        'mode': 'pointing', 'readings answered': 1,
        'readings ignored (out of order or again)': 2, 'readings refused': 3,
        'torques saturated': 4, 'references refused': 5, 'fields answered': 6,
        'fields refused': 7, 'dipoles saturated': 8,
    }  # fmt: skip


@pytest.mark.parametrize(
    ('report', 'well'),
    [
        (report_of_estimator, 'the attitude is known'), (report_of_guidance, 'down'),
        (report_of_controller, 'pointing'),
    ],
)  # fmt: skip
def test_a_flight_node_reports_its_numbers_and_warns_of_a_problem(monkeypatch, report, well):
    for module in (estimator_node, guidance_node, control_diagnostics):
        monkeypatch.setattr(module, 'mishaps', lambda node: {'mishaps': 9})
    (_, level, message, values), expected = report('')
    assert (level, message) == (DiagnosticStatus.OK, well)
    assert values == expected | {'mishaps': 9}
    (_, level, message, _), _ = report('nothing came')
    assert (level, message) == (DiagnosticStatus.WARN, 'nothing came')


class Ailing:
    """Diagnostics of a run with nothing wrong but what it is given, without ROS."""

    def __init__(self, monkeypatch, **given):
        find = given.get
        compiles = find('compiling')
        monkeypatch.setattr(diagnostics.warm_up, 'too_slow', lambda paced: compiles is not None)
        monkeypatch.setattr(diagnostics.warm_up, 'compiling', lambda: compiles)
        report = self.report = object.__new__(diagnostics.Diagnostics)
        report._run = SimpleNamespace(
            failure=find('failure', ''), halted=find('halted', ''), started=find('started', True),
            paused=find('paused', False), finished=find('finished', False), rate=2.0, tick=320,
            ticks=DEFAULT,
        )  # fmt: skip
        report._driver = SimpleNamespace(
            waits_for=lambda: find('waits', ''), long_tick=lambda: find('long', ''),
            warning=lambda: find('warning', ''),
        )  # fmt: skip
        values = {'follow_clock': find('follows', False), 'publish_clock': find('clock', True)}
        others = [
            SimpleNamespace(node_namespace='/', node_name=name) for name in find('others', ['own'])
        ]
        report._simulator = SimpleNamespace(
            value=values.get, count_publishers=lambda topic: len(others) * (topic == '/clock'),
            get_publishers_info_by_topic=lambda topic: others,
            get_fully_qualified_name=lambda: '/own',
            under_resolved=lambda: find('coarse', False),
        )  # fmt: skip


AILMENTS = [
    ({'failure': 'broken'}, 'ERROR', 'broken'),
    ({'halted': 'no answer'}, 'ERROR', 'paused: no answer'),
    ({'waits': 'it waits'}, 'WARN', 'it waits'),
    ({'started': False}, 'OK', 'waiting for its start'),
    ({'paused': True}, 'OK', 'paused'),
    ({'compiling': 'compiling, 3 s so far'}, 'OK', 'compiling, 3 s so far'),
    ({'finished': True}, 'OK', 'finished'),
    ({'long': 'a tick takes 2 s'}, 'WARN', 'a tick takes 2 s'),
    ({'achieved': 0.1}, 'WARN', 'slower than real-time factor 2'),
    ({'warning': 'a follower is lost'}, 'WARN', 'a follower is lost'),
    ({'others': ['own', 'b']}, 'WARN', '/clock is published by /b, too: simulated time jumps;'),
    ({'coarse': True}, 'WARN', 'under-resolved: rotates too fast'),
    ({}, 'OK', 'running'),
]


def test_mishaps_are_counted_whatever_they_are():
    node = SimpleNamespace(mishaps=Counter(), last_mishap='')
    assert diagnostics.mishaps(node) == {}
    node = SimpleNamespace(mishaps=Counter(texts=2, numbers=3), last_mishap='scenario: no text')
    assert diagnostics.mishaps(node) == {
        'messages that could not be used': 5, 'last of them': 'scenario: no text',
    }  # fmt: skip


def test_propellant_used_is_that_of_all_thrusters():
    """F t/(g0 Isp) of each; one without a specific impulse is not counted."""
    jets = {'a': (0.02, 70.0), 'b': (0.03, 60.0), 'c': (0.01, 0.0)}
    found = scenario.build({
        'body.mass': 4.0, 'body.inertia': [0.1, 0.1, 0.1], 'thrusters': [*jets],
        **{f'thruster.{name}.{key}': value for name, (force, impulse) in jets.items()
           for key, value in (
               ('position', [0.0, 0.0, 0.1]), ('direction', [0.0, 0.0, 1.0]), ('force', force),
               ('max_force', force), ('specific_impulse', impulse),
           )},
    }, 'jets')  # fmt: skip
    instant = found.first_instant()
    book = book_of(found.plant, instant.state)
    for _ in range(16):
        instant = simulation.next_instant(found.plant, instant, found.inputs)
    own = object.__new__(diagnostics.Diagnostics)
    own._simulator = SimpleNamespace(energy_book=book, plant=found.plant, instant=instant)
    used = sum(force * 0.5 / (9.80665 * impulse) for force, impulse in jets.values() if impulse)
    assert float(own._of_book()['propellant used [kg]']) == pytest.approx(used, rel=1e-8)


def test_of_several_problems_the_first_is_told(monkeypatch):
    """Each alone, and with all that come after it."""
    for number, (own, level, message) in enumerate(AILMENTS):
        rest = {name: value for given, _, _ in AILMENTS[number:] for name, value in given.items()}
        for given in (own, rest if own else {}):
            report = Ailing(monkeypatch, **given).report
            told = report._summary(given.get('achieved', 2.0))
            assert told[0] == getattr(DiagnosticStatus, level), given
            assert told[1].startswith(message), (given, told)


@pytest.mark.parametrize(
    ('given', 'told'),
    [
        ({'others': ['own', 'c', 'b']}, '/b, /c'),
        ({'others': ['own', 'own']}, '/own'),
        ({'others': ['own', 'b'], 'follows': True}, ''),
        ({'others': ['own', 'b'], 'follows': True, 'clock': False}, ''),
        ({'others': ['b', 'c'], 'clock': False}, ''),
    ],
)
def test_another_clock_is_named_by_whoever_publishes_one(monkeypatch, given, told):
    assert Ailing(monkeypatch, **given).report._other_clocks() == told


def controller_with(**given):
    """Return the status of a controller with these problems."""
    find = given.get
    loop = SimpleNamespace(
        answered=1, ignored=2, refused=3, saturated=4, problem=find('loop', ''),
        settings=SimpleNamespace(
            mode_at=lambda time: 'pointing', gains=SimpleNamespace(integral_time=0.0)
        ),
    )  # fmt: skip
    magnetic = SimpleNamespace(answered=6, refused=7, saturated=8, problem=find('rods', ''),
                               warning=find('warning', ''))  # fmt: skip
    allocation = SimpleNamespace(names=('a', 'b'), needs_speeds=False, needs_angles=True)
    return control_diagnostics.status(SimpleNamespace(
        loop=loop, magnetic=magnetic, references_refused=5, allocation=allocation, orders=None,
        measure=find('measure', 1.0), waits_for_joints=lambda: find('joints', False),
        waits_for_guidance=lambda: find('guidance', False),
        waits_for_mission=lambda: find('mission', False), get_clock=lambda: CLOCK,
    ))  # fmt: skip


TROUBLES = [
    ({'mission': True}, 'IMU data wait for mission/command of mission_modes'),
    ({'guidance': True}, 'IMU data wait for reference/odometry and reference/acceleration of'),
    ({'joints': True}, 'IMU data wait for joint_states with the positions of a, b'),
    ({'loop': 'no IMU'}, 'no IMU'),
    ({'measure': 0.001}, 'gimbals are near a singularity: some torques are not possible'),
    ({'rods': 'no field'}, 'no field'),
    ({'warning': 'the field is weak'}, 'the field is weak'),
]


def test_of_several_problems_of_a_controller_the_first_is_told(monkeypatch):
    monkeypatch.setattr(control_diagnostics, 'mishaps', lambda node: {})
    _, level, message, values = controller_with()
    assert (level, message) == (DiagnosticStatus.OK, 'pointing')
    assert values['singularity measure of gimbals (1 at best)'] == '1.000'
    for number, (own, problem) in enumerate(TROUBLES):
        rest = {name: value for given, _ in TROUBLES[number:] for name, value in given.items()}
        for given in (own, rest):
            _, level, message, _ = controller_with(**given)
            assert level == DiagnosticStatus.WARN
            assert message.startswith(problem), given
