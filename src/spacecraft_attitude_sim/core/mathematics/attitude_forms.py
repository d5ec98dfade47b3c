# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Forms of a rotation, in and out, by SciPy; and mountings in words, as `z along -x`.

A rotation R turns components in one frame, `from`, into those in another, `to`: v_to = R v_from.
M. D. Shuster, A survey of attitude representations, J. Astronautical Sciences 41 (1993) 439-517,
has all forms. Its direction cosine matrix of an attitude is the inverse of ours.
"""

from __future__ import annotations

import itertools
import math
import re
import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from spacecraft_attitude_sim.core.mathematics.axis_words import AXES, in_words
from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3

# A quaternion, axis or matrix may be off a rotation by this, for digits that were not typed.
LARGEST_ERROR = 0.01
# Larger numbers overflow, and of their angles no digit would be left.
LARGEST = 1e6
NUMBERS = {'quaternion': 4, 'dcm': 9, 'euler': 3, 'mrp': 3, 'axis-angle': 4, 'rotation-vector': 3}
SEQUENCE = re.compile(r'(?:[xyz]{3}|[XYZ]{3})')
# One axis along another: words between may be left out, apart from along, is, to or ->.
ALONG = re.compile(r'(?:\w+ )?([+-]?[xyz]) (?:along|is|to|->) (?:\w+ )?([+-]?[xyz])')


class Read(NamedTuple):
    """A rotation that was read; off: how far the numbers were from one, 0 for exact ones."""

    rotation: Rotation
    off: float = 0.0


def read(
    form: str, numbers: Sequence[float], *, order: str = 'wxyz', sequence: str = 'ZYX',
    degrees: bool = True,
) -> Read:  # fmt: skip
    """Return the rotation that numbers give.

    form: of NUMBERS;  order: 'wxyz' or 'xyzw' of a quaternion
    sequence: of Euler angles, as ZYX about turned axes (intrinsic), or zyx about fixed ones
    degrees: whether angles are in degrees, not radians
    Raises ValueError for numbers that are no rotation.
    """
    if len(numbers) != NUMBERS[form]:
        raise ValueError(f'{form} takes {NUMBERS[form]} numbers, not {len(numbers)}')
    given = np.array(numbers, dtype=float)
    if not np.isfinite(given).all():
        raise ValueError(f'{form} has a number that is not finite')
    if (largest := np.max(np.abs(given))) > LARGEST:
        raise ValueError(f'{form} has {largest:g}; give numbers of at most {LARGEST:g} in size')
    if form == 'quaternion':
        norm = _length(given, 'quaternion')
        xyzw = np.roll(given, -1) if order == 'wxyz' else given
        return Read(Rotation.from_quat(xyzw / norm), abs(norm - 1.0))
    if form == 'dcm':
        return _from_matrix(given.reshape(3, 3))
    if form == 'euler':
        _check(sequence)
        return Read(Rotation.from_euler(sequence, given, degrees=degrees))
    if form == 'mrp':
        return Read(Rotation.from_mrp(given))
    if form == 'axis-angle':
        norm = _length(given[:3], 'axis')
        turn = given[:3] / norm * given[3]
        return Read(Rotation.from_rotvec(turn, degrees=degrees), abs(norm - 1.0))
    return Read(Rotation.from_rotvec(given, degrees=degrees))


def _length(vector: Array, what: str) -> float:
    """Return the length of a vector; ValueError where it is no unit vector."""
    length = float(np.linalg.norm(vector))
    if not abs(length - 1.0) <= LARGEST_ERROR:
        raise ValueError(f'the {what} has the length {length:g}; give one of length 1')
    return length


def _from_matrix(matrix: Matrix3) -> Read:
    """Return the rotation next to a matrix; ValueError where none is near."""
    left, sizes, right = np.linalg.svd(matrix)
    off = float(np.max(np.abs(sizes - 1.0)))
    if not off <= LARGEST_ERROR:
        raise ValueError(
            f'the rows of the matrix are not at right angles with length 1 (off by {off:.3g})'
        )
    if np.linalg.det(matrix) < 0.0:
        raise ValueError('the matrix has determinant -1: it mirrors; turn the sign of one axis')
    return Read(Rotation.from_matrix(left @ right), off)


def _check(sequence: str) -> None:
    """Raise ValueError for a sequence of Euler angles that there is not."""
    if (
        not SEQUENCE.fullmatch(sequence)
        or sequence[0] == sequence[1]
        or sequence[1] == sequence[2]
    ):
        raise ValueError(
            f'sequence is {sequence!r}; give three letters, no two neighbours alike: ZYX about '
            'turned axes (intrinsic), zyx about fixed axes (extrinsic)'
        )


def euler(rotation: Rotation, sequence: str, *, degrees: bool = True) -> tuple[Array, bool]:
    """Return Euler angles (3,), and whether they are unique; where not, the third is 0.

    Raises ValueError for a sequence that there is not.
    """
    _check(sequence)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter('always')
        angles: Array = rotation.as_euler(sequence, degrees=degrees)
    return angles, not warned


# --- mountings -----------------------------------------------------------------------------------


def mounting(words: str) -> Rotation:
    """Return the rotation from a sensor's axes to the body's, given in words.

    words: as 'z along -x, x along y' or 'sensor z along body -x and sensor x along body y'
    Raises ValueError where they say too little or contradict each other.
    """
    plain = ' '.join(words.replace('\N{MINUS SIGN}', '-').lower().split())
    pairs = []
    for clause in re.split(r' ?(?:,|;| and ) ?', plain):
        match = ALONG.fullmatch(clause)
        if not match:
            raise ValueError(f'{clause!r} is not understood; write: z along -x, x along y')
        pairs.append((AXES[match[1]], AXES[match[2]]))
    if len(pairs) == 1:
        own, other = pairs[0]
        left = [r for r in aligned_rotations() if np.array_equal(_whole(r) @ own, other)]
        listed = '; '.join(in_words(rotation.as_matrix()) for rotation in left)
        raise ValueError(f'{plain!r} leaves a turn about that axis; there are: {listed}')
    for rotation in aligned_rotations():
        matrix = _whole(rotation)
        if all(np.array_equal(matrix @ own, other) for own, other in pairs):
            return rotation
    raise ValueError(f'{plain!r} contradicts itself, or is left-handed')


def aligned_rotations() -> list[Rotation]:
    """Return the 24 rotations that turn each axis into an axis."""
    rotations = []
    for columns in itertools.permutations(range(3)):
        for signs in itertools.product((1.0, -1.0), repeat=3):
            matrix = np.zeros((3, 3))
            matrix[columns, range(3)] = signs
            if np.linalg.det(matrix) > 0.0:
                rotations.append(Rotation.from_matrix(matrix))
    return rotations


def boresights() -> list[tuple[str, Rotation]]:
    """Return (axis of the body, rotation) of the six mountings with z of a sensor along an axis.

    Each is the shortest turn from the body's axes; along -z the one about x.
    """
    half = math.pi / 2.0
    turns = {
        'x': (0.0, half, 0.0), '-x': (0.0, -half, 0.0), 'y': (-half, 0.0, 0.0),
        '-y': (half, 0.0, 0.0), 'z': (0.0, 0.0, 0.0), '-z': (math.pi, 0.0, 0.0),
    }  # fmt: skip
    return [(axis, Rotation.from_rotvec(turn)) for axis, turn in turns.items()]


def _whole(rotation: Rotation) -> Matrix3:
    """Return the matrix of an aligned rotation, with whole numbers."""
    matrix: Matrix3 = np.round(rotation.as_matrix()) + 0.0
    return matrix
