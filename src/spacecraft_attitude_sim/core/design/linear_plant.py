# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The motion of a spacecraft linearised about an attitude and a constant angular velocity.

θ is the small rotation of the body from the reference, δω the change of ω, both in body axes, ξ
the displacements of what moves inside, h the axial momenta of wheels, s that of slugs:

    θ' = δω - ω₀ × θ
    d(δL)/dt + ω₀ × δL + δω × L₀ = δτ            L = M_ωω ω + M_ωξ ξ' + Σ a h + Σ s
    d(δp)/dt - δ(∂T/∂ξ) + d ξ' + k ξ + δ(bᵀ f) = 0        p = M_ξω ω + M_ξξ ξ'
    h' = u - c (h/J - a·δω)        s' = δs × ω₀ + s₀ × δω - c (δs/J - δω)

T is the kinetic energy, f the acceleration of the centre of mass by a constant force on the hub,
c viscous friction; core.design.gimbals adds control moment gyros. It is the linear part of
docs/internal_parts.md (P. C. Hughes, Spacecraft Attitude Dynamics, 1986, chapters 3, 4 and 6;
P. W. Likins, JPL TR 32-1329, 1970). The torque of the environment enters by its derivatives by θ
and ω, of the functions that the simulator calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.body.state import State
from spacecraft_attitude_sim.core.design.gimbals import gimbals_of
from spacecraft_attitude_sim.core.design.moving_parts import (
    Inside,
    inside_of,
    reduced_at_reference,
)
from spacecraft_attitude_sim.core.design.state_space import StateSpace
from spacecraft_attitude_sim.core.environment.loads.load import FIELD, FIELD_RATE, PULL, UP
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from spacecraft_attitude_sim.core.design.gimbals import Gimbals
    from spacecraft_attitude_sim.core.mathematics.types import (
        Array,
        Matrix3,
        Quaternion,
        Vector3,
        VectorLike,
    )
    from spacecraft_attitude_sim.core.parts.thrusters.description import Thruster
    from spacecraft_attitude_sim.core.simulation.plant import Plant

AXES = 'xyz'
# Step of the differences that give the derivatives of torques [rad]; of fourth order, so that
# their error is below 1e-9 of the torque.
STEP = 3e-3
skew = rotations.cross_matrix


class Point(NamedTuple):
    """Where the motion is linearised.

    q_WB: (4,) attitude;  omega_B: (3,) angular velocity, of the reference [rad/s]
    speeds: (N,) of the wheels relative to the body [rad/s]
    acceleration_B: (3,) by a constant force on the hub [m/s^2];  time: since the start [s]
    angles: (G,) of the gimbals of control moment gyros, which are at rest [rad]
    """

    q_WB: Quaternion
    omega_B: Vector3
    speeds: Array
    acceleration_B: Vector3
    time: float = 0.0
    angles: VectorLike = ()


@dataclass(frozen=True)
class LinearPlant:
    """The linear motion of a spacecraft.

    system: StateSpace;  delays: from a command to its effect, by name of the input [s]
    inside: Inside;  speeds: names of the outputs that are speeds of wheels
    """

    system: StateSpace
    delays: dict[str, float]
    inside: Inside
    speeds: tuple[str, ...]


def attitude_names(what: str, unit: str) -> tuple[str, ...]:
    """Return the names of three components, such as attitude.x [rad]."""
    return tuple(f'{what}.{axis} [{unit}]' for axis in AXES)


ATTITUDE, RATE = attitude_names('attitude', 'rad'), attitude_names('rate', 'rad/s')
TORQUE, FORCE = attitude_names('torque', 'N m'), attitude_names('force', 'N')
# A torque that is commanded, beside one that disturbs.
COMMANDED = attitude_names('command.torque', 'N m')


class _Rows:
    """Collects the equations: rows of states, columns of states and of inputs, by name."""

    def __init__(self, states: list[str], inputs: list[str]) -> None:
        self.states, self.inputs = tuple(states), tuple(inputs)
        self.A = np.zeros((len(states), len(states)))
        self.B = np.zeros((len(states), len(inputs)))

    def at(self, *names: str) -> list[int]:
        return [self.states.index(name) for name in names]

    def of(self, *names: str) -> list[int]:
        return [self.inputs.index(name) for name in names]


