# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Environments of Gymnasium: bits of a flight alone, rewards, seeds, and what is refused."""

import importlib
import math
import sys
import warnings
from dataclasses import replace

import numpy as np
import pytest

import spacecraft_attitude_sim as sas

gymnasium = pytest.importorskip('gymnasium')

from conftest import ROOT  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402
from test_pages import blocks  # noqa: E402

from spacecraft_attitude_sim import learn  # noqa: E402
from spacecraft_attitude_sim.learn import (  # noqa: E402
    TASKS,
    Moment,
    SpacecraftEnv,
    SpacecraftVectorEnv,
)

# Episodes of three steps, so that some begin again.
SHORT = {
    name: replace(task, duration=3 * (0.5 if name == 'unload' else 0.125))
    for name, task in TASKS.items()
}
IDEAL = replace(
    TASKS['point'], scenario='wheels_take_over',
    observes=('imu.angular_velocity_S', 'imu.specific_force_S'),
    parameters={'imu.model': 'stim300', 'imu.position': [0.1, 0.05, 0.2]}, start={
        'initial.angular_velocity': {'distribution': 'in_sphere', 'radius': 0.02},
        'wheel.y.initial_speed': {'distribution': 'uniform', 'low': -50.0, 'high': 50.0},
    },
)  # fmt: skip
# What a first reading knows of the step before, if it is not forgotten, is a force on the IMU.
PUSHED = replace(
    SHORT['detumble'], commands=('torque', 'force'),
    observes=('imu.angular_velocity_S', 'imu.specific_force_S'),
    parameters={
        'tick_rate': 8.0, 'imu.position': [0.1, 0.05, 0.2], 'command_force_limit': [1.0, 1.0, 1.0],
    },
)  # fmt: skip
FLOWN = {**SHORT, 'ideal wheels': replace(IDEAL, duration=3 / 32), 'pushed': PUSHED}


def actions_for(env, steps, seed=4):
    """Return random actions (steps, …) of an environment."""
    rng = np.random.default_rng(seed)
    return rng.uniform(-1.0, 1.0, (steps, *env.action_space.shape)).astype(np.float32)


@pytest.mark.parametrize('name', TASKS)
def test_gymnasium_finds_nothing_wrong(name):
    env = gymnasium.make(f'spacecraft_attitude_sim/{name}-v0')
    with warnings.catch_warnings():
        warnings.filterwarnings('error')
        warnings.filterwarnings('ignore', message='.*is -?infinity')
        check_env(env.unwrapped)
    env.close()
    env.close()


@pytest.mark.parametrize('mode', AutoresetMode)
@pytest.mark.parametrize('name', ['detumble', 'point'])
def test_each_of_many_has_the_bits_of_one_alone(name, mode):
    """Gymnasium's own SyncVectorEnv steps and resets the environments one after the other."""
    many = SpacecraftVectorEnv(SHORT[name], 3, autoreset_mode=mode)
    alone = SyncVectorEnv([lambda: SpacecraftEnv(SHORT[name])] * 3, autoreset_mode=mode)
    for own, other in zip(many.reset(seed=5), alone.reset(seed=5), strict=True):
        assert np.array_equal(own, other)
    for action in actions_for(many, 9):
        own, other = many.step(action), alone.step(action)
        for k in range(4):
            assert np.array_equal(own[k], other[k]), k
        assert own[4].keys() == other[4].keys()
        if 'final_obs' in own[4]:
            for k in range(3):
                assert np.array_equal(own[4]['final_obs'][k], other[4]['final_obs'][k])
        if mode is AutoresetMode.DISABLED and (over := own[2] | own[3]).any():
            given = [env.reset(options={'reset_mask': over.copy()})[0] for env in (many, alone)]
            assert np.array_equal(*given)


@pytest.mark.parametrize('name', ['detumble', 'point', 'ideal wheels'])
def test_one_of_many_that_ends_does_not_move_the_others(name):
    """Without the termination of one environment all episodes begin again together."""
    early = replace(TASKS.get(name, IDEAL), reached=lambda moment: moment.actions[:, 0] > 0.5)
    many = SpacecraftVectorEnv(early, 4, autoreset_mode='SameStep')
    alone = [SpacecraftVectorEnv(early, 1, autoreset_mode='SameStep') for _ in range(4)]
    many.reset(seed=11)
    for n, env in enumerate(alone):
        env.reset(seed=11 + n)
    ended = 0
    for action in actions_for(many, 12):
        observations, rewards, terminated, truncated, _ = many.step(action)
        ended += np.sum(terminated)
        for n, env in enumerate(alone):
            step = env.step(action[n : n + 1])
            assert np.array_equal(step[0][0], observations[n])
            assert (step[1][0], step[2][0], step[3][0]) == (
                rewards[n], terminated[n], truncated[n],
            )  # fmt: skip
    assert 4 < ended < 44


