# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""YAML of anybody is refused by line before it costs anything, and means what it means to ROS."""

import os
import time

import pytest

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.configuration.scenario import ScenarioError

HEAD = '/**/simulator:\n  ros__parameters:\n    '
LAUGHS = 'a: &a [x, x, x, x, x, x, x, x, x]\n' + ''.join(
    f'{new}: &{new} [{", ".join(9 * ["*" + old])}]\n'
    for old, new in zip('abcdefgh', 'bcdefghi', strict=True)
)


@pytest.mark.parametrize(
    ('text', 'said'),
    [
        (LAUGHS, r'line 2: \*a is an alias; write out'),
        (HEAD + 'seed: !!python/object/apply:os.getcwd []', 'line 3: .* is a tag'),
        (HEAD + 'seed: 1\n    seed: 2', "line 4: 'seed' is given twice"),
        (HEAD + 'body: {mass: 1.0}\n    body.mass: 2.0', 'body.mass is given twice'),
        (HEAD + 'body: ' + '{a: ' * 40 + '}' * 40, 'line 3: is nested deeper than 32'),
        ('[' * 100_000, 'nested deeper'),
        ('- a\n' * 30_000, 'line 20000: holds more than 20000 values'),
        (HEAD + 'description: "a\\0b"', "line 3: .* holds the character '\\\\x00'"),
        (HEAD + 'description: a\x00b', 'is not YAML'),
        (HEAD + 'seed: 0x_', "line 3: '0x_' is no number"),
        (HEAD + 'seed: 12:30', "seed is '12:30'; give a whole number"),
        (HEAD + 'seed: ' + '9' * 100, "seed is '9999"),
        (HEAD + '? [a]\n    : 1', 'line 3: a key must be a text'),
        (HEAD + '<<: {seed: 1}', '<<.seed is not a parameter'),
        (HEAD + 'seed:\t\t- 1', 'is not YAML: line 3'),
        ('/**/simulator: {ros__parameters: [3]}', 'ros__parameters must hold names'),
        ('a: 1\n--- \nb: 1', 'is not YAML: line 2'),
        (HEAD + 'description: ' + 'x' * 2**24, 'longer than'),
    ],
)
def test_what_is_no_scenario_is_refused_by_line(text, said):
    start = time.process_time()
    with pytest.raises(ScenarioError, match=said) as refused:
        scenario.parse(text, 'x.yaml')
    assert str(refused.value).startswith('x.yaml: ')
    assert '\n' not in str(refused.value)
    assert time.process_time() - start < 2.0  # one alias followed nine times nine … would be hours


def test_a_date_is_a_text_as_it_is_to_ros():
    text = HEAD + 'description: 2026-02-31\n    body: {mass: 1.0, inertia: [1.0, 1.0, 1.0]}'
    assert scenario.parse(text, 'x.yaml').description == '2026-02-31'


def test_a_list_of_numbers_names_what_is_none():
    given = HEAD + 'initial.angular_velocity: [0.1, {}, 8]'
    with pytest.raises(ScenarioError, match=r"\[1\] is '0.0 deg/s'; give a number in rad/s"):
        scenario.parse(given.format("'0.0 deg/s'"), 'x.yaml')
    found = scenario.parse(given.format('0.0'), 'x.yaml')
    assert found.parameters['initial.angular_velocity'] == [0.1, 0.0, 8.0]


def test_what_is_no_regular_file_is_not_read(tmp_path):
    pipe = tmp_path / 'pipe.yaml'
    os.mkfifo(pipe)
    for path in (pipe, '/dev/zero', tmp_path):
        with pytest.raises(ScenarioError, match='is no regular file'):
            scenario.load(path)
    large = tmp_path / 'large.yaml'
    large.write_bytes(b'#' * (2**24 + 1))
    with pytest.raises(ScenarioError, match='larger than 16 MiB'):
        scenario.load(large)
    strange = tmp_path / 'strange.yaml'
    strange.write_bytes(b'a: \xff\xfe')
    with pytest.raises(ScenarioError, match="can't decode byte 0xff in position 3"):
        scenario.load(strange)
