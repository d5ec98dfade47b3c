# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Compare a run on a floor given by a formula with the same floor written by hand.

The floors are the valley and the wave of test/data/floor_reference.json, for 5 s with default
settings. It takes the best CPU time of interleaved rounds. The functions written by hand are
simplified as on paper. Run: python bench/formulas.py
"""

import json
import math
import time
from pathlib import Path

import numpy as np

from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.body.state import State
from spacecraft_attitude_sim.core.contact import floors, formula, model, shapes
from spacecraft_attitude_sim.core.contact.floor_functions import floor_function
from spacecraft_attitude_sim.core.simulation import plant_of
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS

DATA = Path(__file__).parents[1] / 'test' / 'data' / 'floor_reference.json'
REFERENCE = json.loads(DATA.read_text())
ROUNDS = 15


@floor_function
def valley(t, x, y, z, parameters):
    """Return G = z + x² exp(-2 x²) - 0.1 y² and its derivatives."""
    u = x * x
    e = math.exp(-2.0 * u)
    f = u * e
    return (
        z + f - 0.1 * y * y, 0.0, 0.0, 2.0 * x * (e - 2.0 * f), -0.2 * y, 1.0, 0.0, 0.0, 0.0,
        e * (2.0 - 20.0 * u + 16.0 * u * u), -0.2, 0.0, 0.0, 0.0, 0.0,
    )  # fmt: skip


@floor_function
def wave(t, x, y, z, parameters):
    """Return G = z - 0.05 sin(2 x - 3 t) and its derivatives."""
    s, c = 0.05 * math.sin(2.0 * x - 3.0 * t), 0.05 * math.cos(2.0 * x - 3.0 * t)
    return (
        z - s, 3.0 * c, 9.0 * s, -2.0 * c, 0.0, 1.0, -6.0 * s, 0.0, 0.0,
        4.0 * s, 0.0, 0.0, 0.0, 0.0, 0.0,
    )  # fmt: skip


@floor_function
def heaving(t, x, y, z, parameters):
    """Return the vertical velocity of that wave's material, and its derivatives."""
    s, c = 0.15 * math.sin(2.0 * x - 3.0 * t), -0.15 * math.cos(2.0 * x - 3.0 * t)
    return (0.0, 0.0, c, 0.0, 0.0, -3.0 * s, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0 * s, 0.0, 0.0)


BY_HAND = {
    'valley': floors.ImplicitFloor(level=valley),
    'wave': floors.ImplicitFloor(level=wave, velocity=heaving, angular_frequency=3.0),
}


def by_formula(case, floor):
    """Return the floor of a case from its formulas."""
    return floors.ImplicitFloor(
        level=formula.level(case['expression']),
        velocity=formula.velocity(case['velocity_expression']),
        angular_frequency=floor.angular_frequency,
    )


def runner(case, floor):
    """Return a function that runs a case on a floor and returns the last state (13,)."""
    semi_axes = np.array(case['semi_axes'])
    body = RigidBody(1.0, np.diag(np.sum(semi_axes**2) - semi_axes**2) / 5.0)
    plant = plant_of(body, np.array((0.0, 0.0, -9.81)))
    surface = shapes.Ellipsoid(semi_axes=tuple(semi_axes))
    contact = model.ContactModel(surface=surface, floor=floor, mode=case['mode'])
    first = State(*(np.array(case[name][0]) for name in 'xqpL'))
    state, touch = model.start(contact, plant, first)
    ticks = round(case['times'][-1] / TICK_SECONDS)
    return lambda: model.trajectory(contact, plant, state, touch, ticks)[0][-1]


def main():
    """Print the times of 5 s, and the ratio of formula to handwritten."""
    print(f'{"":22}{"by hand [us/s]":>16}{"formula [us/s]":>16}{"ratio":>8}{"apart [m]":>12}')
    for name, case in REFERENCE.items():
        floor = BY_HAND[name.partition('_')[0]]
        runs = [runner(case, floor), runner(case, by_formula(case, floor))]
        best, ends = [math.inf, math.inf], [None, None]
        for _ in range(ROUNDS):
            for which, run in enumerate(runs):
                before = time.process_time()
                ends[which] = run()
                best[which] = min(best[which], time.process_time() - before)
        seconds = case['times'][-1]
        apart = np.max(np.abs(ends[0][:3] - ends[1][:3]))
        hand, formed = (1e6 * spent / seconds for spent in best)
        print(f'{name:22}{hand:16.0f}{formed:16.0f}{formed / hand:8.2f}{apart:12.1e}')


if __name__ == '__main__':
    main()
