# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""examples/px4_bridge.py, against a peer that speaks MAVLink as PX4 does, also a hostile one."""

import importlib
import math
import random
import signal
import socket
import subprocess
import sys
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import ROOT
from ros_helpers import PATIENCE, process, wait_until_idle
from scipy.spatial.transform import Rotation

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.recording import history

pytest.importorskip('pymavlink')
from px4_peer import ARMED, Peer, connected  # noqa: E402 (needs pymavlink)

BRIDGE = ROOT / 'examples' / 'px4_bridge.py'
TORQUES = ['torque x 0.002', 'torque y 0.002', 'torque z -0.002']
FLU = np.array((1.0, -1.0, -1.0))


def free_port():
    """A port of this machine at which nobody listens."""
    with socket.create_server(('127.0.0.1', 0)) as server:
        return server.getsockname()[1]


def bridge(port, outputs=TORQUES):
    """Arguments of process() for a bridge that waits for each answer."""
    given = {'port': port, 'outputs': outputs, 'first_wait': 0.0, 'answer_wait': 30.0}
    settings = (part for name, value in given.items() for part in ('-p', f'{name}:={value}'))
    return sys.executable, str(BRIDGE), '--ros-args', *settings


def law(rates, number=float):
    """16 controls against rates about PX4's axes [rad/s], computed in a type of number."""
    gains = np.array((-5.0, -5.0, 5.0), dtype=number)  # z is wired with the other sign
    controls = np.zeros(16, dtype=number)
    controls[:3] = gains * np.array(rates, dtype=number)
    return controls


NAN_AT, LARGE_AT, SAFE_AT = 10, 20, 30  # ticks at which the hostile peer says what is not flown


def hostile(peer, sensor, controls):
    """Answer rightly; before that, or in one control, say what no autopilot should."""
    tick = len(peer.sensors) - 1
    if tick % 7 == 1:
        # What begins a message that never was ends in the zeros, not in the answer.
        peer.write(random.Random(tick).randbytes(300) + bytes(600))
    if tick % 7 == 2:
        peer.answer(sensor, [1.0] * 16, ahead=1)
        peer.answer(sensor, [1.0] * 16, ahead=-31_250)
        peer.answer(sensor, [1.0] * 16, flags=0)
    if tick == 3:
        with connected(peer.port) as second:
            assert second.recv(1) == b''
    if tick == NAN_AT:
        controls[0] = math.nan
    if tick == LARGE_AT:
        controls[1] = -3e38
    peer.answer(sensor, controls, mode=0 if tick == SAFE_AT else ARMED)
    if tick % 7 == 3:
        peer.answer(sensor, [1.0] * 16)


def flown_without(count, number):
    """Angular velocities [rad/s] of cubesat_detumble under the law of a peer, without MAVLink."""
    craft = sas.Simulation('cubesat_detumble', controller=None)
    for tick in range(count):
        controls = law(number(FLU * craft.readings.angular_velocity), number)
        if tick == NAN_AT:
            controls[0] = 0.0
        if tick == LARGE_AT:
            controls[1] = -1.0
        if tick == SAFE_AT:
            controls[:] = 0.0
        scales = FLU * (0.002, 0.002, -0.002)
        craft.step(torque=scales * controls[:3].astype(float))
    return craft.run.angular_velocity


