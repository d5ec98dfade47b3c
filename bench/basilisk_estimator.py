# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Basilisk's unscented attitude filter on the readings of one of our flights.

It estimates modified Rodrigues parameters and the rate, from a star tracker and the speeds of the
wheels. It does not estimate a bias. The gyroscope carries its attitude from one star tracker
reading to the next, and corrects nothing.
"""

import functools

import numpy as np
from rival_estimators import told

from spacecraft_attitude_sim.core.mathematics import rotations

# By how much it may take the rate to walk, beside the torques of the wheels [rad/s^2].
RATE_WALKS = tuple(10.0**power for power in np.arange(-7.0, -2.9, 0.5))


def tuned(flight):
    """Return the filter with the rate walk whose error is least, by the truth."""

    def error(walk):
        q_WB = ukf(flight, walk).q_WB
        cosines = np.minimum(np.abs(np.sum(q_WB * flight.q_WB, axis=1)), 1.0)
        return np.mean(np.square(np.arccos(cosines)))

    best = min(RATE_WALKS, key=error)
    return functools.partial(ukf, rate_walk=best)


def ukf(flight, rate_walk):
    """Return the Told of `inertialUKF`, called as its task calls it.

    rate_walk: by how much the rate may walk beside the torques of the wheels [rad/s^2]
    """
    module, inputs = _module(flight, rate_walk)
    module.Reset(0)
    begin_ns = flight.begun.time_ns - 1
    inputs.stars(1, flight.begun.q_WB)
    module.UpdateState(1)
    found, covariances = [], []
    for step in flight.steps:
        time_ns = step.time_ns - begin_ns
        for attitude in step.attitudes:
            inputs.stars(time_ns, attitude.q_WB)
        inputs.wheels(time_ns, step.wheel_speeds)
        inputs.rate(time_ns, step.rate_B)
        module.UpdateState(time_ns)
        sigma = np.array(module.navStateOutMsg.read().sigma_BN)
        found.append(quaternion_of_mrp(sigma))
        covariance = np.array(module.filtDataOutMsg.read().covar).reshape(6, 6)[:3, :3]
        to_angle = 4.0 * np.linalg.inv(mrp_rows(sigma))
        covariances.append(to_angle @ covariance @ to_angle.T)
    return told(found, covariances)


class _Inputs:
    """Messages that Basilisk's filter reads."""

    def __init__(self):
        from Basilisk.architecture import messaging

        self._messaging = messaging
        self._stars, self._speeds = messaging.STAttMsg(), messaging.RWSpeedMsg()
        self._gyroscope = messaging.AccDataMsg()
        self._packet, self._packets = (
            messaging.AccPktDataMsgPayload(),
            messaging.AccDataMsgPayload(),
        )

    def stars(self, time_ns, q_WB):
        """Send an attitude of a star tracker."""
        said = self._messaging.STAttMsgPayload()
        w, *v = q_WB if q_WB[0] >= 0.0 else -np.asarray(q_WB)
        said.timeTag, said.MRP_BdyInrtl = time_ns, [float(x) / (1.0 + float(w)) for x in v]
        self._stars.write(said, time_ns)

    def wheels(self, time_ns, speeds):
        """Send the speeds of the wheels."""
        said = self._messaging.RWSpeedMsgPayload()
        said.wheelSpeeds = speeds.tolist()
        self._speeds.write(said, time_ns)

    def rate(self, time_ns, rate_B):
        """Send a reading of the gyroscope."""
        self._packet.measTime, self._packet.gyro_B = time_ns, rate_B.tolist()
        self._packets.accPkts = [self._packet]
        self._gyroscope.write(self._packets, time_ns)

    def connect(self, module, flight):
        """Connect a module, and tell it the body and its wheels."""
        body, wheels = (
            self._messaging.VehicleConfigMsgPayload(),
            self._messaging.RWArrayConfigMsgPayload(),
        )
        body.ISCPntB_B = flight.inertia.ravel().tolist()
        wheels.numRW, wheels.JsList = len(flight.wheel_axes), flight.wheel_inertias.tolist()
        wheels.GsMatrix_B = flight.wheel_axes.ravel().tolist()
        self._fixed = (
            self._messaging.VehicleConfigMsg().write(body),
            self._messaging.RWArrayConfigMsg().write(wheels),
        )
        module.massPropsInMsg.subscribeTo(self._fixed[0])
        module.rwParamsInMsg.subscribeTo(self._fixed[1])
        module.rwSpeedsInMsg.subscribeTo(self._speeds)
        module.gyrBuffInMsg.subscribeTo(self._gyroscope)
        module.STDatasStruct.STMessages[0].stInMsg.subscribeTo(self._stars)
        self.stars(0, flight.begun.q_WB)
        self.wheels(0, flight.steps[0].wheel_speeds)
        self._gyroscope.write(self._packets, 0)


def _module(flight, rate_walk):
    """Return the module and its inputs; points and weights are those of Basilisk's own test."""
    from Basilisk.fswAlgorithms import inertialUKF

    own, begun, module = flight.gyroscope, flight.begun, inertialUKF.inertialUKF()
    module.alpha, module.beta, module.kappa = 0.02, 2.0, 0.0
    module.switchMag, module.maxTimeJump = 1.2, 10.0
    w, *v = begun.q_WB
    sigma = np.array(v) / (1.0 + w)
    rows = 0.25 * mrp_rows(sigma)
    stars = inertialUKF.STMessage()
    first = next(step.attitudes[0] for step in flight.steps if step.attitudes)
    stars.noise = (rows @ first.covariance_B @ rows.T).ravel().tolist()
    module.STDatasStruct.STMessages, module.STDatasStruct.numST = [stars], 1
    step = flight.steps[0]
    module.stateInit = [*sigma.tolist(), *step.rate_B.tolist()]
    covariance = np.zeros((6, 6))
    covariance[:3, :3] = rows @ begun.covariance[:3, :3] @ rows.T
    covariance[3:, 3:] = (own.rate_noise**2 / step.seconds + own.bias_sigma**2) * np.eye(3)
    module.covarInit = covariance.ravel().tolist()
    module.qNoise = np.diag((*(1e-18,) * 3, *(rate_walk**2,) * 3)).ravel().tolist()
    smoothing = inertialUKF.LowPassFilterData()  # of the rate that it tells, not of its attitude
    smoothing.hStep, smoothing.omegCutoff = step.seconds, 1.0 / step.seconds
    module.gyroFilt = [smoothing] * 3
    inputs = _Inputs()
    inputs.connect(module, flight)
    module.SelfInit()
    return module, inputs


def mrp_rows(sigma):
    """Return B (3, 3): these parameters change by B / 4 times a small turn in body axes."""
    square = float(sigma @ sigma)
    across = rotations.cross_matrix(sigma)
    return (1.0 - square) * np.eye(3) + 2.0 * across + 2.0 * np.outer(sigma, sigma)


def quaternion_of_mrp(sigma):
    """Return the quaternion (4,) of modified Rodrigues parameters (3,)."""
    square = float(sigma @ sigma)
    return np.concatenate(([1.0 - square], 2.0 * sigma)) / (1.0 + square)
