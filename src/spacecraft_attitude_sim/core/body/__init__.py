# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A rigid body, its state, and the loads on it."""

from spacecraft_attitude_sim.core.body.rigid_body import BodyFrame, RigidBody, compose

__all__ = ['BodyFrame', 'RigidBody', 'compose']
