# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What is read from a bag is what was simulated, also after a state was put in mid-run."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped, WrenchStamped
from plain import plain
from processes import run
from rclpy.serialization import deserialize_message, serialize_message
from std_msgs.msg import String

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.parts.reaction_wheels.description import ReactionWheels
from spacecraft_attitude_sim.core.simulation import Inputs, plant_of
from spacecraft_attitude_sim.core.studies import flips_and_drifts
from spacecraft_attitude_sim.core.ticks import TICK_NS, TICK_SECONDS
from spacecraft_attitude_sim.drawing import figures, response_report
from spacecraft_attitude_sim.nodes.messages import tick_messages
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.recording import (
    bag_history,
    contact_history,
    history,
    reader,
    topics,
)
from spacecraft_attitude_sim.recording.bag_writer import BagWriter
from spacecraft_attitude_sim.recording.errors import RecordingError
from spacecraft_attitude_sim.runs import replay

# Whatever it says: somebody commands.
COMMAND = '/command/wrench', WrenchStamped()
HEAVE = {'amplitude': 0.05, 'angular_frequency': 6.0, 'phase': 0.4}


def recorded(folder, found, instants, others=(), lost=(), told=None):
    """Write the bag that a run of these (Instant, given) leaves; return its folder.

    others: (topic, message) of ROS, besides
    lost: (topic, tick) of messages that got lost, tick None for all
    told: another Scenario of which topic scenario is
    """
    writer, makes, connections = BagWriter(folder), tick_messages.TickMessages(found), {}

    def add(topic, kind, stamp, data):
        if topic not in connections:
            module, name = kind.__module__.split('.')[0], kind.__name__
            known = writer.typestore.hash_rihs01(f'{module}/msg/{name}')
            connections[topic] = writer.add_topic(topic, f'{module}/msg/{name}', known, [])
        writer.write(connections[topic], stamp, data)

    add('/scenario', String, 0, serialize_message(String(data=scenario.dump(told or found))))
    types = tick_messages.TYPES | tick_messages.CONTACT_TYPES
    settings = tick_messages.Settings(found.plant.substeps)
    for instant, given in instants:
        for topic, data in makes.of(instant, settings, given):
            name = topic if topic.startswith('/') else f'/{topic}'
            if {(topic, instant.tick), (topic, None)} & set(lost):
                continue
            add(name, types[topics.known_as(topic)], instant.tick * TICK_NS, data)
    for topic, message in others:
        add(topic, type(message), 0, serialize_message(message))
    writer.finish()
    return folder


def reference(tick, q_WR):
    """Return topic and message of a reference attitude."""
    message = PoseStamped(header=conversions.header_to_ros(tick * TICK_NS, 'world'))
    message.pose.orientation = conversions.quaternion_to_ros(q_WR)
    return '/control/reference', message


def test_a_floor_heaves_on_in_the_history_when_a_state_is_put_in_mid_run(tmp_path):
    """A put is no reset: the floor's time counts from the start, and so does its height."""
    touching = {'place': True, **{f'floor.{name}': value for name, value in HEAVE.items()}}
    given = {'body.mass': 1.0, 'body.inertia': [0.004] * 3, 'gravity': [0.0, 0.0, -9.81]}
    found = scenario.build(given, 'test', touching)
    instants = [(found.first_instant(), True)]

    def go_on(count):
        for _ in range(count):
            following = simulation.next_instant(found.plant, instants[-1][0], Inputs())
            instants.append((following, False))

    go_on(9)
    high = instants[-1][0].state
    high = high._replace(position_W=high.position_W + np.array((0.3, 0.0, 0.5)))
    instants.append((simulation.put_instant(found.plant, 10, high, 10), True))
    go_on(5)
    # A reset, from which the floor's time begins again.
    instants.append((found.first_instant(16), True))
    go_on(4)
    bag = recorded(tmp_path / 'bag', found, instants)
    read, again = history.read(bag)
    assert again.parameters == found.parameters
    assert np.array_equal(read.time, np.arange(21) * TICK_SECONDS)
    floor_ticks = np.array([*range(16), *range(5)])
    assert np.array_equal(read.contact.floor_time, floor_ticks * TICK_SECONDS)
    contacts = [simulation.contact_at(instant) for instant, _ in instants]
    # The gap at the lowest point is that of the floor's height at its own time.
    assert read.contact.gap == pytest.approx([one.gap for one in contacts], abs=1e-12)
    assert np.array_equal(read.contact.point_W, [one.point for one in contacts])
    assert np.array_equal(read.contact.force_W, [one.force for one in contacts])
    assert read.contact.gap[10] > 0.3
    assert np.max(np.abs(read.contact.gap[[0, 5, 9, 16, 20]])) < 1e-12
    verdict = replay.resimulate(bag)
    assert verdict.identical == verdict.compared == 21 * 11, verdict.difference


