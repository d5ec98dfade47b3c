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
# {loop: share of results that vectors compute, of all in the code; stores of some lanes alone}
# The rest is computed body by body, or would be if arrays overlapped.
# Measured with AVX2, where the stage of a sub-step that is not vectorised takes away 0.026 of the
# share of run_beside, and 0.013 of the loop with the most arrays. With wider vectors it may be
# another. With branches in place of `selected`, run_beside had 132 such stores.
LOOPS = {
    loop.run: (0.824, 4), gyrostats.run_gyrostats: (0.880, 4),
    moving_lanes.run_moving: (0.842, 14), craft_lanes.run_beside: (0.747, 8),
    craft_lanes.run_magnetic: (0.759, 44), craft_lanes.run_within: (0.813, 18),
    **dict(zip(
        map(craft_lanes.loop_with, MIXTURES),
        ((0.731, 8), (0.751, 16), (0.748, 52), (0.758, 50)), strict=True,
    )),
}  # fmt: skip
SLACK = {'ymm': 0.01, 'zmm': 0.06}
# Where a function begins its stack with a line of memory, and a store of some lanes of a vector.
ALIGNED = 'and    $0xffffffffffffffc0,%rsp'
MASKED = re.compile(r'\tvmaskmovpd %ymm\d+,%ymm\d+,-?(?:0x|\()')
MORE_MASKED = 10


def code_of(run, folder):
    """Return the instructions of a loop, as text of objdump."""
    assert run.dispatcher  # compiled, and kept
    (kept,) = Path(kernel.cache_directory()).glob(f'*/{run.file_name}.*.nbc')
    content, path = kept.read_bytes(), folder / 'code.o'
    path.write_bytes(content[content.index(b'\x7fELF') :])
    return subprocess.run(
        ['objdump', '-d', '--no-show-raw-insn', path], check=True, capture_output=True, text=True
    ).stdout


def share_of_vectors(text):
    """Return how many results of operations vectors compute, and the widest of these."""
    results = Counter()
    for line in OPERATION.finditer(text):
        width = NUMBERS.get(next((own for own in NUMBERS if own in line[0]), ''), 1)
        results[width > 1] += width if line[1] == 'pd' else 1
    return results[True] / results.total(), 'zmm' if '%zmm' in text else 'ymm'


def name_of(run):
    """Return a name of a loop: what craft have that fly by it."""
    mixed = {craft_lanes.loop_with(names): ' '.join(names) for names in MIXTURES}
    return mixed.get(run, run.function.__name__)


@pytest.mark.parametrize('run', LOOPS, ids=name_of)
def test_loops_compute_with_vectors_and_store_them_whole(run, tmp_path):
    text = code_of(run, tmp_path)
    share, widest = share_of_vectors(text)
    assert share > LOOPS[run][0] - SLACK[widest], (
        f'{share:.3f}: a loop over lanes computes one after the other'
    )
    first = text[text.index('>:\n') :][:2000]
    assert (ALIGNED in first) == run.options['aligned']
    masked = len(MASKED.findall(text))
    assert masked <= LOOPS[run][1] + MORE_MASKED, (
        f'{masked} stores of some lanes alone, which are slow'
    )
