# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What reports, tables and figures say of an orbit about the Earth, and starting in its axes."""

import csv
from types import SimpleNamespace

import erfa
import numpy as np
import pytest
import yaml
from processes import printed, run
from std_srvs.srv import Trigger
from test_orbit_recorded import SATELLITE
from visualization_msgs.msg import Marker, MarkerArray

from spacecraft_attitude_sim.configuration import scenario, scenario_report
from spacecraft_attitude_sim.configuration.scenario import ScenarioError
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.environment.earth import GRAVITATIONAL_PARAMETER, RADIUS
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.studies.disturbances import DisturbanceMonitor
from spacecraft_attitude_sim.drawing import colors, orbit_figures, orbit_looks
from spacecraft_attitude_sim.nodes.markers.node import MarkersNode
from spacecraft_attitude_sim.recording import history, orbit_history
from spacecraft_attitude_sim.recording import table as run_table

# The middle of the night is at the start, above the equator, where the ellipsoid is highest.
HEIGHT = 600e3
PERIOD = 2.0 * np.pi * ((RADIUS + HEIGHT) ** 3 / GRAVITATIONAL_PARAMETER) ** 0.5
NIGHT = {
    'orbit.model': 'kepler', 'orbit.semi_major_axis': RADIUS + HEIGHT,
    'epoch': '2026-09-23T00:00:00Z', 'magnetic_model': 'uniform',
    'magnetic_field': [1e-5, -2e-5, 3e-5], 'tick_rate': 1.0, 'residual_dipole': [0.5, 0.1, 0.0],
    'body.inertia': [0.03, 0.04, 0.05], 'initial.angular_velocity': [0.0, 0.0, 0.0],
    'magnetometer.enabled': True,
}  # fmt: skip


def report(given):
    return '\n'.join(scenario_report.report(scenario.build(given, 'x')))


def test_report_says_where_when_and_what_acts():
    said = report(
        NIGHT | {'surfaces': ['sail'], 'surface.sail.area': 2.0, 'surface.sail.both_sides': True}
    )
    for words in (
        f'ellipse: semi-major axis {RADIUS + HEIGHT:.8g} m, eccentricity 0, inclination 0 deg',
        'starts 2026-09-23T00:00:00Z, 600',
        f'period {PERIOD:.6g} s',
        'magnetic field uniform, at the start (1e-05, -2e-05, 3e-05) T in world axes, 3.742e-05 T',
        'air exponential layers',
        'umbra at the start, 0 W/m^2',
        'torques of the environment: gravity gradient, magnetic, aerodynamic, solar pressure',
        'surfaces  sail: 2 m^2, normal (1, 0, 0), both sides',
        'magnetometer, 1 Hz, field (1e-05, -2e-05, 3e-05) T at the start',
    ):
        assert words in said, words
    assert 'with J2 drift' in report(NIGHT | {'orbit.model': 'j2'})
    assert 'air none' in report(NIGHT | {'atmosphere': 'none'})
    assert 'magnetometer, 32 Hz, field (1.8e-05, 0, 2.4e-05) T, noise' in report(
        {'magnetometer.enabled': True}
    )


def test_period_is_that_of_an_eccentric_ellipse():
    given = {'orbit.semi_major_axis': 2e7, 'orbit.eccentricity': 0.6, 'orbit.true_anomaly': 1.0}
    period = 2.0 * np.pi * (2e7**3 / GRAVITATIONAL_PARAMETER) ** 0.5
    assert f'period {period:.6g} s' in report(NIGHT | given)


# --- where it begins ----------------------------------------------------------------------------

CIRCULAR = {
    'orbit.radius': 7e6, 'orbit.normal': [0.0, -1.0, 1.0], 'orbit.start': [1.0, 0.0, 0.0],
}  # fmt: skip


