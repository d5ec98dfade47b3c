# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Margins of a sampled loop: against a plant of formulas alone, another library, and flights."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import brentq

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.core.control import control_law
from spacecraft_attitude_sim.core.design import margins

TICK, J = 0.1, 50.0
MODES = ((4.0, 0.3, 0.005), (3.0, 1.1, 0.003))  # coupling, frequency [Hz], damping ratio
BANDWIDTH, DAMPING = 0.25, 0.8
ATTITUDE_GAIN, RATE_GAIN = J * BANDWIDTH**2, 2.0 * DAMPING * BANDWIDTH * J
# A wheel does not turn with the body: the body that its motor turns lacks its inertia.
WHEEL = 0.05
TURNED = J - WHEEL
WHEELS = {'x': [1.0, 0.0, 0.0], 'y': [0.0, 1.0, 0.0], 'z': [0.0, 0.0, 1.0]}


def scenario(factor=1.0, **changes):
    """Return a spacecraft with two modes about y, held by three wheels; factor: of the y gain."""
    ruled = {
        'inertia': [60.0, J, 40.0], 'gains': 'given', 'torque_limit': [10.0, 10.0, 10.0],
        'attitude_gain': [3.0, factor * ATTITUDE_GAIN, 2.0],
        'rate_gain': [20.0, factor * RATE_GAIN, 15.0], 'wheels': [*WHEELS],
    }  # fmt: skip
    values = {
        'body.mass': 100.0, 'body.inertia': [60.0, J, 40.0], 'tick_rate': 1.0 / TICK,
        'initial.angular_velocity': [0.0, 0.0, 0.0], 'flexible_modes': ['bend', 'twist'],
        'wheels': [*WHEELS],
    }  # fmt: skip
    for name, (coupling, frequency, damping) in zip(('bend', 'twist'), MODES, strict=True):
        values[f'flexible_mode.{name}'] = {
            'coupling': [0.0, coupling, 0.0], 'frequency': frequency, 'damping_ratio': damping,
        }  # fmt: skip
    for name, axis in WHEELS.items():
        values[f'wheel.{name}'] = {'axis': axis, 'inertia': WHEEL, 'max_torque': 10.0}
        ruled[f'wheel.{name}'] = dict(values[f'wheel.{name}'])
    return sas.load(values | {'attitude_controller': ruled}, parameters=changes)


# --- a plant of textbook formulas --------------------------------------------------------------


# Aliases of a sweep, and of what it finds.
FEW, MANY = 20, 3000


def of_formulas(rate, delay, modes=MODES, aliases=MANY):
    """Return L at a frequency [rad/s]: the sum over all aliases of hold, delay and plant.

    The sampled loop is (1/T) Σ G(jω + 2πjn/T), G = (K + D s) θ(s) e^(-sd) (1 - e^(-sT))/s, and
    θ(s) = 1/(s² (J - Σ δ² s²/(s² + 2ζΩs + Ω²))): no state, no exponential of a matrix. Terms that
    are left out add up to some 1e-5 of it.
    """
    s = 1j * (rate + 2.0 * math.pi / TICK * np.arange(-aliases, aliases + 1))
    inertia = TURNED + 0.0j
    for coupling, frequency, damping in modes:
        held = 2.0 * math.pi * frequency
        inertia = inertia - coupling**2 * s**2 / (s**2 + 2.0 * damping * held * s + held**2)
    hold = (1.0 - np.exp(-s * TICK)) / s
    law = ATTITUDE_GAIN + RATE_GAIN * s
    return np.sum(law / (s**2 * inertia) * np.exp(-s * delay) * hold) / TICK


def crossings(function, rates):
    """Return where a function is zero, by a sweep with few aliases, refined with all."""
    values = np.array([function(rate, FEW) for rate in rates])
    starts = np.flatnonzero(np.sign(values[1:]) != np.sign(values[:-1]))
    return [brentq(lambda w: function(w, MANY), rates[k], rates[k + 1]) for k in starts]


