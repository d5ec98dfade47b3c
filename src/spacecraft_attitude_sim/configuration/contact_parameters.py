# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the node contact, and the ContactModel made from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration import parameters, trust
from spacecraft_attitude_sim.configuration.parameter import (
    Parameter,
    ParameterError,
    attitude,
    blame,
    unit_quaternion,
    xyz,
)
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.fixed_order import product, turned

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spacecraft_attitude_sim.core.contact.floors import Floor
    from spacecraft_attitude_sim.core.contact.model import ContactModel
    from spacecraft_attitude_sim.core.contact.shapes import Surface
    from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3, Vector3
    from spacecraft_attitude_sim.kernels.kernel import Kernel


# A length or moment below this share of the largest is round-off and becomes zero.
ROUND_OFF = 1e-14
LENGTH: dict[str, Any] = {'low': 1e-9, 'high': 1e6}
# The fields of each shape. In a file, a field of another shape is an error. During a run it is
# accepted and unused until its shape is chosen, because parameters are set one by one.
SURFACES = {
    'sphere': ('radius',),
    'ellipsoid': ('semi_axes',),
    'superellipsoid': ('semi_axes', 'exponents'),
    'implicit': ('function', 'expression', 'names', 'values', 'size'),
}
MOTION = ('amplitude', 'angular_frequency', 'phase', 'conveyor', 'spin')
FLOORS = {
    'plane': ('normal', 'point', *MOTION),
    'bowl': ('center', 'radius', 'angular_velocity'),
    'dome': ('center', 'radius', 'angular_velocity'),
    'implicit': (
        'function', 'velocity_function', 'expression', 'velocity_expression', 'names', 'values',
        'largest_curvature', 'angular_frequency',
    ),
}  # fmt: skip

