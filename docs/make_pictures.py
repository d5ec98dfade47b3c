# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Draw all pictures of the documents into docs/images: figures here, the others in make_*.py.

Run `make pictures`. Times in the figures are those of the machine that draws them.
"""

from pathlib import Path

import make_gallery
import make_loop
import make_maps
import make_why
import numpy as np

from spacecraft_attitude_sim.configuration import attitude_controller, scenario
from spacecraft_attitude_sim.core import equations, ticks
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.primitives import Primitive
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.control import attitude_loop, closed_loop
from spacecraft_attitude_sim.core.control.response import attitude_error
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.studies import comparison, quasi_coordinates
from spacecraft_attitude_sim.drawing import colors, figures, meshes, response_report
from spacecraft_attitude_sim.drawing import comparison_report as report

IMAGES = Path(__file__).resolve().parent / 'images'
SUBSTEPS = [1, 2, 4, 8, 16, 32, 0]
TORQUE_B, TORQUE_W = (2e-6, -1e-6, 3e-6), (1e-6, 2e-6, -1e-6)
# Colours of the body axes x, y, z, drawn as arms of a box.
ARM_COLORS = tuple(map(colors.rgba, colors.AXES))
QUARTER = np.pi / 2.0
ORDERS = ((('z', QUARTER), ('y', QUARTER)), (('y', QUARTER), ('z', QUARTER)))
ORDER_COLORS = ('#d55e00', '#0072b2')


def compare_figure(name, wrench, title):
    """Draw the comparison of all sets of equations on the tennis racket for 10 s."""
    found = scenario.load(scenario.find('tennis_racket'))
    motion = comparison.Motion(found.plant, found.initial, wrench, ticks.DEFAULT.covering(10.0))
    results = comparison.compare(motion, list(equations.REGISTRY), SUBSTEPS)
    report.figure(results, title).savefig(IMAGES / name, dpi=100)


def control_figure(name):
    """Draw the response of a scenario with its controller."""
    found = scenario.load(scenario.find(name))
    settings = attitude_controller.settings(found.controller)
    pointing = settings.mode == attitude_loop.POINTING
    gains = settings.gains if pointing else settings.gains.damping_only()
    reference = attitude_controller.reference(found.controller)
    body, count = found.plant.body.flat(), ticks.DEFAULT.covering(found.parameters['duration'])
    states, torques = closed_loop.closed_loop(
        to_flat(found.initial), body, gains.flat(), reference.flat(), count
    )
    run = response_report.Response(
        np.arange(count + 1) * ticks.TICK_SECONDS,
        np.array([closed_loop.angular_velocity_B(state, body) for state in states]),
        np.vstack((np.zeros(3), torques)),
        np.array([attitude_error(reference.q_WR, q) for q in states[:, 3:7]])
        if pointing
        else None,
    )
    response_report.figure(run, found.description).savefig(IMAGES / f'{name}.png', dpi=100)


# --- quasi-coordinates --------------------------------------------------------------------------


def jack():
    """Return a box with an arm along each body axis."""
    box = Primitive('box', (0.5, 0.8, 0.3), color=(0.72, 0.74, 0.78, 1.0))
    turns = (('y', QUARTER), ('x', -QUARTER), ('z', 0.0))
    arms = []
    for axis, ((letter, angle), color) in enumerate(zip(turns, ARM_COLORS, strict=True)):
        q = rotations.quaternion_from_axis_angle(quasi_coordinates.AXES[letter], angle)
        position = tuple(0.65 * np.eye(3)[axis])
        arms.append(Primitive('cylinder', (0.06, 0.9), position, tuple(q), color=color))
    return meshes.mesh([box, *arms])


def draw_body(axis, mesh, q_WB, title, color):
    """Draw the body at an attitude."""
    from matplotlib.collections import PolyCollection

    polygons, shades = meshes.picture(mesh, q_WB)
    axis.add_collection(PolyCollection(polygons, facecolors=shades, edgecolors=shades, lw=0.4))
    for letter, arm, arm_color in zip('xyz', np.eye(3), ARM_COLORS, strict=True):
        (place,) = meshes.on_screen([rotations.rotate(q_WB, 1.28 * arm)])
        axis.annotate(letter, place, ha='center', va='center', color=arm_color, fontsize=11)
    axis.set(xlim=(-1.2, 1.2), ylim=(-1.25, 1.25), aspect='equal')
    axis.set_axis_off()
    axis.set_title(title, fontsize=10, color=color)


def draw_integrals(axis):
    """Draw the integral of ω_B for both orders; both end at the same value."""
    for turns, color in zip(ORDERS, ORDER_COLORS, strict=True):
        path = [quasi_coordinates.turned(turns[:count])[1] for count in range(3)]
        path = np.degrees(path)
        axis.plot(path[:, 2], path[:, 1], color=color, linewidth=2.2, marker='o')
        middle = path[1] / 2.0
        axis.annotate(
            f'{turns[0][0]} first', (middle[2], middle[1]), color=color, fontsize=11,
            xytext=(0, 7) if turns[0][0] == 'z' else (8, 0), textcoords='offset points',
            ha='center' if turns[0][0] == 'z' else 'left',
        )  # fmt: skip
    ends = [quasi_coordinates.turned(turns)[0] for turns in ORDERS]
    apart = np.degrees(rotations.angle_between(*ends))
    axis.annotate(
        f'one point,\ntwo attitudes\n{apart:.0f}° apart', (90.0, 90.0), xytext=(48.0, 48.0),
        ha='center', va='center', fontsize=11, arrowprops={'arrowstyle': '->', 'color': '0.3'},
    )  # fmt: skip
    axis.set(xlim=(-8, 100), ylim=(-8, 100), aspect='equal')
    axis.set(xlabel='∫ ω_z dt [deg]', ylabel='∫ ω_y dt [deg]', xticks=(0, 45, 90))
    axis.set_yticks((0, 45, 90))
    axis.grid(alpha=0.25)
    axis.set_title('integral of the body rates', fontsize=10)


def quasi_coordinates_figure():
    """Draw 90° about z then y, and about y then z."""
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(10.5, 5.2), layout='constrained')
    bodies, plot = figure.subfigures(1, 2, width_ratios=(1.9, 1.0))
    mesh, grid = jack(), bodies.subplots(2, 3)
    for row, turns, color in zip(grid, ORDERS, ORDER_COLORS, strict=True):
        titles = ('start', f'90° about body {turns[0][0]}', f'then 90° about body {turns[1][0]}')
        for count, (axis, title) in enumerate(zip(row, titles, strict=True)):
            draw_body(axis, mesh, quasi_coordinates.turned(turns[:count])[0], title, color)
    draw_integrals(plot.subplots())
    figure.savefig(IMAGES / 'quasi_coordinates.png', dpi=110)


def main():
    """Draw all."""
    figures.without_display()
    quasi_coordinates_figure()
    control_figure('cubesat_pointing')
    control_figure('cubesat_detumble')
    free = np.array(loads.FREE)
    pushed = np.concatenate((np.zeros(3), TORQUE_B, np.zeros(3), TORQUE_W))
    compare_figure('equations_free.png', free, 'T-handle, free')
    compare_figure('equations_torque.png', pushed, 'T-handle under a held torque')
    make_loop.main()
    make_maps.main()
    make_why.main()
    make_gallery.main()


if __name__ == '__main__':
    main()