def test_a_bag_has_the_rows_of_its_instants_and_the_torque_that_acted(tmp_path):
    found = scenario.load(scenario.find('cubesat_tumble'))
    instant = found.first_instant()
    instants = [(instant, True)]
    generator = np.random.default_rng(2)
    for number in range(40):
        wrench = loads.wrench_in_world(np.zeros(3), generator.normal(size=3) * 1e-3)
        impulse = np.concatenate((np.zeros(3), generator.normal(size=3) * 1e-5))
        inputs = Inputs(wrench, impulse) if number % 3 else Inputs(wrench)
        instant = simulation.next_instant(found.plant, instant, inputs)
        instants.append((instant, False))
    # A put of another state, which no torque brought about.
    turned = instant.state._replace(angular_momentum_W=-instant.state.angular_momentum_W)
    instants.append((simulation.put_instant(found.plant, 41, turned, 41), True))
    bag = recorded(tmp_path / 'bag', found, instants, [COMMAND])
    read, _ = history.read(bag)
    body = found.plant.body
    assert np.array_equal(read.quaternion, [one.state.q_WB for one, _ in instants])
    rows = np.array(
        [history.row(body, k * TICK_SECONDS, one.state, one.inputs.wrench)
         for k, (one, _) in enumerate(instants)]
    )  # fmt: skip
    assert np.array_equal(np.column_stack(read[:5]), rows)
    # The torque of the tick that ends at each row is that held through it, and the mean of an
    # impulse: in world axes, and here seen in the body's at its end.
    followed = response_report.of_history(read)
    assert followed.errors is None
    expected = [
        rotations.rotate(
            rotations.conjugate(one.state.q_WB),
            one.inputs.wrench[9:12] + one.inputs.impulse[3:6] / TICK_SECONDS,
        )
        for one, _ in instants
    ]
    assert np.allclose(followed.torques_B, expected, rtol=0, atol=1e-15)
    # As the simulator says it of what L gained, to the round-off of that difference.
    applied = [one.applied_B[3:] for one, _ in instants]
    assert np.allclose(followed.torques_B, applied, rtol=0, atol=1e-12)
    assert np.array_equal(followed.rates_B, read.angular_velocity_B)


def test_the_energies_of_a_throw_are_those_of_its_parabola(tmp_path):
    gravity, velocity, mass, spin = (0.0, 0.0, -9.81), (3.0, 0.0, 4.0), 2.5, 7.0
    found = scenario.build(
        {'body.mass': mass, 'body.inertia': [0.3, 0.4, 0.5], 'gravity': list(gravity),
         'initial.position': [1.0, 2.0, 3.0], 'initial.velocity': list(velocity),
         'initial.angular_velocity': [0.0, 0.0, spin]},
        'test',
    )  # fmt: skip
    instants = [(found.first_instant(), True)]
    for _ in range(32):
        instants.append((simulation.next_instant(found.plant, instants[-1][0], Inputs()), False))
    read, _ = history.read(recorded(tmp_path / 'bag', found, instants))
    t, g = np.arange(33) * TICK_SECONDS, 9.81
    translation = 0.5 * mass * (3.0**2 + (4.0 - g * t) ** 2)
    potential = mass * g * (3.0 + 4.0 * t - 0.5 * g * t**2)
    rotation = np.full(33, 0.5 * 0.5 * spin**2)
    whole = np.full(33, translation[0] + rotation[0] + potential[0])
    expected = np.column_stack((translation, rotation, potential, whole))
    # A few roundings of numbers of 100 J, read from velocities in body axes.
    assert np.allclose(read.energies, expected, rtol=0, atol=1e-12)


