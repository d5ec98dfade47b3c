# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Compare a contact step with MuJoCo's mj_step: same ellipsoid, start and step, interleaved.

Each runs the calm reference start for 5 s in compiled loops, at 1/1024 s and with its default step
(ours: the sub-steps of a 1/32 s tick; MuJoCo: 2 ms). It prints the CPU time of a step and of a
simulated second, the best of several rounds, and the final error against the reference in
test/data. MuJoCo's default integrator (Euler) is first order; its RK4 is fourth order like ours.
Without MuJoCo, it is skipped. Run: python bench/contact.py
"""

import json
import time
from pathlib import Path

import numpy as np

from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.body.state import from_flat
from spacecraft_attitude_sim.core.contact import floors, model, shapes
from spacecraft_attitude_sim.core.contact.solver.advance import advance
from spacecraft_attitude_sim.core.contact.solver.layout import SUBSTEPS
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.simulation import plant_of
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS

DATA = Path(__file__).parents[1] / 'test' / 'data' / 'ellipsoid_reference.json'
REFERENCE = json.loads(DATA.read_text())
AXES = REFERENCE['semi_axes']
SECONDS = REFERENCE['seconds']
STEP = 1.0 / 1024.0
ROUNDS = 9
RIVAL = """
<mujoco>
  <option timestep="{step}" integrator="{integrator}"/>
  <worldbody>
    <geom type="plane" size="99 99 1" condim="{contact_dimensions}"/>
    <body>
      <freejoint/>
      <geom type="ellipsoid" size="0.3 0.2 0.15" mass="1" condim="{contact_dimensions}"/>
    </body>
  </worldbody>
</mujoco>
"""


def own(mode, step):
    """Return a function that runs the start and returns (steps, position, q_WB).

    step: length of a sub-step [s], all in one call;  0 for ticks with automatic sub-steps, one
        call each
    """
    square = np.square(AXES)
    body = RigidBody(1.0, np.diag(np.sum(square) - square) / 5.0)
    plant = plant_of(body, np.array((0.0, 0.0, -9.81)))
    contact = model.ContactModel(
        surface=shapes.Ellipsoid(semi_axes=tuple(AXES)), floor=floors.Plane(), mode=mode
    )
    start = np.array(REFERENCE['cases'][f'{mode}_calm']['start'])
    _, begun = model.start(contact, plant, from_flat(start))
    constants = (loads.with_gravity(loads.FREE, plant.gravity_W), *contact.flat(body))
    length, substeps = (SECONDS, round(SECONDS / step)) if step else (TICK_SECONDS, 0)

    def run():
        state, touch, steps = start, begun, 0
        for _ in range(round(SECONDS / length)):
            state, touch = advance(state, touch, 0.0, *constants, length, substeps)
            steps += int(touch[SUBSTEPS])
        return steps, state[0:3], state[3:7]

    return run


def rival(mujoco, mode, step, integrator):
    """Return the same for MuJoCo; it has friction only if the body rolls."""
    dimensions = 1 if mode == 'sliding' else 3
    text = RIVAL.format(step=step, integrator=integrator, contact_dimensions=dimensions)
    world = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(world)
    start = np.array(REFERENCE['cases'][f'{mode}_calm']['start'])
    square = np.square(AXES)
    body = RigidBody(1.0, np.diag(np.sum(square) - square) / 5.0)
    steps = round(SECONDS / step)

    def run():
        mujoco.mj_resetData(world, data)
        data.qpos[:] = start[0:7]
        data.qvel[0:3] = start[7:10]
        data.qvel[3:6] = body.angular_velocity_B(from_flat(start))
        mujoco.mj_step(world, data, nstep=steps)
        return steps, data.qpos[0:3], data.qpos[3:7]

    return run


def measure(contestants):
    """Return {name: (best CPU time of a run [s], steps, position, q_WB)}, run in turn."""
    found = {}
    for _ in range(ROUNDS):
        for name, run in contestants.items():
            before = time.process_time()
            result = run()
            spent = time.process_time() - before
            found[name] = (min(spent, found.get(name, (spent,))[0]), *result)
    return found


def table(mode, mujoco):
    """Print the table of one mode."""
    contestants = {'own, 1/1024 s': own(mode, STEP), 'own, default': own(mode, 0.0)}
    if mujoco:
        for integrator in ('Euler', 'RK4'):
            for name, step in (('1/1024 s', STEP), ('default', 0.002)):
                run = rival(mujoco, mode, step, integrator)
                contestants[f'MuJoCo {integrator}, {name}'] = run
    found = measure(contestants)
    end = np.array(REFERENCE['cases'][f'{mode}_calm']['end'])
    spent, steps, _, _ = found['own, 1/1024 s']
    unit, second = spent / steps, found['own, default'][0]
    print(f'\n{mode:24}{"ns/step":>10}{"ratio":>8}{"us/s":>10}{"ratio":>8}{"m":>10}{"rad":>10}')
    for name, (spent, steps, position, q_WB) in found.items():
        error = np.linalg.norm(position - end[0:3])
        turn = rotations.angle_between(q_WB, end[3:7])
        print(
            f'{name:24}{spent / steps * 1e9:10.0f}{spent / steps / unit:8.1f}'
            f'{spent / SECONDS * 1e6:10.0f}{spent / second:8.1f}{error:10.1e}{turn:10.1e}'
        )


def main():
    """Print the tables; ratios are relative to our step and to our default."""
    try:
        import mujoco
    except ImportError:
        mujoco = None
        print('mujoco is not installed: its rows are skipped (pip install mujoco)')
    for mode in ('sliding', 'rolling'):
        table(mode, mujoco)


if __name__ == '__main__':
    main()
