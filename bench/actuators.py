# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Compare trajectories of wheels with friction and thrusters with lag to Basilisk's.

`pip install -c constraints.txt bsk`, then `python bench/actuators.py`. Basilisk's friction jumps
with the sign of the speed as ours does, except for a ramp below 1e-4 rad/s, and its thrusters lag
as ours do. But its steps do not end where a wheel's speed is zero or a valve closes, so it is off
by a part of a step. The difference must therefore be proportional to its step.
"""

import itertools
import math
import sys

import basilisk
import numpy as np
import rivals

from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.parts.reaction_wheels.description import (
    ReactionWheels,
    WheelDynamics,
)
from spacecraft_attitude_sim.core.parts.thrusters.description import Thruster, Thrusters
from spacecraft_attitude_sim.core.simulation import plant_of

INERTIA = np.array(((0.04, 0.002, -0.001), (0.002, 0.05, 0.003), (-0.001, 0.003, 0.03)))
OMEGA_B = (0.03, -0.05, 0.04)
AXES = np.array(((1, 1, 1), (-1, 1, 1), (1, -1, 1))) / math.sqrt(3.0)
AXIAL, SPEEDS = 1.72e-5, (20.0, -15.0, 30.0)
COULOMB, VISCOUS = 2e-5, 1e-7
# The motors stop the wheels and turn them the other way, each at another time.
TORQUES = (-8e-5, 5e-5, -1e-4)
SECONDS = 16
# Thrusters: position, direction, largest force [N], bandwidth of their lag [rad/s], on-times [s].
PLACES = ((0.1, 0.05, 0.0), (0.0, 0.1, -0.1))
WAYS = ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
FORCE, BANDWIDTH, ON_TIMES = 0.02, 4.0, (0.5, 1.0)
# Basilisk's steps [ms], and the required ratio of the attitude differences for a quarter of a
# step. The difference of wheels levels off at 1e-6 of their speeds; the cause is unknown [rad].
STEPS, FALL, LEVEL = (4.0, 1.0, 0.25), 3.0, 1e-6


class RivalWheels(basilisk.RivalBody):
    """Three oblique wheels with Coulomb and viscous friction."""

    def equip(self, craft):
        """Add the wheels to it."""
        from Basilisk.architecture import messaging
        from Basilisk.simulation import reactionWheelStateEffector
        from Basilisk.utilities import simIncludeRW

        factory = simIncludeRW.rwFactory()
        for axis, speed in zip(AXES, SPEEDS, strict=True):
            factory.create(
                'custom', axis.tolist(), Js=AXIAL, Omega=speed * 30.0 / math.pi,
                useMaxTorque=False, u_max=1.0, useRWfriction=True, fCoulomb=COULOMB,
                cViscous=VISCOUS,
            )  # fmt: skip
        effector = reactionWheelStateEffector.ReactionWheelStateEffector()
        factory.addToSpacecraft('wheels', effector, craft)
        command = messaging.ArrayMotorTorqueMsgPayload()
        command.motorTorque = list(TORQUES)
        self._command = messaging.ArrayMotorTorqueMsg().write(command)
        effector.rwMotorCmdInMsg.subscribeTo(self._command)
        self._effector = effector
        return (effector,)

    def speeds(self):
        """Return the speeds (3,) of the wheels [rad/s]."""
        return np.array(self._effector.rwSpeedOutMsg.read().wheelSpeeds[: len(SPEEDS)])


class RivalThrusters(basilisk.RivalBody):
    """Two thrusters whose force rises and falls exponentially."""

    def equip(self, craft):
        """Add the thrusters to it; they fire from the start."""
        from Basilisk.architecture import messaging
        from Basilisk.simulation import thrusterStateEffector
        from Basilisk.utilities import simIncludeThruster

        factory = simIncludeThruster.thrusterFactory()
        for place, way in zip(PLACES, WAYS, strict=True):
            factory.create(
                'Blank_Thruster', list(place), list(way), MaxThrust=FORCE, steadyIsp=1e9,
                cutoffFrequency=BANDWIDTH,
            )  # fmt: skip
        effector = thrusterStateEffector.ThrusterStateEffector()
        factory.addToSpacecraft('thrusters', effector, craft)
        command = messaging.THRArrayOnTimeCmdMsgPayload()
        command.OnTimeRequest = list(ON_TIMES)
        self._command = messaging.THRArrayOnTimeCmdMsg().write(command)
        effector.cmdsInMsg.subscribeTo(self._command)
        return (effector,)


def body():
    """Return the RigidBody of the whole spacecraft."""
    return RigidBody(4.0, INERTIA)


def flown(plant, state, inputs_of):
    """Return the State after SECONDS; inputs_of: function of a tick."""
    for tick in range(SECONDS * 32):
        state = simulation.step(plant, state, inputs_of(tick), tick)
    return state


def our_wheels():
    """Return the final attitude and speeds."""
    friction = WheelDynamics(coulomb=COULOMB, viscous=VISCOUS)
    wheels = ReactionWheels(
        tuple('abc'), AXES, np.full(3, AXIAL), np.full(3, 1.0), (friction,) * 3, detailed=True
    )
    plant = plant_of(body(), parts=(wheels,))
    craft = plant.spacecraft
    state = craft.state(np.zeros(3), np.eye(4)[0], np.zeros(3), OMEGA_B, np.array(SPEEDS))
    state = flown(plant, state, lambda tick: Inputs(wheel_torque=np.array(TORQUES)))
    return state.q_WB, craft.wheel_speeds(state)


def our_thrusters():
    """Return the final attitude."""
    lag = 1.0 / BANDWIDTH
    jets = tuple(
        Thruster(place, way, FORCE, period=2.0 * SECONDS, rise_time=lag, fall_time=lag)
        for place, way in zip(PLACES, WAYS, strict=True)
    )
    plant = plant_of(body(), parts=(Thrusters(('a', 'b'), jets),))
    state = plant.spacecraft.state(np.zeros(3), np.eye(4)[0], np.zeros(3), OMEGA_B)
    asked = FORCE * np.array(ON_TIMES) / (2.0 * SECONDS)
    return flown(plant, state, lambda tick: Inputs(thrust=asked)).q_WB


def rival_of(kind, milliseconds):
    """Return the rival after its run with steps of `milliseconds`."""
    rival_kind = type(kind.__name__, (kind,), {'STEP': 1e-3 * milliseconds})
    rival = rival_kind(body(), OMEGA_B)
    rival.advance(round(SECONDS / (1e-3 * milliseconds)))
    return rival


def apart(q, other):
    """Return the angle between two attitudes [rad]."""
    return float(np.linalg.norm(rotations.compose(rotations.conjugate(q), other)[1:])) * 2.0


def main():
    """Print the differences; exit with 1 if they are not proportional to the step."""
    if not rivals.installed('Basilisk'):
        sys.exit('\n'.join(rivals.missing()))
    failed = False
    (q_WB, speeds), jets_WB = our_wheels(), our_thrusters()
    print(f'wheels from {SPEEDS} to {speeds.round(3).tolist()} rad/s in {SECONDS} s')
    for what, kind, ours in (
        ('wheels', RivalWheels, q_WB), ('thrusters', RivalThrusters, jets_WB),
    ):  # fmt: skip
        angles = []
        for step in STEPS:
            rival = rival_of(kind, step)
            angles.append(apart(ours, rival.attitude()))
            line = f'{what}, their steps of {step:g} ms: attitude {angles[-1]:.2g} rad apart'
            if kind is RivalWheels:
                line += f', speeds {np.abs(rival.speeds() - speeds).max():.2g} rad/s'
            print(line)
        failed |= any(
            fine > max(LEVEL, coarse / FALL) for coarse, fine in itertools.pairwise(angles)
        )
    sys.exit('they do not agree' if failed else 0)


if __name__ == '__main__':
    main()
