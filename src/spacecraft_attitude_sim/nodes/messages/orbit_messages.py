# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Messages of the environment in an Earth orbit, and its frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from geometry_msgs.msg import Vector3Stamped
from nav_msgs.msg import Odometry
from sensor_msgs.msg import MagneticField

from spacecraft_attitude_sim.core.environment import orbit_axes
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.mathematics.rotations import IDENTITY
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.nodes.ros.serialised import (
    MARK_STAMP,
    MARKS,
    Marked,
    SerialisedMessage,
)
from spacecraft_attitude_sim.recording.topics import ORBIT, SUN, SUNLIGHT, TRUE_FIELD

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Array, VectorLike
    from spacecraft_attitude_sim.core.simulation import Instant
    from spacecraft_attitude_sim.nodes.messages.moment import Moment


POSITION_W, VELOCITY_W, FIELD_W = map(
    AROUND.of, ('position_W', 'velocity_W', 'magnetic_field_W')
)  # fmt: skip
TO_SUN_W, IRRADIANCE = AROUND.of('to_sun_W'), AROUND.at('irradiance')


class OrbitMessages:
    """Makes the serialised messages of a scenario's Earth orbit; none without one.

    makers: {topic: function that converts a Moment to bytes}
    """

    def __init__(self, scenario: Scenario) -> None:
        values = scenario.parameters
        self._world, self._eci = values['frames.world'], values['frames.eci']
        self._earth, self._lvlh = values['frames.earth'], values['frames.lvlh']
        self._surroundings = scenario.plant.environment.surroundings
        self.makers = {}
        if self._surroundings:
            self._cut = {
                topic: SerialisedMessage(*cut) for topic, cut in self._templates().items()
            }
            self.makers = {
                ORBIT: self._orbit, TRUE_FIELD: self._field, SUN: self._sun,
                SUNLIGHT: self._sunlight,
            }  # fmt: skip

    def _around(self, instant: Instant) -> Array:
        assert self._surroundings is not None
        return self._surroundings.at(instant.elapsed_time)

    def _orbit(self, moment: Moment) -> bytes:
        now = self._around(moment.instant)
        place, velocity = now[POSITION_W].tobytes(), now[VELOCITY_W].tobytes()
        return self._cut[ORBIT].of(moment.stamp, place, velocity)

    def _field(self, moment: Moment) -> bytes:
        field_W = self._around(moment.instant)[FIELD_W]
        return self._cut[TRUE_FIELD].of(moment.stamp, field_W.tobytes())

    def _sun(self, moment: Moment) -> bytes:
        to_sun_W = self._around(moment.instant)[TO_SUN_W]
        return self._cut[SUN].of(moment.stamp, to_sun_W.tobytes())

    def _sunlight(self, moment: Moment) -> bytes:
        now = self._around(moment.instant)
        return self._cut[SUNLIGHT].of(moment.stamp, (now[IRRADIANCE] * now[TO_SUN_W]).tobytes())

    def transforms(self, instant: Instant) -> list[tuple[str, str, VectorLike, VectorLike]]:
        """Return [(frame, child, origin (3,) [m], attitude (4,))] of an instant; [] without orbit.

        The frame eci is at the Earth's centre and does not turn; world moves in it, and earth
        turns in it. The frame lvlh has its origin at that of world.
        """
        if not self._surroundings:
            return []
        now, here = self._around(instant), np.zeros(3)
        position_W, velocity_W = now[POSITION_W], now[VELOCITY_W]
        return [
            (self._eci, self._world, position_W, IDENTITY),
            (self._eci, self._earth, here, now[AROUND.of('q_WE')]),
            (self._world, self._lvlh, here, orbit_axes.attitude(position_W, velocity_W)),
        ]

    def _templates(self) -> dict[str, Marked]:
        """Return {topic: (message with marks, the bytes of the marks)}."""
        world = conversions.header_to_ros(MARK_STAMP, self._world)
        stamp = conversions.stamp_bytes(MARK_STAMP)
        place, velocity = np.split(MARKS[:6], 2)
        # The axes of world are those of eci, so this twist is in the child's axes, as required.
        orbit = Odometry(
            header=conversions.header_to_ros(MARK_STAMP, self._eci), child_frame_id=self._world
        )
        orbit.pose.pose = conversions.pose_to_ros(place, IDENTITY)
        orbit.twist.twist.linear = conversions.vector3_to_ros(velocity)
        direction = Vector3Stamped(header=world, vector=conversions.vector3_to_ros(place))
        field = MagneticField(header=world, magnetic_field=direction.vector)
        return {
            ORBIT: (orbit, stamp, place.tobytes(), velocity.tobytes()),
            TRUE_FIELD: (field, stamp, place.tobytes()),
            SUN: (direction, stamp, place.tobytes()),
            SUNLIGHT: (direction, stamp, place.tobytes()),
        }
