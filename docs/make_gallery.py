# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Run every shipped scenario and draw it: docs/images/gallery, and the page docs/gallery.md.

`python docs/make_gallery.py [SCENARIO …]`; without names all, and the pictures of the README.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from spacecraft_attitude_sim.configuration import formation, scenario
from spacecraft_attitude_sim.drawing import body_looks, figures
from spacecraft_attitude_sim.recording import history

DOCS = Path(__file__).resolve().parent
IMAGES = DOCS / 'images'
COMMAND = Path(sys.executable).with_name('attitude-sim')
SMALL = figures.Format(
    size=(7.2, 3.3), dpi=72, frames_per_second=10, longest=9.0, colors=128, font=9.0
)
# Of a file [bytes]: a run that does not fit is shown faster, in fewer colours.
LARGEST = 300_000
# Nobody else's topics: one above the ports that systems lend.
DOMAIN = '219'
OF_README = 'tennis_racket'
# What docs/contact.md shows in both modes.
BESIDE = 'ellipsoid_in_valley'
PAGE = """# Gallery

Every scenario that ships with the package. What is drawn was recorded from the topics of a run:

    attitude-sim run NAME --record output/NAME && attitude-sim plot output/NAME --animate

Red, green and blue are the body's axes x, y, z; ω is green, L violet, what wheels hold of it teal,
the force of the floor magenta ([figures](figures.md)). Longer runs are shown faster. `make
pictures` draws all of this anew. To watch a run while it happens: [in a web page](viewer.md), or
[in RViz, PlotJuggler, Foxglove](viewing.md). `explorer_1`, `flat_spin`, `lewis`, `spinner_damper`
and `dual_spin` belong together: [why satellites end in a flat spin](flat_spin.md).
"""
ENTRY = """
## {name}

{description}.

    attitude-sim run {name}

![{description}](images/gallery/{name}.gif)
"""


def draw(name, folder):
    """Run a scenario and write its animation; return the path."""
    table, found = run(folder / name, name)
    parts = body_looks.drawn_parts(found)

    def frames(form):
        return figures.animation_frames(table, parts, found.description, form)

    path = save(frames, IMAGES / 'gallery' / f'{name}.gif', SMALL)
    if name == OF_README:
        figures.figure(table, found.description).savefig(IMAGES / f'{name}.png', dpi=90)
        figures.save_gif(frames(figures.FULL), IMAGES / f'{name}.gif')
    return path


def draw_formation(name, folder):
    """Fly a formation and draw its spacecraft beside each other; return the path."""
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
    """Return the description of a formation: that of its first spacecraft."""
    return members[0].sections['simulator']['description']


def draw_beside(name, modes, folder):
    """Run a scenario on a floor in some modes and draw the bodies beside each other."""
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
    """Write the frames that a function of a Format gives, in one that makes a small file."""
    figures.save_gif(frames(form), path, form)
    if path.stat().st_size <= LARGEST:
        return path
    smaller = form._replace(longest=0.75 * form.longest, colors=max(48, form.colors // 2))
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
    entries = [ENTRY.format(name=name, description=text) for name, text in described.items()]
    return PAGE + ''.join(entries)


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
