# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Energy budget of a spacecraft with actuators: where its kinetic energy came from and went to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.state import SIZE, to_flat
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.fixed_order import product
from spacecraft_attitude_sim.core.simulation.solver import MOTORS, felt_wrench

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.mathematics.types import Vector3
    from spacecraft_attitude_sim.core.simulation.instant import Instant
    from spacecraft_attitude_sim.core.simulation.plant import Plant
    from spacecraft_attitude_sim.core.spacecraft import Spacecraft


class Entries(NamedTuple):
    """Energies since the state was set [J].

    motors: work of motors and gimbals;  heat: lost to friction
    loads: work of external loads, impulses included
    gained: change of kinetic and elastic energy
    """

    motors: float
    heat: float
    loads: float
    gained: float

    @property
    def missing(self) -> float:
        """Energy that the budget does not explain [J]: 0 except for errors of integration."""
        return self.gained - (self.motors - self.heat + self.loads)


class EnergyBook:
    """Energy budget of one spacecraft; call `begin` where its state is set.

    spacecraft: Spacecraft that is coupled;  state: State to begin with
    held: whether a bearing takes all forces
    """

    def __init__(self, spacecraft: Spacecraft, state: State, held: bool = False) -> None:
        self._spacecraft, self._fixed = spacecraft, held
        self._parts = spacecraft.constants()
        self._kernels = spacecraft.kernels
        self.begin(state)

    def begin(self, state: State) -> None:
        """Start the budget at a State."""
        craft = self._spacecraft
        self._first, self._first_energy = craft.energy_book(state), _energy(craft, state)
        self._struck = self._held = 0.0  # work of impulses, and of motors that resist them [J]

    def follow(self, before: State, instant: Instant) -> None:
        """Add the impulse, if any, that acted between the State before and an Instant."""
        impulse = instant.inputs.impulse
        if not loads.acts(impulse):
            return
        if self._fixed:
            impulse = np.concatenate((np.zeros(3), impulse[3:6]))
        craft = self._spacecraft
        after = craft.struck(loads.kicked(before, impulse), impulse)
        then_B, now_B = self._rate_B(before), self._rate_B(after)
        mean_W = rotations.rotate(before.q_WB, (then_B + now_B) / 2.0)
        velocity_W = (craft.origin_velocity_W(before) + craft.origin_velocity_W(after)) / 2.0
        self._struck += float(product(impulse[0:3], velocity_W) + product(impulse[3:6], mean_W))
        for part in craft.parts:
            self._held += part.held_work(craft.states_of(part.group, before), now_B - then_B)

    def _rate_B(self, state: State) -> Vector3:
        """Return the angular velocity (3,) with all held parts turning with the body.

        It holds right after an impulse, too, when the momenta of held parts are still the old
        ones.
        """
        flat = to_flat(state)[:SIZE]
        rate_B: Vector3 = self._kernels.motion_of(flat, state.internal.copy(), self._parts)[:3]
        return rate_B

    def entries(self, state: State) -> Entries:
        """Return the Entries from the beginning to a State."""
        craft = self._spacecraft
        then, now = self._first, craft.energy_book(state)
        return Entries(
            now['motors'] - then['motors'] + self._held,
            now['heat'] - then['heat'],
            now['loads'] - then['loads'] + self._struck,
            _energy(craft, state) - self._first_energy,
        )


class IdealBook:
    """Energy budget of ideal wheels by quadrature over each tick; their equations have none.

    The body's angle in a tick follows from rates and accelerations at both ends, to fifth order of
    the tick; external torques are taken as linear in time.

    plant: Plant with ideal wheels;  state: State to begin with
    """

    def __init__(self, plant: Plant, state: State) -> None:
        self._plant = plant
        self.begin(state)

    def begin(self, state: State) -> None:
        """Start the budget at a State."""
        self._first_energy = self._plant.spacecraft.kinetic_energy(state)
        self._motors = self._loads = 0.0

    def follow(self, before: State, instant: Instant) -> None:
        """Add the work done between the State before and an Instant."""
        craft, after = self._plant.spacecraft, instant.state
        wheels = craft.part('reaction_wheels')
        if loads.acts(instant.inputs.impulse):  # it does not change the wheels' momenta
            struck = loads.kicked(before, instant.inputs.impulse)
            self._loads += craft.kinetic_energy(struck) - craft.kinetic_energy(before)
            before = struck
        p_then, p_now = before.momentum_W, after.momentum_W
        self._loads += product(p_now - p_then, p_now + p_then) / (2.0 * craft.body.mass)
        given = after.internal - before.internal
        turned_W = after.angular_momentum_W - before.angular_momentum_W
        if not given.any() and not turned_W.any():
            return
        step = self._plant.ticks.step
        then, now = (self._turning(before, instant, 1), self._turning(after, instant, 0))
        if given.any():
            angle_B = step * ((then[0] + now[0]) / 2.0 + step / 12.0 * (then[1] - now[1]))
            own = step * (before.internal + after.internal) / (2.0 * wheels.inertias)
            turned = own - product(wheels.axes_B, angle_B)
            self._motors += product(given, turned) / step
        if turned_W.any():
            (rate, gained, torque), (rate_now, gained_now, torque_now) = (
                [rotations.rotate(state.q_WB, one_B) for one_B in seen]
                for state, seen in ((before, then), (after, now))
            )
            mean = (rate + rate_now) / 2.0 + step / 12.0 * (gained - gained_now)
            evenly = step / 12.0 * product(rate_now - rate, torque_now - torque)
            self._loads += product(mean, turned_W) + evenly

    def _turning(self, state: State, instant: Instant, earlier: int) -> tuple[Vector3, ...]:
        """Return rate, acceleration and external torque (3,) of a State, body axes.

        instant: at the end of the tick;  earlier: ticks from the State to it
        """
        plant, craft = self._plant, self._plant.spacecraft
        wrench = felt_wrench(plant, state, instant.drive, None, instant.elapsed - earlier)
        _, torque_B = loads.wrench_on_body(wrench, state.q_WB)
        motors = instant.drive.gyrostat[MOTORS]
        return *craft.turning_B(state, torque_B - motors), torque_B

    def entries(self, state: State) -> Entries:
        """Return the Entries from the beginning to a State."""
        craft = self._plant.spacecraft
        gained = craft.kinetic_energy(state) - self._first_energy
        return Entries(self._motors, 0.0, self._loads, gained)


def book_of(plant: Plant, state: State) -> EnergyBook | IdealBook | None:
    """Return a spacecraft's energy budget from a State on; None where it has no actuators."""
    if plant.spacecraft.coupled:
        return EnergyBook(plant.spacecraft, state, plant.environment.holds)
    if plant.spacecraft.part('reaction_wheels') and not plant.contact:
        return IdealBook(plant, state)
    return None


def _energy(craft: Spacecraft, state: State) -> float:
    """Return kinetic and elastic energy [J]."""
    return craft.kinetic_energy(state) + craft.elastic_energy(state)
