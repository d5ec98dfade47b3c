# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Law, estimator and guidance of the page "Beat it": their length, and what they compute."""

import contextlib
import math
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from processes import printed
from ros_helpers import ended_cleanly, process
from scipy.spatial.transform import Rotation

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.configuration import scenario as scenarios
from spacecraft_attitude_sim.flight.flight import Flight
from spacecraft_attitude_sim.flight.replaced import Replaced

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / 'docs' / 'beat_it.md').read_text()
PROGRAMS = re.findall(r'^```python\n(.*?)^```', PAGE, re.M | re.S)
CPP = {path.stem: path.read_text() for path in (ROOT / 'examples' / 'beat_it').glob('*.cpp')}
STILL = np.array((1.0, 0.0, 0.0, 0.0)), np.zeros(3), np.zeros(3)


def ran(text):
    """Return the names of a program that is imported, as `examine` does: without ROS."""
    names = {'__name__': 'mine'}
    exec(compile(text, 'mine.py', 'exec'), names)
    return SimpleNamespace(**names)


def lines(text):
    """Return the number of lines that are not empty."""
    return sum(bool(line.strip()) for line in text.splitlines())


def test_programs_are_as_short_as_the_page_says():
    assert len(PROGRAMS) == len(CPP) == 3
    assert all(lines(text) <= 40 for text in PROGRAMS)
    assert all(lines(text) <= 60 for text in CPP.values())


def test_the_law_is_pd_with_an_integral_and_feedforward():
    """A small error at rest is answered by -J wn^2 error; the same error again by more."""
    page = ran(PROGRAMS[0])
    law, half = page.Law(), 1e-4
    attitude = np.array((math.cos(half), 0.0, math.sin(half), 0.0))
    first, second = (law(attitude, np.zeros(3), STILL) for _ in range(2))
    step = -page.J[1] * page.WN**2 * 2.0 * half
    assert first == pytest.approx((0.0, step * (1.0 + page.H / page.TI), 0.0), abs=1e-12)
    assert second == pytest.approx((0.0, step * (1.0 + 2.0 * page.H / page.TI), 0.0), abs=1e-12)
    moving = STILL[0], np.zeros(3), np.array((0.0, 0.0, 1e-3))
    torque = page.Law()(STILL[0], np.zeros(3), moving)
    assert torque == pytest.approx((0.0, 0.0, 1e-3 * page.J[2]))


def test_the_estimator_finds_attitude_and_bias():
    """Of a body that turns evenly, from readings without noise; the gyroscope has a bias."""
    page = ran(PROGRAMS[1])
    estimator, rate, bias = page.Estimator(), np.array((1e-3, -2e-3, 5e-4)), 1e-4
    body = Rotation.from_quat((0.1, 0.2, 0.3, 0.9))
    for _ in range(800):  # 200 s; the gains have time constants of some 20 s
        stars = np.roll((body * page.STARS).as_quat(), 1)
        told = SimpleNamespace(
            new={'star_tracker'}, star_tracker=SimpleNamespace(q_WT=stars),
            angular_velocity=rate + bias,
        )  # fmt: skip
        attitude, known = estimator(told)
        error = (body.inv() * Rotation.from_quat(np.roll(attitude, -1))).magnitude()
        body *= Rotation.from_rotvec(rate * page.STEP)
    assert error < 1e-6
    assert known == pytest.approx(rate, abs=1e-7)


def test_the_guidance_says_its_own_derivatives():
    """Rate and acceleration are the differences of angle and rate over 2 ms, to their square."""
    page = ran(PROGRAMS[2])
    guidance, step = page.Guidance(), 1e-3
    for time in (10.0, 25.0, 60.0, 95.0, 200.0):
        before, now, after = (guidance(time + k * step) for k in (-1, 0, 1))
        angles = [2.0 * math.atan2(attitude[2], attitude[0]) for attitude, _, _ in (before, after)]
        assert now[1][1] == pytest.approx((angles[1] - angles[0]) / (2.0 * step), abs=1e-8)
        rates = before[1][1], after[1][1]
        assert now[2][1] == pytest.approx((rates[1] - rates[0]) / (2.0 * step), abs=1e-8)
    assert np.array(guidance(0.0)[0]) == pytest.approx(STILL[0])
    assert guidance(200.0)[0][2] == pytest.approx(math.sin(math.radians(30.0)))


# The turn of guidance begins after 1 s instead of 20 s.
SOON = [text.replace('20.0, 80.0', '1.0, 80.0') for text in PROGRAMS]


