# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Pause, step, reset and rate in any order leave tick, stamps and state consistent."""

import time

import numpy as np
from geometry_msgs.msg import PoseStamped
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock
from std_srvs.srv import SetBool, Trigger

from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.ticks import TICK_NS, TICK_SECONDS
from spacecraft_attitude_sim.nodes.ros import conversions


def test_two_hundred_random_orders(ros):
    rng = np.random.default_rng(3)
    clock, poses = ros.listen(Clock, '/clock'), ros.listen(PoseStamped, 'pose')
    instants = []
    node = ros.simulator({'real_time_factor': 4.0}, on_tick=instants.append, autostart=False)
    ros.connected('/clock', '/pose')
    node.driver.start()
    for _ in range(200):
        action = rng.integers(6)
        if action == 0:
            ros.call(SetBool, '/simulator/pause', SetBool.Request(data=True))
            before = node.instant.tick
            ros.executor.spin_once(timeout_sec=0.01)
            assert node.instant.tick == before
        elif action == 1:
            ros.call(SetBool, '/simulator/pause', SetBool.Request(data=False))
        elif action == 2:
            before = node.instant.tick
            answer = ros.call(Trigger, '/simulator/step')
            assert answer.success == node.run.paused
            if answer.success:
                assert node.instant.tick == before + node.value('step_ticks')
        elif action == 3:
            assert ros.call(Trigger, '/simulator/reset').success
        elif action == 4:
            factor = float(rng.choice((0.0, 0.5, 3.0, 50.0)))
            node.set_parameters([Parameter('real_time_factor', value=factor)])
        else:
            node.set_parameters([Parameter('step_ticks', value=int(rng.integers(1, 40)))])
        ros.executor.spin_once(timeout_sec=0.01)
    node.driver.pause()
    node.driver.flush()
    ros.until(lambda: len(poses) == len(clock) == len(instants))
    exact = [k * TICK_NS for k in range(len(instants))]
    assert [conversions.nanoseconds_from_ros(m.clock) for m in clock] == exact
    assert [conversions.nanoseconds_from_ros(m.header.stamp) for m in poses] == exact
    _check_each_run_repeats(node, instants)


def _check_each_run_repeats(node, instants):
    """Every run between two resets is, bit for bit, the beginning of the same trajectory."""
    initial = node.scenario.initial
    trajectory = simulation.trajectory(node.scenario.plant, initial, len(instants))
    run, resets = 0, 0
    for number, instant in enumerate(instants):
        q = instant.state.q_WB
        if number and np.array_equal(q, initial.q_WB):
            run, resets = number, resets + 1
        assert q.tobytes() == trajectory[number - run, 3:7].tobytes()
    assert resets > 10


def test_a_stall_is_made_up_for_and_leaves_no_lag(ros):
    times = []

    def on_tick(instant):
        times.append(time.monotonic())
        if instant.tick == 20:
            # A part of a tick beyond two: where the timer would go on that much late.
            time.sleep(2.4 * TICK_SECONDS)

    node = ros.simulator(on_tick=on_tick, autostart=False)
    node.driver.start()
    ros.until(lambda: len(times) > 60)
    late = np.array(times) - np.arange(len(times)) * TICK_SECONDS
    # A busy machine delays ticks and advances none: the least delay of many is that of the timer.
    assert abs(np.min(late[30:]) - np.min(late[1:20])) < 0.25 * TICK_SECONDS


def test_change_of_rate_takes_effect_at_once(ros):
    clock = ros.listen(Clock, '/clock')
    node = ros.simulator({'real_time_factor': 0.01}, autostart=False)
    ros.connected('/clock')
    node.driver.start()
    ros.until(lambda: clock)
    node.set_parameters([Parameter('real_time_factor', value=100.0)])
    ros.until(lambda: len(clock) > 320, patience=3.0)


def test_steps_stop_at_the_duration(ros):
    node = ros.simulator(
        {'start_paused': True, 'duration': 1.0, 'step_ticks': 40}, autostart=False
    )
    node.driver.start()
    answer = ros.call(Trigger, '/simulator/step')
    assert not answer.success
    assert 'the run is over (tick 32,' in answer.message
