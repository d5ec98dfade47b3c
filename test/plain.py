# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What actuators must be given, for tests that ask for any: along z, motors without limit."""

Z = [0.0, 0.0, 1.0]
REQUIRED = {
    'wheels': ('wheel', {'axis': Z, 'inertia': 1e-5, 'max_torque': 1e6}),
    'gimbals': (
        'gimbal',
        {'axis': Z, 'spin_axis': [1.0, 0.0, 0.0], 'rotor_inertia': 1e-4, 'inertias': [1e-6] * 3},
    ),
    'thrusters': ('thruster', {'position': [0.0] * 3, 'direction': Z, 'max_force': 1.0}),
    'magnetorquers': ('magnetorquer', {'axis': Z}),
}


def plain(given):
    """Return parameters {name: value} with what the actuators they name must be given."""
    found = dict(given)
    for lists, (prefix, fields) in REQUIRED.items():
        for name in given.get(lists, []):
            for field, value in fields.items():
                found.setdefault(f'{prefix}.{name}.{field}', value)
    return found
