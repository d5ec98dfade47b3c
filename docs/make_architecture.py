# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Draw the packages of the source and their imports: docs/images/architecture.png.

Arrows that follow from others are left out. An arrow that points up would be red.

`python docs/make_architecture.py` reads all import statements, wherever they are in a module.
"""

import ast
from collections import Counter
from pathlib import Path

from matplotlib import pyplot
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

DOCS = Path(__file__).resolve().parent
PACKAGE = 'spacecraft_attitude_sim'
SOURCE = DOCS.parent / 'src' / PACKAGE
# Rows of the picture, beginning with the outermost; the packages of core are below them.
OUTER = (
    ('subcommands',),
    ('learn', 'fmi'),
    ('api',),
    ('runs', 'viewer'),
    ('nodes',),
    ('campaigns', 'drawing'),
    ('recording',),
    ('flight',),
    ('configuration',),
)
CORE = (
    ('core.design', 'core.batch'),
    ('core.guidance', 'core.studies', 'core.mission'),
    ('core.simulation',),
    ('core.estimation', 'core.control', 'core.contact'),
    ('core.spacecraft',),
    ('core.sensors',),
    ('core.faults', 'core.equations'),
    ('core.parts',),
    ('core.actuators',),
    ('core.environment',),
    ('core.body',),
    ('core.mathematics',),
)
INMOST = (('kernels',), ('safety',))
WIDTH, HEIGHT, GAP = 2.1, 0.62, 0.5
FACE = {'core': '#dce8f5', 'outer': '#f3ecd8', 'inmost': '#e3efe0'}


def room_of(parts):
    """Return the room (package) of a module, given its dotted parts; None if it has none."""
    if not parts or not (SOURCE / parts[0]).is_dir():
        return None
    if parts[0] == 'core':
        return (
            '.'.join(parts[:2])
            if len(parts) > 1 and (SOURCE / 'core' / parts[1]).is_dir()
            else None
        )
    return parts[0]


def modules():
    """Return {path: room} of all modules in a room."""
    found = {
        path: room_of(path.relative_to(SOURCE).with_suffix('').parts)
        for path in SOURCE.rglob('*.py')
    }
    return {path: room for path, room in found.items() if room}


def imports():
    """Return a Counter of (importing room, imported room)."""
    counted = Counter()
    for path, room in modules().items():
        for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
            if not isinstance(node, ast.ImportFrom) or not (node.module or '').startswith(PACKAGE):
                continue
            for alias in node.names:
                parts = f'{node.module}.{alias.name}'.split('.')[1:]
                other = room_of(parts) or room_of(parts[:-1])
                if other and other != room:
                    counted[room, other] += 1
    return counted


def reduced(pairs):
    """Return the pairs that do not follow from others, and those in cycles."""
    below = {}
    for one, other in pairs:
        below.setdefault(one, set()).add(other)

    def reached(room, seen):
        for other in below.get(room, ()):
            if other not in seen:
                seen.add(other)
                reached(other, seen)
        return seen

    return [
        (one, other)
        for one, other in pairs
        if one in reached(other, set())
        or not any(other in reached(way, set()) for way in below[one] - {other})
    ]


def places():
    """Return {room: (x, y)} of the centres, measured from the top."""
    found, y = {}, 0.0
    for rows in (OUTER, CORE, INMOST):
        for row in rows:
            for k, room in enumerate(row):
                found[room] = ((k - (len(row) - 1) / 2.0) * (WIDTH + 0.9), y)
            y -= HEIGHT + GAP
        y -= 0.35
    return found


def draw(path):
    """Write the picture."""
    where, lines = places(), Counter()
    for module, room in modules().items():
        lines[room] += module.read_text(encoding='utf-8').count('\n')
    left_out = set(lines) - set(where)
    if left_out:
        raise SystemExit(f'rooms without a place in the picture: {sorted(left_out)}')
    figure, axes = pyplot.subplots(figsize=(9.0, 0.75 * len({row for _, row in where.values()})))
    ys = [y for room, (_, y) in where.items() if room.startswith('core.')]
    axes.add_patch(
        FancyBboxPatch(
            (-5.0, min(ys) - 0.55), 10.0, max(ys) - min(ys) + 1.1, boxstyle='round,pad=0.05',
            facecolor='none', edgecolor='#8aa5c4', linestyle='--',
        )
    )  # fmt: skip
    axes.text(-4.85, max(ys) + 0.3, 'core', color='#5d7da3', fontsize=11)
    for one, other in reduced(imports()):
        arrow(axes, where[one], where[other])
    for room, (x, y) in where.items():
        kind = (
            'core'
            if room.startswith('core.')
            else 'inmost'
            if room in ('kernels', 'safety')
            else 'outer'
        )
        axes.add_patch(
            FancyBboxPatch(
                (x - WIDTH / 2, y - HEIGHT / 2), WIDTH, HEIGHT, boxstyle='round,pad=0.03',
                facecolor=FACE[kind], edgecolor='#444444', zorder=3,
            )
        )  # fmt: skip
        axes.text(x, y + 0.08, room.removeprefix('core.'), ha='center', va='center', zorder=4)
        axes.text(
            x,
            y - 0.17,
            f'{lines[room]} lines',
            ha='center',
            va='center',
            fontsize=7,
            color='#555555',
            zorder=4,
        )
    axes.set_xlim(-5.6, 5.6)
    axes.set_ylim(min(y for _, y in where.values()) - 0.7, 0.7)
    axes.axis('off')
    figure.savefig(path, dpi=110, bbox_inches='tight')


def arrow(axes, start, end):
    """Draw the arrow of an import; it is red if it points up."""
    up = end[1] > start[1] + 1e-9
    (x0, y0), (x1, y1) = start, end
    level = abs(y1 - y0) < 1e-9
    near = abs(y1 - y0) < 1.6 * (HEIGHT + GAP)
    bend = 0.0 if near else (0.25 if x0 <= 0 else -0.25)
    side = HEIGHT / 2 + 0.05
    ends = (
        ((x0, y0 - side), (x1, y1 + side))
        if not level
        else ((x0 + WIDTH / 2, y0), (x1 - WIDTH / 2, y1))
    )
    axes.add_patch(
        FancyArrowPatch(
            *ends, connectionstyle=f'arc3,rad={bend}', arrowstyle='-|>', mutation_scale=8,
            linewidth=1.0, color='#c03030' if up else '#7a8794', alpha=0.75,
            zorder=2,
        )
    )  # fmt: skip


if __name__ == '__main__':
    draw(DOCS / 'images' / 'architecture.png')
