# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Faults of actuators and sensors: what each does, when it begins and ends, and bad parameters."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import ROOT, approx

from spacecraft_attitude_sim.campaigns import flights, python_flight
from spacecraft_attitude_sim.configuration import faults as configuration
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.environment.surroundings import LIT
from spacecraft_attitude_sim.core.faults import kinds
from spacecraft_attitude_sim.core.faults.fault import NEVER
from spacecraft_attitude_sim.core.sensors import Tally
from spacecraft_attitude_sim.core.simulation import Inputs, next_instant
from spacecraft_attitude_sim.flight import side_by_side
from spacecraft_attitude_sim.flight.flight import Flight
from spacecraft_attitude_sim.runs.fault_spans import FaultSpans

TICK = 1.0 / 32.0
INERTIA, WHEEL, DRAG = 0.01, 2e-5, 1e-5
# A body that stays nearly at rest beside two wheels, thrusters and rods, all plain.
BODY = {
    'body.mass': 4.0, 'body.inertia': [INERTIA] * 3, 'initial.angular_velocity': [0.0] * 3,
    'wheels': ['x', 'z'],
    'wheel.x.axis': [1.0, 0.0, 0.0], 'wheel.x.inertia': WHEEL, 'wheel.x.max_torque': 1e-3,
    'wheel.x.initial_speed': 100.0, 'wheel.x.friction.coulomb': DRAG,
    'wheel.z.axis': [0.0, 0.0, 1.0], 'wheel.z.inertia': WHEEL, 'wheel.z.max_torque': 1e-3,
    'wheel.z.speed_bandwidth': 2.0,
}  # fmt: skip
JETS = {
    'thrusters': ['a', 'b'],
    'thruster.a.position': [0.0, 0.3, 0.0], 'thruster.a.direction': [1.0, 0.0, 0.0],
    'thruster.a.max_force': 0.005,
    'thruster.b.position': [0.0, -0.3, 0.0], 'thruster.b.direction': [1.0, 0.0, 0.0],
    'thruster.b.max_force': 0.005,
}  # fmt: skip
RODS = {
    'magnetorquers': ['x', 'y'], 'magnetic_field': [0.0, 0.0, 3e-5],
    'magnetorquer.x.axis': [1.0, 0.0, 0.0], 'magnetorquer.x.max_dipole': 0.2,
    'magnetorquer.y.axis': [0.0, 1.0, 0.0], 'magnetorquer.y.max_dipole': 0.2,
}  # fmt: skip
SENSORS = {
    'magnetic_field': [1e-5, 2e-5, 3e-5], 'magnetometer.enabled': True,
    'star_tracker.enabled': True, 'star_tracker.interval': 8, 'star_tracker.latency': 3,
}  # fmt: skip


def a_fault(component, kind, value=(), name='one', **timing):
    """Return the parameters of one fault."""
    own = {'component': component, 'kind': kind, 'value': list(value), 'at': 0.0, **timing}
    return {'faults': [name], **{f'fault.{name}.{field}': v for field, v in own.items()}}


def together(*several):
    """Return the parameters of several faults."""
    names = [name for one in several for name in one['faults']]
    return {k: v for one in several for k, v in one.items()} | {'faults': names}


def a_flight(*parameters, controller=None):
    """Return a Flight of BODY with these parameters."""
    given = {k: v for one in (BODY, *parameters) for k, v in one.items()}
    return Flight(scenario.build(given, 'test'), controller)


def after(flight, ticks, **commands):
    """Take ticks, and return the flight."""
    for _ in range(ticks):
        flight.step(**commands)
    return flight


def wheel_momenta(flight):
    """Return the axial momenta (n,) of the wheels [N m s]."""
    craft = flight.scenario.plant.spacecraft
    return craft.part('reaction_wheels').momenta_in(
        craft.states_of('wheels', flight.instant.state)
    )


def true_speeds(flight):
    """Return the speeds (n,) of the wheels relative to the body [rad/s]."""
    return flight.scenario.plant.spacecraft.wheel_speeds(flight.instant.state)


# --- actuators -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('kind', 'value', 'share'),
    [('dead', (), 0.0), ('weak', (0.25,), 0.25), ('reversed', (), -1.0), ('held', (), 0.0)],
)
def test_a_wheel_s_motor_does_not_give_the_torque_commanded(kind, value, share):
    flight = a_flight(a_fault('wheel.z', kind, value))
    after(flight, 32, wheel_torque=[0.0, 4e-4])
    # dh/dt is the motor's torque, without friction; 1e-15: round-off of 32 sums of 1e-5 N m s.
    assert wheel_momenta(flight)[1] == approx(share * 4e-4, abs=1e-15)


def test_a_weak_wheel_that_keeps_a_speed_has_less_torque_for_it():
    flight = a_flight(a_fault('wheel.z', 'weak', (0.25,)))
    after(flight, 32, wheel_speed={'z': 500.0})
    assert wheel_momenta(flight)[1] == approx(0.25 * 1e-3, rel=1e-12)  # all that its motor gives


