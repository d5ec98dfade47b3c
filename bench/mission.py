# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Compare the speed of a spacecraft that people fly with Basilisk's.

`pip install -c constraints.txt bsk`, then `python bench/mission.py [rounds]`. Both simulate four
wheels with friction, a largest torque and a largest speed, three magnetorquers in the field of
WMM2025, gravity gradient and J2, with one RK4 step in each tick of 1/32 s. Our motors have lags as
well; Basilisk's have none. Basilisk computes the field once a step, and does not turn the Earth
here: each is compared with itself at shorter steps. Times are the fastest of interleaved rounds.
MuJoCo, if it is installed, has the wheels alone. 42 runs where FORTYTWO names it (fortytwo.py).

Then many of our spacecraft in a Batch, in one orbit, on one core and on all. Take at most
25 rounds: after 216 s one of their wheels is at its largest speed.
"""

import math
import sys
import tempfile
import time
from pathlib import Path

import basilisk
import fortytwo
import numpy as np
import rivals
from speed import fastest

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.batch.batch import Batch
from spacecraft_attitude_sim.core.body.state import SIZE, to_flat
from spacecraft_attitude_sim.core.environment import magnetic_field
from spacecraft_attitude_sim.core.environment.around import draw_sky, span_begin
from spacecraft_attitude_sim.core.environment.sky import BEGIN
from spacecraft_attitude_sim.core.equations.multibody.kernels import room_of
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.parts.craft import END
from spacecraft_attitude_sim.core.ticks import TICK_NS, TICK_SECONDS
from spacecraft_attitude_sim.flight import side_by_side
from spacecraft_attitude_sim.kernels.kernel import Kernel
from spacecraft_attitude_sim.kernels.pointers import borrowed

AXES = np.array(((1, 1, 1), (-1, 1, 1), (1, -1, 1), (-1, -1, 1))) / math.sqrt(3.0)
SPEEDS = (300.0, -200.0, 250.0, 100.0)
TORQUES = (2e-5, -1e-5, 3e-5, -2e-5)
DIPOLES = (0.05, -0.03, 0.04)
FRICTION = COULOMB, VISCOUS = 2e-6, 2e-9
MAX_DIPOLE, YEAR = 0.2, 2026.215
INERTIA, MAX_TORQUE, MAX_SPEED, LAG = 1.72e-5, 0.004, 627.0, 0.05
OMEGA_B = (0.003, -0.005, 0.004)
GIVEN = {
    'body.mass': 4.0,
    'body.inertia': [0.04, 0.05, 0.03, 0.002, -0.001, 0.003],
    'initial.angular_velocity': list(OMEGA_B),
    'orbit.model': 'j2',
    'orbit.semi_major_axis': 6.878137e6,
    'orbit.inclination': 1.69998,
    'epoch': '2026-03-20T12:00:00Z',
    'atmosphere': 'none',
    'magnetic_model': 'wmm',
    'wheels': list('abcd'),
    'magnetorquers': list('xyz'),
    'substeps': 1,
}
for name, axis, speed, torque in zip('abcd', AXES.tolist(), SPEEDS, TORQUES, strict=True):
    GIVEN |= {
        f'wheel.{name}.axis': axis, f'wheel.{name}.inertia': INERTIA,
        f'wheel.{name}.initial_speed': speed, f'wheel.{name}.torque': torque,
        f'wheel.{name}.max_torque': MAX_TORQUE, f'wheel.{name}.max_speed': MAX_SPEED,
        f'wheel.{name}.torque_lag': LAG, f'wheel.{name}.friction.coulomb': COULOMB,
        f'wheel.{name}.friction.viscous': VISCOUS,
    }  # fmt: skip
for name, axis, dipole in zip('xyz', np.eye(3).tolist(), DIPOLES, strict=True):
    GIVEN |= {
        f'magnetorquer.{name}.axis': axis, f'magnetorquer.{name}.max_dipole': MAX_DIPOLE,
        f'magnetorquer.{name}.dipole': dipole,
    }  # fmt: skip
JUDGED, JUDGED_TICKS = 60.0, 60 * 32
# Lengths of steps [ns], and the length with which they are compared: whole numbers, as Basilisk
# needs; errors of the attitude that are wanted [rad].
LADDER = tuple(TICK_NS << k for k in range(7, 0, -1)) + tuple(TICK_NS >> k for k in range(5))
FINEST, TARGETS = 390_625, (1e-4, 1e-6, 1e-8)
# Of a Batch: spacecraft, and ticks in a round.
CRAFT, FEW_TICKS = 2048, 128


def column(vector):
    """Return a vector in the form that Basilisk needs."""
    return [[float(value)] for value in vector]


class RivalCraft(basilisk.RivalBody):
    """The same spacecraft in Basilisk, which also integrates the orbit.

    plant: our Plant, for the initial orbit
    """

    def __init__(self, plant):
        self._plant = plant
        super().__init__(plant.body, OMEGA_B)

    def equip(self, craft):
        """Add planet, field, gradient, wheels and magnetorquers; return the modules to call."""
        place, velocity = self._plant.environment.orbital_state(0.0)
        craft.hub.r_CN_NInit, craft.hub.v_CN_NInit = column(place), column(velocity)
        gradient = self._planet(craft)
        field = self._field(craft)
        return field, gradient, self._wheels(craft), self._torquers(craft, field)

    def _planet(self, craft):
        """Add the Earth with J2, and return its gravity gradient."""
        from Basilisk.simulation import GravityGradientEffector, sphericalHarmonicsGravityModel
        from Basilisk.utilities import simIncludeGravBody

        self._planets = simIncludeGravBody.gravBodyFactory()
        earth = self._planets.createEarth()
        earth.isCentralBody = True
        model = sphericalHarmonicsGravityModel.SphericalHarmonicsGravityModel()
        zonal = -1.08262668e-3 / math.sqrt(5.0)
        model.cBar = [[1.0], [0.0, 0.0], [zonal, 0.0, 0.0]]
        model.sBar = [[0.0], [0.0, 0.0], [0.0, 0.0, 0.0]]
        model.muBody, model.radEquator, model.maxDeg = earth.mu, 6378136.6, 2
        earth.gravityModel = model
        self._planets.addBodiesTo(craft)
        gradient = GravityGradientEffector.GravityGradientEffector()
        gradient.addPlanetName(earth.planetName)
        craft.addDynamicEffector(gradient)
        return gradient

    def _field(self, craft):
        """Return the module of the field; its coefficients are those of our file."""
        from Basilisk.simulation import magneticFieldWMM

        field = magneticFieldWMM.MagneticFieldWMM()
        self._folder = tempfile.TemporaryDirectory()  # read when the simulation begins
        path = Path(self._folder.name) / 'WMM.COF'
        path.write_text(coefficients())
        field.configureWMMFile(str(path))
        field.epochDateFractionalYear = YEAR
        field.addSpacecraftToModel(craft.scStateOutMsg)
        return field

    def _wheels(self, craft):
        """Add wheels with friction and limits."""
        from Basilisk.architecture import messaging
        from Basilisk.simulation import reactionWheelStateEffector
        from Basilisk.utilities import simIncludeRW

        factory = simIncludeRW.rwFactory()
        for axis, speed in zip(AXES, SPEEDS, strict=True):
            factory.create(
                'custom', axis.tolist(), Js=INERTIA, Omega=speed * 30.0 / math.pi,
                Omega_max=MAX_SPEED * 30.0 / math.pi, useMaxTorque=True, u_max=MAX_TORQUE,
                useRWfriction=True, fCoulomb=COULOMB, cViscous=VISCOUS,
            )  # fmt: skip
        assembly = reactionWheelStateEffector.ReactionWheelStateEffector()
        factory.addToSpacecraft('wheels', assembly, craft)
        command = messaging.ArrayMotorTorqueMsgPayload()
        command.motorTorque = list(TORQUES)
        self._torques = messaging.ArrayMotorTorqueMsg().write(command)
        assembly.rwMotorCmdInMsg.subscribeTo(self._torques)
        return assembly

    def _torquers(self, craft, field):
        """Add magnetorquers with constant dipoles."""
        from Basilisk.architecture import messaging
        from Basilisk.simulation import MtbEffector

        effector = MtbEffector.MtbEffector()
        config = messaging.MTBArrayConfigMsgPayload()
        config.numMTB = len(DIPOLES)
        config.GtMatrix_B = np.eye(3).ravel().tolist()
        config.maxMtbDipoles = [MAX_DIPOLE] * len(DIPOLES)
        command = messaging.MTBCmdMsgPayload()
        command.mtbDipoleCmds = list(DIPOLES)
        self._config = messaging.MTBArrayConfigMsg().write(config)
        self._dipoles = messaging.MTBCmdMsg().write(command)
        effector.mtbParamsInMsg.subscribeTo(self._config)
        effector.mtbCmdInMsg.subscribeTo(self._dipoles)
        effector.magInMsg.subscribeTo(field.envOutMsgs[0])
        craft.addDynamicEffector(effector)
        return effector


def coefficients():
    """Return the coefficients of WMM2025 in NOAA's format, from our file."""
    flat = magnetic_field.wmm2025()
    lines = ['    2025.0            WMM-2025     11/13/2024']
    for n in range(1, len(flat.g[0])):
        for m in range(n + 1):
            (g, h), (later_g, later_h) = ((flat.g[k, n, m], flat.h[k, n, m]) for k in (0, 1))
            rates = (later_g - g) / 5.0, (later_h - h) / 5.0
            lines.append(f'{n:3}{m:3}{g:10.1f}{h:10.1f}{rates[0]:11.1f}{rates[1]:11.1f}')
    return '\n'.join((*lines, *['9' * 48] * 2, ''))


