# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Change from one regime to another: impact, rest, stick or slip."""

import math

from spacecraft_attitude_sim.core.compiled import helper
from spacecraft_attitude_sim.core.contact.constraint import SLIP_STOP, mobility, reaction
from spacecraft_attitude_sim.core.contact.impact import impact_impulse
from spacecraft_attitude_sim.core.contact.projection import held, on_floor, relative_velocity
from spacecraft_attitude_sim.core.contact.riding import grip, tangential_force
from spacecraft_attitude_sim.core.contact.scene import (
    FLIGHT,
    FRICTION,
    RESTING_SPEED,
    RESTITUTION,
    ROLLING,
    SLIDING,
    SLIPPING,
    kicked,
)
from spacecraft_attitude_sim.core.contact.vectors import (
    dot,
    norm,
    scaled,
    tangential,
    turned,
    turned_back,
)

# After an impact, slip below this is round-off of the impulse [m/s].
IMPACT_SLIP = 1e-9


@helper
def struck(t, y, restitution, scene):
    """Return the state after an impact and the impulse (3,) [N s]."""
    matrix, arm, n, over = relative_velocity(t, y, scene)
    u_P, n_P = turned_back(matrix, over), turned_back(matrix, n)
    M = mobility(scene, matrix, arm)
    impulse = turned(
        matrix, impact_impulse(u_P, n_P, M, scene.settings[FRICTION], restitution)
    )
    return kicked(y, arm, impulse), impulse


@helper
def land(t, y, scene):
    """Return (y, regime, direction, impulse) after the body has touched the floor.

    Slower than RESTING_SPEED it does not bounce: the impact is plastic and the contact stays.
    """
    y = on_floor(t, y, scene)
    _, _, n, over = relative_velocity(t, y, scene)
    speed = -dot(n, over)
    impulse = (0.0, 0.0, 0.0)
    bounces = speed > scene.settings[RESTING_SPEED] and scene.settings[RESTITUTION] > 0.0
    if speed > 0.0:
        y, impulse = struck(t, y, scene.settings[RESTITUTION] if bounces else 0.0, scene)
    if bounces:
        return y, FLIGHT, n, impulse
    y, regime, direction = settled(t, y, IMPACT_SLIP, scene)
    return y, regime, direction, impulse


@helper
def unjam(t, y, scene):
    """Return (y, regime, direction, impulse) after friction has jammed a slipping contact.

    No finite force holds it (Painlevé): an impact without approach stops the slip.
    """
    y, impulse = struck(t, y, 0.0, scene)
    y, regime, direction = settled(t, y, IMPACT_SLIP, scene)
    return y, regime, direction, impulse


@helper
def settled(t, y, slip_stop, scene):
    """Return (y, regime, direction) of a contact without approach: which regime it is in."""
    friction = scene.settings[FRICTION]
    _, _, n, over = relative_velocity(t, y, scene)
    slip = tangential(over, n)
    speed = norm(slip)
    if friction == 0.0:
        return held(t, y, SLIDING, scene), SLIDING, n
    if friction != math.inf and speed > slip_stop:
        return held(t, y, SLIPPING, scene), SLIPPING, scaled(1.0 / speed, slip)
    stuck = held(t, y, ROLLING, scene)
    touch = reaction(t, stuck, ROLLING, n, scene)
    if grip(touch, friction) >= 0.0:
        return stuck, ROLLING, n
    # Slip starts against the friction that would have held it.
    aside = tangential_force(touch)
    return held(t, y, SLIPPING, scene), SLIPPING, scaled(-1.0 / norm(aside), aside)


@helper
def stopped(t, y, scene):
    """Return (y, regime, direction) after slip has come to an end or grip has failed."""
    return settled(t, y, 10.0 * SLIP_STOP, scene)
