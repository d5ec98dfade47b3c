# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The attitude of a body measured from its picture: where its coloured axes point."""

import numpy as np
from scipy.optimize import least_squares

from spacecraft_attitude_sim.core.mathematics import rotations

# The eye looks at the centre of mass from the front, right and above, as in the figures: rows
# right, up, towards the eye. Where a line through the middle of the picture points on it does not
# depend on the distance of the eye.
AZIMUTH, ELEVATION = np.radians((35.0, 25.0))
TOWARDS = np.array(
    (
        np.cos(ELEVATION) * np.cos(AZIMUTH),
        np.cos(ELEVATION) * np.sin(AZIMUTH),
        np.sin(ELEVATION),
    )
)
RIGHT = np.array((-np.sin(AZIMUTH), np.cos(AZIMUTH), 0.0))
UP = np.cross(TOWARDS, RIGHT)
FEWEST_PIXELS = 40


def axis_pixels(picture):
    """Return where red, green and blue stand: three (n, 2) of right and up [pixels]."""
    red, green, blue = np.moveaxis(picture, 2, 0)
    masks = (
        (red > 90) & (green < 0.4 * red) & (blue < 0.4 * red),
        # The green of ω has more blue, 0.46 of it and above.
        (green > 70) & (red < 0.45 * green) & (blue < 0.44 * green),
        (blue > 90) & (red < 0.45 * blue) & (green < 0.55 * blue),
    )
    return [np.argwhere(mask)[:, ::-1] * (1.0, -1.0) for mask in masks]


def directions(pixels, middle):
    """Return the angles (3,) at which the axes point on the picture [rad]; nan where not seen.

    middle: (2,) where the centre of mass is
    """
    angles = np.full(3, np.nan)
    for number, places in enumerate(pixels):
        if len(places) >= FEWEST_PIXELS:
            away = places - middle
            far = np.linalg.norm(away, axis=1) > 0.5 * np.max(np.linalg.norm(away, axis=1))
            angles[number] = np.arctan2(*np.mean(away[far], axis=0)[::-1])
    return angles


def expected_directions(q_WB):
    """Return the angles (3,) at which the body axes of an attitude point on the picture [rad]."""
    axes_W = rotations.dcm_from_quaternion(q_WB)
    return np.arctan2(UP @ axes_W, RIGHT @ axes_W)


def attitude_error(angles, q_WB):
    """Return the angle [rad] between the attitude of a picture and q_WB.

    angles: three of `directions`; three numbers, as an attitude has, so that they determine it
    """

    def residuals(turn):
        turned = rotations.quaternion_from_axis_angle(turn, np.linalg.norm(turn))
        q = rotations.compose(turned, q_WB) if np.any(turn) else q_WB
        difference = expected_directions(q) - angles
        return np.concatenate((np.sin(difference), 1.0 - np.cos(difference)))

    found = least_squares(residuals, np.full(3, 1e-3))
    if np.max(np.abs(found.fun)) > 0.02:
        return np.pi  # no attitude near it looks like that
    return float(np.linalg.norm(found.x))