def ticker(plant, tick_ns=TICK_NS):
    """Return a compiled loop over ticks, each with its sky, as batches and campaigns have it."""
    tick = plant.spacecraft.kernels.tick

    def loop(
        own_state, own_internal, own_parts, own_commands, own_wrench, own_sky, own_table,
        ticks, substeps, own_end, own_room,
    ):  # fmt: skip
        # Without counting references, as core.batch.actuated.
        state, internal, parts = borrowed(own_state), borrowed(own_internal), borrowed(own_parts)
        commands, wrench, sky = borrowed(own_commands), borrowed(own_wrench), borrowed(own_sky)
        table, end, room = borrowed(own_table), borrowed(own_end), borrowed(own_room)
        step = tick_ns * 1e-9
        for k in range(ticks):
            if sky[BEGIN] != span_begin(k, tick_ns):
                draw_sky(table, sky, k, tick_ns)
            tick(
                state, internal, parts, commands, wrench, sky, k * step, step, substeps, end, room,
                k > 0,
            )  # fmt: skip
        own_state[0], own_end[:] = state[0], end  # keeps them alive

    return Kernel(loop, kept=False)


class Ours:
    """Our spacecraft, advanced from the start in one compiled call.

    told: whether loads and rates at the end of each tick are found, as IMU and telemetry need them
    """

    def __init__(self, found, loop, *, told=True):
        self._found, self._loop, self._told = found, loop, told
        self._table = found.plant.environment.surroundings.flat(0.0, 3600.0)

    def advance(self, ticks, substeps=1):
        """Return q_WB after some ticks."""
        plant, solver = self._found.plant, self._found.plant.solver
        first = self._found.initial
        state, internal = to_flat(first)[:SIZE].copy(), first.internal.copy()
        end = np.zeros(END.size if self._told else 0)
        self._loop(
            state, internal, solver.parts, plant.spacecraft.commands(self._found.inputs),
            solver._wrench(plant, self._found.inputs), solver.sky.copy(), self._table,
            ticks, substeps, end, np.zeros(room_of(solver.parts)),
        )  # fmt: skip
        return state[3:7]


