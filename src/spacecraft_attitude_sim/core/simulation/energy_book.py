# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Where the kinetic energy of a spacecraft with actuators went since its state was set."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.state import SIZE, to_flat
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.fixed_order import product
from spacecraft_attitude_sim.core.simulation.tick import MOTORS, felt_wrench

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.mathematics.types import Vector3
    from spacecraft_attitude_sim.core.simulation.instant import Instant
    from spacecraft_attitude_sim.core.simulation.plant import Plant
    from spacecraft_attitude_sim.core.spacecraft import Spacecraft


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
        self._struck += float(product(impulse[0:3], velocity_W) + product(impulse[3:6], mean_W))
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


class IdealBook:
    """Keeps the book of ideal wheels, whose equations keep none: works of a tick by quadrature.

    The angle that the body turns in a tick is found from rates and accelerations at both ends, to
    fifth order of the tick; torques from outside are taken to change evenly.

    plant: Plant with wheels and no assembly;  state: State to begin with
    """

    def __init__(self, plant: Plant, state: State) -> None:
        self._plant = plant
        self.begin(state)

    def begin(self, state: State) -> None:
        """Count from a State on."""
        self._first = state
        self._motors = self._loads = 0.0

    def follow(self, before: State, instant: Instant) -> None:
        """Count what was done between the State before and an Instant."""
        craft, after = self._plant.spacecraft, instant.state
        assert craft.wheels
        if loads.acts(instant.inputs.impulse):  # it leaves what the wheels hold as it is
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
            own = step * (before.internal + after.internal) / (2.0 * craft.wheels.inertias)
            turned = own - product(craft.wheels.axes_B, angle_B)
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
        """Return rate, acceleration and torque from outside (3,), body axes, of a State.

        instant: at the end of the tick;  earlier: ticks before it
        """
        plant, craft = self._plant, self._plant.spacecraft
        assert craft.wheels
        wrench = felt_wrench(plant, state, instant.drive, None, instant.elapsed - earlier)
        _, torque_B = loads.wrench_on_body(wrench, state.q_WB)
        motors = instant.drive.gyrostat[MOTORS]
        acceleration_B = craft.angular_acceleration_B(state, torque_B - motors)
        return craft.angular_velocity_B(state), acceleration_B, torque_B

    def entries(self, state: State) -> Entries:
        """Return the Entries until a State."""
        craft = self._plant.spacecraft
        gained = craft.kinetic_energy(state) - craft.kinetic_energy(self._first)
        return Entries(self._motors, 0.0, self._loads, gained)


def book_of(plant: Plant, state: State) -> EnergyBook | IdealBook | None:
    """Return the book of a spacecraft, begun at a State; None where it has no actuators."""
    if plant.spacecraft.assembly:
        return EnergyBook(plant.spacecraft, state)
    if plant.spacecraft.wheels and not plant.contact:
        return IdealBook(plant, state)
    return None


def _energy(craft: Spacecraft, state: State) -> float:
    """Return kinetic energy and that of springs inside [J]."""
    return craft.kinetic_energy(state) + craft.elastic_energy(state)
