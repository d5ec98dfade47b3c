# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The viewer, RViz and figures show what they showed, as test/data/drawn.txt has it.

Each line is an entity and a component, a marker, or the artists of some axes: how many numbers,
two sums of them, and the texts. Other tests say why some of them are right. After a change, look
at the pictures; test/data/make_summaries.py writes the file anew.
"""

import contextlib
import functools
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import ROOT
from test_actuator_views import EVERYTHING
from test_internal_views import CRAFT
from test_similar_looks import FREE, ORBIT, drawn, scaled

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.drawing import figures

# The errors of rounding, on a logarithmic scale.
NOISE = '/plots/drift Scalars:scalars'
FILE = ROOT / 'test' / 'data' / 'drawn.txt'
SHIPPED = ('ball_in_bowl', 'cubesat_pyramid')
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

    from spacecraft_attitude_sim.viewer import layout
    from spacecraft_attitude_sim.viewer.rerun_session import RerunSession

    session = RerunSession(live=False, save=path)
    with contextlib.closing(session):
        craft = session.craft()
        craft.begin(found)
        samples = moved(found)
        craft.add(samples.part(0, 3))
        craft.add(samples.part(3))
        page = layout.blueprint([craft.look()], live=False)
    values = {}
    for chunk in RrdReader(path).stream().to_chunks():
        table = chunk.to_record_batch()
        for name, column in zip(table.schema.names, table.columns, strict=True):
            if ':' in name and 'RecordingInfo' not in name and 'Blueprint' not in name:
                key = f'{chunk.entity_path} {name}{" fixed" if chunk.is_static else ""}'
                values.setdefault(key, []).extend(column.to_pylist())
    values.pop(NOISE)
    entities = {key.split()[0].lstrip('/') for key in values}
    for place in set(places_of(page.root_container)) - {'world/contact/path'}:  # of a floor
        assert any(f'{one}/'.startswith(f'{place}/') for one in entities), f'{place} shows nothing'
    yield from sorted(values.items())


def places_of(container):
    """Yield the paths that the views of a layout show, or show in another way."""
    if not hasattr(container, 'origin'):
        for one in container.contents:
            yield from places_of(one)
        return
    for place in (container.origin, *(container.visualizer_overrides or ())):
        yield str(place).lstrip('/')


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


@functools.cache
def flown(name):
    """Return the History of a second of a run."""
    import spacecraft_attitude_sim as sas

    found = scaled(TEXTS[name], 1.0) if name in TEXTS else scenario.load(scenario.find(name))
    return sas.simulate(found, duration=1.0)._history


def figures_of(history):
    """Yield (name, Figure) of all figures of a run."""
    from spacecraft_attitude_sim.drawing import (
        momentum_sphere,
        part_figures,
    )

    yield 'run', figures.figure(history, 'a title')
    yield 'beside', figures.figure_beside([(history, 'a'), (history, 'b')], 'beside')
    yield from part_figures.figures(history, 'a title').items()
    if history.rotation:
        yield 'sphere', momentum_sphere.figure(history, 'a title')


def inked(figure):
    """Yield (which axes and kind of artist, values) of what a Figure holds."""
    from matplotlib import collections, lines, patches, text

    values = {}

    def take(artist, where):
        if isinstance(artist, text.Text):
            told = artist.get_text()
            found = [told, *map(float, artist.get_position())] if told else []
        elif isinstance(artist, lines.Line2D):
            style = artist.get_color(), artist.get_linestyle(), artist.get_linewidth()
            found = [artist.get_xydata().tolist(), [str(one) for one in style]]
        elif isinstance(artist, collections.Collection):
            found = [one.vertices.tolist() for one in artist.get_paths()]
            found += [artist.get_facecolor().tolist(), artist.get_edgecolor().tolist()]
        elif isinstance(artist, patches.Patch):
            found = [artist.get_path().vertices.tolist(), list(artist.get_facecolor())]
        else:
            found = []
        if found:
            values.setdefault(f'{where} {type(artist).__name__}', []).extend(found)
        for child in artist.get_children():
            take(child, where)

    for number, axes in enumerate(figure.axes):
        limits = [*axes.get_xlim(), *axes.get_ylim()]
        yield f'{number} limits', [*map(float, limits), axes.get_xscale(), axes.get_yscale()]
        take(axes, number)
    yield from sorted(values.items())


def lines_of_figures(name):
    """Return the lines of the figures of a run."""
    from matplotlib import pyplot

    figures.without_display()
    lines = []
    for which, figure in figures_of(flown(name)):
        lines += [line_of(f'{which} {what}', values) for what, values in inked(figure)]
        pyplot.close(figure)
    return lines


DRAWN = ('actuators', 'inside', 'orbit', 'ball_in_bowl', 'cubesat_detumble')


def pictures():
    """Yield (name, lines) of each scenario, then those of its figures."""
    for name, found in scenarios().items():
        yield name, '\n'.join(lines_of(name, found))
    for name in DRAWN:
        yield f'figures of {name}', '\n'.join(lines_of_figures(name))


@functools.cache
def stored():
    """Return {name: lines} of the file."""
    text = FILE.read_text(encoding='utf-8').removeprefix('=== ').rstrip('\n')
    return dict(one.split('\n', 1) for one in text.split('\n=== '))


def compare(lines, expected):
    """Compare lines to 1e-5 of the sum of all sizes."""
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


@pytest.mark.parametrize('name', [*TEXTS, *SHIPPED])
def test_viewer_and_rviz_are_given_what_they_were(name):
    pytest.importorskip('rerun', reason="the viewer's extra is not installed: pip '.[view]'")
    found = scaled(TEXTS[name], 1.0) if name in TEXTS else scenario.load(scenario.find(name))
    compare(lines_of(name, found), stored()[name].splitlines())


@pytest.mark.parametrize('name', DRAWN)
def test_figures_are_what_they_were(name):
    compare(lines_of_figures(name), stored()[f'figures of {name}'].splitlines())


def test_rotors_beside_internal_parts_hold_what_the_rest_does_not():
    pytest.importorskip('rerun')
    from spacecraft_attitude_sim.viewer.energy_scene import EnergyScene

    found = scenario.load(scenario.find('dual_spin'))
    craft, state = found.plant.spacecraft, found.initial
    omega_B, wheels = craft.angular_velocity_B(state), craft.part('reaction_wheels')
    assert np.abs(wheels.axes_B @ omega_B).max() > 0.0
    seen = SimpleNamespace(
        stamp=np.zeros(1), q_WB=np.array([state.q_WB]), omega_B=np.array([omega_B]),
        momentum_W=np.array([state.angular_momentum_W]), displacements=None, slug_rates=None,
        known=lambda given, size: np.zeros((1, size)),
        speeds_of=lambda number: craft.wheel_speeds(state)[np.newaxis],
    )  # fmt: skip
    scene = SimpleNamespace(log=lambda *given: None, log_curves=lambda *given: None)
    axial = np.einsum('i,ij,ik->jk', wheels.inertias, wheels.axes_B, wheels.axes_B)
    rest_B = (craft.body.inertia - axial) @ omega_B
    momentum_B = rotations.rotate(rotations.conjugate(state.q_WB), state.angular_momentum_W)
    held_B = EnergyScene(scene, craft).rotation(seen).held_B[0]
    assert held_B == pytest.approx(momentum_B - rest_B, rel=1e-9, abs=1e-12)
