# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Messages, from wherever they come and in whatever order, make the instants they are of."""

import struct
from types import SimpleNamespace

import numpy as np
import pytest

from spacecraft_attitude_sim.configuration.untrusted_scenario import HiddenFloor
from spacecraft_attitude_sim.core.body import RigidBody
from spacecraft_attitude_sim.core.contact import floors
from spacecraft_attitude_sim.core.parts.reaction_wheels.description import ReactionWheels
from spacecraft_attitude_sim.core.simulation import plant_of
from spacecraft_attitude_sim.core.ticks import DEFAULT, TICK_NS, Ticks
from spacecraft_attitude_sim.recording import (
    bag_history,
    bag_reader,
    floor_sheet,
    inputs_layout,
    reader,
    topics,
)
from spacecraft_attitude_sim.recording.errors import RecordingError
from spacecraft_attitude_sim.recording.inputs_layout import RecordedInputs

RNG = np.random.default_rng(8)
STEPPED = RecordedInputs(5, False, 2, 3, RNG.normal(size=12), RNG.normal(size=6))
GIVEN = STEPPED._replace(given=True, elapsed=4, state=RNG.normal(size=13))
ON_FLOOR = GIVEN._replace(touch=RNG.normal(size=30))
WHEELS = {'wheel_torque': RNG.normal(size=3)}


def message(inputs, **changes):
    """Return the message of RecordedInputs, with other dimensions {label: size} where given."""
    data, widths = inputs_layout.pack(inputs)
    dims = [SimpleNamespace(label=name, size=size) for name, size in (changes or widths).items()]
    return SimpleNamespace(data=data.tolist(), layout=SimpleNamespace(dim=dims))


def stamped(tick, **fields):
    """Return a message with a header of a tick."""
    seconds, rest = divmod(tick * TICK_NS, 10**9)
    header = SimpleNamespace(stamp=SimpleNamespace(sec=seconds, nanosec=rest))
    return SimpleNamespace(header=header, **fields)


@pytest.mark.parametrize('order', '<>')
def test_a_header_is_read_in_either_order_of_bytes(order):
    connection, kind = SimpleNamespace(msgtype='a/msg/B', topic='/b'), 'a/msg/B'
    bag = SimpleNamespace(_path='x', _check_type=lambda *given: None)
    data = bytes((0, order == '<', 0, 0)) + struct.pack(f'{order}iI', 3, 5)
    stamp = bag_reader.Bag.stamped(bag, connection, 0, data, kind).header.stamp
    assert (stamp.sec, stamp.nanosec) == (3, 5)
    with pytest.raises(RecordingError, match='has 11 bytes, and no header'):
        bag_reader.Bag.stamped(bag, connection, 0, data[:-1], kind)


def momentum(tick, x=1.0):
    return topics.MOMENTUM, stamped(tick, vector=SimpleNamespace(x=x, y=2.0, z=3.0))


def inputs(tick, revision=0, elapsed=None):
    """Return the inputs of a tick; elapsed: where the state was set."""
    of_tick = STEPPED._replace(tick=tick, revision=revision)
    if elapsed is not None:
        of_tick = GIVEN._replace(tick=tick, revision=revision, elapsed=elapsed)
    return topics.INPUTS, message(of_tick)


def text(words, revision=0):
    return topics.SCENARIO, SimpleNamespace(data=f'# revision {revision}\n{words}')


class Words(str):
    """A text that stands for its scenario, at the default rate unless set."""

    plant = SimpleNamespace(ticks=DEFAULT)


def assembled(*messages, wanted=(topics.MOMENTUM, topics.INPUTS), **options):
    """Return an Assembler of these; scenarios are their texts."""
    made = reader.Assembler(wanted, lambda words: Words(words.partition('\n')[2]), **options)
    for topic, one in messages:
        made.take(topic, one)
    return made


# --- the inputs ---------------------------------------------------------------------------------


