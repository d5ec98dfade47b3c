# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""AEM, APM and OEM: their conventions by the formulas of the standard, and exact round trips."""

import bisect
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from processes import printed, run
from scipy.spatial.transform import Rotation

from spacecraft_attitude_sim.configuration import (
    attitude_guidance,
    attitude_message,
    kvn,
    orbit_file,
    orbit_message,
    recorded_scenario,
    scenario,
)
from spacecraft_attitude_sim.configuration.parameter import ParameterError
from spacecraft_attitude_sim.core.environment import time_systems
from spacecraft_attitude_sim.core.environment.epoch import epoch_of
from spacecraft_attitude_sim.core.environment.kepler_orbit import KeplerOrbit
from spacecraft_attitude_sim.core.guidance.attitude_table import AttitudeTable
from spacecraft_attitude_sim.core.guidance.motion import GuidanceError
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.ticks import Ticks
from spacecraft_attitude_sim.recording import attitude_messages, bag_reader, topics

pytestmark = pytest.mark.quick
BAGS = Path(__file__).parent / 'data' / 'bags'
ORBITING, FREE = BAGS / 'orbit_by_sgp4', BAGS / 'commanded_racket'
UTC = '2026-11-01T12:00:00Z'


def turning(times):
    """Attitudes (n, 4) that turn about a slanted axis and then about z, smoothly."""
    swing = Rotation.from_rotvec(np.outer(np.sin(0.01 * times), (0.3, -0.5, 0.4)))
    spin = Rotation.from_rotvec(np.outer(0.004 * times, (0.0, 0.0, 1.0)))
    return np.roll((swing * spin).as_quat(), 1, axis=1)


def aem(lines, **changes):
    """The text of an AEM of version 2 with data lines; changes: keywords, None to leave out."""
    metadata = {
        'OBJECT_NAME': 'A', 'OBJECT_ID': '2026-001A', 'REF_FRAME_A': 'GCRF',
        'REF_FRAME_B': 'SC_BODY_1', 'TIME_SYSTEM': 'UTC', 'ATTITUDE_TYPE': 'QUATERNION', **changes,
    }  # fmt: skip
    version = metadata.pop('version', '2.0')
    kept = [f'{name} = {value}' for name, value in metadata.items() if value is not None]
    head = [f'CCSDS_AEM_VERS = {version}', 'COMMENT by hand', '', 'ORIGINATOR = US']
    return '\n'.join(
        [*head, 'META_START', *kept, 'META_STOP', 'DATA_START', *lines, 'DATA_STOP', '']
    ).encode()


def stamp(seconds):
    return time_systems.utc_text(time_systems.instant(UTC) + round(seconds * 1e9))


TIMES = np.arange(0.0, 61.0, 10.0)
LAST = [
    ' '.join((stamp(t), *(repr(float(value)) for value in np.roll(q, -1))))
    for t, q in zip(TIMES, turning(TIMES), strict=True)
]


