# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Free rigid bodies in other simulators, if they are installed: functions that take steps."""

import importlib.util
import multiprocessing
import time

NAMES = {'Basilisk': 'bsk', 'mujoco': 'mujoco', 'pydrake': 'drake', 'pybullet': 'pybullet'}
MANY_BODIES = 500
MUJOCO = """
<mujoco><option timestep="{step}" integrator="{integrator}" gravity="0 0 0"/>
<worldbody>{bodies}</worldbody></mujoco>
"""
MUJOCO_BODY = """
<body pos="{place} 0 0"><freejoint/>
<inertial pos="0 0 0" mass="{mass}" diaginertia="{inertia}"/></body>
"""

MUJOCO_CRAFT = """
<mujoco><compiler autolimits="true"/>
<option timestep="{step}" integrator="{integrator}" gravity="0 0 0"/>
<worldbody><body><freejoint/><inertial pos="0 0 0" mass="{mass}" fullinertia="{inertia}"/>
{wheels}</body></worldbody><actuator>{motors}</actuator></mujoco>
"""
MUJOCO_WHEEL = """
<body zaxis="{axis}"><inertial pos="0 0 0" mass="1e-3" diaginertia="{across} {across} {along}"/>
<joint name="{name}" type="hinge" axis="0 0 1" damping="{viscous}"
frictionloss="{coulomb}"/></body>
"""


def missing():
    """Return lines about the simulators that are not installed."""
    return [
        f'{name} is not installed (pip install {package}): not compared'
        for name, package in NAMES.items()
        if importlib.util.find_spec(name) is None
    ]


def installed(name):
    """Return whether a module of NAMES is installed."""
    return importlib.util.find_spec(name) is not None


def mujoco_world(body, omega_B, step, count=1, integrator='RK4'):
    """Return (model, data) of `count` bodies that do not touch."""
    import mujoco

    inertia = ' '.join(repr(float(moment)) for moment in body.principal_moments)
    bodies = ''.join(
        MUJOCO_BODY.format(place=10 * k, mass=body.mass, inertia=inertia) for k in range(count)
    )
    text = MUJOCO.format(step=step, integrator=integrator, bodies=bodies)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    for k in range(count):
        data.qvel[6 * k + 3 : 6 * k + 6] = omega_B
    return model, data


def mujoco_steps(body, omega_B, step, integrator='RK4'):
    """Return a function that takes steps of one body."""
    import mujoco

    model, data = mujoco_world(body, omega_B, step, integrator=integrator)
    return lambda steps: mujoco.mj_step(model, data, nstep=steps)


class MujocoCraft:
    """A body with wheels that have friction and a largest torque; no field, gradient or orbit.

    wheels: (axis, inertia, speed, torque) of each;  friction: Coulomb [N m], viscous [N m s/rad]
    """

    def __init__(self, body, omega_B, wheels, friction, max_torque, step, integrator='RK4'):
        import mujoco

        J = body.inertia
        inertia = (*J.diagonal(), J[0, 1], J[0, 2], J[1, 2])
        rotors = ''.join(
            MUJOCO_WHEEL.format(
                name=f'w{k}', axis=_text(axis), along=along, across=0.51 * along,
                coulomb=friction[0], viscous=friction[1],
            )
            for k, (axis, along, _, _) in enumerate(wheels)
        )  # fmt: skip
        motors = ''.join(
            f'<motor joint="w{k}" ctrlrange="{-max_torque} {max_torque}"/>'
            for k in range(len(wheels))
        )
        self._model = mujoco.MjModel.from_xml_string(
            MUJOCO_CRAFT.format(
                step=step, integrator=integrator, mass=body.mass, inertia=_text(inertia),
                wheels=rotors, motors=motors,
            )
        )  # fmt: skip
        self._data = mujoco.MjData(self._model)
        self._data.qvel[3:] = (*omega_B, *(speed for _, _, speed, _ in wheels))
        self._data.ctrl[:] = [torque for _, _, _, torque in wheels]
        self.advance = lambda steps: mujoco.mj_step(self._model, self._data, nstep=steps)

    def attitude(self):
        """Return q_WB (4,)."""
        return self._data.qpos[3:7].copy()


def _text(values):
    return ' '.join(repr(float(value)) for value in values)


def mujoco_many(body, omega_B, step, processes, steps=200):
    """Return body-steps per second of many bodies in one model, in parallel processes."""
    with multiprocessing.get_context('spawn').Pool(processes) as pool:
        arguments = [(body, omega_B, step, steps)] * processes
        pool.starmap(_timed_many, arguments)  # imports, and warms up
        return sum(pool.starmap(_timed_many, arguments))


def _timed_many(body, omega_B, step, steps):
    import mujoco

    model, data = mujoco_world(body, omega_B, step, MANY_BODIES)
    mujoco.mj_step(model, data, nstep=10)
    start = time.perf_counter()
    mujoco.mj_step(model, data, nstep=steps)
    return MANY_BODIES * steps / (time.perf_counter() - start)


def drake_steps(body, omega_B, step):
    """Return a function that takes fixed steps of Drake's third-order Runge-Kutta."""
    import numpy as np
    from pydrake.all import (
        DiagramBuilder,
        MultibodyPlant,
        ResetIntegratorFromFlags,
        Simulator,
        SpatialInertia,
        UnitInertia,
    )

    builder = DiagramBuilder()
    plant = builder.AddSystem(MultibodyPlant(time_step=0.0))
    plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, 0.0])
    moments = body.principal_moments / body.mass
    inertia = SpatialInertia(body.mass, np.zeros(3), UnitInertia(*moments))
    plant.AddRigidBody('body', inertia)
    plant.Finalize()
    simulator = Simulator(builder.Build())
    ResetIntegratorFromFlags(simulator, 'runge_kutta3', step)
    integrator = simulator.get_mutable_integrator()
    integrator.set_fixed_step_mode(True)
    integrator.set_maximum_step_size(step)
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    velocity = np.concatenate((omega_B, np.zeros(3)))
    plant.SetVelocities(context, velocity)
    simulator.Initialize()
    taken = [0]

    def steps_of(steps):
        taken[0] += steps
        simulator.AdvanceTo(taken[0] * step)

    return steps_of


def pybullet_steps(body, omega_B, step):
    """Return a function that takes steps of PyBullet's integrator, semi-implicit Euler."""
    import pybullet

    world = pybullet.connect(pybullet.DIRECT)
    pybullet.setTimeStep(step, physicsClientId=world)
    ball = pybullet.createCollisionShape(pybullet.GEOM_SPHERE, radius=0.01, physicsClientId=world)
    link = pybullet.createMultiBody(body.mass, ball, physicsClientId=world)
    pybullet.changeDynamics(
        link, -1, localInertiaDiagonal=body.principal_moments.tolist(), linearDamping=0.0,
        angularDamping=0.0, physicsClientId=world,
    )  # fmt: skip
    pybullet.resetBaseVelocity(
        link, angularVelocity=[float(rate) for rate in omega_B], physicsClientId=world
    )

    def steps_of(steps):
        for _ in range(steps):
            pybullet.stepSimulation(physicsClientId=world)

    return steps_of
