# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The compiled loop of a batch over craft with real wheels and magnetorquers, side by side.

LANES craft take a tick together by vector instructions (craft_tick.py). A craft in which something
happens that only the tick of a craft alone has, flies this tick alone, by the function that flies
one spacecraft: a wheel stops or is at a limit, or a lag is cut, or a wheel is held (but see
craft_held.py). So each craft has the bits that it has alone.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from spacecraft_attitude_sim.core.batch import run_summary
from spacecraft_attitude_sim.core.batch.craft_alone import ADVANCE, alone, fly_others
from spacecraft_attitude_sim.core.batch.craft_block import (
    read_block,
    take_all_commands,
    write_block,
)
from spacecraft_attitude_sim.core.batch.craft_borne import are_borne, room_for_borne
from spacecraft_attitude_sim.core.batch.craft_delayed import (
    are_delayed,
    begin_delays,
    end_delays,
    room_for_delayed,
)
from spacecraft_attitude_sim.core.batch.craft_end import find_ends
from spacecraft_attitude_sim.core.batch.craft_gyros import begin_tilting
from spacecraft_attitude_sim.core.batch.craft_held import (
    hold_wheels,
    room_for_held,
    seized_in,
)
from spacecraft_attitude_sim.core.batch.craft_inside import (
    size_with,
    take_all_inside_back,
)
from spacecraft_attitude_sim.core.batch.craft_magnets import (
    room_for_magnets,
)
from spacecraft_attitude_sim.core.batch.craft_press import (
    room_for_plates,
)
from spacecraft_attitude_sim.core.batch.craft_pushed import (
    are_pushed,
    begin_pushed,
    room_for_pushed,
)
from spacecraft_attitude_sim.core.batch.craft_records import (
    begin_records,
    follow_lanes,
    give_up_lanes,
    see_energy,
)
from spacecraft_attitude_sim.core.batch.craft_rows import (
    AIR_SLOT,
    ENDED,
    LIGHT_SLOT,
    NOW,
    READY,
    RECORD,
    ROD_SIZE,
    SMOOTH,
    STEP,
    WHEEL_SIZE,
    Extras,
    Facts,
    may_fly_beside,
)
from spacecraft_attitude_sim.core.batch.craft_seen import (
    begin_shown,
    keep_ends,
    note_lost,
    obey_lanes,
    room_for_shown,
    sense_first,
    sense_lanes,
    show_lanes,
)
from spacecraft_attitude_sim.core.batch.craft_sky import HERE_SIZE, begin_tick, fit_skies
from spacecraft_attitude_sim.core.batch.craft_tick import (
    count_smooth,
    count_steps,
    find_motion,
    step_on,
    take_back,
)
from spacecraft_attitude_sim.core.batch.craft_tilted import (
    are_tilted,
    room_for_tilted,
    take_tilts_back,
)
from spacecraft_attitude_sim.core.batch.lanes import (
    BODY,
    KEPT_SIZE,
    LANES,
    WRENCH,
)
from spacecraft_attitude_sim.core.batch.loop import RUN, read_rows, write_rows
from spacecraft_attitude_sim.core.batch.moving_rows import room_for_parts, shapes_of
from spacecraft_attitude_sim.core.batch.sensors import READS, nothing_read
from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.equations.shared.principal_frame import MOST_STEPS
from spacecraft_attitude_sim.core.parts.craft import END, place_of
from spacecraft_attitude_sim.core.parts.registry import MAGNETORQUERS, WHEELS
from spacecraft_attitude_sim.core.ticks import seconds_of
from spacecraft_attitude_sim.kernels.columns import from_line
from spacecraft_attitude_sim.kernels.kernel import Kernel, helper, lanes_as, part
from spacecraft_attitude_sim.kernels.pointers import borrowed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.batch.actuated import Rows
    from spacecraft_attitude_sim.core.batch.craft_delayed import Delayed
    from spacecraft_attitude_sim.core.batch.craft_inside import Within
    from spacecraft_attitude_sim.core.batch.craft_magnets import Magnets
    from spacecraft_attitude_sim.core.batch.craft_pushed import Pushed
    from spacecraft_attitude_sim.core.batch.craft_seen import Shown
    from spacecraft_attitude_sim.core.batch.craft_tilted import Tilted
    from spacecraft_attitude_sim.core.batch.sensors import Sensors
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.simulation import Plant

