# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""How fast a body may turn and travel: limits of commands, and limits at which a run ends.

A rate is resolved while automatic sub-steps (at most MOST_STEPS in a tick) stay below the angle
that their equations need; with a given number of sub-steps, while each is less than half a turn. A
command that would exceed this alone is refused. A motion may exceed it, with a warning, up to half
a turn in one sub-step: beyond that a turn looks like one in the opposite direction, and the result
is wrong. Newton's mechanics limits the speeds: it is half a percent off at a tenth of light speed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from spacecraft_attitude_sim.core import equations
from spacecraft_attitude_sim.core.body.state import State, from_flat
from spacecraft_attitude_sim.core.equations.shared.limits import (
    LARGEST_DISTANCE,
    LARGEST_SQUARE,
    REMEDY,
    SMALLEST_SQUARE,
    SPEED_OF_LIGHT,
)
from spacecraft_attitude_sim.core.equations.shared.principal_frame import MOST_STEPS
from spacecraft_attitude_sim.core.mathematics.types import FlatState, FlatWrench, Vector3

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.simulation.plant import Plant

# Largest change of velocity by a command [m/s].
LARGEST_SPEED = 3e7
# The effect of a wrench that acts longer, or for ever, is judged over this time [s].
LONGEST_HOLD = 1.0
# A load below this part of a limit is far from it, whatever is rounded.
HARMLESS = 0.5


def _chosen(plant: Plant) -> bool:
    """Return whether the sub-steps of a Plant are given and used; exact free motion needs none."""
    return plant.substeps > 0 and not equations.REGISTRY[plant.equations].exact


def resolved_rate(plant: Plant) -> float:
    """Return the largest angular velocity that the sub-steps of a Plant resolve [rad/s]."""
    if _chosen(plant):
        return plant.substeps * math.pi / plant.ticks.step
    return MOST_STEPS * equations.load(plant.equations).SUBSTEP_ANGLE / plant.ticks.step


def largest_rate(plant: Plant) -> float:
    """Return the angular velocity of half a turn in each sub-step of a Plant [rad/s]."""
    if _chosen(plant):
        return plant.substeps * math.pi / plant.ticks.step
    return _half_turns(plant)


def _half_turns(plant: Plant) -> float:
    """Return the rate of half a turn in each of the most automatic sub-steps of a tick [rad/s]."""
    return MOST_STEPS * math.pi / plant.ticks.step


def _substeps_in_words(plant: Plant) -> str:
    if _chosen(plant):
        return f'{plant.substeps} sub-steps in a tick (parameter substeps)'
    return f'{MOST_STEPS} sub-steps in a tick'


# --- commands ----------------------------------------------------------------------------


