# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Units of variables as powers of the SI base units that FMI knows."""

from __future__ import annotations

# {unit: {base unit: power}}; without an entry for a power of 0.
BASES: dict[str, dict[str, int]] = {
    '1': {},
    's': {'s': 1},
    'm': {'m': 1},
    'kg': {'kg': 1},
    'rad': {'rad': 1},
    'm/s': {'m': 1, 's': -1},
    'm/s^2': {'m': 1, 's': -2},
    'rad/s': {'rad': 1, 's': -1},
    'N': {'kg': 1, 'm': 1, 's': -2},
    'N m': {'kg': 1, 'm': 2, 's': -2},
    'N m s': {'kg': 1, 'm': 2, 's': -1},
    # Of a modal coordinate; FMI has whole powers alone, so that only the name tells it.
    'sqrt(kg) m': {},
    'sqrt(kg) m/s': {},
    'A m^2': {'A': 1, 'm': 2},
    'T': {'kg': 1, 's': -2, 'A': -1},
    'lx': {'cd': 1, 'm': -2},
}


def of(unit: str) -> str:
    """Return the name of a unit, '1' for none; KeyError for one that is not in BASES."""
    name = unit or '1'
    if name not in BASES:
        raise KeyError(f'unit {name!r} has no powers of base units in fmi/units.py; add them')
    return name