CONTACT = (
    Parameter(
        'mode', 'coulomb', '',
        'sliding: no friction. rolling: no slip. coulomb: slips or sticks, by the coefficient '
        '`friction`.',
        str, read_only=False, choices=('sliding', 'rolling', 'coulomb'),
    ),
    Parameter(
        'friction', 0.5, '', 'Coefficient of friction. Used with mode coulomb.', low=0.0, high=1e6,
        read_only=False,
    ),
    Parameter(
        'restitution', 0.0, '',
        'Coefficient of restitution. Its square is the fraction of the work of compression that '
        'the body gets back.', low=0.0, high=1.0, read_only=False,
    ),
    Parameter(
        'resting_speed', 1e-3, 'm/s',
        'Smallest approach speed at which the body bounces.', low=0.0,
        high=1e3, read_only=False,
    ),
    Parameter(
        'releases', True, '',
        'The body leaves the floor when the floor would have to pull it. If false, it stays on '
        'the floor, as a bead on a wire.', bool, read_only=False,
    ),
    Parameter(
        'place', False, '',
        "Place the body on the floor at the start. The position moves along the floor's normal "
        'until the body touches it. The velocity is made to agree with the floor; without slip '
        'also with the angular velocity.',
        bool,
    ),
    Parameter(
        'surface.shape', 'sphere', '',
        "Shape of the body's surface, which touches the floor.", str,
        choices=tuple(SURFACES),
    ),
    Parameter('surface.radius', 0.1, 'm', 'Radius of a sphere.', **LENGTH),
    Parameter(
        'surface.semi_axes', [0.3, 0.2, 0.15], 'm', 'Semi-axes of an ellipsoid or superellipsoid.',
        length=(3,), **LENGTH,
    ),
    Parameter(
        'surface.exponents', [2.0, 2.0], '',
        'Exponents of a superellipsoid: p about its z axis, q towards it. 2, 2: an ellipsoid.',
        length=(2,),
        low=2.0, high=16.0,
    ),
    xyz(
        'surface.center', 'm', 1e6, 'Origin of the surface, in the design axes of the body.',
    ),
    attitude(
        'surface.orientation',
        'Orientation: unit quaternion w, x, y, z, from surface to body axes.',
    ),
    Parameter(
        'surface.function', '', '',
        'Compiled function of an implicit surface, as package.module:name; see contact.md.',
        str,
    ),
    Parameter(
        'surface.expression', '', '',
        'Formula H of an implicit surface in x, y, z [m], negative inside, for example '
        "'x**2/a**2 + y**2 + z**2 - 0.01'. Give it or surface.function; see contact.md.", str,
    ),
    Parameter(
        'surface.names', [], '',
        'Names in the formula of the numbers in surface.values, in the same order.', str,
        length=(),
    ),
    Parameter(
        'surface.values', [0.0], '', "Parameters of the surface's function or formula.", length=(),
        low=-1e9, high=1e9,
    ),
    Parameter(
        'surface.size', 1.0, 'm', 'Approximate distance of an implicit surface from its origin.',
        **LENGTH,
    ),
    Parameter(
        'floor.shape', 'plane', '',
        'Shape of the floor. bowl: inside of a sphere. dome: outside of a sphere.', str,
        read_only=False, choices=tuple(FLOORS),
    ),
    xyz(
        'floor.normal', '', 1e6, 'Normal of a plane, towards the body, world axes, of any length.',
        (0.0, 0.0, 1.0), read_only=False,
    ),
    xyz(
        'floor.point', 'm', 1e6, 'Point of a plane, world axes. The plane spins about it.',
        read_only=False,
    ),
    Parameter(
        'floor.amplitude', 0.0, 'm',
        'Amplitude A of the heave of a plane along its normal, A sin(w t + phase).',
        low=0.0, high=1e3, read_only=False,
    ),
    Parameter(
        'floor.angular_frequency', 0.0, 'rad/s',
        "Angular frequency w of a plane's heave, or of the fastest motion of an implicit floor. "
        '0: for a formula, the simulator finds it.', low=0.0, high=1e4, read_only=False,
    ),
    Parameter(
        'floor.phase', 0.0, 'rad',
        'Phase of the heave of a plane.', low=-1e3, high=1e3, read_only=False
    ),
    xyz(
        'floor.conveyor', 'm/s', 1e3,
        "Velocity of a plane's material in the plane, world axes (a conveyor belt).",
        read_only=False,
    ),
    Parameter(
        'floor.spin', 0.0, 'rad/s',
        'Angular rate of a plane about its normal (a turntable).', low=-1e3,
        high=1e3, read_only=False,
    ),
    Parameter('floor.radius', 1.0, 'm', 'Radius of a bowl or dome.', read_only=False, **LENGTH),
    xyz(
        'floor.center', 'm', 1e6,
        'Centre of the sphere of a bowl or dome, world axes.', read_only=False,
    ),
    xyz(
        'floor.angular_velocity', 'rad/s', 1e3,
        'Angular velocity of a bowl or dome, world axes.', read_only=False,
    ),
    Parameter(
        'floor.function', '', '',
        'Compiled level function of an implicit floor, as package.module:name; see contact.md.',
        str,
    ),
    Parameter(
        'floor.velocity_function', '', '',
        "Compiled function of the velocity of an implicit floor's material, as "
        'package.module:name. Empty: the material is at rest.',
        str,
    ),
    Parameter(
        'floor.expression', '', '',
        'Formula G of an implicit floor in t [s], x, y, z [m], negative inside the floor, for '
        "example 'z - a*sin(k*x - w*t)'. Give it or floor.function; see contact.md.", str,
    ),
    Parameter(
        'floor.velocity_expression', [], '',
        'Velocity of the material of that floor [m/s]: three formulas. Empty: the material moves '
        "along the floor's normal.", str,
        length=(0, 3),
    ),
    Parameter(
        'floor.names', [], '',
        'Names in the formulas of the numbers in floor.values, in the same order.', str,
        length=(),
    ),
    Parameter(
        'floor.values', [0.0], '', "Parameters of the floor's functions or formulas.", length=(),
        low=-1e9, high=1e9, read_only=False,
    ),
    Parameter(
        'floor.largest_curvature', 0.0, '1/m',
        'Largest curvature of an implicit floor towards the body.', low=0.0, high=1e6,
        read_only=False,
    ),
    Parameter(
        'frames.contact', 'contact_point', '',
        'Name of the frame at the contact point. Its axes are those of world.', str,
    ),
)  # fmt: skip
BY_NAME = {parameter.name: parameter for parameter in CONTACT}


