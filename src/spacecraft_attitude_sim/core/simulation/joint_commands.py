# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Commands to named actuators: checked on arrival, limited, held until a timeout.

Wheels, gimbals, thrusters and magnetorquers are commanded alike: by name, one number each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.actuators.inputs import COMMANDED
from spacecraft_attitude_sim.core.simulation.commands import CommandRefusedError
from spacecraft_attitude_sim.core.ticks import DEFAULT, Ticks
from spacecraft_attitude_sim.safety.quoting import cut

if TYPE_CHECKING:
    from collections.abc import Hashable

    from spacecraft_attitude_sim.core.actuators import Inputs
    from spacecraft_attitude_sim.core.mathematics.types import Array, VectorLike
    from spacecraft_attitude_sim.core.parts.control_moment_gyros.description import (
        ControlMomentGyros,
    )
    from spacecraft_attitude_sim.core.parts.magnetorquers.description import Magnetorquers
    from spacecraft_attitude_sim.core.parts.reaction_wheels.description import ReactionWheels
    from spacecraft_attitude_sim.core.parts.thrusters.description import Thrusters
    from spacecraft_attitude_sim.core.simulation.limits import CommandLimits
    from spacecraft_attitude_sim.core.spacecraft import Spacecraft

    # (index of an actuator, index of a Way, value)
    Asked = tuple[int, int, float]
    # Of each actuator: (place of a Way, value), ticks left, source.
    Kept = tuple[list[tuple[int, float]], list[float], list[Hashable], int, float]


class Way(NamedTuple):
    """A command mode: one quantity by which actuators are commanded.

    field: of a JointState, in its `unit`;  part: of Inputs
    lows, highs: (N,) limits; a command beyond them is clipped
    refused: {name: why, and the remedy} of actuators that do not have this mode
    """

    field: str
    unit: str
    part: str
    lows: Array
    highs: Array
    refused: Mapping[str, str] = {}  # noqa: RUF012 (nobody writes to it)


class Kind(NamedTuple):
    """A kind of actuator that can be commanded.

    what: the word for one of them;  names: N different names
    ways: one or two command modes. Each actuator starts in the first, with 0; a nan in the second
        means the first
    judge: check of all commands that one source would hold, (limits, list of Asked); raises
        ValueError for too much; None for no such check
    """

    what: str
    names: tuple[str, ...]
    ways: tuple[Way, ...]
    judge: Callable[[CommandLimits, list[Asked]], None] | None = None


