# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What all solvers share: their interface, and what they do alike."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol, TypeVar

import numpy as np

from spacecraft_attitude_sim.core import actuators
from spacecraft_attitude_sim.core.actuators.actuator import GYROSTAT
from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.body.state import from_flat, to_flat
from spacecraft_attitude_sim.core.environment.loads import uniform_gravity
from spacecraft_attitude_sim.core.environment.loads.load import Load
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.actuators import Drive, Inputs
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.contact.model import Contact, ContactModel
    from spacecraft_attitude_sim.core.environment import Environment
    from spacecraft_attitude_sim.core.environment.loads.load import LoadKind
    from spacecraft_attitude_sim.core.mathematics.types import Array, FlatWrench, Vector3
    from spacecraft_attitude_sim.core.simulation.instant import Instant
    from spacecraft_attitude_sim.core.simulation.plant import Plant

    # {part of Inputs: (count, n) of each tick}
    Commands = Mapping[str, Array]

# Most ticks of a trajectory that one call of a kernel computes.
AT_ONCE = 1024
MOTORS = GYROSTAT.of('torque_B')


class Motion(NamedTuple):
    """Result of a tick: State, flat contact (30,) or None, and the actuators' Drive.

    truth: (16,) of core.body.kinematics.TRUTH then, where the solver computed it; or None
    """

    state: State
    contact: Array | None
    drive: Drive
    truth: Array | None = None


class Solver(Protocol):
    """Advances a spacecraft by one tick.

    substeps: steps in a tick; 0 chooses them;  equations: one of core.equations.REGISTRY
    contact: of a body with a floor
    motion: what it moves, for messages
    in_batch: the argument of core.batch.Batch that has what bodies of this motion need, or ''
    """

    @property
    def substeps(self) -> int: ...  # noqa: D102

    @property
    def equations(self) -> str: ...  # noqa: D102

    @property
    def contact(self) -> ContactModel | None: ...  # noqa: D102

    @property
    def motion(self) -> str: ...  # noqa: D102

    @property
    def in_batch(self) -> str: ...  # noqa: D102

    def with_substeps(self, substeps: int) -> Solver:
        """Return the same solver with another number of steps."""

    def check_loads(self, environment: Environment) -> None:
        """Raise ValueError for a load that its steps do not integrate."""

    def with_loads(self, environment: Environment) -> Solver:
        """Return the solver with the constants of the loads that its steps compute."""

    def advance(
        self, plant: Plant, state: State, contact: Array | None, inputs: Inputs, elapsed: int
    ) -> Motion:
        """Return the Motion: State, flat contact and effect of the actuators, one tick later.

        inputs: commands of the tick;  elapsed: ticks since the start
        Raises ArithmeticError where the motion, ValueError where the contact cannot be computed.
        """

    def next_state(self, plant: Plant, state: State, inputs: Inputs, elapsed: int) -> State:
        """Return the State alone that `advance` returns of a body without a floor; same bits."""

    def truth(
        self, plant: Plant, state: State, drive: Drive, contact: Array | None, elapsed: int
    ) -> Array:
        """Return (16,) of kinematics.TRUTH, what sensors measure at the end of a tick.

        In an orbit about the Earth (41,), with what core.sensors.around adds.
        """

    def commanded_torque_B(self, plant: Plant, instant: Instant) -> Vector3:
        """Return the commanded torque (3,) of wrench, impulse and actuators [N m], body axes."""

    def turning_wrench(self, plant: Plant, instant: Instant) -> FlatWrench:
        """Return the wrench (12,) on the carrier: all loads, the motors' torques subtracted."""

    def steps(self, plant: Plant, state: State, wrench: FlatWrench) -> int:
        """Return the number of steps of a tick that begins in this state."""

    def trajectory(
        self,
        plant: Plant,
        state: State,
        count: int,
        wrench: FlatWrench,
        commands: Commands,
    ) -> Array:
        """Return the flat states (count + 1, any) of every tick.

        wrench: (12,) constant;  commands: {part of Inputs: (count, n), a row for each tick}
        """


