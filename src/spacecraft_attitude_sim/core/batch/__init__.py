# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Many bodies at once; each has the same bits as if it were simulated alone."""

from spacecraft_attitude_sim.core.batch.batch import Batch, Law
from spacecraft_attitude_sim.core.batch.compiled_law import CompiledLaw
from spacecraft_attitude_sim.core.batch.python_law import LawReadings

__all__ = ['Batch', 'CompiledLaw', 'Law', 'LawReadings']
