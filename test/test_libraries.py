# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Libraries of ROS are loaded beside our modules, for commands that need ROS."""

import subprocess
import sys
import threading

import pytest

from spacecraft_attitude_sim.nodes.ros import libraries

# A process of its own: this one may have loaded them long ago. It prints whether the library is
# loaded when our modules are imported, whether Python is free meanwhile, and whether rclpy is
# imported, before and after; and whether rclpy works.
BESIDE = """
import sys, threading, time
from spacecraft_attitude_sim.nodes.ros import libraries

def loaded():
    with open('/proc/self/maps') as maps:
        return libraries.OF_RCLPY in maps.read()

print(loaded(), 'rclpy' in sys.modules)
libraries.load_beside()
steps = 0
while threading.active_count() > 1:
    steps += 1
print(loaded(), 'rclpy' in sys.modules, steps > 100)
import rclpy
rclpy.init()
rclpy.create_node('loaded').destroy_node()
rclpy.shutdown()
"""
# It prints whether a command begins to load them.
COMMAND = """
import contextlib, sys
from spacecraft_attitude_sim import start
from spacecraft_attitude_sim.nodes.ros import libraries

libraries.load_beside = lambda: print('loads', 'spacecraft_attitude_sim.cli' in sys.modules)
sys.argv = ['attitude-sim', *sys.argv[1:]]
with contextlib.suppress(SystemExit):
    start.main()
"""


def output(code, *arguments):
    done = subprocess.run([sys.executable, '-c', code, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(sys.platform != 'linux', reason='libraries are loaded beside on Linux alone')
def test_libraries_of_ros_are_loaded_while_python_goes_on_and_rclpy_then_works():
    assert output(BESIDE) == 'False False\nTrue False True\n'


@pytest.mark.parametrize('command', ['node', 'run'])
def test_commands_that_need_ros_load_its_libraries_before_our_modules(command):
    assert output(COMMAND, command, '--help').startswith('loads False\nusage')


def test_other_commands_load_no_library_of_ros():
    assert 'loads' not in output(COMMAND, 'scenarios')


@pytest.mark.parametrize('missing', ['rclpy', libraries.OF_RCLPY])
def test_without_rclpy_nothing_is_loaded(monkeypatch, missing):
    monkeypatch.delitem(sys.modules, 'rclpy', raising=False)
    if missing == 'rclpy':
        monkeypatch.setattr(libraries, 'find_spec', lambda _: None)
    else:
        monkeypatch.setattr(libraries.PathFinder, 'find_spec', lambda *_: None)
    monkeypatch.setattr(threading, 'Thread', None)  # to start one would fail
    libraries.load_beside()


def test_a_library_that_cannot_be_loaded_is_left_to_the_import(monkeypatch, tmp_path):
    damaged = tmp_path / 'damaged.so'
    damaged.write_bytes(b'\x7fELF, but no more')
    monkeypatch.delitem(sys.modules, 'rclpy', raising=False)
    monkeypatch.setattr(libraries, '_path', lambda: str(damaged))
    monkeypatch.setattr(threading, 'excepthook', lambda error: errors.append(error))
    errors, before = [], set(threading.enumerate())
    libraries.load_beside()
    for thread in set(threading.enumerate()) - before:
        thread.join()
    assert not errors