# Kinds that `run_beside` does not have.
MAGNETIC = {'hysteresis_rods', 'eddy_currents'}
INSIDE = {'coordinates', 'pendulums', 'viscous_slugs'}
# Types of Rows.arguments, starts and `alone`.
ROWS = f'UniTuple(float64[:, ::1], 8), int64[::1], Addresses({ADVANCE!r})'
SENSORS = f'{READS}, float64[:, :, ::1]'
# With fewer lanes in which nothing happens, all fly alone.
FEWEST = 3
END_SIZE = END.size


def fly_beside(plants: Sequence[Plant]) -> bool:
    """Return whether spacecraft fly by one of these loops, faster than by run_actuated."""
    solvers = [cast('Any', plant.solver) for plant in plants]
    if len(plants) < FEWEST:
        return False
    shapes = shapes_of(solvers[0].parts)
    return all(
        may_fly_beside(solver.parts) and shapes_of(solver.parts) == shapes for solver in solvers
    )


class Needs(NamedTuple):
    """What spacecraft need of a loop, as long as their parts are the same.

    names: fields of Extras, without `held`;  seized: of craft_held.seized_in
    """

    names: frozenset[str]
    seized: NDArray[np.bool_]


def needs_of(rows: Rows) -> Needs:
    """Return the Needs of spacecraft, which all have the same kinds of parts."""
    kinds = set(rows.plants[0].spacecraft.kinds)
    borne, tilted = are_borne(rows.parts), are_tilted(rows.parts)
    needed = {
        'magnets': kinds & MAGNETIC, 'within': kinds & INSIDE, 'pushed': are_pushed(rows.parts),
        'delayed': are_delayed(rows.parts), 'borne': borne or tilted, 'tilted': tilted,
    }  # fmt: skip
    names = frozenset(name for name, need in needed.items() if need)
    return Needs(names, seized_in(rows.parts))


def arguments_of(rows: Rows, sensors: Sensors | None, kept_rows: Array, starts: Any) -> tuple:
    """Return the arguments of `loop_for` after those of core.batch.loop.run."""
    read = sensors.arguments if sensors else nothing_read()
    by = alone(rows.plants[0].spacecraft.kinds)
    return (*rows.arguments, starts, by, *read, kept_rows)


def loop_for(rows: Rows, flown: bool = False) -> Kernel:
    """Return `run_beside`, or the loop for craft that need more.

    Craft with gyros or parts that move inside fly alone while a wheel is held. A loop takes a
    compiler half a minute, so craft with gyros share that of gyros on a bearing, and craft on a
    bearing that of held wheels: this costs them little.

    flown: whether they have flown before
    """
    needs = rows.needs
    assert needs  # of craft that fly side by side
    needed, seized = needs.names, None if flown else needs.seized
    if not needed & {'within', 'tilted'} and (
        'borne' in needed or hold_wheels(rows.parts, rows.internal, seized)
    ):
        needed |= {'held'}
    names = tuple(name for name in Extras._fields if name in needed)
    usual = {(): run_beside, ('magnets',): run_magnetic, ('within',): run_within}
    return usual.get(names) or loop_with(names)


# --- the loop ----------------------------------------------------------------------------------


@helper
def take_tick(
    w: Array, wheels: Array, rods: Array, arrays: tuple[Array, ...], duration: float,
    substeps: int, facts: Facts, moving: bool, sensed: bool,
) -> tuple[int, bool]:  # fmt: skip
    """Let every lane in which nothing happens take a tick; return how many did, and `moving`.

    Others are as they were. arrays, facts, moving: of step_on;  sensed: whether to find END
    """
    extras = facts.extras
    for i in range(LANES):
        w[SMOOTH, i] = w[READY, i]
    moving = begin_delays(wheels, extras.delayed) or moving
    begin_pushed(extras.pushed)
    begin_tilting(w, wheels, extras.tilted)
    most = count_steps(w, wheels, rods, arrays[0], facts, duration, substeps, moving)
    if count_smooth(w) < FEWEST:
        for i in range(LANES):
            w[SMOOTH, i], w[ENDED, i] = 0.0, math.nan
        take_all_inside_back(extras.within)
        take_tilts_back(w, wheels, extras.tilted)
        return 0, moving
    moving = step_on(w, wheels, rods, arrays, duration, most, facts, moving)
    for i in range(LANES):
        w[ENDED, i] = w[NOW, i] + w[STEP, i] if most == 1 else math.nan
    if sensed:
        find_ends(w, wheels, rods, arrays, duration, most, facts)
    smooth = count_smooth(w)
    end_delays(w, extras.delayed)
    if smooth < LANES:
        take_back(w, wheels, rods, facts.extras)
    return smooth, moving


