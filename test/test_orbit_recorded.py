# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A recorded scenario holds what its orbit was, to the bit, whatever is installed elsewhere."""

import base64
import sys

import numpy as np
import pytest
import yaml
from conftest import ROOT
from processes import printed

from spacecraft_attitude_sim.configuration import earth_surroundings, recorded_orbit, scenario
from spacecraft_attitude_sim.configuration.scenario import ScenarioError
from spacecraft_attitude_sim.core.environment import epoch as epochs
from spacecraft_attitude_sim.core.environment.earth_environment import EarthEnvironment
from spacecraft_attitude_sim.core.environment.kepler_orbit import KeplerOrbit
from spacecraft_attitude_sim.core.environment.orbit_table import NODE, NODES, TABLE
from spacecraft_attitude_sim.runs import replay

ELLIPSE = {'orbit.model': 'kepler', 'epoch': '2026-06-01T00:00:00Z', 'duration': 95.0}
THIN_AIR = ELLIPSE | {'atmosphere': 'msis'}
# Vanguard 1, as in Vallado and others, Revisiting Spacetrack Report 3, 2006.
TLE = [
    '1 00005U 58002B   00179.78495062  .00000023  00000-0  28098-4 0  4753',
    '2 00005  34.2682 348.7242 1859667 331.7664  19.3264 10.82419157413667',
]
T_HANDLE = {
    'body.mass': 0.3412969, 'body.inertia': [62.2e-6, 171.5e-6, 210.5e-6],
    'initial.angular_velocity': [0.01, 8.0, 0.01],
}  # fmt: skip
SATELLITE = {'orbit.model': 'sgp4', 'orbit.tle': TLE, 'duration': 95.0, **T_HANDLE}


@pytest.fixture
def table(tmp_path):
    """Return parameters of an orbit in a file."""
    rows = ['time,x,y,z,vx,vy,vz']
    for time in range(-60, 301, 30):
        angle = 1.1e-3 * time
        rows.append(
            f'{time},{7e6 * np.cos(angle)},{7e6 * np.sin(angle)},0,'
            f'{-7.7e3 * np.sin(angle)},{7.7e3 * np.cos(angle)},0'
        )
    path = tmp_path / 'orbit.csv'
    path.write_text('\n'.join(rows) + '\n')
    return {'orbit.model': 'table', 'orbit.table': str(path), 'duration': 95.0}


def seen(found):
    """Return the bits of what is around through a run."""
    around = found.plant.environment.surroundings
    return b''.join(around.at(time).tobytes() for time in np.arange(0.0, 95.01, 1.0 / 3.0))


@pytest.fixture
def elsewhere(monkeypatch):
    """Return a function after which other libraries are installed, or none."""

    def become():
        first = epochs.epoch_of

        def nudged(utc):
            found = first(utc)
            return epochs.Epoch(found.utc, np.nextafter(found.constants, np.inf))

        earth_surroundings._shared.cache_clear()
        monkeypatch.setattr(epochs, 'epoch_of', nudged)
        monkeypatch.setitem(sys.modules, 'sgp4.api', None)
        monkeypatch.setitem(sys.modules, 'pymsis', None)

    yield become
    earth_surroundings._shared.cache_clear()


@pytest.mark.parametrize('given', [ELLIPSE, THIN_AIR, SATELLITE, 'table'])
def test_orbit_has_the_bits_of_its_run_elsewhere(given, table, elsewhere, tmp_path):
    given = table if given == 'table' else given
    first = scenario.build(given, 'x')
    bits, text = seen(first), scenario.dump(first)
    assert ('table: ' in text.split('computed:')[1]) == (given is not ELLIPSE)
    elsewhere()
    if given is table:
        (tmp_path / 'orbit.csv').unlink()
    again = scenario.parse(text, 'x')
    assert seen(again) == bits
    assert scenario.dump(again) == text


def test_orbit_made_anew_elsewhere_differs_so_that_this_can_fail(elsewhere):
    bits = seen(scenario.build(ELLIPSE, 'x'))
    elsewhere()
    assert seen(scenario.build(ELLIPSE, 'x')) != bits


