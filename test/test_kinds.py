# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Kinds of parts: their places in flat arrays, their phases in turn, and the sets compiled."""

import math
import pickle
import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest
from craft_rows import rows_by

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.equations.multibody.kernels import (
    SETS,
    kernels_for,
    kernels_named,
)
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.parts import registry
from spacecraft_attitude_sim.core.parts.craft import (
    BOOK,
    PLACE_SIZE,
    PLACES,
    SWITCHING,
    WORK,
    place_of,
)
from spacecraft_attitude_sim.core.parts.internal_part import InternalPart
from spacecraft_attitude_sim.core.parts.kind import Kind, phases_of
from spacecraft_attitude_sim.core.parts.registry import (
    INSIDE,
    NAMES,
    SLOTS,
    constants_of,
    kind_of,
    places_of,
)
from spacecraft_attitude_sim.kernels.kernel import compiled, helper
from spacecraft_attitude_sim.kernels.pointers import borrowed, from_index, pointer_to

KINDS = tuple(map(kind_of, NAMES))
# It prints, after each of three scenarios, how many modules of kinds are imported, and whether
# those of formulas are: without parts, on a plane, and with parts.
IMPORTED = """
import sys
from spacecraft_attitude_sim.configuration import scenario

for name in 'tennis_racket', 'ellipsoid_rolling', 'cubesat_3u_mission':
    scenario.load(scenario.find(name)).first_instant()
    names = [name for name in sys.modules if '.core.parts.' in name]
    print(sum(name.endswith(('.kernel', '.description')) for name in names))
    print(int('spacecraft_attitude_sim.core.contact.formula' in sys.modules))
"""


