# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Many bodies at once, each with the bits it would get alone."""

from spacecraft_attitude_sim.core.batch.batch import Batch, Law

__all__ = ['Batch', 'Law']
