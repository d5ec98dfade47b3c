# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The body in its world, and its plots, as entities of a Rerun recording.

The entity world/craft moves with the centre of mass, without rotation; world/craft/body also
rotates with the body. With several spacecraft, the paths begin with the namespace, as the topics
do: /chief/world/craft.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import rerun as rr

from spacecraft_attitude_sim.core.contact import floors
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.studies import energy_sink, flips_and_drifts
from spacecraft_attitude_sim.drawing import body_looks, floor_mesh, internal_looks, meshes
from spacecraft_attitude_sim.viewer import caption, colors, floor
from spacecraft_attitude_sim.viewer.actuator_scene import ActuatorScene
from spacecraft_attitude_sim.viewer.archetypes import as_mesh, as_xyzw
from spacecraft_attitude_sim.viewer.energy_scene import EnergyScene
from spacecraft_attitude_sim.viewer.entity_log import Badge, EntityLog
from spacecraft_attitude_sim.viewer.internal_scene import InternalScene
from spacecraft_attitude_sim.viewer.orbit_scene import OrbitScene
from spacecraft_attitude_sim.viewer.poinsot_scene import PoinsotScene
from spacecraft_attitude_sim.viewer.wheel_scene import WheelScene

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3, Vectors3
    from spacecraft_attitude_sim.recording.floor_sheet import Sheet
    from spacecraft_attitude_sim.viewer.samples import Samples, Stamps


# Lengths in reaches of the body: arrows of the first ω and L, axes, radius of lines.
OMEGA_ARROW, MOMENTUM_ARROW, AXIS, RADIUS = 1.55, 1.85, 1.25, 0.02
# log10 that is plotted for no change; it is below the resolution of a double.
SMALLEST_CHANGE = -17.0
# Shortest time between two sheets of a floor that are logged [ns].
FLOOR_EVERY = 60_000_000
# The last sheet is logged again after this time [ns], before the page drops it as too old.
FLOOR_AGAIN = 10_000_000_000
PLOTS = {
    'rates': (('ω x', 'ω y', 'ω z'), colors.AXES),
    'momentum': (('L x', 'L y', 'L z'), colors.AXES),
    'energy': (('about axis 1', 'axis 2', 'axis 3', 'whole'), (*colors.AXES, colors.WHOLE)),
    'drift': (('energy', 'L'), (colors.ENERGY, colors.MOMENTUM)),
    'pointing_error': (('pointing error',), (colors.ERROR,)),
}
# Energy plot with wheels, instead of that of a rigid body.
ENERGY_WITH_WHEELS = ('body', 'wheels', 'whole'), (*colors.AXES[::2], colors.WHOLE)
# Plots that several spacecraft share, with one curve each.
SHARED = ('rate', 'pointing_error')


