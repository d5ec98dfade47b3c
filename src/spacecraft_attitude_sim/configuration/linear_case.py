# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The Case of core.design of a scenario: where it is linearised, and what of it is not linear."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration import attitude_controller as controller
from spacecraft_attitude_sim.configuration.scenario_file import ScenarioError
from spacecraft_attitude_sim.core.control import (
    attitude_loop,
    command_delay,
    gimbal_steering,
    pointing_frames,
    thruster_allocation,
)
from spacecraft_attitude_sim.core.control.allocation import GIMBALS, THRUSTERS
from spacecraft_attitude_sim.core.control.control_law import NO_GRADIENT
from spacecraft_attitude_sim.core.design.linear_law import Measured
from spacecraft_attitude_sim.core.design.linear_plant import Point
from spacecraft_attitude_sim.core.design.loop_design import Case
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.ticks import LAST_SECOND

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spacecraft_attitude_sim.configuration.checked_scenario import Scenario
    from spacecraft_attitude_sim.core.control.allocation import Allocation
    from spacecraft_attitude_sim.core.control.control_law import Gains, Reference
    from spacecraft_attitude_sim.core.mathematics.types import (
        Matrix3,
        Quaternion,
        Vector3,
        VectorLike,
    )

# A reference turns with the orbit where its rate differs from that of the orbit by less than this
# part of it; a reference that turns more slowly than this part is at rest.
WITH_ORBIT = 0.02
# Largest difference of the wrenches of opposite thrusters, relative to them.
EVEN = 1e-6
LEFT_OUT = 'give --linear-only (in Python linear_only=True) to leave it out'
LINEAR = (*attitude_loop.POINTINGS, attitude_loop.RATE_DAMPING)
# A delay of so many intervals at most: each command that waits is three states of the loop.
MOST_LATE = 256
# Relative measure of gimbals below which they are singular: rounding of their axes makes 1e-8.
SINGULAR = 1e-6
# Rate of a gimbal at the point below which it is at rest [rad/s].
AT_REST = 1e-9


def linear_case(
    scenario: Scenario,
    source: str,
    time: float | None = None,
    acceleration_B: VectorLike = (0.0, 0.0, 0.0),
    delay: float | None = None,
    linear_only: bool = False,
) -> Case:
    """Return the Case of a Scenario about the reference of its controller.

    source: its name, for messages
    time: at which mode, reference and environment are taken [s]; None for the first at which the
        controller holds an attitude or damps a rate
    acceleration_B: (3,) of the centre of mass by a constant force on the hub [m/s^2]
    delay: from a measurement to its command [s]; None for that with which the controller flies
    linear_only: whether to leave out what is not linear, instead of refusing it
    Raises ScenarioError, which names what has no linear model, and the remedy.
    """
    values = _controller_of(scenario, source)
    settings = controller.settings(values)
    time = _time_of(settings, time, source)
    mode = settings.mode_at(round(1e9 * time))
    reference, omega_R = _reference(scenario, values, mode, time, source)
    obstacles = list(_not_linear(scenario, values))
    if obstacles and not linear_only:
        more = f' (and {len(obstacles) - 1} more)' if len(obstacles) > 1 else ''
        raise ScenarioError(f'{source}: {obstacles[0]}{more}; {LEFT_OUT}')
    turn, q_WB = _mounted(scenario, settings, reference)
    gains = settings.gains
    if mode == attitude_loop.RATE_DAMPING:
        gains = gains.damping_only()
    period = scenario.plant.ticks.seconds(scenario.sensors.imu.interval)
    latency = scenario.plant.ticks.seconds(scenario.sensors.latencies.get('imu', 0))
    asked = latency + values['controller_delay'] if delay is None else delay
    if delay is None:
        delay = latency + flown_delay(values, period)
    if not 0.0 <= delay <= MOST_LATE * period:
        raise ScenarioError(
            f'{source}: delay is {delay} s; give 0 to {MOST_LATE * period:g} s, {MOST_LATE} '
            'intervals of the IMU'
        )
    speeds = _speeds(scenario)
    acceleration, angles = np.asarray(acceleration_B, float), [*_angles(scenario).values()]
    point = Point(q_WB, turn.T @ omega_R, speeds, acceleration, time, angles)
    driven = controller.allocation(values)
    left_out = (*obstacles, *_limits(scenario, values))
    left_out += tuple(_turning(scenario, gains, driven, omega_R))
    return Case(
        scenario.plant, point, gains, driven, omega_R, _measured(scenario, turn, speeds), period,
        delay, left_out, asked, _gradient(values, mode, reference, time), latency,
    )  # fmt: skip


