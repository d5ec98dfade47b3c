# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The simulator as a managed node, over the services that ROS 2 has for these; no mocks."""

import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest
from bags import contents
from geometry_msgs.msg import PoseStamped, WrenchStamped
from processes import called, printed
from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.msg import ParameterType, ParameterValue
from rcl_interfaces.srv import GetParameters, ListParameters, SetParameters
from ros_helpers import process
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import PointCloud2
from std_srvs.srv import SetBool, Trigger

from spacecraft_attitude_sim.configuration.share import share_directory
from spacecraft_attitude_sim.core.simulation.run_state import NotNowError
from spacecraft_attitude_sim.nodes.ros import qos
from spacecraft_attitude_sim.nodes.ros.conversions import nanoseconds_from_ros
from spacecraft_attitude_sim.nodes.ros.reconfigurable import Reconfigurable
from spacecraft_attitude_sim.nodes.simulator import managed as managed_module
from spacecraft_attitude_sim.nodes.simulator.managed import UNCHECKED, ManagedSimulatorNode
from spacecraft_attitude_sim.runs import managed_run
from spacecraft_attitude_sim.runs.managed_run import RunBeside
from spacecraft_attitude_sim.runs.run import CONNECT_SECONDS

lifecycle = pytest.importorskip('lifecycle_msgs.srv')
from lifecycle_msgs.msg import Transition, TransitionEvent  # noqa: E402

TRANSITIONS = {
    'configure': Transition.TRANSITION_CONFIGURE,
    'activate': Transition.TRANSITION_ACTIVATE,
    'deactivate': Transition.TRANSITION_DEACTIVATE,
    'cleanup': Transition.TRANSITION_CLEANUP,
}
# By which transitions a state is reached.
WAYS = {
    'unconfigured': (),
    'inactive': ('configure',),
    'active': ('configure', 'activate'),
    'inactive again': ('configure', 'activate', 'deactivate'),
}
SERVICES = {
    f'/simulator/{name}'
    for name in (
        'change_state', 'get_state', 'get_available_states', 'get_available_transitions',
        'get_transition_graph',
    )
}  # fmt: skip
EVENTS = '/simulator/transition_event'
LAST = 319 * 31_250_000  # of 320 ticks of a run of 10 s
SLOWER = 'initial.angular_velocity:=[0.01, 7.0, 0.01]'
LONG = ('--duration', '0')
FLOOR = """
/**/simulator:
  ros__parameters:
    body: {mass: 2.0, inertia: [0.03, 0.03, 0.03]}
    initial: {angular_velocity: [0.01, 8.0, 0.01]}
    gravity: [0.0, 0.0, -9.81]
    duration: 2.0
/**/contact: {ros__parameters: {place: true, surface: {shape: sphere, radius: 0.2}}}
"""


class Managed:
    """A managed simulator in another process, and what a lifecycle manager asks of it."""

    def __init__(self, ros, node='/simulator'):
        self.ros, self.node = ros, node

    def change(self, *names):
        """Ask for transitions, and return whether the last was made."""
        for name in names:
            if name == 'shutdown':  # its number is another from each state
                transition = Transition(label=name)
            else:
                transition = Transition(id=TRANSITIONS[name])
            request = lifecycle.ChangeState.Request(transition=transition)
            done = self.ros.call(lifecycle.ChangeState, f'{self.node}/change_state', request)
        return done.success

    @property
    def state(self):
        """The label of the state it is in."""
        answer = self.ros.call(lifecycle.GetState, f'{self.node}/get_state')
        return answer.current_state.label

    def set(self, name, value=None):
        """Set a number, or delete a parameter; return '' or why not."""
        given = ParameterValue()
        if isinstance(value, float):
            given = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=value)
        elif value is not None:
            given = ParameterValue(type=ParameterType.PARAMETER_DOUBLE_ARRAY)
            given.double_array_value = value
        request = SetParameters.Request(parameters=[ParameterMessage(name=name, value=given)])
        (result,) = self.ros.call(SetParameters, f'{self.node}/set_parameters', request).results
        assert result.successful == (not result.reason)
        return result.reason

    def names(self):
        """Return the names of its parameters."""
        return set(self.ros.call(ListParameters, f'{self.node}/list_parameters').result.names)

    def value(self, name):
        """Return the ParameterValue of a parameter."""
        request = GetParameters.Request(names=[name])
        return self.ros.call(GetParameters, f'{self.node}/get_parameters', request).values[0]


