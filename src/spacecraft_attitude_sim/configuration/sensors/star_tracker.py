# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The star tracker: its parameters in datasheet units, and the StarTracker of core in SI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration.parameter import Parameter, attitude
from spacecraft_attitude_sim.configuration.sensors.units import in_si, latency
from spacecraft_attitude_sim.core.sensors import StarTracker

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Quaternion

CROSS_BORESIGHT = Parameter(
    'star_tracker.cross_boresight_noise', 0.0, 'arcsec',
    'White noise about the x and y axes, 1 sigma.', low=0.0, high=648_000.0,
)  # fmt: skip
ABOUT_BORESIGHT = Parameter(
    'star_tracker.about_boresight_noise', 0.0, 'arcsec',
    'White noise about the boresight z, 1 sigma.',
    low=0.0, high=648_000.0,
)  # fmt: skip
RATE_LIMIT = Parameter(
    'star_tracker.rate_limit', 0.0, 'deg/s',
    'Largest angular rate at which the star tracker measures. 0: no limit.', low=0.0, high=1e6,
)  # fmt: skip
EXCLUSION = {
    f'{what}_exclusion': Parameter(
        f'star_tracker.{what}_exclusion', 0.0, 'deg',
        f'Smallest angle from the boresight to {whom} at which the star tracker measures.{but} '
        '0: no limit.',
        low=0.0, high=180.0,
    )
    for what, whom, but in (
        ('sun', 'the Sun', " It does not apply in the Earth's shadow."),
        ('earth', "the Earth's limb", ''),
        ('moon', 'the Moon', ''),
    )
}  # fmt: skip
PARAMETERS = (
    Parameter(
        'star_tracker.enabled', False, '',
        'Simulate a star tracker and publish star_tracker/attitude.', bool,
    ),
    attitude(
        'star_tracker.orientation',
        'Orientation of the star tracker: unit quaternion w, x, y, z, from star_tracker_link to '
        'base_link. Its boresight is the z axis.',
    ),
    Parameter(
        'star_tracker.interval', 8, 'ticks',
        'Ticks between measurements. 8 ticks at 32 Hz give 4 measurements per second.',
        int, low=1, high=1_000_000,
    ),
    latency('star_tracker.latency'),
    CROSS_BORESIGHT,
    ABOUT_BORESIGHT,
    RATE_LIMIT,
    *EXCLUSION.values(),
    Parameter(
        'frames.star_tracker', 'star_tracker_link', '', "Name of the star tracker's frame.", str,
    ),
)  # fmt: skip


def star_tracker(values: Mapping[str, Any], q_BT: Quaternion) -> StarTracker | None:
    """Return the StarTracker of a scenario's parameters; None if it is not enabled.

    values: {dotted name: value} of every parameter;  q_BT: (4,) star tracker axes to body axes
    """
    if not values['star_tracker.enabled']:
        return None
    return StarTracker(
        q_BT,
        values['star_tracker.interval'],
        values['star_tracker.latency'],
        in_si(values, CROSS_BORESIGHT),
        in_si(values, ABOUT_BORESIGHT),
        in_si(values, RATE_LIMIT),
        **{field: in_si(values, parameter) for field, parameter in EXCLUSION.items()},
    )
