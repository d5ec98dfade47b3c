# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Draw the pictures of docs/why_racket.md, why_rattleback.md and why_tippe_top.md.

`python docs/make_why.py [racket rattleback tippe_top]`; without names it draws all, in half a
minute. Runs come from why_runs.py, theory from why_theory.py.
"""

import sys
from pathlib import Path

import numpy as np
import why_runs
import why_theory

from spacecraft_attitude_sim.core.studies import energy_sink, poinsot
from spacecraft_attitude_sim.drawing import colors, figures, momentum_sphere

IMAGES = Path(__file__).resolve().parent / 'images'
WIDTH, DPI = 8.0, 100
PITCHING, ROLLING, SPINNING = '#d1560a', '#0b6fae', '#2a8f3c'
MILLI, MICRO = 1e3, 1e6
# Racket runs: spins about the axes of the smallest, intermediate and largest moment [rad/s].
SPINS = {
    'about x, the smallest moment': (8.0, 3.5, 0.0),
    'about y, the middle one': (0.3, 8.0, 0.3),
    'about z, the largest': (0.0, 5.0, 7.0),
}
LABEL = {'facecolor': 'white', 'edgecolor': 'none', 'alpha': 0.75, 'boxstyle': 'round,pad=0.15'}
ACROSS = (0.1, 0.01, 0.001)
RATTLE = 0.004
TOP_SPINS = (20.0, 60.0, 100.0)
# A/C of tippe tops: one never rises, the shipped one, one never turns over completely.
SHAPES = {1.5: PITCHING, 131.0 / 140.0: SPINNING, 0.6: ROLLING}


def save(drawn, name):
    """Write a Figure."""
    drawn.savefig(IMAGES / f'{name}.png', dpi=DPI)


def legend(axis, **options):
    """Add a legend without a frame."""
    axis.legend(frameon=False, fontsize='small', **options)


# --- tennis racket ------------------------------------------------------------------------------


def racket_sphere():
    """Draw the paths of L of three spins on the momentum sphere, with the energy ellipsoids."""
    from matplotlib import pyplot

    drawn, views = pyplot.subplots(1, 3, figsize=(WIDTH, 3.5), layout='constrained')
    for view, (name, rate) in zip(views, SPINS.items(), strict=True):
        flight = why_runs.fly('tennis_racket', 10.0, initial__angular_velocity=list(rate))
        inertia = flight.found.plant.body.inertia
        rotation = energy_sink.rotation(
            flight.momentum_B, np.tile(inertia, (len(flight.time), 1, 1))
        )
        momentum_sphere.Sphere(view, rotation, animated=False).artists(0)
        for letter, axis_name in zip('xyz', view.texts, strict=True):
            axis_name.set(text=letter, fontsize='large', bbox=LABEL, zorder=7)
        view.set_title(name, fontsize='medium')
        view.set(xlim=(-1.5, 1.5), ylim=(-1.5, 1.55))
    handles, labels = views[1].get_legend_handles_labels()
    chosen = [
        (handle, label)
        for handle, label in zip(handles, labels, strict=True)
        if label in ('separatrix', 'path at this energy', 'L')
    ]
    drawn.legend(*zip(*chosen, strict=True), loc='outside lower center', ncols=3, frameon=False)
    save(drawn, 'why_racket_sphere')


def racket_flips():
    """Draw the spin of three starts over time, and the time between flips over the start."""
    from matplotlib import pyplot

    drawn, (left, right) = pyplot.subplots(
        1, 2, figsize=(WIDTH, 3.6), layout='constrained', width_ratios=(1.35, 1.0)
    )
    for across, color in zip(ACROSS, colors.SPACECRAFT, strict=False):
        flight = racket(across)
        left.plot(flight.time, flight.rate_B[:, 1], color=color, label=f'{across:g} rad/s across')
    left.set(xlabel='t [s]', ylabel='ω about the intermediate axis [rad/s]', ylim=(-9.0, 13.5))
    legend(left, loc='upper right')
    starts = np.geomspace(1e-4, 3.0, 60)
    found = racket(0.01).found
    moments = np.diag(found.plant.body.inertia)
    exact, logarithm = [], []
    for start in starts:
        rate = np.array((start, 8.0, start))
        exact.append(poinsot.period(moments, moments * rate) / 2.0)
        logarithm.append(why_theory.Racket(moments, rate).between_flips())
    right.semilogx(starts, exact, color='0.2', label='half a period, closed form')
    right.semilogx(starts, logarithm, '--', color=colors.SEPARATRIX, label='its logarithm')
    runs = np.geomspace(1e-4, 1.0, 9)
    waits = []
    for start in runs:
        flight = racket(start)
        waits.append(np.diff(flight.zeros(flight.rate_B[:, 1]))[0])
    right.plot(runs, waits, 'o', color=colors.SPACECRAFT[0], label='runs')
    right.set(xlabel='across at the start [rad/s]', ylabel='between two flips [s]', ylim=(0, 8))
    right.grid(alpha=0.25)
    legend(right, loc='upper right')
    save(drawn, 'why_racket_flips')


def racket(across):
    """Return the run of a start with these rates [rad/s] about both other axes."""
    return why_runs.fly(
        'tennis_racket', 14.0, tick_rate=64.0, initial__angular_velocity=[across, 8.0, across]
    )


# --- rattleback ---------------------------------------------------------------------------------


def rattleback_torque():
    """Draw a few pitching oscillations: tilt, the floor's lateral force, and its torque."""
    from matplotlib import pyplot

    boat = why_runs.boat(why_runs.fly('rattleback', 0.0))
    flight = why_runs.fly(
        'rattleback', 0.25, tick_rate=1000.0, initial__angular_velocity=[0.0, 0.0, 0.0],
        initial__attitude=why_runs.leaning(boat, 1, RATTLE),
    )  # fmt: skip
    force, torque = flight.floor_push()
    energy = boat.energies(*flight.leaning)[:, 1]
    mean = -2.0 * boat.growth()[1] * np.mean(energy)
    first, *_, last = np.searchsorted(flight.time, flight.zeros(flight.up_B[:, 0])[:-1:2])
    found = MICRO * np.mean(torque[first:last])  # over whole oscillations
    drawn, panels = pyplot.subplots(3, 1, figsize=(WIDTH, 5.0), layout='constrained', sharex=True)
    time = MILLI * flight.time
    panels[0].plot(time, np.degrees(flight.up_B[:, 0]), color=PITCHING)
    panels[0].set_ylabel('bow up [deg]')
    panels[1].plot(time, MILLI * force[:, 1], color=colors.CONTACT_FORCE)
    panels[1].set_ylabel('push to port [mN]')
    panels[2].plot(time, MICRO * torque, color=SPINNING, label='about the vertical')
    panels[2].axhline(found, color=SPINNING, lw=0.8, label='its mean')
    panels[2].axhline(MICRO * mean, color='0.2', ls='--', lw=1.2, label='mean in the theory')
    panels[2].set(ylabel='torque [µN m]', xlabel='t [ms]', ylim=(-370.0, 40.0))
    for panel in panels:
        panel.axhline(0.0, color='0.6', lw=0.8, zorder=0)
    legend(panels[2], loc='lower center', ncols=3)
    save(drawn, 'why_rattleback_torque')


