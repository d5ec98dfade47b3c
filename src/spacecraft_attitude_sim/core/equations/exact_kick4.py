# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Exact free motion between impulses ("kicks") of the constant wrench, fourth order.

Kick h/6, flow h/2, kick 2h/3, flow h/2, kick h/6. In the middle kick a wrench v fixed in the body
becomes v + h²/24 (I^-1 τ) × v. This is algorithm 4A of S. A. Chin, Phys. Lett. A 226 (1997) 344:
two flows and no step backward. Its force gradient is here the change of the wrench as τ turns the
body. The double commutator behind it depends on attitude alone, with or without a potential of τ.
Where nothing turns with the body and no torque acts, one kick, flow, kick is exact.
"""

from spacecraft_attitude_sim.core.equations.exact_kick2 import strang
from spacecraft_attitude_sim.core.equations.shared import driver
from spacecraft_attitude_sim.core.equations.shared.principal_frame import leaves_free
from spacecraft_attitude_sim.core.equations.shared.splitting import flow, kick, with_gradient
from spacecraft_attitude_sim.core.mathematics.types import FlatBody, Floats
from spacecraft_attitude_sim.kernels.kernel import inlined

# Largest turn in one automatic sub-step under torque [rad].
SUBSTEP_ANGLE = 1.0 / 8.0


@inlined
def step(y: Floats, h: float, body: FlatBody, wrench: Floats) -> Floats:
    """Return y = (x, q, p, L) h seconds later, thirteen floats."""
    if leaves_free(wrench):
        return strang(y, h, body, wrench)
    y = flow(kick(y, h / 6.0, wrench), h / 2.0, body)
    y = kick(y, 2.0 * h / 3.0, with_gradient(y, h * h / 24.0, wrench, body))
    return kick(flow(y, h / 2.0, body), h / 6.0, wrench)


advance = driver.make_advance(step, SUBSTEP_ANGLE, exact=True)
trajectory = driver.make_trajectory(advance)
tick = driver.make_tick(advance)
