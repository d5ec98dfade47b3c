# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Exact free motion between impulses ("kicks") of the constant wrench, second order.

Half a kick, a free flow, half a kick (G. Strang, SIAM J. Numer. Anal. 5 (1968) 506). Without
torque the attitude is exact and L constant to the last bit; under a force fixed in the world so is
the position. The error comes from the torque alone, and is small where the torque is small.
"""

from spacecraft_attitude_sim.core.equations.shared import driver
from spacecraft_attitude_sim.core.equations.shared.splitting import flow, kick
from spacecraft_attitude_sim.core.mathematics.types import FlatBody, Floats
from spacecraft_attitude_sim.kernels.kernel import inlined

# Largest turn in one automatic sub-step under torque [rad].
SUBSTEP_ANGLE = 1.0 / 64.0


@inlined
def strang(y: Floats, h: float, body: FlatBody, wrench: Floats) -> Floats:
    """Return y = (x, q, p, L) h seconds later, thirteen floats."""
    return kick(flow(kick(y, h / 2.0, wrench), h, body), h / 2.0, wrench)


advance = driver.make_advance(strang, SUBSTEP_ANGLE, exact=True)
trajectory = driver.make_trajectory(advance)
tick = driver.make_tick(advance)
