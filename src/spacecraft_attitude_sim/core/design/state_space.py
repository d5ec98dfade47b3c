# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Linear systems with names: continuous ones, and the same sampled with a hold and delays.

dx/dt = A x + B u        y = C x + D u      or      x[k+1] = A x[k] + B u[k]        y[k] = C x[k]
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spacecraft_attitude_sim.core.mathematics.types import Array, VectorLike

# A delay is whole periods where it is nearer than this to a whole number of them.
WHOLE = 1e-9


@dataclass(frozen=True)
class StateSpace:
    """A linear system of n states, m inputs and p outputs.

    A: (n, n);  B: (n, m);  C: (p, n)
    states, inputs, outputs: their names, each with its unit in brackets
    period: between samples [s], 0 for a continuous system
    direct: D (p, m), what an input that is held does to the outputs at once; None for nothing.
        A sampled system has none: it is seen before its input changes.
    """

    A: Array
    B: Array
    C: Array
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    period: float = 0.0
    direct: Array | None = None

    @property
    def D(self) -> Array:
        """Return the direct part (p, m)."""
        if self.direct is None:
            return np.zeros((len(self.outputs), len(self.inputs)))
        return self.direct

    def selected(self, inputs: Sequence[str], outputs: Sequence[str]) -> StateSpace:
        """Return the system with some of its inputs and outputs, in the order of their names."""
        columns = [self.inputs.index(name) for name in inputs]
        rows = [self.outputs.index(name) for name in outputs]
        return replace(
            self, B=self.B[:, columns], C=self.C[rows], inputs=tuple(inputs),
            outputs=tuple(outputs), direct=self.D[np.ix_(rows, columns)],
        )  # fmt: skip

    def poles(self) -> Any:
        """Return the eigenvalues of A (n,), of a sampled system in the z plane."""
        return np.linalg.eigvals(self.A)

    def response(self, rates: VectorLike) -> Any:
        """Return the frequency response (F, p, m); rates: (F,) [rad/s]."""
        rates = np.atleast_1d(np.asarray(rates, dtype=float))
        points = np.exp(1j * rates * self.period) if self.period else 1j * rates
        unit = np.eye(len(self.states))
        inner = points[:, np.newaxis, np.newaxis] * unit - self.A
        return self.C @ np.linalg.solve(inner, self.B.astype(complex)) + self.D

    def simulated(self, inputs: Array, start: Array | None = None) -> Array:
        """Return the outputs (K + 1, p) of a sampled system; inputs: (K, m);  start: x (n,)."""
        x = np.zeros(len(self.states)) if start is None else np.asarray(start, dtype=float)
        outputs = [self.C @ x]
        for u in inputs:
            x = self.A @ x + self.B @ u
            outputs.append(self.C @ x)
        return np.array(outputs)


@dataclass(frozen=True)
class Held:
    """A continuous system behind a zero-order hold with delays, seen at the end of each period.

    system: the continuous StateSpace;  period: [s]
    transition: (n, n) of its states in a period
    counts: whole periods of the delay of each input (m,)
    new, old: (n, m) effect in a period of what was given that many periods ago, and one more
    """

    system: StateSpace
    period: float
    transition: Array
    counts: tuple[int, ...]
    new: Array
    old: Array

    def response(self, rates: VectorLike) -> Any:
        """Return the frequency response (F, p, m); rates: (F,) [rad/s]."""
        z = np.exp(1j * np.atleast_1d(np.asarray(rates, dtype=float)) * self.period)
        late = z[:, np.newaxis] ** -np.array(self.counts)
        given = late[:, np.newaxis] * (self.new + self.old / z[:, np.newaxis, np.newaxis])
        inner = z[:, np.newaxis, np.newaxis] * np.eye(len(self.transition)) - self.transition
        return (
            self.system.C @ np.linalg.solve(inner, given)
            + self.system.D * (late / z[:, np.newaxis])[:, np.newaxis]
        )

    def state_space(self) -> StateSpace:
        """Return the sampled StateSpace; inputs that are still to act, or seen, are states."""
        system, size = self.system, len(self.transition)
        later = (self.old != 0.0).any(axis=0) | (system.D != 0.0).any(axis=0)
        waiting = [
            (j, ago)
            for j, count in enumerate(self.counts)
            for ago in range(1, count + 1 + bool(later[j]))
        ]
        places = {key: size + k for k, key in enumerate(waiting)}
        A = np.zeros((size + len(waiting),) * 2)
        B = np.zeros((len(A), len(system.inputs)))
        A[:size, :size] = self.transition
        for j, count in enumerate(self.counts):
            for effect, ago in ((self.new, count), (self.old, count + 1)):
                if ago == 0:
                    B[:size, j] += effect[:, j]
                elif (j, ago) in places:
                    A[:size, places[j, ago]] += effect[:, j]
        for (j, ago), at in places.items():
            if ago == 1:
                B[at, j] = 1.0
            else:
                A[at, places[j, ago - 1]] = 1.0
        C = np.hstack((system.C, np.zeros((len(system.outputs), len(waiting)))))
        for j, count in enumerate(self.counts):
            if system.D[:, j].any():
                C[:, places[j, count + 1]] = system.D[:, j]
        names = tuple(f'{system.inputs[j]}, {ago} before' for j, ago in waiting)
        return StateSpace(
            A, B, C, system.states + names, system.inputs, system.outputs, self.period
        )


def sampled(system: StateSpace, period: float, delays: Mapping[str, float]) -> Held:
    """Return a continuous system behind a zero-order hold, seen at the end of each period.

    Exact, also for a delay that is no whole number of periods: then an input acts up to there as
    before, and from there on as given (K. J. Åström and B. Wittenmark, Computer-Controlled
    Systems, 1997, section 2.3).

    period: [s];  delays: of each input by name [s]; those that are not named have none
    """
    transition, new = held(system.A, system.B, period)
    old, counts = np.zeros_like(system.B), []
    for j, name in enumerate(system.inputs):
        count, rest = _split(delays.get(name, 0.0), period)
        if rest:
            column = system.B[:, j : j + 1]
            kept, new[:, j : j + 1] = held(system.A, column, period - rest)
            old[:, j : j + 1] = kept @ held(system.A, column, rest)[1]
        counts.append(count)
    return Held(system, period, transition, tuple(counts), new, old)


def held(A: Array, B: Array, duration: float) -> tuple[Array, Array]:
    """Return exp(A t) (n, n), and its integral over t times B (n, m), at t = duration [s]."""
    from scipy.linalg import expm

    size, inputs = B.shape
    block = np.zeros((size + inputs,) * 2)
    block[:size, :size], block[:size, size:] = A, B
    both = expm(block * duration)
    return both[:size, :size], both[:size, size:]


def _split(delay: float, period: float) -> tuple[int, float]:
    """Return the whole periods of a delay [s], and the rest [s]."""
    count = math.floor(delay / period + WHOLE)
    rest = delay - count * period
    return count, rest if rest > WHOLE * period else 0.0
