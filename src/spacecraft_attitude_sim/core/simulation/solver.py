# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""How a state gets from one tick to the next: chosen once for a run, by what is simulated."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from spacecraft_attitude_sim.core import actuators
from spacecraft_attitude_sim.core import equations as registry
from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.state import from_flat, to_flat
from spacecraft_attitude_sim.core.equations.shared import limits
from spacecraft_attitude_sim.core.equations.shared.principal_frame import substep_count

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.actuators import Drive
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.contact.model import ContactModel
    from spacecraft_attitude_sim.core.mathematics.types import Array, FlatWrench
    from spacecraft_attitude_sim.core.simulation.plant import Plant


class Solver(Protocol):
    """Moves a spacecraft by one tick.

    substeps: steps in a tick; 0 chooses them;  equations: one of core.equations.REGISTRY
    contact: of a body with a floor
    """

    @property
    def substeps(self) -> int: ...  # noqa: D102

    @property
    def equations(self) -> str: ...  # noqa: D102

    @property
    def contact(self) -> ContactModel | None: ...  # noqa: D102

    def with_substeps(self, substeps: int) -> Solver:
        """Return the same solver with another number of steps."""

    def advance(
        self, plant: Plant, state: State, contact: Array | None, drive: Drive, elapsed: int
    ) -> tuple[State, Array | None]:
        """Return State and flat contact one tick later.

        drive: what the actuators do meanwhile;  elapsed: ticks since the start
        Raises ArithmeticError where the motion, ValueError where the contact cannot be followed.
        """

    def steps(self, plant: Plant, state: State, wrench: FlatWrench) -> int:
        """Return the number of steps that a tick from this state on takes."""

    def trajectory(self, plant: Plant, state: State, count: int, wrench: FlatWrench) -> Array:
        """Return the flat states (count + 1, any) of every tick under a held wrench (12,)."""


def _stepped(solver: Solver, plant: Plant, state: State, count: int, wrench: FlatWrench) -> Array:
    """Return what Solver.trajectory does, tick by tick."""
    states = [to_flat(state)]
    for elapsed in range(count):
        inputs = Inputs(wrench)
        drive = actuators.drive(
            plant.spacecraft.actuators, inputs, state.internal, plant.ticks.step
        )
        state, _ = solver.advance(plant, state, None, drive, elapsed)
        states.append(to_flat(state))
    return np.array(states)


Self = TypeVar('Self', bound='Stepped')


@dataclass(frozen=True)
class Stepped:
    """What all solvers have; see Solver."""

    equations: str = 'momentum'
    substeps: int = 0

    def with_substeps(self: Self, substeps: int) -> Self:
        """Return the same solver with another number of steps."""
        return replace(self, substeps=substeps)


@dataclass(frozen=True)
class Free(Stepped):
    """A rigid body that nothing turns but what is commanded: any set of equations.

    weight: (12,) of core.body.loads.weight
    """

    weight: Array = field(default_factory=lambda: loads.weight(np.zeros(3)), compare=False)
    contact: None = None

    def advance(
        self, plant: Plant, state: State, contact: Array | None, drive: Drive, elapsed: int
    ) -> tuple[State, Array | None]:
        """Return the State one tick later, and None; see Solver."""
        body = plant.spacecraft.body
        advance, total = registry.load(self.equations).advance, drive.wrench + self.weight
        flat = advance(to_flat(state), body.flat(), total, plant.ticks.step, self.substeps)
        limits.check_motion(plant, flat)
        return from_flat(flat), None

    def steps(self, plant: Plant, state: State, wrench: FlatWrench) -> int:
        """Return the number of steps in a tick; see Solver."""
        if self.substeps:
            return self.substeps
        if registry.REGISTRY[self.equations].exact and loads.leaves_free(wrench):
            return 1
        angle, body = registry.load(self.equations).SUBSTEP_ANGLE, plant.spacecraft.body
        return substep_count(angle, to_flat(state), body.flat(), wrench.copy(), plant.ticks.step)

    def trajectory(self, plant: Plant, state: State, count: int, wrench: FlatWrench) -> Array:
        """Return the flat states of `count` ticks; see Solver."""
        body = plant.spacecraft.body
        total = wrench + self.weight
        trajectory = registry.load(self.equations).trajectory
        return trajectory(
            to_flat(state), body.flat(), total, plant.ticks.step, self.substeps, count
        )


@dataclass(frozen=True, kw_only=True)
class Loaded(Stepped):
    """A gyrostat, or a body under loads of its environment, in the momentum form.

    gradient: (13,) of core.environment.gravity_gradient.GRAVITY_GRADIENT
    """

    gradient: Array
    contact: None = None

    def advance(
        self, plant: Plant, state: State, contact: Array | None, drive: Drive, elapsed: int
    ) -> tuple[State, Array | None]:
        """Return the State one tick later, and None; see Solver."""
        from spacecraft_attitude_sim.core.equations import loaded

        carrier = plant.spacecraft.carrier
        wrench = loads.with_gravity(drive.wrench, carrier.mass * plant.environment.gravity_W)
        flat = loaded.advance(
            to_flat(state)[:13], carrier.flat(), wrench, drive.gyrostat.copy(),
            self.gradient, plant.ticks.seconds(elapsed), plant.ticks.step, self.substeps,
        )  # fmt: skip
        flat = np.concatenate((flat, drive.internal))
        limits.check_motion(plant, flat)
        return from_flat(flat), None

    def steps(self, plant: Plant, state: State, wrench: FlatWrench) -> int:
        """Return the number of steps in a tick without motor torque; see Solver."""
        from spacecraft_attitude_sim.core.equations import loaded

        spacecraft = plant.spacecraft
        if self.substeps:
            return self.substeps
        gyrostat = np.concatenate((spacecraft.stored_B(state), np.zeros(3)))
        return loaded.substep_count(
            to_flat(state)[:13], spacecraft.carrier.flat(), wrench.copy(), gyrostat,
            self.gradient, plant.ticks.step,
        )  # fmt: skip

    def trajectory(self, plant: Plant, state: State, count: int, wrench: FlatWrench) -> Array:
        """Return the flat states of `count` ticks; see Solver."""
        return _stepped(self, plant, state, count, wrench)


@dataclass(frozen=True, kw_only=True)
class OnFloor(Stepped):
    """A rigid body that may touch a floor: core.contact, in the momentum form."""

    contact: ContactModel

    def advance(
        self, plant: Plant, state: State, contact: Array | None, drive: Drive, elapsed: int
    ) -> tuple[State, Array | None]:
        """Return State and flat contact one tick later; see Solver."""
        from spacecraft_attitude_sim.core.contact import model

        assert contact is not None
        return model.step(self.contact, plant, state, contact, elapsed, drive.wrench)

    def steps(self, plant: Plant, state: State, wrench: FlatWrench) -> int:
        """Return the number of steps that a free tick would take; see Solver."""
        return Free('momentum', self.substeps).steps(plant, state, wrench)

    def trajectory(self, plant: Plant, state: State, count: int, wrench: FlatWrench) -> Array:
        """Return the flat states of `count` ticks of the body put where it is; see Solver."""
        from spacecraft_attitude_sim.core.contact import model

        state, contact = model.start(self.contact, plant, state)
        return model.trajectory(self.contact, plant, state, contact, count, wrench)[0]
