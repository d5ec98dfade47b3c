# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim plot`: figures and animations of a recorded run."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration import scenario, scenario_file
from spacecraft_attitude_sim.drawing import body_looks, panel_names
from spacecraft_attitude_sim.drawing.curves import ATTITUDES
from spacecraft_attitude_sim.kernels import warm_up
from spacecraft_attitude_sim.progress import ProgressLine
from spacecraft_attitude_sim.subcommands import merit_options
from spacecraft_attitude_sim.subcommands.checks import (
    CommandError,
    check_figure,
    in_folder,
    no_ros,
)
from spacecraft_attitude_sim.subcommands.parser import subcommand

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from matplotlib.figure import Figure

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.studies.flight_merits import Merits
    from spacecraft_attitude_sim.drawing.animation_file import Format
    from spacecraft_attitude_sim.recording.history import History

# Most frames per second; browsers show a GIF frame shorter than 20 ms for 100 ms.
MOST_FRAMES = 50
# Bags up to this size [bytes] are drawn faster without compiled code.
LARGEST_IN_PYTHON = 6 * 2**20


def add(commands: Any) -> None:
    """Add the command to the subparsers of `attitude-sim`."""
    plot = subcommand(
        commands, 'plot', draw_run, 'draw figures of a recorded run',
        'Draw a run over time: attitude, angular velocity, angular acceleration, '
        'angular momentum and energy; on a floor, position, angular velocity, contact force and '
        'energy.',
    )  # fmt: skip
    plot.value(
        'source', 'BAG_OR_CSV',
        'bag or table that run wrote, or another table (docs/figures.md)', Path,
    )  # fmt: skip
    plot.value(
        '-o --output', 'FILE',
        'figure to write, .png, .svg or .pdf; default RUN.png in the folder of the run, with '
        '--beside RUN_beside_OTHER.png', Path,
    )  # fmt: skip
    plot.add_argument(
        '--animate', nargs='?', const='gif', choices=('gif', 'mp4'),
        help='also write an animation; mp4 needs ffmpeg',
    )  # fmt: skip
    plot.value('--fps', 'N', 'frames per second of the animation; default 20, at most 50', int)
    plot.add_argument(
        '--attitude', choices=ATTITUDES,
        help='draw the attitude as yaw, pitch, roll (euler), as w, x, y, z (quaternion), or as '
        'the columns of its direction cosine matrix, the body axes in world axes (axes); default '
        'euler, and none on a floor',
    )  # fmt: skip
    plot.value(
        '--only', 'PANELS',
        'draw only these panels, in this order, separated by commas: '
        + ', '.join(panel_names.every_word()), _names,
    )  # fmt: skip
    plot.value(
        '--scenario',
        'SCENARIO',
        'scenario that describes the body of a table; a bag holds its own',
    )
    plot.flag(
        '--poinsot',
        'draw the energy ellipsoid (Poinsot) and the momentum sphere instead; of a spacecraft '
        'with actuators or parts that move inside, how the ellipsoid shrinks with the energy',
    )
    plot.value(
        '--beside', 'BAG_OR_CSV',
        'draw another run beside the first, to compare; may be repeated', Path,
        action='append', default=[],
    )  # fmt: skip
    plot.value(
        '--csv', 'FILE',
        'also write the bag as a CSV table, as run --csv does, with wheels, gimbals, thrusters, '
        'magnetorquers and internal parts', Path,
    )  # fmt: skip
    merit_options.add(plot)
    plot.flag('--show', 'also open the figure in a window')
    plot.add_namespace()
    plot.add_trust()


def _names(text: str) -> list[str]:
    """Return the panel names in a comma-separated text."""
    names = [name.strip() for name in text.split(',') if name.strip()]
    for name in names:
        try:
            panel_names.check(name)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None
    return names


