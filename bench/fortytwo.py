# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The craft of bench/mission.py in 42 of NASA Goddard, a C program that is run as it is.

42 is in no package registry. Build it from its repository without its window (GUIFLAG and
SHADERFLAG empty, -O2 in place of -O0), and name its folder in the environment variable FORTYTWO:
`FORTYTWO=/where/42/is python bench/mission.py`. The input files are those of its folder InOut,
with the values of our craft; they are written to a temporary folder.
"""

import os
import re
import resource
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

FOLDER = os.environ.get('FORTYTWO', '')
# Parts that its example has and our craft has not.
ABSENT = (
    'Gyro Axes', 'Magnetometer Axes', 'Coarse Sun Sensors', 'Fine Sun Sensors', 'Star Trackers',
    'GPS Receivers', 'Accel Axes', 'Fine Guidance Sensors', 'Thrusters',
)  # fmt: skip


def installed():
    """Return whether FORTYTWO names a folder with a program that was built."""
    return bool(FOLDER) and (Path(FOLDER) / '42').is_file()


def with_values(text, values):
    """Return an input file with other values before the comments that match an expression."""
    for words, value in values.items():
        text, count = re.subn(rf'(?m)^[^!\n]*(?=!.*{words})', f'{value} ', text)
        if not count:
            raise ValueError(f'the input files of 42 have no line with {words!r}')
    return text


def section(text, name, lines):
    """Return a spacecraft's file with other lines in the section of this name."""
    head, middle, rest = re.split(rf'(?m)^(\*+ {name} \*+)$', text)
    return (
        head + middle + '\n' + '\n'.join(lines) + '\n' + rest[re.search(r'\n\*', rest).end() - 1 :]
    )


class FortyTwo:
    """Our craft in 42. Wheels and magnetorquers are computed, but no command reaches them.

    body: our RigidBody;  omega_B: of its start [rad/s];  wheels: (axis, inertia, speed,
    largest torque, largest speed) of each;  friction: Coulomb [N m] and viscous [N m s/rad]
    torquers: axes;  max_dipole, dipole: [A m^2]
    """

    def __init__(self, body, omega_B, wheels, friction, torquers, max_dipole, dipole):
        self._home = tempfile.TemporaryDirectory()
        self._path = Path(self._home.name) / 'InOut'
        shutil.copytree(Path(FOLDER) / 'InOut', self._path)
        self._change('Inp_Cmd.txt', lambda text: 'Commands\nEOF\n')
        self._change('Inp_Region.txt', lambda text: text.replace('TRUE', 'FALSE'))
        self._change('Whl_Simple.txt', lambda text: with_values(text, {
            'Coulomb Friction': friction[0], 'Stiction': friction[0],
            'Viscous Coefficient': friction[1],
        }))  # fmt: skip
        self._change('Orb_LEO.txt', lambda text: with_values(text, {
            'Periapsis & Apoapsis': '500 500', 'Inclination': 97.4,
        }))  # fmt: skip
        J = body.inertia
        values = {
            'Flight Software Identifier': 'PASSIVE_FSW', 'Orbit Prop': 'ENCKE',
            r'Ang Vel \(': numbers(np.degrees(omega_B)), r' Mass\s*$': body.mass,
            'Moments of Inertia': numbers(np.diag(J)),
            'Products of Inertia': numbers((-J[0, 1], -J[0, 2], -J[1, 2])),
            'Constant Embedded Magnetic': numbers(dipole),
        } | {f'Number of {name}': 0 for name in ABSENT}  # fmt: skip
        rotors = ['TRUE ! drag', 'FALSE ! jitter', f'{len(wheels)} !']
        for axis, inertia, speed, torque, top in wheels:
            rotors += [
                '=== wheel', f'{inertia * speed!r} !', f'{numbers(axis)} !',
                f'{torque!r} {inertia * top!r} !', f'{inertia!r} !', '0 !', '0 !',
                'Whl_Simple.txt !',
            ]  # fmt: skip
        coils = [f'{len(torquers)} !']
        for axis in torquers:
            coils += ['=== torquer', f'{max_dipole!r} !', f'{numbers(axis)} !', '0 !']

        def spacecraft(text):
            text = section(with_values(text, values), 'Wheel Parameters', rotors)
            return section(text, 'MTB Parameters', coils)

        self._change('SC_Simple.txt', spacecraft)

    def _change(self, name, change):
        path = self._path / name
        path.write_text(change(path.read_text()))

    def run(self, seconds, step):
        """Simulate; return the processor time of the process [s]."""
        original = (Path(FOLDER) / 'InOut' / 'Inp_Sim.txt').read_text()
        values = {
            'Time Mode': 'FAST', 'Sim Duration': f'{seconds!r} {step!r}',
            'File Output Interval': repr(seconds), 'Graphics Front End': 'FALSE',
            'Magfield': 'IGRF', 'IGRF Degree': '10 10', 'Earth Gravity Model': '2 0',
            'Gravity Gradient Torques': 'TRUE', 'Residual Magnetic Moment': 'TRUE',
            'Gravity Perturbation': 'TRUE',
        } | {f' {name}': 'FALSE' for name in (
            'Mercury', 'Venus', 'Mars and', 'Jupiter and', 'Saturn and', 'Uranus and',
            'Neptune and', 'Pluto and', 'Earth-Moon',
        )}  # fmt: skip
        (self._path / 'Inp_Sim.txt').write_text(with_values(original, values))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            ['./42', os.path.relpath(self._path, FOLDER)],
            cwd=FOLDER, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f'42 stopped: {done.stdout[-500:]}')
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def attitude(self):
        """Return q_WB after the last run, with the seven digits that 42 prints."""
        x, y, z, w = np.array(self._path.joinpath('qbn.42').read_text().split()[-4:], float)
        return np.array((w, x, y, z))


def numbers(values):
    """Return floats in the form of an input file."""
    return ' '.join(repr(float(value)) for value in values)


def step_time(craft, step, few=3200, many=35_200):
    """Return the processor time of one step [s]: that of many less that of few."""
    return (craft.run(many * step, step) - craft.run(few * step, step)) / (many - few)