def checked(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return every parameter, checked and converted to its type; those not given have defaults.

    Raises ParameterError for an unknown name, an invalid value, or a field of another shape.
    """
    for name in given:
        if name not in BY_NAME:
            raise parameters.unknown(name, list(BY_NAME))
    given = with_shapes(given)
    values = {
        name: parameter.checked(given.get(name, parameter.default))
        for name, parameter in BY_NAME.items()
    }
    refuse_strangers(given, values)
    return values


def with_shapes(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return `given`, with shape `implicit` added where a function or expression implies it."""
    meant = {
        f'{prefix}.shape': 'implicit'
        for prefix in ('surface', 'floor')
        if f'{prefix}.expression' in given or f'{prefix}.function' in given
    }
    return {**meant, **given}


def refuse_strangers(given: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    """Raise ParameterError if a name in `given` belongs to another shape than that in `values`."""
    for name in given:
        prefix, _, field = name.partition('.')
        valid = _describing(prefix, values)
        if valid and field not in valid:
            raise ParameterError(
                f'{name} does not describe {prefix}.shape {values[f"{prefix}.shape"]}; valid are '
                + ', '.join(f'{prefix}.{other}' for other in valid)
            )


def effective(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the checked parameters without those of other shapes."""
    found = {}
    for name, value in values.items():
        prefix, _, field = name.partition('.')
        valid = _describing(prefix, values)
        if not valid or field in valid:
            found[name] = value
    return found


def _describing(prefix: str, values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the field names of the chosen surface or floor shape; () for other prefixes."""
    shapes = {'surface': SURFACES, 'floor': FLOORS}.get(prefix)
    if shapes is None:
        return ()
    common = ('center', 'orientation') if prefix == 'surface' else ()
    return ('shape', *common, *shapes[values[f'{prefix}.shape']])


def with_floor(values: Mapping[str, Any], surface: Surface) -> ContactModel:
    """Return the ContactModel from checked parameters and an existing Surface.

    Raises ParameterError naming key, value and remedy.
    """
    from spacecraft_attitude_sim.core.contact import model

    fields = ('mode', 'friction', 'restitution', 'resting_speed', 'releases')
    floor = _floor(values)
    with blame():
        return model.ContactModel(
            surface=surface, floor=floor, **{field: values[field] for field in fields}
        )


def filled(values: Mapping[str, Any], density: float) -> tuple[float, Matrix3, Vector3]:
    """Return mass [kg], inertia (3, 3) [kg m^2] and centre of mass (3,) [m] of a uniform body.

    The body fills the contact surface. All is in design axes; the inertia is about the centre of
    mass. Round-off values that symmetry makes zero are set to zero.

    values: checked parameters;  density: [kg/m^3]
    """
    from spacecraft_attitude_sim.core.contact import uniform

    surface = surface_of(values, np.zeros(3))
    with blame('surface '):
        solid = uniform.solid(surface)
    C_BS = rotations.dcm_from_quaternion(surface.q_BS)
    inertia = turned(C_BS, solid.inertia(density))
    inertia = _without_round_off((inertia + inertia.T) / 2.0, np.max(inertia))
    center = np.array(surface.center) + product(C_BS, solid.centroid)
    return density * solid.volume, inertia, _without_round_off(center, surface.survey.reach)


def _without_round_off(array: Array, size: float) -> Array:
    return np.where(np.abs(array) < ROUND_OFF * size, 0.0, array)


def surface_of(values: Mapping[str, Any], center_of_mass: Vector3) -> Surface:
    """Return the Surface of the body from checked parameters.

    center_of_mass: (3,) in design axes [m]
    Raises ParameterError naming key, value and remedy.
    """
    from spacecraft_attitude_sim.core.contact import shapes

    kinds = {
        'sphere': shapes.Sphere, 'ellipsoid': shapes.Ellipsoid,
        'superellipsoid': shapes.Superellipsoid, 'implicit': shapes.ImplicitSurface,
    }  # fmt: skip
    shape = values['surface.shape']
    fields = {field: values[f'surface.{field}'] for field in SURFACES[shape]}
    if shape == 'implicit':
        from spacecraft_attitude_sim.core.contact import formula, surface_functions

        fields.pop('expression')
        names = fields.pop('names')
        fields['function'] = (
            _formula(values, 'surface.expression', formula.surface, names)
            if _by_formula('surface', values)
            else trust.kernel(
                'surface.function', values['surface.function'], surface_functions.IMPLICIT
            )
        )
    q_BS = unit_quaternion(values, 'surface.orientation')
    center = np.array(values['surface.center']) - center_of_mass
    try:
        return kinds[shape](center=tuple(center), q_BS=tuple(q_BS), **fields)
    except ValueError as error:
        raise ParameterError(_by_its_key('surface', str(error), values)) from None


def _floor(values: Mapping[str, Any]) -> Floor:
    from spacecraft_attitude_sim.core.contact import floors

    shape = values['floor.shape']
    fields = {field: values[f'floor.{field}'] for field in FLOORS[shape]}
    if shape == 'implicit':
        kept = ('values', 'largest_curvature', 'angular_frequency')
        fields = {field: fields[field] for field in kept} | _floor_functions(values)
    kinds = {
        'plane': floors.Plane, 'bowl': floors.Bowl, 'dome': floors.Dome,
        'implicit': floors.ImplicitFloor,
    }  # fmt: skip
    try:
        return kinds[shape](**fields)
    except ValueError as error:
        raise ParameterError(_by_its_key('floor', str(error), values)) from None


def _by_its_key(prefix: str, text: str, values: Mapping[str, Any]) -> str:
    """Return the text of an error in a surface or floor, beginning with the user's key."""
    if values[f'{prefix}.shape'] == 'implicit' and values[f'{prefix}.expression']:
        for word in ('velocity_function', 'function'):
            if text.startswith(word):
                text = word.replace('function', 'expression') + text.removeprefix(word)
    return text if text.startswith(f'{prefix} ') else f'{prefix}.{text}'


def _floor_functions(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return {field: value}: functions of an implicit floor, and a derived angular frequency."""
    from spacecraft_attitude_sim.core.contact import floor_check, floor_functions, formula

    if not _by_formula('floor', values):
        keys = {'level': 'floor.function', 'velocity': 'floor.velocity_function'}
        return {
            field: trust.kernel(key, values[key], floor_functions.FLOOR)
            for field, key in keys.items()
            if field == 'level' or values[key]
        }
    names = values['floor.names']
    found: dict[str, Any] = {'level': _formula(values, 'floor.expression', formula.level, names)}
    make: Callable[[Any, Sequence[str]], Kernel]
    if values['floor.velocity_expression']:
        key, make = 'floor.velocity_expression', formula.velocity
    else:
        key, make = 'floor.expression', formula.velocity_along_normal
    found['velocity'] = _formula(values, key, make, names)
    parameters = np.array(values['floor.values'], dtype=float)
    with blame('floor.'):
        floor_check.check_motion(found['level'], found['velocity'], parameters)
    rate = floor_check.rate(found['level'], parameters)
    if rate > BY_NAME['floor.angular_frequency'].high:
        raise ParameterError(f'floor.expression changes at {rate:g} rad/s; 10 000 is the most')
    if not values['floor.angular_frequency']:
        found['angular_frequency'] = rate
    return found


def _by_formula(prefix: str, values: Mapping[str, Any]) -> bool:
    """Return whether an implicit shape is given by a formula instead of a function."""
    keys = [f'{prefix}.expression', f'{prefix}.function']
    given = [key for key in keys if values[key]]
    if len(given) == 2:
        raise ParameterError(f'{given[0]} and {given[1]} are both given; leave one out')
    if not given:
        raise ParameterError(
            f'{prefix}.shape is implicit; give {keys[0]}, or {keys[1]} (see contact.md)'
        )
    return given[0] == keys[0]


def _formula(
    values: Mapping[str, Any],
    key: str,
    make: Callable[[Any, Sequence[str]], Kernel],
    names: Sequence[str],
) -> Kernel:
    """Return the kernel that core.contact.formula compiles from a parameter's text or texts."""
    prefix = key.partition('.')[0]
    count = len(values[f'{prefix}.values'])
    if count != len(names) and (names or values[f'{prefix}.values'] != [0.0]):
        raise ParameterError(
            f'{prefix}.values has {count} values, and {prefix}.names {len(names)} names; give one '
            'name for each value'
        )
    with blame(f'{key} '):
        return make(values[key], names)
