# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Subscribes to command/wrench and command/impulse, and refuses aloud what cannot be obeyed."""

from geometry_msgs.msg import WrenchStamped
from rclpy.qos import HistoryPolicy, QoSProfile

from spacecraft_attitude_sim.core import ticks
from spacecraft_attitude_sim.core.commands import CommandInbox, CommandRefusedError
from spacecraft_attitude_sim.nodes import conversions

# No impulse may be dropped for want of a place in a queue.
EVERY_ONE = QoSProfile(history=HistoryPolicy.KEEP_ALL, depth=0)
WARNING_SECONDS = 1.0


class Commands:
    """The command topics of a simulator node and the inbox they fill.

    node: the simulator;  on_answer: called when a command for the present tick has been taken
    """

    def __init__(self, node, scenario, on_answer):
        values = scenario.parameters
        frames = {values['frames.body']: scenario.base_frame, **scenario.application_frames}
        self.inbox = CommandInbox(
            frames,
            values['frames.world'],
            values['command_force_limit'],
            values['command_torque_limit'],
            values['command_timeout'],
        )
        self._node = node
        self._lockstep = values['lockstep']
        self._on_answer = on_answer
        node.create_subscription(WrenchStamped, 'command/wrench', self._on_wrench, EVERY_ONE)
        node.create_subscription(WrenchStamped, 'command/impulse', self._on_impulse, EVERY_ONE)

    def _on_wrench(self, message):
        try:
            self._check_stamp(conversions.nanoseconds_from_ros(message.header.stamp))
            self.inbox.hold(message.header.frame_id, *conversions.wrench_from_ros(message.wrench))
        except CommandRefusedError as reason:
            self._refuse('wrench', reason)
        else:
            self._on_answer()

    def _on_impulse(self, message):
        try:
            self.inbox.strike(
                message.header.frame_id, *conversions.wrench_from_ros(message.wrench)
            )
        except CommandRefusedError as reason:
            self._refuse('impulse', reason)

    def _check_stamp(self, stamp):
        """Refuse a stamp that is not of now; a zero stamp means now, but not in lockstep."""
        now = ticks.nanoseconds(self._node.instant.tick)
        if self._lockstep:
            if not self._node.started:
                raise CommandRefusedError('lockstep has not begun: there is nothing to answer yet')
            if stamp != now:
                raise CommandRefusedError(
                    f'stamp is {stamp} ns, but tick {self._node.instant.tick} is at {now} ns; in '
                    'lockstep a command carries the stamp of the data it answers'
                )
            return
        if stamp > now:
            raise CommandRefusedError(
                f'stamp is {(stamp - now) / 1e9:.6g} s ahead of simulated time; copy it from the '
                'IMU message, use_sim_time, or leave it zero'
            )
        held_for = self.inbox.timeout_ticks * ticks.TICK_NS
        if stamp and now - stamp > held_for:
            raise CommandRefusedError(f'stale: stamped {(now - stamp) / 1e9:.6g} s ago')

    def _refuse(self, kind, reason):
        self.inbox.refuse(f'command/{kind}: {reason}')
        self._node.get_logger().warning(
            f'command/{kind} refused: {reason}', throttle_duration_sec=WARNING_SECONDS
        )
