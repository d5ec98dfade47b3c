# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A folder full of what must never run: each module in it leaves a mark."""

import sys

# What ours and its libraries import, and Python itself.
OUTSIDE = (
    'numpy', 'rclpy', 'yaml', 'numba', 'matplotlib', 'rosbags', 'PIL', 'rerun', 'scipy',
    'transforms3d', 'sitecustomize', 'usercustomize', 'llvmlite', 'std_msgs', 'geometry_msgs',
)  # fmt: skip
MARK = "import pathlib; (pathlib.Path({folder!r}) / 'ran').mkdir(exist_ok=True)\n"


def plant(folder, names=(*sys.stdlib_module_names, *OUTSIDE)):
    """Fill a folder with modules, and with settings of libraries that look for them there."""
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / f'{name}.py').write_text(mark(folder))
    (folder / 'matplotlibrc').write_text('figure.facecolor: red\nbackend: module://planted\n')
    (folder / 'DEFAULT_FASTDDS_PROFILES.xml').write_text('<no profile')
    (folder / '.numba_config.yaml').write_text('disable_jit: 1\n')
    return folder


def mark(folder):
    """Return the text of a module that leaves a mark in a folder."""
    return MARK.format(folder=str(folder))


def ran(folder):
    """Return whether something of it ran."""
    return (folder / 'ran').exists()
