# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What holds arrays is printed by their names and shapes: their numbers would fill a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def text_of(title: str, values: Mapping[str, Any]) -> str:
    """Return one line with the names of arrays, and their shapes; what is no array is left out.

    title: what it begins with, as 'ContactHistory'
    """
    arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
    named = (f'{name} {value.shape}' for name, value in arrays.items())
    return f'<{title}: {", ".join(named)}>'
