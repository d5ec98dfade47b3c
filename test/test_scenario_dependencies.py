# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A changed scenario is the one built afresh, to the bit, whichever parameter changes.

Both follow one table, configuration/scenario_dependencies.py: TABLE. A parameter that changes a
result and is missing in the result's row is found here, and so is one that the row need not have.
"""

import collections
import enum
import functools
import re
import types

import numpy as np
import pytest

from spacecraft_attitude_sim.configuration import (
    contact_parameters,
    scenario,
    scenario_dependencies,
)
from spacecraft_attitude_sim.configuration.condition import Condition
from spacecraft_attitude_sim.configuration.scenario_dependencies import CONTACT, TABLE
from spacecraft_attitude_sim.core.environment.around import Surroundings
from spacecraft_attitude_sim.core.environment.orbit_table import OrbitTable
from spacecraft_attitude_sim.kernels.kernel import Handle, Kernel

BODY = {
    'body.mass': 50.0, 'body.inertia': [30.0, 28.0, 20.0, 0.1, 0.2, 0.3],
    'initial.angular_velocity': [0.01, 0.02, 0.03], 'duration': 4.0,
}  # fmt: skip
SHAPES = {
    'body.parts': ['bus', 'boom'], 'parts.bus.shape': 'box', 'parts.bus.size': [0.4, 0.3, 0.2],
    'parts.boom.shape': 'cylinder', 'parts.boom.size': [0.02, 1.0],
    'parts.boom.position': [0.0, 0.0, 0.7],
}  # fmt: skip
FRAMES = {
    'application_frames': ['nose'], 'application.nose.position': [0.5, 0.0, 0.0],
    'lockstep_frames': ['nose'],
}  # fmt: skip
WHEELS = {
    'wheels': ['x', 'y'],
    **{f'wheel.{name}.inertia': 1e-3 for name in 'xy'},
    **{f'wheel.{name}.max_torque': 0.1 for name in 'xy'},
    'wheel.x.axis': [1.0, 0.0, 0.0], 'wheel.y.axis': [0.0, 1.0, 0.0],
    'wheel.x.imbalance.static': 1e-6, 'wheel.y.friction.viscous': 1e-6,
}  # fmt: skip
OTHERS = {
    'gimbals': ['g'], 'gimbal.g.axis': [1.0, 0.0, 0.0], 'gimbal.g.spin_axis': [0.0, 1.0, 0.0],
    'gimbal.g.inertias': [1e-3, 1e-3, 1e-3], 'gimbal.g.rotor_inertia': 1e-3,
    'gimbal.g.rotor_speed': 600.0,
    'lockstep_topics': [f'command/{one}' for one in ('wheels', 'gimbals', 'thrusters', 'dipole')],
    'thrusters': ['t'], 'thruster.t.direction': [0.0, 0.0, 1.0], 'thruster.t.max_force': 1.0,
    'thruster.t.position': [0.1, 0.2, 0.0], 'thruster.t.misalignment': 0.01,
    'magnetorquers': ['m'], 'magnetorquer.m.axis': [0.0, 0.0, 1.0],
    'magnetorquer.m.max_dipole': 0.2,
}  # fmt: skip
FAULTS = {
    'faults': ['worn', 'blind'], 'fault.worn.component': 'wheel.y', 'fault.worn.kind': 'friction',
    'fault.worn.value': [2.0], 'fault.blind.component': 'gyro', 'fault.blind.kind': 'bias',
    'fault.blind.value': [0.1, 0.2, 0.3], 'fault.blind.when': 'rate > 0.5',
}  # fmt: skip
INSIDE = {
    'flexible_modes': ['bend'], 'flexible_mode.bend.coupling': [0.0, 2.0, 0.5],
    'flexible_mode.bend.frequency': 0.5, 'flexible_mode.bend.damping_ratio': 0.01,
    'panels': ['left'], 'panel.left.hinge': [0.1, 0.5, 0.0],
    'panel.left.axis': [1.0, 0.0, 0.0], 'panel.left.center': [0.1, 1.0, 0.25],
    'panel.left.mass': 3.0, 'panel.left.inertia': [0.25, 0.0625, 0.3, 0.0, 0.0, 0.01],
    'panel.left.stiffness': 0.3, 'panel.left.angle': -1.5,
    'sliding_masses': ['ball'], 'sliding_mass.ball.position': [0.1, 0.3, 0.0],
    'sliding_mass.ball.axis': [0.0, 1.0, 0.0], 'sliding_mass.ball.mass': 0.2,
    'sliding_mass.ball.stiffness': 0.05,
    'pendulums': ['tank'], 'pendulum.tank.pivot': [0.1, 0.0, 0.3],
    'pendulum.tank.rest': [0.0, 0.0, 1.0], 'pendulum.tank.mass': 5.0,
    'pendulum.tank.length': 0.2,
    'slugs': ['oil'], 'slug.oil.inertia': 0.5, 'slug.oil.damping': 0.1,
    'hysteresis_rods': ['rod'], 'hysteresis_rod.rod.axis': [0.0, 1.0, 0.0],
}  # fmt: skip
SENSORS = {
    'imu.position': [0.1, 0.0, 0.0], 'magnetometer.enabled': True, 'star_tracker.enabled': True,
    'horizon_sensor.enabled': True, 'gnss.enabled': True, 'sun_cells': ['c'],
    'sun_sensors': ['s'],
}  # fmt: skip
ORBIT = {
    'orbit.model': 'kepler', 'orbit.inclination': 0.9, 'orbit.eccentricity': 0.001,
    'surfaces': ['front'], 'surface.front.area': 0.1, 'surface.front.center': [0.1, 0.2, 0.3],
    'initial.frame': 'lvlh', 'eddy_currents.magnetic_tensor': [1.0, 2.0, 3.0],
    'magnetic_field': [0.0, 0.0, 0.0],
}  # fmt: skip
GIVEN_AROUND = {
    'magnetic_model': 'dipole', 'atmosphere': 'uniform', 'wind_model': 'uniform',
    'sun_model': 'uniform', 'irradiance_model': 'uniform',
}  # fmt: skip
DOWN = {'gravity': [0.0, 0.0, -9.81]}
PLANE = {'surface.shape': 'ellipsoid', 'floor.amplitude': 0.01, 'floor.angular_frequency': 3.0}
BOWL = {'surface.radius': 0.2, 'floor.shape': 'bowl', 'place': True}
FORMULA = {
    'surface.expression': 'x**2/a**2 + y**2 + z**2 - 0.01', 'surface.names': ['a'],
    'surface.values': [1.1], 'surface.size': 0.1, 'floor.expression': 'z - a*sin(x)',
    'floor.names': ['a'], 'floor.values': [0.05], 'floor.largest_curvature': 0.1,
}  # fmt: skip
# {name: (parameters of the simulator, of contact)}: together they need every result.
BASES = {
    'free': (BODY | SHAPES | FRAMES | DOWN, None),
    'other equations': (BODY | {'equations': 'euler_quaternion'}, None),
    'about the origin': (
        BODY | {'body.inertia_about': 'origin', 'body.center_of_mass': [0.1, 0.0, 0.0]}, None,
    ),
    'of parts': (
        {name: value for name, value in BODY.items() if not name.startswith('body.')}
        | SHAPES | {'parts.bus.mass': 4.0, 'parts.boom.mass': 0.1}, None,
    ),
    'orbit': (BODY | ORBIT | SENSORS | WHEELS | OTHERS | FRAMES | FAULTS, None),
    'given environment': (BODY | ORBIT | GIVEN_AROUND, None),
    'inside': (BODY | INSIDE | WHEELS, None),
    'hub': (BODY | INSIDE | {'body.given_for': 'hub', 'body.center_of_mass': [0.1, 0, 0]}, None),
    'circular orbit': (BODY | WHEELS | {'orbit.radius': 7e6, 'initial.frame': 'lvlh'}, None),
    'bearing': (
        BODY | DOWN | WHEELS
        | {'bearing.enabled': True, 'bearing.position': [0.01, 0.0, 0.02]}, None,
    ),
    'plane': (BODY | DOWN, PLANE),
    'bowl': (BODY | DOWN | FRAMES | {'body.center_of_mass': [0.0, 0.0, 0.01]}, BOWL),
    'formulas': (BODY | DOWN, FORMULA),
    'density': (
        {name: value for name, value in BODY.items() if not name.startswith('body.')}
        | DOWN | {'body.density': 500.0}, PLANE,
    ),
}  # fmt: skip
# Of a body with a density, a change of these replaces it; building afresh refuses the two.
REPLACING = ('body.mass', 'body.inertia', 'body.center_of_mass')
# A change of the model replaces figures that an actuator was given; building afresh they
# override it (test_actuator_parameters).
OVERRIDDEN = re.compile(r'(wheel|thruster|magnetorquer)\..*\.model')
# A cache, which depends on what was asked of the object.
CACHES = ('_known', '_flat', '_last', '_sampled')
# In how many bases each parameter is changed; most parameters are in all of them.
MOST_BASES = 5
PLAIN = {str, bytes, bool, int, type(None)}


@functools.cache
def base_of(name):
    given, contact = BASES[name]
    return scenario.build(given, 'x', contact)


def bits(thing):
    """Return everything that an object holds, as nested tuples of exact values."""
    kind = type(thing)
    if kind is float:
        return thing.hex()
    if kind is slice:
        return repr(thing)
    if kind in PLAIN or isinstance(thing, type | enum.Enum):
        return thing
    if isinstance(thing, np.ndarray | np.generic):
        return thing.shape, str(thing.dtype), thing.tobytes()
    if isinstance(thing, dict | types.MappingProxyType):
        return tuple((key, bits(value)) for key, value in thing.items())
    if isinstance(thing, Condition):
        return thing.text, thing.names, thing.seconds
    if isinstance(thing, tuple | list):
        return type(thing).__name__, tuple(map(bits, thing))
    if isinstance(thing, Surroundings):
        return thing.begins, bits(thing.kept(0.0, 2.0))
    if isinstance(thing, types.FunctionType | Kernel | Handle | OrbitTable):
        return id(thing)
    own = {
        name: value
        for name, value in vars(thing).items()
        if name not in CACHES
        and not isinstance(getattr(type(thing), name, None), functools.cached_property)
    }
    return type(thing).__name__, bits(own)


def outcome(make):
    """Return the bits of a Scenario, or the text of its refusal."""
    try:
        return bits(make())
    except scenario.ScenarioError as error:
        return str(error)


def other_values(parameter, value):
    """Return other values of a parameter, near that which it has; not all need be allowed."""
    if parameter.choices:
        others = [one for one in parameter.choices if one != value]
        return others[:2] if parameter.length is None else [others[:1]]
    if parameter.kind is str:
        if parameter.length is None:
            return ['other']
        return [value[1:], [*value, 'other']]
    if parameter.length is None:
        return [_other(parameter, value)]
    if parameter.length == (4,) and np.linalg.norm(value) == 1.0:
        return [[0.5, 0.5, -0.5, 0.5]]
    turned = [*value[1:], *value[:1]]
    lists = [[_other(parameter, number) for number in value]] if value else [[1.0]]
    return lists if turned == value else [*lists, turned]


def _other(parameter, value):
    if parameter.kind is bool:
        return not value
    if parameter.kind is int:
        return value + 1 if value < parameter.high else value - 1
    larger = 1.25 * value or min(0.125, parameter.high / 8.0)
    return larger if larger <= parameter.high else 0.75 * value


@functools.cache
def bases_with():
    """Return {parameter: the bases that have it}."""
    found = collections.defaultdict(list)
    for name in BASES:
        for key in scenario.catalogue(base_of(name).parameters):
            found[key].append(name)
    return found


def shared_out(key, name):
    """Return whether a parameter is changed in a base: of those that have it, in MOST_BASES."""
    found = bases_with()
    start = list(found).index(key)  # so that each base has its share
    return (found[key].index(name) - start) % len(found[key]) < MOST_BASES


def changes(name):
    """Return (parameters of the simulator, of contact) of changes of one parameter."""
    given, contact = BASES[name]
    present = base_of(name).parameters
    for key, parameter in scenario.catalogue(present).items():
        if not shared_out(key, name) or OVERRIDDEN.fullmatch(key):
            continue
        if not ('body.density' in given and key in REPLACING):
            for other in other_values(parameter, present.get(key, parameter.default)):
                yield {key: other}, {}
    floor = base_of(name).contact_parameters if contact else {}
    for key, value in contact_parameters.effective(floor).items() if contact else ():
        if not key.endswith('.shape'):  # each has parameters of its own
            for other in other_values(contact_parameters.BY_NAME[key], value):
                yield {}, {key: other}


def afresh(name, new, floor):
    """Return the bits of the Scenario that is built with changed parameters, or its refusal."""
    given, contact = BASES[name]
    given = given | new
    # Without its name a part has no parameters; a changed scenario drops them.
    known = scenario.catalogue(given)
    given = {key: value for key, value in given.items() if key in known}
    return outcome(lambda: scenario.build(given, 'x', {**contact, **floor} if contact else None))


@pytest.mark.parametrize('name', BASES)
def test_changing_one_parameter_is_building_afresh_to_the_bit(name):
    base, before, moved, wrong = base_of(name), bits(base_of(name)), 0, []
    for new, floor in changes(name):
        changed = outcome(lambda: scenario.changed(base, new, 'x', floor))  # noqa: B023
        expected = afresh(name, new, floor)
        moved += changed != before and type(changed) is not str
        # Of two that give the inertia, they may name another one first.
        refused = type(changed) is type(expected) is str and 'density' in next(iter(new), '')
        if changed != expected and not refused:
            wrong.append((new, floor, *(one for one in (changed, expected) if type(one) is str)))
    assert not wrong
    assert moved > 30  # the rest are refused


ROWS = [(row, one) for row, needs in TABLE.items() for one in needs.parameters]
# Those of which another is the beginning.
COVERED = [
    (row, one) for row, one in ROWS for r, o in ROWS if r == row and o != one and one.startswith(o)
]


@pytest.mark.parametrize(('row', 'left_out'), [one for one in ROWS if one not in COVERED])
def test_a_parameter_that_a_row_lacks_is_noticed(row, left_out, monkeypatch):
    """And so every one in the table is needed."""
    prefixes, results = TABLE[row]
    fewer = tuple(one for one in prefixes if not one.startswith(left_out))
    monkeypatch.setitem(TABLE, row, scenario_dependencies.Needs(fewer, results))
    if row == 'filled':  # the change is what makes it
        new = {'body.inertia_about': 'origin'} if 'about' in left_out else {}
        new |= {'body.density': 600.0} if left_out == 'body.density' else {}
        floor = {'surface.semi_axes': [0.1, 0.2, 0.3]} if left_out.startswith(CONTACT) else {}
        changed = outcome(lambda: scenario.changed(base_of('density'), new, 'x', floor))
        assert changed != afresh('density', new, floor)
        return
    said = []
    for given, contact in BASES.values():
        try:
            scenario.build(given, 'x', contact)
        except AssertionError as error:
            said.append(str(error))
    assert said
    assert all(one.startswith(f"'{row}' reads {left_out}") for one in said)


# (row, result that it needs, base and change that show it)
FOLLOWING = [
    ('body', 'parts', 'of parts', {'parts.bus.mass': 5.0}),
    ('body', 'carried', 'hub', {'panel.left.mass': 4.0}),
    ('frames', 'center_of_mass', 'free', {'body.center_of_mass': [0.1, 0.0, 0.0]}),
    ('lockstep', 'frames', 'free', {'application_frames': []}),
    ('sensors', 'center_of_mass', 'orbit', {'body.center_of_mass': [0.1, 0.0, 0.0]}),
    ('surface', 'center_of_mass', 'plane', {'body.center_of_mass': [0.0, 0.0, 0.01]}),
    ('contact', 'surface', 'plane', {'body.center_of_mass': [0.0, 0.0, 0.01]}),
    ('plant', 'body', 'free', {'body.mass': 51.0}),
    ('plant', 'sensors', 'free', {'imu.position': [0.1, 0.0, 0.0]}),
    ('plant', 'contact', 'plane', {'contact.friction': 0.25}),
    ('plant', 'aboard', 'orbit', {'wheel.x.inertia': 2e-3}),
    ('plant', 'aboard', 'inside', {'slug.oil.damping': 0.2}),
    ('plant', 'aboard', 'orbit', {'eddy_currents.magnetic_tensor': [1.0, 2.0, 4.0]}),
    ('plant', 'faults', 'orbit', {'fault.worn.value': [3.0]}),
    ('plant', 'orbit', 'circular orbit', {'orbit.start': [0.0, 1.0, 0.0]}),
    ('plant', 'surroundings', 'orbit', {'density_factor': 2.0}),
    ('plant', 'surfaces', 'orbit', {'surface.front.area': 0.2}),
    ('initial', 'plant', 'free', {'body.inertia': [31.0, 28.0, 20.0]}),
]


def test_every_result_that_a_row_needs_is_tried():
    listed = {(row, one) for row, needs in TABLE.items() for one in needs.results}
    assert {(row, one) for row, one, _, _ in FOLLOWING} == listed


@pytest.mark.parametrize(('row', 'left_out', 'name', 'change'), FOLLOWING)
def test_a_result_that_a_row_lacks_is_noticed(row, left_out, name, change, monkeypatch):
    floor = {key.removeprefix(CONTACT): one for key, one in change.items() if CONTACT in key}
    new = {} if floor else change
    expected = afresh(name, new, floor)
    assert outcome(lambda: scenario.changed(base_of(name), new, 'x', floor)) == expected
    prefixes, results = TABLE[row]
    fewer = tuple(one for one in results if one != left_out)
    monkeypatch.setitem(TABLE, row, scenario_dependencies.Needs(prefixes, fewer))
    assert outcome(lambda: scenario.changed(base_of(name), new, 'x', floor)) != expected


def test_what_depends_on_no_changed_parameter_is_kept():
    """So a campaign over rates makes one plant for all of its runs."""
    base = base_of('orbit')
    changed = scenario.changed(base, {'initial.angular_velocity': [0.1, 0.0, 0.0]}, 'x')
    assert changed.plant is base.plant
    assert changed.initial.angular_momentum_W[0] != base.initial.angular_momentum_W[0]


def test_the_description_changes_too():
    assert scenario.changed(base_of('free'), {'description': 'new'}, 'x').description == 'new'
