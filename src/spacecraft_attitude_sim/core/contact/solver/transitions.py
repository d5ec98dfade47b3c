# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Changes of regime: impact, rest, stick or slip."""

from spacecraft_attitude_sim.core.contact.solver.constraint import SLIP_STOP, reaction_in
from spacecraft_attitude_sim.core.contact.solver.held import Held
from spacecraft_attitude_sim.core.contact.solver.impact import impact_impulse
from spacecraft_attitude_sim.core.contact.solver.layout import FLIGHT, ROLLING, SLIDING, SLIPPING
from spacecraft_attitude_sim.core.contact.solver.projection import (
    arm_of,
    on_floor,
    relative_velocity,
    velocity_projected,
)
from spacecraft_attitude_sim.core.contact.solver.regime_limits import margin, tangential_force
from spacecraft_attitude_sim.core.contact.solver.states import axes_of, kicked, responded
from spacecraft_attitude_sim.core.mathematics import vectors as vec
from spacecraft_attitude_sim.core.mathematics.types import Floats
from spacecraft_attitude_sim.kernels.kernel import helper, part

# After an impact, slip below this is round-off of the impulse [m/s].
IMPACT_SLIP = 1e-9
# A contact that changes regime again and again must roll below this slip [m/s].
NEGLIGIBLE_SLIP = 1e-6
ONSET_STEPS = 200
ONSET_TOLERANCE = 1e-9


@part
def struck(t: float, y: Floats, restitution: float, held: Held) -> tuple[Floats, Floats]:
    """Return the state after an impact and the impulse (3,) [N s]."""
    n, over = relative_velocity(t, y, held)
    C, arm = axes_of(y), arm_of(y)
    M = mobility(held, vec.turned_back(C, arm))
    friction = held.friction
    impulse_S = impact_impulse(
        vec.turned_back(C, over), vec.turned_back(C, n), M, friction, restitution
    )
    impulse = vec.turned(C, impulse_S)
    return kicked(y, arm, impulse), impulse


@helper
def mobility(held: Held, arm_S: Floats) -> Floats:
    """Return M = B μ^-1 B^T of rolling, six floats: velocity per impulse at the arm [1/kg]."""
    first = responded(held, arm_S, (1.0, 0.0, 0.0))
    second = responded(held, arm_S, (0.0, 1.0, 0.0))
    third = responded(held, arm_S, (0.0, 0.0, 1.0))
    return (first[0], second[1], third[2], first[1], first[2], second[2])


@part
def land(t: float, y: Floats, held: Held) -> tuple[Floats, int, Floats, Floats]:
    """Return (y, regime, direction, impulse) after the body has touched the floor.

    Slower than RESTING_SPEED it does not bounce: the impact is plastic and the contact stays.
    """
    y = on_floor(t, y, held)
    n, over = relative_velocity(t, y, held)
    speed = -vec.dot(n, over)
    impulse = (0.0, 0.0, 0.0)
    bounces = speed > held.resting_speed and held.restitution > 0.0
    if speed > 0.0:
        y, impulse = struck(t, y, held.restitution if bounces else 0.0, held)
    if bounces:
        return y, FLIGHT, n, impulse
    y, regime, direction = settled(t, y, IMPACT_SLIP, held)
    return y, regime, direction, impulse


@part
def unjam(t: float, y: Floats, held: Held) -> tuple[Floats, int, Floats, Floats]:
    """Return (y, regime, direction, impulse) after friction has jammed a slipping contact.

    No finite force holds it (Painlevé): an impact without approach velocity stops the slip.
    """
    y, impulse = struck(t, y, 0.0, held)
    y, regime, direction = settled(t, y, IMPACT_SLIP, held)
    return y, regime, direction, impulse


@part
def settled(t: float, y: Floats, slip_stop: float, held: Held) -> tuple[Floats, int, Floats]:
    """Return (y, regime, direction) of a contact without approach: the regime that can last.

    Slipping where there is slip; else rolling if friction can hold it, flight if the body would
    lift off without the floor's force, and otherwise the slip that friction cannot prevent.
    """
    n, over = relative_velocity(t, y, held)
    slip = vec.tangential(over, n)
    speed = vec.norm(slip)
    if held.friction == 0.0:
        y = velocity_projected(t, y, SLIDING, held)
        regime = SLIDING if lasts(t, y, SLIDING, n, held) else FLIGHT
        return y, regime, n
    if speed > slip_stop:
        direction = vec.scaled(1.0 / speed, slip)
        y = velocity_projected(t, y, SLIPPING, held)
        regime = SLIPPING if lasts(t, y, SLIPPING, direction, held) else FLIGHT
        return y, regime, direction
    y = velocity_projected(t, y, ROLLING, held)
    if lasts(t, y, ROLLING, n, held):
        return y, ROLLING, n
    if not lasts(t, y, SLIDING, n, held):
        return y, FLIGHT, n
    return y, SLIPPING, onset(t, y, held)


@part
def lasts(t: float, y: Floats, regime: int, direction: Floats, held: Held) -> bool:
    """Return whether a regime's forces are possible: no pull, no friction outside the cone."""
    return margin(reaction_in(t, y, regime, direction, held), regime, held) >= 0.0


@part
def onset(t: float, y: Floats, held: Held) -> Floats:
    """Return the direction (3,) in which slip starts: along its own acceleration.

    First guess: against the friction that rolling would need; then turned towards the
        acceleration,
    as the slip itself would turn.
    """
    reaction = reaction_in(t, y, ROLLING, (0.0, 0.0, 0.0), held)
    aside = tangential_force(reaction)
    direction = vec.scaled(-1.0 / max(vec.norm(aside), 1e-300), aside)
    for _ in range(ONSET_STEPS):
        reaction = reaction_in(t, y, SLIPPING, direction, held)
        # Friction's own part of the slip rate limits the turn of the direction in one iteration.
        friction_rate = reaction.friction_rate
        turn = vec.tangential(reaction.slip_rate, direction)
        if vec.norm(turn) <= ONSET_TOLERANCE * friction_rate:
            break
        share = 0.5 / max(friction_rate, vec.norm(turn))
        direction = vec.moved_vector(direction, share, turn)
        direction = vec.scaled(1.0 / vec.norm(direction), direction)
    return direction


@part
def stopped(t: float, y: Floats, held: Held) -> tuple[Floats, int, Floats]:
    """Return (y, regime, direction) after slip has ended or rolling has lost its grip."""
    return settled(t, y, 10.0 * SLIP_STOP, held)


@part
def stuck(t: float, y: Floats, held: Held) -> tuple[Floats, int]:
    """Return (y, regime) without a hardly noticeable slip, to end endless changes."""
    n, over = relative_velocity(t, y, held)
    if vec.norm(vec.tangential(over, n)) > NEGLIGIBLE_SLIP:
        return y, SLIPPING
    return velocity_projected(t, y, ROLLING, held), ROLLING