def test_detumble_by_mavlink_has_the_bits_of_its_law_and_of_nothing_else(
    command, domain, tmp_path
):
    port, table = free_port(), tmp_path / 'flown.csv'
    rates = lambda sensor: (sensor.xgyro, sensor.ygyro, sensor.zgyro)  # noqa: E731
    with process(*bridge(port)) as child:
        peer = Peer(port, lambda sensor: law(rates(sensor), np.float32).tolist(), True, hostile)
        with peer:
            given = ('--no-controller', '--no-markers', '--rate', 0, '--duration', 4)
            given = (*given, '-p', 'lockstep_timeout:=60.0')
            given = (str(part) for part in (*given, '--csv', table))
            with process(command, 'run', 'cubesat_detumble', *given) as run:
                run.communicate(timeout=PATIENCE)
            assert run.returncode == 0
            child.send_signal(signal.SIGINT)
            output, log = child.communicate(timeout=PATIENCE)
    assert child.returncode == 0, log
    flown = history.read(table)[0].angular_velocity_B
    assert len(flown) == len(peer.sensors) == 129
    # PX4 would take a first time of 0 for none.
    assert [peer.sensors[k].time_usec for k in (0, 128)] == [1_000_000, 5_000_000]
    assert flown.tobytes() == flown_without(128, np.float32).tobytes()
    # Reading and control are rounded to 24 bits each, so a torque is wrong by 2^-23 of itself, and
    # all torques together change the largest rate, about the axis of least inertia, by 0.1 rad/s.
    exact = flown_without(128, np.float64)
    assert 0.0 < np.abs(flown - exact).max() < 0.1 * 2.0**-23 * 2.0
    assert np.linalg.norm(flown[-1]) < 0.6 * np.linalg.norm(flown[0])
    told = output.strip().removeprefix('px4_bridge: ').split(', ')
    counts = {what: int(count) for what, count in (part.split(': ') for part in told)}
    assert counts.pop('damaged parts') > 0
    # The second answer of a tick comes before the next tick or after it.
    assert counts.pop('controls without a tick', 0) + counts.pop('late controls') == 18 + 19
    assert counts == {
        'answers armed': 128, 'answers not armed': 1, 'autopilots refused': 1,
        'controls ahead of time': 19, 'controls limited': 1, 'controls not finite': 1,
        'controls without lockstep': 19,
    }  # fmt: skip
    assert log.count('WARN') == 7  # each once
    assert 'Traceback' not in log


def test_bridge_ends_in_one_line_when_the_autopilot_goes_and_where_it_cannot_begin(domain):
    port = free_port()
    with process(*bridge(port)) as child:
        with connected(port) as peer:
            peer.sendall(b'\xfd' * 600)  # begins messages that never end
        output, log = child.communicate(timeout=PATIENCE)
    assert child.returncode == 1
    assert 'px4_bridge: the autopilot closed the connection' in log
    assert 'Traceback' not in log + output


def test_without_an_autopilot_it_waits_and_ctrl_c_ends_it(domain):
    port = free_port()
    with process(*bridge(port), stderr=subprocess.STDOUT, bufsize=1) as child:
        assert f'waits for the autopilot on 127.0.0.1:{port}' in child.stdout.readline()
        wait_until_idle(child)  # else the signal could come while rclpy begins to spin
        child.send_signal(signal.SIGINT)
        output, _ = child.communicate(timeout=PATIENCE)
    assert child.returncode == 0, output
    assert output.endswith('px4_bridge: no autopilot answered\n')
    assert 'Traceback' not in output


# --- without processes ---------------------------------------------------------------------------


@pytest.fixture
def example(monkeypatch):
    """The module of the example."""
    monkeypatch.syspath_prepend(BRIDGE.parent)
    return importlib.import_module('px4_bridge')


@pytest.mark.parametrize(
    ('outputs', 'said'),
    [
        ([''], "outputs is empty; name what each control drives, as 'wheel w1 0.004'"),
        (['weel w1 1'], r"outputs\[0\] is 'weel w1 1'; write KIND NAME SCALE, with a kind of whe"),
        (['', 'wheel w1'], r"outputs\[1\] is 'wheel w1'; write KIND NAME SCALE"),
        (['dipole w 1'], 'dipole acts along x, y or z of PX4'),
        (['force x nan'], r'nan is no finite number \[N\]'),
        (['force x 1e999'], 'finite'),
        (['wheel a much'], r'much is no finite number \[N m\]'),
        (['wheel a 1', 'wheel a 2'], 'outputs has wheel a twice'),
        ([f'wheel {k} 1' for k in range(17)], 'outputs has 17 entries; PX4 has 16 controls'),
    ],
)
def test_wrong_outputs_are_refused_in_one_line(example, outputs, said):
    with pytest.raises(ValueError, match=said) as refused:
        example.outputs_of(outputs)
    assert '\n' not in str(refused.value)


