# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""ROS 2 discovery: limited to this machine unless the user opens the network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.configuration.share import share_directory

if TYPE_CHECKING:
    from collections.abc import Mapping


RANGE = 'ROS_AUTOMATIC_DISCOVERY_RANGE'
PROFILE = 'FASTDDS_DEFAULT_PROFILES_FILE'
OLD_PROFILE, OF_OLD = 'FASTRTPS_DEFAULT_PROFILES_FILE', ('humble', 'iron', 'jazzy')
LOCALHOST_ONLY = 'ROS_LOCALHOST_ONLY'
# If the user has set one of these variables, discovery stays as the user configured it.
DECIDED = (
    RANGE,
    LOCALHOST_ONLY,
    'ROS_DISCOVERY_SERVER',
    PROFILE,
    OLD_PROFILE,
    'CYCLONEDDS_URI',
    'ZENOH_SESSION_CONFIG_URI',
    'ZENOH_CONFIG_OVERRIDE',
)


class DiscoveryError(ValueError):
    """One setting asks for the network, another forbids it; the message names both."""


def settings(network: bool, environment: Mapping[str, str]) -> dict[str, str]:
    """Return {name: value} of the environment variables to set before ROS starts.

    The discovery range alone is not enough: it still accepts a participant on another machine that
    names this one in its ROS_STATIC_PEERS. So a profile restricts Fast DDS to the loopback.

    network: whether other machines may take part;  environment: {name: value} now
    Raises DiscoveryError.
    """
    if network:
        if _decided(LOCALHOST_ONLY, environment):
            raise DiscoveryError(
                '--network and ROS_LOCALHOST_ONLY=1 contradict; unset ROS_LOCALHOST_ONLY'
            )
        return {RANGE: 'SUBNET'}
    if any(_decided(name, environment) for name in DECIDED):
        return {}
    kept = {RANGE: 'LOCALHOST'}
    if not environment.get('ROS_STATIC_PEERS'):  # peers that the user wants to reach
        profile = OLD_PROFILE if environment.get('ROS_DISTRO') in OF_OLD else PROFILE
        kept[profile] = str(share_directory() / 'config' / 'network' / 'this_machine.xml')
    return kept


def _decided(name: str, environment: Mapping[str, str]) -> bool:
    """Return whether a variable has an effect; empty is unset, and ROS_LOCALHOST_ONLY=0 is off."""
    value = environment.get(name, '')
    return bool(value) and not (name == LOCALHOST_ONLY and value == '0')