def flown_delay(values: Mapping[str, Any], period: float) -> float:
    """Return the delay with which a controller flies [s]: whole periods of its measurements."""
    delay_ns = controller.settings(values).delay_ns
    return period * command_delay.readings_late(delay_ns, round(1e9 * period))


def _controller_of(scenario: Scenario, source: str) -> dict[str, Any]:
    """Return the parameters of the controller; ScenarioError for what is never linear."""
    if scenario.controller is None:
        raise ScenarioError(
            f'{source}: has no {controller.NAME}, so there is no loop; give its section'
        )
    if scenario.plant.contact:
        raise ScenarioError(
            f'{source}: has a floor; contact is not linear: leave the section contact out'
        )
    craft = scenario.plant.spacecraft
    _check_singular(controller.allocation(scenario.controller), _angles(scenario), source)
    if wheels := craft.part('reaction_wheels'):
        fast = np.abs(craft.wheel_speeds(scenario.initial)) >= wheels.speed_limits
        if fast.any():
            name = wheels.names[int(np.argmax(fast))]
            raise ScenarioError(
                f'{source}: wheel.{name}.initial_speed is its max_speed, where its motor gives no '
                'torque in one direction; give a lower speed'
            )
    return scenario.controller


def _check_singular(driven: Allocation | None, angles: Mapping[str, float], source: str) -> None:
    """Refuse gimbals that give no torque about an axis."""
    if driven is None or driven.kind != GIMBALS:
        return
    now = np.array([angles[name] for name in driven.names])
    outputs, _, _ = gimbal_steering.working_point(driven.rows, now)
    if gimbal_steering.relative_measure(outputs) < SINGULAR:
        normal = np.linalg.svd(outputs)[0][:, 2].round(3) + 0.0
        raise ScenarioError(
            f'{source}: gimbals {list(driven.names)} are singular at their angles '
            f'{now.round(4).tolist()} rad: they give no torque along {normal.tolist()}, so there '
            f'is no loop; give other gimbal.{driven.names[0]}.angle and so on'
        )


def _angles(scenario: Scenario) -> dict[str, float]:
    """Return {name of a gimbal: its angle at the start [rad]}."""
    gyros = scenario.plant.spacecraft.part('control_moment_gyros')
    return {
        name: gyro.angle for name, gyro in zip(gyros.names, gyros.gyros, strict=True)
    } if gyros else {}  # fmt: skip


def _time_of(settings: attitude_loop.Settings, time: float | None, source: str) -> float:
    """Return the time [s] at which to linearise; ScenarioError if nothing is to be held then."""
    if time is not None and not 0.0 <= time <= LAST_SECOND:
        raise ScenarioError(f'{source}: time is {time:g} s; give 0 to {LAST_SECOND} s')
    starts = [0.0, *(1e-9 * begin for begin, _ in settings.schedule)]
    for at in starts if time is None else [time]:
        if settings.mode_at(round(1e9 * at)) in LINEAR:
            return at
    when = '' if time is None else f' at {time:g} s'
    raise ScenarioError(
        f'{source}: mode of the {controller.NAME} is {settings.mode_at(round(1e9 * starts[0]))}'
        f'{when}; a linear loop needs one of {", ".join(LINEAR)}: give '
        f'-p {controller.NAME}:mode:=pointing, or another time'
    )


def _speeds(scenario: Scenario) -> Any:
    """Return the speeds (N,) of the wheels at the start [rad/s]."""
    craft = scenario.plant.spacecraft
    if craft.part('reaction_wheels') is None:
        return np.zeros(0)
    return craft.wheel_speeds(scenario.initial)


# --- the reference -------------------------------------------------------------------------------


def _reference(
    scenario: Scenario, values: Mapping[str, Any], mode: str, time: float, source: str
) -> tuple[VectorLike, Vector3]:
    """Return q_WR (4,) and its angular velocity (3,) in its own axes [rad/s]."""
    own: Reference = controller.reference(values)
    if mode == attitude_loop.RATE_DAMPING:
        return scenario.initial.q_WB, np.zeros(3)
    q_WR, omega_R = own.q_WR, own.omega_R
    if mode in attitude_loop.IN_ORBIT and not values[controller.GUIDED]:
        ephemeris = controller.ephemeris(values)
        assert ephemeris, 'checked with the parameters'
        wanted = controller.settings(values).in_orbit
        both = pointing_frames.target(ephemeris.at(time), mode == attitude_loop.SUN, wanted)
        q_WR, omega_R = np.array(both[0:4]), np.array(both[4:7])
    elif np.any(omega_R):
        angle = float(np.linalg.norm(omega_R)) * time
        turn = rotations.quaternion_from_axis_angle(omega_R / np.linalg.norm(omega_R), angle)
        q_WR = rotations.compose(q_WR, turn)
    return q_WR, _rate_with_orbit(scenario, q_WR, omega_R, time, source)


