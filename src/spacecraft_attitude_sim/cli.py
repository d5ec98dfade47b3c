# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The command `attitude-sim`: run, plot, view, replay, compare, campaign, scenarios."""

import argparse
import contextlib
import shutil
import sys
from pathlib import Path

from spacecraft_attitude_sim import __version__
from spacecraft_attitude_sim.files import scenario
from spacecraft_attitude_sim.files.errors import CampaignError, RecordingError
from spacecraft_attitude_sim.files.parameters import ParameterError
from spacecraft_attitude_sim.files.progress import ProgressLine
from spacecraft_attitude_sim.files.scenario import ScenarioError
from spacecraft_attitude_sim.viewer.errors import ViewError

NODES = ('simulator', 'attitude_controller', 'markers', 'recorder')
INTERRUPTED = 130
RERUN = 'rerun-sdk==0.41.*'
FIGURES = ('.png', '.svg', '.pdf')
# Of a comparison: ten minutes of it, and the memory of every tick [s].
LONGEST_COMPARISON = 10_000.0


class CommandError(ValueError):
    """The command line asks for something impossible; the text says what, and the remedy."""


def main(arguments=None):
    """Run the command; exit with 0 when it did what was asked, 2 for wrong input."""
    arguments = sys.argv[1:] if arguments is None else arguments
    own, ros_arguments = _split_ros_arguments(arguments)
    options = _parser().parse_args(own)
    try:
        sys.exit(options.command(options, ros_arguments))
    except (
        CampaignError,
        CommandError,
        ParameterError,
        RecordingError,
        ScenarioError,
        ViewError,
    ) as error:
        _fail(error)
    except ModuleNotFoundError as error:
        if error.name not in ('rosbags', 'matplotlib', 'rclpy', 'pyarrow', 'distributed'):
            raise
        _fail(f'this needs {error.name}, which is not installed: pip install {error.name}')
    except OSError as error:
        _fail(f'{error.filename}: {error.strerror}' if error.filename else error)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _fail(error):
    print(f'attitude-sim: {error}', file=sys.stderr)
    sys.exit(2)


def _split_ros_arguments(arguments):
    """Return what stands before --ros-args, and the rest with it."""
    if '--ros-args' not in arguments:
        return arguments, []
    place = arguments.index('--ros-args')
    return arguments[:place], arguments[place:]


