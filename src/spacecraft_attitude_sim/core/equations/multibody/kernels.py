# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The compiled functions of a spacecraft with parts, for sets of kinds.

A spacecraft compiles what it carries: the functions of the smallest set in SETS that has all its
kinds. All sets give the same bits.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.environment.sky import SKY, surrounded
from spacecraft_attitude_sim.core.equations.multibody import moving_origin
from spacecraft_attitude_sim.core.equations.multibody.derivatives import (
    ZERO,
    angular_velocity,
    energies,
    moves,
)
from spacecraft_attitude_sim.core.equations.multibody.end import find_end
from spacecraft_attitude_sim.core.equations.multibody.step import draw_lines
from spacecraft_attitude_sim.core.equations.multibody.tick import (
    load,
    room_for,
    step_count,
    tick,
)
from spacecraft_attitude_sim.core.equations.shared.limits import flies_within
from spacecraft_attitude_sim.core.mathematics.vectors import (
    moved_vector,
    put,
    six_at,
    symmetric_times,
    three_at,
)
from spacecraft_attitude_sim.core.parts.craft import (
    END,
    INERTIA,
    MASS,
    STATES,
    VALUES,
    WORK_SIZE,
)
from spacecraft_attitude_sim.core.parts.kind import phases_of
from spacecraft_attitude_sim.core.parts.registry import INSIDE, NAMES, SLOTS, kind_of
from spacecraft_attitude_sim.core.ticks import seconds_of
from spacecraft_attitude_sim.kernels.kernel import Kernel, helper, part
from spacecraft_attitude_sim.kernels.pointers import borrowed, pointer_to
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import (
        Array,
        FlatState,
        FlatWrench,
        Floats,
    )
    from spacecraft_attitude_sim.core.parts.kind import Phases

# Sets of kinds, the smallest first: what most CubeSats carry, that with fuel, all but internal
# parts, and all.
SETS: dict[str, tuple[str, ...]] = {
    'wheels': ('reaction_wheels', 'magnetorquers'),
    'fuel': ('reaction_wheels', 'magnetorquers', 'viscous_slugs'),
    'rigid': tuple(name for name in NAMES if name not in INSIDE),
    'all': NAMES,
}
END_SIZE, RATE_B = END.size, END.at('angular_velocity_B')
SKY_SIZE, WRENCH_SIZE = SKY.size, 12


@helper
def ticked(
    phases: Phases, state: Array, internal: Array, parts: Array, commands: Array, wrench: Array,
    sky: Array, time: float, duration: float, substeps: int, end: Array, room: Array,
    again: bool,
) -> None:  # fmt: skip
    """Advance `state` and `internal` in place by a tick; arguments as `advance`.

    end: (15,) of END, written; a longer array gets the thrusters' integrals of `advance` behind
        END; nothing is written to an empty one, which saves a tenth of the time
    room: scratch memory of room_of(parts) numbers
    again: whether it is as the tick before left it, of the same spacecraft, whose states are as
        that tick wrote them
    """
    tick(
        phases, pointer_to(state), pointer_to(internal), pointer_to(parts), pointer_to(commands),
        pointer_to(wrench), pointer_to(sky), time, duration, substeps, pointer_to(end),
        len(end) - END_SIZE, pointer_to(room), again,
    )  # fmt: skip


@helper
def room_of(parts: Array) -> int:
    """Return the size of `room` of `ticked`; parts: of core.parts.craft."""
    return room_for(int(parts[VALUES]), int(parts[WORK_SIZE]))


@helper
def doubtful(row: Array, states: int, mass: float, rate: float) -> bool:
    """Return whether limits.check_motion may object to a row of `advanced`; it decides.

    states: size of state and internal states;  rate: largest one of the body [rad/s]
    """
    at, total = states + RATE_B, 0.0
    for j in range(SIZE, states):
        total += row[j]
    turning = row[at] * row[at] + row[at + 1] * row[at + 1] + row[at + 2] * row[at + 2]
    return not (turning < rate * rate and math.isfinite(total) and flies_within(row, mass))


@part
def advanced(
    phases: Phases, begin: Array, rows: Array, parts: Array, commands: Array, wrenches: Array,
    skies: Array, count: int, first: int, tick_ns: int, substeps: int, rate: float,
) -> int:  # fmt: skip
    """Do what Kernels.advance does."""
    width, states = len(rows) // count, SIZE + int(parts[STATES])
    duration, sky = seconds_of(1, tick_ns), SKY_SIZE if len(skies) > SKY_SIZE else 0
    wrench, asked, command = 0, len(commands), 0
    if len(wrenches) > WRENCH_SIZE:
        wrench, asked = WRENCH_SIZE, len(commands) // count
        command = asked
    scratch = np.zeros(room_of(parts))
    room = borrowed(scratch)
    for k in range(count):
        row, before = rows[k * width : (k + 1) * width], begin
        if k > 0:
            before = rows[(k - 1) * width : k * width]
        for j in range(states):
            row[j] = before[j]
        ticked(
            phases, row[0:SIZE], row[SIZE:states], parts,
            commands[k * command : k * command + asked],
            wrenches[k * wrench : k * wrench + WRENCH_SIZE],
            skies[k * sky : k * sky + SKY_SIZE], seconds_of(first + k, tick_ns), duration,
            substeps, row[states:], room, k > 0,
        )  # fmt: skip
        if doubtful(row, states, parts[MASS], rate):
            count = -k - 1
            break
    scratch[0] = 0.0  # keeps it alive until here
    return count


