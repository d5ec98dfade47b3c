# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The standard services of ROS 2 simulators, from the package simulation_interfaces."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from spacecraft_attitude_sim.configuration import parameters
from spacecraft_attitude_sim.configuration.parameter import blame
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.simulation import limits
from spacecraft_attitude_sim.core.simulation.run_state import NotNowError
from spacecraft_attitude_sim.core.spacecraft import internal_telemetry as telemetry
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.nodes.simulator.run_member import RunMember

if TYPE_CHECKING:
    from collections.abc import Callable

    from geometry_msgs.msg import Point
    from geometry_msgs.msg import Quaternion as QuaternionMessage
    from geometry_msgs.msg import Vector3 as Vector3Message

    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.mathematics.types import Quaternion, Vector3
    from spacecraft_attitude_sim.core.simulation import Instant
    from spacecraft_attitude_sim.core.simulation.plant import Plant
    from spacecraft_attitude_sim.core.spacecraft import Spacecraft
    from spacecraft_attitude_sim.nodes.simulator.driver import Driver


try:
    from simulation_interfaces import msg, srv
except ImportError:  # not on PyPI; the rest works without it
    msg = srv = None

MISSING = 'the standard services of simulators are missing: simulation_interfaces is not installed'
# Constants of SimulatorFeatures.
FEATURES = (
    'ENTITY_STATE_GETTING',
    'ENTITY_STATE_SETTING',
    'SIMULATION_RESET',
    'SIMULATION_RESET_STATE',
    'SIMULATION_STATE_GETTING',
    'SIMULATION_STATE_SETTING',
    'SIMULATION_STATE_PAUSE',
    'STEP_SIMULATION_SINGLE',
    'STEP_SIMULATION_MULTIPLE',
)
ABOUT = 'spacecraft_attitude_sim: one rigid body; simulated time never goes back; see topics.md'
OVER = 'the run is over; start the simulator again'
# The same limit as ~/step; during the call the node answers nothing else.
MOST_STEPS = parameters.MOST_TICKS_AT_ONCE
# A state must be within the limits of a scenario's initial state.
LIMITS = {parameter.name: parameter for parameter in parameters.SIMULATOR}
# POSIX character classes that Python's expressions lack.
POSIX_CLASSES = {
    '[:alnum:]': 'A-Za-z0-9',
    '[:alpha:]': 'A-Za-z',
    '[:digit:]': '0-9',
    '[:lower:]': 'a-z',
    '[:upper:]': 'A-Z',
}


class RefusedError(ValueError):
    """A request is rejected, and nothing has changed; the text gives reason and remedy.

    code: result code for the response
    """

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


class ServingMember(RunMember, Protocol):
    """A RunMember that offers services."""

    def create_service(self, srv_type: Any, srv_name: str, callback: Callable[..., Any]) -> Any:
        """Create a service of ROS."""