def _parser():
    parser = argparse.ArgumentParser(
        prog='attitude-sim',
        description='Simulate the attitude of a spacecraft in ROS 2.',
        epilog='SCENARIO is the name of a shipped scenario or the path of a ROS parameter file.',
    )
    parser.add_argument('--version', action='version', version=__version__)
    commands = parser.add_subparsers(metavar='COMMAND', required=True)

    run = commands.add_parser(
        'run',
        help='run a scenario',
        description='Run the nodes of a scenario in one process. Ctrl-C ends it cleanly, with '
        'everything written.',
        epilog='Whatever follows --ros-args goes to ROS: remappings, log level, parameter files.',
    )
    run.add_argument('scenario', metavar='SCENARIO', help='name or path')
    run.add_argument(
        '--duration', type=float, metavar='S', help='simulated seconds; 0 runs until Ctrl-C'
    )
    run.add_argument(
        '--rate', type=float, metavar='X', help='real-time factor; 0 is as fast as possible'
    )
    run.add_argument('--record', type=Path, metavar='DIR', help='record a rosbag2 bag (mcap)')
    run.add_argument('--csv', type=Path, metavar='FILE', help='write a table, a row for each tick')
    run.add_argument(
        '--overwrite', action='store_true', help='replace a bag or table of the same name'
    )
    run.add_argument(
        '--no-controller', action='store_true',
        help="do not start the scenario's attitude_controller: yours takes its place",
    )  # fmt: skip
    run.add_argument('--no-markers', action='store_true', help='publish no markers for RViz')
    run.add_argument(
        '-p', dest='parameters', action='append', default=[], metavar='NAME:=VALUE',
        help='set a parameter of the simulator, or NODE:NAME:=VALUE of another node, as '
        'contact:mode:=rolling; may be repeated',
    )  # fmt: skip
    run.add_argument('--view', action='store_true', help='show it in a web page meanwhile')
    _add_page_options(run)
    run.set_defaults(command=_run)

    plot = commands.add_parser(
        'plot',
        help='draw figures of a recorded run',
        description='Draw the four panels of a run: attitude, rate, acceleration, momentum; on a '
        'floor, position, rate, contact force and energy.',
    )
    plot.add_argument('source', type=Path, metavar='BAG_OR_CSV', help='from run --record or --csv')
    plot.add_argument(
        '-o', '--output', type=Path, metavar='FILE',
        help='figure to write, .png, .svg or .pdf; default beside the source',
    )  # fmt: skip
    plot.add_argument(
        '--animate', nargs='?', const='gif', choices=('gif', 'mp4'),
        help='also write an animation; mp4 needs ffmpeg',
    )  # fmt: skip
    plot.add_argument(
        '--scenario', metavar='SCENARIO', help='whose body to draw; a bag knows its own'
    )
    plot.add_argument(
        '--poinsot', action='store_true',
        help="draw Poinsot's ellipsoid and the momentum sphere instead",
    )  # fmt: skip
    plot.add_argument('--show', action='store_true', help='open a window')
    plot.set_defaults(command=_plot)

    view = commands.add_parser(
        'view',
        help='show a run in a web page, live or recorded',
        description='Show body, rates and momentum in a web page on this machine: what runs now, '
        'or a recording. Ctrl-C ends it. Needs the extra "view".',
        epilog='Whatever follows --ros-args goes to ROS: remappings, such as a namespace.',
    )
    view.add_argument(
        'source', type=Path, nargs='?', metavar='BAG_OR_CSV', help='default: what runs now'
    )
    _add_page_options(view)
    view.add_argument(
        '--save', type=Path, metavar='FILE.rrd', help='write a Rerun recording, serve no page'
    )
    view.add_argument('--scenario', metavar='SCENARIO', help='whose body a CSV file is of')
    view.set_defaults(command=_view)

    replay = commands.add_parser(
        'replay',
        help='publish a bag, or compute it again and compare',
        description='Publish a recorded bag with its own timing, /clock included.',
    )
    replay.add_argument('bag', type=Path, metavar='BAG', help='from run --record or ros2 bag')
    replay.add_argument(
        '--resimulate', action='store_true',
        help='instead, run it again from its own scenario and inputs, and compare every sample '
        'bit for bit',
    )  # fmt: skip
    replay.add_argument(
        '--rate',
        type=float,
        default=1.0,
        metavar='X',
        help='speed; 0 is as fast as possible, and subscribers must keep up',
    )
    replay.add_argument('--loop', action='store_true', help='begin again at the end')
    replay.add_argument(
        '--start', type=float, default=0.0, metavar='S', help='seconds to skip at the beginning'
    )
    replay.add_argument(
        '--delay',
        type=float,
        default=1.0,
        metavar='S',
        help='wall time to wait for subscribers before the first message',
    )
    replay.set_defaults(command=_replay)

    _add_compare(commands)
    _add_campaign(commands)

    scenarios = commands.add_parser('scenarios', help='list the shipped scenarios')
    scenarios.set_defaults(command=_scenarios)

    node = commands.add_parser('node', help='run one node (what ros2 run starts)')
    node.add_argument('node', choices=NODES)
    node.set_defaults(command=_node)
    return parser


def _add_page_options(parser):
    parser.add_argument(
        '--port', type=int, default=9090, metavar='N', help='of the page; default %(default)s'
    )
    parser.add_argument(
        '--no-browser', action='store_true', help='say where the page is, do not open it'
    )
    parser.add_argument(
        '--memory-limit', default='512MB', metavar='SIZE',
        help='of the data kept for the page; then the oldest goes; default %(default)s',
    )  # fmt: skip