@pytest.mark.parametrize('orbit', [CIRCULAR, NIGHT])
def test_a_body_at_rest_in_the_axes_of_its_orbit_turns_with_them(orbit):
    given = orbit | {'initial.frame': 'lvlh', 'initial.angular_velocity': [0.0, 0.0, 0.0]}
    found = scenario.build(given, 'x')
    plant, state = found.plant, found.initial
    position_W, velocity_W = plant.environment.orbital_state(0.0)
    C_WB = rotations.dcm_from_quaternion(state.q_WB)
    down, along = -position_W / np.linalg.norm(position_W), velocity_W / np.linalg.norm(velocity_W)
    assert C_WB[:, 2] == pytest.approx(down, abs=1e-12)
    assert C_WB[:, 0] == pytest.approx(along, abs=1e-12)  # the orbit is circular
    rate = np.linalg.norm(velocity_W) / np.linalg.norm(position_W)
    # About its normal, which is -y.
    assert plant.spacecraft.angular_velocity_B(state) == pytest.approx(
        (0.0, -rate, 0.0), abs=1e-15
    )
    if orbit is CIRCULAR:
        assert position_W == pytest.approx((7e6, 0.0, 0.0))
        assert along == pytest.approx((0.0, 0.5**0.5, 0.5**0.5))
        assert rate == pytest.approx(plant.environment.orbit.rate, rel=1e-12)


def test_start_in_the_axes_of_the_orbit_is_relative_to_them():
    roll, spin = [0.8, 0.6, 0.0, 0.0], [0.1, 0.2, 0.3]
    at_rest = scenario.build(NIGHT | {'initial.frame': 'lvlh'}, 'x').initial
    given = {'initial.frame': 'lvlh', 'initial.attitude': roll, 'initial.angular_velocity': spin}
    found = scenario.build(NIGHT | given, 'x')
    assert found.initial.q_WB == pytest.approx(rotations.compose(at_rest.q_WB, roll), abs=1e-15)
    plant = found.plant
    rate = 2.0 * np.pi / PERIOD
    orbital_B = np.array((0.0, -0.28 * rate, 0.96 * rate))  # -y, turned back by 2 acos 0.8 about x
    omega_B = plant.spacecraft.angular_velocity_B(found.initial)
    assert omega_B == pytest.approx(np.array(spin) + orbital_B, abs=1e-12)
    assert '  rotated by 73.7398 deg about (' in report(NIGHT | given)


# --- wrong input --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('given', 'words'),
    [
        ({'epoch': 'tomorrow'}, "epoch is 'tomorrow'; it must be a time in UTC"),
        ({'epoch': '2026-02-30T00:00:00Z'}, 'epoch is 2026-02-30T00:00:00Z, which is no time'),
        ({'epoch': '1950-01-01'}, 'epoch is 1950-01-01; give a year from'),
        ({'epoch': '2031-01-01', 'magnetic_model': 'igrf'}, '2031'),
        ({'epoch': '2024-01-01', 'magnetic_model': 'wmm'}, '2024'),
        ({'orbit.semi_major_axis': 6.3e6}, 'semi_major_axis is 6.3e.06 m .* above the ground'),
        ({'orbit.eccentricity': 0.5}, 'eccentricity 0.5: the perigee is .* above the ground'),
        ({'orbit.eccentricity': 1.0}, 'eccentricity is 1; it must be from 0 to below 1'),
        ({'orbit.radius': 7e6}, "orbit.model is 'kepler' and orbit.radius"),
        ({'orbit.model': 'kelper'}, "orbit.model is 'kelper'; choose one of"),
        ({'magnetic_model': 'igrf13'}, "magnetic_model is 'igrf13'; choose one of"),
        ({'atmosphere': 'nrlmsise'}, "atmosphere is 'nrlmsise'; choose one of"),
        ({'orbit.semimajor_axis': 7e6}, "did you mean 'orbit.semi_major_axis'"),
        ({'initial.frame': 'lvhl'}, "initial.frame is 'lvhl'; choose one of world, lvlh"),
        (
            {'initial.frame': 'lvlh', 'orbit.model': 'none', 'magnetometer.enabled': False},
            "initial.frame is 'lvlh', and there is no orbit; give orbit.model, or world",
        ),
    ],
)
def test_an_orbit_that_cannot_be_is_refused_in_one_line(given, words):
    with pytest.raises(ScenarioError, match=words) as caught:
        scenario.build(NIGHT | given, 'night.yaml')
    assert str(caught.value).startswith('night.yaml: ')
    assert '\n' not in str(caught.value)