@pytest.mark.parametrize('name', FLOWN)
def test_an_episode_has_the_bits_of_a_headless_flight(name):
    """The second episode, which begins in the middle of the batch's time."""
    many = SpacecraftVectorEnv(FLOWN[name], 2, autoreset_mode='SameStep')
    episodes, task = many.episodes, FLOWN[name]
    many.reset(seed=2)
    actions = actions_for(many, 5)
    for action in actions[:3]:
        observations, *_ = many.step(action)
    assert episodes.start_of(1)['seed'] != 0
    flight = sas.Simulation(episodes.scenario_of(1), controller=None)
    assert np.array_equal(observations[1], observed(episodes, flight.readings))
    for action in actions[3:]:
        low, high = np.array([numbers[1:] for numbers in episodes.actions]).T
        values = 0.5 * (low + high) + action[1].astype(float) * (0.5 * (high - low))
        flight.step(**commanded(task.commands, values, episodes))
        observations, rewards, *_ = many.step(action)
        assert np.array_equal(observations[1], observed(episodes, flight.readings))
        assert rewards[1] == pytest.approx(reward(name, flight, action[1]), rel=1e-12)


def test_the_scenario_of_an_episode_is_a_file_that_begins_with_its_bits(tmp_path):
    many = SpacecraftVectorEnv(FLOWN['unload'], 2)
    path = tmp_path / 'episode.yaml'
    with pytest.raises(ValueError, match='environment 1 has not begun; call reset'):
        many.episodes.write_scenario(1, path)
    many.reset(seed=2)
    many.episodes.write_scenario(1, path)
    ours, theirs = many.episodes.scenario_of(1), sas.load(path)
    assert theirs.parameters == ours.parameters
    for one, other in zip(ours.initial, theirs.initial, strict=True):
        assert np.array_equal(one, other)
    with pytest.raises(FileExistsError):
        many.episodes.write_scenario(0, path)
    assert sas.load(path).parameters == ours.parameters


def commanded(names, values, episodes):
    """Return {command: numbers} of the flat numbers of an action."""
    found, labels = {}, [label.partition('[')[0] for label, *_ in episodes.actions]
    for name in names:
        found[name] = values[[label == name for label in labels]]
    return found


def observed(episodes, readings):
    """Return an observation made of the Readings of a flight."""
    numbers = []
    for name in episodes.task.observes:
        if name == 'wheel_speed':
            part = readings.wheel_speed
        else:
            sensor, own = name.split('.')
            part = getattr(readings[sensor], own)
        if 'q_W' in name and part[0] < 0.0:
            part = -part
        numbers += list(part)
    scales = [channel.scale for channel in episodes.channels]
    return (np.array(numbers) / scales).astype(np.float32)


def reward(name, flight, action):
    """Return the reward of docs/learning.md of the present instant of a flight."""
    truth = flight.readings.truth
    rate = np.linalg.norm(truth.angular_velocity)
    effort = np.mean(action.astype(float) ** 2)
    if name in ('detumble', 'pushed'):
        return -rate / 0.1 - 0.05 * effort
    w, *vector = truth.attitude
    angle = (
        2.0 * math.acos(min(1.0, abs(w)))
        if abs(w) < 0.9
        else 2.0 * math.asin(np.linalg.norm(vector))
    )
    total = -angle - 0.1 * rate / 0.1 - 0.01 * effort
    if name == 'unload':
        wheels = flight.scenario.plant.spacecraft.part('reaction_wheels')
        stored = (wheels.inertias * flight.readings.wheel_speed) @ wheels.axes_B
        total -= np.linalg.norm(stored) / 0.01
    return total