def _add_compare(commands):
    compare = commands.add_parser(
        'compare',
        help='compute a scenario with every set of equations of motion, and judge them',
        description='Error, drift, measured order and time of the equations of motion on one '
        'scenario, against the exact solution. Needs no ROS.',
    )
    compare.add_argument('scenario', metavar='SCENARIO', help='name or path')
    compare.add_argument('--equations', metavar='A,B', help='names of equations; default all')
    compare.add_argument(
        '--steps', default='1,2,4,8,16,32,0', metavar='N,M',
        help='steps in a tick of 1/32 s; 0: as many as the method chooses; default %(default)s',
    )  # fmt: skip
    compare.add_argument(
        '--duration', type=float, metavar='S', help="simulated seconds; default the scenario's"
    )
    compare.add_argument(
        '--torque', default='0,0,0', metavar='X,Y,Z', help='held torque in body axes [N m]'
    )
    compare.add_argument('--csv', type=Path, metavar='FILE', help='write the numbers')
    compare.add_argument('--overwrite', action='store_true', help='replace a CSV file')
    compare.add_argument(
        '-o', '--output', type=Path, metavar='FILE', help='figure to write, .png, .svg or .pdf'
    )
    compare.set_defaults(command=_compare)


def _add_campaign(commands):
    campaign = commands.add_parser(
        'campaign',
        help='run a scenario many times with parameters drawn at random',
        description='Monte Carlo, Latin hypercube or Sobol campaigns: one Parquet table and a '
        'figure. The same command goes on with a campaign that was interrupted. Needs no ROS.',
    )
    campaign.add_argument(
        'campaign', type=Path, metavar='FILE', help='YAML, see docs/campaigns.md'
    )
    campaign.add_argument(
        '-o',
        '--output',
        type=Path,
        metavar='DIR',
        help="of the results; default output/FILE's name",
    )
    campaign.add_argument('--overwrite', action='store_true', help='begin again')
    campaign.add_argument(
        '--workers', type=int, metavar='N', help='threads on this machine; default one a core'
    )
    campaign.add_argument(
        '--scheduler', metavar='ADDRESS', help='run on a Dask cluster, as tcp://host:8786'
    )
    campaign.add_argument('--row', type=int, metavar='K', help='a single run, with:')
    campaign.add_argument(
        '--write-scenario', type=Path, metavar='FILE', help='write the scenario of that run'
    )
    campaign.set_defaults(command=_campaign)


def _run(options, ros_arguments):
    path = scenario.find(options.scenario)
    found = scenario.load(path)  # so that a mistake in the file is reported with its name
    found.drawn_parts()
    for output in (options.record, options.csv):
        if output and output.exists() and not options.overwrite:
            raise CommandError(f'{output}: exists already; name another or give --overwrite')
    parameters = _parameter_arguments(options)
    with contextlib.ExitStack() as stack:
        viewer = _viewer_beside(stack, options, ros_arguments) if options.view else None
        from spacecraft_attitude_sim.nodes.run import run

        outcome = run(
            path.stem,
            ['--ros-args', '--params-file', str(path), *parameters, *ros_arguments[1:]],
            record=options.record,
            csv=options.csv,
            markers=not options.no_markers,
            controller=found.controller is not None and not options.no_controller,
            viewed=bool(viewer),
        )
        _summarise(path.stem, outcome, options)
        if viewer and not outcome.interrupted:
            _leave_open(viewer)
    if outcome.interrupted:
        return INTERRUPTED
    return 1 if outcome.problems else 0


def _viewer_beside(stack, options, ros_arguments):
    """Start the viewer in a process of its own and return it, until the stack ends."""
    _check_port(options.port)
    _need_rerun()
    from spacecraft_attitude_sim.viewer import process

    return stack.enter_context(process.beside(options, ros_arguments))


def _leave_open(viewer):
    from spacecraft_attitude_sim.viewer import process

    process.wait(viewer)


def _check_port(port):
    if not 1 <= port <= 65535:
        raise CommandError(f'--port is {port}; give one of 1 to 65535')


def _need_rerun():
    import importlib.util

    if not importlib.util.find_spec('rerun'):
        raise CommandError(
            'the viewer needs Rerun, which is not installed (Python 3.11 or newer): '
            f"pip install '{RERUN}'"
        )


