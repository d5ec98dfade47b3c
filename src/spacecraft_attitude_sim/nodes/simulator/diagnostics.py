# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Publish the status of the simulation once a second (REP-107)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from spacecraft_attitude_sim.core.actuators.inputs import COMMANDED
from spacecraft_attitude_sim.core.spacecraft import internal_telemetry as of_internal
from spacecraft_attitude_sim.core.spacecraft import telemetry
from spacecraft_attitude_sim.kernels import warm_up
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.nodes.ros.sources import node_name
from spacecraft_attitude_sim.nodes.simulator.commands import ACTUATORS, WRENCH
from spacecraft_attitude_sim.safety.quoting import cut

if TYPE_CHECKING:
    from collections.abc import Callable

    from std_msgs.msg import Header

    from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode
    from spacecraft_attitude_sim.nodes.simulator.commands import Commands
    from spacecraft_attitude_sim.nodes.simulator.node import SimulatorNode

    MakeTimer = Callable[[float, Callable[[], object]], object]


PERIOD = 1.0
# The timer fires within this time, unless something blocks it [s].
LATE = 0.1
# A run slower than this share of the requested rate, after its first seconds, gives a warning.
SLOW = 0.95
SETTLED = 2.0
# {topic: description of its held commands}
HELD = {
    one.topic: f'{one.word} {one.modes[0].quantity}s [{one.modes[0].unit}]'
    for one in COMMANDED.values()
}


class StatusPublisher:
    """Publishes one status of a node once a second of wall time.

    timer: makes timers of wall time
    report: returns the header, the level, the message and {key: value}
    """

    def __init__(
        self,
        node: GuardedNode,
        subject: str,
        timer: MakeTimer,
        report: Callable[[], tuple[Header, bytes, str, dict[str, object]]],
    ) -> None:
        self._name = f'{node.get_fully_qualified_name()}: {subject}'
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', 10)
        self._report = report
        self._last = time.monotonic()
        timer(PERIOD, self._publish_when_due)

    def publish_if_late(self) -> None:
        """Publish if the timer is late; you may call it from any thread."""
        if time.monotonic() - self._last > PERIOD + LATE:
            self.publish()

    def _publish_when_due(self) -> None:
        if time.monotonic() - self._last > PERIOD / 2.0:
            self.publish()

    def publish(self) -> None:
        """Publish the current status."""
        self._last = time.monotonic()
        header, level, message, values = self._report()
        status = DiagnosticStatus(
            level=level,
            name=self._name,
            message=message,
            hardware_id='none',
            values=[KeyValue(key=key, value=str(value)) for key, value in values.items()],
        )
        self._publisher.publish(DiagnosticArray(header=header, status=[status]))