def linearised(plant: Plant, point: Point) -> LinearPlant:
    """Return the LinearPlant of a Plant at a Point.

    Inputs are torque, force at the origin and commanded torque, body axes, motor torques of
    wheels, mean forces of thrusters, rates of gimbals. Outputs are attitude error, angular
    velocity, speeds of wheels, displacements and their rates, angles of gimbals.
    """
    craft = plant.spacecraft
    gimbals = gimbals_of(craft, point.angles, point.omega_B)
    inside = inside_of(craft, bool(np.any(point.omega_B)), gimbals.inertia)
    wheels, jets = craft.part('reaction_wheels'), craft.part('thrusters')
    names = wheels.names if wheels else ()
    of_wheels = [f'wheel.{name}.momentum [N m s]' for name in names]
    lagging = [name for name, dynamics in zip(names, wheels.each if wheels else (), strict=True)
               if dynamics.torque_lag]  # fmt: skip
    motors = [f'wheel.{name}.motor [N m]' for name in lagging]
    firing = list(zip(jets.names, jets.thrusters, strict=True)) if jets else []
    rising = [f'thruster.{name}.thrust [N]' for name, jet in firing if jet.rise_time]
    slugs = craft.internal.slugs if craft.internal else {}
    of_slugs = [name for slug in slugs for name in attitude_names(f'slug.{slug}', 'N m s')]
    moved = [f'{name} [{unit}]' for name, unit in zip(inside.names, inside.units, strict=True)]
    rates = [f'{name} rate [{unit}/s]'
             for name, unit in zip(inside.names, inside.units, strict=True)]  # fmt: skip
    states = [*ATTITUDE, *moved, *RATE, *rates, *of_wheels, *of_slugs, *motors, *rising]
    states += gimbals.angles
    commands = [f'wheel.{name}.torque [N m]' for name in names]
    commands += [f'thruster.{name}.force [N]' for name, _ in firing]
    rows = _Rows(states, [*TORQUE, *FORCE, *COMMANDED, *commands, *gimbals.rates])
    _move(rows, plant, point, inside, gimbals, moved, rates)
    _turn_wheels(rows, plant, point)
    _fire(rows, firing, inside, plant.body.mass, rates)
    _stir_slugs(rows, plant, point)
    _tilt(rows, point, gimbals)
    _solve(rows, inside, rates)
    speeds = tuple(f'wheel.{name}.speed [rad/s]' for name in names)
    outputs = [*ATTITUDE, *RATE, *speeds, *moved, *rates, *gimbals.angles]
    C = np.zeros((len(outputs), len(states)))
    for row, name in enumerate(outputs):
        if name in rows.states:
            C[row, rows.states.index(name)] = 1.0
    for k, speed in enumerate(speeds):
        C[6 + k] = _speed_row(rows, wheels.axes_B[k], wheels.inertias[k], speed)
    kick = _kick(rows, inside, gimbals, rates)
    system = StateSpace(
        rows.A, rows.B - rows.A @ kick, C, rows.states, rows.inputs, tuple(outputs),
        direct=-C @ kick,
    )  # fmt: skip
    delays = {f'wheel.{name}.torque [N m]': dynamics.dead_time
              for name, dynamics in zip(names, wheels.each if wheels else (), strict=True)
              if dynamics.dead_time}  # fmt: skip
    return LinearPlant(system, delays, inside, speeds)


def _speed_row(rows: _Rows, axis: Vector3, inertia: float, speed: str) -> Array:
    """Return the row of C of a wheel's speed: Ω = h/J - a·ω."""
    row = np.zeros(len(rows.states))
    row[rows.at(speed.replace('.speed [rad/s]', '.momentum [N m s]'))] = 1.0 / inertia
    row[rows.at(*RATE)] = -axis
    return row