class StandardServices:
    """The part of simulation_interfaces that a simulator of one spacecraft can offer.

    member: the spacecraft;  driver: Driver of its run, which does what is asked
    """

    def __init__(self, member: ServingMember, driver: Driver) -> None:
        self._member, self._driver, self._run = member, driver, driver.run
        self._entity = member.scenario.parameters['frames.body']
        self._world = member.scenario.parameters['frames.world']
        self._pause_asked = False
        self._transitions = {
            msg.SimulationState.STATE_STOPPED: self._stop,
            msg.SimulationState.STATE_PLAYING: self._play,
            msg.SimulationState.STATE_PAUSED: self._pause,
            msg.SimulationState.STATE_QUITTING: driver.quit,
        }
        member.create_service(
            srv.GetSimulatorFeatures, '~/get_simulator_features', self._on_get_features
        )
        self._offer(srv.GetSimulationState, 'get_simulation_state', self._on_get_state)
        self._offer(srv.SetSimulationState, 'set_simulation_state', self._on_set_state)
        self._offer(srv.ResetSimulation, 'reset_simulation', self._on_reset)
        self._offer(srv.StepSimulation, 'step_simulation', self._on_step)
        self._offer(srv.GetEntities, 'get_entities', self._on_get_entities)
        self._offer(srv.GetEntityState, 'get_entity_state', self._on_get_entity_state)
        self._offer(srv.SetEntityState, 'set_entity_state', self._on_set_entity_state)

    def _offer(self, service_type: Any, name: str, handler: Callable[[Any, Any], object]) -> None:
        """Create a service whose handler fills the response or raises RefusedError."""

        def answer(request: Any, response: Any) -> Any:
            try:
                handler(request, response)
                response.result.result = msg.Result.RESULT_OK
            except RefusedError as reason:
                response.result = msg.Result(result=reason.code, error_message=str(reason))
            return response

        self._member.create_service(service_type, f'~/{name}', answer)

    def _on_get_features(self, request: Any, response: Any) -> Any:
        response.features.features = [getattr(msg.SimulatorFeatures, name) for name in FEATURES]
        response.features.custom_info = ABOUT
        return response

    # --- time -------------------------------------------------------------------------------

    def _state(self) -> int:
        """Return the simulator's state as a constant of SimulationState."""
        if self._run.finished:
            return msg.SimulationState.STATE_QUITTING
        if not self._run.paused:
            return msg.SimulationState.STATE_PLAYING
        if self._run.elapsed == 0 and not self._pause_asked:
            return msg.SimulationState.STATE_STOPPED
        return msg.SimulationState.STATE_PAUSED

    def _on_get_state(self, request: Any, response: Any) -> None:
        response.state.state = self._state()

    def _on_set_state(self, request: Any, response: Any) -> None:
        target, present = request.state.state, self._state()
        if target not in self._transitions:
            raise RefusedError(
                msg.Result.RESULT_FEATURE_UNSUPPORTED,
                f'state {target} cannot be set; STOPPED 0, PLAYING 1, PAUSED 2, QUITTING 3 can',
            )
        if target == present:
            raise RefusedError(
                srv.SetSimulationState.Response.ALREADY_IN_TARGET_STATE,
                f'the state is {target} already',
            )
        if present == msg.SimulationState.STATE_QUITTING:
            raise RefusedError(srv.SetSimulationState.Response.INCORRECT_TRANSITION, OVER)
        try:
            self._transitions[target]()
        except NotNowError as reason:
            code = srv.SetSimulationState.Response.INCORRECT_TRANSITION
            raise RefusedError(code, str(reason)) from None

    def _play(self) -> None:
        self._driver.resume()
        self._pause_asked = False

    def _pause(self) -> None:
        self._driver.pause()
        self._pause_asked = True

    def _stop(self) -> None:
        self._driver.pause()
        self._pause_asked = False
        self._driver.reset()

    def _on_reset(self, request: Any, response: Any) -> None:
        if request.scope != srv.ResetSimulation.Request.SCOPE_STATE:
            raise RefusedError(
                msg.Result.RESULT_FEATURE_UNSUPPORTED,
                f'scope is {request.scope}; give SCOPE_STATE, {request.SCOPE_STATE}: simulated '
                'time never goes back, and nothing is spawned',
            )
        self._check_not_over()
        try:
            self._driver.reset()
        except NotNowError as reason:
            raise RefusedError(msg.Result.RESULT_OPERATION_FAILED, str(reason)) from None

    def _on_step(self, request: Any, response: Any) -> None:
        failed = msg.Result.RESULT_OPERATION_FAILED
        if request.steps > MOST_STEPS:
            raise RefusedError(
                failed, f'not stepped: steps is {request.steps}; give {MOST_STEPS} at most'
            )
        try:
            self._driver.step(request.steps)
        except NotNowError as reason:
            raise RefusedError(failed, str(reason)) from None

    def _check_not_over(self) -> None:
        if self._run.finished:
            raise RefusedError(msg.Result.RESULT_INCORRECT_STATE, OVER)

    # --- the body ---------------------------------------------------------------------------

    def _on_get_entities(self, request: Any, response: Any) -> None:
        filters = request.filters
        unsupported = {
            'categories': filters.categories,
            'tags': filters.tags.tags,
            'bounds': filters.bounds.type != msg.Bounds.TYPE_EMPTY,
        }
        for field, given in unsupported.items():
            if given:
                raise RefusedError(
                    msg.Result.RESULT_FEATURE_UNSUPPORTED,
                    f'filters.{field} is not supported; leave it empty',
                )
        if not filters.filter or _expression(filters.filter).fullmatch(self._entity):
            response.entities = [self._entity]

    def _on_get_entity_state(self, request: Any, response: Any) -> None:
        self._check_entity(request.entity)
        plant, instant = self._member.plant, self._member.instant
        response.state = entity_state_to_ros(plant, instant, self._world)

    def _on_set_entity_state(self, request: Any, response: Any) -> None:
        self._check_entity(request.entity)
        self._check_not_over()
        if not self._run.started:
            raise RefusedError(
                msg.Result.RESULT_INCORRECT_STATE,
                'not started yet; call again after the first tick',
            )
        frame = request.state.header.frame_id
        if frame not in ('', self._world):
            raise RefusedError(
                msg.Result.RESULT_FEATURE_UNSUPPORTED,
                f"state.header.frame_id is '{frame}'; give '{self._world}' or leave it empty",
            )
        plant = self._member.plant
        now = self._member.instant.state
        state = entity_state_from_ros(plant.spacecraft, now, request.state)
        if plant.environment.holds and state.momentum_W.any():
            raise RefusedError(
                srv.SetEntityState.Response.INVALID_POSE,
                'state.twist.linear is not 0, and the air bearing holds base_link at rest; give 0',
            )
        try:
            limits.check_given_rate(plant, plant.spacecraft.angular_velocity_B(state))
        except ValueError as error:
            code = srv.SetEntityState.Response.INVALID_POSE
            raise RefusedError(code, f'state.twist.{error}') from None
        try:
            self._driver.put(self._member, state)
        except NotNowError as reason:
            raise RefusedError(msg.Result.RESULT_OPERATION_FAILED, str(reason)) from None
        except ValueError as error:
            code = srv.SetEntityState.Response.INVALID_POSE
            raise RefusedError(code, f'state.pose.{error}') from None

    def _check_entity(self, name: str) -> None:
        if name != self._entity:
            raise RefusedError(
                msg.Result.RESULT_NOT_FOUND, f"no entity '{name}'; there is '{self._entity}'"
            )