class JointCommands:
    """Keeps the latest command of every actuator of a kind, from any source.

    kind: Kind;  initial: Inputs until the first command, clipped to the limits
    timeout: simulated time a command is held without a new one [s]; 0 is for ever
    exclusive: whether an actuator accepts commands of one source only in each tick
    limits: limits.CommandLimits of the spacecraft; None for no limits;  ticks: Ticks of the run
    taken, saturated: count of commands, and of those that were clipped
    """

    def __init__(
        self,
        kind: Kind,
        initial: Inputs,
        timeout: float,
        exclusive: bool = False,
        limits: CommandLimits | None = None,
        ticks: Ticks = DEFAULT,
    ) -> None:
        self.kind = kind
        self._places = {name: place for place, name in enumerate(kind.names)}
        self._bounds = [
            list(zip(way.lows.tolist(), way.highs.tolist(), strict=True)) for way in kind.ways
        ]
        self._fields = [way.field for way in kind.ways]
        self._spoken = [way.part for way in kind.ways if len(way.refused) < len(kind.names)]
        # Names of the latest command, all valid, and their places.
        self._latest_names: tuple[Sequence[str], list[int]] = (), []
        self._initial = _held_of(kind, initial)
        self._exclusive = exclusive
        self.limits = limits
        self._timeout_ticks = ticks.covering(timeout) or math.inf
        self.taken = 0
        self.saturated = 0
        self.clear()

    def clear(self) -> None:
        """Drop the commands: the initial ones act again."""
        # These lists are replaced and never changed: `kept` gives them away.
        self._held = list(self._initial)  # (index of a Way, value) of each
        self._ends = [math.inf] * len(self._held)  # counts of ticks at which they end
        self._sources: list[Hashable] = [None] * len(self._held)  # of the present commands
        self._ticks, self._first_end = 0, math.inf  # taken so far; no command ends before
        self._parts: dict[str, Array] = {}  # of the latest tick, where they still hold
        self.begin_tick()

    def begin_tick(self) -> None:
        """Begin a tick, in which any source may command any actuator."""
        self._commanded: dict[str, Hashable] = {}  # name -> source, in this tick

    def forget(self, source: Hashable) -> None:
        """Release the actuators that a source commanded in this tick, because it has gone."""
        self._commanded = {name: who for name, who in self._commanded.items() if who != source}

    @property
    def held(self) -> list[float]:
        """Present command of each actuator, in the unit of its mode."""
        return [value for _, value in self._held]

    def in_words(self) -> str:
        """Return the present commands as text, with units where they are not of the first mode."""
        first, *_ = ways = self.kind.ways
        return ', '.join(
            f'{value:g}' if ways[way] is first else f'{value:g} {ways[way].unit}'
            for way, value in self._held
        )

    def command(
        self,
        names: Sequence[str],
        effort: Sequence[float],
        velocity: Sequence[float] = (),
        position: Sequence[float] = (),
        source: Hashable = '',
    ) -> None:
        """Hold a command from the next tick on; actuators that are not named keep theirs.

        names: each at most once;  effort, velocity: one of them has as many values as names, the
            other
        none;  position: none
        Raises CommandRefusedError; then nothing has changed.
        """
        given = {'effort': effort, 'velocity': velocity, 'position': position}
        number = self._way(given)
        way = self.kind.ways[number]
        values = list(map(float, given[way.field]))
        places = self._places_of(names, len(values), way)
        if way.refused or self._exclusive or not math.isfinite(sum(values)):
            for name, value in zip(names, values, strict=True):
                self._check(name, value, way, source)
        bounds = self._bounds[number]
        held = [
            max(bounds[place][0], min(bounds[place][1], value))
            for place, value in zip(places, values, strict=True)
        ]
        self._judge(number, places, held, source)
        self._hold(number, places, held, source)
        self.taken += 1
        self.saturated += held != values

    def _places_of(self, names: Sequence[str], count: int, way: Way) -> Sequence[int]:
        """Return the places of actuators; refuse names that cannot have `count` values of a Way.

        Who commands in every tick gives the same names again, which are checked once.
        """
        known, places = self._latest_names
        if names and names == known and count == len(known):
            return places
        if not names:
            raise CommandRefusedError(
                f'name is empty; name {self.kind.what}s of {list(self._places)}'
            )
        if len(names) != count:
            raise CommandRefusedError(
                f'name has {len(names)} values and {way.field} {count}; give as many'
            )
        if len(set(names)) < len(names):
            raise CommandRefusedError(
                f'a {self.kind.what} is named twice; give each one {way.field}'
            )
        for name in names:
            if name not in self._places:
                raise CommandRefusedError(
                    f"there is no {self.kind.what} '{cut(name)}'; there are "
                    f'{cut(", ".join(self._places))}'
                )
        places = [self._places[name] for name in names]
        self._latest_names = names[:], places  # a copy: who gives a list may change it
        return places

    def _hold(
        self, number: int, places: Sequence[int], held: Sequence[float], source: Hashable
    ) -> None:
        """Hold the values of a Way at some places from the next tick on."""
        present, ends, sources = self._held.copy(), self._ends.copy(), self._sources.copy()
        end = self._ticks + self._timeout_ticks
        for place, value in zip(places, held, strict=True):
            present[place], ends[place], sources[place] = (number, value), end, source
        if self._exclusive:
            for place in places:
                self._commanded[self.kind.names[place]] = source
        self._held, self._ends, self._sources = present, ends, sources
        self._first_end, self._parts = min(ends), {}

    def _way(self, given: Mapping[str, Sequence[float]]) -> int:
        """Return the index of the Way of a command; 0 where no field has values."""
        spoken = [field for field, values in given.items() if len(values)]
        for field in spoken:
            if field not in self._fields:
                takes = ' or '.join(f'{way.field} [{way.unit}]' for way in self.kind.ways)
                raise CommandRefusedError(
                    f'{field} is given; a {self.kind.what} takes {takes}: give that and no {field}'
                )
        if len(spoken) > 1:
            raise CommandRefusedError(f'{" and ".join(spoken)} are given; give one of them')
        return self._fields.index(spoken[0]) if spoken else 0

    def _check(self, name: str, value: float, way: Way, source: Hashable) -> None:
        """Refuse a value of one actuator that is invalid, or not allowed in this tick."""
        if not math.isfinite(value):
            raise CommandRefusedError(f"{way.field} of '{name}' is {value}; it is not finite")
        if name in way.refused:
            raise CommandRefusedError(f"{way.field} of '{name}' is given, {way.refused[name]}")
        if self._exclusive and self._commanded.get(name, source) != source:
            what = self.kind.what
            raise CommandRefusedError(
                f"another node commands {what} '{name}' in this tick; in lockstep each {what} "
                'takes one node: leave it to one of them'
            )

    def _judge(
        self, number: int, places: Sequence[int], held: Sequence[float], source: Hashable
    ) -> None:
        """Refuse values at places where all that the source would then hold exceeds the limits."""
        if self.limits is None or self.kind.judge is None:
            return
        asked = [(place, number, value) for place, value in zip(places, held, strict=True)]
        if len(places) < len(self._held):
            asked += [
                (place, *present)
                for place, present in enumerate(self._held)
                if place not in places and self._sources[place] == source
            ]
        try:
            self.kind.judge(self.limits, asked)
        except ValueError as error:
            raise CommandRefusedError(str(error)) from None

    def take(self) -> dict[str, Array]:
        """Return {part of Inputs: (N,)} of the tick that begins, and count the tick."""
        parts = self._parts or self._parts_now()
        self._parts, self._ticks = parts, self._ticks + 1
        if self._ticks >= self._first_end:
            over = [end <= self._ticks for end in self._ends]
            self._held = [
                (0, 0.0) if ended else one for one, ended in zip(self._held, over, strict=True)
            ]
            self._ends = [
                math.inf if ended else end for end, ended in zip(self._ends, over, strict=True)
            ]
            self._first_end, self._parts = min(self._ends), {}
        return parts

    def go_on(self, ticks: int, taken: int, saturated: int) -> None:
        """Be as after ticks that had their commands elsewhere; the next one is due now.

        taken, saturated: how many there have been in the whole run
        """
        self._ticks, self.taken, self.saturated = self._ticks + ticks, taken, saturated
        self._ends = [end + ticks for end in self._ends]
        self._first_end, self._parts = min(self._ends), {}

    def _parts_now(self) -> dict[str, Array]:
        """Return what `take` returns; nobody may write to it, because ticks share it."""
        values = [[0.0 if way else value for way, value in self._held]]
        if len(self._spoken) > 1:
            values.append([value if way else math.nan for way, value in self._held])
        rows = np.array(values)
        rows.flags.writeable = False
        return dict(zip(self._spoken, rows, strict=True))

    @property
    def kept(self) -> Kept:
        """What is held, when it ends and whose it is, for `put_back`."""
        return self._held, self._ends, self._sources, self._ticks, self._first_end

    def put_back(self, kept: Kept) -> None:
        """Be as when it was `kept`: commands were not given, or a tick did not come."""
        self._held, self._ends, self._sources, self._ticks, self._first_end = kept
        self._parts = {}


