# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The standard services of ROS 2 simulators, from the package simulation_interfaces."""

import re
from dataclasses import replace

import numpy as np

from spacecraft_attitude_sim.configuration import parameters
from spacecraft_attitude_sim.configuration.parameter import blame
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.internal import put
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.simulation import limits
from spacecraft_attitude_sim.core.simulation.run_state import NotNowError
from spacecraft_attitude_sim.core.spacecraft import internal_telemetry as telemetry
from spacecraft_attitude_sim.nodes.ros import conversions

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

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


class StandardServices:
    """The part of simulation_interfaces that a simulator of one spacecraft can offer.

    simulator: SimulatorNode, to change the run;  run: RunState
    """

    def __init__(self, simulator, run):
        self._simulator, self._run = simulator, run
        self._entity = simulator.scenario.parameters['frames.body']
        self._world = simulator.scenario.parameters['frames.world']
        self._pause_asked = False
        self._transitions = {
            msg.SimulationState.STATE_STOPPED: self._stop,
            msg.SimulationState.STATE_PLAYING: self._play,
            msg.SimulationState.STATE_PAUSED: self._pause,
            msg.SimulationState.STATE_QUITTING: simulator.quit,
        }
        simulator.create_service(
            srv.GetSimulatorFeatures, '~/get_simulator_features', self._on_get_features
        )
        self._offer(srv.GetSimulationState, 'get_simulation_state', self._on_get_state)
        self._offer(srv.SetSimulationState, 'set_simulation_state', self._on_set_state)
        self._offer(srv.ResetSimulation, 'reset_simulation', self._on_reset)
        self._offer(srv.StepSimulation, 'step_simulation', self._on_step)
        self._offer(srv.GetEntities, 'get_entities', self._on_get_entities)
        self._offer(srv.GetEntityState, 'get_entity_state', self._on_get_entity_state)
        self._offer(srv.SetEntityState, 'set_entity_state', self._on_set_entity_state)

    def _offer(self, service_type, name, handler):
        """Create a service whose handler fills the response or raises RefusedError."""

        def answer(request, response):
            try:
                handler(request, response)
                response.result.result = msg.Result.RESULT_OK
            except RefusedError as reason:
                response.result = msg.Result(result=reason.code, error_message=str(reason))
            return response

        self._simulator.create_service(service_type, f'~/{name}', answer)

    def _on_get_features(self, request, response):
        response.features.features = [getattr(msg.SimulatorFeatures, name) for name in FEATURES]
        response.features.custom_info = ABOUT
        return response

    # --- time -------------------------------------------------------------------------------

    def _state(self):
        """Return the simulator's state as a constant of SimulationState."""
        if self._run.finished:
            return msg.SimulationState.STATE_QUITTING
        if not self._run.paused:
            return msg.SimulationState.STATE_PLAYING
        if self._run.elapsed == 0 and not self._pause_asked:
            return msg.SimulationState.STATE_STOPPED
        return msg.SimulationState.STATE_PAUSED

    def _on_get_state(self, request, response):
        response.state.state = self._state()

    def _on_set_state(self, request, response):
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

    def _play(self):
        self._simulator.resume()
        self._pause_asked = False

    def _pause(self):
        self._simulator.pause()
        self._pause_asked = True

    def _stop(self):
        self._simulator.pause()
        self._pause_asked = False
        self._simulator.reset()

    def _on_reset(self, request, response):
        if request.scope != srv.ResetSimulation.Request.SCOPE_STATE:
            raise RefusedError(
                msg.Result.RESULT_FEATURE_UNSUPPORTED,
                f'scope is {request.scope}; give SCOPE_STATE, {request.SCOPE_STATE}: simulated '
                'time never goes back, and nothing is spawned',
            )
        self._check_not_over()
        try:
            self._simulator.reset()
        except NotNowError as reason:
            raise RefusedError(msg.Result.RESULT_OPERATION_FAILED, str(reason)) from None

    def _on_step(self, request, response):
        failed = msg.Result.RESULT_OPERATION_FAILED
        if request.steps > MOST_STEPS:
            raise RefusedError(
                failed, f'not stepped: steps is {request.steps}; give {MOST_STEPS} at most'
            )
        try:
            self._simulator.step(request.steps)
        except NotNowError as reason:
            raise RefusedError(failed, str(reason)) from None

    def _check_not_over(self):
        if self._run.finished:
            raise RefusedError(msg.Result.RESULT_INCORRECT_STATE, OVER)

    # --- the body ---------------------------------------------------------------------------

    def _on_get_entities(self, request, response):
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

    def _on_get_entity_state(self, request, response):
        self._check_entity(request.entity)
        plant, instant = self._simulator.plant, self._simulator.instant
        response.state = entity_state_to_ros(plant, instant, self._world)

    def _on_set_entity_state(self, request, response):
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
        plant = self._simulator.plant
        now = self._simulator.instant.state
        state = entity_state_from_ros(plant.spacecraft, now, request.state)
        try:
            limits.check_given_rate(plant, plant.spacecraft.angular_velocity_B(state))
        except ValueError as error:
            code = srv.SetEntityState.Response.INVALID_POSE
            raise RefusedError(code, f'state.twist.{error}') from None
        try:
            self._simulator.put(state)
        except NotNowError as reason:
            raise RefusedError(msg.Result.RESULT_OPERATION_FAILED, str(reason)) from None
        except ValueError as error:
            code = srv.SetEntityState.Response.INVALID_POSE
            raise RefusedError(code, f'state.pose.{error}') from None

    def _check_entity(self, name):
        if name != self._entity:
            raise RefusedError(
                msg.Result.RESULT_NOT_FOUND, f"no entity '{name}'; there is '{self._entity}'"
            )


def entity_state_to_ros(plant, instant, world):
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


def entity_state_from_ros(spacecraft, now, message):
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
    if assembly := spacecraft.assembly:
        before_B = spacecraft.angular_velocity_B(now)
        internal = assembly.turning_with(now.internal, before_B, omega_B)
        stored_B = assembly.stored_B(internal, omega_B)
        if parts := spacecraft.internal:
            stored_B += spacecraft.stored_B(now) - assembly.stored_B(now.internal, before_B)
            own = assembly.layout.of('internal')
            internal[own], gained_B = put.turning_with(
                parts, internal[own], spacecraft.body.mass, omega_B - before_B
            )
            stored_B += gained_B
        state = spacecraft.carrier.state(position_W, q_WB, velocity_W, omega_B, stored_B)
        return telemetry.with_origin_at(spacecraft, state._replace(internal=internal))
    speeds = spacecraft.wheel_speeds(now) if spacecraft.wheels else None
    return spacecraft.state(position_W, q_WB, velocity_W, omega_B, speeds)


def _checked(name, like, message):
    """Return (3,) from a Vector3 or Point, checked by the range of parameter `initial.<like>`."""
    parameter = replace(LIMITS[f'initial.{like}'], name=name)
    return np.array(parameter.checked(conversions.vector3_from_ros(message)))


def _attitude(message):
    with blame():
        q_WB = conversions.quaternion_from_ros(message)
        return rotations.unit_quaternion(q_WB, 'pose.orientation')


def _expression(text):
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
