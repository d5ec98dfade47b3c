# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Checks across the sections of a scenario: what a file must say, the controller, lockstep."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration import aboard, parts
from spacecraft_attitude_sim.configuration.body_parameters import DENSITIES, is_mass_of_part
from spacecraft_attitude_sim.configuration.parameter import ParameterError, blame
from spacecraft_attitude_sim.configuration.scenario_file import ScenarioError
from spacecraft_attitude_sim.core.body import places
from spacecraft_attitude_sim.core.body import rigid_body as bodies

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.configuration.scenario_file import Sections


def ask_for_body_and_spin(sections: Sections, source: str) -> None:
    """Raise ScenarioError if a file lacks a value that has no sensible default; it names all.

    These are the inertia of the body, its initial angular velocity, its mass if there is a floor,
    and the inertia that its controller uses. Only a node without a file defaults to the T-handle.

    sections: {node: {dotted name: value}};  source: name of the file, for messages
    """
    given = sections['simulator']
    missing = []
    filled = [key for key in DENSITIES if given.get(key)]
    if not filled and not any(is_mass_of_part(key) for key in given):
        shaped = 'body.inertia' in given  # without a floor the rotation does not depend on mass
        if 'body.mass' not in given and (sections.get('contact') or not shaped):
            missing.append('body.mass [kg]')
        if not shaped:
            missing.append('body.inertia [kg m^2]')
    if 'initial.angular_velocity' not in given:
        missing.append('initial.angular_velocity [rad/s]')
    if 'inertia' not in sections.get(aboard.CONTROLLER, {'inertia': ()}):
        missing.append(f'inertia [kg m^2] of the {aboard.CONTROLLER}')
    if missing:
        remedy = '; give it' if len(missing) == 1 else '; give them'
        if any(key.startswith('body.') for key in missing):
            remedy += (
                '; instead of mass and inertia you may give a mass to each of body.parts, '
                'body.density or body.mesh.density'
            )
        raise ScenarioError(f'{source}: does not say {", ".join(missing)}{remedy}')


def check_controller(values: Mapping[str, Any], ruled: Mapping[str, Any] | None) -> None:
    """Raise ParameterError if the controller drives actuators that the simulator lacks.

    Also if it would take no reading of a sensor with a latency, or has no order for it.
    """
    if ruled:
        _check_latency(values, ruled)
    if ruled and any(ruled['dipole_limit']):
        _check_dipole(values)
    for topic, lists in parts.COMMANDED.items():
        driven = ruled.get(lists, []) if ruled else []
        for name in driven:
            if name not in values[lists]:
                raise ParameterError(
                    f"{aboard.CONTROLLER}: {lists} has '{name}', but the simulator has "
                    f'{values[lists]}: name one of these'
                )
        if driven and values['lockstep'] and topic not in values['lockstep_topics']:
            raise ParameterError(
                f'lockstep_topics is {values["lockstep_topics"]}, but the attitude_controller '
                f'commands {lists} on {topic}: give [{topic}], otherwise a tick waits for ever'
            )


def _check_latency(values: Mapping[str, Any], ruled: Mapping[str, Any]) -> None:
    """Raise ParameterError if a controller could not answer IMU and magnetometer so late."""
    for name, is_answered in (
        ('imu.latency', True), ('magnetometer.latency', any(ruled['dipole_limit'])),
    ):  # fmt: skip
        ticks = values[name]
        if not (ticks and is_answered):
            continue
        where = f'{name} is {ticks} ticks'
        if ruled[aboard.FOLLOWS]:
            raise ParameterError(
                f'{where}, but the mission orders for the present time, and has no order for late '
                f'readings: set it to 0, or fly without {aboard.MISSION}'
            )
        seconds = ticks / values['tick_rate']
        limits = {f'{aboard.CONTROLLER}.imu_timeout': ruled['imu_timeout']}
        if not values['lockstep']:
            limits['command_timeout'] = values['command_timeout'] or math.inf
        for limit, longest in limits.items():
            if seconds > longest:
                raise ParameterError(
                    f'{where}, {seconds:g} s, but {limit} is {longest:g} s, and older data are '
                    f'refused: give a longer {limit}, or a shorter latency'
                )


