# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Run every shipped scenario and draw it: docs/images/gallery, and the page docs/gallery.md.

`python docs/make_gallery.py [SCENARIO …]`; without names all.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from spacecraft_attitude_sim.configuration import formation, scenario
from spacecraft_attitude_sim.drawing import animation_file, body_looks, figures
from spacecraft_attitude_sim.recording import history

DOCS = Path(__file__).resolve().parent
IMAGES = DOCS / 'images'
COMMAND = Path(sys.executable).with_name('attitude-sim')
SMALL = animation_file.Format(
    size=(9.6, 4.4), dpi=80, frames_per_second=8, longest=8.0, colors=96, font=11.0
)
# Of a file [bytes]: a run that does not fit is shown faster, in fewer colours, a little smaller.
LARGEST = 300_000
LEAST_DPI, FEWER_COLORS = 72, 48
# Nobody else's topics: one above the ports that systems lend.
DOMAIN = '219'
# The scenario whose figure docs/figures.md shows.
OF_FIGURES = 'tennis_racket'
# The scenario that docs/contact.md shows in both modes.
BESIDE = 'ellipsoid_in_valley'
# Of a long run the part that shows most: from, to [s].
PART = {'cubesat_3u_leo': (10790.0, 10890.0), 'csswe': (0.0, 200.0), 'lewis': (0.0, 400.0)}
GROUPS = {
    'Free bodies': ('tennis_racket', 'symmetric_top', 'cubesat_tumble'),
    'Spinners that lose energy': (
        'flat_spin', 'explorer_1', 'lewis', 'dual_spin', 'spinner_damper',
    ),
    'Wheels and panels': (
        'wheels_take_over', 'racket_cured', 't_handle_cured', 'cubesat_pyramid',
        'cubesat_pyramid_limits', 'cubesat_panels', 'air_bearing_wheels',
    ),
    'Controlled': (
        'cubesat_pointing', 'cubesat_detumble', 'thruster_limit_cycle', 'fast_tumbler',
        'cubesat_wheel_stuck', 'formation',
    ),
    'In orbit': (
        'cubesat_3u_leo', 'cubesat_3u_target_pass', 'cubesat_3u_mission', 'station_cmg', 'csswe',
        'gravity_gradient', 'gravity_gradient_boom',
    ),
    'On floors': (
        'rattleback', 'tippe_top', 'ellipsoid_sliding', 'ellipsoid_rolling', 'bouncing_ellipsoid',
        'superellipsoid_rolling', 'backspin', 'ball_on_incline', 'ball_on_turntable',
    ),
    'On floors that curve or move': (
        'ball_in_bowl', 'ball_in_valley', 'ellipsoid_in_valley', 'wave', 'heaving_floor',
    ),
}  # fmt: skip
PAGE = """# Gallery

These are all scenarios that ship with the package. Each picture was recorded from the topics
of a run. To make one:

    attitude-sim run NAME --record output/NAME && attitude-sim plot output/NAME --animate

Red, green and blue are the body axes x, y, z. ω is green and L violet. The angular momentum of
the wheels is teal, the force of the floor magenta ([figures](figures.md)). Longer runs are
shown faster.

To watch a run live, use [a web page](viewer.md), or [RViz, PlotJuggler or
Foxglove](viewing.md). Five scenarios belong together, `explorer_1`, `flat_spin`, `lewis`,
`spinner_damper` and `dual_spin`: [why satellites end in a flat spin](flat_spin.md).
Three more pages say why: [the tennis racket](why_racket.md),
[the rattleback](why_rattleback.md) and [the tippe top](why_tippe_top.md). `make pictures` draws
all pictures anew.
"""
GROUP = """
## {title}
"""
ENTRY = """
### {name}

{description}.
{part}
    attitude-sim run {name}

![{description}](images/gallery/{name}.gif)
"""


def draw(name, folder):
    """Run a scenario and write its animation; return the path."""
    first, last = PART.get(name, (0.0, 0.0))
    table, found = run(folder / name, name, *(['--duration', str(last)] if last else []))
    parts = body_looks.drawn_parts(found)
    if last:
        table = rows_of(table, (table.time >= first) & (table.time <= last))

    def frames(form):
        return figures.animation_frames(table, parts, found.description, form)

    path = save(frames, IMAGES / 'gallery' / f'{name}.gif', SMALL)
    if name == OF_FIGURES:
        figures.figure(table, found.description).savefig(IMAGES / f'{name}.png', dpi=90)
    return path


