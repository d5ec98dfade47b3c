# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What a part declares of its channels is what tables, joints, figures and histories have."""

import inspect
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from spacecraft_attitude_sim.api.simulation import Simulation
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.actuators.actuator import NO_GYROSTAT, Drive, drive
from spacecraft_attitude_sim.core.actuators.inputs import COMMANDED, MODES, Inputs
from spacecraft_attitude_sim.core.body.loads import FREE
from spacecraft_attitude_sim.core.parts.coordinates.flexible_modes import FlexibleMode
from spacecraft_attitude_sim.core.parts.coordinates.hinged_panels import HingedPanel
from spacecraft_attitude_sim.core.parts.coordinates.sliding_masses import SlidingMass
from spacecraft_attitude_sim.core.sensors import Suite
from spacecraft_attitude_sim.core.simulation import joint_commands
from spacecraft_attitude_sim.core.spacecraft import channels, telemetry
from spacecraft_attitude_sim.drawing.panel_names import NAMES
from spacecraft_attitude_sim.nodes.messages import tick_messages
from spacecraft_attitude_sim.nodes.simulator.commands import ACTUATORS
from spacecraft_attitude_sim.recording import (
    input_table,
    inputs_layout,
    part_history,
    table,
)
from spacecraft_attitude_sim.recording.inputs_layout import RecordedInputs

FIELDS = ('position', 'velocity', 'effort', 'said')
# Scenarios that have every kind of part between them.
SCENARIOS = ('thruster_limit_cycle', 'station_cmg', 'cubesat_3u_leo', 'cubesat_panels', 'csswe')


@pytest.fixture(scope='module', params=SCENARIOS)
def run(request):
    """A Scenario, four Instants, and {kind: PartHistory} of them."""
    found = scenario.load(scenario.find(request.param))
    instants = [found.first_instant()]
    for _ in range(3):
        instants.append(simulation.next_instant(found.plant, instants[-1], found.inputs))
    moments = [table.moment_of(found.plant, one) for one in instants]
    return found, moments, part_history.of_run(found, moments, instants)


def test_a_history_has_an_array_for_each_channel_with_a_row_for_each_instant(run):
    found, moments, several = run
    assert list(several) == list(found.plant.spacecraft.groups)
    for history in several.values():
        for channel in history.parts.CHANNELS:
            assert (channel.name in history.arrays) == channel.kept, channel.name
            if channel.kept:
                assert len(getattr(history, channel.name)) == len(moments)


def test_a_column_has_the_values_of_its_channel(run):
    found, moments, several = run
    rows = np.array([channels.row(now) for now in moments])
    names = channels.columns(found.plant.spacecraft)
    assert rows.shape == (len(moments), len(names)) == (len(moments), len(set(names)))
    for kind in several.keys() - {'internal'}:
        parts = several[kind].parts
        for channel in (one for one in parts.CHANNELS if one.column):
            values = np.array([now.value(kind, channel.name) for now in moments])
            for number, name in enumerate(parts.names):
                column = f'{parts.PREFIX}.{name}.{channel.column} [{channel.unit}]'
                assert rows[:, names.index(column)].tolist() == values[:, number].tolist()


def test_what_is_declared_is_there(run):
    *_, several = run
    for history in several.values():
        internal = history.parts.CHANNELS[0].name == 'displacements'
        kinds = (FlexibleMode, HingedPanel, SlidingMass) if internal else ()
        for channel in (
            *history.parts.CHANNELS,
            *(one for kind in kinds for one in kind.CHANNELS),
        ):
            assert not channel.column or channel.unit, channel.name
            assert channel.joint in ('', *FIELDS)
            assert not channel.shown or channel.shown.key in NAMES
            if channel.limit:
                limits = getattr(history.parts, channel.limit)
                assert limits.shape == (len(history.parts.names),)


def test_an_array_that_is_not_there_is_named(run):
    *_, several = run
    for history in several.values():
        with pytest.raises(AttributeError, match="there is no 'sped'; there are "):
            _ = history.sped
        assert history.but(sped=1).sped == 1


