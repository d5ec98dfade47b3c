# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What get_entity_state tells of an instant, also where simulation_interfaces is not installed."""

from types import SimpleNamespace

import numpy as np
import pytest
from geometry_msgs.msg import Accel
from scipy.spatial.transform import Rotation

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.nodes.simulator import standard_services

OMEGA_B, VELOCITY_W, POSITION_W = (0.3, -0.2, 0.5), (1.0, 2.0, -3.0), (4.0, 5.0, 6.0)
Q_WB = (0.5, -0.5, 0.5, 0.5)


def test_the_state_of_an_instant_is_in_world_axes(monkeypatch):
    interfaces = SimpleNamespace(
        EntityState=lambda header: SimpleNamespace(header=header, acceleration=Accel())
    )
    monkeypatch.setattr(standard_services, 'msg', interfaces, raising=False)
    found = scenario.build({
        'body.inertia': [2.0, 3.0, 4.0], 'body.mass': 5.0, 'gravity': [0.0, 0.0, -2.0],
        'initial.attitude': list(Q_WB), 'initial.angular_velocity': list(OMEGA_B),
        'initial.velocity': list(VELOCITY_W), 'initial.position': list(POSITION_W),
    }, 'test')  # fmt: skip
    sent = standard_services.entity_state_to_ros(found.plant, found.first_instant(), 'space')
    turned = Rotation.from_quat(np.roll(Q_WB, -1))
    # Of a free body J dω/dt = -ω × J ω.
    J = np.diag((2.0, 3.0, 4.0))
    alpha_B = np.linalg.solve(J, -np.cross(OMEGA_B, J @ OMEGA_B))
    for vector, expected in (
        (sent.pose.position, POSITION_W),
        (sent.twist.linear, VELOCITY_W),
        (sent.twist.angular, turned.apply(OMEGA_B)),
        (sent.acceleration.linear, (0.0, 0.0, -2.0)),
        (sent.acceleration.angular, turned.apply(alpha_B)),
    ):
        assert conversions.vector3_from_ros(vector) == pytest.approx(expected, abs=1e-12)
    assert conversions.quaternion_from_ros(sent.pose.orientation) == pytest.approx(Q_WB)
    assert (sent.header.frame_id, sent.header.stamp.sec) == ('space', 0)
