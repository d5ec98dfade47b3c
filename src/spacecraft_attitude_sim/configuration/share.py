# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The folder of the package's data files (launch, config, package.xml)."""

from __future__ import annotations

import functools
from pathlib import Path

PACKAGE = 'spacecraft_attitude_sim'


@functools.cache
def share_directory() -> Path:
    """Return the folder that holds config/ and launch/, installed or in a checkout.

    Raises FileNotFoundError when the package is installed without its data files.
    """
    for parent in Path(__file__).resolve().parents:
        for candidate in (parent / 'share' / PACKAGE, parent):
            if (candidate / 'package.xml').is_file():
                return candidate
    raise FileNotFoundError(
        f'share/{PACKAGE} is missing: install with pip install . or colcon build'
    )
