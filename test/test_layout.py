# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Flat arrays by name."""

import numpy as np
import pytest

from spacecraft_attitude_sim.core.batch import run_summary
from spacecraft_attitude_sim.core.contact.solver import layout
from spacecraft_attitude_sim.core.mathematics.layout import Layout

PARTS = Layout(time=1, position=3, name=0, rate=2)


def test_parts_stand_behind_each_other():
    assert PARTS.size == 6
    assert [PARTS.at(name) for name in PARTS.widths] == [0, 1, 4, 4]
    assert PARTS.places() == (0, 1, 4, 4)
    assert PARTS.places('rate', 'position') == (4, 1)
    assert np.arange(6.0)[PARTS.of('position')].tolist() == [1.0, 2.0, 3.0]


def test_an_array_is_packed_by_name_and_unpacked_again():
    flat = PARTS.packed(rate=(5.0, 6.0), position=[2.0, 3.0, 4.0], time=True, name=())
    assert flat.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    again = PARTS.unpacked(flat)
    assert PARTS.packed(**again).tolist() == flat.tolist()
    again['rate'][1] = 7.0
    assert flat[5] == 7.0  # a view


def test_a_part_too_many_or_too_few_is_refused():
    with pytest.raises(KeyError, match='rate'):
        PARTS.packed(time=0.0, position=(0.0, 0.0, 0.0), name=())
    with pytest.raises(ValueError, match='broadcast'):
        PARTS.packed(time=0.0, position=(0.0, 0.0), name=(), rate=(0.0, 0.0))


@pytest.mark.parametrize(
    ('module', 'parts'),
    [
        (layout, layout.CONTACT), (layout, layout.CONSTANTS), (run_summary, run_summary.RECORD),
    ],
)  # fmt: skip
def test_a_module_names_the_places_of_its_parts(module, parts):
    for name in parts.widths:
        assert getattr(module, name.upper()) == parts.at(name), name


def test_a_contact_that_was_recorded_is_read_as_before():
    """The flat contact is kept by who kept one, the placement stands in bags."""
    places = [layout.CONTACT.at(name) for name in layout.CONTACT.widths]
    assert places == [0, 1, 2, 3, 4, 5, 8, 11, 14, 17, 20, 23, 26, 27, 28, 29]
    assert layout.CONTACT_SIZE == 30
    assert layout.PLACEMENT.size == 19
