# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Text summary of a scenario: body, initial state, steps, sensors, frames, contact, control."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration import (
    faults,
    flight_report,
    loads,
    orbit_report,
    part_report,
)
from spacecraft_attitude_sim.configuration.parameter import unit_quaternion
from spacecraft_attitude_sim.configuration.parts.named import vector
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.axis_words import in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from spacecraft_attitude_sim.configuration.checked_scenario import Scenario
    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
    from spacecraft_attitude_sim.core.mathematics.types import Vector3, VectorLike
    from spacecraft_attitude_sim.core.sensors import HorizonSensor, Suite, SunSensor


AXES = 'xyz'
# An initial ω is a spin about a principal axis if its component is at least this share of |ω|.
SPIN_SHARE = 0.9
# Principal moments closer than this, relatively, count as equal: no axis is intermediate.
EQUAL = 1e-6


def report(scenario: Scenario) -> list[str]:
    """Return the summary of a Scenario, line by line.

    Raises ScenarioError if the body starts inside the floor.
    """
    instant = scenario.first_instant()
    return [
        *_labelled('body', _body(scenario)),
        *_labelled('start', _start(scenario, instant)),
        *(line for one in part_report.sections(scenario) for line in _labelled(*one)),
        *_labelled('orbit', _orbit(scenario)),
        *_labelled('loads', loads.lines(scenario.plant.environment.loads)),
        *_labelled('surfaces', orbit_report.surfaces(scenario)),
        *_labelled('steps', _steps(scenario, instant)),
        *_labelled('sensors', _sensors(scenario)),
        *_labelled('frames', _frames(scenario)),
        *_labelled('floor', _floor(scenario, instant)),
        *_labelled('control', _control(scenario.controller)),
        *(line for one in _aids(scenario) for line in _labelled(*one)),
        *_labelled('faults', faults.lines(scenario.plant)),
        *_labelled('run', _run(scenario.parameters)),
    ]


def _labelled(label: str, lines: Iterable[str]) -> list[str]:
    return [f'{label if number == 0 else "":9} {line}' for number, line in enumerate(lines)]


def _turn(q: VectorLike) -> str:
    """Return angle [deg] and axis of a rotation (4,) as text; and axes that it turns to axes."""
    angle, axis = 2.0 * math.atan2(np.linalg.norm(q[1:]), abs(q[0])), np.array(q[1:])
    if angle < 1e-12:
        return 'not rotated'
    axis = axis / np.linalg.norm(axis) * (1.0 if q[0] >= 0.0 else -1.0)
    words = in_words(rotations.dcm_from_quaternion(q))
    told = f' ({words})' if words else ''
    return f'rotated by {math.degrees(angle):.6g} deg about {vector(axis)}{told}'


def _body(scenario: Scenario) -> Iterator[str]:
    body = scenario.plant.body
    count = len(scenario.parts)
    yield f'mass {body.mass:.6g} kg, {count} {"part" if count == 1 else "parts"}'
    center = body.center_of_mass + body.center_B
    yield f'centre of mass {vector(center)} m in the design axes'
    pivot = scenario.plant.environment.holds
    if pivot:
        yield f'pivot of the air bearing {vector(body.center_of_mass)} m in the design axes'
    if scenario.parameters['body.inertia_about'] == 'origin':
        yield 'you give body.inertia about the origin of the design axes; below it is moved'
    internal = scenario.plant.spacecraft.internal
    if scenario.parameters['body.given_for'] == 'hub':
        hub = f'{body.mass - internal.mass:.6g} kg' if internal else 'all of it'
        yield f'you give the hub, {hub}; these values include the internal parts'
    yield f'inertia about the {"pivot" if pivot else "centre of mass"}, body axes [kg m^2]'
    yield from (f'  {vector(row)}' for row in body.inertia)
    yield f'principal axes, {_turn(body.q_BP)} relative to the body axes'
    axes_B = rotations.dcm_from_quaternion(body.q_BP).T
    rows = zip(AXES, body.principal_moments, axes_B, body.radii_of_gyration, strict=True)
    for name, moment, axis_B, radius in rows:
        yield (
            f'  {name}: moment {moment:.6g} kg m^2 about {vector(axis_B)}, '
            f'radius of gyration {radius:.6g} m'
        )


def _start(scenario: Scenario, instant: simulation.Instant) -> Iterator[str]:
    body, state, spacecraft = scenario.plant.body, instant.state, scenario.plant.spacecraft
    rate_B = spacecraft.angular_velocity_B(state)
    size = np.linalg.norm(rate_B)
    placed = ' (placed on the floor)' if scenario.placed else ''
    yield f'position {vector(state.position_W)} m{placed}, attitude {_turn(state.q_WB)}'
    if scenario.parameters['initial.point'] == 'center_of_mass':
        yield (
            '  both of the centre of mass; base_link has position '
            f'{vector(spacecraft.origin_W(state))} m, velocity '
            f'{vector(spacecraft.origin_velocity_W(state))} m/s'
        )
    if scenario.parameters['initial.frame'] == 'lvlh':
        q_OB = unit_quaternion(scenario.parameters, 'initial.attitude')
        yield f"  {_turn(q_OB)} relative to the orbit's axes (lvlh)"
    yield f'velocity {vector(state.momentum_W / body.mass)} m/s{placed}'
    yield f'angular velocity {vector(rate_B)} rad/s in body axes, {math.degrees(size):.6g} deg/s'
    momentum = np.linalg.norm(state.angular_momentum_W)
    energy = spacecraft.kinetic_energy(state)
    yield f'angular momentum {momentum:.6g} N m s, kinetic energy {energy:.6g} J'
    remark = _spin_remark(body, rate_B)
    if remark and not (scenario.plant.contact or scenario.plant.beyond_rigid_body):
        yield remark


