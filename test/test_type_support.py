# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A node starts without the generator of message code, and leaves it to others."""

import subprocess
import sys

# A process of its own: this one has loaded the type support of messages long ago.
STARTED = """
import sys
from sensor_msgs.msg import Imu
from spacecraft_attitude_sim.nodes.ros import session
from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode
with session.ros([]):
    GuardedNode('started').create_publisher(Imu, 'imu/data', 1).publish(Imu())
assert 'rosidl_generator_py' in sys.modules
print({'lark', 'em', 'rosidl_pycommon'} & sys.modules.keys())
import rosidl_generator_py.generate_py_impl
print('lark' in sys.modules)
"""


def test_a_node_starts_without_the_generator_which_others_can_import():
    done = subprocess.run([sys.executable, '-c', STARTED], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, 'set()\nTrue\n'), done.stderr