def _check_dipole(values: Mapping[str, Any]) -> None:
    """Raise ParameterError if a controller commands a dipole that the simulator cannot use."""
    name = aboard.CONTROLLER
    if not values['magnetorquers']:
        raise ParameterError(
            f'{name}.dipole_limit is given, but there are no magnetorquers: name some, or leave '
            'it out'
        )
    if not values['magnetometer.enabled']:
        raise ParameterError(
            f'{name}.dipole_limit is given, but it needs imu/mag: set magnetometer.enabled to true'
        )
    if not values['lockstep']:
        return
    if 'command/dipole' not in values['lockstep_topics']:
        raise ParameterError(
            f'lockstep_topics is {values["lockstep_topics"]}, but the {name} commands dipoles: '
            'add command/dipole'
        )
    awaited = values['lockstep_interval'] or values['imu.interval']
    if values['magnetometer.interval'] != awaited:
        raise ParameterError(
            f'magnetometer.interval is {values["magnetometer.interval"]} ticks, but in lockstep '
            f'the simulator waits for command/dipole every {awaited}: give both the same number '
            '(lockstep_interval, or imu.interval if that is 0)'
        )


def check_lockstep(values: Mapping[str, Any], frames: Mapping[str, bodies.BodyFrame]) -> None:
    """Raise ParameterError if lockstep waits for an unknown frame or for missing actuators."""
    for topic, lists in parts.COMMANDED.items():
        if topic in values['lockstep_topics'] and not values[lists]:
            raise ParameterError(
                f"lockstep_topics has {topic}, but there are no '{lists}' that take it: a tick "
                f'would wait for ever; name {lists}, or leave it out'
            )
    known = {values['frames.body']: bodies.AT_CENTRE_OF_MASS, **frames}
    for number, frame in enumerate(values['lockstep_frames']):
        with blame(f'lockstep_frames[{number}]: '):
            places.find(frame, known, values['frames.world'])


def check_guidance(ruled: Mapping[str, Any] | None, guiding: Mapping[str, Any] | None) -> None:
    """Raise ParameterError if a scenario has an attitude_guidance that its controller ignores.

    ruled, guiding: checked parameters of attitude_controller and attitude_guidance, or None
    """
    if ruled and guiding and not ruled[aboard.GUIDED]:
        raise ParameterError(
            f'{aboard.CONTROLLER}: {aboard.GUIDED} is false, but there is an '
            'attitude_guidance: set it to true, or leave the section out'
        )


def check_mission(
    values: Mapping[str, Any],
    mission: Mapping[str, Any] | None,
    ruled: Mapping[str, Any] | None,
    guiding: Mapping[str, Any] | None,
    estimating: Mapping[str, Any] | None,
) -> None:
    """Raise ParameterError if a mission names what a scenario lacks, or nobody follows it.

    values: parameters of the simulator
    mission, ruled, guiding, estimating: checked parameters of mission_modes, attitude_controller,
        attitude_guidance and attitude_estimator, or None
    """
    if not mission:
        return
    from spacecraft_attitude_sim.configuration import mission_modes
    from spacecraft_attitude_sim.core.mission import quantities

    name = aboard.MISSION
    for lists in ('wheels', 'sun_sensors', 'sun_cells'):
        for part in mission[lists]:
            if part not in values[lists]:
                raise ParameterError(
                    f"{name}: {lists} has '{part}', but the simulator has {values[lists]}: name "
                    'one of these'
                )
    for node, own in (
        (aboard.CONTROLLER, ruled), (aboard.GUIDANCE, guiding),
    ):  # fmt: skip
        if own and not own[aboard.FOLLOWS]:
            raise ParameterError(
                f'{node}: {aboard.FOLLOWS} is false, but there are {name}: set it to true, '
                'or leave the section out'
            )
    if estimating is None and quantities.SIGMA in mission_modes.uses(mission):
        raise ParameterError(
            f'{name}: a condition has {quantities.SIGMA}, which needs an attitude_estimator: give '
            'its section'
        )
    for mode in mission['modes']:
        _check_order(mission, f'mode.{mode}', ruled, guiding)


def _check_order(
    mission: Mapping[str, Any],
    mode: str,
    ruled: Mapping[str, Any] | None,
    guiding: Mapping[str, Any] | None,
) -> None:
    """Raise ParameterError if controller or guidance cannot do what a mode commands."""
    from spacecraft_attitude_sim.configuration import attitude_controller, attitude_guidance

    law, profile = mission[f'{mode}.law'], mission[f'{mode}.profile']
    where = f'{aboard.MISSION}: {mode}'
    if ruled:
        try:
            attitude_controller.checked(attitude_controller.commanded(law), ruled)
        except ParameterError as error:
            raise ParameterError(f'{where}.law: {aboard.CONTROLLER}: {error}') from None
    if not profile:
        return
    if guiding is None:
        raise ParameterError(
            f"{where}.profile is '{profile}', but there is no {aboard.GUIDANCE}: give its "
            'section, or leave the profile out'
        )
    valid = attitude_guidance.profiles_of(guiding, attitude_guidance.ephemeris(guiding))
    if profile not in valid:
        raise ParameterError(f"{where}.profile is '{profile}'; profiles are {', '.join(valid)}")
