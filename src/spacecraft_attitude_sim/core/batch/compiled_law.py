# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A control law of the user that is compiled: called for each body of a batch in each tick."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.batch.loop import LAW, SEEN_SIZE
from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.vectors import four_at, nine_at, put, three_at
from spacecraft_attitude_sim.core.ticks import seconds_of
from spacecraft_attitude_sim.kernels.kernel import Kernel, compiled_of

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.ticks import Ticks

# What goes before the parameters of the user, and before the memory: the tick in which the law
# failed plus 1, or 0, and what it was shown in it.
CONSTANTS = Layout(tick_ns=1, inverse_inertia=9)
MEMORY = Layout(failed=1, attitude=4, angular_velocity=3)
TICK_NS, INVERSE, PARAMETERS = *CONSTANTS.places('tick_ns', 'inverse_inertia'), CONSTANTS.size
FAILED, ATTITUDE, RATE = MEMORY.places('failed', 'attitude', 'angular_velocity')
OWN = MEMORY.size
ARGUMENTS = f'(float64{", float64[::1]" * 4})'


class CompiledLaw:
    """A control law of a batch that numba compiles.

        def damp(time, attitude, angular_velocity, memory, parameters):
            return -parameters[0] * angular_velocity  # N m

        batch = Batch(bodies, states, law=CompiledLaw(damp, parameters=[2e-3]))

    function: called for each body in each tick with the time [s], the true attitude (4,) w, x, y,
        z and angular velocity (3,) [rad/s] in body axes, and the memory (m,) and parameters (p,)
        of its body. It returns three numbers, a torque [N m] in body axes, which acts until the
        next tick, and may write to its memory
    parameters: (p,) of all bodies, or (N, p);  memory: (m,) or (N, m), at the start

    Compiled in each process, in half a second: the code is not kept on disk.
    Raises ValueError with the reason where it cannot be compiled.
    """

    def __init__(
        self, function: Callable[..., Any], parameters: Any = (), memory: Any = ()
    ) -> None:
        self._function = getattr(function, 'py_func', function)
        self._given = {
            name: np.array(value, dtype=float)
            for name, value in (('parameters', parameters), ('memory', memory))
        }
        try:
            compiled, returned = compiled_of(function, ARGUMENTS)
            _check_returned(returned)
        except ValueError as error:
            raise ValueError(
                f'the law does not compile: {error}; or give law={_name(function)}, a function of '
                'LawReadings in Python'
            ) from None
        self.function = _law_of(compiled)

    def rows(self, inverse: Array, ticks: Ticks) -> tuple[Array, Array]:
        """Return constants and memory (N, any) of a Law; inverse: J^-1 (N, 9) of each body.

        Raises ValueError for parameters or memory of another number of bodies.
        """
        count = len(inverse)
        given = [_rows_for(count, name, value) for name, value in self._given.items()]
        tick_ns = np.full((count, 1), float(ticks.tick_ns))
        return (
            np.hstack((tick_ns, inverse, given[0])),
            np.hstack((np.zeros((count, OWN)), given[1])),
        )

    def check(self, constants: Array, memory: Array, ticks: Ticks) -> None:
        """Raise ValueError where the law failed in a body; constants, memory: (N, any)."""
        failed = np.flatnonzero(memory[:, FAILED])
        if not len(failed):
            return
        first = failed[np.argmin(memory[failed, FAILED])]
        row = memory[first]
        time = ticks.seconds(int(row[FAILED]) - 1)
        attitude, rate, own = np.split(row[ATTITUDE:].copy(), (4, 7))
        try:  # the same in Python says why
            answer = self._function(time, attitude, rate, own, constants[first, PARAMETERS:])
            said = f'returns {answer}; give three finite numbers'
        except Exception as error:  # whatever a function of the user raises  # noqa: BLE001
            said = f'raises {type(error).__name__}: {error}'
        raise ValueError(f'at {time:g} s the law of body {first} {said}')


def _check_returned(kind: Any) -> None:
    """Raise ValueError unless numba's type of what a law returns may be three numbers."""
    from numba import types

    if isinstance(kind, types.Array):
        fits = kind.ndim == 1
    else:
        fits = isinstance(kind, types.BaseTuple) and len(kind) == 3
        fits = fits and all(isinstance(types.unliteral(one), types.Number) for one in kind)
    if not fits:
        raise ValueError(f'it returns {kind}; return three numbers')


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, '__name__', 'it')


def _rows_for(count: int, name: str, value: Array) -> Array:
    if value.ndim == 1 or value.ndim == 2 and len(value) == count:
        return np.broadcast_to(value, (count, value.shape[-1]))
    raise ValueError(
        f'{name} of the law: of shape {value.shape}; give (any,) for all bodies, or ({count}, any)'
    )


def _law_of(compiled: Any) -> Kernel:
    """Return the law_function that calls a compiled function of the user."""

    def law(
        tick: int, flat_state: Array, body: Array, constants: Array, memory: Array, wrench: Array
    ) -> None:
        if memory[FAILED] != 0.0:
            return
        q_WB = four_at(flat_state, 3)
        if len(flat_state) > SEEN_SIZE:
            omega = three_at(flat_state, SEEN_SIZE)
        else:
            L_B = kinematics.seen_from(q_WB, three_at(flat_state, 10))
            stored_B = three_at(flat_state, SIZE)
            omega = kinematics.rate(L_B, nine_at(constants, INVERSE), stored_B)
        put(memory, ATTITUDE, q_WB)
        put(memory, RATE, omega)
        memory[FAILED] = tick + 1.0
        torque = compiled(
            seconds_of(tick, int(constants[TICK_NS])), memory[ATTITUDE:RATE], memory[RATE:OWN],
            memory[OWN:], constants[PARAMETERS:],
        )  # fmt: skip
        if len(torque) == 3:
            x, y, z = float(torque[0]), float(torque[1]), float(torque[2])
            if math.isfinite(x) and math.isfinite(y) and math.isfinite(z):
                wrench[3], wrench[4], wrench[5] = x, y, z
                memory[FAILED] = 0.0

    return Kernel(law, LAW, kept=False)
