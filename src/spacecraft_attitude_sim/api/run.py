# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The result of a simulation, or of a bag or table: arrays by name, tables, figures."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.api.waiting import saying
from spacecraft_attitude_sim.configuration import suggestion
from spacecraft_attitude_sim.core.control.response import attitude_errors
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.recording import history as histories
from spacecraft_attitude_sim.recording import run_history, sensor_history
from spacecraft_attitude_sim.recording.sensor_history import Sensors

if TYPE_CHECKING:
    from spacecraft_attitude_sim.api.compiled_flight import Flown
    from spacecraft_attitude_sim.api.flight_merits import FlightMerits
    from spacecraft_attitude_sim.api.smoothing import Smoothed
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.flight.record import Record
    from spacecraft_attitude_sim.recording.history import History


class Run:
    """The result of a run at n instants. Every array has n rows, one for each instant.

    You get a Run from `simulate`, `Simulation.run` or `read`. Quaternions are w, x, y, z and turn
    body axes into world axes. docs/conventions.md defines the axes.

    scenario: the Scenario of the run; None for a run that was read from a table
    """

    def __init__(
        self,
        scenario: Scenario | None,
        names: Sequence[str],
        made: Callable[[], tuple[Array, History]],
        sensors: Callable[[], Sensors] | None = None,
        source: str = '',
    ) -> None:
        self.scenario = scenario
        self._names, self._made = tuple(names), made
        self._sensors = sensors
        self._source = source

    @functools.cached_property
    def _whole(self) -> tuple[Array, History]:
        """The table and the History, computed when you ask for the first of its numbers."""
        try:
            whole, self._made = self._made(), _gone  # the instants are needed no longer
        except AttributeError as error:  # Python would say that a Run has no such attribute
            raise RuntimeError(f'the arrays of this run cannot be computed: {error}') from error
        return whole

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs: the numbers, and not how to make them."""
        return {**vars(self), '_whole': self._whole, '_made': _gone}

    @property
    def _table(self) -> Array:
        return self._whole[0]

    @property
    def _history(self) -> History:
        return self._whole[1]

    @classmethod
    def of_record(cls, record: Record) -> Run:
        """Return the Run of a Record; ValueError if it holds fewer than two instants."""
        count = len(record.instants)
        if count < 2:
            raise ValueError('nothing has been simulated yet; take a step')
        commanded = record.commanded

        def made() -> tuple[Array, History]:
            with saying('making the table of the run'):
                return _whole_of(record, count, commanded)

        kept = {name: tuple(several) for name, several in record.readings.items()}
        return cls._of(
            record.scenario, made, functools.partial(Sensors, record.scenario.sensors, kept)
        )

    @classmethod
    def of_flight(cls, flown: Flown, every: int) -> Run:
        """Return the Run of a compiled flight at every k-th of its instants."""

        def made() -> tuple[Array, History]:
            with saying('making the table of the run'):
                record = flown.record(every)
                return _whole_of(record, len(record.instants), record.commanded)

        return cls._of(flown.scenario, made, functools.partial(_read_in, flown))

    @classmethod
    def _of(
        cls,
        scenario: Scenario,
        made: Callable[[], tuple[Array, History]],
        sensors: Callable[[], Sensors],
    ) -> Run:
        return cls(scenario, run_history.names_of(scenario), made, sensors, scenario.description)

    def __repr__(self) -> str:
        told = f'{len(self.time)} instants, {self.time[0]:g} to {self.time[-1]:g} s'
        what = self._source or ('your own body' if self.scenario else 'a table')
        return f'<Run of {what}: {told}>'

    if not TYPE_CHECKING:  # with it, a type checker would believe that every name exists

        def __getattr__(self, name: str) -> Any:
            """Raise AttributeError with the name that was probably meant."""
            if name.startswith('_'):
                raise AttributeError(f'a Run has no {name!r}')
            if hasattr(type(self), name):
                return object.__getattribute__(self, name)  # raises the property's own error
            from spacecraft_attitude_sim.drawing import panel_names

            words = {panel: word for word, panel in panel_names.ALSO.items()}
            if name in words:
                raise AttributeError(f'a Run has no {name!r}; write run.{words[name]}')
            public = [known for known in dir(type(self)) if not known.startswith('_')]
            raise AttributeError(f'a Run has no {name!r}; {suggestion.hint(name, public)}')

    def __len__(self) -> int:
        return len(self.time)

    # --- arrays -------------------------------------------------------------------------------

    @property
    def time(self) -> Array:
        """Simulated time of each instant (n,) [s]."""
        return self._history.time

    @functools.cached_property
    def attitude(self) -> Array:
        """True attitude (n, 4): quaternions w, x, y, z that turn body axes into world axes.

        Their sign never jumps from one instant to the next.
        """
        return self._history.q_WB()

    @property
    def euler_angles(self) -> Array:
        """Yaw, pitch and roll (n, 3) [rad] of the true attitude.

        From world axes turn about z by yaw, then about the new y by pitch, then about the new x
        by roll; you arrive at the body axes.
        """
        return self._history.euler_zyx

    @property
    def angular_velocity(self) -> Array:
        """True angular velocity (n, 3) [rad/s], body axes."""
        return self._history.angular_velocity_B

    @functools.cached_property
    def angular_velocity_world(self) -> Array:
        """True angular velocity (n, 3) [rad/s], world axes: `angular_velocity` in other axes."""
        pairs = zip(self.attitude, self.angular_velocity, strict=True)
        return np.array([rotations.rotate(q_WB, omega_B) for q_WB, omega_B in pairs])

    @property
    def angular_acceleration(self) -> Array:
        """True angular acceleration (n, 3) [rad/s^2], body axes."""
        return self._history.angular_acceleration_B

    @functools.cached_property
    def angular_momentum(self) -> Array:
        """Angular momentum of the whole about its centre of mass (n, 3) [N m s], world axes.

        It includes wheels and other moving parts.
        """
        return self._history.angular_momentum_W()

    @property
    def angular_momentum_body(self) -> Array:
        """Angular momentum of the whole about its centre of mass (n, 3) [N m s], body axes.

        It is `angular_momentum` in other axes.
        """
        return self._history.angular_momentum_B

    @property
    def energy(self) -> Array:
        """Sum of kinetic energy and of potential energy of gravity and springs (n,) [J].

        The columns `translation_energy [J]`, `rotation_energy [J]` and `potential_energy [J]` of
        the table have its parts.
        """
        if self._history.energies is not None:
            return self._history.energies[:, -1]
        if self._history.contact is not None:
            return self._history.contact.energy
        return 0.5 * np.sum(self.angular_velocity * self.angular_momentum_body, axis=1)

    @property
    def reference(self) -> Array:
        """Attitude that the controller wants (n, 4), quaternions w, x, y, z, body to world.

        Rows are NaN at instants at which there is none.
        """
        control = self._history.control
        return np.full((len(self.time), 4), np.nan) if control is None else control.q_WR

    @functools.cached_property
    def error(self) -> Array:
        """Angle between `attitude` and `reference` (n,) [rad]; NaN where there is no reference."""
        errors: Array = np.linalg.norm(attitude_errors(self.reference, self.attitude), axis=1)
        return errors

    @property
    def torque(self) -> Array:
        """Torque on the body by all commands together (n, 3) [N m], body axes.

        Each row is the mean over the tick that ends at this instant. Rows are NaN where the
        torque is not known, and zero where nothing was commanded.
        """
        control = self._history.control
        return np.zeros((len(self.time), 3)) if control is None else control.torque_B

    @property
    def wheels(self) -> Any:
        """Motion of the N reaction wheels; None if there are none.

        It has `speeds` (n, N) [rad/s], `torques` of the motors (n, N) [N m], and `stored_B`, the
        angular momentum of all wheels (n, 3) [N m s] in body axes.
        """
        return self._history.wheels

    @property
    def gimbals(self) -> Any:
        """Motion of the G control moment gyros; None if there are none.

        It has `angles` (n, G) [rad] and `rates` (n, G) [rad/s] of the gimbals, and `held_B`, the
        angular momentum of all rotors (n, 3) [N m s] in body axes.
        """
        return self._history.gimbals

    @property
    def thrusters(self) -> Any:
        """Work of the M thrusters; None if there are none.

        It has `impulses` of the tick that ends at each instant (n, M) [N s], and since the start
        the number of `pulses` (n, M) and the propellant `used` (n, M) [kg].
        """
        return self._history.thrusters

    @property
    def magnetorquers(self) -> Any:
        """Work of the K magnetorquers: `dipoles` (n, K) [A m^2]; None if there are none."""
        return self._history.rods

    @property
    def orbit(self) -> Any:
        """Orbit and environment of the spacecraft; None if it is in no orbit about the Earth."""
        return self._history.orbit

    @property
    def contact(self) -> Any:
        """Contact with the floor: where, and with which force; None if there is no floor."""
        return self._history.contact

    @functools.cached_property
    def sensors(self) -> Sensors:
        """Readings of the sensors: {name of a sensor: its k readings}.

        Each has `time` (k,) [s], and each part of a reading as an array of k rows, such as
        `run.sensors['imu'].angular_velocity_S` (k, 3) [rad/s]. docs/python.md lists the parts.

        A sensor may see nothing, for example a Sun sensor in eclipse. Its parts are then 0 in
        that row, and `why` is the number of the reason, which is not 0. A star tracker has
        `measured` below 0 instead. A bag does not record the reason: after `read` of a bag `why`
        and `measured` are NaN in these rows. Simulate the scenario again to know the reason.

        Raises ValueError for a run that was read from a table, KeyError for a sensor that does
        not exist or whose topic is not in the bag, RecordingError for a damaged bag.
        """
        if self._sensors is None:
            raise ValueError(
                'a table holds no sensors; read a bag, or simulate its scenario again'
            )
        with saying('reading the sensors'):
            return self._sensors()

    def flips(self) -> Array:
        """Return the times at which the body turned over, as a tennis racket does (any,) [s]."""
        return self._history.flips()

    def merits(
        self, *, steady_from: float | None = None, pointed_error: float = math.radians(1.0),
        window: float = 0.0, drift: float = 0.0, boresight: Sequence[float] = (0.0, 0.0, 1.0),
    ) -> FlightMerits:  # fmt: skip
        """Return the merits of a flight under a controller: pointing, estimator, actuators.

        Print them for a table; `values` is {merit: number in SI units}. docs/pointing.md defines
        them.

        steady_from: judge from this time after the first instant on [s]; None: from when the
            error stays below `pointed_error` [rad]
        window, drift: of MPE and RPE, and of PDE [s]; 0: 10 and 60 s, or less in a short run
        boresight: body axis about and across which errors are told
        Raises ValueError for a value that does not fit the run, or a run without commands.
        """
        from spacecraft_attitude_sim.api.flight_merits import of_history

        return of_history(
            self._history, steady_from, pointed_error, window, drift, tuple(boresight), self.title
        )

    def smoothed(
        self,
        judged_from: float = 0.0,
        estimator: Mapping[str, Any] | None = None,
        beside: Mapping[str, Sequence[Array]] | None = None,
    ) -> Smoothed:
        """Return the attitude that all readings tell, the later ones, too; print it for merits.

        It judges an estimator: no estimator in flight can know as much. The filter is that of
        attitude_estimator, with the settings of the scenario's own, or else with what the
        simulator says of its sensors. docs/estimator.md defines the merits.

        judged_from: time from which the errors count, after an estimator has converged [s]
        estimator: {name: value} of parameters of attitude_estimator that are to differ
        beside: {name: (times (k,) [s], attitudes (k, 4))} of other estimators; the covariances
            (k, 3, 3) of their errors in body axes [rad^2] may follow. They are judged, too
        Raises ValueError where the readings tell no attitude, ParameterError for a wrong parameter
        or sensors that see none, KeyError for a bag without a sensor's topic.
        """
        from spacecraft_attitude_sim.api.smoothing import of_run

        sensors = self.sensors
        assert self.scenario, 'only a table has none, and no sensors'
        with saying('smoothing the attitude'):
            return of_run(
                self.scenario, sensors, self._history, judged_from, estimator or {}, beside or {}
            )

    # --- tables -------------------------------------------------------------------------------

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of the table with their units, such as 'omega_x [rad/s]'.

        They are those of `attitude-sim run --csv`.
        """
        return self._names

    def __getitem__(self, column: str) -> Array:
        """Return a column (n,) of the table, for example run['omega_x [rad/s]'].

        Raises KeyError with the nearest name.
        """
        if column not in self._names:
            raise KeyError(f'no column {column!r}; {suggestion.hint(column, self._names)}')
        return self._table[:, self._names.index(column)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def to_pandas(self) -> Any:
        """Return the table as a pandas DataFrame. Its index is the time [s].

        Raises ImportError, which says what to install, if pandas is not installed.
        """
        try:
            import pandas
        except ImportError:
            raise ImportError('to_pandas needs pandas: pip install pandas') from None
        frame = pandas.DataFrame(self._table, columns=list(self._names))
        return frame.set_index(self._names[0])

    def to_csv(self, path: str | Path) -> Path:
        """Write the table to a CSV file, as `attitude-sim run --csv` does; return its path."""
        writer = histories.CsvWriter(path, names=self._names)
        for row in self._table:
            writer.write(row)
        writer.close()
        return Path(path)

    # --- pictures -----------------------------------------------------------------------------

    def plot(self, *names: str, path: str | Path | None = None) -> Any:
        """Draw quantities over time; return the matplotlib Figure.

            run.plot('angular_velocity', 'energy', path='racket.png')

        names: quantities that `attitude-sim plot --only` knows (docs/figures.md), or columns of
            the table. 'attitude' draws the quaternion. Without names you get the figure that
            `attitude-sim plot` draws
        path: file to write the figure to, .png, .svg or .pdf; None writes none
        Raises ValueError for a name that does not exist.
        """
        from spacecraft_attitude_sim.api import pictures

        return pictures.plot(self, self._history, names, path)

    def poinsot(self, path: str | Path | None = None) -> Any:
        """Draw the energy ellipsoid and the momentum sphere; return the matplotlib Figure.

        For a rigid body it shows the polhode, and the ellipsoid that rolls. For a spacecraft with
        actuators or parts that move inside it shows how the ellipsoid shrinks with the energy.

        path: file to write the figure to, .png, .svg or .pdf; None writes none
        Raises ValueError for a run on a floor, for one without rotation, and for one that was
        read from a table.
        """
        from spacecraft_attitude_sim.api import pictures

        return pictures.poinsot(self, self._history, path)

    def animate(self, path: str | Path | None = None, seconds: float = 15.0) -> Any:
        """Make a GIF of the moving body beside its angular velocity.

        path: file to write the GIF to; the path is returned. With None the GIF itself is
            returned, and a notebook shows it
        seconds: longest duration of the animation [s]; a longer run is shown faster
        """
        from spacecraft_attitude_sim.api import pictures

        return pictures.animate(self, self._history, path, seconds)

    def show(self, path: str | Path | None = None, browser: bool = True) -> Any:
        """Show the run in three dimensions, in a notebook or a browser. Needs the extra `view`.

        path: file to write a Rerun recording (.rrd) to. The path is returned, and nothing is shown
        browser: whether to open a browser. If not, open the `url` of the returned object yourself
        Raises ImportError, which says what to install, if the viewer is not installed; ValueError
        for a run that was read from a table.
        """
        from spacecraft_attitude_sim.api import pictures

        return pictures.show(self, self._history, path, browser)

    @property
    def title(self) -> str:
        """The title of figures: the description of the scenario, or the name of the file."""
        return self._source


def _whole_of(record: Record, count: int, commanded: bool) -> tuple[Array, History]:  # noqa: FBT001
    """Return the table and the History of the first instants of a Record."""
    scenario, instants = record.scenario, record.instants[:count]
    references = np.array(record.references[:count]) if commanded else None
    entries, every_known = record.entries()[:count], record.known
    return run_history.of_record(scenario, instants, entries, references, every_known)


def _read_in(flown: Flown) -> Sensors:
    return Sensors(flown.scenario.sensors, flown.readings())


def _gone() -> tuple[Array, History]:
    raise AssertionError('the table has been made')


def read(path: str | Path, namespace: str | None = None) -> Run:
    """Return the Run that a bag or a table holds.

    path: of a bag that `attitude-sim run --record` or `ros2 bag record` wrote, or of a CSV table
        that `run --csv` wrote
    namespace: name of the spacecraft to read, if the bag holds several
    Raises RecordingError, which says what is wrong with the file.

    A bag does not record why a sensor saw nothing: in `sensors`, `why` is NaN there.
    """
    with saying(f'reading {Path(path).name}'):
        history, scenario, names, table, moments = histories.read_with_table(path, namespace)
    title, sensors = Path(path).name, None
    if scenario:
        title = scenario.description
        sensors = functools.partial(sensor_history.of_bag, path, namespace, scenario, moments)
    whole = table, histories.on_floor_of(history, scenario)
    return Run(scenario, names, lambda: whole, sensors, title)
