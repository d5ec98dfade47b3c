# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Roll a ball round a square on a level floor: it returns to its place, but rotated.

`python examples/ball_round_a_loop.py [SIDE [m]]`. The contact model rolls it; the closed form
gives its final position and attitude. It needs no ROS.
"""

import math
import sys

import numpy as np

from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.contact import floors, model, shapes
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.simulation import plant_of
from spacecraft_attitude_sim.core.studies import quasi_coordinates
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS

RADIUS = 0.1
# A quarter turn along each side of the square.
SIDE = 0.5 * math.pi * RADIUS
SQUARE = np.array(((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)))


def roll(legs, ticks):
    """Return flat states (n, 13) at every tick of a solid ball that is struck at each corner.

    legs: (k, 2) straight displacements [m];  ticks: number per leg
    """
    contact = model.ContactModel(
        surface=shapes.Sphere(radius=RADIUS), floor=floors.Plane(), mode='rolling'
    )
    plant = plant_of(RigidBody(1.0, 0.4 * RADIUS**2 * np.eye(3)), np.array((0.0, 0.0, -9.81)))
    position_W, q_WB = np.array((0.0, 0.0, RADIUS)), np.array(rotations.IDENTITY)
    found = []
    for leg in legs:
        v_W = np.array((*leg, 0.0)) / (ticks * TICK_SECONDS)
        omega_B = rotations.rotate(
            rotations.conjugate(q_WB), np.cross((0.0, 0.0, 1.0 / RADIUS), v_W)
        )
        state = plant.body.state(position_W, q_WB, v_W, omega_B)
        state, begun = model.start(contact, plant, state, place=True)
        states, _ = model.trajectory(contact, plant, state, begun, ticks)
        found.append(states if not found else states[1:])
        position_W, q_WB = states[-1, 0:3], states[-1, 3:7]
    return np.concatenate(found)


def main():
    """Print the final position and rotation of the ball and of the closed form."""
    side = float(sys.argv[1]) if len(sys.argv) > 1 else SIDE
    end = roll(side * SQUARE, 32)[-1]
    q_WB, place = quasi_coordinates.rolled(side * SQUARE, RADIUS)
    for name, x, q in (('contact model', end[0:2], end[3:7]), ('closed form', place, q_WB)):
        turned = math.degrees(rotations.angle_between(q, rotations.IDENTITY))
        print(f'{name}: {np.linalg.norm(x):.0e} m from its place, turned by {turned:.9f} deg')
    print(f'apart: {rotations.angle_between(end[3:7], q_WB):.0e} rad')


if __name__ == '__main__':
    main()
