# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A session of the viewer: recordings of spacecraft, run after run, to a page or a file."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

import numpy as np
import rerun as rr

from spacecraft_attitude_sim.core.environment.earth import RADIUS
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.studies import energy_sink
from spacecraft_attitude_sim.drawing import wheel_figures
from spacecraft_attitude_sim.viewer import colors, layout
from spacecraft_attitude_sim.viewer.entity_log import Badge
from spacecraft_attitude_sim.viewer.internal_scene import plots_of
from spacecraft_attitude_sim.viewer.page import Page
from spacecraft_attitude_sim.viewer.samples import Samples
from spacecraft_attitude_sim.viewer.scene import Scene

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.environment.around import Surroundings
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3
    from spacecraft_attitude_sim.core.simulation import Spacecraft

APPLICATION = 'attitude-sim'
DEFAULT_PORT = 9090
DEFAULT_MEMORY = '512MB'


class RerunSession:
    """Shows spacecraft on a page, or writes them to a Rerun recording.

    live: whether to follow new data instead of playing from the start;  port: TCP port of the page
    memory: most data kept for browsers;  save: path of a recording instead of a page, or None
    url: of the page, '' for a file
    Raises ViewError if the page cannot be served.
    """

    def __init__(
        self,
        live: bool,
        port: int = DEFAULT_PORT,
        memory: str = DEFAULT_MEMORY,
        save: str | Path | None = None,
    ) -> None:
        self._live, self._save = live, save
        self._page = None if save else Page(port, memory)
        self.url = self._page.url if self._page else ''
        self._recording: rr.RecordingStream | None = None
        self._names: list[str] = []
        self._crafts: list[Craft] = []

    def expect(self, namespaces: Iterable[str]) -> None:
        """Set the namespaces of the spacecraft to show, before the first one begins."""
        self._names = sorted({namespace.strip('/') for namespace in namespaces})

    def craft(self, namespace: str = '') -> Craft:
        """Return the Craft of a namespace; it is shown when it has begun."""
        return Craft(self, namespace.strip('/'))

    def close(self) -> None:
        """Send the remaining data and close the page."""
        self.end_recording()
        if self._page:
            self._page.close()

    # --- for the Crafts ---------------------------------------------------------------------

    def join(self, craft: Craft) -> None:
        """Add a Craft that begins; an unexpected second one starts a new recording."""
        if craft in self._crafts:
            return
        alone = not self._several
        self._crafts.append(craft)
        if craft.name not in self._names:
            self._names.append(craft.name)
        if alone and self._several:  # from now on each has its own paths
            self.end_recording()

    def end_recording(self) -> None:
        """End the recording; the next samples of any spacecraft start a new one."""
        if self._recording:
            self._recording.flush()
            self._recording.disconnect()
        self._recording = None
        for craft in self._crafts:
            craft.scene = None

    def recording(self, title: str) -> rr.RecordingStream:
        """Return the current rerun.RecordingStream, or a new one after the end of the last.

        title: its name for a single spacecraft
        """
        if self._recording is None:
            self._recording = rr.RecordingStream(APPLICATION, recording_id=str(uuid.uuid4()))
            if self._save:
                self._recording.save(self._save)
            else:
                assert self._page is not None, 'who saves no file serves a page'
                self._recording.connect_grpc(self._page.sink)
            self._recording.send_recording_name(', '.join(self._names) if self._several else title)
        return self._recording

    def badge_of(self, craft: Craft) -> Badge | None:
        """Return the Badge of a Craft among several; None for a single one."""
        if not self._several:
            return None
        color = colors.SPACECRAFT[self._names.index(craft.name) % len(colors.SPACECRAFT)]
        # Names come from untrusted topics. The spacecraft in / has the paths of a single one.
        under = rr.new_entity_path(craft.name.split('/')) if craft.name else ''
        return Badge(craft.name or '/', under, color)

    def send_layout(self) -> None:
        """Send the layout for the spacecraft that have scenes."""
        shown = sorted(
            (craft for craft in self._crafts if craft.scene),
            key=lambda craft: self._names.index(craft.name),
        )
        assert self._recording is not None, 'a scene is made with it'
        self._recording.send_blueprint(
            layout.blueprint([craft.look() for craft in shown], self._live)
        )

    @property
    def _several(self) -> bool:
        return len(self._names) > 1