def test_check_says_what_is_wrong_with_an_epoch(command, tmp_path):
    path = tmp_path / 'night.yaml'
    tree = {'ros__parameters': NIGHT | {'epoch': '2026-13-01'}}
    path.write_text(yaml.safe_dump({'/**/simulator': tree}))
    done = run(command, 'check', path)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert 'night.yaml: epoch is 2026-13-01' in line


# --- of a run -----------------------------------------------------------------------------------


def test_torque_commanded_of_rods_is_that_in_the_field_of_the_orbit():
    given = {'magnetorquers': ['x'], 'magnetorquer.x.axis': [1.0, 0.0, 0.0]}
    given |= {'magnetorquer.x.max_dipole': 1.0, 'magnetic_model': 'dipole'}
    found = scenario.build(NIGHT | given, 'x')
    inputs = simulation.Inputs(dipole=np.array((0.5,)))
    instant = simulation.next_instant(found.plant, found.first_instant(), inputs)
    around = found.plant.environment.surroundings.at(1.0)
    field_W = around[AROUND.of('magnetic_field_W')]
    field_B = rotations.rotate(rotations.conjugate(instant.state.q_WB), field_W)
    torque_B = simulation.commanded_torque_B(found.plant, instant)
    assert torque_B == pytest.approx(np.cross((0.5, 0.0, 0.0), field_B), rel=1e-12, abs=0.0)
    assert np.linalg.norm(torque_B) > 5e-6


@pytest.fixture(scope='module')
def flown(tmp_path_factory, command):
    """Return (bag, table, what was printed) of 20 minutes from the middle of the night."""
    folder = tmp_path_factory.mktemp('night')
    path = folder / 'night.yaml'
    given = NIGHT | {'duration': 1400.0, 'tick_rate': 0.5, 'initial.frame': 'lvlh'}
    path.write_text(yaml.safe_dump({'/**/simulator': {'ros__parameters': given}}))
    bag, table = folder / 'bag', folder / 'night.csv'
    said = printed(command, 'run', path, '--rate', 0, '--record', bag, '--csv', table)
    return bag, table, said


def test_largest_torques_are_of_whole_seconds_of_a_run():
    found = scenario.build(NIGHT | {'tick_rate': 4.0}, 'x')
    monitor, sizes = DisturbanceMonitor(found.plant), []
    magnetic = next(one for one in found.plant.environment.turning if one.name == 'magnetic')
    field = np.array((1e-5, -2e-5, 3e-5))
    for tick, angle in ((0, 0.9), (1, 0.3), (4, 0.6), (8, 1.0)):
        q_WB = np.array((np.cos(angle), np.sin(angle), 0.0, 0.0))
        instant = simulation.put_instant(found.plant, tick, found.initial._replace(q_WB=q_WB), 0)
        monitor.add(instant)
        field_B = rotations.rotate(rotations.conjugate(q_WB), field)
        sizes.append(np.linalg.norm(np.cross(magnetic.rows[0], field_B)))
    assert monitor.seen == 3 and monitor.dark == 1.0
    assert max(sizes) == sizes[1]  # not in a whole second
    assert monitor.largest['magnetic'] == pytest.approx(max(sizes[::2] + sizes[3:]), rel=1e-12)
    assert sizes[3] < monitor.largest['magnetic']
    assert DisturbanceMonitor(scenario.build({}, 'x').plant).text() == ''


def test_the_shadow_is_where_the_whole_sun_is_hidden():
    """Of umbra, penumbra and day in the four whole seconds of a flight."""
    lit = {0.0: 0.0, 1.0: 1e-9, 2.0: 0.5, 3.0: 1.0}
    around = SimpleNamespace(at=lambda time: AROUND.packed(
        **{name: 0.0 for name in AROUND.widths if name != 'lit'}, lit=lit[time]
    ))  # fmt: skip
    load = SimpleNamespace(name='magnetic', torque_B=lambda *given: np.zeros(3))
    environment = SimpleNamespace(turning=[load], surroundings=around)
    plant = SimpleNamespace(ticks=SimpleNamespace(rate=2.0), environment=environment, body=None)
    monitor = DisturbanceMonitor(plant)
    for tick in range(8):
        monitor.add(SimpleNamespace(tick=tick, elapsed_time=0.5 * tick, state=None))
    assert (monitor.seen, monitor.dark) == (4, 0.25)


