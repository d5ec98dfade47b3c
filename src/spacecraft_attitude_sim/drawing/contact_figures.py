# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Figures and animations of a run on a floor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.types import Array, Vectors3
from spacecraft_attitude_sim.drawing import colors, floor_mesh, meshes, scenery
from spacecraft_attitude_sim.drawing.curves import Panel, energy_panel, rate_panel

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from spacecraft_attitude_sim.drawing.meshes import Part
    from spacecraft_attitude_sim.recording.contact_history import ContactHistory
    from spacecraft_attitude_sim.recording.history import History

FLOOR_COLORS = np.array([colors.rgb(color) for color in colors.FLOOR])
# Sizes in reaches of the body.
MARGIN, FORCE_LENGTH = 1.6, 1.3
# Margin around the body that is always in view, for its arrows and labels.
HELD = scenery.MOMENTUM_LENGTH + 1.5 * scenery.LETTER_DISTANCE
# Most chequers across the longer side of the floor.
MOST_TILES = 20
# The camera follows a body that is smaller than this share of the view; then the view extends this
# many reaches around it.
SMALLEST, FOLLOWING = 0.125, 2.0
# Faces deeper below the floor than this, in reaches, are not drawn.
SUNK = 0.03


def _contact(history: History) -> ContactHistory:
    """Return the ContactHistory of a History; raise ValueError for a free body."""
    if history.contact is None:
        raise ValueError('a history of a free body has no contact to draw')
    return history.contact


def panels(history: History) -> list[Panel]:
    """Return the Panels of a body on a floor, without attitude."""
    return [
        position_panel(history),
        rate_panel(history),
        Panel(_contact(history).force_W, 'contact force\nworld axes [N]', key='contact_force'),
        energy_panel(history),
    ]


def position_panel(history: History) -> Panel:
    """Return the Panel of the position of the centre of mass."""
    return Panel(_contact(history).position_W, 'position\nworld axes [m]', key='position')


def shading(history: History) -> str:
    """Return the legend of `shade` for this run; '' if nothing is shaded."""
    contact = _contact(history)
    words = {'blue: in flight': contact.in_flight, 'orange: slipping': contact.slipping}
    shown = ', '.join(what for what, where in words.items() if np.any(where))
    return shown and f'({shown})'


def shade(axis: Axes, history: History) -> None:
    """Shade the times at which the body is in flight or slips."""
    contact = _contact(history)
    for where, color in (
        (contact.in_flight, colors.IN_FLIGHT),
        (contact.slipping, colors.SLIPPING),
    ):
        for first, last in _spans(where):
            # The state at the end of a tick counts for the tick.
            start = history.time[max(first - 1, 0)]
            axis.axvspan(start, history.time[last], color=color, alpha=0.35, linewidth=0.0)


def _spans(where: np.ndarray) -> list[tuple[int, int]]:
    """Return (first, last) index of each run of True in (n,)."""
    padded = np.concatenate(([False], where, [False]))
    changes = np.flatnonzero(padded[1:] != padded[:-1]).reshape(-1, 2)
    return [(first, end - 1) for first, end in changes]


