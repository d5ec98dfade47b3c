# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The impulse of an impact with restitution and Coulomb friction.

Routh's incremental law: while the normal impulse P grows, the velocity u of the body's point over
the floor changes by M dJ. With slip, dJ = (n - μ s/|s|) dP; else dJ keeps s = 0 where the friction
cone allows it. Compression ends when the normal velocity is 0. Restitution ends when the normal
force has given back e² of the work it took (Stronge's energetic coefficient). Newton's and
Poisson's coefficients can create energy in an eccentric impact with friction; this one cannot: the
normal work is -(1 - e²) of the compression's, and friction's is never positive. For a ball the
three agree. The impact takes no time, so only M counts.
"""

import math

from spacecraft_attitude_sim.core.mathematics import vectors as vec
from spacecraft_attitude_sim.core.mathematics.types import Floats
from spacecraft_attitude_sim.kernels.kernel import compiled, helper, part

# The impulse is integrated in at least this many steps while the slip turns.
STEPS = 64
MOST_STEPS = 4000
# Slip below this fraction of the first speed counts as 0.
STICK_FRACTION = 1e-12


@helper
def sticking_push(M: Floats, n: Floats) -> Floats:
    """Return dJ/dP (3,) that keeps zero slip: M dJ along n, n · dJ = 1."""
    push = vec.symmetric_solved(M, n)
    return vec.scaled(1.0 / vec.dot(n, push), push)


@helper
def slipping_push(u: Floats, n: Floats, friction: float, aside: Floats) -> Floats:
    """Return dJ/dP (3,) against the slip; aside: unit vector of the slip where it is 0."""
    s = vec.tangential(u, n)
    speed = vec.norm(s)
    if speed > 0.0:
        aside = vec.scaled(1.0 / speed, s)
    return vec.moved_vector(n, -friction, aside)


@helper
def stopped_slip(u: Floats, n: Floats, M: Floats) -> Floats:
    """Return the tangential impulse (3,) that removes all slip: unbounded friction."""
    a, b = vec.tangents(n)
    Ma, Mb = vec.symmetric_times(M, a), vec.symmetric_times(M, b)
    m11, m22, m12 = vec.dot(a, Ma), vec.dot(b, Mb), vec.dot(a, Mb)
    one, two = -vec.dot(a, u), -vec.dot(b, u)
    s = 1.0 / (m11 * m22 - m12 * m12)
    return vec.added(
        vec.scaled(s * (m22 * one - m12 * two), a), vec.scaled(s * (m11 * two - m12 * one), b)
    )


@compiled
def impact_impulse(u: Floats, n: Floats, M: Floats, friction: float, restitution: float) -> Floats:
    """Return the impulse (3,) on the body [N s].

    u: (3,) velocity of the body's contact point over the floor before [m/s], u · n <= 0
    n: (3,) unit normal out of the floor;  M: (6,) symmetric, velocity per impulse [1/kg]
    friction: μ, 0 to infinity;  restitution: e, 0 to 1
    All three-vectors in one frame, as tuples.
    """
    first = u
    J = stopped_slip(u, n, M) if friction == math.inf else (0.0, 0.0, 0.0)
    tiny = STICK_FRACTION * vec.norm(u)
    nominal = vec.norm(u) / vec.dot(n, vec.symmetric_times(M, n)) / STEPS
    stick = sticking_push(M, n)
    aside = vec.tangential(stick, n)
    can_stick = friction == math.inf or vec.norm(aside) <= friction
    aside = vec.scaled(-1.0 / max(vec.norm(aside), 1e-300), aside)
    taken = 0.0
    given = 0.0
    for _ in range(MOST_STEPS):
        u = vec.added(first, vec.symmetric_times(M, J))
        sticks = can_stick and vec.norm(vec.tangential(u, n)) <= tiny
        push = stick if sticks else slipping_push(u, n, friction, aside)
        rate = vec.dot(vec.symmetric_times(M, push), n)
        left = restitution * restitution * taken - given
        if has_ended(vec.dot(u, n), rate, left, taken, tiny):
            break
        step = step_to_event(vec.dot(u, n), rate, left, tiny)
        if sticks or friction == 0.0:
            if step == math.inf:
                break
            piece, work = straight_step(u, n, push, rate, step)
        else:
            piece, work = slip_step(u, n, M, friction, aside, step, nominal, tiny)
        J = vec.added(J, piece)
        if work < 0.0:
            taken -= work
        else:
            given += work
    return J


@helper
def has_ended(speed: float, rate: float, left: float, taken: float, tiny: float) -> bool:
    """Return whether the body separates and restitution's work is done.

    speed: u · n [m/s];  rate: d(u · n)/dP [1/kg];  left: work still to give back, taken: by the
    compression [J];  tiny: speed that counts as 0
    """
    # Newton's step to the end of compression is off by round-off, on either side.
    parting = speed > tiny or (speed >= -tiny and rate >= 0.0)
    return parting and left <= 1e-15 * taken


@helper
def step_to_event(speed: float, rate: float, left: float, tiny: float) -> float:
    """Return the P to the end of compression or restitution at a constant rate, or infinity."""
    if speed >= -tiny:
        return step_to_work(max(speed, 0.0), rate, left)
    return -speed / rate if rate > 0.0 else math.inf


@helper
def step_to_work(speed: float, rate: float, work: float) -> float:
    """Return the P after which ∫ (speed + rate P) dP = work, or infinity if never."""
    root = speed * speed + 2.0 * rate * work
    if root < 0.0 or (rate <= 0.0 and speed <= 0.0):
        return math.inf
    return 2.0 * work / (speed + math.sqrt(root))


@helper
def straight_step(
    u: Floats, n: Floats, push: Floats, rate: float, step: float
) -> tuple[Floats, float]:
    """Return (ΔJ, ∫ u_n dP) of a step in P with constant dJ/dP (push)."""
    return vec.scaled(step, push), step * (vec.dot(u, n) + 0.5 * rate * step)


@part
def slip_step(
    u: Floats, n: Floats, M: Floats, friction: float, aside: Floats, step: float, nominal: float,
    tiny: float,
) -> tuple[Floats, float]:  # fmt: skip
    """Return (ΔJ, ∫ u_n dP) of at most a step in P while slipping.

    nominal: longest step while the slip turns;  tiny: slip that counts as 0 [m/s]
    """
    push = slipping_push(u, n, friction, aside)
    change = vec.symmetric_times(M, push)
    slip, slip_change = vec.tangential(u, n), vec.tangential(change, n)
    size, turning = vec.norm(slip), vec.norm(slip_change)
    if not vec.norm(vec.cross(slip, slip_change)) <= 1e-12 * size * turning:
        step = min(step, nominal, 0.25 * max(size, tiny) / turning)
        return runge_kutta_step(u, n, M, friction, aside, step)
    if vec.dot(slip, slip_change) < 0.0:
        step = min(step, size / turning)
    elif step == math.inf:
        step = nominal
    return straight_step(u, n, push, vec.dot(change, n), step)


@part
def runge_kutta_step(
    u: Floats, n: Floats, M: Floats, friction: float, aside: Floats, step: float
) -> tuple[Floats, float]:
    """Return (ΔJ, ∫ u_n dP) of one classical Runge-Kutta step in P while slipping."""
    k1 = slipping_push(u, n, friction, aside)
    u2 = vec.moved_vector(u, step / 2.0, vec.symmetric_times(M, k1))
    k2 = slipping_push(u2, n, friction, aside)
    u3 = vec.moved_vector(u, step / 2.0, vec.symmetric_times(M, k2))
    k3 = slipping_push(u3, n, friction, aside)
    u4 = vec.moved_vector(u, step, vec.symmetric_times(M, k3))
    k4 = slipping_push(u4, n, friction, aside)
    push = vec.scaled(step / 6.0, vec.added(vec.added(k1, k4), vec.scaled(2.0, vec.added(k2, k3))))
    work = step / 6.0 * (vec.dot(u, n) + vec.dot(u4, n) + 2.0 * (vec.dot(u2, n) + vec.dot(u3, n)))
    return push, work