@pytest.fixture
def managed(ros):
    return Managed(ros)


def seen(ros):
    """Return the topics and the services that the simulator has in the graph."""
    node = ros.node
    if 'simulator' not in node.get_node_names():
        return set(), set()
    topics = node.get_publisher_names_and_types_by_node('simulator', '/')
    services = node.get_service_names_and_types_by_node('simulator', '/')
    return {name for name, _ in topics}, {name for name, _ in services}


def stamps(clock):
    return [nanoseconds_from_ros(message.clock) for message in clock]


def running(command, *options, scenario='tennis_racket', rate='4'):
    return process(command, 'run', scenario, '--lifecycle', '--rate', rate, *map(str, options))


def ended(child, status=0):
    """Return what a process said, which has ended by itself."""
    output, errors = child.communicate(timeout=600)  # a kernel may be being compiled
    assert child.returncode == status, errors
    assert 'Traceback' not in errors
    return output, errors


def but_the_rate(found):
    """Return contents of a bag as of any real-time factor, which a scenario says."""
    without = dict(found)
    for topic in [topic for topic in found if topic.endswith('/scenario')]:
        ((stamp, text),) = found[topic]
        lines = [line for line in text[12:].splitlines() if b'real_time_factor' not in line]
        without[topic] = [(stamp, lines)]
    return without


@pytest.fixture(scope='module')
def alone(command, tmp_path_factory):
    """Return {name: contents of the bag of a run that nobody manages}."""
    folder = tmp_path_factory.mktemp('alone')
    (folder / 'ball.yaml').write_text(FLOOR)
    given = {
        'racket': ('tennis_racket',),
        'short': ('tennis_racket', '--duration', '3'),
        'slower': ('tennis_racket', '-p', SLOWER),
        'ball': (folder / 'ball.yaml', '-p', 'contact:friction:=0.25'),
        'pointing': ('cubesat_pointing', '--duration', '5'),
        'formation': ('formation', '--duration', '3'),
    }
    for name, arguments in given.items():
        printed(command, 'run', *arguments, '--rate', '0', '--record', folder / name)
    return {name: but_the_rate(contents(folder / name)) for name in given}


# --- states --------------------------------------------------------------------------------------


@pytest.mark.parametrize('way', ['run', 'node'])
def test_every_state_has_the_topics_and_services_it_should(command, ros, managed, way):
    arguments = ['run', 'tennis_racket', '--no-markers']
    if way == 'node':
        arguments = ['node', 'simulator']
    clock = ros.listen(Clock, '/clock')
    events = ros.listen(TransitionEvent, EVENTS)
    ros_arguments = ('--ros-args', '-p', 'duration:=0.0')
    with process(command, *arguments, '--lifecycle', *ros_arguments) as child:
        assert managed.state == 'unconfigured'
        ros.until(lambda: seen(ros)[1] >= SERVICES)
        ros.until(lambda: seen(ros)[0] == {'/rosout', '/parameter_events', EVENTS})
        assert '/simulator/pause' not in seen(ros)[1]
        assert not managed.change('activate')
        for _ in range(2):
            assert managed.change('configure')
            assert managed.state == 'inactive'
            assert not managed.change('configure')
            ros.until(lambda: {'/clock', '/pose', '/scenario'} <= seen(ros)[0])
            ros.until(lambda: '/simulator/pause' in seen(ros)[1])
            assert managed.change('activate')
            assert managed.state == 'active'
            ros.until(lambda: len(clock) > 5)
            assert not managed.change('activate')
            assert not managed.change('cleanup')
            assert managed.change('deactivate')
            assert managed.state == 'inactive'
            assert managed.change('cleanup')
            assert managed.state == 'unconfigured'
            ros.until(lambda: seen(ros)[0] == {'/rosout', '/parameter_events', EVENTS})
            ros.until(lambda: '/simulator/pause' not in seen(ros)[1])
            clock.clear()
        assert managed.change('shutdown')
        ended(child)
    ros.until(lambda: events[-1].goal_state.label == 'finalized')
    reached = [event.goal_state.label for event in events]
    once = ['configuring', 'inactive', 'activating', 'active', 'deactivating', 'inactive']
    assert reached == [*once, 'cleaningup', 'unconfigured'] * 2 + ['shuttingdown', 'finalized']


