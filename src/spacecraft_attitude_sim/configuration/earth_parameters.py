# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of an Earth orbit: orbit, epoch, magnetic field, atmosphere and sunlight."""

from __future__ import annotations

import base64
import binascii
import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.actuators.named import size
from spacecraft_attitude_sim.configuration.parameter import Parameter, ParameterError, blame, xyz
from spacecraft_attitude_sim.configuration.suggestion import hint
from spacecraft_attitude_sim.core.environment.earth import DIPOLE_MOMENT, SOLAR_CONSTANT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.environment.around import Surroundings
    from spacecraft_attitude_sim.core.environment.earth_environment import EarthEnvironment
    from spacecraft_attitude_sim.core.environment.epoch import Epoch
    from spacecraft_attitude_sim.core.environment.kepler_orbit import Orbit
    from spacecraft_attitude_sim.core.environment.orbit_table import OrbitTable
    from spacecraft_attitude_sim.core.environment.plates import Plates
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3

FULL_TURN = 2.0 * math.pi
ELLIPSES = ('kepler', 'j2', 'state')
DAY_OF_1970 = 2440587.5  # Julian
DEFAULT_EPOCH = '2026-01-01T00:00:00Z'
# A recorded scenario also stores, so that a replay is bit-identical:
# - utc and epoch: the constants of its epoch, whose last bits depend on the version of ERFA;
# - neighbours: how many nodes the interpolation uses; if missing, 4 (the first versions);
# - table: the orbit and air from a library or a file, as one flat float64 array in base64.
COMPUTED_PREFIX = 'orbit.computed.'
COMPUTED = ('utc', 'epoch', 'neighbours', 'table')
# Longest run whose table is stored in its scenario [s]: 10 days, which is 15 MB.
LONGEST_KEPT = 864000.0


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
        'CSV or Parquet file of time, position and velocity; see docs/environment.md.', str,
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
# Parameters of each of `surfaces`, under surface.<name>.
SURFACE = (
    size('area', 'm^2', 1e6, 'Area of one side.'),
    xyz('normal', '', 1.1, 'Outward normal: unit vector in body axes.', (1.0, 0.0, 0.0)),
    xyz('center', 'm', 1e6, 'Centre of the surface, in the design axes of the body.'),
    size('specular', '', 1.0, 'Fraction of light that is reflected specularly (as by a mirror).'),
    size('diffuse', '', 1.0, 'Fraction of light that is reflected diffusely.'),
    size(
        'drag_coefficient', '', 10.0,
        'Drag coefficient of the surface. 2: it accommodates all molecules.', 2.2,
    ),
    size(
        'accommodation', '', 1.0,
        'Accommodation: the fraction of molecules that the surface holds for a moment. The '
        'others are reflected as by a mirror.', 1.0,
    ),
    size('leaving_speed', 'm/s', 1e4, 'Speed at which accommodated molecules leave the surface.'),
    Parameter(
        'both_sides', False, '',
        'Whether air and sunlight act on both sides, as on a panel.', bool,
    ),
)  # fmt: skip


