# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of an Earth orbit: orbit, epoch, magnetic field, atmosphere and sunlight."""

from __future__ import annotations

import math

from spacecraft_attitude_sim.configuration.parameter import Parameter, xyz
from spacecraft_attitude_sim.configuration.parts.named import size
from spacecraft_attitude_sim.core.environment.earth import DIPOLE_MOMENT, SOLAR_CONSTANT

FULL_TURN = 2.0 * math.pi
ELLIPSES = ('kepler', 'j2', 'state')


def _angle(name: str, description: str, low: float = -FULL_TURN) -> Parameter:
    return Parameter(name, 0.0, 'rad', description, low=low, high=FULL_TURN)


EARTH = (
    Parameter(
        'orbit.model', 'none', '',
        'Orbit about the Earth; the origin of world moves along it. kepler: an ellipse. j2: an '
        'ellipse that drifts because the Earth is flattened. state: the ellipse through '
        'orbit.position with orbit.velocity. sgp4: two-line elements. table: a file. none: no '
        'such orbit; orbit.radius can still give a circular one.',
        str, choices=('none', *ELLIPSES, 'sgp4', 'table'),
    ),
    Parameter(
        'epoch', '', '',
        "Start time of the orbit about the Earth, UTC. '': 2026-01-01T00:00:00Z; for sgp4 the "
        'epoch of its elements.', str,
    ),
    Parameter(
        'epoch_delay', 0.0, 'd',
        'Days from epoch to the start of the orbit. A campaign can draw it.',
        low=-36525.0, high=36525.0,
    ),
    size(
        'orbit.semi_major_axis', 'm', 1e9, 'Semi-major axis of the ellipse.', 6878137.0,
    ),
    Parameter('orbit.eccentricity', 0.0, '', 'Eccentricity of the ellipse.', low=0.0, high=1.0),
    _angle('orbit.inclination', 'Inclination of the orbit to the equator.', 0.0),
    _angle(
        'orbit.right_ascension',
        'Right ascension of the ascending node, from the x axis of world.',
    ),
    _angle('orbit.argument_of_perigee', 'Argument of perigee, from the ascending node.'),
    _angle('orbit.true_anomaly', 'True anomaly at the start, from the perigee.'),
    xyz(
        'orbit.position', 'm', 1e9,
        "Position at the epoch from the Earth's centre, GCRF axes. Used with orbit.model state.",
    ),
    xyz(
        'orbit.velocity', 'm/s', 1e6,
        'Velocity at the epoch, GCRF axes, which do not rotate with the Earth. Used with '
        'orbit.model state.',
    ),
    Parameter(
        'orbit.tle', [], '', 'Two-line elements: the two lines as two texts.', str, length=(0, 2),
    ),
    Parameter(
        'orbit.table', '', '',
        'CSV, Parquet or OEM file of time, position and velocity; see docs/environment.md.', str,
    ),
    Parameter(
        'magnetic_model', 'igrf', '',
        'Magnetic field in an orbit about the Earth. igrf: IGRF-14. wmm: WMM2025. dipole: a '
        "dipole at the Earth's centre (earth_dipole). uniform: magnetic_field everywhere.",
        str, choices=('igrf', 'wmm', 'dipole', 'uniform'),
    ),
    Parameter(
        'earth_dipole.moment', DIPOLE_MOMENT, 'T m^3',
        'Moment of the dipole: its field at its equator times the cube of the radius. Used with '
        'magnetic_model dipole.', low=0.0, high=1e21,
    ),
    Parameter(
        'earth_dipole.tilt', 0.0, 'rad', "Angle from the Earth's axis to the dipole.", low=0.0,
        high=math.pi,
    ),
    _angle(
        'earth_dipole.longitude',
        "East longitude of the dipole's north pole, towards which it tilts.",
    ),
    Parameter(
        'atmosphere', 'exponential', '',
        'Air density in an orbit about the Earth. exponential: exponential layers. msis: '
        'NRLMSIS. uniform: air_density everywhere. none: no air.',
        str, choices=('exponential', 'msis', 'uniform', 'none'),
    ),
    Parameter(
        'air_density', 1e-12, 'kg/m^3',
        'Air density, the same everywhere. Used with atmosphere uniform.', low=0.0,
        high=1e3,
    ),
    Parameter(
        'f10_7', 150.0, '1e-22 W/m^2/Hz',
        'Solar flux at 10.7 cm on the day before. Used with atmosphere msis.',
        low=40.0, high=500.0,
    ),
    Parameter(
        'f10_7_average', 150.0, '1e-22 W/m^2/Hz',
        'Mean of the solar flux at 10.7 cm over 81 days. Used with atmosphere msis.',
        low=40.0, high=500.0,
    ),
    Parameter(
        'ap', 4.0, '',
        'Daily geomagnetic index Ap. Used with atmosphere msis.', low=0.0, high=400.0,
    ),
    Parameter(
        'density_factor', 1.0, '',
        'Factor by which the air density of the model is multiplied.', low=0.0,
        high=1e3,
    ),
    Parameter(
        'wind_model', 'corotating', '',
        'Motion of the air in an orbit about the Earth. corotating: it rotates with the Earth. '
        'uniform: it has the velocity `wind` everywhere.',
        str, choices=('corotating', 'uniform'),
    ),
    xyz(
        'wind', 'm/s', 1e5,
        'Velocity of the air, the same everywhere, world axes. Used with wind_model uniform. '
        'Default: the air is at rest.',
    ),
    Parameter(
        'sun_model', 'almanac', '',
        'Position of the Sun in an orbit about the Earth. almanac: from the Astronomical '
        'Almanac. uniform: always in sun_direction, 1 au away.',
        str, choices=('almanac', 'uniform'),
    ),
    xyz(
        'sun_direction', '', 1e3,
        'Direction to the Sun, world axes, of any length. Used with sun_model uniform.',
        (1.0, 0.0, 0.0),
    ),
    Parameter(
        'irradiance_model', 'distance', '',
        "Sunlight in an orbit about the Earth, outside the Earth's shadow. distance: irradiance "
        'at 1 au, and inversely proportional to the square of the distance. uniform: irradiance '
        'at any distance.',
        str, choices=('distance', 'uniform'),
    ),
    Parameter(
        'irradiance', SOLAR_CONSTANT, 'W/m^2',
        'Irradiance of sunlight; irradiance_model says where.', low=0.0,
        high=1e9,
    ),
    Parameter(
        'earth_shadow', True, '',
        "Whether a spacecraft in an orbit about the Earth enters the Earth's shadow.", bool,
    ),
    Parameter(
        'surfaces', [], '',
        'Names of the flat surfaces on which air and sunlight exert a force. They do not shade '
        'each other.', str, length=(),
    ),
)  # fmt: skip
# The parameters that define an orbit and its environment.
NAMES = (
    *(one.name for one in EARTH if one.name != 'surfaces'), 'orbit.radius', 'magnetic_field',
)  # fmt: skip
# The orbit as a controller knows it.
EPHEMERIS = tuple(one for one in EARTH if one.name.startswith(('epoch', 'orbit.', 'sun_')))