@pytest.mark.parametrize('one', [STEPPED, GIVEN, ON_FLOOR])
@pytest.mark.parametrize('wheels', [{}, WHEELS])
def test_inputs_with_and_without_wheels_are_read_as_they_were_written(one, wheels):
    one = one._replace(**wheels)
    if wheels and one.given:
        one = one._replace(internal=RNG.normal(size=3))
    data, widths = inputs_layout.pack(one)
    assert sum(widths.values()) == len(data)
    # Of a part whose width nobody else knows, the message says it; else it is as it always was.
    assert (len(widths) > 1) == bool(wheels)
    assert list(widths) == [inputs_layout.LABEL] or 'wheel_torque' in widths
    read = inputs_layout.unpack(message(one))
    for name, part in one._asdict().items():
        assert np.array_equal(getattr(read, name), part), name
    if not one.given:
        assert inputs_layout.bytes_after_step(one) == data.tobytes()


@pytest.mark.parametrize('one', [STEPPED, ON_FLOOR])
def test_parts_with_names_are_read_by_them_in_any_order(one):
    one = one._replace(**WHEELS)
    data, widths = inputs_layout.pack(one)
    ends = np.cumsum(list(widths.values()))[:-1]
    pieces = dict(zip(widths, np.split(data, ends), strict=True))
    turned = list(reversed(pieces))
    given = message(one, **{name: widths[name] for name in turned})
    given.data = np.concatenate([pieces[name] for name in turned])
    read = inputs_layout.unpack(given)
    for name, part in one._asdict().items():
        assert np.array_equal(getattr(read, name), part), name


@pytest.mark.parametrize(
    ('one', 'changes', 'said'),
    [
        (STEPPED._replace(**WHEELS), {'wheel_torque': 2}, 'holds 25 numbers'),
        (STEPPED._replace(**WHEELS), {'wrench': 11, 'wheel_torque': 4}, 'holds 25 numbers'),
        (STEPPED._replace(**WHEELS), {'wings': 3, 'wheel_torque': 0}, 'holds 25 numbers'),
        (STEPPED._replace(**WHEELS, given=True), {'elapsed': None}, 'holds 26 numbers'),
        (STEPPED._replace(tick=-1), {}, 'impossible tick'),
        (STEPPED._replace(revision=0.5), {}, 'impossible tick'),
        (GIVEN._replace(elapsed=2**45), {}, 'impossible tick'),
        (STEPPED._replace(impulse=np.full(6, np.nan)), {}, 'not finite'),
        (GIVEN._replace(state=np.zeros(13)), {}, 'a quaternion that is zero'),
    ],
)
def test_inputs_that_cannot_be_are_refused(one, changes, said):
    if changes:
        widths = inputs_layout.pack(one)[1] | changes
        changes = {name: width for name, width in widths.items() if width is not None}
    with pytest.raises(ValueError, match=said):
        inputs_layout.unpack(message(one, **changes))


@pytest.mark.parametrize('one', [STEPPED, GIVEN, STEPPED._replace(**WHEELS)])
def test_inputs_that_deny_their_state_or_promise_one_are_refused(one):
    changed = message(one)
    changed.data[1] = float(not one.given)
    with pytest.raises(ValueError, match=f'holds {len(changed.data)} numbers'):
        inputs_layout.unpack(changed)


def test_a_name_twice_is_refused():
    given = message(STEPPED._replace(**WHEELS))
    given.layout.dim.append(SimpleNamespace(label='wheel_torque', size=0))
    with pytest.raises(ValueError, match='holds 25 numbers'):
        inputs_layout.unpack(given)


# --- the instants -------------------------------------------------------------------------------


def test_an_instant_is_complete_with_its_last_message_and_follows_the_one_before():
    made = assembled(text('a'), momentum(2), inputs(2), momentum(1))
    assert list(made.complete(9)) == []  # the first waits, and so does the second
    made.take(*inputs(1))
    assert [instant.tick for instant in made.complete(9)] == [1, 2]
    assert list(made.complete(9)) == []