def rows_of(found, kept):
    """Return a History, or a part of it, with some of its rows.

    found: nested NamedTuples and arrays;  kept: (n,) bool, for the n rows
    """
    if isinstance(found, tuple) and hasattr(found, '_replace'):
        return type(found)(*(rows_of(part, kept) for part in found))
    is_table = isinstance(found, np.ndarray) and found.shape[:1] == kept.shape
    return found[kept] if is_table else found


def draw_formation(name, folder):
    """Run a formation and draw its spacecraft side by side; return the path."""
    members = formation.members([scenario.find(name)])
    bag = fly(folder / name, name)
    runs = []
    for member in members:
        table, found = history.read(bag, member.namespace)
        runs.append((table, member.name, body_looks.drawn_parts(found)))

    def frames(form):
        return figures.frames_beside(runs, description_of(members), form)

    return save(frames, IMAGES / 'gallery' / f'{name}.gif', SMALL)


def description_of(members):
    """Return the description of a formation, which is that of its first spacecraft."""
    return members[0].sections['simulator']['description']


def draw_beside(name, modes, folder):
    """Run a scenario on a floor in several contact modes and draw the bodies side by side."""
    runs = []
    for mode in modes:
        table, found = run(folder / f'{name}_{mode}', name, '-p', f'contact:mode:={mode}')
        runs.append((table, mode, body_looks.drawn_parts(found)))

    def frames(form):
        return figures.frames_beside(runs, found.description, form)

    return save(frames, IMAGES / f'{name}_beside.gif', SMALL)


def run(bag, name, *options):
    """Run a scenario into a bag; return its History and Scenario."""
    return history.read(fly(bag, name, *options))


def fly(bag, name, *options):
    """Run a scenario or formation into a bag; return its path."""
    subprocess.run(
        [COMMAND, 'run', name, '--rate', '0', '--no-markers', '--record', bag, *options],
        check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, 'ROS_DOMAIN_ID': DOMAIN, 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'},
    )
    return bag


def save(frames, path, form):
    """Write the frames that a function of a Format returns, in a Format with a small file."""
    animation_file.save_gif(frames(form), path, form)
    if path.stat().st_size <= LARGEST:
        return path
    smaller = form._replace(
        dpi=max(LEAST_DPI, round(0.97 * form.dpi)),
        longest=0.85 * form.longest,
        colors=FEWER_COLORS,
    )
    return save(frames, path, smaller)


def page():
    """Return the text of docs/gallery.md."""
    described = {
        name: scenario.load(path).description for name, path in scenario.shipped().items()
    }
    described |= {
        name: description_of(formation.members([path]))
        for name, path in scenario.shipped_formations().items()
    }
    found = [PAGE]
    for title, names in GROUPS.items():
        found.append(GROUP.format(title=title))
        found += [entry(name, described.pop(name)) for name in names]
    if described:
        raise ValueError(f'GROUPS of docs/make_gallery.py lacks {", ".join(described)}')
    return ''.join(found)


def entry(name, description):
    """Return the page's entry of a scenario."""
    first, last = PART.get(name, (0, 0))
    which = f'{last - first:g} s of it, from {first:g} s on' if first else f'the first {last:g} s'
    part = f'Shown are {which}.\n' if last else ''
    return ENTRY.format(name=name, description=description, part=part)


def main(names=()):
    """Draw these scenarios, or all, and write the page."""
    figures.without_display()
    (IMAGES / 'gallery').mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        formations = scenario.shipped_formations()
        for name in names or [*scenario.shipped(), *formations]:
            path = (draw_formation if name in formations else draw)(name, Path(folder))
            print(f'{path.name:28} {path.stat().st_size // 1000} kB', flush=True)
        if BESIDE in (names or [BESIDE]):
            draw_beside(BESIDE, ('sliding', 'rolling'), Path(folder))
    (DOCS / 'gallery.md').write_text(page())


if __name__ == '__main__':
    main(sys.argv[1:])