def felt_wrench(
    plant: Plant, state: State, drive: Drive, contact: Array | None, elapsed: int
) -> FlatWrench:
    """Return all loads except uniform gravity at an instant, as a flat wrench (12,).

    The force of an impact is not included, because it has no duration.
    """
    wrench = drive.wrench
    if contact is not None:
        wrench = wrench + _unpacked(contact).wrench()
    for load in plant.environment.turning:
        time = plant.ticks.seconds(elapsed)
        force_W, torque_B = load.wrench(plant.body, state, time)
        wrench = wrench + np.concatenate((np.zeros(3), torque_B, force_W, np.zeros(3)))
    return wrench


def _unpacked(contact: Array) -> Contact:
    from spacecraft_attitude_sim.core.contact import model

    return model.unpack(contact)


Self = TypeVar('Self', bound='Stepped')


@dataclass(frozen=True)
class Stepped:
    """Common base of all solvers; see Solver."""

    equations: str = 'momentum'
    substeps: int = 0
    motion: ClassVar[str] = 'a free body'
    in_batch: ClassVar[str] = ''
    # The State that the latest tick ended with, and the array that it views.
    _latest: list[tuple[State, Array]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    @property
    def integrates(self) -> tuple[LoadKind, ...]:
        """The kinds of loads that its compiled steps integrate."""
        return (uniform_gravity.KIND,)

    def check_loads(self, environment: Environment) -> None:
        """Raise ValueError for a load that the steps do not integrate.

        Such a load would be published and felt by the IMU, and would not move the spacecraft.
        """
        for load in environment.loads:
            if type(load) is not Load or load.kind not in self.integrates:
                raise ValueError(
                    f"the load '{load.name}' ({type(load).__name__}) is not integrated by the "
                    f'solver {type(self).__name__}, so it would not move the spacecraft; add it '
                    'to core.environment.loads.registry'
                )

    def with_loads(self: Self, environment: Environment) -> Self:
        """Return this solver: it has what it needs of the loads; see Solver."""
        return self

    def with_substeps(self: Self, substeps: int) -> Self:
        """Return the same solver with another number of steps."""
        return replace(self, substeps=substeps)

    def next_state(self, plant: Plant, state: State, inputs: Inputs, elapsed: int) -> State:
        """Return the State one tick later; see Solver."""
        return self.advance(plant, state, None, inputs, elapsed).state  # type: ignore[attr-defined]

    def _state_in(self, row: Array, size: int) -> State:
        """Return the State that the first numbers of a row are, and keep it for `_flat`."""
        state = from_flat(row[:size])
        self._latest[:] = [(state, row)]
        return state

    def _flat(self, state: State) -> Array:
        """Return the flat state (13 + n,) of a State; more may follow."""
        for latest, row in self._latest:
            if latest is state:
                return row
        return to_flat(state)

    def truth(
        self, plant: Plant, state: State, drive: Drive, contact: Array | None, elapsed: int
    ) -> Array:
        """Return the truth of a body without wheels; see Solver."""
        body = plant.spacecraft.body
        return kinematics.truth_of(
            state.q_WB, state.angular_momentum_W, actuators.NO_GYROSTAT,
            felt_wrench(plant, state, drive, contact, elapsed), body.mass, body.inverse_inertia,
            plant.environment.magnetic_field_W,
        )  # fmt: skip

    def commanded_torque_B(self, plant: Plant, instant: Instant) -> Vector3:
        """Return the torque of the commands at an Instant; see Solver."""
        return instant.applied_B[3:6] - instant.drive.gyrostat[MOTORS]

    def turning_wrench(self, plant: Plant, instant: Instant) -> FlatWrench:
        """Return the wrench on the carrier at an Instant; see Solver."""
        drive = instant.drive
        wrench = felt_wrench(plant, instant.state, drive, instant.contact, instant.elapsed)
        if not plant.spacecraft.part('reaction_wheels'):
            return wrench
        return wrench - np.concatenate((np.zeros(3), drive.gyrostat[MOTORS], np.zeros(6)))
