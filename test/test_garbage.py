# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""While a node starts, no garbage is collected; afterwards it is, as before."""

import gc
import sys

import pytest
from processes import run

from spacecraft_attitude_sim.safety import garbage

# Prints how often the youngest objects are collected while a command starts and ends, and whether
# they are again afterwards.
COMMAND = """
import contextlib, gc, sys
from spacecraft_attitude_sim import start

sys.argv = ['attitude-sim', '--version']
with contextlib.suppress(SystemExit):
    start.main()
print(gc.get_stats()[0]['collections'], gc.get_threshold()[0] > 0)
"""
# Prints how many objects are young after a block that made 100 000, how many are frozen, and how
# many are garbage, of which the block made 1000. pytest has frozen objects, so in another process.
BLOCK = """
import gc
from spacecraft_attitude_sim.safety import garbage

with garbage.left_alone():
    kept = [[] for _ in range(100_000)]
    for _ in range(1000):
        ring = []
        ring.append(ring)
    del ring
print(sum(map(len, map(gc.get_objects, (0, 1)))), gc.get_freeze_count(), gc.collect())
"""


def collections():
    """Return how often each generation was collected in this process."""
    return [generation['collections'] for generation in gc.get_stats()]


def test_nothing_is_collected_in_the_block_and_then_as_before():
    thresholds, before = gc.get_threshold(), collections()
    with garbage.left_alone():
        kept = [[] for _ in range(100_000)]
        assert collections() == before
    assert gc.get_threshold() == thresholds
    kept += [[] for _ in range(100_000)]
    assert collections() != before


def test_what_was_made_in_the_block_is_old_and_garbage_of_it_is_collected_later():
    done = run(sys.executable, '-c', BLOCK)
    young, frozen, collected = map(int, done.stdout.split())
    assert young < 10_000 and frozen == 0 and collected >= 1000


def test_after_an_error_it_is_as_before():
    thresholds = gc.get_threshold()
    with pytest.raises(ZeroDivisionError), garbage.left_alone():
        _ = 1 / 0
    assert gc.get_threshold() == thresholds


def test_a_command_is_imported_without_a_collection():
    done = run(sys.executable, '-c', COMMAND)
    count, again = done.stdout.split()[-2:]
    assert int(count) < 50  # 18 before the command, 7 of it; with the imports 88
    assert again == 'True'
