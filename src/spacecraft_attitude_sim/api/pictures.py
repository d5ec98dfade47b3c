# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Figures and animations of a Run."""

from __future__ import annotations

import os
import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.api.waiting import in_notebook, saying
from spacecraft_attitude_sim.drawing import (
    animation_file,
    colors,
    figures,
    limited_panels,
    merit_report,
    momentum_sphere,
    poinsot_figure,
    sampling,
    selected_panels,
)
from spacecraft_attitude_sim.drawing.curves import Panel
from spacecraft_attitude_sim.drawing.limited_panels import Limited

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacecraft_attitude_sim.api.run import Run
    from spacecraft_attitude_sim.core.studies.flight_merits import Merits
    from spacecraft_attitude_sim.recording.history import History

FEW = animation_file.FULL._replace(frames_per_second=15)


def plot(run: Run, history: History, names: Sequence[str], path: str | Path | None) -> Any:
    """Return a Figure of a Run; see Run.plot."""
    with saying('drawing'):
        _select_backend()
        title = figures.plain(run.title)
        if names:
            panels = selected_panels.panels(history, names, 'quaternion', _columns(run))
            figure = limited_panels.figure(run.time, panels, title)
            if fast := sampling.note(history):
                figure.axes[-1].set_xlabel(f'time [s]\n{fast}')
        else:
            figure = figures.figure(history, title, only=figures.shown(history))
        _write(figure, path)
    return _shown_once(figure)


def pointing(merits: Merits, title: str, path: str | Path | None) -> Any:
    """Return a Figure of the errors of a flight; see FlightMerits.plot."""
    with saying('drawing'):
        _select_backend()
        figure = merit_report.figure(merits, figures.plain(title))
        _write(figure, path)
    return _shown_once(figure)


def poinsot(run: Run, history: History, path: str | Path | None) -> Any:
    """Return a Figure of the momentum sphere of a Run; see Run.poinsot."""
    if run.scenario is None:
        raise ValueError('a table does not say what body it is; read a bag, or simulate')
    if history.contact:
        raise ValueError('a floor pushes this body, so L has no sphere; draw a free one')
    if not history.angular_momentum_B[0].any():
        raise ValueError('the body does not turn at first; give an angular_velocity')
    what = run.scenario.plant.beyond_rigid_body
    if what and not history.rotation:
        raise ValueError(f"it has {what}; Poinsot's picture is of a body left alone")
    with saying('drawing'):
        _select_backend()
        title = figures.plain(run.title) or 'own body'
        if history.rotation:
            figure = momentum_sphere.figure(history, title)
        else:
            figure = poinsot_figure.figure(history, run.scenario, title)
        _write(figure, path)
    return _shown_once(figure)


def _write(figure: Any, path: str | Path | None) -> None:
    """Write a Figure to a file, unless path is None."""
    if path is not None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=150)


def _shown_once(figure: Any) -> Any:
    """Return a Figure that a notebook shows once.

    It shows what a cell returns, and every open figure once more.
    """
    if in_notebook():
        from matplotlib import pyplot

        pyplot.close(figure)
    return figure


def _select_backend() -> None:
    """Let matplotlib draw without a window if there is no display.

    A backend that a notebook or the user has chosen stays.
    """
    if figures.display_missing() and not (in_notebook() or os.environ.get('MPLBACKEND')):
        figures.without_display()


def _columns(run: Run) -> dict[str, Limited]:
    """Return {column of the table: the panel that draws it}."""
    return {
        name: Limited(
            Panel(run[name][:, np.newaxis], name, (name.split(' [')[0],), (colors.WHOLE,))
        )
        for name in run.columns
    }


def animate(run: Run, history: History, path: str | Path | None, seconds: float) -> Any:
    """Write a GIF of a Run; see Run.animate."""
    from spacecraft_attitude_sim.drawing import body_looks

    if not 0.0 < seconds <= 600.0:
        raise ValueError(f'seconds is {seconds:g}; give the longest duration, up to 600 s')
    _select_backend()
    if run.scenario is None:
        raise ValueError(
            'a table does not say what body it is; read a bag, simulate, or give the command '
            '`attitude-sim plot TABLE --animate --scenario SCENARIO`'
        )
    parts = body_looks.drawn_parts(run.scenario)
    form = FEW._replace(longest=seconds)
    frames = figures.animation_frames(history, parts, figures.plain(run.title), form)
    with saying('drawing') as line, tempfile.TemporaryDirectory() as folder:
        frames = line.counting(frames, figures.frame_count(history, form), 'writing the GIF')
        if path is not None:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            animation_file.save_gif(frames, path, form)
            return Path(path)
        file = Path(folder) / 'run.gif'
        animation_file.save_gif(frames, file, form)
        return Animation(file.read_bytes())


class Animation:
    """A GIF of a run. A notebook shows it as the value of a cell.

    data: the bytes of the GIF
    """

    def __init__(self, data: bytes) -> None:
        self.data = data

    def __repr__(self) -> str:
        return f'<Animation, GIF of {len(self.data) / 1000:.0f} kB>'

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the picture and the text that a notebook shows."""
        import base64

        text = base64.b64encode(self.data).decode()
        return {'image/gif': text, 'text/plain': repr(self)}, {}

    def save(self, path: str | Path) -> Path:
        """Write the GIF to a file; return the path of the file."""
        Path(path).write_bytes(self.data)
        return Path(path)


class View:
    """A run in the viewer. Open `url` in a browser to see it; `close()` ends the viewer.

    A notebook shows the viewer as the value of a cell.

    url: address of the page
    """

    def __init__(self, session: Any) -> None:
        self._session, self.url = session, session.url

    def __repr__(self) -> str:
        return f'<View: open {self.url} in a browser; close() ends it>'

    def _repr_html_(self) -> str:
        return f'<iframe src="{self.url}" width="100%" height="640" frameborder="0"></iframe>'

    def close(self) -> None:
        """End the viewer; the page then shows nothing new."""
        self._session.close()


def show(run: Run, history: History, path: str | Path | None, browser: bool) -> Any:
    """Show a Run in the viewer; see Run.show."""
    try:
        from spacecraft_attitude_sim.viewer import samples
        from spacecraft_attitude_sim.viewer.rerun_session import RerunSession
    except ModuleNotFoundError:
        raise ImportError(
            "show needs the extra 'view': in the folder of the source, pip install '.[view]'"
        ) from None
    if run.scenario is None:
        raise ValueError('a table does not say what body it is; read a bag, or simulate')
    with saying('starting the viewer'):
        session = RerunSession(False, save=path and str(path))
        craft = session.craft()
        craft.begin(run.scenario)
        craft.add(samples.from_history(history))
    if path is not None:
        session.close()
        return Path(path)
    if browser and not in_notebook() and not figures.display_missing():
        webbrowser.open(session.url)
    return View(session)