class Craft:
    """One spacecraft of a RerunSession: its Samples, run after run.

    name: its namespace without the first /, '' for a single one or in /
    scene: the Scene of the current run; None before its first sample
    """

    def __init__(self, session: RerunSession, name: str) -> None:
        self.name = name
        self.scene: Scene | None = None
        self._session = session
        self._found: Scenario | None = None
        self._last = -1
        self._pointing = False

    def begin(self, found: Scenario) -> None:
        """Set the Scenario of the next samples: a new one, or one with a changed floor."""
        if self.scene and self.scene.shows(found):
            self.scene.put_floor(found)
        elif self.scene:
            self._session.end_recording()
        self._found = found
        self._session.join(self)

    def add(self, samples: Samples) -> None:
        """Show Samples; a time not later than the last one starts a new recording."""
        if self._found is None or not len(samples.stamp):
            return
        if self.scene and samples.stamp[0] <= self._last:
            self._session.end_recording()
        if self.scene is None:
            self._first = samples.part(0, 1)
            badge = self._session.badge_of(self)
            recording = self._session.recording(self._found.description or 'run')
            self.scene = Scene(recording, self._found, self._first, badge)
            self._session.send_layout()
        self.scene.add(samples)
        self._last = samples.stamp[-1]

    def show_pointing(self) -> None:
        """Add the plot of the pointing error to the layout."""
        if not self._pointing:
            self._pointing = True
            self._session.send_layout()

    def look(self) -> layout.Look:
        """Return the layout.Look of this spacecraft."""
        assert self._found is not None, 'begin comes before samples'
        assert self.scene is not None, 'samples come before it is looked at'
        body, momentum_W = self._found.plant.body, self._first.momentum_W[0]
        wheels = self._found.plant.spacecraft.part('reaction_wheels')
        q_WP = rotations.compose(self._first.q_WB[0], body.q_BP)
        return layout.Look(
            self.scene.badge,
            self.scene.reach,
            self._first.position_W[0],
            momentum_W,
            rotations.rotate(rotations.conjugate(q_WP), momentum_W),
            body.principal_moments,
            self._pointing,
            poinsot=not self._found.plant.beyond_rigid_body,
            wheels=wheels is not None,
            actuators=_plotted(self._found.plant.spacecraft),
            internal=plots_of(self._found.plant.spacecraft.internal),
            ellipsoid=energy_sink.changes(self._found.plant.spacecraft),
            envelope=wheels is not None and wheel_figures.envelope_of(wheels) is not None,
            place=_place(self._found.plant.environment.surroundings),
        )


def _place(surroundings: Surroundings | None) -> Vector3 | None:
    """Return layout.Look.place of Surroundings, or None."""
    return surroundings.at(0.0)[AROUND.of('position_W')] / RADIUS if surroundings else None


def _plotted(spacecraft: Spacecraft) -> tuple[str, ...]:
    """Return the names of the layout.ACTUATOR_PLOTS for a Spacecraft."""
    rods = spacecraft.part('magnetorquers')
    has = (
        spacecraft.part('control_moment_gyros'),
        spacecraft.part('thrusters'),
        rods and rods.names,
    )
    several = zip(layout.ACTUATOR_PLOTS, has, strict=True)
    return tuple(name for name, there in several if there)


def samples_of(rows: Sequence[tuple[int | Array, ...]]) -> Samples:
    """Return the Samples from rows, which are tuples of the fields of Samples."""
    return Samples(*map(np.array, zip(*rows, strict=True)))
