# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Runs without ROS, whose bits test/data/bits.json holds: every scenario, batches, equations.

A case is a function of no arguments; it returns digests of all that it computed, the last state as
it is, so that a difference can be measured, and of what may move by round-off some rows.
"""

import functools

import numpy as np
from canary import digest

from spacecraft_attitude_sim.api.simulation import Simulation
from spacecraft_attitude_sim.campaigns import campaign, flights, runner
from spacecraft_attitude_sim.campaigns.columns import MOTION, STATE_COLUMNS
from spacecraft_attitude_sim.configuration import attitude_controller, formation, scenario
from spacecraft_attitude_sim.core import equations, simulation
from spacecraft_attitude_sim.core.batch import Batch
from spacecraft_attitude_sim.core.batch.attitude_law import CLIPPED, CUT, CUTS, GYROSCOPE, INTEGRAL
from spacecraft_attitude_sim.core.batch.contact import touching
from spacecraft_attitude_sim.core.batch.sensors import sensors_of
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.control.attitude_loop import AttitudeLoop, Reading
from spacecraft_attitude_sim.core.sensors import triad
from spacecraft_attitude_sim.core.simulation import limits
from spacecraft_attitude_sim.core.simulation.commands import CommandInbox
from spacecraft_attitude_sim.flight.onboard import OnboardController

TICKS = 320
TICK_NS = 31_250_000
# Places among the numbers of flat_readings.
SATURATED, STARS = 13, 14
MODELS = ('ideal', 'bmi088', 'sch16t_k01', 'stim300')
# Every error a sensor can have; those that no model has.
ERRORS = {
    'imu.position': [0.05, -0.02, 0.1],
    'imu.orientation': [0.5, 0.5, -0.5, 0.5],
    'imu.gyroscope.rate_random_walk': [3.0, 2.0, 1.0],
    'imu.accelerometer.acceleration_random_walk': [30.0],
    'imu.orientation_noise': 0.1,
    'magnetometer.enabled': True,
    'magnetometer.noise': [50.0, 40.0, 30.0],
    'magnetometer.bias': [200.0],
    'magnetometer.range': [40000.0],
    'star_tracker.enabled': True,
    'star_tracker.orientation': [0.8, 0.0, 0.6, 0.0],
    'star_tracker.interval': 4,
    'star_tracker.latency': 6,
    'star_tracker.cross_boresight_noise': 10.0,
    'star_tracker.about_boresight_noise': 80.0,
    'star_tracker.rate_limit': 300.0,
}
# Without a model: all at once but resolution, which would hide what moves by round-off.
OWN = {
    'imu.gyroscope.angle_random_walk': [0.2, 0.3, 0.4],
    'imu.gyroscope.bias_instability': [2.0],
    'imu.gyroscope.turn_on_bias': [300.0],
    'imu.gyroscope.scale_factor': [1500.0],
    'imu.gyroscope.misalignment': [2.0],
    'imu.gyroscope.range': [300.0],
    'imu.accelerometer.velocity_random_walk': [0.08],
    'imu.accelerometer.bias_instability': [60.0],
    'imu.accelerometer.turn_on_bias': [900.0],
    'imu.accelerometer.scale_factor': [400.0],
    'imu.accelerometer.misalignment': [1.5],
    'imu.accelerometer.range': [1.2],
}
# Where the body's own axes are not those of its parts' design, and a frame is turned.
FRAMES = {
    'application_frames': ['thruster'],
    'application.thruster.position': [0.03, -0.04, 0.05],
    'application.thruster.orientation': [0.8, 0.36, -0.48, 0.0],
}
CAMPAIGN = """
scenario: {name}
runs: 100
seed: 7
sampling: latin_hypercube
duration: 10.0
settled_rate: 0.01
dispersions:
  {dispersions}
