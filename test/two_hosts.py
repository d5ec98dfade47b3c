# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Two hosts with a cable between them, in network namespaces: who hears whom.

Run by `unshare --user --map-root-user --net --mount`, with attitude-sim; prints JSON.
"""

import json
import os
import socket
import struct
import subprocess
import sys
import threading
import time

from spacecraft_attitude_sim.configuration.discovery import DECIDED

HERE, THERE = '10.99.0.1', '10.99.0.2'
CLOSED, OPEN = 11, 12  # ROS domains
PATIENCE = 60.0
LISTENER = """
import rclpy
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import Imu
rclpy.init()
node = rclpy.create_node('listener')
print('up', flush=True)
heard = []
node.create_subscription(Imu, 'imu/data', heard.append, qos_profile_sensor_data)
while not heard:
    rclpy.spin_once(node)
print('heard', flush=True)
"""


def sh(*command):
    subprocess.run(command, check=True)


def other_host():
    """Return the process that holds the other host, and how a command gets into it."""
    script = 'mount -t tmpfs tmpfs /dev/shm && echo up && exec sleep 600'
    holder = subprocess.Popen(
        ['unshare', '--net', '--mount', 'sh', '-c', script], stdout=subprocess.PIPE, text=True
    )
    holder.stdout.readline()
    into = ('nsenter', '--target', str(holder.pid), '--net', '--mount')
    sh('ip', 'link', 'add', 'here', 'type', 'veth', 'peer', 'name', 'there', 'netns', into[2])
    for prefix, device, address in (((), 'here', HERE), (into, 'there', THERE)):
        sh(*prefix, 'ip', 'link', 'set', 'lo', 'up')
        sh(*prefix, 'ip', 'address', 'add', f'{address}/24', 'dev', device)
        sh(*prefix, 'ip', 'link', 'set', device, 'up')
        sh(*prefix, 'ip', 'route', 'add', 'default', 'dev', device)
    return holder, into


class Wire:
    """Counts the UDP packets on the cable by sender and ROS domain."""

    def __init__(self):
        self.counts = {}
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0003))
        self._socket.bind(('here', 0))
        threading.Thread(target=self._watch, daemon=True).start()

    def __getitem__(self, sender_and_domain):
        return self.counts.get(sender_and_domain, 0)

    def _watch(self):
        while True:
            frame = self._socket.recv(65535)
            if frame[12:14] == b'\x08\x00' and frame[23] == socket.IPPROTO_UDP:
                header = 14 + 4 * (frame[14] & 15)
                (port,) = struct.unpack_from('!H', frame, header + 2)
                key = (socket.inet_ntoa(frame[26:30]), (port - 7400) // 250)
                self.counts[key] = self.counts.get(key, 0) + 1


def environment(domain, **more):
    clean = {name: value for name, value in os.environ.items() if name not in DECIDED}
    return {**clean, 'ROS_DOMAIN_ID': str(domain), **more}


def listener(prefix, domain, **more):
    """Return a listener that may hear, with the output it has given so far."""
    child = subprocess.Popen(
        [*prefix, sys.executable, '-c', LISTENER], env=environment(domain, **more),
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    said = []
    threading.Thread(target=lambda: said.extend(child.stdout), daemon=True).start()
    return child, said


def wait_for(done):
    """Wait until done(); return whether it was in time."""
    limit = time.monotonic() + PATIENCE
    while not done() and time.monotonic() < limit:
        time.sleep(0.05)
    return bool(done())


def main():
    sh('mount', '-t', 'tmpfs', 'tmpfs', '/dev/shm')
    holder, into = other_host()
    children, wire = [holder], Wire()
    try:
        for domain, options in ((CLOSED, ()), (OPEN, ('--network',))):
            command = [sys.argv[1], 'run', 'tennis_racket', '--duration', '0', '--no-markers']
            children.append(
                subprocess.Popen(
                    [*command, *options], env=environment(domain), stderr=subprocess.DEVNULL
                )
            )
        far, heard_far = listener(into, OPEN)
        intruder, heard_by_intruder = listener(into, CLOSED, ROS_STATIC_PEERS=HERE)
        children += [far, intruder]
        result = {
            'far hears the open one': wait_for(lambda: len(heard_far) == 2),
            'intruder knocks': wait_for(lambda: wire[THERE, CLOSED] > 8),
            'packets of the open one': wire[HERE, OPEN],
            'packets of the closed one': wire[HERE, CLOSED],
        }
        beside, heard_beside = listener((), CLOSED)  # of the default range, as users' programs are
        children.append(beside)
        result['beside hears the closed one'] = wait_for(lambda: len(heard_beside) == 2)
        result['intruder hears the closed one'] = len(heard_by_intruder) == 2
        print(json.dumps(result))
    finally:
        for child in children:
            child.kill()


if __name__ == '__main__':
    main()