def test_a_scenario_imports_only_the_kinds_and_formulas_that_it_has():
    done = subprocess.run([sys.executable, '-c', IMPORTED], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[:4] == ['0'] * 4
    assert int(done.stdout.split()[4]) > 0


def test_the_registry_names_all_kinds_and_those_inside():
    assert tuple(kind.name for kind in KINDS) == NAMES
    for name in NAMES:
        import_module(f'{registry.__package__}.{name}.description')
    inside = {kind.kind for kind in InternalPart.__subclasses__()}
    assert set(INSIDE) == inside and len(INSIDE) == len(inside)


def test_a_spacecraft_compiles_the_smallest_set_that_has_its_kinds():
    assert kernels_for(()).name == 'wheels'
    assert kernels_for(('reaction_wheels',)).name == 'wheels'
    assert kernels_for(('reaction_wheels', 'magnetorquers')).name == 'wheels'
    assert kernels_for(('magnetorquers', 'thrusters')).name == 'rigid'
    assert kernels_for(('viscous_slugs',)).name == 'fuel'
    assert kernels_for(('viscous_slugs', 'reaction_wheels')).name == 'fuel'
    assert kernels_for(('viscous_slugs', 'thrusters')).name == 'all'
    assert set(SETS['all']) == set(SLOTS) == {kind.name for kind in KINDS}


ONE_OF_EACH = {
    'body.mass': 4.0,
    'body.inertia': [0.04, 0.05, 0.03, 0.0, 0.0, 0.0],
    'wheels': ['v'],
    'wheel.v.axis': [0.0, 0.0, 1.0],
    'wheel.v.inertia': 1e-5,
    'wheel.v.max_torque': 1e-3,
    'wheel.v.torque_lag': 0.05,
    'magnetorquers': ['m'],
    'magnetorquer.m.axis': [1.0, 0.0, 0.0],
    'magnetorquer.m.max_dipole': 0.2,
}

JET = {
    'thrusters': ['t'],
    'thruster.t.position': [0.1, 0.0, 0.0],
    'thruster.t.direction': [0.0, 1.0, 0.0],
    'thruster.t.max_force': 0.05,
}


@pytest.mark.parametrize(
    ('given', 'switches'),
    [
        ({}, 0.0),
        ({'wheel.v.dead_time': 0.03}, 1.0),
        ({'magnetorquers_duty': 0.5}, 1.0),
        (JET, 1.0),
    ],
)
def test_a_tick_knows_whether_parts_may_switch_in_it(given, switches):
    """Without, it does not ask them, and a command would come a tick too early or never."""
    plant = scenario.build(ONE_OF_EACH | given, 'craft').plant
    assert plant.solver.parts[SWITCHING] == switches


GYRO = {
    'gimbals': ['g'],
    'gimbal.g.axis': [0.0, 1.0, 0.0],
    'gimbal.g.spin_axis': [1.0, 0.0, 0.0],
    'gimbal.g.rotor_inertia': 1e-5,
    'gimbal.g.rotor_speed': 300.0,
    'gimbal.g.inertias': [1e-6, 1e-6, 1e-6],
    'gimbal.g.max_rate': 0.5,
    'gimbal.g.max_torque': 1e-5,
}


@pytest.mark.parametrize(
    ('part', 'most'),
    [
        ('wheel_torque', 1e-3),
        ('gimbal_rate', 0.5),
        ('gimbal_torque', 1e-5),
        ('thrust', 0.05),
        ('dipole', 0.2),
    ],
)
def test_a_command_beyond_the_limit_of_its_actuator_has_the_bits_of_that_limit(part, most):
    """In the compiled step itself, for whoever gives it commands that no inbox has limited."""
    given = ONE_OF_EACH | JET | GYRO | {'magnetic_field': [1e-5, 2e-5, -3e-5]}
    found = scenario.build(given, 'craft')
    states = [
        simulation.next_instant(
            found.plant, found.first_instant(), Inputs(**{part: np.array((size * most,))})
        ).state
        for size in (0.5, 1.0, 3.0, 1e3)
    ]
    flat = [(one.angular_momentum_W.tobytes(), one.internal.tobytes()) for one in states]
    assert flat[1] == flat[2] == flat[3] != flat[0]


def test_all_sets_have_the_same_bits():
    """So that an added kind moves no bit of a spacecraft without it."""
    plant = scenario.load(scenario.find('cubesat_pyramid_limits')).plant
    wheels = plant.spacecraft.places['reaction_wheels'].number
    inputs = Inputs(
        wheel_torque=np.linspace(-4e-3, 3e-3, wheels), dipole=np.array((0.05, -0.2, 0.1))
    )
    state = scenario.load(scenario.find('cubesat_pyramid_limits')).initial
    assert plant.spacecraft.kernels.name == 'wheels'
    solver, step = plant.solver, plant.ticks.step
    sky = plant.environment.skies(solver.sky, range(1), plant.ticks.tick_ns)
    found = []
    for name in SETS:
        kernels = kernels_named(name)
        rows = rows_by(kernels.advance, plant, state, count=20, inputs=inputs)
        after = rows[-1, :SIZE].copy()
        internal = rows[-1, SIZE : SIZE + len(state.internal)].copy()
        end = kernels.end_of(after, internal, solver.parts, np.zeros(12), sky, 20 * step)
        motion = kernels.motion_of(after, internal, solver.parts)
        steps = kernels.substep_count(
            after, internal, solver.parts, np.zeros(12), sky, 20 * step, 100.0 * step
        )
        found.append((rows.tobytes() + end.tobytes() + motion.tobytes(), steps))
    assert len(found) == len(SETS)
    assert all(one == found[0] for one in found)
    assert rows[-1].tobytes() != rows[0].tobytes()
    assert steps > 1


def test_craft_with_fuel_have_the_bits_of_all_kinds_by_the_smaller_set():
    found = scenario.load(scenario.find('dual_spin'))
    assert found.plant.spacecraft.kernels.name == 'fuel'
    rows = [
        rows_by(kernels_named(name).advance, found.plant, found.initial, count=200)
        for name in ('fuel', 'all')
    ]
    assert rows[0].tobytes() == rows[1].tobytes()
    fuel = rows[0][:, SIZE + 1 : SIZE + len(found.initial.internal)]
    assert np.ptp(fuel, axis=0).max() > 0.01


def test_another_process_finds_the_same_kernel():
    kernel = kernels_named('wheels').motion_of
    assert pickle.loads(pickle.dumps(kernel)) is kernel
    assert kernel.__qualname__ == 'motion_of_wheels'


def test_generated_functions_have_names_of_their_own():
    """Code on disk calls them by name: under one name, one set once called those of another."""
    names = []
    for name in SETS:
        phases = vars(kernels_named(name)._phases)
        names += [
            function.__qualname__
            for function in phases.values()
            if hasattr(function, '__qualname__')
        ]
        names += [kernels_named(name).tick.__qualname__, kernels_named(name).motion.__qualname__]
    assert len(names) > 100
    assert len(set(names)) == len(names)


def test_places_of_kinds_follow_each_other_without_gap_or_overlap():
    counts = {kind.name: 2 + slot for slot, kind in enumerate(KINDS)}
    places = places_of(counts, queued=3)
    last = None
    for kind in KINDS:
        place = places[kind.name]
        if last is None:
            assert place[1:] == (PLACES + PLACE_SIZE * len(KINDS), WORK.size, SIZE, 0, 0)
        else:
            before, n = places[last.name], counts[last.name]
            states = last.state.size + (3 if last.queues else 0)
            assert place.row - before.row == n * last.row.size
            whole = math.ceil(n / 4) * 4 if last.fours else n
            assert place.work - before.work == whole * last.work
            assert place.value - before.value == whole * last.values
            assert place.state - before.state == n * states
            assert place.command - before.command == n * last.commands
        last = kind
    rows = {kind.name: np.full((counts[kind.name], kind.row.size), 7.0) for kind in KINDS}
    flat = constants_of({'mass': 3.0}, places, rows)
    for slot, kind in enumerate(KINDS):
        assert place_of(flat, slot) == places[kind.name]
        own = places[kind.name]
        assert np.all(flat[own.row : own.row + own.number * kind.row.size] == 7.0)
    assert len(flat) == places['end'].row
    internal = places['end'].state + BOOK.size
    assert internal in flat[:PLACES]


ONE = Layout(size=1)


def toy(name, factor, **phases):
    """Return a Kind with a sum that adds its constants times a factor, and no other phase."""

    @helper
    def energy(at, twice, parts, y, work, omega):
        for k in range(at.number):
            twice += factor * parts[at.row + k]
        return twice

    return Kind(name=name, row=ONE, state=ONE, values=1, energy=energy, **phases)


def test_phases_call_the_kinds_aboard_in_turn_and_no_others():
    places = {kind.name: place_of(np.zeros(200), 0) for kind in KINDS}
    first, second = KINDS[0].name, KINDS[1].name
    begin = PLACES + PLACE_SIZE * len(KINDS)
    places[first] = places[first]._replace(number=2, row=begin, value=0, state=0)
    places['end'] = places[first]._replace(number=0, row=begin + 3, work=1, value=3, state=3)
    rows = {first: np.array(((1.0,), (10.0,))), second: np.array(((1000.0,),))}
    parts = constants_of({}, places, rows)
    phases = phases_of([(0, toy(first, 2.0)), (1, toy(second, 5.0))], 'toys')
    nothing = np.zeros(3)
    omega = (0.0, 0.0, 0.0)
    # The second kind has no part aboard: its constants are not touched.
    assert phases.energy(0.5, parts, nothing, nothing, omega) == 22.5
    # Phases that a kind leaves out hand on what they are given, and do nothing.
    assert phases.dipole_bound(0.25, parts, parts, parts) == 0.25
    assert phases.switch(parts, nothing, nothing, nothing, 0.0, 0.0, 0.0) is None
    assert phases.excess(0, 0, parts, nothing) == 0.0
    assert phases.events(0, parts) == 0
    assert not phases.magnetic(parts)
    # A kind without load and keep has its states copied to y and back.
    internal, y = np.array((4.0, 5.0, 6.0)), np.zeros(3)
    phases.load(parts, internal, y, nothing)
    assert y.tolist() == [4.0, 5.0, 0.0]
    kept = np.zeros(3)
    phases.keep(parts, kept, y, nothing)
    assert kept.tolist() == [4.0, 5.0, 0.0]
    with pytest.raises(AttributeError, match='there is no function braking'):
        phases.braking(parts)


def test_what_is_borrowed_is_the_same_memory_and_no_reference_is_lost_or_kept():
    @compiled
    def written(array, several):
        alone, (first, number, (second,)) = borrowed(array), borrowed(several)
        for k in range(len(alone)):
            row = second[k]  # without an owner, too
            row[0] = alone[k] + number * first[k]
        return second[0, 0]

    array, first, second = np.array((1.0, 2.0)), np.array((10.0, 20.0)), np.zeros((2, 3))
    before = [sys.getrefcount(each) for each in (array, first, second)]
    for _ in range(50):
        assert written(array, (first, 0.5, (second,))) == 6.0
    assert second.tolist() == [[6.0, 0.0, 0.0], [12.0, 0.0, 0.0]]
    assert [sys.getrefcount(each) for each in (array, first, second)] == before


def test_a_pointer_is_its_array_in_python_and_has_no_bounds_in_compiled_code():
    @compiled
    def doubled(array):
        pointer = from_index(pointer_to(array), 1)
        pointer[1] = 2.0 * pointer[0]
        return pointer[1]

    doubled._kept = False
    array = np.array((1.0, 3.0, 0.0))
    assert doubled(array) == doubled.function(array) == 6.0
    assert array.tolist() == [1.0, 3.0, 6.0]
