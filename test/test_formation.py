# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Several spacecraft in one run: one time for all, and each with the bits it has alone."""

import signal
import subprocess
import sys
from contextlib import ExitStack
from types import SimpleNamespace

import numpy as np
import pytest
from bags import contents
from conftest import ROOT
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped, WrenchStamped
from plain import plain
from processes import called, printed, run
from rclpy.parameter import Parameter
from ros_helpers import PATIENCE, process
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, Header
from std_srvs.srv import SetBool, Trigger

from spacecraft_attitude_sim.configuration import formation, scenario
from spacecraft_attitude_sim.configuration.scenario import ScenarioError
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.simulation.run_state import NotNowError
from spacecraft_attitude_sim.core.ticks import LAST_SECOND
from spacecraft_attitude_sim.nodes.simulator.node import SimulatorNode
from spacecraft_attitude_sim.recording import bag_reader, history, inputs_layout
from spacecraft_attitude_sim.runs import replay

NAMES = ('chief', 'deputy_1', 'deputy_2')
DAMPING = str(ROOT / 'examples' / 'rate_damping.py')
# What a file must say, as simulators without a file have it.
T_HANDLE = (
    '/**/simulator: {ros__parameters: {body: {mass: 0.3412969, inertia: [62.2e-6, 171.5e-6, '
    '210.5e-6]}, initial: {angular_velocity: [0.01, 8.0, 0.01]}}}\n'
)
TWO = """
/**/simulator: {ros__parameters: {body: {mass: 2.0}, duration: 3.0, seed: 7}}
/a/simulator: {ros__parameters: {gravity: [0.0, 0.0, -1.0], lockstep_frames: [base_link, jet],
                                 application_frames: [jet]}}
/b/c/simulator: {ros__parameters: {body: {mass: 5.0}, duration: 9.0, frames: {body: hull}}}
/b/c/contact: {ros__parameters: {surface: {shape: sphere}}}
/b/c/attitude_controller: {ros__parameters: {mode: rate_damping, frames: {body: hull}}}
"""


def shipped():
    return formation.members([scenario.find('formation')])


def written(folder, text, name='fleet.yaml'):
    path = folder / name
    path.write_text(text)
    return path


# --- files ---------------------------------------------------------------------------------------


def test_each_namespace_of_a_file_is_a_spacecraft_with_what_all_have(tmp_path):
    one, other = formation.members([written(tmp_path, TWO)])
    assert (one.namespace, other.namespace) == ('a', 'b/c')
    of_one, of_other = one.sections['simulator'], other.sections['simulator']
    assert (of_one['body.mass'], of_other['body.mass']) == (2.0, 5.0)
    assert (of_one['seed'], of_other['seed']) == (7, 7)  # as given
    assert of_one['duration'] == of_other['duration'] == 9.0
    assert of_one['frames.body'] == 'a/base_link'
    assert of_one['frames.imu'] == 'a/imu_link'
    assert of_one['lockstep_frames'] == ['a/base_link', 'jet']
    assert 'frames.world' not in of_one
    assert of_other['frames.body'] == 'b/c/hull'
    assert other.sections['attitude_controller']['frames.body'] == 'b/c/hull'
    assert other.sections['contact']['frames.contact'] == 'b/c/contact_point'
    assert 'contact' not in one.sections


def test_files_are_named_after_themselves_and_differ_in_frames_and_seeds():
    racket, top = scenario.find('tennis_racket'), scenario.find('symmetric_top')
    found = formation.members([racket, top, racket])
    assert [one.namespace for one in found] == [
        'tennis_racket',
        'symmetric_top',
        'tennis_racket_2',
    ]
    simulators = [one.sections['simulator'] for one in found]
    assert [values['seed'] for values in simulators] == [0, 1, 2]
    assert len({values['frames.body'] for values in simulators}) == 3
    assert {values['duration'] for values in simulators} == {
        max(scenario.load(path).parameters['duration'] for path in (racket, top))
    }


