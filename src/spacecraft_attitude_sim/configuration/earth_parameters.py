# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of an orbit about the Earth: where, when, in which field, air and sunlight."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.actuators.named import size
from spacecraft_attitude_sim.configuration.parameter import Parameter, ParameterError, blame, xyz

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.environment.around import Surroundings
    from spacecraft_attitude_sim.core.environment.earth_environment import EarthEnvironment
    from spacecraft_attitude_sim.core.environment.kepler_orbit import Orbit
    from spacecraft_attitude_sim.core.environment.plates import Plates
    from spacecraft_attitude_sim.core.mathematics.types import Vector3

FULL_TURN = 2.0 * math.pi
ELLIPSES = ('kepler', 'j2')
DAY_OF_1970 = 2440587.5  # Julian
DEFAULT_EPOCH = '2026-01-01T00:00:00Z'


def _angle(name: str, description: str, low: float = -FULL_TURN) -> Parameter:
    return Parameter(name, 0.0, 'rad', description, low=low, high=FULL_TURN)


EARTH = (
    Parameter(
        'orbit.model', 'none', '',
        'Orbit about the Earth, of which world is the freely falling point: an ellipse (kepler), '
        'one turned by the flattening of the Earth (j2), by two-line elements (sgp4), or of a '
        'file (table); none: orbit.radius says.',
        str, choices=('none', *ELLIPSES, 'sgp4', 'table'),
    ),
    Parameter(
        'epoch', '', '',
        "UTC at which an orbit about the Earth begins; '' is 2026-01-01T00:00:00Z, with sgp4 the "
        'time of its elements.', str,
    ),
    size(
        'orbit.semi_major_axis', 'm', 1e9, 'Semi-major axis of the ellipse.', 6878137.0,
    ),
    Parameter('orbit.eccentricity', 0.0, '', 'Of the ellipse.', low=0.0, high=1.0),
    _angle('orbit.inclination', 'Of the ellipse to the equator.', 0.0),
    _angle('orbit.right_ascension', 'Of its ascending node, from x of world.'),
    _angle('orbit.argument_of_perigee', 'From its ascending node.'),
    _angle('orbit.true_anomaly', 'Where in the orbit it begins, from the perigee.'),
    Parameter('orbit.tle', [], '', 'The two lines of two-line elements.', str, length=(0, 2)),
    Parameter(
        'orbit.table', '', '',
        'File of time, position and velocity, CSV or Parquet; see docs/environment.md.', str,
    ),
    Parameter(
        'magnetic_model', 'igrf', '',
        'Magnetic field in an orbit about the Earth: IGRF-14, WMM2025, a dipole in its centre '
        'along its axis, or magnetic_field everywhere.',
        str, choices=('igrf', 'wmm', 'dipole', 'uniform'),
    ),
    Parameter(
        'atmosphere', 'exponential', '',
        'Air in an orbit about the Earth: exponential layers, NRLMSIS (msis), or none.',
        str, choices=('exponential', 'msis', 'none'),
    ),
    Parameter(
        'f10_7', 150.0, '1e-22 W/m^2/Hz', 'Solar flux at 10.7 cm of the day before, for msis.',
        low=40.0, high=500.0,
    ),
    Parameter(
        'f10_7_average', 150.0, '1e-22 W/m^2/Hz', 'Its mean over 81 days, for msis.',
        low=40.0, high=500.0,
    ),
    Parameter('ap', 4.0, '', 'Daily geomagnetic index, for msis.', low=0.0, high=400.0),
    Parameter(
        'surfaces', [], '',
        'Names of flat parts of the surface, on which air and sunlight press; none shadows '
        'another.', str, length=(),
    ),
)  # fmt: skip
# What an orbit is made of.
NAMES = (
    *(one.name for one in EARTH if one.name != 'surfaces'), 'orbit.radius', 'magnetic_field',
)  # fmt: skip
# Each of `surfaces` is described by these, under surface.<name>.
SURFACE = (
    size('area', 'm^2', 1e6, 'Area.'),
    xyz('normal', '', 1.1, 'Outward unit normal, body axes.', (1.0, 0.0, 0.0)),
    xyz('center', 'm', 1e6, 'Its centre, in the axes the body was designed in.'),
    size('specular', '', 1.0, 'Part of the light that it reflects like a mirror.'),
    size('diffuse', '', 1.0, 'Part of the light that it reflects to all sides.'),
    size('drag_coefficient', '', 10.0, 'Of the air; 2 where molecules stay.', 2.2),
    size('accommodation', '', 1.0, 'Part of the molecules that stay; others bounce off.', 1.0),
    size('leaving_speed', 'm/s', 1e4, 'Speed at which those that stayed leave.'),
    Parameter('both_sides', False, '', 'Whether it has two sides, as a panel.', bool),
)  # fmt: skip


def surroundings(values: Mapping[str, Any]) -> Surroundings | None:
    """Return the Surroundings of checked parameters, or None without an orbit of the Earth.

    Spacecraft whose parameters are the same have the same ones; not those of files, which change.
    Raises ParameterError naming key, value and remedy.
    """
    if values['orbit.model'] == 'none':
        return None
    asked = {name: values[name] for name in NAMES}
    shared = tuple(tuple(v) if isinstance(v, list) else v for v in asked.values())
    around = _made(asked) if values['orbit.table'] else _shared(shared)
    with blame('orbit: '):
        around.flat(0.0, max(1.0, values['duration']))
    return around


