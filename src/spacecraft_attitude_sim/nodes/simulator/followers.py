# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The master of the clock: takes the ticks of a run whose spacecraft are in several processes.

It publishes each tick (shared_clock.TICK), or only the last of a step by hand. It takes the next
tick when every follower has answered. Results are bit-identical to a run in one process.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.duration import Duration

from spacecraft_attitude_sim.nodes.ros import qos, sources
from spacecraft_attitude_sim.nodes.simulator import shared_clock
from spacecraft_attitude_sim.nodes.simulator.driver import LONGEST_FLUSH, Driver
from spacecraft_attitude_sim.nodes.simulator.lockstep import Lockstep
from spacecraft_attitude_sim.nodes.simulator.shared_clock import Answer, Tick
from spacecraft_attitude_sim.safety.quoting import cut

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rclpy.subscription import MessageInfo

    from spacecraft_attitude_sim.core.simulation.run_state import RunState
    from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode


# Most unexpected spacecraft that are named, and most processes per spacecraft that are told apart.
MOST_NAMED = 8


class MasterDriver(Driver):
    """A Driver that tells followers each tick and waits for their answers.

    names: of the spacecraft that follow; those in this process are removed
    """

    AWAITS = 'a follower or a controller'

    def __init__(self, node: GuardedNode, run: RunState, names: Sequence[str]) -> None:
        super().__init__(node, run)
        self._wanted = names
        self._followers: Followers | None = None
        self._stepping = False

    def start(self) -> None:
        """Begin to tick when the followers and the controllers in lockstep are ready."""
        if self._wanted:
            here = {shared_clock.name_of(one) for one in self.spacecraft}
            names = [name for name in self._wanted if name not in here]
            self._wanted = ()
            if names:
                self._followers = Followers(self._node, self.run, names, self.on_answer)
                self._lockstep = MasterLockstep(self._node, self.run, self, self._followers)
                self.run.answers.append(self._followers.answered)
        self._tell()
        super().start()

    def publish(self) -> None:
        """Publish the current tick of all, then tell the followers to take it."""
        super().publish()
        if not self._stepping:
            self._tell()

    def step(self, count: int) -> None:
        """Take `count` ticks at once; the followers are told only the last."""
        self._stepping = True
        try:
            super().step(count)
        finally:
            self._stepping = False
            self._tell()

    def finish(self) -> None:
        """Tell the followers how the run ended, and send everything that is pending."""
        self._tell(over=True)
        super().finish()
        if self._followers:
            self._followers.flush(LONGEST_FLUSH)

    def warning(self) -> str:
        """Return as text which spacecraft occur twice or are unexpected, or ''."""
        return self._followers.too_many() if self._followers else ''

    @property
    def follower_names(self) -> Sequence[str]:
        """Names of the spacecraft in other processes."""
        return self._followers.names if self._followers else ()

    def _tell(self, over: bool = False) -> None:
        if self._followers:
            self._followers.tell(over)


class MasterLockstep(Lockstep):
    """Waits for followers in the same way as for controllers.

    followers: Followers
    """

    def __init__(
        self, node: GuardedNode, run: RunState, driver: Driver, followers: Followers
    ) -> None:
        super().__init__(node, run, driver)
        self._followers = followers

    def ready(self) -> bool:
        """Return whether the run may start; if not, call `driver.start` again later."""
        return super().ready() and self._followers.ready()

    def waits_for(self) -> str:
        """Return as text what the run waits for and what may help; '' for nothing."""
        if not self._run.started and not self._run.finished:
            if not self._followers.ready():
                return f'the start waits for {self._followers.missing()}'
            if not self._waiting:
                return ''
        return super().waits_for()

    def missing(self) -> str:
        """Return the names of those that have not answered the current tick."""
        return ', '.join(filter(None, (super().missing(), self._followers.missing())))

    def _remedy(self) -> str:
        if self._followers.answered():
            return super()._remedy()
        return (
            'call ~/pause with false when it is back; a restarted follower joins at '
            'the next ~/reset'
        )