def test_a_spacecraft_alone_is_as_it_always_was(tmp_path):
    path = written(tmp_path, '/sat/simulator: {ros__parameters: {body: {mass: 2.0}}}')
    (alone,) = formation.members([path])
    assert alone == ('', 'fleet.yaml', {'simulator': {'body.mass': 2.0}})
    (racket,) = formation.members([scenario.find('tennis_racket')])
    assert racket.sections == scenario.read(scenario.find('tennis_racket'))


def test_a_run_lasts_as_long_as_the_longest_and_for_ever_where_one_does(tmp_path):
    text = (
        '/a/simulator: {{ros__parameters: {{duration: 3.0}}}}\n'
        '/b/simulator: {{ros__parameters: {{{}}}}}\n'
        '/c/simulator: {{ros__parameters: {{duration: 5.0}}}}\n'
    )
    for given, length in (('duration: 9.0', 9.0), ('duration: 0.0', 0.0), ('seed: 1', 0.0)):
        found = formation.members([written(tmp_path, text.format(given))])
        simulators = [one.sections['simulator'] for one in found]
        assert [values['duration'] for values in simulators] == [length] * 3


# A value of each that is neither the default nor 1.
OF_RUN = {
    'duration': 7.0, 'start_paused': True, 'lockstep_timeout': 2.5, 'real_time_factor': 3.0,
    'publish_clock': False, 'startup_delay': 0.25,
}  # fmt: skip


def test_what_is_of_the_run_is_marked():
    assert set(OF_RUN) <= set(formation.OF_RUN)
    assert not {'lockstep', 'seed', 'step_ticks', 'tick_rate'} & set(formation.OF_RUN)


@pytest.mark.parametrize(('name', 'value'), OF_RUN.items())
def test_a_value_of_the_run_is_that_of_the_first_or_of_all(tmp_path, name, value):
    def spacecraft(first, second):
        sections = [{'seed': 1, **given} for given in (first, second, {})]
        texts = (
            f'/{space}/simulator: {{ros__parameters: {str(values).lower()}}}'
            for space, values in zip('abc', sections, strict=True)
        )
        return formation.members([written(tmp_path, '\n'.join(texts))])

    def values(members):
        return [one.sections['simulator'].get(name) for one in members]

    given, default = {name: value}, scenario.BY_NAME[name].default
    for_all = [('', 'simulator', name, default)]
    assert values(formation.agreed(spacecraft({}, given), for_all)) == [default] * 3
    said = rf'b: {name} is {value!r}( s)?, but a has {default!r}( s)?; .*-p {name}:='
    with pytest.raises(ScenarioError, match=rf'fleet.yaml: {said}'):
        formation.agreed(spacecraft({}, {}), [('b', 'simulator', name, value)])
    if name == 'duration':
        return  # of a file: the longest
    for second in ({}, given):
        assert values(formation.agreed(spacecraft(given, second))) == [value] * 3
    with pytest.raises(ScenarioError, match=rf'fleet.yaml: {said}'):
        formation.agreed(spacecraft({}, given))


def test_another_tick_rate_is_refused_before_anything_starts(tmp_path):
    text = '/a/simulator: {ros__parameters: {seed: 1}}\n'
    text += '/b/simulator: {ros__parameters: {tick_rate: 100.0}}'
    with pytest.raises(ScenarioError, match=r'b: tick_rate is 100.0 Hz, of a 32.0; all'):
        formation.agreed(formation.members([written(tmp_path, text)]))


