# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The closed forms of docs/why_racket.md, why_rattleback.md and why_tippe_top.md.

docs/make_why.py draws them with runs of the simulator; test/test_why.py compares the two. The
pages give assumptions and sources.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.integrate import quad, solve_ivp
from scipy.linalg import eigh
from scipy.optimize import minimize_scalar


class Racket(NamedTuple):
    """A free body that spins about its intermediate axis.

    moments: (3,) principal moments, the smallest first [kg m^2];  rate: (3,) ω about them [rad/s]
    """

    moments: np.ndarray
    rate: np.ndarray

    @property
    def growth(self):
        """Growth rate σ of a small deviation from a spin about axis 2 [1/s]."""
        low, middle, high = self.moments
        ratio = (middle - low) * (high - middle) / (low * high)
        return abs(self.rate[1]) * np.sqrt(ratio)

    @property
    def deviations(self):
        """The deviations x1, x3 (2,) from that spin, scaled so that 2 T I2 - L² = x1² - x3²."""
        low, middle, high = self.moments
        x1 = np.sqrt(low * (middle - low)) * self.rate[0]
        return x1, np.sqrt(high * (high - middle)) * self.rate[2] * np.sign(self.rate[1])

    @property
    def largest(self):
        """The deviation X at the middle of a flip, on the separatrix."""
        low, middle, high = self.moments
        square = middle * (middle - low) * (high - middle) / (high - low)
        return np.sqrt(square) * abs(self.rate[1])

    def first_flip(self):
        """Return the time from the start to the first flip [s], for small deviations."""
        x1, x3 = self.deviations
        return np.log(4.0 * self.largest / abs(x1 - x3)) / self.growth

    def between_flips(self):
        """Return the time between two flips [s], for small deviations."""
        x1, x3 = self.deviations
        return np.log(16.0 * self.largest**2 / abs(x1**2 - x3**2)) / self.growth


class Boat(NamedTuple):
    """A rattleback: x along its length, y across, z up; its surface is symmetric about x and y.

    mass: [kg];  gravity: [m/s^2];  inertia: (3, 3) about the centre of mass [kg m^2]
    radii: R1 along x, R2 along y, of curvature at the bottom [m]
    height: H of the centre of mass above the bottom [m]
    """

    mass: float
    gravity: float
    inertia: np.ndarray
    radii: tuple[float, float]
    height: float

    def modes(self):
        """Return angular frequencies (2,) [rad/s] and shapes (2, 2) without spin, rolling first.

        shapes: columns (x, y) of the upward normal, in body axes, for a mass matrix of 1
        """
        A, B, D = self.inertia[0, 0], self.inertia[1, 1], self.inertia[0, 1]
        along = self.mass * self.height**2
        masses = np.array(((B + along, -D), (-D, A + along)))
        weight = self.mass * self.gravity
        squares, shapes = eigh(np.diag(weight * (np.array(self.radii) - self.height)), masses)
        return np.sqrt(squares), shapes

    def growth(self):
        """Return the growth rates (2,) of rolling and pitching, divided by the spin."""
        _, shapes = self.modes()
        torque = self.mass * self.height * (self.radii[0] - self.radii[1])
        return torque * shapes[0] * shapes[1] / 2.0

    def energies(self, tilts, slopes):
        """Return the energies (n, 2) of rolling and pitching [J], for small tilts.

        tilts: (n, 2) x and y of the upward normal in body axes;  slopes: (n, 2) their rates [1/s]
        """
        frequencies, shapes = self.modes()
        modal = np.linalg.inv(shapes)
        return (np.square(slopes @ modal.T) + np.square(tilts @ modal.T * frequencies)) / 2.0

    def averaged(self, spin, energies, seconds):
        """Return the solution of the slow equations, averaged over the oscillations.

        spin: [rad/s];  energies: (2,) of rolling and pitching at the start [J]
        Its y holds spin and energies; its t_events[0] holds the times of reversal [s].
        """
        rates, moment = self.growth(), self.inertia[2, 2]

        def slopes(_, y):
            return np.append(-2.0 / moment * rates @ y[1:], 2.0 * rates * y[0] * y[1:])

        return solve_ivp(
            slopes, (0.0, seconds), (spin, *energies), 'DOP853', rtol=1e-9, atol=1e-15,
            events=lambda _, y: y[0], dense_output=True,
        )  # fmt: skip

    def first_reversal(self, spin, energies):
        """Return when the spin that excites pitching is first zero [s]; rolling is neglected."""
        rate, moment = self.growth()[1], self.inertia[2, 2]
        largest = np.sqrt(spin**2 + 2.0 * energies[1] / moment)
        return np.arctanh(spin / largest) / (rate * largest)


class Top(NamedTuple):
    """A tippe top: a ball whose centre of mass is on its axis, below the centre of the ball.

    mass: [kg];  gravity: [m/s^2];  across, axial: moments A, C about the centre of mass [kg m^2]
    radius: R of the ball [m];  offset: e, how far the centre of mass is below its centre [m]
    """

    mass: float
    gravity: float
    across: float
    axial: float
    radius: float
    offset: float

    def jellett(self, spin, tilt):
        """Return Jellett's integral [N m² s] of a pure spin about the axis [rad/s].

        tilt: θ of the axis from the vertical [rad]
        """
        return self.axial * spin * (self.radius * np.cos(tilt) - self.offset)

    def least_energy(self, tilt, jellett):
        """Return the least energy [J] at a tilt θ [rad]: that of spin without slip."""
        R, e = self.radius, self.offset
        arm = self.across * (R * np.sin(tilt)) ** 2 + self.axial * (R * np.cos(tilt) - e) ** 2
        return self.mass * self.gravity * (R - e * np.cos(tilt)) + jellett**2 / (2.0 * arm)

    def final_tilt(self, jellett):
        """Return the tilt [rad] of the first minimum of that energy, beginning at upright."""
        tilts = np.linspace(0.0, np.pi, 721)
        falls = np.diff(self.least_energy(tilts, jellett)) < 0.0
        at = 720 if falls.all() else int(np.argmin(falls))
        if at in (0, 720):
            return tilts[at]
        bounds = tilts[at - 1], tilts[at + 1]
        return minimize_scalar(self.least_energy, bounds=bounds, args=(jellett,)).x

    def critical_spins(self):
        """Return the spins [rad/s], stem up, above which it rises and above which it turns over.

        A spin is infinite if none is enough.
        """
        R, e, A, C = self.radius, self.offset, self.across, self.axial
        lever = self.mass * self.gravity * e / R
        rising, turning = A * R - C * (R - e), C * (R + e) - A * R
        rises = np.sqrt(lever / rising) * (R - e) if rising > 0.0 else np.inf
        inverted = np.sqrt(lever / turning) * (R + e) if turning > 0.0 else np.inf
        return rises, max(rises, inverted * (R + e) / (R - e))

    def time(self, friction, jellett, first, last):
        """Return the time in which friction changes the tilt [s], with L along the vertical."""
        force = friction * self.mass * self.gravity
        path = quad(lambda tilt: (self.radius - self.offset * np.cos(tilt)) ** -2, first, last)[0]
        return jellett / force * path
