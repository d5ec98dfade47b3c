# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Units of the Functional Mock-up Interface 3.0, of a plant and as a controller: docs/fmi.md.

    from spacecraft_attitude_sim.fmi import FmuController, write_fmu

    write_fmu('cubesat_tumble', 'cubesat_tumble.fmu')
    controller = FmuController('law.fmu', inputs={...}, outputs={...})

It needs the extra 'fmi': pythonfmu3 to write an FMU, FMPy for a controller. Nothing else in this
package imports them.
"""

from __future__ import annotations

from spacecraft_attitude_sim.fmi.foreign import FmuController
from spacecraft_attitude_sim.fmi.writer import write_fmu

__all__ = ['FmuController', 'write_fmu']
