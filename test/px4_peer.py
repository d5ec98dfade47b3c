# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""An autopilot that speaks MAVLink over TCP as PX4's module simulator_mavlink does."""

import contextlib
import socket
import threading
import time

from pymavlink.dialects.v20 import common as mavlink

ARMED = mavlink.MAV_MODE_FLAG_SAFETY_ARMED | mavlink.MAV_MODE_FLAG_CUSTOM_MODE_ENABLED
LOCKSTEP = 1
PATIENCE = 60.0


def connected(port):
    """Return a socket at a port of this machine; try again until it is there, as PX4 does."""
    limit = time.monotonic() + PATIENCE
    while True:
        with contextlib.suppress(ConnectionRefusedError):
            client = socket.create_connection(('127.0.0.1', port), timeout=PATIENCE)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return client
        assert time.monotonic() < limit, 'nobody listens'
        time.sleep(0.01)


class Peer:
    """Answers each HIL_SENSOR with 16 controls of law(sensor), in a thread.

    own_time: stamp controls with the time since the first HIL_SENSOR, as newer PX4 does, not with
        that of the HIL_SENSOR
    mistaken: called with the peer, a HIL_SENSOR and its controls in place of an answer

    sensors, positions: the HIL_SENSOR and HIL_GPS that came
    """

    def __init__(self, port, law, own_time=False, mistaken=None):
        self.port, self.law, self.own_time = port, law, own_time
        self.mistaken = mistaken or Peer.answer
        self.sensors, self.positions = [], []
        self._thread = threading.Thread(target=self._talk, daemon=True)

    def __enter__(self):
        """Connect, in the thread."""
        self._thread.start()
        return self

    def __exit__(self, *_):
        """Wait until the bridge has closed the connection."""
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    def write(self, data):
        """Send bytes; a MAVLink object calls it."""
        with contextlib.suppress(OSError):
            self.socket.sendall(data)

    def _talk(self):
        self.socket = connected(self.port)
        self.mavlink = mavlink.MAVLink(self, srcSystem=1, srcComponent=1)
        self.mavlink.heartbeat_send(mavlink.MAV_TYPE_GENERIC, mavlink.MAV_AUTOPILOT_PX4, 0, 0, 0)
        interval = mavlink.MAV_CMD_SET_MESSAGE_INTERVAL
        self.mavlink.command_long_send(0, 0, interval, 0, 115, 5e3, 0, 0, 0, 0, 0)
        with contextlib.suppress(ConnectionError):
            while data := self.socket.recv(4096):
                for message in self.mavlink.parse_buffer(data) or ():
                    self._take(message)
        self.socket.close()

    def _take(self, message):
        if message.get_type() == 'HIL_GPS':
            self.positions.append(message)
        elif message.get_type() == 'HIL_SENSOR':
            self.sensors.append(message)
            self.mistaken(self, message, self.law(message))

    def answer(self, sensor, controls, ahead=0, mode=ARMED, flags=LOCKSTEP):
        """Send controls; ahead: [us] of the tick."""
        start = self.sensors[0].time_usec if self.own_time else 0
        time_us = sensor.time_usec - start + ahead
        self.mavlink.hil_actuator_controls_send(time_us, controls, mode, flags)