def test_a_wheel_holds_the_command_before_the_fault():
    flight = a_flight(a_fault('wheel.z', 'held', at=0.5, duration=1.0))
    after(flight, 16, wheel_torque=[0.0, 2e-4])
    after(flight, 32, wheel_torque=[0.0, -5e-4])
    assert wheel_momenta(flight)[1] == approx(1.5 * 2e-4, abs=1e-15)
    after(flight, 32, wheel_torque=[0.0, -5e-4])  # it hears again
    assert wheel_momenta(flight)[1] == approx(1.5 * 2e-4 - 5e-4, abs=1e-15)


def test_a_seized_wheel_stops_as_its_friction_says_and_moves_with_the_body():
    brake = 2e-4
    flight = a_flight(a_fault('wheel.x', 'stuck', (brake,)))
    # Friction alone: dΩ/dt = -τ (1/J_w + 1/(I - J_w)), from 100 rad/s.
    slope = brake * (1.0 / WHEEL + 1.0 / (INERTIA - WHEEL))
    after(flight, 160, wheel_torque=[1e-4, 0.0])
    assert true_speeds(flight)[0] == approx(100.0 - (slope - 1e-4 / brake * slope) * 5.0, rel=1e-9)
    after(flight, 480, wheel_torque=[1e-4, 0.0])
    assert true_speeds(flight)[0] == 0.0
    omega = flight.scenario.plant.spacecraft.angular_velocity_B(flight.instant.state)
    assert omega[0] == approx(WHEEL * 100.0 / INERTIA, rel=1e-9)  # locked, with all of L


def test_without_a_value_a_bearing_brakes_with_ten_times_the_motor():
    flight = a_flight(a_fault('wheel.x', 'stuck'))
    slope = 1e-2 * (1.0 / WHEEL + 1.0 / (INERTIA - WHEEL))
    after(flight, 4)
    assert true_speeds(flight)[0] == approx(100.0 - slope * 4.0 * TICK, rel=1e-9)


def test_friction_grows_and_is_what_it_was_afterwards():
    flight = a_flight(a_fault('wheel.x', 'friction', (8.0,), duration=1.0))
    gain = 1.0 / WHEEL + 1.0 / (INERTIA - WHEEL)
    after(flight, 32)
    assert true_speeds(flight)[0] == approx(100.0 - 8.0 * DRAG * gain, rel=1e-9)
    after(flight, 32)
    assert true_speeds(flight)[0] == approx(100.0 - 9.0 * DRAG * gain, rel=1e-9)


def test_a_tachometer_lies_and_the_wheel_does_not():
    flight = a_flight(a_fault('wheel.x', 'tachometer', (0.25,)))
    after(flight, 2)
    assert flight.readings.wheel_speed[0] == approx(0.25 * true_speeds(flight)[0], rel=1e-12)
    healthy = after(a_flight(), 2)
    assert np.array_equal(flight.instant.state.internal, healthy.instant.state.internal)


@pytest.mark.parametrize(
    ('kind', 'value', 'force'),
    [
        ('closed', (), 0.0),
        ('open', (), 5e-3),
        ('weak', (0.4,), 4e-4),
        ('leaking', (0.2,), 1e-3),
    ],
)
def test_a_thruster_gives_another_force(kind, value, force):
    flight = a_flight(JETS, a_fault('thruster.a', kind, value))
    after(flight, 16, thrust=[0.001, 0.0] if kind != 'leaking' else [0.0, 0.0])
    state = flight.instant.state  # 0.5 s of a force at y = 0.3 m, along x: torque -0.3 F about z
    # 1e-3: meanwhile the body turns by 0.02 rad.
    assert state.momentum_W[0] == approx(0.5 * force, rel=1e-3)
    assert state.angular_momentum_W[2] == approx(-0.3 * 0.5 * force, rel=1e-3)


@pytest.mark.parametrize(
    ('kind', 'value', 'dipole'),
    [
        ('dead', (), 0.0), ('weak', (0.5,), 0.05), ('reversed', (), -0.1), ('held', (), 0.0),
        ('stuck', (), 0.2), ('stuck', (-0.15,), -0.15),
    ],
)  # fmt: skip
def test_a_magnetorquer_has_another_dipole(kind, value, dipole):
    flight = a_flight(RODS, a_fault('magnetorquer.y', kind, value))
    after(flight, 32, dipole=[0.0, 0.1, 0.0])
    # m × B with m along y and B along z: torque m B about x, through 1 s.
    assert flight.instant.state.angular_momentum_W[0] == approx(
        WHEEL * 100.0 + dipole * 3e-5, abs=1e-11
    )