@helper
def room_for_lanes(
    rows: tuple[Array, ...], within: Within
) -> tuple[tuple[Array, ...], tuple[Array, ...], tuple[Array, ...], Any]:
    """Return arrays for `fly_block`: lanes, arrays, flat and begun.

    rows: of run_beside
    """
    internal, parts = rows[0], rows[1]
    count, others = place_of(parts[0], WHEELS).number, place_of(parts[0], MAGNETORQUERS).number
    w = from_line(np.zeros((size_with(within) + 1, LANES)))
    wheels = from_line(np.zeros((count + 1, WHEEL_SIZE, LANES)))
    rods = from_line(np.zeros((others + 1, ROD_SIZE, LANES)))
    arrays = (
        from_line(np.zeros((4, HERE_SIZE, LANES))),
        room_for_plates(parts, AIR_SLOT), room_for_plates(parts, LIGHT_SLOT),
        from_line(np.zeros((5, SIZE, LANES))), from_line(np.zeros((5, 2 * (count + 1), LANES))),
    )  # fmt: skip
    states = SIZE + internal.shape[1]
    flat = np.zeros(states), np.zeros(states + END_SIZE), np.zeros(12)
    return (w, wheels, rods), arrays, flat, np.zeros(LANES, np.int64)


@helper
def fly_blocks(
    blocks: Array, records: Array, span: tuple[int, int, int, int], tick_ns: int, substeps: int,
    settled_rate: float, law: Any, constants: Array, memory: Array, rows: tuple[Array, ...],
    starts: Any, advance: Any, functions: Any, sensing: Any, kept_rows: Array, extras: Extras,
) -> None:  # fmt: skip
    """Do what run_beside does."""
    kept, room = (
        room_for_lanes(rows, extras.within),
        room_for_shown(rows[0].shape[1], rows[2].shape[1]),
    )
    lanes, arrays, flat, begun = borrowed(kept)
    w, wheels, rods = lanes
    for b in range(span[0], span[1]):
        read_rows(w, 0, KEPT_SIZE, blocks, b)
        if len(records) > 0:
            read_rows(w, RECORD, run_summary.SIZE, records, b)
        fly_block(
            lanes, arrays, flat, b, begun, span,
            (tick_ns, substeps, settled_rate, len(records) > 0), law,
            (borrowed(constants), borrowed(memory)), borrowed(rows), starts, advance,
            borrowed(room), borrowed(functions), (borrowed(sensing), borrowed(kept_rows)), extras,
        )  # fmt: skip
        write_block(w, wheels, rods, extras, b, borrowed(rows))
        write_rows(w, 0, WRENCH + 12 if len(constants) > 0 else BODY, blocks, b)
        if len(records) > 0:
            write_rows(w, RECORD, run_summary.SIZE, records, b)
    kept[0][0][0, 0], room.seen[0, 0] = 0.0, 0.0  # keeps all alive until here


@lanes_as(f'void({RUN}, {ROWS}, {SENSORS})')
def run_beside(
    blocks: Array, records: Array, span: tuple[int, int, int, int], tick_ns: int, substeps: int,
    settled_rate: float, laws: Sequence[Kernel], constants: Array, memory: Array,
    rows: tuple[Array, ...], starts: Any, one_by_one: Sequence[Kernel], functions: Any,
    sensing: Any, kept_rows: Array,
) -> None:  # fmt: skip
    """Advance blocks of craft as core.batch.loop.run does.

    A craft whose motion cannot be computed is nan from there on, and so are its readings. A call
    of no ticks begins records, and reads the sensors of the craft that begin now.

    rows: of actuated.Rows.arguments;  starts: (N,) tick of the batch at which each has begun
    one_by_one: of `alone`;  functions, sensing, kept_rows: of actuated.run_actuated
    """
    fly_blocks(
        blocks, records, span, tick_ns, substeps, settled_rate, laws[0], constants, memory, rows,
        starts, one_by_one[0], functions, sensing, kept_rows,
        Extras(None, None, None, None, None, None, None),
    )  # fmt: skip


