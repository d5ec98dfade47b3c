# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The simulator node: owns state and time, steps the physics, publishes the truth and the IMU."""

import math
import time

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import PoseStamped, TransformStamped, Vector3Stamped
from nav_msgs.msg import Odometry
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.duration import Duration
from rclpy.node import Node
from rosgraph_msgs.msg import Clock as ClockMessage
from sensor_msgs.msg import Imu
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger

from spacecraft_attitude_sim.core import loads, rotations, sensors, simulation, ticks
from spacecraft_attitude_sim.files import scenario
from spacecraft_attitude_sim.nodes import conversions, declaration, quality
from spacecraft_attitude_sim.nodes.pacing import Pacer

try:
    from tf2_ros import StaticTransformBroadcaster, TransformBroadcaster
except ImportError:  # not on PyPI; everything else runs without it
    TransformBroadcaster = None

# Variance of an ideal reading: (1e-6)^2, the accuracy of the simulation. All zeros would mean
# "unknown" (sensor_msgs/Imu).
IDEAL_COVARIANCE = np.diag((1e-12, 1e-12, 1e-12)).ravel()
NO_ORIENTATION = np.array((-1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0))  # REP-145
# In a run without pacing, ticks between two waits for the slowest reliable subscriber; well below
# the depth of a topic, so that none loses a message.
TICKS_BETWEEN_ACKNOWLEDGEMENTS = 16
LONGEST_WAIT = Duration(seconds=2)


