# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What is simulated, in which environment, and by which solver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.body.loads import weight
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.environment import Environment
from spacecraft_attitude_sim.core.environment.circular_orbit import flat_gradient
from spacecraft_attitude_sim.core.environment.loads import (
    air_drag,
    residual_dipole,
    solar_pressure,
)
from spacecraft_attitude_sim.core.environment.loads.load import Acting
from spacecraft_attitude_sim.core.environment.sky import constant_sky
from spacecraft_attitude_sim.core.equations.shared.principal_frame import MOST_STEPS
from spacecraft_attitude_sim.core.faults import on_parts
from spacecraft_attitude_sim.core.faults.fault import Fault
from spacecraft_attitude_sim.core.sensors import Suite
from spacecraft_attitude_sim.core.simulation.solver import Actuated, Free, OnFloor, Solver
from spacecraft_attitude_sim.core.spacecraft import Spacecraft
from spacecraft_attitude_sim.core.ticks import DEFAULT, Ticks

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.body.rigid_body import Computed
    from spacecraft_attitude_sim.core.contact.model import ContactModel
    from spacecraft_attitude_sim.core.environment.around import Surroundings
    from spacecraft_attitude_sim.core.environment.circular_orbit import CircularOrbit
    from spacecraft_attitude_sim.core.environment.plates import Plates
    from spacecraft_attitude_sim.core.mathematics.types import (
        Array,
        Vector3,
    )
    from spacecraft_attitude_sim.core.parts.magnetorquers.description import Magnetorquers
    from spacecraft_attitude_sim.core.parts.part import Part


# Least accuracy that can be asked for [rad/s]: rounding adds about 1e-15 rad a tick.
LEAST_ACCURACY = 1e-13


class Plant(NamedTuple):
    """What is simulated and how; constant during a run.

    accuracy: largest error that automatic sub-steps may add to the attitude [rad/s], 0 for the
        sub-steps that the rate needs
    seed: of the actuators' random streams
    faulty: {numbers of the faults that change a part: (a Plant, the same with these faults)}, the
        latest of each
    """

    spacecraft: Spacecraft
    environment: Environment
    solver: Solver
    ticks: Ticks = DEFAULT
    accuracy: float = 0.0
    seed: int = 0
    faulty: dict[tuple[int, ...], Any] = {}  # Any: mypy does not end at a Plant in a Plant

    @property
    def body(self) -> RigidBody:
        """The whole body, all internal parts locked."""
        return self.spacecraft.body

    @property
    def gravity_W(self) -> Vector3:
        """The uniform gravitational acceleration (3,) [m/s^2]."""
        return self.environment.gravity_W

    @property
    def contact(self) -> ContactModel | None:
        """The contact with a floor, or None."""
        return self.solver.contact

    @property
    def substeps(self) -> int:
        """Steps in a tick; 0 chooses them from the body's rate."""
        return self.solver.substeps

    @property
    def equations(self) -> str:
        """One of core.equations.REGISTRY."""
        return self.solver.equations

    @property
    def gradient(self) -> Array:
        """The flat gravity gradient (13,) of its orbit; zeros without one."""
        spacecraft = self.spacecraft
        return flat_gradient(
            self.environment.turning_orbit, spacecraft.body.inertia, spacecraft.carrier.q_BP
        )

    def under(self, faults: Array) -> Plant:
        """Return the Plant of a tick; faults: of its Inputs."""
        if not (faults.size and faults.any()):
            return self
        craft = self.spacecraft
        acting = tuple(
            number for number in np.flatnonzero(faults).tolist()
            if on_parts.changes(craft.faults[number])
        )  # fmt: skip
        if not acting:
            return self
        kept = self.faulty.get(acting)
        if kept and kept[0].solver is self.solver:
            return kept[1]
        changed = self.with_spacecraft(craft.with_faults(acting))
        self.faulty[acting] = self, changed
        return changed

    def with_spacecraft(self, spacecraft: Spacecraft) -> Plant:
        """Return the Plant with another spacecraft, whose states have the same places."""
        solver = _solver(
            spacecraft, self.environment, self.substeps, self.equations, self.contact, self.seed,
            self.accuracy,
        )  # fmt: skip
        return self._replace(spacecraft=spacecraft, solver=solver, faulty={})

    def with_substeps(self, substeps: int) -> Plant:
        """Return the Plant with another number of steps in a tick."""
        if substeps == self.substeps:
            return self
        return self._replace(solver=self.solver.with_substeps(substeps))

    @property
    def beyond_rigid_body(self) -> str:
        """Text: what makes it more than a rigid body under commands; '' for nothing."""
        return _beyond_rigid_body(self.spacecraft, self.environment)

    def with_equations(self, equations: str) -> Plant:
        """Return the Plant of a free body with other equations of motion.

        Raises ValueError for other than 'momentum' with wheels or in an orbit.
        """
        solver = _solver(
            self.spacecraft, self.environment, self.substeps, equations, None, 0, self.accuracy
        )
        return self._replace(solver=solver)

    def with_contact(self, contact: ContactModel) -> Plant:
        """Return the Plant with another contact.

        Raises ValueError with wheels or in an orbit.
        """
        solver = _solver(
            self.spacecraft, self.environment, self.substeps, 'momentum', contact, 0,
            self.accuracy,
        )  # fmt: skip
        return self._replace(solver=solver)