def test_rewards_are_those_of_the_docs():
    moment = Moment(
        rates_B=np.array([[0.03, 0.0, 0.04]]),
        q_WB=np.array([[-math.cos(0.5), 0.0, math.sin(0.5), 0.0]]),
        stored_B=np.array([[0.0, 0.003, -0.004]]),
        actions=np.array([[1.0, -0.5, 0.0, 0.5]]),
    )
    # |ω| is 0.05 rad/s, θ 1 rad, |h| 0.005 N m s, and the mean of a² 0.375.
    assert TASKS['detumble'].reward(moment) == pytest.approx(-0.5 - 0.05 * 0.375)
    assert TASKS['point'].reward(moment) == pytest.approx(-1.0 - 0.05 - 0.00375)
    assert TASKS['unload'].reward(moment) == pytest.approx(-0.5 - 1.0 - 0.05 - 0.00375)
    assert not TASKS['detumble'].reached(moment)[0]
    slow = replace(moment, rates_B=np.array([[0.0, 0.004, 0.0]]))
    assert TASKS['detumble'].reached(slow)[0]
    assert not TASKS['slew_with_a_stuck_wheel'].reached(slow)[0]


def test_a_spacecraft_that_spins_too_fast_ends_its_episode_at_a_price():
    task = replace(TASKS['detumble'], start={
        'initial.angular_velocity': {'distribution': 'on_sphere', 'radius': 1.1},
    })  # fmt: skip
    env = SpacecraftEnv(task)
    env.reset(seed=1)
    _, reward, terminated, truncated, _ = env.step(np.zeros(3, dtype=np.float32))
    assert (reward, terminated, truncated) == (-12.0 * 480, True, False)


def test_the_wheel_that_is_stuck_keeps_its_speed():
    env = SpacecraftEnv('slew_with_a_stuck_wheel')
    env.reset(seed=1)
    speeds = [channel.name for channel in env.episodes.channels].index('wheel_speed[0]')
    for _ in range(8):
        observation, *_ = env.step(np.ones(4, dtype=np.float32))
    assert observation[speeds] == 0.0
    assert (np.abs(observation[speeds + 1 : speeds + 4]) > 0.1).all()


def test_a_seed_repeats_to_the_bit_and_goes_on_without_one():
    env = SpacecraftEnv(SHORT['detumble'])
    first = [env.reset(seed=3)[0], env.reset()[0], env.reset()[0]]
    again = [env.reset(seed=3)[0], env.reset()[0], env.reset()[0]]
    assert np.array_equal(first, again)
    assert not np.array_equal(first[0], first[1])
    many = SpacecraftVectorEnv(SHORT['detumble'], 2)
    assert np.array_equal(many.reset(seed=[9, 3])[0][1], first[0])


def test_actions_are_scaled_to_the_limits_and_brought_to_them():
    env = SpacecraftEnv('detumble')
    assert env.episodes.actions == [(f'torque[{k}]', -0.002, 0.002) for k in range(3)]
    seen = []
    for action in ([1.0, -1.0, 0.0], [7.0, -1e30, 0.0]):
        env.reset(seed=1)
        seen.append(env.step(np.array(action))[:2])
    assert np.array_equal(seen[0][0], seen[1][0])
    assert seen[0][1] == seen[1][1]


def test_thrust_goes_from_nothing_to_the_largest_force():
    task = replace(
        TASKS['detumble'], scenario='thruster_limit_cycle', commands=('thrust',), start={},
        parameters={},
    )  # fmt: skip
    names, lows, highs = zip(*SpacecraftEnv(task).episodes.actions, strict=True)
    assert names[0] == 'thrust[0]'
    assert {*lows} == {0.0}
    assert min(highs) > 0.0


@pytest.mark.parametrize('env', [SpacecraftEnv('detumble'), SpacecraftVectorEnv('detumble', 2)])
def test_hostile_calls_are_refused_in_one_line(env):
    with pytest.raises(ValueError, match=r'call reset\(\)'):
        env.step(np.zeros(env.action_space.shape))
    env.reset(seed=1)
    shape = env.action_space.shape
    for action, message in (
        (np.full(shape, np.nan), 'is nan; give finite numbers'),
        (np.full(shape, -np.inf), 'is -inf; give finite numbers'),
        (np.zeros((*shape[:-1], 4)), 'shape'),
        (np.zeros((2, *shape)), 'shape'),
        (np.full(shape, 'fast'), 'give numbers'),
        (None, 'shape'),
    ):
        with pytest.raises(ValueError, match=message):
            env.step(action)
    assert env.step(np.zeros(shape, dtype=np.int8))[0].dtype == np.float32
    env.close()
    env.close()
    for call in (env.reset, lambda: env.step(np.zeros(shape))):
        with pytest.raises(ValueError, match='closed'):
            call()


