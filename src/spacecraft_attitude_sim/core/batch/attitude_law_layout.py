# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Constants and memory of the law of core.batch.attitude_law, flat."""

from __future__ import annotations

from spacecraft_attitude_sim.core.control import control_law, integral, magnetic_control
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.sensors import imu, magnetometer, triad

# gains, damping: flat ones of core.control.control_law for pointing and for damping
# gradient: whether that of gravity is compensated
# reference: flat, but its gradient;  in_orbit: of core.control.pointing_frames;  q_BS: assumed
# torque_limit: of a command;  mode: index in MODES;  noisy: whether readings have errors
# tick_ns: length of a tick [ns];  interval: of the readings of the IMU [ticks]
# hold: how long a command acts [ticks];  imu: without accelerometer
# kind, gyroscopic: of core.control.allocation, kind -1 for a wrench, -2 for no torque
# magnetic: of core.control.magnetic_control;  magnetometer: its constants;  field_interval: of its
# readings [ticks], 0 where no dipole is commanded
# width, driven: size of a driven actuator's row, and number of rows; these follow, then rows of
# TACHOMETER for all wheels, of ROD for all magnetorquers, and of CHANGE for changes of the mode
# delay: readings from one to its command, which wait at the end of the memory
# timeout: of the readings [s]
# heard: where HEARD stands there, 0 where each reading comes when it is due
# estimated: where the ESTIMATE of an estimator stands in the memory, which takes the place of the
# IMU's reading; 0 for none
# ordered: where the ORDER stands there, 0 for none
# wheel_width: size of a wheel's states;  dipoles, rod_command: where states and commands of
# magnetorquers begin
CONSTANTS = Layout(
    gains=control_law.GAINS_SIZE, damping=control_law.GAINS_SIZE, reference=control_law.GRADIENT,
    in_orbit=8, inverse_inertia=9, q_BS=4, torque_limit=3, mode=1, noisy=1, tick_ns=1,
    interval=1, hold=1, imu=imu.ACCEL, kind=1, gyroscopic=1, magnetic=magnetic_control.SIZE,
    magnetometer=magnetometer.CONSTANTS.size, field_interval=1, width=1, driven=1, wheels=1,
    wheel_width=1, rods=1, dipoles=1, rod_command=1, changes=1, delay=1, gradient=1, timeout=1,
    estimated=1, ordered=1, heard=1,
)  # fmt: skip
# What an estimator says: known: 1 if it has an attitude, else 0;  as an IMU reads them.
ESTIMATE = Layout(known=1, q_WS=4, omega_S=3)
# What commands the controller in place of its settings, behind the ESTIMATE. mode: index in MODES
# unloads: whether the dipoles may unload the wheels;  reference: flat, without a gradient
# pointed: attitude pointed at until now, NaN where there is none
# anew: 1 where the integral of the error begins anew, for the reference has jumped
ORDER = Layout(mode=1, unloads=1, reference=control_law.GRADIENT, pointed=4, anew=1)
# What has come to the controller, where readings may be lost or late. imu, field: ticks of the
# last reading of the IMU and of the magnetometer that came in time, and of the one before
# field_S: [T]
HEARD = Layout(imu=1, imu_before=1, field=1, field_before=1, field_S=3)
# A mode, and the time from which it holds [ns].
CHANGE = Layout(time_ns=1, mode=1)
# way: ε of control_law at the last reading;  began: tick from which the reference counts
# integral: of core.control.integral
# cut: 1 while a limit reduces the torque;  cuts, clipped: number of torques that the law's limit
# has cut, and of commands of which an actuator's limit has clipped one
# where a dipole is commanded, before_B: the field read before, known: 1 once there is one
# dipole_cuts, dipole_clipped: as cuts and clipped
MEMORY = Layout(
    way=3, began=1, cut=1, integral=integral.MEMORY.size, gyroscope=triad.STATE.size, cuts=1,
    clipped=1,
)  # fmt: skip
WITH_FIELD = Layout(
    **MEMORY.widths, before_B=3, known=1, magnetometer=triad.STATE.size, dipole_cuts=1,
    dipole_clipped=1,
)  # fmt: skip
