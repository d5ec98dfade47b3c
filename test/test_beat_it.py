# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Law, estimator and guidance of the page "Beat it": their length, and what they compute."""

import math
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

PAGE = (Path(__file__).parents[1] / 'docs' / 'beat_it.md').read_text()
PROGRAMS = re.findall(r'^```python\n(.*?)^```', PAGE, re.M | re.S)
STILL = np.array((1.0, 0.0, 0.0, 0.0)), np.zeros(3), np.zeros(3)


def ran(text):
    """Return the names of a program that is imported, as `examine` does: without ROS."""
    names = {'__name__': 'mine'}
    exec(compile(text, 'mine.py', 'exec'), names)
    return SimpleNamespace(**names)


def lines(text):
    """Return the number of lines that are not empty."""
    return sum(bool(line.strip()) for line in text.splitlines())


def test_programs_are_as_short_as_the_page_says():
    (cpp,) = re.findall(r'^```cpp\n(.*?)^```', PAGE, re.M | re.S)
    assert len(PROGRAMS) == 3
    assert all(lines(text) <= 40 for text in PROGRAMS)
    assert lines(cpp) <= 60


def test_the_law_is_pd_with_an_integral_and_feedforward():
    """A small error at rest is answered by -J wn^2 error; the same error again by more."""
    page = ran(PROGRAMS[0])
    law, half = page.Law(), 1e-4
    attitude = np.array((math.cos(half), 0.0, math.sin(half), 0.0))
    first, second = (law(attitude, np.zeros(3), STILL) for _ in range(2))
    step = -page.J[1] * page.WN**2 * 2.0 * half
    assert first == pytest.approx((0.0, step * (1.0 + page.H / page.TI), 0.0), abs=1e-12)
    assert second == pytest.approx((0.0, step * (1.0 + 2.0 * page.H / page.TI), 0.0), abs=1e-12)
    moving = STILL[0], np.zeros(3), np.array((0.0, 0.0, 1e-3))
    torque = page.Law()(STILL[0], np.zeros(3), moving)
    assert torque == pytest.approx((0.0, 0.0, 1e-3 * page.J[2]))


def test_the_estimator_finds_attitude_and_bias():
    """Of a body that turns evenly, from readings without noise; the gyroscope has a bias."""
    page = ran(PROGRAMS[1])
    estimator, rate, bias = page.Estimator(), np.array((1e-3, -2e-3, 5e-4)), 1e-4
    body = Rotation.from_quat((0.1, 0.2, 0.3, 0.9))
    for _ in range(800):  # 200 s; the gains have time constants of some 20 s
        stars = np.roll((body * page.STARS).as_quat(), 1)
        told = SimpleNamespace(
            new={'star_tracker'}, star_tracker=SimpleNamespace(q_WT=stars),
            angular_velocity=rate + bias,
        )  # fmt: skip
        attitude, known = estimator(told)
        error = (body.inv() * Rotation.from_quat(np.roll(attitude, -1))).magnitude()
        body *= Rotation.from_rotvec(rate * page.STEP)
    assert error < 1e-6
    assert known == pytest.approx(rate, abs=1e-7)


def test_the_guidance_says_its_own_derivatives():
    """Rate and acceleration are the differences of angle and rate over 2 ms, to their square."""
    page = ran(PROGRAMS[2])
    guidance, step = page.Guidance(), 1e-3
    for time in (10.0, 25.0, 60.0, 95.0, 200.0):
        before, now, after = (guidance(time + k * step) for k in (-1, 0, 1))
        angles = [2.0 * math.atan2(attitude[2], attitude[0]) for attitude, _, _ in (before, after)]
        assert now[1][1] == pytest.approx((angles[1] - angles[0]) / (2.0 * step), abs=1e-8)
        rates = before[1][1], after[1][1]
        assert now[2][1] == pytest.approx((rates[1] - rates[0]) / (2.0 * step), abs=1e-8)
    assert np.array(guidance(0.0)[0]) == pytest.approx(STILL[0])
    assert guidance(200.0)[0][2] == pytest.approx(math.sin(math.radians(30.0)))