class Scene:
    """Floor, body with its axes, ω and L, path of the contact point and force at one instant.

    The camera is fixed, or follows a body that would otherwise be too small.
    """

    def __init__(self, view: Axes, history: History, parts: Sequence[Part]) -> None:
        from matplotlib.collections import PolyCollection
        from matplotlib.lines import Line2D

        self._contact = _contact(history)
        self._mesh = meshes.mesh(parts)
        self._reach = np.max(np.linalg.norm(self._mesh.corners, axis=2))
        self._q_WB = history.q_WB()
        self._forces = self._scaled(self._contact.force_W, FORCE_LENGTH, _usual(self._contact))
        self._path = np.where(
            self._contact.in_flight[:, np.newaxis], np.nan, meshes.on_screen(self._contact.point_W)
        )
        self._floor = view.add_collection(PolyCollection([], linewidths=0.3, animated=True))
        self._line = self._curve(view, colors.CONTACT_PATH, 1.3)
        self._body = view.add_collection(PolyCollection([], linewidths=0.5, animated=True))
        self._arrows = scenery.Arrows(view, history, self._q_WB, self._reach, shine=True)
        self._world = scenery.world_axes(view, animated=True)
        self._force = self._curve(
            view, colors.CONTACT_FORCE, 2.4, marker='o', markevery=[0], markersize=5
        )
        self._view = view
        self._follows = False
        self._limit()
        styles = (
            (colors.ANGULAR_VELOCITY, 'ω'),
            (colors.ANGULAR_MOMENTUM, 'L'),
            (colors.CONTACT_FORCE, 'contact force'),
            (colors.CONTACT_PATH, 'path of the contact'),
        )
        scenery.legend(view, [Line2D([], [], color=color, label=label) for color, label in styles])

    def artists(self, index: int) -> Iterable[Artist]:
        """Return the artists of a sample, back to front."""
        contact = self._contact
        if self._follows:
            self._go_along(index)
        faces, shades = self._floor_faces(index)
        self._floor.set(verts=faces, facecolors=shades, edgecolors=shades)
        self._line.set_data(*self._path[: index + 1].T)
        polygons, shades = meshes.picture(self._above(index), self._q_WB[index])
        (center,) = meshes.on_screen(contact.position_W[index : index + 1])
        self._body.set(verts=polygons + center, facecolors=shades, edgecolors=shades)
        behind, before = self._arrows.artists(index, center)
        ends_W = contact.point_W[index] + np.outer((0.0, 1.0), self._forces[index])
        self._force.set_data(*meshes.on_screen(ends_W).T)
        return (
            self._floor,
            self._line,
            *behind,
            self._body,
            *before,
            *self._world,
            *(() if contact.in_flight[index] else (self._force,)),
        )

    # --- set up once ---------------------------------------------------------------

    def _scaled(self, vectors: Vectors3, length: float, unit: float | None) -> Vectors3:
        """Return scaled vectors (n, 3): `unit` becomes `length` reaches; at most twice that."""
        sizes = np.linalg.norm(vectors, axis=1)
        unit = unit or 1.0
        # The force of an impact may be a hundred times the weight.
        shown = np.minimum(sizes, 2.0 * unit) / np.where(sizes, sizes, 1.0)
        return vectors * (shown * length * self._reach / unit)[:, np.newaxis]

    def _curve(self, view: Axes, color: str, width: float, **style: Any) -> Line2D:
        return view.plot([], [], color=color, linewidth=width, animated=True, **style)[0]

    def _piece_over(self, cover_W: Vectors3) -> floor_mesh.Piece:
        margin = MARGIN * self._reach
        longest = np.ptp(cover_W, axis=0).max() + 2.0 * margin
        tile = max(0.8 * self._reach, longest / MOST_TILES)
        return floor_mesh.Piece(cover_W, margin, tile, np.array((0.0, 0.0, 1.0)))

    def _limit(self) -> None:
        """Set limits that contain the body at every instant, and the floor."""
        self._piece = self._piece_over(self._contact.position_W)
        places = meshes.on_screen(self._contact.position_W)
        floor = self._floor_faces(0)[0].reshape(-1, 2)
        points = np.concatenate((places - HELD * self._reach, places + HELD * self._reach, floor))
        low, high = points.min(axis=0), points.max(axis=0)
        self._follows = 2.0 * self._reach < SMALLEST * np.max(high - low)
        self._view.set_aspect('equal')
        self._view.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        self._view.set_axis_off()
        if self._follows:
            self._go_along(0)

    def _go_along(self, index: int) -> None:
        """Move the view to the body and the floor near it."""
        position_W = self._contact.position_W[index]
        cover_W = position_W + np.outer((-1.0, 1.0), FOLLOWING * self._reach * np.ones(3))
        self._piece = self._piece_over(cover_W)
        x, y = meshes.on_screen(position_W[np.newaxis])[0]
        half = (FOLLOWING + MARGIN) * self._reach
        self._view.set(xlim=(x - 1.3 * half, x + 1.3 * half), ylim=(y - half, y + half))

    # --- for each frame --------------------------------------------------------------------------

    def _floor_faces(self, index: int) -> tuple[Array, Array]:
        """Return polygons (k, 4, 2) and colours (k, 3) of the floor at a sample."""
        contact = self._contact
        if not contact.floors:
            return np.empty((0, 4, 2)), np.empty((0, 3))
        floor, time = contact.floors[index], contact.floor_time[index]
        made = floor_mesh.floor_mesh(floor, time, self._piece)
        across = meshes.normals_of(made.corners)
        # Back faces are culled, such as the near wall of a bowl; a plane has two visible sides.
        seen = (across @ meshes.CAMERA[2] > 0.0) | floor_mesh.is_plane(floor)
        polygons = meshes.on_screen(made.corners[seen])
        shades = FLOOR_COLORS[made.light[seen].astype(int)]
        if floor_mesh.is_plane(floor):
            return polygons, shades
        # Far faces come first; their shade depends on their inclination.
        order = np.argsort(made.corners[seen].mean(axis=1) @ meshes.CAMERA[2])
        shades = shades * meshes.brightness(across[seen])[:, np.newaxis] / meshes.LEVEL
        return polygons[order], np.minimum(shades[order], 1.0)

    def _above(self, index: int) -> meshes.Mesh:
        """Return the body's mesh without faces below a plane floor, such as those of a stem."""
        contact = self._contact
        if not (contact.floors and floor_mesh.is_plane(contact.floors[index])):
            return self._mesh
        normal_W, point_W = floor_mesh.plane_at(contact.floors[index], contact.floor_time[index])
        normal_B = rotations.rotate(rotations.conjugate(self._q_WB[index]), normal_W)
        height = self._mesh.corners.mean(axis=1) @ normal_B
        height += (contact.position_W[index] - point_W) @ normal_W
        return meshes.Mesh(*(part[height > -SUNK * self._reach] for part in self._mesh))


def _usual(contact: ContactHistory) -> float | None:
    """Return the median magnitude of the force while in contact [N], or None."""
    sizes = np.linalg.norm(contact.force_W, axis=1)
    return float(np.median(sizes[sizes > 0.0])) if np.any(sizes) else None
