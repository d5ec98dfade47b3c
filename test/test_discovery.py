# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Commands talk on this machine only, unless they are told otherwise."""

import json
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from conftest import ROOT

from spacecraft_attitude_sim.configuration import discovery

NAMESPACE = ('unshare', '--user', '--map-root-user', '--net', '--mount')


def test_another_host_neither_hears_nor_reaches_a_run_unless_it_is_opened(command):
    """Not even one that names this machine as its peer; not one packet leaves."""
    if not all(shutil.which(tool) for tool in ('unshare', 'nsenter', 'ip', 'mount')):
        pytest.skip('unshare, nsenter, mount or ip (iproute2) is not installed')
    probe = 'mount -t tmpfs tmpfs /dev/shm && ip link add here type veth peer name there'
    if subprocess.run([*NAMESPACE, 'sh', '-c', probe], capture_output=True).returncode:
        pytest.skip('network namespaces are not permitted here')
    hosts = [*NAMESPACE, sys.executable, str(ROOT / 'test' / 'two_hosts.py'), command]
    done = subprocess.run(hosts, stdout=subprocess.PIPE, text=True, timeout=600)
    seen = json.loads(done.stdout.splitlines()[-1])
    # What would be seen if it could be: the open run far away, the closed one beside it.
    assert seen['far hears the open one']
    assert seen['packets of the open one'] > 0
    assert seen['beside hears the closed one']
    assert seen['intruder knocks']
    assert not seen['intruder hears the closed one']
    assert seen['packets of the closed one'] == 0


def test_what_the_user_has_decided_is_respected():
    kept = discovery.settings(False, {})
    assert kept[discovery.RANGE] == 'LOCALHOST'
    ElementTree.parse(kept[discovery.PROFILE])  # the file is installed
    for name in discovery.DECIDED:
        assert discovery.settings(False, {name: 'mine'}) == {}
        assert discovery.settings(False, {name: ''}) == kept  # empty is unset to ROS
    # What it is without being set.
    assert discovery.settings(False, {discovery.LOCALHOST_ONLY: '0'}) == kept
    # Named peers elsewhere are to be reached.
    assert discovery.settings(False, {'ROS_STATIC_PEERS': '10.0.0.7'}) == {
        discovery.RANGE: 'LOCALHOST'
    }
    # Fast DDS of Jazzy knows its profiles by another name.
    assert discovery.OLD_PROFILE in discovery.settings(False, {'ROS_DISTRO': 'jazzy'})
    assert discovery.OLD_PROFILE not in discovery.settings(False, {'ROS_DISTRO': 'kilted'})


def test_network_opens_whatever_was_decided_and_contradictions_are_refused(command):
    closed = {discovery.RANGE: 'LOCALHOST'}
    assert discovery.settings(True, closed) == {discovery.RANGE: 'SUBNET'}
    with pytest.raises(discovery.DiscoveryError, match='contradict'):
        discovery.settings(True, {'ROS_LOCALHOST_ONLY': '1'})
