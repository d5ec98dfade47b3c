# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Runs as fast as they can: who comes and goes, services between ticks, and compiled code."""

import itertools
from pathlib import Path
from types import SimpleNamespace

import pytest
from geometry_msgs.msg import PoseStamped
from rosgraph_msgs.msg import Clock
from std_srvs.srv import SetBool, Trigger

from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.ticks import TICK_NS
from spacecraft_attitude_sim.kernels import code_pages, warm_up
from spacecraft_attitude_sim.kernels import kernel as kernels
from spacecraft_attitude_sim.nodes.messages import tick_messages
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.nodes.simulator import driver, publications

FAST = {'real_time_factor': 0.0}


def ticks_of(messages):
    """Return the tick of each message, whose stamps must be ticks."""
    stamps = [conversions.nanoseconds_from_ros(message.header.stamp) for message in messages]
    assert not any(stamp % TICK_NS for stamp in stamps)
    return [stamp // TICK_NS for stamp in stamps]


def check_of_trajectory(node, messages):
    """Return the ticks of poses, which must be in order, of a node's trajectory to the bit."""
    ticks = ticks_of(messages)
    assert all(later > earlier for earlier, later in itertools.pairwise(ticks))
    states = simulation.trajectory(node.scenario.plant, node.scenario.initial, ticks[-1])
    for tick, message in zip(ticks, messages, strict=True):
        q_WB = conversions.quaternion_from_ros(message.pose.orientation)
        assert q_WB.tobytes() == states[tick, 3:7].tobytes()
    return ticks


def test_who_listens_late_or_again_hears_the_ticks_of_the_same_motion(ros):
    node = ros.simulator(FAST, autostart=False)
    node.driver.start()
    ros.until(lambda: node.run.tick > 100)
    heard, known = [], 0
    for _ in range(2):  # comes, goes, and comes again
        messages = []
        subscription = ros.node.create_subscription(PoseStamped, 'pose', messages.append, 1000)
        ros.until(lambda: len(messages) > 200)  # noqa: B023
        ros.node.destroy_subscription(subscription)
        assert ticks_of(messages)[0] > known
        heard, known = heard + messages, node.run.tick
        ros.until(lambda: node.run.tick > known + 100)  # noqa: B023
    node.driver.pause()
    ticks = check_of_trajectory(node, heard)
    assert ticks[:200] == [*range(ticks[0], ticks[0] + 200)]  # it misses none from its first on


def test_services_act_between_two_ticks_and_stamps_stay_exact(ros):
    instants, clock = [], ros.listen(Clock, '/clock')
    node = ros.simulator(FAST, on_tick=instants.append, autostart=False)
    ros.connected('/clock')
    node.driver.start()
    ros.until(lambda: node.run.tick > 300)
    for _ in range(3):
        assert ros.call(SetBool, '/simulator/pause', SetBool.Request(data=True)).success
        tick = node.run.tick
        ros.executor.spin_once(timeout_sec=0.05)
        assert node.run.tick == tick
        assert ros.call(Trigger, '/simulator/step').success
        assert node.run.tick == tick + node.value('step_ticks')
        assert ros.call(Trigger, '/simulator/reset').success
        assert instants[-1].elapsed == 0
        assert ros.call(SetBool, '/simulator/pause', SetBool.Request(data=False)).success
        ros.until(lambda: node.run.tick > tick + 300)  # noqa: B023
    node.driver.pause()
    node.driver.flush()
    ros.until(lambda: len(clock) == len(instants))
    stamps = [conversions.nanoseconds_from_ros(message.clock) for message in clock]
    assert stamps == [k * TICK_NS for k in range(len(instants))]


def test_ticks_that_nobody_hears_are_taken_together_for_a_limited_time(ros, monkeypatch):
    node = ros.simulator(FAST, autostart=False)
    node.driver.start()
    ros.until(lambda: node.run.tick > 20 and not warm_up.under_way())

    def taken(limit):
        monkeypatch.setattr(driver, 'AT_ONCE_NS', limit)
        before = node.run.tick
        node.driver._advance_when_due()
        return node.run.tick - before

    assert taken(0) == 1
    node.run._length = node.run.elapsed + 40  # its end stops them, whatever the limit
    assert taken(10**12) == 40
    assert node.run.completed
    assert taken(10**12) == 0


def test_where_somebody_listens_others_are_asked_after_every_tick(ros, monkeypatch):
    monkeypatch.setattr(driver, 'AT_ONCE_NS', 10**9)
    node = ros.simulator({**FAST, 'duration': 1000.0}, autostart=False)
    ros.listen(PoseStamped, 'pose')
    ros.connected('/pose')
    node.driver.start()
    ros.until(lambda: node.run.tick > 20 and not warm_up.under_way())
    before = node.run.tick
    node.driver._advance_when_due()
    assert node.run.tick == before + 1


@pytest.mark.parametrize('topic', ['/clock', '/tf'])
def test_who_hears_only_the_clock_or_transforms_listens_too(ros, monkeypatch, topic):
    """tf2_ros is not on PyPI; of it, a run needs only an object that sends."""
    nobody = SimpleNamespace(sendTransform=lambda transforms: None)
    for kind in ('TransformBroadcaster', 'StaticTransformBroadcaster'):
        monkeypatch.setattr(publications, kind, lambda node: nobody, raising=False)
    monkeypatch.setattr(tick_messages.TickMessages, 'transforms', lambda messages, instant: None)
    node = ros.simulator(FAST, autostart=False)
    assert not node.heard()
    ros.listen(Clock if topic == '/clock' else PoseStamped, topic)
    ros.until(node.heard)
    monkeypatch.setattr(driver, 'AT_ONCE_NS', 10**9)
    node.driver.start()
    ros.until(lambda: node.run.tick > 20 and not warm_up.under_way())
    before = node.run.tick
    node.driver._advance_when_due()
    assert node.run.tick == before + 1


def test_who_is_fast_waits_for_code_that_is_loaded_only_where_it_pays(monkeypatch):
    assert not warm_up.worth_waiting(1e9) or warm_up.under_way()
    current = warm_up.WarmUp()
    monkeypatch.setattr(kernels, 'warming', current)
    assert warm_up.worth_waiting(1.01 * warm_up.LOADING)
    assert not warm_up.worth_waiting(0.99 * warm_up.LOADING)
    current.compiling_since = 0.0  # it may take a minute
    assert not warm_up.worth_waiting(1e9)
    current.compiling_since = None
    current._ready.set()
    assert not warm_up.worth_waiting(1e9)


def test_ticks_wait_for_code_that_is_being_loaded(ros, monkeypatch):
    node = ros.simulator({**FAST, 'duration': 1000.0}, autostart=False)
    node.driver.start()
    ros.until(lambda: node.run.tick > 20 and not warm_up.under_way())
    loading = [True]
    monkeypatch.setattr(warm_up, 'under_way', lambda: loading[0])
    monkeypatch.setattr(warm_up, 'worth_waiting', lambda seconds: loading[0] and seconds > 0.0)
    ros.executor.spin_once(timeout_sec=0.05)
    tick = node.run.tick
    for _ in range(20):
        ros.executor.spin_once(timeout_sec=0.02)
    assert node.run.tick == tick
    loading[0] = False
    ros.until(lambda: node.run.tick > tick + 100)


# --- memory --------------------------------------------------------------------------------------


def resident(library):
    """Return how many kB of the code and constants of a library are in memory."""
    total, counts = 0, False
    for line in Path('/proc/self/smaps').read_text().splitlines():
        fields = line.split(maxsplit=5)
        if '-' in fields[0]:
            named = library in fields[-1].rpartition('/')[2]
            counts = named and fields[1] in code_pages.READ_ONLY
        elif counts and fields[0] == 'Rss:':
            total += int(fields[1])
    return total


def test_what_the_loader_wrote_into_a_library_is_not_dropped():
    """Code, constants, those with addresses, also swapped out, variables; another library."""
    kinds = [
        ('r-xp', 0, 0, 'own'), ('r--p', 0, 0, 'own'), ('r--p', 8, 0, 'own'),
        ('r--p', 0, 8, 'own'), ('rw-p', 0, 0, 'own'), ('r-xp', 0, 0, 'other'),
    ]  # fmt: skip
    about = 'Anonymous:  {} kB\nSwap:  {} kB\nVmFlags: rd ex mr mw me sd\n'
    lines = [
        f'{begin:x}000-{begin + 1:x}000 {access} 00000000 fe:00 7    /lib/{name}.so\n'
        f'Size:    4 kB\n{about.format(written, swapped)}'
        for begin, (access, written, swapped, name) in enumerate(kinds, 0xA)
    ]
    nameless = 'ff000-fff000 r--p 00000000 00:00 0\n' + about.format(0, 0)
    found = code_pages.as_in_file(''.join(lines) + nameless, 'own')
    assert found == [(0xA000, 0xB000), (0xB000, 0xC000)]


@pytest.mark.skipif(not code_pages.MAPS.exists(), reason='the system does not say what is mapped')
def test_the_code_of_the_compiler_is_dropped_and_works_as_before():
    llvm = pytest.importorskip('llvmlite.binding')
    text = 'define i32 @answer() { ret i32 42 }'
    expected = str(llvm.parse_assembly(text))
    before = resident(warm_up.COMPILER)
    dropped = code_pages.give_back(warm_up.COMPILER)
    assert before > 0
    assert dropped >= 1024 * before
    assert resident(warm_up.COMPILER) < 0.25 * before
    assert str(llvm.parse_assembly(text)) == expected
    assert code_pages.give_back('no such library') == 0