def test_an_instant_waits_for_the_scenario_its_inputs_name():
    made = assembled(text('a'), momentum(1), inputs(1, revision=1))
    assert list(made.complete(9)) == []
    made.take(*text('b', 1))
    (instant,) = made.complete(9)
    assert instant.scenario == 'b'
    assert made.scenarios == {0: 'a', 1: 'b'}


def test_what_came_before_the_scenario_has_the_ticks_that_it_tells(monkeypatch):
    monkeypatch.setattr(Words, 'plant', SimpleNamespace(ticks=Ticks(2 * TICK_NS)))
    made = assembled(momentum(2), momentum(5), inputs(1, elapsed=1), text('a'))
    one, other = made.rest()  # the inputs name their tick, the momentum only its time
    assert (one.tick, one.stamp, one.ticks.seconds(one.elapsed)) == (1, 2 * TICK_NS, 0.0625)
    assert one.received == {topics.MOMENTUM, topics.INPUTS}
    assert (other.tick, other.elapsed) == (2, 2)


def test_without_a_scenario_ticks_are_those_of_the_default_rate():
    made = assembled(momentum(3))
    assert list(made.complete(9)) == []
    (instant,) = made.rest()
    assert (instant.tick, instant.scenario) == (3, None)
    live = assembled(*(momentum(tick) for tick in range(reader.MOST_EARLY + 1)), live=True)
    assert live.newest == reader.MOST_EARLY


def test_an_instant_has_the_scenario_its_inputs_name_or_else_the_last_one():
    made = assembled(text('a'), text('b', 1), inputs(1), inputs(2, revision=1), inputs(3, 7))
    made.take(*momentum(4))
    assert [one.scenario for one in made.rest()] == ['a', 'b', None, 'b']


def test_of_too_many_the_one_that_waits_longest_goes_incomplete():
    made = assembled(text('a'), *(momentum(tick) for tick in (5, 3, 7)))
    (instant,) = made.complete(2)
    assert (instant.tick, instant.received, instant.inputs) == (5, {topics.MOMENTUM}, None)
    assert instant.angular_momentum_W.tolist() == [1.0, 2.0, 3.0]
    assert instant.q_WB.size == 0
    assert made.newest == 7
    made.forget(but=1)
    assert [instant.tick for instant in made.rest()] == [7]
    assert made.newest is None


def test_what_is_not_wanted_is_not_looked_at_and_what_is_refused_not_kept():
    def check(topic, parts):
        if not np.isfinite(parts[0]).all():
            raise ValueError('is not finite')

    made = assembled(wanted=[topics.MOMENTUM], check=check)
    made.take(topics.ODOMETRY, None)
    with pytest.raises(ValueError, match='not finite'):
        made.take(*momentum(1, np.inf))
    assert made.rest() == []


def test_time_of_a_floor_counts_from_the_last_start_or_reset_and_goes_on_after_a_put():
    ticks = {0: 0, 1: None, 2: None, 3: 3, 4: None, 5: 0, 6: None}
    # Whatever order they come in.
    made = assembled(*(inputs(tick, elapsed=ticks[tick]) for tick in reversed(ticks)))
    assert [one.tick for one in made.rest(before=2)] == [0, 1]
    assert [one.elapsed for one in made.rest()] == [2, 3, 4, 0, 1]


def test_what_turns_inside_is_as_it_was_set_and_what_motors_add_until_something_is_missing():
    torques = {2: (1.0, -2.0), 3: (0.5, 0.0), 6: (1.0, 1.0), 7: (1.0, 1.0)}
    made = assembled()
    for tick, one in torques.items():
        of_tick = STEPPED._replace(tick=tick, wheel_torque=np.array(one))
        if tick == 2:
            state = {'state': GIVEN.state, 'internal': np.array((3.0, 4.0))}
            of_tick = of_tick._replace(given=True, **state)
        made.take(topics.INPUTS, message(of_tick))
    first, second, *lost = (one.internal.tolist() for one in made.rest())
    assert (first, second) == ([3.0, 4.0], [3.0 + 0.5 / 32.0, 4.0])
    assert np.isnan(lost).all()
    assert np.shape(lost) == (2, 2)