def plant_of(
    body: RigidBody,
    gravity_W: Vector3 | None = None,
    substeps: int = 0,
    equations: str = 'momentum',
    contact: ContactModel | None = None,
    *,
    parts: tuple[Part | Acting | Fault, ...] = (),
    plates: Plates | None = None,
    seed: int = 0,
    carrier_computed: Computed | None = None,
    orbit: CircularOrbit | None = None,
    surroundings: Surroundings | None = None,
    gradient: bool = True,
    sensors: Suite | None = None,
    magnetic_field_W: Vector3 | None = None,
    ticks: Ticks = DEFAULT,
    accuracy: float = 0.0,
) -> Plant:
    """Return the Plant of these parts, with the solver that they need.

    parts: those of each kind, a Part of core.parts.part; further loads of the environment; and
        faults that parts and sensors may have
    seed: of the actuators' random streams
    gradient: whether the gravity gradient of an orbit exerts its torque
    accuracy: largest error that automatic sub-steps may add to the attitude [rad/s]; 0 chooses
        them from the rate
    Raises ValueError for a combination that cannot be simulated.
    """
    gravity_W = np.zeros(3) if gravity_W is None else gravity_W
    field_W = np.zeros(3) if magnetic_field_W is None else magnetic_field_W
    further = tuple(one for one in parts if isinstance(one, Acting))
    faults = tuple(one for one in parts if isinstance(one, Fault))
    carried: Any = tuple(one for one in parts if not isinstance(one, (Acting, Fault)))
    spacecraft = Spacecraft(
        body, carried, sensors or Suite(), plates, carrier_computed,
        coupled=surroundings is not None or bool(further) or accuracy > 0.0, faults=faults,
    )  # fmt: skip
    if spacecraft.internal:
        _check_followed(spacecraft, ticks.step, substeps)
    _check_friction(spacecraft, ticks.step, substeps)
    outer = (*_on_surface(spacecraft.part('magnetorquers'), plates), *further)
    environment = Environment(gravity_W, field_W, orbit, surroundings, outer, gradient)
    solver = _solver(spacecraft, environment, substeps, equations, contact, seed, accuracy)
    plant = Plant(spacecraft, environment, solver, ticks, accuracy, seed, {})
    _check_faults(plant)
    return plant


def _check_faults(plant: Plant) -> None:
    """Raise ValueError for a fault that changes a part as it cannot be simulated."""
    craft = plant.spacecraft
    changing = [n for n, fault in enumerate(craft.faults) if on_parts.changes(fault)]
    # Each alone, and at worst: all that make friction grow at once.
    growing = [n for n in changing if on_parts.rubs_more(craft.faults[n])]
    for acting in (*((n,) for n in changing), tuple(growing)):
        try:
            _check_friction(craft.with_faults(acting), plant.ticks.step, plant.substeps)
        except ValueError as error:
            said = '; '.join(f'fault.{fault.name} ({fault.text()})' for fault in
                             (craft.faults[n] for n in acting))  # fmt: skip
            raise ValueError(f'{said}: {error}') from None


def _on_surface(magnetorquers: Magnetorquers | None, plates: Plates | None) -> tuple[Acting, ...]:
    """Return the loads on the residual dipole and the plates of a spacecraft."""
    acting = []
    if magnetorquers and np.any(magnetorquers.residual_B):
        acting.append(residual_dipole.acting(magnetorquers.residual_B))
    if plates:
        acting += [air_drag.acting(plates), solar_pressure.acting(plates)]
    return tuple(acting)


def _check_followed(spacecraft: Spacecraft, step: float, substeps: int) -> None:
    """Raise ValueError where no sub-steps can resolve the internal motion; step: of a tick [s]."""
    from spacecraft_attitude_sim.core.equations.multibody import tick

    swing, drain = spacecraft.fastest
    needed = tick.steps_for(swing, drain, step)
    stable = max(swing * step / 2.8, drain * step / 2.7)  # fewer steps, and RK4 is unstable
    if needed > MOST_STEPS or 0 < substeps < stable:
        most = f'{substeps} sub-steps' if substeps else f'{MOST_STEPS} sub-steps at most'
        raise ValueError(
            f'what moves inside swings at {swing:g} rad/s and settles at {drain:g} 1/s, too fast '
            f'for {most} in {step:g} s; give less stiffness or damping, more inertia, or a higher '
            f'tick_rate{" or more substeps" if substeps else ""}'
        )


