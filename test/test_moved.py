# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What programs import by their old names is still there."""

import importlib
import subprocess
import sys

import pytest

from spacecraft_attitude_sim import moved
from spacecraft_attitude_sim.core.parts.internal_parts import InternalParts
from spacecraft_attitude_sim.core.parts.viscous_slugs.description import ViscousSlug


@pytest.mark.parametrize('old', moved.MOVED)
def test_an_old_name_gives_the_very_module_and_says_the_new(old):
    sys.modules.pop(moved.PACKAGE + old, None)
    with pytest.warns(FutureWarning, match=moved.MOVED[old]):
        found = importlib.import_module(moved.PACKAGE + old)
    assert found is importlib.import_module(moved.PACKAGE + moved.MOVED[old])


def test_the_imports_of_the_old_documents_work():
    """All that any page has shown since the first commit, and some that users had."""
    program = (
        'from spacecraft_attitude_sim.files import history, scenario\n'
        'from spacecraft_attitude_sim.core import pfaffian, quasi_coordinates, rotations\n'
        'from spacecraft_attitude_sim.core import sensors, simulation, ticks\n'
        'from spacecraft_attitude_sim.core.batch import Batch, Law\n'
        'from spacecraft_attitude_sim.core.batch_sensors import sensors_of\n'
        'from spacecraft_attitude_sim.core.body import RigidBody\n'
        'from spacecraft_attitude_sim.core.contact.batch_loop import touching\n'
        'from spacecraft_attitude_sim.core.environment.earth_environment import EarthEnvironment\n'
        'from spacecraft_attitude_sim.core.environment.kepler_orbit import KeplerOrbit\n'
        'from spacecraft_attitude_sim.core.environment.orbit_table import around\n'
        'from spacecraft_attitude_sim.core.environment.surroundings import AROUND\n'
        'from spacecraft_attitude_sim.core.limits import CommandLimits\n'
        'from spacecraft_attitude_sim.core.equations import free_motion\n'
        'from spacecraft_attitude_sim.files import discovery, rviz, trust\n'
        'from spacecraft_attitude_sim.files.share import PACKAGE\n'
        'from spacecraft_attitude_sim.nodes.synchroniser import TickSynchroniser\n'
        'print(scenario.load, simulation.Plant)\n'
    )
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert '<string>:1: FutureWarning' in done.stderr


def test_a_dict_of_internal_parts_is_answered_with_the_new_call():
    slug = {'ball': ViscousSlug(0.1, 0.02)}
    with pytest.raises(TypeError, match=r'call InternalParts\.named with \{name: part\}'):
        InternalParts(slug)
    assert InternalParts.named(slugs=slug).slugs == slug


def test_an_unknown_name_is_still_unknown():
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module('spacecraft_attitude_sim.files.scenarios')
