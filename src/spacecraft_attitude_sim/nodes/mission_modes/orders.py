# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The latest order of the mission, as a node that follows it keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.nodes.mission_modes import mission_messages
from spacecraft_attitude_sim.nodes.ros import conversions

if TYPE_CHECKING:
    from collections.abc import Callable

    from diagnostic_msgs.msg import DiagnosticArray

    from spacecraft_attitude_sim.core.mission.table import Order


class Orders:
    """Keeps the latest Order and its time.

    check: called with each new Order; raises ValueError for one that cannot be obeyed

    order: None before the first;  time_ns: of the latest message [ns], -1 before the first
    """

    def __init__(self, check: Callable[[Order], object] = lambda order: None) -> None:
        self._check = check
        self.order: Order | None = None
        self.time_ns = -1

    def take(self, message: DiagnosticArray) -> None:
        """Take a message; where its order is wrong, the one before holds, and ValueError."""
        self.time_ns = conversions.nanoseconds_from_ros(message.header.stamp)
        order = mission_messages.order_of(message)
        if order != self.order:
            self._check(order)
            self.order = order

    def are_of(self, time_ns: int) -> bool:
        """Return whether the order is that of a time [ns]."""
        return self.time_ns == time_ns
