# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The layout of the page: body, caption, Poinsot's construction, plots and cameras.

With several spacecraft, the first tab shows all of them, and each has a tab with its own page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import rerun.blueprint as rrb

from spacecraft_attitude_sim.drawing import meshes
from spacecraft_attitude_sim.viewer.entity_log import TIMELINE, Badge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacecraft_attitude_sim.core.mathematics.types import Vector3, VectorLike


# Duration of the visible traces of the body and of the herpolhode [s].
TRACE, HERPOLHODE = 4.0, 40.0
# Camera position relative to the body, in its reaches; for several, relative to their middle.
EYE_DISTANCE, FROM_SEVERAL = 3.9, 2.8
# {plot: its title}
ACTUATOR_PLOTS = {
    'gimbal_angles': 'Angles of the gimbals [deg]',
    'thrust': 'Thrust now [N]',
    'dipole': 'Dipole of the magnetorquers, body axes [A m²]',
}
INTERNAL_PLOTS = {
    'panel_angles': 'Angles of the panels [deg]',
    'mass_displacements': 'Displacements of masses inside [mm]',
    'modes': 'Modal displacements [√kg m]',
    'pendulum_angles': 'Pendulums from their rest [deg]',
    'slug_rates': 'Rates of slugs relative to the body [rad/s]',
}
ORBIT_PLOTS = {
    'field': 'Magnetic field, body axes [µT]',
    'sunlight': 'Sunlight [W/m²]',
}
WHITE = (255, 255, 255)


class Look(NamedTuple):
    """The data of a spacecraft that the layout needs.

    badge: entity_log.Badge of one of several spacecraft, None for a single one
    reach: of the body [m];  position_W: (3,) initial centre of mass [m]
    momentum_W: (3,) initial L [N m s], downwards in the view
    momentum_P: (3,) the same in principal axes, its tip towards the camera
    moments: (3,) principal moments [kg m^2]
    pointing: whether to plot a pointing error
    poinsot: whether to draw Poinsot's picture
    wheels: whether to plot wheel speeds
    actuators: the ACTUATOR_PLOTS to show
    internal: the INTERNAL_PLOTS to show
    envelope: whether to draw the momentum envelope of the wheels
    ellipsoid: whether to draw the energy ellipsoid on the momentum sphere
    place: (3,) initial position in its Earth orbit [Earth radii], or None
    """

    badge: Badge | None
    reach: float
    position_W: Vector3
    momentum_W: Vector3
    momentum_P: Vector3
    moments: Vector3
    pointing: bool
    poinsot: bool
    wheels: bool = False
    actuators: tuple[str, ...] = ()
    internal: tuple[str, ...] = ()
    envelope: bool = False
    ellipsoid: bool = False
    place: Vector3 | None = None

    def path(self, entity: str) -> str:
        """Return the path of an entity of this spacecraft."""
        return f'{self.badge.under}/{entity}' if self.badge else entity


def blueprint(looks: Sequence[Look], live: bool) -> rrb.Blueprint:
    """Return the Blueprint of a run.

    looks: a Look for each spacecraft;  live: whether to follow new data instead of playing from
        the start
    """
    pages = [_page(look) for look in looks]
    page = pages[0] if looks[0].badge is None else rrb.Tabs(_together(looks), *pages, active_tab=0)
    time = rrb.TimePanel(
        timeline=TIMELINE, state='collapsed',
        play_state='following' if live else 'playing', loop_mode=None if live else 'all',
    )  # fmt: skip
    return rrb.Blueprint(page, time, collapse_panels=True)


def _together(looks: Sequence[Look]) -> rrb.Horizontal:
    """Return the page of several spacecraft: all in one view, and shared plots."""
    plots = [_shared('rate', 'Angular rate |ω| [rad/s]', looks)]
    if pointing := [look for look in looks if look.pointing]:
        plots.insert(0, _shared('pointing_error', 'Pointing error [deg]', pointing))
    return rrb.Horizontal(
        _bodies(looks, 'All spacecraft'), rrb.Vertical(*plots), column_shares=(1.7, 1.0),
        name='All',
    )  # fmt: skip


