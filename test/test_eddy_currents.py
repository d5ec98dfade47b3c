# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Eddy currents against closed forms, and against Euler's equations by DOP853 of SciPy."""

import math

import numpy as np
import pytest
from craft_rows import rows_by
from scipy.integrate import solve_ivp

from spacecraft_attitude_sim.configuration import scenario, scenario_report
from spacecraft_attitude_sim.configuration.scenario import ScenarioError
from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.batch.actuated import rows_of
from spacecraft_attitude_sim.core.batch.batch import Batch
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.body.state import SIZE, to_flat
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.parts.craft import END
from spacecraft_attitude_sim.core.parts.eddy_currents.description import EddyCurrents
from spacecraft_attitude_sim.core.simulation.plant import plant_of
from spacecraft_attitude_sim.core.simulation.tick import step

REST, LEVEL = np.zeros(3), np.array((1.0, 0.0, 0.0, 0.0))
FIELD_W = np.array((1.2e-5, -2.1e-5, 3.3e-5))
# Any direction: principal values about 2e3, 3e3 and 5e3 S m^4.
TENSOR = (2.2e3, 3.1e3, 4.7e3, 0.3e3, -0.4e3, 0.5e3)


def flown(plant, state, ticks):
    """Return the State after some ticks."""
    for tick in range(ticks):
        state = step(plant, state, Inputs(), tick)
    return state


def test_a_wire_loop_in_any_direction_has_two_principal_values_of_round_off():
    """M is m a aᵀ, a the axis of the loop; a clearly negative value is refused further below."""
    a = np.array((0.6, -0.48, 0.64))
    xx, yy, zz = a * a
    loop = EddyCurrents((xx, yy, zz, a[0] * a[1], a[0] * a[2], a[1] * a[2]))
    assert loop.matrix_B @ a == pytest.approx(a, rel=1e-14)


def test_a_sphere_loses_its_rate_across_the_field_exponentially_and_keeps_the_rest():
    """The closed form has no other term; RK4 in the automatic step is at 1e-12 of the rate."""
    inertia, tensor = 3.0, 4e4
    body = RigidBody(10.0, inertia * np.eye(3))
    shell = EddyCurrents((tensor, tensor, tensor, 0.0, 0.0, 0.0))
    field_W = 1e3 * FIELD_W  # of a laboratory, so that it happens in seconds
    plant = plant_of(body, magnetic_field_W=field_W, parts=(shell,))
    omega = np.array((0.3, 0.2, -0.1))
    state = plant.spacecraft.state(REST, LEVEL, REST, omega)
    last = flown(plant, state, 320)
    along = field_W / np.linalg.norm(field_W)
    kept = along * (along @ omega)
    rate = tensor * (field_W @ field_W) / inertia
    assert 0.5 < 10.0 * rate < 500.0
    expected = kept + (omega - kept) * math.exp(-rate * 10.0)
    turned = rotations.rotate(last.q_WB, plant.spacecraft.angular_velocity_B(last))
    assert turned == pytest.approx(expected, abs=1e-9)
    # What is lost is work of the field, by a quadrature of fourth order in the same steps.
    craft = plant.spacecraft
    book = craft.energy_book(last)
    gained = craft.kinetic_energy(last) - craft.kinetic_energy(state)
    assert book['loads'] == pytest.approx(gained, rel=1e-5)
    assert gained < -0.05


def test_a_body_of_any_shape_turns_as_by_eulers_equations():
    inertia = np.array(((2.0, 0.1, -0.05), (0.1, 2.5, 0.08), (-0.05, 0.08, 3.0)))
    shell = EddyCurrents(TENSOR)
    field_W = 200.0 * FIELD_W
    plant = plant_of(RigidBody(10.0, inertia), magnetic_field_W=field_W, parts=(shell,))
    omega = np.array((0.8, -0.5, 1.1))
    state = plant.spacecraft.state(REST, LEVEL, REST, omega)
    last = flown(plant, state, 640)

    def slope(_, y):
        q, w = y[:4], y[4:]
        field = rotations.rotate(rotations.conjugate(q / np.linalg.norm(q)), field_W)
        torque = np.cross(shell.matrix_B @ np.cross(w, field), field)
        turn = 0.5 * rotations.compose(q, np.concatenate(((0.0,), w)))
        return np.concatenate((turn, np.linalg.solve(inertia, torque - np.cross(w, inertia @ w))))

    exact = solve_ivp(
        slope, (0.0, 20.0), np.concatenate((LEVEL, omega)), method='DOP853', rtol=1e-12, atol=1e-13
    ).y[:, -1]
    assert plant.spacecraft.angular_velocity_B(last) == pytest.approx(exact[4:], abs=3e-9)
    lost = 0.5 * (omega @ inertia @ omega - exact[4:] @ inertia @ exact[4:])
    assert lost > 0.3  # so that a wrong tensor or sign is far beyond the tolerance