def basilisk_attitude(plant, step_ns):
    """Return q_WB of Basilisk after JUDGED seconds with steps of this length."""
    kind = type('Stepped', (RivalCraft,), {'STEP': step_ns * 1e-9})
    craft = kind(plant)
    craft.advance(round(JUDGED * 1e9) // step_ns)
    return craft.attitude()


def mujoco_craft(plant, step=TICK_SECONDS):
    """Return the craft in MuJoCo."""
    wheels = list(zip(AXES, [INERTIA] * 4, SPEEDS, TORQUES, strict=True))
    return rivals.MujocoCraft(plant.body, OMEGA_B, wheels, FRICTION, MAX_TORQUE, step)


def craft_of_42(plant):
    """Return the craft in 42."""
    wheels = [(axis, INERTIA, speed, MAX_TORQUE, MAX_SPEED) for axis, speed in
              zip(AXES, SPEEDS, strict=True)]  # fmt: skip
    return fortytwo.FortyTwo(plant.body, OMEGA_B, wheels, FRICTION, np.eye(3), MAX_DIPOLE, DIPOLES)


def mujoco_error(plant):
    """Return the angle between MuJoCo's attitudes with steps of a tick and a sixteenth [rad]."""
    coarse, fine = mujoco_craft(plant), mujoco_craft(plant, TICK_SECONDS / 16.0)
    coarse.advance(JUDGED_TICKS)
    fine.advance(16 * JUDGED_TICKS)
    return rotations.angle_between(coarse.attitude(), fine.attitude())


def error_of_42(craft):
    """Return the same of 42, which prints seven digits."""
    found = []
    for step in (TICK_SECONDS, TICK_SECONDS / 16.0):
        craft.run(JUDGED, step)
        found.append(craft.attitude())
    return rotations.angle_between(*found)


def main():
    """Print the tables."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    found = scenario.build(GIVEN, 'mission')
    plant = found.plant
    loop = ticker(plant)
    every, last = Ours(found, loop), Ours(found, loop, told=False)
    error = rotations.angle_between(
        last.advance(JUDGED_TICKS), last.advance(JUDGED_TICKS, substeps=16)
    )
    errors = {'ours, loads found at each tick': error, 'ours, the motion alone': error}
    contenders = dict(zip(errors, ((every.advance, 5000), (last.advance, 5000)), strict=True))
    if rivals.installed('mujoco'):
        errors[name := 'MuJoCo RK4, the wheels alone'] = mujoco_error(plant)
        contenders = {name: (mujoco_craft(plant).advance, 500)} | contenders
    if rivals.installed('Basilisk'):
        errors[name := 'Basilisk RK4'] = rotations.angle_between(
            *(basilisk_attitude(plant, ns) for ns in (TICK_NS, TICK_NS // 16))
        )
        contenders = {name: (RivalCraft(plant).advance, 500)} | contenders
    times = fastest(rounds, contenders, time.process_time)
    if fortytwo.installed():
        craft = craft_of_42(plant)
        errors[name := '42'] = error_of_42(craft)
        times[name] = min(fortytwo.step_time(craft, TICK_SECONDS) for _ in range(4))
    print('\nFour wheels with friction, limits (ours: and lags), magnetorquers, WMM2025, J2 and')
    print('gradient, one RK4 step of 1/32 s: ns of processor time, times the first, and the')
    print(f'difference after {JUDGED:.0f} s from steps a sixteenth as long [rad]')
    first = next(iter(times.values()))
    for name, seconds in times.items():
        print(f'  {name:32} {seconds * 1e9:10.0f} {first / seconds:8.1f} x {errors[name]:9.1e}')
    print_equal(found, times)
    print_many(found, rounds)


def ours_after(found, step_ns):
    """Return our q_WB after JUDGED seconds with ticks of this length, one step in each."""
    loop = ticker(found.plant, step_ns)
    return Ours(found, loop, told=False).advance(round(JUDGED * 1e9) // step_ns)


def print_equal(found, times):
    """Print the longest steps with which the errors are small enough, and what JUDGED cost then.

    times: of a step, by name [s]
    """
    attitudes = {'ours, the motion alone': lambda ns: ours_after(found, ns)}
    if 'Basilisk RK4' in times:
        attitudes = {'Basilisk RK4': lambda ns: basilisk_attitude(found.plant, ns)} | attitudes
    print(f'\n{JUDGED:.0f} s within an error [rad]: longest step [s], us, ratio')
    rows = {}
    for name, attitude in attitudes.items():
        exact = attitude(FINEST)
        errors = {ns: rotations.angle_between(attitude(ns), exact) for ns in LADDER}
        rows[name] = [
            next((ns for ns in LADDER if max(errors[n] for n in LADDER if n <= ns) < target), None)
            for target in TARGETS
        ]
    for k, target in enumerate(TARGETS):
        costs = [
            (steps[k], math.nan if steps[k] is None else JUDGED * 1e9 / steps[k] * times[name])
            for name, steps in rows.items()
        ]
        told = ''.join(
            f'{"-":>10} {"":8}' if ns is None else f'{ns * 1e-9:10.5f} {cost * 1e6:8.0f}'
            for ns, cost in costs
        )
        ratio = costs[0][1] / costs[-1][1]
        print(f'  {target:8.0e} {told}', '' if math.isnan(ratio) else f'{ratio:8.0f} x')


def print_many(found, rounds):
    """Print the time of a step of one of many in a Batch, and whether its bits are those alone."""
    given = side_by_side.arguments_of([found] * CRAFT, reads=False)
    batches = {
        'Batch, one core': Batch(**given, threads=1), 'Batch, all cores': Batch(**given),
    }  # fmt: skip
    contenders = {
        name: (lambda n, batch=batch: batch.advance(n // CRAFT), CRAFT * FEW_TICKS)
        for name, batch in batches.items()
    }
    if rivals.installed('Basilisk'):
        contenders = {'Basilisk RK4': (RivalCraft(found.plant).advance, 500)} | contenders
    used, passed = (
        fastest(rounds, contenders, clock) for clock in (time.process_time, time.perf_counter)
    )
    first = next(iter(passed))
    print(f'\nOne of {CRAFT} side by side: ns of processor time and of wall time, and the latter')
    print('times the first')
    for name in contenders:
        ratio = passed[first] / passed[name]
        print(f'  {name:32} {used[name] * 1e9:10.0f} {passed[name] * 1e9:10.0f} {ratio:8.1f} x')
    batch = next(iter(batches.values()))
    alone = Ours(found, ticker(found.plant), told=False).advance(batch.tick)
    print(f'  the attitude alone, bit for bit: {np.array_equal(batch.states[7, 3:7], alone)}')


if __name__ == '__main__':
    main()