class DipoleCommands(JointCommands):
    """Keeps the dipoles of magnetorquers; one vector command is distributed over them.

    magnetorquers: Magnetorquers;  options: as of JointCommands, from `initial` on
    """

    def __init__(self, magnetorquers: Magnetorquers, *options: Any, **more: Any) -> None:
        most = magnetorquers.max_dipoles
        kind = kind_of('magnetorquers', magnetorquers.names, (-most, most))
        super().__init__(kind, *options, **more)
        self._magnetorquers = magnetorquers

    def share(self, dipole_B: VectorLike, source: Hashable = '') -> None:
        """Hold the dipole (3,) [A m^2] from the next tick on; each rod takes its part, clipped.

        Raises CommandRefusedError; then nothing has changed.
        """
        x, y, z = asked = list(map(float, dipole_B))
        if not all(map(math.isfinite, asked)):
            raise CommandRefusedError('a component is not finite')
        shares = self._magnetorquers.shared(x, y, z)
        if not all(map(math.isfinite, shares)):
            raise CommandRefusedError(
                f'dipole is {asked} A m^2, too large to be shared; check the unit'
            )
        self.command(self._magnetorquers.names, shares, source=source)


def _held_of(kind: Kind, inputs: Inputs) -> list[tuple[int, float]]:
    """Return (index of a Way, value) of each actuator under Inputs."""
    held = [(0, 0.0)] * len(kind.names)
    for number, way in enumerate(kind.ways):
        for place, value in enumerate(getattr(inputs, way.part).tolist()):
            if not math.isnan(value):
                held[place] = number, value
    return held