@functools.lru_cache(maxsize=256)
def _shared(values: tuple[Any, ...]) -> Surroundings:
    return _made(dict(zip(NAMES, values, strict=True)))


def _made(values: Mapping[str, Any]) -> Surroundings:
    from spacecraft_attitude_sim.core.environment.around import Surroundings
    from spacecraft_attitude_sim.core.environment.earth import GRAVITATIONAL_PARAMETER

    found = earth_environment(values)
    assert found
    begins = _nanoseconds(found.epoch.utc)
    return Surroundings(found.table(), GRAVITATIONAL_PARAMETER, begins)


def _nanoseconds(utc: str) -> int:
    """Return a UTC time as nanoseconds since 1970, leap seconds not counted."""
    from spacecraft_attitude_sim.core.environment.epoch import utc_days

    first, second = utc_days(utc)
    return round((first - DAY_OF_1970) * 86400.0) * 10**9 + round(second * 86400e9)


def earth_environment(values: Mapping[str, Any]) -> EarthEnvironment | None:
    """Return the EarthEnvironment of checked parameters, or None; raises as `surroundings`."""
    if values['orbit.model'] == 'none':
        return None
    if values['orbit.radius']:
        raise ParameterError(
            f"orbit.model is '{values['orbit.model']}' and orbit.radius "
            f'{values["orbit.radius"]:g} m; give one of them'
        )
    from spacecraft_attitude_sim.core.environment.earth_environment import EarthEnvironment
    from spacecraft_attitude_sim.core.environment.epoch import epoch_of

    with blame():
        orbit, utc = _orbit(values)
        return EarthEnvironment(epoch_of(utc), orbit, _field(values), _air(values))


def _orbit(values: Mapping[str, Any]) -> tuple[Orbit, str]:
    """Return the Orbit, and when it begins, UTC."""
    model, utc = values['orbit.model'], values['epoch'] or DEFAULT_EPOCH
    if model in ELLIPSES:
        from spacecraft_attitude_sim.core.environment.kepler_orbit import KeplerOrbit

        with blame('orbit.'):
            orbit = KeplerOrbit(
                values['orbit.semi_major_axis'],
                values['orbit.eccentricity'],
                values['orbit.inclination'],
                values['orbit.right_ascension'],
                values['orbit.argument_of_perigee'],
                values['orbit.true_anomaly'],
                flattening=model == 'j2',
            )
        return orbit, utc
    if model == 'sgp4':
        from spacecraft_attitude_sim.core.environment.two_line_orbit import TwoLineOrbit

        if len(values['orbit.tle']) != 2:
            raise ParameterError("orbit.model is 'sgp4'; give the two lines of orbit.tle")
        with blame('orbit.tle: '):
            satellite = TwoLineOrbit(*values['orbit.tle'])
        return satellite, values['epoch'] or satellite.utc
    from spacecraft_attitude_sim.configuration import orbit_file

    if not values['orbit.table']:
        raise ParameterError("orbit.model is 'table'; give the file orbit.table")
    return orbit_file.load(values['orbit.table'], utc), utc


def _field(values: Mapping[str, Any]) -> Any:
    from spacecraft_attitude_sim.core.environment import magnetic_field

    made = {
        'igrf': magnetic_field.igrf14,
        'wmm': magnetic_field.wmm2025,
        'dipole': magnetic_field.dipole,
        'uniform': lambda: magnetic_field.UniformField(np.array(values['magnetic_field'])),
    }
    return made[values['magnetic_model']]()


def _air(values: Mapping[str, Any]) -> Any:
    from spacecraft_attitude_sim.core.environment import air

    if values['atmosphere'] == 'none':
        return None
    if values['atmosphere'] == 'exponential':
        return air.ExponentialAir()
    return air.MsisAir(values['f10_7'], values['f10_7_average'], values['ap'])


def plates(values: Mapping[str, Any], center_of_mass: Vector3) -> Plates | None:
    """Return the Plates of checked parameters, or None without any.

    center_of_mass: (3,) in the axes of the design [m]
    Raises ParameterError naming surface, value and remedy.
    """
    if not values['surfaces']:
        return None
    from spacecraft_attitude_sim.core.environment.plates import Plate, Plates

    if values['orbit.model'] == 'none':
        raise ParameterError(
            "surfaces are given and orbit.model is 'none': nothing presses on them; give an orbit "
            'about the Earth, or leave them out'
        )
    found = []
    fields = [one.name for one in SURFACE if one.name not in ('center', 'both_sides')]
    for name in values['surfaces']:
        prefix = f'surface.{name}'
        given = {field: values[f'{prefix}.{field}'] for field in fields}
        with blame(f'{prefix}.'):
            center_B = np.array(values[f'{prefix}.center']) - center_of_mass
            plate = Plate(given.pop('normal'), center_B, **given)
        found.append(plate)
        if values[f'{prefix}.both_sides']:
            found.append(plate.other_side)
    return Plates(tuple(found))