def _page(look: Look) -> rrb.Horizontal:
    """Return the page of one spacecraft."""
    plots: list[rrb.View | rrb.Container] = [
        _plot(look, 'rates', 'Angular velocity ω, body axes [rad/s]'),
        _plot(look, 'momentum', 'Angular momentum L, world axes [N m s]'),
        _plot(look, 'energy', 'Rotational kinetic energy [J]'),
        _plot(look, 'drift', 'Relative change of energy and L since the start, log₁₀'),
    ]
    of_actuators: list[rrb.View | rrb.Container] = [
        _plot(look, name, ACTUATOR_PLOTS[name]) for name in look.actuators
    ]
    if look.wheels:
        of_actuators.insert(0, _plot(look, 'wheel_speeds', 'Speeds of the wheels [rpm]'))
    of_actuators += [_plot(look, name, INTERNAL_PLOTS[name]) for name in look.internal]
    if look.place is not None:
        of_actuators += [_plot(look, name, title) for name, title in ORBIT_PLOTS.items()]
    if len(of_actuators) > 1:  # as tabs, because all of them share the height of a page
        of_actuators = [rrb.Tabs(*of_actuators, active_tab=0)]
    plots = of_actuators + plots
    if look.pointing:
        plots.insert(0, _plot(look, 'pointing_error', 'Pointing error [deg]'))
    beside = []
    if look.poinsot:
        beside = [rrb.Vertical(_rolling(look), _sphere(look))]
    elif look.envelope or look.ellipsoid:
        beside = [rrb.Vertical(*_energy(look))]
    if look.place is not None:
        beside = [rrb.Vertical(_orbit(look), *beside)]
    return rrb.Horizontal(
        rrb.Vertical(
            _bodies([look], 'Body'),
            rrb.TextDocumentView(origin=look.path('about'), name='What you see'),
            row_shares=(1.7, 1.0),
        ),
        *beside,
        rrb.Vertical(*plots),
        column_shares=(1.25, 1.0, 1.0) if beside else (1.25, 1.0),
        name=look.badge and look.badge.name,
    )  # fmt: skip


def _bodies(looks: Sequence[Look], name: str) -> rrb.Spatial3DView:
    """Return the view of bodies; it follows the first one's centre of mass."""
    trace = _latest(TRACE)
    # The middle of their initial positions, and their largest distance from it.
    places = np.array([look.position_W - looks[0].position_W for look in looks])
    middle = (places.min(axis=0) + places.max(axis=0)) / 2.0
    away = np.linalg.norm(places - middle, axis=1)
    reach = np.max(away + [look.reach for look in looks])
    distance = (FROM_SEVERAL if len(looks) > 1 else EYE_DISTANCE) * reach
    return rrb.Spatial3DView(
        origin=looks[0].path('world/craft'), contents=[look.path('world/**') for look in looks],
        name=name, background=WHITE, line_grid=False,
        eye_controls=_eye(middle + distance * meshes.CAMERA[2], target=middle),
        overrides={
            look.path(path): trace
            for look in looks
            for path in ('world/craft/trace', 'world/contact/path')
        },
    )  # fmt: skip


def _rolling(look: Look) -> rrb.Spatial3DView:
    """Return the view of the rolling ellipsoid above the invariable plane."""
    size = np.linalg.norm(look.momentum_W)
    up = -look.momentum_W / size if size else np.array((0.0, 0.0, 1.0))
    eye = 3.6 * (0.85 * meshes.beside(up) + 0.5 * up)
    return rrb.Spatial3DView(
        origin=look.path('poinsot'),
        name='Poinsot: the energy ellipsoid rolls on the invariable plane',
        background=WHITE, line_grid=False, eye_controls=_eye(eye, up),
        overrides={look.path('poinsot/herpolhode'): _latest(HERPOLHODE)},
    )  # fmt: skip


