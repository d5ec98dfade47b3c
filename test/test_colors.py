# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""One quantity, one colour, wherever it is drawn."""

import colorsys
import re

import conftest
import pytest
import yaml

from spacecraft_attitude_sim.core import equations
from spacecraft_attitude_sim.drawing import colors
from spacecraft_attitude_sim.drawing.comparison_report import STYLES

SOURCES = conftest.ROOT / 'src' / 'spacecraft_attitude_sim'
# Tables of colours: of quantities, and of sets of equations.
TABLES = {'drawing/colors.py', 'drawing/comparison_report.py'}
TABLE = {name: value for name, value in vars(colors).items() if str(value).startswith('#')}


def test_colours_are_written_in_the_tables_alone():
    written = {
        str(path.relative_to(SOURCES))
        for room in ('drawing', 'nodes', 'viewer')
        for path in (SOURCES / room).rglob('*.py')
        if re.search(r'#[0-9a-fA-F]{6}\b', path.read_text(encoding='utf-8'))
    }
    assert written == TABLES


@pytest.mark.parametrize('name', TABLE)
def test_a_colour_on_a_dark_ground_keeps_its_hue_and_is_no_darker(name):
    red, green, blue, alpha = colors.on_dark(TABLE[name], 0.5)
    hue, saturation, value = colorsys.rgb_to_hsv(*colors.rgb(TABLE[name]))
    seen = colorsys.rgb_to_hsv(red, green, blue)
    assert seen[:2] == pytest.approx((hue, saturation))
    assert value <= seen[2] <= 1.0
    assert alpha == 0.5


@pytest.mark.parametrize('kind', ['contact', 'pointing'])
def test_rviz_draws_a_wrench_in_the_colour_of_a_force(kind):
    tree = yaml.safe_load((conftest.ROOT / 'config' / f'{kind}.rviz').read_text(encoding='utf-8'))
    shown = [
        display['Force Color']
        for display in tree['Visualization Manager']['Displays']
        if 'Force Color' in display
    ]
    *color, _ = (round(255 * part) for part in colors.on_dark(colors.CONTACT_FORCE))
    assert shown == ['; '.join(map(str, color))]


def test_every_set_of_equations_has_its_own_style():
    assert list(STYLES) == list(equations.REGISTRY)
    assert len(set(STYLES.values())) == len(STYLES)
