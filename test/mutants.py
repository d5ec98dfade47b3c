# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Plants deliberate faults in the source, one at a time, and counts how many the tests notice.

    make mutants N=60 SEED=1 ONLY=nodes/,recording/reader

The faults are drawn at random, as many of each package. Each is planted in a copy of the tree,
whose `src` comes first on PYTHONPATH, also for the processes that tests start; the tests that
concern the module then run until the first that fails. Only the kernels that reach the fault are
compiled again. Prints one line for a fault, and at the end the score of each package.
"""

import argparse
import ast
import contextlib
import functools
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = 'spacecraft_attitude_sim'
SOURCE = Path('src') / PACKAGE
LEFT_OUT = shutil.ignore_patterns('.git', '.venv', 'output', 'build', '__pycache__', '*.egg-info')
# Tests that reach a module through others or through a process: import statements do not say so.
# All that match are taken, then those that import the module.
REACHED = {
    '__init__': 'front_door',
    'api/': 'front_door',
    'api/batch': 'side_by_side batch_mixed',
    'api/waiting': 'front_door notebook',
    'drawing/sampling': 'front_door figures',
    'flight/': 'front_door bits magnetic_control',
    'flight/side_by_side': 'side_by_side batch_mixed campaign',
    'flight/inboxes': 'actuator_commands wheel_commands command_topics',
    'recording/sensor_history': 'sensor_history',
    'recording/brief': 'front_door',
    'recording/run_history': 'front_door cli',
    'cli': 'safety cli package',
    'core/design/': 'design design_margins design_command',
    'configuration/linear_case': 'design_command design_margins',
    'drawing/design_': 'design_command',
    'recording/design_file': 'design_command',
    'core/batch/attitude_law': 'batch_sensors campaign compiled_flight integral',
    'core/batch/actuated': 'batch_mixed side_by_side',
    'core/batch/ephemerides': 'batch_estimators',
    'core/batch/estimat': 'batch_estimators',
    'core/batch/followed': 'batch_missions',
    'core/batch/law_joints': 'batch_sensors campaign compiled_flight',
    'core/batch/b': 'batch batch_contact batch_sensors batch_laws batch_mixed',
    'core/batch/compiled_law': 'batch_laws',
    'core/batch/craft_borne': 'craft_borne',
    'core/batch/craft_delayed': 'craft_delayed',
    'core/batch/craft_gyros': 'craft_gyros',
    'core/batch/craft_held': 'craft_held craft_fast',
    'core/batch/craft_pieces': 'craft_delayed craft_gyros',
    'core/batch/craft_pushed': 'craft_pushed',
    'core/batch/craft_tilted': 'craft_gyros',
    'core/batch/craft_': 'craft_inside craft_lanes craft_magnets craft_press craft_seen',
    'core/batch/moving_': 'moving_lanes craft_inside',
    'core/batch/python_law': 'batch_laws',
    'configuration/flight_report': 'summaries',
    'configuration/part_report': 'summaries actuator_parameters scenario',
    'configuration/internal_report': 'summaries internal_parameters',
    'configuration/orbit_report': 'summaries earth_parameters',
    'configuration/scenario_report': 'summaries messages',
    'core/batch/commands': 'side_by_side',
    'core/batch/command_rows': 'rollout learning',
    'core/batch/episodes': 'rollout learning',
    'core/batch/sharing': 'batch',
    'flight/episodes': 'rollout learning',
    'api/rollout': 'rollout',
    'learn/': 'learning',
    'fmi/': 'fmi',
    'core/batch/joints': 'side_by_side',
    'core/batch/driven': 'allocation magnetic_control campaign_merits',
    'core/batch/flight_': 'campaign_merits',
    'core/control/closed_loop': 'control',
    'core/control/integral': 'integral',
    'core/ticks': 'rate analysis',
    'core/actuators/': 'channels reader actuator_views gyrostat wheel_commands batch_gyrostats'
    ' actuated actuator_commands',
    'core/environment/': 'given_surroundings orbit_loads gravity_gradient batch_gyrostats',
    'core/environment/loads/b': 'air_bearing',
    'core/environment/loads/': 'gravity_gradient orbit_loads given_surroundings unknown_parts',
    'configuration/loads/': 'summaries air_bearing',
    'configuration/sensors/': 'parameter_tables orbit_sensor_parameters sensor_suite',
    'configuration/sensors/two_angles': 'orbit_sensor_parameters sun_sensors',
    'core/equations/loaded': 'gyrostat gravity_gradient',
    'core/batch/rows': 'batch',
    'core/batch/gyrostats': 'batch_gyrostats batch_mixed',
    'core/batch/loaded_lanes': 'batch_gyrostats',
    'core/simulation/joint_commands': 'wheel_commands actuator_commands',
    'core/simulation/energy_book': 'actuator_commands',
    'configuration/formation': 'formation',
    'configuration/internal_': 'internal_parameters',
    'configuration/parts/': 'parameter_tables summaries actuator_parameters internal_parameters'
    ' wheel_commands eddy_currents',
    'configuration/mesh_file': 'user_mesh orbit_file internal_parameters damaged_files',
    'core/equations/multibody/': 'symmetries actuated internal_motion orbit_loads',
    'core/parts/': 'symmetries kinds actuated internal_motion',
    'core/parts/control_moment_gyros/': 'actuated',
    'core/parts/coordinates/': 'internal_motion dissipation',
    'core/parts/eddy_currents/': 'eddy_currents',
    'core/parts/hysteresis_rods/': 'hysteresis_rods',
    'core/parts/pendulums/': 'internal_motion dissipation',
    'core/parts/viscous_slugs/': 'internal_motion dissipation',
    'core/parts/internal_parts': 'internal_motion dissipation internal_parameters',
    'core/parts/reaction_wheels/': 'gyrostat wheel_commands batch_gyrostats actuated',
    'core/parts/thrusters/': 'actuated actuator_commands',
    'core/parts/magnetorquers/': 'actuator_views actuated actuator_commands',
    'core/mathematics/checks': 'loads orbits sensor_errors actuator_parameters',
    'core/simulation/limits': 'limits places',
    'core/spacecraft/': 'symmetries actuated internal_motion gyrostat internal_topics channels',
    'core/simulation/': 'symmetries actuated internal_motion gyrostat orbit_loads',
    'drawing/surface_look': 'contact_figures markers user_mesh',
    'nodes/ros/guard': 'session bad_weather',
    'nodes/ros/reconfigurable': 'session lifecycle',
    'nodes/simulator/follower': 'followers follow_clock formation',
    'nodes/simulator/followers': 'master follow_clock formation',
    'recording/fields': 'reader serialised replay',
    'recording/mcap_writer': 'bag_writer recording damaged_files',
    'runs/managed_run': 'lifecycle cli',
    'safety/': 'safety',
    'start': 'safety cli trust',
    'configuration/spacecraft': 'gyrostat gravity_gradient wheel_commands scenario',
    'recording/reader': 'reader history replay',
    'kernels/addresses': 'light_code code_cache',
    'kernels/branches': 'fours vectorised',
    'kernels/light': 'light_code',
    'kernels/numba_cache': 'code_cache light_code',
    'kernels/object_code': 'light_code',
    'kernels/one_module': 'code_cache vectorised',
    'kernels/kernel': 'warm_up core_alone batch batch_laws',
    'core/contact/floor': 'contact_floors',
    'core/contact/formula': 'formula contact_floors',
    'core/contact/jets': 'formula contact_floors',
    'core/environment/loads/gravity_gradient': 'actuated',
    'core/contact/solver/regime_limits': 'contact_functions',
    'core/contact/solver/': 'contact_drops contact_bounces contact_impact',
    'core/contact/': 'contact_functions contact_bounces contact_impact contact_model contact_exact'
    ' contact_ellipsoid contact_scenarios batch_contact contact_rattleback',
    'core/equations/': 'equations selected_equations',
    'core/equations/shared/free_motion': 'free_motion',
    'core/body/rigid_body': 'body computed',
    'core/body/kinematics': 'sensors equations warm_up',
    'core/estimation/': 'attitude_estimator kalman_filter reading_noise calibration',
    'core/guidance/': 'guidance aligned_motion',
    'core/mission/': 'mission',
    'core/faults/timetable': 'compiled_faults',
    'campaigns/compiled_faults': 'compiled_faults',
    'campaigns/pieces': 'compiled_faults',
    'core/batch/broken_commands': 'compiled_faults',
    'core/batch/hearing': 'compiled_faults',
    'core/batch/law_heard': 'compiled_faults',
    'core/simulation/incoming': 'compiled_faults estimator_node',
    'core/faults/': 'faults late_messages',
    'runs/fault_spans': 'faults',
    'core/mathematics/attitude_forms': 'convert',
    'core/mathematics/axis_words': 'convert',
    'subcommands/convert': 'convert',
    'subcommands/ccsds': 'ccsds',
    'recording/attitude_messages': 'ccsds',
    'recording/spice_kernels': 'ccsds',
    'configuration/attitude_message': 'ccsds',
    'configuration/orbit_message': 'ccsds',
    'configuration/kvn': 'ccsds',
    'core/environment/time_systems': 'ccsds',
    'core/guidance/attitude_table': 'ccsds',
    'core/simulation/fault_schedule': 'faults',
    'configuration/faults': 'faults',
    'configuration/mission_modes': 'mission mission_node',
    'nodes/mission_modes/': 'mission_node',
    'flight/onboard_mission': 'mission_node',
    'configuration/attitude_guidance': 'guidance_node',
    'nodes/attitude_guidance/': 'guidance_node',
    'flight/onboard_guidance': 'guidance_node',
    'configuration/attitude_estimator': 'estimator_node',
    'nodes/attitude_estimator/': 'estimator_node',
    'flight/onboard_estimator': 'estimator_node',
    'core/batch/lanes': 'batch batch_contact batch_sensors',
    'core/batch/run_summary': 'batch campaign',
    'core/sensors/delivery': 'late_messages',
    'core/sensors/': 'sensors sensor_suite sensor_errors batch_sensors rate sun_sensors',
    'core/mathematics/runge_kutta': 'smooth_steps actuated',
    'core/mathematics/vectors': 'loads control rotations orbits internal_motion',
    'configuration/attitude_controller': 'controlled_runs attitude_controller campaign',
    'campaigns/': 'campaign campaign_merits campaign_maps',
    'configuration/contact_': 'contact_figures contact_scenarios contact_node recording',
    'campaigns/distributions': 'campaign',
    'campaigns/python_flight': 'campaign_merits campaign_controllers',
    'campaigns/user_file': 'campaign_controllers',
    'campaigns/workers': 'campaign_controllers',
    'drawing/meshes': 'user_mesh poinsot',
    'drawing/animation_file': 'cli figures front_door',
    'drawing/figures': 'cli comparison',
    'drawing/wheel_': 'wheel_views drawn similar_looks',
    'drawing/actuator_': 'similar_looks actuator_views',
    'drawing/internal_looks': 'similar_looks internal_views',
    'drawing/limited_panels': 'actuator_views wheel_views',
    'core/studies/error_indices': 'flight_merits',
    'core/studies/consistency': 'flight_merits',
    'core/studies/actuator_use': 'flight_merits',
    'core/studies/flight_merits': 'flight_merits',
    'recording/knowledge_history': 'estimator_node',
    'recording/merit_table': 'estimator_node',
    'recording/estimator_readings': 'smoother estimator_node',
    'runs/merit_log': 'estimator_node',
    'campaigns/flight_merits': 'campaign_merits',
    'subcommands/merit_options': 'flight_merits old_bags',
    'drawing/merit_report': 'estimator_node old_bags',
    'drawing/part_figures': 'actuator_views wheel_views internal_views',
    'recording/part_history': 'wheel_views actuator_views internal_topics',
    'recording/craft_history': 'history front_door internal_views flat_spin',
    'core/mathematics/channel': 'channels actuator_views',
    'viewer/actuator_scene': 'drawn actuator_views',
    'viewer/wheel_scene': 'drawn wheel_views actuator_views',
    'nodes/markers/actuator_markers': 'actuator_views',
    'core/spacecraft/telemetry': 'actuator_commands actuator_views',
    'recording/history': 'recording controlled_runs contact_node',
    'drawing/body_looks': 'user_mesh viewer',
    'configuration/parameter': 'parameter_tables scenario cli',
    'progress': 'progress campaign_merits',
    'campaigns/sampling': 'campaign',
    'configuration/scenario': 'scenario scenario_dependencies contact_scenarios cli',
    'configuration/scenario_results': 'internal_parameters air_bearing',
    'configuration/body_parameters': 'messages scenario uniform user_mesh computed',
    'configuration/checked_scenario': 'scenario scenario_dependencies contact_node',
    'configuration/cross_checks': 'scenario wheel_commands magnetic_control allocation',
    'configuration/recorded_scenario': 'computed scenario contact_scenarios',
    'configuration/simulator_parameters': 'scenario scenario_dependencies',
    'configuration/sensor': 'sensor_errors sensor_suite',
    'configuration/share': 'package',
    'configuration/user_mesh': 'user_mesh',
    'configuration/yaml_file': 'scenario campaign',
    'nodes/attitude_controller/node': 'attitude_controller controlled_runs',
    'nodes/markers/body_markers': 'user_mesh markers marker_shapes',
    'nodes/simulator/run_member': 'run_member',
    'nodes/simulator/standard_services': 'entity_state',
    'nodes/simulator/driver': 'driver formation simulator_node time lockstep',
    'nodes/simulator/long_tick_watch': 'limits bad_weather',
    'nodes/simulator/lockstep': 'lockstep sources command_topics formation',
    'nodes/simulator/publications': 'simulator_node contact_node',
    'nodes/simulator/answer_poll': 'answer_poll',
    'nodes/simulator/commands': 'commands_heard command_topics lockstep sources input_table',
    'nodes/simulator/contact': 'contact_node markers',
    'nodes/attitude_controller/control_diagnostics': 'attitude_controller controlled_runs',
    'nodes/ros/conversions': 'serialised time simulator_node sensor_topics',
    'nodes/ros/flight_node': 'attitude_controller estimator_node guidance_node mission_node',
    'nodes/ros/declaration': 'simulator_node attitude_controller contact_node',
    'nodes/simulator/diagnostics': 'diagnostics simulator_node command_topics',
    'nodes/markers/': 'similar_looks drawn markers rviz',
    'nodes/messages/': 'serialised simulator_node contact_node replay',
    'core/simulation/pacing': 'pacing run_state time',
    'core/simulation/run_state': 'run_state time sources',
    'nodes/ros/qos': 'simulator_node recording',
    'nodes/recorder/node': 'recorder recording',
    'runs/replay': 'replay',
    'runs/run': 'run_seen cli until',
    'runs/until': 'until',
    'configuration/condition': 'until mission',
    'runs/open_loop': 'input_table',
    'runs/aids': 'guidance_node estimator_node mission_node',
    'recording/input_table': 'input_table',
    'recording/on_times': 'input_table',
    'recording/motion_table': 'actuator_views internal_topics',
    'recording/csv_file': 'history damaged_files',
    'drawing/selected_panels': 'selected_panels actuator_views',
    'drawing/panel_names': 'selected_panels',
    'nodes/messages/sensor_messages': 'sensor_topics serialised rate',
    'nodes/messages/spacecraft': 'wheel_commands gravity_gradient serialised actuator_commands',
    'nodes/ros/reading': 'reading',
    'nodes/ros/serialised': 'serialised',
    'nodes/ros/session': 'session cli',
    'nodes/ros/libraries': 'libraries',
    'nodes/ros/type_support': 'type_support',
    'nodes/simulator/node': 'simulator_node command_topics lockstep time',
    'subcommands/campaign': 'campaign campaign_controllers',
    'nodes/simulator/time_control': 'simulator_node',
    'subcommands/compare': 'comparison',
    'subcommands/plot': 'cli contact_figures controlled_runs selected_panels',
    'subcommands/node': 'session',
    'subcommands/replay': 'replay',
    'subcommands/view': 'viewer',
    'subcommands/run': 'run_seen cli until input_table',
    'subcommands/': 'cli',
    'viewer/': 'drawn viewer',
}
# Most test files that run for a fault.
MOST_FILES = 9
# Beyond three times what the tests take without a fault, they hang [s].
SLACK = 60.0
# What compiling again may take beside that; and how long a file may take without a compiler [s].
COMPILER = 300.0
LONGEST_INTERPRETED = 60.0
OUT_OF_TIME = 'time ran out'
# How pytest ends when all tests of its files are left out.
NOTHING_LEFT = 5
OPPOSITE = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.BitOr: ast.BitAnd,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
EXCHANGED = {
    'min': 'max', 'max': 'min', 'sin': 'cos', 'cos': 'sin', 'floor': 'ceil', 'ceil': 'floor',
    'any': 'all', 'all': 'any', 'minimum': 'maximum', 'maximum': 'minimum', 'abs': 'float',
    'sorted': 'list', 'sum': 'max', 'conjugate': 'np.array', 'norm': 'sum', 'cross': 'added',
}  # fmt: skip
# A real number is never just its limit: `<` for `<=` of one counts only where an error says which
# numbers are allowed.
NEGATED = {ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt}
# Functions whose first two arguments may be exchanged.
COMMUTING = {'max', 'min', 'maximum', 'minimum', 'dot', 'added', 'hypot'}
# What is said to people, and how pictures look, is not drawn for faults.
SPOKEN = {'warning', 'info', 'error', 'debug', 'warn', 'add_argument', 'write_line', 'print'}


class Mutant(NamedTuple):
    """A fault: `text` takes the place of characters first to before last of a file."""

    path: Path
    line: int
    first: int
    last: int
    text: str
    what: str

    @property
    def module(self):
        """Its module below the package, with slashes."""
        return self.path.relative_to(SOURCE).with_suffix('').as_posix()

    @property
    def package(self):
        """The package that its score counts for."""
        parts = self.module.split('/')[:-1]
        return '/'.join(parts) or 'cli'


# --- faults -------------------------------------------------------------------------------------


def mutants_of(path):
    """Return every Mutant of a file that we know how to plant."""
    text = (ROOT / path).read_text(encoding='utf-8')
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    raw, found = text.encode(), []

    def place(line, column):
        return len(raw[: starts[line - 1] + column].decode())

    for node, kind in _faulty(ast.parse(text)):
        first, last = (
            place(node.lineno, node.col_offset),
            place(node.end_lineno, node.end_col_offset),
        )
        for what, replacement in kind(node, text[first:last]):
            shown = f'{what}: {" ".join(text[first:last].split())[:60]} -> {replacement[:60]}'
            found.append(Mutant(path, node.lineno, first, last, replacement, shown))
    return found


def _faulty(tree):
    """Yield (node, how to spoil it) of what runs: no annotations, descriptions, messages.

    Nor a tuple or list whose order means nothing: of errors caught, of what something is `in`.
    """
    todo, sets = [(node, False) for node in tree.body], set()
    checks = _checks(tree)
    while todo:
        node, inside = todo.pop()
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            sets.update(node.comparators)
        if isinstance(node, ast.ExceptHandler):
            sets.add(node.type)
        if isinstance(node, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom | ast.Assert):
            continue
        if isinstance(node, ast.Call) and _name(node.func) in SPOKEN:
            continue
        if inside:
            if isinstance(node, ast.expr) and not (node in sets and hasattr(node, 'elts')):
                limit = _is_of_reals(node) and node not in checks
                yield node, _of_limit if limit else _of_expression
            elif isinstance(node, ast.stmt):
                yield node, _of_statement
        function = isinstance(node, ast.FunctionDef)
        children = node.body if function else ast.iter_child_nodes(node)
        skipped = {getattr(node, field, None) for field in ('annotation', 'returns')}
        if isinstance(node, ast.keyword) and node.arg == 'strict':  # a check of ourselves
            skipped.add(node.value)
        if isinstance(node, ast.Call) and _name(node.func) == 'reshape':  # -1 is any
            skipped |= {size for size in node.args if isinstance(size, ast.UnaryOp)}
        todo += [(child, inside or function) for child in children if child not in skipped]


def _checks(tree):
    """Return the set of nodes in conditions of what raises an error."""
    return {
        part
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and any(isinstance(line, ast.Raise) for line in node.body)
        for part in ast.walk(node.test)
    }


def _is_of_reals(node):
    """Return whether a node compares with a number that has a point by its size."""
    if not isinstance(node, ast.Compare) or type(node.ops[0]) not in NEGATED:
        return False
    numbers = (part for part in ast.walk(node) if isinstance(part, ast.Constant))
    return len(node.ops) == 1 and any(type(number.value) is float for number in numbers)


def _name(node):
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, 'id', '')


def _of_statement(node, text):
    """Yield (what, text) of a statement spoiled."""
    value = getattr(node, 'value', None)
    if isinstance(node, ast.Expr) and not isinstance(value, ast.Constant | ast.Yield):
        yield 'dropped', 'pass'
    if isinstance(node, ast.AugAssign):
        yield 'dropped', 'pass'
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute | ast.Subscript):
        yield 'dropped', 'pass'


def _of_limit(node, text):
    """Yield (what, text) of a comparison with a real number spoiled."""
    yield 'comparison', f'({ast.unparse(_with(node, ops=[NEGATED[type(node.ops[0])]()]))})'


def _of_expression(node, text):
    """Yield (what, text) of an expression spoiled."""
    for what, spoiled in _spoiled(node):
        yield what, f'({ast.unparse(spoiled)})'


def _with(node, **changes):
    return type(node)(**(dict(ast.iter_fields(node)) | changes))


def _spoiled(node):
    if isinstance(node, ast.BinOp):
        if type(node.op) in OPPOSITE and not isinstance(node.left, ast.Constant | ast.JoinedStr):
            yield 'operator', _with(node, op=OPPOSITE[type(node.op)]())
        if isinstance(node.op, ast.Add | ast.Sub):
            yield 'term dropped', node.left
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield 'comparison', _with(node, ops=[OPPOSITE[type(node.ops[0])]()])
    elif isinstance(node, ast.BoolOp):
        yield 'and/or', _with(node, op=OPPOSITE[type(node.op)]())
        yield 'condition dropped', node.values[0]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield 'negation', node.operand
    elif isinstance(node, ast.IfExp):
        yield 'branches', _with(node, body=node.orelse, orelse=node.body)
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
        yield 'constant', ast.Constant(_another(node.value))
    elif isinstance(node, ast.Call):
        if _name(node.func) in EXCHANGED and node.args:
            other = ast.parse(EXCHANGED[_name(node.func)], mode='eval').body
            if isinstance(node.func, ast.Attribute) and isinstance(other, ast.Name):
                other = _with(node.func, attr=other.id)
            yield 'function', _with(node, func=other)
        plain = _name(node.func) not in COMMUTING
        plain &= not any(isinstance(argument, ast.Starred) for argument in node.args)
        if plain and len(node.args) > 1 and ast.dump(node.args[0]) != ast.dump(node.args[1]):
            yield 'arguments', _with(node, args=[node.args[1], node.args[0], *node.args[2:]])
    elif isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Load):
        one, other, *rest = *node.elts, None, None
        if other and ast.dump(one) != ast.dump(other):
            yield 'order', _with(node, elts=[other, one, *rest[:-2]])


def _another(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return 2.0 * value or 1.0


def drawn(count, seed, only):
    """Return `count` mutants, as many of each package, at most one of a line."""
    generator, by_package = random.Random(seed), {}
    for path in sorted((ROOT / SOURCE).rglob('*.py')):
        path = path.relative_to(ROOT)
        name = path.relative_to(SOURCE).as_posix()
        if not only or any(name.startswith(one) for one in only):
            for mutant in mutants_of(path):
                by_package.setdefault(mutant.package, []).append(mutant)
    found, lines = [], set()
    while len(found) < count and any(by_package.values()):
        for package in sorted(by_package):
            left = by_package[package]
            if not left or len(found) == count:
                continue
            mutant = left.pop(generator.randrange(len(left)))
            if (mutant.path, mutant.line) not in lines and compiles(mutant):
                lines.add((mutant.path, mutant.line))
                found.append(mutant)
    return found


def mutated(mutant, text):
    """Return a file's text with the fault."""
    return text[: mutant.first] + mutant.text + text[mutant.last :]


