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

from spacecraft_attitude_sim.files import figures, history, scenario

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
PAGE = """# Gallery

Every scenario that ships with the package. What is drawn was recorded from the topics of a run:

    attitude-sim run NAME --record output/NAME && attitude-sim plot output/NAME --animate

Red, green and blue are the body's axes x, y, z; ω is green, L violet, the force of the floor
magenta ([figures](figures.md)). Longer runs are shown faster. `make pictures` draws all of this
anew. To watch a run while it happens: [in a web page](viewer.md), or
[in RViz, PlotJuggler, Foxglove](viewing.md).
"""
ENTRY = """
## {name}

{description}.

    attitude-sim run {name}

![{description}](images/gallery/{name}.gif)
"""


def draw(name, folder):
    """Run a scenario and write its animation; return the path."""
    bag = folder / name
    subprocess.run(
        [COMMAND, 'run', name, '--rate', '0', '--no-markers', '--record', bag],
        check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, 'ROS_DOMAIN_ID': DOMAIN, 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'},
    )
    table, found = history.read(bag)
    parts = found.drawn_parts()
    path = IMAGES / 'gallery' / f'{name}.gif'
    form = SMALL
    while True:
        frames = figures.animation_frames(table, parts, found.description, form)
        figures.save_gif(frames, path, form)
        if path.stat().st_size <= LARGEST:
            break
        form = form._replace(longest=0.75 * form.longest, colors=max(48, form.colors // 2))
    if name == OF_README:
        figures.figure(table, found.description).savefig(IMAGES / f'{name}.png', dpi=90)
        frames = figures.animation_frames(table, parts, found.description)
        figures.save_gif(frames, IMAGES / f'{name}.gif')
    return path


def page():
    """Return the text of docs/gallery.md."""
    entries = [
        ENTRY.format(name=name, description=scenario.load(path).description)
        for name, path in scenario.shipped().items()
    ]
    return PAGE + ''.join(entries)


def main(names=()):
    """Draw these scenarios, or all, and write the page."""
    figures.without_display()
    (IMAGES / 'gallery').mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in names or scenario.shipped():
            path = draw(name, Path(folder))
            print(f'{path.name:28} {path.stat().st_size // 1000} kB', flush=True)
    (DOCS / 'gallery.md').write_text(page())


if __name__ == '__main__':
    main(sys.argv[1:])
