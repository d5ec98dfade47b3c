# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the contact node, and the ContactModel they describe."""

from typing import Any

import numpy as np

from spacecraft_attitude_sim.core import rotations
from spacecraft_attitude_sim.files import parameters, trust
from spacecraft_attitude_sim.files.parameters import Parameter, ParameterError

LENGTH: dict[str, Any] = {'low': 1e-9, 'high': 1e6}
PLACE: dict[str, Any] = {'length': (3,), 'low': -1e6, 'high': 1e6}
# What describes each shape. In a file, what describes another shape is refused; in mid-run it
# waits for its shape, because parameters are set one by one.
SURFACES = {
    'sphere': ('radius',),
    'ellipsoid': ('semi_axes',),
    'superellipsoid': ('semi_axes', 'exponents'),
    'implicit': ('function', 'values', 'size'),
}
MOTION = ('amplitude', 'angular_frequency', 'phase', 'conveyor', 'spin')
FLOORS = {
    'plane': ('normal', 'point', *MOTION),
    'bowl': ('center', 'radius', 'angular_velocity'),
    'dome': ('center', 'radius', 'angular_velocity'),
    'implicit': (
        'function', 'velocity_function', 'values', 'largest_curvature', 'angular_frequency',
    ),
}  # fmt: skip

CONTACT = (
    Parameter(
        'mode', 'coulomb', '',
        'sliding: no friction; rolling: no slip; coulomb: slips or sticks as `friction` says.',
        str, read_only=False, choices=('sliding', 'rolling', 'coulomb'),
    ),
    Parameter(
        'friction', 0.5, '', "Coefficient of friction of mode 'coulomb'.", low=0.0, high=1e6,
        read_only=False,
    ),
    Parameter(
        'restitution', 0.0, '',
        "Coefficient of restitution; its square is the part of the compression's work that comes "
        'back.', low=0.0, high=1.0, read_only=False,
    ),
    Parameter(
        'resting_speed', 1e-3, 'm/s', 'An approach slower than this does not bounce.', low=0.0,
        high=1e3, read_only=False,
    ),
    Parameter(
        'releases', True, '', 'Let go when the floor would have to pull; false for a bead that '
        'stays on the floor.', bool, read_only=False,
    ),
    Parameter(
        'place', False, '',
        "Start on the floor: move the initial position along the floor's normal until it touches, "
        'and fit the initial velocity to the floor, without slip to the angular velocity too.',
        bool,
    ),
    Parameter(
        'surface.shape', 'sphere', '', "The body's surface, which touches the floor.", str,
        choices=tuple(SURFACES),
    ),
    Parameter('surface.radius', 0.1, 'm', 'Radius of a sphere.', **LENGTH),
    Parameter(
        'surface.semi_axes', [0.3, 0.2, 0.15], 'm', 'Semi-axes of an ellipsoid or superellipsoid.',
        length=(3,), **LENGTH,
    ),
    Parameter(
        'surface.exponents', [2.0, 2.0], '',
        'Of a superellipsoid: p round its z axis, q towards it; 2 is an ellipsoid.', length=(2,),
        low=2.0, high=16.0,
    ),
    Parameter(
        'surface.center', [0.0, 0.0, 0.0], 'm',
        'Origin of the surface, in the axes the body was designed in.', **PLACE,
    ),
    Parameter(
        'surface.orientation', [1.0, 0.0, 0.0, 0.0], '',
        'Unit quaternion w, x, y, z, surface axes to body.', length=(4,), low=-2.0, high=2.0,
    ),
    Parameter(
        'surface.function', '', '',
        'Of an implicit surface: package.module:name of a compiled function; see contact.md.',
        str,
    ),
    Parameter(
        'surface.values', [0.0], '', "That function's parameters.", length=(), low=-1e9, high=1e9
    ),
    Parameter(
        'surface.size', 1.0, 'm', 'About how far an implicit surface is from its origin.',
        **LENGTH,
    ),
    Parameter(
        'floor.shape', 'plane', '', 'bowl: inside of a sphere; dome: outside of one.', str,
        read_only=False, choices=tuple(FLOORS),
    ),
    Parameter(
        'floor.normal', [0.0, 0.0, 1.0], '', 'Direction out of a plane, world; of any length.',
        length=(3,), low=-1e6, high=1e6, read_only=False,
    ),
    Parameter(
        'floor.point', [0.0, 0.0, 0.0], 'm', 'A point of a plane, world; its spin is about it.',
        read_only=False, **PLACE,
    ),
    Parameter(
        'floor.amplitude', 0.0, 'm', 'Heave of a plane along its normal: A sin(w t + phase).',
        low=0.0, high=1e3, read_only=False,
    ),
    Parameter(
        'floor.angular_frequency', 0.0, 'rad/s',
        "w of a plane's heave, or of the fastest part of an implicit floor's motion.", low=0.0,
        high=1e4, read_only=False,
    ),
    Parameter(
        'floor.phase', 0.0, 'rad', 'phase of that heave.', low=-1e3, high=1e3, read_only=False
    ),
    Parameter(
        'floor.conveyor', [0.0, 0.0, 0.0], 'm/s', "Velocity of a plane's material along it.",
        length=(3,), low=-1e3, high=1e3, read_only=False,
    ),
    Parameter(
        'floor.spin', 0.0, 'rad/s', 'Turntable: spin of a plane about its normal.', low=-1e3,
        high=1e3, read_only=False,
    ),
    Parameter('floor.radius', 1.0, 'm', 'Radius of a bowl or dome.', read_only=False, **LENGTH),
    Parameter(
        'floor.center', [0.0, 0.0, 0.0], 'm', 'Centre of its sphere, world.', read_only=False,
        **PLACE,
    ),
    Parameter(
        'floor.angular_velocity', [0.0, 0.0, 0.0], 'rad/s', 'Of a bowl or dome, world.',
        length=(3,), low=-1e3, high=1e3, read_only=False,
    ),
    Parameter(
        'floor.function', '', '',
        'Of an implicit floor: package.module:name of its compiled level function; see '
        'contact.md.', str,
    ),
    Parameter(
        'floor.velocity_function', '', '', "The same of its material's velocity; empty: at rest.",
        str,
    ),
    Parameter(
        'floor.values', [0.0], '', "Those functions' parameters.", length=(), low=-1e9, high=1e9,
        read_only=False,
    ),
    Parameter(
        'floor.largest_curvature', 0.0, '1/m',
        'How tightly an implicit floor curves towards the body at most.', low=0.0, high=1e6,
        read_only=False,
    ),
    Parameter(
        'frames.contact', 'contact_point', '',
        'Name of the frame at the contact point, its axes those of the world.', str,
    ),
)  # fmt: skip
BY_NAME = {parameter.name: parameter for parameter in CONTACT}


