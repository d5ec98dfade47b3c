# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Make test/data/fields.txt by two other codes: pip install ppigrf==2.1.0 pygeomag==1.1.0.

    python test/make_fields.py >test/data/fields.txt

A line: model, year, month of its first day, latitude and longitude (geodetic) [deg], altitude
[km], and the field to the north, to the east and down [nT].
"""

from datetime import datetime

import numpy as np
import ppigrf
from pygeomag import GeoMag

YEARS = (1905, 1958, 1987, 2000, 2015, 2025, 2026)


def main():
    """Print the lines."""
    random = np.random.default_rng(20261101)
    wmm = GeoMag(coefficients_file='wmm/WMM_2025.COF')
    for number in range(42):
        year, month = YEARS[number % len(YEARS)], 1 + 6 * (number // 21)
        latitude, longitude = np.degrees(np.arcsin(random.uniform(-1, 1))), random.uniform(0, 360)
        latitude, longitude = round(latitude, 3), round(longitude, 3)
        altitude = round(float(random.uniform(0, 2000)), 1)
        place = f'{month} {latitude} {longitude} {altitude}'
        day = datetime(year, month, 1)
        found = ppigrf.igrf(longitude, latitude, altitude, day)
        east, north, up = (part.item() for part in found)
        print(f'igrf14 {year} {place} {north:.6f} {east:.6f} {-up:.6f}')
        if year >= 2025:
            days = (day - datetime(year, 1, 1)).days
            found = wmm.calculate(
                glat=latitude, glon=longitude, alt=altitude, time=year + days / 365.0
            )
            print(f'wmm2025 {year} {place} {found.x:.6f} {found.y:.6f} {found.z:.6f}')


if __name__ == '__main__':
    main()
