# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""How a state advances by a tick: one solver for a run, chosen by what is simulated."""

from __future__ import annotations

from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core import equations as registry
from spacecraft_attitude_sim.core.actuators import Drive, Inputs
from spacecraft_attitude_sim.core.body import kinematics, loads
from spacecraft_attitude_sim.core.body.state import SIZE, from_flat, to_flat
from spacecraft_attitude_sim.core.environment.loads.registry import LOADS, with_loads
from spacecraft_attitude_sim.core.environment.sky import ticks_in_span
from spacecraft_attitude_sim.core.equations.shared.driver import CONSTANTS, FOUND, SEEN
from spacecraft_attitude_sim.core.equations.shared.principal_frame import substep_count
from spacecraft_attitude_sim.core.mathematics.fixed_order import cross, product
from spacecraft_attitude_sim.core.parts.craft import END
from spacecraft_attitude_sim.core.parts.craft import LOADS as LOADS_PLACE
from spacecraft_attitude_sim.core.simulation import limits
from spacecraft_attitude_sim.core.simulation.actuated_truth import constants_of, find_truth
from spacecraft_attitude_sim.core.simulation.stepped import (
    AT_ONCE,
    MOTORS,
    Motion,
    Solver,
    Stepped,
    felt_wrench,
)
from spacecraft_attitude_sim.core.spacecraft import channels, telemetry
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.contact.model import ContactModel
    from spacecraft_attitude_sim.core.environment import Environment
    from spacecraft_attitude_sim.core.environment.loads.load import LoadKind
    from spacecraft_attitude_sim.core.mathematics.types import Array, FlatWrench, Vector3
    from spacecraft_attitude_sim.core.simulation.instant import Instant
    from spacecraft_attitude_sim.core.simulation.plant import Plant
    from spacecraft_attitude_sim.core.simulation.stepped import Commands
    from spacecraft_attitude_sim.kernels.kernel import Kernel

__all__ = [
    'MOTORS',
    'Actuated',
    'Free',
    'Motion',
    'OnFloor',
    'Solver',
    'Stepped',
    'felt_wrench',
]