@pytest.mark.parametrize('delay', [0.0, 0.137])
def test_margins_are_those_of_a_plant_of_formulas(delay):
    """Rigid body, two modes, hold and delay within 1e-3 dB and 1e-3 deg of a brute sweep."""
    rates = np.unique(np.concatenate((
        np.geomspace(0.05, 31.0, 400), np.linspace(2.0, 2.6, 200), np.linspace(7.3, 8.2, 300),
    )))  # fmt: skip
    unit = crossings(lambda w, n: abs(of_formulas(w, delay, aliases=n)) - 1.0, rates)
    real = crossings(lambda w, n: of_formulas(w, delay, aliases=n).imag, rates)
    phases = [math.degrees(np.angle(-of_formulas(w, delay))) for w in unit]
    gains = [-1.0 / value for w in real if (value := of_formulas(w, delay).real) < 0.0]
    half = of_formulas(math.pi / TICK, delay).real
    gains += [-1.0 / half] if half < 0.0 else []

    found = sas.design(scenario(), delay=delay).margins[1]
    assert len(found.phases) == len(unit) >= 5  # both modes rise above 1
    assert [one.rate for one in found.phases] == pytest.approx(unit, rel=1e-6)
    assert [math.degrees(one.margin) for one in found.phases] == pytest.approx(phases, abs=1e-3)
    wanted = 20.0 * np.log10(gains)
    assert [20.0 * math.log10(one.margin) for one in found.gains] == pytest.approx(
        wanted, abs=1e-3
    )
    assert found.phase_deg == pytest.approx(min(phases, key=abs), abs=1e-3)
    assert found.gain_up_db == pytest.approx(min(wanted[wanted > 0.0]), abs=1e-3)
    delays = [math.radians(margin % 360.0) / w for w, margin in zip(unit, phases, strict=True)]
    assert found.delay == pytest.approx(min(delays), rel=1e-4)
    nearest = abs(1.0 + of_formulas(found.sensitivity_at, delay))
    assert 1.0 / found.sensitivity == pytest.approx(nearest, rel=1e-4)
    assert nearest < min(abs(1.0 + of_formulas(w, delay, aliases=FEW)) for w in rates)


@pytest.mark.parametrize(('change', 'stable'), [(-0.02, True), (0.02, False)])
def test_the_closed_loop_has_unstable_poles_beyond_its_margins(change, stable):
    """Margins are of the frequency response, poles of the matrices: they agree within 2 %.

    A delay between samples acts through the aliases, too, which the delay margin leaves out.
    """
    own = sas.design(scenario(), delay=0.05)
    assert own.stable
    later = 0.05 + own.margins[1].delay * (1.0 + change)
    assert sas.design(scenario(), delay=later).stable == stable
    louder = scenario(own.margins[1].gain_up * (1.0 + 0.01 * change))
    assert sas.design(louder, delay=0.05).stable == stable


def test_a_rigid_body_without_delay_is_marginal_where_a_double_integrator_is():
    """At half the sampling rate: a gain of 2 J/(T D), from Jury's conditions."""
    plain = sas.load('cubesat_pointing')
    found = sas.design(plain)
    step = plain.plant.ticks.step
    for one in found.margins:
        rate_gain = 2.0 * 0.8 * 0.3  # D/J of its bandwidth and damping ratio
        assert one.gain_up == pytest.approx(2.0 / (rate_gain * step), rel=1e-9)
        assert one.gains[-1].rate == pytest.approx(math.pi / step, rel=1e-8)


INTEGRAL = {'attitude_controller.integral_time': 20.0}


def test_a_rigid_body_with_an_integral_is_that_of_a_formula():
    """L of D s + K (1 + 1/(T_i s)) on 1/(J s²), sampled: sums of a hold, and of a sum each step.

    Its gain may fall to 1/(2 ζ ω_n T_i), where s³ + k (2 ζ ω_n s² + ω_n² s + ω_n²/T_i) is marginal
    (Routh); a step of 1/32 s moves that by some ω h = 0.5 %. All to the bits that roots leave.
    """
    plain = sas.load('cubesat_pointing', parameters=INTEGRAL)
    found, step = sas.design(plain), plain.plant.ticks.step
    bandwidth, damping, time = 0.3, 0.8, 20.0

    def loop(rate):
        z = np.exp(1j * rate * step)
        angle, turn = step**2 / 2.0 * (z + 1.0) / (z - 1.0) ** 2, step / (z - 1.0)
        proportional = bandwidth**2 * (1.0 + step / time / (z - 1.0))
        return proportional * angle + 2.0 * damping * bandwidth * turn

    rates = np.geomspace(1e-3, 50.0, 40)
    marginal = math.sqrt(bandwidth / (2.0 * damping * time))
    crossing = brentq(lambda rate: loop(rate).imag, 0.9 * marginal, 1.1 * marginal, xtol=1e-15)
    unit = brentq(lambda rate: abs(loop(rate)) - 1.0, 0.1, 2.0, xtol=1e-15)
    for axis, one in zip('xyz', found.margins, strict=True):
        assert found.open_loop(axis).response(rates) == pytest.approx(loop(rates), rel=1e-9)
        state_space = found.open_loop(axis).system.response(rates)[:, 0, 0]
        assert state_space == pytest.approx(loop(rates), rel=1e-6)
        assert one.gain_down == pytest.approx(-1.0 / loop(crossing).real, rel=1e-6)
        assert one.gain_down == pytest.approx(1.0 / (2.0 * damping * bandwidth * time), rel=0.01)
        assert one.phase == pytest.approx(np.angle(-loop(unit)), rel=1e-6)
    roots = np.roots((1.0, 2.0 * damping * bandwidth, bandwidth**2, bandwidth**2 / time))
    for root in roots:  # a hold of h moves each by about p ω_n h
        assert np.sort(np.abs(found.poles - root))[2] < abs(root) * bandwidth * step


