# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The layout of the page: body and caption, Poinsot's construction, plots; and the cameras."""

import numpy as np
import rerun.blueprint as rrb

from spacecraft_attitude_sim.drawing import meshes
from spacecraft_attitude_sim.viewer.scene import TIMELINE

# Time shown of the body's traces, and of the herpolhode [s].
TRACE, HERPOLHODE = 4.0, 40.0
# Of the camera from the body, in reaches of the body.
EYE_DISTANCE = 3.9
WHITE = (255, 255, 255)


def blueprint(reach, momentum_W, momentum_P, moments, live, pointing, poinsot=True):
    """Return the Blueprint of a run.

    reach: of the body [m];  momentum_W: (3,) initial L [N m s], downwards in the view
    momentum_P: (3,) the same in principal axes, its tip on the side of the camera
    moments: (3,) principal moments [kg m^2]
    live: whether to follow what arrives, else play from the start
    pointing: whether there is a pointing error to plot
    poinsot: whether Poinsot's picture is drawn
    """
    plots = [
        _plot('rates', 'Angular velocity ω, body axes [rad/s]'),
        _plot('momentum', 'Angular momentum L, world axes [N m s]'),
    ]
    plots.append(_plot('energy', 'Rotational kinetic energy [J]'))
    plots.append(_plot('drift', 'Relative change of energy and L since the start, log₁₀'))
    if pointing:
        plots.insert(0, _plot('pointing_error', 'Pointing error [deg]'))
    pictures = [rrb.Vertical(_rolling(momentum_W), _sphere(moments, momentum_P))]
    page = rrb.Horizontal(
        rrb.Vertical(
            _body(reach), rrb.TextDocumentView(origin='about', name='What you see'),
            row_shares=(1.7, 1.0),
        ),
        *(pictures if poinsot else ()),
        rrb.Vertical(*plots),
        column_shares=(1.25, 1.0, 1.0) if poinsot else (1.25, 1.0),
    )  # fmt: skip
    time = rrb.TimePanel(
        timeline=TIMELINE, state='collapsed',
        play_state='following' if live else 'playing', loop_mode=None if live else 'all',
    )  # fmt: skip
    return rrb.Blueprint(page, time, collapse_panels=True)


def _body(reach):
    """Return the view of the body, which moves along with its centre of mass."""
    trace = _latest(TRACE)
    return rrb.Spatial3DView(
        origin='world/craft', contents='world/**', name='Body',
        background=WHITE, line_grid=False,
        eye_controls=_eye(EYE_DISTANCE * reach * meshes.CAMERA[2]),
        overrides={'world/craft/trace': trace, 'world/contact/path': trace},
    )  # fmt: skip


def _rolling(momentum_W):
    """Return the view of the rolling ellipsoid, with the invariable plane below it."""
    size = np.linalg.norm(momentum_W)
    up = -momentum_W / size if size else np.array((0.0, 0.0, 1.0))
    eye = 3.6 * (0.85 * meshes.beside(up) + 0.5 * up)
    return rrb.Spatial3DView(
        origin='poinsot', name='Poinsot: the energy ellipsoid rolls on the invariable plane',
        background=WHITE, line_grid=False, eye_controls=_eye(eye, up),
        overrides={'poinsot/herpolhode': _latest(HERPOLHODE)},
    )  # fmt: skip


def _sphere(moments, momentum_P):
    """Return the view of the momentum sphere, the intermediate axis towards the camera."""
    low, middle, high = np.argsort(moments, kind='stable')
    eye = np.zeros(3)
    eye[[low, middle, high]] = 1.7, 2.3, 1.5
    eye[momentum_P < 0.0] *= -1.0
    up = np.sign(eye[high]) * np.eye(3)[high]
    return rrb.Spatial3DView(
        origin='sphere', name='L in the body: its path, red: the separatrix',
        background=WHITE, line_grid=False, eye_controls=_eye(eye, up),
        overrides={'sphere/path': _latest(TRACE)},
    )  # fmt: skip


def _eye(position, up=(0.0, 0.0, 1.0)):
    return rrb.EyeControls3D(position=position, look_target=(0.0, 0.0, 0.0), eye_up=up)


def _plot(name, title):
    return rrb.TimeSeriesView(origin=f'plots/{name}', name=title)


def _latest(seconds):
    """Return the override that shows the last `seconds` before the cursor."""
    return rrb.VisibleTimeRanges(
        rrb.VisibleTimeRange(
            TIMELINE,
            start=rrb.TimeRangeBoundary.cursor_relative(seconds=-seconds),
            end=rrb.TimeRangeBoundary.cursor_relative(),
        )
    )
