# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Nodes end cleanly at a signal, survive what they cannot read, and can be set up again."""

import contextlib
import inspect
import io
import os
import signal
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.parameter import Parameter
from std_msgs.msg import String
from std_srvs.srv import Empty

from spacecraft_attitude_sim import cli
from spacecraft_attitude_sim.configuration.parameters import ParameterError
from spacecraft_attitude_sim.nodes.ros import guard, session
from spacecraft_attitude_sim.nodes.ros.reconfigurable import Reconfigurable
from spacecraft_attitude_sim.subcommands import node as node_command
from spacecraft_attitude_sim.subcommands.checks import CommandError


@pytest.mark.parametrize('starting', [False, True])
@pytest.mark.parametrize('importing', [False, True])
def test_a_signal_is_noticed_later_but_while_nodes_are_made(monkeypatch, starting, importing):
    monkeypatch.setattr(session.interrupts, 'importing', lambda frame: importing)
    stop = session.StopRequest()
    assert not stop and not stop.asked and not stop.starting and not stop.seen.is_set()
    stop.starting = starting
    if starting and not importing:
        with pytest.raises(KeyboardInterrupt):
            stop(signal.SIGINT, None)
        assert stop.seen.is_set()
    else:
        stop(signal.SIGINT, None)
        assert not stop.seen.is_set()
    assert stop and stop.seen.is_set()


def test_a_signal_that_nobody_notices_ends_the_process_with_its_files_whole(monkeypatch):
    monkeypatch.setattr(session, 'PATIENCE', 0.01)
    stop, ended, screen = session.StopRequest(), threading.Event(), io.StringIO()
    done = []

    def fail():
        raise OSError

    stop.at_last += [fail, lambda: done.append('whole')]
    monkeypatch.setattr(os, '_exit', lambda status: (done.append(status), ended.set()))
    monkeypatch.setattr(sys, 'stderr', screen)
    handler = signal.signal(signal.SIGUSR1, stop)
    threads = threading.active_count()
    try:
        with session._watched(stop):
            assert threading.active_count() == threads + 1
            signal.raise_signal(signal.SIGUSR1)
            assert ended.wait(30.0)
        assert done == ['whole', 130]
        assert screen.getvalue() == (
            '\nattitude-sim: stopped in the middle of a tick or of other work; everything written '
            'is intact\n'
        )
        assert threading.active_count() == threads
        assert signal.set_wakeup_fd(-1) == -1  # as before
        noticed = session.StopRequest()
        with session._watched(noticed):
            noticed.seen.set()
            signal.raise_signal(signal.SIGUSR1)
    finally:
        signal.signal(signal.SIGUSR1, handler)
    assert len(done) == 2 and noticed.seen.is_set()


def node(name, done):
    """Return what may be destroyed, and notes it."""
    return SimpleNamespace(destroy_node=lambda: done.append(name))


def test_an_executor_has_its_nodes_and_they_end_with_it(monkeypatch):
    done, stop = [], session.StopRequest()
    stop.starting = True
    nodes = [node('a', done), node('b', done)]
    executor = SimpleNamespace(add_node=done.append, shutdown=lambda: done.append('shutdown'))
    monkeypatch.setattr(session, 'Executor', lambda: executor)
    later = SimpleNamespace(
        dump_traceback_later=lambda *given, **named: done.append((*given, named)),
        cancel_dump_traceback_later=lambda: done.append('cancelled'),
    )
    monkeypatch.setattr(session, 'faulthandler', later)
    kept = {name: lambda name=name: done.append(name) for name in ('freeze', 'unfreeze')}
    monkeypatch.setattr(session, 'gc', SimpleNamespace(**kept))
    with pytest.raises(ValueError, match='refused'), session.executor_of(nodes, stop) as one:
        assert one is executor and not stop.starting and not stop.seen.is_set()
        assert done == ['freeze', *nodes]
        done.clear()
        raise ValueError('refused')
    limit = session.LONGEST_END, {'exit': True}
    assert done == ['unfreeze', 'shutdown', limit, 'a', 'b', 'cancelled']
    assert stop.seen.is_set()
    done.clear()
    with pytest.raises(AttributeError):
        session.destroy([None])
    assert done == [limit, 'cancelled']


