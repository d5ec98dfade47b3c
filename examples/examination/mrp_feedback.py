"""MRP feedback, as users of Basilisk know it, on the estimate and the reference of a flight.

    torque = -K sigma - P omega_e + omega x J omega + J (alpha_R - omega x omega_R)

sigma: modified Rodrigues parameters of the body seen from the reference. H. Schaub, J. Junkins,
Analytical Mechanics of Space Systems, AIAA 2003, section 8.4. Written anew from the formula; K and
P have a number for each axis, so that a small error has the bandwidth of the case.

    attitude-sim examine --law examples/examination/mrp_feedback.py:MrpFeedback     # or: --law mrp
    python mrp_feedback.py     # a node; beside: attitude-sim run CASE --no-controller --rate 0
"""

import numpy as np
from scipy.spatial.transform import Rotation

OURS = {'inertia': (0.033, 0.033, 0.0067), 'bandwidth': 0.3, 'damping_ratio': 0.8}


class MrpFeedback:
    def __init__(self, scenario=None):
        own = scenario.controller if scenario else OURS  # kg m^2, rad/s, 1
        self.J, bandwidth = np.array(own['inertia'][:3]), own['bandwidth']
        self.K = 4.0 * bandwidth**2 * self.J  # sigma is a quarter of a small angle
        self.P = 2.0 * own['damping_ratio'] * bandwidth * self.J

    def __call__(self, attitude, rate, reference):
        body = Rotation.from_quat(np.roll(attitude, -1))  # to x, y, z, w
        error = Rotation.from_quat(np.roll(reference[0], -1)).inv() * body
        turn = error.inv()  # reference to body axes
        rate_R, acceleration_R = turn.apply(reference[1]), turn.apply(reference[2])
        torque = -self.K * error.as_mrp() - self.P * (rate - rate_R)  # the shorter way
        torque += np.cross(rate, self.J * rate)
        return torque + self.J * (acceleration_R - np.cross(rate, rate_R))


def main(law):
    """Answer each estimate with wheel torques, as soon as its reference is there."""
    import contextlib
    import signal

    import rclpy
    from geometry_msgs.msg import AccelStamped
    from nav_msgs.msg import Odometry
    from sensor_msgs.msg import Imu, JointState

    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends it as Ctrl-C does
    rclpy.init()
    node, heard = rclpy.create_node('mrp_feedback'), {}
    publisher = node.create_publisher(JointState, 'command/wheels', 10)

    def take(kind, message):
        stamp = message.header.stamp.sec, message.header.stamp.nanosec
        parts = heard.setdefault(stamp, {})
        parts[kind] = message
        if len(parts) < 3:
            return
        imu, pose, motion = parts['estimate'], parts['odometry'], parts['acceleration'].accel
        q, w = imu.orientation, pose.pose.pose.orientation
        v, u, a = imu.angular_velocity, pose.twist.twist.angular, motion.angular
        known = imu.orientation_covariance[0] >= 0.0
        reference = (w.w, w.x, w.y, w.z), (u.x, u.y, u.z), (a.x, a.y, a.z)
        torque = (
            law((q.w, q.x, q.y, q.z), np.array((v.x, v.y, v.z)), reference) if known else (0,) * 3
        )
        effort = [-float(one) for one in torque]  # of the motors on the rotors
        publisher.publish(JointState(header=imu.header, name=['x', 'y', 'z'], effort=effort))

    topics = {'estimate': ('estimate/attitude', Imu), 'odometry': ('reference/odometry', Odometry),
              'acceleration': ('reference/acceleration', AccelStamped)}  # fmt: skip
    for kind, (topic, of) in topics.items():
        node.create_subscription(of, topic, lambda message, kind=kind: take(kind, message), 100)
    with contextlib.suppress(KeyboardInterrupt):
        rclpy.spin(node)


if __name__ == '__main__':
    main(MrpFeedback())