@lanes_as(f'void({RUN}, {ROWS}, {SENSORS})')
def run_magnetic(
    blocks: Array, records: Array, span: tuple[int, int, int, int], tick_ns: int, substeps: int,
    settled_rate: float, laws: Sequence[Kernel], constants: Array, memory: Array,
    rows: tuple[Array, ...], starts: Any, one_by_one: Sequence[Kernel], functions: Any,
    sensing: Any, kept_rows: Array,
) -> None:  # fmt: skip
    """Do what run_beside does, for craft with hysteresis rods or eddy currents, too."""
    magnets = room_for_magnets(rows[1][0])
    fly_blocks(
        blocks, records, span, tick_ns, substeps, settled_rate, laws[0], constants, memory, rows,
        starts, one_by_one[0], functions, sensing, kept_rows,
        Extras(borrowed(magnets), None, None, None, None, None, None),
    )  # fmt: skip
    use_again(magnets, None, None, None, None, None, None)


@lanes_as(f'void({RUN}, {ROWS}, {SENSORS})', aligned=False)
def run_within(
    blocks: Array, records: Array, span: tuple[int, int, int, int], tick_ns: int, substeps: int,
    settled_rate: float, laws: Sequence[Kernel], constants: Array, memory: Array,
    rows: tuple[Array, ...], starts: Any, one_by_one: Sequence[Kernel], functions: Any,
    sensing: Any, kept_rows: Array,
) -> None:  # fmt: skip
    """Do what run_beside does, for craft in which parts move, too."""
    within = room_for_parts(rows[1][0])
    fly_blocks(
        blocks, records, span, tick_ns, substeps, settled_rate, laws[0], constants, memory, rows,
        starts, one_by_one[0], functions, sensing, kept_rows,
        Extras(None, borrowed(within), None, None, None, None, None),
    )  # fmt: skip
    use_again(None, within, None, None, None, None, None)


@functools.cache
def loop_with(names: tuple[str, ...]) -> Kernel:
    """Return the loop for craft with some of the arrays of Extras, by name.

    Few craft have several of them. It is compiled when it is first called, not before.
    """
    magnets = room_for_magnets if 'magnets' in names else nothing
    within = room_for_parts if 'within' in names else nothing
    pushed = room_for_pushed if 'pushed' in names else nothing
    held = room_for_held if 'held' in names else nothing
    delayed = room_for_delayed if 'delayed' in names else nothing
    borne = room_for_borne if 'borne' in names else nothing
    tilted = room_for_tilted if 'tilted' in names else nothing

    def run_with(
        blocks: Array, records: Array, span: tuple[int, int, int, int], tick_ns: int,
        substeps: int, settled_rate: float, laws: Sequence[Kernel], constants: Array,
        memory: Array, rows: tuple[Array, ...], starts: Any, one_by_one: Sequence[Kernel],
        functions: Any, sensing: Any, kept_rows: Array,
    ) -> None:  # fmt: skip
        """Do what run_beside does, for craft that have more."""
        first = rows[1][0]
        extras = Extras(
            magnets(first), within(first), pushed(rows), held(first), delayed(first),
            borne(first), tilted(first),
        )  # fmt: skip
        fly_blocks(
            blocks, records, span, tick_ns, substeps, settled_rate, laws[0], constants, memory,
            rows, starts, one_by_one[0], functions, sensing, kept_rows, borrowed(extras),
        )  # fmt: skip
        use_again(*extras)

    aligned = not {'within', 'tilted'} & set(names)
    return lanes_as(f'void({RUN}, {ROWS}, {SENSORS})', aligned)(run_with)


@helper
def nothing(rows: Any) -> None:
    """Return None."""