@pytest.mark.parametrize(
    ('changes', 'message'),
    [
        ({'task': 'land'}, "no task 'land'; give a Task"),
        ({'scenario': 'ball_in_bowl'}, 'a floor do not begin again'),
        ({'scenario': 'cubesat_pyramid'}, 'ideal wheels in a circular orbit'),
        ({'commands': ('dipole',)}, 'dipole is no command'),
        ({'scenario': 'cubesat_tumble'}, 'no limit to scale'),
        ({'observes': ('magnetometer.magnetic_field_S',)}, 'sensors imu'),
        ({'observes': ('imu.temperature',)}, 'sensors imu'),
        ({'observes': ('wheel_speed',)}, 'have none'),
        ({'start': {'body.mass': {'distribution': 'uniform', 'low': 1, 'high': 2}}}, 'body.mass'),
        ({'start': {'initial.attitude': {'distribution': 'normal'}}}, 'mean is missing'),
    ],
)
def test_a_task_that_does_not_go_is_refused_by_name(changes, message):
    task = changes.get('task') or replace(TASKS['detumble'], parameters={}, **changes)
    with pytest.raises(ValueError, match=message):
        SpacecraftEnv(task)


def test_the_last_attitude_of_a_star_tracker_is_observed_with_its_age():
    task = replace(
        SHORT['unload'], observes=('star_tracker.q_WT', 'star_tracker.age'), duration=60.0
    )
    late = {'star_tracker.interval': 4, 'star_tracker.latency': 1}
    env = SpacecraftEnv(task, parameters=late)
    ages = [env.reset(seed=1)[0][4]]
    for _ in range(5):
        observation, *_ = env.step(np.zeros(6, dtype=np.float32))
        ages.append(observation[4])
    assert ages == [-1.0, 0.5, 1.0, 1.5, 2.0, 0.5]
    assert env.reset()[0].tolist() == [0.0, 0.0, 0.0, 0.0, -1.0]
    assert np.linalg.norm(observation[:4]) == pytest.approx(1.0, abs=1e-6)


def test_without_gymnasium_one_line_says_what_to_install(monkeypatch):
    for name in [*sys.modules]:
        if name.split('.')[0] == 'gymnasium' or name.startswith(learn.__name__):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, 'gymnasium', None)
    with pytest.raises(ImportError, match=r"needs the extra 'learn'.*'\.\[learn\]'"):
        importlib.import_module(learn.__name__)


def test_the_policy_as_a_node_sees_and_commands_what_it_does_in_the_batch(monkeypatch):
    """Of the messages of examples/fly_pointing.py; its policy points within a minute."""
    sensor_messages = pytest.importorskip('sensor_msgs.msg')
    pytest.importorskip('cma')
    monkeypatch.syspath_prepend(ROOT / 'examples')
    training, node = (importlib.import_module(f'{name}_pointing') for name in ('train', 'fly'))
    weights = np.loadtxt(ROOT / 'examples' / 'pointing_policy.txt')
    many = SpacecraftVectorEnv('point', 8)
    observations, _ = many.reset(seed=3)
    flight = sas.Simulation(many.episodes.scenario_of(1), controller=None)
    for _ in range(20):
        readings, imu = flight.readings, sensor_messages.Imu()
        q, rate = imu.orientation, imu.angular_velocity
        q.w, q.x, q.y, q.z = readings.attitude.tolist()
        rate.x, rate.y, rate.z = readings.angular_velocity.tolist()
        joints = sensor_messages.JointState(name=node.WHEELS[::-1])
        joints.velocity = readings.wheel_speed[::-1].tolist()
        seen = node.observation(imu, joints)
        assert np.array_equal(seen, observations[1])
        actions = training.act(weights, observations)
        assert np.array_equal(node.act(weights, seen), actions[1])
        flight.step(wheel_torque=node.MOST * actions[1])
        observations, *_ = many.step(actions)
    for _ in range(450):
        observations, *_ = many.step(training.act(weights, observations))
    angles = np.degrees(2.0 * np.arccos(np.minimum(observations[:, 0], 1.0)))
    assert (
        np.max(angles) < 2.0
    )  # 126 in the median at the start; the page says 1.4 of more episodes


def test_programs_of_the_page_run(capsys):
    for program in blocks('learning.md', 'python'):
        exec(program, {})
    total, repeated, shape = capsys.readouterr().out.splitlines()
    assert float(total) == pytest.approx(-0.59, abs=0.005)  # as the page says
    assert (repeated, shape) == ('True', '(64, 3)')
