# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A session of the viewer: recordings of one spacecraft, run after run, to a page or a file."""

import uuid
from typing import TYPE_CHECKING, Any

import numpy as np
import rerun as rr

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.viewer import layout
from spacecraft_attitude_sim.viewer.page import Page
from spacecraft_attitude_sim.viewer.samples import Samples
from spacecraft_attitude_sim.viewer.scene import Scene

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario

APPLICATION = 'attitude-sim'
DEFAULT_PORT = 9090
DEFAULT_MEMORY = '512MB'


class RerunSession:
    """Shows Samples on a page, or writes them to a Rerun recording.

    live: whether to follow what arrives, else play from the start;  port: TCP port of the page
    memory: most data kept for browsers;  save: path of a recording in place of a page, or None
    url: of the page, '' for a file
    Raises ViewError when the page cannot be served.
    """

    def __init__(self, live, port=DEFAULT_PORT, memory=DEFAULT_MEMORY, save=None):
        self._live, self._save = live, save
        self._page = None if save else Page(port, memory)
        self.url = self._page.url if self._page else ''
        self._recording: Any = None
        self._scene: Scene | None = None
        self._found: Scenario | None = None
        self._last = -1
        self._pointing = False

    def begin(self, found):
        """Set the Scenario of the samples that follow: a new one, or one with a changed floor."""
        if self._scene and self._scene.shows(found):
            self._scene.put_floor(found)
        else:
            self._scene, self._last = None, -1
        self._found = found

    def add(self, samples):
        """Show Samples; a time that is not later than the last starts a new recording."""
        if self._found is None or not len(samples.stamp):
            return
        if samples.stamp[0] <= self._last:
            self._scene = None
        if self._scene is None:
            self._open(samples.part(0, 1))
        assert self._scene is not None, '_open makes it'
        self._scene.add(samples)
        self._last = samples.stamp[-1]

    @property
    def scene(self):
        """The Scene of the current run; None before its first sample."""
        return self._scene

    def show_pointing(self):
        """Add the plot of the pointing error to the layout."""
        if not self._pointing:
            self._pointing = True
            self._send_layout()

    def close(self):
        """Send the remaining data and end the page."""
        if self._recording:
            self._recording.flush()
            self._recording.disconnect()
        if self._page:
            self._page.close()

    def _open(self, first):
        if self._recording:
            self._recording.flush()
            self._recording.disconnect()
        self._recording = rr.RecordingStream(APPLICATION, recording_id=str(uuid.uuid4()))
        if self._save:
            self._recording.save(self._save)
        else:
            assert self._page is not None, 'who saves no file serves a page'
            self._recording.connect_grpc(self._page.sink)
        assert self._found is not None, 'begin comes before samples'
        name = self._found.description or 'run'
        self._recording.send_recording_name(name)
        self._first = first
        self._scene = Scene(self._recording, self._found, first)
        self._send_layout()

    def _send_layout(self):
        assert self._found is not None, 'begin comes before samples'
        assert self._scene is not None, '_open makes it'
        body, momentum_W = self._found.plant.body, self._first.momentum_W[0]
        q_WP = rotations.compose(self._first.q_WB[0], body.q_BP)
        momentum_P = rotations.rotate(rotations.conjugate(q_WP), momentum_W)
        found = layout.blueprint(
            self._scene.reach, momentum_W, momentum_P, body.principal_moments, self._live,
            self._pointing, poinsot=not self._found.plant.beyond_rigid_body,
        )  # fmt: skip
        self._recording.send_blueprint(found)


def samples_of(rows):
    """Return the Samples of rows, tuples of the fields of Samples."""
    return Samples(*map(np.array, zip(*rows, strict=True)))