def _check_friction(spacecraft: Spacecraft, step: float, substeps: int) -> None:
    """Raise ValueError where no sub-steps can resolve viscous friction; step: of a tick [s]."""
    wheels = spacecraft.part('reaction_wheels')
    if not wheels or not any(one.viscous for one in wheels.each):
        return
    from spacecraft_attitude_sim.core.equations.multibody import tick
    from spacecraft_attitude_sim.core.parts.reaction_wheels.description import coupling

    losses = tick.LARGEST_GIVEN_LOSS * substeps
    if not substeps:
        losses = tick.LARGEST_LOSS * tick.MOST_LOSSES
    inverse = spacecraft.carrier.inverse_inertia
    several = zip(wheels.names, wheels.each, wheels.axes_B, wheels.inertias, strict=True)
    for name, one, axis, inertia in several:
        gained = coupling(inertia, axis, inverse)
        rate = one.viscous * gained
        if rate * step > losses:
            most = losses / step
            remedy = 'a higher tick_rate' + (' or more substeps' if substeps else '')
            raise ValueError(
                f'wheel.{name}.friction.viscous is {one.viscous:g} N m s: it takes the speed of a '
                f'wheel of {inertia:g} kg m^2 at {rate:g} 1/s, and '
                f'{substeps or tick.MOST_LOSSES} sub-steps in a tick of {step:g} s follow '
                f'{most:g} 1/s; give at most {most / gained:g} N m s, more inertia, or {remedy}'
            )


def _beyond_rigid_body(spacecraft: Spacecraft, environment: Environment) -> str:
    """Return the text of Plant.beyond_rigid_body."""
    if environment.holds:
        return 'an air bearing'
    if spacecraft.parts:
        return spacecraft.parts[0].title
    if spacecraft.plates:
        return 'surfaces'
    if environment.turning_orbit or environment.surroundings:
        return 'an orbit'
    return f'the load {environment.outer[0].kind.name}' if environment.outer else ''


def _check_held(spacecraft: Spacecraft, orbiting: bool) -> None:
    """Raise ValueError for what an air bearing cannot carry."""
    if orbiting:
        raise ValueError('an air bearing and an orbit exclude each other; leave one out')
    internal = spacecraft.internal
    if internal and (internal.coordinates or internal.pendulums):
        names = ', '.join((*internal.coordinates, *internal.pendulums))
        raise ValueError(
            f'{names} moves inside and would move the centre of mass, which is fixed in a body '
            'on an air bearing; leave it out, or the bearing'
        )


def _check_accuracy(
    accuracy: float, substeps: int, equations: str, contact: ContactModel | None
) -> None:
    """Raise ValueError for what `accuracy` does not go with."""
    if substeps:
        raise ValueError(
            f'substeps is {substeps} and accuracy chooses the sub-steps: leave one of them 0'
        )
    if accuracy < LEAST_ACCURACY:
        raise ValueError(
            f'accuracy is {accuracy:g} rad/s, less than what rounding adds; give 0 or at least '
            f'{LEAST_ACCURACY:g} rad/s'
        )
    if contact:
        raise ValueError(
            'accuracy chooses the sub-steps of a free body; on a floor the contact chooses them: '
            'leave accuracy 0'
        )
    if equations != 'momentum':
        raise ValueError(
            f"equations is '{equations}'; accuracy chooses the sub-steps of 'momentum' alone"
        )


def _solver(
    spacecraft: Spacecraft,
    environment: Environment,
    substeps: int,
    equations: str,
    contact: ContactModel | None,
    seed: int,
    accuracy: float,
) -> Solver:
    """Return the solver that they need; ValueError where there is none for all of them."""
    body, what = spacecraft.body, _beyond_rigid_body(spacecraft, environment)
    if accuracy:
        _check_accuracy(accuracy, substeps, equations, contact)
    if what and equations != 'momentum':
        raise ValueError(f"equations is '{equations}'; with {what} only 'momentum' works")
    falls = environment.orbit or environment.surroundings
    if (what or falls) and contact:
        what = what or 'an orbit'
        instead = '' if environment.holds else "; a laboratory's air bearing is `bearing`"
        raise ValueError(f'{what} and a floor are not simulated together; leave one out{instead}')
    if environment.holds:
        _check_held(spacecraft, orbiting=bool(falls))
    if falls and environment.gravity_W.any():
        raise ValueError(
            f'gravity is {environment.gravity_W.tolist()} m/s^2 in an orbit, whose point falls '
            'freely; leave gravity or the orbit out'
        )
    solver: Solver
    if contact:
        solver = OnFloor(contact=contact, substeps=substeps)
    elif not (what or accuracy):
        solver = Free(equations, substeps, weight(body.mass * environment.gravity_W))
    elif spacecraft.coupled:
        parts = spacecraft.constants(seed, environment.gravity_W, accuracy)
        around = environment.surroundings
        sky = constant_sky(
            body.inertia, environment.turning_orbit, environment.magnetic_field_W,
            around.parameter if around else 0.0,
            whole=any(one.kind.airy for one in environment.outer),
        )  # fmt: skip
        solver = Actuated(parts=parts, sky=sky, substeps=substeps)
    else:
        from spacecraft_attitude_sim.core.simulation.loaded import Loaded

        turning, q_BP = environment.turning_orbit, spacecraft.carrier.q_BP
        solver = Loaded(gradient=flat_gradient(turning, body.inertia, q_BP), substeps=substeps)
    solver.check_loads(environment)
    return solver.with_loads(environment)
