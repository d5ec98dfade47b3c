# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Many bodies at once; each has the same bits as if it were simulated alone."""

from spacecraft_attitude_sim.core.batch.batch import Batch, Law

__all__ = ['Batch', 'Law']