def test_spinning_goes_on_after_a_message_that_cannot_be_read(monkeypatch):
    said, spins = [], []

    def spin_once(timeout_sec):
        spins.append(timeout_sec)
        if len(spins) == 2:
            raise UnicodeDecodeError('utf-8', b'x', 0, 1, 'odd')

    logger = SimpleNamespace(error=said.append)
    monkeypatch.setattr(session.rclpy, 'logging', SimpleNamespace(get_logger=lambda _: logger))
    monkeypatch.setattr(session, 'may_speak', guard.Throttle())
    monkeypatch.setattr(session.rclpy, 'ok', lambda: True)
    executor = SimpleNamespace(spin_once=spin_once)
    session.spin_until(executor, lambda: len(spins) == 3)
    assert spins == [session.LONGEST_SPIN] * 3
    (line,) = said
    assert line.startswith('a message could not be read: UnicodeDecodeError: ')
    spins[1:] = []
    session.spin_once(executor)  # again at once: not said again
    assert len(said) == 1
    spins[1:] = []
    monkeypatch.setattr(session.rclpy, 'ok', lambda: False)
    with pytest.raises(UnicodeDecodeError):
        session.spin_once(executor)


def test_ros_is_begun_with_our_handlers_and_ended_with_all_nodes(monkeypatch):
    done, given = [], []
    monkeypatch.setattr(session.rclpy, 'init', lambda **options: given.append(options))
    monkeypatch.setattr(session.rclpy, 'try_shutdown', lambda: done.append('shutdown'))
    monkeypatch.setattr(session.GuardedNode, 'alive', [])
    numbers = signal.SIGINT, signal.SIGTERM
    before = [signal.getsignal(number) for number in numbers]
    with session.ros(('--ros-args', '-p', 'a:=1')) as stop:
        assert [signal.getsignal(number) for number in numbers] == [stop, stop]
        session.GuardedNode.alive.append(node('left', done))
        session.GuardedNode.alive.append(node('other', done))
    assert [signal.getsignal(number) for number in numbers] == before
    assert done == ['left', 'other', 'shutdown']
    no = session.SignalHandlerOptions.NO
    assert given == [{'args': ['--ros-args', '-p', 'a:=1'], 'signal_handler_options': no}]


@pytest.mark.parametrize(
    ('error', 'said'),
    [
        ("Failed: expected type 'bool'\nat line 3", "Failed: expected type 'bool'; y, n, yes, no, "
         'on and off need quotes there'),
        ('no such node', 'no such node'),
    ],
)  # fmt: skip
def test_what_ros_refuses_is_one_line(monkeypatch, error, said):
    def init(**_):
        raise RuntimeError(error)

    monkeypatch.setattr(session.rclpy, 'init', init)
    with pytest.raises(ParameterError) as refused, session.ros([]):
        pass
    assert str(refused.value) == f'ROS refused the arguments: {said}'


