# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What a kind of part declares, and how the compiled step calls all kinds in turn.

A kind is a module with compiled functions, one for each phase of a tick in which it takes part.
Phases are of three sorts. All functions take `at`, the Place of the kind, and `parts`, the
constants of the spacecraft:

    Do(at, parts, …)             writes to arrays
    Sum(at, sums, parts, …)      returns `sums` with its own part added
    Ask(at, parts, …, k)         answers for the part with index k of the kind

`phases_of` joins the functions of several kinds to one compiled function for each phase. Kinds are
called in the order of the registry, so adding a kind does not change the order of the sums, and no
bit of a spacecraft without it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from spacecraft_attitude_sim.core.parts.craft import Place, count_of, place_of
from spacecraft_attitude_sim.core.parts.registry import INSIDE
from spacecraft_attitude_sim.kernels.kernel import Functions, helper
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.layout import Layout
    from spacecraft_attitude_sim.core.mathematics.types import Array

Do: TypeAlias = Callable[..., Any]
Sum: TypeAlias = Callable[..., Any]
Ask: TypeAlias = Callable[..., Any]
# What `change` returns: the event is over; the part may be held, if its constraint torque allows
# it; or the part came to rest, and its energy is lost.
CHANGED, MAY_HOLD, CAME_TO_REST = 0, 1, 2


@dataclass(frozen=True, kw_only=True, eq=False)
class Kind:
    """One kind of part. Phases that it leaves out do nothing. Sums are tuples, unless one number.

    Times are in seconds: t since the step began, h the length of a step, time since the tick
    began, now of the orbit. soon: what is due within it is due now. omega, alpha, v: angular
    velocity, angular acceleration, and velocity of the origin relative to the centre of mass.

    name: as in the registry;  row, state: Layouts of constants and states of one part
    queues: whether a queue of commands follows the states of each part
    work, values, commands: numbers of each part in working memory, in y and in commands
    fours: whether working memory and values are those of whole blocks of four parts
    changes_inertia: whether its motion changes the inertia in a step
    jumps: whether a command may change a rate at once
    lasting: whether what a tick leaves in y and working memory is what `load` would write
    magnetic: whether it is magnetised by the field

    States:
    load(at, parts, internal, y, work): write y and work when a tick begins
    keep(at, parts, internal, y, work): write internal states when it ends
        (without both, states are copied to y and back, if there are as many)
    report(at, parts, work, more): write numbers that follow END

    Commands and switching:
    command(at, jumps, parts, internal, y, work, commands, omega, duration): take the commands of a
        tick; sums: whether a rate has jumped
    switch(at, parts, internal, work, commands, time, now, soon): do what is due now
    next_switch(at, soonest, parts, internal, work, time, now, soon): time to what is due next
    elapse(at, parts, internal, work, h): advance all that depends on time alone

    Motion. store: inertia and stored momentum beside it; lock: inertia of what is held
    orient(at, parts, y, work): turn the axes of other parts
    lock(at, inertia, parts, work)
    store(at, (inertia, stored), parts, y, t, work)
    attach, suspend(at, Moved, parts, y, work): see equations.multibody.moving_origin
    find_rates(at, parts, y, work, omega, v): write rates relative to the body
    draw_lines(at, parts, internal, y, work, h): write loads as lines over a step
    magnetize(at, dipole, parts, y, slope, field_B, rate_B): write slopes; dipole [A m^2]
    turn(at, (rest, motors, heat), parts, y, slope, work, omega, t): write slopes; rest: right side
        for alpha; power of motors and of friction
    move(at, (rest, push, heat, drifting), parts, y, slope, work, omega, v, pressed): the same of
        attached parts; push: right side for the rate of v;  drifting: rate of the first moment
    swing(at, (rest, push, heat), parts, y, slope, work, omega, v, pressed): of suspended parts
    constrain(at, (motors, heat), parts, y, slope, work, omega, alpha, gained, t): write constraint
        forces; gained: rate of v
    hold(at, parts, y, work, omega, v, t): set momenta of parts that are held
    relative_rates(at, k, parts, y, work, omega, v, out): write rates for telemetry from out[k] on
        and return the next k

    Energy [J]:
    energy(at, twice, parts, y, work, omega): twice the kinetic energy
    attached_energy(at, (twice, springs, moment), parts, y, work, omega, v)
    suspended_energy(at, twice, parts, y, work, omega, v)

    Events:
    excess(at, parts, work, k): event function, positive when part k must change its mode
    is_held(at, parts, work, k): whether part k is constrained
    calm(at, calm, parts, work, h): whether a step of h seconds may be tried that knows no events,
        limits or parts that are held: equations.multibody.smooth; note what must not be reached
    steady(at, calm, parts, y, work, omega): `find_rates`; whether nothing has reached it
    glide(at, (books, stored, done), parts, y, rows, n, stage, h, after, work, t): `turn` and
        `store` in a stage, 0 to 3, of such a step, whose rates are written; write its row of n
        slopes of `rows`, and to `after` the values for the next stage or after the step;  books: a
        Four that begins with motors and heat;  stored: a Four, of the values after;  y: values at
        the beginning;  done: index behind the values of the kind. A kind without it, and those
        that change inertia or axes, take no such steps
    push(at, (rest, calm), parts, work): add torques of `turn` after `steady`; rest: a Four;  calm:
        whether all were right
    change(at, parts, y, work, k): change the mode; CHANGED, MAY_HOLD or CAME_TO_REST
    release(at, parts, work, k): free part k, which cannot be held

    Sub-steps. Bounds of what acts in a tick:
    load_bounds(at, (torque, press, motors, loss, tilt), parts, work): torque on the body [N m],
        acceleration of the centre of mass [m/s^2], torque of motors [N m], fastest drag [1/s],
        fastest gimbal [rad/s]
    dipole_bound(at, dipole, parts, internal, work)
    magnetic_bounds(at, (dipole, steps), parts, field, fastest, duration): field, and bound of its
        change as seen from the body [T, T/s]
    swing_bound(at, swing, parts, y, press, omega): fastest oscillation [rad/s]
    longest_step(at, longest, parts, internal, work, field, bend): in which lines may replace lags
    """

    name: str
    row: Layout
    state: Layout
    queues: bool = False
    work: int = 0
    values: int = 0
    fours: bool = False
    commands: int = 0
    changes_inertia: bool = False
    jumps: bool = False
    lasting: bool = False
    magnetic: bool = False
    load: Do | None = None
    keep: Do | None = None
    report: Do | None = None
    command: Sum | None = None
    switch: Do | None = None
    next_switch: Sum | None = None
    elapse: Do | None = None
    orient: Do | None = None
    lock: Sum | None = None
    store: Sum | None = None
    attach: Sum | None = None
    suspend: Sum | None = None
    find_rates: Do | None = None
    draw_lines: Do | None = None
    magnetize: Sum | None = None
    turn: Sum | None = None
    move: Sum | None = None
    swing: Sum | None = None
    constrain: Sum | None = None
    hold: Do | None = None
    relative_rates: Sum | None = None
    energy: Sum | None = None
    attached_energy: Sum | None = None
    suspended_energy: Sum | None = None
    excess: Ask | None = None
    is_held: Ask | None = None
    calm: Sum | None = None
    steady: Sum | None = None
    glide: Sum | None = None
    push: Sum | None = None
    change: Ask | None = None
    release: Ask | None = None
    load_bounds: Sum | None = None
    dipole_bound: Sum | None = None
    magnetic_bounds: Sum | None = None
    swing_bound: Sum | None = None
    longest_step: Sum | None = None


