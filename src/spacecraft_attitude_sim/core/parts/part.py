# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The interface of a part that a Spacecraft carries in `parts`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array


class Part(Protocol):
    """All parts of one kind together; constant, because their states are in State.internal."""

    @property
    def kind(self) -> str:
        """Name of the kind in core.parts.registry."""

    @property
    def title(self) -> str:
        """Name of the kind in messages."""

    @property
    def acts_uncommanded(self) -> bool:
        """Whether it changes energy or angular momentum without a command."""

    def rows(self) -> Array:
        """Return the constants (n, size) of each part, of the kind's `row`, for the step."""

    def initial(self) -> Array:
        """Return the states of all of them at the start, flat."""
