# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Run the bodies of docs/why_*.md in this process, for their pictures and their test."""

from typing import NamedTuple

import numpy as np
import why_theory

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.studies import flips_and_drifts


class Flight(NamedTuple):
    """A run; vectors are (n, 3).

    time: (n,) [s];  C_WB: (n, 3, 3) from body to world;  position_W: of the centre of mass [m]
    momentum_W: L about it [N m s];  rate_B: [rad/s]
    energy: (n,) kinetic energy and gravity potential [J]
    contacts: contact at each instant, None for a free body
    """

    found: scenario.Scenario
    time: np.ndarray
    C_WB: np.ndarray
    position_W: np.ndarray
    momentum_W: np.ndarray
    rate_B: np.ndarray
    energy: np.ndarray
    contacts: list

    @property
    def up_B(self):
        """The upward vertical in body axes (n, 3)."""
        return self.C_WB[:, 2, :]

    @property
    def spin(self):
        """The part of ω along the vertical (n,) [rad/s]."""
        return np.sum(self.up_B * self.rate_B, axis=1)

    @property
    def leaning(self):
        """The upward vertical's body components x and y (n, 2), and their rates (n, 2) [1/s]."""
        return self.up_B[:, :2], np.cross(self.up_B, self.rate_B)[:, :2]

    @property
    def momentum_B(self):
        """L in body axes (n, 3) [N m s]."""
        return np.einsum('nji,nj->ni', self.C_WB, self.momentum_W)

    def floor_push(self):
        """Return the horizontal force of the floor and its torque about the vertical.

        (n, 3) in body axes [N];  (n,) about the centre of mass [N m]
        """
        force_W = np.array([contact.force for contact in self.contacts])
        arm_W = np.array([contact.point for contact in self.contacts]) - self.position_W
        force_W[:, 2] = 0.0
        torque_W = np.cross(arm_W, force_W)
        return np.einsum('nji,nj->ni', self.C_WB, force_W), torque_W[:, 2]

    def zeros(self, values):
        """Return the times [s] at which values (n,) change sign."""
        return flips_and_drifts.flip_times(self.time, values)


def fly(name, seconds, contact=None, **given):
    """Return the Flight of a shipped scenario with some parameters changed.

    contact: {name: value} of its floor;  given: parameters of the simulator, with __ for dots
    """
    values = {key.replace('__', '.'): value for key, value in given.items()}
    found = scenario.changed(scenario.load(scenario.find(name)), values, name, contact)
    run = [found.first_instant()]
    for _ in range(found.plant.ticks.covering(seconds)):
        run.append(simulation.next_instant(found.plant, run[-1], simulation.Inputs()))
    body, states = found.plant.body, [instant.state for instant in run]
    weight = body.mass * found.plant.gravity_W
    return Flight(
        found,
        np.array([found.plant.ticks.seconds(tick) for tick in range(len(run))]),
        np.array([rotations.dcm_from_quaternion(state.q_WB) for state in states]),
        np.array([state.position_W for state in states]),
        np.array([state.angular_momentum_W for state in states]),
        np.array([body.angular_velocity_B(state) for state in states]),
        np.array([body.kinetic_energy(state) - weight @ state.position_W for state in states]),
        [simulation.contact_at(instant) if found.plant.contact else None for instant in run],
    )


def racket(flight):
    """Return the why_theory.Racket of a Flight's start."""
    return why_theory.Racket(np.diag(flight.found.plant.body.inertia), flight.rate_B[0])


def boat(flight):
    """Return the why_theory.Boat of a Flight."""
    body, surface = flight.found.plant.body, flight.found.plant.contact.surface
    a, b, c = surface.semi_axes
    gravity = -flight.found.plant.gravity_W[2]
    height = c - surface.center[2]
    return why_theory.Boat(body.mass, gravity, body.inertia, (a * a / c, b * b / c), height)


def top(flight):
    """Return the why_theory.Top of a Flight."""
    body, surface = flight.found.plant.body, flight.found.plant.contact.surface
    across, _, axial = np.diag(body.inertia)
    gravity = -flight.found.plant.gravity_W[2]
    return why_theory.Top(body.mass, gravity, across, axial, surface.radius, surface.center[2])


def tilt(flight):
    """Return the angle of the body's z axis from the vertical (n,) [rad]."""
    return np.arccos(np.clip(flight.C_WB[:, 2, 2], -1.0, 1.0))


def jellett(flight):
    """Return Jellett's integral (n,) [N m² s] of a tippe top: L along R z - e e3."""
    ball = top(flight)
    arm_W = ball.radius * np.array((0.0, 0.0, 1.0)) - ball.offset * flight.C_WB[:, :, 2]
    return np.sum(flight.momentum_W * arm_W, axis=1)


def leaning(boat, mode, size):
    """Return the attitude q_WB (4,) of a rattleback tilted in the shape of a mode.

    mode: 0 rolling, 1 pitching;  size: of the tilt [rad]
    """
    x, y = size * boat.modes()[1][:, mode] / np.linalg.norm(boat.modes()[1][:, mode])
    return rotations.quaternion_from_euler_zyx(0.0, -x, y).tolist()


def growth(flight, mode):
    """Return the growth rate of a mode's amplitude [1/s], from a linear fit.

    mode: 0 rolling, 1 pitching
    """
    energies = boat(flight).energies(*flight.leaning)[:, mode]
    return np.polyfit(flight.time, np.log(energies), 1)[0] / 2.0