@pytest.mark.parametrize(
    ('kind', 'value', 'rate'),
    [('stuck', (), 0.0), ('weak', (0.5,), 0.1), ('reversed', (), -0.2), ('held', (), 0.0)],
)
def test_a_gimbal_turns_otherwise(kind, value, rate):
    gimbal = {
        'wheels': [], 'gimbals': ['g'], 'gimbal.g.axis': [0.0, 0.0, 1.0],
        'gimbal.g.spin_axis': [1.0, 0.0, 0.0], 'gimbal.g.rotor_inertia': 1e-4,
        'gimbal.g.rotor_speed': 100.0, 'gimbal.g.inertias': [1e-6] * 3,
    }  # fmt: skip
    given = {k: v for k, v in BODY.items() if not k.startswith('wheel')}
    own = given | gimbal | a_fault('gimbal.g', kind, value)
    flight = Flight(scenario.build(own, 'test'), None)
    after(flight, 32, gimbal_rate=[0.2])
    assert flight.readings.gimbal_angle[0] == approx(rate, abs=1e-9)


def test_faults_of_several_parts_act_together():
    several = together(
        a_fault('wheel.x', 'friction', (3.0,), 'rough'),
        a_fault('wheel.x', 'tachometer', (2.0,), 'liar'),
        a_fault('wheel.z', 'dead', name='gone'),
    )
    flight = after(a_flight(several), 32, wheel_torque=[0.0, 1e-3])
    gain = 1.0 / WHEEL + 1.0 / (INERTIA - WHEEL)
    assert flight.readings.wheel_speed[0] == approx(2.0 * (100.0 - 3.0 * DRAG * gain), rel=1e-9)
    assert wheel_momenta(flight)[1] == 0.0


def test_a_fault_that_does_not_act_changes_no_bit():
    healthy = after(a_flight(JETS, RODS), 40, thrust=[0.001, 0.002])
    listed = after(
        a_flight(JETS, RODS, a_fault('wheel.x', 'stuck', at=-1.0)), 40, thrust=[0.001, 0.002]
    )
    assert all(map(np.array_equal, healthy.instant.state, listed.instant.state))
    assert np.array_equal(listed.instant.inputs.faults, [0.0])
    assert listed.instant.inputs._replace(faults=Inputs().faults)._fields == Inputs._fields


# --- sensors -------------------------------------------------------------------------------------


def series(flight, ticks, read, **commands):
    """Return (ticks, any): what `read` of the readings gives at each tick."""
    found = []
    for _ in range(ticks):
        flight.step(**commands)
        found.append(read(flight.readings))
    return np.array(found)


@pytest.mark.parametrize('name', ['gyro', 'accelerometer', 'magnetometer'])
@pytest.mark.parametrize(
    ('kind', 'value'),
    [('bias', (1e-3, -2e-3, 3e-3)), ('drift', (1e-3, 0.0, 2e-3)), ('scale', (0.5, 2.0, -1.0))],
)
def test_a_sensor_of_three_axes_errs_as_its_fault_says(name, kind, value):
    def read(readings):
        return {
            'gyro': readings.angular_velocity, 'accelerometer': readings.specific_force,
            'magnetometer': readings.magnetic_field,
        }[name]  # fmt: skip

    pushed = {'torque': [1e-3, 2e-3, 3e-3], 'force': [0.1, 0.2, 0.3]}
    healthy = series(a_flight(SENSORS), 8, read, **pushed)
    found = series(a_flight(SENSORS, a_fault(name, kind, value)), 8, read, **pushed)
    unit = {'gyro': math.pi / 180.0, 'accelerometer': 1.0, 'magnetometer': 1e-9}[name]
    value = np.array(value) * (1.0 if kind == 'scale' else unit)
    seconds = TICK * np.arange(1, 9)[:, np.newaxis]
    wanted = {
        'bias': healthy + value, 'drift': healthy + seconds * value, 'scale': healthy * value,
    }[kind]  # fmt: skip
    assert np.linalg.norm(healthy) > 0.0
    assert found == approx(wanted, rel=1e-12, abs=1e-18)


def test_a_fault_of_the_gyro_leaves_the_rest_of_the_imu():
    flight = after(a_flight(a_fault('gyro', 'bias', (1e-3,))), 3, force=[0.1, 0.2, 0.3])
    healthy = after(a_flight(), 3, force=[0.1, 0.2, 0.3])
    assert np.array_equal(flight.readings.specific_force, healthy.readings.specific_force)
    assert np.array_equal(flight.readings.attitude, healthy.readings.attitude)
    assert flight.readings.angular_velocity == approx(
        healthy.readings.angular_velocity + math.radians(1e-3), rel=1e-12
    )