def draw_run(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Draw the requested figures and animations; return the exit status."""
    no_ros(ros_arguments)
    _check(options)
    from spacecraft_attitude_sim.drawing import animation_file, figures

    if options.show and figures.display_missing():
        raise CommandError('--show needs a display, and DISPLAY is not set; leave --show out')
    if options.animate == 'mp4' and not animation_file.can_write_mp4():
        raise CommandError('--animate mp4 needs ffmpeg, which is not installed; use --animate gif')
    if not options.show:
        figures.without_display()
    # For a short bag, Python is faster than loading compiled code, which takes 0.6 s.
    short = _size(options.source) < LARGEST_IN_PYTHON
    with warm_up.in_python() if short else contextlib.nullcontext():
        return _draw(options, figures)


def _size(source: Path) -> int:
    """Return the size of a file, or of the files in a folder [bytes]."""
    files = source.iterdir() if source.is_dir() else [source]
    return sum(file.stat().st_size for file in files if file.is_file())


def _draw(options: argparse.Namespace, figures: Any) -> int:
    """Draw the requested figures and animations; return the exit status."""
    from spacecraft_attitude_sim.recording import bag_reader

    with _saying(f'reading {options.source}'):
        table, found = _read(options.source, options)
    merits = None if options.beside or options.only else merit_options.merits_of(table, options)
    from spacecraft_attitude_sim.drawing import animation_file, sampling

    if fast := sampling.note(table):
        print(f'{options.source}: {fast}')
    title = found.description if found and found.description else options.source.name
    title = figures.plain(title)
    what = ['poinsot'] if options.poinsot else options.only or []
    beside = [word for source in options.beside for word in ('beside', source.stem)]
    name = '_'.join([options.source.stem, *beside, *what])
    output = options.output or options.source.with_name(f'{name}.png')
    check_figure(output)
    form = animation_file.FULL
    if options.fps:
        form = form._replace(frames_per_second=options.fps)
    if options.poinsot and table.rotation:
        from spacecraft_attitude_sim.drawing import momentum_sphere

        figure = momentum_sphere.figure(table, title)
        frames = momentum_sphere.animation_frames(table, title, form)
    elif options.poinsot:
        from spacecraft_attitude_sim.drawing import poinsot_figure

        assert found, '_read refuses what has no scenario'
        figure = poinsot_figure.figure(table, found, title)
        frames = poinsot_figure.animation_frames(table, found, title, form)
    elif options.beside:
        runs = _runs_beside(options, table, found)
        figure = _drawn(figures, [run[:2] for run in runs], title, options)
        frames = figures.frames_beside(runs, title, form)
        table = figures.shortest(run[0] for run in runs)
    else:
        figure = _drawn(figures, [(table, '')], title, options)
        parts = body_looks.drawn_parts(found) if found else ()
        frames = figures.animation_frames(table, parts, title, form)
    _write(figure, in_folder(output))
    if bag_reader.is_bag(options.source) and not (options.beside or options.only):
        _plot_whole(table, title, output, merits, options.merits)
    if options.csv:
        _write_table(options)
    if options.animate:
        _animate(figures, table, frames, output.with_suffix(f'.{options.animate}'), form)
    if options.show:
        from matplotlib import pyplot

        pyplot.show()
    return 0


def _drawn(
    figures: Any, runs: list[tuple[History, str]], title: str, options: argparse.Namespace
) -> Figure:
    """Return a figure of several runs; CommandError if a run lacks a panel."""
    try:
        return figures.figure_beside(runs, title, options.attitude, options.only or ())
    except ValueError as error:
        from spacecraft_attitude_sim.recording import bag_reader

        more = '' if bag_reader.is_bag(options.source) else '; a bag has more than a table'
        raise CommandError(f'{options.source}: {error}{more}') from None


def _read(source: Path, options: argparse.Namespace) -> tuple[History, Scenario | None]:
    """Return the History of a bag or table, and its Scenario, or None if not known."""
    from spacecraft_attitude_sim.recording import history

    table, found = history.read(source, options.namespace)
    if options.scenario:
        found = scenario.load(scenario_file.find(options.scenario))
    if (options.animate or options.poinsot) and found is None:
        raise CommandError(f'{source}: does not say what body it is; give --scenario')
    if options.poinsot and found and found.plant.beyond_rigid_body and not table.rotation:
        raise CommandError(
            f"{source}: has {found.plant.beyond_rigid_body}; Poinsot's picture is of a rigid body "
            'left alone: leave --poinsot out'
        )
    if options.poinsot and found and not table.rotation:
        _check_parts(source, found)
    return history.on_floor_of(table, found), found


def _check_parts(source: Path, scene: Scenario) -> None:
    """Raise CommandError where a table has columns of parts, which a rigid body has not."""
    from spacecraft_attitude_sim.recording import bag_reader, csv_file, history, motion_table

    if bag_reader.is_bag(source):
        return
    names, _ = csv_file.read(source, history.COLUMNS)
    if not set(motion_table.BOOK) <= set(names):  # then no part turns or moves in the body
        return
    plain = {*history.columns(False, scene.plant), *motion_table.BOOK}
    foreign = ', '.join(f"'{name}'" for name in names if name not in plain)
    raise CommandError(
        f'{source}: has columns of parts that the scenario lacks: {foreign}; this picture is of a '
        'rigid body, so record a bag (run --record) and draw that'
    )


def _runs_beside(
    options: argparse.Namespace, table: History, found: Scenario | None
) -> list[tuple[History, str, Any]]:
    """Return (History, name, parts) of a run and of the runs to draw with it."""
    runs = [(options.source, table, found)]
    runs += [(source, *_read(source, options)) for source in options.beside]
    for source, other, _ in runs[1:]:
        if (other.contact is None) != (table.contact is None):
            raise CommandError(
                f'{source}: one run is on a floor, the other free; they have no panel in common'
            )
    return [
        (table, _name(source), body_looks.drawn_parts(found) if found else ())
        for source, table, found in runs
    ]


def _name(source: Path) -> str:
    """Return the label of a run: a file name without suffix, or a folder name."""
    from spacecraft_attitude_sim.drawing import figures

    return figures.plain(source.stem if source.is_file() else source.name)


def _plot_whole(
    table: History, title: str, output: Path, merits: Merits | None, written: Path | None
) -> None:
    """Draw what stands beside the first figure of a bag; arguments as of `_plot_response`."""
    _plot_response(table, title, output, merits, written)
    for what, figure in _figures_beside(table, title):
        _save(figure, table, output.with_stem(f'{output.stem}_{what}'))


def _plot_response(
    table: History, title: str, output: Path, merits: Merits | None, written: Path | None
) -> None:
    """Draw error, rates and torque of a controlled run, and print its merits.

    merits: of it, or None;  written: file to which they are written, or None
    """
    from spacecraft_attitude_sim.drawing import merit_report, response_report
    from spacecraft_attitude_sim.recording import merit_table

    found = response_report.of_history(table)
    if found is None or merits is None:
        return
    _save(response_report.figure(found, title), table, output.with_stem(f'{output.stem}_control'))
    if merit_report.has_errors(merits):
        path = output.with_stem(f'{output.stem}_pointing')
        _save(merit_report.figure(merits, title), table, path)
    if said := merit_report.text(merits):
        print(said)
    if written:
        merit_table.write(merits, in_folder(written))
        print(written)
    print(response_report.text(found.merit(), found.errors is not None))


def _figures_beside(table: History, title: str) -> Iterator[tuple[str, Figure]]:
    """Yield (word for its file, Figure) of the actuators, the orbit and the internal parts."""
    from spacecraft_attitude_sim.drawing import (
        internal_figures,
        orbit_figures,
        part_figures,
        wheel_figures,
    )

    if table.wheels:
        yield 'wheels', wheel_figures.figure(table, title)
    yield from part_figures.figures(table, title).items()
    if table.orbit:
        yield 'orbit', orbit_figures.figure(table, title)
    if table.internal and part_figures.internal_panels(table.internal):
        yield 'internal', internal_figures.figure(table, title)
    if table.internal and table.rotation and table.rotation.momentum_B.any():
        yield 'energy_sink', internal_figures.sink_figure(table, title)


def _save(figure: Figure, table: History, path: Path) -> None:
    """Shade the eclipses in a figure over time, write it and print its name."""
    from spacecraft_attitude_sim.drawing import orbit_figures

    orbit_figures.shade_all(figure, table)
    _write(figure, path)


def _write(figure: Figure, path: Path) -> None:
    """Write a figure, with a message before and after."""
    with _saying(f'drawing {path}'):
        figure.savefig(path, dpi=150)
    print(path)


def _write_table(options: argparse.Namespace) -> None:
    """Write the bag as a table in the same form as `run --csv`."""
    from spacecraft_attitude_sim.recording import bag_reader, history

    if not bag_reader.is_bag(options.source):
        raise CommandError(f'{options.source}: is a table already; leave --csv out')
    with _saying(f'writing {options.csv}'):
        history.write_table(options.source, options.csv, options.namespace)
    print(options.csv)


def _check(options: argparse.Namespace) -> None:
    """Raise CommandError for options that contradict each other."""
    if options.fps is not None and not options.animate:
        raise CommandError('--fps is of an animation; give --animate, too')
    if options.fps is not None and not 1 <= options.fps <= MOST_FRAMES:
        raise CommandError(f'--fps is {options.fps}; give one of 1 to {MOST_FRAMES}')
    if options.attitude and options.poinsot:
        raise CommandError('--attitude is of the panels over time; leave out it or --poinsot')
    if options.only and options.poinsot:
        raise CommandError('--only is of the panels over time; leave out it or --poinsot')
    if options.beside and options.poinsot:
        raise CommandError('--beside is of the panels over time; leave out it or --poinsot')
    if options.merits and (options.beside or options.only):
        raise CommandError('--merits is of one whole run; leave out it, or --beside and --only')
    merit_options.asked_of(options)


def _animate(
    figures: Any, table: History, frames: Iterable[Any], output: Path, form: Format
) -> None:
    from spacecraft_attitude_sim.drawing import animation_file

    mp4 = output.suffix == '.mp4'
    save, line = animation_file.save_mp4 if mp4 else animation_file.save_gif, ProgressLine()
    save(
        line.counting(frames, figures.frame_count(table, form), f'writing {output}'), output, form
    )
    line.clear()
    print(output)


@contextlib.contextmanager
def _saying(doing: str) -> Iterator[None]:
    """Context that says on a terminal what goes on, and for how long."""
    line = ProgressLine()
    line.show(doing)
    try:
        with line.saying(doing):
            yield
    finally:
        line.clear()