@part
def steps_chosen(
    phases: Phases, flat_state: Array, internal: Array, parts: Array, wrench: Array, sky: Array,
    time: float, duration: float,
) -> int:  # fmt: skip
    """Do what Kernels.substep_count does."""
    y, work = np.zeros(int(parts[VALUES])), np.zeros(int(parts[WORK_SIZE]))
    now, own, constants = pointer_to(y), pointer_to(work), pointer_to(parts)
    states = pointer_to(internal)
    load(phases, pointer_to(flat_state), states, constants, pointer_to(wrench), now, own)
    omega = angular_velocity(phases, now, constants, own)
    steps, _, _ = step_count(phases, now, constants, states, own, sky, time, omega, duration)
    y[0] = work[0]  # keeps both alive until here
    return steps


@part
def end_found(
    phases: Phases, flat_state: Array, internal: Array, parts: Array, wrench: Array, sky: Array,
    time: float,
) -> Array:  # fmt: skip
    """Do what Kernels.end_of does."""
    y, slope = np.zeros(int(parts[VALUES])), np.zeros(int(parts[VALUES]))
    work, end = np.zeros(int(parts[WORK_SIZE])), np.zeros(END_SIZE)
    now, own, constants = pointer_to(y), pointer_to(work), pointer_to(parts)
    states = pointer_to(internal)
    load(phases, pointer_to(flat_state), states, constants, pointer_to(wrench), now, own)
    draw_lines(phases, now, 0.0, constants, own, states)
    find_end(
        phases, now, pointer_to(slope), constants, own, pointer_to(sky), surrounded(sky, time),
        ZERO, False, pointer_to(end),
    )  # fmt: skip
    y[0], slope[0] = work[0], 0.0  # keeps all alive until here
    return end


@part
def motion(
    phases: Phases, state: Array, internal: Array, parts: Array, y: Array, work: Array
) -> Floats:
    """Write y and `work` of a state, with the rates of all parts; return ω, three floats."""
    wrench = np.zeros(12)
    now, own, constants = pointer_to(y), pointer_to(work), pointer_to(parts)
    load(phases, pointer_to(state), pointer_to(internal), constants, pointer_to(wrench), now, own)
    wrench[0] = 0.0  # keeps it alive until here
    return angular_velocity(phases, now, constants, own)


@part
def motion_found(phases: Phases, flat_state: Array, internal: Array, parts: Array) -> Array:
    """Do what Kernels.motion_of does."""
    y, work = np.zeros(int(parts[VALUES])), np.zeros(int(parts[WORK_SIZE]))
    omega = motion(phases, flat_state, internal, parts, y, work)
    kinetic, springs = energies(phases, pointer_to(y), pointer_to(parts), pointer_to(work), omega)
    found = np.zeros(8)
    put(found, 0, omega)
    found[3], found[4] = kinetic, springs
    if moves(phases, parts):
        put(found, 5, three_at(work, moving_origin.VELOCITY))
    y[0] = work[0]  # keeps both alive until here
    return found


@part
def rates_found(phases: Phases, flat_state: Array, internal: Array, parts: Array) -> Array:
    """Do what Kernels.internal_rates_of does."""
    y, work = np.zeros(int(parts[VALUES])), np.zeros(int(parts[WORK_SIZE]))
    omega = motion(phases, flat_state, internal, parts, y, work)
    v = three_at(work, moving_origin.VELOCITY)
    rates = np.zeros(int(parts[VALUES]))
    count = phases.relative_rates(
        0, pointer_to(parts), pointer_to(y), pointer_to(work), omega, v, pointer_to(rates)
    )
    y[0] = work[0]  # keeps both alive until here
    return rates[0:count].copy()


@helper
def stored_beside(L_B: Floats, omega: Floats, parts: Array) -> Floats:
    """Return L_B - J ω, three floats [N m s]; J: inertia of the carrier."""
    return moved_vector(L_B, -1.0, symmetric_times(six_at(parts, INERTIA), omega))