# Half the night: the shadow is as wide as the Earth, less the Sun's half disc of 0.267 deg.
UMBRA = PERIOD / (2.0 * np.pi) * (np.arcsin(RADIUS / (RADIUS + HEIGHT)) - np.radians(0.267))


def test_run_says_what_the_environment_did(flown):
    (line,) = [one for one in flown[2].splitlines() if one.startswith('  environment')]
    assert line.split()[1:5] == ['torques', 'of', 'at', 'most']
    assert ' magnetic, ' in line and ' gravity gradient [N m]; ' in line
    dark = float(line.split('; ')[1].split()[0])
    # 0.3: a tick, and the equinox' angle of 0.4 deg.
    assert dark == pytest.approx(100.0 * UMBRA / 1400.0, abs=0.8)
    assert 'forces or torques acted' in flown[2]


def test_table_says_what_was_around_as_the_bag_does(flown, command, tmp_path):
    bag, table, _ = flown
    rows = list(csv.reader(table.open()))
    values = np.array(rows[1:], dtype=float)
    own = [rows[0].index(name) for name in orbit_history.ALWAYS]
    around = dict(zip(orbit_history.ALWAYS, values[:, own].T, strict=True))
    time = values[:, 0]
    assert around['height [m]'] == pytest.approx(HEIGHT, abs=200.0)  # the axis is not at the pole
    at = history.read(bag)[1].plant.environment.surroundings.at
    place_W = np.stack([around[f'orbit_{axis} [m]'] for axis in 'xyz'], axis=1)
    q_EW = [rotations.conjugate(at(now)[AROUND.of('q_WE')]) for now in time]
    longitude, latitude, _ = erfa.gc2gd(1, rotations.rotate_many(np.array(q_EW), place_W))
    assert around['longitude [rad]'] == pytest.approx(longitude, abs=1e-12)
    assert around['latitude [rad]'] == pytest.approx(latitude, abs=1e-12)
    assert around['orbit_x [m]'] == pytest.approx(
        (RADIUS + HEIGHT) * np.cos(2.0 * np.pi / PERIOD * time), abs=0.01
    )
    field_B = np.stack([around[f'field_{axis} [T]'] for axis in 'xyz'], axis=1)
    q_WB = values[:, [rows[0].index(name) for name in run_table.QUATERNION_COLUMNS]]
    field_W = rotations.rotate_many(q_WB, field_B)
    assert field_W == pytest.approx(np.tile((1e-5, -2e-5, 3e-5), (len(time), 1)), rel=1e-9)
    lit = around['lit']
    assert time[lit == 0.0].max() == pytest.approx(UMBRA, abs=10.0)
    assert (around['irradiance [W/m^2]'][lit == 1.0] > 1300.0).all()
    torque = values[:, [rows[0].index(f'magnetic_{axis} [N m]') for axis in 'xyz']]
    assert np.abs(torque).max() > 1e-6
    again = tmp_path / 'again.csv'
    printed(command, 'plot', bag, '-o', tmp_path / 'x.png', '--csv', again)
    assert (tmp_path / 'x_orbit.png').stat().st_size > 20_000
    other = list(csv.reader(again.open()))
    assert other[0] == rows[0]
    assert np.array(other[1:], dtype=float)[:, own].tolist() == values[:, own].tolist()


def test_figure_has_a_panel_of_each_and_the_night_is_grey(flown):
    found, _ = history.read(flown[0])
    figure = orbit_figures.figure(found, 'night')
    labels = [axis.get_ylabel().split('\n')[0] for axis in figure.axes]
    assert labels == [
        'gravity gradient', 'magnetic', 'magnetic field', 'sunlight [W/m²]', 'height [km]',
    ]  # fmt: skip
    assert 'grey' in figure.axes[-1].get_xlabel()
    orbit_figures.shade_all(figure, found)
    keys = [one.panel.key for one in orbit_figures.panels(found.orbit)]
    assert list(dict.fromkeys(keys)) == ['disturbance', 'field', 'sunlight', 'height']
    for axis in figure.axes:
        umbra, penumbra = axis.patches
        box = umbra.get_extents().transformed(axis.transData.inverted())
        assert (box.x0, box.x1) == pytest.approx((0.0, UMBRA), abs=10.0)
        assert penumbra.get_extents().transformed(axis.transData.inverted()).x0 == box.x1
        assert umbra.get_facecolor()[:3] == pytest.approx(colors.rgb(colors.ECLIPSE))
    day = found._replace(orbit=found.orbit._replace(lit=np.ones(len(found.time))))
    figure = orbit_figures.figure(day, 'day')
    orbit_figures.shade_all(figure, day)
    assert not any(axis.patches for axis in figure.axes)
    assert 'grey' not in figure.axes[-1].get_xlabel()