def test_joints_are_those_of_the_kinds_that_declare_them(run):
    found, moments, _ = run
    craft, now = found.plant.spacecraft, moments[-1]
    if not craft.coupled:
        return
    joints = telemetry.joints(now)
    places = telemetry.joint_kinds(craft)
    for kind, field, name in (
        ('wheels', 'speeds', 'speeds'), ('wheels', 'efforts', 'torques'),
        ('wheels', 'said', 'tachometers'), ('gimbals', 'positions', 'angles'),
        ('gimbals', 'said', 'rates'), ('thrusters', 'efforts', 'thrust'),
    ):  # fmt: skip
        if kind in craft.groups:
            here = getattr(joints, field)[getattr(places, kind)]
            assert here.tolist() == now.value(kind, name).tolist()
    assert len(joints.positions) == len(telemetry.joint_names(craft))


def test_an_impulse_is_known_of_a_tick_whose_beginning_was_kept():
    found = scenario.load(scenario.find('thruster_limit_cycle'))
    inputs = found.inputs._replace(thrust=np.full(6, 0.01))
    instants = [found.first_instant()]
    for _ in range(3):
        instants.append(simulation.next_instant(found.plant, instants[-1], inputs))
    kept = [instants[0], instants[1], instants[3]]
    moments = [table.moment_of(found.plant, one) for one in kept]
    impulses = part_history.of_run(found, moments, kept)['thrusters'].impulses
    assert impulses[0].tolist() == [0.0] * 6
    assert impulses[1].tolist() == (found.plant.ticks.step * instants[1].drive.thrust).tolist()
    assert impulses[1].any()
    assert np.isnan(impulses[2]).all()


def test_one_list_says_what_can_be_commanded():
    """Parts of Inputs, columns of tables, topics, arguments of Python and widths are of it."""
    assert (*MODES, 'faults') == Inputs._fields[2:] == RecordedInputs._fields[6:-4]
    words = [one.word for one in COMMANDED.values()]
    assert list(input_table.WAYS) == words == list(ACTUATORS.values())
    arguments = inspect.signature(Simulation.step).parameters
    assert {*MODES} <= arguments.keys()
    for name in SCENARIOS:
        craft = scenario.load(scenario.find(name)).plant.spacecraft
        for kind, parts in craft.groups.items():
            if kind == 'internal':
                continue
            assert COMMANDED[kind].word == parts.PREFIX
            assert parts.PREFIX in joint_commands.offered(craft)
            for mode in COMMANDED[kind].modes:
                needed = not mode.needs or getattr(parts, mode.needs)
                width = inputs_layout.widths_of(craft)[mode.part]
                assert width == (len(parts.names) if needed else 0)


@pytest.mark.parametrize(
    ('part', 'still', 'moving'),
    [
        ('wheel_torque', (0.0, -0.0), (0.0, -1e-3)), ('thrust', (0.0, 0.0), (0.1, 0.0)),
        ('gimbal_rate', (0.0, 0.0), (0.0, 0.5)), ('dipole', (0.0, 0.0), (0.0, 2.0)),
        # To keep a speed of 0 is a command; a torque of 0 is none.
        ('wheel_speed', (np.nan, np.nan), (np.nan, 0.0)),
        ('gimbal_torque', (np.nan, 0.0), (np.nan, 0.2)),
    ],
)  # fmt: skip
def test_a_command_moves_actuators_unless_it_is_none(part, still, moving):
    assert not Inputs().moves_actuators
    assert Inputs(**{part: np.array(still)}).moves_actuators is False
    assert Inputs(**{part: np.array(moving)}).moves_actuators is True


class Toy:
    """An Actuator that doubles its states, which are as many as are said."""

    def __init__(self, states, wrench=FREE, gyrostat=NO_GYROSTAT):
        self.states, self.wrench, self.gyrostat = states, wrench, gyrostat

    def drive(self, inputs, internal, duration):
        """Return its Drive."""
        assert len(internal) == self.states
        return Drive(self.wrench, self.gyrostat, 2.0 * internal)


def test_actuators_together_are_the_sum_of_each_with_its_own_states():
    one, other = np.arange(12.0), np.full(12, -0.0)
    first, second = np.arange(6.0), np.full(6, -0.0)
    several = Toy(2, wrench=one), Toy(0), Toy(1, one, first), Toy(3)
    found = drive(several, Inputs(), np.arange(6.0), 0.1)
    assert found.wrench.tolist() == (2.0 * one).tolist()
    assert found.gyrostat.tolist() == first.tolist()
    assert found.internal.tolist() == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
    # What has no effect changes no bit, not even that of a zero.
    for order in ((0, 1, 2), (1, 0, 2), (1, 2, 0)):
        toys = [(Toy(0, other, second), Toy(1), Toy(0))[k] for k in order]
        found = drive(tuple(toys), Inputs(), np.ones(1), 0.1)
        assert np.signbit(found.wrench).all() and np.signbit(found.gyrostat).all()
        assert found.internal.tolist() == [2.0]