class CommandLimits(NamedTuple):
    """Largest loads that a command may put on one body.

    mass: [kg];  least_moment: the smallest principal moment [kg m^2], without what wheels carry
    rate: resolved_rate [rad/s];  substeps: that set this rate, in words
    hold: how long a wrench acts [s]
    harmless: a sum of the magnitudes of all components below this is always allowed [N, N m]
    """

    mass: float
    least_moment: float
    rate: float
    substeps: str
    hold: float
    harmless: float

    def check_wrench(self, *wrenches: FlatWrench) -> None:
        """Raise ValueError where wrenches (12,) of core.body.loads exceed the limits.

        Their magnitudes are added: one source may hold several, and any of them may end first.
        """
        if sum([sum(map(abs, wrench.tolist())) for wrench in wrenches]) < self.harmless:
            return
        force, torque = map(sum, zip(*map(_sizes, wrenches), strict=True))
        several = len(wrenches) > 1
        self._check_turn('torque', torque, 'N m', self.hold, several)
        self._check_linear('force', force, 'N', self.hold, several)

    def check_motors(self, *torques: float) -> None:
        """Raise ValueError where the motor torques of wheels [N m] exceed the limits.

        Their magnitudes are added, as those of wrenches.
        """
        self._check_turn(
            'motor torque', sum(map(abs, torques)), 'N m', self.hold, len(torques) > 1
        )

    def check_impulse(self, impulse: FlatWrench) -> None:
        """Raise ValueError where the sum of a tick's impulses, (12,) as a wrench, is too large."""
        force, torque = _sizes(impulse)
        self.check_momentum(torque)
        self._check_linear('impulse', force, 'N s')

    def check_momentum(self, size: float) -> None:
        """Raise ValueError where an angular impulse or a stored momentum [N m s] is too large."""
        self._check_turn('angular impulse', size, 'N m s')

    # Arguments: name of the load, its magnitude and unit, how long it acts (None for an impulse),
    # and whether it is a sum. A run in lockstep waits for these checks in every tick, so the text
    # of an error is made only when it is raised.

    def _check_turn(
        self, what: str, size: float, unit: str, hold: float | None = None, several: bool = False
    ) -> None:
        seconds = 1.0 if hold is None else hold
        rate = size * seconds / self.least_moment
        if not rate <= self.rate:
            most = self.rate * self.least_moment / seconds
            raise ValueError(
                f'{_of_several(what, several)} of {size:g} {unit} would turn the body (smallest '
                f'principal moment {self.least_moment:g} kg m^2) at {rate:g} rad/s'
                f'{_during(hold)}; {self.substeps} resolve {self.rate:g} rad/s: give at most '
                f'{most:g} {unit}, and check the unit'
            )

    def _check_linear(
        self, what: str, size: float, unit: str, hold: float | None = None, several: bool = False
    ) -> None:
        seconds = 1.0 if hold is None else hold
        speed = size * seconds / self.mass
        if not speed <= LARGEST_SPEED:
            most = LARGEST_SPEED * self.mass / seconds
            raise ValueError(
                f'{_of_several(what, several)} of {size:g} {unit} would drive the body (body.mass '
                f'{self.mass:g} kg) at {speed:g} m/s{_during(hold)}; above {LARGEST_SPEED:g} m/s, '
                f"a tenth of the speed of light, Newton's mechanics fails: give at most "
                f'{most:g} {unit}, and check the unit'
            )


def _of_several(what: str, several: bool) -> str:
    return f'sum of {what}s' if several else what


def _during(hold: float | None) -> str:
    return '' if hold is None else f' in {hold:g} s'


def command_limits(plant: Plant, timeout: float) -> CommandLimits:
    """Return the CommandLimits of a Plant; timeout: how long a wrench acts [s], 0 for ever."""
    hold = min(timeout or LONGEST_HOLD, LONGEST_HOLD)
    body = plant.spacecraft.carrier
    rate, duration = resolved_rate(plant), plant.ticks.seconds(plant.ticks.covering(hold))
    least = min(rate * body.least_moment, LARGEST_SPEED * body.mass) / duration
    return CommandLimits(
        body.mass,
        body.least_moment,
        rate,
        _substeps_in_words(plant),
        duration,
        HARMLESS * least,
    )


def _sizes(wrench: FlatWrench) -> tuple[float, float]:
    """Return bounds of force and torque of a wrench (12,) at any attitude [N, N m]."""
    w = wrench.tolist()
    return (math.hypot(*w[0:3]) + math.hypot(*w[6:9]), math.hypot(*w[3:6]) + math.hypot(*w[9:12]))


# --- motion ------------------------------------------------------------------------------


def check_given_rate(plant: Plant, angular_velocity_B: Vector3) -> None:
    """Raise ValueError when a run would begin with a rate (3,) that is not resolved."""
    rate, limit = math.hypot(*angular_velocity_B), resolved_rate(plant)
    if not rate <= limit:
        raise ValueError(
            f'angular_velocity is {list(map(float, angular_velocity_B))} rad/s, {rate:g} rad/s in '
            f"all; equations '{plant.equations}' resolve {limit:g} rad/s with "
            f'{_substeps_in_words(plant)}: give less, or check the unit'
        )


def followed_rate(plant: Plant) -> float:
    """Return the angular velocity up to which `check_motion` does not look closer [rad/s]."""
    return largest_rate(plant) if plant.substeps else _half_turns(plant)


