# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Colours of the viewer, red green blue 0 to 255: one quantity, one colour."""

AXES = ((220, 40, 40), (30, 150, 50), (40, 90, 220))
OMEGA = (0, 175, 215)
MOMENTUM = (125, 60, 168)
PATH = (240, 152, 26)
HERPOLHODE = (0, 120, 160)
FORCE = (200, 0, 120)
SEPARATRIX = (215, 40, 40)
FAMILY = (130, 140, 155)
ELLIPSOID = (185, 205, 235)
SPHERE = (215, 222, 235)
PLANE = (228, 224, 208)
# Of the light and the dark chequers.
SHEET = ((236, 233, 222), (176, 186, 198))
PRINCIPAL = (80, 80, 80)