def rattleback_run():
    """Draw spin and energies in 50 s of the shipped run."""
    from matplotlib import pyplot

    flight = why_runs.fly('rattleback', 50.0, tick_rate=128.0)
    boat = why_runs.boat(flight)
    drawn, (above, below) = pyplot.subplots(
        2, 1, figsize=(WIDTH, 4.8), layout='constrained', sharex=True
    )
    spin = envelope(flight.spin)
    above.plot(flight.time, spin, color=SPINNING)
    above.axhline(0.0, color='0.6', lw=0.8, zorder=0)
    for time in flight.zeros(spin):
        above.annotate(f'{time:.1f} s', (time, 0.0), xytext=(5, 5), textcoords='offset points')
    above.set_ylabel('spin [rad/s]')
    energies = boat.energies(*flight.leaning)
    below.plot(
        flight.time, MILLI * boat.inertia[2, 2] / 2.0 * spin**2, color=SPINNING,
        label='spinning',
    )  # fmt: skip
    for mode, color, name in ((1, PITCHING, 'pitching'), (0, ROLLING, 'rolling')):
        below.plot(flight.time, MILLI * envelope(energies[:, mode]), color=color, label=name)
    below.set(xlabel='t [s]', ylabel='energy [mJ]', ylim=(0.0, 31.0))
    legend(below, loc='upper right', ncols=3)
    save(drawn, 'why_rattleback_run')


