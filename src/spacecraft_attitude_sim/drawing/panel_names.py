# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The names of the panels that `attitude-sim plot --only` and `Run.plot` draw."""

from collections.abc import Iterable

from spacecraft_attitude_sim.configuration.suggestion import hint

DOCUMENT = 'docs/figures.md'

# {name: its content}
NAMES = {
    'attitude': 'attitude, as --attitude says',
    'euler_angles': 'yaw, pitch, roll',
    'omega': 'angular velocity',
    'alpha': 'angular acceleration',
    'L': 'angular momentum, body axes',
    'angular_momentum': 'angular momentum, world axes',
    'energy': 'energies and their sum',
    'position': 'position on a floor',
    'contact_force': 'force of the floor',
    'error': 'angle to the reference attitude',
    'torque': 'commanded torque',
    'wheel_speed': 'speed of each wheel',
    'wheel_torque': 'motor torque of each wheel',
    'wheel_momentum': 'angular momentum of the wheels',
    'gimbal_angle': 'angle of each gimbal',
    'gimbal_rate': 'rate of each gimbal',
    'gimbal_momentum': 'angular momentum of the rotors',
    'singularity': 'singularity measure of the gimbals',
    'thrust': 'mean thrust of each thruster',
    'impulse': 'impulse of each thruster',
    'propellant': 'propellant used',
    'dipole': 'dipole of each magnetorquer',
    'whole_dipole': 'dipole of all magnetorquers',
    'disturbance': 'torque of each disturbance',
    'field': 'magnetic field',
    'sunlight': 'irradiance',
    'height': 'height above the ellipsoid',
    'panel_angle': 'angle of each panel',
    'mass_displacement': 'place of each sliding mass',
    'mode': 'displacement of each flexible mode',
    'pendulum': 'angle of each pendulum',
    'slug_rate': 'rate of each slug',
    'flux_density': 'flux density of each hysteresis rod',
    'nutation': 'angle of L to the axes',
    'rotation_energy': 'energy of rotation, % of start',
}
# {what a Run calls its array: name of the panel}
ALSO = {
    'angular_velocity': 'omega', 'angular_acceleration': 'alpha', 'angular_momentum_body': 'L',
}  # fmt: skip


def every_word() -> list[str]:
    """Return the names, each with its other word behind it."""
    others = {name: word for word, name in ALSO.items()}
    return [f'{name} (or {others[name]})' if name in others else name for name in NAMES]


def check(name: str, others: Iterable[str] = ()) -> None:
    """Raise ValueError for the name of no panel; others: names that are valid, too."""
    valid = (*NAMES, *ALSO, *others)
    if name not in valid:
        raise ValueError(f"there is no panel '{name}'; {hint(name, valid, DOCUMENT)}")