def check_motion(plant: Plant, flat: FlatState, angular_velocity_B: Vector3 | None = None) -> None:
    """Raise ArithmeticError unless a flat state is finite and its motion within the limits.

    It is called every tick, so it uses plain floats. With wheels or internal parts L does not
    bound the rate; then the rate itself is checked.

    flat: (13 + n,) with internal states
    angular_velocity_B: (3,) of the body [rad/s], where it is known; else computed where needed
    """
    body, rate = plant.body, followed_rate(plant)
    turning, flying = rate * body.least_moment, SPEED_OF_LIGHT * body.mass
    x0, x1, x2, q0, q1, q2, q3, p0, p1, p2, l0, l1, l2, *internal = flat.tolist()
    if angular_velocity_B is None:
        slow = l0 * l0 + l1 * l1 + l2 * l2 < turning * turning
        if internal:
            slow = _turns_slowly(plant, rate, math.hypot(l0, l1, l2), sum(map(abs, internal)))
    else:
        w0, w1, w2 = angular_velocity_B.tolist()
        slow = w0 * w0 + w1 * w1 + w2 * w2 < rate * rate and math.isfinite(sum(internal))
    if not (
        slow
        and SMALLEST_SQUARE < q0 * q0 + q1 * q1 + q2 * q2 + q3 * q3 < LARGEST_SQUARE
        and p0 * p0 + p1 * p1 + p2 * p2 < flying * flying
        and x0 * x0 + x1 * x1 + x2 * x2 < LARGEST_DISTANCE * LARGEST_DISTANCE
    ):
        _judge(plant, from_flat(flat))


def _turns_slowly(plant: Plant, rate: float, size: float, stored: float) -> bool:
    """Return whether a spacecraft certainly turns slower than a rate [rad/s].

    Of ideal wheels the internal states are their momenta, and |ω| is at most (|L| + Σ|h|) / J.

    size: |L|;  stored: sum of the magnitudes of the internal states [N m s]
    """
    craft = plant.spacecraft
    return not craft.coupled and size + stored < rate * craft.carrier.least_moment


def _judge(plant: Plant, state: State) -> None:
    """Raise ArithmeticError that says which limit a State exceeds, if any."""
    units = {
        'position': ' m', 'attitude': '', 'momentum': ' N s', 'angular momentum': ' N m s',
        'angular momentum stored inside': ' N m s',
    }  # fmt: skip
    for (name, unit), values in zip(units.items(), state, strict=True):
        if not all(map(math.isfinite, values.tolist())):
            raise ArithmeticError(
                f'the {name} is {values.tolist()}{unit}: the body turned or flew faster than can '
                f'be computed; {REMEDY}'
            )
    check_rate(plant, state)
    speed = math.hypot(*state.momentum_W) / plant.body.mass
    if not speed < SPEED_OF_LIGHT:
        raise ArithmeticError(f'the body flies at {speed:g} m/s, faster than light; {REMEDY}')
    distance = math.hypot(*state.position_W)
    if not distance < LARGEST_DISTANCE:
        raise ArithmeticError(
            f'the body is {distance:g} m from the origin, beyond {LARGEST_DISTANCE:g} m, where a '
            f'position is coarser than 0.1 m; {REMEDY}'
        )
    size = math.hypot(*state.q_WB)
    if not SMALLEST_SQUARE < size * size < LARGEST_SQUARE:
        raise ArithmeticError(
            f'the attitude is {state.q_WB.tolist()} of norm {size:g}: no rotation; {REMEDY}'
        )


def check_rate(plant: Plant, state: State) -> None:
    """Raise ArithmeticError where a body turns by more than half a turn in a sub-step."""
    rate, limit = math.hypot(*plant.spacecraft.angular_velocity_B(state)), largest_rate(plant)
    if not rate < limit:
        raise ArithmeticError(
            f'the body turns at {rate:g} rad/s, more than half a turn in each of '
            f'{_substeps_in_words(plant)} ({limit:g} rad/s): nothing can follow that; {REMEDY}'
        )
