# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The page on cFS: its node and its application in C agree on every byte. cFS is not here."""

import ctypes
import re
import shutil
import socket
import struct
import subprocess
import threading
from types import SimpleNamespace

import pytest
from conftest import ROOT

PAGE = (ROOT / 'docs' / 'flight_software.md').read_text()
IMU_RATE = (0.125, -0.3, 1e-9)


def block(kind):
    """The first block of code of a kind."""
    return re.search(rf'^```{kind}\n(.*?)^```$', PAGE, re.M | re.S)[1]


@pytest.fixture(scope='module')
def node():
    """Names of the page's node, which is not started."""
    pytest.importorskip('rclpy')
    names = {}
    exec(block('python').partition('signal.signal(')[0], names)
    return SimpleNamespace(**names)


@pytest.fixture(scope='module')
def damp(tmp_path_factory):
    """Function of bytes of a Reading that returns bytes of a Command, compiled of the page."""
    if not shutil.which('gcc'):
        pytest.skip('needs gcc')
    folder = tmp_path_factory.mktemp('law')
    source = folder / 'law.c'
    source.write_text(
        block('c') + 'void call(const Reading *reading, Command *command)\n'
        '{ *command = damp(reading); }\n'
    )
    options = ['-Wall', '-Wextra', '-Werror', '-shared', '-fPIC', '-o', folder / 'law.so']
    subprocess.run(['gcc', *options, source], check=True)
    law = ctypes.CDLL(str(folder / 'law.so'))

    def call(reading):
        command = ctypes.create_string_buffer(32)
        law.call(reading, command)
        return command.raw

    return call


@pytest.fixture
def imu():
    """A reading of the IMU."""
    messages = pytest.importorskip('sensor_msgs.msg')
    imu = messages.Imu()
    imu.header.stamp.sec, imu.header.stamp.nanosec = 7, 31_250_000
    rate = imu.angular_velocity
    rate.x, rate.y, rate.z = IMU_RATE
    return imu


@pytest.mark.parametrize(('count', 'sequence'), [(0, 0), (65537, 1)])
def test_a_reading_is_a_space_packet_with_the_header_of_telemetry(node, imu, count, sequence):
    """CCSDS 133.0-B: version 0, telemetry, a secondary header, unsegmented; length less one."""
    packet = node.packet_of(imu, count)
    identification, sequencing, length = struct.unpack('>HHH', packet[:6])
    assert identification >> 13 == 0 and not identification & 1 << 12
    assert identification & 1 << 11
    assert identification == int(re.search(r'READING_MID (0x\w+)', PAGE)[1], 16)
    assert (sequencing >> 14, sequencing & 0x3FFF) == (3, sequence)
    assert length == len(packet) - 6 - 1 == 16 + 32 - 7
    assert packet[6:16] == bytes(10)


def test_node_and_application_agree_on_every_byte_and_a_late_answer_is_left_out(node, damp, imu):
    published, warned = [], []
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as gate,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own,
    ):
        gate.bind(('127.0.0.1', 0))
        gate.settimeout(20.0)
        own.connect(gate.getsockname())
        own.settimeout(20.0)
        craft = SimpleNamespace(
            gate=own, count=0, command=SimpleNamespace(publish=published.append),
            get_logger=lambda: SimpleNamespace(warning=warned.append),
        )  # fmt: skip

        def answer():
            packet, sender = gate.recvfrom(512)
            gate.sendto(bytes(16) + struct.pack('<iI3d', 7, 0, 9.0, 9.0, 9.0), sender)
            gate.sendto(bytes(16) + damp(packet[16:]), sender)

        thread = threading.Thread(target=answer)
        thread.start()
        node.FlightSoftware.on_imu(craft, imu)
        thread.join(20.0)
        (command,) = published
        torque = command.wrench.torque
        assert (torque.x, torque.y, torque.z) == tuple(-0.01 * rate for rate in IMU_RATE)
        assert command.header.stamp == imu.header.stamp
        assert command.header.frame_id == 'base_link'
        # Nobody answers: one line, and no command.
        own.settimeout(0.01)
        node.FlightSoftware.on_imu(craft, imu)
    assert (len(published), craft.count) == (1, 1)
    assert warned == ['no answer of the flight software: timed out']