@pytest.mark.parametrize('state', WAYS)
def test_shutdown_ends_any_state_with_everything_written(command, ros, managed, tmp_path, state):
    clock = ros.listen(Clock, '/clock')
    bag = tmp_path / 'bag'
    with running(command, '--duration', '500', '--record', bag) as child:
        assert managed.state == 'unconfigured'
        for name in WAYS[state]:
            assert managed.change(name)
            ros.until(lambda name=name: name != 'activate' or len(clock) > 3)
        assert managed.change('shutdown')
        output, _ = ended(child)
    activated = 'activate' in WAYS[state]
    assert bag.exists() == activated
    assert ('ticks' in output) == activated
    if activated:
        found = contents(bag)
        assert len(found['/clock']) == len(found['/pose']) >= len(clock) > 3


@pytest.mark.parametrize('state', WAYS)
def test_ctrl_c_ends_any_state_with_everything_written(command, ros, managed, tmp_path, state):
    clock = ros.listen(Clock, '/clock')
    bag = tmp_path / 'bag'
    with running(command, '--duration', '500', '--record', bag, rate='1') as child:
        assert managed.state == 'unconfigured'
        for name in WAYS[state]:
            assert managed.change(name)
            ros.until(lambda name=name: name != 'activate' or len(clock) > 3)
        child.send_signal(signal.SIGINT)
        # As of any run, 130 says that one with a duration was interrupted.
        ended(child, 130 if 'activate' in WAYS[state] else 0)
    if 'activate' in WAYS[state]:
        found = contents(bag)
        assert len(found['/clock']) == len(found['/pose']) >= len(clock) > 3


def test_a_run_without_the_option_offers_nothing_of_it(command, ros):
    clock = ros.listen(Clock, '/clock')
    with process(command, 'run', 'tennis_racket', *LONG) as child:
        ros.until(lambda: len(clock) > 3 and '/simulator/pause' in seen(ros)[1])
        topics, services = seen(ros)
        assert EVENTS not in topics and not SERVICES & services
        child.send_signal(signal.SIGINT)
        ended(child)


# --- parameters ----------------------------------------------------------------------------------


def test_a_wrong_parameter_is_said_and_may_be_corrected(command, ros, managed):
    wrong = ('-p', 'body.inertia:=[1.0, 1.0, 9.0]', '-p', 'body.mas:=1')
    with running(command, *LONG, *wrong) as child:
        assert not managed.change('configure')
        assert managed.state == 'unconfigured'
        assert 'body.mas' in managed.names()
        assert not managed.set('body.mas')  # deleted
        assert not managed.change('configure')
        assert not managed.set('body.inertia', [1.0, 1.0, 1.5])
        assert managed.change('configure')
        assert managed.change('shutdown')
        _, errors = ended(child)
    lines = [line for line in errors.splitlines() if 'not configured: ' in line]
    assert "did you mean 'body.mass'" in lines[0]
    assert 'body.inertia[2] is 9 kg m^2' in lines[1]
    assert len(lines) == 2


def test_parameters_are_fixed_while_configured_and_stay_as_they_are_set(command, ros, managed):
    with running(command, *LONG) as child:
        assert managed.change('configure')
        before = managed.names()
        assert 'fixed while configured' in managed.set('body.mass', 2.0)
        assert 'did you mean' in managed.set('body.mas', 2.0)
        assert managed.set('body.mass')  # cannot be deleted now
        assert not managed.set('real_time_factor', 2.0)
        assert managed.change('cleanup')
        assert managed.value('real_time_factor').double_value == 2.0
        assert managed.value('body.mass').double_value == 0.3412969
        assert 'substeps' not in managed.names()  # nobody gave it
        assert not managed.set('body.mass', 2.0)
        assert managed.change('configure')
        assert managed.names() == before
        assert managed.value('body.mass').double_value == 2.0
        assert managed.value('real_time_factor').double_value == 2.0
        managed.change('shutdown')
        ended(child)


