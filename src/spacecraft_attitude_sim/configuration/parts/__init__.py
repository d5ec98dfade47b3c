# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Parts of a spacecraft as parameters: a module for each kind of core.parts that is listed here.

Each has PARAMETERS, `of(values)`, which returns the Part of core or None, and `lines(part)` of the
text summary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration.parts import eddy_currents

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spacecraft_attitude_sim.core.parts.part import Part

KINDS = {'eddy_currents': eddy_currents}
PARAMETERS = tuple(one for module in KINDS.values() for one in module.PARAMETERS)
# A campaign may draw parameters with these prefixes.
PREFIXES = tuple(f'{name}.' for name in KINDS)


def parts(values: Mapping[str, Any]) -> tuple[Part, ...]:
    """Return the Parts from checked parameters; ParameterError naming key, value and remedy."""
    return tuple(part for module in KINDS.values() if (part := module.of(values)))


def lines(several: tuple[Part, ...]) -> Iterator[str]:
    """Yield the lines of the text summary."""
    for part in several:
        yield from KINDS[part.kind].lines(part)