def _move(
    rows: _Rows, plant: Plant, point: Point, inside: Inside, gimbals: Gimbals, moved: list[str],
    rates: list[str],
) -> None:  # fmt: skip
    """Write the equations of attitude, body and displacements, but for the mass matrix."""
    theta, omega, xi, dxi = rows.at(*ATTITUDE), rows.at(*RATE), rows.at(*moved), rows.at(*rates)
    A, w, n = rows.A, np.asarray(point.omega_B), len(xi)
    stored_B = _stored(plant, point) + gimbals.stored_B
    L = inside.mass[:3, :3] @ w + stored_B
    A[np.ix_(theta, omega)] += np.eye(3)
    A[np.ix_(theta, theta)] -= skew(w)
    A[np.ix_(xi, dxi)] += np.eye(n)
    A[np.ix_(omega, omega)] += skew(L) - skew(w) @ inside.mass[:3, :3]
    A[np.ix_(omega, dxi)] -= skew(w) @ inside.mass[:3, 3:]
    A[np.ix_(dxi, dxi)] -= np.diag(inside.damping)
    A[np.ix_(dxi, xi)] -= np.diag(inside.stiffness)
    acceleration = np.asarray(point.acceleration_B)
    strength, up_B = _gradient(plant, point)
    for k in range(n):
        changed = inside.inertia_slopes[k] @ w  # of the momentum by ξ_k
        A[omega, dxi[k]] -= changed
        A[omega, xi[k]] -= np.cross(w, changed)
        lever = inside.drift_slopes[k]
        A[omega, xi[k]] -= np.cross(inside.drift[:, k], acceleration)
        A[dxi, xi[k]] -= lever.T @ acceleration
        A[omega, xi[k]] += strength * np.cross(up_B, inside.inertia_slopes[k] @ up_B)
        A[dxi[k], omega] += changed
        for j in range(n):
            A[dxi[k], xi[j]] += 0.5 * w @ inside.bends[k, j] @ w
            # d/dt (M_ξω ω) has (∂M_ξk,ω/∂ξ_j · ω) ξ'_j, and ∂T/∂ξ_k has (ω · ∂M_ω,ξj/∂ξ_k) ξ'_j
            along = inside.slopes[k][:3, 3 + j] - inside.slopes[j][:3, 3 + k]
            A[dxi[k], dxi[j]] += w @ along
    gained = np.zeros((3, 3))
    if any(part.free for part in inside.parts):
        gained = inside.mass[:3, :3] - gimbals.inertia - reduced_at_reference(plant.spacecraft)
    by_angle, by_rate = torque_slopes(plant, point, gained)
    A[np.ix_(omega, theta)] += by_angle
    A[np.ix_(omega, omega)] += by_rate
    for names in (TORQUE, COMMANDED):
        rows.B[np.ix_(omega, rows.of(*names))] += np.eye(3)
    _push(rows, inside, plant.body.mass, rates, FORCE)


def _push(
    rows: _Rows, inside: Inside, mass: float, rates: list[str], names: tuple[str, ...],
    directions: Array | None = None,
) -> None:  # fmt: skip
    """Write what forces at the origin do: the mass is not all there, nor held there."""
    along = np.eye(3) if directions is None else directions
    columns = rows.of(*names)
    rows.B[np.ix_(rows.at(*RATE), columns)] -= skew(inside.moment) @ along / mass
    rows.B[np.ix_(rows.at(*rates), columns)] -= inside.drift.T @ along / mass


def _stored(plant: Plant, point: Point) -> Vector3:
    """Return the momentum (3,) beside M_ωω ω at the point: of wheels and slugs [N m s]."""
    craft, stored = plant.spacecraft, np.zeros(3)
    if wheels := craft.part('reaction_wheels'):
        h = wheels.momenta(point.speeds, point.omega_B)
        stored = stored + h @ wheels.axes_B
    if craft.internal:
        free = sum(slug.inertia for slug in craft.internal.slugs.values())
        stored = stored + free * np.asarray(point.omega_B)
    return stored


