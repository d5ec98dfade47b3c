# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What figures and animations show of a run on a floor."""

import numpy as np

from spacecraft_attitude_sim.core import rotations
from spacecraft_attitude_sim.files import drawing, floor_mesh

FORCE_COLOR = '#cc1180'
POINT_COLOR = '#d62f2f'
PATH_COLOR = '#2040b0'
OMEGA_COLOR = '#2ea152'
FLOOR_COLORS = np.array(((0.62, 0.66, 0.70), (0.86, 0.86, 0.83)))
FLIGHT_COLOR, SLIP_COLOR = '#9ec3ea', '#f3c98b'
SHADING = '(blue: in flight, orange: slips)'
# In reaches of the body.
MARGIN, FORCE_LENGTH, OMEGA_LENGTH = 1.6, 1.3, 1.5
# Chequers across the longer side of the floor, at most.
MOST_TILES = 20
# A body smaller than this part of the view is followed, with so many reaches around it in sight.
SMALLEST, FOLLOWING = 0.125, 2.0
# Below the floor by this much of the body's reach, a face is not drawn.
SUNK = 0.03


def panels(history):
    """Return (values, label, names of the curves) of the four panels."""
    contact = history.contact
    return (
        (contact.position_W, 'position [m]', ('x', 'y', 'z')),
        (history.angular_velocity_B, 'angular velocity, body [rad/s]', ('ω₁', 'ω₂', 'ω₃')),
        (contact.force_W, 'contact force, world [N]', ('x', 'y', 'z')),
        (contact.energy[:, np.newaxis], 'kinetic and potential energy [J]', ('E',)),
    )


def shade(axis, history):
    """Colour the times at which the body flies or slips."""
    for where, color in (
        (history.contact.flying, FLIGHT_COLOR),
        (history.contact.slipping, SLIP_COLOR),
    ):
        for first, last in _spans(where):
            # A tick is what its end says.
            start = history.time[max(first - 1, 0)]
            axis.axvspan(start, history.time[last], color=color, alpha=0.35, linewidth=0.0)


def _spans(where):
    """Return (first, last) of each run of True in (n,)."""
    padded = np.concatenate(([False], where, [False]))
    changes = np.flatnonzero(padded[1:] != padded[:-1]).reshape(-1, 2)
    return [(first, end - 1) for first, end in changes]


