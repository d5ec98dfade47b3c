# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Run the campaigns of docs/flat_spin.md into output/, and draw its pictures into docs/images.

`python docs/make_maps.py` takes some minutes; it does not repeat campaigns that are in output/.
"""

import tempfile
from pathlib import Path

import make_gallery
import numpy as np
from PIL import Image

from spacecraft_attitude_sim.campaigns import campaign, campaign_figures, runner
from spacecraft_attitude_sim.drawing import figures, momentum_sphere
from spacecraft_attitude_sim.progress import ProgressLine

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / 'docs' / 'images'
WORDS = {
    'x': 'rate across at the start, axis 1 [rad/s]',
    'y': 'rate along at the start, axis 3 [rad/s]',
    'color': 'L/|L| along axis 1 at the end',
}


def save(drawn, name, dpi):
    """Write a Figure with few colours, because thousands of points make a large file."""
    path = IMAGES / name
    drawn.savefig(path, dpi=dpi)
    Image.open(path).convert('RGB').quantize(96).save(path, optimize=True)


def flown(name):
    """Return Campaign and columns of a shipped campaign."""
    found = campaign.load(ROOT / 'config' / 'campaigns' / f'{name}.yaml')
    line = ProgressLine()
    table = runner.run(
        found, ROOT / 'output' / name, lambda done, whole: line.show(f'{name} {done} of {whole}')
    )
    line.end()
    return found, runner.read(table)


def flat_spin():
    """Draw in which direction a flat spin ends."""
    found, columns = flown('flat_spin')
    columns = {words: columns[found.map[key]] for key, words in WORDS.items()}
    title = f'{found.runs} flat spins: which way round?'
    drawn = campaign_figures.map_figure(columns, WORDS, title)
    save(drawn, 'campaign_flat_spin.png', 80)


def dual_spin():
    """Draw the growth of nutation, and the stability boundary of the theory."""
    from matplotlib import pyplot

    found, columns = flown('dual_spin')
    values = found.bases[''].parameters
    across = values['body.inertia'][0]
    first, _, spin = values['initial.angular_velocity']
    axial = columns['body.inertia[2]']
    rotor = values['wheel.rotor.inertia'] * columns['wheel.rotor.initial_speed']
    L3 = axial * spin + rotor
    start = np.arctan2(across * first, np.abs(L3))
    end = np.arccos(np.clip(columns['final_direction[2]'] * np.sign(L3), -1.0, 1.0))
    wrong = (end < start) != (L3 * ((axial - across) * spin + rotor) > 0.0)

    drawing, axis = pyplot.subplots(figsize=(8.2, 6.2), layout='constrained')
    points = axis.scatter(
        axial / across, rotor / (across * spin), c=np.log(end / start), s=13, cmap='coolwarm',
        vmin=-1.0, vmax=1.0, linewidths=0.0,
    )  # fmt: skip
    x = np.array((0.4, 1.6))
    axis.plot(x, 1.0 - x, 'k', lw=1.6, label='$(I_3 - A)\\,W + h = 0$')
    axis.plot(x, -x, 'k--', lw=1.6, label='$L_3 = I_3\\,W + h = 0$')
    axis.plot(
        (axial / across)[wrong], (rotor / (across * spin))[wrong], 'kx', markersize=8,
        label=f'on the wrong side: {wrong.sum()} of {found.runs}',
    )  # fmt: skip
    axis.set(xlabel='$I_3/A$', ylabel='momentum of the rotor, $h/(A\\,W)$', xlim=x, ylim=(-2, 2))
    axis.legend(loc='upper right', framealpha=0.95)
    drawing.colorbar(points, label='ln(nutation at the end / at the start)', extend='both')
    drawing.suptitle('Dual spin with a platform that wastes energy: blue is stable')
    save(drawing, 'campaign_dual_spin.png', 80)


def sphere(table, title):
    """Draw the shrinking energy ellipsoid on the momentum sphere."""
    save(momentum_sphere.figure(table, title), 'flat_spin_sphere.png', 72)
    make_gallery.save(
        lambda form: momentum_sphere.animation_frames(table, title, form),
        IMAGES / 'flat_spin_sphere.gif', make_gallery.SMALL,
    )  # fmt: skip


def main():
    """Draw all."""
    figures.without_display()
    with tempfile.TemporaryDirectory() as folder:
        options = '-p', 'substeps:=1', '-p', 'duration:=600.0'
        table, found = make_gallery.run(Path(folder) / 'flat_spin', 'flat_spin', *options)
        sphere(table, found.description)
    flat_spin()
    dual_spin()


if __name__ == '__main__':
    main()