@part
def use_again(
    magnets: Magnets, within: Within, pushed: Pushed | None, held: Array | None,
    delayed: Delayed | None, borne: Array | None, tilted: Tilted | None,
) -> None:  # fmt: skip
    """Keep arrays that were borrowed alive until here."""
    if magnets is not None:
        magnets[0][0, 0, 0] = magnets[1][0, 0, 0] = 0.0
    if within is not None:
        within[0][0][0, 0, 0] = 0.0
    if pushed is not None:
        pushed.states[0, 0] = pushed.works[0, 0] = pushed.jets[0, 0] = 0.0
    if held is not None:
        held[0, 0] = 0.0
    if delayed is not None:
        delayed.queues[0, 0, 0] = delayed.rows[0, 0, 0] = delayed.clock[0, 0] = 0.0
        delayed.decays[0, 0, 0] = 0.0
    if borne is not None:
        borne[0, 0] = 0.0
    if tilted is not None:
        tilted.gimbals[0, 0, 0] = tilted.clock[0, 0] = 0.0


@helper
def fly_block(
    lanes: tuple[Array, Array, Array], arrays: tuple[Array, ...],
    flat: tuple[Array, Array, Array], b: int, begun: Any, span: tuple[int, int, int, int],
    how: tuple[int, int, float, bool], law: Any, own: tuple[Array, Array],
    rows: tuple[Array, ...], starts: Any, advance: Any, shown: Shown, functions: Any,
    reading: tuple[Any, Array], extras: Extras,
) -> None:  # fmt: skip
    """Advance the craft of block b, of which w has the rows that are kept; see run_beside.

    lanes: w, wheels and rods;  arrays: of craft_tick.step_on;  flat: of fly_alone
    how: tick_ns, substeps, settled_rate, and whether records are kept
    own: constants and memory of the law;  reading: sensing and kept_rows
    """
    w, wheels, rods = lanes
    tick_ns, substeps, settled_rate, watched = how
    (constants, memory), (sensing, kept_rows) = own, reading
    _, _, tick, ticks = span
    lawful, sensed, here = len(constants) > 0, len(sensing[0]) > 0, arrays[0]
    step = seconds_of(1, tick_ns)
    most = (substeps if substeps > 0 else MOST_STEPS) * math.pi / step
    facts = read_block(w, wheels, rods, arrays[1:3], extras, b, rows, starts, begun)
    until, moving = fit_skies(w, b, tick, tick_ns, rows, begun), True
    find_motion(w, wheels, extras.within, extras.held, extras.tilted)
    speeds = take_all_commands(w, wheels, rods, extras, b, rows, step)
    if watched and ticks == 0:
        begin_tick(w, here, begun, tick, tick_ns, facts)
        see_energy(w, wheels, here, extras)
        begin_records(w, settled_rate)
    if lawful or sensed:
        begin_shown(w, wheels, rods, b, tick, begun, tick_ns, rows, shown, extras)
    if sensed and ticks == 0:
        sense_first(w, b, tick, begun, rows, shown, functions, sensing, kept_rows)
    for k in range(tick, tick + ticks):
        if k >= until:
            until = fit_skies(w, b, k, tick_ns, rows, begun)
            for i in range(LANES):
                w[ENDED, i] = math.nan
        begin_tick(w, here, begun, k, tick_ns, facts)
        if lawful:
            obey_lanes(w, b, k, begun, law, constants, memory, rows, shown)
        if lawful or speeds:
            speeds, moving = take_all_commands(w, wheels, rods, extras, b, rows, step), True
        smooth, moving = take_tick(w, wheels, rods, arrays, step, substeps, facts, moving, sensed)
        if smooth < LANES:
            fly_others(
                w, wheels, rods, b, k, begun, tick_ns, substeps, most, rows, advance, flat, extras
            )
            find_motion(w, wheels, extras.within, extras.held, extras.tilted)
        give_up_lanes(w, wheels, rods, extras, most)
        if watched:
            begin_tick(w, here, begun, k + 1, tick_ns, facts)
            see_energy(w, wheels, here, extras)
            follow_lanes(w, k + 1, settled_rate)
        if lawful or sensed:
            show_lanes(w, wheels, rods, b, k + 1, begun, tick_ns, rows, shown, extras)
        if sensed:
            sense_lanes(w, b, k + 1, k - tick, begun, rows, shown, functions, sensing, kept_rows)
            note_lost(w, shown)
    if sensed:
        keep_ends(w, b, rows, shown)