class Scene:
    """Floor, body, contact point, its path and force at one instant.

    The camera is at rest, or goes along with a body that would look too small.
    """

    def __init__(self, view, history, parts):
        from matplotlib.collections import PolyCollection
        from matplotlib.lines import Line2D

        self._contact = history.contact
        self._mesh = drawing.mesh(parts)
        self._reach = np.max(np.linalg.norm(self._mesh.corners, axis=2))
        self._q_WB = np.array(
            [rotations.quaternion_from_euler_zyx(*angles) for angles in history.euler_zyx]
        )
        self._vectors = {
            'force': self._scaled(self._contact.force_W, FORCE_LENGTH, _usual(self._contact)),
            'omega': self._scaled(self._omega_W(history), OMEGA_LENGTH),
        }
        self._path = np.where(
            self._contact.flying[:, np.newaxis], np.nan, drawing.on_screen(self._contact.point_W)
        )
        self._floor = view.add_collection(PolyCollection([], linewidths=0.3, animated=True))
        self._line = self._curve(view, PATH_COLOR, 1.3)
        self._body = view.add_collection(PolyCollection([], linewidths=0.5, animated=True))
        self._omega = self._curve(view, OMEGA_COLOR, 2.0, marker='o', markevery=[1], markersize=4)
        self._force = self._curve(view, FORCE_COLOR, 2.4, marker='o', markevery=[0], markersize=5)
        self._view = view
        self._follows = False
        self._limit()
        view.figure.legend(
            handles=[
                Line2D([], [], color=OMEGA_COLOR, label='ω'),
                Line2D([], [], color=FORCE_COLOR, label='contact force'),
                Line2D([], [], color=PATH_COLOR, label='path of the contact'),
            ],
            loc='outside upper center', frameon=False, fontsize='small', ncols=3,
            columnspacing=1.0, handlelength=1.2,
        )  # fmt: skip

    def artists(self, index):
        """Return what to draw at one sample, back to front."""
        contact = self._contact
        if self._follows:
            self._go_along(index)
        faces, colors = self._floor_faces(index)
        self._floor.set(verts=faces, facecolors=colors, edgecolors=colors)
        self._line.set_data(*self._path[: index + 1].T)
        polygons, colors = drawing.picture(self._above(index), self._q_WB[index])
        center = drawing.on_screen(contact.position_W[index : index + 1])
        self._body.set(verts=polygons + center, facecolors=colors, edgecolors=colors)
        self._set_arrow(self._omega, contact.position_W[index], self._vectors['omega'][index])
        self._set_arrow(self._force, contact.point_W[index], self._vectors['force'][index])
        flying = contact.flying[index]
        return (
            self._floor,
            self._line,
            self._body,
            self._omega,
            *(() if flying else (self._force,)),
        )

    # --- what does not change ---------------------------------------------------------------

    def _omega_W(self, history):
        pairs = zip(self._q_WB, history.angular_velocity_B, strict=True)
        return np.array([rotations.rotate(q_WB, omega_B) for q_WB, omega_B in pairs])

    def _scaled(self, vectors, length, unit=None):
        """Return vectors so that `unit`, by default the longest, is `length` reaches long."""
        sizes = np.linalg.norm(vectors, axis=1)
        unit = unit or sizes.max() or 1.0
        # An impact's force may be a hundred times the weight.
        shown = np.minimum(sizes, 2.0 * unit) / np.where(sizes, sizes, 1.0)
        return vectors * (shown * length * self._reach / unit)[:, np.newaxis]

    def _curve(self, view, color, width, **style):
        return view.plot([], [], color=color, linewidth=width, animated=True, **style)[0]

    def _piece_over(self, cover_W):
        margin = MARGIN * self._reach
        longest = np.ptp(cover_W, axis=0).max() + 2.0 * margin
        tile = max(0.8 * self._reach, longest / MOST_TILES)
        return floor_mesh.Piece(cover_W, margin, tile, np.array((0.0, 0.0, 1.0)))

    def _limit(self):
        """Set limits that hold the body at every instant, and the floor."""
        self._piece = self._piece_over(self._contact.position_W)
        places = drawing.on_screen(self._contact.position_W)
        points = [places - 1.2 * self._reach, places + 1.2 * self._reach]
        if self._contact.floors:
            points.append(self._floor_faces(0)[0].reshape(-1, 2))
        points = np.concatenate(points)
        low, high = points.min(axis=0), points.max(axis=0)
        self._follows = 2.0 * self._reach < SMALLEST * np.max(high - low)
        self._view.set_aspect('equal')
        self._view.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        self._view.set_axis_off()
        if self._follows:
            self._go_along(0)

    def _go_along(self, index):
        """Look at the body and the floor near it."""
        position_W = self._contact.position_W[index]
        cover_W = position_W + np.outer((-1.0, 1.0), FOLLOWING * self._reach * np.ones(3))
        self._piece = self._piece_over(cover_W)
        x, y = drawing.on_screen(position_W[np.newaxis])[0]
        half = (FOLLOWING + MARGIN) * self._reach
        self._view.set(xlim=(x - 1.3 * half, x + 1.3 * half), ylim=(y - half, y + half))

    # --- what does --------------------------------------------------------------------------

    def _floor_faces(self, index):
        """Return polygons (k, 4, 2) and colours (k, 3) of the floor at a sample."""
        contact = self._contact
        if not contact.floors:
            return np.empty((0, 4, 2)), np.empty((0, 3))
        floor, time = contact.floors[index], contact.floor_time[index]
        made = floor_mesh.floor_mesh(floor, time, self._piece)
        across = np.cross(
            made.corners[:, 2] - made.corners[:, 0], made.corners[:, 3] - made.corners[:, 1]
        )
        # The near wall of a bowl would hide what is in it; a plane is seen from both sides.
        seen = (across @ drawing.CAMERA[2] > 0.0) | floor_mesh.is_plane(floor)
        polygons = drawing.on_screen(made.corners[seen])
        return polygons, FLOOR_COLORS[made.light[seen].astype(int)]

    def _above(self, index):
        """Return the body's mesh without what is below a plane: a stem that is only drawn."""
        contact = self._contact
        if not (contact.floors and floor_mesh.is_plane(contact.floors[index])):
            return self._mesh
        normal_W, point_W = floor_mesh.plane_at(contact.floors[index], contact.floor_time[index])
        normal_B = rotations.rotate(rotations.conjugate(self._q_WB[index]), normal_W)
        height = self._mesh.corners.mean(axis=1) @ normal_B
        height += (contact.position_W[index] - point_W) @ normal_W
        return drawing.Mesh(*(part[height > -SUNK * self._reach] for part in self._mesh))

    def _set_arrow(self, curve, start_W, vector_W):
        ends = drawing.on_screen(np.array((start_W, start_W + vector_W)))
        curve.set_data(*ends.T)


def _usual(contact):
    """Return the median size of the force while there is one [N], or None."""
    sizes = np.linalg.norm(contact.force_W, axis=1)
    return float(np.median(sizes[sizes > 0.0])) if np.any(sizes) else None