def test_noise_has_its_size_and_no_memory():
    sigma = 2e-3
    own = series(
        a_flight(a_fault('gyro', 'noise', (sigma,))), 600, lambda said: said.angular_velocity
    )
    healthy = series(a_flight(), 600, lambda said: said.angular_velocity)
    drawn = np.degrees(own - healthy).ravel() / sigma
    # 1800 normal deviates: mean and variance within 4 of their own standard deviations.
    assert abs(drawn.mean()) < 4.0 / math.sqrt(1800.0)
    assert abs(drawn.var() - 1.0) < 4.0 * math.sqrt(2.0 / 1800.0)
    axes = drawn.reshape(-1, 3)
    assert abs((axes[1:, 0] * axes[:-1, 0]).mean()) < 4.0 / math.sqrt(599.0)
    assert abs((axes[:, 0] * axes[:, 1]).mean()) < 4.0 / math.sqrt(600.0)


def test_a_frozen_sensor_repeats_what_it_read_before():
    flight = a_flight(SENSORS, a_fault('imu', 'frozen', at=0.25, duration=0.25))
    said = series(flight, 24, lambda own: own.angular_velocity, torque=[1e-3, 0.0, 0.0])
    assert np.all(np.diff(said[:8, 0]) > 0.0)
    assert np.all(said[8:16] == said[7])
    assert said[16, 0] > said[7, 0]
    assert 'imu' in flight.readings.new


def test_a_frozen_star_tracker_repeats_the_last_attitude_that_arrived():
    """Between two measurements nothing arrives, and that is not what it repeats."""
    flight = a_flight(SENSORS, a_fault('star_tracker', 'frozen', at=0.5, duration=0.5))
    told = []
    for _ in range(48):
        flight.step(torque=[1e-3, 2e-3, 0.0])
        if 'star_tracker' in flight.readings.new:
            told.append((flight.instant.elapsed, flight.readings.star_tracker))
    ticks, attitudes = zip(*((tick, tuple(one.q_WT)) for tick, one in told), strict=True)
    assert ticks == (3, 11, 19, 27, 35, 43)
    assert attitudes[1] == attitudes[2] == attitudes[3]
    assert len({*attitudes[:2], *attitudes[4:]}) == 4
    assert [one.measured for _, one in told] == [0, 8, 16, 24, 32, 40]  # it says they are new


def test_a_frozen_sensor_that_was_blind_before_repeats_what_it_saw_last():
    spin = {'initial.angular_velocity': [0.0, 0.0, 2.0]}
    frozen = together(*(a_fault(f'sun_sensor.{one}', 'frozen', name=one, at=2.0) for one in 'ab'))
    flight, seen = a_flight(ORBIT, spin, frozen), {'a': None, 'b': None}
    told = 0
    for _ in range(200):
        flight.step()
        for one, last in seen.items():
            own = flight.readings[f'sun_sensor/{one}']
            if own.why or f'sun_sensor/{one}' not in flight.readings.new:
                continue
            if flight.instant.elapsed <= 64:
                seen[one] = own.direction_S
            else:
                assert last is not None and np.array_equal(own.direction_S, last)
                told += 1
    assert told > 50


def test_a_silent_sensor_does_not_speak_and_its_last_reading_stays():
    flight = a_flight(SENSORS, a_fault('magnetometer', 'silent', at=0.25, duration=0.25))
    told = []
    for _ in range(24):
        flight.step(torque=[1e-3, 2e-3, 0.0])
        told.append(('magnetometer' in flight.readings.new, flight.readings.magnetic_field))
    came = [new for new, _ in told]
    assert came == [True] * 8 + [False] * 8 + [True] * 8
    assert all(np.array_equal(field, told[7][1]) for _, field in told[8:16])
    assert not np.array_equal(told[16][1], told[7][1])


def test_readings_are_lost_with_the_probability_given():
    flight = a_flight(a_fault('imu', 'lost', (0.3,)))
    came = series(flight, 1000, lambda said: 'imu' in said.new)
    assert 1.0 - came.mean() == approx(0.3, abs=4.0 * math.sqrt(0.3 * 0.7 / 1000.0))
    again = series(a_flight(a_fault('imu', 'lost', (0.3,))), 1000, lambda said: 'imu' in said.new)
    assert np.array_equal(came, again)  # by seed and tick
    other = series(
        a_flight(a_fault('imu', 'lost', (0.3,)), {'seed': 5}), 1000, lambda said: 'imu' in said.new
    )
    assert not np.array_equal(came, other)


def test_a_star_tracker_is_turned_about_its_own_axes_or_says_nothing():
    turn = [0.0, 0.0, 90.0]
    own = {'star_tracker.orientation': [math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0]}
    flight = after(a_flight(SENSORS, own, a_fault('star_tracker', 'turned', turn)), 12)
    healthy = after(a_flight(SENSORS, own), 12)
    q_WT, true_WT = flight.readings.star_tracker.q_WT, healthy.readings.star_tracker.q_WT
    w, x, y, z = true_WT
    half = math.sqrt(0.5)  # times (half, 0, 0, half) on the right
    wanted = half * np.array((w - z, x + y, y - x, z + w))
    assert abs(q_WT @ wanted) == approx(1.0, abs=1e-12)
    assert abs(q_WT @ true_WT) == approx(half, abs=1e-9)
    assert flight.readings.star_tracker.age == healthy.readings.star_tracker.age
    silent = a_flight(SENSORS, a_fault('star_tracker', 'silent', at=0.5))
    came = series(silent, 40, lambda said: 'star_tracker' in said.new)
    assert came[:16].any()
    assert not came[16:].any()