def test_what_motors_add_in_a_tick_is_of_a_tick_of_the_run(monkeypatch):
    monkeypatch.setattr(Words, 'plant', SimpleNamespace(ticks=Ticks(2 * TICK_NS)))
    made = assembled(text('a'))
    state = {'given': True, 'state': GIVEN.state, 'internal': np.array((3.0,))}
    for tick, changes in ((1, state), (2, {}), (3, {})):
        torque = np.array((0.5 * tick,))
        of_tick = STEPPED._replace(tick=tick, revision=0, wheel_torque=torque, **changes)
        made.take(topics.INPUTS, message(of_tick))
    found = made.rest()
    assert [one.internal.tolist() for one in found] == [[3.0], [3.0625], [3.15625]]
    assert found[2].ticks.seconds(found[2].tick) == 0.1875


def test_of_a_bag_that_begins_later_nobody_knows_what_turns_inside():
    of_tick = STEPPED._replace(tick=1, wheel_torque=np.ones(2))
    (found,) = assembled((topics.INPUTS, message(of_tick))).rest()
    assert found.internal.shape == (2,)
    assert np.isnan(found.internal).all()


def test_an_instant_that_was_heard_has_the_times_and_the_drive_of_its_run():
    wheels = ReactionWheels(('x', 'y'), np.eye(3)[:2], [0.1, 0.1], [1.0, 1.0])
    plant = plant_of(RigidBody(2.0, np.eye(3)), parts=(wheels,))
    given = GIVEN._replace(wheel_torque=np.array((0.5, -1.0)))
    heard = reader.RecordedInstant(
        9, 4, frozenset(), None, None, given, np.zeros(3), np.array((1.0, 0, 0, 0)),
        np.array((1.0, 2.0, 3.0)), np.zeros(3), np.zeros(3), np.array((3.0, 4.0)),
        ticks=Ticks(2 * TICK_NS),
    )  # fmt: skip
    ticks = heard.ticks
    assert (ticks.seconds(heard.tick), ticks.seconds(heard.elapsed)) == (9 / 16, 4 / 16)
    assert (heard.stamp, ticks.stamp(heard.elapsed)) == (18 * TICK_NS, 8 * TICK_NS)
    found = heard.simulated(plant)
    assert found.state.momentum_W.tolist() == [2.0, 4.0, 6.0]
    assert found.drive.internal.tolist() == [3.0 + 0.5 / 16.0, 4.0 - 1.0 / 16.0]
    assert (found.tick, found.elapsed, found.elapsed_time) == (9, 4, 0.25)


@pytest.mark.parametrize(('internal', 'torques'), [(None, 1), (2, 1), (1, 0), (1, 2), (3, 2)])
def test_inputs_are_of_as_many_wheels_as_there_are(internal, torques):
    wheels = ReactionWheels(('x', 'y'), np.eye(3)[:2], [0.1, 0.1], [1.0, 1.0])
    craft, rigid = (
        plant_of(RigidBody(2.0, np.eye(3)), parts=one).spacecraft for one in ((wheels,), ())
    )

    def commanded(count):
        return STEPPED._replace(wheel_torque=np.zeros(count))

    for told in (None, 2):
        for count in (0, 2):
            reader.check_parts(7, craft, told and np.zeros(told), commanded(count))
    given = None if internal is None else np.zeros(internal)
    with pytest.raises(ValueError, match=r'inputs of tick 7 are of \d wheels, and .* has 2'):
        reader.check_parts(7, craft, given, commanded(torques))
    reader.check_parts(7, rigid, np.zeros(0), commanded(0))
    for told, count in ((0, 3), (3, 0)):
        with pytest.raises(ValueError, match='are of 3 wheels, and topic scenario has 0'):
            reader.check_parts(7, rigid, np.zeros(told), commanded(count))
    for part, what in (('thrust', 'thrusters'), ('wheel_speed', 'wheels with a servo')):
        with pytest.raises(ValueError, match=f'are of 1 {what}, and topic scenario has 0'):
            reader.check_parts(7, craft, None, STEPPED._replace(**{part: np.zeros(1)}))


