# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Where the kinetic energy of a spacecraft with an assembly went since its state was set."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.state import SIZE, to_flat
from spacecraft_attitude_sim.core.mathematics import rotations

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.mathematics.types import Vector3
    from spacecraft_attitude_sim.core.simulation.instant import Instant
    from spacecraft_attitude_sim.core.simulation.plant import Spacecraft


class Entries(NamedTuple):
    """Energies since the state was set [J].

    motors: work of motors and gimbals;  heat: of friction
    loads: work of what acts from outside, impulses among it
    gained: kinetic energy, and that of springs inside
    """

    motors: float
    heat: float
    loads: float
    gained: float

    @property
    def missing(self) -> float:
        """What of the energy is not in the book [J]: 0 but for errors of integration."""
        return self.gained - (self.motors - self.heat + self.loads)


class EnergyBook:
    """Keeps the book of one spacecraft; `begin` it where its state is set.

    spacecraft: Spacecraft with an assembly;  state: State to begin with
    """

    def __init__(self, spacecraft: Spacecraft, state: State) -> None:
        self._spacecraft = spacecraft
        assert spacecraft.assembly
        body = spacecraft.body
        self._parts = spacecraft.assembly.parts(spacecraft.carrier, 0, body.inertia)
        self.begin(state)

    def begin(self, state: State) -> None:
        """Count from a State on."""
        self._first = state
        self._struck = self._braced = 0.0  # work of impulses, and of motors against them [J]

    def follow(self, before: State, instant: Instant) -> None:
        """Count the impulse that acted between the State before and an Instant, if any."""
        impulse = instant.inputs.impulse
        if not loads.acts(impulse):
            return
        craft = self._spacecraft
        after = craft.struck(loads.kicked(before, impulse), impulse)
        then_B, now_B = self._rate_B(before), self._rate_B(after)
        mean_W = rotations.rotate(before.q_WB, (then_B + now_B) / 2.0)
        velocity_W = (craft.origin_velocity_W(before) + craft.origin_velocity_W(after)) / 2.0
        self._struck += float(impulse[0:3] @ velocity_W + impulse[3:6] @ mean_W)
        for kind, parts in (('wheels', craft.wheels), ('gimbals', craft.gyros)):
            if parts and craft.assembly:
                own = before.internal[craft.assembly.layout.of(kind)]
                self._braced += parts.braced(own, now_B - then_B)

    def _rate_B(self, state: State) -> Vector3:
        """Return the angular velocity (3,), what is held in the body turning with it.

        Right after an impulse too, when the momenta of what is held are still those before.
        """
        from spacecraft_attitude_sim.core.equations import actuated

        flat = to_flat(state)[:SIZE]
        rate_B: Vector3 = actuated.motion_of(flat, state.internal.copy(), self._parts)[:3]
        return rate_B

    def entries(self, state: State) -> Entries:
        """Return the Entries until a State."""
        craft = self._spacecraft
        then, now = craft.energy_book(self._first), craft.energy_book(state)
        return Entries(
            now['motors'] - then['motors'] + self._braced,
            now['heat'] - then['heat'],
            now['loads'] - then['loads'] + self._struck,
            _energy(craft, state) - _energy(craft, self._first),
        )


def _energy(craft: Spacecraft, state: State) -> float:
    """Return kinetic energy and that of springs inside [J]."""
    return craft.kinetic_energy(state) + craft.elastic_energy(state)
