# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""An Earth orbit in the viewer: arrows next to the body, and a view of Earth and orbit.

Entities below `orbit` are in world axes from the Earth's centre, in Earth radii.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import rerun as rr

from spacecraft_attitude_sim.core.environment.earth import FLATTENING, RADIUS
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.drawing import orbit_looks
from spacecraft_attitude_sim.viewer import colors
from spacecraft_attitude_sim.viewer.archetypes import as_xyzw

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3
    from spacecraft_attitude_sim.viewer.entity_log import EntityLog
    from spacecraft_attitude_sim.viewer.samples import Samples, Stamps


POSITION_W, VELOCITY_W, FIELD_W = map(
    AROUND.of, ('position_W', 'velocity_W', 'magnetic_field_W')
)  # fmt: skip
TO_SUN_W, Q_WE, IRRADIANCE = AROUND.of('to_sun_W'), AROUND.of('q_WE'), AROUND.at('irradiance')
# Points of the drawn path of one revolution; arrow lengths of Sun and field [Earth radii].
PATH_POINTS = 181
SUN_ARROW, FIELD_ARROW = 2.2, 0.5
MERIDIANS = 12


class OrbitScene:
    """Logs the surroundings of a Scenario to the recording of a scene.Scene."""

    def __init__(self, scene: EntityLog, found: Scenario) -> None:
        assert found.plant.environment.surroundings, 'it is made only in an orbit'
        self._scene, self._surroundings = scene, found.plant.environment.surroundings
        self._log_arrows()
        self._log_orbit(found.parameters['duration'])

    def add(self, samples: Samples) -> None:
        """Log Samples later than those logged before, if the orbit is known at their time."""
        stamp, now = samples.stamp, self._around(samples.elapsed)
        known = np.isfinite(now).all(axis=1)
        stamp, now = stamp[known], now[known]
        if not len(stamp):
            return
        scene, lengths = self._scene, orbit_looks.LENGTH * self._scene.reach
        directions = lengths * np.array([orbit_looks.directions_W(one) for one in now])
        for number, name in enumerate(orbit_looks.ARROWS):
            scene.arrow(f'world/craft/{name}', stamp, directions[:, number])
        place = now[:, POSITION_W] / RADIUS
        earth = rr.Transform3D.columns(quaternion=as_xyzw(now[:, Q_WE]))
        scene.send('orbit/earth', stamp, earth)
        scene.send('orbit/place', stamp, rr.Points3D.columns(positions=place))
        scene.arrow('orbit/sun', stamp, SUN_ARROW * now[:, TO_SUN_W])
        field = FIELD_ARROW / self._scene.reach / orbit_looks.LENGTH * directions[:, 1]
        scene.send('orbit/field', stamp, rr.Arrows3D.columns(vectors=field, origins=place))
        q_WB = samples.q_WB[known]
        pairs = zip(q_WB, now[:, FIELD_W], strict=True)
        field_B = [rotations.rotate(rotations.conjugate(q), field_W) for q, field_W in pairs]
        scene.add_plot('field', stamp, 1e6 * np.array(field_B))
        scene.add_plot('sunlight', stamp, now[:, IRRADIANCE])

    def _around(self, elapsed: Array | Stamps) -> Array:
        """Return AROUND (n, 25) at times [ns]; NaN if the orbit is not known."""
        return np.array([self._at(1e-9 * float(time)) for time in elapsed])

    def _at(self, time: float) -> Array:
        try:
            return self._surroundings.at(time)
        except ValueError:
            return np.full(AROUND.size, math.nan)

    def _log_arrows(self) -> None:
        scene = self._scene
        for name, (label, color) in orbit_looks.ARROWS.items():
            style = rr.Arrows3D.from_fields(
                colors=[colors.rgb(color)], radii=[orbit_looks.WIDTH * scene.reach],
                labels=[label], show_labels=True,
            )  # fmt: skip
            scene.log(f'world/craft/{name}', style)
        scene.log_curves('field', ('B x', 'B y', 'B z'), colors.AXES)
        scene.log_curves('sunlight', ('irradiance',), (colors.SUN,))

    def _log_orbit(self, duration: float) -> None:
        """Log the Earth and the path: one revolution, or its recorded part."""
        scene, start = self._scene, self._surroundings.at(0.0)
        log = scene.log
        ball = rr.Ellipsoids3D(
            half_sizes=[(1.0, 1.0, 1.0 - FLATTENING)], colors=colors.EARTH, fill_mode='solid'
        )
        log('orbit/earth/ground', ball)
        log('orbit/earth/meridians', rr.LineStrips3D(_graticule(), colors=colors.FAMILY))
        end = period(start[POSITION_W], start[VELOCITY_W], self._surroundings.parameter)
        if not self._surroundings.exact:
            end = min(end, duration)
        path = self._around(1e9 * np.linspace(0.0, end, PATH_POINTS))[:, POSITION_W] / RADIUS
        strips = [path[np.isfinite(path).all(axis=1)]]
        log('orbit/path', rr.LineStrips3D(strips, colors=colors.PATH, radii=0.012))
        log('orbit/place', rr.Points3D.from_fields(colors=[colors.WHOLE], radii=[0.05]))
        for name, label, color in (('sun', 'Sun', colors.SUN), ('field', 'B', colors.FIELD)):
            style = rr.Arrows3D.from_fields(
                colors=[color], radii=[0.02], labels=[label], show_labels=True
            )
            log(f'orbit/{name}', style)


def period(position_W: Vector3, velocity_W: Vector3, parameter: float) -> float:
    """Return the period [s] of the ellipse through a state; one day for an escape orbit.

    position_W, velocity_W: (3,) from the planet's centre [m, m/s];  parameter: μ [m^3/s^2]
    """
    speed = float(velocity_W @ velocity_W)
    inverse = 2.0 / float(np.linalg.norm(position_W)) - speed / parameter
    return math.tau / math.sqrt(parameter * inverse**3) if inverse > 0.0 else 86400.0


def _graticule() -> list[Array]:
    """Return meridians and equator on a sphere slightly larger than 1."""
    angle = np.linspace(0.0, 2.0 * np.pi, 61)
    ring = 1.003 * np.stack((np.cos(angle), np.sin(angle), np.zeros_like(angle)), axis=1)
    upright = ring[:, (0, 2, 1)]
    lines = [ring]
    for turn in np.arange(MERIDIANS // 2) * (2.0 * np.pi / MERIDIANS):
        c, s = math.cos(turn), math.sin(turn)
        lines.append(upright @ np.array(((c, s, 0.0), (-s, c, 0.0), (0.0, 0.0, 1.0))))
    return lines