# --- RViz and the viewer ------------------------------------------------------------------------


def test_night_is_not_drawn_into_a_panel_in_space(flown):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    drawn, (table, _) = Figure(), history.read(flown[0])
    over_time, in_space = drawn.add_subplot(1, 2, 1), drawn.add_subplot(1, 2, 2, projection='3d')
    orbit_figures.shade_all(drawn, table)
    assert over_time.patches
    assert not in_space.patches
    FigureCanvasAgg(drawn).draw()


def arrow_of(message, name):
    """Return the direction (3,) and the colour of an arrow, and the word at its end."""
    made = [marker for marker in message.markers if marker.ns == name]
    (arrow,) = [marker for marker in made if marker.type == Marker.ARROW]
    (word,) = [marker.text for marker in made if marker.type == Marker.TEXT_VIEW_FACING]
    start, end = (np.array((point.x, point.y, point.z)) for point in arrow.points)
    size = np.linalg.norm(end - start)
    return (end - start) / size, (arrow.color.r, arrow.color.g, arrow.color.b), word


def test_rviz_shows_sun_field_and_nadir_by_the_time_since_a_reset(ros):
    given = {'start_paused': True, 'step_ticks': 1200, 'real_time_factor': 0.0}
    simulator = ros.simulator(NIGHT | given)
    heard = ros.listen(MarkerArray, 'markers')
    markers = ros.add(MarkersNode())
    ros.until(markers.ready)
    inputs = '/ground_truth/inputs'
    ros.until(lambda: ros.node.count_subscribers(inputs) >= 1)
    ros.call(Trigger, '/simulator/step')
    ros.until(lambda: simulator.instant.tick >= 1200, patience=90.0)

    def shown(tick):
        return [one for one in heard if one.markers and one.markers[-1].header.stamp.sec == tick]

    ros.until(lambda: shown(1200))
    angle = 2.0 * np.pi / PERIOD * 1200.0
    (day,) = shown(1200)
    nadir, _, word = arrow_of(day, 'nadir')
    assert nadir == pytest.approx((-np.cos(angle), -np.sin(angle), 0.0), abs=1e-6)
    assert word == 'nadir'
    field, _, word = arrow_of(day, 'magnetic_field')
    assert field == pytest.approx(np.array((1.0, -2.0, 3.0)) / 14.0**0.5, abs=1e-9)
    assert word == 'B'
    sun, bright, word = arrow_of(day, 'sun')
    assert sun == pytest.approx((-1.0, 0.0065, 0.0), abs=3e-3)
    assert word == 'Sun'
    ros.call(Trigger, '/simulator/reset')
    ros.call(Trigger, '/simulator/step')
    ros.until(lambda: shown(1201))
    nadir, _, _ = arrow_of(shown(1201)[0], 'nadir')
    assert nadir == pytest.approx((-1.0, 0.0, 0.0), abs=1e-6)
    _, dark, _ = arrow_of(shown(1201)[0], 'sun')
    assert max(bright) - min(bright) > 0.5 > max(dark) - min(dark)  # yellow, then grey


def test_arrow_of_no_field_is_not_drawn():
    found = scenario.build(NIGHT | {'magnetic_field': [0.0, 0.0, 0.0]}, 'x')
    now = found.plant.environment.surroundings.at(0.0)
    assert orbit_looks.directions_W(now)[1].tolist() == [0.0, 0.0, 0.0]
    assert np.linalg.norm(orbit_looks.directions_W(now), axis=1)[::2] == pytest.approx(1.0)


