# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""One fault in each run of a campaign, in turn: run 0 has the first of a scenario's faults.

    fault_in_turn: true
    dispersions:
      fault.*.at: {distribution: uniform, low: 0.0, high: 1800.0}

fault.* is the fault of the run. The table has its number among `faults`, its time and its values
in place of what was drawn for all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.faults import FORCE
from spacecraft_attitude_sim.configuration.parameters import ParameterError
from spacecraft_attitude_sim.core.faults.fault import NOT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from spacecraft_attitude_sim.configuration.scenario import Scenario

KEY = 'fault_in_turn'
# The fault of the run, in the name of what is drawn.
ITS = 'fault.*.'
# The columns of the table about the fault of a run.
NUMBER, TIMES = 'fault', ('at', 'duration')
COLUMNS = (
    NUMBER, *(f'fault.{name}' for name in TIMES), *(f'fault.value[{k}]' for k in range(3)),
)  # fmt: skip
# A wrong attitude that was told for longer counts as believed [s]. A test of the estimator's watch
# sums 40 readings, which take 20 s at 2 Hz: before, nobody can tell.
BELIEVED = 30.0


def check(bases: Mapping[str, Scenario]) -> None:
    """Raise ParameterError where a spacecraft has no fault."""
    for namespace, base in bases.items():
        if not base.parameters['faults']:
            of = f' of {namespace}' if namespace else ''
            raise ParameterError(
                f'{KEY} is true, and faults{of} is empty; name some under parameters.faults'
            )


def drawn_name(name: str, base: Scenario, row: int = 0) -> str:
    """Return the name of what is drawn, with the fault of a run in place of the star.

    name: of a parameter, behind a namespace or not
    """
    return name.replace(ITS, f'fault.{_of(base, row)}.')


def is_of_fault(name: str) -> bool:
    """Return whether a drawn parameter, behind a namespace or not, is of a fault."""
    return name.rpartition('/')[2].startswith('fault.')


def changes(base: Scenario, row: int) -> dict[str, Any]:
    """Return {parameter: value} that keeps all faults but that of a run from acting."""
    own = _of(base, row)
    return {f'fault.{name}.{FORCE}': NOT for name in base.parameters['faults'] if name != own}


def columns(scenarios: Sequence[Scenario], rows: range) -> dict[str, NDArray[Any]]:
    """Return {column: values (N,)} of the faults of runs; NaN for a value that a fault has not."""
    table = np.full((len(scenarios), len(COLUMNS)), np.nan)
    for line, flown, row in zip(table, scenarios, rows, strict=True):
        values, own = flown.parameters, f'fault.{_of(flown, row)}.'
        line[0] = row % len(values['faults'])
        line[1:3] = [values[own + key] for key in TIMES]
        given = values[own + 'value']
        line[3 : 3 + len(given)] = given
    return dict(zip(COLUMNS, table.T.copy(), strict=True))


def _of(base: Scenario, row: int) -> str:
    """Return the name of the fault of a run."""
    names = base.parameters['faults']
    return names[row % len(names)]


def summary(table: Mapping[str, NDArray[Any]], base: Scenario, pointed_error: float) -> list[str]:
    """Return a line for each fault: how many runs end how, and how wrong the estimator was.

    table: {column: (N,) values} of one spacecraft;  pointed_error: [rad]
    A run that points nowhere in the end, or does not know its attitude then, waits. One that
    believes is one whose estimator told a wrong attitude for longer than BELIEVED.
    """
    width = 2 + max(map(len, base.parameters['faults']))
    heads = ('runs', 'lost', 'point', 'wait', 'off', 'believe', 'for [s]', 'off by [deg]')
    lines = [f'{"fault":{width}}' + ''.join(f'{head:>{len(head) + 3}}' for head in heads)]
    for number, name in enumerate(base.parameters['faults']):
        of = {key: values[table[NUMBER] == number] for key, values in table.items()}
        if not len(of[NUMBER]):
            continue
        counts = zip(_counts(of, pointed_error), heads, strict=False)
        cells = (f'{value:>{len(head) + 3}g}' for value, head in counts)
        lines.append(f'{name:{width}}' + ''.join(cells))
    return lines


def _counts(of: Mapping[str, NDArray[Any]], pointed_error: float) -> list[float]:
    """Return the numbers of a line of `summary`; those of an estimator only if there is one."""
    error = of.get('final_pointing_error', np.full(len(of[NUMBER]), np.nan))
    lost = ~np.isfinite(of['final_rate'])
    waits = ~np.isfinite(error) | (of.get('known_share', np.ones(len(error))) < 0.5)
    ends = [lost, ~lost & ~waits & (error <= pointed_error), ~lost & waits]
    counts = [float(len(error)), *(float(np.sum(end)) for end in ends)]
    counts.append(counts[0] - sum(counts[1:]))
    if 'misled_time' in of:
        times = of['misled_time'][~lost]
        counts += [float(np.sum(times > BELIEVED)), max(times, default=0.0)]
        if 'misled_error' in of:
            largest = np.degrees(max(of['misled_error'][~lost], default=0.0))
            counts.append(float(f'{largest:.3g}'))
    return counts