def test_each_control_drives_what_outputs_say_in_axes_of_the_body(example):
    header = importlib.import_module('std_msgs.msg').Header(frame_id='base_link')
    outputs = example.outputs_of([
        'wheel b -0.5', '', 'thruster t 2.0', 'thruster u 2.0', 'torque y 0.1', 'force z 3.0',
        'dipole x 0.2', 'dipole z 0.2',
    ])  # fmt: skip
    controls = [0.5, 9.0, 0.25, -1.0, 1.0, 0.5, 1.0, -1.0]
    made = example.commands_of(outputs, controls, header, example.AXES['flu'])
    assert sorted(made) == [
        'command/dipole', 'command/thrusters', 'command/wheels', 'command/wrench',
    ]  # fmt: skip
    wheels, thrusters = made['command/wheels'], made['command/thrusters']
    assert (wheels.name, list(wheels.effort)) == (['b'], [-0.25])
    # A thruster cannot pull.
    assert (thrusters.name, list(thrusters.effort)) == (['t', 'u'], [0.5, 0.0])
    wrench, dipole = made['command/wrench'].wrench, made['command/dipole'].vector
    assert (wrench.torque.x, wrench.torque.y, wrench.torque.z) == (0.0, -0.1, 0.0)
    assert (wrench.force.x, wrench.force.y, wrench.force.z) == (0.0, 0.0, -1.5)
    assert (dipole.x, dipole.y, dipole.z) == (0.2, 0.0, 0.2)
    made = example.commands_of(outputs, controls, header, example.AXES['frd'])
    assert made['command/wrench'].wrench.torque.y == 0.1


def test_hil_sensor_has_axes_and_units_of_px4(example):
    messages = importlib.import_module('sensor_msgs.msg')
    imu, field = messages.Imu(), messages.MagneticField()
    quarter = Rotation.from_euler('z', 90, degrees=True)  # the IMU's x is the body's y
    mounting = example.AXES['flu'] @ quarter.as_matrix()
    imu.angular_velocity.x, imu.linear_acceleration.z = 0.125, 9.5
    field.magnetic_field.x = 2e-5
    made = example.hil_sensor(1_500_000, imu, field, mounting)
    # Left of the body is minus right; up is minus down.
    assert (made.xgyro, made.ygyro, made.zgyro) == pytest.approx((0.0, -0.125, 0.0), abs=1e-16)
    assert (made.xacc, made.yacc, made.zacc) == pytest.approx((0.0, 0.0, -9.5), abs=1e-14)
    assert (made.xmag, made.ymag, made.zmag) == pytest.approx((0.0, -0.2, 0.0), abs=1e-8)  # gauss
    assert (made.time_usec, made.fields_updated) == (1_500_000, 0b111_111_111)
    assert example.hil_sensor(0, imu, None, mounting).fields_updated == 0b111_111
    imu.angular_velocity.x = 1e308
    with pytest.raises(ValueError, match='no finite float32'):
        example.hil_sensor(0, imu, None, mounting)


def place(latitude, longitude, height, velocity):
    """NavSatFix and Odometry at a place [deg, m], with a velocity in axes fixed to the Earth."""
    sensors, nav = (importlib.import_module(f'{name}_msgs.msg') for name in ('sensor', 'nav'))
    fix, odometry = sensors.NavSatFix(), nav.Odometry()
    fix.latitude, fix.longitude, fix.altitude = latitude, longitude, height
    fix.position_covariance = [4.0, 0, 0, 0, 4.0, 0, 0, 0, 9.0]
    linear = odometry.twist.twist.linear
    linear.x, linear.y, linear.z = np.asarray(velocity, dtype=float).tolist()
    return fix, odometry