class Scene(EntityLog):
    """Logs one run of one spacecraft to a recording.

    recording: rerun.RecordingStream;  found: its Scenario
    first: its first Samples, one row, to scale the arrows
    badge: Badge of one of several spacecraft, None for a single one
    """

    def __init__(
        self,
        recording: rr.RecordingStream,
        found: Scenario,
        first: Samples,
        badge: Badge | None = None,
    ) -> None:
        self._body, self._parameters = found.plant.body, found.parameters
        self._spacecraft = found.plant.spacecraft
        # Whether wheels or other internal parts hold a part of L.
        self._holds = bool(self._spacecraft.turning)
        parts = self._spacecraft.internal
        drawn = body_looks.drawn_parts(found)
        super().__init__(recording, internal_looks.reach_of(parts, drawn), badge)
        self._ellipsoid = None
        if energy_sink.changes(self._spacecraft):
            self._ellipsoid = EnergyScene(self, self._spacecraft)
        self._first_momentum_W = first.momentum_W[0]
        self._momentum = float(np.linalg.norm(self._first_momentum_W))
        self._energy = float(np.sum(self._energies(first)))
        stored_W = float(np.linalg.norm(self._stored_W(first)[0]))
        self._longest_momentum = max(self._momentum, stored_W) or 1.0
        self._rate = float(np.linalg.norm(first.omega_B[0])) or 1.0
        momentum_B = rotations.rotate(rotations.conjugate(first.q_WB[0]), self._first_momentum_W)
        self._trace_B = 1.15 * self.reach * flips_and_drifts.spin_axis(momentum_B)
        self._last_tip: Vector3 | None = None
        self._last_contact: Vector3 | None = None
        self._last_floor: int | None = None
        self._floor: floors.Floor | None = None
        self._sheet: Sheet | None = None
        self._up_W = floor_mesh.upwards(found.plant.gravity_W)
        # Only for a rigid body: for a gyrostat or in an orbit, ellipsoid and plane do not hold.
        alone = not found.plant.beyond_rigid_body
        self._poinsot = PoinsotScene(self, self._body, first) if alone else None
        wheels = found.plant.spacecraft.part('reaction_wheels')
        self._wheels = WheelScene(self, wheels, found) if wheels else None
        self._actuators = ActuatorScene(self, found, self._wheels.discs if self._wheels else None)
        around = found.plant.environment.surroundings
        self._orbit = OrbitScene(self, found) if around else None
        size = max(part.reach() for part in drawn)
        self._internal = InternalScene(self, parts, size) if parts else None
        self._log_fixed(found, momentum_B)
        self.put_floor(found)

    def add(self, samples: Samples) -> None:
        """Log Samples, which are later than those logged before."""
        columns = rr.Transform3D.columns
        omega_W = rotations.rotate_many(samples.q_WB, samples.omega_B)
        self.send('world/craft', samples.stamp, columns(translation=samples.position_W))
        self.send('world/craft/body', samples.stamp, columns(quaternion=as_xyzw(samples.q_WB)))
        omega = omega_W * (OMEGA_ARROW * self.reach / self._rate)
        longest = MOMENTUM_ARROW * self.reach / self._longest_momentum
        arrows = {'omega': omega, 'L': samples.momentum_W * longest}
        if self._holds:
            arrows['h'] = self._stored_W(samples) * longest
        if self._wheels:
            self._wheels.add(samples)
        self._actuators.add(samples)
        if self._internal:
            self._internal.add(samples)
        if self._ellipsoid:
            self._ellipsoid.add(samples)
        if self._orbit:
            self._orbit.add(samples)
        for name, vectors in arrows.items():
            self.arrow(f'world/craft/{name}', samples.stamp, vectors)
        self._names(samples.stamp, *arrows.values())
        tips = rotations.rotate_many(samples.q_WB, np.tile(self._trace_B, (len(samples.stamp), 1)))
        self._last_tip = self.path('world/craft/trace', samples.stamp, tips, self._last_tip)
        self._place_floor(samples)
        self._plot(samples)
        if self._poinsot:
            self._poinsot.add(samples, omega_W)

    def shows(self, found: Scenario) -> bool:
        """Return whether a Scenario fits: equal parameters, and a floor that looks the same."""
        looks_the_same = floor.look(_floor_of(found)) == floor.look(self._floor)
        return found.parameters == self._parameters and looks_the_same

    def put_floor(self, found: Scenario) -> None:
        """Draw the floor of a Scenario, if it has one, from the next samples on."""
        self._floor = _floor_of(found)
        drawn = floor.archetypes(self._floor, self.reach)
        for name, archetype in drawn.items():
            self.log(f'world/floor/{name}', archetype)
        self._floor_is_drawn = bool(drawn)

    def add_floor(self, stamp: int, sheet: Sheet) -> None:
        """Log a floor_sheet.Sheet at a time [ns], at most once in FLOOR_EVERY."""
        if self._last_floor is not None and 0 <= stamp - self._last_floor < FLOOR_EVERY:
            return
        self._last_floor, self._sheet = stamp, sheet
        self.log('world/sheet', as_mesh(floor.of_sheet(sheet, self._up_W)), stamp)

    def add_contact(self, stamp: int, point_W: Vector3 | None, force_W: Vector3 | None) -> None:
        """Log contact point (3,) [m] and force on the body (3,) [N]; None for no contact."""
        for name, archetype in (
            ('point', rr.Points3D(
                [] if point_W is None else [point_W], colors=colors.POINT, radii=0.04 * self.reach
            )),
            ('force', rr.Arrows3D(
                vectors=[] if force_W is None else [self._force_arrow(force_W)],
                origins=[] if point_W is None else [point_W],
                colors=colors.FORCE, radii=RADIUS * self.reach, labels='contact force',
            )),
        ):  # fmt: skip
            self.log(f'world/contact/{name}', archetype, stamp)
        if point_W is not None:
            path = (point_W if self._last_contact is None else self._last_contact, point_W)
            line = rr.LineStrips3D([path], colors=colors.CONTACT_PATH, radii=0.01 * self.reach)
            self.log('world/contact/path', line, stamp)
        self._last_contact = point_W

    def _place_floor(self, samples: Samples) -> None:
        """Log the pose of the floor, not as static data, which would hide later poses."""
        last = self._last_floor
        if self._sheet and last is not None and samples.stamp[-1] - last > FLOOR_AGAIN:
            self.add_floor(int(samples.stamp[-1]), self._sheet)
        if not self._floor_is_drawn:
            return
        # A fixed floor is logged once per batch, so that the page always keeps a pose.
        assert isinstance(self._floor, (floors.Plane, floors.SphericalFloor)), 'it is drawn'
        places = samples if self._floor.moves() else samples.part(0, 1)
        position, q = floor.placements(self._floor, places.elapsed, self.reach)
        columns = rr.Transform3D.columns(translation=position, quaternion=as_xyzw(q))
        self.send('world/floor', places.stamp, columns)

    def _names(self, stamp: Stamps, *tips: Vectors3) -> None:
        """Log the positions of arrow labels, at the tips (n, 3) of each arrow [m]."""
        places = np.stack(tips, axis=1).reshape(-1, 3) * 1.05
        columns = rr.Points3D.columns(positions=places).partition([len(tips)] * len(stamp))
        self.send('world/craft/names', stamp, columns)

    def _stored_W(self, samples: Samples) -> Vectors3:
        """Return the angular momentum (n, 3) of the wheels, L - R J ω [N m s]."""
        if self._spacecraft.internal:
            assert self._ellipsoid is not None, 'it has parts inside'
            held_B = np.nan_to_num(self._ellipsoid.rotation(samples).held_B)
            return rotations.rotate_many(samples.q_WB, held_B)
        J = self._spacecraft.carrier.inertia
        return samples.momentum_W - rotations.rotate_many(samples.q_WB, samples.omega_B @ J)

    def _energies(self, samples: Samples) -> Array:
        """Return the rotational kinetic energy about each principal axis (n, 3) [J].

        With wheels or gimbals it is (n, 2): ½ ω·Jω of the body, and ½ Σ h²/J of the wheels; for
        gimbals the latter is NaN, because no topic carries the momentum of their rotors.
        With internal parts, it is the energy with these parts at rest at their positions.
        """
        if self._spacecraft.internal and not self._holds:
            assert self._ellipsoid is not None, 'it has parts inside'
            rotation = self._ellipsoid.rotation(samples)
            return rotation.momentum_P**2 / rotation.moments / 2.0
        if self._holds:
            carrier = np.einsum(
                'ni,ij,nj->n', samples.omega_B, self._spacecraft.carrier.inertia, samples.omega_B
            )
            wheels = self._spacecraft.part('reaction_wheels')
            if self._spacecraft.internal:
                assert self._ellipsoid is not None, 'it has parts inside'
                carrier = 2.0 * self._ellipsoid.rotation(samples).energies
            if self._spacecraft.part('control_moment_gyros') or wheels is None:
                return np.stack((carrier / 2.0, np.full(len(carrier), np.nan)), axis=1)
            along = samples.omega_B @ wheels.axes_B.T
            absolute = samples.speeds_of(wheels.number) + along
            return np.stack((carrier, absolute**2 @ wheels.inertias), axis=1) / 2.0
        omega_P = samples.omega_B @ rotations.dcm_from_quaternion(self._body.q_BP)
        return omega_P**2 * self._body.principal_moments / 2.0

    def _plot(self, samples: Samples) -> None:
        energies = self._energies(samples)
        whole = np.sum(energies, axis=1)
        if np.isnan(self._energy) and (known := whole[np.isfinite(whole)]).size:
            self._energy = float(known[0])  # the first wheel speeds were missing
        moved = np.linalg.norm(samples.momentum_W - self._first_momentum_W, axis=1)
        for name, values in (
            ('rates', samples.omega_B),
            ('momentum', samples.momentum_W),
            ('energy', np.column_stack((energies, whole))),
            (
                'drift',
                np.stack(
                    (_digits(whole - self._energy, self._energy), _digits(moved, self._momentum)),
                    axis=1,
                ),
            ),
        ):
            self.add_plot(name, samples.stamp, values)
        if self.badge:
            self.add_plot('rate', samples.stamp, np.linalg.norm(samples.omega_B, axis=1))

    def _force_arrow(self, force_W: Vector3) -> Vector3:
        weight = self._body.mass * 9.81
        return force_W * (self.reach / weight)

    def _log_fixed(self, found: Scenario, momentum_B: Vector3) -> None:
        q_BP = self._body.q_BP
        momentum_P = rotations.rotate(rotations.conjugate(q_BP), momentum_B)
        words = caption.text(found, momentum_P)
        self.log('about', rr.TextDocument(words, media_type=rr.MediaType.MARKDOWN))
        parts = internal_looks.through_glass(
            self._spacecraft.internal, body_looks.drawn_parts(found)
        )
        self.log('world/craft/body/shape', as_mesh(meshes.mesh(parts)))
        axes = rr.Arrows3D(
            vectors=AXIS * self.reach * np.eye(3), colors=colors.AXES, radii=RADIUS * self.reach
        )  # fmt: skip
        self.log('world/craft/body/axes', axes)
        names = rr.Points3D(
            1.1 * AXIS * self.reach * np.eye(3), labels=['x', 'y', 'z'], colors=colors.AXES,
            radii=0.0, show_labels=True,
        )  # fmt: skip
        self.log('world/craft/body/names', names)
        self._log_mass_properties()
        arrows = {
            'omega': ('ω', colors.OMEGA, 1.8), 'L': ('L', colors.MOMENTUM, 1.2),
            'h': ('h', colors.WHEEL_MOMENTUM, 1.2),
        }  # fmt: skip
        if not self._holds:
            del arrows['h']
        for name, (_, color, width) in arrows.items():
            style = rr.Arrows3D.from_fields(colors=[color], radii=[width * RADIUS * self.reach])
            self.log(f'world/craft/{name}', style)
        letters, shades, _ = zip(*arrows.values(), strict=True)
        names = rr.Points3D.from_fields(
            labels=letters, colors=shades, radii=[0.0], show_labels=True
        )
        self.log('world/craft/names', names)
        trace = rr.LineStrips3D.from_fields(colors=[colors.PATH], radii=[0.012 * self.reach])
        self.log('world/craft/trace', trace)
        for name, (curves, shades) in PLOTS.items():
            self.log_curves(name, curves, shades)
        if self._holds:
            self.log_curves('energy', *ENERGY_WITH_WHEELS)
        if self.badge:
            self._log_badge(self.badge)

    def _log_badge(self, badge: Badge) -> None:
        """Show the name above the body and at its curves in shared plots."""
        above = (0.0, 0.0, 1.9 * self.reach)
        label = rr.Points3D([above], labels=[badge.name], colors=[badge.color], radii=0.0)
        self.log('world/craft/name', label)
        for name in SHARED:
            self.log_curves(name, (badge.name,), (badge.color,))

    def _log_mass_properties(self) -> None:
        """Draw the principal axes and the centre of mass."""
        lines = rr.LineStrips3D(
            list(meshes.principal_axes(self._body, self.reach)), colors=colors.PRINCIPAL,
            radii=0.3 * RADIUS * self.reach,
        )  # fmt: skip
        self.log('world/craft/body/principal_axes', lines)
        size, place = 2.0 * RADIUS * self.reach, self._body.center_B
        ball = rr.Points3D([place], colors=colors.PRINCIPAL, radii=size)
        self.log('world/craft/body/center_of_mass', ball)


def _floor_of(found: Scenario) -> floors.Floor | None:
    """Return the floor of a Scenario, or None."""
    return found.plant.contact.floor if found.plant.contact else None


def _digits(change: Array, whole: float) -> Array:
    """Return log10 of the relative change (n,) of `whole`, at least SMALLEST_CHANGE."""
    relative = np.abs(change) / (whole or 1.0)
    return np.log10(np.maximum(relative, 10.0**SMALLEST_CHANGE))
