# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A long flight from Python in a compiled loop has the bits of the one tick after the other."""

import pickle

import numpy as np
import pytest
from plain import plain

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.api import compiled_flight
from spacecraft_attitude_sim.core.environment.circular_orbit import EARTH
from spacecraft_attitude_sim.core.environment.epoch import epoch_of
from spacecraft_attitude_sim.core.environment.kepler_orbit import KeplerOrbit
from spacecraft_attitude_sim.core.simulation import MotionError

# Sensors at intervals and with errors.
ERRING = plain({
    'imu.interval': 2, 'imu.model': 'stim300', 'magnetometer.interval': 2,
    'star_tracker.interval': 2, 'star_tracker.latency': 1, 'magnetometer.bandwidth': 0.3,
    'imu.gyroscope.bandwidth': 0.2, 'imu.accelerometer.bandwidth': [0.1, 0.0, 0.3],
})  # fmt: skip
# A controller whose target moves, from half a second on.
MOVING = {
    'attitude_controller.reference.angular_velocity': [0.0, 0.0, 0.02],
    'attitude_controller.mode': 'rate_damping',
    'attitude_controller.schedule.times': [0.5],
    'attitude_controller.schedule.modes': ['pointing'],
}
# Wheels that get their torque late, by a delay of no whole number of readings.
LATE = {
    'attitude_controller.schedule.times': [2.0, 6.0], 'attitude_controller.controller_delay': 2.3,
    'attitude_controller.gradient_compensation': True,
}  # fmt: skip
TICKS = 30
UTC = '2026-11-01T12:00:00Z'


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Let flights be compiled however short they are."""
    monkeypatch.setattr(compiled_flight, 'LONG', 1)


def arrays_of(run):
    """Return {name: bytes} of all arrays of a run."""
    found = {name: run._table[:, k] for k, name in enumerate(run._names)}
    for name, read in run.sensors.items():
        found |= {f'{name}.{part}': values for part, values in vars(read).items()}
    if run.error is not None:
        found |= {'error': run.error}
    return {name: np.ascontiguousarray(values).tobytes() for name, values in found.items()}


def both(simulation, ticks=TICKS):
    """Return the arrays of a compiled flight, and of the same in Python."""
    duration = ticks * simulation.scenario.plant.ticks.step
    compiled = simulation.flown_whole(duration)
    simulation.advance(duration)
    return arrays_of(compiled), arrays_of(simulation.run)


@pytest.mark.parametrize(
    ('name', 'given'),
    [
        ('cubesat_3u_leo', {}),
        ('cubesat_3u_leo', {'parameters': ERRING, 'every': 4}),
        ('cubesat_3u_leo', {'controller': None, 'accuracy': 1e-9}),
        ('cubesat_3u_leo', {'parameters': ERRING | LATE}),
        ('station_cmg', {'parameters': MOVING}),
        ('station_cmg', {'parameters': MOVING | {'attitude_controller.controller_delay': 0.5}}),
        ('csswe', {}),
        ('cubesat_pyramid_limits', {'every': 7}),
    ],
)
def test_every_array_of_a_compiled_flight_has_the_bits_of_python(name, given):
    compiled, python = both(sas.Simulation(name, **given))
    assert compiled.keys() == python.keys()
    assert [key for key in python if compiled[key] != python[key]] == []


def test_a_compensated_gravity_gradient_leaves_no_error():
    """3 GM/r³ (I_x - I_z) sin(60°)/2 turns a body that is held 30 degrees off the nadir."""
    orbit = {'orbit.model': 'kepler', 'orbit.semi_major_axis': 6878137.0, 'epoch': UTC}
    tilted, controller = [0.9659258262890683, 0.0, 0.25881904510252074, 0.0], 'attitude_controller'
    given = orbit | {'initial.attitude': tilted, 'initial.frame': 'lvlh'}
    given |= {f'{controller}.{name}': value for name, value in orbit.items()}
    given |= {f'{controller}.mode': 'nadir_pointing', f'{controller}.reference.nadir': tilted}
    left, none = (
        sas.simulate('cubesat_pointing', duration=60.0, parameters=given | {
            f'{controller}.gradient_compensation': compensated
        }).error[-1] for compensated in (False, True)
    )  # fmt: skip
    torque = 1.5 * EARTH / 6878137.0**3 * (0.0415 - 0.0069) * np.sin(np.radians(60.0))
    # The loop holds the error by its stiffness I_y ω_n²; the products of inertia add 1 % of that.
    assert left == pytest.approx(torque / (0.0412 * 0.3**2), rel=0.02)
    assert none < 1e-14  # rounding of the attitude, 2e-16, and no more


def test_simulate_chooses_the_compiled_flight_where_it_is_long(monkeypatch):
    seen, whole = [], compiled_flight.flown
    monkeypatch.setattr(
        compiled_flight, 'flown', lambda *given: seen.append(whole(*given)) or seen[-1]
    )
    compiled = sas.simulate('cubesat_3u_leo', duration=10.0)
    monkeypatch.setattr(compiled_flight, 'LONG', 21)
    python = sas.simulate('cubesat_3u_leo', duration=10.0)
    assert [one is not None for one in seen] == [True, False]
    sent = pickle.loads(pickle.dumps(compiled))
    assert arrays_of(compiled) == arrays_of(python) == arrays_of(sent)


@pytest.mark.parametrize(
    ('name', 'given'),
    [
        ('cubesat_3u_leo', {'controller': lambda readings: None}),
        ('thruster_limit_cycle', {}),
        ('tennis_racket', {}),
    ],
)
def test_what_is_not_compiled_flies_in_python(name, given):
    assert sas.Simulation(name, **given).flown_whole(1.0) is None


def test_a_flight_whose_rows_would_fill_the_memory_is_in_python(monkeypatch):
    monkeypatch.setattr(compiled_flight, 'MOST_KEPT', 100_000)
    simulation = sas.Simulation('cubesat_3u_leo')
    assert simulation.flown_whole(20.0) is not None
    assert simulation.flown_whole(100.0) is None


def test_a_flight_that_has_begun_goes_on_in_python():
    simulation = sas.Simulation('cubesat_3u_leo')
    simulation.step()
    assert simulation.flown_whole(20.0) is None


def test_an_orbit_that_is_not_known_to_the_end_is_told_as_in_python(tmp_path):
    """By the scenario the table lasts; the flight is longer."""
    states = KeplerOrbit(7e6, 0.01, 1.0).states_W(epoch_of(UTC), np.arange(7) * 10.0)
    lines = np.column_stack((np.arange(7) * 10.0, states)).tolist()
    table = tmp_path / 'orbit.csv'
    table.write_text('time,x,y,z,vx,vy,vz\n' + '\n'.join(','.join(map(repr, k)) for k in lines))
    values = {'orbit.model': 'table', 'orbit.table': str(table), 'epoch': UTC, 'duration': 60.0}
    simulation = sas.Simulation('cubesat_3u_leo', controller=None, parameters=values)
    assert simulation.flown_whole(60.0) is not None
    assert simulation.flown_whole(90.0) is None
    with pytest.raises(MotionError, match='the table of the orbit is from 0 s to 60 s'):
        simulation.advance(90.0)


def test_a_flight_until_a_condition_or_by_a_table_is_in_python(tmp_path):
    run = sas.simulate('cubesat_3u_leo', duration=20.0, until=lambda readings: readings.tick == 3)
    assert len(run) == 4
    table = tmp_path / 'inputs.csv'
    table.write_text('t [s],torque_x [N m],torque_y [N m],torque_z [N m]\n0,1e-6,0,0\n')
    simulation = sas.Simulation('cubesat_3u_leo', controller=None, inputs=table)
    assert simulation.flown_whole(10.0) is None


def test_a_motion_that_cannot_be_followed_ends_with_its_reason():
    """A wheel turns the body by more than half a turn in a step: a batch gives it up."""
    simulation = sas.Simulation(
        'cubesat_3u_leo', controller=None, angular_velocity=[6.2, 0.0, 0.0],
        parameters=plain({'wheel.x.torque': -1e-3, 'substeps': 1}),
    )  # fmt: skip
    assert simulation.flown_whole(20.0) is None
    with pytest.raises(MotionError, match='half a turn'):
        sas.simulate(simulation.scenario, controller=None, duration=20.0)
