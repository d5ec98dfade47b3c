# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The flat arrays of actuators with states of their own, as the compiled step reads them.

One array of constants: CRAFT, then a row for each wheel, gimbal, thruster, magnetorquer ("rod")
and plate. States: those of each wheel, gimbal, thruster and rod in the same order, then BOOK.
Commands: in that order. A gimbal carries a rotor: the last wheels are those of the gimbals, in
their order.
"""

from spacecraft_attitude_sim.core.mathematics.layout import Layout

# Counts of each kind; queued: length of each wheel's queue of commands in the dead time; seed: of
# random channels. Mass [kg]; inertia_B of the carrier [kg m^2], without what wheels, rotors and
# gimbals carry, as xx, yy, zz, xy, xz, yz; least_moment: its smallest principal moment; residual
# dipole [A m^2]; rods_off: time in a tick at which rods are switched off [s]; moving: 1 with
# internal parts, whose rows (core.internal.layouts) come last.
CRAFT = Layout(
    wheels=1, gimbals=1, thrusters=1, rods=1, plates=1, queued=1, seed=1, mass=1, inertia_B=6,
    least_moment=1, residual_B=3, rods_off=1, moving=1,
)  # fmt: skip
# One wheel, SI. stall_torque, no_load_speed: the torque-speed line of the motor at its voltage
# waits, delay: the dead time as whole ticks and the rest of one [s]
# bandwidth: of the speed servo [rad/s];  coupling: speed gained per angular impulse on the rotor
# [1/(kg m^2)];  rate: bound of the slope of drag over speed, times coupling [1/s]
# static_imbalance [kg m], dynamic_imbalance [kg m^2], phase: between them [rad]
# tachometer_step: its resolution, 0 for none; its reading is gain × speed + bias [rad/s]
# radial_B: direction of the rotor's mark at angle 0;  held_speed: at which it is locked [rad/s]
WHEEL = Layout(
    axis_B=3, radial_B=3, position_B=3, inertia=1, max_torque=1, max_speed=1, max_power=1,
    stall_torque=1, no_load_speed=1, lag=1, delayed=1, waits=1, delay=1, viscous=1, coulomb=1,
    static=1, stribeck_speed=1, bandwidth=1, coupling=1, rate=1, static_imbalance=1,
    dynamic_imbalance=1, phase=1, held_speed=1, tachometer_step=1, tachometer_gain=1,
    tachometer_bias=1,
)  # fmt: skip
# momentum: axial, in an inertial frame [N m s];  angle: relative to the body [rad]
# drive: motor torque after its lag [N m];  mode: see FORWARD and so on
# The queue of commands in the dead time follows, the latest first [N m].
WHEEL_STATE = Layout(momentum=1, angle=1, drive=1, mode=1)
# Mode of a wheel: turning forward or backward, stuck by friction, held at its largest speed
# forward or backward, or locked to held_speed for ever.
FORWARD, BACKWARD, STUCK, FASTEST, FASTEST_BACK, LOCKED = 1.0, -1.0, 0.0, 2.0, -2.0, 3.0
# Torque [N m], and a speed [rad/s] that replaces the torque unless it is nan.
WHEEL_COMMAND = Layout(torque=1, speed=1)
# axis_B: of the gimbal;  spin_B: of the rotor at angle 0;  transverse_B: axis × spin at angle 0
# inertias of gimbal and rotor about spin, transverse and axis, without the rotor's spin inertia
GIMBAL = Layout(
    axis_B=3, spin_B=3, transverse_B=3, inertia_spin=1, inertia_transverse=1, inertia_axis=1,
    max_rate=1, max_acceleration=1, max_torque=1,
)  # fmt: skip
# momentum: conjugate to the angle [N m s];  rate: relative to the body, where it is commanded
# driven: RATE_DRIVEN where the rate is commanded, TORQUE_DRIVEN where the torque is
GIMBAL_STATE = Layout(angle=1, momentum=1, rate=1, driven=1)
RATE_DRIVEN, TORQUE_DRIVEN = 1.0, 2.0
# Rate [rad/s], and a torque [N m] that replaces the rate unless it is nan.
GIMBAL_COMMAND = Layout(rate=1, torque=1)
# force_B, torque_B: fully open;  period: of pulses, 0 for a proportional thruster
# shortest: minimum on-time;  carry: whether shorter on-times add up (1) or are lost (0)
# longer: time that it stays open beyond the command;  first: when the first period begins
# flow: of propellant, fully open [kg/s];  scatter: of thrust from pulse to pulse, relative
THRUSTER = Layout(
    force_B=3, torque_B=3, period=1, shortest=1, carry=1, longer=1, first=1, rise=1, fall=1,
    scatter=1, flow=1,
)  # fmt: skip
# level: force now over its largest force;  remainder: on-time carried over [s]
# left: time until it closes;  next: until a period begins [s]
# scale: of thrust in this pulse;  pulses: counted;  used: propellant [kg]
THRUSTER_STATE = Layout(level=1, remainder=1, left=1, next=1, scale=1, pulses=1, used=1)
# Commanded mean force over the largest force.
THRUSTER_COMMAND = Layout(level=1)
ROD = Layout(axis_B=3, max_dipole=1, lag=1)
ROD_STATE = Layout(dipole=1)
ROD_COMMAND = Layout(dipole=1)
# The energy book [J]: work of motors and gimbals, heat of friction, work of external loads.
BOOK = Layout(motors=1, heat=1, loads=1)
# Loads and motion at the end of a tick: force and torque of actuators, air and sunlight, angular
# velocity and acceleration, acceleration of the origin relative to the centre of mass [N, N m,
# rad/s, rad/s^2, m/s^2], body axes.
END = Layout(
    force_B=3, torque_B=3, angular_velocity_B=3, angular_acceleration_B=3, acceleration_B=3
)