def _orbit(scenario: Scenario) -> Iterator[str]:
    if orbit := scenario.plant.environment.orbit:
        turns = 'the gravity gradient exerts a torque'
        if not scenario.plant.environment.gradient:
            turns = orbit_report.NO_GRADIENT
        yield (
            f'circular, radius {orbit.radius:.6g} m, period {math.tau / orbit.rate:.6g} s, normal '
            f'{vector(orbit.normal_W)}; {turns}'
        )
    yield from orbit_report.lines(scenario)


def _spin_remark(body: RigidBody, rate_B: Vector3) -> str:
    """Return as text whether a spin near a principal axis is stable; '' for another motion."""
    rate_P = rotations.rotate(rotations.conjugate(body.q_BP), rate_B)
    size, moments = np.linalg.norm(rate_P), body.principal_moments
    spun = int(np.argmax(np.abs(rate_P)))
    if size == 0.0 or abs(rate_P[spun]) < SPIN_SHARE * size:
        return ''
    low, middle, high = np.sort(moments)
    if min(middle - low, high - middle) <= EQUAL * high:
        return f'spins about principal axis {AXES[spun]}; two principal moments are equal'
    if moments[spun] == middle:
        return f'spins about the intermediate axis, {AXES[spun]}: unstable, the body will flip'
    kind = 'smallest' if moments[spun] == low else 'largest'
    return f'spins about principal axis {AXES[spun]} with the {kind} moment: stable'


def _steps(scenario: Scenario, instant: simulation.Instant) -> Iterator[str]:
    plant = scenario.plant
    yield f"equations '{plant.equations}', {plant.ticks.rate:.17g} ticks per second"
    if plant.substeps:
        yield f'{plant.substeps} sub-steps per tick, from the parameter substeps'
    elif plant.contact:
        yield 'the simulator chooses the sub-steps of each tick from rate, contact and floor'
    else:
        count = simulation.substeps_in(plant, instant.state)
        steps = f'{count} {"sub-step" if count == 1 else "sub-steps"} in the first tick'
        if plant.accuracy:
            error = simulation.tick_error(plant, instant.state) / plant.ticks.step
            yield (
                f'{steps}, chosen for an accuracy of {plant.accuracy:g} rad/s; half steps change '
                f'the attitude by {error:.2g} rad/s'
            )
            return
        rate = np.linalg.norm(plant.spacecraft.angular_velocity_B(instant.state))
        yield (
            f'{steps}, chosen from the rate: '
            f'{math.degrees(rate * plant.ticks.step / count):.3g} deg per sub-step'
        )
        if simulation.under_resolved(plant, instant.state):
            yield 'warning: too few sub-steps for this rate; results will be inaccurate'


def _sensors(scenario: Scenario) -> Iterator[str]:
    suite, model = scenario.sensors, scenario.parameters['imu.model']
    imu = suite.imu
    rate = scenario.plant.ticks.rate
    named = f'model {model}' if model else 'no model'
    yield f'imu, {rate / imu.interval:.6g} Hz, {named}; noise of a reading, 1 sigma'
    if late := suite.latencies:
        each = (f'{name} {scenario.plant.ticks.seconds(one):.6g} s' for name, one in late.items())
        yield f'  latency of {", ".join(each)}'
    yield f'  angular velocity {vector(np.sqrt(imu.gyroscope.sample_variance()))} rad/s'
    yield f'  specific force {vector(np.sqrt(imu.accelerometer.sample_variance()))} m/s^2'
    yield f'  attitude {imu.orientation_noise:.6g} rad'
    for quantity, unit, errors in (
        ('angular velocity', 'rad/s', imu.gyroscope),
        ('specific force', 'm/s^2', imu.accelerometer),
    ):
        for name, value in (
            ('turn-on bias, 1 sigma', errors.bias), ('bias instability', errors.bias_instability),
        ):  # fmt: skip
            if np.any(value):
                yield f'  {name}: {quantity} {vector(value)} {unit}'
    if magnetometer := suite.magnetometer:
        sigma = np.sqrt(magnetometer.errors.sample_variance())
        environment = scenario.plant.environment
        field = vector(environment.magnetic_field_at(0.0))
        field += ' T' if environment.surroundings is None else ' T at the start'
        yield (
            f'magnetometer, {rate / magnetometer.interval:.6g} Hz, field {field}, '
            f'noise {vector(sigma)} T'
        )
    if tracker := suite.star_tracker:
        yield (
            f'star tracker, {rate / tracker.interval:.6g} Hz, '
            f'{scenario.plant.ticks.seconds(tracker.latency):.6g} s latency, '
            f'noise {vector(tracker.sigma)} rad, boresight z, {_turn(tracker.q_BT)}'
        )
        if any(tracker.exclusion):
            yield (
                f'  no attitude within {vector(tracker.exclusion)} rad of the Sun, the limb of '
                'the Earth, the Moon'
            )
    yield from _sensors_of_orbit(suite, rate)