def _parameter_arguments(options):
    given = list(options.parameters)
    if options.duration is not None:
        given.append(f'duration:={options.duration}')
    if options.rate is not None:
        given.append(f'real_time_factor:={options.rate}')
    arguments = []
    for text in given:
        name, assigned, _ = text.partition(':=')
        if not (name and assigned):
            raise CommandError(f"-p '{text}' is not NAME:=VALUE")
        arguments += ['-p', text if ':' in name else f'simulator:{text}']
    return arguments


def _summarise(name, outcome, options):
    from spacecraft_attitude_sim.core import ticks

    simulated = ticks.seconds(outcome.ticks)
    factor = simulated / outcome.wall_seconds if outcome.wall_seconds > 0.0 else 0.0
    print(f'{name}: {outcome.ticks} ticks, {simulated:g} s simulated at {factor:.2f} x real time')
    if found := outcome.follower.response.merit():
        from spacecraft_attitude_sim.files import response

        print(response.text(found, outcome.follower.pointing))
    else:
        _print_motion(outcome.follower)
    for label, output in (('bag', options.record), ('table', options.csv)):
        if output:
            print(f'  {label:16} {output}')
    for problem in outcome.problems:
        print(f'attitude-sim: {problem}', file=sys.stderr)
    if options.record and not outcome.problems:
        print(f'next: attitude-sim plot {options.record} --animate')


def _print_motion(follower):
    """Say what a body without a controller of ours did."""
    watch = follower.watch
    if follower.mode:
        print(f'  contact          {follower.mode} at the end, {follower.impacts} impacts')
    else:
        print(f'  flips            {_times(watch.flips())}')
    word, note = ('change', 'forces acted') if watch.acted_on else ('drift', 'inertial frame')
    print(f'  {f"{word} of L":16} {watch.momentum_drift:.1e} (relative; {note})')
    print(f'  {f"{word} of energy":16} {watch.energy_drift:.1e} (relative)')


def _times(flips):
    """Return how many there are, and when."""
    shown = ', '.join(f'{flip:.2f} s' for flip in flips[:8]) + (' …' if len(flips) > 8 else '')
    return f'{len(flips)} (at {shown})' if len(flips) else '0'


def _plot(options, ros_arguments):
    _no_ros(ros_arguments)
    from spacecraft_attitude_sim.files import figures, history

    if options.show and figures.display_missing():
        raise CommandError('--show needs a display, and DISPLAY is not set; leave --show out')
    if options.animate == 'mp4' and not figures.can_write_mp4():
        raise CommandError('--animate mp4 needs ffmpeg, which is not installed; use --animate gif')
    if not options.show:
        figures.without_display()
    table, found = history.read(options.source)
    if options.scenario:
        found = scenario.load(scenario.find(options.scenario))
    if (options.animate or options.poinsot) and found is None:
        raise CommandError(f'{options.source}: does not say what body it is; give --scenario')
    table = history.on_floor_of(table, found)
    title = found.description if found and found.description else options.source.name
    name = (
        f'{options.source.stem}_poinsot.png' if options.poinsot else f'{options.source.stem}.png'
    )
    output = options.output or options.source.with_name(name)
    _check_figure(output)
    if options.poinsot:
        from spacecraft_attitude_sim.files import poinsot_figure

        figure = poinsot_figure.figure(table, found, title)
        frames = poinsot_figure.animation_frames(table, found, title)
    else:
        figure = figures.four_panels(table, title)
        frames = figures.animation_frames(table, found.drawn_parts(), title) if found else ()
    figure.savefig(output, dpi=150)
    print(output)
    if options.source.is_dir():
        _plot_response(options.source, table, title, output)
    if options.animate:
        _animate(figures, table, frames, output.with_suffix(f'.{options.animate}'))
    if options.show:
        from matplotlib import pyplot

        pyplot.show()
    return 0


def _plot_response(bag, table, title, output):
    """Draw error, rates and torque of a run under control, and print its figures of merit."""
    from spacecraft_attitude_sim.files import response

    found = response.read(bag, table)
    if found is None:
        return
    output = output.with_stem(f'{output.stem}_control')
    response.figure(found, title).savefig(output, dpi=150)
    print(output)
    print(response.text(found.merit(), found.errors is not None))


def _check_figure(output):
    if output.suffix not in FIGURES:
        raise CommandError(f"{output}: is no figure's name; end it in .png, .svg or .pdf")