def compiles(mutant):
    """Return whether Python accepts the fault."""
    try:
        text = (ROOT / mutant.path).read_text(encoding='utf-8')
        compile(mutated(mutant, text), mutant.path, 'exec')
    except SyntaxError:
        return False
    return True


# --- which tests concern a module ---------------------------------------------------------------


def imported(path):
    """Return the modules of the package and of test/ that a file imports, below the package."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
        if isinstance(node, ast.ImportFrom) and node.module:
            for name in ('', *(alias.name for alias in node.names)):
                parts = [*node.module.split('.'), *([name] if name else [])]
                if (
                    parts[0] == PACKAGE
                    and (ROOT / 'src' / Path(*parts)).with_suffix('.py').exists()
                ):
                    found.add('/'.join(parts[1:]))
    return found


@functools.cache
def imported_by_tests():
    """Return (name, the modules that it imports) of each test file."""
    paths = (ROOT / 'test').glob('test_*.py')
    return [(path.relative_to(ROOT).as_posix(), imported(path)) for path in paths]


def tests_of(module):
    """Return the test files that concern a module, nearest first."""
    names = []
    for prefix in sorted(REACHED, key=len, reverse=True):
        if module.startswith(prefix):
            names += [f'test/test_{name}.py' for name in REACHED[prefix].split()]
    importing = [
        (len(imports), name) for name, imports in imported_by_tests() if module in imports
    ]
    names += [name for _, name in sorted(importing)]
    here = [name for name in dict.fromkeys(names) if (ROOT / name).exists()]
    return here[:MOST_FILES]


def untested():
    """Return {module: its places for a fault} of modules that no test file concerns."""
    return {
        module: places
        for path in sorted((ROOT / SOURCE).rglob('*.py'))
        if not tests_of(module := path.relative_to(ROOT / SOURCE).with_suffix('').as_posix())
        and (places := len(mutants_of(path.relative_to(ROOT))))
    }


# --- running ------------------------------------------------------------------------------------


@contextlib.contextmanager
def planted(path, text):
    """Let a file have another text, then its own again and its time: compiled code is of both."""
    whole, status = path.read_bytes(), path.stat()
    path.write_text(text, encoding='utf-8')
    try:
        yield
    finally:
        path.write_bytes(whole)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _heed_interrupts():
    """Undo what a shell does to commands in the background: they, and children, ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Workshop:
    """A copy of the tree in which one fault at a time is planted, and its tests run."""

    def __init__(self, folder):
        self.tree, self.cache = Path(folder) / 'tree', Path(folder) / 'compiled'
        shutil.copytree(ROOT, self.tree, ignore=LEFT_OUT)
        self.environment = os.environ | {
            'PYTHONPATH': os.pathsep.join((str(self.tree / 'src'), str(self.tree / 'test'))),
            'PYTHONDONTWRITEBYTECODE': '1',
            'NUMBA_CACHE_DIR': str(self.cache),
            'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
        }
        self.seconds, self.failing = {}, {}
        code = f'import {PACKAGE}; print({PACKAGE}.__file__)'
        used = subprocess.run(
            [sys.executable, '-c', code], env=self.environment, cwd=self.tree, text=True,
            capture_output=True, check=True,
        ).stdout  # fmt: skip
        if not used.startswith(str(self.tree)):
            raise SystemExit(f'the tests would use {used.strip()}, not {self.tree}')

    def without_fault(self, file, interpreted=False):
        """Return how long a test file takes unspoiled [s]; measured once.

        Its tests that fail then are left out; None where nothing is left, or time runs out.
        """
        key = file, interpreted
        if key not in self.seconds:
            started, limit = time.monotonic(), LONGEST_INTERPRETED if interpreted else 1200.0
            failed = self.failed([file], limit, interpreted, to_the_end=True)
            tests = [line.split()[1] for line in failed if line.startswith(('FAILED', 'ERROR'))]
            whole = [line for line in failed if f'{file}::' not in line]
            self.failing[key] = tests
            self.seconds[key] = None if whole else time.monotonic() - started
            for line in failed if not interpreted else ():
                print(f'  left out, it fails without a fault, too: {line[:110]}', flush=True)
        return self.seconds[key]

    def verdict(self, mutant):
        """Return what noticed a mutant, or ''.

        A fault in core is first shown to the tests that are quick without a compiler.
        """
        core = mutant.module.startswith(('core/', 'kernels/'))
        files = tests_of(mutant.module)
        place = self.tree / mutant.path
        spoiled = mutated(mutant, place.read_text(encoding='utf-8'))
        for interpreted in (True, False) if core else (False,):
            times = {file: self.without_fault(file, interpreted) for file in files}
            able = sorted((file for file in files if times[file] is not None), key=times.get)
            limit = SLACK + 3.0 * sum(times[file] for file in able)
            if core and not interpreted:
                limit += COMPILER
            with planted(place, spoiled):
                seen = ''.join(self.failed(able, limit, interpreted)[-1:]) if able else ''
            if seen and not (interpreted and seen.startswith(OUT_OF_TIME)):
                return seen[:110]
        return ''

    def failed(self, files, limit, interpreted=False, to_the_end=False):
        """Return [] when all tests pass, else those that fail, or that time ran out.

        Stops at the first that fails, but for a run to the end.
        """
        command = [sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', *files]
        command += ('-p', 'interpreted') if interpreted else ()
        command += () if to_the_end else ('-x',)
        for file in files:
            for test in self.failing.get((file, interpreted), ()):
                command += ('--deselect', test)
        with subprocess.Popen(
            command,
            cwd=self.tree,
            env=self.environment,
            text=True,
            start_new_session=True,
            preexec_fn=_heed_interrupts,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as child:
            try:
                output, _ = child.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.communicate()
                return [f'{OUT_OF_TIME}: {limit:.0f} s']
        if child.returncode in (0, NOTHING_LEFT):
            return []
        lines = [line for line in output.splitlines() if line.startswith(('FAILED', 'ERROR'))]
        return lines or [f'ended with {child.returncode}: {output.strip()[-80:]}']


def main():
    """Draw, plant, run, count."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('-n', type=int, default=60, help='how many faults')
    parser.add_argument('--seed', type=int, default=1, help='of the draw')
    parser.add_argument('--only', default='', help='modules, by the beginning of their path')
    parser.add_argument('--list', action='store_true', help='only say which faults and tests')
    options = parser.parse_args()
    only = [one for one in options.only.split(',') if one]
    if modules := untested():
        raise SystemExit(
            'no test concerns '
            + ', '.join(f'{module} ({places} places)' for module, places in modules.items())
            + '; name tests of them in REACHED of test/mutants.py'
        )
    mutants = drawn(options.n, options.seed, only)
    if options.list:
        for mutant in mutants:
            print(f'{mutant.path}:{mutant.line} {mutant.what}\n   ', *tests_of(mutant.module))
        return
    os.nice(10)
    tried, noticed, survivors = Counter(), Counter(), []
    with tempfile.TemporaryDirectory(prefix='mutants_') as folder:
        workshop = Workshop(folder)
        for number, mutant in enumerate(mutants, 1):
            seen = workshop.verdict(mutant)
            tried[mutant.package] += 1
            noticed[mutant.package] += bool(seen)
            survivors += [] if seen else [mutant]
            print(f'{number:3} {mutant.module}.py:{mutant.line} {mutant.what}', flush=True)
            print(f'      {seen or "SURVIVED"}', flush=True)
    print(f'\nfaults noticed, of {options.n} with seed {options.seed}:')
    for package in sorted(tried):
        print(f'  {package:16} {noticed[package]:3} of {tried[package]:3}')
    total = sum(tried.values())
    print(f'  {"all":16} {sum(noticed.values()):3} of {total:3}')
    print('\nunnoticed:' if survivors else '')
    for mutant in survivors:
        print(f'  {mutant.path}:{mutant.line} {mutant.what}')


if __name__ == '__main__':
    main()
