# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""How a gyrostat, or a body in a circular orbit, advances by a tick."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.actuators import Drive, Inputs
from spacecraft_attitude_sim.core.actuators.actuator import GYROSTAT
from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.body.state import SIZE, to_flat
from spacecraft_attitude_sim.core.environment.loads import gravity_gradient, uniform_gravity
from spacecraft_attitude_sim.core.simulation import limits
from spacecraft_attitude_sim.core.simulation.gyrostat_truth import constants_of, find_truth
from spacecraft_attitude_sim.core.simulation.stepped import AT_ONCE, Motion, Stepped
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.environment.loads.load import LoadKind
    from spacecraft_attitude_sim.core.mathematics.types import Array, FlatWrench
    from spacecraft_attitude_sim.core.simulation.plant import Plant
    from spacecraft_attitude_sim.core.simulation.stepped import Commands
    from spacecraft_attitude_sim.kernels.kernel import Kernel


class _Gyrostat(NamedTuple):
    """What Loaded knows of a Plant: size of state and momenta, and what `tick` takes.

    seen: of gyrostat_truth.constants_of;  nothing: an empty array
    """

    plant: Plant
    tick: Kernel
    size: int
    constants: Array
    seen: Array
    nothing: Array

    @staticmethod
    def of(plant: Plant, gradient: Array, substeps: int) -> _Gyrostat:
        """Return what is known of a Plant; the others as of Loaded."""
        from spacecraft_attitude_sim.core.equations import loaded

        carrier, wheels = plant.spacecraft.carrier, plant.spacecraft.part('reaction_wheels')
        constants = loaded.CONSTANTS.packed(
            body=carrier.flat(),
            weight_W=carrier.mass * plant.environment.gravity_W,
            gradient=gradient,
            duration=plant.ticks.step,
            substeps=substeps,
            rate=limits.followed_rate(plant),
        )
        if wheels:
            constants = np.concatenate((constants, wheels.axes_B.ravel()))
        size = SIZE + (wheels.number if wheels else 0)
        seen = constants_of(plant.spacecraft, plant.environment, gradient)
        return _Gyrostat(plant, loaded.tick, size, constants, seen, np.zeros(0))


@dataclass(frozen=True, kw_only=True)
class Loaded(Stepped):
    """A gyrostat, or a body under loads of its environment, in the momentum form.

    gradient: (13,) of core.environment.circular_orbit.CIRCLE
    """

    gradient: Array
    contact: None = None
    # Of the latest Plant.
    _known: list[_Gyrostat] = field(default_factory=list, init=False, repr=False, compare=False)
    motion: ClassVar[str] = 'a body with ideal wheels or in a circular orbit'
    in_batch: ClassVar[str] = 'gyrostats'

    @property
    def integrates(self) -> tuple[LoadKind, ...]:
        """The kinds of loads that core.equations.loaded knows."""
        return uniform_gravity.KIND, gravity_gradient.KIND

    def advance(
        self, plant: Plant, state: State, contact: Array | None, inputs: Inputs, elapsed: int
    ) -> Motion:
        """Return the Motion of a tick; see Solver."""
        row = self._row(plant, state, inputs, elapsed)
        size = len(row) - GYROSTAT.size
        after = self._state_in(row, size)
        return Motion(after, None, Drive(inputs.wrench, row[size:], after.internal))

    def next_state(self, plant: Plant, state: State, inputs: Inputs, elapsed: int) -> State:
        """Return the State one tick later; see Solver."""
        row = self._row(plant, state, inputs, elapsed)
        return self._state_in(row, len(row) - GYROSTAT.size)

    def _row(self, plant: Plant, state: State, inputs: Inputs, elapsed: int) -> Array:
        """Return the row of core.equations.loaded.tick; raises as `advance`."""
        known, torques = self._of(plant), inputs.wheel_torque
        row = np.empty(known.size + GYROSTAT.size)
        # Copies are writable, as the types for which the kernel was compiled.
        asked = known.nothing
        if torques.size and known.size > SIZE:
            asked = np.array(torques, dtype=float)
            if asked.shape != (known.size - SIZE,):
                raise ValueError(
                    f'{known.size - SIZE} wheels take as many torques, not {asked.tolist()}'
                )
        tame = known.tick(
            self._flat(state), row, asked, inputs.wrench.copy(), known.constants,
            plant.ticks.seconds(elapsed),
        )  # fmt: skip
        if not tame:
            limits.check_motion(plant, row[: known.size])
        return row

    def _of(self, plant: Plant) -> _Gyrostat:
        """Return what does not change from tick to tick."""
        for known in self._known:
            if known.plant is plant:
                return known
        known = _Gyrostat.of(plant, self.gradient, self.substeps)
        self._known[:] = [known]
        return known

    def truth(
        self, plant: Plant, state: State, drive: Drive, contact: Array | None, elapsed: int
    ) -> Array:
        """Return the truth, compiled; see Solver."""
        seen = np.empty(kinematics.TRUTH.size)
        # Copies are writable, as the types for which the kernel was compiled.
        find_truth(
            self._flat(state), drive.gyrostat.copy(), drive.wrench.copy(), self._of(plant).seen,
            plant.ticks.seconds(elapsed), seen,
        )  # fmt: skip
        return seen

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

    def trajectory(
        self, plant: Plant, state: State, count: int, wrench: FlatWrench, commands: Commands
    ) -> Array:
        """Return the flat states of `count` ticks; see Solver."""
        from spacecraft_attitude_sim.core.equations import loaded

        known = self._of(plant)
        rows = np.empty((count + 1, known.size))
        rows[0] = to_flat(state)
        torques = commands.get('wheel_torque', np.zeros((count, 0)))
        done, constant = 0, wrench.copy()
        while done < count:
            last = min(done + AT_ONCE, count)
            written = loaded.trajectory(
                rows[done : last + 1].reshape(-1), torques[done:last].reshape(-1), constant,
                known.constants, last - done, done, plant.ticks.tick_ns,
            )  # fmt: skip
            done += abs(written)
            if written < 0:
                limits.check_motion(plant, rows[done])
        return rows