def _gradient(values: Mapping[str, Any], mode: str, q_WR: VectorLike, time: float) -> VectorLike:
    """Return u (3,) of core.control.control_law that the law compensates, reference axes."""
    if not values['gradient_compensation'] or mode == attitude_loop.RATE_DAMPING:
        return NO_GRADIENT
    ephemeris = controller.ephemeris(values)
    assert ephemeris, 'checked with the parameters'
    up_W = pointing_frames.gradient(ephemeris.at(time))
    return rotations.rotate(rotations.conjugate(q_WR), up_W)


def _rate_with_orbit(
    scenario: Scenario, q_WR: VectorLike, omega_R: Vector3, time: float, source: str
) -> Vector3:
    """Return the rate of a reference (3,), 0 where it is small against that of the orbit.

    Raises ScenarioError where it turns otherwise than the orbit: the loop changes with time.
    """
    if not np.any(omega_R):
        return np.zeros(3)
    orbit_W, size = np.zeros(3), float(np.linalg.norm(omega_R))
    if state := scenario.plant.environment.orbital_state(time):
        r, v = state
        orbit_W = np.cross(r, v) / (r @ r)
        n = float(np.linalg.norm(orbit_W))
        if size < WITH_ORBIT * n:
            return np.zeros(3)
        if np.linalg.norm(rotations.rotate(q_WR, omega_R) - orbit_W) < WITH_ORBIT * n:
            return omega_R
    raise ScenarioError(
        f'{source}: the reference turns at {size:g} rad/s, and not with an orbit '
        f'({float(np.linalg.norm(orbit_W)):g} rad/s), so the loop changes with time; give '
        f'{controller.NAME}: reference.angular_velocity [0, 0, 0], or that of the orbit'
    )


def _mounted(
    scenario: Scenario, settings: attitude_loop.Settings, q_WR: VectorLike
) -> tuple[Matrix3, Quaternion]:
    """Return the turn (3, 3) from body axes to those of the controller, and q_WB (4,).

    They differ where the controller believes its IMU to be mounted otherwise than it is.
    """
    q_BS = scenario.sensors.imu.mounting.q_BF
    between = rotations.compose(settings.q_BS, rotations.conjugate(q_BS))
    turn = rotations.dcm_from_quaternion(between)
    return turn, rotations.compose(q_WR, between)


def _measured(scenario: Scenario, turn: Any, speeds: Sequence[float]) -> Measured:
    wheels = scenario.plant.spacecraft.part('reaction_wheels')
    if not wheels:
        return Measured(turn, {}, {}, _angles(scenario))
    gains = {
        name: dynamics.tachometer_gain
        for name, dynamics in zip(wheels.names, wheels.each, strict=True)
    }
    return Measured(turn, gains, dict(zip(wheels.names, map(float, speeds), strict=True)))


def _turning(
    scenario: Scenario, gains: Gains, driven: Allocation | None, omega_R: Vector3
) -> Iterator[str]:
    """Yield that gimbals turn at the point, by the torque that the law asks for there."""
    if driven is None or driven.kind != GIMBALS:
        return
    angles = np.array([_angles(scenario)[name] for name in driven.names])
    outputs, h, _ = gimbal_steering.working_point(driven.rows, angles)
    turning = gains.gyroscopic * gains.inertia @ omega_R + driven.gyroscopic * h
    fastest = float(np.abs(np.linalg.pinv(outputs) @ np.cross(omega_R, turning)).max())
    if fastest > AT_REST:
        yield f'the turning of gimbals at the point, up to {fastest:.2g} rad/s'


# --- what is not linear --------------------------------------------------------------------------


def _not_linear(scenario: Scenario, values: Mapping[str, Any]) -> Iterator[str]:
    """Yield what has no linear model, each as words that name it."""
    yield from _nodes_not_linear(scenario, values)
    craft = scenario.plant.spacecraft
    for fault in craft.faults:
        yield f'fault.{fault.name}: a fault in flight; a linear model has none'
    if any(scenario.sensors.imu.gyroscope.bandwidth):
        yield 'imu.gyroscope.bandwidth: a filter; a linear model has the rate as it is'
    if wheels := craft.part('reaction_wheels'):
        speeds = craft.wheel_speeds(scenario.initial)
        for name, dynamics, speed in zip(wheels.names, wheels.each, speeds, strict=True):
            if dynamics.starting and speed == 0.0:
                yield (
                    f'wheel.{name}.friction: Coulomb friction at 0 rad/s, where it holds the '
                    f'wheel (give wheel.{name}.initial_speed)'
                )
    if jets := craft.part('thrusters'):
        for name, jet in zip(jets.names, jets.thrusters, strict=True):
            if jet.period:
                yield (
                    f'thruster.{name}.period: pulses; a linear model has the mean force of each '
                    'pulse, held'
                )
            elif jet.rise_time != jet.fall_time:
                yield f'thruster.{name}.rise_time: differs from fall_time'
        yield from _one_sided(scenario, controller.allocation(values))
    yield from _inside_not_linear(scenario)