HALF = math.sqrt(0.5)
ORBIT = {
    'orbit.model': 'kepler', 'epoch': '2026-03-20T12:00:00Z', 'orbit.semi_major_axis': 7e6,
    'sun_cells': ['p', 'm'], 'sun_cell.p.direction': [1.0, 0.0, 0.0],
    'sun_cell.m.direction': [-1.0, 0.0, 0.0],
    'sun_sensors': ['a', 'b'], 'sun_sensor.a.orientation': [HALF, 0.0, HALF, 0.0],
    'sun_sensor.b.orientation': [HALF, 0.0, -HALF, 0.0],
    'horizon_sensor.enabled': True, 'horizon_sensor.orientation': [HALF, 0.0, -HALF, 0.0],
    'gnss.enabled': True,
}  # fmt: skip


def in_orbit(*parameters):
    """Return a Flight in an orbit after one second, at the start of which a fault begins."""
    return after(a_flight(ORBIT, *parameters), 33)


def test_sensors_in_an_orbit_err_as_their_faults_say():
    healthy = in_orbit().readings
    lit = 'p' if healthy['sun_sensor/p'].illuminance > 0.0 else 'm'
    seeing = next(one for one in 'ab' if healthy[f'sun_sensor/{one}'].why == 0.0)
    own = in_orbit(together(
        a_fault(f'sun_cell.{lit}', 'scale', (0.5,), 'dusty'),
        a_fault(f'sun_sensor.{seeing}', 'turned', (90.0, 0.0, 0.0), 'bent'),
        a_fault('horizon_sensor', 'turned', (0.0, 0.0, 180.0), 'upside_down'),
        a_fault('gnss', 'bias', (100.0, 0.0, -50.0), 'spoofed'),
    )).readings  # fmt: skip
    cell = f'sun_sensor/{lit}'
    assert own[cell].illuminance == approx(0.5 * healthy[cell].illuminance, rel=1e-12)
    x, y, z = healthy[f'sun_sensor/{seeing}'].direction_S
    assert own[f'sun_sensor/{seeing}'].direction_S == approx([x, -z, y], abs=1e-12)
    x, y, z = healthy['horizon_sensor'].nadir_S
    assert z > 0.9
    assert own['horizon_sensor'].nadir_S == approx([-x, -y, z], abs=1e-12)
    assert own['gnss'].position_E - healthy['gnss'].position_E == approx(
        [100.0, 0.0, -50.0], abs=1e-8
    )
    assert np.array_equal(own['gnss'].velocity_E, healthy['gnss'].velocity_E)


def test_a_sensor_that_sees_nothing_is_not_made_to_see():
    healthy = in_orbit().readings
    blind = next(one for one in 'ab' if healthy[f'sun_sensor/{one}'].why != 0.0)
    fault = a_fault(f'sun_sensor.{blind}', 'turned', (10.0, 0.0, 0.0))
    own = in_orbit(fault).readings[f'sun_sensor/{blind}']
    assert own.why == healthy[f'sun_sensor/{blind}'].why
    assert np.array_equal(own.direction_S, healthy[f'sun_sensor/{blind}'].direction_S)


def test_the_tally_counts_what_a_fault_keeps_back():
    flight = a_flight(SENSORS, a_fault('magnetometer', 'silent', at=0.25, duration=0.25))
    tally = Tally(flight.scenario.sensors)
    for _ in range(24):
        flight.step()
        tally.add(flight.instant.readings)
        if flight.instant.elapsed == 10:
            assert tally.silent() == {'magnetometer': 'a fault'}
    assert tally.texts()['magnetometer'] == '16 of 24 readings; a fault: 8'
    assert tally.silent() == {}


# --- when ----------------------------------------------------------------------------------------


def acting_at(flight, ticks, **commands):
    """Return (ticks, faults): for how many ticks each has acted at the end of each tick."""
    return series_of(flight, ticks, lambda: flight.instant.inputs.faults, **commands)


def series_of(flight, ticks, read, **commands):
    """Return what `read` gives after each tick."""
    found = []
    for _ in range(ticks):
        flight.step(**commands)
        found.append(np.array(read()))
    return np.array(found)


def test_a_timetable_begins_and_ends_a_fault():
    ages = acting_at(a_flight(a_fault('wheel.x', 'dead', at=0.25, duration=0.125)), 16)[:, 0]
    # The tick that begins at 0.25 s is the ninth.
    assert ages.tolist() == [0.0] * 8 + [1.0, 2.0, 3.0, 4.0] + [0.0] * 4


