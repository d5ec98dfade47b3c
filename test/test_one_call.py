# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A trajectory in one compiled call, and what a headless tick no longer computes."""

import pickle

import numpy as np
import pytest

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.simulation import Inputs, solver
from spacecraft_attitude_sim.core.simulation.commands import CommandRefusedError
from spacecraft_attitude_sim.flight.commands import Commands
from spacecraft_attitude_sim.recording.inputs_layout import widths_of

TICKS = 24
# Largest size of a random command of each part of Inputs; in half of the ticks a part that may
# have none has none.
SIZES = {
    'wheel_torque': 1e-4, 'wheel_speed': 10.0, 'gimbal_rate': 0.02, 'gimbal_torque': 1e-3,
    'thrust': 0.05, 'dipole': 0.05,
}  # fmt: skip
SOMETIMES = ('wheel_speed', 'gimbal_torque')


def coupled():
    """Return {name: Scenario} of the shipped ones that are more than a rigid body."""
    loaded = {name: scenario.load(scenario.find(name)) for name in scenario.shipped()}
    return {name: one for name, one in loaded.items() if one.plant.beyond_rigid_body}


CRAFTS = coupled()


def tables_for(spacecraft, ticks=TICKS):
    """Return {part of Inputs: (ticks, n)}, random commands of a Spacecraft."""
    random, tables = np.random.default_rng(7), {}
    for part, width in widths_of(spacecraft).items():
        if width and part != 'faults':
            rows = SIZES[part] * random.uniform(-1.0, 1.0, (ticks, width))
            if part in SOMETIMES:
                rows = np.where(random.random((ticks, width)) < 0.5, np.nan, rows)
            tables[part] = np.abs(rows) if part == 'thrust' else rows
    return tables


def stepped(plant, state, tables, wrench=None, ticks=TICKS):
    """Return the flat states of ticks, each computed by `step`."""
    rows, held = [to_flat(state)], {} if wrench is None else {'wrench': wrench}
    for tick in range(ticks):
        given = {part: table[tick] for part, table in tables.items()}
        state = simulation.step(plant, state, Inputs(**held, **given), tick)
        rows.append(to_flat(state))
    return np.array(rows)


@pytest.mark.parametrize('name', CRAFTS)
def test_one_call_has_the_bits_of_step_by_step(name, monkeypatch):
    plant, state = CRAFTS[name].plant, CRAFTS[name].initial
    tables = tables_for(plant.spacecraft)
    wrench = np.linspace(-1e-5, 1e-5, 12)
    expected = stepped(plant, state, tables, wrench)
    whole = simulation.trajectory(plant, state, TICKS, wrench, tables)
    assert whole.tobytes() == expected.tobytes()
    free = simulation.trajectory(plant, state, TICKS)
    assert free.tobytes() == stepped(plant, state, {}).tobytes()
    assert free[-1].tobytes() != whole[-1].tobytes()
    # In several calls, and where each tick is looked at again.
    monkeypatch.setattr(solver, 'AT_ONCE', 7)
    assert simulation.trajectory(plant, state, TICKS, wrench, tables).tobytes() == whole.tobytes()
    if isinstance(plant.solver, solver.Actuated):
        known = plant.solver._of(plant)
        plant.solver._known[:] = [known._replace(rate=0.0)]
        again = simulation.trajectory(plant, state, TICKS, wrench, tables)
        plant.solver._known[:] = [known]
        assert again.tobytes() == whole.tobytes()


def test_shipped_crafts_command_every_actuator_by_table():
    commanded = {part for craft in CRAFTS.values() for part in tables_for(craft.plant.spacecraft)}
    assert commanded >= set(SIZES) - {'wheel_speed'}


@pytest.mark.parametrize(
    ('given', 'words'),
    [
        ({'wheel_torgue': 0.0}, "'wheel_torgue' is no command; give any of wheel_torque, "),
        ({'wheel_speed': np.zeros((TICKS, 4))}, 'has no wheels with a servo; give wheel_torque'),
        ({'thrust': np.zeros((TICKS, 1))}, 'thrust: the spacecraft has no thrusters; it has whe'),
        ({'wheel_torque': np.zeros((TICKS, 2))}, r'has shape \(24, 2\); give \(24, [34]\): a row'),
        ({'wheel_torque': np.zeros((TICKS + 1, 4))}, r'has shape \(25, 4\); give \(24, '),
    ],
)
def test_a_table_that_does_not_fit_is_refused(given, words):
    craft = CRAFTS['cubesat_pyramid']
    with pytest.raises(ValueError, match=words):
        simulation.trajectory(craft.plant, craft.initial, TICKS, commands=given)