@pytest.mark.parametrize('arguments', [('check',), ('run', '--rate', '0')])
def test_commands_refuse_another_value_of_the_run_in_one_line(command, tmp_path, arguments):
    text = TWO.replace('body: {mass: 5.0}', 'start_paused: true')
    text = text.replace('{mass: 2.0}', '{mass: 2.0, inertia: [1, 1, 1]}').replace(
        'seed: 7', 'seed: 7, initial: {angular_velocity: [0, 0, 0]}'
    )
    path = written(tmp_path, text.replace('mode: rate', 'inertia: [1, 1, 1], mode: rate'))
    done = called(arguments[0], path, *arguments[1:])
    assert done.returncode == 2
    assert done.stdout == ''
    (line,) = done.stderr.splitlines()
    assert (
        'fleet.yaml: b/c: start_paused is True, but a has False; it applies to the whole' in line
    )


def test_a_dumped_formation_reads_as_it_was(tmp_path):
    (tmp_path / 'again').mkdir()
    before = formation.agreed(formation.members([written(tmp_path, TWO)]))
    found = {one.namespace: scenario.of_sections(one.sections, '') for one in before}
    path = written(tmp_path / 'again', formation.dump(found))
    after = formation.agreed(formation.members([path]))
    for one in after:
        again, first = scenario.of_sections(one.sections, ''), found[one.namespace]
        assert again.parameters == first.parameters
        assert again.contact_parameters == first.contact_parameters
        assert again.controller == first.controller
    assert [one.namespace for one in after] == ['a', 'b/c']


def test_lockstep_waits_for_commands_in_the_frame_that_a_body_has_by_then(tmp_path):
    text = (
        '/a/simulator: {ros__parameters: {lockstep_frames: [hull, base_link], frames: {body: hull}'
        ', application_frames: [base_link]}}\n/b/simulator: {ros__parameters: {seed: 1}}'
    )
    one, _ = formation.members([written(tmp_path, text)])
    assert one.sections['simulator']['lockstep_frames'] == ['a/hull', 'base_link']


def test_names_that_ros_cannot_have_are_made_ones(tmp_path):
    text = '/**/simulator: {ros__parameters: {body: {mass: 2.0}}}'
    paths = [written(tmp_path, text, name) for name in ('3u-cube.yaml', 'größe.yaml')]
    assert [one.namespace for one in formation.members(paths)] == ['spacecraft_3u_cube', 'gr__e']
    paths = [written(tmp_path, text, name) for name in ('_a.yaml', 'a.yaml')]
    assert [one.namespace for one in formation.members(paths)] == ['_a', 'a']


def test_a_name_that_numbering_gives_twice_is_refused(tmp_path):
    text = '/**/simulator: {ros__parameters: {body: {mass: 2.0}}}'
    one, other = (written(tmp_path, text, name) for name in ('a.yaml', 'a_2.yaml'))
    assert [found.namespace for found in formation.members([one, one])] == ['a', 'a_2']
    with pytest.raises(ScenarioError, match='spacecraft a, a, a_2: give each a namespace'):
        formation.members([one, one, other])


@pytest.mark.parametrize(
    ('text', 'said'),
    [
        ('/a/simulator: {ros__parameters: {mass: 1.0}}\n/b/simulator: {ros__parameters: {x: 1}}',
         'fleet.yaml: a: mass is not a parameter'),
        ('/a/simulator: {ros__parameters: {duration: long}}\n'
         '/b/simulator: {ros__parameters: {seed: 1}}',
         "fleet.yaml: a: duration is 'long'; give a number"),
        ('/a/simulator: {ros__parameters: {seed: 1}}\n/b/contact: {ros__parameters: {mode: x}}',
         "has no parameters for '/b/simulator'"),
        ('/a/simulator: {ros__parameters: {seed: 1}}\na/simulator: {ros__parameters: {seed: 1}}',
         'are both simulator'),
    ],
)  # fmt: skip
def test_what_is_wrong_with_one_is_said_with_its_name(tmp_path, text, said):
    with pytest.raises(ScenarioError, match=said):
        formation.members([written(tmp_path, text)])


def test_whoever_takes_one_spacecraft_says_so_of_several(command):
    done = run(command, 'compare', 'formation')
    assert done.returncode == 2
    assert 'holds 3 spacecraft, chief, deputy_1, deputy_2' in done.stderr