def test_what_listens_to_a_scenario_shares_its_orbit_and_computes_it_no_second_time(elsewhere):
    first = scenario.build(ELLIPSE, 'x')
    text, around = scenario.dump(first), first.plant.environment.surroundings
    assert scenario.parse(text, 'x').plant.environment.surroundings is around
    elsewhere()  # the constants differ in their last bit: it is another orbit
    scenario.build(ELLIPSE, 'x')
    assert scenario.parse(text, 'x').plant.environment.surroundings is not around


def computed(given):
    """Return what a recorded scenario has of an orbit."""
    found = scenario.build(given, 'x')
    return recorded_orbit.computed(found.parameters, found.plant.environment.surroundings)


def test_what_is_kept_of_another_orbit_is_refused():
    kept = computed(THIN_AIR)
    flat = np.frombuffer(base64.b64decode(kept['orbit.computed.table']))
    moved = flat.copy()
    moved[3] += 1e-9

    def encoded(values):
        return base64.b64encode(np.asarray(values, dtype='<f8').tobytes()).decode()

    for change, words in (
        ({'epoch': '2026-06-02T00:00:00Z'}, 'orbit.computed.epoch is of another epoch than 2026-'),
        ({'duration': 300.0}, 'the kept orbit is from'),
        ({'orbit.model': 'none'}, "orbit.model is 'none'"),
        ({'orbit.computed.epoch': [1.0] * 15}, 'has 15 values; give 16'),
        ({'orbit.computed.epoch': [float('nan')] * 16}, 'orbit.computed.epoch'),
        ({'orbit.computed.epoh': [1.0]}, "did you mean 'orbit.computed.epoch'"),
        ({'orbit.computed.table': 'AAAA'}, 'is damaged'),
        ({'orbit.computed.table': '!'}, 'is damaged'),
        ({'orbit.computed.table': encoded(flat[:-1])}, 'is damaged'),
        ({'orbit.computed.table': encoded([*flat[:NODES], *flat[NODES:] * np.nan])}, 'is damaged'),
        ({'orbit.computed.table': encoded(moved)}, 'is of another epoch'),
        ({'orbit.computed.table': encoded(flat[:5])}, 'too short'),
    ):
        with pytest.raises(ScenarioError, match=words) as caught:
            scenario.build(THIN_AIR | kept | change, 'x')
        assert '\n' not in str(caught.value)
    del kept['orbit.computed.epoch']
    with pytest.raises(ScenarioError, match=r'orbit\.computed\.epoch is missing'):
        scenario.build(THIN_AIR | kept, 'x')


@pytest.mark.parametrize('duration', [1e9, 0.0])
def test_a_run_of_a_year_or_without_end_makes_its_orbit_as_time_goes(duration, monkeypatch):
    earth_surroundings._shared.cache_clear()
    nodes = []
    first = EarthEnvironment.nodes
    monkeypatch.setattr(
        EarthEnvironment,
        'nodes',
        lambda self, begin, count: nodes.append(count) or first(self, begin, count),
    )
    found = scenario.build(ELLIPSE | {'duration': duration}, 'x')
    around = found.plant.environment.surroundings
    # The whole were 1e8 nodes, 10 GB; two hours of them are enough to begin.
    assert sum(nodes) < 1500
    far = 3e7 + 1234.5
    whole = earth_surroundings.earth_environment(found.parameters).table()
    for time in (0.0, 3601.0, far, 7.0):
        assert around.at(time).tobytes() == whole.at(time).tobytes()
    assert sum(nodes) < 20000
    ellipse = KeplerOrbit(found.parameters['orbit.semi_major_axis'])
    place, _ = np.split(ellipse.states_W(None, np.array([far]))[0], 2)
    # A double near 3e7 s knows it to 4e-9 s, and the anomaly to 7e-12 rad.
    assert around.at(far)[0:3] == pytest.approx(place, abs=2e-4)


