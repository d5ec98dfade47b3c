# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A step without events has the bits of one that looks for them, or it is not taken.

All of it runs in Python, where each can be replaced.
"""

import math

import numpy as np
import pytest

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.body.state import SIZE, to_flat
from spacecraft_attitude_sim.core.environment.sky import BEGIN, FIELD
from spacecraft_attitude_sim.core.equations.multibody import end, tick
from spacecraft_attitude_sim.core.equations.multibody.kernels import room_of, ticked
from spacecraft_attitude_sim.core.equations.multibody.smooth import usual_rates
from spacecraft_attitude_sim.core.parts.craft import END
from spacecraft_attitude_sim.core.parts.reaction_wheels import kernel, layouts, torques

AXES = np.array(((1, 1, 1), (-1, 1, 1), (1, -1, 1), (-1, -1, 1))) / math.sqrt(3.0)
SURROUNDINGS = (
    {},
    {'orbit.radius': 6.778e6},
    {'orbit.model': 'j2', 'orbit.semi_major_axis': 6.878e6, 'epoch': '2026-03-20T12:00:00Z'},
)
TICKS = 12


def craft(seed):
    """Return parameters of a random spacecraft whose wheels stop, slip and reach their limits."""
    random = np.random.default_rng(seed)
    given = SURROUNDINGS[seed % 3] | {
        'body.mass': 4.0,
        'body.inertia': [0.04, 0.05, 0.03, 0.002, -0.001, 0.003],
        'initial.angular_velocity': random.uniform(-0.2, 0.2, 3).tolist(),
        'residual_dipole': [0.1, 0.0, 0.0],
        'tick_rate': 16.0,
        'substeps': int(random.integers(0, 3)),
        'wheels': list('abcd'),
    }
    for name, axis in zip('abcd', AXES.tolist(), strict=True):
        coulomb, fast = random.choice((0.0, 2e-5)), 60.0
        if name == 'd' and seed in (1, 7):  # it stops
            coulomb, fast = 2e-5, 0.3
        given |= {
            f'wheel.{name}.axis': axis, f'wheel.{name}.inertia': 1.72e-5,
            f'wheel.{name}.initial_speed': random.uniform(-fast, fast),
            f'wheel.{name}.max_torque': 1e-3, f'wheel.{name}.max_speed': 65.0,
            f'wheel.{name}.max_power': random.choice((0.0, 0.01)),
            f'wheel.{name}.torque_lag': random.choice((0.0, 0.02)),
            f'wheel.{name}.dead_time': random.choice((0.0, 0.03)),
            f'wheel.{name}.friction.coulomb': coulomb,
            f'wheel.{name}.friction.viscous': random.choice((0.0, 1e-7)),
            f'wheel.{name}.imbalance.static': random.choice((0.0, 1e-7)),
        }  # fmt: skip
        if coulomb:
            given |= {
                f'wheel.{name}.friction.static': 4e-5,
                f'wheel.{name}.friction.stribeck_speed': random.choice((0.0, 5.0)),
            }
    if seed > 5:  # no motor has limits of power
        given = {key: value for key, value in given.items() if not key.endswith('max_power')}
    if seed == 6:  # lines go beyond the largest torque, far from any other limit
        given |= {f'wheel.{name}.torque_lag': 0.02 for name in 'abcd'} | {'substeps': 1}
        given |= {f'wheel.{name}.initial_speed': 40.0 for name in 'abcd'}
        given |= {f'wheel.{name}.dead_time': 0.0 for name in 'abcd'}
    if seed % 2:
        given |= {'hysteresis_rods': ['r'], 'hysteresis_rod.r.axis': [0.0, 1.0, 0.0]}
    return given


def flown(found, commands, look):
    """Return the rows of `advance` at each tick, computed in Python.

    look: called with the modes of the wheels
    """
    plant = found.plant
    solver, spacecraft = plant.solver, plant.spacecraft
    state, rows = to_flat(found.first_instant().state), []
    size = layouts.STATES + max(part.queued for part in spacecraft.parts)  # of a wheel
    for k, torque in enumerate(commands):
        row = np.zeros(len(state) + END.size)
        spacecraft.kernels.advance.function(
            state, row, solver.parts, spacecraft.commands(Inputs(wheel_torque=torque)),
            solver._wrench(plant, Inputs()), solver._sky(plant, k), 1, k, plant.ticks.tick_ns,
            solver.substeps, math.inf,
        )  # fmt: skip
        rows.append(row)
        state = row[: len(state)]
        look(state[SIZE + layouts.MODE_STATE :: size][:4])
    return np.array(rows)


@pytest.fixture(scope='module')
def flights():
    """(rows with steps without events, rows without them, steps taken, refused, modes seen)."""
    both = []
    for seed in range(8):
        found = scenario.build(craft(seed), f'craft {seed}')
        random = np.random.default_rng(seed)
        commands = random.choice((-1e-3, -1e-4, -3e-5, 0.0, 3e-5, 1e-3), (TICKS, 4))
        commands[1::4] = commands[0::4]  # some are held for two ticks
        if seed == 6:
            commands = np.tile([[1e-3], [-1e-3]], (TICKS // 2, 4))
        commands[: 8 if seed in (1, 7) else 0, 3] = 0.0
        taken, modes = [], set()

        def counted(*arguments, inner=tick.glided, taken=taken):
            smooth, omega = inner(*arguments)
            taken.append(smooth)
            return smooth, omega

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(tick, 'glided', counted)
            first = flown(found, commands, modes.update)
            patched.setattr(tick, 'glided', lambda *arguments: (False, arguments[-1]))
            second = flown(found, commands, lambda modes: None)
        both.append((first, second, sum(taken), len(taken) - sum(taken), modes))
    return both


def test_both_ways_have_the_same_bits(flights):
    for seed, (smooth, careful, *_) in enumerate(flights):
        off = np.flatnonzero((smooth != careful).any(axis=1))
        assert not len(off), f'craft {seed} differs from tick {off[0]} on'


def test_flights_have_steps_of_both_sorts_and_events(flights):
    """Else the test above would say little."""
    _, _, smooth, careful, modes = zip(*flights, strict=True)
    assert sum(smooth) > 25
    assert sum(careful) > 25
    seen = set().union(*modes)
    assert {layouts.STUCK, layouts.FORWARD, layouts.BACKWARD} <= seen
    assert {layouts.FASTEST, layouts.FASTEST_BACK} & seen


@pytest.mark.parametrize(
    ('place', 'usual'), [(None, True), (0, False), (3, True), (6, True), (9, False)]
)
def test_a_force_or_torque_has_the_same_bits_both_ways(place, usual):
    """Force and torque in body axes, then both in world axes; usual: computed in Fours."""
    given = craft(2) | {f'wheel.{name}.imbalance.static': 0.0 for name in 'abcd'}
    found = scenario.build(given, 'craft')
    plant, first = found.plant, to_flat(found.first_instant().state)
    wrench = np.zeros(12)
    if place is not None:
        wrench[place : place + 3] = 1e-4, -2e-4, 3e-4
    rows, taken, fours, inner = [], [], [], tick.glided

    def counted(*arguments):
        taken.append(inner(*arguments))
        return taken[-1]

    def in_fours(*arguments):
        fours.append(place)
        return usual_rates(*arguments)

    for way in (counted, lambda *arguments: (False, arguments[-1])):
        row = np.zeros(len(first) + END.size)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(tick, 'glided', way)
            patched.setattr(f'{usual_rates.__module__}.usual_rates', in_fours)
            plant.spacecraft.kernels.advance.function(
                first, row, plant.solver.parts,
                plant.spacecraft.commands(Inputs(wheel_torque=np.zeros(4))), wrench,
                plant.solver._sky(plant, 0), 1, 0, plant.ticks.tick_ns, 3, math.inf,
            )  # fmt: skip
        rows.append(row)
    assert len(taken) > 2
    assert all(is_smooth for is_smooth, _ in taken)
    assert len(fours) == (4 * len(taken) if usual else 0)
    assert np.array_equal(*rows)


@pytest.mark.parametrize(
    'name', ['1', '2', 'cubesat_panels', 'station_cmg', 'csswe', 'explorer_1']
)
def test_what_another_tick_left_in_scratch_memory_moves_no_bit(name):
    """Craft 1 has steps with events alone, craft 2 those of both sorts, the others other kinds."""
    if len(name) == 1:
        found = scenario.build(craft(int(name)), f'craft {name}')
        inputs = Inputs(wheel_torque=np.full(4, 3e-5))
    else:
        found = scenario.load(scenario.find(name))
        inputs = found.inputs
    plant, first = found.plant, found.first_instant().state
    rows = []
    for left in (0.0, math.nan):
        state, internal = to_flat(first)[:SIZE].copy(), first.internal.copy()
        end = np.zeros(END.size)
        ticked(
            plant.spacecraft.kernels._phases, state, internal, plant.solver.parts,
            plant.spacecraft.commands(inputs),
            plant.solver._wrench(plant, Inputs()), plant.solver._sky(plant, 0), 0.0,
            plant.ticks.step, 2, end, np.full(room_of(plant.solver.parts), left), False,
        )  # fmt: skip
        rows.append((*state, *internal, *end))
    assert rows[0] == rows[1]


def in_one_call(found, ticks):
    """Return the rows of `advance` for all ticks in one call: the scratch memory is handed on."""
    plant, first = found.plant, to_flat(found.first_instant().state)
    solver, spacecraft = plant.solver, plant.spacecraft
    inputs = [Inputs(wheel_torque=torque) for torque in ticks]
    rows = np.zeros(len(ticks) * (len(first) + END.size))
    commands, wrenches, skies = (
        np.concatenate(each) for each in (
            [spacecraft.commands(one) for one in inputs],
            [solver._wrench(plant, one) for one in inputs],
            [solver._sky(plant, k).copy() for k in range(len(ticks))],
        )
    )  # fmt: skip
    spacecraft.kernels.advance.function(
        first, rows, solver.parts, commands, wrenches, skies, len(ticks), 0, plant.ticks.tick_ns,
        solver.substeps, math.inf,
    )  # fmt: skip
    return rows.reshape(len(ticks), -1)


@pytest.mark.parametrize('seed', range(6))
def test_what_a_tick_leaves_for_the_next_one_moves_no_bit(seed):
    """Wheels stop, slip and reach limits, and spans of the sky begin in some of the ticks."""
    ticks = np.random.default_rng(seed).choice((-1e-3, -3e-5, 0.0, 3e-5, 1e-3), (40, 4))
    ticks[1::4] = ticks[0::4]
    found = scenario.build(craft(seed), f'craft {seed}')
    apart = flown(found, ticks, lambda modes: None)
    assert np.array_equal(apart, in_one_call(found, ticks))


@pytest.mark.parametrize('wheels', ['abc', 'abcd'])
@pytest.mark.parametrize('most', [0.0, 0.01])
def test_loads_at_the_end_of_a_tick_have_the_same_bits_both_ways(wheels, most, monkeypatch):
    """Four numbers at once and one by one; most: power of the motors, 0 without a limit."""
    given = craft(2) | {'wheels': list(wheels), 'substeps': 1}
    for name in 'abcd':
        given |= {f'wheel.{name}.imbalance.static': 0.0, f'wheel.{name}.max_power': most}
    given = {key: value for key, value in given.items() if key[:8] != 'wheel.d.' or 'd' in wheels}
    built = scenario.build(given, 'craft')
    ticks = np.random.default_rng(2).choice((-1e-3, -3e-5, 0.0, 3e-5, 1e-3), (30, len(wheels)))
    inner, taken = end.found_calmly, []

    def noted(*arguments):
        taken.append(inner(*arguments))
        return taken[-1]

    monkeypatch.setattr(end, 'found_calmly', noted)
    rows = in_one_call(built, ticks)
    assert sum(taken) > 10
    monkeypatch.setattr(end, 'found_calmly', lambda *arguments: False)
    assert rows.tobytes() == in_one_call(built, ticks).tobytes()


@pytest.mark.parametrize(
    ('lags', 'at_once'), [((0.02,) * 4, 15), ((0.0,) * 4, 15), ((0.0, 0.02), 0)]
)
def test_wheels_commanded_at_once_have_the_bits_of_one_by_one(lags, at_once, monkeypatch):
    """Some torques are above the limit, and a lag of some wheels alone needs one by one."""
    given = craft(2)
    for name, lag in zip('abcd', (*lags, *lags), strict=False):
        given |= {f'wheel.{name}.torque_lag': lag, f'wheel.{name}.dead_time': 0.0}
    found = scenario.build(given, 'craft')
    ticks = np.random.default_rng(1).choice((-1e-3, -3e-5, -0.0, 3e-5), (20, 4))
    ticks[::4, 0] = 2e-3
    inner, taken = kernel.plainly_commanded, []

    def noted(*arguments):
        taken.append(inner(*arguments))
        return taken[-1]

    monkeypatch.setattr(kernel, 'plainly_commanded', noted)
    rows = in_one_call(found, ticks)
    assert sum(taken) == at_once
    monkeypatch.setattr(kernel, 'plainly_commanded', lambda *arguments: False)
    assert np.array_equal(rows, in_one_call(found, ticks))


def test_a_tick_sees_the_sky_of_its_own_span():
    """Where a tick ends, the next one may have another sky; here with twice the field."""
    found = scenario.build(craft(2), 'craft 2')
    plant, first = found.plant, found.first_instant().state
    step, inputs = plant.ticks.step, Inputs(wheel_torque=np.full(4, 1e-5))
    skies = [plant.solver._sky(plant, k).copy() for k in (15, 16)]
    skies[1][FIELD : FIELD + 15] *= 2.0
    rows = []
    for again in (False, True):
        state, internal = to_flat(first)[:SIZE].copy(), first.internal.copy()
        room, end = np.zeros(room_of(plant.solver.parts)), np.zeros(END.size)
        for k, sky in zip((15, 16), skies, strict=True):
            ticked(
                plant.spacecraft.kernels._phases, state, internal, plant.solver.parts,
                plant.spacecraft.commands(inputs), plant.solver._wrench(plant, inputs), sky,
                k * step, step, 1, end, room, again and k > 15,
            )  # fmt: skip
        rows.append((*state, *internal, *end))
    assert rows[0] == rows[1]
    assert skies[0][BEGIN] != skies[1][BEGIN]


@pytest.mark.parametrize('torque', [1e-5, 3e-4, 1e-3])
def test_no_limit_acts_up_to_the_unlimited_speed(torque):
    row = np.zeros(layouts.ROW)
    row[layouts.MAX_TORQUE], row[layouts.MAX_SPEED], row[layouts.MAX_POWER] = 1e-3, 600.0, 0.02
    row[layouts.STALL], row[layouts.NO_LOAD] = 2e-3, 500.0
    speed = torques.unlimited_speed(row, 0, torque, torque)
    assert torques.motor_torque(row, 0, torque, speed) == torque
    assert torques.motor_torque(row, 0, -torque, -speed) == -torque
    beyond = speed * (1.0 + 1e-9)
    limited = torques.motor_torque(row, 0, torque, beyond)
    assert limited < torque or speed == pytest.approx(600.0)
    assert torques.unlimited_speed(row, 0, torque, -torque) == pytest.approx(600.0)
    assert torques.unlimited_speed(row, 0, 1.1e-3, torque) < 0.0