def test_check_says_what_each_amounts_to(command):
    said = printed(command, 'check', 'formation')
    heads = [line for line in said.splitlines() if 'CubeSats come to rest' in line]
    assert [head.partition(':')[0] for head in heads] == list(NAMES)
    assert 'deputy_1/base_link: at the centre of mass' in said


def test_parameters_of_the_command_line_are_of_all_or_of_one():
    given = [('', 'simulator', 'substeps', 3), ('deputy_1', 'simulator', 'substeps', 4)]
    found = formation.agreed(shipped(), given)
    assert [one.sections['simulator']['substeps'] for one in found] == [3, 4, 3]
    with pytest.raises(ScenarioError, match='no spacecraft deputy; there are chief, deputy_1'):
        formation.agreed(found, [('deputy', 'simulator', 'substeps', 4)])
    (alone,) = formation.members([scenario.find('tennis_racket')])
    (alone,) = formation.agreed([alone], [('any', 'simulator', 'substeps', 4)])
    assert alone.sections['simulator']['substeps'] == 4
    (alone,) = formation.agreed([alone], [('', 'attitude_controller', 'mode', 'idle')])
    assert alone.sections['attitude_controller'] == {'mode': 'idle'}
    assert [one.name for one in (alone, *found)] == ['tennis_racket', *NAMES]


# --- one process ---------------------------------------------------------------------------------


@pytest.fixture(scope='module')
def flown(command, tmp_path_factory):
    """Record the shipped formation for ten seconds; return the folder of bag and tables."""
    folder = tmp_path_factory.mktemp('formation')
    outputs = ('--record', folder / 'bag', '--csv', folder / 'run.csv')
    said = printed(command, 'run', 'formation', '--rate', 0, '--duration', 10, *outputs)
    for name in NAMES:
        assert f'\n{name}\n' in said
    assert f'plot {folder / "bag"} --namespace' in said
    return folder


def test_one_clock_comes_before_everyones_data(flown):
    times = {}
    with bag_reader.opened(flown / 'bag') as bag:
        for number, (connection, stamp, _) in enumerate(bag.messages()):
            times.setdefault(connection.topic, []).append((number, stamp))
    clock = times['/clock']
    assert [stamp for _, stamp in clock] == [k * 31_250_000 for k in range(321)]
    for name in NAMES:
        for topic in ('pose', 'imu/data', 'ground_truth/odometry', 'tick'):
            heard = times[f'/{name}/{topic}']
            assert [stamp for _, stamp in heard] == [stamp for _, stamp in clock]
    assert len(times['/chief/scenario']) == 1


@pytest.mark.parametrize('name', NAMES)
def test_each_has_the_bits_it_has_alone(command, domain, tmp_path, flown, name):
    member = next(one for one in shipped() if one.namespace == name)
    path = tmp_path / 'alone.yaml'
    sections = {node: dict(values) for node, values in member.sections.items()}
    for hosting in scenario.HOSTING:
        sections['simulator'].pop(hosting, None)
    path.write_text(
        '\n'.join(
            f'/**/{node}: {{ros__parameters: {values}}}'.replace('True', 'true')
            for node, values in sections.items()
        )
    )
    given = ('--rate', 0, '--duration', 10)
    printed(command, 'run', path, *given, '--record', tmp_path / 'bag')
    alone, together = contents(tmp_path / 'bag'), contents(flown / 'bag')
    for topic in ('pose', 'imu/data', 'ground_truth/inputs', 'ground_truth/odometry', 'tick',
                  'ground_truth/applied_wrench', 'command/wrench'):  # fmt: skip
        assert together[f'/{name}/{topic}'] == alone[f'/{topic}'], topic
    table, recorded = history.read(flown / f'run_{name}.csv')[0], history.read(tmp_path / 'bag')[0]
    np.testing.assert_array_equal(table.quaternion, recorded.quaternion)


