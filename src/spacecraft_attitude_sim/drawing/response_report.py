# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The closed-loop response in a bag: figures of merit as text, and a figure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.control import response
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS
from spacecraft_attitude_sim.drawing import colors, curves
from spacecraft_attitude_sim.drawing.curves import Panel

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, VectorLike
    from spacecraft_attitude_sim.recording.history import History


# An overshoot beyond this says only that the first error was small.
MOST_OVERSHOOT = 10.0


class Response(NamedTuple):
    """A controlled run, one row per instant.

    time: (n,) [s];  rates_B: (n, 3) [rad/s]
    torques_B: (n, 3) commanded in the tick that ends at `time` [N m], NaN if unknown
    errors: (n, 3) rotation vectors from reference to body [rad], None if the reference is not
        known
    """

    time: Array
    rates_B: Array
    torques_B: Array
    errors: Array | None

    def merit(self) -> response.Merit:
        """Return the Merit of the attitude error; without a reference, of the angular velocity."""
        error = self.rates_B if self.errors is None else self.errors
        return response.merit(self.time, error, np.linalg.norm(self.torques_B, axis=1))


class RateRecord:
    """Figures of merit of a run with an unknown controller and reference.

    step: interval of the instants [s]
    commanded: whether a held wrench has acted;  rate, largest_rate: magnitude of ω [rad/s]
    unsettled: last time at which the rate was above response.BAND times its largest [s]
    torque_impulse: integral of |torque| [N m s];  largest_torque: [N m]
    """

    def __init__(self, step: float = TICK_SECONDS) -> None:
        self._step = step
        self.commanded = False
        self.rate = self.largest_rate = self.unsettled = 0.0
        self.torque_impulse = self.largest_torque = 0.0

    def add(self, time: float, rate_B: VectorLike, torque_B: VectorLike, commanded: bool) -> None:
        """Add an instant [s] with ω (3,) [rad/s] and the mean torque (3,) since the last [N m]."""
        self.commanded = self.commanded or commanded
        self.rate, torque = math.hypot(*rate_B), math.hypot(*torque_B)
        self.largest_rate = max(self.largest_rate, self.rate)
        if self.rate > response.BAND * self.largest_rate:
            self.unsettled = time
        self.torque_impulse += torque * self._step
        self.largest_torque = max(self.largest_torque, torque)

    @property
    def settled(self) -> bool:
        """Whether the rate is now within the band."""
        return self.rate <= response.BAND * self.largest_rate

    def text(self) -> str:
        """Return a summary with one line per figure of merit."""
        settled = f'after {self.unsettled:.2f} s' if self.settled else 'not yet'
        rates = f'{math.degrees(self.rate):.3g} deg/s'
        return _lines(
            ('rate at the end', f'{rates} (largest {math.degrees(self.largest_rate):.3g} deg/s)'),
            ('rate settled', f'{settled} (to {100.0 * response.BAND:g} % of the largest)'),
            ('torque impulse', f'{self.torque_impulse:.4g} N m s'),
            ('largest torque', f'{self.largest_torque:.4g} N m'),
        )


def of_history(history: History) -> Response | None:
    """Return the Response of a History; None for a run without command/wrench.

    If the reference is known only in some rows, the others are left out.
    """
    control = history.control
    if control is None:
        return None
    whole = Response(history.time, history.angular_velocity_B, control.torque_B, None)
    known = np.isfinite(control.q_WR[:, 0])
    if not known.any():
        return whole
    errors = response.attitude_errors(control.q_WR[known], history.q_WB()[known])
    return Response(whole.time[known], whole.rates_B[known], whole.torques_B[known], errors)


def text(merit: response.Merit, pointing: bool) -> str:
    """Return a summary with one line per figure of merit."""
    unit = 'deg' if pointing else 'deg/s'
    overshoot = f'{100.0 * merit.overshoot:.2f} %'
    if merit.overshoot > MOST_OVERSHOOT:
        overshoot = f'over {100.0 * MOST_OVERSHOOT:g} % of the first error, which is small'
    settling = f'{merit.settling_time:.2f} s' if math.isfinite(merit.settling_time) else 'not yet'
    return _lines(
        ('error of', 'attitude' if pointing else 'angular velocity'),
        ('settling time', f'{settling} (to {100.0 * response.BAND:g} % of the first error)'),
        ('overshoot', overshoot),
        ('steady error', f'{math.degrees(merit.steady_error):.3g} {unit} (rms of the last tenth)'),
        ('torque impulse', f'{merit.torque_impulse:.4g} N m s'),
        ('largest torque', f'{merit.largest_torque:.4g} N m'),
    )


def _lines(*lines: tuple[str, str]) -> str:
    return '\n'.join(f'  {label:16} {value}' for label, value in lines)


def panels(found: Response) -> list[Panel]:
    """Return the Panels of a Response: error angle if known, angular velocity, torque."""
    made = []
    if found.errors is not None:
        angles_deg = np.degrees(np.linalg.norm(found.errors, axis=1))[:, np.newaxis]
        made.append(Panel(
            angles_deg, 'error angle [deg]', ('error',), (colors.ERROR,), from_zero=True,
            key='error', log=curves.spans_decades(angles_deg),
        ))  # fmt: skip
    rates_deg, torques_mNm = np.degrees(found.rates_B), 1e3 * found.torques_B
    torque = 'torque\nbody axes [mN m]'
    made.append(Panel(rates_deg, 'angular velocity\nbody axes [deg/s]'))
    made.append(Panel(torques_mNm, torque, style='steps-pre', key='torque'))
    return made


def panels_of_history(history: History) -> list[Panel]:
    """Return the Panels of a History's response at all its instants, without rates.

    Values that are not known are NaN. A run without commands has no such panels.
    """
    control = history.control
    if control is None:
        return []
    known = np.isfinite(control.q_WR[:, 0])
    errors = np.full((len(history.time), 3), np.nan) if known.any() else None
    found = of_history(history)
    if errors is not None and found is not None and found.errors is not None:
        errors[known] = found.errors
    whole = Response(history.time, history.angular_velocity_B, control.torque_B, errors)
    return [panel for panel in panels(whole) if panel.key]


def figure(found: Response, title: str) -> Any:
    """Return a matplotlib Figure of error angle, angular velocity and torque over time."""
    from matplotlib import pyplot

    pointing = found.errors is not None
    drawn, axes = pyplot.subplots(
        2 + pointing, 1, figsize=(8.0, 5.4 + 2.4 * pointing), sharex=True, layout='constrained'
    )
    merit = found.merit()
    for axis, panel in zip(axes, panels(found), strict=True):
        curves.draw(axis, found.time, panel)
        if panel.key == 'error':
            level = response.BAND * panel.values[0, 0]
            axis.axhline(level, color='0.6', linestyle=':', linewidth=1.0)
        if math.isfinite(merit.settling_time):
            settled = found.time[0] + merit.settling_time
            axis.axvline(settled, color='0.6', linestyle=':', linewidth=1.0)
    drawn.suptitle(title)
    drawn.align_ylabels()
    axes[-1].set_xlabel(f'time [s]      (dotted: settled to {100.0 * response.BAND:g} %)')
    axes[-1].set_xlim(found.time[0], found.time[-1])
    return drawn
