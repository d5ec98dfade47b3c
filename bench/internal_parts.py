# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Print the cost of each kind of internal part in a step, and compare two kinds with Basilisk's.

`pip install -c constraints.txt bsk`, then `python bench/internal_parts.py [rounds]`. The cost is
that of one RK4 step per tick of 1/32 s in a batch, the fastest of interleaved rounds; trust only
the ratios. Alone: one by one on one thread; beside: sixteen side by side, on one thread, and on
two, of which it is wall time. The compared motions are those of a hub with one hinged panel, or
one mass on a spring, with steps of 1 ms on both sides. Basilisk has no viscous slugs and no such
modes.
"""

import sys
import time

import basilisk
import numpy as np
import rivals
from speed import fastest

from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.batch import Batch
from spacecraft_attitude_sim.core.batch.actuated import rows_of
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.parts.coordinates.flexible_modes import FlexibleMode
from spacecraft_attitude_sim.core.parts.coordinates.hinged_panels import HingedPanel
from spacecraft_attitude_sim.core.parts.coordinates.sliding_masses import SlidingMass
from spacecraft_attitude_sim.core.parts.internal_parts import InternalParts
from spacecraft_attitude_sim.core.parts.pendulums.description import Pendulum
from spacecraft_attitude_sim.core.parts.viscous_slugs.description import ViscousSlug
from spacecraft_attitude_sim.core.simulation import plant_of
from spacecraft_attitude_sim.core.ticks import Ticks

MASS = 50.0
INERTIA = np.array(((12.0, 0.2, -0.1), (0.2, 8.0, 0.3), (-0.1, 0.3, 10.0)))
OMEGA_B = (0.1, -0.15, 0.2)
# Bodies and ticks of a call, which takes some ms; bodies of a batch side by side.
BODIES, TICKS, MANY = 8, 256, 512
SECONDS = 20
FINE = 1000
# Largest final difference from Basilisk [rad, m]; it uses RK4 on other variables.
CLOSE = 1e-8

PANEL = HingedPanel(
    hinge_B=(0.0, 0.5, 0.1), axis_B=(1.0, 0.0, 0.0), center_B=(0.0, 0.6, 0.0), mass=3.0,
    inertia=np.diag((0.4, 0.1, 0.5)), stiffness=1.5, damping=0.02, angle=0.3,
)  # fmt: skip
BALL = SlidingMass(
    (0.3, 0.1, -0.2), (0.0, 0.6, 0.8), 2.0, stiffness=3.0, damping=0.05, displacement=0.1
)
KINDS = {
    'slug': ({}, {}, {'it': ViscousSlug(0.1, 0.02)}),
    'mode': ({'it': FlexibleMode((0.3, 0.1, 0.2), 2.0, 0.01)},),
    'panel': ({'it': PANEL},),
    'mass': ({'it': BALL},),
    'pendulum': ({}, {'it': Pendulum((0.0, 0.0, 0.2), (0.0, 0.0, -1.0), 2.0, 0.3, 0.01)}),
}


def plant_with(parts, ticks=None):
    """Return the plant of the body; parts: arguments of InternalParts, or None."""
    body = RigidBody(MASS, INERTIA)
    given = {'substeps': 1, 'ticks': ticks or Ticks.at(32.0)}
    return plant_of(body, parts=InternalParts.named(*parts).parts, **given) if parts else plant_of(
        body, **given
    )  # fmt: skip


def started(plant):
    """Return the first State of a plant."""
    return plant.spacecraft.state(np.zeros(3), np.eye(4)[0], np.zeros(3), np.array(OMEGA_B))


def advancing(parts, bodies=BODIES, threads=1, beside=False):
    """Return a function that advances a batch by TICKS, and its number of steps."""
    plants = [plant_with(parts)] * bodies
    states = [started(plants[0])] * bodies
    actuated = rows_of(plants, states, [simulation.Inputs()] * bodies) if parts else None
    batch = Batch(
        [one.spacecraft.carrier for one in plants], states, substeps=1, threads=threads,
        ticks=plants[0].ticks, actuated=actuated,
    )  # fmt: skip
    batch._able &= beside
    return lambda steps: batch.advance(TICKS), bodies * TICKS


def print_cost(rounds):
    """Print the tables of step times."""
    two = {'it': PANEL, 'other': BALL}
    kinds = {f'+ 1 {name}': parts for name, parts in KINDS.items()} | {'+ 1 panel, 1 mass': (two,)}
    calls = {'free body': advancing(None)}
    calls |= {f'{name}, alone': advancing(parts) for name, parts in kinds.items()}
    calls |= {
        f'{name}, beside': advancing(parts, MANY, beside=True) for name, parts in kinds.items()
    }
    both = {
        f'{name}, two threads': advancing(parts, MANY, 2, True) for name, parts in kinds.items()
    }
    if rivals.installed('Basilisk'):
        rival = {
            'Basilisk, 1 panel': (WithPanel().advance, 500),
            'Basilisk, 1 mass': (WithBall().advance, 500),
        }
        calls, both = calls | rival, both | rival
    for title, times in (
        ('processor time', fastest(rounds, calls)),
        ('wall time', fastest(rounds, both, time.perf_counter)),
    ):
        print(f'RK4 steps of a batch, {title}, fastest of {rounds} rounds')
        for name, seconds in times.items():
            part = name.removeprefix('+ ').rpartition(',')[0]
            other = times.get(f'Basilisk, {part}')
            ratio = f'{other / seconds:8.0f} x the same of Basilisk' if other else ''
            print(f'  {name:30} {seconds * 1e9:8.0f} ns{ratio}')


class WithPart(basilisk.RivalBody):
    """A hub in Basilisk, which is the body without its part, and the part."""

    STEP = 1.0 / FINE

    def __init__(self):
        super().__init__(RigidBody(MASS, INERTIA), OMEGA_B)

    def put_hub(self, craft, mass, center, inertia):
        """Subtract a part, at angle or displacement 0, from the hub."""
        center = np.asarray(center)
        left = MASS - mass
        place = -mass / left * center
        whole = inertia + mass * spread(center) + left * spread(place)
        craft.hub.mHub, craft.hub.r_BcB_B = left, column(place)
        craft.hub.IHubPntBc_B = (INERTIA - whole).tolist()

    def displacement(self):
        """Return the angle [rad] or displacement [m] of the part."""
        state = self._craft.dynManager.getStateObject(self._name)
        return float(np.asarray(state.getState()).ravel()[0])


class WithPanel(WithPart):
    """One HingedRigidBodyStateEffector; its panel lies along -s1, and turns about s2."""

    def equip(self, craft):
        """Add the panel to it."""
        from Basilisk.simulation import hingedRigidBodyStateEffector

        arm = np.asarray(PANEL.center_B)
        self.put_hub(craft, PANEL.mass, np.asarray(PANEL.hinge_B) + arm, PANEL.inertia)
        length = np.linalg.norm(arm)
        first, second = -arm / length, np.asarray(PANEL.axis_B)
        axes = np.array((first, second, np.cross(first, second)))
        part = hingedRigidBodyStateEffector.HingedRigidBodyStateEffector()
        part.mass, part.d, part.k, part.c = PANEL.mass, length, PANEL.stiffness, PANEL.damping
        part.r_HB_B, part.dcm_HB = column(PANEL.hinge_B), axes.tolist()
        part.IPntS_S = (axes @ PANEL.inertia @ axes.T).tolist()
        part.thetaInit, part.thetaDotInit = PANEL.angle, 0.0
        craft.addStateEffector(part)
        self._name = part.nameOfThetaState
        return (part,)


class WithBall(WithPart):
    """One LinearSpringMassDamper."""

    def equip(self, craft):
        """Add the mass to it."""
        from Basilisk.simulation import linearSpringMassDamper

        self.put_hub(craft, BALL.mass, BALL.position_B, np.zeros((3, 3)))
        part = linearSpringMassDamper.LinearSpringMassDamper()
        part.k, part.c, part.massInit = BALL.stiffness, BALL.damping, BALL.mass
        part.r_PB_B, part.pHat_B = column(BALL.position_B), column(BALL.axis_B)
        part.rhoInit, part.rhoDotInit = BALL.displacement, 0.0
        craft.addStateEffector(part)
        self._name = part.nameOfRhoState
        return (part,)


def column(vector):
    """Return a vector in the form that Basilisk needs."""
    return [[float(value)] for value in vector]


def spread(place):
    """Return |r|² 1 - r rᵀ (3, 3) of a position r."""
    return place @ place * np.eye(3) - np.outer(place, place)


def print_motion():
    """Print the final differences; return whether they are too large."""
    failed = False
    for name, parts, kind in (('panel', KINDS['panel'], WithPanel),
                              ('mass', KINDS['mass'], WithBall)):  # fmt: skip
        plant = plant_with(parts, Ticks.at(float(FINE)))
        state = started(plant)
        for tick in range(SECONDS * FINE):
            state = simulation.step(plant, state, simulation.Inputs(), tick)
        rival = kind()
        rival.advance(SECONDS * FINE)
        turned = rotations.compose(rotations.conjugate(state.q_WB), rival.attitude())
        apart = 2.0 * float(np.linalg.norm(turned[1:]))
        own = plant.spacecraft.internal
        (place,) = own.displacements(plant.spacecraft.internal_states(state))
        print(
            f'{name}: after {SECONDS} s at {place:+.6f}; attitude {apart:.2g} rad apart from '
            f"Basilisk's, displacement {abs(place - rival.displacement()):.2g}"
        )
        failed |= not apart < CLOSE or not abs(place - rival.displacement()) < CLOSE
    return failed


def main():
    """Print cost and differences; exit with 1 if motions do not agree."""
    print_cost(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
    if not rivals.installed('Basilisk'):
        sys.exit('\n'.join(rivals.missing()))
    sys.exit('they do not agree' if print_motion() else 0)


if __name__ == '__main__':
    main()
