# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A Driver needs of its spacecraft what RunMember says, and no node forwards to its Driver."""

import ast
import contextlib
import inspect
from types import SimpleNamespace

import numpy as np
import pytest

from spacecraft_attitude_sim.core.simulation.run_state import NotNowError
from spacecraft_attitude_sim.nodes.simulator.driver import Driver
from spacecraft_attitude_sim.nodes.simulator.managed import ManagedDriver
from spacecraft_attitude_sim.nodes.simulator.node import SimulatorNode
from spacecraft_attitude_sim.nodes.simulator.run_member import RunMember

MEMBERS = {name for name in vars(RunMember) if name[0] != '_'}


class Member:
    """A spacecraft that has only what RunMember names; asked: what was used of it."""

    def __init__(self, simulator):
        self._simulator, self.asked = simulator, set()

    def __getattr__(self, name):
        assert name in MEMBERS, f'{name} is no member of RunMember'
        self.asked.add(name)
        return getattr(self._simulator, name)


def public(kind):
    return {name for name in dir(kind) if name[0] != '_'}


def test_a_run_needs_of_its_spacecraft_only_what_the_protocol_names(ros):
    given = {'lockstep': True, 'lockstep_timeout': 0.2, 'real_time_factor': 0.0}
    nodes = [ros.simulator(given, namespace='/a', autostart=False)]
    driver = nodes[0].driver
    nodes.append(ros.simulator(given, namespace='/b', autostart=False, driver=driver))
    members = driver.spacecraft[:] = [Member(node) for node in nodes]
    assert not driver._lockstep.ready()
    assert 'no node publishes' in driver.waits_for()
    driver.run.started = True
    driver.pause()
    driver.step(2)
    driver.reset()
    still = nodes[1].instant.state._replace(angular_momentum_W=np.zeros(3))
    driver.put(members[1], still)
    assert not nodes[1].instant.state.angular_momentum_W.any()
    assert nodes[0].instant.state.angular_momentum_W.any()
    driver.change_rate(1.0)
    assert driver.look(False) is False
    assert 'rotates at' in driver._asked(members[0])
    assert driver.flush(0.1)
    driver._warm_up()
    driver._take_more(until=0)
    asked = members[0].asked | members[1].asked
    # The others are asked while a run waits for the compiler or for another process.
    assert asked >= MEMBERS - {'source', 'set_parameters', 'get_namespace', 'judge_python'}


REQUESTS = {
    'paused': Driver.pause, 'resumed': Driver.resume, 'reset': Driver.reset, 'ended': Driver.quit,
    'stepped': lambda driver: driver.step(1), 'put': lambda driver: driver.put(None, None),
    'changed in rate': lambda driver: driver.change_rate(2.0),
}  # fmt: skip


@pytest.mark.parametrize('what', REQUESTS)
def test_a_request_about_the_run_first_asks_whether_it_may(what):
    """A follower and a managed node refuse by this word; nothing has changed then."""

    class Refusing(Driver):
        def __init__(self):
            self.asked = []  # it has no run that could change

        def check_asked(self, word):
            self.asked.append(word)
            raise NotNowError('not now')

    driver = Refusing()
    with pytest.raises(NotNowError, match='not now'):
        REQUESTS[what](driver)
    assert driver.asked == [what]


def test_an_inactive_node_refuses_what_moves_time():
    driver = object.__new__(ManagedDriver)
    for driver.active in (True, False):
        for what in REQUESTS:
            moves = what not in ('ended', 'changed in rate')
            refused = pytest.raises(NotNowError, match=f'not {what}: the node is inactive')
            with refused if moves and not driver.active else contextlib.nullcontext():
                driver.check_asked(what)


def test_what_a_protocol_lacks_is_noticed():
    with pytest.raises(AssertionError, match='no member'):
        Member(None).tally()


@pytest.mark.parametrize('given', ['a/b', '/a/b', 'a/b/', '/a/b/'])
def test_a_follower_is_named_without_slashes_around_it(given):
    node = object.__new__(SimulatorNode)
    node.scenario = SimpleNamespace(parameters={'followers': [given, 'c']})
    assert node.follower_names() == ['a/b', 'c']


def forwarded(kind):
    """Return the methods of a class that only call the driver's method of the same name."""
    (tree,) = ast.parse(inspect.getsource(kind)).body
    found = set()
    for method in tree.body:
        if isinstance(method, ast.FunctionDef):
            *documented, last = method.body
            call = f'self.driver.{method.name}('
            if len(documented) < 2 and ast.unparse(last).removeprefix('return ').startswith(call):
                found.add(method.name)
    return found


def test_a_simulator_forwards_nothing_to_its_driver():
    """But `finish`, which `attitude-sim node` asks of every node."""
    assert forwarded(SimulatorNode) == {'finish'}
    assert public(SimulatorNode) | {
        'source', 'scenario', 'plant', 'instant', 'commands', 'diagnostics', 'streams',
    } >= MEMBERS  # fmt: skip