class Phases(Functions):
    """One compiled function for each phase, over all kinds aboard; see Kind.

    They take no Place. `excess`, `change` and `release` take the kind's index in the registry and
    that of the part before their other arguments. Beside them:

    worst(found, parts, work, only_held): (slot, k, excess) of the part whose event function is
        largest and above found[2];  events(number, parts): number of parts that have events
    jumps, magnetic, changes_inertia, has_inside(parts): whether there are such parts
    rough(parts): whether there are parts that need every step with events
    fleeting(parts): whether there are parts that are not `lasting`
    """


DO = ('report', 'switch', 'elapse', 'orient', 'find_rates', 'draw_lines', 'hold')
SUM = (
    'command', 'next_switch', 'lock', 'store', 'attach', 'suspend', 'magnetize', 'turn', 'move',
    'swing', 'constrain', 'relative_rates', 'energy', 'attached_energy', 'suspended_energy',
    'load_bounds', 'dipole_bound', 'magnetic_bounds', 'swing_bound', 'longest_step', 'calm',
    'steady', 'glide', 'push',
)  # fmt: skip


def phases_of(kinds: Sequence[tuple[int, Kind]], label: str) -> Phases:
    """Return the Phases of several kinds, each with its index in the registry.

    label: a name of this set of kinds, which no other set has. Names of generated functions have
        it in them: code that is kept on disk calls them by name.
    """

    def own(phase: str) -> list[tuple[int, Any]]:
        return [(slot, f) for slot, kind in kinds if (f := getattr(kind, phase))]

    def named(phase: str) -> str:
        return f'{phase}_of_{label}'

    copied = [(slot, kind) for slot, kind in kinds if kind.values and not kind.load]
    loads = own('load') + [(slot, _copying(kind.values, into_y=True)) for slot, kind in copied]
    keeps = own('keep') + [(slot, _copying(kind.values, into_y=False)) for slot, kind in copied]
    scans = [
        (slot, _scan(slot, kind, label)) for slot, kind in kinds if kind.excess and kind.is_held
    ]
    return Phases(
        label,
        load=_in_turn(named('load'), loads),
        keep=_in_turn(named('keep'), keeps),
        **{phase: _in_turn(named(phase), own(phase)) for phase in DO},
        **{phase: _summed(named(phase), own(phase)) for phase in SUM},
        excess=_asked(named('excess'), own('excess'), 0.0),
        change=_asked(named('change'), own('change'), CHANGED),
        release=_asked(named('release'), own('release'), CHANGED),
        worst=_summed(named('worst'), scans),
        events=_summed(named('events'), [(slot, _count) for slot, _ in scans]),
        jumps=_any(named('jumps'), [slot for slot, kind in kinds if kind.jumps]),
        magnetic=_any(named('magnetic'), [slot for slot, kind in kinds if kind.magnetic]),
        changes_inertia=_any(
            named('changes_inertia'), [slot for slot, kind in kinds if kind.changes_inertia]
        ),
        has_inside=_any(
            named('has_inside'), [slot for slot, kind in kinds if kind.name in INSIDE]
        ),
        fleeting=_any(named('fleeting'), [slot for slot, kind in kinds if not kind.lasting]),
        rough=_any(named('rough'), [slot for slot, kind in kinds if _is_rough(kind)]),
    )


