# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A flight does not depend on the order of parts of a kind, nor on the directions of body axes.

Of each kind there are three parts aboard, of which no two are alike: what reads the numbers of
another part, or takes one axis for another, is seen, whichever it is.
"""

import functools

import numpy as np
import pytest

from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.parts.control_moment_gyros.description import (
    ControlMomentGyro,
    ControlMomentGyros,
)
from spacecraft_attitude_sim.core.parts.coordinates.flexible_modes import FlexibleMode
from spacecraft_attitude_sim.core.parts.coordinates.hinged_panels import HingedPanel
from spacecraft_attitude_sim.core.parts.coordinates.layouts import AT_HIGH, FREE, LATCHED
from spacecraft_attitude_sim.core.parts.coordinates.sliding_masses import SlidingMass
from spacecraft_attitude_sim.core.parts.eddy_currents.description import EddyCurrents
from spacecraft_attitude_sim.core.parts.hysteresis_rods.description import HysteresisRod
from spacecraft_attitude_sim.core.parts.internal_parts import InternalParts
from spacecraft_attitude_sim.core.parts.magnetorquers.description import (
    Magnetorquer,
    Magnetorquers,
)
from spacecraft_attitude_sim.core.parts.pendulums.description import Pendulum
from spacecraft_attitude_sim.core.parts.reaction_wheels.description import (
    ReactionWheels,
    WheelDynamics,
)
from spacecraft_attitude_sim.core.parts.thrusters.description import Thruster, Thrusters
from spacecraft_attitude_sim.core.parts.viscous_slugs.description import ViscousSlug
from spacecraft_attitude_sim.core.simulation import plant_of
from spacecraft_attitude_sim.core.simulation.energy_book import book_of
from spacecraft_attitude_sim.core.spacecraft import internal_telemetry

MASS = 30.0
INERTIA = np.array(((8.0, 0.3, -0.2), (0.3, 7.5, 0.25), (-0.2, 0.25, 7.2)))
ALONG = np.array(((0.6, 0.8, 0.0), (0.0, -0.6, 0.8), (0.48, 0.36, 0.8)))
ACROSS = np.array(((-0.8, 0.6, 0.0), (1.0, 0.0, 0.0), (-0.6, 0.8, 0.0)))
PLACES = np.array(((0.3, -0.2, 0.1), (-0.1, 0.4, -0.3), (0.2, 0.1, -0.4)))
FIELD_W = np.array((2e-3, -1e-3, 4e-3))
ATTITUDE = rotations.unit_quaternion((0.8, 0.3, -0.4, 0.33))
DYNAMICS = (
    {'viscous': 1e-3, 'coulomb': 2e-3, 'static': 4e-3, 'stribeck_speed': 2.0, 'torque_lag': 0.05},
    {'max_speed': 30.2, 'max_power': 2.0, 'dead_time': 0.05, 'coulomb': 1e-3},
    {'speed_bandwidth': 3.0, 'tachometer_resolution': 0.01, 'viscous': 5e-3, 'torque_lag': 0.1},
)
JETS = (
    {'max_force': 2.0, 'rise_time': 0.02, 'fall_time': 0.01},
    {'max_force': 3.0, 'period': 0.125, 'min_on_time': 0.01, 'open_delay': 0.01,
     'close_delay': 0.005, 'specific_impulse': 200.0},
    {'max_force': 1.0, 'period': 0.0625, 'rise_time': 0.004, 'fall_time': 0.006, 'carry': False,
     'specific_impulse': 60.0},
)  # fmt: skip
GYROS = (
    {'rotor_speed': 50.0, 'max_acceleration': 3.0, 'max_rate': 0.4},
    {'rotor_speed': -40.0, 'free_rotor': True, 'max_torque': 0.02},
    {'rotor_speed': 30.0, 'angle': 0.4},
)
COMMANDS = {
    'wheel_torque': np.array((0.004, 0.05, 0.0)), 'thrust': np.array((1.2, 1.0, 0.3)),
    'dipole': np.array((0.5, -0.9, 0.2)), 'gimbal_rate': np.array((0.6, np.nan, -0.3)),
    'gimbal_torque': np.array((np.nan, 0.05, np.nan)),
    'wheel_speed': np.array((np.nan, np.nan, -20.0)),
}  # fmt: skip
SPEEDS = np.array((0.02, 30.0, -15.0))
TICKS = 12
# A blow on the origin of the body's axes, world axes [N s, N m s], and its tick.
BLOW, STRUCK = np.array((0.3, -0.2, 0.4, 0.05, 0.03, -0.04)), 7


@functools.cache
def flown(order=(0, 1, 2), axes=None):
    """Return Plant, last Instant and EnergyBook of a flight.

    order: of parts of each kind;  axes: quaternion by which the body axes are turned, or None

    All that is fixed to the body is turned, so that world axes see the same spacecraft.
    """
    C = np.eye(3) if axes is None else rotations.dcm_from_quaternion(np.array(axes))
    along, across, places = ALONG @ C.T, ACROSS @ C.T, PLACES @ C.T

    def tensor(*moments):
        whole = C @ np.diag(moments) @ C.T
        return (whole + whole.T) / 2.0

    wheels = ReactionWheels(
        tuple('abc'), along[[*order]], np.array((0.02, 0.03, 0.05))[[*order]],
        np.array((0.01, 0.2, 0.3))[[*order]],
        tuple(WheelDynamics(**DYNAMICS[k]) for k in order), detailed=True,
    )  # fmt: skip
    jets = [Thruster(2.0 * places[k], along[k - 1], **JETS[k]) for k in range(3)]
    rods = [Magnetorquer(along[k], 0.3 + 0.3 * k, lag=0.03 * k) for k in range(3)]
    gyros = [
        ControlMomentGyro(along[k], across[k], 0.01 + 0.01 * k, **one,
                          inertias=(0.003, 0.004, 0.005 + k / 1e3))
        for k, one in enumerate(GYROS)
    ]  # fmt: skip
    coordinates = [
        HingedPanel(places[0], along[1], 0.5 * across[1], 0.8, tensor(0.02, 0.05, 0.06),
                    stiffness=2.0, damping=0.05, rest=0.1, angle=-0.1, rate=0.3, latch=0.02),
        SlidingMass(places[1], along[2], 0.6, stiffness=0.02, damping=0.2, displacement=0.095,
                    rate=0.1, travel=(-0.1, 0.1)),
        FlexibleMode(0.3 * along[0], 5.0, 0.02, 0.4 * across[2], 0.05, -0.1),
    ]  # fmt: skip
    swings = [
        Pendulum(places[k], along[k], 0.5 + 0.1 * k, 0.3 + 0.1 * k, 0.02 * k,
                 0.6 * along[k] + 0.8 * across[k], 0.3 * places[k - 1])
        for k in range(3)
    ]  # fmt: skip
    oils = [ViscousSlug(0.03 + 0.01 * k, 0.02 + 0.01 * k, places[k]) for k in range(3)]
    irons = [
        HysteresisRod(along[k], 1e-5, 12.0 + k, 0.3 + 0.1 * k, 0.7, 1e-5 * k, 0.1 * k)
        for k in range(3)
    ]

    def ordered(parts):
        return tuple(parts[k] for k in order)

    def named(parts):
        return {f'part{k}': parts[k] for k in order}

    inside = InternalParts.named(named(coordinates), named(swings), named(oils), named(irons))
    tensor_B = tensor(3.0, 2.0, 1.0)
    eddies = EddyCurrents((*np.diag(tensor_B), tensor_B[0, 1], tensor_B[0, 2], tensor_B[1, 2]))
    whole = C @ INERTIA @ C.T
    plant = plant_of(
        RigidBody(MASS, (whole + whole.T) / 2.0),
        parts=(
            wheels, Thrusters(tuple('abc'), ordered(jets)), eddies,
            Magnetorquers(tuple('abc'), ordered(rods), C @ (0.1, 0.2, -0.3), off_after=0.02),
            ControlMomentGyros(tuple('abc'), ordered(gyros)), *inside.parts,
        ),
        magnetic_field_W=FIELD_W, gravity_W=np.array((0.1, 0.2, -0.3)),
    )  # fmt: skip
    q = ATTITUDE if axes is None else rotations.compose(ATTITUDE, rotations.conjugate(axes))
    state = plant.spacecraft.state(
        np.zeros(3), q, np.zeros(3), C @ (0.3, -0.4, 0.5), SPEEDS[[*order]]
    )
    inputs = Inputs(**{name: values[[*order]] for name, values in COMMANDS.items()})
    instant, book = simulation.put_instant(plant, 0, state), book_of(plant, state)
    for tick in range(TICKS):
        before = instant.state
        asked = inputs._replace(impulse=BLOW) if tick == STRUCK else inputs
        instant = simulation.next_instant(plant, instant, asked)
        book.follow(before, instant)
    return plant, instant, book


def told(plant, instant, _):
    """Return (of the whole, world axes; of the whole, body axes; of each part) of an Instant."""
    craft, state = plant.spacecraft, instant.state
    motions = internal_telemetry.motions(craft, state)
    jets, gyros = craft.part('thrusters'), craft.part('control_moment_gyros')
    own = {name: craft.states_of(name, state) for name in craft.layout.widths}
    omega_B = craft.angular_velocity_B(state)
    book = craft.energy_book(state)
    world = {
        'L': state.angular_momentum_W, 'p': state.momentum_W, 'origin': craft.origin_W(state),
        'velocity': craft.origin_velocity_W(state),
        'energies': (*craft.kinetic_energies(state), craft.elastic_energy(state), *book.values()),
    }  # fmt: skip
    body = {
        'omega': omega_B, 'commanded': simulation.commanded_torque_B(plant, instant),
        'turning': simulation.turning_wrench(plant, instant)[3:6],
        'center': craft.center_of_mass_B(state), 'gyros': gyros.stored_B(own, omega_B),
        'dipole': craft.internal.dipole_B(craft.internal_states(state)),
        'imu': simulation.truth(plant, instant)[7:10],
    }  # fmt: skip
    parts = {
        'speeds': craft.wheel_speeds(state), 'forces': jets.forces(own['thrusters']),
        'used': jets.used(own['thrusters']), 'pulses': jets.pulses(own['thrusters']),
        'mean': jets.thrust(instant.drive), 'dipoles': own['magnetorquers'],
        'gimbals': gyros.angles(own['gimbals']), 'rates': gyros.rates(own['gimbals'], omega_B),
        'rotors': gyros.rotor_momenta(own['rotors'], own['gimbals'], omega_B),
        'displacements': motions.displacements, 'moving': motions.rates, 'how': motions.how,
        'flux': motions.flux_densities, 'swings': np.linalg.norm(motions.swings, axis=1),
        'swinging': np.linalg.norm(motions.swing_rates, axis=1),
        'oil': np.linalg.norm(motions.slug_rates, axis=1),
    }  # fmt: skip
    return world, body, parts


def assert_near(found, expected):
    """Assert that numbers by name are the same but for round-off, which events magnify."""
    assert found.keys() == expected.keys()
    for name in found:
        assert found[name] == pytest.approx(expected[name], rel=1e-8, abs=1e-9), name


def test_the_flight_has_what_it_is_about():
    """So that nobody empties it unseen.

    All moves, a wheel is stuck, one is as fast as it may be, a panel latches, a mass is at its
    end, and all of it is struck.
    """
    world, body, parts = told(*flown())
    assert all(np.all(np.abs(values) > 1e-9) for values in body.values())
    assert [*parts['how']] == [LATCHED, AT_HIGH, FREE]
    assert parts['speeds'].tolist()[:2] == [0.0, 30.2]
    assert parts['pulses'][0] == 0 < min(parts['pulses'][1:])
    for name in set(parts) - {'pulses', 'used', 'dipoles', 'moving', 'forces'}:
        assert len({*np.abs(parts[name])} - {0.0}) >= 2, name


def test_the_energy_of_all_of_it_is_accounted_for():
    """Works and heat are integrated in the steps of the motion: 2e-12 of the energy is missing."""
    _, instant, book = flown()
    entries = book.entries(instant.state)
    assert min(abs(part) for part in entries[:4]) > 0.1
    assert abs(entries.missing) < 1e-10 * abs(entries.gained)


@pytest.mark.parametrize('order', [(2, 0, 1), (1, 0, 2)])
def test_the_order_of_parts_of_a_kind_does_not_matter(order):
    expected, found = told(*flown()), told(*flown(order))
    assert_near(found[0], expected[0])
    assert_near(found[1], expected[1])
    assert_near(found[2], {name: values[[*order]] for name, values in expected[2].items()})


def test_the_directions_of_body_axes_do_not_matter():
    turn = rotations.unit_quaternion((0.5, -0.7, 0.1, 0.5))
    C = rotations.dcm_from_quaternion(turn)
    expected, found = told(*flown()), told(*flown(axes=tuple(turn)))
    assert_near(found[0], expected[0])
    assert_near(found[1], {name: C @ vector for name, vector in expected[1].items()})
    assert_near(found[2], expected[2])