def checked(given):
    """Return all parameters in their types, those not given at their defaults.

    Raises ParameterError for an unknown name, an impossible value, or one of another shape.
    """
    for name in given:
        if name not in BY_NAME:
            raise parameters.unknown(name, list(BY_NAME))
    values = {
        name: parameter.checked(given.get(name, parameter.default))
        for name, parameter in BY_NAME.items()
    }
    refuse_strangers(given, values)
    return values


def refuse_strangers(given, values):
    """Raise ParameterError when a name in `given` describes another shape than `values` have."""
    for name in given:
        prefix, _, field = name.partition('.')
        valid = _describing(prefix, values)
        if valid and field not in valid:
            raise ParameterError(
                f'{name} does not describe {prefix}.shape {values[f"{prefix}.shape"]}; valid are '
                + ', '.join(f'{prefix}.{other}' for other in valid)
            )


def effective(values):
    """Return the checked parameters without those of shapes that were not chosen."""
    found = {}
    for name, value in values.items():
        prefix, _, field = name.partition('.')
        valid = _describing(prefix, values)
        if not valid or field in valid:
            found[name] = value
    return found


def _describing(prefix, values):
    """Return the names of the fields that a surface or floor of its shape has; () for others."""
    shapes = {'surface': SURFACES, 'floor': FLOORS}.get(prefix)
    if shapes is None:
        return ()
    common = ('center', 'orientation') if prefix == 'surface' else ()
    return ('shape', *common, *shapes[values[f'{prefix}.shape']])


def contact_model(values, body):
    """Return the core.contact.model.ContactModel of checked parameters.

    body: RigidBody, in whose design axes the surface is placed
    Raises ParameterError naming key, value and remedy.
    """
    return with_floor(values, _surface(values, body))


def with_floor(values, surface):
    """Return the ContactModel of checked parameters on a Surface made before."""
    from spacecraft_attitude_sim.core.contact import model

    fields = ('mode', 'friction', 'restitution', 'resting_speed', 'releases')
    floor = _floor(values)
    try:
        return model.ContactModel(
            surface=surface, floor=floor, **{field: values[field] for field in fields}
        )
    except ValueError as error:
        raise ParameterError(str(error)) from None


def _surface(values, body):
    from spacecraft_attitude_sim.core.contact import shapes, surface_functions

    kinds = {
        'sphere': shapes.Sphere, 'ellipsoid': shapes.Ellipsoid,
        'superellipsoid': shapes.Superellipsoid, 'implicit': shapes.ImplicitSurface,
    }  # fmt: skip
    shape = values['surface.shape']
    fields = {field: values[f'surface.{field}'] for field in SURFACES[shape]}
    if shape == 'implicit':
        fields['function'] = trust.kernel(
            'surface.function', values['surface.function'], surface_functions.IMPLICIT
        )
    try:
        q_BS = rotations.unit_quaternion(values['surface.orientation'])
    except ValueError as error:
        raise ParameterError(f'surface.orientation {error}') from None
    center = np.array(values['surface.center']) - body.center_of_mass
    try:
        return kinds[shape](center=tuple(center), q_BS=tuple(q_BS), **fields)
    except ValueError as error:
        raise ParameterError(f'surface.{error}') from None


def _floor(values):
    from spacecraft_attitude_sim.core.contact import floor_functions, floors

    def function(key):
        return trust.kernel(key, values[key], floor_functions.FLOOR)

    shape = values['floor.shape']
    fields = {field: values[f'floor.{field}'] for field in FLOORS[shape]}
    if shape == 'implicit':
        fields['level'] = function('floor.function')
        del fields['function']
        if fields.pop('velocity_function'):
            fields['velocity'] = function('floor.velocity_function')
    kinds = {
        'plane': floors.Plane, 'bowl': floors.Bowl, 'dome': floors.Dome,
        'implicit': floors.ImplicitFloor,
    }  # fmt: skip
    try:
        return kinds[shape](**fields)
    except ValueError as error:
        raise ParameterError(f'floor.{error}') from None
