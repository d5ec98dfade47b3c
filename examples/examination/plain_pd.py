"""A plain PD law: quaternion error and rate, no feedforward, no gyroscopic torque.

    torque = -J (bandwidth^2 2 e + 2 damping bandwidth omega_e)

e: vector part of the error quaternion, with the sign of the shorter way. B. Wie, H. Weiss,
A. Arapostathis, J. Guidance 12 (1989) 375.

    attitude-sim examine --law examples/examination/plain_pd.py:PlainPd     # or: --law pd
"""

import numpy as np
from scipy.spatial.transform import Rotation


class PlainPd:
    def __init__(self, scenario):
        own = scenario.controller  # kg m^2, rad/s, 1
        self.J = np.array(own['inertia'][:3])
        self.bandwidth, self.damping = own['bandwidth'], own['damping_ratio']

    def __call__(self, attitude, rate, reference):
        body = Rotation.from_quat(np.roll(attitude, -1))  # to x, y, z, w
        error = Rotation.from_quat(np.roll(reference[0], -1)).inv() * body
        *e, w = error.as_quat()
        rate_error = rate - error.inv().apply(reference[1])
        angle = 2.0 * np.copysign(1.0, w) * np.array(e)
        return (
            -self.J * self.bandwidth * (self.bandwidth * angle + 2.0 * self.damping * rate_error)
        )