def envelope(values, width=33):
    """Return the moving mean of values (n,)."""
    padded = np.pad(values, width // 2, mode='edge')
    return np.convolve(padded, np.ones(width) / width, mode='valid')


def rattleback_senses():
    """Draw the growth rates over the spin, and runs in both senses with and without loss."""
    from matplotlib import pyplot

    drawn, (left, right) = pyplot.subplots(
        1, 2, figsize=(WIDTH, 3.8), layout='constrained', width_ratios=(1.0, 1.25)
    )
    boat = why_runs.boat(why_runs.fly('rattleback', 0.0))
    line = np.array((-4.5, 4.5))
    for mode, color, name, spins in (
        (1, PITCHING, 'pitching', (-4.0, -2.0, -1.0, 1.0, 2.0, 4.0)),
        (0, ROLLING, 'rolling', (-4.0, -2.0, -1.0)),  # rolling decays if pitching grows
    ):
        measured = [why_runs.growth(growing(boat, spin, mode), mode) for spin in spins]
        left.plot(spins, measured, 'o', color=color, label=f'{name}, runs')
        left.plot(line, boat.growth()[mode] * line, color=color, label=f'{name}, theory')
    left.axhline(0.0, color='0.6', lw=0.8, zorder=0)
    left.set(xlabel='spin [rad/s]', ylabel='growth rate [1/s]')
    left.grid(alpha=0.25)
    legend(left)
    for spin, color in ((5.0, PITCHING), (-5.0, ROLLING)):
        for floor, width in (({}, 0.8), ({'mode': 'coulomb', 'friction': 0.1}, 2.4)):
            flight = why_runs.fly(
                'rattleback', 90.0, floor, initial__angular_velocity=[0.0, 0.0, spin]
            )
            right.plot(
                flight.time, envelope(flight.spin, 9), color=color, lw=width,
                label=f'{spin:+.0f} rad/s, {"μ = 0.1" if floor else "never slips"}',
            )  # fmt: skip
    right.axhline(0.0, color='0.6', lw=0.8, zorder=0)
    right.set(xlabel='t [s]', ylabel='spin [rad/s]', ylim=(-6.0, 11.0))
    legend(right, loc='upper right')
    save(drawn, 'why_rattleback_senses')


def growing(boat, spin, mode):
    """Return a short run, in which one mode that is small at the start stays small."""
    seconds = min(12.0, 2.0 / abs(spin * boat.growth()[mode]))
    return why_runs.fly(
        'rattleback', seconds, initial__angular_velocity=[0.0, 0.0, spin],
        initial__attitude=why_runs.leaning(boat, mode, 1e-5),
    )  # fmt: skip


# --- tippe top ----------------------------------------------------------------------------------


def spun_top(spin, seconds=30.0, friction=0.01, **given):
    """Return the run of a tippe top with this initial spin about its axis [rad/s]."""
    return why_runs.fly(
        'tippe_top', seconds, {'friction': friction},
        initial__angular_velocity=[0.0, 0.0, spin], **given,
    )  # fmt: skip


def tippe_top_valley():
    """Draw how three spins descend to the least energy that Jellett's integral allows."""
    from matplotlib import pyplot

    drawn, panels = pyplot.subplots(1, 3, figsize=(WIDTH, 3.4), layout='constrained')
    tilts = np.radians(np.linspace(0.0, 180.0, 361))
    for panel, spin in zip(panels, TOP_SPINS, strict=True):
        flight = spun_top(spin)
        top, kept = why_runs.top(flight), why_runs.jellett(flight)[0]
        panel.plot(
            np.degrees(tilts), MILLI * top.least_energy(tilts, kept), color='0.2',
            label='least energy',
        )  # fmt: skip
        path = np.degrees(why_runs.tilt(flight))
        panel.plot(path, MILLI * flight.energy, color=PITCHING, lw=1.2, label='run')
        panel.plot(path[0], MILLI * flight.energy[0], 'o', color=PITCHING)
        panel.plot(path[-1], MILLI * flight.energy[-1], 's', color=SPINNING, label='its end')
        panel.set(xlabel='tilt [deg]', xticks=(0, 90, 180), title=f'{spin:.0f} rad/s')
    panels[0].set_ylabel('energy [mJ]')
    legend(panels[2], loc='upper right')
    save(drawn, 'why_tippe_top_valley')


def tippe_top_run():
    """Draw tilt, angular momentum and energy while the top turns over."""
    from matplotlib import pyplot

    flight = spun_top(100.0, 26.0)
    top, tilt = why_runs.top(flight), why_runs.tilt(flight)
    drawn, panels = pyplot.subplots(3, 1, figsize=(WIDTH, 6.4), layout='constrained', sharex=True)
    panels[0].plot(flight.time, np.degrees(tilt), color=PITCHING, label='run')
    angles = np.radians(np.linspace(30.0, 175.0, 60))
    start = flight.time[np.flatnonzero((tilt > angles[0]) & (flight.time > 1.0))[0]]
    kept = why_runs.jellett(flight)[0]
    later = [start + top.time(0.01, kept, angles[0], angle) for angle in angles]
    panels[0].plot(later, np.degrees(angles), '--', color='0.2', label='L along the vertical')
    panels[0].set(ylabel='tilt [deg]', yticks=(0, 90, 180))
    up, own = flight.momentum_W[:, 2], flight.momentum_B[:, 2]
    panels[1].plot(
        flight.time, up / own[0], color=colors.ANGULAR_MOMENTUM, label='about the vertical'
    )
    panels[1].plot(flight.time, own / own[0], color=colors.AXES[2], label='about its own axis')
    panels[1].axhline(0.0, color='0.6', lw=0.8, zorder=0)
    panels[1].set_ylabel('L, as a share of the first')
    height = top.mass * top.gravity * flight.position_W[:, 2]
    panels[2].plot(flight.time, MILLI * flight.energy, color='0.2', label='all')
    panels[2].plot(
        flight.time, MILLI * (flight.energy - height), color=SPINNING, label='of motion'
    )
    panels[2].plot(flight.time, MILLI * height, color=colors.POTENTIAL_ENERGY, label='of height')
    panels[2].set(ylabel='energy [mJ]', xlabel='t [s]', ylim=(0.0, None))
    for panel in panels:
        legend(panel, loc='center right')
    save(drawn, 'why_tippe_top_run')


def tippe_top_ends():
    """Draw the final tilt over the initial spin, for three shapes of the body."""
    from matplotlib import pyplot

    drawn, axis = pyplot.subplots(figsize=(WIDTH, 4.0), layout='constrained')
    spins, flown = np.linspace(5.0, 130.0, 251), np.arange(10.0, 131.0, 10.0)
    for ratio, color in SHAPES.items():
        shape = [ratio * 3.2e-6, ratio * 3.2e-6, 3.2e-6]
        top = why_runs.top(spun_top(0.0, 0.0, body__inertia=shape))
        ends = [top.final_tilt(top.jellett(spin, 0.3)) for spin in spins]
        axis.plot(spins, np.degrees(ends), color=color, label=f'A/C = {ratio:.2f}')
        runs = [spun_top(spin, 40.0, body__inertia=shape) for spin in flown]
        tilts = [np.degrees(why_runs.tilt(flight)[-32:].mean()) for flight in runs]
        axis.plot(flown, tilts, 'o', color=color, markersize=5)
    axis.plot([], [], 'o', color='0.4', label='runs')
    axis.set(
        xlabel='spin at the start [rad/s]', ylabel='tilt in the end [deg]',
        yticks=(0, 45, 90, 135, 180), xlim=(0.0, 135.0),
    )  # fmt: skip
    axis.grid(alpha=0.25)
    legend(axis, loc='upper left', ncols=1)
    save(drawn, 'why_tippe_top_ends')


PICTURES = {
    'racket': (racket_sphere, racket_flips),
    'rattleback': (rattleback_torque, rattleback_run, rattleback_senses),
    'tippe_top': (tippe_top_valley, tippe_top_run, tippe_top_ends),
}


def main(names=()):
    """Draw these pages' pictures, or all."""
    figures.without_display()
    for name in names or PICTURES:
        for draw in PICTURES[name]:
            draw()


if __name__ == '__main__':
    main(sys.argv[1:])