@pytest.mark.parametrize('name', ['cubesat_pyramid', 'cubesat_pyramid_limits'])
def test_a_motion_that_cannot_be_followed_ends_as_by_steps(name):
    craft = CRAFTS[name]
    wrench = np.zeros(12)
    wrench[7] = 4e9  # after some ticks it flies faster than light
    with pytest.raises(ArithmeticError) as one:
        stepped(craft.plant, craft.initial, {}, wrench)
    with pytest.raises(ArithmeticError) as other:
        simulation.trajectory(craft.plant, craft.initial, TICKS, wrench)
    assert str(one.value) == str(other.value)
    assert 'm/s, faster than light' in str(one.value)


# --- what a headless tick leaves for later -------------------------------------------------------


@pytest.mark.parametrize('name', ['cubesat_pyramid', 'cubesat_pyramid_limits'])
def test_the_energy_book_is_the_same_whenever_it_is_kept(name):
    """Of every instant it is made when asked for, of every second one as the flight goes on."""
    flown = [sas.Simulation(name, controller=None, every=every) for every in (1, 2)]
    for one in flown:
        one.step(wheel_torque=[1e-4, -2e-4, 0.0, 1e-4])
        one.step(angular_impulse=[1e-4, 0.0, -1e-4])
        one.advance(0.25)
    early = flown[0].run.to_pandas()  # a run in between changes nothing later
    for one in flown:
        one.step(impulse=[0.0, 1e-3, 0.0])
        one.advance(0.5)
    whole, half = (one.run.to_pandas() for one in flown)
    assert whole.iloc[: len(early)].equals(early)
    assert whole.iloc[::2].equals(half)
    assert whole['book_loads [J]'].any()
    assert whole['book_motors [J]'].any()


def test_a_run_keeps_its_instants_while_the_simulation_goes_on():
    craft = sas.Simulation('cubesat_pyramid_limits', controller=None)
    craft.advance(0.25)
    first = craft.run
    assert craft.run is first
    craft.advance(0.5)
    assert len(first) == 9 and first.time[-1] == 0.25
    assert len(craft.run) == 25
    copy = pickle.loads(pickle.dumps(craft.run))
    assert copy.attitude.tobytes() == craft.run.attitude.tobytes()
    assert copy['omega_x [rad/s]'].tobytes() == craft.run['omega_x [rad/s]'].tobytes()


def test_held_commands_are_shared_by_ticks_and_nobody_can_write_to_them():
    craft = CRAFTS['cubesat_pyramid_limits']
    commands, q_WB = Commands(craft), craft.initial.q_WB
    commands.give(wheel_torque=[1e-4, 0.0, 0.0, 0.0])
    first, second = commands.take(q_WB), commands.take(q_WB)
    assert second.wheel_torque is first.wheel_torque
    with pytest.raises(ValueError, match='read-only'):
        first.wheel_torque[0] = 1.0
    commands.give(wheel_torque={craft.plant.spacecraft.groups['wheels'].names[1]: 2e-4})
    assert commands.take(q_WB).wheel_torque.tolist() == [1e-4, 2e-4, 0.0, 0.0]
    assert first.wheel_torque.tolist() == [1e-4, 0.0, 0.0, 0.0]
    ticks = craft.plant.ticks.covering(craft.parameters['command_timeout'])
    # The second command holds one wheel for longer than the first holds the other.
    later = [commands.take(q_WB).wheel_torque.tolist() for _ in range(ticks)]
    assert later[ticks - 4][:2] == [1e-4, 2e-4]
    assert later[ticks - 3][:2] == [0.0, 2e-4]
    assert later[ticks - 2][:2] == [0.0, 2e-4]
    assert later[ticks - 1][:2] == [0.0, 0.0]


def test_a_refused_step_gives_back_what_was_held_and_for_how_long():
    crafts = [sas.Simulation('cubesat_pyramid_limits', controller=None) for _ in range(2)]
    for craft in crafts:
        craft.step(wheel_torque=[1e-4, 0.0, 0.0, 0.0])
        craft.advance(0.25)
    for wrong in ({'dipole': [np.nan] * 3}, {'wheel_torque': [0.0, 0.0, 0.0, np.inf]}):
        with pytest.raises(CommandRefusedError):
            crafts[0].step(torque=[1e-3, 0.0, 0.0], **wrong)
    for craft in crafts:
        craft.advance(0.5)
    one, other = (to_flat(craft.instant.state).tobytes() for craft in crafts)
    assert one == other
