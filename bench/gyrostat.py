# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Compare the speed of a spacecraft with four wheels in an orbit with Basilisk's.

`pip install -c constraints.txt bsk`, then `python bench/gyrostat.py [rounds]`, or as a part of
`make bench`. Both simulate a pyramid of wheels with constant motor torques and gravity gradient,
with one RK4 step per tick of 1/32 s. Errors are against DOP853; times are the fastest of
interleaved rounds.
"""

import math
import sys
import time

import basilisk
import numpy as np
import rivals
from scipy.integrate import solve_ivp
from speed import CORES, fastest

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.batch import Batch
from spacecraft_attitude_sim.core.batch.gyrostats import gyrostats
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.equations import loaded
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS

AXES = np.array(((1, 1, 1), (-1, 1, 1), (1, -1, 1), (-1, -1, 1))) / math.sqrt(3.0)
SPEEDS = (300.0, -200.0, 250.0, 100.0)
TORQUES = (2e-5, -1e-5, 3e-5, -2e-5)
GIVEN = {
    'body.mass': 4.0,
    'body.inertia': [0.04, 0.05, 0.03, 0.002, -0.001, 0.003],
    'initial.angular_velocity': [0.03, -0.05, 0.04],
    'orbit.radius': 6.778e6,
    'wheels': list('abcd'),
}
for name, axis, speed, torque in zip('abcd', AXES.tolist(), SPEEDS, TORQUES, strict=True):
    GIVEN |= {
        f'wheel.{name}.axis': axis, f'wheel.{name}.inertia': 1.72e-5,
        f'wheel.{name}.initial_speed': speed, f'wheel.{name}.torque': torque,
    }  # fmt: skip
JUDGED_STEPS = 60 * 32
BODIES = 8192
# Ticks of a call: a few ms, so that some calls find both cores idle on a busy machine.
TICKS = 32


class RivalGyrostat(basilisk.RivalBody):
    """The same spacecraft in Basilisk, which also integrates the orbit."""

    def __init__(self, found):
        self._plant, self._omega_B = found.plant, found.parameters['initial.angular_velocity']
        super().__init__(found.plant.body, self._omega_B)

    def equip(self, craft):
        """Add wheels, a planet and the gravity gradient to it."""
        from Basilisk.architecture import messaging
        from Basilisk.simulation import GravityGradientEffector, reactionWheelStateEffector
        from Basilisk.utilities import simIncludeGravBody, simIncludeRW

        orbit, wheels = (
            self._plant.environment.orbit,
            self._plant.spacecraft.part('reaction_wheels'),
        )
        craft.hub.r_CN_NInit = column(orbit.radius * orbit.radial_W)
        craft.hub.v_CN_NInit = column(orbit.radius * orbit.rate * orbit.forward_W)
        self._planets = simIncludeGravBody.gravBodyFactory()
        earth = self._planets.createEarth()
        earth.mu, earth.isCentralBody = orbit.gravitational_parameter, True
        self._planets.addBodiesTo(craft)
        gradient = GravityGradientEffector.GravityGradientEffector()
        gradient.addPlanetName(earth.planetName)
        craft.addDynamicEffector(gradient)
        factory = simIncludeRW.rwFactory()
        for axis, inertia, speed in zip(wheels.axes_B, wheels.inertias, SPEEDS, strict=True):
            factory.create(
                'custom', axis.tolist(), Js=float(inertia), Omega=speed * 30.0 / math.pi,
                useMaxTorque=False, u_max=1.0,
            )  # fmt: skip
        assembly = reactionWheelStateEffector.ReactionWheelStateEffector()
        factory.addToSpacecraft('wheels', assembly, craft)
        command = messaging.ArrayMotorTorqueMsgPayload()
        command.motorTorque = list(TORQUES)
        self._command = messaging.ArrayMotorTorqueMsg().write(command)
        assembly.rwMotorCmdInMsg.subscribeTo(self._command)
        return gradient, assembly


def column(vector):
    """Return a vector in the form that Basilisk needs."""
    return [[float(value)] for value in vector]


def true_attitude(found, seconds):
    """Return q_WB (4,) after some seconds by DOP853, with rates instead of momenta as states."""
    plant = found.plant
    orbit, wheels, inertia = (
        plant.environment.orbit,
        plant.spacecraft.part('reaction_wheels'),
        plant.body.inertia,
    )
    inverse = np.linalg.inv(inertia - wheels.inertia_B)
    torques = np.array(TORQUES)

    def slope(time, y):
        q, omega, speeds = y[:4], y[4:7], y[7:]
        r_B = rotations.rotate(rotations.conjugate(q), orbit.direction_W(time))
        gradient = 3.0 * orbit.rate**2 * np.cross(r_B, inertia @ r_B) / (q @ q) ** 2
        held = inertia @ omega + wheels.axes_B.T @ (wheels.inertias * speeds)
        turning = inverse @ (gradient - np.cross(omega, held) - wheels.axes_B.T @ torques)
        spinning = torques / wheels.inertias - wheels.axes_B @ turning
        return np.concatenate((
            0.5 * rotations.compose(q, np.concatenate(((0.0,), omega))), turning, spinning
        ))  # fmt: skip

    omega_B = found.parameters['initial.angular_velocity']
    start = np.concatenate((found.initial.q_WB, omega_B, SPEEDS))
    end = solve_ivp(slope, (0.0, seconds), start, 'DOP853', rtol=1e-13, atol=1e-15).y[:4, -1]
    return end / np.linalg.norm(end)


def batch_of(found, threads=CORES, random=None):
    """Return a Batch of the spacecraft at different rates; random: also in different orbits."""
    plant = found.plant
    given = gyrostats(
        [plant] * BODIES, [found.initial] * BODIES, [found.inputs.wheel_torque] * BODIES
    )
    if random is not None:
        rates = given.gradient[:, loaded.RATE]
        rates *= random.uniform(0.9, 1.0, rates.shape)
        rates[0, 0] = plant.environment.orbit.rate  # the one that is compared
    states = np.repeat([to_flat(found.initial)[:13]], BODIES, axis=0)
    states[1:, 10:13] *= np.linspace(0.5, 1.0, BODIES - 1)[:, np.newaxis]
    return Batch(
        [plant.spacecraft.carrier] * BODIES, states, substeps=1, threads=threads, gyrostats=given
    )


def one_body(found):
    """Return a function that takes steps of one body from the start and returns the last state."""
    spacecraft = found.plant.spacecraft
    state, carrier = to_flat(found.initial)[:13], spacecraft.carrier.flat()
    inside = (
        spacecraft.part('reaction_wheels')
        .drive(found.inputs, found.initial.internal, TICK_SECONDS)
        .gyrostat
    )
    gradient = found.plant.solver.gradient
    return lambda steps: loaded.advance(
        state, carrier, loads.FREE, inside, gradient, 0.0, steps * TICK_SECONDS, steps
    )


def main():
    """Print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    found = scenario.build(GIVEN, 'gyrostat')
    truth = true_attitude(found, JUDGED_STEPS * TICK_SECONDS)
    one = one_body(found)
    batches = {
        f'one of {BODIES} in a Batch, one core': batch_of(found, 1),
        f'the same, {CORES} cores': batch_of(found),
        'the same, each in an orbit of its own': batch_of(found, random=np.random.default_rng(0)),
    }
    errors = {'one body': rotations.angle_between(one(JUDGED_STEPS)[3:7], truth)}
    for name, batch in batches.items():
        batch.advance(JUDGED_STEPS)
        errors[name] = rotations.angle_between(batch.states[0, 3:7], truth)
    contenders = {'one body': (one, 10_000)} | {
        name: (lambda steps, batch=batch: batch.advance(steps // BODIES), TICKS * BODIES)
        for name, batch in batches.items()
    }
    if rivals.installed('Basilisk'):
        rival = RivalGyrostat(found)
        rival.advance(JUDGED_STEPS)
        errors['Basilisk RK4'] = rotations.angle_between(rival.attitude(), truth)
        contenders = {'Basilisk RK4': (rival.advance, 500)} | contenders
    times = fastest(rounds, contenders, time.perf_counter)
    print('\nFour wheels and gravity gradient, one RK4 step of 1/32 s: ns, steps per second as')
    print(f'times the first, error after {JUDGED_STEPS / 32:.0f} s [rad]')
    first = next(iter(times.values()))
    for name, seconds in times.items():
        print(f'  {name:46} {seconds * 1e9:12.1f} {first / seconds:9.1f} x {errors[name]:9.1e}')


if __name__ == '__main__':
    main()
