# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The panels of a figure over time, with frames, units and style."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.types import Array
from spacecraft_attitude_sim.drawing import colors

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from spacecraft_attitude_sim.recording.history import History

LETTERS = ('x', 'y', 'z')
ATTITUDES = ('euler', 'quaternion', 'axes')
ATTITUDE = 'attitude'
# An axis of magnitudes is logarithmic if they span more than this factor.
LARGEST_SPAN = 100.0
# Curves drawn wide and below the others, because these may coincide with them.
WHOLES = ('|L|', 'sum')


class Panel(NamedTuple):
    """Curves over time.

    values: (n, k);  label: of the vertical axis, with frame and unit
    names, colors: (k,) of the curves;  note: text above them
    from_zero: whether the axis includes 0, so that round-off is not magnified
    height: [inch];  style: drawstyle of matplotlib
    key: its name, one of panel_names.NAMES;  log: whether the axis is logarithmic
    """

    values: np.ndarray
    label: str
    names: tuple = LETTERS
    colors: tuple = colors.AXES
    note: str = ''
    from_zero: bool = False
    height: float = 2.4
    style: str = 'default'
    key: str = ''
    log: bool = False


def attitude_panels(history: History, attitude: str | None) -> list[Panel]:
    """Return the Panels of the attitude; attitude: one of ATTITUDES, None for euler."""
    if attitude == 'quaternion':
        names, shades = ('w', *LETTERS), (colors.WHOLE, *colors.AXES)
        return [Panel(history.q_WB(), 'quaternion\nbody to world', names, shades, key=ATTITUDE)]
    if attitude == 'axes':
        C_WB = np.array([rotations.dcm_from_quaternion(q_WB) for q_WB in history.q_WB()])
        return [
            Panel(C_WB[:, :, axis], f'body {letter} axis\nin world', height=1.7, key=ATTITUDE)
            for axis, letter in enumerate(LETTERS)
        ]
    angles_deg = _broken_at_wraps(np.degrees(history.euler_zyx))
    return [Panel(angles_deg, 'attitude [deg]', ('yaw', 'pitch', 'roll'), key=ATTITUDE)]


def euler_panel(history: History) -> Panel:
    """Return the Panel of a History's yaw, pitch and roll, whatever else tells its attitude."""
    (panel,) = attitude_panels(history, 'euler')
    return panel._replace(key='euler_angles')


def momentum_panel(history: History) -> Panel:
    """Return the Panel of a History's angular momentum in world axes."""
    label = 'angular momentum\nworld axes [N m s]'
    return Panel(history.angular_momentum_W(), label, key='angular_momentum')


def rate_panel(history: History) -> Panel:
    """Return the Panel of a History's angular velocity."""
    return Panel(history.angular_velocity_B, 'angular velocity\nbody axes [rad/s]', key='omega')


def free_panels(history: History) -> list[Panel]:
    """Return the Panels of a free body, without attitude: ω, dω/dt, L and energy."""
    L_B = history.angular_momentum_B
    momentum = np.column_stack((L_B, np.linalg.norm(L_B, axis=1)))
    return [
        rate_panel(history),
        Panel(
            history.angular_acceleration_B, 'angular acceleration\nbody axes [rad/s²]', key='alpha'
        ),
        Panel(
            momentum,
            'angular momentum\nbody axes [N m s]',
            (*LETTERS, '|L|'),
            (*colors.AXES, colors.WHOLE),
            key='L',
        ),
        energy_panel(history),
    ]


def energy_panel(history: History) -> Panel:
    """Return the Panel of the recorded energies, with a note on the change of their sum."""
    names: tuple[str, ...] = ('translation', 'rotation', 'potential', 'sum')
    shades = (colors.TRANSLATION_ENERGY, colors.ROTATION_ENERGY, colors.POTENTIAL_ENERGY)
    shade_of = dict(zip(names, (*shades, colors.WHOLE), strict=True))
    values = history.energies
    if values is None:  # a table of an older version or another program
        rotation = 0.5 * np.sum(history.angular_velocity_B * history.angular_momentum_B, axis=1)
        known = {'rotation': rotation}
        if history.contact:
            known['sum'] = history.contact.energy
        names, values = tuple(known), np.column_stack(list(known.values()))
    return Panel(
        values,
        'energy [J]',
        names,
        tuple(shade_of[name] for name in names),
        change_in_words(names[-1], values[:, -1]),
        from_zero=True,
        key='energy',
    )


def change_in_words(name: str, energy: Array) -> str:
    """Return as text the largest change of an energy (n,) [J] from its first value."""
    change = np.max(np.abs(energy - energy[0]))
    by = f'changes by at most {change:.2g} J' if change else 'does not change'
    return f'{name}: {energy[0]:.4g} J, {by}'


def draw(axis: Axes, time: Array, panel: Panel, narrow: bool = False) -> None:
    """Draw a Panel into an Axes, with its legend above.

    time: (n,) [s];  narrow: whether the note has a separate line above the legend
    """
    for column, name, color in zip(panel.values.T, panel.names, panel.colors, strict=True):
        wide = name in WHOLES
        axis.plot(
            time, column, color=color, label=name, linewidth=3.0 if wide else 1.3,
            alpha=0.5 if wide else 1.0, zorder=1.9 if wide else 2.0, drawstyle=panel.style,
        )  # fmt: skip
    axis.grid(alpha=0.25)
    axis.set_ylabel(panel.label)
    if panel.log:
        axis.set_yscale('log', nonpositive='mask')
    elif axis.get_yscale() == 'linear':  # another column may have made the row logarithmic
        axis.ticklabel_format(axis='y', scilimits=(-2, 4))
    limit(axis, [panel])
    if panel.note:  # otherwise next to the axis's power of ten
        place, above = (0.0, 17.0) if narrow else (0.08, 4.0)
        axis.annotate(
            panel.note, (place, 1.0), (0.0, above), xycoords='axes fraction',
            textcoords='offset points', fontsize='small', color='0.25',
        )  # fmt: skip
    axis.legend(
        loc='lower right', bbox_to_anchor=(1.0, 1.0), ncols=4, fontsize='small', frameon=False,
        borderaxespad=0.1, handlelength=1.4, columnspacing=1.2,
    )  # fmt: skip


def spans_decades(sizes: Array) -> bool:
    """Return whether magnitudes span so many decades that a linear axis hides the small ones."""
    there = sizes[sizes > 0.0]
    return bool(there.size and np.max(there) > LARGEST_SPAN * np.min(there))


def limit(axis: Axes, panels: Sequence[Panel]) -> None:
    """Extend the limits of an axis that Panels share to 0 and all values, if from_zero."""
    if not panels[0].from_zero or axis.get_yscale() != 'linear':
        return
    axis.set_ylim(*_limits_from_zero(np.concatenate([panel.values.ravel() for panel in panels])))


def _limits_from_zero(values: Array) -> tuple[float, float]:
    """Return limits that include 0 and all values except NaN, with a margin."""
    low, high = min(0.0, np.nanmin(values)), max(0.0, np.nanmax(values))
    margin = 0.06 * (high - low) or 1.0
    return low - margin, high + margin


def _broken_at_wraps(angles_deg: Array) -> Array:
    """Return angles (n, 3) [deg] with NaN after each wrap by 360 deg, so that no line is drawn."""
    broken = angles_deg.copy()
    jumps = np.abs(np.diff(angles_deg, axis=0)) > 180.0
    broken[1:][jumps] = np.nan
    return broken