@dataclass(frozen=True)
class Kernels:
    """The compiled functions of a set of kinds; name: in SETS.

    advance(begin, rows, parts, commands, wrenches, skies, count, first, tick_ns, substeps, rate)
    substep_count(flat_state, internal, parts, wrench, sky, time, duration)
    end_of(flat_state, internal, parts, wrench, sky, time)
    motion_of, internal_rates_of(flat_state, internal, parts)

    flat_state: (13,) of core.body.state;  internal, parts, commands: of core.parts.craft
    wrench: (12,) of core.body.loads, constant, gravity's force included [N, N m]
    sky: (70,) of core.environment.sky, in body axes;  time: of the orbit [s]
    duration: [s];  substeps: smallest number of RK4 steps in it, 0 to choose them
    """

    name: str

    @functools.cached_property
    def _phases(self) -> Phases:
        kinds = [(SLOTS[name], kind_of(name)) for name in SETS[self.name]]
        return phases_of(kinds, self.name)

    @functools.cached_property
    def advance(self) -> Kernel:
        """Write a row of each of `count` ticks into `rows`; return how many are written.

        A row has the state (13,), internal states (n,), END (15,), and for each thruster the
        integral (M,) of its force over its largest force [s]. Where limits.check_motion must
        decide about the last row, the negative number is returned.

        begin: (13 + n,) state and internal states, more may follow
        commands and wrenches, skies: those of one tick for all ticks, or those of each tick, one
            after the other
        first: ticks since the start;  tick_ns: of one [ns];  rate: largest of the body [rad/s]
        """
        inner = self._with_phases(advanced)

        def advance(
            begin: Array, rows: Array, parts: Array, commands: Array, wrenches: Array,
            skies: Array, count: int, first: int, tick_ns: int, substeps: int, rate: float,
        ) -> int:  # fmt: skip
            return inner(
                begin, rows, parts, commands, wrenches, skies, count, first, tick_ns, substeps,
                rate,
            )  # fmt: skip

        return self._kernel(advance)

    @functools.cached_property
    def substep_count(self) -> Kernel:
        """Return the number of sub-steps that `advance` chooses without commands."""
        inner = self._with_phases(steps_chosen)

        def substep_count(
            flat_state: FlatState, internal: Array, parts: Array, wrench: FlatWrench, sky: Array,
            time: float, duration: float,
        ) -> int:  # fmt: skip
            return inner(flat_state, internal, parts, wrench, sky, time, duration)

        return self._kernel(substep_count)

    @functools.cached_property
    def end_of(self) -> Kernel:
        """Return END (15,) of a state at which no tick ended."""
        inner = self._with_phases(end_found)

        def end_of(
            flat_state: FlatState, internal: Array, parts: Array, wrench: FlatWrench, sky: Array,
            time: float,
        ) -> Array:  # fmt: skip
            return inner(flat_state, internal, parts, wrench, sky, time)

        return self._kernel(end_of)

    @functools.cached_property
    def motion_of(self) -> Kernel:
        """Return ω (3,) [rad/s], kinetic energy of rotation and elastic energy of springs [J].

        And the velocity of the origin relative to the centre of mass (3,) [m/s], body axes: eight
        numbers.
        """
        inner = self._with_phases(motion_found)

        def motion_of(flat_state: FlatState, internal: Array, parts: Array) -> Array:
            return inner(flat_state, internal, parts)

        return self._kernel(motion_of)

    @functools.cached_property
    def internal_rates_of(self) -> Kernel:
        """Return Spacecraft.internal_rates."""
        inner = self._with_phases(rates_found)

        def internal_rates_of(flat_state: FlatState, internal: Array, parts: Array) -> Array:
            return inner(flat_state, internal, parts)

        return self._kernel(internal_rates_of)

    @functools.cached_property
    def tick(self) -> Callable[..., None]:
        """`ticked` of this set, to be called by compiled code."""
        return self._with_phases(ticked)

    @functools.cached_property
    def motion(self) -> Callable[..., Array]:
        """`motion_of`, to be called by compiled code."""
        return self._with_phases(motion_found)

    def _with_phases(self, function: Any) -> Any:
        """Return a function with the phases of this set as its first argument."""
        phases = self._phases

        def bound(*arguments: Any) -> Any:
            return function(phases, *arguments)

        # Two functions that differ must not have one name: code on disk calls them by name.
        bound.__name__ = bound.__qualname__ = f'{function.__name__}_of_{self.name}'
        return helper(bound)

    def _kernel(self, function: Any) -> Kernel:
        name = function.__name__
        function.__name__ = function.__qualname__ = f'{name}_{self.name}'
        return Kernel(function, found_as=(kernels_named, self.name, name))


@functools.cache
def kernels_named(name: str) -> Kernels:
    """Return the Kernels of a set in SETS."""
    return Kernels(name)


@functools.cache
def kernels_for(kinds: tuple[str, ...]) -> Kernels:
    """Return the Kernels of the smallest set with these kinds, by their names in the registry."""
    aboard = set(kinds)
    name = next(name for name, known in SETS.items() if aboard <= set(known))
    return kernels_named(name)