class Together:
    """The three classes of the page as one controller: motors, and what each has said."""

    def __init__(self):
        law, estimator, guidance = (ran(text) for text in SOON)
        self.law, self.wheels = law.Law(), law.WHEELS
        self.estimator, self.guidance = estimator.Estimator(), guidance.Guidance()
        self.references = []

    def __call__(self, readings):
        """Return the torques of the motors."""
        attitude, rate = self.estimator(readings)
        if attitude is None:
            attitude = np.roll(self.estimator.attitude.as_quat(), 1)
        reference = self.guidance(readings.time)
        self.references.append(reference[0])
        return {'wheel_torque': -self.wheels @ self.law(attitude, rate, reference)}


def test_the_nodes_of_the_page_fly_with_the_bits_of_its_classes(command, domain, tmp_path):
    """All three at once in lockstep, in the case with the stuck wheel, from 23 deg off.

    What `plot` draws is the error to the reference that the law has published.
    """
    case = yaml.safe_load((ROOT / 'config/examination/slew_with_a_stuck_wheel.yaml').read_text())
    own = case['/**/simulator']['ros__parameters']
    own['initial'] = {'attitude': [0.98, 0.1, -0.15, 0.08], 'angular_velocity': [0.01, 0.0, -0.02]}
    scenario, bag, seconds = tmp_path / 'case.yaml', tmp_path / 'bag', 6.0
    scenario.write_text(yaml.safe_dump({'/**/simulator': case['/**/simulator']}))
    topics = {'estimate/attitude': 'my/estimate', 'reference/odometry': 'my/odometry',
              'reference/acceleration': 'my/acceleration'}  # fmt: skip
    remapped = [word for one in topics.items() for word in ('-r', ':='.join(one))]
    with contextlib.ExitStack() as running:
        nodes = []
        for name, text in zip('leg', SOON, strict=True):
            path = tmp_path / f'{name}.py'
            path.write_text(text)
            begun = process(sys.executable, str(path), '--ros-args', *remapped)
            nodes.append(running.enter_context(begun))
        printed(
            command, 'run', scenario, '--no-markers', '--rate', 0, '--duration', seconds,
            '--record', bag,
        )  # fmt: skip
        ended = [ended_cleanly(node, signal.SIGTERM) for node in nodes]
    assert all(ended)
    flown, classes = sas.read(bag), Together()
    headless = sas.simulate(scenario, seconds, classes)
    assert np.array_equal(flown.attitude, headless.attitude)
    assert np.array_equal(flown.angular_velocity, headless.angular_velocity)
    assert np.array_equal(flown.reference[:-1], classes.references)
    assert flown.reference[-2][2] > 1e-4  # guidance has begun to turn
    assert np.degrees(flown.error[0]) > 22.0
    assert flown.error[-2] < 0.8 * flown.error[0]


# What the programs in C++ answer to each line of numbers: motors, estimate, guidance.
CALLS = """
int main(int count, char ** words)
{
  if (count > 1) {
    my_law::node(count, words);
    return 0;
  }
  sensor_msgs::msg::Imu imu, stars;
  nav_msgs::msg::Odometry wanted;
  geometry_msgs::msg::AccelStamped moves;
  auto & q = imu.orientation, & r = wanted.pose.pose.orientation, & s = stars.orientation;
  auto & v = imu.angular_velocity, & u = wanted.twist.twist.angular, & a = moves.accel.angular;
  auto & stamp = imu.header.stamp;
  bool seen;
  std::cout.precision(17);
  while (std::cin >> stamp.sec >> stamp.nanosec >> seen >> v.x >> v.y >> v.z >> q.w >> q.x >>
    q.y >> q.z >> r.w >> r.x >> r.y >> r.z >> u.x >> u.y >> u.z >> a.x >> a.y >> a.z >> s.w >>
    s.x >> s.y >> s.z)
  {
    for (double x : my_law::answer(imu, wanted, moves).effort) {std::cout << x << ' ';}
    const auto told = my_estimator::answer(imu, seen ? &stars : nullptr);
    const auto & o = told.orientation;
    const auto & w = told.angular_velocity;
    const auto [pose, acceleration] = my_guidance::answer(imu);
    const auto & g = pose.pose.pose.orientation;
    for (double x : {o.w, o.x, o.y, o.z, w.x, w.y, w.z, told.orientation_covariance[0], g.w, g.x,
        g.y, g.z, pose.twist.twist.angular.y, acceleration.accel.angular.y}) {
      std::cout << x << ' ';
    }
    std::cout << std::endl;
  }
}
"""


