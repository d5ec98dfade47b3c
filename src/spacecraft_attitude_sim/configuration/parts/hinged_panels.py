# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Hinged panels: their parameters, and the HingedPanels of core."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.parameter import Parameter, ParameterError, blame, xyz
from spacecraft_attitude_sim.configuration.parts.named import each_part, signed, size, vector

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Matrix3, Vector3
    from spacecraft_attitude_sim.core.parts.coordinates.hinged_panels import HingedPanel

NAMES = Parameter(
    'panels', [], '',
    'Names of the rigid panels on hinges. body.mass and body.inertia include them at angle 0.',
    str, length=(),
)  # fmt: skip
# Parameters of each of `panels`, under panel.<name>.
PANEL = (
    xyz('hinge', 'm', 1e6, 'A point on the hinge line, in the design axes of the body.'),
    xyz('axis', '', 1.1, 'Axis of the hinge: unit vector in body axes.', (0.0, 0.0, 1.0)),
    xyz(
        'center', 'm', 1e6,
        'Centre of mass of the panel at angle 0, in the design axes of the body.',
    ),
    Parameter('mass', 1.0, 'kg', 'Mass. body.mass includes it.', low=1e-12, high=1e12),
    Parameter(
        'inertia', [], 'kg m^2',
        'Inertia about its centre of mass at angle 0, body axes, in the format of body.inertia. '
        'Empty: computed from size.', length=(0, 3, 6), low=-1e12, high=1e12,
    ),
    Parameter(
        'size', [], 'm',
        'Edge lengths of a uniform plate at angle 0, along the body axes. Empty: a point mass.',
        length=(0, 3), low=0.0, high=1e6,
    ),
    size('stiffness', 'N m/rad', 1e12, 'Stiffness of the hinge spring.'),
    size('damping', 'N m s/rad', 1e12, 'Damping of the hinge: torque per rate.'),
    signed('rest_angle', 'rad', 10.0, 'Angle at which the spring exerts no torque.'),
    signed('angle', 'rad', 10.0, 'Angle at the start.'),
    signed('rate', 'rad/s', 1e4, 'Rate at the start.'),
    size(
        'release_time', 's', 1e9,
        'Time at which the panel is released; before, it is held at `angle`. 0: it is free from '
        'the start.',
    ),
    Parameter(
        'latch_angle', [], 'rad',
        'Angle at which a latch catches the panel for ever. Empty: no latch.',
        length=(0, 1), low=-10.0, high=10.0,
    ),
    size('latch_stiffness', 'N m/rad', 1e12, 'Stiffness of the latch. 0: a rigid latch.'),
    size('latch_damping', 'N m s/rad', 1e12, 'Damping of the latch, if it is not rigid.'),
)  # fmt: skip
NAMED = ('panels', 'panel', PANEL)


def each(values: Mapping[str, Any], center_of_mass: Vector3) -> dict[str, HingedPanel]:
    """Return {name: HingedPanel} from checked parameters.

    center_of_mass: (3,) of the body in design axes [m]
    Raises ParameterError naming panel, value and remedy.
    """
    from spacecraft_attitude_sim.core.parts.coordinates.hinged_panels import HingedPanel

    found: dict[str, HingedPanel] = {}
    for name, prefix, own in each_part(values, NAMED):
        latch = own['latch_angle'][0] if own['latch_angle'] else math.inf
        _check(prefix, own)
        hinge = np.array(own['hinge'])
        with blame(prefix):
            found[name] = HingedPanel(
                hinge - center_of_mass, own['axis'], np.array(own['center']) - hinge, own['mass'],
                _inertia(prefix, own), own['stiffness'], own['damping'], own['rest_angle'],
                own['angle'], own['rate'], own['release_time'], latch, own['latch_stiffness'],
                own['latch_damping'],
            )  # fmt: skip
    return found


def _check(prefix: str, own: Mapping[str, Any]) -> None:
    """Raise ParameterError if the release or the latch of a panel is impossible."""
    if own['latch_angle'] == [own['angle']]:
        raise ParameterError(
            f'{prefix}latch_angle is {own["angle"]:g} rad, which is its angle at the start; '
            'leave latch_angle out, or the panel itself if it never moves'
        )
    if own['rate'] and own['release_time']:
        raise ParameterError(
            f'{prefix}rate is {own["rate"]:g} rad/s, and {prefix}release_time '
            f'{own["release_time"]:g} s, until which the panel is held; leave one of them out'
        )
    if own['latch_damping'] and not own['latch_stiffness']:
        raise ParameterError(
            f'{prefix}latch_damping is {own["latch_damping"]:g} N m s/rad, and '
            f'{prefix}latch_stiffness is 0, a rigid latch; give that, too, or leave both out'
        )


def _inertia(prefix: str, own: Mapping[str, Any]) -> Matrix3:
    """Return the inertia (3, 3) of a panel about its centre of mass [kg m^2]."""
    from spacecraft_attitude_sim.core.body.rigid_body import inertia_matrix

    if own['inertia'] and own['size']:
        raise ParameterError(
            f'{prefix}inertia and {prefix}size are both given, but a panel has one inertia: '
            'leave one of them out'
        )
    if own['inertia']:
        return inertia_matrix(own['inertia'])
    squares = np.square(own['size'] or [0.0, 0.0, 0.0])
    return np.diag(own['mass'] / 12.0 * (squares.sum() - squares))


def lines(name: str, panel: HingedPanel) -> Iterator[str]:
    """Yield the lines of the text summary."""
    yield (
        f'{name}: panel of {panel.mass:.6g} kg; hinge along {vector(panel.axis_B)} at '
        f'{vector(panel.hinge_B)} m from the centre of mass; inertia about the hinge '
        f'{panel.moving:.6g} kg m^2'
    )
    yield f'  angle at the start {math.degrees(panel.angle):.6g} deg, {_deployed(panel)}'


def _deployed(panel: HingedPanel) -> str:
    """Return as text when a panel is released and at which angle it latches."""
    released = f'released at {panel.release:g} s' if panel.release else 'free from the start'
    if not math.isfinite(panel.latch):
        return f'{released}, no latch'
    kind = 'elastic' if panel.latch_stiffness else 'rigid'
    return f'{released}, {kind} latch at {math.degrees(panel.latch):.6g} deg'