@dataclass(frozen=True)
class Free(Stepped):
    """A rigid body under commanded wrenches and uniform gravity: any set of equations.

    weight: (12,) of core.body.loads.weight
    """

    weight: Array = field(default_factory=lambda: loads.weight(np.zeros(3)), compare=False)
    contact: None = None
    # The latest Plant, and its CONSTANTS.
    _known: list[tuple[Plant, Array]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    def advance(
        self, plant: Plant, state: State, contact: Array | None, inputs: Inputs, elapsed: int
    ) -> Motion:
        """Return the Motion of a tick; see Solver."""
        drive, found = Drive(inputs.wrench), np.empty(FOUND.size)
        at, q_WB, momentum, angular_momentum, _ = state
        # A copy is writable, as the types for which the kernel was compiled.
        wrench = drive.wrench.copy()
        constants = self._constants(plant)
        if not self._tick(at, q_WB, momentum, angular_momentum, wrench, constants, found):
            limits.check_motion(plant, found[:SEEN])
        return Motion(from_flat(found[:SEEN]), None, drive, found[SEEN:])

    @cached_property
    def _tick(self) -> Kernel:
        return registry.load(self.equations).tick

    def _constants(self, plant: Plant) -> Array:
        """Return CONSTANTS of a Plant for the kernel `tick`."""
        for known, constants in self._known:
            if known is plant:
                return constants
        body = plant.spacecraft.body
        constants = CONSTANTS.packed(
            body=body.flat(),
            weight=self.weight,
            inverse_inertia=body.inverse_inertia.ravel(),
            magnetic_field_W=plant.environment.magnetic_field_W,
            duration=plant.ticks.step,
            substeps=self.substeps,
            rate=limits.largest_rate(plant),
        )
        self._known[:] = [(plant, constants)]
        return constants

    def steps(self, plant: Plant, state: State, wrench: FlatWrench) -> int:
        """Return the number of steps in a tick; see Solver."""
        if self.substeps:
            return self.substeps
        if registry.REGISTRY[self.equations].exact and loads.leaves_free(wrench):
            return 1
        angle, body = registry.load(self.equations).SUBSTEP_ANGLE, plant.spacecraft.body
        return substep_count(angle, to_flat(state), body.flat(), wrench.copy(), plant.ticks.step)

    def trajectory(
        self, plant: Plant, state: State, count: int, wrench: FlatWrench, commands: Commands
    ) -> Array:
        """Return the flat states of `count` ticks; see Solver."""
        body = plant.spacecraft.body
        total = wrench + self.weight
        trajectory = registry.load(self.equations).trajectory
        return trajectory(
            to_flat(state), body.flat(), total, plant.ticks.step, self.substeps, count
        )


@dataclass(frozen=True, kw_only=True)
class OnFloor(Stepped):
    """A rigid body that may touch a floor: core.contact, in the momentum form."""

    contact: ContactModel
    motion: ClassVar[str] = 'a body on a floor'
    in_batch: ClassVar[str] = 'touching'

    def advance(
        self, plant: Plant, state: State, contact: Array | None, inputs: Inputs, elapsed: int
    ) -> Motion:
        """Return the Motion of a tick; see Solver."""
        from spacecraft_attitude_sim.core.contact import model

        assert contact is not None
        drive = Drive(inputs.wrench)
        state, contact = model.step(self.contact, plant, state, contact, elapsed, drive.wrench)
        limits.check_motion(plant, to_flat(state))
        return Motion(state, contact, drive)

    def steps(self, plant: Plant, state: State, wrench: FlatWrench) -> int:
        """Return the number of steps that a free tick would take; see Solver."""
        return Free('momentum', self.substeps).steps(plant, state, wrench)

    def trajectory(
        self, plant: Plant, state: State, count: int, wrench: FlatWrench, commands: Commands
    ) -> Array:
        """Return the flat states of `count` ticks of a body placed at `state`; see Solver."""
        from spacecraft_attitude_sim.core.contact import model

        state, contact = model.start(self.contact, plant, state)
        return model.trajectory(self.contact, plant, state, contact, count, wrench)[0]


def _from_tick(parts: Array, width: int, number: int) -> Array:
    """Return what follows `number` parts of a width; all where one part is for all ticks."""
    return parts[number * width :] if len(parts) > width else parts


class _Known(NamedTuple):
    """What Actuated knows of a Plant.

    states: size of state and internal states;  thrust: where the thrusters' integrals begin in a
        row of Kernels.advance;  width: of a row;  asked: number of commands in a tick
    rate: largest one of the body [rad/s]
    weight: (12,) of core.body.loads;  seen: of actuated_truth.constants_of
    thrusters: (M,) their largest forces [N], or None;  nothing: an empty array
    """

    plant: Plant
    advance: Kernel
    states: int
    thrust: int
    width: int
    asked: int
    rate: float
    weight: FlatWrench
    seen: Array
    thrusters: Array | None
    nothing: Array

    @staticmethod
    def of(plant: Plant) -> _Known:
        """Return what is known of a Plant."""
        craft = plant.spacecraft
        states, thrusters = SIZE + craft.layout.size, craft.part('thrusters')
        number = craft.places['thrusters'].number
        return _Known(
            plant, craft.kernels.advance, states, states + END.size, states + END.size + number,
            craft.places['end'].command, limits.followed_rate(plant),
            loads.with_gravity(loads.FREE, craft.body.mass * plant.environment.gravity_W),
            constants_of(craft, plant.environment, SIZE),
            thrusters.max_forces if thrusters else None, np.zeros(0),
        )  # fmt: skip

    def check(self, row: Array) -> None:
        """Raise ArithmeticError where the motion cannot be followed; row: of Kernels.advance."""
        rate_B = row[self.states : self.thrust][END.of('angular_velocity_B')]
        limits.check_motion(self.plant, row[: self.states], rate_B)


@dataclass(frozen=True, kw_only=True)
class Actuated(Stepped):
    """A spacecraft whose actuators have states of their own: core.equations.multibody.

    parts: its constants;  sky: (70,) of core.environment.sky, with its constant part
    """

    parts: Array
    sky: Array
    contact: None = None
    motion: ClassVar[str] = 'a craft whose parts have states or with loads of its surroundings'
    in_batch: ClassVar[str] = 'actuated'
    # Of the latest Plant.
    _known: list[_Known] = field(default_factory=list, init=False, repr=False, compare=False)
    # A Plant, the tick at which a span begins, and its sky.
    _drawn: list[tuple[Plant, int, Array]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    @property
    def integrates(self) -> tuple[LoadKind, ...]:
        """All kinds of loads: its step calls those of the registry."""
        return LOADS

    def with_loads(self, environment: Environment) -> Actuated:
        """Return the solver with the constants of loads; see Solver."""
        return replace(self, parts=with_loads(self.parts, LOADS_PLACE, environment.loads))

    def advance(
        self, plant: Plant, state: State, contact: Array | None, inputs: Inputs, elapsed: int
    ) -> Motion:
        """Return the Motion of a tick; see Solver."""
        known, row = self._row(plant, state, inputs, elapsed)
        after, thrust = self._state_in(row, known.states), row[known.thrust :]
        if known.thrusters is not None:
            thrust = thrust / plant.ticks.step * known.thrusters
        end = row[known.states : known.thrust]
        return Motion(after, None, Drive(inputs.wrench, end=end, thrust=thrust))

    def next_state(self, plant: Plant, state: State, inputs: Inputs, elapsed: int) -> State:
        """Return the State one tick later; see Solver."""
        known, row = self._row(plant, state, inputs, elapsed)
        return self._state_in(row, known.states)

    def _row(
        self, plant: Plant, state: State, inputs: Inputs, elapsed: int
    ) -> tuple[_Known, Array]:
        """Return what is known, and the row of Kernels.advance; raises as `advance`."""
        known, wrench = self._of(plant), inputs.wrench
        row = np.empty(known.width)
        tame = known.advance(
            self._flat(state), row, self.parts, plant.spacecraft.commands(inputs),
            known.weight if wrench is loads.FREE else self._wrench(plant, inputs),
            self._sky(plant, elapsed), 1, elapsed, plant.ticks.tick_ns, self.substeps, known.rate,
        )  # fmt: skip
        if tame < 0:
            known.check(row)
        return known, row

    def _ticked(
        self, plant: Plant, begin: Array, commands: Array, wrenches: Array, skies: Array,
        ticks: range,
    ) -> Array:  # fmt: skip
        """Return the rows of Kernels.advance of some ticks, one after the other.

        begin: (13 + n,) state and internal states, more may follow
        commands and wrenches, skies: as of Kernels.advance
        Raises ArithmeticError where the motion cannot be followed.
        """
        known, count, done = self._of(plant), len(ticks), 0
        rows = np.empty((count, known.width))
        while done < count:
            written = known.advance(
                begin, rows[done:].reshape(-1), self.parts, commands, wrenches, skies,
                count - done, ticks.start + done, plant.ticks.tick_ns, self.substeps, known.rate,
            )  # fmt: skip
            done += abs(written)
            if written < 0:
                known.check(rows[done - 1])
            if done < count:  # check_motion found nothing
                begin = rows[done - 1]
                commands = _from_tick(commands, known.asked, abs(written))
                wrenches = _from_tick(wrenches, len(known.weight), abs(written))
                skies = _from_tick(skies, len(self.sky), abs(written))
        return rows

    def _of(self, plant: Plant) -> _Known:
        """Return what does not change from tick to tick."""
        for known in self._known:
            if known.plant is plant:
                return known
        known = _Known.of(plant)
        self._known[:] = [known]
        return known

    def _sky(self, plant: Plant, elapsed: int) -> Array:
        """Return the sky of the tick that begins after `elapsed` ticks."""
        around, ticks = plant.environment.surroundings, plant.ticks
        if around is None:
            return self.sky
        begin = elapsed - elapsed % ticks_in_span(ticks.tick_ns)
        for known, first, sky in self._drawn:
            if known is plant and first == begin:
                around.flat(ticks.seconds(elapsed), ticks.seconds(elapsed + 1))  # or it raises
                return sky
        sky = around.skies(self.sky, range(elapsed, elapsed + 1), ticks.tick_ns)
        self._drawn[:] = [(plant, begin, sky)]
        return sky

    def _wrench(self, plant: Plant, inputs: Inputs) -> FlatWrench:
        weight_W = plant.spacecraft.body.mass * plant.environment.gravity_W
        return loads.with_gravity(inputs.wrench, weight_W)

    def truth(
        self, plant: Plant, state: State, drive: Drive, contact: Array | None, elapsed: int
    ) -> Array:
        """Return the truth from what the kernel found at the end of the tick; see Solver."""
        known, surroundings = self._of(plant), plant.environment.surroundings
        end = drive.end if drive.end.size else self.end_of(plant, state, elapsed)
        around = known.nothing
        if surroundings is not None:
            around = surroundings.at(plant.ticks.seconds(elapsed))
        seen = np.empty(kinematics.TRUTH.size + len(around))
        wrench = drive.wrench.copy()  # writable, as the types for which the kernel was compiled
        find_truth(self._flat(state), end, wrench, around, known.seen, seen)
        return seen

    def commanded_torque_B(self, plant: Plant, instant: Instant) -> Vector3:
        """Return the torque of the commands at an Instant; see Solver."""
        now = channels.moment_of(plant.spacecraft, instant.state, instant.inputs, instant.drive)
        parts_B = telemetry.torque_B(
            now, plant.environment, instant.elapsed_time, plant.ticks.step
        )
        return instant.applied_B[3:6] + parts_B

    def turning_wrench(self, plant: Plant, instant: Instant) -> FlatWrench:
        """Return the wrench on the carrier; its torque is J dω/dt + ω × L, from any cause."""
        state, drive = instant.state, instant.drive
        wrench = felt_wrench(plant, state, drive, instant.contact, instant.elapsed)
        seen = kinematics.TRUTH.unpacked(
            self.truth(plant, state, drive, instant.contact, instant.elapsed)
        )
        turning_B = product(
            plant.spacecraft.carrier.inertia, seen['angular_acceleration_B']
        ) + cross(seen['angular_velocity_B'], plant.spacecraft.angular_momentum_B(state))
        force_B, _ = loads.wrench_on_body(wrench, state.q_WB)
        return np.concatenate((force_B, turning_B, np.zeros(6)))

    def end_of(self, plant: Plant, state: State, elapsed: int) -> Array:
        """Return (15,) of core.parts.craft.END of a state at which no tick ended."""
        return plant.spacecraft.kernels.end_of(
            to_flat(state)[:SIZE], state.internal.copy(), self.parts,
            self._wrench(plant, Inputs()), self._sky(plant, elapsed),
            plant.ticks.seconds(elapsed),
        )  # fmt: skip

    def steps(self, plant: Plant, state: State, wrench: FlatWrench) -> int:
        """Return the number of steps in a tick without commands; see Solver."""
        if self.substeps:
            return self.substeps
        return plant.spacecraft.kernels.substep_count(
            to_flat(state)[:SIZE], state.internal.copy(), self.parts, wrench.copy(),
            self._sky(plant, 0), 0.0, plant.ticks.step,
        )  # fmt: skip

    def trajectory(
        self, plant: Plant, state: State, count: int, wrench: FlatWrench, commands: Commands
    ) -> Array:
        """Return the flat states of `count` ticks; see Solver."""
        begin, environment, ticks = to_flat(state), plant.environment, plant.ticks
        total = loads.with_gravity(wrench, plant.spacecraft.body.mass * environment.gravity_W)
        flat = np.empty((count + 1, len(begin)))
        flat[0] = begin
        for first in range(0, count, AT_ONCE):
            several = range(first, min(first + AT_ONCE, count))
            skies = environment.skies(self.sky, several, ticks.tick_ns)
            given = {part: rows[first : several.stop] for part, rows in commands.items()}
            asked, wrenches = plant.spacecraft.commands(Inputs()), total
            if given:
                asked = plant.spacecraft.command_rows(given, len(several)).ravel()
                wrenches = np.tile(total, len(several))
            rows = self._ticked(plant, begin, asked, wrenches, skies, several)
            begin = rows[-1]
            flat[first + 1 : several.stop + 1] = rows[:, : flat.shape[1]]
        return flat