def _is_rough(kind: Kind) -> bool:
    """Return whether a kind has phases that equations.multibody.smooth leaves out."""
    turns = (kind.turn or kind.constrain or kind.excess) and not kind.glide
    moves = kind.orient or kind.attach or kind.suspend or kind.move or kind.swing
    return bool(turns or moves or kind.jumps)


def _in_turn(name: str, functions: Sequence[tuple[int, Any]]) -> Do:
    """Return a function that calls all of them, in order."""
    lines = [
        f'    if count_of(parts, {slot}) > 0.0:\n'
        f'        f{slot}(place_of(parts, {slot}), parts, *others)'
        for slot, _ in functions
    ]
    return _written(name, 'parts, *others', [*lines, '    return None'], functions)


def _summed(name: str, functions: Sequence[tuple[int, Any]]) -> Sum:
    """Return a function that hands `sums` through all of them, in order, and returns it."""
    lines = [
        f'    if count_of(parts, {slot}) > 0.0:\n'
        f'        sums = f{slot}(place_of(parts, {slot}), sums, parts, *others)'
        for slot, _ in functions
    ]
    return _written(name, 'sums, parts, *others', [*lines, '    return sums'], functions)


def _asked(name: str, functions: Sequence[tuple[int, Any]], otherwise: float) -> Ask:
    """Return a function that asks the kind with a given index; `otherwise` where it has none."""
    lines = [
        f'    if asked == {slot}:\n'
        f'        return f{slot}(place_of(parts, {slot}), parts, *others, k)'
        for slot, _ in functions
    ]
    lines.append(f'    return {otherwise}')
    return _written(name, 'asked, k, parts, *others', lines, functions)


def _any(name: str, slots: Sequence[int]) -> Do:
    """Return a function that tells whether there are parts of these kinds."""
    present = ' or '.join(f'count_of(parts, {slot}) > 0.0' for slot in slots) or 'False'
    return _written(name, 'parts', [f'    return {present}'], ())


def _written(
    name: str, arguments: str, lines: list[str], functions: Sequence[tuple[int, Any]]
) -> Any:
    """Return a compiled function of some lines, in which f0 is the function of kind 0.

    One function that calls all kinds compiles faster than functions that call each other.
    """
    known: dict[str, Any] = {f'f{slot}': function for slot, function in functions}
    known |= {'count_of': count_of, 'place_of': place_of, '__name__': __name__}
    exec('\n'.join((f'def {name}({arguments}):', *lines)), known)
    return helper(known[name])


def _copying(values: int, *, into_y: bool) -> Do:
    """Return `load` or `keep` of a kind whose states are the values that are integrated."""

    def copy(at: Place, parts: Any, internal: Any, y: Any, work: Any) -> None:
        for j in range(at.number * values):
            if into_y:
                y[at.value + j] = internal[at.state + j]
            else:
                internal[at.state + j] = y[at.value + j]

    return helper(_renamed(copy, f'copy_{values}_{into_y}'))


def _scan(slot: int, kind: Kind, label: str) -> Sum:
    """Return the function of one kind for Phases.worst."""
    excess, is_held = kind.excess, kind.is_held
    assert excess and is_held

    def worst(at: Place, found: Any, parts: Any, work: Any, only_held: bool) -> Any:
        for k in range(at.number):
            if not only_held or is_held(at, parts, work, k):
                beyond = excess(at, parts, work, k)
                if beyond > found[2]:
                    found = (slot, k, beyond)
        return found

    return helper(_renamed(worst, f'worst_{kind.name}_of_{label}'))


def _renamed(function: Any, name: str) -> Any:
    """Return a function with another name: two that differ must not have one name."""
    function.__name__ = function.__qualname__ = name
    return function


@helper
def _count(at: Place, number: int, parts: Array) -> int:
    return number + at.number