# --- the kinds -----------------------------------------------------------------------------------


def offered(spacecraft: Spacecraft) -> dict[str, tuple[Callable[..., JointCommands], Any]]:
    """Return {word for the kind: (function that makes its JointCommands, first argument)}."""
    make: dict[str, Callable[..., JointCommands]] = {
        'wheels': wheel_commands, 'gimbals': gimbal_commands, 'thrusters': thruster_commands,
        'magnetorquers': DipoleCommands,
    }  # fmt: skip
    kinds = spacecraft.groups
    return {
        commandable.word: (make[kind], kinds[kind])
        for kind, commandable in COMMANDED.items()
        if kind in kinds
    }


def kind_of(kind: str, names: tuple[str, ...], *limits: Any, **judge: Any) -> Kind:
    """Return the Kind of actuators with these names.

    limits: of each mode of COMMANDED[kind]: (lows, highs), and refused of Way if there are any
    """
    declared = COMMANDED[kind]
    ways = tuple(
        Way(mode.field, mode.unit, mode.part, *several)
        for mode, several in zip(declared.modes, limits, strict=True)
    )
    return Kind(declared.word, names, ways, **judge)


def wheel_commands(wheels: ReactionWheels, *options: Any, **more: Any) -> JointCommands:
    """Return the JointCommands of wheels: torques of the motors, or speeds.

    options: as of JointCommands, from `initial` on
    """
    deaf = {
        name: (
            f'and wheel.{name}.speed_bandwidth is 0, so that nothing follows a speed: give effort '
            '[N m], or that parameter'
        )
        for name, one in zip(wheels.names, wheels.each, strict=True)
        if not one.speed_bandwidth
    }
    torque, speed = wheels.torque_limits, wheels.speed_limits
    inertias = wheels.inertias.tolist()

    def judge(limits: CommandLimits, asked: list[Asked]) -> None:
        limits.check_motors(*[value for _, way, value in asked if way == 0])
        limits.check_momentum(sum([abs(inertias[k] * value) for k, way, value in asked if way]))

    bounds = (-torque, torque), (-speed, speed, deaf)
    return JointCommands(kind_of('wheels', wheels.names, *bounds, judge=judge), *options, **more)


def gimbal_commands(gyros: ControlMomentGyros, *options: Any, **more: Any) -> JointCommands:
    """Return the JointCommands of gimbals: their rates, or torques on them.

    options: as of JointCommands, from `initial` on
    """
    rate, torque = (
        np.array([getattr(one, name) for one in gyros.gyros])
        for name in ('max_rate', 'max_torque')
    )
    inertias = [float(np.asarray(one.inertias)[2]) for one in gyros.gyros]

    def judge(limits: CommandLimits, asked: list[Asked]) -> None:
        for _, way, value in asked:
            if way == 0 and not abs(value) <= limits.rate:
                raise ValueError(
                    f'velocity of {value:g} rad/s turns a gimbal faster than {limits.substeps} '
                    f'resolve, {limits.rate:g} rad/s: give less, and check the unit'
                )
        limits.check_motors(*[value for _, way, value in asked if way])
        limits.check_momentum(
            sum([abs(inertias[k] * value) for k, way, value in asked if way == 0])
        )

    bounds = (-rate, rate), (-torque, torque)
    return JointCommands(kind_of('gimbals', gyros.names, *bounds, judge=judge), *options, **more)


def thruster_commands(thrusters: Thrusters, *options: Any, **more: Any) -> JointCommands:
    """Return the JointCommands of thrusters: their mean forces.

    options: as of JointCommands, from `initial` on
    """
    most = thrusters.max_forces
    fully = [
        np.concatenate((one.force_B, np.cross(one.position_B, one.force_B), np.zeros(6)))
        for one in thrusters.thrusters
    ]

    sizes = [float(np.sum(np.abs(one))) / limit for one, limit in zip(fully, most, strict=True)]

    def judge(limits: CommandLimits, asked: list[Asked]) -> None:
        if not sum([value * sizes[k] for k, _, value in asked]) < limits.harmless:
            limits.check_wrench(*(value / most[k] * fully[k] for k, _, value in asked))

    bounds = np.zeros(len(most)), most
    kind = kind_of('thrusters', thrusters.names, bounds, judge=judge)
    return JointCommands(kind, *options, **more)