@pytest.mark.parametrize(('change', 'stable'), [(-0.02, True), (0.02, False)])
def test_a_heavier_body_is_unstable_with_an_integral_beyond_its_lower_gain(change, stable):
    """A moment that is k times the one that the law believes in is a gain of 1/k."""
    own = sas.load('cubesat_pointing', parameters=INTEGRAL)
    factor = (1.0 + change) / sas.design(own).margins[1].gain_down
    heavier = [factor * moment for moment in own.parameters['body.inertia']]
    assert sas.design(own, {'body.inertia': heavier}).stable == stable


def test_an_integral_that_flies_with_three_wheels_has_named_states_and_gains():
    """Its torque by s is that of the law that flies, by the allocation of three wheels."""
    own = sas.design(scenario(**INTEGRAL))
    assert own.loop.open.states[-3:] == (
        'integral.x [rad]',
        'integral.y [rad]',
        'integral.z [rad]',
    )
    assert own.loop.closed.states[-3:] == own.loop.open.states[-3:]
    law, gains = own.loop.law, own.case.gains
    reference, still = control_law.AT_REST, np.zeros(3)
    torques = [
        control_law.torque(
            gains.flat(), reference.flat(), reference.q_WR, still, control_law.UNDECIDED, tuple(s)
        )[0]
        for s in 1e-3 * np.eye(3)
    ]
    assert law.given @ law.taken == pytest.approx(-1e3 * np.array(torques).T)
    assert law.summed[:, :3] == pytest.approx(TICK / 20.0 * np.eye(3))
    plain = sas.design(scenario())
    assert plain.loop.law.taken.shape == (3, 0)
    assert len(own.loop.closed.states) == len(plain.loop.closed.states) + 3
    assert 'integral_limit, and where the integral is held' in own.left_out
    damping = sas.design(scenario(**INTEGRAL, **{'attitude_controller.mode': 'rate_damping'}))
    assert damping.loop.closed.states == plain.loop.closed.states


def test_a_table_that_would_fall_over_needs_more_gain_than_its_weight():
    """Upright on a bearing, with its centre of mass c above the pivot: a gain above m g c."""
    pull, gain = 30.0 * 9.81 * 1e-3, 0.9
    found = sas.design({
        'body.mass': 30.0, 'body.inertia': [0.9, 0.95, 1.3], 'bearing.enabled': True,
        'body.center_of_mass': [0.0, 0.0, 1e-3], 'bearing.position': [0.0, 0.0, 0.0],
        'gravity': [0.0, 0.0, -9.81], 'initial.angular_velocity': [0.0, 0.0, 0.0],
        'attitude_controller': {
            'inertia': [0.9, 0.95, 1.3], 'gains': 'given', 'attitude_gain': [gain] * 3,
            'rate_gain': [1.5] * 3, 'torque_limit': [9.0] * 3,
        },
    })  # fmt: skip
    for one in found.margins[:2]:
        assert one.gain_down == pytest.approx(pull / gain, rel=1e-6)
        assert one.gains[0].rate == 0.0
        assert one.gain_up > 1.0
    assert found.margins[2].gain_down == 0.0  # about the vertical there is no weight
    assert found.stable


