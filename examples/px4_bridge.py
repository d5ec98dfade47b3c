# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Fly a spacecraft by the autopilot PX4, by MAVLink over TCP, in lockstep. docs/px4.md has more.

The simulator's readings go to PX4 as HIL_SENSOR and HIL_GPS. Its HIL_ACTUATOR_CONTROLS come back
as commands of wheels, thrusters, torque, force and dipole. Needs the extra `px4`.
"""

import argparse
import atexit
import contextlib
import queue
import selectors
import signal
import socket
import sys
import threading
from collections import Counter
from typing import NamedTuple

import numpy as np
import rclpy
from geometry_msgs.msg import Vector3Stamped, WrenchStamped
from nav_msgs.msg import Odometry
from rclpy.exceptions import ParameterException
from rclpy.node import Node
from rclpy.utilities import remove_ros_args
from sensor_msgs.msg import Imu, JointState, MagneticField, NavSatFix, TimeReference
from transforms3d.quaternions import quat2mat

from spacecraft_attitude_sim.nodes.ros.synchroniser import TickSynchroniser

try:
    from pymavlink.dialects.v20 import common as mavlink
except ImportError:
    sys.exit(
        "px4_bridge needs the extra px4; in a checkout: pip install -c constraints.txt '.[px4]'"
    )

SENSORS = {
    'imu/data_raw': Imu, 'imu/mag': MagneticField, 'gnss/fix': NavSatFix,
    'gnss/odometry': Odometry, 'gnss/time_reference': TimeReference,
}  # fmt: skip
# Kinds of output: topic, its type, and the unit of a scale.
KINDS = {
    'wheel': ('command/wheels', JointState, 'N m'),
    'thruster': ('command/thrusters', JointState, 'N'),
    'torque': ('command/wrench', WrenchStamped, 'N m'),
    'force': ('command/wrench', WrenchStamped, 'N'),
    'dipole': ('command/dipole', Vector3Stamped, 'A m2'),
}
NAMED = 'wheel', 'thruster'
# How long a tick waits for controls before the first ones and later; 0 is for ever [s, wall].
WAITS = {'first_wait': 0.01, 'answer_wait': 1.0}
AXES = {'flu': np.diag((1.0, -1.0, -1.0)), 'frd': np.eye(3)}  # to and from PX4's, which are FRD
CHANNELS = 16  # of HIL_ACTUATOR_CONTROLS
FIRST_TIME = 1_000_000  # us, of the stamp 0: PX4 takes a first time of 0 for none
IMU_FIELDS, MAGNETOMETER_FIELDS = 0x3F, 0x1C0  # of fields_updated
GAUSS = 1e4  # in a tesla
FASTEST, HIGHEST = 32767, 2**31 - 1  # cm/s, mm: the largest in HIL_GPS
UNKNOWN = 65535  # of its unsigned fields


# --- what a control drives -----------------------------------------------------------------------


class Output(NamedTuple):
    """What one control drives: a kind, the name of the part or an axis, its value at control 1."""

    kind: str
    name: str
    scale: float


def outputs_of(entries):
    """Return an Output or None for each control, of 'KIND NAME SCALE' or ''.

    Raises ValueError with what is wrong in one line.
    """
    outputs = [_output(f'outputs[{k}] is {entry!r}', entry) for k, entry in enumerate(entries)]
    driven = Counter(output[:2] for output in outputs if output)
    if not driven:
        raise ValueError("outputs is empty; name what each control drives, as 'wheel w1 0.004'")
    if len(outputs) > CHANNELS:
        raise ValueError(f'outputs has {len(outputs)} entries; PX4 has {CHANNELS} controls')
    if (twice := driven.most_common(1)[0])[1] > 1:
        raise ValueError(f'outputs has {" ".join(twice[0])} twice')
    return outputs


def _output(what, entry):
    if not entry.strip():
        return None
    kind, *rest = entry.split()
    if kind not in KINDS or len(rest) != 2:
        raise ValueError(f'{what}; write KIND NAME SCALE, with a kind of {", ".join(KINDS)}')
    name, scale = rest
    if kind not in NAMED and name not in ('x', 'y', 'z'):
        raise ValueError(f"{what}; {kind} acts along x, y or z of PX4's axes")
    try:
        value = float(scale)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise ValueError(f'{what}; {scale} is no finite number [{KINDS[kind][2]}]')
    return Output(kind, name, value)


def commands_of(outputs, controls, header, axes):
    """Return {topic: message} that controls ask for.

    outputs: as of outputs_of
    controls: as many finite numbers from -1 to 1, or more
    header: of each message
    axes: (3, 3) matrix that turns PX4's axes into those of the body
    """
    commands, vectors = {}, {kind: np.zeros(3) for kind in KINDS if kind not in NAMED}
    for output, control in zip(outputs, controls, strict=False):
        if not output:
            continue
        kind, name, value = output.kind, output.name, output.scale * control
        topic, message, _ = KINDS[kind]
        command = commands.setdefault(topic, message(header=header))
        if kind in NAMED:
            command.name.append(name)
            command.effort.append(max(value, 0.0) if kind == 'thruster' else value)
        else:
            vectors[kind]['xyz'.index(name)] = value
    wrench, dipole = (commands.get(KINDS[kind][0]) for kind in ('torque', 'dipole'))
    if wrench:
        _fill(wrench.wrench.torque, axes @ vectors['torque'])
        _fill(wrench.wrench.force, axes @ vectors['force'])
    if dipole:
        _fill(dipole.vector, axes @ vectors['dipole'])
    return commands


def _fill(message, vector):
    message.x, message.y, message.z = vector.tolist()


# --- what PX4 is told ----------------------------------------------------------------------------


def hil_sensor(time_us, imu, magnetic, mounting):
    """Return HIL_SENSOR of an Imu and a MagneticField or None, as float32.

    time_us: [us];  mounting: (3, 3) matrix that turns axes of the IMU into PX4's
    Raises ValueError for a reading that is no finite float32.
    """
    fields = IMU_FIELDS | (MAGNETOMETER_FIELDS if magnetic else 0)
    vectors = [imu.linear_acceleration, imu.angular_velocity]
    readings = [mounting @ (vector.x, vector.y, vector.z) for vector in vectors]
    if magnetic:
        field = magnetic.magnetic_field
        readings.append(mounting @ (field.x, field.y, field.z) * GAUSS)
    else:
        readings.append(np.zeros(3))
    with np.errstate(over='ignore'):
        numbers = np.float32(np.concatenate(readings))
    if not np.isfinite(numbers).all():
        raise ValueError('a reading that is no finite float32 is not sent')
    # There is no air: no pressure, no height by it, no temperature.
    return mavlink.MAVLink_hil_sensor_message(
        time_us, *numbers.tolist(), 0.0, 0.0, 0.0, 0.0, fields_updated=fields
    )


def hil_gps(time_us, fix, odometry):
    """Return HIL_GPS of a NavSatFix and its Odometry, and whether velocity and height fit in it.

    A velocity that does not fit is shortened in its direction; a height becomes the largest one.

    time_us: UTC, or time of the run [us]
    """
    latitude, longitude = np.radians((fix.latitude, fix.longitude))
    (sin_lat, sin_lon), (cos_lat, cos_lon) = (f((latitude, longitude)) for f in (np.sin, np.cos))
    to_ned = np.array((
        (-sin_lat * cos_lon, -sin_lat * sin_lon, cos_lat),
        (-sin_lon, cos_lon, 0.0),
        (-cos_lat * cos_lon, -cos_lat * sin_lon, -sin_lat),
    ))  # fmt: skip
    velocity = odometry.twist.twist.linear  # in `earth`, relative to the turning Earth
    ned = to_ned @ (velocity.x, velocity.y, velocity.z) * 100.0  # cm/s
    part = min(1.0, FASTEST / max(np.abs(ned).max(), 1e-9))
    north, east, down = np.trunc(ned * part).astype(int).tolist() if part < 1.0 else _whole(ned)
    height = round(fix.altitude * 1e3)
    speed = round(float(np.linalg.norm(ned * part)))
    course = round(float(np.degrees(np.arctan2(east, north))) * 100.0) % 36000
    variances = fix.position_covariance
    errors = [min(round(np.sqrt(variances[k]) * 100.0) or 1, UNKNOWN) for k in (0, 8)]  # cm
    message = mavlink.MAVLink_hil_gps_message(
        time_us, 3, round(fix.latitude * 1e7), round(fix.longitude * 1e7), min(height, HIGHEST),
        *errors, min(speed, UNKNOWN - 1), north, east, down, course, 255,
    )  # fmt: skip
    return message, part == 1.0 and height <= HIGHEST


def _whole(vector):
    return [round(component) for component in vector.tolist()]


# --- the connection ------------------------------------------------------------------------------


class Connection:
    """A TCP server with one client at a time, which a thread reads; a further one is sent away.

    on_event: called in that thread with 'connected', 'refused' or 'data', and with the address of
        the client or its bytes, none when it has gone
    """

    def __init__(self, address, port, on_event):
        self._server = socket.create_server((address, port))
        self._client, self._on_event = None, on_event
        threading.Thread(target=self._serve, daemon=True).start()

    def write(self, data):
        """Send bytes to the client; a MAVLink object calls it."""
        with contextlib.suppress(OSError):  # the thread finds that it has gone
            self._client.sendall(data)

    def _serve(self):
        with selectors.DefaultSelector() as selector:
            selector.register(self._server, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select():
                    if key.fileobj is self._server:
                        self._accept(selector)
                    elif not self._read(key.fileobj):
                        selector.unregister(key.fileobj)

    def _accept(self, selector):
        client, address = self._server.accept()
        if self._client:
            client.close()
            self._on_event('refused', address)
            return
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.settimeout(5.0)  # of a client that does not read
        selector.register(client, selectors.EVENT_READ)
        self._client = client
        self._on_event('connected', address)

    def _read(self, client):
        data = b''
        with contextlib.suppress(OSError):
            data = client.recv(4096)
        self._on_event('data', data)
        return data


# --- the node ------------------------------------------------------------------------------------


class Px4Bridge(Node):
    def __init__(self):
        super().__init__('px4_bridge')
        self.counts, self.warned = Counter(), set()
        self.outputs = outputs_of(self.declare_parameter('outputs', ['']).value)
        axes = self.declare_parameter('axes', 'flu').value
        if axes not in AXES:
            raise ValueError(f'axes is {axes!r}; choose one of {", ".join(AXES)}')
        q_BS = self.declare_parameter('imu.orientation', [1.0, 0.0, 0.0, 0.0]).value
        if len(q_BS) != 4 or not abs(np.linalg.norm(q_BS) - 1.0) < 1e-6:
            raise ValueError(f'imu.orientation is {list(q_BS)}; give a unit quaternion w, x, y, z')
        self.axes, self.mounting = AXES[axes], AXES[axes] @ quat2mat(q_BS)
        self.frame = self.declare_parameter('frame_id', 'base_link').value
        self.sends_gps = self.declare_parameter('gps', True).value
        self.first_wait, self.later_wait = (
            self.silence(name, default) for name, default in WAITS.items()
        )

        self.answers, self.sent, self.first, self.offset = {}, None, None, None
        self.magnetic = self.header = self.controls = None
        self.topics, self.events = {}, queue.SimpleQueue()
        self.woken = self.create_guard_condition(self.on_events)
        address = self.declare_parameter('address', '127.0.0.1').value
        port = self.declare_parameter('port', 4560).value
        try:
            self.connection = Connection(address, port, self.tell)
        except (OSError, OverflowError) as error:
            raise ValueError(f'cannot listen on {address}:{port}: {error}') from error
        self.mavlink = mavlink.MAVLink(self.connection, srcSystem=1, srcComponent=200)
        self.mavlink.robust_parsing = True
        atexit.register(self.print_counts)
        self.get_logger().info(f'waits for the autopilot on {address}:{port}')

    def print_counts(self):
        told = ', '.join(f'{what}: {count}' for what, count in sorted(self.counts.items()))
        print(f'px4_bridge: {told or "no autopilot answered"}')

    def silence(self, name, default):
        """Return a timer at rest that ends the wait for an answer; None to wait for ever."""
        wait = self.declare_parameter(name, default).value
        if not 0.0 <= wait <= 3600.0:
            raise ValueError(f'{name} is {wait} s; give 0 to 3600 s')
        return self.create_timer(wait, self.on_silence, autostart=False) if wait else None

    def warn_once(self, what, text=''):
        """Count something; the first time warn of it."""
        self.counts[what] += 1
        if what not in self.warned:
            self.warned.add(what)
            self.get_logger().warning(text or what)

    # --- what the autopilot says

    def tell(self, *event):
        """Let the executor's thread hear of an event; called in the connection's."""
        self.events.put(event)
        with contextlib.suppress(Exception):  # the node may have gone
            self.woken.trigger()

    def on_events(self):
        while not self.events.empty():
            kind, what = self.events.get()
            if kind == 'connected':
                self.get_logger().info(f'autopilot {what[0]}:{what[1]} is connected')
                self.listen()
            elif kind == 'refused':
                self.warn_once('autopilots refused', f'one autopilot flies; refused {what[0]}')
            elif what:
                for message in self.mavlink.parse_buffer(what) or ():
                    self.on_message(message)
            else:
                sys.exit('px4_bridge: the autopilot closed the connection')

    def on_message(self, message):
        kind = message.get_type()
        if kind == 'BAD_DATA':
            self.warn_once('damaged parts', 'bytes that are no MAVLink are left out')
        elif kind == 'HIL_ACTUATOR_CONTROLS':
            self.on_controls(message)

    def on_controls(self, message):
        if self.sent is None:
            self.counts['controls without a tick'] += 1
        elif not message.flags & 1:
            self.warn_once('controls without lockstep', 'the autopilot is not in lockstep')
        elif self.is_answer(message.time_usec):
            armed = message.mode & mavlink.MAV_MODE_FLAG_SAFETY_ARMED
            self.counts['answers armed' if armed else 'answers not armed'] += 1
            self.controls = self.checked(message.controls) if armed else [0.0] * CHANNELS
            self.answer(self.controls)

    def is_answer(self, time_us):
        """Return whether controls answer the tick: by the time that was sent, or PX4's own.

        PX4 of 2021 says the time that it was sent, newer PX4 the time since the first one.
        """
        offset = self.sent - time_us
        if offset in ((0, self.first) if self.offset is None else (self.offset,)):
            self.offset = offset
            return True
        behind = offset - (self.offset or 0)
        if behind < 0:
            self.warn_once('controls ahead of time', f'controls {-behind} us ahead are left out')
        else:
            self.warn_once('late controls', f'controls {behind} us late are left out')
        return False

    def checked(self, controls):
        """Return controls from -1 to 1; 0 for one that is not finite. Only those that drive."""
        checked = [0.0] * CHANNELS
        for k, output in enumerate(self.outputs):
            if output and not np.isfinite(controls[k]):
                self.warn_once('controls not finite', f'control {k} is not finite: 0 is taken')
            elif output:
                checked[k] = min(max(controls[k], -1.0), 1.0)
                if checked[k] != controls[k]:
                    text = f'control {k} is {controls[k]:.3g}: limited to -1 to 1'
                    self.warn_once('controls limited', text)
        return checked

    def on_silence(self):
        """Let a tick go on with the controls before, because its answer does not come."""
        if self.sent is None:
            return
        if self.controls is None:
            self.counts['ticks before the first answer'] += 1
        else:
            self.warn_once('ticks without an answer', 'no answer came in time; controls are held')
        self.answer(self.controls or [0.0] * CHANNELS)

    def answer(self, controls):
        """Publish the commands of the tick that waits."""
        commands = commands_of(self.outputs, controls, self.header, self.axes)
        for timer in filter(None, (self.first_wait, self.later_wait)):
            timer.cancel()
        stamp = self.header.stamp
        self.answers = {stamp.sec * 10**9 + stamp.nanosec: commands}
        self.sent = None
        self.publish(commands)

    def publish(self, commands):
        for topic, command in commands.items():
            self.topics[topic].publish(command)

    # --- what the simulator says

    def listen(self):
        """Take part in the run; until then lockstep says that it waits for a controller."""
        for topic, kind, _ in (KINDS[output.kind] for output in self.outputs if output):
            self.topics.setdefault(topic, None)
            self.topics[topic] = self.topics[topic] or self.create_publisher(kind, topic, 10)
        TickSynchroniser(self, SENSORS, self.on_tick, self.on_repeat)

    def on_tick(self, stamp, messages):
        """Send the readings of a tick; stamp [ns], messages: those of this tick, by topic."""
        self.magnetic = messages.get('imu/mag', self.magnetic)
        if self.sends_gps and 'gnss/fix' in messages and 'gnss/odometry' in messages:
            self.send_gps(stamp, messages)
        if 'imu/data_raw' not in messages:
            return
        imu, self.header = messages['imu/data_raw'], messages['imu/data_raw'].header
        self.header.frame_id = self.frame
        try:
            message = hil_sensor(FIRST_TIME + stamp // 1000, imu, self.magnetic, self.mounting)
        except ValueError as error:
            self.warn_once('readings not sent', str(error))
            return
        self.sent, self.magnetic = message.time_usec, None
        self.first = self.first or self.sent
        self.mavlink.send(message)
        if timer := self.first_wait if self.controls is None else self.later_wait:
            timer.reset()

    def send_gps(self, stamp, messages):
        time_us = FIRST_TIME + stamp // 1000
        if reference := messages.get('gnss/time_reference'):
            time_us = reference.time_ref.sec * 10**6 + reference.time_ref.nanosec // 1000
        message, fits = hil_gps(time_us, messages['gnss/fix'], messages['gnss/odometry'])
        if not fits:
            text = 'HIL_GPS holds 327.67 m/s and 2147 km at most: velocity or height is limited'
            self.warn_once('positions limited', text)
        self.mavlink.send(message)

    def on_repeat(self, stamp):
        """Say again what was said of a tick: a message of it was lost."""
        self.publish(self.answers.get(stamp, {}))


def bridge():
    """Return the node; end with one line where a parameter is wrong."""
    try:
        return Px4Bridge()
    except (ValueError, ParameterException) as error:
        sys.exit(f'px4_bridge: {error}')


if __name__ == '__main__':
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Parameters: --ros-args -p \"outputs:=['torque x 0.002', 'torque y 0.002']\"; "
        'docs/px4.md lists all.',
    )  # fmt: skip
    parser.parse_args(remove_ros_args(sys.argv)[1:])
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends it as Ctrl-C does
    rclpy.init()
    with contextlib.suppress(KeyboardInterrupt):
        rclpy.spin(bridge())
