# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Time a contact sub-step beside MuJoCo's mj_step: same ellipsoid, same step, interleaved.

Both run compiled loops of 1000 steps of 1/1024 s. MuJoCo's default integrator is first order; its
RK4 is the one of this step's order. Skips MuJoCo when it is not installed.
Run: python bench/contact.py
"""

import statistics
import time

import numpy as np

from spacecraft_attitude_sim.core import loads, rotations
from spacecraft_attitude_sim.core.body import RigidBody
from spacecraft_attitude_sim.core.contact import floors, model, shapes
from spacecraft_attitude_sim.core.contact.advance import advance
from spacecraft_attitude_sim.core.simulation import Plant
from spacecraft_attitude_sim.core.state import to_flat

AXES = (0.3, 0.2, 0.15)
STEP = 1.0 / 1024.0
STEPS = 1000
ROUNDS = 15
RIVAL = """
<mujoco>
  <option timestep="{step}" integrator="{integrator}"/>
  <worldbody>
    <geom type="plane" size="9 9 1" condim="{contact_dimensions}"/>
    <body pos="0 0 0.16">
      <freejoint/>
      <geom type="ellipsoid" size="0.3 0.2 0.15" mass="1" condim="{contact_dimensions}"/>
    </body>
  </worldbody>
</mujoco>
"""


def own(mode):
    """Return a function that takes STEPS sub-steps of the calm start."""
    square = np.square(AXES)
    body = RigidBody(1.0, np.diag(np.sum(square) - square) / 5.0)
    plant = Plant(body, np.array((0.0, 0.0, -9.81)))
    contact = model.ContactModel(
        surface=shapes.Ellipsoid(semi_axes=AXES), floor=floors.Plane(), mode=mode
    )
    q_WB = rotations.quaternion_from_euler_zyx(0.1, 0.2, 0.3)
    state = body.state((0.0, 0.0, 0.2), q_WB, np.zeros(3), np.array((0.3, 0.5, 1.0)))
    state, begun = model.start(contact, plant, state, place=True)
    total = loads.with_gravity(loads.FREE, plant.gravity_W)
    arguments = (to_flat(state), begun, 0.0, body.flat(), total, *contact.flat(body))
    return lambda: advance(*arguments, STEPS * STEP, STEPS)


def rival(mujoco, integrator, contact_dimensions):
    """Return a function that takes STEPS of MuJoCo's."""
    text = RIVAL.format(step=STEP, integrator=integrator, contact_dimensions=contact_dimensions)
    world = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(world)
    data.qvel[3:6] = (0.3, 0.5, 1.0)
    return lambda: mujoco.mj_step(world, data, nstep=STEPS)


def measure(contestants):
    """Return the median time of one step [ns] of each, run in turn."""
    times = {name: [] for name in contestants}
    for run in contestants.values():
        run()
    for _ in range(ROUNDS):
        for name, run in contestants.items():
            before = time.perf_counter()
            run()
            times[name].append((time.perf_counter() - before) / STEPS * 1e9)
    return {name: statistics.median(values) for name, values in times.items()}


def main():
    """Print the table."""
    contestants = {'sliding': own('sliding'), 'rolling': own('rolling')}
    try:
        import mujoco
    except ImportError:
        print('mujoco is not installed: its columns are skipped (pip install mujoco)')
    else:
        for integrator in ('Euler', 'RK4'):
            contestants[f'MuJoCo {integrator}, no friction'] = rival(mujoco, integrator, 1)
            contestants[f'MuJoCo {integrator}, friction'] = rival(mujoco, integrator, 3)
    found = measure(contestants)
    print(f'{"":28}{"ns a step":>12}{"/ sliding":>12}{"/ rolling":>12}')
    for name, value in found.items():
        ratios = f'{value / found["sliding"]:12.1f}{value / found["rolling"]:12.1f}'
        print(f'{name:28}{value:12.0f}{ratios}')


if __name__ == '__main__':
    main()