def _one_sided(scenario: Scenario, driven: Allocation | None) -> Iterator[str]:
    """Yield that thrusters turn the body otherwise one way than the other, if they do.

    A jet cannot pull: for a torque one of a pair fires, for the opposite torque the other.
    """
    if driven is None or driven.kind != THRUSTERS:
        return
    jets, craft = scenario.plant.spacecraft.part('thrusters'), scenario.plant.spacecraft
    wrenches = []
    for name in driven.names:
        jet = jets.thrusters[jets.names.index(name)]
        force_B = jet.force_B / jet.max_force
        # A force counts where something inside feels it.
        felt = force_B if craft.internal else np.zeros(3)
        wrenches.append(np.concatenate((np.cross(jet.position_B, force_B), felt)))
    levers = driven.rows[:, thruster_allocation.LEVER : thruster_allocation.LEVER + 3]
    given = levers @ np.linalg.inv(levers.T @ levers)
    whole = np.array(wrenches).T
    uneven = np.abs(whole @ np.abs(given))
    if uneven.max() > EVEN * np.abs(whole @ given).max():
        yield (
            f'thrusters {list(driven.names)}: opposite ones give forces or torques that are not '
            'opposite'
        )


def _nodes_not_linear(scenario: Scenario, values: Mapping[str, Any]) -> Iterator[str]:
    if scenario.estimator is not None:
        yield (
            'attitude_estimator: its gains change with time; a linear model has the attitude as '
            'it is'
        )
    if values[controller.GUIDED]:
        yield f'{controller.NAME}.guided: a moving reference; a linear model has one at rest'
    if values[controller.MISSION]:
        yield f'{controller.NAME}.mission: a mode that changes; a linear model has that of mode'
    if any(values['dipole_limit']) and values['desaturation_rate']:
        yield (
            f'{controller.NAME}.desaturation_rate: dipoles that unload the wheels, in a field '
            'that changes'
        )


def _inside_not_linear(scenario: Scenario) -> Iterator[str]:
    internal = scenario.plant.spacecraft.internal
    if not internal:
        return
    for name in internal.hysteresis_rods:
        yield f'hysteresis_rod.{name}: hysteresis'
    for name, part in internal.coordinates.items():
        if getattr(part, 'release', 0.0) and math.isfinite(part.release):
            yield (
                f'panel.{name}.release_time: the panel is released at {part.release:g} s; a '
                'linear model has it held'
            )
        elif math.isfinite(getattr(part, 'latch', math.inf)) and not part.release:
            yield f'panel.{name}.latch_angle: a latch'


def _limits(scenario: Scenario, values: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a linear model never has: limits, and what does not depend on the motion."""
    yield 'limits of torque, rate, speed and power'
    if values['integral_time']:
        yield 'integral_limit, and where the integral is held'
    craft = scenario.plant.spacecraft
    gyros = craft.part('control_moment_gyros')
    if gyros and any(math.isfinite(gyro.max_acceleration) for gyro in gyros.gyros):
        yield 'max_acceleration of gimbals: their rates follow at once'
    if scenario.sensors.imu.has_errors:
        yield 'errors of the IMU: noise, biases, scale factors, misalignment, resolution'
    wheels = craft.part('reaction_wheels')
    if wheels and any(dynamics.tachometer_resolution for dynamics in wheels.each):
        yield 'resolution of the tachometers'
    if wheels and any(own.static_imbalance or own.dynamic_imbalance for own in wheels.each):
        yield 'imbalance of the wheels'
    if scenario.plant.environment.surroundings:
        yield 'change of the environment along the orbit'
    internal = craft.internal
    if internal and any(
        np.all(np.isfinite(getattr(part, 'travel', (math.inf,))))
        for part in internal.coordinates.values()
    ):
        yield 'ends of sliding masses'
    if any(values['dipole_limit']) and not values['desaturation_rate']:
        yield 'dipoles, which the controller commands in mode detumbling alone'
