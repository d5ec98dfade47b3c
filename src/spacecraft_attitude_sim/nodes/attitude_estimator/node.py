# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The attitude_estimator node: finds the attitude from what the sensors' topics say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import Vector3Stamped
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Header
from std_srvs.srv import Trigger

from spacecraft_attitude_sim.configuration import attitude_estimator as configuration
from spacecraft_attitude_sim.core.estimation.gyroscope_watch import WatchedEstimator
from spacecraft_attitude_sim.kernels import warm_up
from spacecraft_attitude_sim.nodes.attitude_estimator import estimator_messages
from spacecraft_attitude_sim.nodes.ros import conversions, qos
from spacecraft_attitude_sim.nodes.ros.flight_node import SensingNode
from spacecraft_attitude_sim.nodes.simulator.diagnostics import mishaps
from spacecraft_attitude_sim.recording import topics

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rclpy.publisher import Publisher

    from spacecraft_attitude_sim.core.estimation.settings import Estimate, Reading

# Topics that it publishes.
ATTITUDE, GYROSCOPE_BIAS = topics.ESTIMATE, 'estimate/gyroscope_bias'
MAGNETOMETER_BIAS, CALIBRATION = 'estimate/magnetometer_bias', 'estimate/calibration'
INNOVATIONS, CONSISTENCY = topics.INNOVATIONS, topics.CONSISTENCY


class AttitudeEstimatorNode(SensingNode):
    """Converts between messages and core's AttitudeEstimator.

    Raises ParameterError.
    """

    def __init__(self, configured: Mapping[str, Any] | None = None, **node_options: Any) -> None:
        super().__init__(configuration, configured, **node_options)
        warm_up.begin(self.get_logger())
        self.estimator = configuration.estimator(self.values)
        warm_up.note()
        self._settings = self.estimator.settings
        self._q_BS = self._settings.gyroscope.q_BS
        self.estimate: Estimate | None = None  # the latest one
        self.heard_by: list[Callable[[Estimate], object]] = []  # each is called with every one
        self._stamp = -1  # of the latest tick [ns]
        self._latest: Imu | None = None
        self._attitude = self.create_publisher(Imu, ATTITUDE, qos.STREAM)
        self._bias = self.create_publisher(Vector3Stamped, GYROSCOPE_BIAS, qos.STREAM)
        self._field_bias = self._of_field_bias()
        self._calibration = self._of_calibration()
        self._innovations = self.create_publisher(JointState, INNOVATIONS, qos.STREAM)
        self._consistency = self.create_publisher(JointState, CONSISTENCY, qos.STREAM)
        self._sources = estimator_messages.sources(self._settings)
        kinds = {topic: source.kind for topic, source in self._sources.items()}
        self._listen(kinds, with_belated=True)
        self.create_service(Trigger, '~/reset', self._on_reset)
        self._begin_status('estimation', self._status)

    def _of_field_bias(self) -> Publisher[Vector3Stamped] | None:
        """Return the publisher of the magnetometer's bias; None where it is not estimated."""
        if not self._settings.field_bias_sigma:
            return None
        return self.create_publisher(Vector3Stamped, MAGNETOMETER_BIAS, qos.STREAM)

    def _of_calibration(self) -> Publisher[JointState] | None:
        """Return the publisher of axes and mountings; None where none is estimated."""
        if not self._settings.calibrates:
            return None
        return self.create_publisher(JointState, CALIBRATION, qos.STREAM)

    # --- readings in, estimates out -----------------------------------------------------------

    def _on_tick(self, stamp: int, messages: dict[str, Any]) -> None:
        if stamp < self._stamp:
            self.estimator.restart()  # another run has begun
        self._stamp = stamp
        heard = (*messages.items(), *self.synchroniser.belated)
        readings = [self._sources[topic].reading(message) for topic, message in heard]
        self._take(readings, messages.get(topics.RAW))

    def _on_repeat(self, stamp: int) -> None:
        """Answer a tick again: the simulator misses what the controller made of the answer."""
        if self._latest and stamp == self._stamp:
            self._publish(self._attitude, self._latest)

    def _on_message(self, topic: str, message: Any) -> None:
        raw = message if topic == topics.RAW else None
        self._take([self._sources[topic].reading(message)], raw)

    def _take(self, readings: list[Reading], raw: Imu | None) -> None:
        """Take readings; publish the estimate where the gyroscope is among them.

        raw: its message, or None
        """
        before = self.estimate.time_ns if self.estimate else None
        estimate = self.estimate = self.estimator.take(readings, self._clock_ns())
        if estimate is None:
            return
        for tell in self.heard_by:
            tell(estimate)
        frame = raw.header.frame_id if raw else ''
        header = conversions.header_to_ros(estimate.time_ns, frame)
        if estimate.judgements:
            judgements = estimate.judgements
            self._publish(self._innovations, estimator_messages.innovations(header, judgements))
            self._publish(self._consistency, estimator_messages.consistency(header, judgements))
        if raw is None or estimate.time_ns == before:
            return
        self._latest = estimator_messages.attitude(raw, estimate, self._q_BS)
        self._publish(self._attitude, self._latest)
        bias = estimator_messages.gyroscope_bias(header, estimate, self._q_BS)
        self._publish(self._bias, bias)
        if self._field_bias:
            self._publish(self._field_bias, estimator_messages.magnetometer_bias(header, estimate))
        if self._calibration and estimate.calibration:
            message = estimator_messages.calibration(header, estimate.calibration)
            self._publish(self._calibration, message)

    def _on_reset(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self.estimator.restart()
        response.success, response.message = True, 'the attitude will be found anew'
        return response

    # --- diagnostics --------------------------------------------------------------------------

    def _status(self) -> tuple[Header, bytes, str, dict[str, object]]:
        """Return header, level, message and values for StatusPublisher."""
        estimator, estimate = self.estimator, self.estimate
        values: dict[str, object] = {'times begun anew': estimator.resets}
        if estimate and estimate.q_WB is not None:
            values['attitude 1 sigma [rad]'] = ', '.join(
                f'{sigma:.3g}' for sigma in estimate.sigma
            )
        if estimate and estimate.calibration:
            for name, (value, sigma) in estimate.calibration.named().items():
                values[f'{name}, 1 sigma'] = f'{value:.4g}, {sigma:.2g}'
        for name, count in estimator.counts.items():
            values[f'readings of {name}'] = ', '.join(f'{n} {what}' for what, n in count.items())
        values |= mishaps(self)
        level = DiagnosticStatus.WARN if estimator.problem else DiagnosticStatus.OK
        if isinstance(estimator, WatchedEstimator):
            values['times the gyroscope became suspect'] = estimator.alarms
            level = DiagnosticStatus.ERROR if estimator.suspect else level
        header = Header(stamp=self.get_clock().now().to_msg())
        return header, level, estimator.problem or 'the attitude is known', values