def test_modes_are_named_with_their_frequencies_and_how_they_are_stabilised():
    found = sas.design(scenario(), delay=0.05)
    names = [one.vibration.name for one in found.vibrations]
    assert names == ['flexible_mode.bend', 'flexible_mode.twist']
    held = [2.0 * math.pi * frequency for _, frequency, _ in MODES]
    assert [one.vibration.held for one in found.vibrations] == pytest.approx(held, rel=1e-12)
    assert [one.vibration.held_damping for one in found.vibrations] == pytest.approx(
        [0.005, 0.003]
    )
    # Free: roots of J - Σ δ² s²/(s² + Ω²), undamped; the damping moves them by ζ²/2.
    first, second = (np.poly1d([1.0, one**2]) for one in held)
    squares = np.poly1d([TURNED]) * first * second
    squares -= np.poly1d([16.0, 0.0]) * second + np.poly1d([9.0, 0.0]) * first
    free = np.roots(squares)
    wanted = np.sort(np.sqrt(-free))
    assert [one.vibration.free for one in found.vibrations] == pytest.approx(wanted, rel=1e-4)
    assert [(one.vibration.axis, one.how) for one in found.vibrations] == [
        (1, 'phase'),
        (1, 'phase'),
    ]
    assert found.stable

    soft = sas.design(scenario(0.05), delay=0.05)
    assert [one.how for one in soft.vibrations] == ['gain', 'gain']
    late = sas.design(scenario(), delay=0.35)  # 150 deg more at the second mode
    assert [one.how for one in late.vibrations] == ['phase', 'unstable']
    assert not late.stable


def test_a_tank_under_thrust_is_named_with_the_frequency_of_its_pendulum():
    found = sas.design(
        {
            'body.mass': 100.0, 'body.inertia': [60.0, 50.0, 40.0], 'pendulums': ['tank'],
            'pendulum.tank': {'pivot': [0.0, 0.0, 0.3], 'mass': 5.0, 'length': 0.4},
            'initial.angular_velocity': [0.0, 0.0, 0.0],
            'attitude_controller': {'inertia': [60.0, 50.0, 40.0], 'bandwidth': 0.2},
        },
        acceleration=(0.0, 0.0, 0.7),
    )  # fmt: skip
    swinging = [one.vibration for one in found.vibrations]
    assert {one.name for one in swinging} == {'pendulum.tank.a', 'pendulum.tank.b'}
    for one in swinging:
        assert one.held == pytest.approx(math.sqrt(0.7 / 0.4), rel=1e-7)
        assert one.free > one.held


def test_a_mode_above_half_the_sampling_rate_is_seen_folded():
    """1.1 Hz with the hub held; read at 2 Hz its 1.29 Hz look like 0.71 Hz."""
    found = sas.design(scenario(0.05, **{'imu.interval': 5}))
    twist = found.vibrations[1]
    free = twist.vibration.free / (2.0 * math.pi)
    assert twist.at / (2.0 * math.pi) == pytest.approx(2.0 - free, rel=0.03)
    line = next(line for line in str(found).splitlines() if line.startswith('flexible_mode.twist'))
    said = float(line.partition('seen at ')[2].split()[0])
    assert said == pytest.approx(twist.at / (2.0 * math.pi), rel=1e-3)
    assert twist.vibration.axis == 1
    assert str(found).count('seen at') == 1


def test_a_peak_is_that_of_its_mode_and_not_of_a_louder_neighbour():
    """A mode 4 % above the first, coupled a hundred times less."""
    faint = {
        'flexible_mode.twist.frequency': 0.38,
        'flexible_mode.twist.coupling': [0.0, 0.04, 0.0],
    }
    loud, quiet = sas.design(scenario(**faint)).vibrations
    assert quiet.at == pytest.approx(quiet.vibration.free, rel=0.01)
    assert quiet.peak < 0.3 * loud.peak


def test_python_control_finds_the_same_margins():
    """Of a frequency response, between whose points it interpolates: to 1e-5 and 0.04 deg."""
    control = pytest.importorskip('control')
    found = sas.design(scenario(), delay=0.137)
    own, loop = found.margins[1], found.to_control('y')
    rates = margins.grid(found.open_loop('y'))
    response = control.frequency_response(loop, rates[rates > 0.1])
    frd = control.frd(response.frdata, response.omega, TICK, smooth=True)
    _, phases, _, _, rates, _ = control.stability_margins(frd, returnall=True)
    assert rates == pytest.approx([one.rate for one in own.phases], rel=1e-4)
    wanted = [math.degrees(one.margin) % 360.0 for one in own.phases]
    assert np.mod(phases, 360.0) == pytest.approx(wanted, abs=0.05)
    gain, _, _, at, _, _ = control.stability_margins(frd)
    assert gain == pytest.approx(own.gain_up, rel=1e-4)
    assert at > 0.0


