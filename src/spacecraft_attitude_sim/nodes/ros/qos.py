# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Quality of service of every topic (REP-2003): reliable, with queues deep enough."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rclpy.topic_endpoint_info import TopicEndpointInfo


# Two seconds of a 32 Hz topic.
STREAM_DEPTH = 64
STREAM_SECONDS = 2.0
STREAM = QoSProfile(depth=STREAM_DEPTH, reliability=ReliabilityPolicy.RELIABLE)
# No message may be dropped because a queue is full; Fast DDS keeps 5000 of each topic.
EVERY_ONE = QoSProfile(
    history=HistoryPolicy.KEEP_ALL, depth=0, reliability=ReliabilityPolicy.RELIABLE
)
# REP-2003: receives from reliable and best-effort sensors, and keeps the newest few messages.
SENSOR = QoSProfile(
    history=HistoryPolicy.KEEP_LAST, depth=8, reliability=ReliabilityPolicy.BEST_EFFORT
)
# A late subscriber receives the last message.
LATCHED = QoSProfile(
    depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)
# Receives the last and all later messages of several latched publishers.
LATCHED_FROM_ALL = QoSProfile(
    history=HistoryPolicy.KEEP_ALL,
    depth=0,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
# A late subscriber receives the last message; the queue holds those of two seconds.
LATCHED_STREAM = QoSProfile(
    depth=64, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)


def stream(rate: float) -> QoSProfile:
    """Return the QoS of a topic that is published every tick; rate: [Hz]."""
    depth = max(STREAM_DEPTH, math.ceil(STREAM_SECONDS * rate))
    return QoSProfile(depth=depth, reliability=ReliabilityPolicy.RELIABLE)


def of_recorder(endpoints: Iterable[TopicEndpointInfo]) -> QoSProfile:
    """Return the QoS that receives every message of a topic's publishers.

    endpoints: their TopicEndpointInfo
    """
    offered = [endpoint.qos_profile for endpoint in endpoints]
    reliable = all(qos.reliability == ReliabilityPolicy.RELIABLE for qos in offered)
    latched = all(qos.durability == DurabilityPolicy.TRANSIENT_LOCAL for qos in offered)
    return QoSProfile(
        history=HistoryPolicy.KEEP_ALL,
        depth=0,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )
