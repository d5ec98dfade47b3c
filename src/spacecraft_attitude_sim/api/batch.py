# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The Batch of the front door: it takes scenarios, too, and says what it waits for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.api.waiting import Waiting
from spacecraft_attitude_sim.configuration.scenario import Scenario
from spacecraft_attitude_sim.core.batch import batch
from spacecraft_attitude_sim.flight.flight import OWN

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.batch import CompiledLaw, Law
    from spacecraft_attitude_sim.core.batch.python_law import PythonLaw
    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.flight.flight import Controller

# Fewer ticks, times bodies, take less than a thread that watches them.
FEW = 10_000
# So many ticks, times bodies, are advanced before the progress is shown again.
STRETCH = 100_000


class Batch(batch.Batch):
    """Simulate N bodies together on all cores; each gets the bits that it would get alone.

        crafts = [sas.load(base, angular_velocity=rate) for rate in rates]
        batch = Batch(crafts, controller=my_law)   # as sas.simulate flies each
        batch.advance(ticks=320)
        batch.states                               # (N, 13)

    It says on a terminal and in a notebook what it waits for if that takes longer than a second.

    bodies: N Scenarios, with actuators, environment and sensors; or N RigidBody, or their numbers
        (N, 12) as RigidBody.flat gives them, with the parts that you give below
    states: leave it out with Scenarios. Else N State, or their numbers (N, 13): position [m],
        attitude (quaternion w, x, y, z, body to world), momentum [N s] and angular momentum about
        the centre of mass [N m s]; the three vectors are in world axes
    controller: of Scenarios, as in sas.simulate: a function that is called with the Readings of
        each body in every tick, a class that is called once for each body, 'own' for the
        attitude_controllers of the scenarios, or None. An object is copied for each body
    law: in place of a controller, one control law for all bodies. It is a function that is called
        every tick with LawReadings and returns torques (N, 3) [N m] in body axes, a dict of
        commands (docs/python.md) or None. It may also be a CompiledLaw, which is faster. If it
        has a method `reset()`, that is called at the start. None holds constant wrenches
    sensors: of Scenarios, whether they are read in every tick; without, a law is told what is
        true. Of others, those of core.batch.sensors
    watched: whether to compute `merits`;  settled_rate: below it a body is at rest [rad/s]
    threads: number of threads; None for one on each core
    options: of bodies that are no Scenarios. gravity_W: (3,) for all or (N, 3) [m/s^2], world
        axes. substeps: integration steps in a tick; 0 lets each body choose its own. ticks: Ticks,
        the length of a tick; 1/32 s if you give none. touching: floors, of core.batch.contact.
        gyrostats: ideal wheels or an orbit, of core.batch.gyrostats. actuated: parts with states
        of their own, of core.batch.actuated. With the latter two, `bodies` are without the
        inertia of what turns inside
    A body whose motion or contact cannot be computed is lost: see `lost`.
    Raises ValueError for shapes that do not fit, and for what is not simulated side by side.
    """

    def __init__(
        self,
        bodies: Sequence[Scenario] | Sequence[RigidBody] | Array,
        states: Array | Sequence[State] | None = None,
        *,
        controller: Controller | type | str | None = OWN,
        law: Law | CompiledLaw | PythonLaw | None = None,
        sensors: Any = None,
        watched: bool = False,
        settled_rate: float = 0.0,
        threads: int | None = None,
        **options: Any,
    ) -> None:
        given: dict[str, Any] = {
            'watched': watched,
            'settled_rate': settled_rate,
            'threads': threads,
        }
        plain: Any = bodies
        scenarios = [body for body in bodies if isinstance(body, Scenario)]
        with Waiting():
            chosen = controller is not None and controller != OWN
            if chosen and (law is not None or not scenarios):
                _refuse_controller(beside_law=law is not None)
            if not scenarios:
                if states is None:
                    raise ValueError('give the states of the bodies, or Scenarios in their place')
                super().__init__(plain, states, law=law, sensors=sensors, **given, **options)
                return
            if len(scenarios) < len(bodies) or states is not None or options:
                more = ', '.join(options) or ('states' if states is not None else 'bodies')
                raise ValueError(f'{more} beside Scenarios; a Scenario says all, so leave it out')
            if sensors is not None and not isinstance(sensors, bool):
                raise ValueError(
                    'sensors beside Scenarios, which have their own; leave it out, or give '
                    'sensors=False to read none'
                )
            from spacecraft_attitude_sim.flight import side_by_side

            reads = sensors is not False
            law = _law_of(scenarios, controller, law, reads)
            super().__init__(**side_by_side.arguments_of(scenarios, reads=reads), law=law, **given)

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


def _refuse_controller(*, beside_law: bool) -> None:
    """Raise ValueError for a controller that would command nothing."""
    if beside_law:
        raise ValueError('controller beside law; give one of the two')
    raise ValueError('controller of bodies that are no Scenarios; give a law, or Scenarios')


def _law_of(scenarios: list[Scenario], controller: Any, law: Any, reads: bool) -> Any:
    """Return the law of Scenarios, or of their controllers; compiled where it can be."""
    from spacecraft_attitude_sim.campaigns import flights
    from spacecraft_attitude_sim.flight import side_by_side

    if law is not None or controller is None:
        return law
    if controller == OWN:
        commanded = [scenario.controller is not None for scenario in scenarios]
        if not any(commanded):
            return None
        if not all(commanded):
            raise ValueError(
                'some scenarios have an attitude_controller, and others none; give '
                'controller=None, or a batch to each'
            )
        try:
            law = flights.law_of(scenarios)
            if law.before and not reads:
                raise ValueError('estimators read the sensors; leave sensors=False out')
            return law
        except flights.NotCompiledError as error:  # slower in Python, to the same bits
            if not reads:
                raise flights.NotCompiledError(
                    f'{error}; it flies in Python and reads the sensors: leave sensors=False out'
                ) from None
    if not reads:
        raise ValueError('a controller reads the sensors; leave sensors=False out')
    return side_by_side.Controllers(scenarios, controller)
