# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with an FMU of the Functional Mock-up Interface."""

from __future__ import annotations

from spacecraft_attitude_sim.safety.quoting import OneLineError


class FmuError(OneLineError):
    """An FMU cannot be written, read or stepped; the message gives the reason and the remedy."""