def test_each_subject_is_logged_once_in_its_interval(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(guard.time, 'monotonic', lambda: now[0])
    may_speak = guard.Throttle(2.0)
    assert may_speak('a') and may_speak('b') and not may_speak('a')
    now[0] = 1.9
    assert not may_speak('a')
    now[0] = 2.0
    assert may_speak('a') and not may_speak('a')
    assert may_speak('b')


def test_a_service_that_fails_says_why_in_the_fields_it_has():
    error, said = ValueError('odd\nvalue'), 'ValueError: odd value'
    set_one = SetParametersResult(successful=True)
    answers = [
        SimpleNamespace(success=True, message=''), SimpleNamespace(success=True),
        SimpleNamespace(results=[]), SimpleNamespace(result=set_one), SimpleNamespace(result=3),
    ]  # fmt: skip
    asked = SimpleNamespace(parameters=['a', 'b'])
    told = [guard._failed(asked, answer, error) for answer in answers]
    assert told[0] == SimpleNamespace(success=False, message=said)
    assert told[1] == SimpleNamespace(success=True) and told[4] == SimpleNamespace(result=3)
    failed = SetParametersResult(successful=False, reason=said)
    assert (told[2].results, told[3].result) == ([failed, failed], failed)
    assert guard._failed(SimpleNamespace(), SimpleNamespace(results=[]), error).results == []


def test_the_first_line_that_is_logged_looks_through_no_modules(ros, monkeypatch):
    """Of a process that has nearly a thousand of them."""
    monkeypatch.setattr(inspect, 'modulesbyfile', {})
    monkeypatch.setattr(inspect, '_filesbymodname', {})
    node, asked, first = ros.add(guard.GuardedNode('guarded')), [], inspect.ismodule
    monkeypatch.setattr(inspect, 'ismodule', lambda one: asked.append(one) or first(one))
    node.count_mishap('x', OSError('late'))
    assert 0 < len(asked) < 50 < len(sys.modules)


def test_a_node_counts_what_its_callbacks_could_not_use(ros):
    node = ros.add(guard.GuardedNode('guarded'))
    assert node in guard.GuardedNode.alive and not node.mishaps
    heard, beats = [], []

    def take(message):
        heard.append(message.data)
        raise KeyError(message.data)

    def informed(message, information):
        heard.append(information['source_timestamp'] > 0)

    def beat():
        beats.append(1)
        raise OSError('late')

    def serve(request, response):
        raise ValueError('no')

    node.create_subscription(String, 'text', take, 10)
    node.create_subscription(String, 'other', informed, 10)
    node.create_timer(0.01, beat)
    node.create_service(Empty, 'nothing', serve)
    client = ros.node.create_client(Empty, 'nothing')
    ros.until(client.service_is_ready)
    answer = client.call_async(Empty.Request())
    senders = [ros.node.create_publisher(String, topic, 10) for topic in ('text', 'other')]
    ros.until(lambda: all(sender.get_subscription_count() for sender in senders))
    for sender in senders:
        sender.publish(String(data='a'))
    ros.until(lambda: len(heard) == 2 and answer.done() and len(beats) > 1)
    assert sorted(heard, key=str) == [True, 'a'] and answer.result() == Empty.Response()
    assert (node.mishaps['text'], node.mishaps['nothing']) == (1, 1)
    assert node.mishaps['a timer'] == len(beats) and set(node.mishaps) == {
        'text', 'nothing', 'a timer',
    }  # fmt: skip
    node.count_mishap('x', OSError('late\nagain'))
    assert node.last_mishap == 'x: OSError: late again'
    # What waits when a node moves to another executor is taken, and what is not, is not.
    ros.executor.remove_node(node)
    heard.clear()
    for sender in senders:
        sender.publish(String(data='b'))
        sender.publish(String(data='c'))
    limit = time.monotonic() + 30.0
    while len(heard) < 4 and time.monotonic() < limit:
        node.take_waiting()
    assert sorted(heard, key=str) == [True, True, 'b', 'c'] and node.mishaps['text'] == 3
    ros.nodes.remove(node)
    node.destroy_node()
    assert node not in guard.GuardedNode.alive


def entities(node):
    """Return how many publishers, subscriptions, services and timers a node has."""
    return [len(list(getattr(node, f'{kind}s'))) for kind in ('publisher', 'subscription',
                                                              'service', 'timer')]  # fmt: skip


def test_a_node_is_set_up_released_and_set_up_again(ros):
    options = {
        'allow_undeclared_parameters': True,
        'automatically_declare_parameters_from_overrides': True,
        'parameter_overrides': [Parameter('rate', value=2.0)],
    }
    node = ros.add(Reconfigurable('node', **options))
    node.release()  # nothing yet
    node.hold({'rate': 1.0, 'mass': 3.0, 'names': [], 'odd': {'a': 1}, 'limits': [1.0, 2.0]})
    assert node.get_parameter('rate').value == 2.0  # of --ros-args
    assert not node.has_parameter('names') and not node.has_parameter('odd')
    before, calls = entities(node), []
    given = node.begin_set_up()
    assert given == {
        'rate': 2.0, 'mass': 3.0, 'names': [], 'odd': {'a': 1}, 'limits': [1.0, 2.0],
    }  # fmt: skip
    assert not node.has_parameter('mass')
    node.declare_parameter('mass', 3.0, ParameterDescriptor(read_only=True))
    node.declare_parameter('rate', 2.0)
    node.declare_parameter('limits', [1.0, 2.0])
    node.declare_parameter('gain', 0.5)
    node.create_publisher(String, 'a', 1)
    node.create_subscription(String, 'b', print, 1)
    node.create_service(Empty, 'c', print)
    node.create_timer(9.0, print)
    node.add_pre_set_parameters_callback(lambda values: calls.append('pre') or values)
    node.add_on_set_parameters_callback(
        lambda values: calls.append('on') or SetParametersResult(successful=True)
    )
    node.add_post_set_parameters_callback(lambda values: calls.append('post'))
    node.end_set_up()
    assert [now - then for now, then in zip(entities(node), before, strict=True)] == [1] * 4

    def set_to(name, value):
        (result,) = node.set_parameters([Parameter(name, value=value)])
        return result

    refused = set_to('mass', 4.0)
    assert (refused.successful, node.get_parameter('mass').value) == (False, 3.0)
    assert refused.reason == (
        'mass is fixed while configured; deactivate, clean up, set it, configure'
    )
    calls.clear()
    assert set_to('rate', 5.0).successful and set(calls) == {'pre', 'on', 'post'}
    node.release()
    node.release()  # once is enough
    assert entities(node) == before
    calls.clear()
    assert set_to('mass', 4.0).successful and calls == []
    assert not node.has_parameter('gain')  # nobody gave it
    assert node.begin_set_up() == given | {'rate': 5.0, 'mass': 4.0}


@pytest.mark.parametrize('failure', ['', 'it ran away'])
def test_a_node_runs_until_it_is_done_and_says_what_ended_it(monkeypatch, capsys, failure):
    done = []
    first = SimpleNamespace(finished=False, failure=failure, finish=lambda: done.append('whole'))

    @contextlib.contextmanager
    def ros(arguments):
        done.append(arguments)
        yield (stop := SimpleNamespace(starting=False))
        done.append(stop.starting)

    @contextlib.contextmanager
    def executor_of(nodes, stop):
        assert stop.starting  # a signal ends what is being made
        done.append(nodes)
        yield 'executor'

    def spin_until(executor, over):
        first.finished = True
        done.append((executor, bool(over())))

    for replaced in (ros, executor_of, spin_until):
        monkeypatch.setattr(session, replaced.__name__, replaced)
    monkeypatch.setattr(node_command, '_started', lambda name, lifecycle: [first])
    options = SimpleNamespace(node='markers', lifecycle=False)
    assert node_command.run_node(options, ['--ros-args']) == bool(failure)
    assert done == [['--ros-args'], [first], ('executor', True), 'whole', True]
    said = f'attitude-sim: {failure}\n' if failure else ''
    assert capsys.readouterr().err == said
    options.lifecycle = True
    with pytest.raises(CommandError, match='node markers is not managed'):
        node_command.run_node(options, [])


@pytest.mark.parametrize('name', ['recorder', 'attitude_controller', 'simulator', 'contact'])
def test_a_node_is_made_by_its_name_with_the_floor_if_there_is_one(monkeypatch, capsys, name):
    from spacecraft_attitude_sim.nodes.attitude_controller import node as controller
    from spacecraft_attitude_sim.nodes.recorder import node as recorder
    from spacecraft_attitude_sim.nodes.simulator import node as simulator

    made, floor = [], ['floor']

    def make(**given):
        made.append(given)
        return SimpleNamespace(contact=floor[0])

    monkeypatch.setattr(recorder, 'RecorderNode', lambda: 'recorder')
    monkeypatch.setattr(controller, 'AttitudeControllerNode', lambda: 'attitude_controller')
    monkeypatch.setattr(simulator, 'SimulatorNode', make)
    nodes = node_command._started(name, False)
    said = capsys.readouterr().out
    if name not in ('simulator', 'contact'):
        assert (nodes, made, said) == ([name], [], '')
        return
    assert nodes[1:] == floor and len(made) == 1
    assert said.startswith('contact: a simulator is started with it') == (name == 'contact')
    floor[0] = None
    if name == 'contact':
        with pytest.raises(CommandError, match='node contact: there is no floor'):
            node_command._started(name, False)
    else:
        assert len(node_command._started(name, False)) == 1


NOT_GIVEN = {
    'run': {
        'scenario': ['s'], 'namespace': [], 'duration': None, 'until': [], 'rate': None,
        'record': None, 'record_markers': False, 'csv': None, 'inputs': [], 'overwrite': False,
        'no_controller': False, 'estimator': False, 'guidance': False, 'no_markers': False,
        'parameters': [], 'view': False, 'port': 9090, 'no_browser': False,
        'memory_limit': '512MB', 'lifecycle': False, 'network': False,
    },
    'plot': {
        'source': Path('s'), 'output': None, 'animate': None, 'fps': None, 'attitude': None,
        'only': None, 'scenario': None, 'poinsot': False, 'beside': [], 'csv': None,
        'merits': None, 'steady_from': None, 'pointed_error': 1.0, 'window': 0.0, 'drift': 0.0,
        'boresight': (0.0, 0.0, 1.0), 'show': False, 'namespace': None,
    },
    'view': {
        'source': Path('s'), 'port': 9090, 'no_browser': False, 'memory_limit': '512MB',
        'save': None, 'scenario': None, 'namespace': [], 'network': False,
    },
    'replay': {
        'bag': Path('s'), 'resimulate': False, 'rate': 1.0, 'loop': False, 'start': 0.0,
        'delay': 1.0, 'namespace': None, 'network': False,
    },
    'compare': {
        'scenario': 's', 'equations': None, 'steps': '1,2,4,8,16,32,0', 'duration': None,
        'torque': '0,0,0', 'csv': None, 'overwrite': False, 'output': None,
    },
    'campaign': {
        'campaign': Path('s'), 'output': None, 'overwrite': False, 'runs': None, 'seed': None,
        'controller': None, 'merit': [], 'workers': None, 'scheduler': None, 'row': None,
        'write_scenario': None,
    },
    'check': {'scenario': 's', 'parameters': []},
    'warm-up': {'scenarios': ['s']},
}  # fmt: skip


@pytest.mark.parametrize('command', NOT_GIVEN)
def test_what_is_not_given_to_a_command_is_as_its_help_says(command):
    options = vars(cli._parser([command]).parse_args([command, 's']))
    assert callable(options.pop('command')) and options.pop('trust') == []
    assert options == NOT_GIVEN[command]


def test_each_command_that_talks_takes_network_trust_and_lifecycle():
    parser = cli._parser(['node'])
    options = parser.parse_args(['node', 'simulator', '--network', '--lifecycle', '--trust', 'a'])
    assert (options.network, options.lifecycle, options.trust) == (True, True, ['a'])
    plain = parser.parse_args(['node', 'simulator'])
    assert (plain.network, plain.lifecycle, plain.trust) == (False, False, [])


def test_a_node_that_moves_takes_every_message_that_waits(ros):
    """Of each topic, those after one that cannot be used too."""
    node = ros.add(guard.GuardedNode('moves'))
    heard = []

    class Handle(contextlib.nullcontext):
        def __init__(self, *waiting):
            super().__init__()
            self.waiting = list(waiting)

        def take_message(self, kind, raw):
            return (self.waiting.pop(0), 'information') if self.waiting else None

    def topic(name, callback, *waiting):
        return SimpleNamespace(
            topic_name=name, msg_type=String, raw=False, handle=Handle(*waiting), callback=callback
        )

    def fails(message):
        heard.append(message)
        raise ValueError('no use')

    node._take_waiting(topic('/a', heard.append, 1, 2, 3))
    node._take_waiting(topic('/b', lambda message, info: heard.append((message, info)), 4, 5))
    node._take_waiting(topic('/c', node._guarded_callback('/c', fails), 6, 7))
    assert heard == [1, 2, 3, (4, 'information'), (5, 'information'), 6, 7]
    assert node.mishaps == {'/c': 2}