def split_computed(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split off orbit.computed.*: return the other parameters and {name: array, or the text utc}.

    Raises ParameterError naming key, value and remedy.
    """
    rest = {name: value for name, value in given.items() if not name.startswith(COMPUTED_PREFIX)}
    computed: dict[str, Any] = {}
    for name in given.keys() - rest.keys():
        short = name.removeprefix(COMPUTED_PREFIX)
        if short not in COMPUTED:
            known = [COMPUTED_PREFIX + each for each in COMPUTED]
            raise ParameterError(f'{name} is not a parameter; {hint(name, known)}')
        if short == 'epoch':
            sixteen = Parameter(name, [], '', '', length=(16,), low=-1e9, high=1e9)
            computed[short] = np.array(sixteen.checked(given[name]))
        elif short == 'neighbours':
            computed[short] = _neighbours(name, given[name])
        elif short == 'utc':
            computed[short] = Parameter(name, '', '', '', str).checked(given[name])
        else:
            text = Parameter(name, '', '', '', str).checked(given[name])
            computed[short] = _numbers(name, text)
    lacking = {'utc', 'epoch'} - computed.keys() if computed else set()
    if lacking:
        raise ParameterError(f'{COMPUTED_PREFIX}{min(lacking)} is missing; give all, or none')
    return rest, computed


def _neighbours(name: str, given: object) -> int:
    """Return the recorded number of interpolation nodes."""
    from spacecraft_attitude_sim.core.environment.orbit_table import NEIGHBOURS

    number: int = Parameter(name, 0, '', '', int).checked(given)
    if number != NEIGHBOURS:
        raise ParameterError(
            f'{name} is {number}, but this version needs {NEIGHBOURS}; read it with the version '
            'that recorded it'
        )
    return number


def computed(values: Mapping[str, Any], around: Surroundings | None) -> dict[str, Any]:
    """Return the parameters orbit.computed.* of Surroundings; {} without an Earth orbit."""
    if around is None or around.epoch is None:
        return {}
    from spacecraft_attitude_sim.core.environment.orbit_table import NEIGHBOURS

    found: dict[str, Any] = {
        f'{COMPUTED_PREFIX}utc': around.epoch.utc,
        f'{COMPUTED_PREFIX}epoch': around.epoch.constants.tolist(),
        f'{COMPUTED_PREFIX}neighbours': NEIGHBOURS,
    }
    if not around.exact:
        flat = around.kept(0.0, _end(values)).astype('<f8')
        found[f'{COMPUTED_PREFIX}table'] = base64.b64encode(flat.tobytes()).decode()
    return found


def _numbers(name: str, text: str) -> Array:
    """Return the array that a base64 text holds."""
    try:
        flat = np.frombuffer(base64.b64decode(text, validate=True), dtype='<f8')
    except (binascii.Error, ValueError):
        flat = np.zeros(0)
    if not flat.size or not np.isfinite(flat).all():
        raise ParameterError(f'{name} is damaged; record it anew')
    return flat.astype(float)


def _end(values: Mapping[str, Any]) -> float:
    """Return for how long a run needs the orbit [s]: to the end of its last tick."""
    rate = values['tick_rate']
    return max(1.0, math.ceil(values['duration'] * rate - 1e-6) / rate)


def surroundings(
    values: Mapping[str, Any], computed: Mapping[str, Any] | None = None
) -> Surroundings | None:
    """Return the Surroundings from checked parameters, or None without an Earth orbit.

    Spacecraft with equal parameters share one object. Orbits from files are always read again,
    because files can change.

    computed: the second result of `split_computed`
    Raises ParameterError naming key, value and remedy.
    """
    computed = computed or {}
    if values['orbit.model'] == 'none':
        if computed:
            raise ParameterError(
                f"{COMPUTED_PREFIX}{min(computed)} is given and orbit.model is 'none'; leave "
                'orbit.computed out'
            )
        return None
    from spacecraft_attitude_sim.core.environment.around import SPAN

    asked = {name: values[name] for name in NAMES}
    if computed or values['orbit.table']:
        around = _made(asked, computed)
    else:
        around = _shared(tuple(tuple(v) if isinstance(v, list) else v for v in asked.values()))
    if not around.exact:
        _check_duration(values)
    end = _end(values)
    with blame('orbit: '):
        around.check(0.0, end)
        # An exact orbit is computed as the run goes; any other is tabulated now for the whole run.
        around.flat(0.0, min(end, SPAN) if around.exact else end)
    return around


@functools.lru_cache(maxsize=256)
def _shared(values: tuple[Any, ...]) -> Surroundings:
    return _made(dict(zip(NAMES, values, strict=True)), {})


def _made(values: Mapping[str, Any], computed: Mapping[str, Any]) -> Surroundings:
    from spacecraft_attitude_sim.core.environment.around import Surroundings
    from spacecraft_attitude_sim.core.environment.earth import GRAVITATIONAL_PARAMETER

    older = bool(computed) and 'neighbours' not in computed
    if 'table' in computed:
        given = values['epoch']
        utc = _delayed(values, given) if given else computed['utc']
        epoch = _epoch(utc, computed['epoch'])
        table, exact = _recorded(computed['table'], epoch, older=older), False
    else:
        found = earth_environment(values, computed.get('epoch'))
        assert found is not None
        table, epoch, exact = found.table(), found.epoch, found.exact
    return Surroundings(
        table, GRAVITATIONAL_PARAMETER, _nanoseconds(epoch.utc), epoch, exact=exact, older=older
    )


def _nanoseconds(utc: str) -> int:
    """Return a UTC time as nanoseconds since 1970, without leap seconds."""
    from spacecraft_attitude_sim.core.environment.epoch import utc_days

    first, second = utc_days(utc)
    return round((first - DAY_OF_1970) * 86400.0) * 10**9 + round(second * 86400e9)


def _check_duration(values: Mapping[str, Any]) -> None:
    """Raise ParameterError if the run is too long to store its orbit table."""
    if not 0.0 < values['duration'] <= LONGEST_KEPT:
        what = (
            f"orbit.model is '{values['orbit.model']}'"
            if values['orbit.model'] not in ELLIPSES
            else f"atmosphere is '{values['atmosphere']}'"
        )
        raise ParameterError(
            f'duration is {values["duration"]:g} s and {what}, which is recorded with the '
            f'scenario for the whole run; give a duration above 0 s and at most {LONGEST_KEPT:g} s'
        )


def _recorded(flat: Array, epoch: Epoch, *, older: bool) -> OrbitTable:
    """Return the OrbitTable of a recording; ParameterError if it is not of this epoch."""
    from spacecraft_attitude_sim.core.environment.epoch import EPOCH
    from spacecraft_attitude_sim.core.environment.orbit_table import TABLE, recorded, renewed

    with blame(f'{COMPUTED_PREFIX}table: '):
        if older:
            flat = renewed(flat)
        if len(flat) < TABLE.size:
            raise ValueError('it is too short; record it anew')
        for name in ('rotation_angle', 'q_WI'):
            if not np.array_equal(flat[TABLE.of(name)], epoch.constants[EPOCH.of(name)]):
                raise ValueError('it is of another epoch; leave orbit.computed out')
        return recorded(flat)


def _epoch(utc: str, constants: Array | None, whose: str = '') -> Epoch:
    """Return the Epoch of a UTC time, with recorded constants if given; whose: name for errors."""
    from spacecraft_attitude_sim.core.environment.epoch import EPOCH, Epoch, epoch_of

    with blame(whose):
        epoch = epoch_of(utc)
    if constants is None:
        return epoch
    wrong = constants - epoch.constants
    angle = EPOCH.at('rotation_angle')
    wrong[angle] = math.remainder(wrong[angle], math.tau)
    # Versions of ERFA agree much more closely than this.
    if not np.all(np.abs(wrong) < 1e-9 * np.maximum(1.0, np.abs(epoch.constants))):
        raise ParameterError(
            f'{COMPUTED_PREFIX}epoch is of another epoch than {epoch.utc}; leave '
            'orbit.computed out'
        )
    return Epoch(epoch.utc, constants)


def ephemeris(values: Mapping[str, Any]) -> Surroundings:
    """Return the Surroundings with orbit, epoch and Sun only, without field and air.

    values: {name: value} of the parameters EPHEMERIS
    Raises ParameterError naming key, value and remedy.
    """
    from spacecraft_attitude_sim.core.environment.around import Surroundings
    from spacecraft_attitude_sim.core.environment.earth import GRAVITATIONAL_PARAMETER
    from spacecraft_attitude_sim.core.environment.earth_environment import EarthEnvironment
    from spacecraft_attitude_sim.core.environment.epoch import epoch_of
    from spacecraft_attitude_sim.core.environment.magnetic_field import UniformField

    with blame():
        orbit, utc = _orbit(values)
        utc = _delayed(values, utc)
        field = UniformField(np.zeros(3))
        table = EarthEnvironment(epoch_of(utc), orbit, field, sun_W=_sun(values)).table()
        around = Surroundings(table, GRAVITATIONAL_PARAMETER)
    with blame('orbit: '):
        around.flat(0.0, 1.0)
    return around


def earth_environment(
    values: Mapping[str, Any], constants: Array | None = None
) -> EarthEnvironment | None:
    """Return the EarthEnvironment from checked parameters, or None; errors as `surroundings`.

    constants: (16,) recorded constants of the epoch, or None
    """
    if values['orbit.model'] == 'none':
        return None
    if values['orbit.radius']:
        raise ParameterError(
            f"orbit.model is '{values['orbit.model']}' and orbit.radius "
            f'{values["orbit.radius"]:g} m; give one of them'
        )
    from spacecraft_attitude_sim.core.environment.earth_environment import EarthEnvironment

    with blame():
        orbit, utc = _orbit(values)
        utc = _delayed(values, utc)
        field, air, factor = _field(values), _air(values), values['density_factor']
    whose = '' if values['epoch'] or values['orbit.model'] != 'sgp4' else 'orbit.tle: '
    with blame(whose):
        epoch = _epoch(utc, constants, whose)
        return EarthEnvironment(
            epoch,
            orbit,
            field,
            air,
            values['irradiance'],
            factor,
            _sun(values),
            even_sunlight=values['irradiance_model'] == 'uniform',
            shadow=values['earth_shadow'],
            air_W=values['wind'] if values['wind_model'] == 'uniform' else None,
        )


def _delayed(values: Mapping[str, Any], utc: str) -> str:
    """Return the UTC time `utc` plus the parameter epoch_delay."""
    from spacecraft_attitude_sim.core.environment.epoch import later

    return later(utc, values['epoch_delay']) if values['epoch_delay'] else utc


def _orbit(values: Mapping[str, Any]) -> tuple[Orbit, str]:
    """Return the Orbit and its epoch in UTC, before epoch_delay is added."""
    model, utc = values['orbit.model'], values['epoch'] or DEFAULT_EPOCH
    if model == 'state':
        from spacecraft_attitude_sim.core.environment.state_orbit import StateOrbit

        with blame('orbit.'):
            return StateOrbit(values['orbit.position'], values['orbit.velocity']), utc
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
        'dipole': lambda: _dipole(values),
        'uniform': lambda: magnetic_field.UniformField(np.array(values['magnetic_field'])),
    }
    return made[values['magnetic_model']]()


def _dipole(values: Mapping[str, Any]) -> Any:
    from spacecraft_attitude_sim.core.environment import magnetic_field

    moment, tilt, longitude = (
        values[f'earth_dipole.{name}'] for name in ('moment', 'tilt', 'longitude')
    )
    if not tilt:
        return magnetic_field.dipole(moment)
    aside = -math.sin(tilt)
    axis_E = (aside * math.cos(longitude), aside * math.sin(longitude), -math.cos(tilt))
    return magnetic_field.dipole(moment, axis_E)


def _sun(values: Mapping[str, Any]) -> list[float] | None:
    """Return the direction (3,) of a fixed Sun, or None."""
    return values['sun_direction'] if values['sun_model'] == 'uniform' else None


def _air(values: Mapping[str, Any]) -> Any:
    from spacecraft_attitude_sim.core.environment import air

    if values['atmosphere'] == 'none':
        return None
    if values['atmosphere'] == 'exponential':
        return air.ExponentialAir()
    if values['atmosphere'] == 'uniform':
        return air.UniformAir(values['air_density'])
    return air.MsisAir(values['f10_7'], values['f10_7_average'], values['ap'])


def plates(values: Mapping[str, Any], center_of_mass: Vector3) -> Plates | None:
    """Return the Plates from checked parameters, or None if there are none.

    center_of_mass: (3,) in design axes [m]
    Raises ParameterError naming surface, value and remedy.
    """
    if not values['surfaces']:
        return None
    from spacecraft_attitude_sim.core.environment.plates import Plate, Plates

    if values['orbit.model'] == 'none':
        raise ParameterError(
            "surfaces are given, but orbit.model is 'none', without air and sunlight; give an "
            'orbit about the Earth, or leave surfaces out'
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
