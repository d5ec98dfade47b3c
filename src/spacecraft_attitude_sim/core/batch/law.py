# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A compiled law of a batch, and what prepares it before each tick."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.batch.sharing import Shares
    from spacecraft_attitude_sim.core.estimation.settings import Settings
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.sensors.suite import Readings
    from spacecraft_attitude_sim.core.ticks import Ticks
    from spacecraft_attitude_sim.kernels.kernel import Kernel


class Law(NamedTuple):
    """A control law for every body of a batch, with its sensors and actuators if it has them.

    function: made by law_function;  constants: (N, any);  memory: (N, any) at the start
    before: function of Present that prepares the law, called before each tick; None for none
    aboard: what does so, or None
    """

    function: Kernel
    constants: Array
    memory: Array
    before: Callable[[Present], None] | None = None
    aboard: Aboard | None = None


class Present(NamedTuple):
    """What prepares a law is given of a batch at an instant: no copies.

    starts: (N,) tick at which each body has begun;  sensors: Sensors, which have read
    memory: (N, any) of the law, to be written;  shares: Shares of the batch
    motion: function that returns states (N, 13) and internal states (N, any), copies
    unusual: {number of a craft: core.sensors.Readings} where a reading is lost, or not in time
    """

    tick: int
    ticks: Ticks
    starts: NDArray[np.int64]
    sensors: Any
    memory: Array
    shares: Shares
    motion: Callable[[], tuple[Array, Array]]
    unusual: Mapping[int, Readings] = MappingProxyType({})


class Aboard(Protocol):
    """What reads the sensors of the craft of a batch for their controllers, before each tick.

    orders: whether it writes ORDER behind the ESTIMATE of core.batch.attitude_law_layout
    sees_wheels: whether it is to be given the speeds of wheels
    """

    orders: bool
    sees_wheels: bool

    def before(self, now: Present, rows: Array, speeds: Array) -> None:
        """Write what each controller is to know, rows (N, any), at an instant.

        speeds: (N, any) that the tachometers say [rad/s], empty unless it sees wheels
        """

    def pointed_at(self, tick: int, clock: Ticks) -> Array:
        """Return what each points at after so many ticks (N, 4), where it writes orders."""

    @property
    def settings(self) -> Sequence[Settings]:
        """The Settings of the estimators."""

    hear: Callable[[int, Array, Array, NDArray[np.int64], list[Any]], None] | None
