# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Simulate the scenario gravity_gradient_boom here and in Basilisk, and compare both.

`pip install -c constraints.txt bsk`, then `python bench/orbit.py [picture.png]`. Basilisk
integrates the orbit with the attitude; ours is Kepler's solution. Both have one spherical planet
and the gravity gradient, so that only the error of their RK4 steps remains.
"""

import sys

import basilisk
import numpy as np
import rivals

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.body.state import from_flat
from spacecraft_attitude_sim.core.environment.earth import GRAVITATIONAL_PARAMETER
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.mathematics import rotations

SECONDS = 7200
STEPS = (4.0, 1.0)  # of Basilisk [s]
EVERY = 20  # [s]
# The difference must fall with about the fourth power of their step, down to LEVEL [rad].
LEVEL, FALL = 1e-10, 30.0


class RivalBoom(basilisk.RivalBody):
    """The boom in an orbit of Basilisk."""

    def __init__(self, found):
        self._found = found
        super().__init__(found.plant.body, found.parameters['initial.angular_velocity'])

    def equip(self, craft):
        """Add a planet and the gravity gradient to it, and set its initial position."""
        from Basilisk.simulation import GravityGradientEffector
        from Basilisk.utilities import simIncludeGravBody

        around = self._found.plant.environment.surroundings.at(0.0)
        craft.hub.r_CN_NInit = around[AROUND.of('position_W')].reshape(3, 1).tolist()
        craft.hub.v_CN_NInit = around[AROUND.of('velocity_W')].reshape(3, 1).tolist()
        q = self._found.initial.q_WB
        craft.hub.sigma_BNInit = (q[1:] / (1.0 + q[0])).reshape(3, 1).tolist()
        self._bodies = simIncludeGravBody.gravBodyFactory()
        planet = self._bodies.createEarth()
        planet.isCentralBody, planet.mu = True, GRAVITATIONAL_PARAMETER
        self._bodies.addBodiesTo(craft)
        gradient = GravityGradientEffector.GravityGradientEffector()
        gradient.ModelTag = 'gravity_gradient'
        gradient.addPlanetName(planet.planetName)
        craft.addDynamicEffector(gradient)
        self._gradient = gradient
        return (gradient,)


def pitch(place, q_WB, time):
    """Return the angle from the nadir to the boom's axis z in the plane of the orbit [deg]."""
    now = place.at(time)
    r, v = now[AROUND.of('position_W')], now[AROUND.of('velocity_W')]
    z = rotations.rotate(q_WB, np.array((0.0, 0.0, 1.0)))
    return np.degrees(np.arctan2(z @ v / np.linalg.norm(v), -z @ r / np.linalg.norm(r)))


def main():
    """Print the differences; exit with 1 if they do not fall with the step."""
    if not rivals.installed('Basilisk'):
        sys.exit('\n'.join(rivals.missing()))
    found = scenario.load(scenario.find('gravity_gradient_boom'))
    place = found.plant.environment.surroundings
    ours = simulation.trajectory(found.plant, found.initial, SECONDS)[::EVERY]
    ours = [from_flat(flat).q_WB for flat in ours]
    angles, theirs = [], []
    for step in STEPS:
        rival = type('Rival', (RivalBoom,), {'STEP': step})(found)
        attitudes = [rival.attitude()]
        for _ in range(SECONDS // EVERY):
            rival.advance(round(EVERY / step))
            attitudes.append(rival.attitude())
        apart = [rotations.angle_between(a, b) for a, b in zip(ours, attitudes, strict=True)]
        angles.append(max(apart))
        theirs.append(attitudes)
        print(f'their steps of {step:g} s: at most {angles[-1]:.2g} rad apart in {SECONDS} s')
    if len(sys.argv) > 1:
        draw(sys.argv[1], place, ours, theirs[-1])
    sys.exit('they do not agree' if angles[1] > max(LEVEL, angles[0] / FALL) else 0)


def draw(path, place, ours, theirs):
    """Write a picture of both pitch angles over time, and of their difference."""
    import matplotlib.pyplot as plt

    times = EVERY * np.arange(len(ours), dtype=float)
    figure, (upper, lower) = plt.subplots(2, 1, sharex=True, figsize=(8.0, 6.0))
    for name, attitudes, style in (('this', ours, '-'), ('Basilisk', theirs, '--')):
        pitches = [pitch(place, q, t) for q, t in zip(attitudes, times, strict=True)]
        upper.plot(times / 60.0, pitches, style, label=name)
    upper.set_ylabel('pitch [deg]')
    upper.legend()
    apart = [rotations.angle_between(a, b) for a, b in zip(ours, theirs, strict=True)]
    lower.plot(times / 60.0, apart)
    lower.set_ylabel('apart [rad]')
    lower.set_xlabel('time [min]')
    figure.savefig(path)


if __name__ == '__main__':
    main()
