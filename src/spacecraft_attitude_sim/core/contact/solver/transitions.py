# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Change from one regime to another: impact, rest, stick or slip."""

from spacecraft_attitude_sim.core.contact.solver.constraint import SLIP_STOP, reaction
from spacecraft_attitude_sim.core.contact.solver.impact import impact_impulse
from spacecraft_attitude_sim.core.contact.solver.projection import (
    arm_of,
    held,
    on_floor,
    relative_velocity,
)
from spacecraft_attitude_sim.core.contact.solver.regime_limits import margin, tangential_force
from spacecraft_attitude_sim.core.contact.solver.scene import (
    FLIGHT,
    FRICTION,
    RESTING_SPEED,
    RESTITUTION,
    ROLLING,
    SLIDING,
    SLIPPING,
)
from spacecraft_attitude_sim.core.contact.solver.states import axes_of, kicked, responded
from spacecraft_attitude_sim.core.contact.solver.vectors import (
    displaced,
    dot,
    norm,
    scaled,
    tangential,
    turned,
    turned_back,
)
from spacecraft_attitude_sim.kernels.kernel import helper, part

# After an impact, slip below this is round-off of the impulse [m/s].
IMPACT_SLIP = 1e-9
# A contact that changes regime without end is made to roll below this slip [m/s].
NEGLIGIBLE_SLIP = 1e-6
ONSET_STEPS = 200
ONSET_TOLERANCE = 1e-9


@part
def struck(t, y, restitution, scene):
    """Return the state after an impact and the impulse (3,) [N s]."""
    n, over = relative_velocity(t, y, scene)
    C, arm = axes_of(y), arm_of(y)
    M = mobility(scene, turned_back(C, arm))
    friction = scene.settings[FRICTION]
    impulse_S = impact_impulse(turned_back(C, over), turned_back(C, n), M, friction, restitution)
    impulse = turned(C, impulse_S)
    return kicked(y, arm, impulse), impulse


@helper
def mobility(scene, arm_S):
    """Return M = B μ^-1 B^T of rolling, six floats: velocity per impulse at the arm [1/kg]."""
    first = responded(scene, arm_S, (1.0, 0.0, 0.0))
    second = responded(scene, arm_S, (0.0, 1.0, 0.0))
    third = responded(scene, arm_S, (0.0, 0.0, 1.0))
    return (first[0], second[1], third[2], first[1], first[2], second[2])


@part
def land(t, y, scene):
    """Return (y, regime, direction, impulse) after the body has touched the floor.

    Slower than RESTING_SPEED it does not bounce: the impact is plastic and the contact stays.
    """
    y = on_floor(t, y, scene)
    n, over = relative_velocity(t, y, scene)
    speed = -dot(n, over)
    impulse = (0.0, 0.0, 0.0)
    bounces = speed > scene.settings[RESTING_SPEED] and scene.settings[RESTITUTION] > 0.0
    if speed > 0.0:
        y, impulse = struck(t, y, scene.settings[RESTITUTION] if bounces else 0.0, scene)
    if bounces:
        return y, FLIGHT, n, impulse
    y, regime, direction = settled(t, y, IMPACT_SLIP, scene)
    return y, regime, direction, impulse


@part
def unjam(t, y, scene):
    """Return (y, regime, direction, impulse) after friction has jammed a slipping contact.

    No finite force holds it (Painlevé): an impact without approach stops the slip.
    """
    y, impulse = struck(t, y, 0.0, scene)
    y, regime, direction = settled(t, y, IMPACT_SLIP, scene)
    return y, regime, direction, impulse


@part
def settled(t, y, slip_stop, scene):
    """Return (y, regime, direction) of a contact without approach: the regime that can last.

    Slipping where there is slip; else rolling if friction can hold it, flight if the body would
    lift off unheld, and otherwise the slip that friction cannot prevent.
    """
    n, over = relative_velocity(t, y, scene)
    slip = tangential(over, n)
    speed = norm(slip)
    if scene.settings[FRICTION] == 0.0:
        y = held(t, y, SLIDING, scene)
        regime = SLIDING if lasts(t, y, SLIDING, n, scene) else FLIGHT
        return y, regime, n
    if speed > slip_stop:
        direction = scaled(1.0 / speed, slip)
        y = held(t, y, SLIPPING, scene)
        regime = SLIPPING if lasts(t, y, SLIPPING, direction, scene) else FLIGHT
        return y, regime, direction
    y = held(t, y, ROLLING, scene)
    if lasts(t, y, ROLLING, n, scene):
        return y, ROLLING, n
    if not lasts(t, y, SLIDING, n, scene):
        return y, FLIGHT, n
    return y, SLIPPING, onset(t, y, scene)


@part
def lasts(t, y, regime, direction, scene):
    """Return whether a regime's forces can act: no pull, no friction outside the cone."""
    return margin(reaction(t, y, regime, direction, scene), regime, scene) >= 0.0


@part
def onset(t, y, scene):
    """Return the direction (3,) in which slip starts: along its own acceleration.

    First guess against the friction that rolling would need, then turned towards the acceleration,
    as the slip itself would turn.
    """
    touch = reaction(t, y, ROLLING, (0.0, 0.0, 0.0), scene)
    aside = tangential_force(touch)
    direction = scaled(-1.0 / max(norm(aside), 1e-300), aside)
    for _ in range(ONSET_STEPS):
        touch = reaction(t, y, SLIPPING, direction, scene)
        # What friction alone does to the slip sets how far a direction may turn at once.
        friction_rate = touch.friction_rate
        turn = tangential(touch.slip_rate, direction)
        if norm(turn) <= ONSET_TOLERANCE * friction_rate:
            break
        share = 0.5 / max(friction_rate, norm(turn))
        direction = displaced(direction, share, turn)
        direction = scaled(1.0 / norm(direction), direction)
    return direction


@part
def stopped(t, y, scene):
    """Return (y, regime, direction) after slip has come to an end or grip has failed."""
    return settled(t, y, 10.0 * SLIP_STOP, scene)


@part
def stuck(t, y, scene):
    """Return (y, regime) with a hardly noticeable slip taken away, to end endless changes."""
    n, over = relative_velocity(t, y, scene)
    if norm(tangential(over, n)) > NEGLIGIBLE_SLIP:
        return y, SLIPPING
    return held(t, y, ROLLING, scene), ROLLING