def test_a_floor_comes_and_goes_with_its_spacecraft(command, ros, managed, tmp_path, alone):
    path, contact = tmp_path / 'ball.yaml', Managed(ros, '/contact')
    path.write_text(FLOOR)
    given = ('-p', 'contact:friction:=-1.0', '--record', tmp_path / 'bag')
    with running(command, *given, scenario=str(path), rate='0') as child:
        assert not managed.change('configure')
        assert not contact.set('friction', 0.25)
        assert managed.change('configure')
        assert 'fixed' in contact.set('surface.radius', 0.3)
        ros.until(lambda: ros.node.count_publishers('/contact/mode'))
        pose = ros.listen(PoseStamped, '/pose')
        assert managed.change('activate')
        ros.until(lambda: pose and pose[-1].header.stamp.sec == 2)
        assert managed.change('deactivate', 'cleanup')
        ros.until(lambda: not ros.node.count_publishers('/contact/mode'))
        managed.change('shutdown')
        _, errors = ended(child)
    assert 'friction is -1.0' in errors
    assert but_the_rate(contents(tmp_path / 'bag')) == alone['ball']


def test_a_floor_by_a_formula_is_drawn_for_the_surface_of_each_run(
    command, ros, managed, tmp_path
):
    path, contact = tmp_path / 'bowl.yaml', Managed(ros, '/contact')
    path.write_text(FLOOR.replace('{place: true,', '{place: true, floor: {expression: z},'))
    clouds, widths = ros.listen(PointCloud2, '/contact/floor', qos.LATCHED_STREAM), []
    with running(command, scenario=str(path)) as child:
        for radius in (0.2, 0.4):
            assert not contact.set('surface.radius', radius)
            there = len(clouds)
            assert managed.change('configure', 'activate')
            ros.until(lambda there=there: len(clouds) > there, patience=120.0)
            x = np.frombuffer(clouds[-1].data, '<f4').reshape(-1, 3)[:, 0]
            widths.append(np.ptp(x))
            assert managed.change('deactivate', 'cleanup')
        managed.change('shutdown')
        ended(child)
    assert widths[1] == pytest.approx(2.0 * widths[0], rel=1e-6)  # single precision


# --- bits ----------------------------------------------------------------------------------------


@pytest.mark.parametrize('rate', ['0', '8'])
def test_standing_still_on_the_way_changes_no_bit(command, ros, managed, tmp_path, alone, rate):
    options = ('--duration', '3')
    clock = ros.listen(Clock, '/clock')
    bag = tmp_path / 'bag'
    with running(command, *options, '--record', bag, rate=rate) as child:
        assert managed.change('configure')
        assert not bag.exists() and not clock
        while not (clock and stamps(clock)[-1] == 3_000_000_000):
            heard = len(clock)
            assert managed.change('activate')
            ros.until(lambda heard=heard: len(clock) > heard)
            assert managed.change('deactivate')
            # Nothing comes while it stands still: as many as there were are there a while later.
            ros.until(lambda: managed.state == 'inactive')
        assert stamps(clock) == [31_250_000 * tick for tick in range(len(clock))]
        assert managed.change('shutdown')
        ended(child)
    assert but_the_rate(contents(bag)) == alone['short']


def test_nothing_moves_time_while_inactive(command, ros, managed):
    clock = ros.listen(Clock, '/clock')
    with running(command, *LONG, rate='1') as child:
        assert managed.change('configure')
        asked = [(Trigger, 'step', None), (Trigger, 'reset', None)]
        asked += [(SetBool, 'pause', SetBool.Request(data=on)) for on in (True, False)]

        def refused():
            answers = [ros.call(kind, f'/simulator/{name}', given) for kind, name, given in asked]
            return all(not a.success and 'activate it first' in a.message for a in answers)

        assert refused() and not clock
        assert managed.change('activate')
        ros.until(lambda: len(clock) > 3)
        assert ros.call(SetBool, '/simulator/pause', SetBool.Request(data=True)).success
        assert managed.change('deactivate')
        assert refused()
        assert managed.change('activate')
        there = len(clock)
        assert ros.call(Trigger, '/simulator/step').success  # it is paused as it was
        ros.until(lambda: len(clock) > there)
        assert stamps(clock) == [31_250_000 * tick for tick in range(there + 1)]
        assert ros.call(SetBool, '/simulator/pause', SetBool.Request(data=False)).success
        ros.until(lambda: len(clock) > there + 5)
        managed.change('shutdown')
        ended(child)