# --- flights -----------------------------------------------------------------------------------

SMALL = 1e-5  # [rad]: what is not linear is below 1e-10 of it


def flight(factor, duration, **changes):
    """Return the rotation about y (n,) of a flight that begins a little off its target."""
    start = [math.cos(SMALL / 2.0), 0.0, math.sin(SMALL / 2.0), 0.0]
    run = sas.simulate(
        scenario(factor, **{'initial.attitude': start, **changes}), duration=duration
    )
    return 2.0 * run.attitude[:, 2] * np.sign(run.attitude[:, 0])


@pytest.mark.parametrize(
    ('factor', 'changes'),
    [
        (1.0, {'wheel.y.dead_time': 0.137, 'wheel.y.torque_lag': 0.25}),
        (0.3, {'attitude_controller.controller_delay': 0.25, 'imu.interval': 2}),
        (1.0, INTEGRAL | {'wheel.y.dead_time': 0.137, 'imu.interval': 2}),
    ],
    ids=['wheel', 'controller', 'integral'],
)
def test_a_closed_loop_flies_as_its_linear_model(factor, changes):
    """20 s, the wheel late by 1.37 ticks and a lag, or each command by two readings.

    To the bits that the start leaves of 1e-5 rad.
    """
    found = sas.design(scenario(factor, **changes))
    closed, every = found.loop.closed, round(found.case.period / TICK)
    start = np.zeros(len(closed.states))
    start[closed.states.index('attitude.y [rad]')] = SMALL
    linear = closed.simulated(np.zeros((200 // every, 3)), start)
    wanted = linear[:, closed.outputs.index('attitude.y [rad]')]
    assert flight(factor, 20.0, **changes)[::every] == pytest.approx(wanted, abs=1e-7 * SMALL)


@pytest.mark.parametrize(('change', 'grows'), [(-0.02, False), (0.02, True)])
def test_the_gain_margin_is_where_a_flight_begins_to_grow(change, grows):
    """Of a loop with a dead time: with 2 % less gain it dies away, with 2 % more it grows."""
    changes = {'wheel.y.dead_time': 0.137, 'flexible_mode.twist.rate': SMALL}
    margin = sas.design(scenario(**changes)).margins[1].gain_up
    error = flight(margin * (1.0 + change), 40.0, **changes)
    fast = np.abs(np.diff(error, 2))  # what is slow is left out: the rigid body dies away
    quarter = len(fast) // 4
    before, after = fast[quarter : 2 * quarter].max(), fast[3 * quarter :].max()
    assert (after > before) == grows


def size(x):
    """Return ln|L| of a loop of formulas at x = ln ω."""
    return -1.5 * x + 2.0 * np.sin(3.0 * x)


def phase(x):
    """Return its phase beyond -180 deg [rad]."""
    return 0.6 * np.sin(4.0 * x - 1.0)


def wavy(rates):
    """Return its L."""
    return -np.exp(size(np.log(rates)) + 1j * phase(np.log(rates)))


def test_of_several_crossings_the_nearest_counts():
    """The phase crosses -180 deg at x = (1 + kπ)/4; |L| crosses 1 three times, once at x = 0."""
    loop = SimpleNamespace(period=TICK, poles=lambda: np.exp([-0.05 * TICK]), response=wavy)
    found = margins.margins(loop)
    factors = np.exp([-size((1.0 + k * math.pi) / 4.0) for k in range(-9, 5)])
    assert min(np.sum(factors > 1.0), np.sum(factors < 1.0)) > 3
    assert found.gain_up == pytest.approx(min(factors[factors > 1.0]), rel=1e-6)
    assert found.gain_down == pytest.approx(max(factors[factors < 1.0]), rel=1e-6)
    bounds = ((-1.0, -0.5), (-0.1, 0.1), (0.5, 1.0))
    crossed = np.array([brentq(size, *bound) for bound in bounds])
    assert found.crossover == pytest.approx(math.exp(crossed[-1]), rel=1e-6)
    nearest = crossed[np.argmin(np.abs(phase(crossed)))]
    assert found.phase == pytest.approx(phase(nearest), abs=1e-6)
    assert found.phase_at == pytest.approx(math.exp(nearest), rel=1e-6)
    delays = (phase(crossed) % (2.0 * math.pi)) / np.exp(crossed)
    assert found.delay == pytest.approx(min(delays), rel=1e-6)
    assert found.delay_at == pytest.approx(math.exp(crossed[np.argmin(delays)]), rel=1e-6)
