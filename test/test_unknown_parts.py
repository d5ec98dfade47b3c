# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A load that no step integrates and a sensor that no topic sends are refused."""

from dataclasses import dataclass, fields, replace
from typing import ClassVar

import numpy as np
import pytest

from spacecraft_attitude_sim.campaigns import flights
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import sensors
from spacecraft_attitude_sim.core.batch.actuated import rows_of
from spacecraft_attitude_sim.core.batch.gyrostats import gyrostats
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.environment.loads import air_drag, gravity_gradient
from spacecraft_attitude_sim.core.environment.loads.load import Acting, Load, LoadKind
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.simulation import Inputs, plant_of
from spacecraft_attitude_sim.nodes.messages.sensor_messages import SensorMessages

REFUSED = r"the load 'eddy' \(Eddy\) is not integrated by the solver {}, so it would not move"
# A scenario of each solver.
SOLVERS = {
    'tennis_racket': 'Free',
    'ellipsoid_rolling': 'OnFloor',
    'gravity_gradient': 'Loaded',
    'cubesat_pyramid_limits': 'Actuated',
    'cubesat_3u_leo': 'Actuated',
}


class Eddy:
    """A load that is told and that no compiled step knows."""

    name = 'eddy'

    def torque_B(self, body, state, time):
        """Return a torque (3,) [N m]."""
        return np.array((1e-6, 0.0, 0.0))


class NewGradient(Load):
    """One that is not the load that the steps know, but is of its kind."""

    name = 'eddy'


# A kind that is in no registry, so no step calls it.
UNLISTED = LoadKind(name='eddy', row=Layout(force_B=3), wrench=air_drag.KIND.wrench)


def with_load(plant, load):
    """Return a Plant whose environment has one load more."""
    environment = replace(plant.environment)
    object.__setattr__(environment, 'loads', (*environment.loads, load))
    return plant._replace(environment=environment)


@pytest.mark.parametrize('name', SOLVERS)
def test_a_load_that_the_solver_does_not_integrate_is_refused(name):
    found = scenario.load(scenario.find(name))
    plant, refused = with_load(found.plant, Eddy()), REFUSED.format(SOLVERS[name])
    with pytest.raises(ValueError, match=refused):
        plant.with_contact(plant.contact) if plant.contact else plant.with_equations('momentum')
    with pytest.raises(ValueError, match=refused):
        flights.fly([replace(found, plant=plant)], [found.first_instant()], None, None)


def test_batches_refuse_it_too():
    orbiting = scenario.load(scenario.find('gravity_gradient'))
    environment = orbiting.plant.environment
    rows = gravity_gradient.acting(turns=True, tide=False).rows
    new = NewGradient(gravity_gradient.KIND, rows, environment.sample)
    plant = with_load(orbiting.plant, new)
    with pytest.raises(ValueError, match='not integrated by the solver Loaded'):
        gyrostats([plant], [orbiting.initial], [()])
    driven = scenario.load(scenario.find('cubesat_pyramid_limits'))
    with pytest.raises(ValueError, match=REFUSED.format('Actuated')):
        rows_of([with_load(driven.plant, Eddy())], [driven.initial], [Inputs()])


def test_a_kind_that_is_in_no_registry_is_refused():
    body = RigidBody(1.0, np.diag((1.0, 1.0, 1.5)))
    unlisted = Acting(UNLISTED, np.zeros((1, 3)))
    with pytest.raises(ValueError, match=r'the load .eddy. \(Load\) is not integrated'):
        plant_of(body, parts=(unlisted,))


@dataclass(frozen=True)
class Thermometer:
    """A sensor that is read and that has no topic."""

    name: ClassVar = 'thermometer'
    reading: ClassVar = Layout(kelvin=1)
    function: ClassVar = None
    call_interval: ClassVar = 1
    memory_size: ClassVar = 0

    def constants(self, seed):
        """Return none."""
        return np.zeros(0)


@dataclass(frozen=True)
class WarmSuite(sensors.Suite):
    """A Suite that has got one sensor more."""

    thermometer: Thermometer = Thermometer()


def test_a_sensor_that_no_topic_sends_is_refused():
    found = scenario.load(scenario.find('cubesat_3u_leo'))
    suite = found.plant.spacecraft.sensors
    sent = SensorMessages(found).makers
    assert len(suite.sensors) >= 8
    assert len(sent) >= len(suite.sensors)
    warm = WarmSuite(**{field.name: getattr(suite, field.name) for field in fields(suite)})
    spacecraft = replace(found.plant.spacecraft, sensors=warm)
    other = replace(found, plant=found.plant._replace(spacecraft=spacecraft))
    with pytest.raises(ValueError, match="no topic sends what the sensor 'thermometer' reads"):
        SensorMessages(other)