def test_a_run_configured_anew_is_that_of_a_new_process(command, ros, managed, tmp_path, alone):
    clock = ros.listen(Clock, '/clock')
    with running(command, '--record', tmp_path / 'bag', rate='0') as child:
        assert managed.change('configure', 'activate')
        ros.until(lambda: len(clock) > 20)
        assert managed.change('deactivate', 'cleanup')
        assert not managed.set('initial.angular_velocity', [0.01, 7.0, 0.01])
        first = contents(tmp_path / 'bag')
        ros.until(lambda: len(clock) == len(first['/clock']))  # and no more came
        assert {len(first[topic]) for topic in ('/pose', '/imu/data', '/tick')} == {len(clock)}
        clock.clear()
        assert managed.change('configure', 'activate')
        ros.until(lambda: clock and stamps(clock)[-1] > LAST)
        assert managed.change('deactivate', 'cleanup', 'shutdown')
        output, _ = ended(child)
    assert output.count('ticks') == 2
    second = but_the_rate(contents(tmp_path / 'bag_2'))
    assert second == alone['slower']
    assert first['/imu/data'] != second['/imu/data'][: len(first['/imu/data'])]


def test_lockstep_with_a_controller_keeps_its_bits(command, ros, managed, tmp_path, alone):
    options = ('--duration', '5')
    clock = ros.listen(Clock, '/clock')
    bag = ('--record', tmp_path / 'bag')
    with running(command, *options, *bag, scenario='cubesat_pointing', rate='2') as child:
        assert managed.change('configure', 'activate')
        for tick in (1, 50, 100):
            ros.until(lambda tick=tick: len(clock) > tick)
            assert managed.change('deactivate', 'activate')
        ros.until(lambda: stamps(clock)[-1] == 5_000_000_000)
        assert managed.change('deactivate', 'cleanup')  # and its controller begins anew, too
        ros.until(lambda: not ros.node.count_publishers('/command/wrench'))
        clock.clear()
        assert managed.change('configure', 'activate')
        ros.until(lambda: clock and stamps(clock)[-1] == 5_000_000_000)
        assert managed.change('shutdown')
        ended(child)
    assert but_the_rate(contents(tmp_path / 'bag')) == alone['pointing']
    assert but_the_rate(contents(tmp_path / 'bag_2')) == alone['pointing']


def test_over_it_stays_active_until_it_is_told_otherwise(command, ros, managed):
    clock = ros.listen(Clock, '/clock')
    with running(command, '--duration', '1', rate='0') as child:
        assert managed.change('configure', 'activate')
        ros.until(lambda: len(clock) == 33)
        assert managed.state == 'active'
        assert ros.call(Trigger, '/simulator/reset').success
        ros.until(lambda: len(clock) == 66)
        assert managed.change('deactivate', 'activate')
        assert managed.change('shutdown')
        _, errors = ended(child)
    assert errors.count('the duration is over') == 2


# --- outside -------------------------------------------------------------------------------------


def test_whatever_moves_time_is_refused_while_inactive_and_a_body_that_is_put_too(ros):
    node = ros.add(ManagedSimulatorNode())
    node.trigger_configure()
    driver = node.driver
    actions = {
        'paused': driver.pause, 'resumed': driver.resume, 'stepped': lambda: driver.step(1),
        'reset': driver.reset, 'put': lambda: driver.put(node, node.instant.state),
    }  # fmt: skip
    for what, action in actions.items():
        with pytest.raises(NotNowError, match=f'not {what}: the node is inactive; activate it'):
            action()
    assert (node.instant.tick, node.run.paused) == (0, False)


def test_a_managed_run_starts_after_its_startup_delay(ros):
    delay = 0.25
    node = ros.add(ManagedSimulatorNode(configured={'startup_delay': delay}))
    node.trigger_configure()
    activated = time.monotonic()
    node.trigger_activate()
    ros.until(lambda: node.run.started)
    assert time.monotonic() - activated >= delay


