# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Old names of modules that programs import, and their new places; they work until 0.2.0."""

from __future__ import annotations

import importlib
import sys
import warnings
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

PACKAGE = 'spacecraft_attitude_sim.'
MOVED = {
    'configuration.actuator_report': 'configuration.part_report',
    'configuration.actuators.gimbals': 'configuration.parts.control_moment_gyros',
    'configuration.actuators.magnetorquers': 'configuration.parts.magnetorquers',
    'configuration.actuators.named': 'configuration.parts.named',
    'configuration.actuators.thrusters': 'configuration.parts.thrusters',
    'configuration.actuators.wheels': 'configuration.parts.reaction_wheels',
    'core.actuators.control_moment_gyros': 'core.parts.control_moment_gyros.description',
    'core.actuators.magnetorquers': 'core.parts.magnetorquers.description',
    'core.actuators.reaction_wheels': 'core.parts.reaction_wheels.description',
    'core.actuators.thrusters': 'core.parts.thrusters.description',
    'core.batch_loop': 'core.batch.loop',
    'core.batch_sensors': 'core.batch.sensors',
    'core.attitude_law': 'core.batch.attitude_law',
    'core.compiled': 'kernels.kernel',
    'core.contact.batch_loop': 'core.batch.contact',
    'core.environment.gravity_gradient': 'core.environment.loads.gravity_gradient',
    'core.environment.uniform_gravity': 'core.environment.loads.uniform_gravity',
    'core.equations.external_loads': 'core.environment.sky',
    'core.equations.free_motion': 'core.equations.shared.free_motion',
    'core.internal.flexible_modes': 'core.parts.coordinates.flexible_modes',
    'core.internal.free_vibration': 'core.parts.free_vibration',
    'core.internal.hinged_panels': 'core.parts.coordinates.hinged_panels',
    'core.internal.hysteresis_rods': 'core.parts.hysteresis_rods.description',
    'core.internal.internal_parts': 'core.parts.internal_parts',
    'core.internal.layouts': 'core.parts.coordinates.layouts',
    'core.internal.pendulums': 'core.parts.pendulums.description',
    'core.internal.sliding_masses': 'core.parts.coordinates.sliding_masses',
    'core.internal.viscous_slugs': 'core.parts.viscous_slugs.description',
    'core.limits': 'core.simulation.limits',
    'core.loads': 'core.body.loads',
    'core.pfaffian': 'core.studies.pfaffian',
    'core.poinsot': 'core.studies.poinsot',
    'core.primitives': 'core.body.primitives',
    'core.quasi_coordinates': 'core.studies.quasi_coordinates',
    'core.response': 'core.control.response',
    'core.rotations': 'core.mathematics.rotations',
    'core.state': 'core.body.state',
    'files.campaign': 'campaigns.campaign',
    'files.campaign_run': 'campaigns.runner',
    'files.discovery': 'configuration.discovery',
    'files.figures': 'drawing.figures',
    'files.history': 'recording.history',
    'files.rviz': 'drawing.rviz',
    'files.scenario': 'configuration.scenario',
    'files.share': 'configuration.share',
    'files.trust': 'configuration.trust',
    'nodes.synchroniser': 'nodes.ros.synchroniser',
}


# Old packages of which nothing remains.
EMPTY = ('files', 'core.internal', 'configuration.actuators')


class Finder:
    """Import a module by its old name, with a warning; it is the same module object."""

    def find_spec(
        self, name: str, path: object = None, target: object = None
    ) -> ModuleSpec | None:
        """Return the import spec of an old name, or None for any other."""
        old = name.removeprefix(PACKAGE)
        if old == name or old not in (*EMPTY, *MOVED):
            return None
        loader: Any = self  # has all methods of a Loader that Python calls
        return ModuleSpec(name, loader, is_package=old in EMPTY)

    def create_module(self, spec: ModuleSpec) -> None:
        """Return None, so that Python makes an empty module."""

    def exec_module(self, module: ModuleType) -> None:
        """Replace the empty module by that of the new name."""
        old = module.__name__
        if old.removeprefix(PACKAGE) in EMPTY:
            return
        new = PACKAGE + MOVED[old.removeprefix(PACKAGE)]
        text = f'{old} is now {new}; the old name goes with 0.2.0'
        warnings.warn(text, FutureWarning, stacklevel=2)
        sys.modules[old] = importlib.import_module(new)


sys.meta_path.append(Finder())
