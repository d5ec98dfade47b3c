# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Names of the results in the table of a campaign."""

# Figures of merit of core.batch.run_summary, and their labels in what is reported and drawn.
WORDS = {
    'settling_time': 'settling time [s]',
    'final_rate': 'final rate [rad/s]',
    'flips': 'flips',
    'largest_torque': 'largest torque [N m]',
    'largest_rate': 'largest rate [rad/s]',
    'momentum_drift': 'change of L, relative',
    'energy_drift': 'change of energy, relative',
}
STATE_COLUMNS = (
    *(f'final.position[{k}]' for k in range(3)),
    *(f'final.attitude[{k}]' for k in range(4)),
    *(f'final.momentum[{k}]' for k in range(3)),
    *(f'final.angular_momentum[{k}]' for k in range(3)),
)
# L / |L| in body axes at the end: which way round the body turns.
DIRECTION_COLUMNS = tuple(f'final_direction[{k}]' for k in range(3))
RESULTS = (*WORDS, *STATE_COLUMNS, *DIRECTION_COLUMNS)