def _turn_wheels(rows: _Rows, plant: Plant, point: Point) -> None:
    """Write the equations of wheels: h, friction, and the lag of the motors."""
    wheels = plant.spacecraft.part('reaction_wheels')
    if not wheels:
        return
    omega, w = rows.at(*RATE), np.asarray(point.omega_B)
    wheel_by_wheel = zip(
        wheels.names, wheels.axes_B, wheels.inertias, wheels.each, point.speeds, strict=True
    )
    for name, axis, inertia, dynamics, speed in wheel_by_wheel:
        (h,) = rows.at(f'wheel.{name}.momentum [N m s]')
        command = rows.of(f'wheel.{name}.torque [N m]')
        loss = dynamics.viscous
        if dynamics.stribeck_speed:  # static friction that falls with the speed
            ratio = abs(speed) / dynamics.stribeck_speed
            fall = (dynamics.starting - dynamics.coulomb) * np.exp(-ratio * ratio)
            loss -= 2.0 * ratio / dynamics.stribeck_speed * fall
        own = np.zeros(len(rows.states))
        own[h] -= loss / inertia
        own[omega] += loss * axis
        given = np.zeros(len(rows.inputs))
        if dynamics.torque_lag:
            (motor,) = rows.at(f'wheel.{name}.motor [N m]')
            own[motor] += 1.0
            rows.A[motor, motor] -= 1.0 / dynamics.torque_lag
            rows.B[motor, command] += 1.0 / dynamics.torque_lag
        else:
            given[command] = 1.0
        rows.A[h], rows.B[h] = own, given
        rows.A[omega, h] -= np.cross(w, axis)
        rows.A[omega] -= np.outer(axis, own)
        rows.B[omega] -= np.outer(axis, given)


def _fire(
    rows: _Rows, firing: list[tuple[str, Thruster]], inside: Inside, mass: float,
    rates: list[str],
) -> None:  # fmt: skip
    """Write what thrusters do by their mean forces."""
    for name, jet in firing:
        command, along = f'thruster.{name}.force [N]', np.reshape(jet.force_B, (3, 1))
        along = along / jet.max_force
        column = rows.of(command)
        before = rows.B[:, column].copy()
        rows.B[np.ix_(rows.at(*RATE), column)] += np.cross(jet.position_B, along.T).T
        _push(rows, inside, mass, rates, (command,), along)
        if jet.rise_time:
            (thrust,) = rows.at(f'thruster.{name}.thrust [N]')
            rows.A[:, thrust] += (rows.B[:, column] - before)[:, 0]
            rows.B[:, column] = before
            rows.A[thrust, thrust] -= 1.0 / jet.rise_time
            rows.B[thrust, column] += 1.0 / jet.rise_time


def _stir_slugs(rows: _Rows, plant: Plant, point: Point) -> None:
    """Write the equations of slugs."""
    internal = plant.spacecraft.internal
    omega, w = rows.at(*RATE), np.asarray(point.omega_B)
    for name, slug in internal.slugs.items() if internal else ():
        s = rows.at(*attitude_names(f'slug.{name}', 'N m s'))
        rows.A[np.ix_(omega, s)] -= skew(w)
        own = np.zeros((3, len(rows.states)))
        own[:, s] -= skew(w) + slug.damping / slug.inertia * np.eye(3)
        own[:, omega] += slug.inertia * skew(w) + slug.damping * np.eye(3)
        rows.A[s] += own
        rows.A[omega] -= own


def _tilt(rows: _Rows, point: Point, gimbals: Gimbals) -> None:
    """Write the equations of gimbals; see core.design.gimbals."""
    omega, w = rows.at(*RATE), np.asarray(point.omega_B)
    gained_B = gimbals.turned @ w + gimbals.momenta[:, np.newaxis] * gimbals.across
    each = zip(
        rows.at(*gimbals.angles), rows.of(*gimbals.rates), gained_B, gimbals.reactions, strict=True
    )
    for angle, rate, gained, reaction in each:
        rows.A[omega, angle] -= np.cross(w, gained)
        rows.B[omega, rate] -= gained + np.cross(w, reaction)
        rows.B[angle, rate] = 1.0