class Diagnostics:
    """The status of a simulator node.

    simulator: with its driver;  commands: Commands
    """

    def __init__(self, simulator: SimulatorNode, commands: Commands) -> None:
        self._simulator, self._commands = simulator, commands
        self._driver, self._run = simulator.driver, simulator.run
        self._last = (time.monotonic(), 0)
        self._status = StatusPublisher(simulator, 'simulation', self._driver.timer, self._report)
        self.publish = self._status.publish

    def publish_if_late(self) -> None:
        """Publish if the timer is late, as during a long tick; you may call it from any thread."""
        self._status.publish_if_late()

    def _report(self) -> tuple[Header, bytes, str, dict[str, object]]:
        (then, tick_then), tick = self._last, self._run.tick
        now = time.monotonic()
        self._last = (now, tick)
        achieved = self._run.ticks.seconds(tick - tick_then) / (now - then)
        header = conversions.header_to_ros(self._run.ticks.stamp(tick), '')
        return header, *self._summary(achieved), self._values(achieved)

    def _summary(self, achieved: float) -> tuple[bytes, str]:
        """Return level and message."""
        run = self._run
        if run.failure:
            return DiagnosticStatus.ERROR, run.failure
        if run.halted:
            return DiagnosticStatus.ERROR, f'paused: {run.halted}'
        if waits_for := self._driver.waits_for():
            return DiagnosticStatus.WARN, waits_for
        if not run.started:
            return DiagnosticStatus.OK, 'waiting for its start'
        if run.paused:
            return DiagnosticStatus.OK, 'paused'
        if warm_up.too_slow(run.rate > 0.0):
            return DiagnosticStatus.OK, warm_up.compiling() or 'waiting for the compiler'
        if run.finished:
            return DiagnosticStatus.OK, 'finished'
        if problem := self._driver.long_tick():
            return DiagnosticStatus.WARN, problem
        if achieved < SLOW * run.rate and run.ticks.seconds(run.tick) > SETTLED:
            return DiagnosticStatus.WARN, f'slower than real-time factor {run.rate:g}'
        if warning := self._driver.warning():
            return DiagnosticStatus.WARN, warning
        if others := self._other_clocks():
            return DiagnosticStatus.WARN, (
                f'/clock is published by {others}, too: simulated time jumps; set publish_clock '
                'to false in all but one'
            )
        if self._simulator.under_resolved():
            return (
                DiagnosticStatus.WARN,
                'under-resolved: rotates too fast for automatic sub-steps',
            )
        return DiagnosticStatus.OK, 'running'

    def _values(self, achieved: float) -> dict[str, object]:
        simulator, run, inbox = self._simulator, self._run, self._commands.inbox
        state = simulator.instant.state
        return {
            'tick': run.tick,
            'simulated time [s]': run.ticks.seconds(run.tick),
            'real-time factor': f'{achieved:.3f}',
            'overruns': run.pacer.overruns,
            'kinetic energy [J]': f'{simulator.plant.spacecraft.kinetic_energy(state):.9g}',
            'angular momentum [N m s]': f'{np.linalg.norm(state.angular_momentum_W):.9g}',
            'command held': inbox.holding,
            'frames of held commands': cut(', '.join(inbox.held_in())),
            'sources of command/wrench': ', '.join(self._commands.sources[WRENCH].names()),
            'commands refused': inbox.refused,
            'last refusal': inbox.last_refusal,
            'commands saturated': inbox.saturated,
            **self._of_tables(),
            **self._of_actuators(),
            **self._of_book(),
            'imu readings saturated': simulator.tally.counts['imu'].limited,
            **self._of_sensors(),
            **self._of_faults(),
            **mishaps(simulator),
        }

    def _of_tables(self) -> dict[str, object]:
        """Return {key: value} about the tables that command, if there are any."""
        tables = self._commands.tables
        return (
            {'tables of commands': cut('; '.join(one.text() for one in tables))} if tables else {}
        )

    def _of_actuators(self) -> dict[str, object]:
        """Return {key: value} about the commands of each kind of actuator."""
        said: dict[str, object] = {}
        for topic, commands in self._commands.actuators.items():
            what = ACTUATORS[topic]
            said |= {
                HELD[topic]: cut(commands.in_words()),
                f'{what} commands taken': commands.taken,
                f'{what} commands saturated': commands.saturated,
                f'sources of {topic}': ', '.join(self._commands.sources[topic].names()),
            }
        return said

    def _of_sensors(self) -> dict[str, object]:
        """Return {key: value} about sensors that may see nothing, if there are any."""
        tally = self._simulator.tally
        if not (texts := tally.texts()):
            return {}
        silent = '; '.join(f'{name}: {why}' for name, why in tally.silent().items())
        given = {name: cut(text) for name, text in texts.items()}
        return {'sensors that see nothing': cut(silent), **given}

    def _of_faults(self) -> dict[str, object]:
        """Return {key: value} about faults, if there may be any."""
        if not (schedule := self._simulator.faults):
            return {}
        return {'faults that act': cut('; '.join(schedule.acting()))}

    def _of_book(self) -> dict[str, object]:
        """Return {key: value} about the energy book and about actuators with states."""
        if not (book := self._simulator.energy_book):
            return {}
        craft, state = self._simulator.plant.spacecraft, self._simulator.instant.state
        entries = book.entries(state)
        said: dict[str, object] = {
            'work of motors [J]': f'{entries.motors:.9g}',
            'heat of friction [J]': f'{entries.heat:.9g}',
            'work of loads [J]': f'{entries.loads:.9g}',
            'energy not in the book [J]': f'{entries.missing:.3g}',
        }
        if craft.part('reaction_wheels') and craft.coupled:
            fast = telemetry.wheels_at_limits(craft, state)
            said['wheels at their largest speed'] = cut(', '.join(fast))
        if craft.part('thrusters'):
            used = craft.part('thrusters').used(craft.states_of('thrusters', state))
            said['propellant used [kg]'] = f'{float(np.sum(used)):.9g}'
        if parts := craft.internal:
            how = of_internal.panels_in_words(parts, of_internal.motions(craft, state))
            if how:
                said['panels'] = cut(', '.join(f'{name} {word}' for name, word in how.items()))
        return said

    def _other_clocks(self) -> str:
        """Return the names of other nodes that also publish /clock, or ''."""
        simulator = self._simulator
        follows = simulator.value('follow_clock')  # the master publishes the clock
        if follows or not simulator.value('publish_clock'):
            return ''
        if simulator.count_publishers('/clock') < 2:
            return ''
        own = simulator.get_fully_qualified_name()
        names = set(map(node_name, simulator.get_publishers_info_by_topic('/clock')))
        return ', '.join(sorted(names - {own} or {own}))


def mishaps(node: GuardedNode) -> dict[str, object]:
    """Return {key: value} about the messages that a GuardedNode could not process."""
    if not node.mishaps:
        return {}
    return {
        'messages that could not be used': node.mishaps.total(),
        'last of them': node.last_mishap,
    }
