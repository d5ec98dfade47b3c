# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""controller_delay: a torque acts some readings late, alike in a flight, a batch and a node."""

import numpy as np
import pytest

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.campaigns import flights
from spacecraft_attitude_sim.core.batch.batch import Batch
from spacecraft_attitude_sim.core.control.command_delay import CommandDelay, readings_late
from spacecraft_attitude_sim.flight import side_by_side


def test_a_command_is_due_with_the_first_reading_that_is_not_too_early():
    delay = CommandDelay(25, 'rest')
    due = [delay.due(time, f'of {time}') for time in range(0, 60, 10)]
    assert due == ['rest', 'rest', 'rest', 'of 0', 'of 10', 'of 20']
    assert delay.due(50, 'of 50 again') == 'of 20'  # the latest reading, once more
    assert delay.due(60, 'of 60') == 'of 30'
    assert delay.due(100, 'of 100') == 'of 60'  # readings were lost between
    delay.clear()
    assert delay.due(110, 'of 110') == 'rest'
    assert delay.due(0, 'of 0') == 'rest'  # time began again
    assert delay.due(30, 'of 30') == 'of 0'


def test_without_a_delay_a_command_is_due_at_once():
    delay = CommandDelay(0, 'rest')
    assert [delay.due(time, time) for time in (0, 10, 20)] == [0, 10, 20]


@pytest.mark.parametrize(
    ('delay_ns', 'late'), [(0, 0), (1, 1), (31_250_000, 1), (31_250_001, 2), (62_500_000, 2)]
)
def test_a_delay_is_whole_readings(delay_ns, late):
    assert readings_late(delay_ns, 31_250_000) == late


def held(seconds, ticks, **more):
    """Return the torques (ticks, 3) of a flight, and its last attitude, in Python."""
    changes = {'attitude_controller.controller_delay': seconds, **more}
    simulation = sas.Simulation('cubesat_pointing', parameters=changes)
    torques = []
    for _ in range(ticks):
        simulation.step()
        torques.append(simulation.instant.inputs.wrench[3:6])
    return np.array(torques), simulation


def test_the_first_torque_is_late_by_the_delay_and_then_that_of_no_delay():
    at_once, _ = held(0.0, 1)
    late, _ = held(0.07, 6)  # of 0.03125 s: three readings
    assert not late[:3].any()
    assert late[3].tobytes() == at_once[0].tobytes()  # nothing had turned it before
    assert at_once[0].any()


@pytest.mark.parametrize('interval', [1, 3])
def test_a_batch_delays_torques_as_a_flight_does(interval):
    """Bodies of one batch with other delays, to the bit; the torque is that of the node."""
    spaced = {'imu.interval': interval}
    delays = (0.0, 0.05, 0.2)
    alone = [held(delay, 40, **spaced)[1].instant for delay in delays]
    scenarios = [
        sas.load('cubesat_pointing', parameters=spaced
                 | {'attitude_controller.controller_delay': delay}) for delay in delays
    ]  # fmt: skip
    first = [one.first_instant() for one in scenarios]
    batch = Batch(
        **side_by_side.arguments_of(scenarios, first), law=flights.law_of(scenarios), threads=1
    )
    batch.advance(40)
    for row, one in zip(batch.states, alone, strict=True):
        assert row[3:7].tobytes() == one.state.q_WB.tobytes()
    assert len({row[3:7].tobytes() for row in batch.states}) == len(delays)


def test_the_delay_moves_the_margins_as_a_later_measurement_does():
    """The loop that flies with 0.05 s at 32 Hz has two readings of delay: the design says so."""
    changes = {'attitude_controller.controller_delay': 0.05}
    found = sas.design('cubesat_pointing', changes)
    assert found.case.delay == 0.0625
    plain = sas.design('cubesat_pointing')
    lost = plain.margins[0].crossover * 0.0625
    assert found.margins[0].phase == pytest.approx(plain.margins[0].phase - lost, abs=1e-9)
    assert found.margins[0].delay == pytest.approx(plain.margins[0].delay - 0.0625, rel=1e-9)
    assert 'controller_delay 0.05 s in whole intervals, as it flies' in str(found)
    exact = sas.design('cubesat_pointing', changes, delay=0.05)
    assert exact.case.delay == 0.05
    assert 'delay 0.05 s\n' in str(exact)
