# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The Batch of the front door: it is that of core and says what it waits for."""

from __future__ import annotations

import functools
from typing import Any

from spacecraft_attitude_sim.api.waiting import Waiting
from spacecraft_attitude_sim.core.batch import batch

# Fewer ticks, times bodies, take less than a thread that watches them.
FEW = 10_000
# So many ticks, times bodies, are advanced before the progress is shown again.
STRETCH = 100_000


class Batch(batch.Batch):
    """Simulate N bodies together on all cores; each gets the bits that it would get alone.

        batch = Batch([body] * 1000, states)    # RigidBody and State of each
        batch.advance(ticks=320)
        batch.states                            # (1000, 13)

    It says on a terminal and in a notebook what it waits for if that takes longer than a second.

    bodies: N RigidBody, or their numbers (N, 12) as RigidBody.flat gives them
    states: N State, or their numbers (N, 13): position [m], attitude (quaternion w, x, y, z, body
        to world), momentum [N s] and angular momentum about the centre of mass [N m s]; the three
        vectors are in world axes
    gravity_W: (3,) for all or (N, 3) [m/s^2], world axes
    substeps: integration steps in a tick; 0 lets each body choose its own
    law: a control law for all bodies. It is a function that is called every tick with LawReadings
        and returns torques (N, 3) [N m] in body axes, a dict of commands (docs/campaigns.md) or
        None. It may also be a CompiledLaw, which is faster. If it has a method `reset()`, that is
        called at the start. None holds constant wrenches
    watched: whether to compute `merits`;  settled_rate: below it a body is at rest [rad/s]
    threads: number of threads; None for one on each core
    touching: floors, of core.batch.contact. A body whose contact cannot be computed stays where
        it is
    gyrostats: ideal wheels or an orbit, of core.batch.gyrostats; `bodies` are then without the
        inertia of the wheels about their axes
    actuated: actuators with states of their own, of core.batch.actuated; `bodies` are then
        without the inertia of the actuators about their axes. Only a law can read sensors then
    sensors: of core.batch.sensors; they are read in every tick
    ticks: Ticks, the length of a tick; 1/32 s if you give none
    Raises ValueError for shapes that do not fit.
    """

    def __init__(self, *given: Any, **more: Any) -> None:
        with Waiting():
            super().__init__(*given, **more)

    def advance(self, ticks: int = 1) -> None:
        """Advance every body by a number of ticks.

        Raises ValueError where the orbit of a body is not known for this time, or a law fails.
        After an error in a compiled law, bodies are at different ticks.
        """
        if self.count * ticks < FEW:
            super().advance(ticks)
            return
        last = self.tick + ticks
        with Waiting(self.ticks.seconds(self.tick), self.ticks.seconds(last)) as waiting:
            while self.tick < last:
                super().advance(min(last - self.tick, max(1, STRETCH // self.count)))
                waiting.show(self.ticks.seconds(self.tick))


# help shows the arguments of core's.
functools.update_wrapper(Batch.__init__, batch.Batch.__init__)