def _view(options, ros_arguments):
    if options.source:
        _no_ros(ros_arguments, 'view without a recording')
    _check_port(options.port)
    _need_rerun()
    found = scenario.load(scenario.find(options.scenario)) if options.scenario else None
    from spacecraft_attitude_sim.viewer.command import view

    view(options.source, found, ros_arguments, options)
    return 0


def _animate(figures, table, frames, output):
    save = figures.save_mp4 if output.suffix == '.mp4' else figures.save_gif
    save(_counted(frames, figures.frame_count(table)), output)
    print(output)


def _counted(frames, count):
    """Pass frames on, with a progress line."""
    line = ProgressLine()
    for number, frame in enumerate(frames, 1):
        line.show(f'frame {number} of {count}')
        yield frame
    line.end()


def _replay(options, ros_arguments):
    if not options.bag.is_dir():
        raise CommandError(f'{options.bag}: no such bag')
    if not options.rate >= 0.0:
        raise CommandError(f'--rate is {options.rate}; give 0 or more')
    return _resimulate(options) if options.resimulate else _publish(options, ros_arguments)


def _resimulate(options):
    from spacecraft_attitude_sim.nodes import replay

    line = ProgressLine()
    verdict = replay.resimulate(
        options.bag, lambda tick, whole: line.show(f'tick {tick} of {whole}')
    )
    line.end()
    print(f'identical: {verdict.identical} of {verdict.compared}')
    if verdict.difference:
        print(f'first difference: {verdict.difference}')
    return 1 if verdict.difference else 0


def _publish(options, ros_arguments):
    import rclpy

    from spacecraft_attitude_sim.nodes import replay, session

    line = ProgressLine()
    with session.ros(ros_arguments) as stop:
        node = rclpy.create_node('replay')
        try:
            replay.play(
                options.bag,
                node,
                stop,
                replay.PlayOptions(options.rate, options.start, options.loop, options.delay),
                lambda seconds, whole: line.show(f'{seconds:.2f} s of {whole:g} s'),
            )
            for publisher in node.publishers:
                publisher.wait_for_all_acked(session.LONGEST_WAIT)
        finally:
            node.destroy_node()
    line.end()
    return INTERRUPTED if stop and not options.loop else 0


def _compare(options, ros_arguments):
    _no_ros(ros_arguments)
    from spacecraft_attitude_sim.core import comparison
    from spacecraft_attitude_sim.files import comparison as report
    from spacecraft_attitude_sim.files import figures

    path = scenario.find(options.scenario)
    motion, names, substeps = _what_to_compare(options, scenario.load(path))
    if options.csv and options.csv.exists() and not options.overwrite:
        raise CommandError(f'{options.csv}: exists already; name another or give --overwrite')
    if options.output:
        _check_figure(options.output)
    line = ProgressLine()
    try:
        found = comparison.compare(
            motion, names, substeps, lambda done, whole: line.show(f'{done} of {whole}')
        )
    except comparison.UnknownTruthError as error:
        raise CommandError(f'{path.stem}: {error}') from None
    finally:
        line.end()
    print(report.text(found, path.stem))
    if options.csv:
        report.write_csv(found, options.csv)
        print(options.csv)
    if options.output:
        figures.without_display()
        report.figure(found, path.stem).savefig(options.output, dpi=130)
        print(options.output)
    return 0


def _campaign(options, ros_arguments):
    _no_ros(ros_arguments)
    from spacecraft_attitude_sim.files import campaign, campaign_figures, campaign_run, figures

    found = campaign.load(options.campaign)
    if (options.row is None) != (options.write_scenario is None):
        raise CommandError('--row and --write-scenario belong together; give both')
    if options.row is not None:
        return _write_run(found, options)
    if options.workers is not None and options.workers < 1:
        raise CommandError(f'--workers is {options.workers}; give 1 or more')
    folder = options.output or Path('output') / options.campaign.stem
    if options.overwrite and (folder / 'campaign.txt').exists():
        shutil.rmtree(folder)
    line = ProgressLine()
    try:
        table = campaign_run.run(
            found, folder, lambda done, whole: line.show(f'run {done} of {whole}'),
            threads=options.workers, scheduler=options.scheduler,
        )  # fmt: skip
    finally:
        line.end()
    columns = campaign_run.read(table)
    print(f'{options.campaign.stem}: {found.runs} runs of {found.duration:g} s')
    print('\n'.join(campaign_figures.summary(columns)))
    figures.without_display()
    picture = folder / 'merits.png'
    title = found.values['description'] or options.campaign.stem
    campaign_figures.figure(columns, title).savefig(picture, dpi=130)
    print(f'{table}\n{picture}')
    return 0


