# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Loops over bodies side by side compute with vectors: no other test sees it where they do not.

If LLVM gives up on one loop over lanes, every bit stays and only the time tells.
"""

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from compile_kernels import MIXTURES

from spacecraft_attitude_sim.core.batch import craft_lanes, gyrostats, loop, moving_lanes
from spacecraft_attitude_sim.kernels import kernel, object_code

pytestmark = pytest.mark.skipif(
    not (object_code.abilities() and shutil.which('objdump')), reason='reads code of x86-64'
)
# Floating-point operations of 64 bits: one number, or as many as fit into ymm or zmm.
OPERATION = re.compile(r'\tv?(?:add|sub|mul|div|sqrt)(sd|pd) .*')
NUMBERS = {'ymm': 4, 'zmm': 8}
# Share of results that vectors compute, of all in the code; the rest is computed body by body.
# Measured with AVX2, where the stage of a sub-step that is not vectorised takes away 0.026 of that
# of run_beside, and 0.013 of the loop with the most arrays. With wider vectors it may be another.
SHARES = {
    loop.run: 0.824, gyrostats.run_gyrostats: 0.880, moving_lanes.run_moving: 0.842,
    craft_lanes.run_beside: 0.779, craft_lanes.run_magnetic: 0.784, craft_lanes.run_within: 0.825,
    **dict(zip(map(craft_lanes.loop_with, MIXTURES), (0.762, 0.782, 0.751, 0.761), strict=True)),
}  # fmt: skip
SLACK = {'ymm': 0.01, 'zmm': 0.06}


def share_of_vectors(machine_code, folder):
    """Return how many results of an object file's operations vectors compute, and the widest."""
    path = folder / 'code.o'
    path.write_bytes(machine_code)
    text = subprocess.run(
        ['objdump', '-d', '--no-show-raw-insn', path], check=True, capture_output=True, text=True
    ).stdout
    results = Counter()
    for line in OPERATION.finditer(text):
        width = NUMBERS.get(next((own for own in NUMBERS if own in line[0]), ''), 1)
        results[width > 1] += width if line[1] == 'pd' else 1
    return results[True] / results.total(), 'zmm' if '%zmm' in text else 'ymm'


def name_of(run):
    """Return a name of a loop: what craft have that fly by it."""
    mixed = {craft_lanes.loop_with(names): ' '.join(names) for names in MIXTURES}
    return mixed.get(run, run.function.__name__)


@pytest.mark.parametrize('run', SHARES, ids=name_of)
def test_most_results_are_computed_by_vectors(run, tmp_path):
    assert run.dispatcher  # compiled, and kept
    (kept,) = Path(kernel.cache_directory()).glob(f'*/{run.file_name}.*.nbc')
    content = kept.read_bytes()
    share, widest = share_of_vectors(content[content.index(b'\x7fELF') :], tmp_path)
    least = SHARES[run] - SLACK[widest]
    assert share > least, f'{share:.3f}: a loop over lanes computes one after the other'