def test_a_condition_begins_a_fault_for_its_time_once():
    # dΩ/dt of wheel z at 1e-3 N m: 1e-3 / 2e-5 and a little more; above 10 rad/s after 0.2 s.
    own = a_fault('wheel.x', 'dead', at=-1.0, when='wheel.z.speed > 10 for 0.25 s', duration=0.5)
    flight = a_flight(own)
    ages = acting_at(flight, 64, wheel_torque=[0.0, 1e-3])[:, 0]
    gain = 1e-3 * (1.0 / WHEEL + 1.0 / (INERTIA - WHEEL))
    first = math.ceil(10.0 / gain / TICK) + 8
    assert np.flatnonzero(ages).tolist() == list(range(first, first + 16))


def test_a_condition_that_breaks_begins_anew():
    flight = a_flight(a_fault('wheel.x', 'dead', at=-1.0, when='wheel.z.speed > 10 for 0.25 s'))
    above, acted = [], []
    for torque in (1e-3,) * 10 + (-1e-3,) * 8 + (1e-3,) * 30:
        above.append(true_speeds(flight)[1] > 10.0)
        flight.step(wheel_torque=[0.0, torque])
        acted.append(bool(flight.instant.inputs.faults[0]))
    broken = above.index(False, above.index(True))
    again = above.index(True, broken)
    assert all(above[again : again + 9])
    assert acted == [k >= again + 8 for k in range(48)]


def test_quantities_of_conditions_are_the_true_ones():
    asked = {
        'time': 'time > 0.4', 'rate': 'rate > 0.02', 'momentum': 'momentum > 0.0022',
        'fastest': 'wheel_speed < 99.9', 'chain': 'fault.time > 0.5',
    }  # fmt: skip
    own = together(*(a_fault('wheel.x', 'tachometer', name=name, at=-1.0, when=text)
                     for name, text in asked.items()))  # fmt: skip
    flight, begun = a_flight(own), {}
    for _ in range(64):
        instant = flight.instant
        flight.step(torque=[0.0, 0.0, 1e-3])
        for change in flight.faults.changes:
            begun[change.fault.name] = instant
    craft = flight.scenario.plant.spacecraft
    assert begun['time'].elapsed_time == 0.40625
    assert begun['chain'].elapsed == begun['time'].elapsed + 1
    rate = np.linalg.norm(craft.angular_velocity_B(begun['rate'].state))
    assert 0.02 < rate < 0.02 + 1e-3 / INERTIA * TICK * 1.01
    size = np.linalg.norm(begun['momentum'].state.angular_momentum_W)
    assert 0.0022 < size < 0.0022 + 1e-3 * TICK
    assert 99.9 - 0.02 < craft.wheel_speeds(begun['fastest'].state)[0] < 99.9


def test_sunlight_begins_a_fault():
    flight = a_flight(ORBIT, a_fault('gnss', 'silent', at=-1.0, when='sunlight > 0.5'))
    assert flight.scenario.plant.environment.surroundings.at(0.0)[LIT] == 1.0
    assert acting_at(flight, 2)[:, 0].tolist() == [1.0, 2.0]


def test_force_overrules_the_plan():
    flight = a_flight(a_fault('wheel.x', 'dead', at=0.5, duration=0.5))
    assert not acting_at(flight, 8).any()
    flight.faults.forced['one'] = 'now'
    assert acting_at(flight, 4)[:, 0].tolist() == [1.0, 2.0, 3.0, 4.0]
    flight.faults.forced['one'] = 'never'
    assert not acting_at(flight, 12).any()
    flight.faults.forced['one'] = 'as planned'
    assert acting_at(flight, 10)[:, 0].tolist() == [
        1.0,
        2.0,
        3.0,
        4.0,
        5.0,
        6.0,
        7.0,
        8.0,
        0.0,
        0.0,
    ]
    assert acting_at(a_flight(a_fault('wheel.x', 'dead', at=-1.0, force='now')), 2).all()


def test_changes_are_told_in_words():
    flight, told = a_flight(a_fault('wheel.x', 'stuck', (0.01,), at=0.25, duration=0.25)), []
    for _ in range(24):
        flight.step()
        told += [change.text() for change in flight.faults.changes]
        if flight.instant.elapsed == 10:
            assert flight.faults.acting() == ['one (wheel.x stuck 0.01) for 0.0625 s']
    assert told == [
        'fault one begins at 0.25 s: wheel.x stuck 0.01; its time has come',
        'fault one ends at 0.5 s: wheel.x stuck 0.01; its time is over',
    ]


def test_a_run_tells_from_when_to_when_each_fault_has_acted():
    several = together(
        a_fault('wheel.x', 'dead', name='a', at=0.25, duration=0.25),
        a_fault('wheel.x', 'dead', name='b', at=0.5),
        a_fault('wheel.x', 'dead', name='c', at=-1.0),
    )
    flight = a_flight(several)
    spans = FaultSpans(flight.scenario.plant)
    idle = 'c never: it has no at and no when, and nobody forced it'
    assert spans.text() == idle
    for tick in range(48):
        if tick in (24, 30):
            flight.faults.forced['a'] = 'now' if tick == 24 else 'as planned'
        flight.step()
        spans.add(flight.instant)
    acted = 'a from 0.25 s to 0.5 s, from 0.75 s to 0.9375 s; b from 0.5 s'
    assert spans.text() == f'{acted}; {idle}'


