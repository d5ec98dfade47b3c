# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Write the attitude of a bag as a CK of SPICE, with the clock and the frame that it needs.

The CK has one segment of type 3: between its attitudes SPICE turns at a constant rate. Its clock
counts nanoseconds from the first attitude. A C-matrix turns components in J2000, which SPICE takes
for the ICRF, into those in the body: it is the inverse of q_WB, and so is SPICE's quaternion. Its
rate is in axes of J2000. NAIF, "CK Required Reading" and "SCLK Required Reading".
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.environment import time_systems
from spacecraft_attitude_sim.core.mathematics.rotations import rotate_many
from spacecraft_attitude_sim.recording.errors import RecordingError

if TYPE_CHECKING:
    from spacecraft_attitude_sim.recording.attitude_messages import Flown

FRAME, SEGMENT = 'J2000', 'ATTITUDE OF A BAG'
# Ticks of the clock are whole numbers in a float: 104 days of nanoseconds.
MOST_TICKS = 2**53
# Longest path that CSPICE opens.
LONGEST_PATH = 255


def check(flown: Flown, spacecraft: int) -> None:
    """Raise RecordingError where there can be no CK; spacecraft: its NAIF number."""
    if not -99_999 <= spacecraft <= -1:
        raise RecordingError(f'--spice-id is {spacecraft}; give a number from -99999 to -1')
    if flown.instants[-1] - flown.instants[0] >= MOST_TICKS:
        raise RecordingError('the attitudes span more than 104 days; give --from and --to')


def write_ck(flown: Flown, spacecraft: int, path: Path) -> None:
    """Write a CK; spacecraft: its NAIF number, of which the body is the thousandfold.

    Raises RecordingError where CSPICE refuses it, ModuleNotFoundError without spiceypy.
    """
    import spiceypy

    if len(str(path)) > LONGEST_PATH:
        raise RecordingError(f'{path}: is too long a path for SPICE; give a shorter one')
    ticks = np.array([time - flown.instants[0] for time in flown.instants], dtype=float)
    rates_W = rotate_many(flown.q_WB, flown.omega_B)
    try:
        handle = spiceypy.ckopn(str(path), SEGMENT, 0)
        try:
            spiceypy.ckw03(
                handle, ticks[0], ticks[-1], 1000 * spacecraft, FRAME, True, SEGMENT, len(ticks),
                ticks, flown.q_WB * (1.0, -1.0, -1.0, -1.0), rates_W, 1, ticks[:1],
            )  # fmt: skip
        finally:
            spiceypy.ckcls(handle)
    except spiceypy.utils.exceptions.SpiceyError as error:
        spiceypy.reset()
        raise RecordingError(f'{path}: SPICE refuses the attitudes: {error}') from None


def clock(flown: Flown, spacecraft: int) -> str:
    """Return the text of the SCLK kernel of a CK: nanoseconds since its first attitude."""
    number, first = -spacecraft, flown.instants[0]
    since_j2000 = first - time_systems.J2000
    seconds, parts = divmod(since_j2000, time_systems.SECOND)
    utc = time_systems.utc_text(first)
    return f"""KPL/SCLK

Clock of {flown.name}: seconds and nanoseconds since {utc} UTC.

\\begindata

SCLK_KERNEL_ID = ( @{utc[:10]}/{utc[11:23]} )
SCLK_DATA_TYPE_{number} = ( 1 )
SCLK01_TIME_SYSTEM_{number} = ( 2 )
SCLK01_N_FIELDS_{number} = ( 2 )
SCLK01_MODULI_{number} = ( 10000000 1000000000 )
SCLK01_OFFSETS_{number} = ( 0 0 )
SCLK01_OUTPUT_DELIM_{number} = ( 1 )
SCLK_PARTITION_START_{number} = ( 0.0 )
SCLK_PARTITION_END_{number} = ( {MOST_TICKS}.0 )
SCLK01_COEFFICIENTS_{number} = ( 0.0 {seconds}.{parts:09} 1.0 )

\\begintext
"""


def frame(flown: Flown, spacecraft: int) -> str:
    """Return the text of the frame kernel of a CK: SC<number>_BODY."""
    body, name = 1000 * spacecraft, f'SC{-spacecraft}_BODY'
    return f"""KPL/FK

Body of {flown.name}.

\\begindata

FRAME_{name} = {body}
FRAME_{body}_NAME = '{name}'
FRAME_{body}_CLASS = 3
FRAME_{body}_CLASS_ID = {body}
FRAME_{body}_CENTER = {spacecraft}
CK_{body}_SCLK = {spacecraft}
CK_{body}_SPK = {spacecraft}

\\begintext
"""
