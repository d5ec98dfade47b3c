# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""GTSAM's factor graphs on the readings of one of our flights: its filter, its least squares."""

import math

import gtsam
import numpy as np
from rival_estimators import told

# GTSAM cannot solve for a bias that never walks [rad/s/s^0.5]. In an hour this is 6e-8 rad/s.
LEAST_WALK = 1e-9


class FactorGraph:
    """The flight as a factor graph of GTSAM: AHRSFactor, AttitudeFactorRot3 and priors.

    So it is its model of the gyroscope, of directions and of the errors of a rotation.
    """

    def __init__(self, flight):
        self._own = flight.gyroscope
        self._params = gtsam.PreintegratedRotationParams()
        self._params.setGyroscopeCovariance(self._own.rate_noise**2 * np.eye(3))

    def attitude(self, k):
        """Return the key of an attitude."""
        return gtsam.symbol('x', k)

    def bias(self, k):
        """Return the key of a bias."""
        return gtsam.symbol('b', k)

    def rot3(self, q_WB):
        """Return a Rot3."""
        return gtsam.Rot3.Quaternion(*(float(x) for x in q_WB))

    def begin(self, begun):
        """Return factors and values of the first attitude and bias."""
        P = begun.covariance
        graph, values = gtsam.NonlinearFactorGraph(), gtsam.Values()
        first, bias_B = self.rot3(begun.q_WB), np.array(begun.gyro_bias_B)
        of_attitude, of_bias = (
            gtsam.noiseModel.Gaussian.Covariance(P[k : k + 3, k : k + 3]) for k in (0, 3)
        )
        graph.add(gtsam.PriorFactorRot3(self.attitude(0), first, of_attitude))
        graph.add(gtsam.PriorFactorVector(self.bias(0), bias_B, of_bias))
        values.insert(self.attitude(0), first)
        values.insert(self.bias(0), bias_B)
        return graph, values

    def advance(self, k, step, q_WB, bias_B):
        """Return factors and values of step k after the attitude (a Rot3) and bias before it."""
        own = self._own
        graph, values = gtsam.NonlinearFactorGraph(), gtsam.Values()
        turn = gtsam.PreintegratedAhrsMeasurements(self._params, bias_B)
        turn.integrateMeasurement(step.rate_B, step.seconds)
        here, bias = self.attitude(k), self.bias(k)
        graph.add(gtsam.AHRSFactor(self.attitude(k - 1), here, self.bias(k - 1), turn))
        walk = max(own.bias_walk, LEAST_WALK) * math.sqrt(step.seconds)
        walked = gtsam.noiseModel.Isotropic.Sigma(3, walk)
        graph.add(gtsam.BetweenFactorVector(self.bias(k - 1), bias, np.zeros(3), walked))
        values.insert(bias, bias_B)
        for attitude in step.attitudes:
            noise = gtsam.noiseModel.Gaussian.Covariance(attitude.covariance_B)
            graph.add(gtsam.PriorFactorRot3(here, self.rot3(attitude.q_WB), noise))
        for seen in step.directions:
            noise = gtsam.noiseModel.Isotropic.Sigma(2, seen.sigma)
            pair = gtsam.Unit3(seen.unit_W), noise, gtsam.Unit3(seen.unit_B)
            graph.add(gtsam.AttitudeFactorRot3(here, *pair))
        values.insert(here, q_WB.compose(turn.deltaRij()))
        return graph, values


def isam2(flight):
    """GTSAM's incremental smoother; its latest attitude after each step counts."""
    params = gtsam.ISAM2Params()
    params.setRelinearizeThreshold(1e-3)
    params.setFactorization('QR')
    solver, factors = gtsam.ISAM2(params), FactorGraph(flight)
    solver.update(*factors.begin(flight.begun))
    found, covariances = [], []
    q_WB, bias_B = factors.rot3(flight.begun.q_WB), np.array(flight.begun.gyro_bias_B)
    for k, step in enumerate(flight.steps, 1):
        solver.update(*factors.advance(k, step, q_WB, bias_B))
        here = factors.attitude(k)
        q_WB = solver.calculateEstimateRot3(here)
        bias_B = solver.calculateEstimateVector(factors.bias(k))
        found.append(_quaternion(q_WB))
        covariances.append(solver.marginalCovariance(here))
    return told(found, covariances)


def batch(flight):
    """GTSAM's least squares of all readings, those that came later, too: what our smoother is."""
    graph, values = gtsam.NonlinearFactorGraph(), gtsam.Values()
    factors = FactorGraph(flight)
    q_WB, bias_B = factors.rot3(flight.begun.q_WB), np.array(flight.begun.gyro_bias_B)
    more = factors.begin(flight.begun)
    for k, step in enumerate((None, *flight.steps)):
        if step:
            more = factors.advance(k, step, q_WB, bias_B)
            q_WB = more[1].atRot3(factors.attitude(k))
        graph.push_back(more[0])
        values.insert(more[1])
    solved = gtsam.LevenbergMarquardtOptimizer(graph, values).optimize()
    marginals = gtsam.Marginals(graph, solved)
    keys = [factors.attitude(k) for k in range(1, len(flight.steps) + 1)]
    return told(
        [_quaternion(solved.atRot3(key)) for key in keys],
        [marginals.marginalCovariance(key) for key in keys],
    )


def _quaternion(rot3):
    found = rot3.toQuaternion()
    return np.array((found.w(), found.x(), found.y(), found.z()))