def test_a_run_with_wheels_is_read_as_it_was_simulated():
    """Its total L stays, so that what acted on the body is in the inputs alone."""
    generator = np.random.default_rng(6)
    found = scenario.load(scenario.find('cubesat_tumble'))
    axes = np.array(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.6, 0.8)))
    wheels = ReactionWheels(('a', 'b', 'c'), axes, np.full(3, 1e-5), np.full(3, 1.0))
    plant = plant_of(found.plant.body, parts=(wheels,))
    found = replace(found, plant=plant)
    start = plant.spacecraft.state(
        np.zeros(3), np.full(4, 0.5), np.array((1.0, 2.0, 3.0)), np.array((0.1, 0.2, -0.3)),
        np.full(3, 100.0),
    )  # fmt: skip
    instants = [simulation.given_instant(plant, simulation.Instant(0, start), None)]
    for number in range(12):
        torques = generator.normal(size=3) * 1e-4
        inputs = Inputs(wheel_torque=torques) if number % 4 else Inputs()
        if number % 3 == 0:
            inputs = inputs._replace(wrench=generator.normal(size=12) * 1e-4)
        instants.append(simulation.next_instant(plant, instants[-1], inputs))
    assembler = reader.Assembler({*bag_history.FREE, topics.INPUTS}, lambda text: found)
    assembler.take(topics.SCENARIO, String())
    makes, settings = tick_messages.TickMessages(found), tick_messages.Settings(0)
    for instant in instants:
        made = makes.of(instant, settings, instant.tick == 0)
        for topic, data in made:
            assembler.take(topic, deserialize_message(data, tick_messages.TYPES[topic]))
    for heard, instant in zip(assembler.rest(), instants, strict=True):
        assert heard.internal.tobytes() == instant.state.internal.tobytes()
        again = bag_history.Simulated(heard, plant, heard.simulated(plant))
        assert again.instant.state.momentum_W == pytest.approx(instant.state.momentum_W, rel=1e-14)
        wrench = simulation.turning_wrench(plant, instant)
        free = history.row(plant.spacecraft, instant.tick / 32, instant.state, wrench)
        energies = flips_and_drifts.energies(plant, instant.state)
        expected = history.base_columns(free, instant.state, energies)
        # The bag has p by velocities, so that there is round-off.
        assert bag_history._row(*again) == pytest.approx(expected, rel=1e-13, abs=1e-15)
        torque_B = instant.applied_B[3:6] - axes.T @ (*instant.inputs.wheel_torque, 0, 0, 0)[:3]
        assert np.allclose(bag_history._control([again]).torque_B, torque_B, atol=1e-18)
        if instant.tick == 0:
            given = heard.inputs.instant()._replace(readings=instant.readings)
            assert all(map(np.array_equal, given.state, instant.state))
            assert given._replace(state=None) == instant._replace(state=None)


WHEELS = plain({
    'body.inertia': [0.04, 0.05, 0.03], 'body.mass': 4.0, 'wheels': ['a', 'b'],
    'initial.angular_velocity': [0.1, -0.2, 0.4], 'wheel.a.axis': [0.6, 0.8, 0.0],
    'wheel.a.inertia': 1e-4, 'wheel.a.initial_speed': 100.0, 'wheel.a.torque': 1e-3,
    'wheel.b.inertia': 2e-4, 'wheel.b.initial_speed': -50.0, 'wheel.b.torque': -2e-3,
})  # fmt: skip


def with_wheels():
    """Return a Scenario with two wheels and the (Instant, given) of half a second."""
    found = scenario.build(WHEELS, 'test')
    instants = [(found.first_instant(), True)]
    for _ in range(16):
        after = simulation.next_instant(found.plant, instants[-1][0], found.inputs)
        instants.append((after, False))
    return found, instants


def test_how_wheels_turn_is_known_again_after_lost_inputs_by_their_speeds(tmp_path, capsys):
    found, instants = with_wheels()
    whole, _ = history.read(recorded(tmp_path / 'whole', found, instants))
    lost = [(topics.INPUTS, 5)]
    read, _ = history.read(recorded(tmp_path / 'lost', found, instants, lost=lost))
    assert capsys.readouterr().err == ''
    left = np.arange(17) != 5
    assert read.time.tolist() == whole.time[left].tolist()
    # A rounding of h, of which energy and ω are made.
    assert read.energies == pytest.approx(whole.energies[left], rel=1e-12)
    assert np.allclose(read.angular_velocity_B, whole.angular_velocity_B[left], rtol=1e-12)
    alpha_B = read.angular_acceleration_B
    assert np.allclose(alpha_B, whole.angular_acceleration_B[left], rtol=1e-9)