def test_an_orbit_of_an_earlier_version_is_read_and_named_where_it_differs():
    path = ROOT / 'test' / 'data' / 'bags' / 'orbit_by_sgp4'
    verdict = replay.resimulate(path)
    assert 0 < verdict.identical < verdict.compared
    assert verdict.difference.split('\n')[1:] == [
        'This bag is of an earlier version, whose magnetic field and orbit were less exact '
        'between nodes, by 0.02 nT and 0.3 mm; so no motion of it is computed again to the bit.'
    ]
    scenarios, _, _ = replay._read(path, None)
    found = next(iter(scenarios.values()))
    around, values = found.plant.environment.surroundings, found.parameters
    assert around.older
    own = earth_surroundings.earth_environment(values).table()
    for time in (0.0, 3.0, 20.0, 57.0, 60.0):
        one, other = around.at(time), own.at(time)
        # Two nodes at either end are drawn on from the others.
        assert one == pytest.approx(other, rel=1e-9, abs=1e-12)
    text = scenario.dump(found)
    assert not scenario.parse(text, 'x').plant.environment.surroundings.older
    # Without a table nothing but this says which version it is of.
    first = scenario.dump(scenario.build(ELLIPSE, 'x'))
    lines = [line for line in first.split('\n') if 'span: ' not in line]
    each_tick = scenario.parse('\n'.join(lines), 'x').plant.environment.surroundings
    assert 'in each tick' in each_tick.older
    lines = [line for line in lines if 'neighbours' not in line]
    assert (
        'less exact' in scenario.parse('\n'.join(lines), 'x').plant.environment.surroundings.older
    )
    newer = text.replace('neighbours: 8', 'neighbours: 10')
    older = text.replace('neighbours: 8', 'neighbours: 6')
    with pytest.raises(ScenarioError, match='neighbours is 6, but this version needs 8'):
        scenario.parse(older, 'older')
    with pytest.raises(ScenarioError, match='neighbours is 10, but this version needs 8'):
        scenario.parse(newer, 'x')
    newer = text.replace('span: 1.0', 'span: 2.0')
    with pytest.raises(ScenarioError, match='span is 2 s, but this version needs 1 s'):
        scenario.parse(newer, 'x')


def test_a_table_of_an_earlier_version_reaches_the_end_of_its_run():
    """It had a node less at its end, where the sky of the last second now needs one more."""
    given = THIN_AIR | {'duration': 99.5}  # nodes are 10 s apart
    values = computed(given)
    flat = np.frombuffer(base64.b64decode(values['orbit.computed.table']))
    less = flat[: -NODE.size].copy()
    less[TABLE.at('count')] -= 1
    del values['orbit.computed.span']
    values['orbit.computed.table'] = base64.b64encode(less.astype('<f8').tobytes()).decode()
    around = scenario.build(given | values, 'x').plant.environment.surroundings
    assert 'in each tick' in around.older
    own = scenario.build(given, 'x').plant.environment.surroundings
    for time in (3.0, 99.4, 100.0):
        assert around.at(time) == pytest.approx(own.at(time), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize('duration', [0.0, 1e6])
def test_a_run_whose_orbit_cannot_be_kept_is_refused(duration):
    for given, words in ((THIN_AIR, "atmosphere is 'msis'"), (SATELLITE, "model is 'sgp4'")):
        with pytest.raises(ScenarioError, match=f'duration is .* and .*{words}'):
            scenario.build(given | {'duration': duration}, 'x')
    scenario.build(ELLIPSE | {'duration': duration}, 'x')


def test_a_run_by_two_line_elements_is_computed_again_without_them(command, tmp_path, monkeypatch):
    path = tmp_path / 'vanguard.yaml'
    # Beside them, all that can be given of what is around, in a table that the bag keeps.
    given = {
        'tick_rate': 2.0, 'residual_dipole': [0.0, 1.0, 0.0], 'gravity_gradient': False,
        'atmosphere': 'uniform', 'wind_model': 'uniform', 'wind': [10.0, 20.0, 30.0],
        'sun_model': 'uniform', 'sun_direction': [0.0, 3.0, 4.0], 'irradiance': 1500.0,
        'irradiance_model': 'uniform', 'earth_shadow': False, 'magnetic_model': 'dipole',
        'earth_dipole.tilt': 0.2, 'surfaces': ['a'], 'surface.a.area': 0.3,
        'surface.a.normal': [0.0, 0.6, 0.8],
    }  # fmt: skip
    tree = {'ros__parameters': SATELLITE | given}
    path.write_text(yaml.safe_dump({'/**/simulator': tree}))
    printed(command, 'run', path, '--rate', 0, '--record', tmp_path / 'bag')
    for name in ('sgp4', 'sgp4.api'):
        monkeypatch.setitem(sys.modules, name, None)  # cannot be imported
    done = printed(command, 'replay', tmp_path / 'bag', '--resimulate')
    assert done.strip() == f'identical: {191 * 17} of {191 * 17}'
