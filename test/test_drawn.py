# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The viewer and RViz are given what they were given, as test/data/drawn.txt has it.

Each line is an entity and a component, or a marker: how many numbers, two sums of them, and the
texts. Other tests say why some of them are right. test/data/make_summaries.py writes the file
anew; look at the pictures first.
"""

import contextlib
import tempfile
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT
from test_actuator_views import EVERYTHING
from test_internal_views import CRAFT
from test_similar_looks import FREE, ORBIT, drawn, scaled

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.mathematics import rotations

# The errors of rounding, on a logarithmic scale.
NOISE = '/plots/drift Scalars:scalars'
FILE = ROOT / 'test' / 'data' / 'drawn.txt'
SHIPPED = ('ball_in_bowl', 'bouncing_ellipsoid', 'cubesat_pyramid', 'gravity_gradient')
TEXTS = {'actuators': EVERYTHING, 'inside': CRAFT, 'free': FREE, 'orbit': FREE + ORBIT}


def scenarios():
    """Return {name: Scenario}."""
    own = {name: scaled(text, 1.0) for name, text in TEXTS.items()}
    return own | {name: scenario.load(scenario.find(name)) for name in SHIPPED}


def moved(found):
    """Return five Samples that turn and move, with all that a craft of these parts tells."""
    from spacecraft_attitude_sim.core.spacecraft import telemetry
    from spacecraft_attitude_sim.viewer.samples import Samples

    craft, rows = found.plant.spacecraft, np.arange(5)[:, np.newaxis]
    joints, inside = len(telemetry.joint_names(craft)), craft.internal
    wheels = craft.part('reaction_wheels')
    turns = [rotations.quaternion_from_axis_angle((0.6, 0.0, 0.8), 0.3 * n) for n in range(5)]
    rates = np.array((0.5, 0.2, 1.0)) + 0.1 * rows
    momenta = [
        rotations.rotate(q, found.plant.body.inertia @ rate)
        for q, rate in zip(turns, rates, strict=True)
    ]
    swung = len(inside.coordinates) + 3 * len(inside.pendulums)
    return Samples(
        stamp=np.arange(5) * 31_250_000, elapsed=np.arange(5) * 31_250_000,
        position_W=rows * (0.1, 0.0, 0.02) + (0.0, 0.0, 0.3), q_WB=np.array(turns),
        omega_B=rates, momentum_W=np.array(momenta),
        wheel_speeds=rows + np.linspace(10, 90, len(wheels.names)) if wheels else None,
        joint_angles=0.1 * rows + np.linspace(0.1, 1.0, joints) if joints else None,
        efforts=1e-3 * rows + np.linspace(1e-4, 1e-2, joints) if joints else None,
        dipole_B=0.01 * rows + np.array((0.1, 0.0, -0.05)),
        displacements=0.01 * rows + np.linspace(0.0, 0.1, swung) if swung else None,
        slug_rates=0.1 * rows + np.array((0.1, 0.2, 0.3)) if inside.slugs else None,
    )  # fmt: skip


def shown(found, path):
    """Yield (entity and component, its values) of what the viewer is given."""
    from rerun.chunk import RrdReader

    from spacecraft_attitude_sim.viewer.rerun_session import RerunSession

    session = RerunSession(live=False, save=path)
    with contextlib.closing(session):
        craft = session.craft()
        craft.begin(found)
        samples = moved(found)
        craft.add(samples.part(0, 3))
        craft.add(samples.part(3))
    values = {}
    for chunk in RrdReader(path).stream().to_chunks():
        table = chunk.to_record_batch()
        for name, column in zip(table.schema.names, table.columns, strict=True):
            if ':' in name and 'RecordingInfo' not in name and 'Blueprint' not in name:
                key = f'{chunk.entity_path} {name}{" fixed" if chunk.is_static else ""}'
                values.setdefault(key, []).extend(column.to_pylist())
    values.pop(NOISE)
    yield from sorted(values.items())


def marked(found):
    """Yield (namespace, values) of the markers of two instants."""
    for stays, lengths, q in drawn(found, 1.0):
        name, kind, action, text, shades = stays
        yield f'marker {name} {kind} {action}', [text, lengths.tolist(), q.tolist(), shades]


def flat(values):
    """Yield the numbers and texts in nested lists."""
    if isinstance(values, list | tuple):
        for value in values:
            yield from flat(value)
    elif values is not None:
        yield values


def line_of(name, values):
    """Return the line of an entity: its numbers' count, mean size and weighted mean; texts."""
    every = list(flat(values))
    numbers = np.array([one for one in every if not isinstance(one, str)], dtype=float)
    known = numbers[np.isfinite(numbers)]
    weighted = known @ np.cos(np.arange(len(known))) if len(known) else 0.0
    texts = ' '.join(dict.fromkeys(' '.join(one.split()) for one in every if isinstance(one, str)))
    size = np.abs(known).mean() if len(known) else 0.0
    return f'{name}\t{len(numbers)}\t{len(known)}\t{size:.8g}\t{weighted:.8g}\t{texts}'.rstrip()


def lines_of(name, found):
    """Return the lines of a scenario."""
    with tempfile.TemporaryDirectory() as folder:
        lines = [line_of(*one) for one in shown(found, Path(folder) / 'run.rrd')]
    return lines + ([line_of(*one) for one in marked(found)] if not found.plant.contact else [])


def pictures():
    """Yield (name, lines) of each scenario."""
    for name, found in scenarios().items():
        yield name, '\n'.join(lines_of(name, found))


@pytest.mark.parametrize('name', [*TEXTS, *SHIPPED])
def test_what_is_drawn_is_what_was_drawn(name):
    """In single precision, and to 1e-5 of the sum of all sizes."""
    pytest.importorskip('rerun', reason="the viewer's extra is not installed: pip '.[view]'")
    stored = FILE.read_text(encoding='utf-8').removeprefix('=== ').rstrip('\n').split('\n=== ')
    expected = dict(one.split('\n', 1) for one in stored)[name].splitlines()
    found = scaled(TEXTS[name], 1.0) if name in TEXTS else scenario.load(scenario.find(name))
    lines = lines_of(name, found)
    heads = [line.split('\t')[0] for line in lines]
    assert heads == [line.split('\t')[0] for line in expected]
    for line, before in zip(lines, expected, strict=True):
        (head, *counts, size, weighted, text), (_, *were, former, weight, words) = (
            (one.split('\t') + [''])[:6] for one in (line, before)
        )
        assert (counts, text) == (were, words), head
        near = 1e-5 * float(former) * max(1, int(counts[1])) + 1e-9
        assert float(size) == pytest.approx(float(former), rel=1e-5, abs=1e-9), head
        assert float(weighted) == pytest.approx(float(weight), rel=0.0, abs=near), head
