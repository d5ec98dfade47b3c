# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Controllers that drive real actuators: torques they give, what rotors hold, limit cycles."""

import math

import bits
import numpy as np
import pytest
from plain import plain
from scipy.optimize import linprog
from test_gimbal_steering import pyramid

from spacecraft_attitude_sim.campaigns import flights
from spacecraft_attitude_sim.configuration import attitude_controller, scenario
from spacecraft_attitude_sim.configuration.parameter import ParameterError
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.batch import Batch
from spacecraft_attitude_sim.core.batch.actuated import rows_of
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.control import allocation
from spacecraft_attitude_sim.core.control.attitude_loop import NO_TORQUE, Answer
from spacecraft_attitude_sim.core.control.gimbal_steering import Steering
from spacecraft_attitude_sim.core.control.response import attitude_error
from spacecraft_attitude_sim.core.control.thruster_allocation import DrivenThrusters
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.parts.thrusters.kernel import THRUSTER_STATE
from spacecraft_attitude_sim.core.simulation import plant_of

LEVEL = np.array((1.0, 0.0, 0.0, 0.0))
# Six thrusters in oblique pairs, as strong as unequal.
TORQUES = np.array((
    (0.3, 0.1, 0.0), (-0.3, -0.1, 0.0), (0.0, 0.2, 0.1), (0.0, -0.2, -0.1), (0.1, 0.0, 0.4),
    (-0.1, 0.0, -0.4),
))  # fmt: skip
FORCES = (1.0, 1.0, 2.0, 2.0, 0.5, 0.5)
NAMES = tuple('abcdef')
GYROS = ['forward', 'starboard', 'aft', 'port']


def rest_of(name):
    """Return the parameters of a shipped controller by dotted name."""
    return dict(scenario.load(scenario.find(name)).controller)


# --- gimbals ---------------------------------------------------------------------------------


@pytest.mark.parametrize('gyroscopic', [True, False])
def test_a_turning_body_needs_the_torque_of_what_its_rotors_hold(gyroscopic):
    """Under no torque of a law ω stays only if the gimbals give ω × h: of a ball ω × I ω is 0."""
    gyros, omega_B = pyramid(), np.array((0.02, -0.01, 0.015))
    plant = plant_of(RigidBody(1e3, np.diag((1e4, 1e4, 1e4))), parts=(gyros,))
    craft, own = plant.spacecraft, allocation.of_gimbals(Steering(gyros, gyroscopic))
    state = craft.state(np.zeros(3), LEVEL, np.zeros(3), omega_B)
    # The rotors hold something once two gimbals have turned.
    for tick in range(64):
        rates = Inputs(gimbal_rate=np.array((0.3, 0.2, -0.1, 0.1)))
        state = simulation.step(plant, state, rates, tick)
    begin_B, stored_B = craft.angular_velocity_B(state), craft.stored_B(state)
    assert np.linalg.norm(np.cross(begin_B, stored_B)) > 0.05
    for tick in range(320):
        angles = state.internal[craft.layout.of('gimbals')].reshape(4, -1)[:, 0]
        omega = tuple(craft.angular_velocity_B(state).tolist())
        rates, measure = own.commands(Answer(0, NO_TORQUE, omega_B=omega), angles)
        assert measure > 0.1
        state = simulation.step(plant, state, Inputs(gimbal_rate=np.array(rates)), tick)
    changed = np.linalg.norm(craft.angular_velocity_B(state) - begin_B)
    # Ten seconds of |ω × h| / I without it; with it what gimbals turn within ticks leaves.
    expected = 10.0 * np.linalg.norm(np.cross(begin_B, stored_B)) / 1e4
    if gyroscopic:
        assert changed < 0.01 * expected
    else:
        assert changed == pytest.approx(expected, rel=0.1)


def test_gimbals_rest_where_the_law_did_not_answer():
    own = allocation.of_gimbals(Steering(pyramid()))
    answer = Answer(0, np.array((1.0, 0.0, 0.0)))
    assert own.commands(answer, [0.1, 0.2, 0.3, 0.4]) == ([0.0] * 4, 1.0)


def test_the_measure_is_one_at_best_and_none_where_singular():
    own = allocation.of_gimbals(Steering(pyramid()))
    asked = Answer(0, np.array((0.1, 0.0, 0.0)), omega_B=(0.0, 0.0, 0.0))
    # Three gyros at right angles are the best that there is; a pyramid at rest comes close.
    assert 0.5 < own.commands(asked, [0.0] * 4)[1] < 1.0
    assert own.commands(asked, [math.pi / 2.0] * 4)[1] == pytest.approx(0.0, abs=1e-6)


