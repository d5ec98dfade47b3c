# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A forked command is as one of a new process: output, status, signals, ROS domain."""

import os
import signal
import subprocess

import forks
import pytest
from nav_msgs.msg import Odometry
from ros_helpers import process

# Words of lines that tell how long it took; a busy machine may print more of them.
TIMED = {'real', 'so', 'took'}
PIPES = {'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, 'text': True}


@pytest.mark.parametrize(
    'arguments',
    [
        ('run', 'tennis_racket', '--rate', '0', '--duration', '0.5', '--no-markers'),
        ('run', 'tennis_racket', '--duration', '-1'),
        ('scenarios',),
        ('nonsense',),
    ],
)
def test_a_fork_says_and_ends_as_a_new_process(command, domain, arguments):
    ended = []
    for kind in (forks.Fork, subprocess.Popen):
        with kind([command, *arguments], **PIPES) as child:
            output, _ = child.communicate(timeout=100)
        lines = [line for line in output.splitlines() if not TIMED & set(line.split())]
        ended.append((child.returncode, lines))
    assert ended[0] == ended[1]


@pytest.mark.parametrize(
    ('number', 'status'), [(signal.SIGTERM, 0), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_a_signal_ends_a_fork(ros, command, number, status):
    with process(command, 'run', 'tennis_racket', '--duration', '0') as child:
        assert isinstance(child, forks.Fork)
        heard = ros.listen(Odometry, 'ground_truth/odometry')
        ros.until(lambda: len(heard) > 3)  # before, SIGTERM would end it with 130
        assert child.poll() is None
        child.send_signal(number)
        child.communicate(timeout=100)
    assert child.returncode == child.poll() == status


def test_what_is_not_as_when_the_tests_began_gets_a_new_process(command, monkeypatch, tmp_path):
    assert forks.possible(command, PIPES)
    assert not forks.possible('/usr/bin/true', PIPES)
    assert not forks.possible(command, {**PIPES, 'cwd': tmp_path})
    assert not forks.possible(command, {**PIPES, 'env': dict(os.environ)})
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    assert not forks.possible(command, PIPES)
    monkeypatch.delenv('XDG_CACHE_HOME')
    monkeypatch.chdir(tmp_path)
    assert not forks.possible(command, PIPES)