@pytest.mark.parametrize(('latitude', 'longitude'), [(0.0, 0.0), (52.0, 13.0), (-33.0, -151.0)])
def test_hil_gps_has_ned_velocity_of_a_motion_over_the_ellipsoid(example, latitude, longitude):
    """By differences of WGS 84's own formula for a place of given latitude and longitude."""

    def position(latitude, longitude, height):
        a, e2 = 6378137.0, 0.00669437999014
        B, L = np.radians((latitude, longitude))
        N = a / math.sqrt(1.0 - e2 * math.sin(B) ** 2)
        ring = (N + height) * math.cos(B)
        return np.array((
            ring * math.cos(L), ring * math.sin(L), (N * (1.0 - e2) + height) * math.sin(B),
        ))  # fmt: skip

    here = position(latitude, longitude, 5e5)
    moves = ((1e-4, 0.0, 0.0), (0.0, 1e-4, 0.0), (0.0, 0.0, -10.0))  # north, east, down
    for axis, (north, east, up) in enumerate(moves):
        velocity = position(latitude + north, longitude + east, 5e5 + up) - here
        made, fits = example.hil_gps(7, *place(latitude, longitude, 5e5, velocity))
        assert fits
        ned = made.vn, made.ve, made.vd
        size = np.linalg.norm(velocity) * 100.0
        assert ned == pytest.approx(size * np.eye(3)[axis], abs=1.0)  # of whole cm/s
        assert made.vel == pytest.approx(size, abs=1.0)
        assert axis == 2 or made.cog == pytest.approx(9000 * axis, abs=1)
    assert (made.lat, made.lon) == pytest.approx((latitude * 1e7, longitude * 1e7), abs=0.5)
    assert (made.alt, made.eph, made.epv, made.fix_type) == (500_000_000, 200, 300, 3)


def test_an_orbital_velocity_is_shortened_in_its_direction_and_said_so(example):
    made, fits = example.hil_gps(7, *place(0.0, 0.0, 3.6e7, (0.0, 7000.0, 3500.0)))
    assert not fits
    assert (made.ve, made.vn, made.alt) == (32767, 16383, 2**31 - 1)


def answers_of(example, sent, first=1_000_000, offset=None):
    """A stand-in for the node that has sent a tick; notes what it warns of."""
    warned = []
    node = SimpleNamespace(
        sent=sent, first=first, offset=offset, warn_once=lambda what, text='': warned.append(what)
    )
    return node, lambda time_us: example.Px4Bridge.is_answer(node, time_us), warned


def test_controls_answer_a_tick_by_its_time_or_by_the_time_since_the_first(example):
    for stamps in ((1_000_000, 1_250_000), (0, 250_000)):
        node, is_answer, warned = answers_of(example, 1_000_000)
        assert is_answer(stamps[0])
        node.sent = 1_250_000
        assert not is_answer(stamps[0])  # late
        assert not is_answer(stamps[1] + 1)
        assert not is_answer(2**64 - 1)
        assert is_answer(stamps[1])
        assert len(warned) == 3


def test_a_tick_without_an_answer_goes_on_with_the_controls_before(example):
    said, answered = [], []
    node = SimpleNamespace(
        sent=1, controls=None, counts=Counter(), answer=answered.append,
        warn_once=lambda what, text: said.append(what),
    )  # fmt: skip
    example.Px4Bridge.on_silence(node)
    assert node.counts == {'ticks before the first answer': 1}
    node.controls = [0.5] * 16
    example.Px4Bridge.on_silence(node)
    node.sent = None  # answered meanwhile
    example.Px4Bridge.on_silence(node)
    assert answered == [[0.0] * 16, [0.5] * 16]
    assert said == ['ticks without an answer']