def _write_run(found, options):
    if not 0 <= options.row < found.runs:
        raise CommandError(f'--row is {options.row}; give 0 to {found.runs - 1}')
    rows = range(options.row, options.row + 1)
    (drawn,) = found.scenarios_of(found.draws(rows), rows)
    options.write_scenario.write_text(scenario.dump(drawn), encoding='utf-8')
    print(options.write_scenario)
    return 0


def _what_to_compare(options, found):
    """Return the Motion, the names of equations and the numbers of sub-steps."""
    from spacecraft_attitude_sim.core import comparison, equations, loads, ticks

    names = options.equations.split(',') if options.equations else list(equations.REGISTRY)
    for name in names:
        if name not in equations.REGISTRY:
            valid = ', '.join(equations.REGISTRY)
            raise CommandError(f"--equations has '{name}'; valid are {valid}")
    substeps = _numbers('--steps', options.steps, int, 'whole numbers from 0 to 1000000')
    if not all(0 <= count <= 1_000_000 for count in substeps):
        raise CommandError(f'--steps is {options.steps}; give whole numbers from 0 to 1000000')
    duration = options.duration
    if duration is None:
        duration = found.parameters['duration'] or 10.0
    if not ticks.TICK_SECONDS <= duration <= LONGEST_COMPARISON:
        raise CommandError(
            f'--duration is {duration} s; give {ticks.TICK_SECONDS} to {LONGEST_COMPARISON:g} s'
        )
    torque = _numbers('--torque', options.torque, float, 'three finite numbers [N m]')
    if len(torque) != 3 or not all(abs(part) <= 1e9 for part in torque):
        raise CommandError(f'--torque is {options.torque}; give three numbers up to 1e9 [N m]')
    wrench = loads.wrench_in_body((0.0, 0.0, 0.0), torque, found.base_frame)
    count = ticks.ticks_covering(duration)
    motion = comparison.Motion(found.plant, found.initial, wrench, count)
    # Coarse to fine, so that each is compared with the one before; automatic last.
    return motion, list(dict.fromkeys(names)), sorted(set(substeps), key=lambda n: (n == 0, n))


def _numbers(option, text, kind, wanted):
    try:
        return [kind(part) for part in text.split(',')]
    except ValueError:
        raise CommandError(f"{option} is '{text}'; give {wanted}, separated by commas") from None


def _scenarios(options, ros_arguments):
    _no_ros(ros_arguments)
    for name, path in scenario.shipped().items():
        print(f'{name:20} {scenario.load(path).description}')
    return 0


def _node(options, ros_arguments):
    import importlib

    from spacecraft_attitude_sim.nodes import session
    from spacecraft_attitude_sim.nodes.contact import offered as offered_contact

    module = importlib.import_module(f'spacecraft_attitude_sim.nodes.{options.node}')
    with session.ros(ros_arguments) as stop:
        stop.starting = True
        if options.node == 'simulator':
            contact = offered_contact()
            node = module.SimulatorNode(contact=contact)
            nodes = [node, *([contact] if contact else [])]
        else:
            node = getattr(module, f'{options.node.title().replace("_", "")}Node')()
            nodes = [node]
        with session.executor_of(nodes, stop) as executor:
            session.spin_until(executor, lambda: stop or node.finished)
            node.finish()
    if node.failure:
        print(f'attitude-sim: {node.failure}', file=sys.stderr)
        return 1
    return 0


def _no_ros(ros_arguments, command='run'):
    if ros_arguments:
        raise CommandError(f'--ros-args belongs to attitude-sim {command}')


if __name__ == '__main__':
    main()