def entity_state_to_ros(plant: Plant, instant: Instant, world: str) -> Any:
    """Return the EntityState of an instant, in world axes, at the centre of mass.

    Velocities are those of the body frame, observed from the frame in the header. This is the
    convention of geometry_msgs/VelocityStamped, to which EntityState refers.
    """
    state = instant.state
    omega_W = rotations.rotate(state.q_WB, plant.spacecraft.angular_velocity_B(state))
    acceleration_W, angular_acceleration_W = simulation.accelerations_W(plant, instant)
    message = msg.EntityState(header=conversions.header_to_ros(instant.stamp, world))
    craft = plant.spacecraft
    message.pose = conversions.pose_to_ros(craft.origin_W(state), state.q_WB)
    message.twist = conversions.twist_to_ros(craft.origin_velocity_W(state), omega_W)
    message.acceleration.linear = conversions.vector3_to_ros(acceleration_W)
    message.acceleration.angular = conversions.vector3_to_ros(angular_acceleration_W)
    return message


def entity_state_from_ros(spacecraft: Spacecraft, now: State, message: Any) -> State:
    """Return the State that an EntityState in the world frame requests for a spacecraft.

    now: the State before; actuators keep their states relative to the body
    Raises RefusedError if a value is not finite or is impossible.
    """
    pose, twist = message.pose, message.twist
    try:
        position_W = _checked('pose.position', 'position', pose.position)
        q_WB = _attitude(pose.orientation)
        velocity_W = _checked('twist.linear', 'velocity', twist.linear)
        omega_W = _checked('twist.angular', 'angular_velocity', twist.angular)
    except parameters.ParameterError as reason:
        code = srv.SetEntityState.Response.INVALID_POSE
        raise RefusedError(code, f'state.{reason}') from None
    omega_B = rotations.rotate(rotations.conjugate(q_WB), omega_W)
    if spacecraft.coupled:
        internal, stored_B = spacecraft.turned(now, omega_B)
        state = spacecraft.carrier.state(position_W, q_WB, velocity_W, omega_B, stored_B)
        return telemetry.with_origin_at(spacecraft, state._replace(internal=internal))
    speeds = spacecraft.wheel_speeds(now) if spacecraft.part('reaction_wheels') else None
    return spacecraft.state(position_W, q_WB, velocity_W, omega_B, speeds)


def _checked(name: str, like: str, message: Vector3Message | Point) -> Vector3:
    """Return (3,) from a Vector3 or Point, checked by the range of parameter `initial.<like>`."""
    parameter = replace(LIMITS[f'initial.{like}'], name=name)
    return np.array(parameter.checked(conversions.vector3_from_ros(message)))


def _attitude(message: QuaternionMessage) -> Quaternion:
    with blame():
        q_WB = conversions.quaternion_from_ros(message)
        return rotations.unit_quaternion(q_WB, 'pose.orientation')


def _expression(text: str) -> re.Pattern[str]:
    """Compile the POSIX extended regular expression of a filter."""
    pattern = text
    for posix, characters in POSIX_CLASSES.items():
        pattern = pattern.replace(posix, characters)
    try:
        return re.compile(pattern)
    except re.error as error:
        raise RefusedError(
            msg.Result.RESULT_OPERATION_FAILED,
            f"filters.filter is '{text}'; not a regular expression: {error}",
        ) from None