def test_what_is_forgotten_does_not_come_with_the_scenario():
    made = assembled(momentum(1))
    made.forget(but=1)
    assert [one.tick for one in made.rest()] == [1]
    made = assembled(momentum(1))
    made.forget()
    made.take(*text('a'))
    assert made.rest() == []


def test_a_scenario_that_is_sent_anew_is_the_last_to_be_forgotten():
    made = assembled(text('a'), text('b', 1), text('c'))
    assert list(made.scenarios.items()) == [(1, 'b'), (0, 'c')]


@pytest.mark.parametrize(
    ('namespace', 'prefix'),
    [('', '/'), ('/', '/'), ('sat', '/sat/'), ('/fleet/sat/', '/fleet/sat/')],
)
def test_a_namespace_is_found_however_it_is_written(namespace, prefix):
    every = ['/truth', '/sat/truth', '/fleet/sat/truth', '/fleet/sat/pose', '/untruth']
    assert reader.prefix_of_one_spacecraft('bag', every, namespace, 'truth') == prefix
    assert reader.prefix_of_one_spacecraft('bag', every[1:2], None, 'truth') == '/sat/'
    with pytest.raises(RecordingError, match='bag: holds no spacecraft in /sa; it has /, /fleet'):
        reader.prefix_of_one_spacecraft('bag', every, 'sa', 'truth')
    with pytest.raises(RecordingError, match='holds 3 topics truth, of spacecraft /, /fleet/sat,'):
        reader.prefix_of_one_spacecraft('bag', every, None, 'truth')
    with pytest.raises(RecordingError, match='holds 0 topics truth; record all'):
        reader.prefix_of_one_spacecraft('bag', every[4:], None, 'truth')


def test_a_hidden_floor_is_the_last_one_sent(monkeypatch):
    monkeypatch.setattr(floor_sheet, 'sheet_of', lambda message: message.name)
    sent = {4: 'first', 11: 'third', 10: 'second'}  # a bag may hold them in another order
    made = assembled(
        *(momentum(tick) for tick in (3, 4, 9, 10, 99)),
        *((topics.FLOOR, stamped(tick, name=name)) for tick, name in sent.items()),
    )
    found = made.rest()
    assert [one.sheet for one in found] == [None, 'first', 'first', 'second', 'third']
    hidden, known = (
        SimpleNamespace(contact=SimpleNamespace(floor=floor))
        for floor in (HiddenFloor(), floors.Plane())
    )
    assert bag_history._floor(found[1], hidden) == 'first'
    assert bag_history._floor(found[1], known) is known.contact.floor


def test_what_comes_live_is_not_remembered_for_ever(monkeypatch):
    monkeypatch.setattr(floor_sheet, 'sheet_of', lambda message: message.name)
    made = assembled(live=True)
    for number in range(2 * reader.MOST_SHEETS):
        made.take(topics.FLOOR, stamped(number, name=number))
        made.take(*text('a', number))
    assert len(made.scenarios) == reader.MOST_SCENARIOS
    assert len(made._sheets) == reader.MOST_SHEETS
    made.take(*momentum(0))
    assert made.rest()[0].sheet is None


def test_the_same_text_again_is_no_other_scenario():
    made = reader.Assembler((), lambda words: Words(words))
    made.take(*text('a'))
    first = made.scenario
    made.take(*text('a'))
    assert made.scenario is first
