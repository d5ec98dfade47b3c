# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Messages of one spacecraft, live or from a bag, made into what the show is given.

Takes any object with the fields of the message, so that rclpy's and rosbags' are the same to it.
"""

import math
import sys

import numpy as np
import rerun as rr

from spacecraft_attitude_sim.configuration import untrusted_scenario
from spacecraft_attitude_sim.core import ticks
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.recording import floor_sheet, history
from spacecraft_attitude_sim.viewer.rerun_session import samples_of

TYPES = {
    'scenario': 'std_msgs/msg/String',
    'ground_truth/inputs': 'std_msgs/msg/Float64MultiArray',
    'ground_truth/angular_momentum': 'geometry_msgs/msg/Vector3Stamped',
    'ground_truth/odometry': 'nav_msgs/msg/Odometry',
    'contact/point': 'geometry_msgs/msg/PointStamped',
    'contact/wrench': 'geometry_msgs/msg/WrenchStamped',
    'contact/mode': 'std_msgs/msg/String',
    'contact/floor': 'sensor_msgs/msg/PointCloud2',
    'control/reference': 'geometry_msgs/msg/PoseStamped',
}
# The numbers of a message that are shown, or say when.
NUMBERS = {
    'ground_truth/inputs': lambda message: message.data,
    'ground_truth/angular_momentum': lambda message: vector(message.vector),
    'ground_truth/odometry': lambda message: (
        *vector(message.pose.pose.position), *quaternion(message.pose.pose.orientation),
        *vector(message.twist.twist.angular),
    ),
    'contact/point': lambda message: vector(message.point),
    'contact/wrench': lambda message: vector(message.wrench.force),
    'control/reference': lambda message: quaternion(message.pose.orientation),
}  # fmt: skip
# How many instants wait for the scenario, which comes before them or soon.
MOST_WAITING = 10_000
LONGEST_STAMP = 2**62
# Pieces of a floor that wait to be shown, of which each is 10 kB, or 100 kB of a stranger.
MOST_SHEETS = 1024
LATCHED = ('scenario', 'contact/mode', 'contact/floor')


class Feed:
    """Gathers messages; `flush` gives the show every instant that is complete."""

    def __init__(self, show):
        self._show = show
        self._instants = {}  # stamp -> {topic: message}
        self._body = None
        self._text = None
        self._said = set()
        self._mode = ''
        self._sheets = []  # (stamp, floor_sheet.Sheet)
        self._touching = False
        self._reference_WR = None
        self._newest = None
        self._start = 0  # stamp of the last start or reset

    def take(self, topic, message):
        """Take a message of one of TYPES; raise ValueError for one that cannot be shown."""
        if topic in NUMBERS and not math.isfinite(math.fsum(NUMBERS[topic](message))):
            raise ValueError('holds a number that is not finite')
        if topic == 'scenario':
            self._on_scenario(message.data)
        elif topic == 'contact/mode':
            self._mode = message.data
        elif topic == 'contact/floor':
            self._sheets.append((_stamp(message.header), floor_sheet.sheet_of(message)))
            del self._sheets[:-MOST_SHEETS]
        elif topic == 'ground_truth/inputs':
            count = len(message.data)
            if count <= history.GIVEN or message.data[history.GIVEN] and count <= history.ELAPSED:
                raise ValueError(f'holds {count} numbers')
            self._keep(ticks.nanoseconds(int(message.data[0])), topic, message.data)
        else:
            self._keep(_stamp(message.header), topic, message)

    def _keep(self, stamp, topic, message):
        """Keep what is shown once its instant is complete."""
        if abs(stamp) > LONGEST_STAMP:
            raise ValueError(f'is of {stamp} ns, which is no time')
        self._instants.setdefault(stamp, {})[topic] = message
        if len(self._instants) > MOST_WAITING:
            del self._instants[next(iter(self._instants))]

    def flush(self, last=False):
        """Show what is complete: all but the newest instant, and that, too, when no other came."""
        if self._body is None:  # a bag may hold the scenario after the first instants
            return
        due = sorted(self._instants)
        newest = due[-1] if due else None
        if not last and newest != self._newest:
            due = due[:-1]
        self._newest = newest
        instants = [(stamp, self._instants.pop(stamp)) for stamp in due]
        rows = []
        for stamp, topics in instants:
            self._note_start(stamp, topics)
            if 'ground_truth/odometry' in topics:
                rows.append(self._row(stamp, topics))
        if not rows:
            return
        self._show.add(samples_of(rows))
        sheets, self._sheets = self._sheets, []
        for stamp, sheet in sheets:
            self._show.scene.add_floor(max(stamp, rows[0][0]), sheet)
        self._show_contact(instants)
        self._show_pointing(instants, rows)

    def _on_scenario(self, text):
        if text == self._text:
            return
        self.flush(last=True)
        found, left_out = untrusted_scenario.parse(text, draws_any_floor=False)
        if left_out and left_out not in self._said:
            self._said.add(left_out)
            print(f'attitude-sim: {left_out}', file=sys.stderr, flush=True)
        self._text, self._body = text, found.plant.body
        self._show.begin(found)

    def _note_start(self, stamp, topics):
        """Take note of a start or a reset, from which a floor's time counts."""
        inputs = topics.get('ground_truth/inputs')
        if inputs is not None and inputs[history.GIVEN]:
            self._start = stamp - ticks.nanoseconds(int(inputs[history.ELAPSED]))

    def _row(self, stamp, topics):
        odometry = topics['ground_truth/odometry']
        q_WB = quaternion(odometry.pose.pose.orientation)
        omega_B = vector(odometry.twist.twist.angular)
        if 'ground_truth/angular_momentum' in topics:
            momentum_W = vector(topics['ground_truth/angular_momentum'].vector)
        else:  # lost on the way
            momentum_W = rotations.rotate(q_WB, self._body.inertia @ omega_B)
        position_W = vector(odometry.pose.pose.position)
        return stamp, stamp - self._start, position_W, q_WB, omega_B, momentum_W

    def _show_contact(self, instants):
        scene = self._show.scene
        for stamp, topics in instants:
            wrench = topics.get('contact/wrench')
            force_W = vector(wrench.wrench.force) if wrench else np.zeros(3)
            touching = 'contact/point' in topics and bool(np.any(force_W))
            if touching:
                scene.add_contact(stamp, vector(topics['contact/point'].point), force_W)
            elif self._touching:
                scene.add_contact(stamp, None, None)
            self._touching = touching
        if self._mode:
            scene.log('contact/mode', rr.TextLog(self._mode), instants[-1][0])
            self._mode = ''

    def _show_pointing(self, instants, rows):
        for _, topics in instants:
            if 'control/reference' in topics:
                self._reference_WR = quaternion(topics['control/reference'].pose.orientation)
        if self._reference_WR is None:
            return
        self._show.show_pointing()
        errors = [rotations.angle_between(self._reference_WR, row[3]) for row in rows]
        stamps = np.array([row[0] for row in rows])
        self._show.scene.add_plot('pointing_error', stamps, np.degrees(errors))


def vector(message):
    """Return (3,) of a Vector3 or Point."""
    return np.array((message.x, message.y, message.z))


def quaternion(message):
    """Return (4,) w, x, y, z of a Quaternion."""
    return np.array((message.w, message.x, message.y, message.z))


def _stamp(header):
    return header.stamp.sec * 1_000_000_000 + header.stamp.nanosec