def test_all_of_them_are_computed_again_to_the_bit(command, flown):
    lines = printed(command, 'replay', flown / 'bag', '--resimulate').split()
    assert [lines[k] for k in (0, 5, 10)] == ['chief:', 'deputy_1:', 'deputy_2:']
    for k in (2, 7, 12):
        assert lines[k] == lines[k + 2]
    assert replay.resimulate(flown / 'bag', namespace='deputy_1').difference == ''


def test_of_twenty_spacecraft_nothing_complains(command, domain, tmp_path):
    twenty = T_HANDLE + ''.join(
        f'/s{n}/simulator: {{ros__parameters: {{seed: {n}}}}}\n' for n in range(20)
    )
    done = subprocess.run(
        [command, 'run', written(tmp_path, twenty), '--rate', '0', '--duration', '1'],
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert 'warn' not in (done.stdout + done.stderr).lower()
    assert all(f'\ns{n}\n' in done.stdout for n in range(20))


# --- one run -------------------------------------------------------------------------------------


def fleet(ros, *overrides, **options):
    """Return simulators in namespaces a, b, …, which share a run; they do not start."""
    made = []
    for name, given in zip('abcdefg', overrides, strict=False):
        parameters = [Parameter(key, value=value) for key, value in given.items()]
        driver = made[0].driver if made else None
        made.append(
            ros.add(
                SimulatorNode(
                    name, autostart=False, driver=driver, namespace=name,
                    parameter_overrides=parameters, **options,
                )
            )
        )  # fmt: skip
    return made


PAUSED = {'start_paused': True}


def test_whoever_is_asked_all_pause_step_reset_and_end(ros):
    one, other, third = fleet(ros, PAUSED, {'initial.angular_velocity': [1.0, 0.0, 2.0]}, {})
    poses = [ros.listen(PoseStamped, f'/{name}/pose') for name in 'abc']
    clock = ros.listen(Clock, '/clock')
    ros.connected('/a/pose', '/b/pose', '/c/pose', '/clock')
    other.driver.start()
    other.set_parameters([Parameter('step_ticks', value=5)])
    answer = ros.call(Trigger, '/b/simulator/step')
    assert answer.success
    assert answer.message.endswith('(tick 5, t = 0.15625 s)')
    ros.until(lambda: all(len(heard) == 6 for heard in (*poses, clock)))
    before = [to_flat(craft.instant.state) for craft in (one, other, third)]
    assert ros.call(Trigger, '/c/simulator/reset').success
    assert ros.call(Trigger, '/a/simulator/step').success
    ros.until(lambda: all(len(heard) == 8 for heard in (*poses, clock)))
    assert {craft.instant.tick for craft in (one, other, third)} == {7}
    assert {craft.instant.elapsed for craft in (one, other, third)} == {1}
    for craft, then in zip((one, other, third), before, strict=True):
        expected = simulation.step(craft.plant, craft.scenario.initial)
        np.testing.assert_array_equal(to_flat(craft.instant.state), to_flat(expected))
        assert not np.array_equal(to_flat(expected), then)
    assert ros.call(SetBool, '/b/simulator/pause', SetBool.Request(data=False)).success
    ros.until(lambda: all(len(heard) > 12 for heard in poses))
    assert ros.call(SetBool, '/c/simulator/pause', SetBool.Request(data=True)).success
    tick = one.run.tick
    ros.until(lambda: all(len(heard) == tick + 1 for heard in (*poses, clock)))
    third.driver.quit()
    assert one.finished
    assert other.finished


def test_a_state_that_is_put_leaves_the_others_in_step(ros):
    one, other = fleet(ros, PAUSED, PAUSED)
    one.driver.start()
    state = other.plant.spacecraft.state((1.0, 2.0, 3.0), (1.0, 0, 0, 0), (0, 0, 0), (0.1, 0, 0))
    other.driver.put(other, state)
    assert one.instant.tick == other.instant.tick == 1
    np.testing.assert_array_equal(to_flat(other.instant.state), to_flat(state))
    expected = simulation.step(one.plant, one.scenario.initial)
    np.testing.assert_array_equal(to_flat(one.instant.state), to_flat(expected))


def test_the_others_take_an_ordinary_tick_when_the_state_of_one_is_put(ros):
    heard = [ros.listen(Float64MultiArray, f'/{name}/ground_truth/inputs') for name in 'ab']
    one, other = fleet(ros, PAUSED, PAUSED)
    ros.connected('/a/ground_truth/inputs', '/b/ground_truth/inputs')
    one.driver.start()
    one.driver.step(3)
    other.driver.put(other, other.instant.state)
    assert (one.instant.elapsed, other.instant.elapsed) == (4, 4)
    ros.until(lambda: all(len(messages) == 5 for messages in heard))
    given = [[inputs_layout.unpack(one).given for one in messages] for messages in heard]
    assert given == [[True, False, False, False, False], [True, False, False, False, True]]


def test_a_reset_that_is_still_to_come_is_taken_before_a_state_is_put(ros):
    one, other = fleet(ros, {}, {})
    one.driver.start()
    one.driver.reset()  # with the next tick, which the test does not let come
    other.driver.put(other, other.instant.state)
    assert (one.run.tick, one.run.elapsed) == (2, 1)
    expected = simulation.step(one.plant, one.scenario.initial)
    np.testing.assert_array_equal(to_flat(one.instant.state), to_flat(expected))
    np.testing.assert_array_equal(to_flat(other.instant.state), to_flat(other.scenario.initial))


WITH_WHEEL = plain({**PAUSED, 'wheels': ['w'], 'wheel.w.axis': [1.0, 0.0, 0.0],
                    'wheel.w.torque': 0.0})  # fmt: skip
# Where Lagrange's angles are singular: no tick can be taken.
SINGULAR = {
    'equations': 'lagrange',
    'initial.attitude': [0.7071067811865476, 0.0, 0.7071067811865476, 0.0],
    'initial.angular_velocity': [0.0, 0.0, 1.0],
}  # fmt: skip


def command_once(ros, simulator):
    """Give a spacecraft a wrench, an impulse and a wheel's torque by its topics."""
    load = WrenchStamped(header=Header(frame_id='base_link'))
    load.wrench.torque.x = 1e-5
    torque = JointState(name=['w'], effort=[1e-6])
    for topic, message in (
        ('command/wrench', load), ('command/impulse', load), ('command/wheels', torque),
    ):  # fmt: skip
        name = simulator.resolve_topic_name(topic)
        publisher = ros.node.create_publisher(type(message), name, 10)
        ros.until(lambda to=publisher: to.get_subscription_count() == 1)
        publisher.publish(message)
    inbox, wheels = simulator.commands.inbox, simulator.commands.wheels
    ros.until(lambda: all(inbox.kept[:2]) and wheels.held == [1e-6])


def test_a_state_that_is_refused_loses_nothing_of_anybody(ros):
    """The first has taken its commands when the second cannot go on: then it is as before."""
    alone = ros.simulator(WITH_WHEEL, namespace='z', autostart=False)
    one, stuck, third = fleet(ros, WITH_WHEEL, SINGULAR, {})
    for craft in (alone, one):
        craft.driver.start()
        command_once(ros, craft)
    before = [craft.instant for craft in (one, stuck, third)]
    for _ in range(20):  # more than command_timeout, 16 ticks
        with pytest.raises(NotNowError, match='not put: b: equations .lagrange. end at'):
            third.driver.put(third, third.instant.state)
    assert one.run.tick == 0
    assert not one.failure
    assert all(
        craft.instant is then for craft, then in zip((one, stuck, third), before, strict=True)
    )
    stuck.driver.put(
        stuck, stuck.plant.spacecraft.state((0, 0, 0), (1.0, 0, 0, 0), (0, 0, 0), (0, 0, 0.1))
    )
    assert ros.call(Trigger, '/z/simulator/step').success
    acting = []
    for _ in range(20):
        np.testing.assert_array_equal(to_flat(one.instant.state), to_flat(alone.instant.state))
        acting.append(bool(one.instant.applied_B.any()))
        for name in 'az':
            assert ros.call(Trigger, f'/{name}/simulator/step').success
    assert acting == [True] * 16 + [False] * 4


def test_a_state_is_not_put_where_the_reset_before_it_ends_the_run(ros):
    def buried(tick=0):
        raise ScenarioError('inside the floor')

    one, other = fleet(ros, {}, {})
    one.driver.start()
    one.driver.reset()  # with the next tick, which the test does not let come
    one.scenario = SimpleNamespace(first_instant=buried)
    with pytest.raises(NotNowError, match='not put: a: inside the floor'):
        other.driver.put(other, other.instant.state)
    assert one.run.tick == other.instant.tick == 0
    assert one.finished


def test_a_reset_makes_all_forget_their_commands(ros):
    crafts = one, *_ = fleet(ros, PAUSED, PAUSED, PAUSED)
    one.driver.start()
    for craft in crafts:
        craft.commands.inbox.hold('world', (0.0, 0.0, 1e-3), (0.0, 0.0, 0.0))
    one.driver.step(1)
    assert all(craft.instant.applied_B.any() for craft in crafts)
    one.driver.reset()
    one.driver.step(1)
    assert not any(craft.instant.applied_B.any() for craft in crafts)


def test_a_reset_that_one_cannot_follow_changes_nothing_of_any(ros):
    def buried(tick=0):
        raise ScenarioError('inside the floor')

    one, other = fleet(ros, PAUSED, PAUSED)
    one.driver.start()
    one.driver.step(2)
    before = [craft.instant for craft in (one, other)]
    other.scenario = SimpleNamespace(first_instant=buried)
    with pytest.raises(NotNowError, match='not reset: inside the floor'):
        one.driver.reset()
    assert not one.failure
    assert not one.run.reset_asked
    assert [craft.instant for craft in (one, other)] == before


def test_time_ends_for_all_before_a_stamp_would_wrap(ros):
    one, other = fleet(ros, PAUSED, PAUSED)
    one.driver.start()
    one.run.tick = last = LAST_SECOND * 32
    with pytest.raises(NotNowError, match='ROS has no stamp beyond'):
        other.driver.put(other, other.instant.state)
    with pytest.raises(NotNowError, match='ROS has no stamp beyond'):
        one.driver.step(1)
    assert one.run.tick == last
    assert other.instant.tick == 0


def test_all_streams_are_flushed(ros):
    one, other = fleet(ros, PAUSED, PAUSED)
    acknowledged = SimpleNamespace(wait_for_all_acked=lambda duration: True)
    one.streams[:], other.streams[:] = [acknowledged], [acknowledged]
    assert one.driver.flush()
    other.streams.append(SimpleNamespace(wait_for_all_acked=lambda duration: False))
    assert not one.driver.flush()


@pytest.mark.parametrize('clock', [True, False])
def test_the_clock_is_that_of_the_first(ros, clock):
    one, other = fleet(ros, {'publish_clock': clock}, {})
    assert one.driver.publishes_clock == other.value('publish_clock') == clock
    # Another run may still end in this domain.
    publishers = ros.node.get_publishers_info_by_topic('/clock')
    assert sum(found.node_namespace in ('/a', '/b') for found in publishers) == clock


def test_what_ends_one_ends_all_at_the_same_tick_and_is_said_with_its_name(ros):
    one, other = fleet(ros, PAUSED, PAUSED | {'equations': 'lagrange'})
    poses = ros.listen(PoseStamped, '/a/pose')
    ros.connected('/a/pose')
    one.driver.start()
    with pytest.raises(NotNowError, match='b: equations .lagrange. end at'):
        one.driver.step(100)
    assert one.failure == other.failure
    assert one.instant.tick == other.instant.tick == one.run.tick
    ros.until(lambda: len(poses) == one.run.tick + 1)


def test_a_rate_is_that_of_all(ros):
    one, other = fleet(ros, {}, {})
    one.driver.start()
    (result,) = other.set_parameters([Parameter('real_time_factor', value=0.5)])
    assert result.successful
    assert one.run.rate == one.value('real_time_factor') == 0.5


def test_a_patience_is_that_of_all(ros):
    one, other, third = fleet(ros, {'lockstep_timeout': 2.0}, {}, {'lockstep_timeout': 2.0})
    assert other.value('lockstep_timeout') == 2.0
    (result,) = third.set_parameters([Parameter('lockstep_timeout', value=7)])
    assert result.successful
    assert [craft.value('lockstep_timeout') for craft in (one, other, third)] == [7.0] * 3
    other.set_parameters([Parameter('step_ticks', value=9)])  # of whoever is asked
    assert [craft.value('step_ticks') for craft in (one, other, third)] == [1, 9, 1]


@pytest.mark.parametrize(('name', 'value'), OF_RUN.items())
def test_ros_cannot_give_who_joins_another_value_of_the_run(ros, name, value):
    with pytest.raises(ScenarioError, match=f'b: {name} is {value!r}.*; it applies to the whole'):
        fleet(ros, {}, {name: value})


def test_all_must_tick_alike(ros):
    with pytest.raises(ScenarioError, match=r'b: tick_rate is 100.0 Hz, of a 32.0; all'):
        fleet(ros, {}, {'tick_rate': 100.0})


def test_one_namespace_for_several_is_refused(command, domain):
    done = run(command, 'run', 'formation', '--ros-args', '-r', '__ns:=/x')
    assert done.returncode == 2
    assert '--ros-args gives 3 spacecraft the name /x/simulator' in done.stderr


# --- lockstep ------------------------------------------------------------------------------------


def test_a_controller_of_one_that_is_gone_stops_all_and_is_named(command, domain, ros, tmp_path):
    poses = {name: ros.listen(PoseStamped, f'/{name}/pose') for name in NAMES}
    diagnostics = ros.listen(DiagnosticArray, '/diagnostics')

    def controller(name):
        return process(sys.executable, DAMPING, '--ros-args', '-r', f'__ns:=/{name}')

    def said(word):
        return any(word in status.message for one in diagnostics for status in one.status)

    arguments = ('run', 'formation', '--no-controller', '--duration', '0', '--rate', '4')
    arguments += ('-p', 'lockstep_timeout:=3.0', '-p', 'markers:trace_length:=1')
    with ExitStack() as stack:
        stack.enter_context(controller('chief'))
        stack.enter_context(controller('deputy_2'))
        run = stack.enter_context(process(command, *arguments))
        with controller('deputy_1') as lost:
            ros.until(lambda: len(poses['chief']) > 40)
            lost.send_signal(signal.SIGKILL)
            ros.until(lambda: said('paused: no answer'))
        ros.until(lambda: said('from /deputy_1/rate_damping (command/wrench); call ~/pause'))
        stamps = {name: heard[-1].header.stamp for name, heard in poses.items()}
        assert stamps['chief'] == stamps['deputy_1'] == stamps['deputy_2']
        stopped = len(poses['chief'])
        stack.enter_context(controller('deputy_1'))
        ros.until(lambda: ros.node.count_publishers('/deputy_1/command/wrench'))

        def goes_on():  # asked again while the new one is still being discovered
            diagnostics.clear()
            ros.until(lambda: diagnostics)
            if said('paused'):
                ros.call(SetBool, '/chief/simulator/pause', SetBool.Request(data=False))
            return all(len(heard) > stopped + 40 for heard in poses.values())

        ros.until(goes_on)
        run.send_signal(signal.SIGINT)
        assert run.wait(timeout=PATIENCE) == 0
