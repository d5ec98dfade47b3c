# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What the Driver of a run needs of each of its spacecraft."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.simulation import Instant
    from spacecraft_attitude_sim.core.simulation.plant import Plant
    from spacecraft_attitude_sim.nodes.simulator.commands import Commands


class Status(Protocol):
    """The status that a spacecraft publishes once a second."""

    def publish_if_late(self) -> None:
        """Publish if the timer is late, as during a long tick; called from another thread."""


class RunMember(Protocol):
    """A spacecraft of a run, as its Driver sees it; SimulatorNode is one."""

    @property
    def source(self) -> str:
        """Name of its scenario, for messages."""

    @property
    def scenario(self) -> Scenario:
        """The Scenario in force, which makes its initial Instant."""

    @property
    def plant(self) -> Plant:
        """The Plant, with the sub-steps and the contact in force."""

    @property
    def instant(self) -> Instant:
        """The current Instant."""

    @property
    def commands(self) -> Commands:
        """Its command topics, which also tell whether controllers have answered the tick."""

    @property
    def diagnostics(self) -> Status:
        """Its status."""

    @property
    def streams(self) -> Sequence[Any]:
        """The publishers of topics that come every tick."""

    def heard(self) -> bool:
        """Return whether anybody subscribes to a topic that comes every tick, also to /tf."""

    def value(self, name: str) -> Any:
        """Return the value of a parameter."""

    def set_parameters(self, parameter_list: list[Any]) -> Any:
        """Set rclpy Parameters."""

    def get_namespace(self) -> str:
        """Return its namespace, which is its name in a run of several processes."""

    def resolve_topic_name(self, topic: str) -> str:
        """Return the full name of a topic."""

    def turning(self) -> tuple[float, int]:
        """Return angular rate [rad/s] and number of sub-steps of the tick under way."""

    def warm_up(self) -> None:
        """Compute one tick and discard it, so that its code is compiled."""

    def judge_python(self) -> None:
        """Use compiled code for ticks that need many more sub-steps than Python can take."""

    def initial_again(self) -> Instant:
        """Return the initial Instant for the next tick; ScenarioError if a floor overlaps it."""

    def next_instant(self) -> Instant:
        """Return the Instant of the next tick; MotionError if the equations have no solution."""

    def continue_with(self, instant: Instant, was_set: bool) -> None:
        """Make an Instant the current one; was_set: whether it was set instead of computed."""

    def begin_tick(self) -> None:
        """Count the readings of the current Instant, and wait for its answers."""

    def publish_instant(self) -> None:
        """Publish everything of the current Instant."""

    def show_observers(self) -> None:
        """Pass the current Instant to the observers."""