"""
DISPERSED = """initial.attitude: {distribution: random_attitude}
  initial.angular_velocity: {distribution: in_sphere, radius: 0.4}
  body.inertia[0]: {distribution: truncated_normal, mean: 0.0415, standard_deviation: 0.002,
    low: 0.0375, high: 0.0455}
  seed: {distribution: integers, low: 0, high: 1000000}
  attitude_controller.bandwidth: {distribution: uniform, low: 0.12, high: 0.18}"""
DRIVEN = """initial.angular_velocity[0]: {distribution: uniform, low: -0.001, high: 0.001}
  seed: {distribution: integers, low: 0, high: 1000000}
  attitude_controller.damping_ratio: {distribution: uniform, low: 0.6, high: 0.9}"""
THROWN = """initial.velocity[0]: {distribution: uniform, low: 0.3, high: 0.7}
  initial.angular_velocity: {distribution: on_sphere, radius: 3.0}"""
# Whose campaign flies in Python as its loop does.
IN_LOOP = ('cubesat_3u_mission', 'cubesat_wheel_stuck')
# Formations, each spacecraft by itself.
FLOWN = ('racket_cured', 't_handle_cured')
TRAJECTORIES = ('tennis_racket', 'cubesat_tumble')
# Of which body the equations are solved; Lagrange's meet gimbal lock with the tennis racket.
SOLVED = dict.fromkeys(equations.REGISTRY, 'tennis_racket') | {'lagrange': 'cubesat_detumble'}


def cases():
    """Return {name: function} of all cases."""
    found = {'commands': commanded_inputs}
    for name in scenario.shipped():
        model = MODELS[sum(name.encode()) % 4]  # the same whatever else is shipped
        found[f'run/{name}/shipped'] = functools.partial(run, name)
        found[f'run/{name}/commanded'] = functools.partial(run, name, model)
        if drives(name):
            found[f'loop/{name}'] = functools.partial(driven_loop, name)
            if name not in IN_LOOP:
                found[f'campaign/{name}'] = functools.partial(driven_campaign, name)
        elif controlled(name):
            found[f'loop/{name}'] = functools.partial(closed_loop, name)
            found[f'batch/{name}'] = functools.partial(batch, name, DISPERSED)
    for name in FLOWN:
        for one in formation.members([scenario.find(name)]):
            found[f'run/{name}/{one.name}'] = functools.partial(fly, one)
    found['batch/bouncing_ellipsoid'] = functools.partial(batch, 'bouncing_ellipsoid', THROWN)
    for name in TRAJECTORIES:
        found[f'trajectory/{name}'] = functools.partial(trajectory, name)
    for name in SOLVED:
        for load in ('free', 'held'):
            found[f'equations/{name}/{load}'] = functools.partial(solved, name, load)
    return found


def controlled(name):
    """Return whether a shipped scenario has an attitude_controller."""
    return attitude_controller.NAME in scenario.read(scenario.find(name))


def drives(name):
    """Return whether the attitude_controller of a shipped scenario commands real actuators."""
    given = scenario.read(scenario.find(name)).get(attitude_controller.NAME, {})
    return bool(given.keys() & {'gimbals', 'thrusters', 'wheels', 'dipole_limit'})


def with_errors(name, model):
    """Return a shipped Scenario with sensors that have errors: of a model, or all at once."""
    sections = scenario.read(scenario.find(name))
    own = OWN if model == 'ideal' else {'imu.model': model, 'magnetometer.resolution': [10.0]}
    sections['simulator'] |= ERRORS | own | FRAMES | {'seed': 11}
    return scenario.of_sections(sections, name)


# --- one body ------------------------------------------------------------------------------------


def run(name, model=None):
    """Return what 320 ticks of a shipped scenario give; model: of an IMU, if it is commanded."""
    found = with_errors(name, model) if model else scenario.load(scenario.find(name))
    return flown(found, model)


def fly(member):
    """Return what 320 ticks of a spacecraft of a formation give; member: formation.Member."""
    return flown(scenario.of_sections(member.sections, member.source))


def flown(found, model=None):
    """Return what 320 ticks of a Scenario give; model: as of `run`."""
    plant = found.plant
    instant = found.first_instant()
    states, touch, read, applied = [], [], [], [np.zeros(6)]
    faults = simulation.FaultSchedule(plant)
    for tick in range(TICKS + 1):
        if tick:
            inputs = timetable(plant, tick - 1) if model else simulation.Inputs()
            inputs = faults.over(instant, inputs)
            before, instant = instant, simulation.next_instant(plant, instant, inputs)
            applied.append(applied_B(plant, before, instant))
        states.append(np.concatenate(instant.state))
        touch.append(np.empty(0) if instant.contact is None else instant.contact)
        read.append(flat_readings(instant.readings))
    return {
        'digests': {'states': digest(*states), 'readings': digest(*read), 'touch': digest(*touch)},
        'counts': {
            'saturated': int(sum(row[SATURATED] for row in read)),
            'stars': int(sum(np.isfinite(row[STARS]) for row in read)),
        },
        'last': states[-1].tolist(),
        'rounded': {'applied_B': sample(np.array(applied))},
    }


def applied_B(plant, before, after):
    """Return (6,) what was applied between two Instants, as the cases have it.

    Of a free body the mean of the tick, which follows from the momenta gained.
    """
    if plant.contact or not (after.inputs.wrench.any() or after.inputs.impulse.any()):
        return after.applied_B
    weight_W = plant.body.mass * plant.gravity_W
    return loads.mean_wrench_B(before.state, after.state, weight_W, 1.0 / 32.0)


def timetable(plant, tick):
    """Return the Inputs of a tick, sized to the body: about half a rad/s and half a m/s in all."""
    body = plant.body
    torque = 0.25 * body.least_moment
    force = (0.02 if plant.contact else 0.1) * body.mass
    wrench = np.zeros(12)
    if 16 <= tick < 80:  # fixed in the body
        wrench[0:6] = (force, -0.5 * force, 0.3 * force, torque, -0.6 * torque, 0.3 * torque)
    if 64 <= tick < 128:  # fixed in the world, at first with the other
        wrench[6:12] = (-force, force, 0.4 * force, -0.7 * torque, 0.2 * torque, torque)
    if 160 <= tick < 192:  # a force that turns with the body, and one that does not
        wrench[0:3] = (0.0, force, 0.0)
    if 208 <= tick < 240:
        wrench[6:9] = (force, 0.0, -force)
    if 256 <= tick < 288:
        wrench[3:6] = (0.0, torque, 0.0)
    impulse = np.zeros(6)
    if tick in (40, 144, 272):
        impulse[:] = (force, 0.5 * force, force, torque, torque, -torque)
        impulse *= 0.5
    if not (wrench.any() or impulse.any()):
        return simulation.Inputs()
    return simulation.Inputs(wrench, impulse)


def flat_readings(readings):
    """Return all numbers of Readings as one array; 19 of them, nan for what there is none of."""
    nothing, solution = np.full(3, np.nan), readings.solution
    field_S = nothing if readings.magnetic_field_S is None else readings.magnetic_field_S
    stars = np.full(5, np.nan) if solution is None else [solution.measured, *solution.q_WT]
    return np.concatenate((*readings.imu, field_S, [readings.saturated], stars))


def sample(rows):
    """Return of rows (N, 6) the largest sizes and ten others."""
    return {
        'largest': np.max(np.abs(rows), axis=0).tolist(),
        'rows': rows[18 :: len(rows) // 10].tolist() if rows.any() else [],
    }


def trajectory(name):
    """Return the free motion of a shipped scenario in one call."""
    found = scenario.load(scenario.find(name))
    states = simulation.trajectory(found.plant, found.initial, TICKS)
    return {'digests': {'states': digest(states)}, 'last': states[-1].tolist()}


def solved(name, load):
    """Return 64 ticks of a body by a set of equations, free or under a held wrench."""
    found = scenario.load(scenario.find(SOLVED[name]))
    plant = found.plant.with_equations(name)
    instant, states = found.first_instant(), []
    inputs = timetable(plant, 70) if load == 'held' else simulation.Inputs()
    for _ in range(64):
        instant = simulation.next_instant(plant, instant, inputs)
        states.append(np.concatenate(instant.state))
    whole = simulation.trajectory(plant, found.initial, 64, inputs.wrench)
    digests = {'states': digest(*states), 'trajectory': digest(whole)}
    return {'digests': digests, 'last': states[-1].tolist()}


def commanded_inputs():
    """Return the Inputs that come of commands in several frames: limited, summed, timed out."""
    found = with_errors('cubesat_tumble', 'ideal')
    values = found.parameters
    inbox = CommandInbox(
        {values['frames.body']: found.base_frame, **found.application_frames},
        values['frames.world'], [0.5, 0.5, 0.0], [0.02, 0.0, 0.02], 0.5,
        limits.command_limits(found.plant, 0.5),
    )  # fmt: skip
    instant, taken = found.first_instant(), []
    for tick in range(64):
        third = tick / 3.0
        if tick % 5 == 0:
            inbox.hold('base_link', [0.1, -0.7, third], [0.01, 0.0, -third / 7.0], 'one')
        if tick in (3, 40):
            inbox.hold('world', [0.1 / 3.0, 0.2, -0.3], [0.0, 0.01 / 3.0, 0.0], 'two')
            inbox.hold('thruster', [0.0, 0.0, 0.1], [0.0, 1e-3, 0.0], 'two')
            inbox.hold('base_link@0.1,-0.2,0.3', [0.1, 0.1, 0.1], [0.0, 0.0, 0.0], 'three')
        if tick % 16 == 7:
            inbox.strike('thruster', [0.1, 0.2, 0.3], [1e-3, 0.0, 0.0], 'one')
            inbox.strike('world', [0.3, 0.2, 0.1], [0.0, 1e-3, 0.0], 'two')
        inputs = inbox.take(instant.state.q_WB)
        instant = simulation.next_instant(found.plant, instant, inputs)
        taken.append(np.concatenate((inputs.wrench, inputs.impulse)))
    return {'digests': {'inputs': digest(*taken)}, 'last': np.concatenate(instant.state).tolist()}


# --- controlled bodies, and many -----------------------------------------------------------------


def closed_loop(name):
    """Return 320 ticks of a shipped scenario under its attitude_controller, answered at once."""
    found = with_errors(name, 'ideal')
    settings = attitude_controller.settings(found.controller)
    loop = AttitudeLoop(settings, attitude_controller.reference(found.controller))
    instant, states, torques = found.first_instant(), [], []
    for tick in range(TICKS + 1):
        if tick:
            wrench = np.concatenate((np.zeros(3), torques[-1], np.zeros(6)))
            instant = simulation.next_instant(found.plant, instant, simulation.Inputs(wrench))
        imu = instant.readings.imu
        answer = loop.answer(Reading(tick * TICK_NS, imu.q_WS, imu.angular_velocity_S))
        torques.append(answer.torque_B)
        states.append(np.concatenate(instant.state))
    digests = {'states': digest(*states), 'torques': digest(*torques)}
    return {'digests': digests, 'last': states[-1].tolist()}


def driven_loop(name):
    """Return 320 ticks of a shipped scenario whose attitude_controller drives actuators."""
    instants, commands = driven(with_errors(name, 'ideal'), TICKS)
    states = [to_flat(instant.state) for instant in instants]
    digests = {'states': digest(*states), 'commands': digest(*commands)}
    return {'digests': digests, 'last': states[-1].tolist()}


def driven(found, ticks):
    """Return the Instants (ticks + 1) of a Scenario under its attitude_controller, and commands.

    These are of the actuators that it drives, (ticks, G), each answered at once as in lockstep.
    """
    flight, parts = Simulation(found), OnboardController(found).commanded
    instants, commands = [flight.instant], []
    for _ in range(ticks):
        flight.step()
        instants.append(flight.instant)
        commands.append(np.concatenate([getattr(flight.instant.inputs, part) for part in parts]))
    return instants, commands


def driven_campaign(name):
    """Return the columns of thirteen runs of a campaign of such a scenario."""
    base = scenario.dump(with_errors(name, 'ideal'))
    text = CAMPAIGN.format(name=name, dispersions=DRIVEN)
    columns = runner.columns_of(campaign.parse(text, base, name), 20, 33, threads=2)
    last = [float(columns[key][0]) for key in STATE_COLUMNS]
    # What is drawn, the motion and its end; what follows from these is tested where it is.
    drawn = list(columns)[: list(columns).index('final_rate')]
    kept = sorted((*drawn, *MOTION, *STATE_COLUMNS))
    return {
        'digests': {'columns': digest(*(columns[key] for key in kept))},
        'last': last,
    }


def batch(name, dispersions):
    """Return 320 ticks of thirteen runs of a campaign, sensors with errors read in every tick."""
    base = with_errors(name, 'stim300' if name == 'bouncing_ellipsoid' else 'ideal')
    text = CAMPAIGN.format(name=name, dispersions=dispersions)
    whole, rows = campaign.parse(text, scenario.dump(base), name), range(20, 33)
    draws = whole.draws(rows)
    found = whole.scenarios_of(draws, rows)
    instants = whole.instants_of(found, rows)
    plants = [one.plant for one in found]
    bodies = [plant.body for plant in plants]
    many = Batch(
        bodies,
        [instant.state for instant in instants],
        gravity_W=np.array([plant.gravity_W for plant in plants]),
        law=flights.law_of(found) if base.controller else None,
        watched=True,
        settled_rate=whole.values['settled_rate'],
        threads=2,
        touching=touching(plants, instants) if base.plant.contact else None,
        sensors=sensors_of(
            bodies,
            [one.sensors for one in found],
            [plant.environment.magnetic_field_W for plant in plants],
        ),
    )
    states, read = [many.states], [*many.readings]
    for _ in range(TICKS // 16):
        many.advance(16)
        states.append(many.states)
        read.extend(many.readings)
    memory = many.memory
    if base.controller:  # what was remembered before it knew of limits, of filters and of counts
        newer = *range(GYROSCOPE + triad.BEFORE, GYROSCOPE + triad.STATE_SIZE), CUTS, CLIPPED
        memory = np.delete(memory, [CUT, *range(INTEGRAL, GYROSCOPE), *newer], axis=1)
    digests = {
        'draws': digest(*draws.values()),
        'states': digest(*states),
        'readings': digest(*read),
        'merits': digest(*many.merits),
        'memory': digest(memory),
    }
    return {'digests': digests, 'last': states[-1][0].tolist()}
