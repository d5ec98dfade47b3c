# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The commands of a tick, for all actuators, and the one list of what can be commanded."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.body import loads

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, FlatImpulse, FlatWrench

NOTHING = np.zeros(0)
NOTHING.flags.writeable = False


class Inputs(NamedTuple):
    """Commands of one tick. An empty array means: no command for that kind of actuator.

    wrench: (12,) of core.body.loads, constant through the tick
    impulse: (6,) of core.body.loads, at its start
    wheel_torque: (N,) of the motors of N reaction wheels, constant [N m]; empty is no torque
    wheel_speed: (N,) target speed that replaces the torque [rad/s], nan where the torque counts;
        empty is all torques
    gimbal_rate, gimbal_torque: (G,) of control moment gyros [rad/s, N m]; the torque counts
        unless it is nan; empty is a rate of 0
    thrust: (M,) commanded mean forces of thrusters [N]; empty is 0
    dipole: (K,) commanded dipoles of magnetorquers [A m^2]; empty is 0
    faults: (F,) how many ticks each fault of the spacecraft has acted, this one included; 0 for
        one that does not act; empty is none
    """

    wrench: FlatWrench = loads.FREE
    impulse: FlatImpulse = loads.NO_IMPULSE
    wheel_torque: Array = NOTHING
    wheel_speed: Array = NOTHING
    gimbal_rate: Array = NOTHING
    gimbal_torque: Array = NOTHING
    thrust: Array = NOTHING
    dipole: Array = NOTHING
    faults: Array = NOTHING

    @property
    def moves_actuators(self) -> bool:
        """Whether any actuator has a command; keeping a speed of 0 is a command."""
        amounts = self.wheel_torque, self.gimbal_rate, self.thrust, self.dipole
        speed, torque = self.wheel_speed, self.gimbal_torque
        return bool(
            any(part.size and part.any() for part in amounts)
            or (speed.size and np.isfinite(speed).any())
            or (torque.size and np.nan_to_num(torque).any())
        )


class Mode(NamedTuple):
    """One quantity by which the actuators of a kind are commanded.

    part: of Inputs;  quantity, unit: its name in a column of commands
    field: of a JointState that commands it
    needs: attribute of the actuators that must be true for it;  word: for those that have it
    """

    part: str
    quantity: str
    unit: str
    field: str
    needs: str = ''
    word: str = ''


class Commandable(NamedTuple):
    """How the actuators of a kind are commanded.

    word: for one of them;  topic, message: of its commands, and its type
    modes: an actuator is in the first unless the part of another one is not NaN
    """

    word: str
    topic: str
    message: str
    modes: tuple[Mode, ...]


JOINTS, VECTOR = 'sensor_msgs/msg/JointState', 'geometry_msgs/msg/Vector3Stamped'
# {kind, as in Spacecraft.groups: Commandable}, in the order of the parts of Inputs.
COMMANDED = {
    'wheels': Commandable('wheel', 'command/wheels', JOINTS, (
        Mode('wheel_torque', 'torque', 'N m', 'effort'),
        Mode('wheel_speed', 'speed', 'rad/s', 'velocity', 'have_servo', 'wheels with a servo'),
    )),
    'gimbals': Commandable('gimbal', 'command/gimbals', JOINTS, (
        Mode('gimbal_rate', 'rate', 'rad/s', 'velocity'),
        Mode('gimbal_torque', 'torque', 'N m', 'effort'),
    )),
    'thrusters': Commandable('thruster', 'command/thrusters', JOINTS, (
        Mode('thrust', 'force', 'N', 'effort'),
    )),
    'magnetorquers': Commandable('magnetorquer', 'command/dipole', VECTOR, (
        Mode('dipole', 'dipole', 'A m^2', 'effort'),
    )),
}  # fmt: skip
# {part of Inputs: (kind of actuator, Mode)}, and the parts that are NaN where another one counts.
MODES = {mode.part: (kind, mode) for kind, one in COMMANDED.items() for mode in one.modes}
MAYBE_NAN = tuple(mode.part for one in COMMANDED.values() for mode in one.modes[1:])