def test_a_formation_is_managed_by_its_first(command, ros, tmp_path, alone):
    managed, clock = Managed(ros, '/chief/simulator'), ros.listen(Clock, '/clock')
    deputy = Managed(ros, '/deputy_1/simulator')
    crafts = ('chief', 'deputy_1', 'deputy_2')
    answers = [ros.listen(WrenchStamped, f'/{one}/command/wrench') for one in crafts]
    options = ('--duration', '3', '--record', tmp_path / 'bag')
    wrong = ('-p', 'deputy_1/simulator:body.mass:=-1.0')
    with running(command, *options, *wrong, scenario='formation', rate='0') as child:
        assert not managed.change('configure')
        assert not ros.node.count_publishers('/chief/pose')
        assert not deputy.set('body.mass', 4.0)
        assert managed.change('configure', 'activate')
        ros.until(lambda: len(clock) > 10)
        assert managed.change('deactivate', 'activate')
        ros.until(lambda: stamps(clock)[-1] == 3_000_000_000)
        # What answers the last tick is recorded, too.
        ros.until(lambda: all(one and one[-1].header.stamp.sec == 3 for one in answers))
        services = ros.node.get_service_names_and_types_by_node('simulator', '/deputy_1')
        assert '/deputy_1/simulator/pause' in dict(services)
        assert '/deputy_1/simulator/change_state' not in dict(services)
        assert managed.change('deactivate', 'cleanup')
        ros.until(lambda: not ros.node.count_publishers('/deputy_1/pose'))
        managed.change('shutdown')
        _, errors = ended(child)
    assert 'body.mass is -1.0' in errors and 'deputy_1' in errors
    assert but_the_rate(contents(tmp_path / 'bag')) == alone['formation']


def test_a_process_that_was_stopped_goes_on(command, ros, managed, tmp_path, alone):
    clock = ros.listen(Clock, '/clock')
    with running(command, '--record', tmp_path / 'bag', rate='8') as child:
        assert managed.change('configure', 'activate')
        ros.until(lambda: len(clock) > 20)
        child.send_signal(signal.SIGSTOP)
        client = ros.clients['/simulator/change_state']
        transition = Transition(id=TRANSITIONS['deactivate'])
        asked = client.call_async(lifecycle.ChangeState.Request(transition=transition))
        ros.executor.spin_once(timeout_sec=0.5)
        assert not asked.done()
        child.send_signal(signal.SIGCONT)
        ros.until(asked.done)
        assert asked.result().success and managed.state == 'inactive'
        assert managed.change('activate')
        ros.until(lambda: stamps(clock)[-1] > LAST)
        assert managed.change('shutdown')
        ended(child)
    assert but_the_rate(contents(tmp_path / 'bag')) == alone['racket']


def test_a_flood_of_transitions_leaves_it_as_the_last_one_made_it(command, ros, managed):
    """Five that ask for everything at once: each is made or refused, and none is lost."""
    with running(command, *LONG, rate='0') as child:
        assert managed.state == 'unconfigured'
        name = '/simulator/change_state'
        clients = [ros.node.create_client(lifecycle.ChangeState, name) for _ in range(5)]
        ros.until(lambda: all(client.service_is_ready() for client in clients))
        made = 0
        for turn in range(40):  # a service holds ten requests, and drops others
            asked = [
                client.call_async(
                    lifecycle.ChangeState.Request(transition=Transition(id=1 + (turn + own) % 4))
                )
                for own, client in enumerate(clients)
            ]
            ros.until(lambda asked=asked: all(one.done() for one in asked))
            made += sum(one.result().success for one in asked)
        assert 40 < made < 200
        state = managed.state
        assert state in ('unconfigured', 'inactive', 'active')
        clock = ros.listen(Clock, '/clock')
        managed.change({'unconfigured': 'configure', 'active': 'deactivate'}.get(state, 'cleanup'))
        managed.change('configure')
        assert managed.state == 'inactive'
        clock.clear()
        assert managed.change('activate')
        ros.until(lambda: len(clock) > 3)
        managed.change('shutdown')
        ended(child)


