# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A compiled law of a batch, and what prepares it before each tick."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.batch.estimators import Estimators
    from spacecraft_attitude_sim.core.batch.sharing import Shares
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.ticks import Ticks
    from spacecraft_attitude_sim.kernels.kernel import Kernel


class Law(NamedTuple):
    """A control law for every body of a batch, with its sensors and actuators if it has them.

    function: made by law_function;  constants: (N, any);  memory: (N, any) at the start
    before: function of Present that prepares the law, called before each tick; None for none
    aboard: core.batch.estimators.Estimators that do so, or None
    """

    function: Kernel
    constants: Array
    memory: Array
    before: Callable[[Present], None] | None = None
    aboard: Estimators | None = None


class Present(NamedTuple):
    """What prepares a law is given of a batch at an instant: no copies.

    starts: (N,) tick at which each body has begun;  sensors: Sensors, which have read
    memory: (N, any) of the law, to be written;  shares: Shares of the batch
    """

    tick: int
    ticks: Ticks
    starts: NDArray[np.int64]
    sensors: Any
    memory: Array
    shares: Shares
