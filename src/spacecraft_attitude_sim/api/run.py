# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A run, simulated here or read from a bag or a table: arrays by name, tables, figures."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.api.waiting import saying
from spacecraft_attitude_sim.configuration import suggestion
from spacecraft_attitude_sim.core.control.response import attitude_error
from spacecraft_attitude_sim.recording import history as histories
from spacecraft_attitude_sim.recording import run_history, sensor_history
from spacecraft_attitude_sim.recording.sensor_history import Sensors

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.flight.record import Record
    from spacecraft_attitude_sim.recording.history import History


class Run:
    """What happened in a run, at n instants; arrays have a row for each.

    From `simulate`, `Simulation.run` or `read`. Quaternions are w, x, y, z and turn body axes into
    world axes. `docs/conventions.md` says what the axes are.

    scenario: its Scenario; None where a table does not say it
    """

    def __init__(
        self,
        scenario: Scenario | None,
        names: Sequence[str],
        table: Array,
        history: History,
        sensors: Callable[[], Sensors] | None = None,
        source: str = '',
    ) -> None:
        self.scenario = scenario
        self._names, self._table, self._history = tuple(names), table, history
        self._sensors = sensors
        self._source = source

    @classmethod
    def of_record(cls, record: Record) -> Run:
        """Return the Run of a Record."""
        if len(record.instants) < 2:
            raise ValueError('nothing has been simulated yet; take a step')
        with saying('making the table of the run'):
            names, table = run_history.table_of(record.scenario, record.instants, record.entries)
            references = np.array(record.references) if record.commanded else None
            history = run_history.history_of(
                record.scenario, record.instants, names, table, references
            )
        kept = {name: tuple(several) for name, several in record.readings.items()}
        sensors = functools.partial(Sensors, record.scenario.sensors, kept)
        return cls(record.scenario, names, table, history, sensors, record.scenario.description)

    def __repr__(self) -> str:
        told = f'{len(self.time)} instants, {self.time[0]:g} to {self.time[-1]:g} s'
        return f'<Run of {self._source or "a table"}: {told}>'

    def __len__(self) -> int:
        return len(self.time)

    # --- arrays -------------------------------------------------------------------------------

    @property
    def time(self) -> Array:
        """Simulated time (n,) [s]."""
        return self._history.time

    @functools.cached_property
    def attitude(self) -> Array:
        """Attitude (n, 4), quaternions w, x, y, z without jumps of sign, body to world."""
        return self._history.q_WB()

    @property
    def euler_angles(self) -> Array:
        """Yaw, pitch, roll (n, 3) [rad], intrinsic z-y-x, body to world."""
        return self._history.euler_zyx

    @property
    def angular_velocity(self) -> Array:
        """True angular velocity (n, 3) [rad/s], body axes."""
        return self._history.angular_velocity_B

    @property
    def angular_acceleration(self) -> Array:
        """Angular acceleration (n, 3) [rad/s^2], body axes."""
        return self._history.angular_acceleration_B

    @functools.cached_property
    def angular_momentum(self) -> Array:
        """Total angular momentum about the centre of mass (n, 3) [N m s], world axes."""
        return self._history.angular_momentum_W()

    @property
    def angular_momentum_body(self) -> Array:
        """The same (n, 3) [N m s], body axes."""
        return self._history.angular_momentum_B

    @property
    def energy(self) -> Array:
        """Kinetic energy, that of gravity and of springs (n,) [J]; see `table` for each."""
        if self._history.energies is not None:
            return self._history.energies[:, -1]
        if self._history.contact is not None:
            return self._history.contact.energy
        return 0.5 * np.sum(self.angular_velocity * self.angular_momentum_body, axis=1)

    @property
    def reference(self) -> Array:
        """Attitude that the controller points at (n, 4); NaN where there is none."""
        control = self._history.control
        return np.full((len(self.time), 4), np.nan) if control is None else control.q_WR

    @functools.cached_property
    def error(self) -> Array:
        """Angle between attitude and reference (n,) [rad]; NaN where there is no reference."""
        pairs = zip(self.reference, self.attitude, strict=True)
        return np.array([
            np.linalg.norm(attitude_error(q_WR, q_WB)) if np.isfinite(q_WR[0]) else np.nan
            for q_WR, q_WB in pairs
        ])  # fmt: skip

    @property
    def torque(self) -> Array:
        """Commanded torque of all kinds, mean of the tick that ends there (n, 3) [N m], body axes.

        NaN where it is not known; zeros where nobody commanded.
        """
        control = self._history.control
        return np.zeros((len(self.time), 3)) if control is None else control.torque_B

    @property
    def wheels(self) -> Any:
        """Wheels: `speeds`, `torques` (n, N) [rad/s, N m], `stored_B` (n, 3); None without."""
        return self._history.wheels

    @property
    def gimbals(self) -> Any:
        """Control moment gyros over time; None without."""
        return self._history.gimbals

    @property
    def thrusters(self) -> Any:
        """Thrusters over time: `impulses` (n, M) [N s], pulses, propellant; None without."""
        return self._history.thrusters

    @property
    def magnetorquers(self) -> Any:
        """Magnetorquers over time: `dipoles` (n, K) [A m^2]; None without."""
        return self._history.rods

    @property
    def orbit(self) -> Any:
        """What is around the spacecraft in an orbit about the Earth; None without."""
        return self._history.orbit

    @property
    def contact(self) -> Any:
        """What touches the floor, where and how hard; None without a floor."""
        return self._history.contact

    @functools.cached_property
    def sensors(self) -> Sensors:
        """{name of a sensor: what it read}: `time` (k,) [s] and its parts as arrays of k rows.

        Rows in which a sensor saw nothing are 0; their `why` is not, and a star tracker's
        `measured` is below 0. A bag does not record the reason: there these two are NaN.
        Raises ValueError of a table, KeyError saying which topic a bag lacks, RecordingError.
        """
        if self._sensors is None:
            raise ValueError(
                'a table holds no sensors; read a bag, or simulate its scenario again'
            )
        with saying('reading the sensors'):
            return self._sensors()

    def flips(self) -> Array:
        """Return the times at which the body turned over [s]."""
        return self._history.flips()

    # --- tables -------------------------------------------------------------------------------

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of the table, with units, as `attitude-sim run --csv` has them."""
        return self._names

    def __getitem__(self, column: str) -> Array:
        """Return a column (n,) of the table by its name, as 'omega_x [rad/s]'."""
        if column not in self._names:
            raise KeyError(f'no column {column!r}; {suggestion.hint(column, self._names)}')
        return self._table[:, self._names.index(column)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def to_pandas(self) -> Any:
        """Return the table as a pandas DataFrame whose index is the time [s].

        Raises ImportError saying what to install where pandas is missing.
        """
        try:
            import pandas
        except ImportError:
            raise ImportError('to_pandas needs pandas: pip install pandas') from None
        frame = pandas.DataFrame(self._table, columns=list(self._names))
        return frame.set_index(self._names[0])

    def to_csv(self, path: str | Path) -> Path:
        """Write the table, as `attitude-sim run --csv` does; return its path."""
        writer = histories.CsvWriter(path, names=self._names)
        for row in self._table:
            writer.write(row)
        writer.close()
        return Path(path)

    # --- pictures -----------------------------------------------------------------------------

    def plot(self, *names: str, path: str | Path | None = None) -> Any:
        """Draw quantities over time; return the matplotlib Figure.

        names: as of `attitude-sim plot --only` (docs/figures.md), or of columns; 'attitude' draws
            the quaternion; none for the figure that `attitude-sim plot` draws
        path: of a file to write as well
        """
        from spacecraft_attitude_sim.api import pictures

        return pictures.plot(self, self._history, names, path)

    def animate(self, path: str | Path | None = None, seconds: float = 15.0) -> Any:
        """Draw the moving body beside its angular velocity, as a GIF; return its picture or path.

        path: of the GIF; without one the picture is returned, which a notebook shows
        seconds: longest duration of the animation; longer runs are shown faster
        """
        from spacecraft_attitude_sim.api import pictures

        return pictures.animate(self, self._history, path, seconds)

    def show(self, path: str | Path | None = None, browser: bool = True) -> Any:
        """Show the run in three dimensions, in a notebook or a browser (extra `view`).

        path: write a Rerun recording (.rrd) there instead and return its path
        browser: open the page in a browser; without it, open the `url` of what is returned
        Raises ImportError saying what to install where the viewer is missing.
        """
        from spacecraft_attitude_sim.api import pictures

        return pictures.show(self, self._history, path, browser)

    @property
    def title(self) -> str:
        """One line that says what the run is of."""
        return self._source


def read(path: str | Path, namespace: str | None = None) -> Run:
    """Return the Run of a bag or of a table that `run --csv` wrote.

    namespace: of the spacecraft, where a bag holds several
    Raises RecordingError saying what is wrong with the file.
    """
    with saying(f'reading {Path(path).name}'):
        history, scenario, names, table, moments = histories.read_with_table(path, namespace)
    title, sensors = Path(path).name, None
    if scenario:
        title = scenario.description
        sensors = functools.partial(sensor_history.of_bag, path, namespace, scenario, moments)
    return Run(scenario, names, table, histories.on_floor_of(history, scenario), sensors, title)
