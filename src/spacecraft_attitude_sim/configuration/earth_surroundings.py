# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The orbit about the Earth and its environment, made from parameters."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.earth_parameters import ELLIPSES, NAMES
from spacecraft_attitude_sim.configuration.parameter import ParameterError, blame
from spacecraft_attitude_sim.configuration.recorded_orbit import COMPUTED_PREFIX, end_of_run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.environment.around import Surroundings
    from spacecraft_attitude_sim.core.environment.earth_environment import EarthEnvironment
    from spacecraft_attitude_sim.core.environment.epoch import Epoch
    from spacecraft_attitude_sim.core.environment.kepler_orbit import Orbit
    from spacecraft_attitude_sim.core.environment.orbit_table import OrbitTable
    from spacecraft_attitude_sim.core.mathematics.types import Array

DAY = 86400.0  # [s]
DAY_OF_1970 = 2440587.5  # Julian
DEFAULT_EPOCH = '2026-01-01T00:00:00Z'
# Longest run whose table is stored in its scenario [s]: 10 days, which is 15 MB.
LONGEST_KEPT = 10.0 * DAY
# How earlier versions computed an orbit.
LESS_EXACT = (
    'This bag is of an earlier version, whose magnetic field and orbit were less exact between '
    'nodes, by 0.02 nT and 0.3 mm; so no motion of it is computed again to the bit.'
)
OF_EACH_TICK = (
    'This bag is of an earlier version, which fitted magnetic field and orbit anew in each tick '
    'instead of each second; so motion that they act on is computed again to round-off only.'
)


def surroundings(
    values: Mapping[str, Any], computed: Mapping[str, Any] | None = None
) -> Surroundings | None:
    """Return the Surroundings from checked parameters, or None without an Earth orbit.

    Spacecraft with equal parameters share one object, and so does the scenario that a recording or
    topic holds of them. Orbits from files are always read again, because files can change.

    computed: the second result of recorded_orbit.split_computed
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
    around = _around({name: values[name] for name in NAMES}, computed)
    if not around.exact:
        _check_duration(values)
    end = end_of_run(values)
    with blame('orbit: '):
        around.check(0.0, end)
        # An exact orbit is computed as the run goes; any other is tabulated now for the whole run.
        around.flat(0.0, 0.0 if around.exact else end)
    return around


def _around(asked: Mapping[str, Any], computed: Mapping[str, Any]) -> Surroundings:
    if asked['orbit.table'] or 'table' in computed or _older(computed):
        return _made(asked, computed)
    own = _shared(tuple(tuple(v) if isinstance(v, list) else v for v in asked.values()))
    if not computed:
        return own
    # Of the same constants to the last bit, it has the same nodes.
    same = own.epoch and np.array_equal(own.epoch.constants, computed['epoch'])
    return own if own.exact and same else _made(asked, computed)


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
        table, exact = _recorded(computed, epoch), False
    else:
        found = earth_environment(values, computed.get('epoch'))
        assert found is not None
        table, epoch, exact = found.table(), found.epoch, found.exact
    return Surroundings(
        table,
        GRAVITATIONAL_PARAMETER,
        _nanoseconds(epoch.utc),
        epoch,
        exact=exact,
        older=_older(computed),
    )


def _older(computed: Mapping[str, Any]) -> str:
    """Return how an earlier version computed a recorded orbit, '' where it is of this one."""
    if not computed or 'span' in computed:
        return ''
    return OF_EACH_TICK if 'neighbours' in computed else LESS_EXACT


def _nanoseconds(utc: str) -> int:
    """Return a UTC time as nanoseconds since 1970, without leap seconds."""
    from spacecraft_attitude_sim.core.environment.epoch import utc_days

    first, second = utc_days(utc)
    return round((first - DAY_OF_1970) * DAY) * 10**9 + round(second * 86400e9)


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


def _recorded(computed: Mapping[str, Any], epoch: Epoch) -> OrbitTable:
    """Return the OrbitTable of a recording; ParameterError if it is not of this epoch."""
    from spacecraft_attitude_sim.core.environment.epoch import EPOCH
    from spacecraft_attitude_sim.core.environment.orbit_table import (
        TABLE,
        lengthened,
        recorded,
        renewed,
    )

    flat = computed['table']
    with blame(f'{COMPUTED_PREFIX}table: '):
        if 'neighbours' not in computed:
            flat = renewed(flat)
        if 'span' not in computed:
            flat = lengthened(flat)
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
    """Return the Surroundings with orbit, epoch and Sun, without air.

    values: {name: value} of the parameters EPHEMERIS; with magnetic_model and its parameters also
        with the magnetic field
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
        field = _field(values) if 'magnetic_model' in values else UniformField(np.zeros(3))
        table = EarthEnvironment(epoch_of(utc), orbit, field, sun_W=_sun(values)).table()
        around = Surroundings(table, GRAVITATIONAL_PARAMETER)
    with blame('orbit: '):
        around.flat(0.0, 1.0)
    return around


def begins(values: Mapping[str, Any]) -> str:
    """Return the UTC at which time is 0; values: as of `ephemeris`.

    Raises ValueError as of the orbit.
    """
    if values['orbit.model'] == 'none':
        return _delayed(values, values['epoch'] or DEFAULT_EPOCH)
    return _delayed(values, _orbit(values)[1])


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