def test_viewer_shows_earth_orbit_sun_and_field(flown, tmp_path):
    pytest.importorskip('rerun', reason="the viewer's extra is not installed: pip '.[view]'")
    from test_viewer import columns

    from spacecraft_attitude_sim.viewer import layout, recorded
    from spacecraft_attitude_sim.viewer.rerun_session import RerunSession

    path = tmp_path / 'run.rrd'
    session = RerunSession(live=False, save=path)
    recorded.show_bag(flown[0], session)
    session.close()
    table, found = history.read(flown[0])
    around = found.plant.environment.surroundings
    now = np.array([around.at(time) for time in table.time])
    place = np.array(columns(path, '/orbit/place')['Points3D:positions'])[:, 0]
    assert place == pytest.approx(now[:, AROUND.of('position_W')] / RADIUS, abs=1e-6)
    earth = np.array(columns(path, '/orbit/earth')['Transform3D:quaternion'])[:, 0]
    assert np.roll(earth, 1, axis=1) == pytest.approx(now[:, AROUND.of('q_WE')], abs=1e-6)
    nadir = np.array(columns(path, '/world/craft/nadir')['Arrows3D:vectors'])[:, 0]
    down = -place / np.linalg.norm(place, axis=1)[:, np.newaxis]
    assert nadir / np.linalg.norm(nadir, axis=1)[:, np.newaxis] == pytest.approx(down, abs=1e-6)
    sun = np.array(columns(path, '/orbit/sun')['Arrows3D:vectors'])[:, 0]
    assert sun / 2.2 == pytest.approx(now[:, AROUND.of('to_sun_W')], abs=1e-6)
    field = np.array(columns(path, '/plots/field')['Scalars:scalars'])
    assert field == pytest.approx(1e6 * table.orbit.field_B, abs=1e-9)
    along_W = now[:, AROUND.of('magnetic_field_W')]
    along_W = along_W / np.linalg.norm(along_W, axis=1)[:, np.newaxis]
    for name in ('world/craft/magnetic_field', 'orbit/field'):
        arrow = np.array(columns(path, f'/{name}')['Arrows3D:vectors'])[:, 0]
        size = np.linalg.norm(arrow, axis=1)[:, np.newaxis]
        assert arrow / size == pytest.approx(along_W, abs=1e-6)  # single precision
    # The curves are in body axes, and so is what a magnetometer without errors reads.
    C_WB = np.array([rotations.dcm_from_quaternion(q) for q in table.q_WB()])
    seen_W = np.einsum('nij,nj->ni', C_WB, field)
    assert seen_W == pytest.approx(1e6 * now[:, AROUND.of('magnetic_field_W')], abs=1e-6)
    light = np.array(columns(path, '/plots/sunlight')['Scalars:scalars'])[:, 0]
    assert light.tolist() == table.orbit.irradiance.tolist()
    strip = orbit_drawn(path)
    # One revolution, which ends where it began.
    assert strip[0] == pytest.approx(strip[-1], abs=1e-4)
    assert strip[90] == pytest.approx(-strip[0], abs=1e-4)
    assert layout.ORBIT_PLOTS.keys() == {'field', 'sunlight'}


def orbit_drawn(path):
    """Return the path (n, 3) around the Earth in a Rerun recording [Earth radii]."""
    from rerun.experimental import RrdReader

    (strip,) = [
        np.array(chunk.to_record_batch().to_pydict()['LineStrips3D:strips'][0][0])
        for chunk in RrdReader(path).stream().to_chunks()
        if chunk.entity_path == '/orbit/path'
    ]
    return strip


def test_viewer_draws_an_orbit_from_elements_as_far_as_the_run_goes(tmp_path):
    pytest.importorskip('rerun', reason="the viewer's extra is not installed: pip '.[view]'")
    from spacecraft_attitude_sim.viewer.rerun_session import RerunSession, samples_of

    found = scenario.build(SATELLITE, 'x')
    session = RerunSession(live=False, save=tmp_path / 'x.rrd')
    craft, still = session.craft(), np.zeros(3)
    craft.begin(found)
    craft.add(samples_of([(0, 0, still, (1.0, 0.0, 0.0, 0.0), still, still)]))
    session.close()
    strip = orbit_drawn(tmp_path / 'x.rrd')
    for end, time in ((strip[0], 0.0), (strip[-1], SATELLITE['duration'])):
        place = found.plant.environment.surroundings.at(time)[AROUND.of('position_W')]
        assert end == pytest.approx(place / RADIUS, abs=1e-6)  # single precision