class SimulatorNode(Node):
    """Integrates one rigid body and publishes it at 32 Hz.

    source: name of the scenario, for messages
    on_tick: called with (tick, State) after each tick is published; None for nobody
    autostart: start by itself after startup_delay; else when `start` is called

    Raises ScenarioError when a parameter is wrong.
    """

    def __init__(self, source='parameters', on_tick=None, autostart=True, **node_options):
        super().__init__(
            'simulator', automatically_declare_parameters_from_overrides=True, **node_options
        )
        self.scenario = self._declare_scenario(source)
        self.tick = 0
        self.state = self.scenario.initial
        self.paused = self.value('start_paused')
        self._world = self.value('frames.world')
        self._base = self.value('frames.body')
        self._imu_link = self.value('frames.imu')
        self._last_tick = ticks.ticks_covering(self.value('duration')) or math.inf
        self._first_tick = 0
        self._reset_asked = False
        self._on_tick = on_tick or (lambda tick, state: None)
        self._pacer = Pacer()
        self._make_publishers()
        self._make_services()
        # The first call of compiled code may compile or load it: not inside a tick.
        simulation.step(self.scenario.plant, self.state)
        self._timer = self.create_timer(
            ticks.TICK_SECONDS, self._on_timer, clock=Clock(clock_type=ClockType.STEADY_TIME)
        )
        self._timer.cancel()
        self._started = False
        self._start_timer = None
        if autostart:
            delay = self.value('startup_delay')
            self._start_timer = self.create_timer(
                delay, self.start, clock=Clock(clock_type=ClockType.STEADY_TIME)
            )

    def value(self, name):
        """Return the value of a parameter."""
        return self.get_parameter(name).value

    def start(self):
        """Publish the initial state and begin to tick, unless paused."""
        if self._start_timer:
            self._start_timer.cancel()
        self._started = True
        self._publish()
        if not self.paused:
            self._run_from_now()

    @property
    def duration_given(self):
        """The simulated time after which the run ends [s]; 0 for never."""
        return self.value('duration')

    @property
    def finished(self):
        """Whether the duration has been simulated."""
        return self.tick - self._first_tick >= self._last_tick

    def advance(self):
        """Simulate and publish one tick; the first after a reset is the initial state again.

        Time never goes back: a reset restores the state, stamps go on.
        """
        self.tick += 1
        if self._reset_asked:
            self._reset_asked = False
            self._first_tick = self.tick
            self.state = self.scenario.initial
        else:
            self.state = simulation.step(self._plant, self.state)
        self._publish()

    def finish(self):
        """Leave nothing unsent."""
        self.flush()

    def flush(self):
        """Wait until every reliable subscriber has what was published, LONGEST_WAIT at most."""
        return all(publisher.wait_for_all_acked(LONGEST_WAIT) for publisher in self.streams)

    # --- time -------------------------------------------------------------------------------

    def _run_from_now(self):
        self._pacer.anchor(self.tick, time.monotonic_ns(), self.value('real_time_factor'))
        self._timer.timer_period_ns = int(self._pacer.period)
        self._timer.reset()

    def _on_timer(self):
        for _ in range(self._pacer.ticks_due(self.tick, time.monotonic_ns())):
            if self.finished:
                self._timer.cancel()
                return
            self.advance()
        if self._pacer.period == 0.0 and self.tick % TICKS_BETWEEN_ACKNOWLEDGEMENTS == 0:
            self.flush()

    # --- services ---------------------------------------------------------------------------

    def _make_services(self):
        self.create_service(SetBool, '~/pause', self._on_pause)
        self.create_service(Trigger, '~/step', self._on_step)
        self.create_service(Trigger, '~/reset', self._on_reset)

    def _on_pause(self, request, response):
        self.paused = request.data
        if self.paused:
            self._timer.cancel()
        elif self._started:
            self._run_from_now()
        return self._answer(response, True, 'paused' if self.paused else 'running')

    def _on_step(self, request, response):
        if not self._started:
            return self._answer(response, False, 'not stepped: not started yet')
        if not self.paused:
            return self._answer(response, False, 'not stepped: running; call ~/pause first')
        if self.finished:
            return self._answer(response, False, 'not stepped: the duration is over')
        self.advance()
        return self._answer(response, True, 'stepped')

    def _on_reset(self, request, response):
        self._reset_asked = self._started
        if not self._started:
            return self._answer(response, True, 'in the initial state: not started yet')
        if self.paused:
            self.advance()
        elif self._timer.is_canceled():
            self._run_from_now()
        return self._answer(response, True, 'reset to the initial state; time goes on')

    def _answer(self, response, success, message):
        response.success = success
        response.message = f'{message} (tick {self.tick}, t = {ticks.seconds(self.tick)} s)'
        return response

    # --- parameters -------------------------------------------------------------------------

    def _declare_scenario(self, source):
        found = scenario.build(declaration.take_overrides(self), source)
        catalogue = scenario.catalogue(found.parameters['body.parts'])
        for name, value in found.parameters.items():
            declaration.declare(self, catalogue[name], value)
        declaration.check_changes(self, catalogue.values())
        self.add_post_set_parameters_callback(self._on_change)
        self._plant = found.plant
        return found

    def _on_change(self, changes):
        for change in changes:
            if change.name == 'substeps':
                self._plant = self._plant._replace(substeps=change.value)
            if change.name == 'real_time_factor' and self._started and not self.paused:
                self._run_from_now()

    # --- publishing -------------------------------------------------------------------------

    def _make_publishers(self):
        self._clock_publisher = None
        if self.value('publish_clock'):
            self._clock_publisher = self.create_publisher(ClockMessage, '/clock', quality.STREAM)
        self._pose = self.create_publisher(PoseStamped, 'pose', quality.STREAM)
        self._imu = self.create_publisher(Imu, 'imu/data', quality.STREAM)
        self._imu_raw = self.create_publisher(Imu, 'imu/data_raw', quality.STREAM)
        self._odometry = self.create_publisher(Odometry, 'ground_truth/odometry', quality.STREAM)
        self._momentum = self.create_publisher(
            Vector3Stamped, 'ground_truth/angular_momentum', quality.STREAM
        )
        self.streams = [
            self._pose,
            self._imu,
            self._imu_raw,
            self._odometry,
            self._momentum,
        ]
        if self._clock_publisher:
            self.streams.append(self._clock_publisher)
        self._diagnostics = self.create_publisher(DiagnosticArray, '/diagnostics', 10)
        self._scenario = self.create_publisher(String, 'scenario', quality.LATCHED)
        self._scenario.publish(String(data=scenario.dump(self.scenario)))
        self._last_report = (time.monotonic(), 0)
        self.create_timer(1.0, self._report, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._transforms = None
        if TransformBroadcaster is None:
            self.get_logger().info('/tf is not published: tf2_ros is not installed')
        else:
            self._transforms = TransformBroadcaster(self)
            self._static_transforms = StaticTransformBroadcaster(self)
            self._static_transforms.sendTransform(self._imu_transform())

    def _imu_transform(self):
        mounting = self.scenario.imu
        message = TransformStamped(
            header=conversions.header_to_ros(0, self._base),
            child_frame_id=self._imu_link,
        )
        message.transform.translation = conversions.vector3_to_ros(mounting.position_B)
        message.transform.rotation = conversions.quaternion_to_ros(mounting.q_BS)
        return message

    def _publish(self):
        """Publish every stream of this tick, the clock before the data."""
        tick, state = self.tick, self.state
        header = conversions.header_to_ros(tick, self._world)
        pose = conversions.pose_to_ros(state.position_W, state.q_WB)
        if self._clock_publisher:
            self._clock_publisher.publish(ClockMessage(clock=header.stamp))
        self._pose.publish(PoseStamped(header=header, pose=pose))
        self._publish_imu()
        self._momentum.publish(
            Vector3Stamped(
                header=header, vector=conversions.vector3_to_ros(state.angular_momentum_W)
            )
        )
        body = self.scenario.plant.body
        q_BW = rotations.conjugate(state.q_WB)
        velocity_B = rotations.rotate(q_BW, state.momentum_W / body.mass)
        odometry = Odometry(header=header, child_frame_id=self._base)
        odometry.pose.pose = pose
        odometry.twist.twist = conversions.twist_to_ros(velocity_B, body.angular_velocity_B(state))
        self._odometry.publish(odometry)
        if self._transforms:
            transform = TransformStamped(header=header, child_frame_id=self._base)
            transform.transform.translation = conversions.vector3_to_ros(state.position_W)
            transform.transform.rotation = pose.orientation
            self._transforms.sendTransform(transform)
        self._on_tick(tick, state)

    def _publish_imu(self):
        plant = self.scenario.plant
        reading = sensors.ideal_imu(plant.body, self.state, loads.FREE, self.scenario.imu)
        message = Imu(
            header=conversions.header_to_ros(self.tick, self._imu_link),
            orientation_covariance=NO_ORIENTATION,
            angular_velocity=conversions.vector3_to_ros(reading.angular_velocity_S),
            angular_velocity_covariance=IDEAL_COVARIANCE,
            linear_acceleration=conversions.vector3_to_ros(reading.specific_force_S),
            linear_acceleration_covariance=IDEAL_COVARIANCE,
        )
        self._imu_raw.publish(message)
        message.orientation = conversions.quaternion_to_ros(reading.q_WS)
        message.orientation_covariance = IDEAL_COVARIANCE
        self._imu.publish(message)

    def _report(self):
        """Publish diagnostics (REP-107)."""
        now, (then, tick_then) = time.monotonic(), self._last_report
        self._last_report = (now, self.tick)
        achieved = ticks.seconds(self.tick - tick_then) / (now - then)
        running = not self.paused and not self.finished
        asked = self.value('real_time_factor')
        slow = running and asked > 0.0 and achieved < 0.95 * asked and self.tick > 2 * 32
        body = self.scenario.plant.body
        values = {
            'tick': self.tick,
            'simulated time [s]': ticks.seconds(self.tick),
            'real-time factor': f'{achieved:.3f}',
            'overruns': self._pacer.overruns,
            'kinetic energy [J]': f'{body.kinetic_energy(self.state):.9g}',
            'angular momentum [N m s]': f'{np.linalg.norm(self.state.angular_momentum_W):.9g}',
        }
        status = DiagnosticStatus(
            level=DiagnosticStatus.WARN if slow else DiagnosticStatus.OK,
            name=f'{self.get_fully_qualified_name()}: simulation',
            message=f'slower than real-time factor {asked:g}'
            if slow
            else 'running'
            if running
            else 'paused'
            if self.paused
            else 'finished',
            hardware_id='none',
            values=[KeyValue(key=key, value=str(value)) for key, value in values.items()],
        )
        self._diagnostics.publish(
            DiagnosticArray(header=conversions.header_to_ros(self.tick, ''), status=[status])
        )
