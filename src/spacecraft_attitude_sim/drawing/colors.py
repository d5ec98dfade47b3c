# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The colour of each quantity in figures, animations, RViz and the viewer.

Colours are hexadecimal, for a light background; `on_dark` adapts them to RViz's dark one.
"""

# Body and world axes x, y, z; components of a vector; yaw, pitch, roll.
AXES = ('#d62f2f', '#2a8f3c', '#2a5fbf')
# Magnitude of a vector, scalar part of a quaternion, a sum.
WHOLE = '#555555'
ANGULAR_VELOCITY = '#2ea152'
ANGULAR_MOMENTUM = '#7d3ca8'
TRANSLATION_ENERGY, ROTATION_ENERGY, POTENTIAL_ENERGY = '#0090a8', '#e07b00', '#8a4fb5'
ERROR = '#333333'
# Paths of a body axis in space, and of L or ω in the body.
TRACE = POLHODE = '#f0981a'
HERPOLHODE, SEPARATRIX = '#00789f', '#d62f2f'
ELLIPSOID, SPHERE, PLANE, FAINT = '#b9cdeb', '#d7deeb', '#e8e4d4', '#8a94a3'
CONTACT_FORCE, CONTACT_POINT, CONTACT_PATH = '#cc1180', '#d62f2f', '#2040b0'
CONTACT_NORMAL = '#1a8ce6'
# Eclipses; the Earth's magnetic field.
ECLIPSE, FIELD = '#b8bfca', '#b8570f'
SUNLIGHT, EARTH = '#e0a800', '#3a78a8'
IN_FLIGHT, SLIPPING = '#9ec3ea', '#f3c98b'
# Dark and light chequers. RViz has its only light at the camera: seen from 0.6 rad above, a floor
# keeps 56 % of its brightness; the wall of a bowl keeps all, and white words lie on it.
FLOOR = ('#9ea8b2', '#dbdbd4')
FLOOR_IN_RVIZ = ('#6a7177', '#989893')
# The contact surface of a body without parts.
SURFACE = '#e68c38'
WORLD, PRINCIPAL_AXES, BODY_RINGS = '#404040', '#505050', '#262b33'
# Names and curves of several spacecraft in one picture; the colours repeat.
SPACECRAFT = ('#0b6fae', '#d1560a', '#00866b', '#b0408c', '#8a6a00', '#4a4ac4', '#7a4a2b')
# Discs and curves of reaction wheels, then of gimbals and thrusters; the colours repeat. Then the
# total angular momentum of wheels and rotors.
WHEELS = ('#0b7f8c', '#b8570f', '#7a4fb0', '#8a7a00', '#a83a6a', '#3f6fb5', '#5d7a2f', '#7a4a2b')
WHEEL_MOMENTUM, LIMIT = '#0090a8', '#8c2f2f'
# Jet of a thruster, dipole of magnetorquers, ring of a gimbal.
PLUME, DIPOLE, GIMBAL = '#f2701a', '#4a3aff', '#6b7480'
# Hinges and guides of internal parts; the ellipsoid of rotational energy.
HINGE, ENERGY_ELLIPSOID = '#5b6470', '#f2b880'
# Only for a dark background.
TEXT_ON_DARK, PRINCIPAL_AXES_ON_DARK = '#d9dee6', '#f2e673'
# Brightening factor for a dark background, unless a channel saturates.
GAIN = 1.35


def rgb(color: str) -> tuple[float, float, float]:
    """Return red, green and blue, 0 to 1, of a colour in this table."""
    red, green, blue = bytes.fromhex(color[1:])
    return red / 255.0, green / 255.0, blue / 255.0


def of_actuator(number: int) -> str:
    """Return the colour of a wheel, gimbal or thruster; number: index among all, in this order."""
    return WHEELS[number % len(WHEELS)]


def of_part(number: int) -> str:
    """Return the colour of an internal part; number: index, coordinates, then pendulums, slugs."""
    return WHEELS[number % len(WHEELS)]


def rgba(color: str, alpha: float = 1.0) -> tuple[float, float, float, float]:
    """Return red, green, blue and alpha, 0 to 1."""
    return *rgb(color), alpha


def on_dark(color: str, alpha: float = 1.0) -> tuple[float, float, float, float]:
    """Return red, green, blue, alpha, 0 to 1, of a colour brightened for a dark background."""
    parts = rgb(color)
    gain = min(GAIN, 1.0 / max(parts))
    red, green, blue = (gain * part for part in parts)
    return red, green, blue, alpha
