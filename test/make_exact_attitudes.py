# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Write data/exact_attitudes.json, the exact attitudes the tests read (about five minutes).

Each case: `state` (13,), `body` (12,) and, at every one of TIMES, the attitude q_WB rounded to
floats. The first cases of every kind are checked against a power series to 30 digits.
"""

import json
import math
import pathlib

import exact_reference
import mpmath as mp
import numpy as np

DATA = pathlib.Path(__file__).parent / 'data' / 'exact_attitudes.json'
TIMES = (0.03125, 1.0, 10.0, 100.0, 1000.0)
SEED = 20261121
CASES_PER_KIND = 20


def generic(moments, m, generator):
    return moments, m


def oblate(moments, m, generator):
    low, high = sorted(moments[:2])
    return np.array((low, low, high))[generator.permutation(3)], m


def prolate(moments, m, generator):
    low, high = sorted(moments[:2])
    return np.array((low, high, high))[generator.permutation(3)], m


def spherical(moments, m, generator):
    return np.full(3, moments[0]), m


def nearly_symmetric(moments, m, generator):
    close = moments[0] * (1.0 + 10.0 ** generator.uniform(-15.0, -4.0))
    return np.array((moments[0], close, moments[1]))[generator.permutation(3)], m


def flat_plate(moments, m, generator):
    return np.array((moments[0], moments[1], moments[0] + moments[1])), m


def near_separatrix(moments, m, generator):
    """Put L² / 2 E I2 - 1 near zero at any phase of the motion."""
    i, j, k = np.argsort(moments)
    slope = moments[k] * (moments[j] - moments[i]) / (moments[i] * (moments[k] - moments[j]))
    distance = 10.0 ** generator.uniform(-13.0, -2.0) * generator.choice((-1.0, 1.0))
    m[k] = math.copysign(math.sqrt(slope * (1.0 + distance)) * m[i], m[k])
    return moments, m


def near_intermediate_axis(moments, m, generator):
    others = np.arange(3) != np.argsort(moments)[1]
    m[others] *= 10.0 ** generator.uniform(-6.0, -1.0)
    return moments, m


def near_outer_axis(moments, m, generator):
    others = np.arange(3) != np.argsort(moments)[generator.choice((0, 2))]
    m[others] *= 10.0 ** generator.uniform(-8.0, -2.0)
    return moments, m


def about_an_axis(moments, m, generator):
    return moments, m * np.eye(3)[generator.integers(3)]


KINDS = (
    generic, oblate, prolate, spherical, nearly_symmetric, flat_plate,
    near_separatrix, near_intermediate_axis, near_outer_axis, about_an_axis,
)  # fmt: skip


def unit(values):
    return values / np.linalg.norm(values)


def random_case(kind, generator):
    """Return a flat state and a flat body of one kind, rates about 0.1 to 10 rad/s."""
    squares = generator.uniform(0.05, 1.0, 3)
    moments = np.array([squares[1] + squares[2], squares[2] + squares[0], squares[0] + squares[1]])
    m = generator.normal(size=3) * 10.0 ** generator.uniform(-1.0, 0.7)
    moments, m = kind(moments, m, generator)
    size = 10.0 ** generator.uniform(-5.0, 3.0)
    q_WB = unit(generator.normal(size=4)) if generator.random() < 0.8 else np.eye(4)[0]
    q_BP = unit(generator.normal(size=4)) if generator.random() < 0.5 else np.eye(4)[0]
    q_WP = exact_reference.product([mp.mpf(x) for x in q_WB], [mp.mpf(x) for x in q_BP])
    L_P = [mp.mpf(0), *(size * m)]
    L_W = exact_reference.product(
        exact_reference.product(q_WP, L_P), exact_reference.conjugate(q_WP)
    )
    state = [0.0] * 3 + list(q_WB) + [0.0] * 3 + [float(x) for x in L_W[1:]]
    body = [1.0, *(1.0 / (size * moments)), *q_BP, 1.0, *(size * moments)]
    return [float(x) for x in state], [float(x) for x in body]


def check(state, body, attitudes):
    """Compare the first ten seconds with the power series."""
    for time, q in zip(TIMES[:3], attitudes[:3], strict=True):
        other = exact_reference.attitude_by_taylor(state, body, time)
        angle = exact_reference.angle_between(q, other)
        if angle > mp.mpf(10) ** -30:
            raise ArithmeticError(f'the two references differ by {float(angle):g} rad')


def main():
    """Write the file."""
    mp.mp.dps = 50
    generator = np.random.default_rng(SEED)
    cases = []
    for number in range(CASES_PER_KIND * len(KINDS)):
        kind = KINDS[number % len(KINDS)]
        state, body = random_case(kind, generator)
        attitudes = exact_reference.attitude(state, body, TIMES)
        if number < 2 * len(KINDS):
            check(state, body, attitudes)
        floats = [[float(component) for component in q] for q in attitudes]
        cases.append({'kind': kind.__name__, 'state': state, 'body': body, 'attitudes': floats})
        print(number, kind.__name__, flush=True)
    lines = ',\n'.join(json.dumps(case) for case in cases)
    DATA.write_text(f'{{"times": {json.dumps(TIMES)}, "cases": [\n{lines}\n]}}\n')


if __name__ == '__main__':
    main()
