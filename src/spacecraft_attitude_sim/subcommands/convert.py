# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim convert`: one form of an attitude or a mounting into all others."""

from __future__ import annotations

import argparse
import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.mathematics.axis_words import in_words
from spacecraft_attitude_sim.subcommands.checks import CommandError, no_ros
from spacecraft_attitude_sim.subcommands.parser import subcommand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scipy.spatial.transform import Rotation

    from spacecraft_attitude_sim.core.mathematics.attitude_forms import Read

FORMS = (
    'quaternion', 'dcm', 'euler', 'mrp', 'axis-angle', 'rotation-vector', 'mounting', 'mountings',
)  # fmt: skip
EPILOG = """examples:
  attitude-sim convert quaternion 0.5 0.5 0.5 0.5
  attitude-sim convert euler 30 20 10 --sequence ZYX --to quaternion
  attitude-sim convert dcm 0 0 1 0 1 0 -1 0 0 --inverse
  attitude-sim convert mounting "z along -x, x along y"
  attitude-sim convert mountings"""


def add(commands: Any) -> None:
    """Add the command to the subparsers of `attitude-sim`."""
    convert = subcommand(
        commands, 'convert', convert_attitude,
        'convert an attitude between quaternion, matrix, Euler angles, MRP and words',
        'Convert an attitude or a mounting into all usual forms. In this package an orientation '
        'turns components in its own frame (body, sensor) into those in the other frame (world, '
        'body): v_world = R v_body. The numbers of a quaternion, of MRP and of Euler angles mean '
        'this rotation; many textbooks print the matrix of the inverse, and --inverse reads it. '
        'Needs no ROS.',
        EPILOG,
    )  # fmt: skip
    convert.formatter_class = argparse.RawDescriptionHelpFormatter
    convert._negative_number_matcher = re.compile(r'-\.?\d.*')  # -1e-5 is a number, too
    convert.value(
        'form', 'FORM',
        'quaternion (4 numbers), dcm (9, row by row), euler (3), mrp (3), axis-angle (4), '
        'rotation-vector (3), mounting (words), mountings (the six boresights along an axis)',
        choices=FORMS,
    )  # fmt: skip
    convert.value('numbers', 'NUMBER', 'the numbers, or the words of a mounting', nargs='*')
    convert.value(
        '--order', 'ORDER', 'order of a quaternion that you give: wxyz, or xyzw as in ROS '
        'messages, SciPy and Eigen; default %(default)s', default='wxyz', choices=('wxyz', 'xyzw'),
    )  # fmt: skip
    convert.value(
        '--sequence', 'SEQ', 'axes of Euler angles, in and out: ZYX about turned axes '
        '(intrinsic; yaw, pitch, roll), zyx about fixed axes; default %(default)s', default='ZYX',
    )  # fmt: skip
    convert.flag('--radians', 'angles are in radians, in and out; default degrees')
    convert.flag('--inverse', 'what you give is the inverse: it turns world into body components')
    convert.value(
        '--to', 'FORM', 'print only the numbers of this form, for a script',
        choices=FORMS[:-2],
    )  # fmt: skip
    convert.flag('--json', 'print all forms as one JSON object')