def test_a_reset_forgets_what_has_broken():
    flight = a_flight(a_fault('wheel.x', 'dead', at=-1.0, when='time > 0.2'))
    acting_at(flight, 10)
    schedule = flight.faults
    first = flight.scenario.first_instant()
    assert schedule.over(first, Inputs()).faults.tolist() == [0.0]
    assert [change.begins for change in schedule.changes] == [False]
    # What has begun it need not come again.
    flight = a_flight(a_fault('wheel.x', 'dead', at=-1.0, when='wheel.z.speed > 10'))
    assert acting_at(flight, 16, wheel_torque=[0.0, 1e-3])[-1] > 0.0
    instant, plant = flight.scenario.first_instant(), flight.scenario.plant
    for _ in range(16):
        assert not flight.faults.over(instant, Inputs()).faults.any()
        instant = next_instant(plant, instant, Inputs())


def test_a_controller_in_python_goes_on_after_a_silent_imu():
    base = scenario.load(scenario.find('cubesat_wheel_stuck'))
    # Longer than a gap after which a reading is doubted where there is no clock.
    silent = a_fault('imu', 'silent', at=0.5, duration=62.0) | {'tick_rate': 2.0}
    flight = after(Flight(scenario.changed(base, silent, 'test')), 2 * 62 + 1)
    assert not flight.instant.inputs.wheel_torque.any()  # held no longer than command_timeout
    after(flight, 2)
    assert flight.instant.inputs.wheel_torque.any()


# --- in a campaign -------------------------------------------------------------------------------


def test_a_campaign_has_the_flights_with_their_faults():
    base = scenario.load(scenario.find('cubesat_wheel_stuck'))
    found = [
        scenario.changed(base, {'fault.worn.at': worn, 'fault.seized.at': seized}, 'test')
        for worn, seized in ((0.5, 1.0), (-1.0, 0.25), (1.25, 1.25))
    ]
    played = python_flight.played(found, python_flight.shipped, 2.0)
    asked = flights.Asked(2.0, 0.01, 0.01, 0.0)
    flown = flights.fly(found, [one.first_instant() for one in found], asked, played)
    for n, one in enumerate(found):
        state = after(Flight(one), 64).instant.state
        assert np.array_equal(flown.states[n], np.concatenate(state[:4]))
        assert np.array_equal(flown.internal[n], state.internal)


def test_a_spacecraft_that_nobody_commands_has_its_faults_in_a_campaign():
    found = [scenario.build(BODY | a_fault('wheel.x', 'stuck', at=0.5), 'test')]
    campaign = SimpleNamespace(make=None)
    law, make = flights._commanding(campaign, found)
    assert (law, make) == (None, python_flight.shipped)
    played = python_flight.played(found, make, 1.0)
    asked = flights.Asked(1.0, 0.01, 0.01, 0.0)
    flown = flights.fly(found, [found[0].first_instant()], asked, played)
    state = after(Flight(found[0]), 32).instant.state
    assert np.array_equal(flown.internal[0], state.internal)
    assert true_speeds(after(Flight(found[0]), 32))[0] != 100.0


def test_a_batch_refuses_faults_by_name():
    found = scenario.build(BODY | a_fault('wheel.x', 'dead'), 'test')
    with pytest.raises(ValueError, match=r'scenario 0 has faults \(one\)'):
        side_by_side.arguments_of([found])