class Followers:
    """The followers of a run, as seen by its master.

    names: of their spacecraft;  on_answer: called when all have answered the current tick
    """

    def __init__(
        self,
        node: GuardedNode,
        run: RunState,
        names: Sequence[str],
        on_answer: Callable[[], None],
    ) -> None:
        self.names = tuple(names)
        self._node, self._run, self._on_answer = node, run, on_answer
        self._called = os.urandom(8).hex()
        # {spacecraft: {source: its last Answer}}, the latest at the end
        self._answers: dict[str, dict[bytes, Answer]] = {name: {} for name in names}
        self._sources = sources.Sources(node, shared_clock.ANSWER)
        self._unexpected: set[str] = set()
        self._publisher = node.create_publisher(DiagnosticStatus, shared_clock.TICK, qos.LATCHED)
        node.create_subscription(
            DiagnosticStatus, shared_clock.ANSWER, self._hear, qos.LATCHED_FROM_ALL
        )

    def tell(self, over: bool = False) -> None:
        """Publish the current tick and the state of the run; over: whether the run has ended."""
        run = self._run
        state, text = self._state(over)
        said = Tick(
            self._node.get_fully_qualified_name(), self._called, run.tick, run.elapsed,
            run.ticks.tick_ns, run.rate, state, text, self.names,
        )  # fmt: skip
        self._publisher.publish(shared_clock.tick_to_ros(said))

    def flush(self, seconds: float) -> bool:
        """Wait until the followers have received it; return whether they have."""
        return self._publisher.wait_for_all_acked(Duration(seconds=seconds))

    def answered(self) -> bool:
        """Return whether all have answered the current tick."""
        return all(self._has_answered(name, self._run.tick) for name in self.names)

    def ready(self) -> bool:
        """Return whether all are ready for the first tick."""
        return all(self._has_answered(name, shared_clock.NOT_BEGUN) for name in self.names)

    def missing(self) -> str:
        """Return the followers that have not answered or are not ready, with their texts."""
        tick = self._run.tick if self._run.started else shared_clock.NOT_BEGUN
        late = [name for name in self.names if not self._has_answered(name, tick)]
        return ', '.join(self._described(name) for name in late)

    def too_many(self) -> str:
        """Return as text which spacecraft fly twice, or follow without being expected; or ''."""
        said, twice = [], [name for name, several in self._answers.items() if len(several) > 1]
        if twice:
            there = self._sources.present()
            twice = [name for name in twice if len(self._answers[name].keys() & there) > 1]
        if twice:
            names = ', '.join(sorted(twice))
            said.append(f'several processes simulate {names}, and each answers; end all but one')
        if self._unexpected:
            names = ', '.join(sorted(self._unexpected))
            said.append(f'the run does not wait for {names}: add it to the parameter followers')
        return cut('; '.join(said))

    def _has_answered(self, name: str, tick: int) -> bool:
        """Return whether a follower with this spacecraft has answered; one is enough."""
        return any(
            answer.tick == tick
            and answer.run == self._called
            and answer.level == DiagnosticStatus.OK
            for answer in self._answers[name].values()
        )

    def _described(self, name: str) -> str:
        if not self._answers[name]:
            return f'/{name} (no message from it: start it with follow_clock)'
        *_, answer = self._answers[name].values()
        return f'/{name} ({answer.text})' if answer.text else f'/{name}'

    def _state(self, over: bool) -> tuple[str, str]:
        """Return the state of the run and its reason."""
        run = self._run
        if run.failure:
            return shared_clock.FAILED, run.failure
        if over:
            whole = run.completed and not run.quitting
            return (shared_clock.COMPLETED if whole else shared_clock.QUIT), ''
        if not run.started:
            return shared_clock.WAITING, ''
        if run.halted:
            return shared_clock.HALTED, run.halted
        return (shared_clock.PAUSED if run.paused else shared_clock.RUNNING), ''

    def _hear(self, message: DiagnosticStatus, information: MessageInfo) -> None:
        answer, source = shared_clock.answer_from_ros(message), sources.identity(information)
        ours = set(answer.spacecraft).intersection(self.names)
        for name in answer.spacecraft:
            if name not in ours and len(self._unexpected) < MOST_NAMED:
                self._unexpected.add(cut(name))
        for name in ours:
            several = self._answers[name]
            several.pop(source, None)
            several[source] = answer
            if len(several) > MOST_NAMED:
                del several[next(iter(several))]
        if not ours or answer.run != self._called:
            return
        if answer.level == DiagnosticStatus.ERROR:
            # A follower that has not joined can only fail a start that waits for it.
            if not self._run.finished and (answer.tick == self._run.tick or not self._run.started):
                self._run.fail(f'{answer.follower}: {answer.text}')
        elif self.answered():
            self._on_answer()
