# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The colours of drawing.colors in the form of Rerun: red, green, blue, 0 to 255."""

from spacecraft_attitude_sim.drawing import colors


def rgb(color: str) -> tuple[int, ...]:
    """Return red, green and blue, 0 to 255, of a colour of drawing.colors."""
    return tuple(bytes.fromhex(color[1:]))


AXES = tuple(map(rgb, colors.AXES))
OMEGA, MOMENTUM = rgb(colors.ANGULAR_VELOCITY), rgb(colors.ANGULAR_MOMENTUM)
WHOLE, ENERGY = rgb(colors.WHOLE), rgb(colors.ROTATION_ENERGY)
ERROR, PATH = rgb(colors.ERROR), rgb(colors.TRACE)
HERPOLHODE, SEPARATRIX = rgb(colors.HERPOLHODE), rgb(colors.SEPARATRIX)
FORCE, POINT, CONTACT_PATH = map(
    rgb, (colors.CONTACT_FORCE, colors.CONTACT_POINT, colors.CONTACT_PATH)
)
FAMILY, ELLIPSOID, SPHERE, PLANE = map(
    rgb, (colors.FAINT, colors.ELLIPSOID, colors.SPHERE, colors.PLANE)
)
DARK, LIGHT = map(rgb, colors.FLOOR)
PRINCIPAL = rgb(colors.PRINCIPAL_AXES)
WHEEL_MOMENTUM, LIMIT = map(rgb, (colors.WHEEL_MOMENTUM, colors.LIMIT))
ENERGY_ELLIPSOID = rgb(colors.ENERGY_ELLIPSOID)
DIPOLE = rgb(colors.DIPOLE)
SUN, EARTH, FIELD = rgb(colors.SUNLIGHT), rgb(colors.EARTH), rgb(colors.FIELD)
SPACECRAFT = tuple(map(rgb, colors.SPACECRAFT))