def test_what_nothing_tells_is_left_out_and_said(tmp_path, capsys):
    found, instants = with_wheels()
    lost = [(topics.INPUTS, 5), (topics.JOINTS, None)]
    folder = recorded(tmp_path / 'bag', found, instants, lost=lost)
    read, _ = history.read(folder)
    (line,) = capsys.readouterr().err.splitlines()
    assert f'{folder}: 11 instants are left out' in line
    assert len(read.time) == 5


def test_of_what_is_wrong_a_scenario_says_itself_and_a_message_is_said_to_be(tmp_path):
    folder = recorded(tmp_path / 'bag', *with_wheels())

    def said(error):
        def take(topic, message, data):
            raise error

        with pytest.raises(RecordingError) as refused:
            reader.read(folder, take, [topics.SCENARIO])
        return str(refused.value)

    assert said(scenario.ScenarioError('of it all')) == f'{folder}: of it all'
    assert said(ValueError('is odd')) == f'{folder}: a message of topic scenario is odd'


def test_inputs_of_other_wheels_than_the_scenarios_are_damage(tmp_path):
    found, instants = with_wheels()
    one = scenario.build(
        {name: value for name, value in WHEELS.items() if '.b.' not in name} | {'wheels': ['a']},
        'test',
    )
    rigid = scenario.build({'body.mass': 4.0, 'body.inertia': [0.04, 0.05, 0.03]}, 'test')
    for number, told in enumerate((one, rigid)):
        folder = recorded(tmp_path / f'{number}', found, instants, told=told)
        count = 1 - number
        with pytest.raises(
            RecordingError,
            match=f'inputs of tick 0 are of 2 wheels, and topic scenario has {count}',
        ):
            history.read(folder)
        with pytest.raises(RecordingError, match='are of 2 wheels, and topic scenario has'):
            replay.resimulate(folder)


def test_poinsots_picture_of_a_gyrostat_is_that_of_its_energy(tmp_path, command):
    found, instants = with_wheels()
    folder = recorded(tmp_path / 'bag', found, instants)
    done = run(command, 'plot', folder, '--poinsot', '-o', tmp_path / 'sphere.png')
    assert done.returncode == 0, done.stderr
    assert (tmp_path / 'sphere.png').stat().st_size > 10_000


def table_text(names, rows, separator=','):
    """Return a table as text, without header where names is empty."""
    lines = [','.join(names)] if names else []
    return '\n'.join(lines + [separator.join(map(repr, row)) for row in rows.tolist()]) + '\n'


@pytest.mark.parametrize('on_floor', [False, True])
def test_tables_of_before_are_read_and_drawn_with_what_they_have(tmp_path, on_floor):
    from matplotlib import pyplot

    names = history.COLUMNS + (contact_history.COLUMNS if on_floor else ())
    rows = np.random.default_rng(4).uniform(-1.0, 1.0, (5, len(names)))
    rows[:, 0] = np.arange(5) / 32.0
    path = tmp_path / 'old.csv'
    path.write_text(table_text(names, rows))
    read, _ = history.read(path)
    assert (read.quaternion, read.energies) == (None, None)
    assert np.array_equal(np.column_stack(read[:5]), rows[:, :13])
    turned = [rotations.euler_zyx_from_quaternion(q) for q in read.q_WB()]
    assert np.allclose(turned, rows[:, 1:4], rtol=0, atol=1e-14)
    drawn = figures.figure(read, 'old', 'quaternion')
    lines = {line.get_label(): line.get_ydata() for line in drawn.axes[-1].lines}
    rotation = 0.5 * np.sum(rows[:, 4:7] * rows[:, 10:13], axis=1)
    assert np.allclose(lines['rotation'], rotation, rtol=0, atol=1e-15)
    if on_floor:
        assert np.array_equal(lines['sum'], rows[:, 24])
    pyplot.close(drawn)


@pytest.mark.parametrize('separator', [',', ', ', ' , ', ';', '; ', ' ', '\t', ','])
def test_a_table_without_header_is_that_of_the_source(tmp_path, separator):
    rows = np.random.default_rng(5).normal(size=(4, 13))
    rows[:, 0] = np.arange(4) / 32.0
    text = table_text((), rows, separator)
    for changed in (text, text.replace('\n', '\r\n'), text.replace('\n', ',\n'), text + '\n'):
        (tmp_path / 'theirs.csv').write_text(changed, newline='')
        read, found = history.read(tmp_path / 'theirs.csv')
        assert found is None
        assert np.array_equal(np.column_stack(read[:5]), rows)