# --- bad parameters ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('given', 'said'),
    [
        (a_fault('wheel.q', 'dead'), "fault.one.component is 'wheel.q', and the spacecraft has"),
        (a_fault('magnetometer', 'silent'), "component is 'magnetometer', and the spacecraft has"),
        (a_fault('wheel.x', 'open'), "fault.one.kind is 'open'; a wheel may be dead, weak,"),
        (a_fault('wheel.x', 'dead', (1.0,)), 'fault.one.value has 1 numbers; dead takes 0'),
        (a_fault('wheel.x', 'weak', (1.5,)), 'fault.one.value is 1.5; give 0 to 1 share'),
        (a_fault('gyro', 'bias'), 'fault.one.value is missing: give 1 or 3 in deg/s'),
        (a_fault('imu', 'late'), 'fault.one.value is missing: give 1 in s'),
        (a_fault('imu', 'late', (60.5,)), 'fault.one.value is 60.5; give 0 to 60 s'),
        (a_fault('imu', 'late', (-0.1,)), 'fault.one.value is -0.1; give 0 to 60 s'),
        (a_fault('imu', 'late', (math.nan,)), 'fault.one.value'),
        (a_fault('imu', 'late', (1e308,)), 'fault.one.value'),
        (a_fault('imu', 'doubled', (2.0,)), 'fault.one.value is 2; give 0 to 1 share'),
        (a_fault('gyro', 'late', (0.1,)), "fault.one.kind is 'late'; a gyro may be bias, drift"),
        (a_fault('wheel.z', 'friction'), 'the wheel has no friction that could grow'),
        (a_fault('wheel.x', 'dead', at=-0.5), 'fault.one.at is -0.5 s; give 0 or more, or -1'),
        (a_fault('wheel.x', 'dead', when='sped > 3'), "fault.one.when: 'sped > 3': no quantity"),
        (a_fault('wheel.x', 'dead', when='sunlight < 1'), "no quantity 'sunlight'"),
        (a_fault('wheel.x', 'dead', force='maybe'), 'fault.one.force'),
        ({'faults': ['a', 'a']}, 'fault.a.component'),
        ({'faults': ['a b']}, 'letters, digits and _'),
        ({'faults': ['a']}, 'fault.a.component'),
        (together(a_fault('wheel.x', 'dead'), a_fault('wheel.x', 'dead')), "has 'one' twice"),
    ],
)  # fmt: skip
def test_a_bad_fault_is_refused_by_name(given, said):
    with pytest.raises(scenario.ScenarioError, match='test: ') as error:
        scenario.build({**BODY, **given}, 'test')
    assert said in str(error.value)


def test_a_star_tracker_turned_by_nothing_is_refused():
    with pytest.raises(scenario.ScenarioError, match='turn by 0'):
        a_flight(SENSORS, a_fault('star_tracker', 'turned', (0.0, 0.0, 0.0)))


def test_friction_too_large_for_the_tick_is_refused_with_the_fault_s_name():
    own = {'wheel.x.friction.viscous': 1e-5}
    with pytest.raises(scenario.ScenarioError, match=r'fault\.one \(wheel.x friction 1e\+06\)'):
        a_flight(own, a_fault('wheel.x', 'friction', (1e6,)))


def test_friction_of_several_faults_together_is_refused_where_each_alone_is_not():
    own = {'wheel.x.friction.viscous': 1e-5}
    several = [a_fault('wheel.x', 'friction', (1e3,), name) for name in 'ab']
    a_flight(own, several[0])
    with pytest.raises(scenario.ScenarioError, match=r'fault\.a .*; fault\.b .*: wheel\.x\.fr'):
        a_flight(own, together(*several))


def test_a_wheel_without_a_limit_asks_for_the_torque_of_its_bearing():
    given = {k: v for k, v in BODY.items() if k != 'wheel.x.max_torque'}
    with pytest.raises(scenario.ScenarioError, match='value is missing: give 1 in N m or a max_t'):
        scenario.build(given | {'wheel.x.max_torque': 1e6} | a_fault('wheel.x', 'stuck'), 'test')


def test_a_fault_that_nothing_begins_is_told_at_the_end():
    """One that is forced is told as it acted; one that waits for its condition is not named."""
    several = together(
        a_fault('wheel.x', 'weak', name='idle', at=-1.0),
        a_fault('wheel.x', 'dead', name='hand', at=-1.0, force='now'),
        a_fault('wheel.x', 'reversed', name='late', at=-1.0, when='rate > 100'),
        a_fault('wheel.x', 'held', name='due', at=1000.0),
    )
    flight = a_flight(several)
    spans = FaultSpans(flight.scenario.plant)
    flight.step()
    spans.add(flight.instant)
    assert (
        spans.text() == 'hand from 0 s; idle never: it has no at and no when, and nobody forced it'
    )


def test_the_summary_says_what_breaks_and_when():
    own = together(
        a_fault('wheel.x', 'stuck', (0.01,), 'a', at=5.0, duration=2.0),
        a_fault('gyro', 'bias', (0.1, 0.2, 0.3), 'b', at=-1.0, when='time > 3 for 2 s'),
        a_fault('wheel.x', 'weak', name='c', at=-1.0, force='never'),
    )
    flight = a_flight(own)
    assert list(configuration.lines(flight.scenario.plant)) == [
        'a: wheel.x stuck 0.01 N m, from 5 s, for 2 s',
        'b: gyro bias 0.1, 0.2, 0.3 deg/s, when time > 3 for 2 s',
        'c: wheel.x weak 0.5, only by force: it has no at and no when; forced never',
    ]
    assert [one.begins for one in flight.scenario.plant.spacecraft.faults] == [160, NEVER, NEVER]


def test_the_page_lists_each_kind_of_each_component():
    text = (ROOT / 'docs' / 'faults.md').read_text()
    for component, own in kinds.KINDS.items():
        for name, kind in own.items():
            row = f'| `{component}` | `{name}` | {kind.unit or "–"} | '
            assert row in text, (component, name)
            assert f'{kind.meaning} |' in text[text.index(row) :].partition('\n')[0], name
