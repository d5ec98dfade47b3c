# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Every set of equations on one motion: errors, drifts, measured order, time.

The reference ("truth") is the exact free motion from t = 0 where no torque acts. Otherwise it is a
fourth-order kick method whose number of steps is doubled until the motion no longer changes.
"""

import itertools
import math
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core import equations, simulation
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.body.state import State, from_flat, to_flat
from spacecraft_attitude_sim.core.equations.shared import free_motion
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.types import Array
from spacecraft_attitude_sim.core.simulation import Plant
from spacecraft_attitude_sim.core.studies import poinsot
from spacecraft_attitude_sim.core.ticks import Ticks, seconds_of

# Sub-steps of the converged motion: the first number, in units of the automatic one, and the most.
REFERENCE_FINENESS = 4
MOST_REFERENCE_STEPS = 4096
WELL_KNOWN = 1e-3  # [rad]
# A measured order needs errors below this [rad], and this many times larger than the floor.
SMALL_ERROR = 0.3
ABOVE_FLOOR = 4.0
# Length of a timed loop: long enough for the clock, short enough for many rounds [ticks, s].
TIMED_TICKS = 2000
TIMED_SECONDS = 2e-3
ROUNDS = 9
# A method whose timing took longer than this [s] needs no more rounds.
LONG = 0.1


class UnknownTruthError(ValueError):
    """No motion converges with finer steps; the text says the remedy."""


class Motion(NamedTuple):
    """The motion to compute.

    plant: its equations and substeps are not used;  wrench: (12,) of core.body.loads, constant
    ticks: number of ticks
    """

    plant: Plant
    state: State
    wrench: np.ndarray
    ticks: int

    @property
    def free(self) -> bool:
        """Whether no torque and no body-fixed force acts: then the attitude is known exactly."""
        return loads.leaves_free(self.wrench)


class Truth(NamedTuple):
    """The reference motion at every tick.

    attitudes: (n, 4) q_WB;  momenta_W: (n, 3) angular [N m s];  energies: (n,) of rotation [J]
    floor: error [rad] below which a method cannot be told from the truth: round-off from tick to
        tick, or the last change of the converged motion
    """

    attitudes: np.ndarray
    momenta_W: np.ndarray
    energies: np.ndarray
    floor: float


class Result(NamedTuple):
    """One method with one number of sub-steps.

    substeps: as requested, 0 for automatic;  steps: in the first tick
    errors: (k,) of attitude at each tick [rad];  momentum_drifts, energy_drifts: (k,) relative
        differences of inertial L and of energy from the truth
    order: measured from the previous number of sub-steps, nan where it cannot be measured
    tick_ns: time of a tick [ns], nan after a failure
    failure: why it could not go on after the last of the k ticks, or '';  ticks: of the run
    """

    equations: str
    substeps: int
    steps: int
    errors: np.ndarray
    momentum_drifts: np.ndarray
    energy_drifts: np.ndarray
    order: float
    tick_ns: float
    failure: str
    ticks: Ticks

    @property
    def step_ns(self) -> float:
        """Time of one step [ns]."""
        return self.tick_ns / self.steps

    @property
    def last_time(self) -> float:
        """Time of the last tick reached [s]."""
        return self.ticks.seconds(len(self.errors) - 1)


class Comparison(NamedTuple):
    """All results of a motion, and the time of one evaluation of the exact attitude [ns]."""

    motion: Motion
    truth: Truth
    results: list
    evaluation_ns: float


def compare(
    motion: Motion,
    names: Sequence[str],
    substeps: Sequence[int],
    progress: Callable[[int, int], object] = lambda done, whole: None,
) -> Comparison:
    """Return the Comparison of methods `names`, each with each of `substeps` (0: automatic).

    Raises UnknownTruthError.
    """
    whole = len(names) * len(substeps) * 2 + 1
    truth = find_truth(motion)
    results: list[Result] = []
    for name in names:
        for count in substeps:
            progress(len(results) + 1, whole)
            results.append(_result(motion, truth, name, count))
    results = _with_orders(results, truth, motion)
    times = _times(motion, results, lambda done: progress(len(results) + done, whole))
    results = [result._replace(tick_ns=times[k]) for k, result in enumerate(results)]
    return Comparison(motion, truth, results, _evaluation_ns(motion) if motion.free else math.nan)


# --- truth --------------------------------------------------------------------------------------


def find_truth(motion: Motion) -> Truth:
    """Return the Truth of a motion."""
    return _exact(motion) if motion.free else _converged(motion)


def _exact(motion: Motion) -> Truth:
    flat, body = to_flat(motion.state), motion.plant.body
    times = seconds_of(np.arange(motion.ticks + 1), motion.plant.ticks.tick_ns)
    attitudes = free_motion.evaluate_many(free_motion.prepare(flat, body.flat()), times)
    momenta_W = np.tile(motion.state.angular_momentum_W, (len(times), 1))
    energies = np.full(len(times), rotational_energies(body, flat[np.newaxis])[0])
    handed_on, _ = run(motion, 'exact_kick4', 1)
    return Truth(
        attitudes, momenta_W, energies, rotations.angle_between(handed_on[:, 3:7], attitudes).max()
    )


def _converged(motion: Motion) -> Truth:
    plant = _plant(motion, 'exact_kick4', 0)
    # Odd, so that no compared method has the same number.
    count = REFERENCE_FINENESS * simulation.substeps_in(plant, motion.state, motion.wrench) + 1
    states: Array | None = None
    change = math.inf
    while count <= MOST_REFERENCE_STEPS:
        finer, failure = run(motion, 'exact_kick4', count)
        if failure:
            break
        less = math.inf
        if states is not None:
            less = rotations.angle_between(finer[:, 3:7], states[:, 3:7]).max()
        if states is not None and not less < change / 2.0:  # round-off, which would grow
            break
        states, change, count = finer, less, 2 * count
    if states is None or not change < WELL_KNOWN:
        raise UnknownTruthError(
            f'the motion is not known to {WELL_KNOWN:g} rad with {MOST_REFERENCE_STEPS} steps a '
            'tick; compare a shorter time or a smaller torque'
        )
    energies = rotational_energies(motion.plant.body, states)
    return Truth(states[:, 3:7], states[:, 10:13], energies, change)


# --- one method ---------------------------------------------------------------------------------


def run(motion: Motion, name: str, substeps: int) -> tuple[Array, str]:
    """Return the computed states (k, 13), and why there are no more, or ''."""
    plant = _plant(motion, name, substeps)
    try:
        states = simulation.trajectory(plant, motion.state, motion.ticks, motion.wrench)
    except ArithmeticError:
        return _run_until_failure(motion, plant)
    return states, ''


def _run_until_failure(motion: Motion, plant: Plant) -> tuple[Array, str]:
    states, inputs = [to_flat(motion.state)], simulation.Inputs(motion.wrench)
    while True:
        try:
            state = simulation.step(plant, from_flat(states[-1]), inputs)
        except ArithmeticError as error:
            return np.array(states), str(error)
        if not np.isfinite(to_flat(state)).all():
            return np.array(states), 'diverges: numbers overflow; take more sub-steps'
        states.append(to_flat(state))


def _plant(motion: Motion, name: str, substeps: int) -> Plant:
    return motion.plant.with_equations(name).with_substeps(substeps)


def _result(motion: Motion, truth: Truth, name: str, substeps: int) -> Result:
    run(motion._replace(ticks=1), name, substeps)  # compiles, outside of the timing
    start = time.perf_counter()
    states, failure = run(motion, name, substeps)
    tick_ns = math.nan if failure else (time.perf_counter() - start) / motion.ticks * 1e9
    reached = len(states)
    changes_W = states[:, 10:13] - truth.momenta_W[:reached]
    energies = rotational_energies(motion.plant.body, states)
    return Result(
        name, substeps,
        simulation.substeps_in(_plant(motion, name, substeps), motion.state, motion.wrench),
        rotations.angle_between(states[:, 3:7], truth.attitudes[:reached]),
        np.linalg.norm(changes_W, axis=1) / _size(np.linalg.norm(truth.momenta_W, axis=1)),
        np.abs(energies - truth.energies[:reached]) / _size(truth.energies),
        math.nan, tick_ns, failure, motion.plant.ticks,
    )  # fmt: skip


def _size(values: Array) -> float:
    """Return the largest of values >= 0, to which changes are relative; 1 where all are 0."""
    return np.max(values) or 1.0


def _with_orders(results: list[Result], truth: Truth, motion: Motion) -> list[Result]:
    """Return the results with the order measured between neighbours of the same method."""
    found = results[:1]
    for before, result in itertools.pairwise(results):
        comparable = before.equations == result.equations and result.substeps > 0
        exact = motion.free and equations.REGISTRY[result.equations].exact
        if comparable and not exact and not (before.failure or result.failure):
            result = result._replace(order=measured_order(before, result, truth.floor))
        found.append(result)
    return found


def measured_order(coarse: Result, fine: Result, floor: float) -> float:
    """Return p of error ~ step^p between two results; nan where an error does not have that form.

    floor: error of the truth [rad]
    """
    large, small = coarse.errors.max(), fine.errors.max()
    if large > SMALL_ERROR or small < ABOVE_FLOOR * floor or fine.steps == coarse.steps:
        return math.nan
    return math.log(large / small) / math.log(fine.steps / coarse.steps)


# --- time ---------------------------------------------------------------------------------------


def _times(
    motion: Motion, results: list[Result], progress: Callable[[int], object]
) -> list[float]:
    """Return the shortest times of a tick [ns] over interleaved rounds: the least disturbed."""
    short = motion._replace(ticks=min(motion.ticks, TIMED_TICKS))
    times = [result.tick_ns for result in results]
    for number in range(ROUNDS):
        for place, result in enumerate(results):
            progress(len(results) * number // ROUNDS)
            if not result.failure and result.tick_ns * motion.ticks < LONG * 1e9:
                times[place] = min(times[place], _tick_ns(short, result))
    return times


def _tick_ns(motion: Motion, result: Result) -> float:
    plant, repeats = _plant(motion, result.equations, result.substeps), 0
    start = time.perf_counter()
    while time.perf_counter() - start < TIMED_SECONDS:
        simulation.trajectory(plant, motion.state, motion.ticks, motion.wrench)
        repeats += 1
    return (time.perf_counter() - start) / (repeats * motion.ticks) * 1e9


def _evaluation_ns(motion: Motion) -> float:
    """Return the time of one evaluation of the exact attitude [ns]."""
    constants = free_motion.prepare(to_flat(motion.state), motion.plant.body.flat())
    times = np.linspace(0.0, motion.plant.ticks.seconds(motion.ticks), 10 * TIMED_TICKS)
    samples = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        free_motion.evaluate_many(constants, times)
        samples.append((time.perf_counter() - start) / times.size * 1e9)
    return min(samples)


def rotational_energies(body: RigidBody, states: Array) -> Array:
    """Return the kinetic energies of rotation (n,) [J] of flat states (n, 13)."""
    q_BW = states[:, 3:7] * (1.0, -1.0, -1.0, -1.0)
    momenta_B = rotations.rotate_many(q_BW, states[:, 10:13])
    C_BP = rotations.dcm_from_quaternion(body.q_BP)
    return poinsot.kinetic_energy(body.principal_moments, momenta_B @ C_BP)


# --- conservation of the inertial L -------------------------------------------------------------

MOMENTUM_FORM = ('momentum',)
EULERS_EQUATION = ('euler_quaternion', 'euler_dcm')
# The same equation by Euler's first-order method, with the largest drift.
FOIL = ('euler_explicit',)


class Claim(NamedTuple):
    """Claim: Euler's equation lets the inertial L drift, the momentum form does not.

    steps: in a tick, in both;  euler_drift, momentum_drift: largest, relative
    foil_drift: of Euler's method on Euler's equation, nan where it was not run
    round_off: drift of Euler's equation from rounding alone
    cost: time of a step of the momentum form over that of Euler's equation
    euler_error, momentum_error: largest, of attitude [rad]
    """

    steps: int
    euler_drift: float
    momentum_drift: float
    foil_drift: float
    round_off: float
    cost: float
    euler_error: float
    momentum_error: float

    @property
    def holds(self) -> bool:
        """Whether this motion shows it."""
        return self.momentum_drift == 0.0 and self.euler_drift > self.round_off


def claim(comparison: Comparison) -> Claim | None:
    """Return the Claim at the fewest sub-steps that both forms have results for.

    None without both, or under torque, where L is not constant.
    """
    if not comparison.motion.free:
        return None
    done = [result for result in comparison.results if not result.failure and result.substeps]
    for steps in sorted({result.steps for result in done}):
        same = [result for result in done if result.steps == steps]
        ours = [result for result in same if result.equations in MOMENTUM_FORM]
        eulers = [result for result in same if result.equations in EULERS_EQUATION]
        foils = [result for result in same if result.equations in FOIL]
        if ours and (eulers or foils):
            worst = max(eulers or foils, key=lambda result: result.momentum_drifts.max())
            return Claim(
                steps,
                worst.momentum_drifts.max(),
                ours[0].momentum_drifts.max(),
                foils[0].momentum_drifts.max() if foils else math.nan,
                4.0 * np.finfo(float).eps * comparison.motion.ticks,
                ours[0].tick_ns / worst.tick_ns,
                worst.errors.max(),
                ours[0].errors.max(),
            )
    return None
