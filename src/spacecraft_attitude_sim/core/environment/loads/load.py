# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What a load of the environment declares, and the load on one spacecraft.

A load is written once, as compiled functions. The step of the solver, the IMU, the topic, the
energy budget and the bound on sub-steps call them; called from Python they are plain functions.

They take these arguments:

    sums     (force_B, torque_B, force_W), three floats each; a load adds its own [N, N m]
    parts, row, count
             an array with the constants of the load: `count` rows of its Layout, from `row` on
    whole    mass and inertia of the whole body, seven floats: m, xx, yy, zz, xy, xz, yz
             [kg, kg m^2], body axes
    y        the state: position, q_WB, and what follows; q need not be quite unit
    turn     of `turn_of`
    velocity of the centre of mass, three floats [m/s], world axes
    here     the environment at this instant, of HERE; three floats begin at each index
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_turn
from spacecraft_attitude_sim.core.mathematics.vectors import (
    scaled,
    three_at,
    turned,
    turned_back,
)
from spacecraft_attitude_sim.kernels.kernel import helper
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, Vector3

Sum: TypeAlias = Callable[..., Any]
# force_B, torque_B, force_W: three floats each.
Sums: TypeAlias = 'tuple[Floats, Floats, Floats]'

# The environment at an instant, world axes: unit vector away from the planet; μ/r³ [1/s^2], 0
# without one; magnetic field [T]; velocity of the air minus that of the orbit [m/s]; its density
# [kg/m^3]; rate of change of the field [T/s]; unit vector to the Sun; pressure of its light
# [N/m^2].
HERE = Layout(
    up_W=3, pull=1, field_W=3, wind_W=3, density=1, field_rate_W=3, to_sun_W=3, pressure=1
)
UP, PULL, FIELD, WIND, DENSITY, FIELD_RATE, TO_SUN, PRESSURE = HERE.places()
ZERO = (0.0, 0.0, 0.0)
# Adding it changes no bit, not even the sign of a zero.
NOTHING = ((-0.0, -0.0, -0.0), (-0.0, -0.0, -0.0), (-0.0, -0.0, -0.0))


@dataclass(frozen=True, kw_only=True, eq=False)
class LoadKind:
    """A sort of load. Functions that it leaves out do nothing.

    name: of its topic, ground_truth/disturbance/<name>;  row: Layout of its constants
    pulls: whether it is gravitational, so that an accelerometer does not feel its force
    holds: whether it holds the origin of the body's axes at rest, against every force
    constant: whether it is a constant force in world axes, which a solver has in its wrench
    airy: whether it needs air or sunlight of `here`, which else are not computed

    wrench(sums, parts, row, count, whole, y, turn, velocity, here): add force and torque
    potential(energy, parts, row, count, whole, y, turn, here): add the potential energy [J]
    bound(torque, parts, row, count, whole, inertia, here): add a bound of its torque [N m];
        inertia: of what turns with the body, six floats
    dipole(dipole, parts, row, count): add a dipole [A m^2], three floats, body axes; the step sums
        those of all parts, and adds the torque of the field instead of `wrench`
    gained(torque, parts, row, count, inertia, y, turn, here): add the torque on the inertia that
        the body has gained by motion inside, six floats
    """

    name: str
    row: Layout
    wrench: Sum
    pulls: bool = False
    holds: bool = False
    constant: bool = False
    airy: bool = True
    potential: Sum | None = None
    bound: Sum | None = None
    dipole: Sum | None = None
    gained: Sum | None = None


class Acting(NamedTuple):
    """A load that acts on a spacecraft: its kind, and its constants (count, row size)."""

    kind: LoadKind
    rows: Array


@dataclass(frozen=True, eq=False)
class Load:
    """A load on a spacecraft in its environment, at any instant.

    kind, rows: of Acting;  sample: function of a time [s] that returns HERE, floats
    """

    kind: LoadKind
    rows: Array
    sample: Callable[[float], Floats]

    @property
    def name(self) -> str:
        """As in ground_truth/disturbance/<name>."""
        return self.kind.name

    def wrench(self, body: RigidBody, state: State, time: float) -> tuple[Vector3, Vector3]:
        """Return force_W (3,) at the centre of mass [N] and torque_B (3,) about it [N m].

        body: RigidBody of the whole;  time: since the start [s]
        """
        velocity = tuple((state.momentum_W / body.mass).tolist())
        force_B, torque_B, force_W = self.kind.wrench(
            (ZERO, ZERO, ZERO), self.rows.ravel(), 0, len(self.rows), body.whole,
            _flat(state), turn_of(_flat(state), 1.0), velocity, self.sample(time),
        )  # fmt: skip
        force = np.array(force_W)
        if any(force_B):
            force += rotations.rotate(state.q_WB, force_B)
        return force, np.array(torque_B)

    def force_W(self, body: RigidBody, state: State, time: float) -> Vector3:
        """Return the force (3,) of `wrench`."""
        return self.wrench(body, state, time)[0]

    def torque_B(self, body: RigidBody, state: State, time: float) -> Vector3:
        """Return the torque (3,) of `wrench`."""
        return self.wrench(body, state, time)[1]

    def potential(self, body: RigidBody, state: State, time: float) -> float:
        """Return the potential energy [J], 0 where the load has none."""
        if self.kind.potential is None:
            return 0.0
        energy: float = self.kind.potential(
            0.0, self.rows.ravel(), 0, len(self.rows), body.whole, _flat(state),
            turn_of(_flat(state), 1.0), self.sample(time),
        )  # fmt: skip
        return energy


def _flat(state: State) -> list[float]:
    """Return position and attitude, seven floats."""
    return [*state.position_W.tolist(), *state.q_WB.tolist()]


@helper
def turn_of(y: Array | Floats, u: float) -> Floats:
    """Return u and the matrix of y's quaternion, ten floats; u: 1/|q|²."""
    return (u, *quaternion_turn(y[3], y[4], y[5], y[6]))


@helper
def to_world(turn: Floats, vector_B: Floats) -> Floats:
    """Return a vector in body axes, turned to world axes; turn: of `turn_of`."""
    return scaled(turn[0], turned(turn[1:], vector_B))


@helper
def to_body(turn: Floats, vector_W: Floats, k: int) -> Floats:
    """Return components k to k + 2 of a tuple in world axes, turned to body axes."""
    return scaled(turn[0], turned_back(turn[1:], three_at(vector_W, k)))