def parsed(case):
    """Return the Scenario of {node: parameters}."""
    return scenarios.parse(yaml.safe_dump(case), 'case')


def flown_by_allocation(case, ticks, changes):
    """Return the attitudes (ticks + 1, 4) under the three classes and our allocation.

    changes: {parameter: value} of the attitude_controller
    """
    own = yaml.safe_load(yaml.safe_dump(case))
    own['/**/attitude_controller']['ros__parameters'] |= changes
    law, estimator, guidance = (ran(text) for text in SOON)
    classes = law.Law(), estimator.Estimator(), guidance.Guidance()
    flight = Flight(parsed(own), Replaced(*classes))
    for _ in range(ticks):
        flight.step()
    return np.array([instant.state.q_WB for instant in flight.record.instants])


def test_node_and_class_of_the_law_differ_by_what_our_allocation_does_alone():
    """Until 20 s after the wheel has seized.

    Without null motion, gyroscopic torque of the wheels and torque limit, the class flies as the
    node does. Null motion slows the wheels before one seizes: then the body is turned by less.
    """
    case = yaml.safe_load((ROOT / 'config/examination/slew_with_a_stuck_wheel.yaml').read_text())
    bare, seconds = parsed({'/**/simulator': case['/**/simulator']}), 80.0
    node = sas.simulate(bare, seconds, Together())
    ticks = len(node.time) - 1
    off = {'null_space_rate': 0.0, 'gyroscopic_compensation': False, 'torque_limit': [1.0] * 3}
    same = flown_by_allocation(case, ticks, off)
    assert np.abs(same - node.attitude).max() < 1e-12
    null_motion = {'null_space_rate': 0.01} | {name: off[name] for name in list(off)[1:]}
    slowed = flown_by_allocation(case, ticks, null_motion)
    aim = Rotation.from_quat(np.roll(ran(SOON[2]).Guidance()(seconds)[0], -1))
    ends = [Rotation.from_quat(np.roll(flown[-1], -1)) for flown in (same, slowed)]
    errors = [(aim.inv() * end).magnitude() for end in ends]
    assert errors[1] < 0.75 * errors[0]  # 21 deg and 41 deg


# As much of rclcpp as the node of the law calls. `spin` gives it messages, each a letter for its
# kind with its time and a number for its attitude; it tells what is published, and when.
NODES = """
namespace rclcpp
{
std::function<void(std::shared_ptr<sensor_msgs::msg::Imu>)> hear_imu;
std::function<void(std::shared_ptr<nav_msgs::msg::Odometry>)> hear_odometry;
std::function<void(std::shared_ptr<geometry_msgs::msg::AccelStamped>)> hear_acceleration;
template<typename Message> struct Publisher
{
  std::string topic;
  void publish(const Message & message) const
  {
    std::cout << topic << ' ' << message.header.stamp.sec;
    if constexpr (std::is_same_v<Message, geometry_msgs::msg::PoseStamped>) {
      std::cout << ' ' << message.header.frame_id << ' ' << message.pose.orientation.w;
    }
    std::cout << std::endl;
  }
};
struct Node
{
  explicit Node(const std::string &) {}
  template<typename Message> auto create_publisher(const std::string & topic, int)
  {
    return std::make_shared<Publisher<Message>>(Publisher<Message>{topic});
  }
  template<typename Message, typename Hear>
  std::shared_ptr<Node> create_subscription(const std::string & topic, int, Hear hear)
  {
    if constexpr (std::is_same_v<Message, sensor_msgs::msg::Imu>) {
      if (topic == "estimate/attitude") {hear_imu = hear;}
    } else if constexpr (std::is_same_v<Message, nav_msgs::msg::Odometry>) {
      if (topic == "reference/odometry") {hear_odometry = hear;}
    } else if (topic == "reference/acceleration") {hear_acceleration = hear;}
    return nullptr;
  }
};
void init(int, char **) {}
void spin(std::shared_ptr<Node>)
{
  char kind;
  int time;
  double w;
  while (std::cin >> kind >> time >> w) {
    auto imu = std::make_shared<sensor_msgs::msg::Imu>();
    auto goal = std::make_shared<nav_msgs::msg::Odometry>();
    auto moves = std::make_shared<geometry_msgs::msg::AccelStamped>();
    imu->header.stamp.sec = goal->header.stamp.sec = moves->header.stamp.sec = time;
    imu->orientation.w = goal->pose.pose.orientation.w = w;
    goal->header.frame_id = "world";
    if (kind == 'i') {hear_imu(imu);}
    if (kind == 'o') {hear_odometry(goal);}
    if (kind == 'a') {hear_acceleration(moves);}
  }
}
}
"""


