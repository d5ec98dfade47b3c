# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The text next to the picture: about which axis the body rotates, and why it flips or not."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.studies import energy_sink, poinsot

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
    from spacecraft_attitude_sim.core.mathematics.types import Vector3, VectorLike
    from spacecraft_attitude_sim.core.parts.internal_parts import InternalParts


LEGEND = """
**Arrows:** ω green, L violet; body axes x, y, z red, green, blue. **Orange:** trace of the body
axis nearest to L"""
OF_WHEELS = '; **teal:** h, the part of L in wheels and rotors'
OF_JETS = '; **orange cones:** jets, with lengths in proportion to the thrust'
OF_RODS = '; **blue:** the dipole of the magnetorquers'
OF_LOOKS = {
    'plate': '; **plates:** panels on their hinges',
    'ball': '; **balls** in the glass body: moving parts, each in the colour of its curve',
}
OF_ELLIPSOID = (
    '; **on the sphere of |L|,** the energy ellipsoid of the present rotational energy, as if the '
    'parts inside were at rest: it shrinks with that energy, and L moves along its intersection '
    'with the sphere'
)
OF_ORBIT = '; **yellow:** to the Sun, **brown:** magnetic field, **blue-grey:** to the Earth'
OF_THE_PICTURE = '; on ellipsoid and sphere, the polhode. **Red on the sphere:** the separatrix'
ON_A_FLOOR = (
    'The floor exerts a force on the body, so energy and L change. Ellipsoid, plane and path of L '
    'show how the body would move on without the floor.'
)
KINDS = ('smallest', 'intermediate', 'largest')
# {kind of the axis nearest to L: what is said of a steady rotation, or of a wide cone}
STEADY = {
    'intermediate': ' It is unstable: the smallest push makes the body flip.',
    'equal': ' It is neutrally stable: a small push neither makes the body flip nor dies out.',
}
WIDE = {'equal': ' A spin about an axis of equal moments is neutrally stable: this is no flip.'}


def axis_kinds(moments: VectorLike) -> list[str]:
    """Return 'smallest', 'intermediate', 'largest' or 'equal' for each principal axis.

    moments: (3,) principal moments of inertia [kg m^2]
    """
    moments = np.asarray(moments)
    kinds = [''] * 3
    for kind, axis in zip(KINDS, np.argsort(moments, kind='stable'), strict=True):
        equal = np.count_nonzero(np.isclose(moments, moments[axis], rtol=poinsot.EQUAL)) > 1
        kinds[axis] = 'equal' if equal else kind
    return kinds


def text(found: Scenario, momentum_P: Vector3) -> str:
    """Return a caption in Markdown.

    found: Scenario;  momentum_P: (3,) initial angular momentum, principal axes [N m s]
    """
    moments = found.plant.body.principal_moments
    title = found.description or 'A rigid body'
    words = ON_A_FLOOR if found.plant.contact else _motion(moments, momentum_P)
    legend = LEGEND + OF_THE_PICTURE
    if more := found.plant.beyond_rigid_body:
        craft = found.plant.spacecraft
        legend = LEGEND + (OF_WHEELS if craft.turning else '')
        legend += OF_JETS if 'thrusters' in craft.groups else ''
        legend += OF_RODS if 'magnetorquers' in craft.groups else ''
        legend += _of_parts(craft.internal)
        legend += OF_ELLIPSOID if energy_sink.changes(craft) else ''
        legend += OF_ORBIT if found.plant.environment.surroundings else ''
        words = (
            f"The spacecraft has {more}. Poinsot's construction is not drawn: it holds only "
            'for a free rigid body.'
        )
    return f'**{title}**\n\n{words}\n\n{_mass_properties(found.plant.body)}\n{legend}.\n'


def _of_parts(parts: InternalParts) -> str:
    """Return the text on InternalParts."""
    looks = {one.look for group in parts.groups for one in group.values()}
    return ''.join(text for look, text in OF_LOOKS.items() if look in looks)


def _mass_properties(body: RigidBody) -> str:
    """Return mass, centre of mass and principal axes as text."""
    axes = '; '.join(
        f'{moment:.4g} about {_vector(axis_B)}'
        for moment, axis_B in zip(
            body.principal_moments, rotations.dcm_from_quaternion(body.q_BP).T, strict=True
        )
    )
    center = body.center_of_mass + body.center_B
    about = ' about the pivot of the bearing' if np.any(body.center_B) else ''
    return (
        f'**Mass:** {body.mass:.4g} kg, centre of mass at {_vector(center)} m in '
        f'the design axes. **Principal moments**{about} (kg m², axes in body axes, drawn grey): '
        f'{axes}.'
    )


def _vector(values: VectorLike) -> str:
    return '(' + ', '.join(f'{value:.3g}' for value in np.asarray(values) + 0.0) + ')'


def _motion(moments: Vector3, momentum_P: Vector3) -> str:
    if not np.any(momentum_P):
        return 'It does not rotate at the start.'
    kinds, nearest = axis_kinds(moments), int(np.argmax(np.abs(momentum_P)))
    kind, name = kinds[nearest], 'xyz'[nearest]
    sizes = ', '.join(f'{moment:.4g}' for moment in moments)
    words = f'Spins about **{name}**, the axis of {_named(kind)} (moments {sizes} kg m²). '
    seconds = poinsot.period(moments, momentum_P)
    if poinsot.turns_over(moments, momentum_P):
        return words + (
            'That is unstable: the path of L runs along the separatrix from one end of '
            f'{name} to the other, and **the body flips every {seconds / 2.0:.3g} s** '
            'while L stays fixed in space.'
        )
    if math.isinf(seconds):
        return f'{words}Without torques it keeps this motion.{STEADY.get(kind, "")}'
    axis = poinsot.encircled_axis(moments, momentum_P)
    if axis is not None and axis != nearest:
        return words + (
            f'Without torques L goes around **{"xyz"[axis]}**, the axis of {_named(kinds[axis])}, '
            f'in a wide cone, once in {seconds:.3g} s.{WIDE.get(kind, "")}'
        )
    crosses = '' if 'equal' in kinds else ' and never crosses the separatrix'
    return words + (
        f'Without torques L goes around this axis once in {seconds:.3g} s{crosses}: the body does '
        'not flip.'
    )


def _named(kind: str) -> str:
    return 'two equal moments' if kind == 'equal' else f'the {kind} moment of inertia'