def _sensors_of_orbit(suite: Suite, rate: float) -> Iterator[str]:
    """Yield a line for each sensor that needs the orbit's environment; rate: of ticks [Hz]."""
    for cell in suite.sun_cells:
        yield (
            f'Sun cell {cell.label}, {rate / cell.interval:.6g} Hz, normal '
            f'{vector(cell.normal_B)}, noise {math.sqrt(cell.variance()):.6g} lx'
        )
    seeing = [(f'Sun sensor {one.label}', one) for one in suite.sun_sensors]
    both: list[tuple[str, SunSensor | HorizonSensor]] = [*seeing]
    if suite.horizon_sensor:
        both.append(('horizon sensor', suite.horizon_sensor))
    for name, one in both:
        view = vector(np.degrees(one.field_of_view))
        sigma = np.sqrt(one.errors.sample_variance()[:2])
        yield (
            f'{name}, {rate / one.interval:.6g} Hz, field of view {view} deg, boresight z, noise '
            f'{vector(sigma)} rad, {_turn(one.q_BS)}'
        )
    if gnss := suite.gnss:
        yield (
            f'GNSS, {rate / gnss.interval:.6g} Hz, errors {gnss.position_error:.6g} m, '
            f'{gnss.velocity_error:.6g} m/s, {gnss.clock_error:.6g} s with correlation '
            f'time {gnss.correlation_time:.6g} s; antenna (boresight z) {_turn(gnss.q_BS)}'
        )


def _frames(scenario: Scenario) -> Iterator[str]:
    values = scenario.parameters
    names = {key: value for key, value in values.items() if key.startswith('frames.')}
    moving = scenario.plant.spacecraft.internal
    reference = ' with the internal parts at their reference places' if moving else ''
    held = scenario.plant.environment.holds
    origin = 'the pivot of the air bearing' if held else 'the centre of mass'
    yield f'{names["frames.body"]}: at {origin}{reference}, body axes'
    framed = {names['frames.imu']: scenario.sensors.imu.mounting, **scenario.application_frames}
    for name, frame in framed.items():
        place = vector(frame.position_B)
        yield f'{name}: at {place} m from {origin}, {_turn(frame.q_BF)}'


def _floor(scenario: Scenario, instant: simulation.Instant) -> Iterator[str]:
    gravity, environment = scenario.plant.gravity_W, scenario.plant.environment
    values = scenario.contact_parameters
    if gravity.any():
        yield f'uniform gravity {vector(gravity)} m/s^2'
    elif environment.orbit or environment.surroundings:
        yield 'no uniform gravity: world falls freely along the orbit'
    elif not values:
        yield 'no gravity: the body is in free space'
    else:
        yield 'no gravity'
    if not values:
        yield 'no floor'
        return
    contact = simulation.contact_at(instant)
    yield (
        f'{values["floor.shape"]} below a {values["surface.shape"]}, mode {values["mode"]}, '
        f'friction {values["friction"]:.6g}, restitution {values["restitution"]:.6g}'
    )
    yield f'at the start: {contact.mode}, gap {contact.gap:.6g} m'


def _control(values: Mapping[str, Any] | None) -> Iterator[str]:
    if values is None:
        yield 'no controller'
        return
    yield f'attitude_controller, mode {values["mode"]}'
    yield f'inertia that the controller uses {vector(values["inertia"])} kg m^2'
    if values['gains'] == 'given':
        yield (
            f'gains {vector(values["attitude_gain"])} N m/rad, '
            f'{vector(values["rate_gain"])} N m s/rad'
        )
    else:
        bandwidth, damping = values['bandwidth'], values['damping_ratio']
        yield f'bandwidth {bandwidth:.6g} rad/s, damping ratio {damping:.6g}'
    if values['integral_time']:
        limit = values['integral_limit']
        yield f'integral time {values["integral_time"]:.6g} s, its limit {limit:.6g} rad'
    yield f'torque limit {vector(values["torque_limit"])} N m'


def _aids(scenario: Scenario) -> Iterator[tuple[str, Iterator[str]]]:
    return flight_report.sections(scenario.estimator, scenario.guidance, scenario.mission)


def _run(values: Mapping[str, Any]) -> Iterator[str]:
    duration, rate = values['duration'], values['real_time_factor']
    timeout = values['command_timeout']
    yield ', '.join(
        (
            f'{duration:.6g} s' if duration else 'until you stop it',
            f'{rate:.6g} x real time' if rate else 'as fast as possible',
            'in lockstep' if values['lockstep'] else 'not in lockstep',
            f'a command is held for {timeout:.6g} s' if timeout else 'a command is held for ever',
        )
    )