@pytest.fixture(scope='module')
def in_cpp(tmp_path_factory):
    """Return the path of a program with the functions, and the node of the law.

    There is no rclcpp: what the node calls of it is written here.
    """
    folder = tmp_path_factory.mktemp('cpp')
    messages = Path(sys.prefix, 'include')
    if not shutil.which('g++') or not (messages / 'sensor_msgs').exists():
        pytest.skip('needs g++ and the messages of ROS from wheels')
    headers, parts = {f'#include <{name}>' for name in ('functional', 'iostream', 'memory')}, []
    for name, text in CPP.items():
        own, _, node = text.partition('int main')
        program = (f'{own}void node{node}' if name == 'my_law' else own).splitlines()
        headers |= {line for line in program if line.startswith('#include')}
        program = '\n'.join(line for line in program if not line.startswith('#include'))
        parts.append(f'namespace {name}\n{{\n{program}\n}}\n')
    headers = [line for line in sorted(headers) if not re.search('rclcpp|synchroniser', line)]
    source, compiled = folder / 'answers.cpp', folder / 'answers'
    source.write_text('\n'.join([*headers, NODES, *parts, CALLS]))
    include = [f'-I{package}' for package in messages.iterdir()]
    command = ['g++', '-std=c++17', '-Wall', '-Werror', *include, source, '-o', compiled]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return compiled


def said_in_cpp(compiled, given, *words):
    """Return the words of each line that a program prints for the rows of numbers or words."""
    text = '\n'.join(' '.join(map(str, row)) for row in given)
    done = subprocess.run(
        [compiled, *words], input=text, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return [line.split() for line in done.stdout.splitlines()]


def test_the_law_in_cpp_publishes_its_command_and_its_aim_once_in_each_tick(in_cpp):
    """In any order of its three messages; one that is missing is a tick without an answer."""
    given = 'o 0 0.5', 'a 0 1', 'i 0 1', 'i 1 1', 'a 1 1', 'i 2 1', 'a 2 1', 'o 2 0.25'
    expected = [
        ['command/wheels', '0'], ['control/reference', '0', 'world', '0.5'],
        ['command/wheels', '2'], ['control/reference', '2', 'world', '0.25'],
    ]  # fmt: skip
    assert said_in_cpp(in_cpp, (line.split() for line in given), 'node') == expected


def test_programs_in_cpp_answer_as_those_in_python(in_cpp):
    """To readings with large and small errors, some without stars.

    Of an error e the estimator in C++ takes 2 sin(e / 2). With 1e-3 rad that leaves out 4e-11 rad.
    """
    law, estimator, guidance = (ran(text) for text in PROGRAMS)
    control, estimate, guide = law.Law(), estimator.Estimator(), guidance.Guidance()
    random, given, expected = np.random.default_rng(1), [], []
    for k in range(40):
        target = Rotation.from_quat(random.normal(size=4))
        off, rate, u, a = random.uniform(-1e-3, 1e-3, (4, 3))
        body = target * Rotation.from_rotvec(off * (1.0, 50.0, 1500.0)[k % 3])
        q, r = (np.roll(x.as_quat(), 1) for x in (body, target))
        stars = estimate.attitude * Rotation.from_rotvec(0.5 * off) * estimator.STARS
        stars, seen = np.roll(stars.as_quat(), 1), k % 5 > 0
        motors = -law.WHEELS @ control(q, rate, (r, u, a))
        told = estimate.step(rate, stars if seen else None)
        attitude = np.roll(estimate.attitude.as_quat(), 1)
        pose, turn, acceleration = guide(3.0 * k + 0.25)
        given.append((3 * k, 250_000_000, seen, *rate, *q, *r, *u, *a, *stars))
        known = 0.0 if estimate.known else -1.0
        expected.append((*motors, *attitude, *told, known, *pose, turn[1], acceleration[1]))
    given = ((f'{x:.17g}' for x in row) for row in given)
    answers, expected = np.array(said_in_cpp(in_cpp, given), float), np.array(expected)
    assert answers.shape == expected.shape
    assert answers[:, :4] == pytest.approx(expected[:, :4], rel=1e-9, abs=1e-15)  # N m
    side = np.sign((answers[:, 4:8] * expected[:, 4:8]).sum(axis=1))  # q, -q: one attitude
    answers[:, 4:8] *= side[:, None]
    assert answers[:, 4:] == pytest.approx(expected[:, 4:], abs=1e-9)