def test_the_station_turns_holds_and_its_gyros_keep_what_they_hold():
    """At rest in its orbit nothing turns it: what the gyros hold stays, in inertial axes."""
    found = scenario.load(scenario.find('station_cmg'))
    craft = found.plant.spacecraft
    instants, _ = bits.driven(found, 11000)
    target = np.array(found.controller['reference.attitude'])
    rate = found.controller['reference.angular_velocity'][1]
    errors = []
    for instant in instants[::500]:
        half = 0.5 * rate * instant.time
        q_WR = rotations.compose(target, (math.cos(half), 0.0, math.sin(half), 0.0))
        errors.append(np.degrees(np.linalg.norm(attitude_error(q_WR, instant.state.q_WB))))
    assert errors[0] == pytest.approx(1.36, abs=0.02)
    assert max(errors[14:]) < 1e-3  # after half an hour
    held = [
        rotations.rotate(one.state.q_WB, craft.stored_B(one.state)) for one in instants[8000::500]
    ]
    assert np.linalg.norm(held[0]) > 2000.0
    # What is left of the error, 1e-5 rad at first, is 5e-3 N m of gradient.
    assert np.ptp(held, axis=0).max() < 2.0
    least = min(np.linalg.svd(_outputs(craft, one)).S[2] for one in instants[::100])
    assert least > 0.3 * 4760.0


def _outputs(craft, instant):
    from spacecraft_attitude_sim.core.control.gimbal_steering import output_matrix

    own = instant.state.internal[craft.layout.of('gimbals')]
    return output_matrix(
        craft.part('control_moment_gyros'), craft.part('control_moment_gyros').angles(own)
    )


# --- thrusters -------------------------------------------------------------------------------


def test_pairs_of_thrusters_give_the_torque_with_forces_that_push():
    pairs = allocation.of_thrusters(DrivenThrusters(NAMES, TORQUES, FORCES))
    asked = np.array((0.05, -0.08, 0.1))
    forces, _ = pairs.commands(Answer(0, asked, omega_B=(0.0, 0.0, 0.0)), [])
    assert min(forces) == 0.0 and np.count_nonzero(forces) == 3
    given = (np.array(forces) / FORCES) @ TORQUES
    assert given == pytest.approx(asked, rel=1e-12)
    forces, _ = pairs.commands(Answer(0, 20.0 * asked, omega_B=(0.0, 0.0, 0.0)), [])
    assert np.max(np.array(forces) / FORCES) == 1.0
    given = (np.array(forces) / FORCES) @ TORQUES
    assert np.cross(given, asked) == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)


def test_any_thrusters_give_the_torque_with_the_least_thrust():
    """The sum of the forces is that of SciPy's linear program, which knows no corners by name."""
    random = np.random.default_rng(4)
    for count in (4, 5, 7, 12):
        torques = random.normal(size=(count, 3))
        torques[-1] = -torques[:-1].sum(axis=0)  # together they turn it every way
        most = random.uniform(0.5, 2.0, count)
        driven = DrivenThrusters(tuple(map(str, range(count))), torques, most)
        assert not driven.paired
        fired = allocation.of_thrusters(driven)
        for asked in 1e-2 * random.normal(size=(20, 3)):
            forces, _ = fired.commands(Answer(0, asked, omega_B=(0.0, 0.0, 0.0)), [])
            assert min(forces) >= 0.0 and np.count_nonzero(forces) <= 3
            assert (np.array(forces) / most) @ torques == pytest.approx(asked, abs=1e-15)
            best = linprog(np.ones(count), A_eq=(torques / most[:, None]).T, b_eq=asked)
            assert sum(forces) == pytest.approx(best.fun, rel=1e-9)
        forces, _ = fired.commands(Answer(0, 1e3 * asked, omega_B=(0.0, 0.0, 0.0)), [])
        assert np.max(np.array(forces) / most) == pytest.approx(1.0, rel=1e-15)
        given = (np.array(forces) / most) @ torques
        assert np.cross(given, asked) == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
        assert given @ asked > 0.0


def test_four_thrusters_that_are_no_pairs_hold_an_attitude():
    corners = np.array(((1.0, 1.0, 1.0), (-1.0, -1.0, 1.0), (-1.0, 1.0, -1.0), (1.0, -1.0, -1.0)))
    torques = 0.02 * corners
    given = rest_of('thruster_limit_cycle')
    given = {k: v for k, v in given.items() if not k.startswith('thruster.')}
    given |= {'thrusters': list('abcd')}
    for name, torque in zip('abcd', torques.tolist(), strict=True):
        given |= {f'thruster.{name}.torque': torque, f'thruster.{name}.max_force': 0.1}
    own = attitude_controller.allocation(attitude_controller.checked(given))
    rows = {(0.01, 0.0, 0.0): 2, (0.0, -0.01, 0.0): 2, tuple(-torques[0]): 3}
    for asked, fired in rows.items():
        forces, _ = own.commands(Answer(0, np.array(asked), omega_B=(0.0, 0.0, 0.0)), [])
        assert np.count_nonzero(forces) == fired
        assert (np.array(forces) / 0.1) @ torques == pytest.approx(asked, abs=1e-15)


