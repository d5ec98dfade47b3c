# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What all kinds of parts of a spacecraft answer, in Python; their compiled phases: kind.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spacecraft_attitude_sim.core.actuators import Inputs
    from spacecraft_attitude_sim.core.mathematics.channel import Channel
    from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3, Vector3
    from spacecraft_attitude_sim.core.parts.craft import Place


class Setting(NamedTuple):
    """What the constants of parts depend on beside the parts.

    inverse_inertia: (3, 3) of the carrier, body axes [1/(kg m^2)];  seed: of random streams
    queued: length of each wheel's queue of commands;  places: {kind: Place}
    """

    inverse_inertia: Matrix3
    seed: int
    queued: int
    places: Mapping[str, Place]


class Start(NamedTuple):
    """The motion at the start.

    angular_velocity_B: (3,) [rad/s]
    velocity_B: of the origin relative to the centre of mass (3,) [m/s]
    wheel_speeds: (N,) relative to the body [rad/s], None for locked
    wheel_torque: (N,) of motors with lag or dead time before it [N m], None for none
    queued: length of each wheel's queue of commands
    """

    angular_velocity_B: Vector3
    velocity_B: Vector3
    wheel_speeds: Array | None = None
    wheel_torque: Array | None = None
    queued: int = 0


class Commanded(NamedTuple):
    """What the commanded torque of parts depends on.

    own: states by name of Part.pieces;  inputs: of the tick that ended now;  step: its length [s]
    omega_B: (3,) [rad/s];  field_B: returns the magnetic field (3,) [T]
    value: as of core.spacecraft.channels.Moment
    """

    own: Mapping[str, Array]
    inputs: Inputs
    omega_B: Vector3
    field_B: Callable[[], Vector3]
    step: float
    value: Callable[[str, str], Any]


class Part:
    """All parts of one kind together; constant, because their states are in State.internal.

    A subclass overrides what it has. Without that it stores no momentum, takes no command and has
    no states. Parts that have names have them in `names`; a part without names is one.

    kind: name in core.parts.registry;  title: of the kind in messages
    group: name in states, tables and commands
    PREFIX, CHANNELS: of its columns, and what it tells
    inside: whether it moves inside: an InternalPart
    detailed: whether core.equations.multibody must integrate it
    acts_uncommanded: whether it changes energy or angular momentum without a command
    switches: whether one may switch within a tick, as Kind.switch does
    rubs: whether it loses energy to friction between body and rotors
    queued: length of its queues of commands
    inertia_B: (3, 3) its part of the body's inertia that the carrier lacks [kg m^2], or None
    turning: of parts that turn about axes of their own: a word for them, and for their inertia
    command_scale: what its commands are divided by, or None
    """

    kind: ClassVar[str]
    title: ClassVar[str]
    group: ClassVar[str]
    PREFIX: ClassVar[str] = ''
    CHANNELS: ClassVar[tuple[Channel, ...]] = ()
    inside: ClassVar[bool] = False
    detailed: bool = True
    acts_uncommanded: bool = False
    rubs: bool = False
    switches: bool = True
    queued: int = 0
    inertia_B: Any = None
    turning: ClassVar[tuple[str, ...]] = ()
    command_scale: Any = None

    @property
    def number(self) -> int:
        """How many they are."""
        return len(getattr(self, 'names', ' '))

    @property
    def pieces(self) -> dict[str, str]:
        """{name of their states: kind of the registry that has their rows}."""
        return {self.group: self.kind}

    def rows(self, setting: Setting) -> Array:
        """Return the constants (n, size) of each, of the kind's `row`, for the compiled step."""
        raise NotImplementedError

    def constants(self, setting: Setting) -> dict[str, Array]:
        """Return the constants by name of `pieces`."""
        return {self.group: self.rows(setting)}

    def initial(self, start: Start) -> Array:  # noqa: ARG002
        """Return the states of all of them at the start, flat."""
        return np.zeros(0)

    def initial_pieces(self, start: Start) -> dict[str, Array]:
        """Return the states at the start, flat, by name of `pieces`."""
        return {self.group: self.initial(start)}

    def in_detail(self) -> Part:
        """Return the same for core.equations.multibody."""
        return self

    def stored_B(self, own: Mapping[str, Array], omega_B: Vector3) -> Vector3:  # noqa: ARG002
        """Return the angular momentum (3,) of rotors and gimbals [N m s]; own: as in Commanded."""
        return np.zeros(3)

    def kinetic_energy(self, internal: Array) -> float:  # noqa: ARG002
        """Return the kinetic energy of the stored momentum [J]; internal: their states."""
        return 0.0

    def set_rate(self, own: Mapping[str, Array], change_B: Vector3, moved_B: Vector3) -> None:
        """Write the states after ω is set to another value, relative motion unchanged.

        own: as in Commanded, written to;  change_B: of ω (3,) [rad/s]
        moved_B: change_B × centre of mass from the origin (3,) [m/s]
        """

    def held_work(self, internal: Array, change_B: Vector3) -> float:  # noqa: ARG002
        """Return the work [J] of motors that keep speeds during an impulse on the body.

        internal: their states;  change_B: change of ω by the impulse (3,) [rad/s]
        """
        return 0.0

    def add_torque_B(self, total_B: Vector3, now: Commanded) -> Vector3:  # noqa: ARG002
        """Return a torque (3,) [N m] with that of their commands on the rest added, body axes."""
        return total_B

    def is_pushed(self, in_field: bool) -> bool:  # noqa: ARG002
        """Return whether they exert an external load without a command.

        in_field: whether there is a magnetic field
        """
        return False