def test_a_field_that_turns_along_the_orbit_takes_the_body_with_it():
    """A body at rest feels -M dB/dt × B; dB/dt by differences of the published field."""
    given = {
        'body.mass': 4.0, 'body.inertia': [0.02, 0.03, 0.04], 'orbit.model': 'j2',
        'gravity_gradient': False, 'eddy_currents.magnetic_tensor': [*TENSOR],
    }  # fmt: skip
    plant = scenario.build(given, 'test').plant
    state = plant.spacecraft.state(REST, LEVEL, REST, REST)
    elapsed, h = 3200, 1.0
    time = plant.ticks.seconds(elapsed)
    field_W = plant.environment.magnetic_field_at
    rate_W = (field_W(time + h) - field_W(time - h)) / (2.0 * h)
    end = END.unpacked(plant.solver.end_of(plant, state, elapsed))
    matrix = plant.spacecraft.parts[0].matrix_B
    torque = np.cross(-matrix @ rate_W, field_W(time))
    expected = np.linalg.solve(plant.body.inertia, torque)
    size = np.linalg.norm(expected)
    assert end['angular_acceleration_B'] == pytest.approx(expected, abs=1e-5 * size)
    assert size > 1e-9


def test_strong_currents_take_more_steps_and_batch_and_python_have_the_same_bits():
    body = RigidBody(10.0, np.diag((2.0, 2.5, 3.0)))
    weak, strong = (
        plant_of(
            body, magnetic_field_W=1e3 * FIELD_W, parts=(EddyCurrents(factor * np.array(TENSOR)),)
        )
        for factor in (1.0, 1e4)
    )
    state = weak.spacecraft.state(REST, LEVEL, REST, np.array((0.2, 0.1, -0.3)))
    count, most = (plant.solver.steps(plant, state, np.zeros(12)) for plant in (weak, strong))
    loss = strong.spacecraft.parts[0].rows(None)[0, -1] * 1e6 * (FIELD_W @ FIELD_W) / 2.0
    assert count < 8 < most
    assert most >= loss / 32.0 / 0.125
    last = flown(strong, state, 4)
    batch = Batch(
        [plant.spacecraft.carrier for plant in (weak, strong)], [state] * 2,
        actuated=rows_of((weak, strong), [state] * 2, [Inputs()] * 2),
    )  # fmt: skip
    batch.advance(4)
    assert batch.states[1].tobytes() == to_flat(last)[:SIZE].tobytes()
    advance = weak.spacecraft.kernels.advance
    compiled, slowly = (
        rows_by(function, weak, state, count=2, substeps=2)
        for function in (advance, advance.function)
    )
    assert compiled.tobytes() == slowly.tobytes()


def test_they_are_parameters_of_a_scenario():
    given = {'magnetic_field': [0.0, 0.0, 3e-5], 'eddy_currents.magnetic_tensor': [1.0, 2.0, 3.0]}
    found = scenario.build(given, 'test')
    (part,) = found.plant.spacecraft.parts
    assert part.matrix_B.tolist() == np.diag((1.0, 2.0, 3.0)).tolist()
    lines = [line for line in scenario_report.report(found) if 'eddy' in line]
    text = 'parts     eddy currents: magnetic tensor [1, 2, 3, 0, 0, 0] S m^4 (xx, yy, zz, '
    assert lines == [text + 'xy, xz, yz)']
    none = scenario.changed(found, {'eddy_currents.magnetic_tensor': [0.0] * 3}, 'test')
    assert none.plant.spacecraft.parts == ()


@pytest.mark.parametrize(
    ('given', 'words'),
    [
        (
            {'eddy_currents.magnetic_tensor': [1.0, 2.0, 3.0], 'magnetic_field': [0.0] * 3},
            'there is no magnetic field',
        ),
        (
            {'eddy_currents.magnetic_tensor': [1.0, -2.0, 3.0], 'magnetic_field': [0, 0, 3e-5]},
            r'eddy_currents.magnetic_tensor has the principal values .* none may be negative',
        ),
        ({'eddy_currents.magnetic_tensor': [1e308, 0.0, 0.0]}, 'give a number from'),
        ({'eddy_currents.magnetic_tensor': [1.0, 2.0]}, 'give 3 or 6'),
    ],
)
def test_what_they_cannot_be_is_refused_by_name(given, words):
    with pytest.raises(ScenarioError, match=words):
        scenario.build(given, 'test')
