# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of an orbit about the Earth: where, when, in which field, air and sunlight."""

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
ELLIPSES = ('kepler', 'j2')
DAY_OF_1970 = 2440587.5  # Julian
DEFAULT_EPOCH = '2026-01-01T00:00:00Z'
# What a recorded scenario has beside its parameters: the constants of its epoch, which another
# version of ERFA may give other bits, and the flat table of an orbit or air that a library or a
# file gave, float64 in base64.
COMPUTED_PREFIX = 'orbit.computed.'
COMPUTED = ('utc', 'epoch', 'table')
# A longer run would have too large a scenario with such a table [s]: 10 days, 15 MB.
LONGEST_KEPT = 864000.0


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
    Parameter(
        'epoch_delay', 0.0, 'd', 'Days after epoch at which it begins; campaigns draw it.',
        low=-36525.0, high=36525.0,
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
        'density_factor', 1.0, '', 'By which the air is denser than its model says.', low=0.0,
        high=1e3,
    ),
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


def split_computed(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the parameters without orbit.computed.*, and {name: array, or text of utc} of these.

    Raises ParameterError naming key, value and remedy.
    """
    rest = {name: value for name, value in given.items() if not name.startswith(COMPUTED_PREFIX)}
    computed = {}
    for name in given.keys() - rest.keys():
        short = name.removeprefix(COMPUTED_PREFIX)
        if short not in COMPUTED:
            known = [COMPUTED_PREFIX + each for each in COMPUTED]
            raise ParameterError(f'{name} is not a parameter; {hint(name, known)}')
        if short == 'epoch':
            sixteen = Parameter(name, [], '', '', length=(16,), low=-1e9, high=1e9)
            computed[short] = np.array(sixteen.checked(given[name]))
        elif short == 'utc':
            computed[short] = Parameter(name, '', '', '', str).checked(given[name])
        else:
            text = Parameter(name, '', '', '', str).checked(given[name])
            computed[short] = _numbers(name, text)
    lacking = {'utc', 'epoch'} - computed.keys() if computed else set()
    if lacking:
        raise ParameterError(f'{COMPUTED_PREFIX}{min(lacking)} is missing; give all, or none')
    return rest, computed


def computed(values: Mapping[str, Any], around: Surroundings | None) -> dict[str, Any]:
    """Return orbit.computed.* of Surroundings; {} without an orbit of the Earth."""
    if around is None or around.epoch is None:
        return {}
    found: dict[str, Any] = {
        f'{COMPUTED_PREFIX}utc': around.epoch.utc,
        f'{COMPUTED_PREFIX}epoch': around.epoch.constants.tolist(),
    }
    if not around.exact:
        flat = around.kept(0.0, _end(values)).astype('<f8')
        found[f'{COMPUTED_PREFIX}table'] = base64.b64encode(flat.tobytes()).decode()
    return found


def _numbers(name: str, text: str) -> Array:
    """Return the array of a text in base64."""
    try:
        flat = np.frombuffer(base64.b64decode(text, validate=True), dtype='<f8')
    except (binascii.Error, ValueError):
        flat = np.zeros(0)
    if not flat.size or not np.isfinite(flat).all():
        raise ParameterError(f'{name} is damaged; record it anew')
    return flat.astype(float)


def _end(values: Mapping[str, Any]) -> float:
    """Return how long the orbit of a run is asked for [s]: to the end of its last tick."""
    rate = values['tick_rate']
    return max(1.0, math.ceil(values['duration'] * rate - 1e-6) / rate)


def surroundings(
    values: Mapping[str, Any], computed: Mapping[str, Any] | None = None
) -> Surroundings | None:
    """Return the Surroundings of checked parameters, or None without an orbit of the Earth.

    computed: of `split_computed`
    Spacecraft whose parameters are the same have the same ones; not those of files, which change.
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
    asked = {name: values[name] for name in NAMES}
    if computed or values['orbit.table']:
        around = _made(asked, computed)
    else:
        around = _shared(tuple(tuple(v) if isinstance(v, list) else v for v in asked.values()))
    if not around.exact:
        _check_duration(values)
    with blame('orbit: '):
        around.flat(0.0, _end(values))
    return around


@functools.lru_cache(maxsize=256)
def _shared(values: tuple[Any, ...]) -> Surroundings:
    return _made(dict(zip(NAMES, values, strict=True)), {})


def _made(values: Mapping[str, Any], computed: Mapping[str, Any]) -> Surroundings:
    from spacecraft_attitude_sim.core.environment.around import Surroundings
    from spacecraft_attitude_sim.core.environment.earth import GRAVITATIONAL_PARAMETER

    if 'table' in computed:
        given = values['epoch']
        utc = _delayed(values, given) if given else computed['utc']
        epoch = _epoch(utc, computed['epoch'])
        table, exact = _recorded(computed['table'], epoch), False
    else:
        found = earth_environment(values, computed.get('epoch'))
        assert found is not None
        table, epoch, exact = found.table(), found.epoch, found.exact
    return Surroundings(
        table, GRAVITATIONAL_PARAMETER, _nanoseconds(epoch.utc), epoch, exact=exact
    )


def _nanoseconds(utc: str) -> int:
    """Return a UTC time as nanoseconds since 1970, leap seconds not counted."""
    from spacecraft_attitude_sim.core.environment.epoch import utc_days

    first, second = utc_days(utc)
    return round((first - DAY_OF_1970) * 86400.0) * 10**9 + round(second * 86400e9)


def _check_duration(values: Mapping[str, Any]) -> None:
    """Raise ParameterError where a table of the whole run cannot be kept with it."""
    if not 0.0 < values['duration'] <= LONGEST_KEPT:
        what = (
            f"orbit.model is '{values['orbit.model']}'"
            if values['orbit.model'] not in ELLIPSES
            else f"atmosphere is '{values['atmosphere']}'"
        )
        raise ParameterError(
            f'duration is {values["duration"]:g} s and {what}, of which the whole run is recorded '
            f'with the scenario; give a duration of at most {LONGEST_KEPT:g} s'
        )


def _recorded(flat: Array, epoch: Epoch) -> OrbitTable:
    """Return the OrbitTable of a recording; ParameterError where it is none of this epoch."""
    from spacecraft_attitude_sim.core.environment.epoch import EPOCH
    from spacecraft_attitude_sim.core.environment.orbit_table import TABLE, recorded

    with blame(f'{COMPUTED_PREFIX}table: '):
        if len(flat) < TABLE.size:
            raise ValueError('it is too short; record it anew')
        for name in ('rotation_angle', 'q_WI'):
            if not np.array_equal(flat[TABLE.of(name)], epoch.constants[EPOCH.of(name)]):
                raise ValueError('it is of another epoch; leave orbit.computed out')
        return recorded(flat)


def _epoch(utc: str, constants: Array | None, whose: str = '') -> Epoch:
    """Return the Epoch of a time, with the recorded bits if there are any; whose: for errors."""
    from spacecraft_attitude_sim.core.environment.epoch import EPOCH, Epoch, epoch_of

    with blame(whose):
        epoch = epoch_of(utc)
    if constants is None:
        return epoch
    wrong = constants - epoch.constants
    angle = EPOCH.at('rotation_angle')
    wrong[angle] = math.remainder(wrong[angle], math.tau)
    # Versions of ERFA agree far closer.
    if not np.all(np.abs(wrong) < 1e-9 * np.maximum(1.0, np.abs(epoch.constants))):
        raise ParameterError(
            f'{COMPUTED_PREFIX}epoch is of another epoch than {epoch.utc}; leave '
            'orbit.computed out'
        )
    return Epoch(epoch.utc, constants)


def ephemeris(values: Mapping[str, Any]) -> Surroundings:
    """Return the Surroundings of an orbit and its epoch alone, without field and air.

    values: {name: value} of epoch and orbit.…
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
        table = EarthEnvironment(epoch_of(utc), orbit, UniformField(np.zeros(3))).table()
        around = Surroundings(table, GRAVITATIONAL_PARAMETER)
    with blame('orbit: '):
        around.flat(0.0, 1.0)
    return around


def earth_environment(
    values: Mapping[str, Any], constants: Array | None = None
) -> EarthEnvironment | None:
    """Return the EarthEnvironment of checked parameters, or None; raises as `surroundings`.

    constants: (16,) of the epoch that were recorded, or None
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
        return EarthEnvironment(epoch, orbit, field, air, density_factor=factor)


def _delayed(values: Mapping[str, Any], utc: str) -> str:
    """Return the UTC time at which an orbit begins that would without delay at another."""
    from spacecraft_attitude_sim.core.environment.epoch import later

    return later(utc, values['epoch_delay']) if values['epoch_delay'] else utc


def _orbit(values: Mapping[str, Any]) -> tuple[Orbit, str]:
    """Return the Orbit, and when it begins without delay, UTC."""
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