def convert_attitude(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Convert and print; return the exit status."""
    no_ros(ros_arguments)
    from spacecraft_attitude_sim.core.mathematics import attitude_forms

    if options.form == 'mountings':
        if options.numbers:
            raise CommandError('mountings takes no numbers; it lists the six')
        print(_mountings())
        return 0
    try:
        given = _read(options)
        rotation = given.rotation.inv() if options.inverse else given.rotation
        forms = _forms(rotation, options.sequence, degrees=not options.radians)
    except ValueError as error:
        raise CommandError(str(error)) from None
    if options.json:
        print(json.dumps({name: values.tolist() for name, values in forms.items()}))
        return 0
    if options.to:
        print(_numbers(forms[options.to].ravel()))
        return 0
    if given.off > 1e-6:
        print(f'what you give is off a rotation by {given.off:.2g}; the nearest one is shown')
    unique = attitude_forms.euler(rotation, options.sequence)[1]
    print(_table(rotation, forms, options, unique))
    return 0


def _read(options: argparse.Namespace) -> Read:
    """Return what the options give; ValueError."""
    from spacecraft_attitude_sim.core.mathematics import attitude_forms

    if options.form == 'mounting':
        return attitude_forms.Read(attitude_forms.mounting(' '.join(options.numbers)))
    words = ' '.join(options.numbers).replace(',', ' ').split()
    try:
        numbers = [float(word) for word in words]
    except ValueError as error:
        raise ValueError(f'{options.form} takes numbers: {error}') from None
    return attitude_forms.read(
        options.form, numbers, order=options.order, sequence=options.sequence,
        degrees=not options.radians,
    )  # fmt: skip


def _forms(rotation: Rotation, sequence: str, *, degrees: bool) -> dict[str, Any]:
    """Return {form: its numbers}."""
    from spacecraft_attitude_sim.core.mathematics import attitude_forms

    xyzw = rotation.as_quat(canonical=True)
    turn = rotation.as_rotvec(degrees=degrees)
    angle = np.linalg.norm(turn)
    axis = turn / angle if angle else np.array((0.0, 0.0, 1.0))
    return {
        'quaternion': np.roll(xyzw, 1) + 0.0,
        'dcm': rotation.as_matrix() + 0.0,
        'euler': attitude_forms.euler(rotation, sequence, degrees=degrees)[0] + 0.0,
        'mrp': rotation.as_mrp() + 0.0,
        'axis-angle': np.append(axis, angle) + 0.0,
        'rotation-vector': turn + 0.0,
    }


def _table(
    rotation: Rotation, forms: dict[str, Any], options: argparse.Namespace, unique: bool
) -> str:
    """Return all forms as text."""
    unit = 'rad' if options.radians else 'deg'
    turned = 'turned' if options.sequence.isupper() else 'fixed'
    q = forms['quaternion']
    lines = [
        ('quaternion  w x y z', _numbers(q)),
        ('            x y z w', f'{_numbers(np.roll(q, -1))}   (ROS, SciPy, Eigen)'),
        ('            inverse w x y z', _numbers(q * (1.0, -1.0, -1.0, -1.0) + 0.0)),
        *_rows('matrix      body to world', forms['dcm']),
        *_rows('            world to body (C_BN)', forms['dcm'].T),
        (
            f'Euler {options.sequence}   about {turned} axes [{unit}]',
            _numbers(forms['euler']) + ('' if unique else '   (one of many: gimbal lock)'),
        ),
        ('MRP', _numbers(forms['mrp'])),
        (f'axis, angle [{unit}]', _numbers(forms['axis-angle'])),
        (f'rotation vector [{unit}]', _numbers(forms['rotation-vector'])),
    ]
    if words := in_words(rotation.as_matrix()):
        lines.append(('axes', f'{words}   (of the body in the world, of a sensor in the body)'))
    return '\n'.join(f'{label:37}{text}' for label, text in lines)


def _rows(label: str, matrix: Any) -> list[tuple[str, str]]:
    return [(label if k == 0 else '', _numbers(row + 0.0)) for k, row in enumerate(matrix)]


def _mountings() -> str:
    """Return the six mountings whose z axis is along an axis of the body, as text."""
    from spacecraft_attitude_sim.core.mathematics import attitude_forms

    lines = ['orientation (w, x, y, z) of a sensor whose boresight, its z axis, is along an axis:']
    for axis, rotation in attitude_forms.boresights():
        q = np.roll(rotation.as_quat(canonical=True), 1) + 0.0
        listed = ', '.join(f'{_round(value):.8g}' for value in q)
        lines.append(f'{axis:>3}   [{listed}]'.ljust(58) + in_words(rotation.as_matrix()))
    return '\n'.join(lines)


def _numbers(values: Sequence[float] | Any) -> str:
    return ' '.join(f'{_round(value):.10g}' for value in values)


def _round(value: float) -> float:
    """Return a number without the last digits of rounding, as 0 for 1e-17."""
    return 0.0 if abs(value) < 1e-15 else float(value)