def test_a_bag_that_is_there_is_not_overwritten_by_a_second_configuration(
    command, ros, managed, tmp_path
):
    (tmp_path / 'bag_2').mkdir()
    with running(command, '--record', tmp_path / 'bag', '--csv', tmp_path / 'a.csv') as child:
        assert managed.change('configure', 'activate', 'deactivate', 'cleanup')
        assert not managed.change('configure')
        (tmp_path / 'bag_2').rmdir()
        assert managed.change('configure', 'activate', 'shutdown')
        _, errors = ended(child)
    assert 'bag_2: exists already' in errors
    assert {path.name for path in tmp_path.iterdir()} == {'a.csv', 'a_2.csv', 'bag', 'bag_2'}


# --- the command line ----------------------------------------------------------------------------


def test_without_its_messages_it_is_said_on_one_line():
    code = (
        'import sys; sys.modules["lifecycle_msgs"] = None;'
        'from spacecraft_attitude_sim import cli; cli.main(sys.argv[1:])'
    )
    for arguments in (('run', 'tennis_racket'), ('node', 'simulator')):
        done = subprocess.run(
            [sys.executable, '-c', code, *arguments, '--lifecycle'],
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert done.returncode == 2
        (line,) = done.stderr.splitlines()
        assert line.startswith('attitude-sim: --lifecycle needs managed nodes, which this rclpy')


@pytest.mark.parametrize(
    ('arguments', 'said'),
    [
        (('run', 'tennis_racket', '--view'), '--view shows a run from its first tick'),
        (('node', 'markers'), 'node markers is not managed'),
    ],
)
def test_what_does_not_go_together_is_refused(arguments, said):
    done = called(*arguments, '--lifecycle')
    assert done.returncode == 2
    assert said in done.stderr


def test_the_launch_file_gives_the_option_on():
    """Without launch installed, read the file itself."""
    text = (share_directory() / 'launch' / 'simulation.launch.py').read_text()
    assert "( 'lifecycle', 'false'," in ' '.join(text.split())
    assert "['--lifecycle']" in text


def test_what_a_configuration_left_is_told_once():
    """One that is configured again and never activated has no outcome."""
    told, ended = [], []
    beside = RunBeside([], [], None, lambda *outcome: told.append(outcome), None, None)
    beside._nodes = beside._progress = SimpleNamespace(end=lambda: ended.append('progress'))
    beside._tables.callback(ended.append, 'tables')
    beside._stack.callback(ended.append, 'nodes')
    beside.close()
    assert ended == ['tables', 'nodes']
    beside.end(None, ended=True)
    beside.show_progress()
    assert ended == ['tables', 'nodes'] and not told


def test_a_managed_run_waits_for_its_listeners_and_names_those_that_do_not_come(monkeypatch):
    connected, now = [False], [50.0]
    monkeypatch.setattr(managed_run, 'time', SimpleNamespace(monotonic=lambda: now[0]))
    beside = RunBeside([], [], None, None, None, None)
    beside._nodes = SimpleNamespace(
        connected=lambda: connected[0], not_connected=lambda: ['markers']
    )
    beside._problems, beside._waited_since = [], now[0]
    now[0] += CONNECT_SECONDS - 0.1
    assert not beside.ready() and beside._problems == []
    now[0] += 0.1
    assert beside.ready() and beside._problems == ['markers']
    connected[0] = True
    assert beside.ready() and beside._problems == ['markers']


def test_a_value_that_rclpy_cannot_send_is_kept_and_not_declared(ros):
    """A declared one would fail every request that lists or reads parameters."""
    node = ros.add(Reconfigurable('held', **UNCHECKED))
    given = {'seed': 2**70, 'description': '\udcff', 'wheels': [], 'duration': 3.0}
    node.hold(given)
    assert node._values() == {'duration': 3.0}
    assert node.begin_set_up() == given
    assert node._values() == {}


def test_the_time_of_a_managed_run_is_that_in_which_it_was_active(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(managed_module, 'time', SimpleNamespace(monotonic=lambda: now[0]))
    driver = object.__new__(managed_module.ManagedDriver)
    driver._set_timer, driver.active_seconds, driver.active = lambda period: None, 0.0, False
    driver.deactivate()
    assert driver.active_seconds == 0.0
    for active, inactive, whole in ((3.0, 50.0, 3.0), (4.0, 60.0, 7.0)):
        driver.active, driver._since = True, now[0]
        now[0] += active
        driver.deactivate()
        assert not driver.active and driver.active_seconds == whole
        now[0] += inactive
        driver.deactivate()
        assert driver.active_seconds == whole
