# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""One quantity, one colour: in figures, animations, RViz and the viewer.

On a light ground, as matplotlib reads them; `on_dark` is the same colour for RViz's dark one.
"""

# Of body and world axes, of components, of yaw, pitch, roll.
AXES = ('#d62f2f', '#2a8f3c', '#2a5fbf')
# Of the size of a vector, the w of a quaternion, a sum.
WHOLE = '#555555'
ANGULAR_VELOCITY = '#2ea152'
ANGULAR_MOMENTUM = '#7d3ca8'
TRANSLATION_ENERGY, ROTATION_ENERGY, POTENTIAL_ENERGY = '#0090a8', '#e07b00', '#8a4fb5'
ERROR = '#333333'
# Of a body's axis over time, and of what goes round with L in the body.
TRACE = POLHODE = '#f0981a'
HERPOLHODE, SEPARATRIX = '#00789f', '#d62f2f'
ELLIPSOID, SPHERE, PLANE, FAINT = '#b9cdeb', '#d7deeb', '#e8e4d4', '#8a94a3'
CONTACT_FORCE, CONTACT_POINT, CONTACT_PATH = '#cc1180', '#d62f2f', '#2040b0'
CONTACT_NORMAL = '#1a8ce6'
IN_FLIGHT, SLIPPING = '#9ec3ea', '#f3c98b'
# Chequers, dark and light; of RViz, whose only light is at the camera: from 0.6 rad above, a floor
# keeps 56 % of its colour.
FLOOR = ('#9ea8b2', '#dbdbd4')
FLOOR_IN_RVIZ = ('#b2bdc7', '#fffff7')
# A body without parts shows the surface that touches the floor.
SURFACE = '#e68c38'
WORLD, PRINCIPAL_AXES, BODY_RINGS = '#404040', '#505050', '#262b33'
# On a dark ground alone.
TEXT_ON_DARK, PRINCIPAL_AXES_ON_DARK = '#d9dee6', '#f2e673'
# How much brighter a colour is on a dark ground, as far as its hue allows.
GAIN = 1.35


def rgb(color: str) -> tuple[float, float, float]:
    """Return red, green, blue, 0 to 1, of a colour of this table."""
    red, green, blue = bytes.fromhex(color[1:])
    return red / 255.0, green / 255.0, blue / 255.0


def rgba(color: str, alpha: float = 1.0) -> tuple[float, float, float, float]:
    """Return red, green, blue and alpha, 0 to 1."""
    return *rgb(color), alpha


def on_dark(color: str, alpha: float = 1.0) -> tuple[float, float, float, float]:
    """Return red, green, blue, alpha of a colour made brighter, to be seen on a dark ground."""
    parts = rgb(color)
    gain = min(GAIN, 1.0 / max(parts))
    red, green, blue = (gain * part for part in parts)
    return red, green, blue, alpha