@pytest.mark.parametrize('free', [True, False])
def test_rotors_hold_what_a_body_with_locked_gyros_would_not_have(free):
    """They have L - I ω, I of everything locked, while no gimbal turns."""
    inertia = [0.05, 0.06, 0.04]
    given = {'body.mass': 4.0, 'body.inertia': inertia, 'gimbals': ['g', 'f'],
             'initial.angular_velocity': [0.3, -0.2, 0.1]}  # fmt: skip
    for name, axis, spin, speed in (('g', 2, 0, 60.0), ('f', 1, 2, -40.0)):
        given |= {
            f'gimbal.{name}.axis': np.eye(3)[axis].tolist(),
            f'gimbal.{name}.spin_axis': np.eye(3)[spin].tolist(),
            f'gimbal.{name}.rotor_inertia': 1e-3, f'gimbal.{name}.rotor_speed': speed,
            f'gimbal.{name}.inertias': [1e-3, 1e-3, 1e-3], f'gimbal.{name}.free_rotor': free,
        }  # fmt: skip
    found = scenario.build(given, 'test')
    instant, craft = found.first_instant(), found.plant.spacecraft
    push = Inputs(
        np.array((0.0, 0.0, 0.0, 0.02, 0.01, -0.03, *[0.0] * 6)), gimbal_rate=np.zeros(2)
    )
    for _ in range(16):
        instant = simulation.next_instant(found.plant, instant, push)
    omega_B = craft.angular_velocity_B(instant.state)
    held_B = table.moment_of(found.plant, instant).value('gimbals', 'held_B')
    expected = craft.angular_momentum_B(instant.state) - np.array(inertia) * omega_B
    assert held_B == pytest.approx(expected, rel=1e-9, abs=1e-12)
    # A free rotor keeps its speed in space, a driven one that in the body.
    assert (held_B[0] == pytest.approx(1e-3 * 60.0, rel=1e-6)) == (not free)


def test_all_who_look_at_an_instant_share_what_is_computed_of_it(monkeypatch):
    """One tick of a run found the rate four times, and the motor torques three times."""
    flown = scenario.load(scenario.find('cubesat_3u_leo'))
    plant, counts = flown.plant, Counter()
    craft, wheels = plant.spacecraft, plant.spacecraft.part('reaction_wheels')

    def count(owner, name):
        method = getattr(owner, name)

        def counted(*arguments):
            counts[name] += 1
            return method(*arguments)

        monkeypatch.setattr(owner, name, counted)

    count(type(craft), 'angular_velocity_B')
    count(type(wheels), 'motor_torques')
    first = flown.first_instant()
    instant = simulation.next_instant(plant, first, flown.inputs)
    messages, before = tick_messages.TickMessages(flown), counts.copy()
    makers = {topic: messages.makers[topic] for topic in messages.published(instant)}
    moment = tick_messages.moment_of(instant, tick_messages.Settings(0), given=False)
    told = {topic: make(moment) for topic, make in makers.items()}
    torque_B = simulation.commanded_torque_B(plant, instant)
    now = table.moment_of(plant, instant)
    assert now.value('wheels', 'torques').size == len(wheels.names)
    assert now is table.moment_of(plant, instant)
    assert counts - before == {'angular_velocity_B': 1, 'motor_torques': 1}
    # Another instant, or what faults make of the spacecraft, has values of its own.
    other = instant._replace(state=first.state)
    assert table.moment_of(plant, other).omega_B.tobytes() != now.omega_B.tobytes()
    changed = plant.with_spacecraft(replace(craft, sensors=Suite()))
    assert table.moment_of(changed, instant).craft is changed.spacecraft
    assert told == {topic: make(moment) for topic, make in makers.items()}
    assert torque_B.tobytes() == simulation.commanded_torque_B(plant, instant).tobytes()