def test_viewer_has_a_view_of_the_orbit_and_its_plots(tmp_path):
    pytest.importorskip('rerun', reason="the viewer's extra is not installed: pip '.[view]'")
    from spacecraft_attitude_sim.viewer import caption, layout
    from spacecraft_attitude_sim.viewer.rerun_session import RerunSession, samples_of

    origins = {}
    for name, given in (('orbit', NIGHT), ('free', {})):
        session = RerunSession(live=False, save=tmp_path / f'{name}.rrd')
        craft = session.craft()
        found = scenario.build(given, 'x')
        craft.begin(found)
        q_WB, one = (1.0, 0.0, 0.0, 0.0), np.ones(3)
        craft.add(samples_of([(0, 0, np.zeros(3), q_WB, one, one)]))
        page = layout.blueprint([craft.look()], live=False)
        session.close()
        origins[name] = origins_of(page.root_container)
        assert ('to the Sun' in caption.text(found, one)) == (name == 'orbit')
    assert {'orbit', 'plots/field', 'plots/sunlight'} <= origins['orbit']
    assert not {'orbit', 'plots/field', 'plots/sunlight'} & origins['free']


def origins_of(container):
    """Return the paths that the views of a container show."""
    if hasattr(container, 'origin'):
        return {str(container.origin).lstrip('/')}
    return set().union(*map(origins_of, container.contents))


def test_panels_of_an_orbit_are_in_the_units_that_they_name():
    torques_B = np.array(((3e-7, 0.0, 4e-7), (0.0, 1e-7, 0.0)))
    found = SimpleNamespace(
        torques_B={'gravity_gradient': torques_B, 'air_drag': 2.0 * torques_B},
        field_B=np.array(((2e-5, 0.0, 0.0), (0.0, 3e-5, 4e-5))),
        irradiance=np.array((1361.0, 0.0)), heights=np.array((498_765.0, 500_000.0)),
    )  # fmt: skip
    drawn = [limited.panel for limited in orbit_figures.panels(found)]
    assert [(panel.label, panel.key, panel.names[-1]) for panel in drawn] == [
        ('gravity gradient\ntorque, body axes\n[N m]', 'disturbance', '|τ|'),
        ('air drag\ntorque, body axes\n[N m]', 'disturbance', '|τ|'),
        ('magnetic field\nbody axes [µT]', 'field', '|B|'),
        ('sunlight [W/m²]', 'sunlight', 'sunlight'), ('height [km]', 'height', 'height'),
    ]  # fmt: skip
    expected = (
        ((3e-7, 0.0, 4e-7, 5e-7), (0.0, 1e-7, 0.0, 1e-7)),
        ((6e-7, 0.0, 8e-7, 1e-6), (0.0, 2e-7, 0.0, 2e-7)),
        ((20.0, 0.0, 0.0, 20.0), (0.0, 30.0, 40.0, 50.0)),
        ((1361.0,), (0.0,)), ((498.765,), (500.0,)),
    )  # fmt: skip
    for panel, values in zip(drawn, expected, strict=True):
        assert panel.values == pytest.approx(np.array(values), rel=1e-12, abs=1e-18)
    assert [panel.note for panel in drawn[3:]] == ['0 to 1361', '498.76 to 500']
    assert [panel.from_zero for panel in drawn[3:]] == [True, False]


def test_a_solver_draws_the_sky_of_the_plant_that_it_advances():
    """Kept for the ticks of a span; another plant, as one with a fault, has another sky."""
    plant = scenario.load(scenario.find('cubesat_3u_leo')).plant
    solver = plant.solver
    sky = solver._sky(plant, 0)
    assert solver._sky(plant, 1) is sky
    kept = solver._drawn[:]
    try:
        solver._drawn[:] = [(plant._replace(spacecraft=None), 0, None)]
        assert solver._sky(plant, 0).tobytes() == sky.tobytes()
    finally:
        solver._drawn[:] = kept