@pytest.fixture(scope='module')
def written(tmp_path_factory):
    """The AEM and the APM of the bag with an orbit."""
    folder = tmp_path_factory.mktemp('ccsds')
    paths = folder / 'a.aem', folder / 'a.apm'
    words = ('--aem', paths[0], '--apm', paths[1], '--name', 'CUBE SAT', '--id', '2026-001A')
    done = run('attitude-sim', 'ccsds', ORBITING, *words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [str(path) for path in paths]
    return paths


@pytest.fixture(scope='module')
def flown():
    return attitude_messages.read(ORBITING, 'A', 'B')


def numbers_of(text):
    """[(time, numbers)] of the data lines of an AEM, by splitting alone."""
    lines = text.partition('DATA_START\n')[2].partition('DATA_STOP')[0].splitlines()
    return [(line.split()[0], [float(word) for word in line.split()[1:]]) for line in lines]


def test_an_aem_has_the_bits_of_the_bag_with_the_scalar_last(written, flown):
    """The messages of the bag are decoded here, without the reader that the command uses."""
    sent = {}
    with bag_reader.opened(ORBITING) as bag:
        for connection, at, data in bag.messages():
            if connection.topic.endswith('ground_truth/odometry'):
                told = bag.decoded(connection, at, data, 'nav_msgs/msg/Odometry')
                turned, rate = told.pose.pose.orientation, told.twist.twist.angular
                time = told.header.stamp.sec * 10**9 + told.header.stamp.nanosec
                sent[time] = (
                    [turned.x, turned.y, turned.z, turned.w],
                    [math.degrees(value) for value in (rate.x, rate.y, rate.z)],
                )
    rows = numbers_of(written[0].read_text())
    first = min(sent)
    assert len(rows) == len(sent) > 5
    zero = np.datetime64(rows[0][0])
    for time, values in rows:
        after = int((np.datetime64(time) - zero) / np.timedelta64(1, 'ns'))
        q, rates = sent[first + after]
        assert values[:4] == q
        assert values[4:] == pytest.approx(rates, rel=1e-15, abs=1e-15)


def test_the_matrix_of_the_standard_turns_gcrf_into_body_components(flown):
    """M(Q) of CCSDS 500.0-G-4, with QC last, against our rotation of body into world."""
    for q_WB in flown.q_WB:
        q1, q2, q3, qc = np.roll(q_WB, -1)
        M = np.array([
            [q1*q1 - q2*q2 - q3*q3 + qc*qc, 2*(q1*q2 + q3*qc), 2*(q1*q3 - q2*qc)],
            [2*(q1*q2 - q3*qc), -q1*q1 + q2*q2 - q3*q3 + qc*qc, 2*(q2*q3 + q1*qc)],
            [2*(q1*q3 + q2*qc), 2*(q2*q3 - q1*qc), -q1*q1 - q2*q2 + q3*q3 + qc*qc],
        ])  # fmt: skip
        v_B = np.array((0.3, -0.5, 0.8))
        # Round-off of some products of numbers below 1.
        assert M @ rotations.rotate(q_WB, v_B) == pytest.approx(v_B, abs=1e-14)


def test_an_apm_is_the_first_line_of_the_aem(written):
    text = written[1].read_text()
    values = dict(line.split(' = ') for line in text.splitlines() if ' = ' in line)
    time, numbers = numbers_of(written[0].read_text())[0]
    assert values['EPOCH'] == time
    assert [float(values[name]) for name in ('Q1', 'Q2', 'Q3', 'QC')] == numbers[:4]
    rates = [values[f'ANGVEL_{axis}'].split() for axis in 'XYZ']
    assert [float(rate) for rate, _ in rates] == numbers[4:]
    assert {unit for _, unit in rates} == {'[deg/s]'}
    # Figure G-1 of CCSDS 504.0-B-2 has no META_START.
    assert 'META' not in text
    assert 'OBJECT_NAME = CUBE SAT' in text


def test_messages_say_in_which_frames_and_when():
    """Every line, as CCSDS 504.0-B-2 has them, of two instants written by hand."""
    zero = time_systems.instant('2026-03-20T12:00:00')
    q_WB, omega_B = np.array(((1.0, 0.0, 0.0, 0.0), (0.5, -0.5, 0.5, 0.5))), np.zeros((2, 3))
    omega_B[1, 2] = math.pi
    flown = attitude_messages.Flown('SAT', '2026-001A', [zero, zero + 10**9], q_WB, omega_B)
    begin, end = '2026-03-20T12:00:00.000000000', '2026-03-20T12:00:01.000000000'
    _, *head = attitude_messages.aem(flown, 'TODAY').splitlines()
    assert head == [
        'CREATION_DATE = TODAY', f'ORIGINATOR = {attitude_messages.ORIGINATOR}', 'META_START',
        'OBJECT_NAME = SAT', 'OBJECT_ID = 2026-001A', 'REF_FRAME_A = GCRF',
        'REF_FRAME_B = SC_BODY_1', 'TIME_SYSTEM = UTC', f'START_TIME = {begin}',
        f'STOP_TIME = {end}', 'ATTITUDE_TYPE = QUATERNION/ANGVEL', 'ANGVEL_FRAME = SC_BODY_1',
        'META_STOP', 'DATA_START', f'{begin} 0.0 0.0 0.0 1.0 0.0 0.0 0.0',
        f'{end} -0.5 0.5 0.5 0.5 0.0 0.0 180.0', 'DATA_STOP',
    ]  # fmt: skip
    frames = ['REF_FRAME_A = GCRF', 'REF_FRAME_B = SC_BODY_1']
    assert attitude_messages.apm(flown, 'TODAY').splitlines()[3:] == [
        'OBJECT_NAME = SAT', 'OBJECT_ID = 2026-001A', 'TIME_SYSTEM = UTC', f'EPOCH = {begin}',
        'QUAT_START', *frames, 'Q1 = 0.0', 'Q2 = 0.0', 'Q3 = 0.0', 'QC = 1.0', 'QUAT_STOP',
        'ANGVEL_START', *frames, 'ANGVEL_FRAME = SC_BODY_1', 'ANGVEL_X = 0.0 [deg/s]',
        'ANGVEL_Y = 0.0 [deg/s]', 'ANGVEL_Z = 0.0 [deg/s]', 'ANGVEL_STOP',
    ]  # fmt: skip


def test_what_is_written_is_read_again_to_the_bit(written, flown):
    texts = kvn.segment(written[0].read_bytes(), 'AEM')[0].rows((7,))
    assert texts[0] == list(flown.instants)
    read = [[kvn.number_of(word) for word in row[:4]] for row in texts[1]]
    assert np.roll(read, 1, axis=1).tolist() == flown.q_WB.tolist()


def test_spice_turns_gcrf_into_body_components_and_gives_the_rate(tmp_path, flown):
    """CSPICE reads a CK by its own frame and clock; a leap second kernel of four constants."""
    spiceypy = pytest.importorskip('spiceypy')
    path = tmp_path / 'a.bc'
    printed('attitude-sim', 'ccsds', ORBITING, '--ck', path, '--spice-id', '-77')
    # The constants of naif0012.tls, with the leap seconds of the bag alone.
    utc = time_systems.utc_text(flown.instants[0])
    leaps = (flown.instants[0] - int(np.datetime64(utc, 'ns').astype(np.int64))) // 10**9
    assert 30 <= leaps <= 37
    (tmp_path / 'leap.tls').write_text(
        'KPL/LSK\n\\begindata\nDELTET/DELTA_T_A = 32.184\nDELTET/K = 1.657D-3\n'
        'DELTET/EB = 1.671D-2\nDELTET/M = ( 6.239996D0 1.99096871D-7 )\n'
        f'DELTET/DELTA_AT = ( {leaps}, @1972-JAN-1 )\n\\begintext\n'
    )
    kernels = [tmp_path / 'leap.tls', path, tmp_path / 'a.bc.tsc', tmp_path / 'a.bc.tf']
    try:
        spiceypy.furnsh([str(kernel) for kernel in kernels])
        v_B = np.array((0.3, -0.5, 0.8))
        for time, q_WB, omega_B in zip(*flown[2:], strict=True):
            ticks = float(time - flown.instants[0])
            C, rate_W, at = spiceypy.ckgpav(-77000, ticks, 0.0, 'J2000')
            assert at == ticks
            # SPICE turns the quaternion into a matrix: round-off.
            assert C @ rotations.rotate(q_WB, v_B) == pytest.approx(v_B, abs=1e-14)
            assert C @ rate_W == pytest.approx(omega_B, abs=1e-14)
        # Ephemeris time has 1e-7 s, in which this body turns by less than a microradian.
        k = len(flown.instants) // 2
        et = spiceypy.str2et(time_systems.utc_text(flown.instants[k]))
        turn = spiceypy.pxform('J2000', 'SC77_BODY', et)
        expected = rotations.dcm_from_quaternion(flown.q_WB[k]).T
        np.testing.assert_allclose(turn, expected, rtol=0.0, atol=1e-6)
    finally:
        spiceypy.kclear()


def test_a_message_is_of_the_time_since_the_last_reset(monkeypatch):
    """Its times begin again there; what was before would stand twice at the same UTC."""
    text = recorded_scenario.dump(scenario.load(scenario.find('cubesat_3u_leo')))
    ticks = Ticks(10**9)
    told = [
        SimpleNamespace(
            received={topics.ODOMETRY: ()},
            elapsed=elapsed,
            ticks=ticks,
            omega_B=np.zeros(3),
            q_WB=np.array((1.0, float(number), 0.0, 0.0)),
        )
        for number, elapsed in enumerate((0, 1, 2, 0, 1, 0, 1, 2))
    ]

    def instants(bag, assembler, namespace):
        assembler._parse(text)
        return told

    monkeypatch.setattr(attitude_messages.reader, 'instants', instants)
    flown = attitude_messages.read('bag', 'A', 'B')
    assert flown.q_WB[:, 1].tolist() == [5.0, 6.0, 7.0]
    assert np.diff(flown.instants).tolist() == [10**9] * 2


def test_span_and_step_choose_the_instants(flown):
    whole = np.array(flown.instants) - flown.instants[0]
    chosen = attitude_messages.read(
        ORBITING, 'A', 'B', span=attitude_messages.Span(whole[2] / 1e9, whole[-2] / 1e9)
    )
    assert list(chosen.instants) == list(flown.instants)[2:-1]
    step = 2 * whole[1] / 1e9
    every = attitude_messages.read(ORBITING, 'A', 'B', span=attitude_messages.Span(step=step))
    assert list(every.instants) == list(flown.instants)[::2]


@pytest.mark.parametrize(
    ('words', 'told'),
    [
        ((FREE, '--aem', 'x.aem'), 'it has no epoch: give --epoch'),
        ((ORBITING, '--aem', 'x.aem', '--epoch', UTC), 'leave --epoch out'),
        ((FREE, '--aem', 'x.aem', '--epoch', '2026-02-30'), 'which is no time in UTC'),
        ((ORBITING,), 'give --aem FILE, --apm FILE or --ck FILE'),
        ((ORBITING, '--ck', 'x.bc', '--spice-id', '5'), '--spice-id is 5; give a number'),
        ((ORBITING, '--aem', 'x', '--apm', 'x'), 'the same file'),
        ((ORBITING, '--aem', 'x.aem', '--from', '1e9'), 'no instant between --from and --to'),
        ((ORBITING, '--aem', 'x.aem', '--from', 'nan'), '--from is nan'),
        ((ORBITING, '--aem', 'x.aem', '--step', '-1'), '--step is -1'),
        ((ORBITING, '--aem', 'x.aem', '--name', 'A\nB'), 'give up to 64 characters'),
        ((ORBITING, '--aem', 'x.aem', '--id', 'A = B'), 'give up to 64 characters'),
        (('no_bag', '--aem', 'x.aem'), 'no_bag'),
    ],
)
def test_what_makes_no_message_is_told_in_a_line_and_writes_nothing(
    words, told, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    done = run('attitude-sim', 'ccsds', *words)
    assert done.returncode == 2
    assert told in done.stderr
    assert len([line for line in done.stderr.splitlines() if line.startswith('attitude')]) == 1
    assert 'Traceback' not in done.stderr
    assert not [*tmp_path.iterdir()]


def test_a_file_is_replaced_only_if_asked(tmp_path):
    path = tmp_path / 'a.aem'
    path.write_text('old')
    assert run('attitude-sim', 'ccsds', ORBITING, '--aem', path).returncode == 2
    assert path.read_text() == 'old'
    printed('attitude-sim', 'ccsds', ORBITING, '--aem', path, '--overwrite')
    assert path.read_text().startswith('CCSDS_AEM_VERS')
    assert [*tmp_path.iterdir()] == [path]


def test_a_write_that_fails_leaves_what_was_there(tmp_path):
    path = tmp_path / 'a.aem'
    path.write_text('old')

    def fail(unfinished):
        unfinished.write_text('half')
        raise OSError

    with pytest.raises(OSError):
        attitude_messages.write([(path, fail)])
    assert path.read_text() == 'old'
    assert [*tmp_path.iterdir()] == [path]


def test_times_go_through_a_leap_second():
    """TAI - UTC became 37 s on 2017-01-01, after 23:59:60 (IERS Bulletin C 52)."""
    texts = [
        '2016-12-31T23:59:59.999999999', '2016-12-31T23:59:60.000000000',
        '2016-12-31T23:59:60.999999999', '2017-01-01T00:00:00.000000000',
    ]  # fmt: skip
    instants = [time_systems.instant(text) for text in texts]
    assert np.diff(instants).tolist() == [1, 999999999, 1]
    assert [time_systems.utc_text(time) for time in instants] == texts
    assert time_systems.instant('2017-01-01T00:00:37', 'TAI') == instants[3]
    assert time_systems.instant('2017-001T00:01:09.184', 'TT') == instants[3]
    assert time_systems.instant('2017-01-01T00:00:18Z', 'GPS') == instants[3]
    # TDB - TT is 1.657 ms sin g and smaller terms, with g = 357.53 deg + 0.98560028 deg/d of
    # J2000 (Astronomical Almanac, B7): right to 20 us.
    g = math.radians(357.53 + 0.98560028 * 6209.5)
    ahead = time_systems.instant('2017-01-01T00:01:09.184', 'TDB') - instants[3]
    assert ahead == pytest.approx(-1.657e6 * math.sin(g), abs=5e4)


@pytest.mark.parametrize(
    'text',
    ['2026-02-29T00:00:00', '2026-01-01T24:00:00', '2026-366T00:00:00', '2025-12-31T23:59:60',
     '1971-01-01T00:00:00', '2026-01-01', 'noon', '\u0662026-01-01T00:00:00'],
)  # fmt: skip
def test_no_times(text):
    with pytest.raises(ValueError, match='is no time'):
        time_systems.instant(text)


def test_numbers_are_shifted_by_decimals():
    """7000.1234567 km is the float nearest to 7000123.4567 m; a product would be off by a bit."""
    for text in ('7000.1234567', '-0.1', '12', '4.35'):
        assert kvn.number_of(text, 3) == float(f'{text}e3')
    assert kvn.number_of('-1.5E-3', 3) == -1.5
    for text in ('nan', 'inf', '1e308', '1_0', '', '0x1', '1e999'):
        with pytest.raises(ValueError, match='no finite number'):
            kvn.number_of(text, 3)


@pytest.mark.parametrize(
    'changes',
    [
        {},
        {'REF_FRAME_A': 'SC_BODY_1', 'REF_FRAME_B': 'ICRF', 'inverse': True},
        {'version': '1.0', 'ATTITUDE_DIR': 'A2B', 'QUATERNION_TYPE': 'LAST'},
        {'version': '1.0', 'ATTITUDE_DIR': 'A2B', 'QUATERNION_TYPE': 'FIRST', 'first': True},
        {'version': '1.0', 'ATTITUDE_DIR': 'B2A', 'QUATERNION_TYPE': 'LAST', 'inverse': True},
        {'ATTITUDE_TYPE': 'QUATERNION/ANGVEL', 'more': ' 1 2 3'},
    ],
)
def test_an_attitude_is_read_in_every_order_and_sense(changes):
    changes = dict(changes)
    inverse, first, more = (changes.pop(name, None) for name in ('inverse', 'first', 'more'))
    lines = []
    for time, q in zip(TIMES, turning(TIMES), strict=True):
        told = q * (1.0, -1.0, -1.0, -1.0) if inverse else q
        told = told if first else np.roll(told, -1)
        lines.append(f'{stamp(time)} {" ".join(map(repr, map(float, told)))}{more or ""}')
    table = attitude_message.table(aem(lines, **changes), UTC)
    assert table.times.tolist() == TIMES.tolist()
    np.testing.assert_allclose(table.quaternions, turning(TIMES), rtol=0, atol=1e-15)


def test_eme2000_is_turned_by_the_frame_bias():
    """The pole of J2000 is off that of the GCRF by -16.617 and -6.819 mas (IAU 2000)."""
    table = attitude_message.table(aem(LAST, REF_FRAME_A='EME2000'), UTC)
    turn = rotations.compose(table.quaternions[0], rotations.conjugate(turning(TIMES)[0]))
    pole_W = rotations.rotate(turn, (0.0, 0.0, 1.0))
    mas = math.radians(1.0 / 3.6e6)
    assert pole_W[:2] / mas == pytest.approx([-16.617, -6.819], abs=1e-3)


def test_the_spline_has_attitude_rate_and_acceleration():
    """Against differences of the motion itself; its orders are 4, 3 and 2."""
    errors = []
    for step in (8.0, 4.0):
        times = np.arange(0.0, 201.0, step)
        table = AttitudeTable(times, turning(times))
        instants = np.arange(80.0, 120.0, 0.7)
        worst = np.zeros(3)
        for time in instants:
            q, omega, alpha = table.at(time)
            h = 1e-3
            before, now, after = turning(np.array((time - h, time, time + h)))
            rates = [
                rotations.compose(rotations.conjugate(a), b)[1:] * 2.0 / h
                for a, b in ((before, now), (now, after))
            ]
            worst = np.maximum(worst, (
                rotations.angle_between(q, now),
                np.linalg.norm(omega - np.mean(rates, axis=0)),
                np.linalg.norm(alpha - (rates[1] - rates[0]) / h),
            ))  # fmt: skip
        errors.append(worst)
    orders = np.log2(errors[0] / errors[1])
    assert orders[0] == pytest.approx(4.0, abs=0.4)
    assert orders[1] == pytest.approx(3.0, abs=0.5)
    assert orders[2] == pytest.approx(2.0, abs=0.5)
    with pytest.raises(GuidanceError, match='is from 0 s to 200 s'):
        table.at(200.1)


def test_rate_and_acceleration_of_a_coarse_table_are_slopes_of_its_attitude():
    """A tenth of a turn from row to row, where the spline's quaternion is not of length 1.

    Central differences over 1 ms cost 1e-9 of a motion of 0.1 rad/s; whichever of q and -q a row
    has, the attitudes are the same.
    """
    times = np.arange(0.0, 91.0, 15.0)
    rows = np.roll(
        (Rotation.from_rotvec(np.outer(np.sin(0.08 * times), (0.3, -0.5, 0.4)))
         * Rotation.from_rotvec(np.outer(0.06 * times, (0.0, 0.0, 1.0)))).as_quat(), 1, axis=1,
    )  # fmt: skip
    table = AttitudeTable(times, rows)
    turned = AttitudeTable(times, rows * np.where(np.arange(7) % 2, -1.0, 1.0)[:, np.newaxis])
    h = 1e-3
    for time in np.arange(1.0, 89.0, 3.7):
        q, omega, alpha = table.at(time)
        before, after = table.at(time - h), table.at(time + h)
        rate = rotations.compose(rotations.conjugate(q), after[0] - before[0])[1:] / h
        np.testing.assert_allclose(omega, rate, rtol=0.0, atol=1e-8)
        slope = (after[1] - before[1]) / (2.0 * h)
        np.testing.assert_allclose(alpha, slope, rtol=0.0, atol=1e-8)
        assert rotations.angle_between(turned.at(time)[0], q) == pytest.approx(0.0, abs=1e-12)
        np.testing.assert_allclose(turned.at(time)[1], omega, rtol=0.0, atol=1e-12)


def given(path, **more):
    return {
        'profiles': ['flown'], 'profile.flown.file': str(path), 'start': 'flown',
        'epoch': UTC, **more,
    }  # fmt: skip


@pytest.mark.parametrize(('most', 'said'), [(7, ''), (6, 'it has more than 6 data lines; give f')])
def test_a_message_has_a_bounded_number_of_lines(monkeypatch, most, said):
    monkeypatch.setattr(kvn, 'MOST_LINES', most)
    if not said:
        assert len(attitude_message.table(aem(LAST), UTC).times) == 7
        return
    with pytest.raises(ValueError, match=said):
        attitude_message.table(aem(LAST), UTC)


@pytest.mark.parametrize('name', ['a.aem', 'A.AEM'])
def test_guidance_flies_an_aem_and_a_recording_needs_no_file(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(aem(LAST))
    values = attitude_guidance.checked(given(path))
    q_WR = attitude_guidance.guidance(values).at(20.0).q_WR
    assert rotations.angle_between(q_WR, turning(TIMES)[2]) < 1e-15
    path.unlink()
    again = attitude_guidance.checked(values)
    assert again == values
    assert attitude_guidance.guidance(again).at(33.3).flat().tolist() == (
        attitude_guidance.guidance(values).at(33.3).flat().tolist()
    )


@pytest.mark.parametrize(
    ('content', 'more', 'words'),
    [
        (b'', {}, 'it is empty'),
        (b'\xff\xfe\x00', {}, 'utf-8'),
        (b'<?xml version="1.0"?>', {}, 'it is XML'),
        (b'CCSDS_OEM_VERS = 2.0', {}, 'an AEM begins with CCSDS_AEM_VERS'),
        (b'CCSDS_AEM_VERS = 9.0', {}, "CCSDS_AEM_VERS is '9.0'; give 1.0, 2.0"),
        (aem(LAST).partition(b'DATA_START')[0], {}, 'ends in its metadata that ended'),
        (aem(LAST).replace(b'META_STOP\n', b''), {}, "is 'DATA_START', which has no place"),
        (aem(LAST).replace(b'DATA_STOP\n', b'DATA_STOP\nMETA_START\nMETA_STOP\nDATA_START\n'), {},
         '2 segments'),
        (aem(LAST, OBJECT_NAME='A\nOBJECT_NAME = B'), {}, "gives 'OBJECT_NAME' a second time"),
        (aem(LAST, TIME_SYSTEM=None), {}, 'lack TIME_SYSTEM'),
        (aem(LAST, TIME_SYSTEM='UT1'), {}, "TIME_SYSTEM is 'UT1'; give UTC, TAI"),
        (aem(LAST, REF_FRAME_A='ITRF2000'), {}, "'ITRF2000'; give GCRF, ICRF, EME2000"),
        (aem(LAST, REF_FRAME_B='LVLH'), {}, 'neither REF_FRAME_A nor REF_FRAME_B is SC_BODY_1'),
        (aem(LAST, ATTITUDE_TYPE='SPIN'), {}, "ATTITUDE_TYPE is 'SPIN'"),
        (aem(LAST, version='1.0'), {}, 'lack QUATERNION_TYPE'),
        (aem([]), {}, 'no data lines'),
        (aem(LAST[:3]), {}, 'it has 3 attitudes; give at least 4'),
        (aem(LAST[::-1]), {}, 'attitude 2 comes no later'),
        (aem([*LAST, f'{stamp(70)} nan 0 0 1']), {}, "'nan' is no finite number"),
        (aem([*LAST, f'{stamp(70)} 1e308 0 0 1']), {}, 'whose length is not 1'),
        (aem([*LAST, f'{stamp(70)} 0 0 1']), {}, 'has 3 numbers after its time; it must have 4'),
        (aem([*LAST, f'{stamp(70)} 1 0 0 0']), {}, 'more than a quarter of a turn'),
        (aem([*LAST, 'noon 0 0 0 1']), {}, "line 21: 'noon' is no time"),
        (aem(['x' * 3000]), {}, 'has 3000 characters'),
        (aem(LAST), {'epoch': ''}, 'there is no epoch; give epoch'),
        (aem(LAST), {'profile.flown.direction': 'sun'}, 'give one'),
        (aem(LAST), {'profile.flown.table': 'AAAA'}, 'is damaged'),
        (aem(LAST), {'timetable': ['70.0 flown']}, 'has nothing at 70'),
    ],
)  # fmt: skip
def test_a_wrong_aem_is_refused_in_a_line(tmp_path, content, more, words):
    path = tmp_path / 'a.aem'
    path.write_bytes(content)
    with pytest.raises(ValueError) as refused:
        attitude_guidance.guidance(attitude_guidance.checked(given(path, **more)))
    assert words in str(refused.value)
    assert '\n' not in str(refused.value)
    assert len(str(refused.value)) < 700


ORBIT = KeplerOrbit(6.9e6, 0.01, 1.0)
SECONDS = np.arange(-120.0, 1321.0, 60.0)
STATES = ORBIT.states_W(epoch_of(UTC), SECONDS)


def oem(times=SECONDS, states=STATES, **changes):
    """The text of an OEM, kilometres with all digits; changes: keywords, None to leave out."""
    metadata = {
        'OBJECT_NAME': 'A', 'OBJECT_ID': '2026-001A', 'CENTER_NAME': 'EARTH', 'REF_FRAME': 'GCRF',
        'TIME_SYSTEM': 'UTC', **changes,
    }  # fmt: skip
    kept = [f'{name} = {value}' for name, value in metadata.items() if value is not None]
    lines = [
        ' '.join((stamp(t), *(f'{value / 1e3:.20g}' for value in state)))
        for t, state in zip(times, states, strict=True)
    ]
    return '\n'.join(
        ['CCSDS_OEM_VERS = 2.0', 'META_START', *kept, 'META_STOP', *lines, 'COVARIANCE_START',
         'EPOCH = x', '1 2 3', 'COVARIANCE_STOP', '']
    ).encode()  # fmt: skip


def test_an_oem_has_the_numbers_of_the_orbit(tmp_path):
    path = tmp_path / 'orbit.oem'
    path.write_bytes(oem())
    table = orbit_file.load(path, UTC)
    assert table.times.tolist() == SECONDS.tolist()
    # Dividing by 1000 costs half a bit, and nothing else does.
    np.testing.assert_allclose(np.hstack((table.positions_W, table.velocities_W)), STATES, 2.3e-16)


def test_digits_of_an_oem_are_kept():
    """A number of the file is the float nearest to a thousand times it."""
    content = oem().replace(b' ', b'  ', 5)
    word = content.split(b'META_STOP\n')[1].split()[1].decode()
    assert orbit_message.orbit(content, UTC).positions_W[0, 0] == float(f'{word}e3')


@pytest.mark.parametrize(
    ('method', 'degree', 'most'),
    # Hermite's polynomial through four rows a minute apart errs below a micrometre; Lagrange's
    # through eight by h^8/(8!) of the eighth derivative, 1e-4 m; through three rows by 1e3 m.
    [(None, None, 1e-6), ('HERMITE', 7, 1e-6), ('LAGRANGE', 7, 1e-3), ('HERMITE', 3, 3.0)],
)
def test_an_oem_is_interpolated_as_it_says(method, degree, most):
    content = oem(INTERPOLATION=method, INTERPOLATION_DEGREE=degree)
    times = np.arange(30.0, 1200.0, 60.0)
    states = orbit_message.orbit(content, UTC).states_W(epoch_of(UTC), times)
    errors = np.linalg.norm((states - ORBIT.states_W(epoch_of(UTC), times))[:, :3], axis=1).max()
    assert 1e-3 * most < errors < most if method == 'LAGRANGE' else errors < most
    if method == 'HERMITE' and degree == 3:
        assert errors > 1e-3 * most


def test_lagrange_is_the_polynomial_through_its_rows():
    """Of degree 2 in the middle of three rows, against numpy's fit of these rows."""
    content = oem(INTERPOLATION='LAGRANGE', INTERPOLATION_DEGREE=2)
    time = 333.0
    k = bisect.bisect(SECONDS.tolist(), time) - 1
    rows = slice(k, k + 3)
    state = orbit_message.orbit(content, UTC).states_W(epoch_of(UTC), np.array([time]))[0]
    fitted = [
        np.polynomial.Polynomial.fit(SECONDS[rows], STATES[rows, column], 2)(time)
        for column in range(6)
    ]
    assert state == pytest.approx(fitted, rel=1e-12)


@pytest.mark.parametrize('frame', ['EME2000', 'TEME'])
def test_frames_of_an_oem_are_turned_into_the_world(frame):
    """Against ERFA's bias matrix, and against the axes of TEME in the two-line orbit."""
    import erfa

    from spacecraft_attitude_sim.core.environment.two_line_orbit import teme_to_world

    table = orbit_message.orbit(oem(REF_FRAME=frame), UTC)
    states = np.hstack((table.positions_W, table.velocities_W))
    if frame == 'TEME':
        expected = teme_to_world(epoch_of(UTC), SECONDS, STATES)
    else:
        bias = erfa.bp06(2451545.0, 0.0)[0]
        expected = np.hstack([STATES[:, k : k + 3] @ bias for k in (0, 3)])
        assert 0.1 < np.abs(states - STATES).max() < 2.0
    # IAU 2000 and 2006 differ by less than a microarcsecond in the bias: 0.1 mm of 7000 km.
    np.testing.assert_allclose(states, expected, rtol=0.0, atol=1e-3)


@pytest.mark.parametrize(
    ('changes', 'words'),
    [
        ({'CENTER_NAME': 'MARS'}, 'CENTER_NAME is not EARTH'),
        ({'REF_FRAME': 'ITRF2000'}, "REF_FRAME is 'ITRF2000'; give GCRF, ICRF, EME2000, TEME"),
        ({'INTERPOLATION': 'LINEAR'}, "INTERPOLATION is 'LINEAR'"),
        ({'INTERPOLATION': 'HERMITE'}, 'lack INTERPOLATION_DEGREE'),
        ({'INTERPOLATION': 'HERMITE', 'INTERPOLATION_DEGREE': '-1'}, "is '-1'; give a whole"),
        ({'INTERPOLATION': 'LAGRANGE', 'INTERPOLATION_DEGREE': '40'}, 'which takes 41 rows'),
        ({'states': 1e3 * STATES}, 'line 9 is .* km from the Earth; give kilometres'),
        ({'times': 6.0 * SECONDS}, 'rad of an orbit; rows must be at most 0.3 rad apart'),
    ],
)
def test_a_wrong_oem_is_refused_in_a_line(tmp_path, changes, words):
    path = tmp_path / 'orbit.oem'
    path.write_bytes(oem(**changes))
    with pytest.raises(ParameterError, match=f"orbit.table '.*orbit.oem': .*({words})"):
        orbit_file.load(path, UTC)


def test_a_run_beyond_the_useable_times_is_refused():
    content = oem(USEABLE_START_TIME=stamp(0.0), USEABLE_STOP_TIME=stamp(600.0))
    table = orbit_message.orbit(content, UTC)
    table.check(epoch_of(UTC), 0.0, 600.0)
    with pytest.raises(ValueError, match='is from 0 s to 600 s .* the run from 0 s to 601 s'):
        table.check(epoch_of(UTC), 0.0, 601.0)
    # TAI is 37 s ahead of UTC since 2017 (IERS Bulletin C 52).
    content = oem(TIME_SYSTEM='TAI', USEABLE_START_TIME=stamp(0.0), USEABLE_STOP_TIME=stamp(600.0))
    assert orbit_message.orbit(content, UTC).useable == (-37.0, 563.0)