def test_a_response_is_of_the_rows_whose_reference_is_known(tmp_path):
    found = scenario.load(scenario.find('cubesat_tumble'))
    instants = [(found.first_instant(), True)]
    for _ in range(6):
        instants.append((simulation.next_instant(found.plant, instants[-1][0], Inputs()), False))
    turn = rotations.quaternion_from_axis_angle((0.0, 0.6, 0.8), 0.2)
    # The body is 0.2 rad about (0, 0.6, 0.8) beyond its reference, at ticks 2, 3 and 5.
    references = [
        reference(k, rotations.compose(instants[k][0].state.q_WB, rotations.conjugate(turn)))
        for k in (2, 3, 5)
    ]
    references.append(reference(50, rotations.IDENTITY))  # of an instant that is not there
    read, _ = history.read(recorded(tmp_path / 'bag', found, instants, [COMMAND, *references]))
    followed = response_report.of_history(read)
    assert np.array_equal(followed.time, np.array((2, 3, 5)) * TICK_SECONDS)
    assert np.array_equal(followed.rates_B, read.angular_velocity_B[[2, 3, 5]])
    assert np.allclose(followed.errors, [(0.0, 0.12, 0.16)] * 3, rtol=0, atol=1e-13)


@pytest.mark.parametrize('pointing', [True, False])
def test_the_figure_of_a_response_draws_its_numbers(pointing):
    from matplotlib import pyplot

    time = np.arange(64) * TICK_SECONDS
    errors = np.outer(np.exp(-4.0 * time), (0.0, 0.3, 0.4))
    rates, torques = np.gradient(errors, time, axis=0), 0.01 * errors[:, ::-1]
    found = response_report.Response(time, rates, torques, errors if pointing else None)
    drawn = response_report.figure(found, 'title')
    *above, of_rate, of_torque = drawn.axes
    assert len(above) == pointing
    for panel, values in ((of_rate, np.degrees(rates)), (of_torque, 1e3 * torques)):
        lines = [line for line in panel.lines if len(line.get_xdata()) == len(time)]
        for line, column in zip(lines, values.T, strict=True):
            assert np.array_equal(line.get_xdata(), time)
            assert np.array_equal(line.get_ydata(), column)
    settled = found.merit().settling_time
    # The exponential of 4 1/s is at 2 % after ln(50) / 4 s; linear between samples.
    assert settled == pytest.approx(np.log(50.0) / 4.0, abs=0.01) or not pointing
    for panel in drawn.axes:
        assert any(np.allclose(line.get_xdata(), settled) for line in panel.lines)
    if pointing:
        angle, band = above[0].lines[:2]
        assert np.allclose(angle.get_ydata(), np.degrees(0.5) * np.exp(-4.0 * time))
        assert np.allclose(band.get_ydata(), 0.02 * np.degrees(0.5))
    pyplot.close(drawn)


def test_without_a_command_nothing_is_a_response_and_a_zero_quaternion_no_reference(tmp_path):
    found = scenario.load(scenario.find('cubesat_tumble'))
    instants = [(found.first_instant(), True)]
    instants.append((simulation.next_instant(found.plant, instants[0][0], Inputs()), False))
    bag = recorded(tmp_path / 'free', found, instants, [reference(1, rotations.IDENTITY)])
    assert response_report.of_history(history.read(bag)[0]) is None
    bag = recorded(tmp_path / 'bag', found, instants, [COMMAND, reference(1, np.zeros(4))])
    with pytest.raises(RecordingError, match='bag: a message of topic control/reference holds no'):
        history.read(bag)


def test_an_instant_has_the_plant_of_its_own_scenario_if_that_too_is_on_a_floor_or_free():
    """The last scenario of a bag decides on the columns of all its rows."""
    floor, other, free, last = (
        SimpleNamespace(plant=SimpleNamespace(name=name, contact=contact))
        for name, contact in (('floor', 1), ('other', 2), ('free', None), ('last', None))
    )
    for own, ending, expected in (
        (floor, other, floor), (free, last, free), (floor, last, last), (free, other, other),
        (None, last, last), (None, other, other),
    ):  # fmt: skip
        found = bag_history._plant(SimpleNamespace(scenario=own), ending)
        assert found is expected.plant, (own, ending)