def _sphere(look: Look) -> rrb.Spatial3DView:
    """Return the view of the momentum sphere, with the intermediate axis towards the camera."""
    low, middle, high = np.argsort(look.moments, kind='stable')
    eye = np.zeros(3)
    eye[[low, middle, high]] = 1.7, 2.3, 1.5
    eye[look.momentum_P < 0.0] *= -1.0
    up = np.sign(eye[high]) * np.eye(3)[high]
    return rrb.Spatial3DView(
        origin=look.path('sphere'), name='Path of L in the body, red: the separatrix',
        background=WHITE, line_grid=False, eye_controls=_eye(eye, up),
        overrides={look.path('sphere/path'): _latest(TRACE)},
    )  # fmt: skip


def _energy(look: Look) -> list[rrb.View]:
    """Return the views of momentum envelope and energy ellipsoid, and the energy plots."""
    views: list[rrb.View] = [_held(look)] if look.envelope else []
    if look.ellipsoid:
        views.append(_ellipsoid(look))
    if look.internal:
        views += [
            _plot(look, 'nutation', 'Angle of L to the axes of the smallest and largest I [deg]'),
            _plot(look, 'energy_left', 'Rotational energy relative to the start [%]'),
        ]
    return views


def _ellipsoid(look: Look) -> rrb.Spatial3DView:
    """Return the view of the momentum sphere with the ellipsoid of the present energy."""
    return _momentum_space(look, 'sphere', 'L in the body: energy ellipsoid now')


def _orbit(look: Look) -> rrb.Spatial3DView:
    """Return the view of the Earth and the orbit, from above the initial position."""
    place = look.place
    assert place is not None, 'it is in an orbit'
    away = float(np.linalg.norm(place))
    eye = 2.2 * (place + np.array((0.0, 0.0, 0.7 * away)))
    return rrb.Spatial3DView(
        origin=look.path('orbit'), name='Earth, orbit, Sun and field, axes of world',
        background=WHITE, line_grid=False, eye_controls=_eye(eye),
    )  # fmt: skip


def _held(look: Look) -> rrb.Spatial3DView:
    """Return the view of the wheels' momentum and its envelope."""
    return _momentum_space(
        look, 'envelope', 'Angular momentum of the wheels and its limit, body axes'
    )


def _momentum_space(look: Look, origin: str, name: str) -> rrb.Spatial3DView:
    """Return the view of angular momenta in body axes at entity `origin`, with the latest path."""
    return rrb.Spatial3DView(
        origin=look.path(origin), name=name, background=WHITE, line_grid=False,
        eye_controls=_eye(4.0 * meshes.CAMERA[2]),
        overrides={look.path(f'{origin}/path'): _latest(HERPOLHODE)},
    )  # fmt: skip


def _eye(
    position: VectorLike, up: VectorLike = (0.0, 0.0, 1.0), target: VectorLike = (0.0, 0.0, 0.0)
) -> rrb.EyeControls3D:
    return rrb.EyeControls3D(position=position, look_target=target, eye_up=up)


def _plot(look: Look, name: str, title: str) -> rrb.TimeSeriesView:
    return rrb.TimeSeriesView(origin=look.path(f'plots/{name}'), name=title)


def _shared(name: str, title: str, looks: Sequence[Look]) -> rrb.TimeSeriesView:
    """Return a plot with one curve for each spacecraft."""
    curves = [look.path(f'plots/{name}') for look in looks]
    return rrb.TimeSeriesView(origin='/', contents=curves, name=title)


def _latest(seconds: float) -> rrb.VisibleTimeRanges:
    """Return the override that shows only the last `seconds` before the cursor."""
    return rrb.VisibleTimeRanges(
        rrb.VisibleTimeRange(
            TIMELINE,
            start=rrb.TimeRangeBoundary.cursor_relative(seconds=-seconds),
            end=rrb.TimeRangeBoundary.cursor_relative(),
        )
    )