def _kick(rows: _Rows, inside: Inside, gimbals: Gimbals, rates: list[str]) -> Array:
    """Return what gimbals' rates take (n, m) from the rates of body and displacements at once."""
    kick = np.zeros_like(rows.B)
    pushed = np.zeros((len(inside.mass), len(gimbals.names)))
    pushed[:3] = gimbals.reactions.T
    both = [*rows.at(*RATE), *rows.at(*rates)]
    kick[np.ix_(both, rows.of(*gimbals.rates))] = np.linalg.solve(inside.mass, pushed)
    return kick


def _solve(rows: _Rows, inside: Inside, rates: list[str]) -> None:
    """Divide the equations of body and displacements by the mass matrix."""
    both = [*rows.at(*RATE), *rows.at(*rates)]
    rows.A[both] = np.linalg.solve(inside.mass, rows.A[both])
    rows.B[both] = np.linalg.solve(inside.mass, rows.B[both])


# --- the environment ---------------------------------------------------------------------------


def _gradient(plant: Plant, point: Point) -> tuple[float, Vector3]:
    """Return 3 μ/r³ [1/s^2] of a gravity gradient that turns the body, and up (3,), body axes."""
    for load in plant.environment.loads:
        if load.name == 'gravity_gradient' and load.rows[0, 0]:
            here = load.sample(point.time)
            up_W = here[UP : UP + 3]
            return 3.0 * here[PULL], rotations.rotate(rotations.conjugate(point.q_WB), up_W)
    return 0.0, np.zeros(3)


def torque_slopes(plant: Plant, point: Point, gained: Matrix3) -> tuple[Matrix3, Matrix3]:
    """Return the derivatives (3, 3) of the environment's torque by θ and by δω.

    At the place of world's origin, at rest there. The derivative by δω is that of eddy currents.

    gained: inertia (3, 3) beyond that of the reference position, which the gradient turns, too
    """
    still = np.zeros(3)
    strength, up_B = _gradient(plant, point)
    up_W = rotations.rotate(point.q_WB, up_B)

    def torque(theta: Vector3) -> Vector3:
        q_WB = rotations.compose(point.q_WB, _turned(theta))
        state = State(still, q_WB, still, still)
        loads = plant.environment.turning
        total = sum((load.torque_B(plant.body, state, point.time) for load in loads), np.zeros(3))
        up = rotations.rotate(rotations.conjugate(q_WB), up_W)
        total = total + strength * np.cross(up, gained @ up)
        return total + eddy_torque(q_WB, np.asarray(point.omega_B))

    def eddy_torque(q_WB: Quaternion, omega: Vector3) -> Vector3:
        currents = plant.spacecraft.part('eddy_currents')
        if currents is None or not len(plant.environment.loads):
            return np.zeros(3)
        here = np.array(plant.environment.sample(point.time))
        field, change = (
            rotations.rotate(rotations.conjugate(q_WB), here[k : k + 3])
            for k in (FIELD, FIELD_RATE)
        )
        dipole = -currents.matrix_B @ (change - np.cross(omega, field))
        return np.cross(dipole, field)

    by_rate = differentiated(
        lambda change: eddy_torque(point.q_WB, np.asarray(point.omega_B) + change)
    )
    return differentiated(torque), by_rate


def _turned(theta: Vector3) -> Quaternion:
    """Return the quaternion (4,) of a rotation vector."""
    angle = float(np.linalg.norm(theta))
    if angle == 0.0:
        return np.array((1.0, 0.0, 0.0, 0.0))
    return rotations.quaternion_from_axis_angle(theta / angle, angle)


def differentiated(function: Callable[[Vector3], Vector3]) -> Matrix3:
    """Return the derivative (3, 3) of a function of (3,) at zero, of fourth order."""
    columns = []
    for axis in np.eye(3):
        near, far = (function(k * STEP * axis) - function(-k * STEP * axis) for k in (1.0, 2.0))
        columns.append((8.0 * near - far) / (12.0 * STEP))
    return np.array(columns).T