def test_the_limit_cycle_has_the_period_of_its_pulse():
    """8 θ/Δω, θ where a pulse is due, but for the half second between two decisions."""
    found = scenario.load(scenario.find('thruster_limit_cycle'))
    craft, law = found.plant.spacecraft, found.controller
    own = craft.layout.of('thrusters')
    instants, _ = bits.driven(found, 260 * 32)
    change = 0.1 * 0.1 * 0.02 / 0.08
    due = 0.01 * 0.02 / 0.5 / law['attitude_gain'][0]
    edge = due - law['rate_gain'][0] / law['attitude_gain'][0] * change / 2.0
    pulses = np.array([
        one.state.internal[own].reshape(6, -1)[:, THRUSTER_STATE.at('pulses')] for one in instants
    ])  # fmt: skip
    for thruster in range(6):
        fired = [instants[k].time for k in np.flatnonzero(np.diff(pulses[:, thruster])) + 1]
        assert len(fired) in (2, 3)
        assert np.diff(fired) == pytest.approx(8.0 * edge / change, abs=1.0)
    rates = np.abs([craft.angular_velocity_B(one.state) for one in instants])
    assert rates == pytest.approx(np.full(rates.shape, change / 2.0), rel=0.1)


# --- the same bits ---------------------------------------------------------------------------


@pytest.mark.parametrize('name', ['station_cmg', 'thruster_limit_cycle'])
def test_a_campaign_flies_what_the_controller_flies(name):
    """Sensors have errors, commands end in time, and a batch goes on where it stopped."""
    found = bits.with_errors(name, 'ideal')
    instants, _ = bits.driven(found, 200)
    first = found.first_instant()
    batch = Batch(
        [found.plant.spacecraft.carrier], [first.state], law=flights.law_of([found]),
        actuated=rows_of([found.plant], [first.state], [found.inputs]), ticks=found.plant.ticks,
    )  # fmt: skip
    batch.advance(77)
    batch.advance(123)
    whole = np.concatenate((batch.states[0], batch.internal[0]))
    assert whole.tobytes() == to_flat(instants[-1].state).tobytes()


# --- what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('change', 'said'),
    [
        ({'gimbal.aft.rotor_speed': 0.0}, 'gimbal.aft.rotor_speed is 0 rad/s'),
        (
            {'thrusters': ['a'], 'thruster.a.torque': [1.0, 0.0, 0.0], 'thruster.a.max_force': 1},
            'commands one kind',
        ),
        ({'gimbal.aft.spin_axis': [0.0, 0.0, 1.0]}, 'gimbal.aft.spin_axis'),
        ({'gimbals': ['aft', *GYROS]}, "gimbals has 'aft' twice"),
        ({'gimbal.fore.max_rate': 1.0}, 'gimbal.fore.max_rate'),
    ],
)  # fmt: skip
def test_gimbals_that_cannot_be_steered_are_refused(change, said):
    with pytest.raises(ParameterError, match=said):
        attitude_controller.checked(rest_of('station_cmg') | change)


@pytest.mark.parametrize(
    ('change', 'said'),
    [
        (
            {'thruster.yaw_up.torque': [0.0, 0.0, -0.02]},
            'thruster.yaw_.* and no others',
        ),
        ({'thrusters': ['yaw_up', 'yaw_down']}, 'fewer than three axes'),
    ],
)
def test_thrusters_that_cannot_turn_the_body_are_refused(change, said):
    given = rest_of('thruster_limit_cycle') | change
    given = {k: v for k, v in given.items() if _named(k, given['thrusters'])}
    with pytest.raises(ParameterError, match=said):
        attitude_controller.checked(given)


def _named(key, names):
    return not key.startswith('thruster.') or key.split('.')[1] in names


@pytest.mark.parametrize(
    ('node', 'change', 'said'),
    [
        ('simulator', {'lockstep_topics': ['command/wrench']}, 'otherwise a tick waits for ever'),
        ('attitude_controller', {'gimbals': ['fore']}, "gimbals has 'fore', but the simulator "),
    ],
)  # fmt: skip
def test_a_scenario_whose_controller_drives_what_is_not_there_is_refused(node, change, said):
    sections = scenario.read(scenario.find('station_cmg'))
    sections[node] |= change
    if 'gimbals' in change:
        own = {k: v for k, v in sections[node].items() if not k.startswith('gimbal.')}
        sections[node] = plain(own) | {'gimbal.fore.rotor_speed': 1.0}
        del sections[node]['gimbal.fore.inertias']  # which steering does not ask for
    with pytest.raises(scenario.ScenarioError, match=said):
        scenario.of_sections(sections, 'station')
